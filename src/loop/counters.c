/* SPDX-License-Identifier: MIT */
/*
 * counters -- counting and timing on the loop's thread.
 *
 * The loop's thread is the only writer, so counting is a load, an add and a
 * store; a reader sees each number whole.  Producers write nothing here: the
 * loop counts their tasks when it drains them.  To measure the time in the
 * queue, a producer sends a probe before some pushes: a task that carries the
 * time.  A thread that pushes rarely sends a probe with one push in 16, and one
 * that pushes constantly with one in 1024: about one per 10 us.
 *
 * Timing a callback costs as much as an empty task.  So while many tasks wait,
 * the loop times one callback in 128.  A callback that takes longer than all
 * before, but is not in the sample, shows in the time between two timed ones.
 * The loop then times the next callbacks one by one.
 *
 * Tested by  test/unit/loop/counters.c, test/unit/loop/metrics.c
 */
#include "loop/counters.h"

#include <errno.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/memory.h"

enum {
    PROBED_AT_LEAST = 1024, /* one push in this many, and ... */
    PROBED_AT_MOST = 16,
    PROBE_TICKS = 30000, /* ... one per about 10 us; depends on the tick */
    CROWD = 64,
    UNTIMED = 127, /* callbacks between two timed ones in a crowd */
    CAREFUL = 256,
    TRIES = 100 /* to read the time asleep */
};

_Thread_local __attribute__((
    tls_model("initial-exec"))) struct weir__probing weir__counters_probing = {
    PROBED_AT_MOST - 1, PROBED_AT_MOST, 0};

int weir__counters_new(struct weir__counters **made)
{
    struct weir__counters *counters =
        weir__memory_alloc(sizeof(*counters), CACHE_APART);

    if (counters == NULL)
        return -ENOMEM;
    set_unshared(&counters->turns, 0);
    set_unshared(&counters->tasks, 0);
    set_unshared(&counters->others, 0);
    set_unshared(&counters->inner, 0);
    set_unshared(&counters->arrived, 0);
    set_unshared(&counters->wakes, 0);
    set_unshared(&counters->depth_max, 0);
    set_unshared(&counters->asleep, 0);
    set_unshared(&counters->longest, 0);
    set_unshared(&counters->longest_name, NULL);
    set_unshared(&counters->longest_kind, 0);
    counters->gap = 0;
    counters->careful = 0;
    counters->origin = weir__tsc_sample_both();
    weir__histogram_init(&counters->in_queue);
    weir__histogram_init(&counters->in_callback);
    *made = counters;
    return 0;
}

void weir__counters_free(struct weir__counters *counters)
{
    weir__memory_free(counters, sizeof(*counters));
}

/* ---- the loop's thread, and producers ---- */

uint64_t weir__counters_begin_probe(void)
{
    struct weir__probing *probing = &weir__counters_probing;
    uint64_t now = weir__tsc_read();

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

void weir__counters_probe(struct weir__counters *counters, uint64_t since)
{
    uint64_t now = weir__tsc_read();

    weir__histogram_add(&counters->in_queue, now > since ? now - since : 0);
}

void weir__counters_depth(struct weir__counters *counters, uint64_t depth)
{
    /* relaxed: own */
    if (depth > load_relaxed(&counters->depth_max))
        store_relaxed(&counters->depth_max, depth); /* relaxed: count */
}

uint64_t weir__counters_end(struct weir__counters *counters, uint64_t began,
                            uint64_t now, weir_kind kind, const char *name,
                            uint64_t queued)
{
    uint64_t longest = load_relaxed(&counters->longest); /* relaxed: own */

    if (counters->gap != 0 && began - counters->gap > longest)
        counters->careful = CAREFUL;
    weir__histogram_add(&counters->in_callback, now - began);
    if (now - began > longest) {
        store_relaxed(&counters->longest, now - began); /* relaxed: count */
        store_relaxed(&counters->longest_name, name);   /* relaxed: count */
        /* relaxed: count */
        store_relaxed(&counters->longest_kind, (uint32_t)kind);
    }
    counters->gap = counters->careful == 0 && queued >= CROWD ? now : 0;
    if (counters->careful > 0)
        counters->careful--;
    return counters->gap != 0 ? UNTIMED : 0;
}

/* ---- sleep ---- */

/* The time asleep is one word, so that readers need no lock.  While the loop is
 * awake, it is the sum of all sleeps.  While it sleeps, the highest bit is set,
 * and the rest is the sum less the time at which this sleep began: the present
 * time added to it gives the sum. */
static const uint64_t SLEEPING = UINT64_C(1) << 63;

void weir__counters_sleep(struct weir__counters *counters)
{
    uint64_t now_ns = (uint64_t)weir__clock_real();
    uint64_t sum = load_relaxed(&counters->asleep); /* relaxed: own */

    /* relaxed: count */
    store_relaxed(&counters->asleep, SLEEPING | (sum - now_ns));
}

void weir__counters_slept(struct weir__counters *counters)
{
    uint64_t now_ns = (uint64_t)weir__clock_real();
    uint64_t word = load_relaxed(&counters->asleep); /* relaxed: own */

    /* relaxed: count */
    store_relaxed(&counters->asleep, (word + now_ns) & ~SLEEPING);
}

/* A clock that was read between two equal words was read during the sleep, so
 * that the result exceeds neither the present sum nor any later one. */
uint64_t weir__counters_asleep(const struct weir__counters *counters)
{
    uint64_t now_ns;
    uint64_t word = load_relaxed(&counters->asleep); /* relaxed: count */

    for (int tries = 0; (word & SLEEPING) != 0; tries++) {
        uint64_t again;

        now_ns = (uint64_t)weir__clock_real();
        again = load_relaxed(&counters->asleep); /* relaxed: count */
        if (again == word || tries == TRIES)
            return (word + now_ns) & ~SLEEPING;
        word = again;
    }
    return word;
}
