/* SPDX-License-Identifier: MIT */
/*
 * recycler -- slots that are taken, put back, and used again.
 */
#include "base/recycler.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "support/crew.h"
#include "support/failing_allocator.h"
#include "support/suite.h"

enum { MANY = 1000 };

/* The first two are less than a cache keeps, the last one more. */
#ifdef WEIR_SMALL
enum { BATCH = 4, SHORT_BURST = 4, BURST = 200000 };
#else
enum { BATCH = 100, SHORT_BURST = 10000, BURST = 200000 };
#endif

struct slot {
    uintptr_t number;
    char more[24];
    struct weir__recycler_block *block;
};

static const struct weir__recycler_kind kind = {
    .size = sizeof(struct slot),
    .block_at = offsetof(struct slot, block),
#ifdef WEIR_SMALL
    .kept = 4,
    .most = 6,
#else
    .kept = 2048,
    .most = 16384,
#endif
};

static const struct weir__recycler_kind unbounded = {
    .size = sizeof(struct slot),
    .block_at = offsetof(struct slot, block),
    .kept = 2,
    .most = UINT32_MAX,
};

static struct failing_allocator memory;
static struct weir__recycler recycler;
static struct slot *taken[MANY];

static void begin_with(const struct weir__recycler_kind *kind_,
                       uint64_t fail_at)
{
    failing_allocator_init(&memory, fail_at);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    memset(&recycler, 0xa5, sizeof(recycler));
    weir__recycler_init(&recycler, kind_);
}

static void begin(uint64_t fail_at)
{
    begin_with(&kind, fail_at);
}

static void end(void)
{
    weir__recycler_fini(&recycler);
    expect_int(memory.live, 0);
    expect_int(memory.live_bytes, 0);
}

static struct slot *take(uintptr_t number)
{
    struct slot *slot = weir__recycler_take(&recycler);

    if (slot != NULL) {
        memset(slot->more, 0x5a, sizeof(slot->more));
        slot->number = number;
    }
    return slot;
}

static void expect_put(struct slot *slot, uintptr_t number)
{
    expect_int(slot->number, number);
    weir__recycler_put(slot->block);
}

CASE(recycler_that_was_not_used_has_no_memory)
{
    begin(0);
    weir__recycler_trim(&recycler);
    end();
    expect_int(memory.calls, 0);
}

CASE(recycler_slot_is_nobody_elses_until_it_is_put_back)
{
    begin(0);
    for (uintptr_t i = 0; i < MANY; i++) {
        taken[i] = take(i);
        expect(taken[i] != NULL);
        expect_int((uintptr_t)taken[i] % sizeof(uint64_t), 0);
    }
    for (uintptr_t i = 0; i < MANY; i++)
        expect_put(taken[i], i);
    end();
}

/* Every length up to some blocks: the last block is full, or not. */
CASE(recycler_ends_with_a_last_block_of_any_filling)
{
    for (uintptr_t length = 1; length < 200; length++) {
        begin(0);
        for (uintptr_t i = 0; i < length; i++)
            taken[i] = take(i);
        for (uintptr_t i = 0; i < length; i++)
            expect_put(taken[i], i);
        end();
    }
}

CASE(recycler_slots_may_be_put_back_in_any_order)
{
    begin(0);
    for (uintptr_t i = 0; i < MANY; i++)
        taken[i] = take(i);
    for (uintptr_t i = MANY; i-- > 0;)
        expect_put(taken[i], i);
    for (uintptr_t i = 0; i < MANY; i++)
        taken[i] = take(i);
    for (uintptr_t step = 0; step < 7; step++)
        for (uintptr_t i = step; i < MANY; i += 7)
            expect_put(taken[i], i);
    end();
}

CASE(recycler_slot_that_is_returned_is_the_next_one)
{
    begin(0);
    for (uintptr_t i = 0; i < MANY; i++) {
        struct slot *unused = take(0);

        weir__recycler_return(unused->block);
        taken[i] = take(i);
        expect(taken[i] == unused);
    }
    for (uintptr_t i = 0; i < MANY; i++)
        expect_put(taken[i], i);
    weir__recycler_return(take(0)->block);
    end();
}

CASE(recycler_allocates_nothing_in_steady_state)
{
    uint64_t calls = 0;

    begin(0);
    for (int round = 0; round < 1000; round++) {
        for (uintptr_t i = 0; i < BATCH; i++)
            taken[i] = take(i);
        for (uintptr_t i = 0; i < BATCH; i++)
            expect_put(taken[i], i);
        if (round == 500)
            calls = memory.calls;
    }
    expect_int(memory.calls, calls);
    end();
}

CASE(recycler_take_without_memory_changes_nothing)
{
    bool has_failed = true;

    for (uint64_t nth = 1; has_failed; nth++) {
        uintptr_t count = 0;

        has_failed = false;
        begin(nth);
        for (int i = 0; i < 300; i++) {
            taken[count] = take(count);
            if (taken[count] != NULL)
                count++;
            else
                has_failed = true;
        }
        expect_int(count, has_failed ? 299 : 300);
        for (uintptr_t i = 0; i < count; i++)
            expect_put(taken[i], i);
        end();
    }
}

/* memory */

static struct slot **make_burst_of(uintptr_t length)
{
    struct slot **burst = calloc(length, sizeof(*burst));

    expect(burst != NULL);
    for (uintptr_t i = 0; i < length; i++)
        burst[i] = take(i);
    return burst;
}

static struct slot **make_burst(void)
{
    return make_burst_of(BURST);
}

static void open_burst_of(uintptr_t length, struct slot **burst)
{
    for (uintptr_t i = 0; i < length; i++)
        expect_put(burst[i], i);
    free(burst);
}

static void open_burst(struct slot **burst)
{
    open_burst_of(BURST, burst);
}

CASE(recycler_trim_gives_back_what_a_burst_took)
{
    struct slot **burst;
    uint64_t peak;

    begin(0);
    burst = make_burst();
    peak = memory.live_bytes;
    open_burst(burst);
    weir__recycler_trim(&recycler);
    expect(memory.live_bytes < peak / 16);
    expect_put(take(1), 1);
    end();
}

/* The producer has gone on meanwhile, and taken the blocks over. */
CASE(recycler_trim_gives_back_what_a_burst_took_when_the_producer_goes_on)
{
    struct slot **burst;
    uint64_t peak;

    begin(0);
    burst = make_burst();
    peak = memory.live_bytes;
    open_burst(burst);
    for (uintptr_t i = 0; i < 100; i++)
        expect_put(take(i), i);
    weir__recycler_trim(&recycler);
    expect(memory.live_bytes < peak / 16);
    end();
}

/* The first block is full when a second one is allocated. */
CASE(recycler_trim_leaves_as_many_slots_as_its_kind_says)
{
    struct weir__recycler_kind own = unbounded;
    uint64_t calls, peak;
    uint32_t count = 0;

    begin_with(&own, 0);
    taken[count++] = take(0);
    calls = memory.calls;
    while (memory.calls == calls) {
        taken[count] = take(count);
        count++;
    }
    count--; /* it is in the second block */
    for (uint32_t i = 0; i < count; i++)
        expect_put(taken[i], i);
    peak = memory.live_bytes;
    own.kept = count;
    weir__recycler_trim(&recycler);
    expect(memory.live_bytes == peak);
    own.kept = count - 1;
    weir__recycler_trim(&recycler);
    expect(memory.live_bytes < peak);
    expect_put(taken[count], count);
    end();
}

/* So a busy loop, which never sleeps, does not keep what each of its producers
 * once needed. */
CASE(recycler_gives_back_a_long_queue_without_a_trim)
{
    begin(0);
    for (int i = 0; i < 3; i++) {
        struct slot **burst = make_burst();
        uint64_t peak = memory.live_bytes;

        expect(peak >= BURST * sizeof(struct slot));
        open_burst(burst);
        expect(memory.live_bytes < peak / 2);
    }
    end();
}

/* What a burst of usual length needs stays for the next one. */
CASE(recycler_uses_a_burst_for_the_next_without_a_trim)
{
    uint64_t calls;

    begin(0);
    open_burst_of(SHORT_BURST, make_burst_of(SHORT_BURST));
    calls = memory.calls;
    for (int i = 0; i < 20; i++)
        open_burst_of(SHORT_BURST, make_burst_of(SHORT_BURST));
    expect(memory.calls < 2 * calls); /* the block in use is not a spare */
    end();
}

/* threads */

/* More threads than there are caches, all alive at the same time. */
enum { CROWD = WEIR__RECYCLER_CACHES + 4 };

static void take_in_a_crowd(struct crew *crew, unsigned id)
{
    struct slot *slot = take(0);

    expect(slot != NULL);
    crew_meet(crew); /* everybody has its own number */
    weir__recycler_return(slot->block);
    taken[id] = take(id);
    expect(taken[id] != NULL);
    crew_meet(crew);
}

CASE(recycler_has_slots_for_threads_without_a_cache)
{
    begin(0);
    crew_run(CROWD, take_in_a_crowd, NULL);
    for (uintptr_t i = 0; i < CROWD; i++)
        expect_put(taken[i], i);
    end();
}

static void take_some(struct crew *crew, unsigned id)
{
    uintptr_t *first = crew->context;

    for (uintptr_t i = 0; i < 100; i++)
        taken[*first + i] = take(*first + i);
}

/* Threads that come and go inherit caches from each other. */
CASE(recycler_cache_passes_to_the_next_thread)
{
    begin(0);
    for (uintptr_t first = 0; first < MANY; first += 100)
        crew_run(1, take_some, &first);
    for (uintptr_t i = 0; i < MANY; i++)
        expect_put(taken[i], i);
    expect(memory.live < 2 + MANY);
    end();
}

/* One producer and one consumer, with a queue of four between them. */
enum { ROUNDS = 50000 };

static void produce_or_put(struct crew *crew, unsigned id)
{
    struct slot **queue = crew->context; /* four, atomic */

    for (uintptr_t i = 0; i < ROUNDS; i++) {
        struct slot **entry = &queue[i % 4];
        struct slot *slot;

        if (id == 0) {
            slot = take(i);
            while (__atomic_load_n(entry, __ATOMIC_RELAXED) != NULL)
                sched_yield();
            __atomic_store_n(entry, slot, __ATOMIC_RELEASE);
        } else {
            while ((slot = __atomic_exchange_n(entry, NULL,
                                               __ATOMIC_ACQUIRE)) == NULL)
                sched_yield();
            expect_put(slot, i);
            if (i % 1000 == 0)
                weir__recycler_trim(&recycler);
        }
    }
}

CASE(recycler_slots_may_be_taken_while_others_are_put_back)
{
    struct slot *queue[4] = {NULL};

    begin(0);
    crew_run(2, produce_or_put, queue);
    end();
}

/* tallies */

static struct weir__recycler_tally tally;

static void expect_count(struct slot *slot, uintptr_t number)
{
    expect_int(slot->number, number);
    weir__recycler_count(slot->block, &tally);
}

static void settle_and_end(void)
{
    weir__recycler_settle(&tally);
    weir__recycler_settle(&tally); /* there is nothing left */
    end();
}

CASE(recycler_slots_that_are_counted_leave_nothing)
{
    begin(0);
    for (uintptr_t i = 0; i < MANY; i++)
        taken[i] = take(i);
    for (uintptr_t i = 0; i < MANY; i++)
        expect_count(taken[i], i);
    settle_and_end();
}

CASE(recycler_uses_slots_that_are_counted_again)
{
    uint64_t calls = 0;

    begin(0);
    for (uintptr_t i = 0; i < 20000; i++) {
        expect_count(take(i), i);
        if (i == 10000)
            calls = memory.calls;
    }
    expect_int(memory.calls, calls);
    settle_and_end();
}

CASE(recycler_without_a_bound_keeps_a_burst_until_it_is_trimmed)
{
    struct slot **burst;
    uint64_t peak, rest;

    begin_with(&unbounded, 0);
    burst = make_burst();
    peak = memory.live_bytes;
    for (uintptr_t i = 0; i < BURST; i++)
        expect_count(burst[i], i);
    free(burst);
    weir__recycler_settle(&tally);
    expect_int(memory.live_bytes, peak);
    weir__recycler_trim(&recycler);
    rest = memory.live_bytes;
    expect(rest < peak / 4);
    weir__recycler_trim(&recycler);
    expect_int(memory.live_bytes, rest);
    settle_and_end();
}

/* a single cache */

CASE(recycler_cache_of_its_own_and_single_slots_leave_nothing)
{
    struct weir__recycler_cache cache;
    struct slot *single;

    begin(0);
    weir__recycler_cache_init(&cache);
    weir__recycler_cache_fini(&cache); /* never used */
    for (uintptr_t i = 0; i < MANY; i++) {
        taken[i] = weir__recycler_cache_take(&cache, &kind);
        expect(taken[i] != NULL);
        taken[i]->number = i;
    }
    single = weir__recycler_take_single(&kind);
    expect(single != NULL);
    weir__recycler_return(single->block);
    single = weir__recycler_take_single(&kind);
    weir__recycler_put(single->block);
    for (uintptr_t i = 0; i < MANY; i++)
        expect_put(taken[i], i);
    weir__recycler_cache_fini(&cache);
    end();
}
