/* SPDX-License-Identifier: MIT */
/*
 * timer_at -- timers that are given a time, and not a delay.
 */
#include <errno.h>

#include "loop/loop.h"
#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/timer_fixture.h"

struct at {
    int64_t deadline_ns;
    weir_fn *fn;
    void *arg;
    weir_timer id;
    int status;
};

static void call_at(void *arg, int status)
{
    struct at *at = arg;

    at->status =
        weir_timer_start_at(loop, &at->id, at->deadline_ns, at->fn, at->arg);
}

static weir_timer start_at(int64_t deadline_ns, char *word)
{
    struct at at = {deadline_ns, record, word, 0, 1};

    perform(call_at, &at);
    expect_status(at.status, 0);
    expect(at.id != 0);
    return at.id;
}

static void expect_refused(struct at at, int status)
{
    at.id = 42;
    perform(call_at, &at);
    expect_status(at.status, status);
    expect_int(at.id, 42);
}

PLACE_CASE(timer_at_a_time_fires_then_and_not_before)
{
    begin();
    start_at(beginning_ns + HOUR_NS, "fired");
    loop_turns(2);
    pass(HOUR_NS - 1);
    expect_recorded("");
    pass(1);
    expect_recorded("fired");
    pass(HOUR_NS);
    expect_recorded("");
    loop_end();
}

/* However long ago. */
PLACE_CASE(timer_at_a_time_that_is_past_fires_in_the_next_turn)
{
    static const int64_t past_ns[] = {INT64_MIN, -1, 0, 123456788, 123456789};

    begin();
    for (unsigned i = 0; i < sizeof(past_ns) / sizeof(*past_ns); i++) {
        start_at(past_ns[i], "fired");
        loop_turns(1);
        expect_recorded("fired");
    }
    loop_end();
}

PLACE_CASE(timer_at_the_same_time_fires_in_start_order)
{
    begin();
    start_at(beginning_ns + 5, "a");
    start(5, "b");
    start_at(beginning_ns + 5, "c");
    start_at(beginning_ns + 4, "first");
    pass(5);
    expect_recorded("first a b c");
    loop_end();
}

PLACE_CASE(timer_at_a_time_can_be_cancelled)
{
    weir_timer id;

    begin();
    id = start_at(beginning_ns + 5, "fired");
    expect_status(cancel(id), 0);
    expect_status(cancel(id), -ENOENT);
    pass(5);
    expect_recorded("");
    loop_end();
}

PLACE_CASE(timer_at_a_time_is_told_of_the_end)
{
    begin();
    start_at(INT64_MAX, "told");
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_recorded("told!");
    expect_status(weir_loop_free(loop), 0);
}

/* covers: weir_timer_start_at -EINVAL */
PLACE_CASE(timer_at_a_time_without_a_function_is_refused)
{
    begin();
    expect_refused((struct at){.deadline_ns = 5}, -EINVAL);
    expect_status(weir_timer_start_at(NULL, NULL, 5, record, "fired"), -EINVAL);
    pass(5);
    expect_recorded("");
    loop_end();
}

/* covers: weir_timer_start_at WEIR_ECLOSED */
CASE(timer_at_a_time_after_the_end_is_refused)
{
    weir_timer id = 42;

    begin();
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(weir_timer_start_at(loop, &id, 5, record, "late"),
                  WEIR_ECLOSED);
    expect_int(id, 42);
    expect_status(weir_loop_free(loop), 0);
}

/* covers: weir_timer_start_at -ENOSPC */
PLACE_CASE(timer_at_a_time_without_a_slot_left_is_refused)
{
    uint32_t all =
        ((uint32_t)WEIR__SLAB_GROUP << WEIR__SLAB_BLOCKS) - WEIR__SLAB_GROUP;

    begin();
    set_unshared(&loop->timer_slots.limit, all);
    expect_refused((struct at){.fn = record, .arg = "fired"}, -ENOSPC);
    set_unshared(&loop->timer_slots.limit, 0);
    loop_turns(1);
    expect_recorded("");
    loop_end();
}

static struct failing_allocator memory;

static void call_at_without_memory(void *arg, int status)
{
    memory.fail_at = memory.calls + 1;
    call_at(arg, status);
    memory.fail_at = 0;
}

/* covers: weir_timer_start_at -ENOMEM */
PLACE_CASE(timer_at_a_time_without_memory_is_refused)
{
    unsigned refused = 0;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    begin();
    for (unsigned i = 0; i < 200; i++) {
        struct at at = {beginning_ns + HOUR_NS, ignore, NULL, 42, 1};

        perform(call_at_without_memory, &at);
        if (at.status == 0)
            continue; /* it needed none */
        expect_status(at.status, -ENOMEM);
        expect_int(at.id, 42);
        refused++;
        perform(call_at, &at);
        expect_status(at.status, 0);
    }
    expect(refused >= 2);
    loop_end();
    expect_int(memory.live_bytes, 0);
}

/* ---- many ---- */

enum { CROWD = 5000, ROUNDS = 200000 };

static weir_timer crowd[CROWD];
static unsigned fired;

static void count(void *arg, int status)
{
    expect_status(status, 0);
    *(weir_timer *)arg = 0;
    fired++;
}

/* A server's: each request puts off the deadline of its connection. */
static void put_off(void *arg, int status)
{
    struct random *random = arg;

    for (unsigned i = 0; i < ROUNDS; i++) {
        weir_timer *id = &crowd[random_below(random, CROWD)];

        if (*id != 0)
            expect_status(weir_timer_cancel(loop, *id), 0);
        expect_status(weir_timer_start_at(
                          loop, id,
                          beginning_ns + (int64_t)random_below(random, HOUR_NS),
                          count, id),
                      0);
    }
}

CASE(timers_that_are_put_off_again_and_again_fire_once_each)
{
    struct random random = {random_seed()};
    uint64_t live_bytes;
    unsigned armed = 0;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    begin();
    expect_status(weir_loop_submit(loop, put_off, &random), 0);
    loop_turns(1);
    live_bytes = memory.live_bytes;
    for (unsigned i = 0; i < 5; i++) {
        expect_status(weir_loop_submit(loop, put_off, &random), 0);
        loop_turns(1);
    }
    expect_int(memory.live_bytes, live_bytes); /* the dead do not pile up */
    expect(loop->timers.wheel.entries.count < 2 * CROWD);
    for (unsigned i = 0; i < CROWD; i++)
        armed += crowd[i] != 0;
    fired = 0;
    pass(HOUR_NS);
    expect_int(fired, armed);
    expect_int(loop->timers.wheel.entries.count, 0);
    loop_end();
}
