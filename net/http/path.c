/* SPDX-License-Identifier: MIT */
/*
 * path -- see path.h.
 *
 * Tested by  test/net/http/path.c, test/fuzz/fields.c
 */
#include "http/path.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static int hex_value(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F')
        return digit - 'A' + 10;
    return -1;
}

/* Take a byte, which may be escaped.  Returns it, or -1. */
static int take_byte(const char **at, const char *end)
{
    const char *from = *at;
    int high, low;

    ++*at;
    if (*from != '%')
        return (unsigned char)*from;
    if (end - from < 3)
        return -1;
    high = hex_value(from[1]);
    low = hex_value(from[2]);
    *at = from + 3;
    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

ssize_t weir__http_percent_decode(char *to, weir_bytes text)
{
    const char *at = text.data;
    const char *end = at + text.size;
    char *out = to;

    while (at < end) {
        int byte = take_byte(&at, end);

        if (byte < 0)
            return -EINVAL;
        *out++ = (char)byte;
    }
    return out - to;
}

void weir__http_target_split(weir_bytes target, weir_bytes *path,
                             weir_bytes *query)
{
    const char *data = target.data;
    const char *mark = target.size > 0 ? memchr(data, '?', target.size) : NULL;

    *path = target;
    *query = (weir_bytes){NULL, 0};
    if (mark == NULL)
        return;
    path->size = (size_t)(mark - data);
    query->data = mark + 1;
    query->size = target.size - path->size - 1;
}

/* Decode a segment, without what could be taken for something else later. */
static int decode_segment(const char **at, const char *end, char **out)
{
    while (*at < end && **at != '/') {
        int byte = take_byte(at, end);

        if (byte < ' ' || byte == '/' || byte == 0x7f)
            return -EINVAL;
        *(*out)++ = (char)byte;
    }
    return 0;
}

static bool is_dots(const char *segment, const char *out, int count)
{
    return out - segment == count && segment[0] == '.' &&
           (count == 1 || segment[1] == '.');
}

/* Remove the last segment of "a/b/".  Returns -EACCES if there is none. */
static int go_up(const char *to, char **out)
{
    if (*out == to)
        return -EACCES;
    --*out;
    while (*out > to && (*out)[-1] != '/')
        --*out;
    return 0;
}

/* Add the next segment, with the "/" after it. */
static int add_segment(const char **at, const char *end, char *to, char **out)
{
    char *segment = *out;
    int err = decode_segment(at, end, out);

    if (err != 0)
        return err;
    if (is_dots(segment, *out, 2)) {
        *out = segment;
        err = go_up(to, out);
    } else if (is_dots(segment, *out, 1)) {
        *out = segment;
    } else if (*out > segment && *at < end) {
        *(*out)++ = '/';
    }
    if (*at < end)
        ++*at;
    return err;
}

ssize_t weir__http_path_normalize(char *to, weir_bytes path)
{
    const char *at = path.data;
    const char *end = at + path.size;
    char *out = to;

    if (path.size == 0 || *at++ != '/')
        return -EINVAL;
    while (at < end) {
        int err = add_segment(&at, end, to, &out);

        if (err != 0)
            return err;
    }
    if (out == to)
        *out++ = '.';
    *out = 0;
    return out - to;
}
