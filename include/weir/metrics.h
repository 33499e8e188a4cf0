/* SPDX-License-Identifier: MIT */
/*
 * weir/metrics.h -- counters and latencies of a loop.
 *
 * A loop collects metrics if weir_loop_options.metrics is set.  Any thread can
 * read them without stopping the loop.
 *
 *     weir_metrics now = {.size = sizeof(now)};
 *     if (weir_loop_metrics(loop, &now) == 0)
 *         printf("%" PRIu64 " turns, p99 in queue %" PRIu64 " ns\n",
 *                now.turns, now.in_queue.p99_ns);
 *
 * weir_metrics_text writes them for Prometheus.
 *
 * Each count is exact, but the counts are not all taken at the same moment.
 *
 * The time of a callback includes its next-ticks and microtasks.  While fewer
 * than 64 tasks wait, every callback is timed; otherwise, one in 128.  If the
 * callbacks between two timed ones may hide a new longest one, each of the next
 * 256 is timed.  Times in the queue are sampled from one task in 16 to one in
 * 1,024; the faster tasks arrive, the fewer are sampled.
 */
#ifndef WEIR_METRICS_H
#define WEIR_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/loop.h"
#include "weir/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Percentiles come from buckets that are at most 6.25% (1/16) wide.  This
 * struct does not grow; weir_loop_percentile reads other percentiles. */
typedef struct weir_times {
    uint64_t count;
    uint64_t p50_ns, p90_ns, p99_ns, p999_ns;
    uint64_t max_ns;
} weir_times;

typedef struct weir_metrics {
    size_t size; /* sizeof(weir_metrics); set it before the call */
    uint64_t turns;
    uint64_t tasks;       /* posted or submitted ones that have run */
    uint64_t callbacks;   /* of every kind, including tasks */
    uint64_t wakes_sent;  /* wake-ups by other threads, of a sleeping loop */
    uint64_t wakes_saved; /* tasks from other threads that needed no wake-up */
    uint64_t queue_depth; /* tasks that the loop has taken over but not run */
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
 * Read all metrics of a loop.
 *
 * Thread   any
 * Returns  0, -EINVAL (NULL, or metrics has no valid size), -ENOTSUP (this
 *          loop collects none)
 */
WEIR_API WEIR_CHECKED int weir_loop_metrics(const weir_loop *loop,
                                            weir_metrics *metrics);

/**
 * Read any percentile of a metric, which is the value that `percent` of the
 * samples do not exceed.
 *
 * Thread   any
 * Returns  0, -EINVAL (NULL, or percent outside 0 .. 100), -ENOTSUP (this loop
 *          collects no metrics)
 */
WEIR_API WEIR_CHECKED int weir_loop_percentile(const weir_loop *loop,
                                               weir_metric metric,
                                               double percent,
                                               uint64_t *value_ns);

/* What weir_metrics_text describes: a loop or a pool, and the value of its label
 * `loop` or `pool`, which must differ from the others'. */
typedef struct weir_metrics_source {
    const char *name;
    const weir_loop *loop; /* one of the two is NULL */
    const weir_pool *pool;
} weir_metrics_source;

/* Called with the next part of a text.  Returns 0, or an error that ends it. */
typedef int weir_metrics_fn(void *arg, const char *text, size_t size);

/**
 * Write the metrics of loops and pools, and a few of the process, in the text
 * format of Prometheus (version 0.0.4), as a server answers them under
 * /metrics.  Loops without metrics are left out.  Counters never decrease from
 * one text to the next.
 *
 * Thread   any; write is called on it
 * Owns     sources is the caller's; the loops and pools must exist until the
 *          call returns
 * Returns  0, -EINVAL (write is NULL, sources is NULL with a count, or a source
 *          does not have a name and either a loop or a pool), or an error of
 *          `write`
 */
WEIR_API WEIR_CHECKED int weir_metrics_text(const weir_metrics_source *sources,
                                            size_t count,
                                            weir_metrics_fn *write, void *arg);

/**
 * Write the same about all loops of the process, under their names, and about
 * further sources, such as pools.  Loops of the same name get labels with a
 * number: "http", "http-2".  No loop is freed meanwhile, so `write` must not
 * wait, nor create or free loops.
 *
 * Thread   any; write is called on it
 * Owns     as for weir_metrics_text
 * Returns  0, -EINVAL (write is NULL, more is NULL with a count, or a source
 *          does not have a name and either a loop or a pool), -ENOMEM, or an
 *          error of `write`
 */
WEIR_API WEIR_CHECKED int weir_metrics_text_all(const weir_metrics_source *more,
                                                size_t count,
                                                weir_metrics_fn *write,
                                                void *arg);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_METRICS_H */
