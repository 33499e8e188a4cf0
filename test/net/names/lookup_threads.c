/* SPDX-License-Identifier: MIT */
/*
 * The threads of lookups: how many there are, pools and lanes of the caller,
 * children of fork(), and loops that share them.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "getaddrinfo.h"
#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/suite.h"
#include "weir/net/lookup.h"

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||           \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { IS_SANITIZED = true };
#else
enum { IS_SANITIZED = false };
#endif

#define OPTIONS(...)                                                           \
    (&(weir_lookup_options){.size = sizeof(weir_lookup_options), __VA_ARGS__})

static weir_pool *pool;

static void pool_make(uint32_t workers, uint32_t max_workers)
{
    weir_pool_options options = {.size = sizeof(options),
                                 .workers = workers,
                                 .max_workers = max_workers};

    expect_status(weir_pool_new(&pool, &options), 0);
}

static void pool_end(void)
{
    expect_status(weir_pool_shutdown(pool, -1), 0);
    expect_status(weir_pool_free(pool), 0);
}

struct answer {
    unsigned calls;
    int status;
    size_t count;
};

static void answered(void *arg, int status, const weir_lookup_result *result)
{
    struct answer *answer = arg;

    answer->calls++;
    answer->status = status;
    answer->count = result->count;
}

static void start(struct answer *answer, const char *host,
                  const weir_lookup_options *options)
{
    expect_status(
        weir_lookup_start(loop, NULL, host, 80, answered, answer, options), 0);
}

/* Run the loop until a lookup has been answered. */
static void await_answer(const struct answer *answer)
{
    while (answer->calls == 0)
        expect_status(weir_loop_step(loop, -1), 0);
}

CASE(lookup_is_answered_while_others_are_stuck)
{
    enum { STUCK = WEIR_LOOKUP_THREADS - 1 };
    struct answer stuck[STUCK] = {0}, answer = {0};

    stuck_open();
    loop_make(NULL);
    for (unsigned i = 0; i < STUCK; i++) {
        start(&stuck[i], "stuck.test", NULL);
        stuck_await(1);
    }
    start(&answer, "two.test", NULL);
    await_answer(&answer);
    expect_status(answer.status, 0);
    stuck_release(STUCK);
    loop_end();
    for (unsigned i = 0; i < STUCK; i++)
        expect_int(stuck[i].calls, 1);
    expect_status(weir_lookup_end_threads(), 0);
}

CASE(lookup_beyond_the_last_thread_waits_for_one)
{
    struct answer stuck[WEIR_LOOKUP_THREADS] = {0}, answer = {0};

    stuck_open();
    loop_make(NULL);
    for (unsigned i = 0; i < WEIR_LOOKUP_THREADS; i++) {
        start(&stuck[i], "stuck.test", NULL);
        stuck_await(1);
    }
    start(&answer, "two.test", NULL);
    loop_turns(3);
    expect_int(answer.calls, 0);
    expect_int(blocking_count(), WEIR_LOOKUP_THREADS);
    stuck_release(1);
    await_answer(&answer);
    expect_status(answer.status, 0);
    stuck_release(WEIR_LOOKUP_THREADS - 1);
    loop_end();
    expect_status(weir_lookup_end_threads(), 0);
}

/* One that has not begun is not even passed to getaddrinfo. */
CASE(lookup_that_is_cancelled_before_it_begins_is_never_made)
{
    struct answer answer = {0}, stuck = {0};
    weir_lookup *lookup;

    stuck_open();
    loop_make(NULL);
    pool_make(1, 1);
    start(&stuck, "stuck.test", OPTIONS(.pool = pool));
    stuck_await(1);
    expect_status(weir_lookup_start(loop, &lookup, "two.test", 80, answered,
                                    &answer, OPTIONS(.pool = pool)),
                  0);
    expect_status(weir_lookup_cancel(lookup), 0);
    await_answer(&answer);
    expect_status(answer.status, WEIR_ECANCELED);
    stuck_release(1);
    await_answer(&stuck);
    pool_end();
    expect_int(blocking_count(), 1);
    loop_end();
}

CASE(lookup_runs_on_the_pool_and_in_the_lane_of_the_caller)
{
    struct answer stuck[2] = {0}, other = {0};
    weir_pool_stats stats = {.size = sizeof(stats)};
    weir_lane *lane;

    stuck_open();
    loop_make(NULL);
    pool_make(2, 8);
    expect_status(weir_lane_new(&lane, pool, "dns", 1), 0);
    start(&stuck[0], "stuck.test", OPTIONS(.pool = pool, .lane = lane));
    start(&stuck[1], "stuck.test", OPTIONS(.pool = pool, .lane = lane));
    stuck_await(1);
    start(&other, "two.test", OPTIONS(.pool = pool));
    await_answer(&other);
    expect_int(blocking_count(), 2);
    stuck_release(2);
    await_answer(&stuck[0]);
    await_answer(&stuck[1]);
    expect_status(stuck[1].status, 0);
    expect_status(weir_pool_look(pool, &stats), 0);
    expect_int(stats.ran, 3);
    loop_end();
    pool_end();
}

CASE(lookup_in_a_lane_of_another_pool_is_refused)
{
    struct answer answer = {0};
    weir_pool *other;
    weir_lane *lane;

    loop_make(NULL);
    pool_make(1, 1);
    expect_status(weir_pool_new(&other, NULL), 0);
    expect_status(weir_lane_new(&lane, other, "dns", 1), 0);
    expect_status(weir_lookup_start(loop, NULL, "two.test", 80, answered,
                                    &answer,
                                    OPTIONS(.pool = pool, .lane = lane)),
                  -EINVAL);
    loop_run();
    expect_int(answer.calls, 0);
    expect_status(weir_pool_free(other), 0);
    loop_end();
    pool_end();
}

CASE(lookup_on_a_pool_that_ends_is_refused_or_cancelled)
{
    struct answer answer = {0}, refused = {0}, stuck = {0};

    stuck_open();
    loop_make(NULL);
    pool_make(1, 1);
    start(&stuck, "stuck.test", OPTIONS(.pool = pool));
    stuck_await(1);
    start(&answer, "two.test", OPTIONS(.pool = pool));
    expect_status(weir_pool_close(pool, 0), -ETIMEDOUT);
    expect_status(weir_lookup_start(loop, NULL, "two.test", 80, answered,
                                    &refused, OPTIONS(.pool = pool)),
                  WEIR_ECLOSED);
    stuck_release(1);
    await_answer(&answer);
    expect_status(answer.status, WEIR_ECANCELED);
    loop_end();
    expect_int(refused.calls, 0);
    expect_status(weir_pool_free(pool), 0);
}

static void end_inside(void *arg, int status)
{
    *(int *)arg = weir_lookup_end_threads();
}

CASE(lookup_threads_end_and_start_again)
{
    struct answer answer = {0}, again = {0};
    int status = 1;

    loop_make(NULL);
    expect_status(weir_lookup_end_threads(), 0);
    start(&answer, "two.test", NULL);
    await_answer(&answer);
    expect_status(weir_loop_submit(loop, end_inside, &status), 0);
    while (status == 1)
        expect_status(weir_loop_step(loop, -1), 0);
    /* covers: weir_lookup_end_threads -EDEADLK */
    expect_status(status, -EDEADLK);
    loop_end();
    expect_status(weir_lookup_end_threads(), 0);
    expect_status(weir_lookup_end_threads(), 0);
    loop_make(NULL);
    start(&again, "two.test", NULL);
    await_answer(&again);
    expect_status(again.status, 0);
    loop_end();
    expect_status(weir_lookup_end_threads(), 0);
}

CASE(lookup_in_a_child_of_fork_has_its_own_threads)
{
    struct answer answer = {0}, refused = {0};
    int status;
    pid_t child;

    /* ThreadSanitizer starts no threads after fork(), and AddressSanitizer of
     * gcc 12 may leave its allocator locked there. */
    if (IS_SANITIZED)
        skip_case("sanitizers do not support fork() beside threads");
    loop_make(NULL);
    start(&answer, "two.test", NULL);
    await_answer(&answer);
    child = fork();
    if (child == 0) {
        struct answer own = {0};

        /* covers: weir_lookup_start WEIR_EFORKED */
        expect_status(weir_lookup_start(loop, NULL, "two.test", 80, answered,
                                        &refused, NULL),
                      WEIR_EFORKED);
        expect_status(weir_loop_free(loop), 0);
        loop_make(NULL);
        start(&own, "two.test", NULL);
        await_answer(&own);
        expect_status(own.status, 0);
        loop_end();
        expect_status(weir_lookup_end_threads(), 0);
        _exit(refused.calls == 0 ? 7 : 8);
    }
    expect_int(waitpid(child, &status, 0), child);
    expect(WIFEXITED(status));
    expect_int(WEXITSTATUS(status), 7);
    loop_end();
    expect_status(weir_lookup_end_threads(), 0);
}

/* ---- many loops, many lookups ---- */

enum { LOOPS = 3, LOOKUPS = 400 };

struct storm {
    weir_loop *loop;
    struct random random;
    unsigned started, called;
    uint64_t taken[3]; /* found, failed, cancelled or timed out */
    weir_lookup *last;
    pthread_t thread;
};

static void on_storm(void *arg, int status, const weir_lookup_result *result)
{
    struct storm *storm = arg;

    storm->called++;
    storm->last = NULL;
    storm->taken[status == 0 ? 0 : status == WEIR_ENAME ? 1 : 2]++;
    expect(status == 0 || status == WEIR_ENAME || status == WEIR_ECANCELED ||
           status == -ETIMEDOUT);
    if (status == 0 && random_below(&storm->random, 2) == 0)
        weir_lookup_result_free(weir_lookup_result_take(result));
}

static void start_storm(void *arg, int status)
{
    static const char *const hosts[] = {"two.test", "eai.-2", "localhost",
                                        "::1"};
    struct storm *storm = arg;
    weir_lookup *lookup;

    if (status != 0 || storm->started == LOOKUPS)
        return;
    expect_status(
        weir_lookup_start(
            storm->loop, &lookup, hosts[random_below(&storm->random, 4)], 80,
            on_storm, storm,
            OPTIONS(.timeout_ns =
                        random_below(&storm->random, 4) == 0
                            ? (int64_t)random_below(&storm->random, 100000)
                            : 0)),
        0);
    storm->started++;
    if (random_below(&storm->random, 4) == 0)
        weir_lookup_cancel(lookup);
    expect_status(weir_loop_immediate(storm->loop, start_storm, storm), 0);
}

static void *run_storm(void *arg)
{
    struct storm *storm = arg;

    for (int i = 0; i < 4; i++)
        expect_status(weir_loop_submit(storm->loop, start_storm, storm), 0);
    expect_status(weir_loop_run(storm->loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_int(storm->called, LOOKUPS);
    storm->started = 0;
    start_storm(storm, 0);
    expect_status(random_below(&storm->random, 2) == 0
                      ? weir_loop_close(storm->loop, -1)
                      : weir_loop_shutdown(storm->loop, -1),
                  0);
    expect_int(storm->called, LOOKUPS + storm->started);
    expect_status(weir_loop_free(storm->loop), 0);
    return NULL;
}

CASE(lookups_of_many_loops_are_answered_exactly_once)
{
    static struct storm storms[LOOPS];
    static uint64_t taken[3];
    struct failing_allocator memory;
    uint64_t seed = random_seed();

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    for (unsigned i = 0; i < LOOPS; i++) {
        storms[i].random.state = seed + i;
        expect_status(weir_loop_new(&storms[i].loop, NULL), 0);
        expect_int(
            pthread_create(&storms[i].thread, NULL, run_storm, &storms[i]), 0);
    }
    for (unsigned i = 0; i < LOOPS; i++) {
        expect_int(pthread_join(storms[i].thread, NULL), 0);
        for (unsigned j = 0; j < 3; j++)
            taken[j] += storms[i].taken[j];
    }
    expect_all_taken(taken);
    expect_status(weir_lookup_end_threads(), 0);
    expect_int(memory.live, 0);
    expect_int(memory.live_bytes, 0);
}
