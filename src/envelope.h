/* SPDX-License-Identifier: MIT */
/*
 * envelope -- a task for those who have none: the storage of submitted calls.
 *
 *     a producer                           the loop's thread
 *     e = envelope_take(post, &err)        envelope_open(task, &call)
 *     fill in; push &e->task               call.fn(call.arg, status)
 *
 * Used again and again: in steady state nothing is allocated.  envelope.c says
 * how.
 */
#ifndef WEIR_SRC_ENVELOPE_H
#define WEIR_SRC_ENVELOPE_H

#include <stdint.h>

#include "atomic.h"
#include "calls.h"
#include "weir/task.h"

struct weir__block;

struct weir__envelope {
    weir_task task;
    union {
        weir_fn *fn;
        int64_t deadline_ns; /* of a timer that is on its way: timer.c */
    };
    void *arg;
    struct weir__block *block; /* that it lies in; const */
};

/* Threads with a number below this have a lane of their own; the others get
 * an envelope from the allocator each time. */
#ifdef WEIR_SMALL
enum { WEIR__ENVELOPE_LANES = 8 };
#else
enum { WEIR__ENVELOPE_LANES = 256 };
#endif

struct weir__lane;

/* The post office of one loop. */
struct weir__envelopes {
    struct weir__lane *lane[WEIR__ENVELOPE_LANES]; /* each its thread's own */
    /* loop only: lanes that have had blocks given back */
    struct weir__lane *givers;
};

void weir__envelopes_init(struct weir__envelopes *office);

/* Gives all memory back.  Every envelope was opened or returned. */
void weir__envelopes_fini(struct weir__envelopes *office);

/* An envelope, or NULL: there is no memory.  Thread: any. */
struct weir__envelope *weir__envelope_take(struct weir__envelopes *office);

/* The caller has no use for it after all.  Thread: the one that took it, and
 * has taken no other since. */
void weir__envelope_return(struct weir__envelopes *office,
                           struct weir__envelope *envelope);

/* Copies what is in it, and gives it back.  Thread: the loop's. */
struct weir__call weir__envelope_open(struct weir__envelope *envelope);

/* Gives back what a burst has taken.  Thread: the loop's, before it sleeps. */
void weir__envelopes_trim(struct weir__envelopes *office);

#endif /* WEIR_SRC_ENVELOPE_H */
