/* SPDX-License-Identifier: MIT */
/*
 * class -- the table behind class.h, computed from the grammars named there.
 */
#include "http/class.h"

/* clang-format off */
const uint8_t weir__http_class[256] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    2, 31, 2, 3, 31, 15, 31, 31, 30, 30, 31, 31, 30, 31, 31, 14,
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 14, 30, 2, 30, 2, 10,
    14, 63, 63, 63, 63, 63, 63, 31, 31, 31, 31, 31, 31, 31, 31, 31,
    31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 14, 10, 14, 15, 31,
    11, 63, 63, 63, 63, 63, 63, 31, 31, 31, 31, 31, 31, 31, 31, 31,
    31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 10, 15, 10, 31, 0,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
};
/* clang-format on */

bool weir__http_is_made_of(const char *text, size_t size, unsigned class)
{
    unsigned all = class;
    size_t n = 0;

    if (text == NULL)
        return size == 0;
    for (; size - n >= 4; n += 4)
        all &= weir__http_class[(uint8_t)text[n]] &
               weir__http_class[(uint8_t)text[n + 1]] &
               weir__http_class[(uint8_t)text[n + 2]] &
               weir__http_class[(uint8_t)text[n + 3]];
    for (; n < size; n++)
        all &= weir__http_class[(uint8_t)text[n]];
    return all != 0;
}
