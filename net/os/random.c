/* SPDX-License-Identifier: MIT */
/*
 * random -- getrandom(2).
 */
#include "os/random.h"

#include <errno.h>
#include <sys/random.h>

int weir__random_fill(void *to, size_t size)
{
    char *next = to;

    while (size > 0) {
        ssize_t got = getrandom(next, size, 0);

        if (got < 0 && errno != EINTR)
            return -errno;
        if (got > 0) {
            next += got;
            size -= (size_t)got;
        }
    }
    return 0;
}
