/* SPDX-License-Identifier: MIT */
/*
 * backoff -- see backoff.h.
 */
#include "time/backoff.h"

int64_t weir__backoff_ms(int64_t first_ms, int64_t most_ms, uint32_t attempt,
                         uint64_t random)
{
    int64_t wait_ms = first_ms;

    for (uint32_t i = 1; i < attempt && wait_ms < most_ms; i++)
        wait_ms = wait_ms > most_ms / 2 ? most_ms : wait_ms * 2;
    if (wait_ms > most_ms)
        wait_ms = most_ms;
    return wait_ms - (int64_t)(random % ((uint64_t)wait_ms / 2 + 1));
}
