/* SPDX-License-Identifier: MIT */
/*
 * idle -- a loop that has nothing to do does nothing: no turn, no switch of
 * context.  Nor does a pool.  A thread that slept before and after, and that
 * the kernel has not switched to meanwhile, has used no time of the processor,
 * however busy the machine was.
 *
 * Here the passing of ten real seconds is what is tested, so this test does
 * sleep; for two in builds with checks, in which it is run once more.  Two
 * loops do it at the same time, each on its own thread: one on the futex,
 * one in the poller, with a silent descriptor and a far timer.  And the four
 * workers of a pool.
 */
#include <dirent.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "support/crew.h"
#include "support/effort.h"
#include "support/loop_fixture.h"
#include "weir/fd.h"
#include "weir/metrics.h"
#include "weir/pool.h"
#include "weir/timer.h"

#ifdef NDEBUG
enum { IDLE_S = 10 };
#else
enum { IDLE_S = IS_THREAD_SANITIZED ? 10 : 2 };
#endif
#define HOUR_NS (3600 * INT64_C(1000000000))

struct sleeper {
    weir_loop *loop;
    struct runner runner;
    sem_t taken;
};

static void begin(struct sleeper *sleeper, weir_fd_mode fd_mode)
{
    expect_int(sem_init(&sleeper->taken, 0, 0), 0);
    expect_status(weir_loop_new(&sleeper->loop, LOOP_OPTIONS(.fd_mode = fd_mode,
                                                             .metrics = true)),
                  0);
    runner_start(&sleeper->runner, sleeper->loop, WEIR_RUN_UNTIL_CLOSED);
}

static void end(struct sleeper *sleeper)
{
    expect_status(weir_loop_shutdown(sleeper->loop, -1), 0);
    expect_status(runner_join(&sleeper->runner), 0);
    expect_status(weir_loop_free(sleeper->loop), 0);
}

static weir_metrics metrics_of(const struct sleeper *sleeper)
{
    weir_metrics metrics = {.size = sizeof(metrics)};

    expect_status(weir_loop_metrics(sleeper->loop, &metrics), 0);
    return metrics;
}

static void let_time_pass(void)
{
    const struct timespec while_idle = {.tv_sec = IDLE_S};

    expect_int(clock_nanosleep(CLOCK_MONOTONIC, 0, &while_idle, NULL), 0);
}

static void ignore_end(void *arg, int status)
{
    expect_status(status, WEIR_ECANCELED);
}

static void ignore_fd_end(void *arg, int status, int fd, unsigned events)
{
    ignore_end(arg, status);
}

static weir_pool_stats stats_of(const weir_pool *pool)
{
    weir_pool_stats stats = {.size = sizeof(stats)};

    expect_status(weir_pool_look(pool, &stats), 0);
    return stats;
}

enum { WORKERS = 4 };

static weir_pool *begin_pool(void)
{
    const weir_pool_options options = {.size = sizeof(options),
                                       .workers = WORKERS};
    weir_pool_stats stats;
    weir_pool *pool;

    expect_status(weir_pool_new(&pool, &options), 0);
    do {
        sched_yield();
        stats = stats_of(pool);
    } while (stats.asleep < WORKERS || stats.sleeps < WORKERS);
    return pool;
}

/* ---- threads ---- */

/* Loops' and workers'. */
enum { THREADS = WORKERS + 2, THREADS_MAX = THREADS + 8 };

struct thread {
    pid_t tid;
    uint64_t switches;
};

struct threads {
    struct thread list[THREADS_MAX];
    unsigned count;
};

static bool has(const struct threads *threads, pid_t tid)
{
    for (unsigned i = 0; i < threads->count; i++)
        if (threads->list[i].tid == tid)
            return true;
    return false;
}

/* Those of this process that are not among `others`. */
static struct threads find_threads(const struct threads *others)
{
    struct threads threads = {.count = 0};
    DIR *directory = opendir("/proc/self/task");
    const struct dirent *entry;

    expect(directory != NULL);
    while ((entry = readdir(directory)) != NULL) {
        pid_t tid = (pid_t)atoi(entry->d_name);

        if (tid == 0 || (others != NULL && has(others, tid)))
            continue;
        expect(threads.count < THREADS_MAX);
        threads.list[threads.count++].tid = tid;
    }
    closedir(directory);
    return threads;
}

static void be_the_first(struct crew *crew, unsigned id)
{
}

/* ThreadSanitizer has its own thread, which wakes up, and which it starts
 * with the first of ours. */
static struct threads find_others(void)
{
    crew_run(1, be_the_first, NULL);
    return find_threads(NULL);
}

static void await_all_asleep(struct threads *threads)
{
    for (unsigned i = 0; i < threads->count; i++) {
        expect(await_asleep(threads->list[i].tid));
        threads->list[i].switches = switches_of(threads->list[i].tid);
    }
}

static void expect_not_woken(const struct threads *threads)
{
    for (unsigned i = 0; i < threads->count; i++) {
        const struct thread *thread = &threads->list[i];

        expect(is_asleep(thread->tid));
        expect(switches_of(thread->tid) - thread->switches <= 1);
    }
}

static void begin_loops(struct sleeper sleepers[2])
{
    begin(&sleepers[0], WEIR_FD_MODE_NEVER);
    begin(&sleepers[1], WEIR_FD_MODE_AUTO);
    expect_status(weir_fd_add(sleepers[1].loop, event_open(0), WEIR_FD_READABLE,
                              ignore_fd_end, NULL),
                  0);
    for (int i = 0; i < 2; i++)
        expect_status(weir_timer_start(sleepers[i].loop, NULL, HOUR_NS,
                                       WEIR_TIMER_ONCE, ignore_end, NULL),
                      0);
}

static void tell(void *arg, int status)
{
    struct sleeper *sleeper = arg;

    expect_status(status, 0);
    expect_int(sem_post(&sleeper->taken), 0);
}

/* Until it has taken all that was sent to it, and sleeps again. */
static void await_sleep(struct sleeper *sleeper)
{
    expect_status(weir_loop_submit(sleeper->loop, tell, sleeper), 0);
    await_post(&sleeper->taken);
    await_state(sleeper->loop, WEIR_LOOP_SLEEPING);
    expect(
        await_asleep(__atomic_load_n(&sleeper->runner.tid, __ATOMIC_RELAXED)));
}

/* A sleep is counted when it ends. */
static void expect_asleep_counted(struct sleeper *sleeper, uint64_t before_ns)
{
    await_sleep(sleeper);
    expect(metrics_of(sleeper).asleep_ns - before_ns >=
           (IDLE_S - 1) * UINT64_C(1000000000));
}

CASE_WITHIN(idle_loops_and_pools_take_no_turn_and_no_time,
            IDLE_S + UNIT_DEADLINE_S)
{
    static struct sleeper sleepers[2];
    struct threads others = find_others(), threads;
    weir_pool *pool = begin_pool();
    weir_metrics metrics[2];

    begin_loops(sleepers);
    for (int i = 0; i < 2; i++)
        await_sleep(&sleepers[i]);
    threads = find_threads(&others);
    expect_int(threads.count, THREADS);
    await_all_asleep(&threads);
    for (int i = 0; i < 2; i++)
        metrics[i] = metrics_of(&sleepers[i]);
    let_time_pass();
    expect_not_woken(&threads);
    expect_int(stats_of(pool).sleeps, WORKERS);
    for (int i = 0; i < 2; i++) {
        expect_int(metrics_of(&sleepers[i]).turns, metrics[i].turns);
        expect_int(weir_loop_state(sleepers[i].loop), WEIR_LOOP_SLEEPING);
        expect_asleep_counted(&sleepers[i], metrics[i].asleep_ns);
        end(&sleepers[i]);
    }
    expect_status(weir_pool_shutdown(pool, -1), 0);
    expect_status(weir_pool_free(pool), 0);
}
