/* SPDX-License-Identifier: MIT */
/*
 * timer -- those that repeat: from the return of the callback, or in step with
 * the start.
 */
#include <errno.h>

#include "support/timer_fixture.h"

/* When it was called, and how long each call took. */
struct rhythm {
    int64_t work_ns[16];
    int64_t at_ns[16]; /* since the beginning */
    unsigned beats;
};

static void beat(void *arg, int status)
{
    struct rhythm *rhythm = arg;

    if (status == WEIR_ECANCELED)
        return;
    expect_status(status, 0);
    expect(rhythm->beats < 16);
    rhythm->at_ns[rhythm->beats] = weir_clock_now() - beginning_ns;
    expect_status(weir_clock_advance(rhythm->work_ns[rhythm->beats++]), 0);
}

/* Moves the clock from one timer to the next. */
static void play(struct rhythm *rhythm, unsigned beats)
{
    while (rhythm->beats < beats) {
        int64_t left_ns = weir_loop_timeout(loop);
        unsigned before = rhythm->beats;

        expect(left_ns >= 0);
        pass(left_ns);
        expect(rhythm->beats <= before + 1);
    }
}

#define expect_beats(rhythm, ...)                                              \
    do {                                                                       \
        static const int64_t expected_[] = {__VA_ARGS__};                      \
        unsigned count_ = sizeof(expected_) / sizeof(*expected_);              \
                                                                               \
        play(rhythm, count_);                                                  \
        for (unsigned i_ = 0; i_ < count_; i_++)                               \
            expect_int((rhythm)->at_ns[i_], expected_[i_]);                    \
    } while (0)

PLACE_CASE(timer_of_fixed_delay_counts_from_the_return_of_its_callback)
{
    struct rhythm rhythm = {.work_ns = {30, 0, 1000, 5}};

    begin();
    start_fn(100, WEIR_TIMER_FIXED_DELAY, beat, &rhythm);
    expect_beats(&rhythm, 100, 230, 330, 1430, 1535);
    loop_end();
}

PLACE_CASE(timer_of_fixed_rate_counts_from_its_start)
{
    struct rhythm rhythm = {.work_ns = {30, 0, 99, 5}};

    begin();
    start_fn(100, WEIR_TIMER_FIXED_RATE, beat, &rhythm);
    expect_beats(&rhythm, 100, 200, 300, 400, 500);
    loop_end();
}

PLACE_CASE(timer_of_fixed_rate_leaves_out_what_it_missed_and_stays_in_step)
{
    struct rhythm rhythm = {.work_ns = {350, 0, 101}};

    begin();
    start_fn(100, WEIR_TIMER_FIXED_RATE, beat, &rhythm);
    expect_beats(&rhythm, 100, 500, 600, 800, 900);
    loop_end();
}

/* The next beat is the one that has just been missed: it is left out, too. */
PLACE_CASE(timer_of_fixed_rate_exactly_one_period_late_leaves_that_one_out)
{
    struct rhythm rhythm = {.work_ns = {100, 0, 200}};

    begin();
    start_fn(100, WEIR_TIMER_FIXED_RATE, beat, &rhythm);
    expect_beats(&rhythm, 100, 300, 400, 700);
    loop_end();
}

/* The loop itself comes late, not the callback. */
PLACE_CASE(timer_of_fixed_rate_that_is_called_late_stays_in_step)
{
    struct rhythm rhythm = {.beats = 0};

    begin();
    start_fn(100, WEIR_TIMER_FIXED_RATE, beat, &rhythm);
    pass(777);
    expect_beats(&rhythm, 777, 800, 900);
    loop_end();
}

PLACE_CASE(timer_that_catches_up_makes_up_for_each_missed_one)
{
    struct rhythm rhythm = {.work_ns = {350, 20}};

    begin();
    start_fn(100, WEIR_TIMER_FIXED_RATE_CATCH_UP, beat, &rhythm);
    expect_beats(&rhythm, 100, 450, 470, 470, 500, 600);
    loop_end();
}

CASE(timer_that_catches_up_does_so_once_a_turn)
{
    begin();
    start_as(WEIR_TIMER_FIXED_RATE_CATCH_UP, 100, "beat");
    expect_status(weir_clock_advance(1000), 0);
    for (int i = 0; i < 10; i++) {
        loop_turns(1);
        expect_recorded("beat");
    }
    loop_turns(1);
    expect_recorded("");
    expect_status(weir_loop_close(loop, -1), 0);
}

CASE(timer_that_catches_up_lets_others_have_their_turn)
{
    begin();
    start_as(WEIR_TIMER_FIXED_RATE_CATCH_UP, 1, "beat");
    expect_status(weir_clock_advance(SECOND_NS), 0);
    loop_submit("task");
    loop_immediate("immediate");
    start(0, "timer");
    expect_recorded("beat task immediate");
    loop_turns(1);
    expect_recorded("beat timer");
    expect_status(weir_loop_close(loop, -1), 0);
}

/* Scene h: node #21822.  An hour is 36,000 periods. */
static void work_half_the_period(void *arg, int status)
{
    int64_t *beats = arg;

    if (status == WEIR_ECANCELED)
        return;
    ++*beats;
    expect_int(weir_clock_now() - beginning_ns, *beats * 100 * MILLISECOND_NS);
    expect_status(weir_clock_advance(50 * MILLISECOND_NS), 0);
}

static void expect_no_drift(weir_timer_repeat repeat)
{
    int64_t beats = 0;

    begin();
    start_fn(100 * MILLISECOND_NS, repeat, work_half_the_period, &beats);
    while (weir_clock_now() < beginning_ns + HOUR_NS)
        pass(weir_loop_timeout(loop));
    expect_int(beats, 36000);
    expect_int(weir_clock_now(), beginning_ns + HOUR_NS + 50 * MILLISECOND_NS);
    loop_end();
}

PLACE_CASE(timer_of_fixed_rate_does_not_drift_in_an_hour_of_work)
{
    expect_no_drift(WEIR_TIMER_FIXED_RATE);
}

PLACE_CASE(timer_that_catches_up_does_not_drift_in_an_hour_of_work)
{
    expect_no_drift(WEIR_TIMER_FIXED_RATE_CATCH_UP);
}

PLACE_CASE(timer_of_an_enormous_period_fires_once_and_never_again)
{
    begin();
    for (weir_timer_repeat repeat = WEIR_TIMER_FIXED_DELAY;
         repeat <= WEIR_TIMER_FIXED_RATE_CATCH_UP; repeat++)
        start_as(repeat, INT64_MAX / 2, "beat");
    pass(INT64_MAX / 2);
    expect_recorded("beat beat beat");
    expect_status(weir_clock_freeze(INT64_MAX - 1), 0);
    loop_turns(2);
    expect_recorded("");
    expect_status(weir_loop_close(loop, -1), 0);
}

static void raise_now(void *arg, int status)
{
    note(arg);
    if (status == 0)
        weir_raise(-EIO, "a callback that fails");
}

static void ignore_uncaught(void *arg, weir_loop *raised,
                            const weir_uncaught *what)
{
    expect(raised == loop);
    expect_int(what->kind, WEIR_KIND_TIMER);
}

CASE(timer_whose_callback_raises_repeats_as_before)
{
    expect_status(weir_clock_freeze(beginning_ns), 0);
    loop_make(LOOP_OPTIONS(.on_uncaught = ignore_uncaught));
    start_fn(10, WEIR_TIMER_FIXED_DELAY, raise_now, "delay");
    start_fn(10, WEIR_TIMER_FIXED_RATE, raise_now, "rate");
    start_fn(10, WEIR_TIMER_ONCE, raise_now, "once");
    pass(10);
    expect_recorded("delay rate once");
    pass(10);
    expect_recorded("delay rate");
    expect_status(weir_loop_close(loop, -1), 0);
}
