/* SPDX-License-Identifier: MIT */
/*
 * utf8 -- validate, repair and copy.
 *
 * Tested by  test/js/bytes/encoding-*.js, test/js/bytes/buffer-*.js
 */
#include "bytes/utf8.h"

#include <stdbool.h>
#include <string.h>

/* The first byte that is not ASCII, or size. */
static size_t skip_ascii(const uint8_t *bytes, size_t at, size_t size)
{
    uint64_t eight;

    while (size - at >= sizeof(eight)) {
        memcpy(&eight, bytes + at, sizeof(eight));
        if ((eight & UINT64_C(0x8080808080808080)) != 0)
            break;
        at += sizeof(eight);
    }
    while (at < size && bytes[at] < 0x80)
        at++;
    return at;
}

/* How many bytes follow this first one; 0 if it cannot be a first byte. */
static size_t followers(uint8_t first)
{
    if (first < 0xC2 || first > 0xF4)
        return 0;
    return first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
}

/* Whether the second byte may follow the first: no overlong forms, no
 * surrogates, nothing above U+10FFFF. */
static bool may_follow(uint8_t first, uint8_t second)
{
    uint8_t least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    uint8_t most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;

    return second >= least && second <= most;
}

/* The size of the non-ASCII character at the start.  If it is incomplete or
 * invalid, is_whole becomes false and the size is that of its prefix, at least
 * 1. */
static size_t measure(const uint8_t *bytes, size_t size, bool *is_whole)
{
    size_t more = followers(bytes[0]), length = 1;

    while (length <= more && length < size &&
           (length == 1 ? may_follow(bytes[0], bytes[1])
                        : (bytes[length] & 0xC0) == 0x80))
        length++;
    *is_whole = more > 0 && length == more + 1;
    return length;
}

size_t weir__js_utf8_valid(const uint8_t *bytes, size_t size)
{
    size_t at = 0;

    while ((at = skip_ascii(bytes, at, size)) < size) {
        bool is_whole;
        size_t length = measure(bytes + at, size - at, &is_whole);

        if (!is_whole)
            return at;
        at += length;
    }
    return size;
}

size_t weir__js_utf8_tail(const uint8_t *bytes, size_t size)
{
    for (size_t back = 1; back <= 3 && back <= size; back++) {
        const uint8_t *from = bytes + size - back;
        bool is_whole;

        if ((*from & 0xC0) == 0x80)
            continue;
        return followers(*from) >= back &&
                       measure(from, back, &is_whole) == back
                   ? back
                   : 0;
    }
    return 0;
}

size_t weir__js_utf8_repaired_size(const uint8_t *bytes, size_t size)
{
    size_t sum = 0;

    for (size_t at = 0; at < size;) {
        size_t next = skip_ascii(bytes, at, size);
        bool is_whole;

        sum += next - at;
        at = next;
        if (at == size)
            break;
        next = measure(bytes + at, size - at, &is_whole);
        sum += is_whole ? next : WEIR__JS_UTF8_REPLACEMENT;
        at += next;
    }
    return sum;
}

static const uint8_t replacement[WEIR__JS_UTF8_REPLACEMENT] = {0xEF, 0xBF,
                                                               0xBD};

void weir__js_utf8_repair(uint8_t *to, const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t next = skip_ascii(bytes, at, size);
        bool is_whole;

        memcpy(to, bytes + at, next - at);
        to += next - at;
        at = next;
        if (at == size)
            break;
        next = measure(bytes + at, size - at, &is_whole);
        if (is_whole)
            memcpy(to, bytes + at, next);
        else
            memcpy(to, replacement, sizeof(replacement));
        to += is_whole ? next : sizeof(replacement);
        at += next;
    }
}

size_t weir__js_utf8_copy(uint8_t *to, size_t room, const uint8_t *text,
                          size_t size, size_t *units)
{
    size_t at = 0, limit = size < room ? size : room;

    *units = 0;
    for (;;) {
        size_t next = skip_ascii(text, at, limit), length;

        memcpy(to + at, text + at, next - at);
        *units += next - at;
        at = next;
        if (at == limit)
            return at;
        length = followers(text[at]) + 1;
        if (length > limit - at)
            return at;
        if (text[at] == 0xED && text[at + 1] >= 0xA0)
            memcpy(to + at, replacement, sizeof(replacement));
        else
            memcpy(to + at, text + at, length);
        *units += length == 4 ? 2 : 1;
        at += length;
    }
}
