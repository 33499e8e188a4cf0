/* SPDX-License-Identifier: MIT */
/*
 * pool -- without memory, and without threads: what fails has no effect and
 * leaves nothing.
 */
#include "pool/pool.h"
#include "support/failing_allocator.h"
#include "support/failing_syscalls.h"
#include "support/pool_fixture.h"
#include "weir/abort.h"

static struct failing_allocator memory;

static void begin(void)
{
    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
}

static void expect_no_leak(void)
{
    expect_int(memory.live, 0);
    expect_int(memory.live_bytes, 0);
}

static const weir_pool_options options = {
    .size = sizeof(options), .workers = 3, .max_workers = 4};

/* covers: weir_pool_new -ENOMEM */
CASE(pool_new_without_memory_fails_clean)
{
    int err, failed = 0;

    begin();
    do {
        memory.fail_at = memory.calls + 1 + (uint64_t)failed;
        err = weir_pool_new(&pool, &options);
        if (err != 0) {
            expect_status(err, -ENOMEM);
            expect_no_leak();
            failed++;
        }
    } while (err != 0);
    expect(failed >= 3 * 4 + 1); /* three workers with three queues each */
    memory.fail_at = 0;
    pool_end();
    expect_no_leak();
}

static void never_done(void *arg, weir_pool *which, int status)
{
    expect(!"a pool that was never made is not done");
}

/* covers: weir_pool_new -EAGAIN */
CASE(pool_new_without_threads_fails_clean)
{
    weir_pool_options with_done = options;

    with_done.done = never_done;
    begin();
    pool = NULL;
    for (int round = 0; round < 20; round++)
        for (uint32_t nth = 1; nth <= 3; nth++) {
            failing_syscalls_set(CALL_PTHREAD_CREATE, nth, 1, EAGAIN);
            expect_status(weir_pool_new(&pool, &with_done), -EAGAIN);
            expect(pool == NULL);
            expect_no_leak();
        }
    failing_syscalls_set(CALL_PTHREAD_CREATE, 0, 0, 0);
    expect_status(weir_pool_new(&pool, &options), 0);
    pool_end();
    expect_no_leak();
}

static void block(weir_job *job, int status)
{
    expect_status(weir_pool_blocking_begin(pool), 0);
    stopper_run(job, status);
    expect_status(weir_pool_blocking_end(pool), 0);
}

CASE(pool_that_cannot_grow_goes_on)
{
    struct stopper blocked;
    struct letter other;

    begin();
    pool_make(.workers = 1, .max_workers = 2);
    failing_syscalls_set(CALL_PTHREAD_CREATE, 1, 1, EAGAIN);
    stopper_init(&blocked, NULL);
    blocked.job.run = block;
    expect_status(weir_pool_post(pool, &blocked.job), 0);
    wait_for(&blocked.begun);
    expect_int(pool_stats().workers, 1);
    expect_int(pool->idle.live, 1); /* it may try again */
    expect_status(weir_pool_post(pool, letter(&other, 'a', 0)), 0);
    stopper_release(&blocked);
    pool_end();
    expect_recorded("a");
    expect_no_leak();
}

/* ---- a thread that goes home before its creator knows it ---- */

static sem_t is_created, may_return;

static void linger(void)
{
    sem_post(&is_created);
    wait_for(&may_return);
}

/* Blocks, not any more, and again; each on command. */
static void block_twice(weir_job *job, int status)
{
    block(job, status);
    stopper_run(job, status);
    block(job, status);
}

static void stopper_begin(struct stopper *stopper,
                          void (*run)(weir_job *job, int status))
{
    stopper_init(stopper, NULL);
    stopper->job.run = run;
    expect_status(weir_pool_post(pool, &stopper->job), 0);
}

static void stopper_next(struct stopper *stopper)
{
    stopper_release(stopper);
    wait_for(&stopper->begun);
}

/* Four workers, two of them blocked.  The last one's creator is still in
 * pthread_create when it goes home, and its place is used again. */
CASE(pool_joins_a_thread_that_goes_home_before_its_creator_knows_it)
{
    struct stopper twice, slow, busy, last;
    struct letter brief;

    sem_init(&is_created, 0, 0);
    sem_init(&may_return, 0, 0);
    failing_syscalls_set(CALL_PTHREAD_CREATE, 0, 0, 0);
    failing_syscalls_set(CALL_PTHREAD_JOIN, 0, 0, 0);
    pool_make(.workers = 2, .max_workers = 4);
    stopper_begin(&twice, block_twice);
    wait_for(&twice.begun);
    stopper_post(&busy, NULL);
    failing_syscalls_after_create(linger);
    stopper_begin(&slow, block);
    wait_for(&is_created);
    stopper_next(&twice); /* no longer blocked: there is one too many */
    expect_status(weir_pool_post(pool, letter(&brief, 'a', 0)), 0);
    await(pool_stats().workers == 3);
    stopper_next(&twice);
    stopper_post(&last, NULL); /* on the thread that was made for it */
    expect_int(pool_stats().workers, 4);
    sem_post(&may_return);
    wait_for(&slow.begun);
    stopper_release(&twice);
    stopper_release(&slow);
    stopper_release(&busy);
    stopper_release(&last);
    pool_end();
    expect_recorded("a");
    expect_int(failing_syscalls_count(CALL_PTHREAD_CREATE), 5);
    expect_int(failing_syscalls_count(CALL_PTHREAD_JOIN), 5);
}

static void count_call(void *arg, int status)
{
    expect_status(status, 0);
    ++*(int *)arg;
}

/* covers: weir_pool_submit -ENOMEM
 * covers: weir_lane_new -ENOMEM */
CASE(pool_submit_without_memory_is_refused)
{
    int calls = 0;
    weir_lane *lane;

    begin();
    pool_make(.workers = 1);
    for (int i = 1; i <= 2; i++) {
        memory.fail_at = memory.calls + (uint64_t)i; /* cache, block */
        expect_status(weir_pool_submit(pool, count_call, &calls, NULL),
                      -ENOMEM);
    }
    memory.fail_at = memory.calls + 1;
    expect_status(weir_lane_new(&lane, pool, "lane", 1), -ENOMEM);
    expect_status(weir_pool_submit(pool, count_call, &calls, NULL), 0);
    pool_end();
    expect_int(calls, 1);
    expect_no_leak();
}

/* The queue of a worker cannot grow: jobs go round by the door. */
enum { MANY = 3000 };
static struct letter many[MANY];

static void post_many(void *arg, int status)
{
    expect_status(status, 0);
    memory.fail_at = memory.calls + 1;
    for (int i = 0; i < MANY; i++) {
        if (memory.calls >= memory.fail_at)
            memory.fail_at = memory.calls + 1; /* always */
        expect_status(weir_pool_post(pool, letter(&many[i], 'a', 0)), 0);
    }
    memory.fail_at = 0;
}

CASE(pool_post_from_inside_needs_no_memory)
{
    begin();
    pool_make(.workers = 1);
    expect_status(weir_pool_submit(pool, post_many, NULL, NULL), 0);
    pool_end();
    expect_int(recorded_size, MANY);
    expect_no_leak();
}

/* covers: weir_abort_new -ENOMEM
 * covers: weir_abort_any -ENOMEM */
CASE(abort_without_memory_is_refused)
{
    weir_abort *abort, *any;

    begin();
    memory.fail_at = 1;
    expect_status(weir_abort_new(&abort), -ENOMEM);
    expect_status(weir_abort_new(&abort), 0);
    memory.fail_at = memory.calls + 1;
    expect_status(weir_abort_any(&any, &abort, 1), -ENOMEM);
    weir_abort_unref(abort);
    expect_no_leak();
}
