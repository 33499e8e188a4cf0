/* SPDX-License-Identifier: MIT */
/*
 * start -- what it costs to begin and to end with a loop, and with a pool.
 *
 * start/loop, in microseconds, of 200 loops one after the other:
 *     new      make it, with its way to be woken
 *     first    wake it, and run it until its callback stops it
 *     free     give it back
 *
 * weir has no descriptor before it needs one, so the row "in the poller", which
 * makes its epoll instance and its eventfd at once, is the one to be compared
 * with the others.
 *
 * start/pool
 *     The first pool of a process, with 2 threads: make it, have one job done,
 *     give it back.  All in one, as waiting for the job is the same call as
 *     ending the pool with some of them.  libuv and OpenMP keep their threads
 *     until the process ends, which is not in it.  The floor is two threads and
 *     two semaphores.
 */
#include <semaphore.h>

#include "bench.h"
#include "peers/loop.h"
#include "peers/pool.h"

enum { NEW, FIRST, FREE, METRICS };
enum { LOOPS = 200, WARM_UP = 20 };

static struct {
    const struct loop_kind *kind;
    void *loop;
    uint64_t spent_ns[METRICS];
} desk;

static void on_wake(void *arg)
{
    desk.kind->stop(desk.loop);
}

/* Adds the time since then; returns now. */
static uint64_t spend(int metric, uint64_t since_ns)
{
    uint64_t now_ns = bench_now_ns();

    desk.spent_ns[metric] += now_ns - since_ns;
    return now_ns;
}

static void use_one(void)
{
    uint64_t at_ns = bench_now_ns();

    desk.loop = desk.kind->open(on_wake, NULL);
    at_ns = spend(NEW, at_ns);
    desk.kind->wake(desk.loop);
    desk.kind->run(desk.loop);
    at_ns = spend(FIRST, at_ns);
    desk.kind->close(desk.loop);
    spend(FREE, at_ns);
}

static void use_many(const struct bench_workload *workload,
                     const struct bench_entry *entry)
{
    desk.kind = entry->arg;
    if (desk.kind->open == NULL)
        bench_absent();
    for (int i = 0; i < WARM_UP; i++)
        use_one();
    for (int i = 0; i < METRICS; i++)
        desk.spent_ns[i] = 0;
    for (int i = 0; i < LOOPS; i++)
        use_one();
    for (size_t i = 0; i < workload->metric_count; i++)
        bench_measured(i, (double)desk.spent_ns[i] / LOOPS);
}

/* ---- pools ---- */

static struct {
    pthread_t thread[POOL_THREADS];
    sem_t jobs, done;
    bool is_over;
} crew;

static void *serve(void *arg)
{
    for (;;) {
        sem_wait(&crew.jobs);
        if (crew.is_over)
            return arg;
        sem_post(&crew.done);
    }
}

static void open_crew(uint64_t count)
{
    sem_init(&crew.jobs, 0, 0);
    sem_init(&crew.done, 0, 0);
    for (int i = 0; i < POOL_THREADS; i++)
        if (pthread_create(&crew.thread[i], NULL, serve, NULL) != 0)
            bench_fail("cannot create a thread");
}

static void serve_crew(uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        sem_post(&crew.jobs);
    for (uint64_t i = 0; i < count; i++)
        sem_wait(&crew.done);
}

static void close_crew(void)
{
    crew.is_over = true;
    for (int i = 0; i < POOL_THREADS; i++)
        sem_post(&crew.jobs);
    for (int i = 0; i < POOL_THREADS; i++)
        pthread_join(crew.thread[i], NULL);
}

static const struct pool_kind pool_crew = {
    .open = open_crew, .empty = serve_crew, .close = close_crew};
#ifndef BENCH_TBB
static const struct pool_kind pool_tbb;
#endif

static void use_pool(const struct bench_workload *workload,
                     const struct bench_entry *entry)
{
    const struct pool_kind *kind = entry->arg;
    uint64_t began_ns = bench_now_ns();

    if (kind->open == NULL)
        bench_absent();
    kind->open(1);
    kind->empty(1);
    kind->close();
    bench_measured(0, (double)(bench_now_ns() - began_ns));
}

/* ---- the tables ---- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define ENTRY(name, library)                                                   \
    {                                                                          \
        .impl = name, .job = use_many, .arg = &library, .peer = &library.title \
    }

#define POOL(name, library)                                                    \
    {                                                                          \
        .impl = name, .job = use_pool, .arg = &library, .peer = &library.title \
    }

static const struct bench_entry entries[] = {
    ENTRY("bare eventfd + epoll", loop_epoll),
    ENTRY("weir", loop_weir),
    ENTRY("weir, in the poller", loop_weir_poller),
    ENTRY("libuv", loop_uv),
    ENTRY("libev", loop_ev),
    ENTRY("libevent", loop_event),
    ENTRY("GLib", loop_glib),
    ENTRY("Asio", loop_asio),
};

static const struct bench_entry pools[] = {
    POOL("bare threads and semaphores", pool_crew),
    {.impl = "weir", .job = use_pool, .arg = &pool_weir_post},
    POOL("libuv", pool_uv),
    POOL("GLib", pool_glib),
    POOL("TBB", pool_tbb),
    POOL("OpenMP", pool_openmp),
};

static const struct bench_metric metrics[METRICS] = {
    [NEW] = {"new", "us", 1e-3},
    [FIRST] = {"first", "us", 1e-3},
    [FREE] = {"free", "us", 1e-3},
};

static const struct bench_metric pool_metrics[] = {{"all", "us", 1e-3}};

static const struct bench_workload workloads[] = {
    {.name = "start/loop",
     .operation = "make a loop, run one callback in it, give it back",
     .threads = 1,
     .cpu = {1},
     .job_s = 0.02,
     .metrics = metrics,
     .metric_count = METRICS,
     .entries = entries,
     .entry_count = COUNT(entries)},
    {.name = "start/pool",
     .operation = "make a pool of 2 threads, have one job done, give it back",
     .threads = 1,
     .cpu = {BENCH_ANY_CPU},
     .job_s = 0.01,
     .metrics = pool_metrics,
     .metric_count = 1,
     .entries = pools,
     .entry_count = COUNT(pools)},
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "start", workloads, COUNT(workloads));
}
