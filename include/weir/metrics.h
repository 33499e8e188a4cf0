/* SPDX-License-Identifier: MIT */
/*
 * weir/metrics.h -- what a loop has been doing.
 *
 * Kept when weir_loop_options.metrics is set; read from any thread without
 * stopping the loop.
 *
 *     weir_metrics now;
 *     if (weir_loop_metrics(loop, &now) == 0)
 *         printf("%" PRIu64 " turns, p99 in queue %" PRIu64 " ns\n",
 *                now.turns, now.in_queue.p99_ns);
 *
 * Each count is exact, but they are not of one moment.  The time of a callback
 * includes its next-ticks and microtasks.  All callbacks are timed while fewer
 * than 64 tasks wait; in a crowd, one in 512, and after a long one that was not
 * seen (among 128) the next 256.  Times in the queue are of one task in 16 to 1,024,
 * the fewer the faster they come.
 */
#ifndef WEIR_METRICS_H
#define WEIR_METRICS_H

#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From buckets that are at most 6.25% wide (1/16). */
typedef struct weir_times {
    uint64_t count;
    uint64_t p50_ns, p90_ns, p99_ns, p999_ns;
    uint64_t max_ns;
} weir_times;

typedef struct weir_metrics {
    uint64_t turns;
    uint64_t tasks;       /* posted or submitted ones that have run */
    uint64_t callbacks;   /* of every kind, these included */
    uint64_t wakes_sent;  /* by other threads, to a sleeping loop */
    uint64_t wakes_saved; /* tasks from other threads that needed none */
    uint64_t queue_depth; /* tasks taken over by the loop and not run yet */
    uint64_t queue_depth_max;
    uint64_t asleep_ns;
    weir_times in_queue;
    weir_times in_callback;
    uint64_t longest_ns;      /* the longest callback ... */
    const char *longest_name; /* ... and its name; may be NULL */
    weir_kind longest_kind;
} weir_metrics;

typedef enum weir_metric {
    WEIR_METRIC_IN_QUEUE = 0,
    WEIR_METRIC_IN_CALLBACK,
} weir_metric;

/**
 * Read them all.
 *
 * Thread   any
 * Returns  0, -EINVAL (NULL), -ENOTSUP (this loop keeps none)
 */
WEIR_API WEIR_CHECKED int weir_loop_metrics(const weir_loop *loop,
                                            weir_metrics *metrics);

/**
 * Any other percentile: what `percent` of the values do not exceed.
 *
 * Thread   any
 * Returns  0, -EINVAL (NULL, or percent outside 0 .. 100), -ENOTSUP
 */
WEIR_API WEIR_CHECKED int weir_loop_percentile(const weir_loop *loop,
                                               weir_metric metric,
                                               double percent,
                                               uint64_t *value_ns);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_METRICS_H */
