/* SPDX-License-Identifier: MIT */
/*
 * access -- a token, and which pages may ask.
 *
 * The token is in the fragment of the page's URL, which browsers send to nobody,
 * and from there in the field Authorization of each request.  There is no
 * cookie: browsers would send it to every port of this host.
 *
 * A page of another site can make a browser send requests to us.  Such a request
 * has no token.  It also has either the other site's Origin, or, if the site's
 * name was made to resolve to our address (DNS rebinding), that name as its
 * Host.  So a Host must be an address, or "localhost", and an Origin must be
 * ours.  These checks come first, and protect what needs no token, too.
 *
 * A Unix socket has the mode 0600.  Whoever can connect could also read the
 * memory of the process.
 *
 * Tested by  test/net/monitor/access.c, test/api/live.py
 */
#include "monitor/access.h"

#include <string.h>
#include <strings.h>

#include "os/random.h"

int weir__access_make_token(char token[WEIR__TOKEN_BYTES + 1])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[WEIR__TOKEN_BYTES / 2];
    int err = weir__random_fill(bytes, sizeof(bytes));

    for (size_t i = 0; i < sizeof(bytes); i++) {
        token[2 * i] = digits[bytes[i] >> 4];
        token[2 * i + 1] = digits[bytes[i] & 15];
    }
    token[WEIR__TOKEN_BYTES] = '\0';
    return err;
}

static bool is_unix(const weir_http_request *request)
{
    weir_stream *stream = weir_http_stream(request);
    weir_address own;

    if (stream == NULL)
        return false;
    weir_stream_local(stream, &own);
    return weir_address_family_of(&own) == WEIR_ADDRESS_UNIX;
}

/* "127.0.0.1:80", "[::1]", "localhost:80"; no other names. */
static bool is_address(weir_bytes host)
{
    static const char name[] = "localhost";
    char text[64];
    weir_address address;

    if (host.data == NULL || host.size == 0 || host.size >= sizeof(text))
        return false;
    memcpy(text, host.data, host.size);
    text[host.size] = '\0';
    if (strlen(text) != host.size)
        return false;
    if (strncasecmp(text, name, sizeof(name) - 1) == 0 &&
        (text[sizeof(name) - 1] == '\0' || text[sizeof(name) - 1] == ':'))
        return true;
    return weir_address_parse(&address, text, 80) == 0 &&
           (weir_address_family_of(&address) == WEIR_ADDRESS_IPV4 ||
            weir_address_family_of(&address) == WEIR_ADDRESS_IPV6);
}

/* Absent, or "http://" and the Host. */
static bool is_own_origin(weir_bytes origin, weir_bytes host)
{
    static const char scheme[] = "http://";
    size_t size = sizeof(scheme) - 1;

    return origin.data == NULL || (origin.size == size + host.size &&
                                   memcmp(origin.data, scheme, size) == 0 &&
                                   memcmp((const char *)origin.data + size,
                                          host.data, host.size) == 0);
}

/* The time that this takes does not depend on where they differ. */
static bool has_token(weir_bytes given, const char *token)
{
    static const char scheme[] = "Bearer ";
    const unsigned char *bytes = given.data;
    size_t before = sizeof(scheme) - 1;
    unsigned difference = 0;

    if (bytes == NULL || given.size != before + WEIR__TOKEN_BYTES ||
        strncasecmp(given.data, scheme, before) != 0)
        return false;
    for (size_t i = 0; i < WEIR__TOKEN_BYTES; i++)
        difference |= bytes[before + i] ^ (unsigned char)token[i];
    return difference == 0;
}

const char *weir__access_refuse(const weir_http_request *request,
                                const char *token, bool needs_token,
                                unsigned *status)
{
    weir_bytes host = weir_http_field_of(request, "host");

    *status = 403;
    if (is_unix(request))
        return NULL;
    if (!is_address(host))
        return "the Host must be an address or localhost\n";
    if (!is_own_origin(weir_http_field_of(request, "origin"), host))
        return "requests from pages of other origins are refused\n";
    *status = 401;
    if (needs_token &&
        !has_token(weir_http_field_of(request, "authorization"), token))
        return "the token is missing or wrong: Authorization: Bearer TOKEN\n";
    return NULL;
}
