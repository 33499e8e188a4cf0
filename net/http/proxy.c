/* SPDX-License-Identifier: MIT */
/*
 * proxy -- which proxy a URL is fetched through.
 *
 * The environment variables are read once, when the client is made.  HTTP_PROXY
 * in capitals is ignored if REQUEST_METHOD is set: in a CGI program it holds
 * the field "Proxy:" of the request, which any client can send ("httpoxy").
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "http/client.h"
#include "http/header.h"
#include "weir/host/memory.h"

/* ---- reading ---- */

static const char *from_environment(const char *small, const char *large)
{
    const char *value = getenv(small);

    if (value == NULL &&
        (strcmp(large, "HTTP_PROXY") != 0 || getenv("REQUEST_METHOD") == NULL))
        value = getenv(large);
    return value;
}

static int hex_value(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    digit = (char)(digit | 32);
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* Decode "%41" in the user and the password.  Returns the size. */
static size_t decode(char *to, weir_bytes from)
{
    const char *at = from.data;
    size_t size = 0;

    for (size_t i = 0; i < from.size; i++) {
        if (at[i] == '%' && i + 2 < from.size && hex_value(at[i + 1]) >= 0 &&
            hex_value(at[i + 2]) >= 0) {
            to[size++] =
                (char)(hex_value(at[i + 1]) * 16 + hex_value(at[i + 2]));
            i += 2;
        } else {
            to[size++] = at[i];
        }
    }
    return size;
}

static char *put_base64(char *to, const char *from, size_t size)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        unsigned bits = (unsigned)(unsigned char)from[i] << 16;

        if (left > 1)
            bits |= (unsigned)(unsigned char)from[i + 1] << 8;
        if (left > 2)
            bits |= (unsigned char)from[i + 2];
        *to++ = digits[bits >> 18];
        *to++ = digits[bits >> 12 & 63];
        *to++ = digits[left > 1 ? bits >> 6 & 63 : 64];
        *to++ = digits[left > 2 ? bits & 63 : 64];
        if (left < 3)
            to[-1] = '=';
        if (left < 2)
            to[-2] = '=';
    }
    return to;
}

/* Make "Basic ..." of "user:password". */
static int set_credentials(struct weir__http_proxy *proxy, weir_bytes user)
{
    char *plain = weir_memory_alloc(user.size + 2);
    size_t size;
    char *end;

    proxy->credentials_size = 6 + (user.size + 3) / 3 * 4 + 5;
    proxy->credentials = weir_memory_alloc(proxy->credentials_size);
    if (plain == NULL || proxy->credentials == NULL) {
        weir_memory_free(plain, user.size + 2);
        return -ENOMEM;
    }
    size = decode(plain, user);
    if (memchr(user.data, ':', user.size) == NULL)
        plain[size++] = ':';
    memcpy(proxy->credentials, "Basic ", 6);
    end = put_base64(proxy->credentials + 6, plain, size);
    *end = '\0';
    weir_memory_free(plain, user.size + 2);
    return 0;
}

/* Parse "[http://][user[:password]@]host[:port][/]". */
static int parse_proxy(struct weir__http_proxy *proxy, const char *text)
{
    const char *start = strstr(text, "://");
    const char *at, *slash;
    char *plain;
    size_t size;
    int err;

    if (start != NULL &&
        (start - text != 4 ||
         !weir__http_is_equal((weir_bytes){text, 4}, (weir_bytes){"http", 4})))
        return -EINVAL; /* a proxy that speaks TLS, or SOCKS */
    start = start != NULL ? start + 3 : text;
    slash = start + strcspn(start, "/?#");
    at = NULL;
    for (const char *each = start; each < slash; each++)
        if (*each == '@')
            at = each;
    if (at != NULL) {
        err = set_credentials(proxy, (weir_bytes){start, (size_t)(at - start)});
        if (err != 0)
            return err;
        start = at + 1;
    }
    size = 7 + (size_t)(slash - start);
    plain = weir_memory_alloc(size);
    if (plain == NULL)
        return -ENOMEM;
    memcpy(plain, "http://", 7);
    memcpy(plain + 7, start, size - 7);
    err = weir__http_url_parse(&proxy->url, (weir_bytes){plain, size}, NULL);
    weir_memory_free(plain, size);
    return err;
}

static int copy_text(char **to, const char *from)
{
    size_t size = strlen(from) + 1;

    *to = weir_memory_alloc(size);
    if (*to == NULL)
        return -ENOMEM;
    memcpy(*to, from, size);
    return 0;
}

int weir__http_proxy_init(weir_http_client *client,
                          const weir_http_client_options *options)
{
    const char *texts[2] = {options->http_proxy, options->https_proxy};
    const char *exempt = options->no_proxy;
    int err = 0;

    if (texts[0] == NULL)
        texts[0] = from_environment("http_proxy", "HTTP_PROXY");
    if (texts[1] == NULL)
        texts[1] = from_environment("https_proxy", "HTTPS_PROXY");
    if (exempt == NULL)
        exempt = from_environment("no_proxy", "NO_PROXY");
    for (size_t i = 0; i < 2 && err == 0; i++)
        if (texts[i] != NULL && *texts[i] != '\0')
            err = parse_proxy(&client->proxies[i], texts[i]);
    if (err == 0 && exempt != NULL)
        err = copy_text(&client->no_proxy, exempt);
    return err;
}

void weir__http_proxy_fini(weir_http_client *client)
{
    for (size_t i = 0; i < 2; i++) {
        struct weir__http_proxy *proxy = &client->proxies[i];

        weir__http_url_fini(&proxy->url);
        weir_memory_free(proxy->credentials, proxy->credentials_size);
    }
    if (client->no_proxy != NULL)
        weir_memory_free(client->no_proxy, strlen(client->no_proxy) + 1);
}

/* ---- choosing ---- */

/* Whether a host is a name or below it. */
static bool is_below(const char *host, weir_bytes name)
{
    size_t size = strlen(host);
    const char *tail;

    if (size < name.size)
        return false;
    tail = host + size - name.size;
    return weir__http_is_equal((weir_bytes){tail, name.size}, name) &&
           (tail == host || tail[-1] == '.');
}

static bool is_entry(weir_bytes entry, const struct weir__http_url *url)
{
    const char *at = entry.data, *end = at + entry.size, *colon = NULL;

    if (entry.size == 1 && *at == '*')
        return true;
    if (*at == '[') { /* [::1]:80 */
        const char *bracket = memchr(at, ']', entry.size);

        if (bracket == NULL)
            return false;
        colon = bracket + 1 < end && bracket[1] == ':' ? bracket + 1 : NULL;
        entry = (weir_bytes){at + 1, (size_t)(bracket - at - 1)};
    } else {
        colon = memchr(at, ':', entry.size);
        if (colon != NULL &&
            memchr(colon + 1, ':', (size_t)(end - colon - 1)) != NULL)
            colon = NULL; /* ::1 */
        if (colon != NULL)
            entry.size = (size_t)(colon - at);
    }
    if (colon != NULL && strtoul(colon + 1, NULL, 10) != url->port)
        return false;
    at = entry.data;
    if (entry.size > 1 && *at == '*' && at[1] == '.')
        at += 2, entry.size -= 2;
    else if (entry.size > 0 && *at == '.')
        at++, entry.size--;
    entry.data = at;
    return entry.size > 0 && is_below(url->host, entry);
}

bool weir__http_proxy_is_exempt(const char *list,
                                const struct weir__http_url *url)
{
    weir_bytes left = {list, list != NULL ? strlen(list) : 0}, entry;

    while (weir__http_list_next(&left, &entry))
        if (entry.size > 0 && is_entry(entry, url))
            return true;
    return false;
}

const struct weir__http_proxy *
weir__http_proxy_for(const weir_http_client *client,
                     const struct weir__http_url *url)
{
    const struct weir__http_proxy *proxy = &client->proxies[url->is_tls];

    if (proxy->url.text == NULL ||
        weir__http_proxy_is_exempt(client->no_proxy, url))
        return NULL;
    return proxy;
}
