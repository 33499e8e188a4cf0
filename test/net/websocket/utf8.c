/* SPDX-License-Identifier: MIT */
/*
 * utf8 -- the incremental check against a decoder that sees the whole text.
 */
#include "websocket/utf8.h"

#include <string.h>

#include "support/random.h"
#include "support/suite.h"

/* Decode by value: lengths, ranges, and nothing else. */
static bool is_valid(const uint8_t *text, size_t size)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

    for (size_t i = 0; i < size;) {
        unsigned lead = text[i];
        size_t length = lead < 0x80           ? 1
                        : (lead >> 5) == 0x6  ? 2
                        : (lead >> 4) == 0xe  ? 3
                        : (lead >> 3) == 0x1e ? 4
                                              : 0;
        uint32_t value = length == 1 ? lead : lead & (0x7fu >> length);

        if (length == 0 || i + length > size)
            return false;
        for (size_t k = 1; k < length; k++) {
            if ((text[i + k] & 0xc0) != 0x80)
                return false;
            value = value << 6 | (text[i + k] & 0x3f);
        }
        if (value < least[length] || value > 0x10ffff ||
            (value >= 0xd800 && value <= 0xdfff))
            return false;
        i += length;
    }
    return true;
}

static bool check(const uint8_t *text, size_t size, size_t split)
{
    struct weir__utf8 utf8 = {0};

    return weir__utf8_check(&utf8, text, split) &&
           weir__utf8_check(&utf8, text + split, size - split) &&
           weir__utf8_is_whole(&utf8);
}

static void expect_same(const uint8_t *text, size_t size)
{
    for (size_t split = 0; split <= size; split++)
        expect(check(text, size, split) == is_valid(text, size));
}

CASE(every_sequence_of_two_bytes_is_judged_right)
{
    for (unsigned i = 0; i < 65536; i++) {
        uint8_t text[] = {(uint8_t)(i >> 8), (uint8_t)i};

        expect_same(text, sizeof(text));
        expect_same(text, 1);
    }
}

CASE(every_boundary_of_longer_sequences_is_judged_right)
{
    static const uint8_t edges[] = {0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0,
                                    0xbf, 0xc0, 0xc1, 0xc2, 0xe0, 0xff};

    for (unsigned lead = 0xc0; lead < 256; lead++)
        for (size_t i = 0; i < sizeof(edges) * sizeof(edges) * sizeof(edges);
             i++) {
            uint8_t text[] = {(uint8_t)lead, edges[i % sizeof(edges)],
                              edges[i / sizeof(edges) % sizeof(edges)],
                              edges[i / sizeof(edges) / sizeof(edges)]};

            expect_same(text, 3);
            expect_same(text, 4);
        }
}

CASE(every_code_point_is_accepted_and_no_surrogate)
{
    for (uint32_t point = 0x10000; point <= 0x10ffff; point++) {
        uint8_t text[] = {(uint8_t)(0xf0 | point >> 18),
                          (uint8_t)(0x80 | (point >> 12 & 0x3f)),
                          (uint8_t)(0x80 | (point >> 6 & 0x3f)),
                          (uint8_t)(0x80 | (point & 0x3f))};

        expect(check(text, sizeof(text), point % 5));
    }
    for (uint32_t point = 0x800; point < 0x10000; point++) {
        uint8_t text[] = {(uint8_t)(0xe0 | point >> 12),
                          (uint8_t)(0x80 | (point >> 6 & 0x3f)),
                          (uint8_t)(0x80 | (point & 0x3f))};
        bool is_surrogate = point >= 0xd800 && point < 0xe000;

        expect(check(text, sizeof(text), point % 4) == !is_surrogate);
    }
}

/* The word-wise skip must neither miss nor invent a byte. */
CASE(random_texts_split_anywhere_are_judged_right)
{
    struct random random = {random_seed()};
    static uint64_t verdicts[2];
    uint8_t text[40];

    for (int i = 0; i < 200000; i++) {
        size_t size = random_below(&random, sizeof(text));

        for (size_t k = 0; k < size; k++)
            text[k] = (uint8_t)random_below(&random, 128);
        if (size > 4 && random_below(&random, 2) == 0)
            memcpy(text + random_below(&random, size - 3), "\xe2\x82\xac", 3);
        if (size > 0 && random_below(&random, 2) == 0)
            text[random_below(&random, size)] =
                (uint8_t)random_below(&random, 256);
        verdicts[is_valid(text, size)]++;
        expect_same(text, size);
    }
    expect_all_taken(verdicts);
}

CASE(an_invalid_text_is_refused_at_its_first_wrong_byte)
{
    struct weir__utf8 utf8 = {0};

    expect(weir__utf8_check(&utf8, "ok \xf4", 4));
    expect(!weir__utf8_check(&utf8, "\x90", 1)); /* U+110000 */
}
