/* SPDX-License-Identifier: MIT */
/*
 * idle -- a loop that has nothing to do does nothing: no turn, no time of the
 * processor, no switch of context.  Nor does a pool.
 *
 * Here the passing of ten real seconds is what is tested, so this test does
 * sleep; for two in builds with checks, in which it is run once more.  Two loops
 * do it at the same time, each on a thread of its own: one on the futex, one in
 * the poller, with a silent descriptor and a far timer.  And the four workers of
 * a pool.
 */
#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
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

/* What a thread has used so far, as it sees it itself. */
struct usage {
    int64_t processor_ns;
    long switches;
};

struct sleeper {
    weir_loop *loop;
    struct runner runner;
    sem_t taken;
    struct usage usage; /* written by the loop, before `taken` */
};

static void take_usage(void *arg, int status)
{
    struct sleeper *sleeper = arg;
    struct timespec spent;
    struct rusage usage;

    expect_status(status, 0);
    expect_int(getrusage(RUSAGE_THREAD, &usage), 0);
    expect_int(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent), 0);
    sleeper->usage = (struct usage){
        .processor_ns = spent.tv_sec * INT64_C(1000000000) + spent.tv_nsec,
        .switches = usage.ru_nvcsw + usage.ru_nivcsw};
    expect_int(sem_post(&sleeper->taken), 0);
}

static struct usage ask(struct sleeper *sleeper)
{
    expect_status(weir_loop_submit(sleeper->loop, take_usage, sleeper), 0);
    await_post(&sleeper->taken);
    return sleeper->usage;
}

static void begin(struct sleeper *sleeper, weir_fast_path bed)
{
    expect_int(sem_init(&sleeper->taken, 0, 0), 0);
    expect_status(weir_loop_new(&sleeper->loop, LOOP_OPTIONS(.fast_path = bed,
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
    weir_metrics metrics;

    expect_status(weir_loop_metrics(sleeper->loop, &metrics), 0);
    return metrics;
}

static void await_sleep(const struct sleeper *sleeper)
{
    await_state(sleeper->loop, WEIR_LOOP_SLEEPING);
    expect(
        await_asleep(__atomic_load_n(&sleeper->runner.tid, __ATOMIC_RELAXED)));
}

static void let_time_pass(void)
{
    const struct timespec while_idle = {.tv_sec = IDLE_S};

    expect_int(clock_nanosleep(CLOCK_MONOTONIC, 0, &while_idle, NULL), 0);
}

/* Between the two questions are the end of a turn, a sleep, and the beginning
 * of a turn: some microseconds, and a few switches. */
static void expect_idle(struct sleeper *sleeper, struct usage before)
{
    struct usage after = ask(sleeper);

    expect(after.processor_ns - before.processor_ns < 5 * MILLISECOND_NS);
    expect(after.switches - before.switches <= 8);
}

static void ignore_end(void *arg, int status)
{
    (void)arg;
    expect_status(status, WEIR_ECANCELED);
}

static void ignore_fd_end(void *arg, int status, int fd, unsigned events)
{
    (void)fd, (void)events;
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

/* All threads' together. */
static int64_t processor_ns(void)
{
    struct timespec spent;

    expect_int(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent), 0);
    return spent.tv_sec * INT64_C(1000000000) + spent.tv_nsec;
}

CASE_WITHIN(idle_loops_and_pools_take_no_turn_and_no_time,
            IDLE_S + UNIT_DEADLINE_S)
{
    weir_pool *pool = begin_pool();
    int64_t used_ns;
    static struct sleeper sleepers[2];
    struct usage before[2];
    weir_metrics metrics[2];

    begin(&sleepers[0], WEIR_FAST_PATH_FORCED);
    begin(&sleepers[1], WEIR_FAST_PATH_AUTO);
    expect_status(weir_fd_add(sleepers[1].loop, event_open(0), WEIR_READABLE,
                              ignore_fd_end, NULL),
                  0);
    for (int i = 0; i < 2; i++) {
        expect_status(weir_timer_start(sleepers[i].loop, NULL, HOUR_NS,
                                       WEIR_ONCE, ignore_end, NULL),
                      0);
        before[i] = ask(&sleepers[i]);
        await_sleep(&sleepers[i]);
        metrics[i] = metrics_of(&sleepers[i]);
    }
    used_ns = processor_ns();
    let_time_pass();
    used_ns = processor_ns() - used_ns;
    /* ThreadSanitizer has a thread of its own, which wakes up. */
    expect(used_ns < (IS_THREAD_SANITIZED ? IDLE_S : 1) * MILLISECOND_NS);
    expect_int(stats_of(pool).sleeps, WORKERS);
    expect_status(weir_pool_shutdown(pool, -1), 0);
    expect_status(weir_pool_free(pool), 0);
    for (int i = 0; i < 2; i++) {
        expect_int(metrics_of(&sleepers[i]).turns, metrics[i].turns);
        expect_int(weir_loop_state(sleepers[i].loop), WEIR_LOOP_SLEEPING);
        expect_idle(&sleepers[i], before[i]);
        await_sleep(&sleepers[i]);
        expect(metrics_of(&sleepers[i]).asleep_ns - metrics[i].asleep_ns >=
               (IDLE_S - 1) * UINT64_C(1000000000));
        end(&sleepers[i]);
    }
}
