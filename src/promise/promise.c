/* SPDX-License-Identifier: MIT */
/*
 * promise -- the public functions, and the messages between threads.
 *
 * Each function has two paths.  On the loop's thread it acts at once, on plain
 * fields; so do all other files of promise.h except settle.c.  On another
 * thread it decides in the promise's atomic word, records what is to be done,
 * and sends the promise's message (a task) to the loop.
 *
 * After TERMINATED there is no loop's thread.  All promises are settled then,
 * and only references are left to be released, under the loop's lock.  A loop
 * that ends while promises are referenced keeps its memory for them.
 *
 * Tested by  test/unit/promise/promise.c, test/unit/promise/promise_threads.c
 */
#include "promise/promise.h"

#include <errno.h>

#include "base/check.h"

/* ---- messages: tasks from other threads ---- */

/* Do what another thread has requested: follow a promise or call a thenable. */
static void begin_to_follow(weir_promise *promise)
{
    weir_promise *resolver = promise->on.bind.resolver;
    weir_promise *other = promise->from;

    promise->from = NULL;
    if (resolver != NULL) {
        weir__promise_ask(promise, resolver);
    } else if (!weir__promise_is_rejected(promise->loop)) {
        weir__promise_follow(promise, other);
    } else { /* it may be part of a cycle that nothing would break now */
        (void)weir__promise_finish(promise, WEIR__BOUND, WEIR__REJECTED,
                                   &weir__cancelled);
        weir__promise_drop(promise);
        weir__promise_drop(other);
    }
}

/* Handle the first message of a single, made by new or then. */
static void arrive(weir_promise *promise)
{
    promise->flags |= WEIR__ARRIVED;
    weir__promise_enlist(promise);
    if (promise->flags & WEIR__TO_WAIT) {
        weir_promise *other = promise->from;

        promise->from = NULL;
        weir__promise_attach(promise, other);
        weir__promise_drop(other);
    } else if (weir__promise_is_rejected(promise->loop) &&
               promise->job == WEIR__JOB_NONE) {
        (void)weir__promise_finish(promise, WEIR__PENDING, WEIR__REJECTED,
                                   &weir__cancelled);
    }
}

void weir__promise_receive(weir_promise *promise)
{
    uint32_t verdict;

    weir__promise_collect(promise);
    weir__promise_hold(promise);
    if ((promise->flags & (WEIR__SINGLE | WEIR__ARRIVED)) == WEIR__SINGLE)
        arrive(promise);
    verdict = weir__promise_verdict(promise);
    if (verdict >= WEIR__FULFILLED)
        weir__promise_dispatch(promise);
    else if (verdict == WEIR__BOUND && promise->job == WEIR__JOB_NONE)
        begin_to_follow(promise);
    weir__promise_drop(promise);
}

/* ---- create and release ---- */

/* Create a promise on another thread. */
static int make_outside(weir_loop *loop, weir_promise **made)
{
    weir_promise *promise = weir__promise_take_single(loop, WEIR__PENDING);
    int err;

    if (promise == NULL)
        return -ENOMEM;
    err = weir__promise_introduce(promise);
    if (err != 0) {
        weir__promise_discard(promise);
        return err;
    }
    *made = promise;
    return 0;
}

int weir_promise_new(weir_promise **promise, weir_loop *loop)
{
    if (promise == NULL || loop == NULL)
        return -EINVAL;
    return weir__promise_is_local(loop)
               ? weir__promise_make(loop, WEIR__PENDING, promise)
               : make_outside(loop, promise);
}

weir_promise *weir_promise_ref(weir_promise *promise)
{
    if (weir__promise_is_local(promise->loop)) {
        CHECK(promise->refs < WEIR__PROMISE_REFS, "too many refs of a promise");
        weir__promise_hold(promise);
    } else {
        weir__promise_ref_outside(promise);
    }
    return promise;
}

void weir_promise_unref(weir_promise *promise)
{
    if (promise == NULL)
        return;
    if (weir__promise_is_local(promise->loop))
        weir__promise_drop(promise);
    else
        weir__promise_unref_outside(promise);
}

weir_loop *weir_promise_loop(const weir_promise *promise)
{
    return promise->loop;
}

/* ---- settling ---- */

static int settle(weir_promise *promise, uint32_t verdict,
                  const weir_value *value)
{
    if (promise == NULL)
        return -EINVAL;
    if (weir__promise_is_local(promise->loop))
        return weir__promise_finish(promise, WEIR__PENDING, verdict, value)
                   ? 0
                   : -EALREADY;
    if (!weir__promise_claim(promise))
        return -EALREADY;
    promise->on.mail = *value;
    weir__promise_publish(promise, verdict);
    return 0;
}

int weir_promise_resolve(weir_promise *promise, weir_value value)
{
    return settle(promise, WEIR__FULFILLED, &value);
}

int weir_promise_reject(weir_promise *promise, weir_value reason)
{
    return settle(promise, WEIR__REJECTED, &reason);
}

int weir_promise_follow(weir_promise *promise, weir_promise *other)
{
    if (promise == NULL || other == NULL)
        return -EINVAL;
    if (promise == other)
        return weir_promise_reject(promise, weir_value_error(WEIR_ESELF));
    if (promise->loop != other->loop)
        return -EXDEV;
    if (weir__promise_is_local(promise->loop)) {
        if (!weir__promise_move(promise, WEIR__PENDING, WEIR__BOUND))
            return -EALREADY;
        weir__promise_hold(promise);
        weir__promise_hold(other);
        weir__promise_follow(promise, other);
        return 0;
    }
    if (!weir__promise_claim(promise))
        return -EALREADY;
    /* References for the job that the message starts. */
    weir__promise_ref_outside(promise);
    weir__promise_ref_outside(other);
    promise->from = other;
    promise->on.bind.resolver = NULL;
    weir__promise_publish(promise, WEIR__BOUND);
    return 0;
}

/* Create the promise that the thenable will settle. */
static int make_resolver(weir_loop *loop, weir_thenable *thenable,
                         weir_promise **made)
{
    bool is_local = weir__promise_is_local(loop);
    int err = 0;

    if (is_local)
        err = weir__promise_make(loop, WEIR__PENDING, made);
    else if ((*made = weir__promise_take_single(loop, WEIR__PENDING)) == NULL)
        err = -ENOMEM;
    if (err != 0)
        return err;
    (*made)->job = WEIR__JOB_THENABLE;
    (*made)->on.ask.thenable = thenable;
    if (is_local)
        return 0;
    err = weir__promise_introduce(*made);
    if (err != 0)
        weir__promise_discard(*made);
    return err;
}

int weir_promise_follow_thenable(weir_promise *promise, weir_thenable *thenable)
{
    weir_promise *resolver;
    bool is_local;
    int err;

    if (promise == NULL || thenable == NULL || thenable->then == NULL)
        return -EINVAL;
    err = make_resolver(promise->loop, thenable, &resolver);
    if (err != 0)
        return err;
    is_local = weir__promise_is_local(promise->loop);
    if (is_local ? !weir__promise_move(promise, WEIR__PENDING, WEIR__BOUND)
                 : !weir__promise_claim(promise)) {
        weir_promise_unref(resolver);
        return -EALREADY;
    }
    if (is_local) {
        weir__promise_hold(promise);
        weir__promise_ask(promise, resolver);
    } else {
        weir__promise_ref_outside(promise);
        promise->from = NULL;
        promise->on.bind.resolver = resolver;
        weir__promise_publish(promise, WEIR__BOUND);
    }
    return 0;
}

/* ---- reacting ---- */

/* Attach the waiter, which is waiting when this returns. */
static int wait_for(weir_promise *promise, weir_promise *waiter,
                    weir_promise **derived)
{
    if (derived != NULL)
        waiter->refs++;
    weir__promise_attach(waiter, promise);
    if (derived != NULL)
        *derived = waiter;
    return 0;
}

/* Send the waiter to the loop, which attaches it. */
static int wait_outside(weir_promise *promise, weir_promise *waiter,
                        weir_promise **derived)
{
    weir_promise *before = derived != NULL ? *derived : NULL;
    int err;

    weir__promise_ref_outside(promise);
    waiter->from = promise;
    waiter->flags |= WEIR__TO_WAIT;
    waiter->refs = derived != NULL ? 2 : 1;
    if (derived != NULL)
        *derived = waiter; /* before its handler can run */
    err = weir__promise_introduce(waiter);
    if (err == 0)
        return 0;
    if (derived != NULL)
        *derived = before;
    weir__promise_discard(waiter);
    weir__promise_unref_outside(promise);
    return err;
}

static int make_waiter(weir_promise *promise, bool is_local,
                       weir_promise **made)
{
    if (is_local)
        return weir__promise_make(promise->loop, WEIR__BOUND, made);
    *made = weir__promise_take_single(promise->loop, WEIR__BOUND);
    return *made != NULL ? 0 : -ENOMEM;
}

int weir_promise_then(weir_promise *promise, weir_then_fn *on_fulfilled,
                      weir_then_fn *on_rejected, void *arg,
                      weir_promise **derived)
{
    weir_promise *waiter;
    bool is_local;
    int err;

    if (promise == NULL)
        return -EINVAL;
    is_local = weir__promise_is_local(promise->loop);
    err = make_waiter(promise, is_local, &waiter);
    if (err != 0)
        return err;
    waiter->job = WEIR__JOB_THEN;
    waiter->on.then.on_fulfilled = on_fulfilled;
    waiter->on.then.on_rejected = on_rejected;
    waiter->on.then.arg = arg;
    return is_local ? wait_for(promise, waiter, derived)
                    : wait_outside(promise, waiter, derived);
}

int weir_promise_catch(weir_promise *promise, weir_then_fn *on_rejected,
                       void *arg, weir_promise **derived)
{
    if (on_rejected == NULL)
        return -EINVAL;
    return weir_promise_then(promise, NULL, on_rejected, arg, derived);
}

int weir_promise_finally(weir_promise *promise, weir_finally_fn *fn, void *arg,
                         weir_promise **derived)
{
    weir_promise *waiter;
    bool is_local;
    int err;

    if (promise == NULL || fn == NULL)
        return -EINVAL;
    is_local = weir__promise_is_local(promise->loop);
    err = make_waiter(promise, is_local, &waiter);
    if (err != 0)
        return err;
    waiter->job = WEIR__JOB_FINALLY;
    waiter->on.finally.fn = fn;
    waiter->on.finally.arg = arg;
    return is_local ? wait_for(promise, waiter, derived)
                    : wait_outside(promise, waiter, derived);
}

/* ---- state and value ---- */

enum weir_promise_state weir_promise_state(const weir_promise *promise)
{
    switch (weir__promise_verdict(promise)) {
    case WEIR__FULFILLED:
        return WEIR_PROMISE_FULFILLED;
    case WEIR__REJECTED:
        return WEIR_PROMISE_REJECTED;
    default:
        return WEIR_PROMISE_PENDING;
    }
}

const weir_value *weir_promise_value(const weir_promise *promise)
{
    return weir__promise_is_settled(promise) ? weir__promise_value(promise)
                                             : NULL;
}
