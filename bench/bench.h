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
 * Work that has a size and starts its own threads (two million tasks through a
 * loop) is a job: its entries have `job` instead of `run`.  A job makes what it
 * needs, starts its threads, and says with bench_measured() what came out, or
 * records each operation.
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
 * A turn of a job is one job, in its own process: what one contestant does
 * to the heap is no matter to the next.  It was noisy if a spin was slow, or if
 * others, the hypervisor among them, had more than a small part of the cores.
 * As jobs are long, no more than twice the turns are spent on them; those of
 * ten seconds and more are not repeated, and --quick leaves them out.
 *
 * Luck is shared out, too.  What takes a few cycles depends on addresses: each
 * round is a separate process, which the kernel puts elsewhere, and its
 * stacks begin elsewhere in the page; loops and floors begin with a cache line
 * (BENCH_ALIGNED).
 *
 * When a turn does not end in 20 seconds and five times what it should take, or
 * crashes, its contestant is a failed row and the others go on.
 *
 * What it prints.  On stdout one JSON object in a line for each result; on
 * stderr a table for people, and on a terminal the time left.
 */
#ifndef WEIR_BENCH_H
#define WEIR_BENCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BENCH_THREADS = 4, BENCH_ENTRIES = 20, BENCH_ANY_CPU = -1 };

#define BENCH_ALIGNED __attribute__((noinline, aligned(64)))

/* Do the operation `count` times.  `thread` is 0 .. threads - 1. */
typedef void bench_run_fn(unsigned thread, uint64_t count);

/* Do it all.  On its own thread, on the workload's first core. */
struct bench_entry;
struct bench_workload;
typedef void bench_job_fn(const struct bench_workload *workload,
                          const struct bench_entry *entry);

struct bench_metric {
    const char *name;
    const char *unit;
    double scale; /* from what was measured or recorded, to the unit */
};

struct bench_entry {
    const char *impl;
    bench_run_fn *run;
    bench_job_fn *job;
    const void *arg;         /* the job's */
    const char *const *peer; /* what library it is; may be NULL, or of NULL */
    bool (*open)(void);      /* before its turn; false: absent; may be NULL */
    void (*join)(void);      /* each thread, before it runs; may be NULL */
    void (*leave)(void);     /* each thread, when it has run; may be NULL */
};

struct bench_workload {
    const char *name;
    const char *operation; /* what one operation is, for the table */
    unsigned threads;
    /* A core for each thread, or BENCH_ANY_CPU.  A job begins on the first, and
     * puts its own threads on the others. */
    int cpu[BENCH_THREADS];
    uint64_t batch; /* the count of one call of run */
    /* Every thread does as many operations as thread 0; otherwise the others
     * keep it company until it is done. */
    bool in_step;
    /* Threads sleep or share a core, so losing it is no noise. */
    bool yields;
    /* Thread 0 records each operation; the metrics are percentiles of one
     * batch.  Otherwise the metric is the mean time of an operation. */
    bool records;
    /* Of jobs only. */
    const void *arg;
    double job_s; /* about how long one takes: for the time left */
    const struct bench_metric *metrics; /* NULL: the usual ones */
    size_t metric_count;
    const struct bench_entry *entries;
    size_t entry_count;
};

/* Runs all workloads, or those whose names contain one of the arguments.
 * Returns the exit status: 0, 1 (a row failed), 2 (usage). */
int bench_main(int argc, char **argv, const char *program,
               const struct bench_workload *workloads, size_t count);

/* Thread 0, or one thread of a job: an operation of a workload that records
 * took so long. */
void bench_record(uint64_t ns);

/* A job: this is the value of that metric. */
void bench_measured(size_t metric, double value);

/* A job: its library is not there. */
_Noreturn void bench_absent(void);

/* A job's own threads.  `cpu` may be BENCH_ANY_CPU. */
void bench_start(pthread_t *thread, int cpu, void *(*body)(void *), void *arg);
void bench_pin(int cpu);

/* CLOCK_MONOTONIC. */
uint64_t bench_now_ns(void);

/* Stops the turn, and makes it a failed row. */
_Noreturn void bench_fail(const char *why);

#endif /* WEIR_BENCH_H */
