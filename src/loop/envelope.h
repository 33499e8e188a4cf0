/* SPDX-License-Identifier: MIT */
/*
 * envelope -- the storage of submitted calls: a task for callers without one.
 *
 *     a producer                           the loop's thread
 *     e = weir__envelope_take(office)      call = weir__envelope_open(e)
 *     fill in; push &e->task               call.fn(call.arg, status)
 *
 * Envelopes are recycled: in steady state nothing is allocated.  envelope.c
 * explains how.
 */
#ifndef WEIR_SRC_ENVELOPE_H
#define WEIR_SRC_ENVELOPE_H

#include <stdint.h>

#include "base/atomic.h"
#include "base/calls.h"
#include "weir/task.h"

struct weir__block;

struct weir__envelope {
    weir_task task;
    union {
        weir_fn *fn;
        int64_t deadline_ns; /* of a timer on its way to the loop: timer.c */
    };
    void *arg;
    struct weir__block *block; /* that contains it; const */
};

/* Threads with a number below this have a lane (a cache of their own).  The
 * others allocate each envelope. */
#ifdef WEIR_SMALL
enum { WEIR__ENVELOPE_LANES = 8 };
#else
enum { WEIR__ENVELOPE_LANES = 256 };
#endif

struct weir__lane;

/* The envelopes of one loop. */
struct weir__envelopes {
    struct weir__lane *lane[WEIR__ENVELOPE_LANES]; /* one per thread */
    /* loop only: lanes that have got blocks back */
    struct weir__lane *givers;
};

void weir__envelopes_init(struct weir__envelopes *office);

/* Free all memory.  Every envelope must have been opened or returned. */
void weir__envelopes_fini(struct weir__envelopes *office);

/* Take an envelope; NULL if out of memory.  Thread: any. */
struct weir__envelope *weir__envelope_take(struct weir__envelopes *office);

/* Return an unused envelope.  Thread: the one that took it and has not taken
 * another since. */
void weir__envelope_return(struct weir__envelopes *office,
                           struct weir__envelope *envelope);

/* Copy the contents and return the envelope.  Thread: the loop's. */
struct weir__call weir__envelope_open(struct weir__envelope *envelope);

/* Free the memory that a burst has needed.  Thread: the loop's, before it
 * sleeps. */
void weir__envelopes_trim(struct weir__envelopes *office);

#endif /* WEIR_SRC_ENVELOPE_H */
