/* SPDX-License-Identifier: MIT */
/*
 * metrics -- the counters of a loop.
 *
 * The loop's thread is the only writer, so counting is a load, an add and a
 * store; a reader sees each number whole.  Producers write nothing here: the
 * loop counts their tasks when it drains them.  To measure the time in the
 * queue, a producer sends a probe before some pushes: a task that carries the
 * time.  A thread that pushes rarely sends a probe with one push in 16, and one
 * that pushes constantly with one in 1024: about one per 10 us.
 *
 * Reading the clock costs as much as an empty task.  So while many tasks wait,
 * the loop reads the clock once in 128 callbacks, and at one of 4 such reads it
 * times a callback.  A callback that takes longer than all before, but is not
 * in the sample, shows in the time between two reads.  The loop then times the
 * next callbacks one by one.
 *
 * Tested by  test/unit/loop/metrics.c
 */
#include "loop/metrics.h"

#include <errno.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/memory.h"
#include "loop/loop.h"
#include "weir/host/sized.h"

enum {
    PROBED_AT_LEAST = 1024, /* one push in this many, and ... */
    PROBED_AT_MOST = 16,
    PROBE_TICKS = 30000, /* ... one per about 10 us; depends on the tick */
    CROWD = 64,
    UNSEEN = 128, /* callbacks between two clock reads in a crowd */
    LOOKS = 3,    /* clock reads between two timed callbacks */
    CAREFUL = 256
};

_Thread_local __attribute__((
    tls_model("initial-exec"))) struct weir__probing weir__metrics_probing = {
    PROBED_AT_MOST - 1, PROBED_AT_MOST, 0};

int weir__metrics_new(struct weir__metrics **made)
{
    struct weir__metrics *metrics =
        weir__memory_alloc(sizeof(*metrics), CACHE_APART);

    if (metrics == NULL)
        return -ENOMEM;
    set_unshared(&metrics->turns, 0);
    set_unshared(&metrics->tasks, 0);
    set_unshared(&metrics->others, 0);
    set_unshared(&metrics->inner, 0);
    set_unshared(&metrics->arrived, 0);
    set_unshared(&metrics->wakes, 0);
    set_unshared(&metrics->depth_max, 0);
    set_unshared(&metrics->asleep, 0);
    set_unshared(&metrics->longest, 0);
    set_unshared(&metrics->longest_name, NULL);
    set_unshared(&metrics->longest_kind, 0);
    metrics->gap = 0;
    metrics->careful = metrics->looks = 0;
    metrics->is_crowded = false;
    metrics->origin = weir__ticks_look();
    weir__histogram_init(&metrics->in_queue);
    weir__histogram_init(&metrics->in_callback);
    *made = metrics;
    return 0;
}

void weir__metrics_free(struct weir__metrics *metrics)
{
    weir__memory_free(metrics, sizeof(*metrics));
}

/* ---- the loop's thread, and producers ---- */

uint64_t weir__metrics_begin_probe(void)
{
    struct weir__probing *probing = &weir__metrics_probing;
    uint64_t now = weir__ticks_now();

    if (now - probing->last < PROBE_TICKS) {
        if (probing->interval < PROBED_AT_LEAST)
            probing->interval *= 2;
    } else if (probing->interval > PROBED_AT_MOST) {
        probing->interval /= 2;
    }
    probing->last = now;
    probing->left = probing->interval - 1;
    return now;
}

void weir__metrics_probe(struct weir__metrics *metrics, uint64_t since)
{
    uint64_t now = weir__ticks_now();

    weir__histogram_add(&metrics->in_queue, now > since ? now - since : 0);
}

void weir__metrics_depth(struct weir__metrics *metrics, uint64_t depth)
{
    /* relaxed: own */
    if (depth > load_relaxed(&metrics->depth_max))
        store_relaxed(&metrics->depth_max, depth); /* relaxed: count */
}

/* Sample a crowd.  If the callbacks between two samples took long, one of them
 * may have been the longest so far, so the next ones are all timed. */
static uint64_t skip_after(struct weir__metrics *metrics, uint64_t queued,
                           uint64_t unseen)
{
    /* relaxed: own */
    if (unseen > load_relaxed(&metrics->longest))
        metrics->careful = CAREFUL;
    if (metrics->careful > 0) {
        metrics->careful--;
        return 0;
    }
    return queued < CROWD ? 0 : UNSEEN - 1;
}

uint64_t weir__metrics_look(struct weir__metrics *metrics, uint64_t now,
                            uint64_t queued)
{
    /* relaxed: own */
    if (metrics->looks == 0 || queued < CROWD ||
        now - metrics->gap > load_relaxed(&metrics->longest))
        return 0;
    metrics->looks--;
    metrics->gap = now;
    return UNSEEN - 1;
}

uint64_t weir__metrics_end(struct weir__metrics *metrics, uint64_t began,
                           weir_kind kind, const char *name, uint64_t queued)
{
    uint64_t now = weir__ticks_now();
    uint64_t unseen = metrics->is_crowded ? began - metrics->gap : 0;
    uint64_t skip = skip_after(metrics, queued, unseen);

    metrics->is_crowded = skip > 0;
    metrics->looks = skip > 0 ? LOOKS : 0;
    metrics->gap = now;
    weir__histogram_add(&metrics->in_callback, now - began);
    /* relaxed: own */
    if (now - began > load_relaxed(&metrics->longest)) {
        store_relaxed(&metrics->longest, now - began); /* relaxed: count */
        store_relaxed(&metrics->longest_name, name);   /* relaxed: count */
        /* relaxed: count */
        store_relaxed(&metrics->longest_kind, (uint32_t)kind);
    }
    return skip;
}

void weir__metrics_slept(struct weir__metrics *metrics, int64_t began_ns)
{
    weir__metrics_add(&metrics->asleep,
                      (uint64_t)(weir__clock_real() - began_ns));
}

/* ---- any thread ---- */

/* Nanoseconds per tick. */
static double scale_of(const struct weir__metrics *metrics)
{
    struct weir__moment now = weir__ticks_look();
    uint64_t ticks = now.before - metrics->origin.before;

    return ticks == 0 ? 1
                      : (double)(now.real_ns - metrics->origin.real_ns) /
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
    const struct weir__metrics *from;
    uint64_t arrived, unsaved;
    weir_metrics out;
    double scale;

    if (loop == NULL)
        return -EINVAL;
    from = loop->metrics;
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
        .asleep_ns = load_relaxed(&from->asleep),
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
    if (loop->metrics == NULL)
        return -ENOTSUP;
    *value_ns =
        scaled(scale_of(loop->metrics),
               weir__histogram_percentile(metric == WEIR_METRIC_IN_QUEUE
                                              ? &loop->metrics->in_queue
                                              : &loop->metrics->in_callback,
                                          percent));
    return 0;
}
