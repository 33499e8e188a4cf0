/* SPDX-License-Identifier: MIT */
/*
 * stats -- counters of the main loop and of the pool, and what the flight
 * recorder still has: callbacks by kind, and the slowest ones.
 */
#include "stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "weir/metrics.h"
#include "weir/recorder.h"

enum { SLOWEST = 10, KINDS = WEIR_KIND_MAIN + 1 };

struct seen {
    uint64_t count[KINDS];
    int64_t time_ns[KINDS];
    weir_record slowest[SLOWEST]; /* the slowest first */
    unsigned slow_count;
};

static void add_slow(struct seen *seen, const weir_record *record)
{
    unsigned at = seen->slow_count;

    while (at > 0 && seen->slowest[at - 1].duration_ns < record->duration_ns)
        at--;
    if (at == SLOWEST)
        return;
    if (seen->slow_count < SLOWEST)
        seen->slow_count++;
    memmove(seen->slowest + at + 1, seen->slowest + at,
            (seen->slow_count - at - 1) * sizeof(*seen->slowest));
    seen->slowest[at] = *record;
}

static void note(void *arg, const weir_record *record)
{
    struct seen *seen = arg;

    if (record->type != WEIR_RECORD_CALLBACK && record->type != WEIR_RECORD_JOB)
        return;
    if ((unsigned)record->kind < KINDS) {
        seen->count[record->kind]++;
        seen->time_ns[record->kind] += record->duration_ns;
    }
    add_slow(seen, record);
}

static double ms(int64_t ns)
{
    return (double)ns / 1e6;
}

static void print_loop(const weir_loop *loop)
{
    weir_metrics metrics = {.size = sizeof(metrics)};

    if (weir_loop_metrics(loop, &metrics) != 0)
        return;
    fprintf(stderr,
            "weir: %" PRIu64 " turns, %" PRIu64 " callbacks, asleep for %.1f "
            "ms\n"
            "weir: %" PRIu64 " wake-ups by other threads, %" PRIu64
            " saved; at most %" PRIu64 " tasks queued\n",
            metrics.turns, metrics.callbacks, ms((int64_t)metrics.asleep_ns),
            metrics.wakes_sent, metrics.wakes_saved, metrics.queue_depth_max);
}

static void print_pool(const weir_pool *pool)
{
    weir_pool_stats stats = {.size = sizeof(stats)};

    if (pool != NULL && weir_pool_look(pool, &stats) == 0)
        fprintf(stderr,
                "weir: %" PRIu64 " jobs on %" PRIu32 " threads, %" PRIu64
                " stolen\n",
                stats.ran, stats.workers, stats.stolen);
}

static void print_seen(const struct seen *seen)
{
    fprintf(stderr, "weir: recorded last, by kind:\n");
    for (unsigned kind = 0; kind < KINDS; kind++)
        if (seen->count[kind] > 0)
            fprintf(stderr, "weir:   %-10s %8" PRIu64 " %10.3f ms\n",
                    weir_kind_name((weir_kind)kind), seen->count[kind],
                    ms(seen->time_ns[kind]));
    fprintf(stderr, "weir: the slowest of them:\n");
    for (unsigned i = 0; i < seen->slow_count; i++)
        fprintf(stderr, "weir:   %10.3f ms  %-10s %s\n",
                ms(seen->slowest[i].duration_ns),
                weir_kind_name(seen->slowest[i].kind),
                seen->slowest[i].name != NULL ? seen->slowest[i].name : "");
}

void stats_print(const weir_loop *loop, const weir_pool *pool)
{
    struct seen seen = {0};
    struct rusage usage;

    print_loop(loop);
    print_pool(pool);
    if (weir_recorder_read(0, note, &seen) == 0 && seen.slow_count > 0)
        print_seen(&seen);
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        fprintf(stderr, "weir: %.1f MB of memory at its peak\n",
                (double)usage.ru_maxrss / 1024);
}
