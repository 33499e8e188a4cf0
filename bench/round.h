/* SPDX-License-Identifier: MIT */
/*
 * round -- one turn for each contestant: the part of bench that measures.
 *
 * It runs in its own process, and leaves what it has measured in memory
 * that it shares with the process that watches.
 */
#ifndef WEIR_BENCH_ROUND_H
#define WEIR_BENCH_ROUND_H

#include "bench.h"

enum { RUNS_MAX = 64, METRICS_MAX = 10, CPUS_MAX = 64 };

/* What becomes of records: 50 is the median, 100 the greatest. */
enum { PERCENTILES = 4 };
extern const unsigned round_percent[PERCENTILES];

struct plan {
    unsigned runs;
    uint64_t turn_ns;
    unsigned job_runs;
    unsigned long_job_runs;    /* of those that take a second and more */
    unsigned longest_job_runs; /* ten; 0: they are left out */
};

enum status { STATUS_OK = 0, STATUS_ABSENT, STATUS_FAILED };

struct result {
    enum status status;
    uint64_t batches; /* in a turn; 0: not planned yet */
    unsigned runs;
    unsigned repeated; /* noisy turns that were thrown away */
    unsigned noisy;    /* noisy turns that were kept */
    double value[METRICS_MAX][RUNS_MAX];
};

/* Shared by parent and child. */
struct shared {
    struct plan plan;
    unsigned rounds;
    struct result result[BENCH_ENTRIES];
    volatile unsigned turns; /* begun; what the parent watches */
    volatile size_t at_turn; /* the entry */
    double quickest_spin_ns[CPUS_MAX];
};

static inline bool round_is_job(const struct bench_workload *workload)
{
    return workload->entries[0].job != NULL;
}

/* One turn for each contestant that needs more; of jobs, one turn of one. */
void round_run(struct shared *shared, const struct bench_workload *workload);

/* How many turns a contestant needs. */
unsigned round_runs(const struct plan *plan,
                    const struct bench_workload *workload);

/* Whether the contestant needs no more turns. */
bool round_is_done(const struct shared *shared,
                   const struct bench_workload *workload, size_t entry);

#endif /* WEIR_BENCH_ROUND_H */
