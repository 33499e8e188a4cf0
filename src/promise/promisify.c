/* SPDX-License-Identifier: MIT */
/*
 * promisify -- blocking work on a pool, with a promise for its result.
 *
 * Shape     A request goes to the pool as a job and comes back to the loop as a
 *           task, with the result in the memory that was the job, and the
 *           loop's thread settles the promise.  So a worker accesses only the
 *           request and the word of the loop's ingress queue.  A promise takes
 *           two cache lines; settling it on the worker would move them to the
 *           worker's core and back for each job.
 *
 *              a sender                 a worker            the loop's thread
 *              [ job  | fn arg ] -----> fn(arg) -----> [ task outcome | ... ]
 *                                                       settle, put
 *
 *           The loop's thread takes requests from a recycler's cache; other
 *           threads allocate each one.
 *
 *           A request with an abort has a watch, which listens to the abort.
 *           The abort rejects the promise at once, on the thread that raises
 *           it.  If the job has ended before, the worker removes the listener.
 *           The first of the two wins, in the promise's own word.
 *
 *           A shutdown of the loop waits for outstanding requests, so its
 *           thread has a list of them.  A request from another thread is
 *           announced to it by a task before the job goes to the pool, or is
 *           refused.  A close waits for nothing.
 *
 *           The worker releases fn's argument.  The pool calls each job that it
 *           has accepted exactly once, with 0 or with WEIR_ECANCELED, so the
 *           argument is released exactly once.  Neither the watch nor the loop
 *           accesses the argument.  A job that the pool refuses was never
 *           called, and its argument still belongs to the caller.
 *
 * Shared state
 *   request   the sender until it is posted (injector/P1), the worker until it
 *             is pushed (ingress/P1), then the loop's thread
 *   request.link   the loop's thread, from the announcement on (ingress/P1)
 *   request_cache   the loop's thread; once the loop is TERMINATED, the holder
 *             of its lock
 *   watch.users   any thread, atomic: the request, and the listener        P1
 *   watch, the rest   const after init
 *   shown     written by the loop's thread, read by any: a snapshot
 *
 * Pairs
 *   P1  let_go: fetch_sub, release  -->  let_go: the last one's, acquire
 *       Hands over the memory.
 *
 * Reclaim   A request holds a reference to its promise, and a promise keeps the
 *           memory of a loop that is over.
 *
 * Tested by  test/unit/promise/promisify.c, test/model/promise/promisify.c,
 *            test/stress/promise/promisify.c
 */
#include <errno.h>
#include <stddef.h>

#include "base/atomic.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/recycler.h"
#include "pool/pool.h"
#include "promise/promise.h"
#include "weir/abort.h"
#include "weir/promise.h"

/* ---- work ---- */

/* What a worker runs, once. */
struct work {
    weir_blocking_fn *fn;
    void *arg;
    weir_call_fn *release; /* or NULL */
};

/* Run fn, unless the job was cancelled, and then release its argument, before
 * the result is published.  An abort or a close of the loop does not wait for
 * this, so only this function knows when fn no longer uses arg.  A shutdown of
 * the loop waits for it, and so must not be called from it. */
static inline int perform_work(const struct work *work, int status,
                               const weir_loop *loop, weir_value *value)
{
    const struct weir__duty duty = {loop, weir__thread_duty()};

    weir__thread_set_duty(&duty);
    if (status == 0)
        status = work->fn(work->arg, value);
    if (work->release != NULL)
        work->release(work->arg);
    weir__thread_set_duty(duty.outer);
    return status;
}

/* ---- requests ---- */

struct request {
    union { /* first */
        weir_job job;
        struct {
            weir_task task;
            weir_value value;
            uint32_t verdict;
        } back;
    } as;
    struct work work;
    weir_loop *loop;
    weir_promise *promise; /* held */
    struct watch *watch;   /* NULL: no abort */
    struct weir__request link;
    struct weir__recycler_block *block;
};

static const struct weir__recycler_kind requests = {
    .size = sizeof(struct request),
    .block_at = offsetof(struct request, block),
#ifdef WEIR_SMALL
    .most = 2,
#else
    .most = 2048,
#endif
};

void weir__promisify_fini(weir_loop *loop)
{
    weir__recycler_cache_fini(&loop->promises.request_cache);
}

/* Add an outstanding request, which keeps the loop running.  Thread: the
 * loop's, as for the next. */
static void add_request(weir_loop *loop, struct weir__request *link)
{
    struct weir__request *ring = &loop->promises.requests;
    struct weir__request *last = ring->prev;

    link->prev = last;
    link->next = ring;
    last->next = ring->prev = link;
    /* relaxed: own, read by report */
    store_relaxed(&loop->promises.outstanding,
                  load_relaxed(&loop->promises.outstanding) + 1);
}

static void remove_request(weir_loop *loop, struct weir__request *link)
{
    link->prev->next = link->next;
    link->next->prev = link->prev;
    /* relaxed: own, read by report */
    store_relaxed(&loop->promises.outstanding,
                  load_relaxed(&loop->promises.outstanding) - 1);
}

/* ---- watches ---- */

struct watch {
    weir_abort_listener listener; /* first */
    atomic(uint32_t) users;       /* any thread, promisify/P1 */
    weir_promise *promise;        /* held */
    weir_abort *abort;            /* held */
};

static void let_go(struct watch *watch)
{
    /* promisify/P1 release: this thread's uses
     * promisify/P1 acquire: those of the other, if this is the last */
    if (fetch_sub_acq_rel(&watch->users, 1) > 1)
        return;
    weir_abort_unref(watch->abort);
    weir_promise_unref(watch->promise);
    weir__memory_free(watch, sizeof(*watch));
}

static void on_abort(weir_abort_listener *listener, int reason)
{
    struct watch *watch = (struct watch *)listener;

    /* Refused if the outcome was first. */
    (void)!weir_promise_reject(watch->promise,
                               weir_value_error(WEIR_ECANCELED));
    let_go(watch);
}

static struct watch *new_watch(weir_promise *promise, weir_abort *abort)
{
    struct watch *watch =
        weir__memory_alloc(sizeof(*watch), _Alignof(struct watch));

    if (watch == NULL)
        return NULL;
    watch->listener = (weir_abort_listener){.run = on_abort};
    set_unshared(&watch->users, 1);
    watch->promise = weir_promise_ref(promise);
    weir_abort_ref(abort);
    watch->abort = abort;
    return watch;
}

/* From now on the abort may be raised at any time. */
static void start_watch(struct watch *watch)
{
    set_unshared(&watch->users, 2);
    (void)!weir_abort_listen(watch->abort, &watch->listener);
}

static void stop_watch(struct watch *watch)
{
    if (weir_abort_remove(watch->abort, &watch->listener) == 0)
        let_go(watch); /* for the listener, which will not be notified */
    let_go(watch);
}

/* ---- back on the loop ---- */

static void receive_outcome(weir_task *task, int status)
{
    struct request *request = (struct request *)task;
    weir_promise *promise = request->promise;
    weir_loop *loop = request->loop;
    weir_value value = request->as.back.value;
    uint32_t verdict = request->as.back.verdict;

    weir__loop_inner_task(loop);
    remove_request(loop, &request->link);
    weir__recycler_put(request->block);
    weir__promise_deliver(promise, verdict, &value);
}

/* The pool has refused the job, so nobody has the promise: that an abort has
 * rejected it meanwhile is not to be reported.  Thread: the loop's. */
static void mark_handled(weir_promise *promise)
{
    promise->flags |= WEIR__HANDLED;
}

/* The pool has refused the job of another thread. */
static void receive_refused(weir_task *task, int status)
{
    struct request *request = (struct request *)task;
    weir_promise *promise = request->promise;

    mark_handled(promise);
    weir__loop_inner_task(request->loop);
    remove_request(request->loop, &request->link);
    weir__recycler_put(request->block);
    weir__promise_drop(promise);
}

/* The loop has ended and settled the promise. */
static void receive_after_end(struct request *request)
{
    weir_promise *promise = request->promise;
    weir_loop *loop = request->loop;

    weir__value_free(&request->as.back.value);
    weir__ingress_see_end(&loop->in);
    weir__lock_lock(&loop->lock);
    weir__recycler_put(request->block);
    weir__lock_unlock(&loop->lock);
    weir__promise_unref_outside(promise);
}

static inline void send_back(struct request *request)
{
    if (weir__loop_push(request->loop, &request->as.back.task,
                        WEIR__EXPECTED) != 0)
        receive_after_end(request);
}

/* The worker that runs this is never the loop's thread.  It could be only
 * inside a group's wait, which is refused on a loop's thread. */
static void run_request(weir_job *job, int status)
{
    struct request *request = (struct request *)job;

    request->as.back.task =
        (weir_task){.run = receive_outcome, .name = "promise"};
    request->as.back.value = (weir_value){NULL, NULL, 0};
    status = perform_work(&request->work, status, request->loop,
                          &request->as.back.value);
    request->as.back.verdict = WEIR__FULFILLED;
    if (status != 0) {
        request->as.back.value.code = status;
        request->as.back.verdict = WEIR__REJECTED;
    }
    if (request->watch != NULL)
        stop_watch(request->watch);
    send_back(request);
}

/* ---- send ---- */

static void on_announced(weir_task *task, int status)
{
    struct request *request =
        weir__envelope_open((struct weir__envelope *)task).arg;

    weir__loop_inner_task(request->loop);
    add_request(request->loop, &request->link);
}

/* Announce the request before its job goes to the pool, so that the loop knows
 * of it before it is back.  Returns  0, -ENOMEM, WEIR_ECLOSED */
static inline int announce_request(struct request *request, bool is_local)
{
    request->link.name = request->as.job.name;
    if (is_local) {
        request->link.since_ns = request->loop->since_ns;
        add_request(request->loop, &request->link);
        return 0;
    }
    request->link.since_ns = weir__clock_real();
    return weir__loop_push_call(request->loop, on_announced, NULL, request,
                                WEIR__OUTSIDER);
}

/* Undo everything for a request that is not announced. */
static void discard_request(struct request *request)
{
    if (request->watch != NULL)
        let_go(request->watch);
    weir_promise_unref(request->promise);
    weir__recycler_return(request->block);
}

/* Undo everything for a request that the pool has refused. */
static void revoke_request(struct request *request, bool is_local)
{
    if (request->watch != NULL)
        stop_watch(request->watch);
    request->watch = NULL;
    if (is_local) {
        mark_handled(request->promise);
        remove_request(request->loop, &request->link);
        discard_request(request);
        return;
    }
    request->as.back.task =
        (weir_task){.run = receive_refused, .name = "promise"};
    request->as.back.value = (weir_value){NULL, NULL, 0};
    send_back(request);
}

static inline int send_request(struct request *request, weir_pool *pool,
                               bool is_local)
{
    int err = announce_request(request, is_local);

    if (err != 0) {
        discard_request(request);
        return err;
    }
    if (request->watch != NULL)
        start_watch(request->watch);
    err = weir_pool_post(pool, &request->as.job);
    if (err != 0)
        revoke_request(request, is_local);
    return err;
}

/* Make a request for a promise, to which it takes a reference.  Returns NULL if
 * there is no memory. */
static inline struct request *
new_request(weir_promise *promise, weir_loop *loop, const struct work *work,
            const weir_submit_options *options, bool is_local)
{
    struct request *request =
        is_local ? weir__recycler_cache_take(&loop->promises.request_cache,
                                             &requests)
                 : weir__recycler_take_single(&requests);

    if (request == NULL)
        return NULL;
    request->as.job = weir__job_of(run_request, options);
    request->work = *work;
    request->loop = loop;
    request->promise = promise;
    if (is_local)
        weir__promise_hold(promise);
    else
        weir__promise_ref_outside(promise);
    request->watch = NULL;
    if (options == NULL || options->abort == NULL)
        return request;
    request->watch = new_watch(promise, options->abort);
    if (request->watch != NULL)
        return request;
    discard_request(request);
    return NULL;
}

/* Compiled twice, so that the loop's thread pays for no choice. */
__attribute__((always_inline)) static inline int
start_request(weir_promise **promise, weir_loop *loop, weir_pool *pool,
              const struct work *work, const weir_submit_options *options,
              bool is_local)
{
    weir_promise *made;
    struct request *request;
    int err = is_local ? weir__promise_make(loop, WEIR__PENDING, &made)
                       : weir_promise_new(&made, loop);

    if (err != 0)
        return err;
    request = new_request(made, loop, work, options, is_local);
    err = request == NULL ? -ENOMEM : send_request(request, pool, is_local);
    if (err != 0)
        weir_promise_unref(made);
    else
        *promise = made;
    return err;
}

__attribute__((noinline)) static int
start_outside(weir_promise **promise, weir_loop *loop, weir_pool *pool,
              const struct work *work, const weir_submit_options *options)
{
    return start_request(promise, loop, pool, work, options, false);
}

int weir_promisify(weir_promise **promise, weir_loop *loop, weir_pool *pool,
                   weir_blocking_fn *fn, void *arg, weir_call_fn *release,
                   const weir_submit_options *options)
{
    const struct work work = {fn, arg, release};
    weir_submit_options own;
    int err;

    weir__origin_begin();
    if (promise == NULL || loop == NULL || pool == NULL || fn == NULL)
        return -EINVAL;
    err = weir__submit_options_read(&own, &options);
    if (err != 0)
        return err;
    if (!weir__promise_is_local(loop))
        return start_outside(promise, loop, pool, &work, options);
    if (weir__loop_is_cancelling(loop))
        return weir__loop_refusal(loop); /* no longer waits for jobs */
    return start_request(promise, loop, pool, &work, options, true);
}

/* ---- report ---- */

void weir__promisify_show(weir_loop *loop)
{
    struct weir__promises *all = &loop->promises;
    const struct weir__request *link = all->requests.next;
    uint32_t count = 0;

    for (; link != &all->requests && count < WEIR__JOBS_SHOWN;
         link = link->next, count++) {
        struct weir__shown *shown = &all->shown[count];

        store_relaxed(&shown->name, link->name); /* relaxed: snapshot */
        /* relaxed: the same */
        store_relaxed(&shown->since_ns, link->since_ns);
    }
    store_relaxed(&all->shown_count, count); /* relaxed: snapshot */
}
