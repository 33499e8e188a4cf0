/* SPDX-License-Identifier: MIT */
/*
 * calls -- a ring that grows without losing its order, and shrinks again.
 */
#include "base/calls.h"

#include <errno.h>

#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/suite.h"

static void first(void *arg, int status)
{
}

static void second(void *arg, int status)
{
}

static struct weir__calls calls;

static void push(uintptr_t number)
{
    expect_status(weir__calls_push(&calls, number % 2 == 0 ? first : second,
                                   (void *)number),
                  0);
}

static void expect_pop(uintptr_t number)
{
    struct weir__call call = weir__calls_pop(&calls);

    expect(call.fn == (number % 2 == 0 ? first : second));
    expect_int((uintptr_t)call.arg, number);
}

static void end(void)
{
    expect(weir__calls_is_empty(&calls));
    weir__calls_fini(&calls);
}

CASE(calls_begin_empty_without_memory)
{
    struct failing_allocator memory;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    weir__calls_init(&calls);
    expect(weir__calls_is_empty(&calls));
    expect_int(weir__calls_count(&calls), 0);
    end();
    expect_int(memory.calls, 0);
}

CASE(calls_come_out_in_the_order_they_went_in)
{
    weir__calls_init(&calls);
    for (uintptr_t i = 0; i < 1000; i++)
        push(i);
    expect_int(weir__calls_count(&calls), 1000);
    for (uintptr_t i = 0; i < 1000; i++)
        expect_pop(i);
    end();
}

/* Growing in every position of head and tail. */
CASE(calls_keep_their_order_when_a_ring_that_has_turned_grows)
{
    for (uintptr_t offset = 0; offset < 130; offset++) {
        uintptr_t in = 0, out = 0;

        weir__calls_init(&calls);
        for (; in < offset; in++) {
            push(in);
            expect_pop(out++);
        }
        for (uintptr_t i = 0; i < 300; i++)
            push(in++);
        while (out < in)
            expect_pop(out++);
        end();
    }
}

CASE(calls_at_random_stay_in_order)
{
    struct random random = {random_seed()};
    uintptr_t in = 0, out = 0;

    weir__calls_init(&calls);
    for (int round = 0; round < 2000; round++) {
        for (uint64_t n = random_below(&random, 200); n > 0; n--)
            push(in++);
        for (uint64_t n = random_below(&random, 200); n > 0 && out < in; n--)
            expect_pop(out++);
        expect_int(weir__calls_count(&calls), in - out);
        if (weir__calls_is_empty(&calls))
            weir__calls_trim(&calls);
    }
    while (out < in)
        expect_pop(out++);
    end();
}

CASE(calls_push_without_memory_changes_nothing)
{
    for (uint64_t nth = 1; nth < 8; nth++) {
        struct failing_allocator memory;
        uintptr_t in = 0, out = 0;

        failing_allocator_init(&memory, nth);
        expect_status(weir_set_allocator(&memory.hooks), 0);
        weir__calls_init(&calls);
        while (weir__calls_push(&calls, in % 2 == 0 ? first : second,
                                (void *)in) == 0)
            in++;
        expect_int(weir__calls_count(&calls), in);
        push(in++); /* the next one succeeds */
        while (out < in)
            expect_pop(out++);
        end();
        expect_int(memory.live, 0);
    }
}

CASE(calls_trim_gives_back_what_a_burst_took)
{
    struct failing_allocator memory;
    uint64_t small;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    weir__calls_init(&calls);
    push(0);
    expect_pop(0);
    weir__calls_trim(&calls);
    small = memory.live_bytes; /* is kept, for the next time */
    expect(small > 0);
    for (uintptr_t i = 0; i < 1000000; i++)
        push(i);
    expect(memory.live_bytes >= 1000000 * sizeof(struct weir__call));
    for (uintptr_t i = 0; i < 1000000; i++)
        expect_pop(i);
    weir__calls_trim(&calls);
    expect(memory.live_bytes <= small);
    expect_int(calls.head, 1000001); /* what counts calls goes on counting */
    push(1);
    expect_pop(1);
    end();
    expect_int(memory.live, 0);
}
