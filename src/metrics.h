/* SPDX-License-Identifier: MIT */
/*
 * metrics -- counts that the loop's thread keeps and any thread reads.
 */
#ifndef WEIR_SRC_METRICS_H
#define WEIR_SRC_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "atomic.h"
#include "histogram.h"
#include "ticks.h"
#include "weir/metrics.h"

/* One writer, the loop's thread; relaxed.  Times are in ticks. */
struct weir__metrics {
    atomic(uint64_t) turns;
    atomic(uint64_t) tasks;   /* that have run, ours left out */
    atomic(uint64_t) others;  /* callbacks that were no tasks */
    atomic(uint64_t) inner;   /* tasks of our own */
    atomic(uint64_t) arrived; /* through the door */
    atomic(uint64_t) wakes;
    atomic(uint64_t) depth_max;
    atomic(uint64_t) asleep; /* in nanoseconds */
    atomic(uint64_t) longest;
    atomic(const char *) longest_name;
    atomic(uint32_t) longest_kind;
    uint64_t gap;               /* loop only: when the last timed one ended, or
                                 * somebody looked */
    uint32_t careful;           /* loop only: so many to be timed in a row */
    uint32_t looks;             /* loop only: until one is timed again */
    bool is_crowded;            /* loop only: some are being left out */
    struct weir__moment origin; /* const */
    struct weir__histogram in_queue;
    struct weir__histogram in_callback;
};

/* Returns  0, -ENOMEM */
int weir__metrics_new(struct weir__metrics **metrics);
void weir__metrics_free(struct weir__metrics *metrics);

/* The single writer's addition. */
#define weir__metrics_add(counter, by)                                         \
    /* relaxed: count, one writer */                                           \
    store_relaxed(counter, load_relaxed(counter) + (by))

/* Of each thread that pushes: when the next probe is due. */
struct weir__probing {
    uint32_t left;     /* pushes until then */
    uint32_t interval; /* from one to the next */
    uint64_t last;     /* when that was, in ticks */
};
extern _Thread_local __attribute__((
    tls_model("initial-exec"))) struct weir__probing weir__metrics_probing;

/* Whether a probe goes before this push.  Thread: any. */
static inline bool weir__metrics_wants_probe(void)
{
    return weir__metrics_probing.left-- == 0;
}

/* It does: what it says, the time in ticks.  Thread: any. */
uint64_t weir__metrics_begin_probe(void);

/* A task that was pushed at `since` has had its turn. */
void weir__metrics_probe(struct weir__metrics *metrics, uint64_t since);

/* So many tasks are queued. */
void weir__metrics_depth(struct weir__metrics *metrics, uint64_t depth);

/* Those that went untimed are over, and so many wait.  Returns how many go untimed
 * behind this one, too; or 0: it is to be timed. */
uint64_t weir__metrics_look(struct weir__metrics *metrics, uint64_t now,
                            uint64_t queued);

/* A callback that began at `began` has ended, and so many wait behind it.
 * Returns how many go untimed now: none, while few wait. */
uint64_t weir__metrics_end(struct weir__metrics *metrics, uint64_t began,
                           weir_kind kind, const char *name, uint64_t queued);

/* The loop has slept since began_ns. */
void weir__metrics_slept(struct weir__metrics *metrics, int64_t began_ns);

#endif /* WEIR_SRC_METRICS_H */
