/* SPDX-License-Identifier: MIT */
/*
 * wake -- how long a sleeping loop takes to run a new task.
 *
 * wake/latency-1-core, wake/latency-2-cores
 *     A thread lets the loop fall asleep, and wakes it.  Recorded is the time
 *     from before the call until inside the loop's callback.
 * wake/ping-pong-1-core, wake/ping-pong-2-cores
 *     Two loops wake each other in turn; one operation is there and back.
 *
 * All wakes are the library's own (peers/): with weir, posting a task.  Floors
 * are a bare futex, a bare eventfd in epoll, and, where there are two cores,
 * a word that both sides watch without ever sleeping.
 *
 * Rows that say "spin" do not sleep between two wakes, and are to be compared
 * with each other: weir's spin ends after 50 us at most, and earlier if
 * somebody needs the core; libuv with UV_RUN_NOWAIT keeps its core forever.
 */
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/atomic.h"
#include "bench.h"
#include "peers/loop.h"

static const struct loop_kind *kind_of(const struct bench_entry *entry)
{
    const struct loop_kind *kind = entry->arg;

    if (kind->open == NULL)
        bench_absent();
    return kind;
}

/* ---- latency ---- */

enum { SAMPLES = 500, WARM_UP = 50 };

static struct {
    const struct loop_kind *kind;
    void *loop;
    atomic(uint64_t) began_ns;
    atomic(uint64_t) woken; /* so many times */
} sleeper;

static void on_latency(void *arg)
{
    uint64_t ns = bench_now_ns() - load_relaxed(&sleeper.began_ns);
    uint64_t woken = load_relaxed(&sleeper.woken) + 1;

    if (woken > WARM_UP)
        bench_record(ns);
    if (woken == WARM_UP + SAMPLES)
        sleeper.kind->stop(sleeper.loop);
    store_release(&sleeper.woken, woken);
}

/* Long enough for the loop to wake up, and to fall asleep again. */
static void rest(void)
{
    const struct timespec pause = {.tv_nsec = 150000};

    nanosleep(&pause, NULL);
}

/* On one core the kernel decides by what both have used of it whether the loop
 * runs at once or when the waker sleeps, which takes 3 us longer here: it let
 * 91 or 57 wakes of 100 run at once, from run to run.  A waker that is idle in
 * the kernel's eyes always gives way, so that what is measured is the wake. */
static void give_way(void)
{
    const struct sched_param none = {0};

    if (sched_setscheduler(0, SCHED_IDLE, &none) != 0)
        bench_fail("SCHED_IDLE was refused");
}

static void *wake_often(void *arg)
{
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    give_way();
    for (uint64_t i = 1; i <= WARM_UP + SAMPLES; i++) {
        rest();
        store_relaxed(&sleeper.began_ns, bench_now_ns());
        sleeper.kind->wake(sleeper.loop);
        while (load_acquire(&sleeper.woken) < i)
            rest();
    }
    return NULL;
}

static void latency(const struct bench_workload *workload,
                    const struct bench_entry *entry)
{
    pthread_t waker;

    sleeper.kind = kind_of(entry);
    sleeper.loop = sleeper.kind->open(on_latency, NULL);
    bench_start(&waker, workload->cpu[1], wake_often, NULL);
    sleeper.kind->run(sleeper.loop);
    pthread_join(waker, NULL);
    sleeper.kind->close(sleeper.loop);
}

/* ---- ping-pong ---- */

static struct {
    const struct loop_kind *kind;
    void *ping, *pong;
    atomic(bool) is_over;
    /* Ping's, which writes there all the time: */
    _Alignas(CACHE_APART) uint64_t trips;
    uint64_t wanted, warm_up;
    uint64_t began_ns, ended_ns;
} match;

static void on_ping(void *arg)
{
    if (match.trips == match.warm_up)
        match.began_ns = bench_now_ns();
    if (match.trips++ == match.warm_up + match.wanted) {
        match.ended_ns = bench_now_ns();
        store_relaxed(&match.is_over, true);
        match.kind->stop(match.ping);
    }
    match.kind->wake(match.pong);
}

static void on_pong(void *arg)
{
    if (load_relaxed(&match.is_over))
        match.kind->stop(match.pong);
    else
        match.kind->wake(match.ping);
}

static void *run_pong(void *arg)
{
    match.kind->run(match.pong);
    return NULL;
}

/* A thousand times as many where nobody sleeps. */
static uint64_t trips_of(const struct loop_kind *kind)
{
    if (kind == &loop_spin || kind == &loop_weir_spin)
        return 200000;
    return kind == &loop_uv_nowait ? 20000 : 2000;
}

static void ping_pong(const struct bench_workload *workload,
                      const struct bench_entry *entry)
{
    pthread_t pong;

    match.kind = kind_of(entry);
    match.wanted = trips_of(match.kind);
    match.warm_up = match.wanted / 10;
    match.ping = match.kind->open(on_ping, NULL);
    match.pong = match.kind->open(on_pong, NULL);
    bench_start(&pong, workload->cpu[1], run_pong, NULL);
    match.kind->wake(match.ping);
    match.kind->run(match.ping);
    pthread_join(pong, NULL);
    bench_measured(0, (double)(match.ended_ns - match.began_ns) /
                          (double)match.wanted);
    match.kind->close(match.ping);
    match.kind->close(match.pong);
}

/* ---- the tables ---- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define ENTRY(name, its_job, library)                                          \
    {                                                                          \
        .impl = name, .job = its_job, .arg = &library, .peer = &library.title  \
    }

static const struct bench_entry latencies[] = {
    ENTRY("bare futex", latency, loop_futex),
    ENTRY("bare eventfd + epoll", latency, loop_epoll),
    ENTRY("weir", latency, loop_weir),
    ENTRY("weir, in the poller", latency, loop_weir_poller),
    ENTRY("libuv, uv_async", latency, loop_uv),
    ENTRY("libev, ev_async", latency, loop_ev),
    ENTRY("libevent, event_active", latency, loop_event),
    ENTRY("GLib, ready time", latency, loop_glib),
    ENTRY("Asio, asio::post", latency, loop_asio),
};

/* The last three are for two cores. */
static const struct bench_entry ping_pongs[] = {
    ENTRY("bare futex", ping_pong, loop_futex),
    ENTRY("bare eventfd + epoll", ping_pong, loop_epoll),
    ENTRY("weir", ping_pong, loop_weir),
    ENTRY("weir, in the poller", ping_pong, loop_weir_poller),
    ENTRY("libuv, uv_async", ping_pong, loop_uv),
    ENTRY("libev, ev_async", ping_pong, loop_ev),
    ENTRY("libevent, event_active", ping_pong, loop_event),
    ENTRY("GLib, ready time", ping_pong, loop_glib),
    ENTRY("Asio, asio::post", ping_pong, loop_asio),
    ENTRY("spin: bare word", ping_pong, loop_spin),
    ENTRY("spin: weir, up to 50 us", ping_pong, loop_weir_spin),
    ENTRY("spin: libuv, UV_RUN_NOWAIT", ping_pong, loop_uv_nowait),
};

static const struct bench_workload workloads[] = {
    {.name = "wake/latency-1-core",
     .operation = "wake a sleeping loop, until its callback runs; on 1 core",
     .threads = 2,
     .cpu = {0, 0},
     .records = true,
     .job_s = 0.15,
     .entries = latencies,
     .entry_count = COUNT(latencies)},
    {.name = "wake/latency-2-cores",
     .operation = "wake a sleeping loop, until its callback runs; from another "
                  "core",
     .threads = 2,
     .cpu = {0, 1},
     .records = true,
     .job_s = 0.15,
     .entries = latencies,
     .entry_count = COUNT(latencies)},
    {.name = "wake/ping-pong-1-core",
     .operation = "there and back, 2 loops on 1 core",
     .threads = 2,
     .cpu = {0, 0},
     .job_s = 0.05,
     .entries = ping_pongs,
     .entry_count = COUNT(ping_pongs) - 3},
    {.name = "wake/ping-pong-2-cores",
     .operation = "there and back, 2 loops on 2 cores",
     .threads = 2,
     .cpu = {0, 1},
     .job_s = 0.15,
     .entries = ping_pongs,
     .entry_count = COUNT(ping_pongs)},
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "wake", workloads, COUNT(workloads));
}
