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
 * pool/steal-1M
 *     A million jobs that do nothing, made by a job that runs on one of the two
 *     threads and takes none of them: the other one steals all.  OpenMP's
 *     threads share one queue, and GLib's and libuv's, too.  The floor is the
 *     list again, with a thread at each of its ends.
 * pool/trip-1M
 *     From a loop to the pool and back, a million times, 1,000 of them always
 *     under way; the outcome of each sends the next one.  The floor is two
 *     lists.
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

static const struct pool_kind serial = {
    "", .open = open_nothing, .fib = fib_serially, .close = close_nothing};

struct node {
    struct node *next;
    void (*run)(struct node *node);
};

struct list {
    pthread_mutex_t mutex;
    pthread_cond_t is_work;
    struct node *first, **end; /* under mutex, as the next two */
    unsigned idle;
    int is_over;
};

#define LIST(list)                                                             \
    {                                                                          \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL,             \
            &(list).first, 0, 0                                                \
    }

static struct list there = LIST(there), back = LIST(back);
static pthread_t threads[POOL_THREADS];
static int thread_count;
static struct node *nodes;

static void push(struct list *list, struct node *node)
{
    node->next = NULL;
    pthread_mutex_lock(&list->mutex);
    *list->end = node;
    list->end = &node->next;
    if (list->idle > 0)
        pthread_cond_signal(&list->is_work);
    pthread_mutex_unlock(&list->mutex);
}

/* NULL: it is over. */
static struct node *take(struct list *list)
{
    struct node *node;

    pthread_mutex_lock(&list->mutex);
    while (list->first == NULL && !list->is_over) {
        list->idle++;
        pthread_cond_wait(&list->is_work, &list->mutex);
        list->idle--;
    }
    node = list->first;
    if (node != NULL && (list->first = node->next) == NULL)
        list->end = &list->first;
    pthread_mutex_unlock(&list->mutex);
    return node;
}

static void *work(void *arg)
{
    struct node *node;

    while ((node = take(&there)) != NULL)
        node->run(node);
    return arg;
}

static void open_threads(uint64_t count, int wanted)
{
    nodes = pool_calloc(count, sizeof(*nodes));
    for (thread_count = 0; thread_count < wanted; thread_count++)
        bench_start(&threads[thread_count], BENCH_ANY_CPU, work, NULL);
}

static void open_list(uint64_t count)
{
    open_threads(count, POOL_THREADS);
}

static void open_pair(uint64_t count)
{
    open_threads(count, 1);
}

static void end_list(void)
{
    pthread_mutex_lock(&there.mutex);
    there.is_over = 1;
    pthread_cond_broadcast(&there.is_work);
    pthread_mutex_unlock(&there.mutex);
    for (int i = 0; i < thread_count; i++)
        pthread_join(threads[i], NULL);
}

static void run_nothing(struct node *node)
{
}

static void empty_list(uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        nodes[i].run = run_nothing;
        push(&there, &nodes[i]);
    }
    end_list();
}

static void send_back(struct node *node)
{
    push(&back, node);
}

static void trip_lists(uint64_t count)
{
    uint64_t sent = 0;

    for (; sent < POOL_DEPTH; sent++) {
        nodes[sent].run = send_back;
        push(&there, &nodes[sent]);
    }
    for (uint64_t came = 0; came < count; came++) {
        struct node *node = take(&back);

        if (sent++ < count)
            push(&there, node);
    }
    end_list();
}

static const struct pool_kind list = {"", .open = open_list,
                                      .empty = empty_list, .trip = trip_lists,
                                      .close = close_nothing};
static const struct pool_kind pair = {
    "", .open = open_pair, .steal = empty_list, .close = close_nothing};

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

    bench_measured(0, (double)(bench_now_ns() - begin_ns) / FIB_SPAWNS);
    if (result != FIB_RESULT)
        bench_fail("fib is wrong");
    kind->close();
}

/* One of the functions of a kind, JOBS times. */
#define MEASURE(what)                                                          \
    static void measure_##what(const struct bench_workload *workload,          \
                               const struct bench_entry *entry)                \
    {                                                                          \
        const struct pool_kind *kind = opened(entry, JOBS);                    \
        uint64_t begin_ns = bench_now_ns();                                    \
                                                                               \
        (void)workload;                                                        \
        kind->what(JOBS);                                                      \
        bench_measured(0, (double)(bench_now_ns() - begin_ns) / JOBS);         \
        kind->close();                                                         \
    }

MEASURE(empty)
MEASURE(steal)
MEASURE(trip)

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

static const struct bench_entry steals[] = {
    ENTRY("list and condition variable", measure_steal, pair),
    ENTRY("weir, post", measure_steal, pool_weir_post),
    ENTRY("TBB, task_group", measure_steal, pool_tbb),
};

static const struct bench_entry trips[] = {
    ENTRY("two lists and condition variables", measure_trip, list),
    ENTRY("weir, post and back", measure_trip, pool_weir_post),
    ENTRY("weir, submit and back", measure_trip, pool_weir_submit),
    ENTRY("weir, promisify", measure_trip, pool_weir_promisify),
    ENTRY("libuv, uv_queue_work", measure_trip, pool_uv),
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
    {.name = "pool/steal-1M",
     .operation = "one of 1,000,000 empty jobs of a thread, all stolen",
     .threads = 2,
     .cpu = {BENCH_ANY_CPU, BENCH_ANY_CPU},
     .job_s = 0.3,
     .metrics = per_job,
     .metric_count = COUNT(per_job),
     .entries = steals,
     .entry_count = COUNT(steals)},
    {.name = "pool/trip-1M",
     .operation = "loop to pool and back, 1,000 under way, 2 threads",
     .threads = 2,
     .cpu = {BENCH_ANY_CPU, BENCH_ANY_CPU},
     .job_s = 0.6,
     .metrics = per_job,
     .metric_count = COUNT(per_job),
     .entries = trips,
     .entry_count = COUNT(trips)},
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "pool", workloads, COUNT(workloads));
}
