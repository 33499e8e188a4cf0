/* SPDX-License-Identifier: MIT */
/*
 * promisify -- the worker that has run it and the abort that comes too late (or
 * not) let go of it, in any order; one of them settles the promise.
 */
#include "model.h"
#include "pool.h"
#include "weir/abort.h"
#include "weir/promise.h"

static weir_loop *loop;
static weir_pool *pool;
static weir_abort *signal_;
static weir_promise *promise;
static int work; /* what fn did: the worker's, then who sees the outcome */

static int fn(void *arg, weir_value *value)
{
    (void)arg, (void)value;
    plain_store(&work, 1);
    return 0;
}

static void init(void)
{
    const weir_pool_options one = {
        .size = sizeof(one), .workers = 1, .max_workers = 1};
    weir_submit_options options = {.size = sizeof(options)};

    model_assert(weir_loop_new(&loop, NULL) == 0);
    model_assert(weir__pool_make(&pool, &one) == 0);
    model_assert(weir_abort_new(&signal_) == 0);
    options.abort = signal_;
    model_assert(
        weir_promisify(&promise, loop, pool, fn, NULL, &options) == 0);
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

static void settled(void)
{
    weir_promise_phase phase = weir_promise_state(promise);

    model_assert(phase != WEIR_PROMISE_PENDING);
    if (phase == WEIR_PROMISE_FULFILLED)
        model_assert(plain_load(&work) == 1);
    weir_promise_unref(promise);
    weir__pool_unmake(pool);
    model_assert(weir_loop_free(loop) == 0);
    loop = NULL;
    pool = NULL;
}

static const struct model_case cases[] = {
    {"abort_against_the_worker", .setup = init, .finish = settled,
     .preemption_bound = 2, .steps = 2000, .threads = {T(worker), T(raise_it)}},
};

MODEL_CASES(cases)
