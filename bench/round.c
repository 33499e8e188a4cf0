/* SPDX-License-Identifier: MIT */
/*
 * round -- see round.h; what a turn is and what is noise, bench.h.
 */
#include "round.h"

#include <alloca.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { RECORDS_MAX = 1 << 16 };

/* A spin may take this much longer than the quickest one.  What is as long as
 * a job does not depend on a moment's clock rate. */
#define SPIN_TOLERANCE 1.04
#define JOB_SPIN_TOLERANCE 1.1

const unsigned round_percent[PERCENTILES] = {50, 90, 99, 100};

/* Others may have this part of a job's cores, and this much more: the kernel
 * counts in ticks. */
#define OTHERS_PART 0.03
#define OTHERS_S 0.02

/* ---- one turn ---- */

static uint64_t records[RECORDS_MAX];
static size_t record_count;

void bench_record(uint64_t ns)
{
    if (record_count < RECORDS_MAX)
        records[record_count++] = ns;
}

void bench_pin(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    for (int i = 0; i < CPUS_MAX; i++)
        if (cpu == BENCH_ANY_CPU || cpu == i)
            CPU_SET(i, &set);
    if (sched_setaffinity(0, sizeof(set), &set) != 0)
        bench_fail("cannot pin a thread: the workload needs more cores");
}

struct job_thread {
    int cpu;
    void *(*body)(void *);
    void *arg;
};

static void *run_pinned(void *arg)
{
    struct job_thread own = *(struct job_thread *)arg;

    free(arg);
    bench_pin(own.cpu);
    return own.body(own.arg);
}

void bench_start(pthread_t *thread, int cpu, void *(*body)(void *), void *arg)
{
    struct job_thread *own = malloc(sizeof(*own));

    if (own == NULL)
        bench_fail("no memory");
    *own = (struct job_thread){.cpu = cpu, .body = body, .arg = arg};
    if (pthread_create(thread, NULL, run_pinned, own) != 0)
        bench_fail("cannot create a thread");
}

struct turn {
    const struct bench_workload *workload;
    const struct bench_entry *entry;
    uint64_t batches;
    size_t stack_shift; /* bytes */
    unsigned arrived;   /* __atomic */
    bool is_over;       /* thread 0 says so; __atomic */
    struct worker {
        struct turn *turn;
        unsigned thread;
        pthread_t id;
        double mean_ns;
        long preemptions;
    } worker[BENCH_THREADS];
};

static long preemptions(void)
{
    struct rusage usage;

    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

/* All begin at once, within a microsecond if each has a core. */
static void meet(struct turn *turn)
{
    __atomic_fetch_add(&turn->arrived, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&turn->arrived, __ATOMIC_RELAXED) <
           turn->workload->threads)
        sched_yield();
}

/* The first operations are not timed: they warm up. */
static BENCH_ALIGNED void work_timed(struct worker *worker)
{
    struct turn *turn = worker->turn;
    const struct bench_entry *entry = turn->entry;
    bool counts = worker->thread == 0 || turn->workload->in_step;
    uint64_t batch = turn->workload->batch, done = 0, began_ns;
    long preempted;

    meet(turn);
    entry->run(worker->thread, batch / 10 + 1);
    if (worker->thread == 0)
        record_count = 0;
    preempted = preemptions();
    began_ns = bench_now_ns();
    do {
        entry->run(worker->thread, batch);
        done++;
    } while (counts ? done < turn->batches
                    : !__atomic_load_n(&turn->is_over, __ATOMIC_RELAXED));
    worker->mean_ns =
        (double)(bench_now_ns() - began_ns) / ((double)done * (double)batch);
    worker->preemptions = preemptions() - preempted;
    if (worker->thread == 0)
        __atomic_store_n(&turn->is_over, true, __ATOMIC_RELAXED);
}

static void *work(void *arg)
{
    struct worker *worker = arg;
    const struct turn *turn = worker->turn;
    volatile char *shift = alloca(turn->stack_shift + 1);

    *shift = 0;
    bench_pin(turn->workload->cpu[worker->thread]);
    if (turn->entry->join != NULL)
        turn->entry->join();
    work_timed(worker);
    if (turn->entry->leave != NULL)
        turn->entry->leave();
    return NULL;
}

/* Also a workload of one thread runs beside the main thread: the C library
 * leaves out atomics where a process has one thread only. */
static void run_turn(struct turn *turn)
{
    unsigned threads = turn->workload->threads;

    turn->arrived = 0;
    turn->is_over = false;
    for (unsigned i = 0; i < threads; i++) {
        turn->worker[i] = (struct worker){.turn = turn, .thread = i};
        if (pthread_create(&turn->worker[i].id, NULL, work, &turn->worker[i]))
            bench_fail("cannot create a thread");
    }
    for (unsigned i = 0; i < threads; i++)
        pthread_join(turn->worker[i].id, NULL);
}

/* ---- one job ---- */

static double measured[METRICS_MAX];
static struct result *job_result;

void bench_measured(size_t metric, double value)
{
    if (metric >= METRICS_MAX)
        bench_fail("no such metric");
    measured[metric] = value;
}

_Noreturn void bench_absent(void)
{
    job_result->status = STATUS_ABSENT;
    _exit(0);
}

static void *work_on_job(void *arg)
{
    const struct turn *turn = arg;
    volatile char *shift = alloca(turn->stack_shift + 1);

    *shift = 0;
    turn->entry->job(turn->workload, turn->entry);
    return NULL;
}

static void run_job(struct turn *turn)
{
    pthread_t thread;

    bench_start(&thread, turn->workload->cpu[0], work_on_job, turn);
    pthread_join(thread, NULL);
}

static double mean_of_threads_ns(const struct turn *turn)
{
    double sum = 0;

    for (unsigned i = 0; i < turn->workload->threads; i++)
        sum += turn->worker[i].mean_ns;
    return sum / turn->workload->threads;
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* The smallest record that so many percent of them do not exceed. */
static double percentile_ns(size_t percent)
{
    return (double)records[(record_count * percent + 99) / 100 - 1];
}

/* ---- what is noise ---- */

/* A quarter of a millisecond of multiplications, each waiting for the one
 * before. */
static double spin_ns(void)
{
    uint64_t began_ns = bench_now_ns(), x = began_ns | 1;

    for (int i = 0; i < 250000; i++) {
        x *= UINT64_C(0x9e3779b97f4a7c15);
        __asm__ volatile("" : "+r"(x));
    }
    return (double)(bench_now_ns() - began_ns);
}

/* Whether the core is as quick as it ever was. */
static bool is_quiet(struct shared *shared, int cpu, double tolerance)
{
    double ns, *quickest = &shared->quickest_spin_ns[cpu];

    bench_pin(cpu);
    ns = spin_ns();
    if (*quickest == 0 || ns < *quickest)
        *quickest = ns;
    return ns <= *quickest * tolerance;
}

static bool all_quiet(struct shared *shared,
                      const struct bench_workload *workload)
{
    double tolerance =
        round_is_job(workload) ? JOB_SPIN_TOLERANCE : SPIN_TOLERANCE;
    bool quiet = true;

    for (unsigned i = 0; i < workload->threads; i++)
        if (workload->cpu[i] != BENCH_ANY_CPU)
            quiet = is_quiet(shared, workload->cpu[i], tolerance) && quiet;
    return quiet;
}

static bool was_preempted(const struct turn *turn)
{
    if (turn->workload->yields)
        return false;
    for (unsigned i = 0; i < turn->workload->threads; i++)
        if (turn->worker[i].preemptions > 0)
            return true;
    return false;
}

/* How long some core was busy, all of them together; with what the hypervisor
 * has taken. */
static double busy_s(void)
{
    double user, nice, system, idle, iowait, irq, softirq, steal;
    FILE *file = fopen("/proc/stat", "r");
    int count = 0;

    if (file != NULL) {
        count = fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &user,
                       &nice, &system, &idle, &iowait, &irq, &softirq, &steal);
        fclose(file);
    }
    if (count != 8)
        return 0;
    return (user + nice + system + irq + softirq + steal) /
           (double)sysconf(_SC_CLK_TCK);
}

static double used_s(int whose)
{
    struct rusage usage;

    getrusage(whose, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

/* Of this process, and of the programs that it has run. */
static double own_s(void)
{
    return used_s(RUSAGE_SELF) + used_s(RUSAGE_CHILDREN);
}

/* What others had of the cores, until now. */
static double others_s(void)
{
    return busy_s() - own_s();
}

/* ---- rounds of turns ---- */

static void keep(struct result *result, const struct turn *turn)
{
    if (round_is_job(turn->workload) && !turn->workload->records) {
        for (size_t i = 0; i < METRICS_MAX; i++)
            result->value[i][result->runs] = measured[i];
        result->runs++;
        return;
    }
    if (!turn->workload->records) {
        result->value[0][result->runs++] = mean_of_threads_ns(turn);
        return;
    }
    if (record_count == 0)
        bench_fail("nothing was recorded");
    qsort(records, record_count, sizeof(records[0]), compare_u64);
    for (size_t i = 0; i < PERCENTILES; i++)
        result->value[i][result->runs] = percentile_ns(round_percent[i]);
    result->runs++;
}

/* How many batches fill a turn. */
static uint64_t plan_batches(struct turn *turn, const struct plan *plan)
{
    double batches;

    turn->batches = 1;
    run_turn(turn);
    batches = (double)plan->turn_ns /
              (turn->worker[0].mean_ns * (double)turn->workload->batch);
    return turn->workload->records || batches < 1 ? 1 : (uint64_t)batches;
}

/* Whether nobody disturbed it. */
static bool run_quiet_job(struct shared *shared, struct turn *turn,
                          struct result *result)
{
    uint64_t began_ns = bench_now_ns();
    double before_s = others_s(), cores_s;
    bool quiet = all_quiet(shared, turn->workload);

    job_result = result;
    run_job(turn);
    quiet = all_quiet(shared, turn->workload) && quiet;
    cores_s = (double)(bench_now_ns() - began_ns) * 1e-9 *
              (double)sysconf(_SC_NPROCESSORS_ONLN);
    return quiet && others_s() - before_s < cores_s * OTHERS_PART + OTHERS_S;
}

static bool run_quiet_turn(struct shared *shared, struct turn *turn,
                           struct result *result)
{
    bool quiet;

    if (result->batches == 0)
        result->batches = plan_batches(turn, &shared->plan);
    turn->batches = result->batches;
    quiet = all_quiet(shared, turn->workload);
    run_turn(turn);
    return all_quiet(shared, turn->workload) && quiet && !was_preempted(turn);
}

/* For each turn that is needed. */
static unsigned repeats_max(const struct bench_workload *workload)
{
    if (!round_is_job(workload))
        return 5;
    return workload->job_s < 10 ? 1 : 0;
}

static void take_turn(struct shared *shared,
                      const struct bench_workload *workload, size_t entry)
{
    unsigned runs = round_runs(&shared->plan, workload);
    bool is_job = round_is_job(workload), quiet;
    struct result *result = &shared->result[entry];
    struct turn turn = {.workload = workload,
                        .entry = &workload->entries[entry],
                        .stack_shift = shared->rounds * 208 % 4096};

    shared->at_turn = entry;
    shared->turns++;
    if (turn.entry->open != NULL && !turn.entry->open()) {
        result->status = STATUS_ABSENT;
        return;
    }
    quiet = is_job ? run_quiet_job(shared, &turn, result)
                   : run_quiet_turn(shared, &turn, result);
    if (!quiet && result->repeated < repeats_max(workload) * runs) {
        result->repeated++;
        return;
    }
    result->noisy += !quiet;
    keep(result, &turn);
}

unsigned round_runs(const struct plan *plan,
                    const struct bench_workload *workload)
{
    if (!round_is_job(workload))
        return plan->runs;
    return workload->job_s < 1    ? plan->job_runs
           : workload->job_s < 10 ? plan->long_job_runs
                                  : plan->longest_job_runs;
}

bool round_is_done(const struct shared *shared,
                   const struct bench_workload *workload, size_t entry)
{
    const struct result *result = &shared->result[entry];

    return result->status != STATUS_OK ||
           result->runs >= round_runs(&shared->plan, workload);
}

/* Of those that need more turns, the one that had the fewest. */
static size_t next_job(const struct shared *shared,
                       const struct bench_workload *workload)
{
    size_t next = workload->entry_count;
    unsigned fewest = UINT_MAX;

    for (size_t i = 0; i < workload->entry_count; i++) {
        const struct result *result = &shared->result[i];

        if (!round_is_done(shared, workload, i) &&
            result->runs + result->repeated < fewest) {
            fewest = result->runs + result->repeated;
            next = i;
        }
    }
    return next;
}

void round_run(struct shared *shared, const struct bench_workload *workload)
{
    size_t count = workload->entry_count;

    for (int i = 0; i < 5; i++) /* let the cores wake up */
        (void)all_quiet(shared, workload);
    if (round_is_job(workload)) {
        take_turn(shared, workload, next_job(shared, workload));
        return;
    }
    for (size_t i = 0; i < count; i++) {
        size_t entry = (shared->rounds + i) % count;

        if (!round_is_done(shared, workload, entry))
            take_turn(shared, workload, entry);
    }
}
