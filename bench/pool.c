/* SPDX-License-Identifier: MIT */
/*
 * pool -- fork and join, and jobs from outside, beside other pools.
 *
 * pool/fib-32
 *     fib(32), each call but the leaves gives one of its two to the pool:
 *     3,524,577 jobs on two threads.  The floor is the same recursion without a
 *     pool.
 * pool/empty-1M
 *     A million jobs that do nothing, from one thread that is none of the
 *     pool's, to two.  From the first call until all were called.  The floor is
 *     a list, a mutex and a condition variable, as one would write it.
 *
 * The pool is made before, and its threads sleep when it begins.
 */
#include <pthread.h>
#include <stdlib.h>

#include "bench.h"
#include "peers/pool.h"

enum { FIB_N = 32, FIB_SPAWNS = 3524577, FIB_RESULT = 2178309 };
enum { JOBS = 1000000 };

#ifndef BENCH_TBB
static const struct pool_kind pool_tbb;
#endif

/* ---- floors ---- */

static void open_nothing(uint64_t count)
{
    (void)count;
}

static void close_nothing(void)
{
}

static uint64_t fib_serially(int n);
static uint64_t (*volatile fib_again)(int n) = fib_serially;

/* Through a pointer, so that the compiler makes no loop of it. */
static uint64_t fib_serially(int n)
{
    return n < 2 ? (uint64_t)n : fib_again(n - 1) + fib_again(n - 2);
}

static const struct pool_kind serial = {"", open_nothing, fib_serially, NULL,
                                        close_nothing};

struct node {
    struct node *next;
    void (*run)(struct node *node);
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_work = PTHREAD_COND_INITIALIZER;
static struct node *first, **end = &first; /* under mutex */
static unsigned idle;                      /* under mutex */
static int is_over;                        /* under mutex */
static pthread_t threads[POOL_THREADS];
static struct node *nodes;

static struct node *next_node(void)
{
    struct node *node;

    pthread_mutex_lock(&mutex);
    while (first == NULL && !is_over) {
        idle++;
        pthread_cond_wait(&is_work, &mutex);
        idle--;
    }
    node = first;
    if (node != NULL && (first = node->next) == NULL)
        end = &first;
    pthread_mutex_unlock(&mutex);
    return node;
}

static void *work(void *arg)
{
    struct node *node;

    while ((node = next_node()) != NULL)
        node->run(node);
    return arg;
}

static void open_list(uint64_t count)
{
    nodes = pool_calloc(count, sizeof(*nodes));
    for (int i = 0; i < POOL_THREADS; i++)
        bench_start(&threads[i], BENCH_ANY_CPU, work, NULL);
}

static void run_nothing(struct node *node)
{
    (void)node;
}

static void empty_list(uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        nodes[i].run = run_nothing;
        pthread_mutex_lock(&mutex);
        *end = &nodes[i];
        end = &nodes[i].next;
        if (idle > 0)
            pthread_cond_signal(&is_work);
        pthread_mutex_unlock(&mutex);
    }
    pthread_mutex_lock(&mutex);
    is_over = 1;
    pthread_cond_broadcast(&is_work);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < POOL_THREADS; i++)
        pthread_join(threads[i], NULL);
}

static const struct pool_kind list = {"", open_list, NULL, empty_list,
                                      close_nothing};

/* ---- jobs of the bench ---- */

static const struct pool_kind *opened(const struct bench_entry *entry,
                                      uint64_t count)
{
    const struct pool_kind *kind = entry->arg;

    if (kind->open == NULL)
        bench_absent();
    kind->open(count);
    return kind;
}

static void measure_fib(const struct bench_workload *workload,
                        const struct bench_entry *entry)
{
    const struct pool_kind *kind = opened(entry, 0);
    uint64_t begin_ns = bench_now_ns();
    uint64_t result = kind->fib(FIB_N);

    (void)workload;
    bench_measured(0, (double)(bench_now_ns() - begin_ns) / FIB_SPAWNS);
    if (result != FIB_RESULT)
        bench_fail("fib is wrong");
    kind->close();
}

static void measure_empty(const struct bench_workload *workload,
                          const struct bench_entry *entry)
{
    const struct pool_kind *kind = opened(entry, JOBS);
    uint64_t begin_ns = bench_now_ns();

    (void)workload;
    kind->empty(JOBS);
    bench_measured(0, (double)(bench_now_ns() - begin_ns) / JOBS);
    kind->close();
}

/* ---- the tables ---- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ENTRY(name, measure, kind)                                             \
    {                                                                          \
        .impl = name, .job = measure, .arg = &kind, .peer = &kind.title        \
    }

static const struct bench_entry fibs[] = {
    ENTRY("no pool", measure_fib, serial),
    ENTRY("weir, group", measure_fib, pool_weir_post),
    ENTRY("TBB, task_group", measure_fib, pool_tbb),
    ENTRY("OpenMP, task", measure_fib, pool_openmp),
};

static const struct bench_entry empties[] = {
    ENTRY("list and condition variable", measure_empty, list),
    ENTRY("weir, post", measure_empty, pool_weir_post),
    ENTRY("weir, submit", measure_empty, pool_weir_submit),
    ENTRY("libuv, uv_queue_work", measure_empty, pool_uv),
    ENTRY("GLib, GThreadPool", measure_empty, pool_glib),
    ENTRY("TBB, enqueue", measure_empty, pool_tbb),
    ENTRY("OpenMP, task", measure_empty, pool_openmp),
};

static const struct bench_metric per_job[] = {{"mean", "ns", 1.0}};

static const struct bench_workload workloads[] = {
    {.name = "pool/fib-32",
     .operation = "one of 3,524,577 jobs of fib(32), 2 threads",
     .threads = 2,
     .cpu = {BENCH_ANY_CPU, BENCH_ANY_CPU},
     .job_s = 0.4,
     .metrics = per_job,
     .metric_count = COUNT(per_job),
     .entries = fibs,
     .entry_count = COUNT(fibs)},
    {.name = "pool/empty-1M",
     .operation = "one of 1,000,000 empty jobs from outside, 2 threads",
     .threads = 2,
     .cpu = {BENCH_ANY_CPU, BENCH_ANY_CPU},
     .job_s = 0.3,
     .metrics = per_job,
     .metric_count = COUNT(per_job),
     .entries = empties,
     .entry_count = COUNT(empties)},
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "pool", workloads, COUNT(workloads));
}
