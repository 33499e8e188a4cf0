/* SPDX-License-Identifier: MIT */
/*
 * url -- see url.h.  Such a URL has neither a user nor a fragment.
 */
#include "websocket/url.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

static int parse_port(weir_bytes text, uint16_t *port)
{
    const char *digits = text.data;
    unsigned number = 0;

    if (text.size == 0 || text.size > 5)
        return -EINVAL;
    for (size_t i = 0; i < text.size; i++) {
        if (!isdigit((unsigned char)digits[i]))
            return -EINVAL;
        number = number * 10 + (unsigned)(digits[i] - '0');
    }
    if (number == 0 || number > UINT16_MAX)
        return -EINVAL;
    *port = (uint16_t)number;
    return 0;
}

/* A name does not begin with a dot, and weir_connect would take it for a
 * path. */
static bool is_host(weir_bytes host, bool is_address)
{
    const char *text = host.data;

    for (size_t i = 0; i < host.size; i++)
        if (!isalnum((unsigned char)text[i]) &&
            strchr(is_address ? ":." : "-._", text[i]) == NULL)
            return false;
    return host.size > 0 && text[0] != '.';
}

/* "host", "host:port", "[address]" or "[address]:port". */
static int parse_authority(struct weir__url *url)
{
    const char *text = url->authority.data;
    const char *end = text + url->authority.size;
    const char *host_end;
    bool is_address = url->authority.size > 0 && text[0] == '[';

    text += is_address;
    host_end = memchr(text, is_address ? ']' : ':', (size_t)(end - text));
    if (host_end == NULL && is_address)
        return -EINVAL;
    if (host_end == NULL)
        host_end = end;
    url->host = (weir_bytes){text, (size_t)(host_end - text)};
    if (!is_host(url->host, is_address))
        return -EINVAL;
    text = host_end + is_address;
    if (text == end)
        return 0;
    if (*text != ':')
        return -EINVAL;
    text++;
    return parse_port((weir_bytes){text, (size_t)(end - text)}, &url->port);
}

int weir__url_parse(struct weir__url *url, const char *text)
{
    memset(url, 0, sizeof(*url));
    url->is_secure = strncasecmp(text, "wss://", 6) == 0;
    if (!url->is_secure && strncasecmp(text, "ws://", 5) != 0)
        return -EINVAL;
    text += url->is_secure ? 6 : 5;
    url->port = url->is_secure ? 443 : 80;
    url->authority = (weir_bytes){text, strcspn(text, "/?")};
    text += url->authority.size;
    url->target = (weir_bytes){text, strlen(text)};
    return parse_authority(url);
}
