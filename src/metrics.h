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
    uint64_t mark;              /* loop only: when the callback began; 0: not
                                   timed */
    uint64_t gap;               /* loop only: when the last timed one ended */
    uint32_t skip;              /* loop only: callbacks until the next timed */
    uint32_t careful;           /* loop only: so many to be timed in a row */
    bool is_inner;              /* loop only: what runs is a task of ours */
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

/* Whether this push is one in 64.  Thread: any. */
bool weir__metrics_wants_probe(void);

/* A task that was pushed at `since` has had its turn. */
void weir__metrics_probe(struct weir__metrics *metrics, uint64_t since);

/* So many tasks are queued. */
void weir__metrics_depth(struct weir__metrics *metrics, uint64_t depth);

/* A callback begins.  While few wait, each is timed; in a crowd, one of 16. */
static inline void weir__metrics_begin(struct weir__metrics *metrics)
{
    if (metrics->skip-- == 0)
        metrics->mark = weir__ticks_now();
}

/* It has ended. */
static inline void weir__metrics_count(struct weir__metrics *metrics,
                                       weir_kind kind)
{
    if (metrics->is_inner)
        weir__metrics_add(&metrics->inner, 1);
    else if (kind == WEIR_KIND_TASK)
        weir__metrics_add(&metrics->tasks, 1);
    else
        weir__metrics_add(&metrics->others, 1);
    metrics->is_inner = false;
}

static inline bool weir__metrics_is_timing(const struct weir__metrics *metrics)
{
    return metrics->mark != 0;
}

/* The end of one that is timed; so many wait behind it. */
void weir__metrics_end(struct weir__metrics *metrics, weir_kind kind,
                       const char *name, uint64_t queued);

/* The loop has slept since began_ns. */
void weir__metrics_slept(struct weir__metrics *metrics, int64_t began_ns);

#endif /* WEIR_SRC_METRICS_H */
