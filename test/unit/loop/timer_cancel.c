/* SPDX-License-Identifier: MIT */
/*
 * timer -- cancelling, and the ids that it takes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loop/timer.h"
#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/timer_fixture.h"

/* ---- cancel ---- */

/* covers: weir_timer_cancel -ENOENT */
PLACE_CASE(timer_that_was_cancelled_never_fires)
{
    static const int64_t delays[] = {
        1,         MILLISECOND_NS, 3 * MILLISECOND_NS,
        SECOND_NS, HOUR_NS,        INT64_MAX / 2};

    begin();
    for (unsigned i = 0; i < sizeof(delays) / sizeof(*delays); i++) {
        weir_timer id = start(delays[i], "fired");

        expect_status(cancel(id), 0);
        expect_status(cancel(id), -ENOENT);
    }
    pass(INT64_MAX / 2 + 1);
    loop_turns(2);
    expect_recorded("");
    expect_int(weir_loop_timeout(loop), -1);
    loop_end();
}

/* Between two steps the loop still belongs to this thread: what a timer refers
 * to can be freed whether or not there is memory. */
CASE(timer_is_cancelled_between_steps_without_memory)
{
    enum { MANY = 1000 };
    struct failing_allocator memory;
    weir_timer ids[MANY];
    uint64_t before;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    begin();
    for (int i = 0; i < MANY; i++) {
        expect_status(weir_timer_start(loop, &ids[i], (i + 1) * MILLISECOND_NS,
                                       WEIR_TIMER_ONCE, record, "fired"),
                      0);
        if (i == MANY / 2)
            loop_turns(1);
    }
    before = memory.calls;
    for (int i = 0; i < MANY; i++)
        expect_status(weir_timer_cancel(loop, ids[i]), 0);
    expect_status(weir_timer_cancel(loop, ids[0]), -ENOENT);
    expect_int(memory.calls, before);
    pass(HOUR_NS);
    loop_turns(2);
    expect_recorded("");
    expect_int(weir_loop_timeout(loop), -1);
    loop_end();
    expect_int(memory.live, 0);
}

/* covers: weir_timer_cancel -ENOENT */
PLACE_CASE(timer_that_has_fired_cannot_be_cancelled)
{
    weir_timer id;

    begin();
    id = start(5, "fired");
    pass(5);
    expect_recorded("fired");
    expect_status(cancel(id), -ENOENT);
    loop_end();
}

PLACE_CASE(timer_that_repeats_is_over_when_it_is_cancelled)
{
    weir_timer id;

    begin();
    id = start_as(WEIR_TIMER_FIXED_RATE, 5, "beat");
    pass(5);
    pass(5);
    expect_recorded("beat beat");
    expect_status(cancel(id), 0);
    expect_status(cancel(id), -ENOENT);
    pass(HOUR_NS);
    expect_recorded("");
    loop_end();
}

/* Cancelled before it has come through the queue. */
CASE(timer_that_is_cancelled_on_its_way_never_fires)
{
    weir_timer id;

    begin();
    expect_status(
        weir_timer_start(loop, &id, 0, WEIR_TIMER_ONCE, record, "fired"), 0);
    expect_status(weir_timer_cancel(loop, id), 0);
    expect_status(weir_timer_cancel(loop, id), -ENOENT);
    loop_turns(3);
    expect_recorded("");
    loop_end();
}

/* A callback that cancels timers; those it finds in the list. */
static weir_timer targets[2];
static int cancelled_with[2];

static void cancel_targets(void *word, int status)
{
    expect_status(status, 0);
    note(word);
    for (int i = 0; i < 2; i++)
        cancelled_with[i] = weir_timer_cancel(loop, targets[i]);
}

/* covers: weir_timer_cancel -ENOENT */
CASE(timer_that_fires_once_cannot_cancel_itself)
{
    begin();
    targets[0] = start_fn(5, WEIR_TIMER_ONCE, cancel_targets, "itself");
    pass(5);
    expect_recorded("itself");
    expect_status(cancelled_with[0], -ENOENT);
    loop_end();
}

CASE(timer_that_repeats_can_cancel_itself)
{
    for (weir_timer_repeat repeat = WEIR_TIMER_FIXED_DELAY;
         repeat <= WEIR_TIMER_FIXED_RATE_CATCH_UP; repeat++) {
        begin();
        targets[0] = targets[1] = start_fn(5, repeat, cancel_targets, "itself");
        pass(100);
        expect_recorded("itself");
        expect_status(cancelled_with[0], 0);
        expect_status(cancelled_with[1], -ENOENT);
        pass(100);
        expect_status(weir_timer_cancel(loop, targets[0]), -ENOENT);
        expect_recorded("");
        loop_end();
    }
}

CASE(timer_that_is_due_can_be_cancelled_by_an_earlier_one)
{
    begin();
    start_fn(5, WEIR_TIMER_ONCE, cancel_targets, "first");
    targets[0] = start(5, "second");
    targets[1] = start_as(WEIR_TIMER_FIXED_RATE, 5, "third");
    start(5, "fourth");
    pass(5);
    expect_recorded("first fourth");
    expect_status(cancelled_with[0], 0);
    expect_status(cancelled_with[1], 0);
    pass(HOUR_NS);
    expect_recorded("");
    loop_end();
}

static void cancel_and_start(void *arg, int status)
{
    cancel_targets(arg, status);
    for (int i = 0; i < 200; i++)
        expect_status(weir_timer_start(loop, &targets[i % 2], 0,
                                       WEIR_TIMER_ONCE, record, "x"),
                      0);
}

/* A slot must not be used again while its old timer is still to come out. */
CASE(timer_that_takes_the_place_of_a_cancelled_one_fires_in_its_own_time)
{
    begin();
    start_fn(5, WEIR_TIMER_ONCE, cancel_and_start, "first");
    targets[0] = start(5, "second");
    targets[1] = start(5 + MILLISECOND_NS, "third");
    pass(5);
    expect_recorded("first");
    loop_turns(1);
    expect_int(strlen(take_record()), 200 * 2 - 1);
    pass(HOUR_NS);
    expect_recorded("");
    loop_end();
}

/* Scene r: quadratic elsewhere.  A million have to fit into the deadline of a
 * case, as the 40,000 do. */
enum { CLEARED = 1000000 };

static void clear_in_reverse(void *arg, int status)
{
    unsigned count = *(unsigned *)arg;
    weir_timer *ids = malloc(count * sizeof(*ids));

    expect(ids != NULL);
    for (unsigned i = 0; i < count; i++)
        expect_status(weir_timer_start(loop, &ids[i],
                                       (int64_t)i * (HOUR_NS / CLEARED),
                                       WEIR_TIMER_ONCE, record, "fired"),
                      0);
    while (count-- > 0)
        expect_status(weir_timer_cancel(loop, ids[count]), 0);
    free(ids);
}

PLACE_CASE(timer_crowds_are_cleared_in_linear_time)
{
    static unsigned counts[] = {40000, CLEARED};

    begin();
    perform(clear_in_reverse, &counts[0]);
    perform(clear_in_reverse, &counts[1]);
    pass(HOUR_NS);
    expect_recorded("");
    loop_end();
}

/* The callback may look at the id that start has written. */
CASE(timer_id_is_there_when_its_callback_runs)
{
    begin();
    expect_status(weir_timer_start(loop, &targets[0], 5, WEIR_TIMER_FIXED_RATE,
                                   cancel_targets, "fired"),
                  0);
    loop_turns(1);
    pass(5);
    expect_recorded("fired");
    expect_status(cancelled_with[0], 0);
    loop_end();
}

/* ---- ids ---- */

/* covers: weir_timer_cancel -ENOENT */
/* covers: weir_timer_ref -ENOENT */
/* covers: weir_timer_unref -ENOENT */
/* covers: weir_timer_set_name -ENOENT */
static void expect_unknown(weir_timer id)
{
    expect_status(call(weir_timer_cancel, id), -ENOENT);
    expect_status(call(weir_timer_ref, id), -ENOENT);
    expect_status(call(weir_timer_unref, id), -ENOENT);
    expect_status(weir_timer_set_name(loop, id, "nobody"), -ENOENT);
}

PLACE_CASE(timer_ids_that_nobody_has_are_unknown)
{
    struct random random = {random_seed()};
    weir_timer id;

    begin();
    expect_unknown(0);
    expect_unknown(1);
    expect_unknown(UINT64_MAX);
    id = start(5, "fired");
    for (int i = 0; i < 64; i++)
        expect_unknown(id ^ UINT64_C(1) << i);
    for (int i = 0; i < 1000; i++)
        expect_unknown(random_next(&random));
    pass(5);
    expect_recorded("fired");
    loop_end();
}

PLACE_CASE(timer_ids_are_dead_when_it_is_over)
{
    weir_timer fired, gone;

    begin();
    fired = start(5, "fired");
    gone = start(5, "gone");
    expect_status(cancel(gone), 0);
    pass(5);
    expect_recorded("fired");
    expect_unknown(fired);
    expect_unknown(gone);
    loop_end();
}

/* The slot's next timer is not hit by a late cancel. */
PLACE_CASE(timer_ids_of_a_used_slot_are_not_its_next_timers)
{
    enum place given = place;
    weir_timer old, new;

    begin();
    old = start(5, "old");
    expect_status(cancel(old), 0);
    pass(5);
    new = start_in_slot_of(old, HOUR_NS);
    place = given;
    expect_unknown(old);
    expect_status(cancel(new), 0);
    loop_end();
}

enum { IDS = 50000 };
static weir_timer seen[IDS];

static int compare_ids(const void *one, const void *other)
{
    weir_timer a = *(const weir_timer *)one, b = *(const weir_timer *)other;

    return (a > b) - (a < b);
}

static void collect_ids(void *arg, int status)
{
    for (unsigned i = 0; i < IDS; i++) {
        expect_status(weir_timer_start(loop, &seen[i], HOUR_NS, WEIR_TIMER_ONCE,
                                       record, "fired"),
                      0);
        expect_status(weir_timer_cancel(loop, seen[i]), 0);
    }
}

PLACE_CASE(timer_ids_are_all_different)
{
    begin();
    perform(collect_ids, NULL);
    qsort(seen, IDS, sizeof(*seen), compare_ids);
    for (unsigned i = 1; i < IDS; i++)
        expect(seen[i - 1] != seen[i]);
    loop_end();
}

/* As if the slot had been used 33 million times. */
static weir_timer age(weir_timer id)
{
    struct weir__timer *timer = weir__timer_at(&loop->timer_slots, slot_of(id));
    const uint32_t last = UINT32_MAX >> WEIR__TIMER_GENERATION_SHIFT;

    store_relaxed(
        &timer->word, /* relaxed: unshared */
        last << WEIR__TIMER_GENERATION_SHIFT |
            (load_relaxed(&timer->word) & (WEIR__TIMER_GENERATION_ONE - 1)));
    return (weir_timer)last << 32 | slot_of(id);
}

PLACE_CASE(timer_slots_without_ids_left_are_not_used_again)
{
    weir_timer last;

    begin();
    last = age(start(HOUR_NS, "fired"));
    expect_status(cancel(last), 0);
    expect_unknown(last);
    expect_unknown(slot_of(last));
    for (int i = 0; i < 1000; i++)
        expect(slot_of(start_fn(HOUR_NS, WEIR_TIMER_ONCE, ignore, NULL)) !=
               slot_of(last));
    loop_end();
}

/* As if a thousand million timers were there. */
static uint32_t used_up(void)
{
    return ((uint32_t)WEIR__SLAB_GROUP << WEIR__SLAB_BLOCKS) - WEIR__SLAB_GROUP;
}

/* covers: weir_timer_start -ENOSPC */
PLACE_CASE(timer_start_without_a_slot_left_is_refused)
{
    struct start start = {5, WEIR_TIMER_ONCE, record, "fired", 42, 1};

    begin();
    set_unshared(&loop->timer_slots.limit, used_up());
    perform(call_start, &start);
    expect_status(start.status, -ENOSPC);
    expect_int(start.id, 42);
    set_unshared(&loop->timer_slots.limit, 0);
    pass(5);
    expect_recorded("");
    loop_end();
}

#ifndef WEIR_SMALL /* its groups and chunks are not the real ones */
/* All there is of them, measured at the allocator: the blocks of a slab that
 * is full. */
static void fill_slab(void *arg, int status)
{
    for (int i = 0; i < WEIR__SLAB_GROUP * 255; i++)
        expect_status(weir_timer_start(loop, NULL, HOUR_NS, WEIR_TIMER_ONCE,
                                       ignore, NULL),
                      0);
}

CASE(timer_memory_is_62_bytes_each_and_what_the_lists_need)
{
    struct failing_allocator memory;
    uint64_t before, most;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    loop_make(NULL);
    expect_status(weir_loop_submit(loop, fill_slab, NULL), 0);
    before = memory.live_bytes;
    loop_turns(1);
    /* a chunk for the first entry of each list, and a line for each block */
    most =
        960 * sizeof(struct weir__chunk) + 8 * 5 * sizeof(struct weir__chunk);
    expect((memory.live_bytes - before - most) / (255 * WEIR__SLAB_GROUP) <=
           62);
    expect_status(weir_loop_free(loop), 0);
    expect_int(memory.live_bytes, 0);
}
#endif
