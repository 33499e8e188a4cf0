/* SPDX-License-Identifier: MIT */
/*
 * counters -- the metrics of a loop as its thread counts them.
 */
#ifndef WEIR_SRC_COUNTERS_H
#define WEIR_SRC_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"
#include "base/tsc.h"
#include "loop/histogram.h"
#include "weir/metrics.h"

/* One writer, the loop's thread; relaxed.  Times are in ticks. */
struct weir__counters {
    atomic(uint64_t) turns;
    atomic(uint64_t) tasks;   /* that have run, without internal ones */
    atomic(uint64_t) others;  /* callbacks that are not tasks */
    atomic(uint64_t) inner;   /* internal tasks */
    atomic(uint64_t) arrived; /* through the queue */
    atomic(uint64_t) wakes;
    atomic(uint64_t) depth_max;
    atomic(uint64_t) asleep; /* in nanoseconds; counters.c says how */
    atomic(uint64_t) longest;
    atomic(const char *) longest_name;
    atomic(uint32_t) longest_kind;
    uint64_t gap;     /* loop only: since when callbacks are not timed, or 0 */
    uint32_t careful; /* loop only: how many to time in a row */
    struct weir__tsc_sample origin; /* const */
    struct weir__histogram in_queue;
    struct weir__histogram in_callback;
};

/* Allocate the counters.  Returns 0 or -ENOMEM. */
int weir__counters_new(struct weir__counters **counters);
void weir__counters_free(struct weir__counters *counters);

/* Add to a counter that has a single writer. */
#define weir__counters_add(counter, by)                                        \
    /* relaxed: count, one writer */                                           \
    store_relaxed(counter, load_relaxed(counter) + (by))

/* For each thread that pushes: when its next probe is due. */
struct weir__probing {
    uint32_t left;     /* pushes until then */
    uint32_t interval; /* pushes between two probes */
    uint64_t last;     /* the time of the last one, in ticks */
};
extern _Thread_local __attribute__((
    tls_model("initial-exec"))) struct weir__probing weir__counters_probing;

/* Whether a probe is to be sent before this push.  Thread: any. */
static inline bool weir__counters_wants_probe(void)
{
    return weir__counters_probing.left-- == 0;
}

/* Begin a probe.  Returns its content, the time in ticks.  Thread: any. */
uint64_t weir__counters_begin_probe(void);

/* Record the time in the queue of a probe that was pushed at `since`. */
void weir__counters_probe(struct weir__counters *counters, uint64_t since);

/* Record the number of queued tasks. */
void weir__counters_depth(struct weir__counters *counters, uint64_t depth);

/* Record a callback that began at `began` and ended at `now`, with `queued` tasks
 * waiting.  Returns how many callbacks are not timed now: none, while few
 * wait. */
uint64_t weir__counters_end(struct weir__counters *counters, uint64_t began,
                            uint64_t now, weir_kind kind, const char *name,
                            uint64_t queued);

/* Record that the loop goes to sleep, and that it wakes up. */
void weir__counters_sleep(struct weir__counters *counters);
void weir__counters_slept(struct weir__counters *counters);

/* Return how long the loop has slept, including the sleep that lasts.  The
 * values that a thread reads never decrease.  Thread: any. */
uint64_t weir__counters_asleep(const struct weir__counters *counters);

#endif /* WEIR_SRC_COUNTERS_H */
