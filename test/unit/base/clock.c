/* SPDX-License-Identifier: MIT */
/*
 * clock -- it runs, it stands, it never goes back.
 */
#include "base/clock.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

#include "support/crew.h"
#include "support/suite.h"

static int64_t monotonic_ns(void)
{
    struct timespec now;

    expect(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

CASE(clock_running_tells_monotonic_nanoseconds)
{
    int64_t before_ns = monotonic_ns();
    int64_t now_ns = weir_clock_now();

    expect(now_ns >= before_ns);
    expect(now_ns <= monotonic_ns());
}

CASE(clock_running_never_goes_back)
{
    int64_t last_ns = 0;

    for (int i = 0; i < 100000; i++) {
        int64_t now_ns = weir_clock_now();

        expect(now_ns >= last_ns);
        last_ns = now_ns;
    }
}

CASE(clock_frozen_stands_where_it_was_set)
{
    expect_status(weir_clock_freeze(12345), 0);
    expect_int(weir_clock_now(), 12345);
    expect_int(weir_clock_now(), 12345);
}

CASE(clock_frozen_can_stand_at_zero_and_at_the_last_nanosecond)
{
    expect_status(weir_clock_freeze(0), 0);
    expect_int(weir_clock_now(), 0);
    expect_status(weir_clock_freeze(INT64_MAX), 0);
    expect_int(weir_clock_now(), INT64_MAX);
}

/* covers: weir_clock_freeze -EINVAL */
CASE(clock_freeze_at_negative_time_is_refused)
{
    expect_status(weir_clock_freeze(7), 0);
    expect_status(weir_clock_freeze(-1), -EINVAL);
    expect_status(weir_clock_freeze(INT64_MIN), -EINVAL);
    expect_int(weir_clock_now(), 7);
}

CASE(clock_advance_moves_frozen_time)
{
    expect_status(weir_clock_freeze(100), 0);
    expect_status(weir_clock_advance(23), 0);
    expect_status(weir_clock_advance(0), 0);
    expect_int(weir_clock_now(), 123);
}

CASE(clock_advance_can_reach_the_last_nanosecond)
{
    expect_status(weir_clock_freeze(1), 0);
    expect_status(weir_clock_advance(INT64_MAX - 1), 0);
    expect_int(weir_clock_now(), INT64_MAX);
}

/* covers: weir_clock_advance -EINVAL */
CASE(clock_advance_by_negative_time_is_refused)
{
    expect_status(weir_clock_freeze(100), 0);
    expect_status(weir_clock_advance(-1), -EINVAL);
    expect_int(weir_clock_now(), 100);
}

/* covers: weir_clock_advance -EPERM */
CASE(clock_advance_of_running_clock_is_refused)
{
    expect_status(weir_clock_advance(1), -EPERM);
}

/* covers: weir_clock_advance -EOVERFLOW */
CASE(clock_advance_past_the_last_nanosecond_is_refused)
{
    expect_status(weir_clock_freeze(1), 0);
    expect_status(weir_clock_advance(INT64_MAX), -EOVERFLOW);
    expect_int(weir_clock_now(), 1);
}

CASE(clock_thaw_brings_real_time_back)
{
    int64_t before_ns = monotonic_ns();

    expect_status(weir_clock_freeze(0), 0);
    weir_clock_thaw();
    expect(weir_clock_now() >= before_ns);
    expect_status(weir_clock_advance(1), -EPERM);
}

CASE(clock_thaw_of_running_clock_changes_nothing)
{
    int64_t before_ns = monotonic_ns();

    weir_clock_thaw();
    expect(weir_clock_now() >= before_ns);
}

static void advance_often(struct crew *crew, unsigned id)
{
    for (int i = 0; i < 10000; i++)
        expect_status(weir_clock_advance(1), 0);
}

CASE(clock_advance_from_many_threads_loses_nothing)
{
    expect_status(weir_clock_freeze(0), 0);
    crew_run(8, advance_often, NULL);
    expect_int(weir_clock_now(), 80000);
}

/* One writes and then sets the clock, the other looks at the clock and then
 * reads: ThreadSanitizer sees whether the clock hands the write over. */
static void write_and_advance(struct crew *crew, unsigned id)
{
    int *letter = crew->context;

    if (id == 0) {
        *letter = 42;
        expect_status(weir_clock_advance(1), 0);
    } else {
        while (weir_clock_now() == 0)
            sched_yield();
        expect_int(*letter, 42);
    }
}

CASE(clock_advance_publishes_what_came_before)
{
    int letter = 0;

    expect_status(weir_clock_freeze(0), 0);
    crew_run(2, write_and_advance, &letter);
}

static void write_and_freeze(struct crew *crew, unsigned id)
{
    int *letter = crew->context;

    if (id == 0) {
        *letter = 42;
        expect_status(weir_clock_freeze(1), 0);
    } else {
        while (weir_clock_now() == 0)
            sched_yield();
        expect_int(*letter, 42);
    }
}

CASE(clock_freeze_publishes_what_came_before)
{
    int letter = 0;

    expect_status(weir_clock_freeze(0), 0);
    crew_run(2, write_and_freeze, &letter);
}

CASE(clock_real_goes_on_while_frozen)
{
    int64_t before_ns = monotonic_ns();

    expect_status(weir_clock_freeze(0), 0);
    expect(weir__clock_real() >= before_ns);
}

CASE(clock_deadline_is_real_time_plus_timeout_while_frozen)
{
    int64_t before_ns = monotonic_ns(), deadline_ns;

    expect_status(weir_clock_freeze(0), 0);
    deadline_ns = weir__clock_deadline(1000);
    expect(deadline_ns >= before_ns + 1000);
    expect(deadline_ns <= monotonic_ns() + 1000);
}

CASE(clock_deadline_of_negative_timeout_is_never)
{
    expect(weir__clock_deadline(-1) < 0);
    expect(weir__clock_deadline(INT64_MIN) < 0);
}

CASE(clock_deadline_in_the_far_future_saturates)
{
    expect_int(weir__clock_deadline(INT64_MAX), INT64_MAX);
}
