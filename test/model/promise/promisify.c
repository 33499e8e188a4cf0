/* SPDX-License-Identifier: MIT */
/*
 * promisify -- the worker that has run it and the abort that comes too late (or
 * not) let go of it, in any order; one of them settles the promise.  And one
 * that the loop's thread sends: the loop does not become idle before its
 * handler has run, and its memory stays for a worker that comes too late.  A
 * shutdown waits for the outcome, whoever has sent the job.
 *
 * In each case the argument is memory that fn reads and release frees: the
 * explorer finds an early or a second release as a use after free, and a
 * missing one as a leak.
 */
#include "model.h"
#include "pool/pool.h"
#include "weir/abort.h"
#include "weir/promise.h"

static weir_loop *loop;
static weir_pool *pool;
static weir_abort *signal_;
static weir_promise *promise;
static int work; /* what fn did: the worker's, then who sees the outcome */
static int begun, released; /* the worker's, then finish's */
static bool is_accepted;    /* the sender's, then finish's */

static int fn(void *arg, weir_value *value)
{
    int *mark = arg;

    begun++;
    model_assert(plain_load(mark) == 0);
    (void)load_relaxed(&pool->worker[0]); /* it takes its time */
    plain_store(mark, 1);
    plain_store(&work, 1);
    return 0;
}

/* fn is over, or will never begin. */
static void release(void *arg)
{
    model_assert(plain_load((int *)arg) == begun);
    released++;
    model_free(arg);
}

/* Refused: the argument is still ours, and release is not called. */
static int promisify(const weir_submit_options *options)
{
    int *mark = model_alloc(sizeof(*mark));
    int err;

    plain_store(mark, 0);
    is_accepted = true; /* before a worker has it, who may be the last */
    err = weir_promisify(&promise, loop, pool, fn, mark, release, options);
    if (err != 0) {
        is_accepted = false;
        model_free(mark);
    }
    return err;
}

/* The worker has ended. */
static void released_once_if_accepted(void)
{
    model_assert(released == (is_accepted ? 1 : 0));
    model_assert(begun <= released);
}

/* Else it is printed in each execution. */
static void expect_rejection(void *arg, weir_loop *told,
                             const weir_rejection *what)
{
    model_assert(what->code == WEIR_ECANCELED);
}

static const weir_loop_options quiet = {.size = sizeof(quiet),
                                        .on_rejection = expect_rejection};

static void init(void)
{
    const weir_pool_options one = {
        .size = sizeof(one), .workers = 1, .max_workers = 1};
    weir_submit_options options = {.size = sizeof(options)};

    model_assert(weir_loop_new(&loop, &quiet) == 0);
    model_assert(weir__pool_make(&pool, &one) == 0);
    model_assert(weir_abort_new(&signal_) == 0);
    options.abort = signal_;
    model_assert(promisify(&options) == 0);
    model_assert(weir_pool_shutdown(pool, 0) != 0);
}

/* Ends when the job has run: the pool is being shut down. */
static void worker(void)
{
    weir__worker_live(load_relaxed(&pool->worker[0]));
}

static void raise_it(void)
{
    model_assert(weir_abort_raise(signal_, 1) == 0);
    weir_abort_unref(signal_);
}

/* It is held until the job is back, and lets go for it. */
static void run_loop(void)
{
    model_assert(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) == 0);
}

static void free_both(void)
{
    released_once_if_accepted();
    weir__pool_unmake(pool);
    model_assert(weir_loop_free(loop) == 0);
    loop = NULL;
    pool = NULL;
}

static void settled(void)
{
    enum weir_promise_state state = weir_promise_state(promise);

    model_assert(state != WEIR_PROMISE_PENDING);
    if (state == WEIR_PROMISE_FULFILLED)
        model_assert(plain_load(&work) == 1);
    weir_promise_unref(promise);
    free_both();
}

/* ---- a close ---- */

static void close_loop(void)
{
    model_assert(weir_loop_close(loop, -1) == 0);
}

static void close_pool(void)
{
    (void)!weir_pool_close(pool, 0); /* begins it */
    weir_abort_unref(signal_);
}

/* ---- sent by the loop's thread ---- */

static int handled;      /* the loop's thread */
static bool is_graceful; /* nothing is cancelled */

static weir_result handle(void *arg, const weir_value *value)
{
    model_assert(plain_load(&work) == 1);
    handled++;
    return weir_pass();
}

static weir_result handle_error(void *arg, const weir_value *value)
{
    model_assert(value->code == WEIR_ECANCELED && !is_graceful);
    handled++;
    return weir_give(weir_value_of(NULL, NULL));
}

static void send(void *arg, int status)
{
    if (status != 0) {
        handled++; /* closed before */
        return;
    }
    model_assert(promisify(NULL) == 0);
    model_assert(weir_promise_then(promise, handle, handle_error, NULL, NULL) ==
                 0);
    weir_promise_unref(promise);
    (void)!weir_pool_shutdown(pool, 0); /* begins it */
}

static void init_loop(void)
{
    const weir_pool_options one = {
        .size = sizeof(one), .workers = 1, .max_workers = 1};

    model_assert(weir_loop_new(&loop, NULL) == 0);
    model_assert(weir__pool_make(&pool, &one) == 0);
    model_assert(weir_loop_submit(loop, send, NULL) == 0);
}

static void run_until_idle(void)
{
    model_assert(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) == 0);
    model_assert(handled == 1);
}

static void send_and_end(void)
{
    model_assert(weir_loop_step(loop, 0) == 0);
    model_assert(weir_loop_free(loop) == 0);
    model_assert(handled == 1);
    loop = NULL;
}

/* ---- a shutdown ---- */

static void send_and_shut_down(void)
{
    is_graceful = true;
    model_assert(weir_loop_step(loop, 0) == 0);
    model_assert(weir_loop_shutdown(loop, -1) == 0);
    model_assert(handled == 1);
}

static void init_empty(void)
{
    const weir_pool_options one = {
        .size = sizeof(one), .workers = 1, .max_workers = 1};

    model_assert(weir_loop_new(&loop, &quiet) == 0);
    model_assert(weir__pool_make(&pool, &one) == 0);
}

static void send_from_elsewhere(void)
{
    int err = promisify(NULL);

    model_assert(err == 0 || err == WEIR_ECLOSED);
    (void)!weir_pool_shutdown(pool, 0); /* begins it */
}

static void shut_down(void)
{
    model_assert(weir_loop_shutdown(loop, -1) == 0);
}

/* Accepted means that its outcome has come. */
static void none_was_cancelled(void)
{
    if (promise != NULL) {
        model_assert(weir_promise_state(promise) == WEIR_PROMISE_FULFILLED);
        model_assert(plain_load(&work) == 1);
        weir_promise_unref(promise);
    }
    free_both();
    promise = NULL;
}

/* The pool has refused it, cancelled it or run it; the loop hears of it now. */
static void settled_if_accepted(void)
{
    model_assert(weir_loop_shutdown(loop, -1) == 0);
    if (is_accepted)
        settled();
    else
        free_both();
    promise = NULL;
}

static void all_over(void)
{
    released_once_if_accepted();
    weir__pool_unmake(pool);
    if (loop != NULL)
        model_assert(weir_loop_free(loop) == 0);
    loop = NULL;
    pool = NULL;
    promise = NULL;
}

static const struct model_case cases[] = {
    {"abort_against_the_worker", .setup = init, .finish = settled,
     .preemption_bound = 1, .steps = 2000,
     .threads = {T(worker), T(raise_it), T(run_loop)}},
    {"abort_and_close_of_the_loop_against_the_worker", .setup = init,
     .finish = settled, .preemption_bound = 1, .steps = 2000,
     .threads = {T(worker), T(raise_it), T(close_loop)}},
    {"close_of_the_pool_against_the_worker", .setup = init, .finish = settled,
     .preemption_bound = 1, .brief_runs = 2000, .steps = 2000,
     .threads = {T(worker), T(close_pool), T(run_loop)}},
    {"close_of_the_pool_against_a_sender_elsewhere", .setup = init_empty,
     .finish = settled_if_accepted, .preemption_bound = 1, .brief_runs = 2000,
     .steps = 2000,
     .threads = {T(worker), T(send_from_elsewhere), T(close_pool)}},
    {"loop_is_held_until_the_handler_has_run", .setup = init_loop,
     .finish = all_over, .preemption_bound = 2, .brief_bound = 1, .steps = 2000,
     .threads = {T(worker), T(run_until_idle)}},
    {"loop_ends_and_is_freed_under_the_worker", .setup = init_loop,
     .finish = all_over, .preemption_bound = 1, .steps = 2000,
     .threads = {T(worker), T(send_and_end)}},
    {"loop_ends_and_is_freed_with_one_more_preemption", .setup = init_loop,
     .finish = all_over, .preemption_bound = 2, .steps = 2000, .is_long = true,
     .threads = {T(worker), T(send_and_end)}},
    {"shutdown_waits_for_the_worker", .setup = init_loop, .finish = all_over,
     .preemption_bound = 1, .steps = 2000,
     .threads = {T(worker), T(send_and_shut_down)}},
    {"shutdown_against_a_sender_elsewhere", .setup = init_empty,
     .finish = none_was_cancelled, .preemption_bound = 1, .brief_runs = 2000,
     .steps = 2000,
     .threads = {T(worker), T(send_from_elsewhere), T(shut_down)}},
};

MODEL_CASES(cases)
