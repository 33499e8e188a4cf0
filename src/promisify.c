/* SPDX-License-Identifier: MIT */
/*
 * promisify -- blocking work on a pool, its outcome on a loop.
 *
 * Shape     The job settles the promise on its worker: that goes through the
 *           loop's door like any stranger's settling.  Mostly it is the loop's
 *           thread that sends a job, and there is no abort: then all that the
 *           job needs is in its docket (docket.h), it has a reference to the
 *           promise, and the loop counts it in a field of its own.
 *
 *           Otherwise one piece of memory, an errand, is the job, the listener
 *           of the abort, and what both need.  The abort rejects the promise at
 *           once, on the thread that raises; the first of the two wins, in the
 *           promise's own word.
 *
 * Shared state
 *   users     any thread, atomic: the job, and the listener if there is one  P1
 *   the rest  const after init
 *
 * Pairs
 *   P1  let_go: fetch_sub, release  -->  let_go: the last one's, acquire
 *       Hands over the memory.
 *
 * Tested by  test/unit/promisify.c, test/model/promisify.c,
 *            test/stress/promisify.c
 */
#include <errno.h>
#include <stddef.h>

#include "atomic.h"
#include "docket.h"
#include "memory.h"
#include "pool.h"
#include "promise.h"
#include "weir/abort.h"
#include "weir/promise.h"

/* ---- in a docket ---- */

/* Functions have no pointer in common but this. */
typedef void any_fn(void);

/* A worker that takes a job never runs the loop: it could do both only inside
 * a group's wait, which a loop's thread is refused. */
static void run_docket(weir_job *job, int status)
{
    weir_promise *promise = ((struct weir__docket *)job)->more;
    struct weir__call call = weir__docket_open((struct weir__docket *)job,
                                               &weir__thread_worker()->tally);
    weir_value value = {NULL, NULL, 0};

    if (status == 0)
        status = ((weir_blocking_fn *)(any_fn *)call.fn)(call.arg, &value);
    if (status != 0)
        value.code = status;
    weir__promise_settle_last(
        promise, status == 0 ? WEIR__FULFILLED : WEIR__REJECTED, &value);
}

static int send_docket(weir_promise **promise, weir_loop *loop, weir_pool *pool,
                       weir_blocking_fn *fn, void *arg,
                       const weir_submit_options *options)
{
    weir_promise *made;
    int err = weir__promise_make(loop, WEIR__PENDING, &made);

    if (err != 0)
        return err;
    weir__promise_hold(made); /* the job's */
    weir__promises_begin_errand(loop);
    err = weir__pool_submit(pool, run_docket, (weir_fn *)(any_fn *)fn, arg,
                            made, options);
    if (err == 0) {
        *promise = made;
        return 0;
    }
    weir__promises_end_errand(loop);
    weir__promise_drop(made);
    weir__promise_drop(made);
    return err;
}

/* ---- as an errand ---- */

struct errand {
    weir_job job; /* first */
    weir_listener listener;
    atomic(uint32_t) users; /* any thread, promisify/P1 */
    weir_promise *promise;  /* held */
    weir_blocking_fn *fn;
    void *arg;
};

static void let_go(struct errand *errand)
{
    /* promisify/P1 release: our use is over
     * promisify/P1 acquire: so is the other's */
    if (fetch_sub_acq_rel(&errand->users, 1) > 1)
        return;
    weir_abort_unref(errand->job.abort);
    weir_promise_unref(errand->promise);
    weir__memory_free(errand, sizeof(*errand));
}

/* What a promise does not take is freed here. */
static void settle(weir_promise *promise, int err, weir_value value)
{
    value.code = err == 0 ? value.code : err;
    err = err == 0 ? weir_promise_resolve(promise, value)
                   : weir_promise_reject(promise, value);
    if (err != 0 && value.free != NULL)
        value.free(value.data);
}

static void on_abort(weir_listener *listener, int reason)
{
    struct errand *errand =
        (struct errand *)((char *)listener - offsetof(struct errand, listener));

    (void)reason;
    settle(errand->promise, WEIR_ECANCELED, weir_value_error(WEIR_ECANCELED));
    let_go(errand);
}

static void run(weir_job *job, int status)
{
    struct errand *errand = (struct errand *)job;
    weir_loop *loop = weir_promise_loop(errand->promise);
    weir_value value = {NULL, NULL, 0};

    if (status == 0)
        status = errand->fn(errand->arg, &value);
    settle(errand->promise, status, value);
    if (job->abort != NULL &&
        weir_abort_remove(job->abort, &errand->listener) == 0)
        let_go(errand); /* for the listener, which will not be told */
    weir_loop_unref(loop);
    let_go(errand);
}

static void fill(struct errand *errand, weir_blocking_fn *fn, void *arg,
                 const weir_submit_options *options)
{
    *errand = (struct errand){.job = {.run = run},
                              .listener = {.run = on_abort},
                              .fn = fn,
                              .arg = arg};
    set_unshared(&errand->users, 1);
    if (options == NULL)
        return;
    errand->job.name = options->name;
    errand->job.priority = options->priority;
    errand->job.lane = options->lane;
    errand->job.abort = options->abort;
}

/* The job is under way: from here on the abort may come at any time. */
static int send(struct errand *errand, weir_loop *loop, weir_pool *pool)
{
    weir_abort *abort = errand->job.abort;
    int err;

    if (abort != NULL) {
        weir_abort_ref(abort);
        set_unshared(&errand->users, 3); /* the listener, the job, and we */
        (void)!weir_abort_listen(abort, &errand->listener);
    } else {
        set_unshared(&errand->users, 2);
    }
    weir_loop_ref(loop);
    err = weir_pool_post(pool, &errand->job);
    if (err == 0) {
        let_go(errand);
        return 0;
    }
    weir_loop_unref(loop);
    if (abort != NULL && weir_abort_remove(abort, &errand->listener) == 0)
        let_go(errand);
    let_go(errand);
    let_go(errand);
    return err;
}

static int send_errand(weir_promise **promise, weir_loop *loop, weir_pool *pool,
                       weir_blocking_fn *fn, void *arg,
                       const weir_submit_options *options)
{
    struct errand *errand;
    weir_promise *made;
    int err;

    errand = weir__memory_alloc(sizeof(*errand), _Alignof(struct errand));
    if (errand == NULL)
        return -ENOMEM;
    fill(errand, fn, arg, options);
    err = weir_promise_new(&errand->promise, loop);
    if (err != 0) {
        weir__memory_free(errand, sizeof(*errand));
        return err;
    }
    made = weir_promise_ref(errand->promise);
    err = send(errand, loop, pool);
    if (err != 0)
        weir_promise_unref(made);
    else
        *promise = made;
    return err;
}

int weir_promisify(weir_promise **promise, weir_loop *loop, weir_pool *pool,
                   weir_blocking_fn *fn, void *arg,
                   const weir_submit_options *options)
{
    weir__place_begin();
    if (promise == NULL || loop == NULL || pool == NULL || fn == NULL ||
        (options != NULL && options->size != sizeof(*options)))
        return -EINVAL;
    return weir__promise_is_local(loop) &&
                   (options == NULL || options->abort == NULL)
               ? send_docket(promise, loop, pool, fn, arg, options)
               : send_errand(promise, loop, pool, fn, arg, options);
}
