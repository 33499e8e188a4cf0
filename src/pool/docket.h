/* SPDX-License-Identifier: MIT */
/*
 * docket -- storage for the jobs of weir_pool_submit().
 *
 *     a producer                           any worker
 *     d = weir__docket_take(office)        weir__docket_open(d, &tally)
 *     fill in; push &d->job                call.fn(call.arg, status)
 *
 * A docket is a preallocated job with a function and its argument.  Dockets
 * are allocated in blocks (pads), and each producer thread has its own cache of
 * pads (its desk).  They are to a pool what envelopes (envelope.h) are to a
 * loop, but many threads open them.  They are recycled: in steady state nothing
 * is allocated.
 */
#ifndef WEIR_SRC_DOCKET_H
#define WEIR_SRC_DOCKET_H

#include <stdint.h>

#include "base/atomic.h"
#include "base/calls.h"
#include "weir/job.h"

struct weir__pad;

struct weir__docket {
    weir_job job;
    weir_fn *fn;
    void *arg;
    struct weir__pad *pad; /* the block it is part of; const */
};

/* Threads with an index below this have a cache of their own.  All others
 * allocate each docket separately. */
#ifdef WEIR_SMALL
enum { WEIR__DOCKET_DESKS = 8 };
#else
enum { WEIR__DOCKET_DESKS = 256 };
#endif

struct weir__desk;

/* All dockets of one pool. */
struct weir__dockets {
    struct weir__desk *desk[WEIR__DOCKET_DESKS]; /* entry i: thread i only */
    atomic(struct weir__desk *) all; /* newest first; only grows, docket/P3 */
};

/* The dockets of one block that a worker has opened but not yet reported. */
struct weir__tally {
    struct weir__pad *pad;
    uint32_t opened;
};

void weir__dockets_init(struct weir__dockets *office);

/* Free all memory.  Every docket must have been opened and
 * settled, or returned. */
void weir__dockets_fini(struct weir__dockets *office);

/* Take a docket.  Returns NULL if there is no memory.  Thread: any. */
struct weir__docket *weir__docket_take(struct weir__dockets *office);

/* Return an unused docket.  Thread: the one that took it, and that has taken
 * no other since. */
void weir__docket_return(struct weir__dockets *office,
                         struct weir__docket *docket);

/* Copy the contents of a docket and release it.  Thread: a worker's. */
struct weir__call weir__docket_open(struct weir__docket *docket,
                                    struct weir__tally *tally);

/* Report the dockets in the tally as opened.  Thread: the tally's worker,
 * before it sleeps. */
void weir__docket_settle(struct weir__tally *tally);

/* Free cached blocks that a burst has left.  Thread: a worker's,
 * before it sleeps. */
void weir__dockets_trim(struct weir__dockets *office);

#endif /* WEIR_SRC_DOCKET_H */
