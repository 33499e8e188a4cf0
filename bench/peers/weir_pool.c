/* SPDX-License-Identifier: MIT */
/*
 * weir_pool -- weir's own.
 *
 * fib: the job and its group lie on the stack of who spawns.  empty, trip: jobs
 * in an array (post), or a function (submit), whose storage is weir's; trip also
 * as promises.
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "pool.h"
#include "weir/group.h"
#include "weir/pool.h"
#include "weir/promise.h"
#include "weir/version.h"

static weir_pool *pool;
static weir_job *jobs;

static void must(int status, const char *what)
{
    if (status != 0)
        bench_fail(what);
}

void *pool_calloc(uint64_t count, size_t size)
{
    void *memory = malloc(count * size + 1);

    if (memory == NULL)
        bench_fail("no memory");
    return memset(memory, 0, count * size);
}

static void open_pool(uint64_t count)
{
    jobs = pool_calloc(count, sizeof(*jobs));
    must(weir_pool_new(&pool,
                       &(weir_pool_options){.size = sizeof(weir_pool_options),
                                            .workers = POOL_THREADS}),
         "weir_pool_new");
}

static void close_pool(void)
{
    must(weir_pool_free(pool), "weir_pool_free");
    free(jobs);
}

struct node {
    weir_job job;
    int n;
    uint64_t result;
};

static uint64_t fib(int n);

static void run_node(weir_job *job, int status)
{
    struct node *node = (struct node *)job;

    node->result = fib(node->n);
}

static uint64_t fib(int n)
{
    struct node other;
    weir_group group;
    uint64_t mine;

    if (n < 2)
        return (uint64_t)n;
    other = (struct node){.job = {.run = run_node}, .n = n - 1};
    weir_group_init(&group, pool);
    must(weir_group_spawn(&group, &other.job), "weir_group_spawn");
    mine = fib(n - 2);
    must(weir_group_wait(&group), "weir_group_wait");
    return mine + other.result;
}

static uint64_t fib_from_outside(int n)
{
    struct node top = {.job = {.run = run_node}, .n = n};
    weir_group group;

    weir_group_init(&group, pool);
    must(weir_group_spawn(&group, &top.job), "weir_group_spawn");
    must(weir_group_wait(&group), "weir_group_wait");
    return top.result;
}

static void nothing(weir_job *job, int status)
{
}

static void post_empty(uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        jobs[i].run = nothing;
        must(weir_pool_post(pool, &jobs[i]), "weir_pool_post");
    }
    must(weir_pool_shutdown(pool, -1), "weir_pool_shutdown");
}

static void call_nothing(void *arg, int status)
{
}

static void submit_empty(uint64_t count)
{
    for (; count > 0; count--)
        must(weir_pool_submit(pool, call_nothing, NULL, NULL),
             "weir_pool_submit");
    must(weir_pool_shutdown(pool, -1), "weir_pool_shutdown");
}

/* ---- steals ---- */

static uint64_t steals;
static weir_job owner;
static _Atomic uint64_t stolen; /* written by the other worker alone */

static void be_stolen(weir_job *job, int status)
{
    atomic_store_explicit(
        &stolen, atomic_load_explicit(&stolen, memory_order_relaxed) + 1,
        memory_order_release);
}

static void own(weir_job *job, int status)
{
    for (uint64_t i = 0; i < steals; i++) {
        jobs[i].run = be_stolen;
        must(weir_pool_post(pool, &jobs[i]), "weir_pool_post");
    }
    while (atomic_load_explicit(&stolen, memory_order_acquire) != steals)
        sched_yield();
}

static void steal(uint64_t count)
{
    weir_pool_stats stats = {.size = sizeof(stats)};

    steals = count;
    owner.run = own;
    must(weir_pool_post(pool, &owner), "weir_pool_post");
    must(weir_pool_shutdown(pool, -1), "weir_pool_shutdown");
    must(weir_pool_look(pool, &stats), "weir_pool_look");
    if (stats.stolen < count)
        bench_fail("jobs were not stolen");
}

/* ---- to the pool and back ---- */

static weir_loop *loop;
static uint64_t to_send, to_come;

static void came_back(void)
{
    if (--to_come == 0)
        (void)!weir_loop_shutdown(loop, 0); /* begins it */
}

/* post: a job there, a task back. */

struct parcel {
    weir_job job; /* first */
    weir_task task;
};

static struct parcel parcels[POOL_DEPTH];

static void post_parcel(struct parcel *parcel);

static void parcel_is_back(weir_task *task, int status)
{
    came_back();
    if (to_send > 0)
        post_parcel(
            (struct parcel *)((char *)task - offsetof(struct parcel, task)));
}

static void return_parcel(weir_job *job, int status)
{
    struct parcel *parcel = (struct parcel *)job;

    parcel->task.run = parcel_is_back;
    must(weir_loop_post(loop, &parcel->task), "weir_loop_post");
}

static void post_parcel(struct parcel *parcel)
{
    to_send--;
    parcel->job.run = return_parcel;
    must(weir_pool_post(pool, &parcel->job), "weir_pool_post");
}

static void post_trip(int i)
{
    post_parcel(&parcels[i]);
}

/* submit: a function there, another one back. */

static void submit_trip(int i);

static void function_is_back(void *arg, int status)
{
    came_back();
    if (to_send > 0)
        submit_trip(0);
}

static void submit_back(void *arg, int status)
{
    must(weir_loop_submit(loop, function_is_back, arg), "weir_loop_submit");
}

static void submit_trip(int i)
{
    to_send--;
    must(weir_pool_submit(pool, submit_back, NULL, NULL), "weir_pool_submit");
}

/* promisify: a promise, and its handler. */

static void promisify_trip(int i);

static int block(void *arg, weir_value *value)
{
    return 0;
}

static weir_result promise_is_back(void *arg, const weir_value *value)
{
    came_back();
    if (to_send > 0)
        promisify_trip(0);
    return weir_give(weir_value_of(NULL, NULL));
}

static void promisify_trip(int i)
{
    weir_promise *promise;

    to_send--;
    must(weir_promisify(&promise, loop, pool, block, NULL, NULL, NULL),
         "weir_promisify");
    must(weir_promise_then(promise, promise_is_back, NULL, NULL, NULL),
         "weir_promise_then");
    weir_promise_unref(promise);
}

static void begin_trip(void *arg, int status)
{
    for (int i = 0; i < POOL_DEPTH; i++)
        (*(void (**)(int))arg)(i);
}

static void trip(uint64_t count, void (*send)(int i))
{
    must(weir_loop_new(&loop, NULL), "weir_loop_new");
    to_send = to_come = count;
    must(weir_loop_submit(loop, begin_trip, &send), "weir_loop_submit");
    must(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), "weir_loop_run");
    if (to_come != 0)
        bench_fail("the loop has ended early");
    must(weir_loop_free(loop), "weir_loop_free");
}

static void trip_by_post(uint64_t count)
{
    trip(count, post_trip);
}

static void trip_by_submit(uint64_t count)
{
    trip(count, submit_trip);
}

static void trip_by_promisify(uint64_t count)
{
    trip(count, promisify_trip);
}

#define TITLE "weir " WEIR_VERSION

const struct pool_kind pool_weir_post = {
    TITLE, open_pool,    fib_from_outside, post_empty,
    steal, trip_by_post, close_pool};
const struct pool_kind pool_weir_submit = {.title = TITLE,
                                           .open = open_pool,
                                           .empty = submit_empty,
                                           .trip = trip_by_submit,
                                           .close = close_pool};
const struct pool_kind pool_weir_promisify = {.title = TITLE,
                                              .open = open_pool,
                                              .trip = trip_by_promisify,
                                              .close = close_pool};
