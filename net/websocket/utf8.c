/* SPDX-License-Identifier: MIT */
/*
 * utf8 -- see utf8.h.  Runs of ASCII are skipped eight bytes at a time.
 */
#include "websocket/utf8.h"

#include <string.h>

#define HIGH_BITS UINT64_C(0x8080808080808080)

static const uint8_t *skip_ascii(const uint8_t *next, const uint8_t *end)
{
    uint64_t word;

    while (end - next >= (ptrdiff_t)sizeof(word)) {
        memcpy(&word, next, sizeof(word));
        if (word & HIGH_BITS)
            break;
        next += sizeof(word);
    }
    while (next < end && *next < 0x80)
        next++;
    return next;
}

static void expect_bytes(struct weir__utf8 *utf8, uint8_t needed, uint8_t low,
                         uint8_t high)
{
    utf8->needed = needed;
    utf8->low = low;
    utf8->high = high;
}

/* A byte that begins a character of more than one byte. */
static bool begin_character(struct weir__utf8 *utf8, uint8_t lead)
{
    if (lead < 0xc2 || lead > 0xf4) /* a continuation, overlong, or too large */
        return false;
    if (lead < 0xe0)
        expect_bytes(utf8, 1, 0x80, 0xbf);
    else if (lead < 0xf0) /* not overlong, not a surrogate */
        expect_bytes(utf8, 2, lead == 0xe0 ? 0xa0 : 0x80,
                     lead == 0xed ? 0x9f : 0xbf);
    else /* not overlong, at most U+10FFFF */
        expect_bytes(utf8, 3, lead == 0xf0 ? 0x90 : 0x80,
                     lead == 0xf4 ? 0x8f : 0xbf);
    return true;
}

bool weir__utf8_check(struct weir__utf8 *utf8, const void *data, size_t size)
{
    const uint8_t *next = data, *end = next + size;

    while (next < end) {
        if (utf8->needed == 0) {
            next = skip_ascii(next, end);
            if (next == end)
                break;
            if (!begin_character(utf8, *next++))
                return false;
            continue;
        }
        if (*next < utf8->low || *next > utf8->high)
            return false;
        next++;
        expect_bytes(utf8, utf8->needed - 1, 0x80, 0xbf);
    }
    return true;
}
