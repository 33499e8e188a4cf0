/* SPDX-License-Identifier: MIT */
/*
 * deque -- one thread in both roles: order, growth, and the end.
 */
#include "pool/deque.h"

#include <errno.h>

#include "support/failing_allocator.h"
#include "support/suite.h"

static struct weir__deque deque;
static char items[5000];

static void push(unsigned first, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        expect(weir__deque_push(&deque, &items[first + i]));
}

static void expect_popped(unsigned number)
{
    expect(weir__deque_pop(&deque) == &items[number]);
}

static void expect_stolen(unsigned number)
{
    void *item;

    expect_int(weir__deque_steal(&deque, &item), WEIR__LOOT_ONE);
    expect(item == &items[number]);
}

static void expect_empty(void)
{
    void *item;

    expect(weir__deque_is_empty(&deque));
    expect(weir__deque_pop(&deque) == NULL);
    expect_int(weir__deque_steal(&deque, &item), WEIR__LOOT_NONE);
}

CASE(deque_begins_empty)
{
    expect_status(weir__deque_init(&deque), 0);
    expect_empty();
    expect_empty();
    weir__deque_fini(&deque);
}

CASE(deque_owner_pops_the_newest_first)
{
    expect_status(weir__deque_init(&deque), 0);
    push(0, 3);
    expect(!weir__deque_is_empty(&deque));
    expect_popped(2);
    push(3, 1);
    expect_popped(3);
    expect_popped(1);
    expect_popped(0);
    expect_empty();
    weir__deque_fini(&deque);
}

CASE(deque_thief_takes_the_oldest_first)
{
    expect_status(weir__deque_init(&deque), 0);
    push(0, 3);
    expect_stolen(0);
    expect_stolen(1);
    expect_popped(2);
    expect_empty();
    push(3, 1);
    expect_stolen(3);
    expect_empty();
    weir__deque_fini(&deque);
}

/* The indices go many times round the ring, which stays as it is. */
CASE(deque_that_is_emptied_again_and_again_does_not_grow)
{
    struct weir__ring *ring;

    expect_status(weir__deque_init(&deque), 0);
    ring = deque.own;
    for (unsigned round = 0; round < 5000; round++) {
        push(0, 3);
        expect_stolen(0);
        expect_popped(2);
        expect_popped(1);
        expect_empty();
    }
    expect(deque.own == ring);
    weir__deque_fini(&deque);
}

/* Both at the ring's beginning and when the oldest lies in its middle. */
CASE(deque_grows_and_keeps_every_item_in_its_place)
{
    for (unsigned offset = 0; offset < 3; offset++) {
        expect_status(weir__deque_init(&deque), 0);
        push(0, offset);
        for (unsigned i = 0; i < offset; i++)
            expect_stolen(i);
        push(0, 5000);
        expect(deque.own->mask + 1 >= 5000);
        for (unsigned i = 0; i < 2500; i++)
            expect_stolen(i);
        for (unsigned i = 5000; i-- > 2500;)
            expect_popped(i);
        expect_empty();
        weir__deque_fini(&deque);
    }
}

CASE(deque_without_memory_refuses_and_keeps_what_it_has)
{
    struct failing_allocator memory;
    unsigned count = 0;

    failing_allocator_init(&memory, 1);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    expect_status(weir__deque_init(&deque), -ENOMEM);
    expect_status(weir__deque_init(&deque), 0);
    memory.fail_at = 3;
    while (weir__deque_push(&deque, &items[count]))
        count++;
    expect(count == deque.own->mask + 1);
    expect_popped(count - 1);
    push(count - 1, 2); /* now there is memory */
    for (unsigned i = count + 1; i-- > 0;)
        expect_popped(i);
    expect_empty();
    weir__deque_fini(&deque);
    expect_int(memory.live, 0);
    expect_int(memory.live_bytes, 0);
}
