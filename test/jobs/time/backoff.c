/* SPDX-License-Identifier: MIT */
/*
 * backoff -- doubled waits with jitter, bounded at both ends.
 */
#include "time/backoff.h"

#include "support/suite.h"

CASE(backoff_doubles_up_to_its_bound)
{
    expect_int((int)weir__backoff_ms(1000, 60000, 1, 0), 1000);
    expect_int((int)weir__backoff_ms(1000, 60000, 2, 0), 2000);
    expect_int((int)weir__backoff_ms(1000, 60000, 6, 0), 32000);
    expect_int((int)weir__backoff_ms(1000, 60000, 7, 0), 60000);
    expect_int((int)weir__backoff_ms(1000, 60000, 4000000000u, 0), 60000);
    expect_int((int)weir__backoff_ms(5000, 1000, 1, 0), 1000);
}

CASE(backoff_of_large_bounds_does_not_overflow)
{
    expect(weir__backoff_ms(1, INT64_MAX / 4, 200, 0) == INT64_MAX / 4);
    expect(weir__backoff_ms(INT64_MAX / 4, INT64_MAX / 4, 9, UINT64_MAX) > 0);
}

CASE(backoff_takes_off_at_most_a_half)
{
    for (uint64_t random = 0; random < 2000; random++) {
        int64_t wait_ms = weir__backoff_ms(100, 1000, 3, random);

        expect(wait_ms >= 200 && wait_ms <= 400);
    }
    expect_int((int)weir__backoff_ms(1, 1000, 1, 12345), 1);
}
