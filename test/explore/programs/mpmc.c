/* SPDX-License-Identifier: MIT */
/*
 * mpmc -- Vyukov's bounded queue of many producers and consumers.
 *
 * correct: nothing found
 * broken: data race
 */
#include <stdatomic.h>

#include "start.h"

#ifdef BROKEN
#define RELEASE memory_order_relaxed
#else
#define RELEASE memory_order_release
#endif
#define RLX memory_order_relaxed

enum { SIZE = 2 };
static struct cell {
    atomic_uint sequence;
    int value;
} cells[SIZE] = {{0, 0}, {1, 0}};
static atomic_uint in, out;

static int push(int value)
{
    unsigned at = atomic_load_explicit(&in, RLX);

    for (;;) {
        struct cell *cell = &cells[at % SIZE];
        int lag =
            (int)(atomic_load_explicit(&cell->sequence, memory_order_acquire) -
                  at);

        if (lag < 0)
            return 0;
        if (lag > 0) {
            at = atomic_load_explicit(&in, RLX);
        } else if (atomic_compare_exchange_strong_explicit(&in, &at, at + 1,
                                                           RLX, RLX)) {
            cell->value = value;
            atomic_store_explicit(&cell->sequence, at + 1, RELEASE);
            return 1;
        }
    }
}

static int pop(void)
{
    unsigned at = atomic_load_explicit(&out, RLX);

    for (;;) {
        struct cell *cell = &cells[at % SIZE];
        int lag =
            (int)(atomic_load_explicit(&cell->sequence, memory_order_acquire) -
                  (at + 1));

        if (lag < 0)
            return 0;
        if (lag > 0) {
            at = atomic_load_explicit(&out, RLX);
        } else if (atomic_compare_exchange_strong_explicit(&out, &at, at + 1,
                                                           RLX, RLX)) {
            int value = cell->value;

            atomic_store_explicit(&cell->sequence, at + SIZE, RELEASE);
            return value;
        }
    }
}

static atomic_int popped[4];

static void *producer(void *argument)
{
    assert(push((int)(size_t)argument + 1));
    return NULL;
}

static void *consumer(void *argument)
{
    int value = pop();

    if (value != 0)
        assert(atomic_fetch_add_explicit(&popped[value], 1, RLX) == 0);
    return argument;
}

int main(void)
{
    START(producer, producer, consumer);
}
