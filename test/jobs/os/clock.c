/* SPDX-License-Identifier: MIT */
/*
 * clock -- the clocks of a store, read by a thread that does not run all the time.
 *
 * This program's clock_gettime() takes the place of libc's.  While a case is slow,
 * `step_ns` pass between any two readings, as if another process had run.
 */
#include "os/clock.h"

#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "support/suite.h"
#include "weir/clock.h"

enum { AHEAD_S = 1700000000, ASLEEP_S = 5 }; /* of the date, of the uptime */

static const int64_t step_ns = WEIR_MS(70);
static int64_t slow_ns; /* CLOCK_MONOTONIC; 0 unless a case is slow */

int clock_gettime(clockid_t id, struct timespec *now)
{
    int64_t ns;

    if (slow_ns == 0)
        return (int)syscall(SYS_clock_gettime, id, now);
    slow_ns += step_ns;
    ns = slow_ns + (id == CLOCK_REALTIME   ? WEIR_S(AHEAD_S)
                    : id == CLOCK_BOOTTIME ? WEIR_S(ASLEEP_S)
                                           : 0);
    *now = (struct timespec){ns / WEIR_S(1), ns % WEIR_S(1)};
    return 0;
}

static void begin(void)
{
    slow_ns = WEIR_S(1000);
}

static void end(void)
{
    slow_ns = 0;
}

CASE(clock_is_read_by_a_thread_that_seldom_runs)
{
    bool is_right = true;

    begin();
    for (int i = 0; i < 100; i++) {
        int64_t before_ns = slow_ns;
        int64_t date_ns = WEIR_MS(weir__clock_date_ms()) - WEIR_S(AHEAD_S);
        int64_t between_ns = slow_ns;
        int64_t uptime_ns = WEIR_US(weir__clock_uptime_us()) - WEIR_S(ASLEEP_S);

        is_right &= date_ns >= before_ns && date_ns <= between_ns;
        is_right &= uptime_ns >= between_ns && uptime_ns <= slow_ns;
    }
    end();
    expect(is_right);
}

CASE(clock_that_runs_is_not_set_however_slow_the_thread_is)
{
    bool is_set = false;

    begin();
    for (int i = 0; i < 100; i++)
        is_set |= weir__clock_is_set();
    end();
    expect(!is_set);
    for (int i = 0; i < 100000; i++)
        is_set |= weir__clock_is_set();
    expect(!is_set);
}

CASE(clock_that_is_frozen_is_set)
{
    int64_t date_ms, uptime_us;
    bool is_set;

    expect_int(weir_clock_freeze(WEIR_S(7)), 0);
    begin();
    is_set = weir__clock_is_set();
    date_ms = weir__clock_date_ms();
    uptime_us = weir__clock_uptime_us();
    expect_int(weir_clock_advance(WEIR_S(3600)), 0);
    is_set &= weir__clock_is_set();
    date_ms = weir__clock_date_ms() - date_ms;
    uptime_us = weir__clock_uptime_us() - uptime_us;
    end();
    expect(is_set);
    expect(date_ms == 3600000);
    expect(uptime_us == 3600000000);
    weir_clock_thaw();
    expect(!weir__clock_is_set());
}
