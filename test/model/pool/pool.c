/* SPDX-License-Identifier: MIT */
/*
 * pool -- the whole of it, with model threads as its workers: each job that was
 * accepted is called once, nobody sleeps forever, and the pool finishes when
 * all is done.
 *
 * A worker's search is a hundred steps.  With one worker every interleaving with
 * so many preemptions is explored; with two there are too many, and some
 * thousands are drawn (PCT).  The parts are explored in full: deque, injector,
 * idle, group, and base/recycler.
 */
#include "pool/pool.h"

#include <errno.h>

#include "base/futex.h"
#include "model.h"
#include "spare.h"

static weir_pool *pool;

struct item {
    weir_job job;
    int payload; /* written before the post */
    int result;  /* written by the job, read by done */
    atomic(int) calls, cancelled;
    int children;
};

static struct item items[4];
static atomic(int) accepted;
static int done_calls;

static void on_done(void *arg, weir_pool *which, int status)
{
    model_assert(which == pool);
    for (int i = 0; i < 4; i++)
        model_assert(plain_load(&items[i].result) ==
                     load_relaxed(&items[i].calls));
    plain_store(&done_calls, plain_load(&done_calls) + 1);
}

static bool post(int i)
{
    plain_store(&items[i].payload, 1);
    if (weir_pool_post(pool, &items[i].job) != 0)
        return false;
    fetch_add_relaxed(&accepted, 1);
    return true;
}

static void run(weir_job *job, int status)
{
    struct item *item = (struct item *)job;

    model_assert(plain_load(&item->payload) == 1);
    plain_store(&item->result, 1);
    model_assert(ATOMIC_ADD(&item->calls, 1, __ATOMIC_RELAXED) == 0);
    for (int i = 1; i <= item->children; i++)
        (void)post((int)(item - items) + i);
}

static void init(uint32_t workers)
{
    weir_pool_options options = {.size = sizeof(options),
                                 .workers = workers,
                                 .max_workers = workers,
                                 .done = on_done};

    model_assert(weir__pool_make(&pool, &options) == 0);
    for (int i = 0; i < 4; i++)
        items[i].job.run = run;
    model_show(&pool->idle.word, "idle", NULL);
    model_show(&pool->finished, "finished", NULL);
}

static void init_one(void)
{
    init(1);
}

static void init_two(void)
{
    init(2);
}

static void init_with_children(void)
{
    init(2);
    items[0].children = 2;
}

/* Threads 0 and 1. */
static void worker(void)
{
    weir__worker_live(pool->worker[model_self()].v_);
}

static void post_and_shutdown(void)
{
    model_assert(post(0));
    model_assert(weir_pool_shutdown(pool, -1) == 0);
    model_assert(plain_load(&done_calls) == 1);
    model_assert(load_relaxed(&items[0].calls) == 1);
}

static void post_two_and_shutdown(void)
{
    items[1].job.priority = WEIR_PRIORITY_LOW;
    model_assert(post(0) && post(1));
    model_assert(weir_pool_shutdown(pool, -1) == 0);
}

static void post_and_close(void)
{
    (void)post(0);
    model_assert(weir_pool_close(pool, -1) == 0);
}

static void try_post(void)
{
    (void)post(3);
}

static void shutdown_it(void)
{
    model_assert(weir_pool_shutdown(pool, -1) == 0);
}

static void each_once(void)
{
    int calls = 0;

    for (int i = 0; i < 4; i++)
        calls += items[i].calls.v_;
    model_assert(calls == accepted.v_);
    model_assert(done_calls == 1);
    weir__pool_unmake(pool);
    pool = NULL;
}

/* ---- a group ---- */

static weir_group group;

static void run_child(weir_job *job, int status)
{
    struct item *item = (struct item *)job;

    model_assert(status == 0);
    plain_store(&item->payload, 2);
    plain_store(&item->result, 1);
    fetch_add_relaxed(&item->calls, 1);
}

static void run_parent(weir_job *job, int status)
{
    model_assert(status == 0);
    plain_store(&((struct item *)job)->result, 1);
    fetch_add_relaxed(&((struct item *)job)->calls, 1);
    weir_group_init(&group, pool);
    items[1].job.run = run_child;
    model_assert(weir_group_spawn(&group, &items[1].job) == 0);
    fetch_add_relaxed(&accepted, 1);
    model_assert(weir_group_wait(&group) == 0);
    model_assert(plain_load(&items[1].payload) == 2);
}

static void init_fork(void)
{
    init(2);
    items[0].job.run = run_parent;
}

/* ---- a lane ---- */

static weir_lane *lane;
static int inside; /* of the lane, plain: one at a time */

static void run_in_lane(weir_job *job, int status)
{
    if (status == 0)
        plain_store(&inside, plain_load(&inside) + 1);
    plain_store(&((struct item *)job)->result, 1);
    fetch_add_relaxed(&((struct item *)job)->calls, 1);
}

static void init_lane(void)
{
    init(2);
    model_assert(weir_lane_new(&lane, pool, "lane", 1) == 0);
    for (int i = 0; i < 2; i++) {
        items[i].job.run = run_in_lane;
        items[i].job.lane = lane;
    }
}

/* The lane is full, and a job waits in it. */
static void init_lane_with_a_waiter(void)
{
    init(1);
    model_assert(weir_lane_new(&lane, pool, "lane", 1) == 0);
    items[1].job.lane = lane;
    items[1].payload = 1;
    model_assert(weir__lane_enter(lane, &items[0].job));
    model_assert(!weir__lane_enter(lane, &items[1].job));
    set_unshared(&accepted, 1);
}

static void close_it(void)
{
    model_assert(weir_pool_close(pool, -1) == 0);
    model_assert(load_relaxed(&items[1].calls) == 1);
}

static void post_two_and_close(void)
{
    model_assert(post(0) && post(1));
    model_assert(weir_pool_close(pool, -1) == 0);
}

/* ---- jobs that need a worker each ---- */

/* A job waits for what another one does, as by a system call: it receives
 * nothing by that. */
struct flag {
    atomic(uint32_t) word;
};

static void raise_flag(struct flag *flag)
{
    store_relaxed(&flag->word, 1);
    weir__futex_wake_all(&flag->word, WEIR__FUTEX_PRIVATE);
}

static void await_flag(struct flag *flag)
{
    while (load_relaxed(&flag->word) == 0)
        (void)weir__futex_wait(&flag->word, 0, -1, WEIR__FUTEX_PRIVATE);
}

static void count_call(weir_job *job)
{
    plain_store(&((struct item *)job)->result, 1);
    fetch_add_relaxed(&((struct item *)job)->calls, 1);
}

static struct flag is_posted, has_come[2];

/* Until there are jobs at the door for whoever has run it. */
static void run_until_posted(weir_job *job, int status)
{
    model_assert(status == 0);
    count_call(job);
    await_flag(&is_posted);
}

/* Neither ends before the other has begun. */
static void run_and_meet(weir_job *job, int status)
{
    int i = (int)((struct item *)job - &items[1]);

    model_assert(status == 0);
    count_call(job);
    raise_flag(&has_come[i]);
    await_flag(&has_come[1 - i]);
}

static void init_to_meet(void)
{
    init(2);
    items[0].job.run = run_until_posted;
    items[1].job.run = run_and_meet;
    items[2].job.run = run_and_meet;
}

static void post_and_raise(int count)
{
    for (int i = 0; i < count; i++)
        model_assert(post(i));
    raise_flag(&is_posted);
    model_assert(weir_pool_shutdown(pool, -1) == 0);
}

/* Of two jobs at the door a worker takes one and leaves one. */
static void post_both(void)
{
    post_and_raise(3);
}

/* Of three it takes two: one is in its own queue then. */
static void post_both_and_another(void)
{
    post_and_raise(4);
}

static void spawn(int i)
{
    plain_store(&items[i].payload, 1);
    model_assert(weir_group_spawn(&group, &items[i].job) == 0);
    fetch_add_relaxed(&accepted, 1);
}

static void run_and_come(weir_job *job, int status)
{
    model_assert(status == 0);
    count_call(job);
    raise_flag(&has_come[(struct item *)job - &items[1]]);
}

/* The second one finds room in the queue, and the other worker asleep or not.
 */
static void run_and_spawn(weir_job *job, int status)
{
    model_assert(status == 0);
    count_call(job);
    weir_group_init(&group, pool);
    for (int i = 1; i <= 2; i++) {
        spawn(i);
        await_flag(&has_come[i - 1]);
    }
    model_assert(weir_group_wait(&group) == 0);
}

static void init_to_spawn(void)
{
    init(2);
    items[0].job.run = run_and_spawn;
    items[1].job.run = run_and_come;
    items[2].job.run = run_and_come;
}

/* By a thread that is no worker. */
static void spawn_and_shutdown(void)
{
    weir_group_init(&group, pool);
    spawn(0);
    model_assert(weir_group_wait(&group) == 0);
    model_assert(weir_pool_shutdown(pool, -1) == 0);
}

/* ---- seen from elsewhere while it grows ---- */

static void init_to_grow(void)
{
    weir_pool_options options = {
        .size = sizeof(options), .workers = 1, .max_workers = 2};

    model_assert(weir__pool_make(&pool, &options) == 0);
}

/* A worker that blocks makes another, which gets no thread here. */
static void grow(void)
{
    weir__thread_set_worker(pool->worker[0].v_);
    model_assert(weir_pool_blocking_begin(pool) == 0);
    model_assert(weir_pool_blocking_end(pool) == 0);
    model_assert(pool->made.v_ == 2);
}

static void make_lane(void)
{
    model_assert(weir_lane_new(&lane, pool, "lane", 1) == 0);
}

/* What it sees of a new worker or lane is what was made. */
static void look(void)
{
    weir_pool_stats stats = {.size = sizeof(stats)};

    model_assert(weir_pool_look(pool, &stats) == 0);
    model_assert(stats.queued == 0 && stats.ran == 0 && stats.stolen == 0);
    model_assert(weir_pool_report(pool, NULL, 0, sizeof(weir_holder)) == 0);
}

/* ---- workers with threads, which come and go ---- */

static struct flag is_blocked, may_return, is_answered;

static void run_answer(weir_job *job, int status)
{
    model_assert(status == 0);
    count_call(job);
    raise_flag(&is_answered);
}

static void run_long(weir_job *job, int status)
{
    model_assert(status == 0);
    count_call(job);
    model_assert(weir_pool_blocking_begin(pool) == 0);
    raise_flag(&is_blocked);
    await_flag(&may_return);
    model_assert(weir_pool_blocking_end(pool) == 0);
}

/* While it does not block there is one too many, who may go home.  While it
 * blocks again there must be somebody who answers. */
static void run_twice(weir_job *job, int status)
{
    model_assert(status == 0);
    count_call(job);
    model_assert(weir_pool_blocking_begin(pool) == 0);
    await_flag(&is_blocked);
    model_assert(weir_pool_blocking_end(pool) == 0);
    model_assert(weir_pool_blocking_begin(pool) == 0);
    model_assert(post(2));
    await_flag(&is_answered);
    model_assert(weir_pool_blocking_end(pool) == 0);
    raise_flag(&may_return);
}

static void run_once(weir_job *job, int status)
{
    model_assert(status == 0);
    model_assert(weir_pool_blocking_begin(pool) == 0);
    model_assert(weir_pool_blocking_end(pool) == 0);
    count_call(job);
}

static void init_to_block_once(void)
{
    model_spares(1, 2);
    items[0].job.run = run_once;
}

static void init_to_block_again(void)
{
    model_spares(1, 4);
    items[0].job.run = run_twice;
    items[1].job.run = run_long;
    items[2].job.run = run_answer;
}

/* Its whole life, with so many jobs from outside. */
static void live(int jobs)
{
    weir_pool_options options = {.size = sizeof(options),
                                 .workers = 1,
                                 .max_workers = 3,
                                 .done = on_done};

    model_assert(weir_pool_new(&pool, &options) == 0);
    for (int i = 0; i < jobs; i++)
        model_assert(post(i));
    model_assert(weir_pool_shutdown(pool, -1) == 0);
    model_assert(weir_pool_free(pool) == 0);
    model_spares_end();
}

static void live_with_one(void)
{
    live(1);
}

static void live_with_two(void)
{
    live(2);
}

static void each_is_joined(void)
{
    int calls = 0;

    for (int i = 0; i < 4; i++)
        calls += items[i].calls.v_;
    model_assert(calls == accepted.v_);
    model_assert(done_calls == 1);
    model_assert(model_spares_are_joined());
}

static void close_now(void)
{
    model_assert(weir_pool_close(pool, 0) == -ETIMEDOUT);
}

static void unmake(void)
{
    weir__pool_unmake(pool);
    pool = NULL;
}

static const struct model_case cases[] = {
    {"worker_is_whole_when_it_is_seen", .setup = init_to_grow, .finish = unmake,
     .threads = {T(grow), T(look)}},
    {"lane_is_whole_when_it_is_seen", .setup = init_to_grow, .finish = unmake,
     .threads = {T(make_lane), T(look)}},
    {"lane_is_whole_when_it_is_flushed", .setup = init_to_grow,
     .finish = unmake, .threads = {T(make_lane), T(close_now)}},
    {"one_worker_calls_it_and_ends", .setup = init_one, .finish = each_once,
     .preemption_bound = 2, .threads = {T(worker), T(post_and_shutdown)}},
    {"shutdown_and_a_post_meet", .setup = init_one, .finish = each_once,
     .preemption_bound = 1,
     .threads = {T(worker), T(shutdown_it), T(try_post)}},
    {"close_and_a_shutdown_meet", .setup = init_one, .finish = each_once,
     .preemption_bound = 1,
     .threads = {T(worker), T(post_and_close), T(shutdown_it)}},
    {"two_workers_and_two_jobs", .setup = init_two, .finish = each_once,
     .random_runs = 4000, .pct_depth = 3, .steps = 2000,
     .threads = {T(worker), T(worker), T(post_two_and_shutdown)}},
    {"jobs_of_a_job_are_stolen_or_not", .setup = init_with_children,
     .finish = each_once, .random_runs = 4000, .pct_depth = 3, .steps = 2000,
     .threads = {T(worker), T(worker), T(post_and_shutdown)}},
    {"child_is_run_by_its_parent_or_a_thief", .setup = init_fork,
     .finish = each_once, .random_runs = 4000, .pct_depth = 3, .steps = 2000,
     .threads = {T(worker), T(worker), T(post_and_shutdown)}},
    {"job_that_is_left_at_the_door_gets_a_worker", .setup = init_to_meet,
     .finish = each_once, .random_runs = 4000, .pct_depth = 3, .steps = 2000,
     .threads = {T(worker), T(worker), T(post_both)}},
    {"job_that_is_taken_along_gets_a_worker", .setup = init_to_meet,
     .finish = each_once, .random_runs = 4000, .pct_depth = 3, .steps = 2000,
     .threads = {T(worker), T(worker), T(post_both_and_another)}},
    {"job_that_is_spawned_gets_a_worker", .setup = init_to_spawn,
     .finish = each_once, .random_runs = 4000, .pct_depth = 3, .steps = 2000,
     .threads = {T(worker), T(worker), T(post_and_shutdown)}},
    {"job_that_is_spawned_outside_gets_a_worker", .setup = init_one,
     .finish = each_once, .preemption_bound = 1,
     .threads = {T(worker), T(spawn_and_shutdown)}},
    {"job_that_waits_in_a_lane_is_cancelled_by_a_sleeper",
     .setup = init_lane_with_a_waiter, .finish = each_once,
     .preemption_bound = 1, .threads = {T(worker), T(close_it)}},
    {"lane_of_one_is_closed", .setup = init_lane, .finish = each_once,
     .random_runs = 4000, .pct_depth = 3, .steps = 2000,
     .threads = {T(worker), T(worker), T(post_two_and_close)}},
    {"worker_sent_home_may_be_the_last_to_end", .setup = init_to_block_once,
     .finish = each_is_joined, .random_runs = 4000, .pct_depth = 3,
     .steps = 2000,
     .threads = {T(live_with_one), T(model_spare), T(model_spare)}},
    {"grown_worker_is_joined_before_its_place_is_used_again",
     .setup = init_to_block_again, .finish = each_is_joined,
     .random_runs = 4000, .pct_depth = 4, .steps = 4000,
     .threads = {T(live_with_two), T(model_spare), T(model_spare),
                 T(model_spare), T(model_spare)}},
};

MODEL_CASES(cases)
