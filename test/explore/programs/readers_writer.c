/* SPDX-License-Identifier: MIT */
/*
 * readers_writer -- A readers-writer lock in one word.
 *
 * correct: nothing found
 * broken: data race
 */
#include <stdatomic.h>

#include "start.h"

#ifdef BROKEN /* a reader's leaving does not publish that it has read */
#define LEAVE memory_order_relaxed
#else
#define LEAVE memory_order_release
#endif
#define RLX memory_order_relaxed

enum { WRITER = 1000 };
static atomic_int state;
int data; /* not static: a compiler knows all its values then */

static void *reader(void *argument)
{
    int seen = atomic_load_explicit(&state, RLX);

    do {
        while (seen >= WRITER)
            seen = atomic_load_explicit(&state, RLX);
    } while (!atomic_compare_exchange_strong_explicit(
        &state, &seen, seen + 1, memory_order_acquire, RLX));
    assert(data == 0 || data == 1);
    atomic_fetch_sub_explicit(&state, 1, LEAVE);
    return argument;
}

static void *writer(void *argument)
{
    int seen = 0;

    while (!atomic_compare_exchange_strong_explicit(&state, &seen, WRITER,
                                                    memory_order_acquire, RLX))
        seen = 0;
    data = 1;
    atomic_fetch_sub_explicit(&state, WRITER, memory_order_release);
    return argument;
}

int main(void)
{
    START(reader, reader, writer);
}
