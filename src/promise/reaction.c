/* SPDX-License-Identifier: MIT */
/*
 * reaction -- what happens once a promise is settled.
 *
 * Each promise that waits for it gets a job, in the order in which they were
 * attached.  A job is a microtask.  The number of jobs, and so the order
 * relative to all other microtasks, is that of ECMAScript:
 *
 *   then, settled already   1 job: the handler
 *   following a promise     1 job to start, then 1 when that one is settled
 *   following a thenable    1 job, which calls its `then`; the promise is
 *                           settled together with its resolver
 *   finally                 1 job: fn; then as if it followed a promise, which
 *                           becomes what `from` was once fn's result is settled
 *
 * If there is no memory to queue a microtask, the promise goes to `stranded`,
 * which the checkpoint handles when its queues are empty.  The order may differ
 * then, but nothing is lost.
 *
 * A handler may leave by weir_raise, so its promise is in `current`, not on the
 * stack.
 *
 * Everything here runs on the loop's thread.
 *
 * Tested by  test/unit/promise/promise_order.c, test/unit/promise/promise.c,
 *            test/aplus
 */
#include <errno.h>

#include "promise/promise.h"

const weir_value weir__cancelled = {NULL, NULL, WEIR_ECANCELED};

/* ---- jobs ---- */

void weir__promise_queue(weir_promise *promise)
{
    weir_loop *loop = promise->loop;

    if (weir__calls_push(&loop->microtasks, weir__promise_run_job, promise) ==
        0)
        return;
    weir__promise_list_push(&loop->promises.stranded, promise);
    loop->promises.wants_checkpoint = true;
}

/* Queue the job of `waiter`, which waits for a settled promise. */
static void react(weir_promise *waiter, weir_promise *promise)
{
    waiter->from = promise;
    weir__promise_hold(promise);
    weir__promise_queue(waiter);
}

void weir__promise_attach_late(weir_promise *waiter, weir_promise *promise)
{
    if (!(promise->flags & WEIR__HANDLED)) {
        promise->flags |= WEIR__HANDLED;
        if (promise->flags & WEIR__TOLD)
            weir__rejection_note(promise);
    }
    /* Another thread may have settled it, with its message still under way. */
    weir__promise_dispatch(promise);
    react(waiter, promise);
}

/* Take the list, in order.  Returns the first; the last one's next is NULL. */
static weir_promise *take_waiters(weir_promise *promise)
{
    weir_promise *last = promise->last;
    weir_promise *first;

    if (last == NULL)
        return NULL;
    first = last->next;
    last->next = NULL;
    promise->last = NULL;
    return first;
}

/* Queue a job for each waiting promise.  Returns the one that is settled
 * without a job, or NULL; only a thenable's resolver has such a waiter. */
static weir_promise *wake_waiters(weir_promise *promise)
{
    weir_promise *direct = NULL;
    weir_promise *waiter = take_waiters(promise);

    while (waiter != NULL) {
        weir_promise *next = waiter->next;

        if (weir__promise_is_settled(waiter))
            weir__promise_drop(waiter); /* settled by the end of the loop */
        else if (waiter->flags & WEIR__DIRECT)
            direct = waiter;
        else
            react(waiter, promise);
        waiter = next;
    }
    return direct;
}

/* Dispatch a settled promise.  Returns as wake_waiters() does. */
static weir_promise *tell(weir_promise *promise)
{
    weir_promise *direct = NULL;

    promise->flags |= WEIR__DISPATCHED;
    weir__promises_of(promise)->unsettled--;
    if (promise->last != NULL)
        direct = wake_waiters(promise);
    if (!(promise->flags & WEIR__HANDLED) &&
        weir__promise_verdict(promise) == WEIR__REJECTED)
        weir__rejection_note(promise);
    return direct;
}

/* Settle `promise` with the value of `other`, and hold the
 * promise that owns it. */
static bool take_over(weir_promise *promise, weir_promise *other)
{
    weir_promise *owner = other->from != NULL ? other->from : other;

    if (weir__promise_is_settled(promise))
        return false;
    weir__promise_record(promise);
    promise->from = owner;
    weir__promise_hold(owner);
    return weir__promise_move(promise, WEIR__BOUND,
                              weir__promise_verdict(other));
}

/* Iterative, not recursive: thenables that resolve to thenables
 * may nest deeply. */
void weir__promise_dispatch(weir_promise *promise)
{
    weir_promise *held = NULL; /* by the reference that the list had */
    weir_promise *waiter;

    if (promise->flags & WEIR__DISPATCHED)
        return;
    waiter = tell(promise);
    while (waiter != NULL) {
        weir_promise *next = take_over(waiter, promise) ? tell(waiter) : NULL;

        if (held != NULL)
            weir__promise_drop(held);
        held = promise = waiter;
        waiter = next;
    }
    if (held != NULL)
        weir__promise_drop(held);
}

/* Write the value and settle.  False: it is not `before`; nothing changed. */
static inline bool write_down(weir_promise *promise, uint32_t before,
                              uint32_t after, const weir_value *value)
{
    if (weir__promise_verdict(promise) != before)
        return false; /* its value must not be overwritten */
    weir__promise_record(promise);
    promise->value = *value;
    return weir__promise_move(promise, before, after);
}

/* Return the sole waiting promise, if there is one that gets a job. */
static inline weir_promise *sole_waiter(const weir_promise *promise)
{
    weir_promise *waiter = promise->last;

    return waiter != NULL && waiter->next == waiter &&
                   !(waiter->flags & WEIR__DIRECT) &&
                   !weir__promise_is_settled(waiter)
               ? waiter
               : NULL;
}

/* Mark the promise as dispatched; the caller has handled its list. */
static inline void take_out(weir_promise *promise)
{
    promise->flags |= WEIR__DISPATCHED;
    weir__promises_of(promise)->unsettled--;
    promise->last = NULL;
}

bool weir__promise_finish(weir_promise *promise, uint32_t before,
                          uint32_t after, const weir_value *value)
{
    weir_promise *waiter;

    if (!write_down(promise, before, after, value))
        return false;
    waiter = sole_waiter(promise);
    if (waiter != NULL) {
        take_out(promise);
        react(waiter, promise);
    } else if (promise->last == NULL && after == WEIR__FULFILLED) {
        take_out(promise); /* no waiter */
    } else {
        weir__promise_dispatch(promise);
    }
    return true;
}

void weir__promise_deliver(weir_promise *promise, uint32_t after,
                           const weir_value *value)
{
    weir_loop *loop = promise->loop;
    weir_promise *waiter = sole_waiter(promise);

    /* The waiter's job would be the only microtask, so it runs
     * without the queue. */
    if (waiter != NULL && !weir__loop_has_microtasks(loop) &&
        loop->budget_left > 0) {
        if (write_down(promise, WEIR__PENDING, after, value)) {
            take_out(promise);
            waiter->from = promise; /* with our reference */
            weir__loop_checkpoint_with(loop, weir__promise_run_job, waiter);
            return;
        }
        weir__value_free(value); /* another thread has settled it */
    } else if (!weir__promise_finish(promise, WEIR__PENDING, after, value)) {
        weir__value_free(value); /* settled before */
    }
    weir__promise_drop(promise);
}

void weir__promise_finish_as(weir_promise *promise, weir_promise *other)
{
    if (take_over(promise, other))
        weir__promise_dispatch(promise);
}

/* Reject a promise that is BOUND. */
static void fail(weir_promise *promise, int code)
{
    weir_value reason = weir_value_error(code);

    (void)weir__promise_finish(promise, WEIR__BOUND, WEIR__REJECTED, &reason);
}

/* Reject the resolver of a thenable, unless it is settled. */
static void fail_pending(weir_promise *promise, int code)
{
    weir_value reason = weir_value_error(code);

    (void)weir__promise_finish(promise, WEIR__PENDING, WEIR__REJECTED, &reason);
}

/* ---- following ---- */

void weir__promise_follow(weir_promise *promise, weir_promise *other)
{
    promise->job = WEIR__JOB_FOLLOW;
    promise->from = other;
    weir__promise_queue(promise);
}

void weir__promise_ask(weir_promise *promise, weir_promise *resolver)
{
    promise->job = WEIR__JOB_ADOPT;
    promise->flags |= WEIR__DIRECT;
    weir__promise_attach(promise, resolver);
    weir__promise_queue(resolver);
}

static void run_follow(weir_promise *promise, int status)
{
    weir_promise *other = promise->from;

    promise->from = NULL;
    if (status != 0) {
        fail(promise, WEIR_ECANCELED);
        weir__promise_drop(promise);
    } else {
        promise->job = WEIR__JOB_ADOPT;
        weir__promise_attach(promise, other);
    }
    weir__promise_drop(other);
}

static void run_thenable(weir_promise *resolver, int status)
{
    weir_thenable *thenable = resolver->on.ask.thenable;
    struct weir__promises *all = weir__promises_of(resolver);
    int err;

    resolver->job = WEIR__JOB_NONE; /* from here on any thread may settle it */
    if (status != 0 || weir__promise_is_rejected(resolver->loop))
        fail_pending(resolver, WEIR_ECANCELED);
    all->current = resolver;
    err = thenable->then(thenable, resolver);
    all->current = NULL;
    if (err != 0)
        fail_pending(resolver, err);
    weir__promise_drop(resolver);
}

/* ---- results ---- */

/* Create the resolver of a thenable.  Returns NULL if there is no memory. */
static weir_promise *make_resolver(weir_loop *loop, weir_thenable *thenable)
{
    weir_promise *resolver = weir__promise_take(loop, WEIR__PENDING);

    if (resolver != NULL) {
        resolver->job = WEIR__JOB_THENABLE;
        resolver->on.ask.thenable = thenable;
    }
    return resolver;
}

/* Return 0 if `promise` can follow `other`, or an error. */
static int why_not(const weir_promise *promise, const weir_promise *other)
{
    if (other == NULL)
        return -EINVAL;
    if (other == promise)
        return WEIR_ESELF;
    return other->loop == promise->loop ? 0 : -EXDEV;
}

static void give_promise(weir_promise *promise, weir_promise *other)
{
    int err = why_not(promise, other);

    if (err == 0) {
        weir__promise_hold(promise); /* for the job */
        weir__promise_follow(promise, other);
        return;
    }
    fail(promise, err);
    weir_promise_unref(other);
}

/* Reject the promise for want of a resolver.  The thenable is called with the
 * rejected promise in its place, because its owner counts on the call. */
static void ask_in_vain(weir_promise *promise, weir_thenable *thenable)
{
    fail(promise, -ENOMEM);
    weir__promise_hold(promise);
    promise->job = WEIR__JOB_THENABLE;
    promise->on.ask.thenable = thenable;
    weir__promise_queue(promise);
}

static void give_thenable(weir_promise *promise, weir_thenable *thenable)
{
    weir_promise *resolver;

    if (thenable == NULL || thenable->then == NULL) {
        fail(promise, -EINVAL);
        return;
    }
    resolver = make_resolver(promise->loop, thenable);
    if (resolver == NULL) {
        ask_in_vain(promise, thenable);
        return;
    }
    weir__promise_hold(promise); /* for the resolver's list */
    weir__promise_ask(promise, resolver);
}

/* Apply the result of a handler that was called for `from`. */
static void conclude(weir_promise *promise, weir_promise *from,
                     const weir_result *result, int status)
{
    switch (result->kind) {
    case WEIR_RESULT_VALUE:
        (void)weir__promise_finish(promise, WEIR__BOUND, WEIR__FULFILLED,
                                   &result->as.value);
        break;
    case WEIR_RESULT_ERROR:
        (void)weir__promise_finish(promise, WEIR__BOUND, WEIR__REJECTED,
                                   &result->as.value);
        break;
    case WEIR_RESULT_PROMISE:
        give_promise(promise, result->as.promise);
        break;
    case WEIR_RESULT_THENABLE:
        give_thenable(promise, result->as.thenable);
        break;
    default:
        if (status != 0)
            fail(promise, status);
        else
            weir__promise_finish_as(promise, from);
        break;
    }
}

/* ---- then ---- */

/* Whether only the job references the promise and nothing waits for it.  Then
 * its value is never read, so only a rejection would matter. */
static bool is_forgotten(const weir_promise *promise)
{
    /* relaxed: own; an unref elsewhere sets POSTED, so it never leaves zero */
    return promise->refs == 1 && load_relaxed(&promise->away) == 0 &&
           promise->last == NULL && promise->id == 0;
}

static void run_then(weir_promise *promise, weir_promise *from, int status)
{
    struct weir__promises *all = weir__promises_of(promise);
    bool is_fulfilled =
        status == 0 && weir__promise_verdict(from) == WEIR__FULFILLED;
    weir_then_fn *handler = is_fulfilled ? promise->on.then.on_fulfilled
                                         : promise->on.then.on_rejected;
    weir_result result;

    if (handler != NULL) {
        all->current = promise;
        result =
            handler(promise->on.then.arg,
                    status != 0 ? &weir__cancelled : weir__promise_value(from));
        all->current = NULL;
    } else {
        result = weir_pass();
    }
    promise->from = NULL;
    if (result.kind == WEIR_RESULT_VALUE && is_forgotten(promise))
        weir__value_free(&result.as.value);
    else
        conclude(promise, from, &result, status);
}

/* ---- finally ---- */

/* Settle `promise` as `from` once `awaited` is fulfilled.  If `awaited` is
 * rejected, its reason replaces the value of `from`.  The caller's reference to
 * `awaited` is passed on. */
static void wait_then_return(weir_promise *promise, weir_promise *from,
                             weir_promise *awaited)
{
    weir_promise *back = weir__promise_take(promise->loop, WEIR__BOUND);

    if (back == NULL) {
        fail(promise, -ENOMEM);
    } else {
        back->job = WEIR__JOB_RETURN;
        back->on.back.as = from;
        weir__promise_hold(from);
        weir__promise_hold(back); /* one for the list, one to pass on */
        weir__promise_attach(back, awaited);
        give_promise(promise, back);
    }
    weir__promise_drop(awaited);
}

static void finally_promise(weir_promise *promise, weir_promise *from,
                            weir_promise *awaited)
{
    int err = why_not(promise, awaited);

    if (err == 0) {
        wait_then_return(promise, from, awaited);
        return;
    }
    fail(promise, err);
    weir_promise_unref(awaited);
}

static void finally_thenable(weir_promise *promise, weir_promise *from,
                             weir_thenable *thenable)
{
    weir_promise *awaited = weir__promise_take(promise->loop, WEIR__BOUND);

    if (awaited == NULL) {
        ask_in_vain(promise, thenable);
        return;
    }
    give_thenable(awaited, thenable);
    wait_then_return(promise, from, awaited);
}

static void run_finally(weir_promise *promise, weir_promise *from, int status)
{
    struct weir__promises *all = weir__promises_of(promise);
    weir_result result;

    all->current = promise;
    result = promise->on.finally.fn(promise->on.finally.arg);
    all->current = NULL;
    promise->from = NULL;
    if (result.kind == WEIR_RESULT_VALUE) {
        weir__value_free(&result.as.value);
        result.kind = WEIR_RESULT_PASS;
    }
    if (status != 0 || result.kind == WEIR_RESULT_ERROR) {
        conclude(promise, from, &result, status);
    } else if (result.kind == WEIR_RESULT_PROMISE) {
        finally_promise(promise, from, result.as.promise);
    } else if (result.kind == WEIR_RESULT_THENABLE) {
        finally_thenable(promise, from, result.as.thenable);
    } else {
        weir__promise_hold(from);
        give_promise(promise, from);
    }
}

static void run_return(weir_promise *promise, weir_promise *from, int status)
{
    weir_promise *as = promise->on.back.as;

    promise->from = NULL;
    if (status != 0)
        fail(promise, status);
    else
        weir__promise_finish_as(
            promise, weir__promise_verdict(from) == WEIR__REJECTED ? from : as);
    weir__promise_drop(as);
}

/* ---- the job ---- */

static void run_adopt(weir_promise *promise, weir_promise *from, int status)
{
    promise->from = NULL;
    if (status != 0)
        fail(promise, status);
    else
        weir__promise_finish_as(promise, from);
}

static void run_element(weir_promise *promise, weir_promise *from, int status)
{
    static const weir_value nothing;

    promise->from = NULL;
    weir__combinator_tell(
        promise, status != 0 || weir__promise_verdict(from) == WEIR__REJECTED,
        from, status != 0 ? &weir__cancelled : weir__promise_value(from));
    (void)weir__promise_finish(promise, WEIR__BOUND, WEIR__FULFILLED, &nothing);
}

void weir__promise_run_job(void *arg, int status)
{
    weir_promise *promise = arg;
    weir_promise *from = promise->from;

    switch (promise->job) {
    case WEIR__JOB_THEN:
        run_then(promise, from, status);
        break;
    case WEIR__JOB_FINALLY:
        run_finally(promise, from, status);
        break;
    case WEIR__JOB_RETURN:
        run_return(promise, from, status);
        break;
    case WEIR__JOB_ELEMENT:
        run_element(promise, from, status);
        break;
    case WEIR__JOB_FOLLOW:
        run_follow(promise, status);
        return;
    case WEIR__JOB_THENABLE:
        run_thenable(promise, status);
        return;
    default:
        run_adopt(promise, from, status);
        break;
    }
    weir__promise_drop(from);
    weir__promise_drop(promise);
}

/* The handler of `current`, and with it run_then() or its like, was left
 * by weir_raise. */
void weir__promise_raised(weir_loop *loop)
{
    weir_promise *promise = loop->promises.current;
    weir_promise *from = promise->from;

    loop->promises.current = NULL;
    if (promise->job == WEIR__JOB_NONE) { /* a resolver: see run_thenable */
        fail_pending(promise, loop->raised);
    } else {
        promise->from = NULL;
        fail(promise, loop->raised);
        weir__promise_drop(from);
    }
    weir__promise_drop(promise);
}
