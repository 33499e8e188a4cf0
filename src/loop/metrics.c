/* SPDX-License-Identifier: MIT */
/*
 * metrics -- what the counters of a loop say, for any thread.
 *
 * Tested by  test/unit/loop/metrics.c
 */
#include "weir/metrics.h"

#include <errno.h>
#include <stddef.h>

#include "loop/loop.h"
#include "weir/host/sized.h"

/* Nanoseconds per tick. */
static double scale_of(const struct weir__counters *counters)
{
    struct weir__tsc_sample now = weir__tsc_sample_both();
    uint64_t ticks = now.before - counters->origin.before;

    return ticks == 0 ? 1
                      : (double)(now.real_ns - counters->origin.real_ns) /
                            (double)ticks;
}

static uint64_t scaled(double scale, uint64_t ticks)
{
    return (uint64_t)(scale * (double)ticks + 0.5);
}

static weir_times times_of(const struct weir__histogram *from, double scale)
{
    return (weir_times){
        .count = weir__histogram_count(from),
        .p50_ns = scaled(scale, weir__histogram_percentile(from, 50)),
        .p90_ns = scaled(scale, weir__histogram_percentile(from, 90)),
        .p99_ns = scaled(scale, weir__histogram_percentile(from, 99)),
        .p999_ns = scaled(scale, weir__histogram_percentile(from, 99.9)),
        .max_ns = scaled(scale, weir__histogram_percentile(from, 100)),
    };
}

int weir_loop_metrics(const weir_loop *loop, weir_metrics *metrics)
{
    const struct weir__counters *from;
    uint64_t arrived, unsaved;
    weir_metrics out;
    double scale;

    if (loop == NULL)
        return -EINVAL;
    from = loop->counters;
    if (from == NULL)
        return -ENOTSUP;
    scale = scale_of(from);
    out = (weir_metrics){
        /* relaxed: counts, each whole; not a consistent snapshot */
        .turns = load_relaxed(&from->turns),
        .tasks = load_relaxed(&from->tasks),
        .callbacks = load_relaxed(&from->others),
        .wakes_sent = load_relaxed(&from->wakes),
        .queue_depth = weir__loop_queued(loop),
        /* relaxed: counts, as above */
        .queue_depth_max = load_relaxed(&from->depth_max),
        .asleep_ns = weir__counters_asleep(from),
        .in_queue = times_of(&from->in_queue, scale),
        .in_callback = times_of(&from->in_callback, scale),
        /* relaxed: counts, as above */
        .longest_ns = scaled(scale, load_relaxed(&from->longest)),
        .longest_name = load_relaxed(&from->longest_name),
        .longest_kind = (weir_kind)load_relaxed(&from->longest_kind),
    };
    out.callbacks += out.tasks;
    if (out.queue_depth_max < out.queue_depth)
        out.queue_depth_max = out.queue_depth;
    /* relaxed: counts, as above */
    unsaved = load_relaxed(&from->inner) + out.wakes_sent;
    arrived = load_relaxed(&from->arrived); /* relaxed: count, as above */
    out.wakes_saved = arrived > unsaved ? arrived - unsaved : 0;
    return weir_sized_write(metrics, &out, sizeof(out));
}

int weir_loop_percentile(const weir_loop *loop, weir_metric metric,
                         double percent, uint64_t *value_ns)
{
    if (loop == NULL || value_ns == NULL || !(percent >= 0 && percent <= 100) ||
        (unsigned)metric > WEIR_METRIC_IN_CALLBACK)
        return -EINVAL;
    if (loop->counters == NULL)
        return -ENOTSUP;
    *value_ns =
        scaled(scale_of(loop->counters),
               weir__histogram_percentile(metric == WEIR_METRIC_IN_QUEUE
                                              ? &loop->counters->in_queue
                                              : &loop->counters->in_callback,
                                          percent));
    return 0;
}
