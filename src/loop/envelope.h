/* SPDX-License-Identifier: MIT */
/*
 * envelope -- a recycled task, for callers that submit a function without one.
 *
 *     a producer                              the loop's thread
 *     e = weir__recycler_take(&envelopes)     call = weir__envelope_open(e)
 *     fill in; push &e->task                  call.fn(call.arg, status)
 *
 * Tested by  test/unit/base/recycler.c, test/model/loop/envelope.c
 */
#ifndef WEIR_SRC_ENVELOPE_H
#define WEIR_SRC_ENVELOPE_H

#include <stddef.h>
#include <stdint.h>

#include "base/calls.h"
#include "base/recycler.h"
#include "weir/task.h"

struct weir__envelope {
    weir_task task;
    union {
        weir_fn *fn;
        int64_t deadline_ns; /* of a timer on its way to the loop: timer.c */
    };
    void *arg;
    struct weir__recycler_block *block;
};

/* Initialise a loop's envelopes. */
static inline void weir__envelopes_init(struct weir__recycler *envelopes)
{
    static const struct weir__recycler_kind kind = {
        .size = sizeof(struct weir__envelope),
        .block_at = offsetof(struct weir__envelope, block),
#ifdef WEIR_SMALL
        .kept = 4,
        .most = 6,
#else
        .kept = 2048,
        .most = 16384,
#endif
    };

    weir__recycler_init(envelopes, &kind);
}

/* Copy the contents and put the envelope back.  Thread: the loop's. */
static inline struct weir__call
weir__envelope_open(struct weir__envelope *envelope)
{
    struct weir__call call = {envelope->fn, envelope->arg};

    weir__recycler_put(envelope->block);
    return call;
}

#endif /* WEIR_SRC_ENVELOPE_H */
