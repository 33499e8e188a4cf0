/* SPDX-License-Identifier: MIT */
/*
 * timer -- when it fires: never early, in order, and not in the same turn; and
 * what cannot be started.
 */
#include "weir/timer.h"

#include <errno.h>
#include <stdlib.h>

#include "support/random.h"
#include "support/timer_fixture.h"
#include "weir/metrics.h"

/* ---- when ---- */

PLACE_CASE(timer_fires_at_its_deadline_and_not_before)
{
    static const int64_t delays[] = {
        1,       2,           1000,        MILLISECOND_NS - 1, MILLISECOND_NS,
        1048576, 1048577,     2 * 1048576, 100 * 1048576,      SECOND_NS,
        HOUR_NS, 24 * HOUR_NS};

    begin();
    for (unsigned i = 0; i < sizeof(delays) / sizeof(*delays); i++) {
        start(delays[i], "fired");
        loop_turns(3);
        pass(delays[i] - 1);
        expect_recorded("");
        pass(1);
        expect_recorded("fired");
        pass(HOUR_NS);
        expect_recorded("");
    }
    loop_end();
}

PLACE_CASE(timer_without_delay_fires_in_the_turn_after)
{
    begin();
    start(0, "a");
    start(0, "b");
    expect_recorded("a");
    loop_turns(1);
    expect_recorded("b");
    loop_end();
}

/* Each is started a nanosecond later, with a delay that is a nanosecond
 * less. */
PLACE_CASE(timer_same_deadline_fires_in_start_order)
{
    enum { MANY = 20 };
    static char names[MANY][4];

    begin();
    for (int i = 0; i < MANY; i++) {
        names[i][0] = (char)('a' + i);
        start(MANY - i, names[i]);
        expect_status(weir_clock_advance(1), 0);
        expect_recorded("");
    }
    loop_turns(1);
    expect_recorded("a b c d e f g h i j k l m n o p q r s t");
    loop_end();
}

CASE(timer_same_deadline_fires_in_start_order_wherever_it_was_started)
{
    begin();
    for (int i = 0; i < 4; i++) {
        place = INSIDE;
        start(SECOND_NS, "inside");
        place = ELSEWHERE;
        start(SECOND_NS, "elsewhere");
    }
    pass(SECOND_NS);
    expect_recorded("inside elsewhere inside elsewhere inside elsewhere inside "
                    "elsewhere");
    loop_end();
}

/* Some thousand with random deadlines: what has fired, and when. */
enum { CROWD = 5000 };

static struct guest {
    int64_t deadline_ns;
    unsigned number; /* in the order of starting */
} crowd[CROWD], *arrived[CROWD];
static unsigned arrivals;

static void come(void *arg, int status)
{
    struct guest *guest = arg;

    expect_status(status, 0);
    expect(weir_clock_now() >= guest->deadline_ns);
    arrived[arrivals++] = guest;
}

static void start_crowd(void *arg, int status)
{
    struct random *random = arg;

    for (unsigned i = 0; i < CROWD; i++) {
        /* Many small ones, so that deadlines are shared; some far ones. */
        int64_t delay_ns = (int64_t)random_below(
            random, random_below(random, 2) == 0 ? 300 : SECOND_NS);

        crowd[i] = (struct guest){weir_clock_now() + delay_ns, i};
        expect_status(weir_timer_start(loop, NULL, delay_ns, WEIR_TIMER_ONCE,
                                       come, &crowd[i]),
                      0);
    }
}

static void expect_in_order(void)
{
    for (unsigned i = 1; i < CROWD; i++) {
        const struct guest *one = arrived[i - 1], *other = arrived[i];

        expect(one->deadline_ns < other->deadline_ns ||
               (one->deadline_ns == other->deadline_ns &&
                one->number < other->number));
    }
}

PLACE_CASE(timer_with_the_first_deadline_fires_first)
{
    struct random random = {random_seed()};

    begin();
    perform(start_crowd, &random);
    while (arrivals < CROWD)
        pass((int64_t)random_below(&random, 10 * MILLISECOND_NS));
    expect_in_order();
    loop_end();
}

/* All are due in the same turn. */
PLACE_CASE(timer_order_holds_also_within_one_turn)
{
    struct random random = {random_seed()};

    begin();
    perform(start_crowd, &random);
    pass(SECOND_NS);
    expect_int(arrivals, CROWD);
    expect_in_order();
    loop_end();
}

/* ---- not in this turn ---- */

static void chain(void *arg, int status)
{
    if (status == WEIR_ECANCELED)
        return;
    note("link");
    expect_status(weir_timer_start(loop, NULL, 0, WEIR_TIMER_ONCE, chain, arg),
                  0);
}

CASE(timer_started_by_a_timer_does_not_fire_in_that_turn)
{
    begin();
    place = INSIDE;
    start_fn(1, WEIR_TIMER_ONCE, chain, NULL);
    expect_status(weir_clock_advance(HOUR_NS), 0);
    for (int i = 0; i < 5; i++) {
        loop_turns(1);
        expect_recorded("link");
    }
    expect_status(weir_loop_close(loop, -1), 0);
}

/* From every part of a turn. */
static void start_late(void *arg, int status)
{
    note(arg);
    expect_status(
        weir_timer_start(loop, NULL, 0, WEIR_TIMER_ONCE, record, "timer"), 0);
}

CASE(timer_started_in_any_part_of_a_turn_waits_for_the_next)
{
    static int (*const parts[])(weir_loop *, weir_fn *, void *) = {
        weir_loop_submit, weir_loop_next_tick, weir_loop_microtask,
        weir_loop_immediate, weir_loop_on_close_phase};

    begin();
    for (unsigned i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        expect_status(parts[i](loop, start_late, "part"), 0);
        loop_turns(1);
        expect_recorded("part");
        loop_turns(1);
        expect_recorded("timer");
    }
    loop_end();
}

/* ---- never early ---- */

/* Scene g: libuv #4773. */
struct millisecond {
    int64_t started_ns; /* 0: not yet */
    unsigned firings, wanted;
};

static void restart_millisecond(void *arg, int status)
{
    struct millisecond *timer = arg;

    expect_status(status, 0);
    if (timer->started_ns != 0) {
        expect(weir_clock_now() - timer->started_ns >= MILLISECOND_NS);
        if (++timer->firings == timer->wanted)
            return;
    }
    timer->started_ns = weir_clock_now();
    expect_status(weir_timer_start(loop, NULL, MILLISECOND_NS, WEIR_TIMER_ONCE,
                                   restart_millisecond, timer),
                  0);
}

/* By a clock that goes in odd steps. */
CASE(timer_of_a_millisecond_is_neither_early_nor_a_step_late)
{
    struct millisecond timer = {.wanted = 100000};
    int64_t step_ns = 337 * 1009;

    begin();
    expect_status(weir_loop_submit(loop, restart_millisecond, &timer), 0);
    loop_turns(1);
    while (timer.firings < timer.wanted) {
        int64_t age_ns = weir_clock_now() + step_ns - timer.started_ns;
        unsigned before = timer.firings;

        pass(step_ns);
        expect_int(timer.firings - before, age_ns >= MILLISECOND_NS ? 1 : 0);
        step_ns = (step_ns + 7919) % MILLISECOND_NS;
    }
    loop_end();
}

/* By the real clock: the loop sleeps there. */
static void expect_never_early_in(weir_fd_mode fd_mode)
{
    struct millisecond timer = {.wanted = 300};

    loop_make(LOOP_OPTIONS(.fd_mode = fd_mode));
    expect_status(weir_loop_submit(loop, restart_millisecond, &timer), 0);
    loop_run();
    expect_int(timer.firings, 300);
    loop_end();
}

CASE(timer_of_a_millisecond_is_never_early_on_the_futex)
{
    expect_never_early_in(WEIR_FD_MODE_NEVER);
}

CASE(timer_of_a_millisecond_is_never_early_in_the_poller)
{
    expect_never_early_in(WEIR_FD_MODE_ALWAYS);
}

/* Hundreds at once, from nothing to some milliseconds. */
static void start_real_crowd(void *arg, int status)
{
    struct random *random = arg;

    for (unsigned i = 0; i < 500; i++) {
        int64_t delay_ns = (int64_t)random_below(random, 5 * MILLISECOND_NS);

        crowd[i] = (struct guest){weir_clock_now() + delay_ns, i};
        expect_status(weir_timer_start(loop, NULL, delay_ns, WEIR_TIMER_ONCE,
                                       come, &crowd[i]),
                      0);
    }
}

static void expect_crowd_never_early_in(weir_fd_mode fd_mode)
{
    struct random random = {random_seed()};

    loop_make(LOOP_OPTIONS(.fd_mode = fd_mode));
    expect_status(weir_loop_submit(loop, start_real_crowd, &random), 0);
    loop_run();
    expect_int(arrivals, 500);
    loop_end();
}

CASE(timer_of_any_delay_is_never_early_on_the_futex)
{
    expect_crowd_never_early_in(WEIR_FD_MODE_NEVER);
}

CASE(timer_of_any_delay_is_never_early_in_the_poller)
{
    expect_crowd_never_early_in(WEIR_FD_MODE_ALWAYS);
}

/* Late by as little as possible, but not by looking again and again: a turn
 * for the start, one in which it fires, and a few to spare. */
static void expect_no_spin_in(weir_fd_mode fd_mode)
{
    weir_metrics metrics = {.size = sizeof(metrics)};

    loop_make(LOOP_OPTIONS(.fd_mode = fd_mode, .metrics = true));
    loop_timer(5 * MILLISECOND_NS + 777, "fired");
    loop_run();
    expect_recorded("fired");
    expect_status(weir_loop_metrics(loop, &metrics), 0);
    expect(metrics.turns <= 5);
    loop_end();
}

CASE(timer_is_awaited_in_one_sleep_on_the_futex)
{
    expect_no_spin_in(WEIR_FD_MODE_NEVER);
}

CASE(timer_is_awaited_in_one_sleep_in_the_poller)
{
    expect_no_spin_in(WEIR_FD_MODE_ALWAYS);
}

/* ---- bad input ---- */

/* covers: weir_timer_start -EINVAL */
/* covers: weir_timer_start -EOVERFLOW */
static void expect_start_refused(int64_t delay_ns, weir_timer_repeat repeat,
                                 weir_fn *fn, int error)
{
    struct start start = {delay_ns, repeat, fn, "fired", 42, 1};

    perform(call_start, &start);
    expect_status(start.status, error);
    expect_int(start.id, 42);
    pass(10);
    expect_recorded("");
}

PLACE_CASE(timer_start_with_bad_arguments_is_refused)
{
    begin();
    expect_start_refused(-1, WEIR_TIMER_ONCE, record, -EINVAL);
    expect_start_refused(INT64_MIN, WEIR_TIMER_ONCE, record, -EINVAL);
    expect_start_refused(5, WEIR_TIMER_ONCE, NULL, -EINVAL);
    expect_start_refused(5, (weir_timer_repeat)4, record, -EINVAL);
    expect_start_refused(5, (weir_timer_repeat)-1, record, -EINVAL);
    expect_start_refused(0, WEIR_TIMER_FIXED_DELAY, record, -EINVAL);
    expect_start_refused(0, WEIR_TIMER_FIXED_RATE, record, -EINVAL);
    expect_start_refused(0, WEIR_TIMER_FIXED_RATE_CATCH_UP, record, -EINVAL);
    expect_start_refused(INT64_MAX, WEIR_TIMER_ONCE, record, -EOVERFLOW);
    expect_start_refused(INT64_MAX, WEIR_TIMER_FIXED_RATE, record, -EOVERFLOW);
    loop_end();
}

/* The last nanosecond that there is. */
PLACE_CASE(timer_start_for_the_end_of_time_is_accepted)
{
    weir_timer last;

    begin();
    last = start(INT64_MAX - beginning_ns, "fired");
    expect_status(cancel(last), 0);
    expect_start_refused(INT64_MAX - beginning_ns + 1, WEIR_TIMER_ONCE, record,
                         -EOVERFLOW);
    start(INT64_MAX - weir_clock_now(), "fired");
    expect_status(weir_clock_freeze(INT64_MAX), 0);
    loop_turns(1);
    expect_recorded("fired");
    loop_end();
}

CASE(timer_calls_without_a_loop_are_refused)
{
    weir_timer id = 42;

    expect_status(
        weir_timer_start(NULL, &id, 5, WEIR_TIMER_ONCE, record, "fired"),
        -EINVAL);
    expect_int(id, 42);
    expect_status(weir_timer_cancel(NULL, 1), -EINVAL);
    expect_status(weir_timer_ref(NULL, 1), -EINVAL);
    expect_status(weir_timer_unref(NULL, 1), -EINVAL);
    expect_status(weir_timer_set_name(NULL, 1, "name"), -EINVAL);
}

static void start_without_id(void *word, int status)
{
    expect_status(
        weir_timer_start(loop, NULL, 5, WEIR_TIMER_ONCE, record, word), 0);
}

PLACE_CASE(timer_start_needs_no_room_for_the_id)
{
    begin();
    perform(start_without_id, "fired");
    pass(5);
    expect_recorded("fired");
    loop_end();
}
