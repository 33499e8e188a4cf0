/* SPDX-License-Identifier: MIT */
/*
 * timer_fixture -- timers of a loop whose clock is frozen.
 *
 *     PLACE_CASE(timer_that_was_cancelled_never_fires)     two cases: ...
 *     {                                  ..._from_inside, ..._from_elsewhere
 *         begin();
 *         expect_status(cancel(start(5, "fired")), 0);
 *         pass(5);
 *         expect_recorded("");
 *         loop_end();
 *     }
 */
#ifndef WEIR_TEST_SUPPORT_TIMER_FIXTURE_H
#define WEIR_TEST_SUPPORT_TIMER_FIXTURE_H

#include "support/loop_fixture.h"
#include "support/place.h"
#include "support/suite.h"
#include "weir/clock.h"
#include "weir/timer.h"

#define HOUR_NS (3600 * INT64_C(1000000000))

/* The initial time, which is arbitrary and not round. */
static const int64_t beginning_ns = 123456789;

static inline void begin(void)
{
    expect_status(weir_clock_freeze(beginning_ns), 0);
    loop_make(NULL);
}

/* Advance the clock, and run one turn of the loop. */
static inline void pass(int64_t delta_ns)
{
    expect_status(weir_clock_advance(delta_ns), 0);
    loop_turns(1);
}

/* ---- calls from inside a callback, or from elsewhere ---- */

struct start {
    int64_t delay_ns;
    weir_timer_repeat repeat;
    weir_fn *fn;
    void *arg;
    weir_timer id;
    int status;
};

static inline void call_start(void *arg, int status)
{
    struct start *start = arg;

    start->status = weir_timer_start(loop, &start->id, start->delay_ns,
                                     start->repeat, start->fn, start->arg);
}

static inline weir_timer start_fn(int64_t delay_ns, weir_timer_repeat repeat,
                                  weir_fn *fn, void *arg)
{
    struct start start = {delay_ns, repeat, fn, arg, 0, 1};

    perform(call_start, &start);
    expect_status(start.status, 0);
    expect(start.id != 0);
    return start.id;
}

/* Start a timer that records the word. */
static inline weir_timer start_as(weir_timer_repeat repeat, int64_t delay_ns,
                                  char *word)
{
    return start_fn(delay_ns, repeat, record, word);
}

static inline weir_timer start(int64_t delay_ns, char *word)
{
    return start_as(WEIR_TIMER_ONCE, delay_ns, word);
}

static inline void ignore(void *arg, int status)
{
}

typedef int id_function(weir_loop *loop, weir_timer id);

struct id_call {
    id_function *function;
    weir_timer id;
    int status;
};

static inline void call_with_id(void *arg, int status)
{
    struct id_call *call = arg;

    call->status = call->function(loop, call->id);
}

static inline int call(id_function *function, weir_timer id)
{
    struct id_call call = {function, id, 1};

    perform(call_with_id, &call);
    return call.status;
}

static inline int cancel(weir_timer id)
{
    return call(weir_timer_cancel, id);
}

static inline uint32_t slot_of(weir_timer id)
{
    return (uint32_t)id;
}

/* Start timers until one gets the slot that another had.  The loop keeps free
 * slots for itself, so this is done inside. */
static inline weir_timer start_in_slot_of(weir_timer old, int64_t delay_ns)
{
    weir_timer new;

    place = INSIDE;
    do
        new = start_fn(delay_ns, WEIR_TIMER_ONCE, ignore, NULL);
    while (slot_of(new) != slot_of(old));
    return new;
}

#endif /* WEIR_TEST_SUPPORT_TIMER_FIXTURE_H */
