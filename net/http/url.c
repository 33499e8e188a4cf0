/* SPDX-License-Identifier: MIT */
/*
 * url -- the part of RFC 3986 that http and https need.
 *
 * The parts of a reference are found first (split), those that it lacks are
 * taken from the base, and then everything is written in one pass to a block
 * whose size has an upper bound: a byte becomes at most three.
 *
 * Tested by  test/net/http/url.c, test/fuzz/url.c
 */
#include "http/url.h"

#include <errno.h>
#include <string.h>

#include "http/class.h"
#include "http/format.h"
#include "http/header.h"
#include "weir/host/memory.h"

/* The parts of a reference; data is NULL if it has no such part. */
struct parts {
    weir_bytes scheme, authority, path, query;
};

static weir_bytes slice(const char *from, const char *to)
{
    return (weir_bytes){from, (size_t)(to - from)};
}

/* Find the first of several bytes, or the end. */
static const char *find_any(const char *at, const char *end, const char *bytes)
{
    while (at < end && (*at == '\0' || strchr(bytes, *at) == NULL))
        at++;
    return at;
}

static bool is_alpha(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static void split(struct parts *parts, weir_bytes text)
{
    const char *at = text.data, *end = at + text.size;
    const char *stop = find_any(at, end, ":/?#");

    memset(parts, 0, sizeof(*parts));
    if (stop < end && *stop == ':' && stop > at && is_alpha(*at)) {
        parts->scheme = slice(at, stop);
        at = stop + 1;
    }
    if (end - at >= 2 && at[0] == '/' && at[1] == '/') {
        stop = find_any(at + 2, end, "/?#");
        parts->authority = slice(at + 2, stop);
        at = stop;
    }
    stop = find_any(at, end, "?#");
    parts->path = slice(at, stop);
    if (stop < end && *stop == '?')
        parts->query = slice(stop + 1, find_any(stop + 1, end, "#"));
}

/* Remove whitespace at both ends, as in a value that was pasted. */
static weir_bytes trim(weir_bytes text)
{
    const char *at = text.data;

    while (text.size > 0 && (unsigned char)at[0] <= ' ')
        at++, text.size--;
    while (text.size > 0 && (unsigned char)at[text.size - 1] <= ' ')
        text.size--;
    return (weir_bytes){at, text.size};
}

/* ---- the authority ---- */

static int parse_port(weir_bytes digits, uint16_t *port)
{
    const char *at = digits.data;
    unsigned long value = 0;

    if (digits.size == 0)
        return 0; /* "host:" means the default */
    for (size_t i = 0; i < digits.size; i++) {
        if (at[i] < '0' || at[i] > '9')
            return -EINVAL;
        value = value * 10 + (unsigned long)(at[i] - '0');
        if (value > UINT16_MAX)
            return -EINVAL;
    }
    *port = (uint16_t)value;
    return value == 0 ? -EINVAL : 0;
}

/* Take an authority apart.  The host keeps its brackets.  One that begins with a
 * dot is not a name, and weir_connect would take it for a path. */
static int parse_authority(weir_bytes authority, weir_bytes *host,
                           uint16_t *port)
{
    const char *at = authority.data, *end = at + authority.size, *colon;

    if (!weir__http_is_host(authority))
        return -EINVAL;
    colon = *at == '[' ? find_any(at, end, "]") + 1 : find_any(at, end, ":");
    *host = slice(at, colon < end ? colon : end);
    if (host->size == 0 || *at == '.')
        return -EINVAL;
    return colon < end ? parse_port(slice(colon + 1, end), port) : 0;
}

/* ---- writing ---- */

static char *put(char *to, weir_bytes bytes)
{
    if (bytes.size > 0)
        memcpy(to, bytes.data, bytes.size);
    return to + bytes.size;
}

static char *put_lower(char *to, weir_bytes bytes)
{
    const char *at = bytes.data;

    for (size_t i = 0; i < bytes.size; i++)
        *to++ = (char)(at[i] >= 'A' && at[i] <= 'Z' ? at[i] + 32 : at[i]);
    return to;
}

/* Write a path or a query; what is not allowed there is encoded. */
static char *put_encoded(char *to, weir_bytes bytes, unsigned class)
{
    static const char digits[] = "0123456789ABCDEF";
    const char *at = bytes.data;

    for (size_t i = 0; i < bytes.size; i++) {
        unsigned byte = (unsigned char)at[i];

        if (byte == '%' || weir__http_is(at[i], class)) {
            *to++ = at[i];
            continue;
        }
        *to++ = '%';
        *to++ = digits[byte >> 4];
        *to++ = digits[byte & 15];
    }
    return to;
}

static bool is_segment(weir_bytes segment, const char *text)
{
    return segment.size == strlen(text) &&
           memcmp(segment.data, text, segment.size) == 0;
}

/* Write the segments of a path behind `root`, without "." and "..".  Returns
 * the end. */
static char *put_segments(char *root, char *to, weir_bytes path)
{
    const char *at = path.data, *end = at + path.size;

    while (at < end) {
        const char *stop = find_any(at, end, "/");
        weir_bytes segment = slice(at, stop);

        if (is_segment(segment, "..")) {
            if (to > root)
                to--; /* the slash */
            while (to > root && to[-1] != '/')
                to--;
        } else if (!is_segment(segment, ".")) {
            to = put_encoded(to, segment, WEIR__HTTP_IN_PATH);
            if (stop < end)
                *to++ = '/';
        }
        at = stop < end ? stop + 1 : end;
    }
    return to;
}

/* The directory of the base's path. */
static weir_bytes directory_of(const struct weir__http_url *base)
{
    const char *at = base->target.data;
    const char *end = find_any(at, at + base->target.size, "?");

    while (end > at && end[-1] != '/')
        end--;
    return slice(at, end);
}

static char *put_path(char *to, const struct parts *parts,
                      const struct weir__http_url *base)
{
    weir_bytes path = parts->path;
    const char *at = path.data;
    char *root;

    *to++ = '/';
    root = to;
    if (path.size > 0 && *at == '/') {
        path = slice(at + 1, at + path.size);
    } else if (base != NULL && path.size > 0) {
        weir_bytes directory = directory_of(base);

        directory.data = (const char *)directory.data + 1;
        directory.size--;
        to = put_segments(root, to, directory);
    }
    return put_segments(root, to, path);
}

static bool has_valid_bytes(weir_bytes text)
{
    const char *at = text.data;

    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)at[i] < ' ' || at[i] == 0x7f || at[i] == '\\')
            return false;
    return true;
}

static void write_url(struct weir__http_url *url, const struct parts *parts,
                      weir_bytes host, const struct weir__http_url *base)
{
    char *to = url->text, *start;
    bool has_brackets = *(const char *)host.data == '[';

    to = put(to, url->is_tls ? (weir_bytes)WEIR_BYTES_OF("https://")
                             : (weir_bytes)WEIR_BYTES_OF("http://"));
    start = to;
    to = put_lower(to, host);
    if (url->port != (url->is_tls ? 443 : 80)) {
        *to++ = ':';
        to = weir__http_number_write(to, url->port);
    }
    url->authority = slice(start, to);
    start = to;
    if (base != NULL && parts->authority.data == NULL &&
        parts->path.size == 0) {
        weir_bytes path = base->target;

        if (parts->query.data != NULL)
            path.size =
                (size_t)(find_any(path.data,
                                  (const char *)path.data + path.size, "?") -
                         (const char *)path.data);
        to = put(to, path);
    } else {
        to = put_path(to, parts, parts->authority.data == NULL ? base : NULL);
    }
    if (parts->query.data != NULL) {
        *to++ = '?';
        to = put_encoded(to, parts->query, WEIR__HTTP_IN_QUERY);
    }
    url->target = slice(start, to);
    *to++ = '\0';
    url->host = to;
    to = put_lower(to, has_brackets ? (weir_bytes){(const char *)host.data + 1,
                                                   host.size - 2}
                                    : host);
    *to = '\0';
}

/* ---- parsing ---- */

int weir__http_url_parse(struct weir__http_url *url, weir_bytes text,
                         const struct weir__http_url *base)
{
    struct parts parts;
    weir_bytes host, authority;
    int err;

    memset(url, 0, sizeof(*url));
    text = trim(text);
    split(&parts, text);
    if (!has_valid_bytes(text))
        return -EINVAL;
    if (parts.scheme.data == NULL && base == NULL)
        return -EINVAL;
    url->is_tls = base != NULL && base->is_tls;
    if (parts.scheme.data != NULL) {
        url->is_tls = weir__http_is_equal(parts.scheme,
                                          (weir_bytes)WEIR_BYTES_OF("https"));
        if (!url->is_tls &&
            !weir__http_is_equal(parts.scheme,
                                 (weir_bytes)WEIR_BYTES_OF("http")))
            return -EINVAL;
        if (parts.authority.data == NULL)
            return -EINVAL;
    }
    url->port = url->is_tls ? 443 : 80;
    authority =
        parts.authority.data != NULL ? parts.authority : base->authority;
    err = parse_authority(authority, &host, &url->port);
    if (err != 0)
        return err;
    url->capacity = 3 * (text.size + (base != NULL ? base->target.size : 0)) +
                    2 * host.size + 32;
    url->text = weir_memory_alloc(url->capacity);
    if (url->text == NULL)
        return -ENOMEM;
    write_url(url, &parts, host, base);
    return 0;
}

bool weir__http_url_is_same_origin(const struct weir__http_url *one,
                                   const struct weir__http_url *other)
{
    return one->is_tls == other->is_tls &&
           one->authority.size == other->authority.size &&
           memcmp(one->authority.data, other->authority.data,
                  one->authority.size) == 0;
}

void weir__http_url_fini(struct weir__http_url *url)
{
    weir_memory_free(url->text, url->capacity);
    memset(url, 0, sizeof(*url));
}
