/* SPDX-License-Identifier: MIT */
/*
 * origin -- where what is in flight was submitted: in debug builds the report
 * says so, and others have nothing.
 */
#include "base/origin.h"

#include <semaphore.h>
#include <string.h>
#include <unistd.h>

#include "support/pool_fixture.h"
#include "support/suite.h"
#include "weir/clock.h"
#include "weir/fd.h"
#include "weir/group.h"
#include "weir/timer.h"

enum { CAPACITY = 16 };

static weir_loop *loop;

static weir_holder holders[CAPACITY];

/* The one that runs, or waits, of two or more. */
static const weir_holder *find_one(size_t count, bool is_running)
{
    for (size_t i = 0; i < count; i++)
        if (holders[i].is_running == is_running)
            return &holders[i];
    return NULL;
}

#if WEIR__ORIGINS

/* The calls that are looked for are made by separate functions.  An origin is
 * in the last of them that begins before it. */
#define SPOT __attribute__((noinline))

SPOT static void submit_here(void);
SPOT static void post_here(void);
SPOT static void look_here(void);
SPOT static void block_here(void);
SPOT static void submit_to_pool_here(void);
SPOT static void spawn_here(void);
SPOT static void start_here(void);
SPOT static void start_at_here(void);
SPOT static void watch_here(void);

static bool is_in(const void *from, void (*spot)(void))
{
    static void (*const spots[])(void) = {
        submit_here, post_here,  look_here,     block_here, submit_to_pool_here,
        spawn_here,  start_here, start_at_here, watch_here};
    uintptr_t best = 0;

    for (size_t i = 0; i < sizeof(spots) / sizeof(spots[0]); i++)
        if ((uintptr_t)spots[i] < (uintptr_t)from && (uintptr_t)spots[i] > best)
            best = (uintptr_t)spots[i];
    return best == (uintptr_t)spot;
}

static void nothing(void *arg, int status)
{
}

SPOT static void submit_here(void)
{
    expect_status(weir_loop_submit(loop, nothing, NULL), 0);
    __asm__ volatile("");
}

static weir_task posted[3];

static void run_nothing(weir_task *task, int status)
{
}

SPOT static void post_here(void)
{
    for (int i = 0; i < 3; i++) {
        posted[i].run = run_nothing;
        expect_status(weir_loop_post(loop, &posted[i]), 0);
    }
}

static size_t seen;

static void look(void *arg, int status)
{
    seen = weir_loop_report(loop, holders, CAPACITY, sizeof(weir_holder));
}

SPOT static void look_here(void)
{
    expect_status(weir_loop_submit(loop, look, NULL), 0);
    __asm__ volatile("");
}

CASE(origin_of_the_task_that_runs_and_of_those_that_wait)
{
    const weir_holder *waiting = NULL, *posts = NULL;

    expect_status(weir_loop_new(&loop, NULL), 0);
    look_here();
    submit_here();
    submit_here();
    post_here();
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_int(seen, 3);
    expect(is_in(find_one(seen, true)->from, look_here));
    for (size_t i = 0; i < seen; i++) {
        if (!holders[i].is_running && is_in(holders[i].from, submit_here))
            waiting = &holders[i];
        if (!holders[i].is_running && is_in(holders[i].from, post_here))
            posts = &holders[i];
    }
    expect(waiting != NULL && posts != NULL);
    expect_int(waiting->count, 2);
    expect_int(posts->count, 3);
    expect_int(weir_loop_report(loop, holders, CAPACITY, sizeof(weir_holder)),
               0);
    expect_status(weir_loop_free(loop), 0);
}

/* ---- timers and descriptors ---- */

static weir_timer timer;
static int pair[2];

static void look_as_descriptor(void *arg, int status, int fd, unsigned events)
{
    if (status != 0)
        return;
    seen = weir_loop_report(loop, holders, CAPACITY, sizeof(weir_holder));
    expect_status(weir_fd_remove(loop, fd, NULL, NULL), 0);
}

SPOT static void start_here(void)
{
    expect_status(weir_timer_start(loop, NULL, 0, WEIR_TIMER_ONCE, look, NULL),
                  0);
    __asm__ volatile("");
}

SPOT static void start_at_here(void)
{
    expect_status(weir_timer_start_at(loop, &timer, INT64_MAX, nothing, NULL),
                  0);
    __asm__ volatile("");
}

SPOT static void watch_here(void)
{
    expect_status(
        weir_fd_add(loop, pair[0], WEIR_FD_READABLE, look_as_descriptor, NULL),
        0);
    __asm__ volatile("");
}

static const weir_holder *find_kind(weir_kind kind)
{
    for (size_t i = 0; i < seen; i++)
        if (holders[i].kind == kind && !holders[i].is_running)
            return &holders[i];
    return NULL;
}

CASE(origin_of_timers_and_descriptors)
{
    expect(pipe(pair) == 0);
    expect_status(weir_loop_new(&loop, NULL), 0);
    start_here();
    start_at_here();
    watch_here();
    expect_status(weir_loop_step(loop, 0), 0); /* they come ... */
    expect_status(weir_loop_step(loop, 0), 0); /* ... and one fires */
    expect(is_in(find_one(seen, true)->from, start_here));
    expect(is_in(find_kind(WEIR_KIND_TIMER)->from, start_at_here));
    expect(is_in(find_kind(WEIR_KIND_FD)->from, watch_here));
    expect_status(weir_timer_cancel(loop, timer), 0);
    start_at_here(); /* not through the door: the loop is this thread's now */
    expect(write(pair[1], "x", 1) == 1);
    expect_status(weir_loop_step(loop, -1), 0);
    expect(is_in(find_one(seen, true)->from, watch_here));
    expect(is_in(find_kind(WEIR_KIND_TIMER)->from, start_at_here));
    expect_status(weir_timer_cancel(loop, timer), 0);
    expect_status(weir_loop_free(loop), 0);
    expect(close(pair[0]) == 0 && close(pair[1]) == 0);
}

/* It has begun before the end has. */
CASE(origin_build_knows_the_age_of_a_callback_that_runs)
{
    int64_t begun_ns = weir_clock_now();

    expect_status(weir_loop_new(&loop, NULL), 0);
    look_here();
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect(find_one(seen, true)->age_ns >= 0);
    expect(find_one(seen, true)->age_ns <= weir_clock_now() - begun_ns);
    expect_status(weir_loop_free(loop), 0);
}

static sem_t begun, go_on;

static void block(void *arg, int status)
{
    sem_post(&begun);
    wait_for(&go_on);
}

SPOT static void block_here(void)
{
    expect_status(weir_pool_submit(pool, block, NULL, NULL), 0);
    __asm__ volatile("");
}

SPOT static void submit_to_pool_here(void)
{
    expect_status(weir_pool_submit(pool, nothing, NULL, NULL), 0);
    __asm__ volatile("");
}

static weir_job job;

static void run_nothing_on_pool(weir_job *self, int status)
{
}

static weir_group group;

SPOT static void spawn_here(void)
{
    job.run = run_nothing_on_pool;
    weir_group_init(&group, pool);
    expect_status(weir_group_spawn(&group, &job), 0);
    __asm__ volatile("");
}

static void begin_blocked(void)
{
    sem_init(&begun, 0, 0);
    sem_init(&go_on, 0, 0);
    pool_make(.workers = 1);
    block_here();
    wait_for(&begun);
}

CASE(origin_of_jobs_is_reported_while_they_run_and_wait)
{
    size_t count, submits = 0, spawns = 0;

    begin_blocked();
    for (int i = 0; i < 5; i++)
        submit_to_pool_here();
    spawn_here();
    count = weir_pool_report(pool, holders, CAPACITY, sizeof(weir_holder));
    expect_int(count, 3);
    expect_int(weir_pool_report(pool, NULL, 0, sizeof(weir_holder)), 3);
    expect(is_in(find_one(count, true)->from, block_here));
    for (size_t i = 0; i < count; i++) {
        if (holders[i].is_running)
            continue;
        if (is_in(holders[i].from, submit_to_pool_here))
            submits += holders[i].count;
        if (is_in(holders[i].from, spawn_here))
            spawns += holders[i].count;
    }
    expect_int(submits, 5);
    expect_int(spawns, 1);
    sem_post(&go_on);
    expect_status(weir_group_wait(&group), 0);
    pool_end();
}

/* A refused one leaves nothing behind: neither there nor for the next call. */
CASE(origin_of_a_call_that_fails_is_forgotten)
{
    pool_make(.workers = 1);
    expect_status(weir_pool_shutdown(pool, -1), 0);
    expect_status(weir_pool_submit(pool, nothing, NULL, NULL), WEIR_ECLOSED);
    expect_int(weir_pool_report(pool, holders, CAPACITY, sizeof(weir_holder)),
               0);
    expect_status(weir_pool_free(pool), 0);
}

CASE(origin_forget_leaves_what_others_own)
{
    static char mine, others, one, other; /* two items, and their owners */
    const void *entered = weir__origin_enter(&mine);

    expect(weir__origin_note(&mine, &one, NULL));
    expect(weir__origin_note(&others, &other, NULL));
    weir__origin_forget(&one);
    expect(weir__origin_look(&mine) == NULL);
    expect(weir__origin_look(&others) == &mine);
    weir__origin_forget(&other);
    expect(weir__origin_look(&others) == NULL);
    weir__origin_end(&entered);
}

CASE(origin_has_a_name_for_addr2line)
{
    char text[256];
    char *plus;

    weir__origin_name((const char *)(uintptr_t)block_here + 5, text,
                      sizeof(text));
    plus = strrchr(text, '+');
    expect(plus != NULL && strncmp(plus, "+0x", 3) == 0);
    expect(strstr(text, "origin") != NULL); /* this program */
    weir__origin_name((const void *)1, text, sizeof(text));
    expect_string(text, "0x0");
}

/* More than the table has room for: those beyond are counted only, if at all.
 * */
CASE(origin_of_very_many_is_no_error)
{
    enum { MANY = 40000 };
    uint64_t sum = 0;
    size_t count;

    begin_blocked();
    for (int i = 0; i < MANY; i++)
        submit_to_pool_here();
    count = weir_pool_report(pool, holders, CAPACITY, sizeof(weir_holder));
    expect(count <= 3);
    for (size_t i = 0; i < count; i++)
        sum += holders[i].is_running ? 0 : holders[i].count;
    expect(sum > 10000 && sum <= MANY);
    sem_post(&go_on);
    expect_status(weir_pool_shutdown(pool, -1), 0);
    expect_int(weir_pool_report(pool, holders, CAPACITY, sizeof(weir_holder)),
               0);
    expect_int(pool_stats().ran, MANY + 1);
    expect_status(weir_pool_free(pool), 0);
}

#else

static size_t seen;

static void look(void *arg, int status)
{
    seen = weir_loop_report(loop, holders, CAPACITY, sizeof(weir_holder));
}

CASE(origin_is_unknown_in_release_builds_but_the_age_is_not)
{
    int64_t begun_ns = weir_clock_now();

    expect_status(weir_loop_new(&loop, NULL), 0);
    expect_status(weir_loop_submit(loop, look, NULL), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_int(seen, 1);
    expect(find_one(seen, true)->from == NULL);
    expect(find_one(seen, true)->age_ns >= 0);
    expect(find_one(seen, true)->age_ns <= weir_clock_now() - begun_ns);
    expect_status(weir_loop_free(loop), 0);
}

#endif

/* ---- posted twice ---- */

#if WEIR__ORIGINS
static void post_again(weir_task *task, int status)
{
    static int times;

    if (status == 0 && ++times < 3)
        expect_status(weir_loop_post(loop, task), 0);
}

CASE(origin_task_that_runs_or_was_refused_may_be_posted_again)
{
    weir_task task = {.run = post_again};

    expect_status(weir_loop_new(&loop, NULL), 0);
    expect_status(weir_loop_post(loop, &task), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(weir_loop_post(loop, &task), WEIR_ECLOSED);
    expect_status(weir_loop_post(loop, &task), WEIR_ECLOSED);
    expect_status(weir_loop_free(loop), 0);
}

CASE_ABORTS(origin_task_that_is_posted_twice_aborts, "submit.c",
            "weir_loop_post of a task that is posted already")
{
    weir_task task = {.run = run_nothing};

    expect_status(weir_loop_new(&loop, NULL), 0);
    expect_status(weir_loop_post(loop, &task), 0);
    expect_status(weir_loop_post(loop, &task), 0);
}

static weir_task twice = {.run = run_nothing};

static void post_twice(void *arg, int status)
{
    expect_status(weir_loop_post(loop, &twice), 0);
    expect_status(weir_loop_post(loop, &twice), 0);
}

CASE_ABORTS(origin_task_that_a_callback_posts_twice_aborts, "submit.c",
            "weir_loop_post of a task that is posted already")
{
    expect_status(weir_loop_new(&loop, NULL), 0);
    expect_status(weir_loop_submit(loop, post_twice, NULL), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
}

static void job_nothing(weir_job *posted_job, int status)
{
}

CASE_ABORTS(origin_job_that_is_posted_twice_aborts, "pool.h",
            "a job that is posted already")
{
    static weir_job again = {.run = job_nothing};
    struct stopper stopper;

    pool_make(.workers = 1);
    stopper_post(&stopper, NULL);
    expect_status(weir_pool_post(pool, &again), 0);
    expect_status(weir_pool_post(pool, &again), 0);
}
#endif
