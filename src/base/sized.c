/* SPDX-License-Identifier: MIT */
/*
 * sized -- the one place that compares the size of a caller's struct.
 *
 * Tested by  test/unit/base/sized.c, test/api/abi.c
 */
#include "weir/host/sized.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static size_t size_of(const void *sized)
{
    size_t size;

    memcpy(&size, sized, sizeof(size));
    return size;
}

static bool is_zero(const unsigned char *from, const unsigned char *to)
{
    while (from < to && *from == 0)
        from++;
    return from == to;
}

int weir_sized_read(void *to, size_t size, const void *from)
{
    size_t given = from != NULL ? size_of(from) : 0;
    size_t known = given < size ? given : size;

    if (from != NULL && given < sizeof(given))
        return -EINVAL;
    if (given > size) {
        const unsigned char *bytes = from;

        if (given > WEIR_SIZED_LIMIT || !is_zero(bytes + size, bytes + given))
            return -E2BIG;
    }
    if (known > 0)
        memcpy(to, from, known);
    memset((char *)to + known, 0, size - known);
    memcpy(to, &size, sizeof(size));
    return 0;
}

int weir_sized_write(void *to, const void *from, size_t size)
{
    size_t given = to != NULL ? size_of(to) : 0;
    size_t known = given < size ? given : size;

    if (given < sizeof(given) || given > WEIR_SIZED_LIMIT)
        return -EINVAL;
    memcpy((char *)to + sizeof(given), (const char *)from + sizeof(given),
           known - sizeof(given));
    memset((char *)to + known, 0, given - known);
    return 0;
}
