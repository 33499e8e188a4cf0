/* SPDX-License-Identifier: MIT */
/*
 * docket -- a job for those who have none: the storage of submitted functions.
 *
 *     a producer                           any worker
 *     d = weir__docket_take(office)        weir__docket_open(d, &tally)
 *     fill in; push &d->job                call.fn(call.arg, status)
 *
 * As envelopes are for a loop (envelope.h), but opened by many threads.  Used
 * again and again: in steady state nothing is allocated.
 */
#ifndef WEIR_SRC_DOCKET_H
#define WEIR_SRC_DOCKET_H

#include <stdint.h>

#include "atomic.h"
#include "calls.h"
#include "weir/job.h"

struct weir__pad;

struct weir__docket {
    weir_job job;
    weir_fn *fn;
    void *arg;
    struct weir__pad *pad; /* that it lies in; const */
};

/* Threads with a number below this have pads of their own; the others get a
 * docket from the allocator each time. */
#ifdef WEIR_SMALL
enum { WEIR__DOCKET_DESKS = 8 };
#else
enum { WEIR__DOCKET_DESKS = 256 };
#endif

struct weir__desk;

/* Of one pool. */
struct weir__dockets {
    struct weir__desk *desk[WEIR__DOCKET_DESKS]; /* each its thread's own */
    atomic(struct weir__desk *) all; /* newest first; only grows, docket/P3 */
};

/* What a worker has opened of one pad and has not said yet. */
struct weir__tally {
    struct weir__pad *pad;
    uint32_t opened;
};

void weir__dockets_init(struct weir__dockets *office);

/* Gives all memory back.  Every docket was opened and settled, or returned. */
void weir__dockets_fini(struct weir__dockets *office);

/* A docket, or NULL: there is no memory.  Thread: any. */
struct weir__docket *weir__docket_take(struct weir__dockets *office);

/* The caller has no use for it after all.  Thread: the one that took it, and
 * has taken no other since. */
void weir__docket_return(struct weir__dockets *office,
                         struct weir__docket *docket);

/* Copies what is in it, and gives it back.  Thread: a worker's. */
struct weir__call weir__docket_open(struct weir__docket *docket,
                                    struct weir__tally *tally);

/* Says what was opened.  Thread: the tally's worker, before it sleeps. */
void weir__docket_settle(struct weir__tally *tally);

/* Gives back what a burst has taken.  Thread: a worker's, before it sleeps. */
void weir__dockets_trim(struct weir__dockets *office);

#endif /* WEIR_SRC_DOCKET_H */
