/* SPDX-License-Identifier: MIT */
/*
 * range -- see range.h.
 *
 * Tested by  test/net/http/range.c, test/fuzz/fields.c
 */
#include "http/range.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "http/format.h"
#include "http/header.h"

/* Read digits.  What does not fit is as good as the largest. */
static bool read_number(const char **at, const char *end, uint64_t *number)
{
    const char *from = *at;

    *number = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at) {
        if (*number > (UINT64_MAX - 9) / 10)
            *number = UINT64_MAX / 10 - 1;
        *number = *number * 10 + (uint64_t)(**at - '0');
    }
    return *at > from;
}

enum spec { SPEC_BAD, SPEC_UNSATISFIABLE, SPEC_GOOD };

/* Parse "first-last", "first-" or "-count". */
static enum spec parse_spec(weir_bytes text, uint64_t size,
                            struct weir__http_range *range)
{
    const char *at = text.data;
    const char *end = at + text.size;
    uint64_t first = 0, last = 0;
    bool has_first = read_number(&at, end, &first);
    bool has_last;

    if (at == end || *at++ != '-')
        return SPEC_BAD;
    has_last = read_number(&at, end, &last);
    if (at != end || (!has_first && !has_last) ||
        (has_first && has_last && last < first))
        return SPEC_BAD;
    if (!has_first) { /* the last bytes */
        if (last == 0 || size == 0)
            return SPEC_UNSATISFIABLE;
        range->size = last < size ? last : size;
        range->first = size - range->size;
        return SPEC_GOOD;
    }
    if (first >= size)
        return SPEC_UNSATISFIABLE;
    if (!has_last || last >= size)
        last = size - 1;
    *range = (struct weir__http_range){first, last - first + 1};
    return SPEC_GOOD;
}

int weir__http_range_parse(weir_bytes value, uint64_t size,
                           struct weir__http_range *ranges, int most)
{
    static const weir_bytes unit = WEIR_BYTES_OF("bytes=");
    weir_bytes front = {value.data, unit.size};
    weir_bytes text;
    uint64_t total = 0;
    int count = 0, specs = 0;

    if (value.size < unit.size || !weir__http_is_equal(front, unit))
        return 0;
    value.data = (const char *)value.data + unit.size;
    value.size -= unit.size;
    while (weir__http_list_next(&value, &text)) {
        struct weir__http_range range;
        enum spec spec = parse_spec(text, size, &range);

        if (spec == SPEC_BAD || ++specs > most)
            return 0;
        if (spec == SPEC_UNSATISFIABLE)
            continue;
        ranges[count++] = range;
        if (range.size > size - total) /* they overlap */
            return 0;
        total += range.size;
    }
    if (specs == 0)
        return 0;
    return count > 0 ? count : -ERANGE;
}

char *weir__http_range_write(char *to, const struct weir__http_range *range,
                             uint64_t size)
{
    memcpy(to, "bytes ", 6);
    to += 6;
    if (range == NULL) {
        *to++ = '*';
    } else {
        to = weir__http_number_write(to, range->first);
        *to++ = '-';
        to = weir__http_number_write(to, range->first + range->size - 1);
    }
    *to++ = '/';
    return weir__http_number_write(to, size);
}
