/* SPDX-License-Identifier: MIT */
/*
 * pool -- jobs are called once, on workers, in the order that is promised.
 */
#include <stdlib.h>

#include "support/pool_fixture.h"

/* ---- made and freed ---- */

CASE(pool_of_the_defaults_has_a_worker_for_each_core)
{
    cpu_set_t cores;

    expect_int(sched_getaffinity(0, sizeof(cores), &cores), 0);
    expect_status(weir_pool_new(&pool, NULL), 0);
    expect_int(pool_stats().workers, CPU_COUNT(&cores));
    expect_status(weir_pool_free(pool), 0);
    expect_status(weir_pool_free(NULL), 0);
}

/* covers: weir_pool_new -EINVAL */
CASE(pool_new_refuses_options_that_make_no_sense)
{
    weir_pool_options options = {.size = sizeof(options)};

    expect_status(weir_pool_new(NULL, NULL), -EINVAL);
    options.size = 0;
    expect_status(weir_pool_new(&pool, &options), -EINVAL);
    options.size = sizeof(options);
    options.workers = WEIR_POOL_LIMIT + 1;
    expect_status(weir_pool_new(&pool, &options), -EINVAL);
    options.workers = 2;
    options.max_workers = 1;
    expect_status(weir_pool_new(&pool, &options), -EINVAL);
    options.max_workers = WEIR_POOL_LIMIT + 1;
    expect_status(weir_pool_new(&pool, &options), -EINVAL);
}

CASE(pool_has_no_more_workers_than_its_maximum)
{
    pool_make(.max_workers = 1); /* on any number of cores */
    expect_int(pool_stats().workers, 1);
    expect_status(weir_pool_free(pool), 0);
}

/* ---- post ---- */

static sem_t called;

static void see_pool(void *arg, int status)
{
    expect_status(status, 0);
    expect(weir_pool_current() == pool);
    *(int *)arg += 1;
    sem_post(&called);
}

CASE(pool_submit_calls_the_function_on_a_worker_once)
{
    int calls = 0;

    sem_init(&called, 0, 0);
    pool_make(.workers = 2);
    expect(weir_pool_current() == NULL);
    expect_status(weir_pool_submit(pool, see_pool, &calls, NULL), 0);
    wait_for(&called);
    expect_int(calls, 1);
    pool_end();
    expect_int(calls, 1);
}

CASE(pool_post_from_outside_begins_in_order_with_one_worker)
{
    static struct letter letters[26];
    struct stopper before, after;

    pool_make(.workers = 1);
    stopper_post(&before, NULL);
    for (unsigned round = 0; round < 100; round++) {
        for (int i = 0; i < 26; i++)
            expect_status(
                weir_pool_post(pool, letter(&letters[i], (char)('a' + i), 0)),
                0);
        stopper_release(&before);
        stopper_post(&after, NULL);
        expect_recorded("abcdefghijklmnopqrstuvwxyz");
        stopper_init(&before, NULL);
        expect_status(weir_pool_post(pool, &before.job), 0);
        stopper_release(&after);
        wait_for(&before.begun);
    }
    stopper_release(&before);
    pool_end();
}

/* covers: weir_pool_post -EINVAL
 * covers: weir_pool_submit -EINVAL */
CASE(pool_refuses_jobs_that_are_not_in_order)
{
    weir_pool *other;
    weir_lane *lane;
    weir_job job = {.run = letter_run};

    pool_make(.workers = 1);
    expect_status(weir_pool_new(&other, NULL), 0);
    expect_status(weir_lane_new(&lane, other, "other", 1), 0);
    expect_status(weir_pool_post(NULL, &job), -EINVAL);
    expect_status(weir_pool_post(pool, NULL), -EINVAL);
    job.priority = (weir_priority)WEIR_PRIORITY_COUNT;
    expect_status(weir_pool_post(pool, &job), -EINVAL);
    job.priority = WEIR_PRIORITY_LOW;
    job.lane = lane;
    expect_status(weir_pool_post(pool, &job), -EINVAL);
    job.lane = NULL;
    job.run = NULL;
    expect_status(weir_pool_post(pool, &job), -EINVAL);
    expect_status(weir_pool_submit(NULL, see_pool, NULL, NULL), -EINVAL);
    expect_status(weir_pool_submit(pool, NULL, NULL, NULL), -EINVAL);
    expect_status(weir_pool_submit(pool, see_pool, NULL,
                                   &(weir_submit_options){.size = 1}),
                  -EINVAL);
    expect_status(
        weir_pool_submit(pool, see_pool, NULL, SUBMIT_OPTIONS(.lane = lane)),
        -EINVAL);
    expect_int(pool_stats().ran, 0);
    expect_status(weir_pool_free(other), 0);
    pool_end();
}

/* ---- jobs that post ---- */

static struct letter inner[3];

static void post_inner(weir_job *job, int status)
{
    letter_run(job, status);
    for (int i = 0; i < 3; i++)
        expect_status(
            weir_pool_post(pool, letter(&inner[i], (char)('x' + i), 0)), 0);
}

CASE(pool_worker_takes_what_its_jobs_post_newest_first)
{
    struct letter first = {.job = {.run = post_inner}, .letter = 'a'}, second;
    struct stopper stopper;

    pool_make(.workers = 1);
    stopper_post(&stopper, NULL);
    expect_status(weir_pool_post(pool, &first.job), 0);
    expect_status(weir_pool_post(pool, letter(&second, 'b', 0)), 0);
    stopper_release(&stopper);
    pool_end();
    expect_recorded("azyxb");
}

/* A job that is blocked until its own jobs have begun needs thieves. */
static struct stopper stuck[2];

static void post_and_wait(void *arg, int status)
{
    expect_status(status, 0);
    for (int i = 0; i < 2; i++) {
        stopper_init(&stuck[i], NULL);
        expect_status(weir_pool_post(pool, &stuck[i].job), 0);
    }
    for (int i = 0; i < 2; i++) {
        wait_for(&stuck[i].begun);
        stopper_release(&stuck[i]);
    }
    sem_post(&called);
}

CASE(pool_jobs_of_a_busy_worker_are_stolen_and_counted)
{
    sem_init(&called, 0, 0);
    pool_make(.workers = 3);
    expect_status(weir_pool_submit(pool, post_and_wait, NULL, NULL), 0);
    wait_for(&called);
    pool_end();
}

CASE(pool_counts_what_it_does)
{
    struct stopper stopper;
    weir_pool_stats stats;

    sem_init(&called, 0, 0);
    pool_make(.workers = 2);
    expect_status(weir_pool_submit(pool, post_and_wait, NULL, NULL), 0);
    wait_for(&called);
    stopper_post(&stopper, NULL);
    stopper_release(&stopper);
    expect_status(weir_pool_shutdown(pool, -1), 0);
    stats = pool_stats();
    expect_int(stats.ran, 4);
    expect_int(stats.cancelled, 0);
    expect(stats.stolen >= 2);
    expect_int(stats.workers, 0);
    expect_int(stats.queued, 0);
    expect_status(weir_pool_free(pool), 0);
}

/* covers: weir_pool_look -EINVAL */
CASE(pool_look_refuses_what_it_does_not_know)
{
    weir_pool_stats stats = {.size = sizeof(stats)};

    pool_make(.workers = 1);
    expect_status(weir_pool_look(NULL, &stats), -EINVAL);
    expect_status(weir_pool_look(pool, NULL), -EINVAL);
    stats.size = 0;
    expect_status(weir_pool_look(pool, &stats), -EINVAL);
    pool_end();
}

/* ---- priorities ---- */

CASE(pool_takes_high_before_normal_before_low)
{
    static struct letter letters[6];
    struct stopper stopper;

    pool_make(.workers = 1);
    stopper_post(&stopper, NULL);
    for (int i = 0; i < 2; i++) {
        expect_status(
            weir_pool_post(pool, letter(&letters[i], 'L', WEIR_PRIORITY_LOW)),
            0);
        expect_status(weir_pool_post(pool, letter(&letters[2 + i], 'N',
                                                  WEIR_PRIORITY_NORMAL)),
                      0);
        expect_status(weir_pool_post(pool, letter(&letters[4 + i], 'H',
                                                  WEIR_PRIORITY_HIGH)),
                      0);
    }
    stopper_release(&stopper);
    pool_end();
    expect_recorded("HHNNLL");
}

/* The longest run of letters without this one, while there are any. */
static size_t longest_without(char letter)
{
    size_t longest = 0, run = 0, last = 0;

    for (size_t i = 0; i < recorded_size; i++)
        if (recorded[i] == letter)
            last = i;
    for (size_t i = 0; i < last; i++) {
        run = recorded[i] == letter ? 0 : run + 1;
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* A flood of HIGH, from outside or from a worker: the others come through, and
 * of each FAIRNESS picks one is theirs. */
static struct letter flood[4000], few[3][40];

static void post_flood(void)
{
    for (int i = 0; i < 40; i++) {
        expect_status(
            weir_pool_post(pool, letter(&few[0][i], 'L', WEIR_PRIORITY_LOW)),
            0);
        expect_status(
            weir_pool_post(pool, letter(&few[1][i], 'N', WEIR_PRIORITY_NORMAL)),
            0);
    }
    for (int i = 0; i < 4000; i++)
        expect_status(
            weir_pool_post(pool, letter(&flood[i], 'H', WEIR_PRIORITY_HIGH)),
            0);
}

static void expect_fair(void)
{
    expect_int(recorded_size, 4080);
    expect_int(longest_without('L'), WEIR_POOL_FAIRNESS - 1);
    expect_int(longest_without('N'), WEIR_POOL_FAIRNESS - 1);
}

CASE(pool_starves_nobody_of_what_came_from_outside)
{
    struct stopper stopper;

    pool_make(.workers = 1);
    stopper_post(&stopper, NULL);
    post_flood();
    stopper_release(&stopper);
    pool_end();
    expect_fair();
}

static void flood_from_inside(void *arg, int status)
{
    expect_status(status, 0);
    post_flood();
}

CASE(pool_starves_nobody_of_what_a_worker_has)
{
    pool_make(.workers = 1);
    expect_status(weir_pool_submit(pool, flood_from_inside, NULL, NULL), 0);
    pool_end();
    expect_fair();
}

/* ---- storage of submit ---- */

static void count_call(void *arg, int status)
{
    expect_status(status, 0);
    __atomic_fetch_add((uint64_t *)arg, 1, __ATOMIC_RELAXED);
}

CASE(pool_submit_calls_all_of_many)
{
    uint64_t calls = 0;

    pool_make(.workers = 2);
    for (int i = 0; i < 20000; i++)
        expect_status(weir_pool_submit(pool, count_call, &calls, NULL), 0);
    pool_end();
    expect_int(calls, 20000);
}

static void submit_chain(void *arg, int status)
{
    int *left = arg;

    expect_status(status, 0);
    if (--*left > 0)
        expect_status(weir_pool_submit(pool, submit_chain, left, NULL), 0);
}

CASE(pool_submit_from_inside_goes_on_during_a_shutdown)
{
    int left = 10000;

    pool_make(.workers = 2);
    expect_status(weir_pool_submit(pool, submit_chain, &left, NULL), 0);
    pool_end();
    expect_int(left, 0);
}
