/* SPDX-License-Identifier: MIT */
/*
 * envelope -- storage that is handed out, opened, and used again.
 */
#include "loop/envelope.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "support/crew.h"
#include "support/failing_allocator.h"
#include "support/suite.h"

enum { MANY = 1000 };

/* The first two are less than a busy loop keeps of a lane, the last one more. */
#ifdef WEIR_SMALL
enum { BATCH = 4, SHORT_BURST = 4, BURST = 200000 };
#else
enum { BATCH = 100, SHORT_BURST = 10000, BURST = 200000 };
#endif

static struct failing_allocator memory;
static struct weir__envelopes office;
static struct weir__envelope *taken[MANY];

static void begin(uint64_t fail_at)
{
    failing_allocator_init(&memory, fail_at);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    memset(&office, 0xa5, sizeof(office));
    weir__envelopes_init(&office);
}

static void end(void)
{
    weir__envelopes_fini(&office);
    expect_int(memory.live, 0);
    expect_int(memory.live_bytes, 0);
}

static void call(void *arg, int status)
{
    (void)arg;
    (void)status;
}

static struct weir__envelope *take(uintptr_t number)
{
    struct weir__envelope *envelope = weir__envelope_take(&office);

    if (envelope != NULL) {
        memset(&envelope->task, 0x5a, sizeof(envelope->task));
        envelope->fn = call;
        envelope->arg = (void *)number;
    }
    return envelope;
}

static void expect_open(struct weir__envelope *envelope, uintptr_t number)
{
    struct weir__call got = weir__envelope_open(envelope);

    expect(got.fn == call);
    expect_int((uintptr_t)got.arg, number);
}

CASE(envelope_office_that_was_not_used_has_no_memory)
{
    begin(0);
    weir__envelopes_trim(&office);
    end();
    expect_int(memory.calls, 0);
}

CASE(envelope_is_nobody_elses_until_it_is_opened)
{
    begin(0);
    for (uintptr_t i = 0; i < MANY; i++) {
        taken[i] = take(i);
        expect(taken[i] != NULL);
        expect_int((uintptr_t)taken[i] % sizeof(uint64_t), 0);
    }
    for (uintptr_t i = 0; i < MANY; i++)
        expect_open(taken[i], i);
    end();
}

/* Every length up to some blocks: the last block is full, or not. */
CASE(envelope_office_ends_with_a_last_block_of_any_filling)
{
    for (uintptr_t length = 1; length < 200; length++) {
        begin(0);
        for (uintptr_t i = 0; i < length; i++)
            taken[i] = take(i);
        for (uintptr_t i = 0; i < length; i++)
            expect_open(taken[i], i);
        end();
    }
}

CASE(envelopes_may_be_opened_in_any_order)
{
    begin(0);
    for (uintptr_t i = 0; i < MANY; i++)
        taken[i] = take(i);
    for (uintptr_t i = MANY; i-- > 0;)
        expect_open(taken[i], i);
    for (uintptr_t i = 0; i < MANY; i++)
        taken[i] = take(i);
    for (uintptr_t step = 0; step < 7; step++)
        for (uintptr_t i = step; i < MANY; i += 7)
            expect_open(taken[i], i);
    end();
}

CASE(envelope_that_is_returned_is_the_next_one)
{
    begin(0);
    for (uintptr_t i = 0; i < MANY; i++) {
        struct weir__envelope *unused = take(0);

        weir__envelope_return(&office, unused);
        taken[i] = take(i);
        expect(taken[i] == unused);
    }
    for (uintptr_t i = 0; i < MANY; i++)
        expect_open(taken[i], i);
    weir__envelope_return(&office, take(0));
    end();
}

CASE(envelope_take_allocates_nothing_in_steady_state)
{
    uint64_t calls = 0;

    begin(0);
    for (int round = 0; round < 1000; round++) {
        for (uintptr_t i = 0; i < BATCH; i++)
            taken[i] = take(i);
        for (uintptr_t i = 0; i < BATCH; i++)
            expect_open(taken[i], i);
        if (round == 500)
            calls = memory.calls;
    }
    expect_int(memory.calls, calls);
    end();
}

CASE(envelope_take_without_memory_changes_nothing)
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
            expect_open(taken[i], i);
        end();
    }
}

/* memory */

static struct weir__envelope **make_burst_of(uintptr_t length)
{
    struct weir__envelope **burst = calloc(length, sizeof(*burst));

    expect(burst != NULL);
    for (uintptr_t i = 0; i < length; i++)
        burst[i] = take(i);
    return burst;
}

static struct weir__envelope **make_burst(void)
{
    return make_burst_of(BURST);
}

static void open_burst_of(uintptr_t length, struct weir__envelope **burst)
{
    for (uintptr_t i = 0; i < length; i++)
        expect_open(burst[i], i);
    free(burst);
}

static void open_burst(struct weir__envelope **burst)
{
    open_burst_of(BURST, burst);
}

CASE(envelope_trim_gives_back_what_a_burst_took)
{
    struct weir__envelope **burst;
    uint64_t peak;

    begin(0);
    burst = make_burst();
    peak = memory.live_bytes;
    open_burst(burst);
    weir__envelopes_trim(&office);
    expect(memory.live_bytes < peak / 16);
    expect_open(take(1), 1);
    end();
}

/* The producer has gone on meanwhile, and taken the blocks over. */
CASE(envelope_trim_gives_back_what_a_burst_took_when_the_producer_goes_on)
{
    struct weir__envelope **burst;
    uint64_t peak;

    begin(0);
    burst = make_burst();
    peak = memory.live_bytes;
    open_burst(burst);
    for (uintptr_t i = 0; i < 100; i++)
        expect_open(take(i), i);
    weir__envelopes_trim(&office);
    expect(memory.live_bytes < peak / 16);
    end();
}

/* So a busy loop, which never sleeps, does not keep what each of its producers
 * once needed. */
CASE(envelope_of_a_long_queue_is_given_back_without_a_trim)
{
    begin(0);
    for (int i = 0; i < 3; i++) {
        struct weir__envelope **burst = make_burst();
        uint64_t peak = memory.live_bytes;

        expect(peak >= BURST * sizeof(struct weir__envelope));
        open_burst(burst);
        expect(memory.live_bytes < peak / 2);
    }
    end();
}

/* What a burst of usual length needs stays for the next one. */
CASE(envelope_of_a_burst_is_used_by_the_next_without_a_trim)
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

/* More threads than there are lanes, all alive at the same time. */
enum { CROWD = WEIR__ENVELOPE_LANES + 4 };

static void take_in_a_crowd(struct crew *crew, unsigned id)
{
    struct weir__envelope *envelope = take(0);

    expect(envelope != NULL);
    crew_meet(crew); /* everybody has a number of its own */
    weir__envelope_return(&office, envelope);
    taken[id] = take(id);
    expect(taken[id] != NULL);
    crew_meet(crew);
}

CASE(envelope_is_there_for_threads_without_a_lane)
{
    begin(0);
    crew_run(CROWD, take_in_a_crowd, NULL);
    for (uintptr_t i = 0; i < CROWD; i++)
        expect_open(taken[i], i);
    end();
}

static void take_some(struct crew *crew, unsigned id)
{
    uintptr_t *first = crew->context;

    (void)id;
    for (uintptr_t i = 0; i < 100; i++)
        taken[*first + i] = take(*first + i);
}

/* Threads that come and go inherit lanes from each other. */
CASE(envelope_lane_passes_to_the_next_thread)
{
    begin(0);
    for (uintptr_t first = 0; first < MANY; first += 100)
        crew_run(1, take_some, &first);
    for (uintptr_t i = 0; i < MANY; i++)
        expect_open(taken[i], i);
    expect(memory.live < 2 + MANY);
    end();
}

/* One producer and the loop, with a queue of one between them. */
enum { ROUNDS = 50000 };

static void produce_or_open(struct crew *crew, unsigned id)
{
    struct weir__envelope **slots = crew->context; /* four, atomic */

    for (uintptr_t i = 0; i < ROUNDS; i++) {
        struct weir__envelope **slot = &slots[i % 4];
        struct weir__envelope *envelope;

        if (id == 0) {
            envelope = take(i);
            while (__atomic_load_n(slot, __ATOMIC_RELAXED) != NULL)
                sched_yield();
            __atomic_store_n(slot, envelope, __ATOMIC_RELEASE);
        } else {
            while ((envelope = __atomic_exchange_n(slot, NULL,
                                                   __ATOMIC_ACQUIRE)) == NULL)
                sched_yield();
            expect_open(envelope, i);
            if (i % 1000 == 0)
                weir__envelopes_trim(&office);
        }
    }
}

CASE(envelope_may_be_taken_while_others_are_opened)
{
    struct weir__envelope *slots[4] = {NULL};

    begin(0);
    crew_run(2, produce_or_open, slots);
    end();
}
