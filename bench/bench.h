/* SPDX-License-Identifier: MIT */
/*
 * bench -- contestants side by side, in turns.
 *
 * A workload is a piece of work and a number of threads, each on its core; its
 * entries are the contestants, and the first of them is the floor that the
 * others are compared with.
 *
 *     static void run_bare(unsigned thread, uint64_t count) { ... }
 *     static const struct bench_entry entries[] = {
 *         {.impl = "bare", .run = run_bare}, ...};
 *     static const struct bench_workload workloads[] = {
 *         {.name = "gate/1-thread", .threads = 1, .cpu = {0}, .batch = 10000,
 *          .entries = entries, .entry_count = 2}};
 *     return bench_main(argc, argv, "gate", workloads, 1);
 *
 * How it is measured.  One turn of one contestant lasts some 3 ms:
 * short enough to end before the scheduler changes its mind.  A round
 * gives each contestant one turn, each round beginning with another one, so
 * whatever happens to the machine happens to all of them.  Before and after
 * each turn a spin of known length is timed on the cores that it used.  A turn
 * was noisy if such a spin was slow, or if one of its threads lost its core to
 * somebody else.  A noisy turn is thrown away, counted, and repeated; when a
 * contestant had five times as many as it needs, they are kept, and counted.
 *
 * Luck is shared out, too.  What takes a few cycles depends on addresses: each
 * round is a process of its own, which the kernel puts elsewhere, and its
 * stacks begin elsewhere in the page; loops and floors begin with a cache line
 * (BENCH_ALIGNED).
 *
 * When a turn does not end in 20 seconds, or crashes, its contestant is a
 * failed row and the others go on.
 *
 * What it prints.  On stdout one JSON object in a line for each result; on
 * stderr a table for people, and on a terminal the time left.
 */
#ifndef WEIR_BENCH_H
#define WEIR_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BENCH_THREADS = 4, BENCH_ENTRIES = 16, BENCH_ANY_CPU = -1 };

#define BENCH_ALIGNED __attribute__((noinline, aligned(64)))

/* Do the operation `count` times.  `thread` is 0 .. threads - 1. */
typedef void bench_run_fn(unsigned thread, uint64_t count);

struct bench_entry {
    const char *impl;
    bench_run_fn *run;
    bool (*open)(void);  /* before its turn; false: absent; may be NULL */
    void (*join)(void);  /* each thread, before it runs; may be NULL */
    void (*leave)(void); /* each thread, when it has run; may be NULL */
};

struct bench_workload {
    const char *name;
    const char *operation; /* what one operation is, for the table */
    unsigned threads;
    int cpu[BENCH_THREADS]; /* a core for each thread, or BENCH_ANY_CPU */
    uint64_t batch;         /* the count of one call of run */
    /* Every thread does as many operations as thread 0; otherwise the others
     * keep it company until it is done. */
    bool in_step;
    /* Threads sleep or share a core, so losing it is no noise. */
    bool yields;
    /* Thread 0 records each operation; the metrics are percentiles of one
     * batch.  Otherwise the metric is the mean time of an operation. */
    bool records;
    const struct bench_entry *entries;
    size_t entry_count;
};

/* Runs all workloads, or those whose names contain one of the arguments.
 * Returns the exit status: 0, 1 (a row failed), 2 (usage). */
int bench_main(int argc, char **argv, const char *program,
               const struct bench_workload *workloads, size_t count);

/* Thread 0 of a workload that records: one operation took so long. */
void bench_record(uint64_t ns);

/* CLOCK_MONOTONIC. */
uint64_t bench_now_ns(void);

/* Stops the turn, and makes it a failed row. */
_Noreturn void bench_fail(const char *why);

#endif /* WEIR_BENCH_H */
