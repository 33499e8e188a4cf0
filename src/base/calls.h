/* SPDX-License-Identifier: MIT */
/*
 * calls -- a FIFO queue of functions and their arguments, for one thread.
 *
 * A ring buffer that doubles when it is full.  head and tail count calls and
 * never decrease, so the queue is empty when head == tail and no slot needs a
 * marker.
 */
#ifndef WEIR_SRC_CALLS_H
#define WEIR_SRC_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/task.h"

struct weir__call {
    weir_fn *fn;
    void *arg;
};

struct weir__calls {
    struct weir__call *ring; /* NULL until the first push */
    uint64_t slots;          /* a power of two; 0 while there is no ring */
    uint64_t head;           /* the next call to pop */
    uint64_t tail;           /* where the next call is pushed */
};

void weir__calls_init(struct weir__calls *calls);

/* Free the memory.  The queue must be empty. */
void weir__calls_fini(struct weir__calls *calls);

/* Free the ring of an empty queue; the next push makes a new one. */
void weir__calls_free_ring(struct weir__calls *calls);

static inline bool weir__calls_is_empty(const struct weir__calls *calls)
{
    return calls->head == calls->tail;
}

static inline uint64_t weir__calls_count(const struct weir__calls *calls)
{
    return calls->tail - calls->head;
}

/* Make room for one more call.  Returns 0, or -ENOMEM with nothing changed. */
__attribute__((cold)) int weir__calls_grow(struct weir__calls *calls);

/* Append a call.  Returns 0, -ENOMEM. */
static inline int weir__calls_push(struct weir__calls *calls, weir_fn *fn,
                                   void *arg)
{
    if (__builtin_expect(weir__calls_count(calls) == calls->slots, 0)) {
        int err = weir__calls_grow(calls);

        if (err != 0)
            return err;
    }
    calls->ring[calls->tail++ & (calls->slots - 1)] =
        (struct weir__call){fn, arg};
    return 0;
}

/* Remove and return the oldest call.  The queue must not be empty. */
static inline struct weir__call weir__calls_pop(struct weir__calls *calls)
{
    return calls->ring[calls->head++ & (calls->slots - 1)];
}

/* Discard all calls. */
static inline void weir__calls_clear(struct weir__calls *calls)
{
    calls->head = calls->tail;
}

/* The largest ring that trim keeps. */
#ifdef WEIR_SMALL
enum { WEIR__CALLS_KEPT = 4 };
#else
enum { WEIR__CALLS_KEPT = 4096 };
#endif

/* Free a ring that a burst has enlarged.  The queue must be empty. */
static inline void weir__calls_trim(struct weir__calls *calls)
{
    if (__builtin_expect(calls->slots > WEIR__CALLS_KEPT, 0))
        weir__calls_free_ring(calls);
}

#endif /* WEIR_SRC_CALLS_H */
