/* SPDX-License-Identifier: MIT */
/*
 * weir/promise.h -- a value that becomes available later, or an error.
 *
 * A promise belongs to one loop.  Any thread may settle it, once.  Its handlers
 * run on the loop's thread, as microtasks, in ECMAScript order.
 *
 *     weir_promise *answer, *told;
 *     if (weir_promise_new(&answer, loop) != 0) ...
 *     weir_promise_then(answer, print, complain, NULL, &told);
 *     weir_promise_resolve(answer, value);        any thread, once
 *     weir_promise_unref(told);
 *     weir_promise_unref(answer);
 *
 * The contracts have the form that weir/loop.h explains.  A call marked "Thread
 * any" is cheapest on the loop's own thread; from other threads it goes through
 * the loop's MPSC queue.
 *
 * References.  Code that keeps a promise holds a reference, and releases each
 * reference with weir_promise_unref.  The library holds its own references: a
 * promise with handlers may be released at once.  A pending promise that has
 * handlers but no references left outside the library can never be settled: it
 * is rejected with WEIR_EABANDONED.
 *
 * Values.  A value belongs to the promise that it settles.  Its `free` is
 * called when the last promise with that value is gone; that includes the
 * settled promise and all promises that took the value over from it.  Handlers
 * borrow the value.  They may read it until they return, and after that for as
 * long as they hold a reference to a promise that has it.  `free` runs on the
 * loop's thread.  Once the loop is TERMINATED, it runs on the thread that
 * releases the last reference.  It must not raise.
 *
 * The end of the loop.  Shutdown and close reject all promises that are still
 * pending with WEIR_ECANCELED, so no promise stays pending forever.  After a
 * close, handlers that have not run yet are called as for a rejection with
 * WEIR_ECANCELED, so that they can clean up.  A pending promise does not keep a
 * loop running; a thread that will settle one must hold a reference to the loop
 * (weir_loop_ref).
 */
#ifndef WEIR_PROMISE_H
#define WEIR_PROMISE_H

#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/loop.h"
#include "weir/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_promise weir_promise;
typedef struct weir_thenable weir_thenable;

enum weir_promise_state {
    WEIR_PROMISE_PENDING = 0,
    WEIR_PROMISE_FULFILLED,
    WEIR_PROMISE_REJECTED,
};

/* The value that a promise is fulfilled with, or the reason for its
 * rejection. */
typedef struct weir_value {
    void *data;
    void (*free)(void *data); /* NULL: there is nothing to free */
    int code;                 /* in a reason: an error; otherwise free to use */
} weir_value;

/* How a handler settles the promise derived from it. */
typedef enum weir_result_kind {
    WEIR_RESULT_PASS = 0, /* like the promise that the handler was called for */
    WEIR_RESULT_VALUE,    /* fulfil it; transfers the value */
    WEIR_RESULT_ERROR,    /* reject it; transfers the reason */
    WEIR_RESULT_PROMISE,  /* follow that promise; transfers the reference */
    WEIR_RESULT_THENABLE, /* let the thenable settle it when it is called */
} weir_result_kind;

typedef struct weir_result {
    weir_result_kind kind;
    union {
        weir_value value; /* VALUE, ERROR */
        weir_promise *promise;
        weir_thenable *thenable;
    } as;
} weir_result;

/* A handler; `value` is borrowed.  A handler that leaves by weir_raise rejects
 * the derived promise; the reason has the raised code and no data. */
typedef weir_result weir_then_fn(void *arg, const weir_value *value);

/* A handler of weir_promise_finally. */
typedef weir_result weir_finally_fn(void *arg);

/* A foreign promise, embedded in the caller's own struct.  Its `then` receives
 * a promise and settles it, now or later, by resolve, reject or follow; the
 * first such call counts.  A microtask calls `then` once.  After a close,
 * `then` receives a promise that is already rejected.  The promise is borrowed:
 * take a reference to settle it after `then` has returned.
 *
 * Returns  0, or an error, which rejects the promise unless it was decided
 *          before */
struct weir_thenable {
    int (*then)(weir_thenable *thenable, weir_promise *promise);
};

static inline weir_value weir_value_of(void *data, void (*free_data)(void *))
{
    weir_value value = {data, free_data, 0};

    return value;
}

static inline weir_value weir_value_error(int code)
{
    weir_value value = {NULL, NULL, code};

    return value;
}

static inline weir_result weir_pass(void)
{
    weir_result result = {WEIR_RESULT_PASS, {{NULL, NULL, 0}}};

    return result;
}

static inline weir_result weir_give(weir_value value)
{
    weir_result result = {WEIR_RESULT_VALUE, {value}};

    return result;
}

static inline weir_result weir_fail(weir_value reason)
{
    weir_result result = {WEIR_RESULT_ERROR, {reason}};

    return result;
}

static inline weir_result weir_give_promise(weir_promise *promise)
{
    weir_result result = weir_pass();

    result.kind = WEIR_RESULT_PROMISE;
    result.as.promise = promise;
    return result;
}

static inline weir_result weir_give_thenable(weir_thenable *thenable)
{
    weir_result result = weir_pass();

    result.kind = WEIR_RESULT_THENABLE;
    result.as.thenable = thenable;
    return result;
}

/* ---- lifetime ---- */

/**
 * Create a pending promise.
 *
 * Thread   any
 * Owns     one reference, the caller's
 * Returns  0, -EINVAL (NULL), -ENOMEM, WEIR_ECLOSED (the loop no longer admits
 *          work; on its own thread: the loop has rejected its promises),
 *          WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_promise_new(weir_promise **promise,
                                           weir_loop *loop);

/**
 * Take another reference to a promise.  More than 2^29 references indicate a
 * leak, and the call aborts.
 *
 * Thread   any that holds a reference, or the loop's
 * Owns     the new reference is the caller's
 */
WEIR_API weir_promise *weir_promise_ref(weir_promise *promise);

/**
 * Release a reference to a promise.  Passing NULL has no effect.
 *
 * Thread   any
 * Owns     the reference is no longer the caller's
 * Orders   all earlier uses happen-before the value is freed
 */
WEIR_API void weir_promise_unref(weir_promise *promise);

/**
 * Return the loop that a promise belongs to.
 *
 * Thread   any
 * Owns     borrowed; valid for as long as the promise is
 */
WEIR_API weir_loop *weir_promise_loop(const weir_promise *promise);

/* ---- settling ---- */

/**
 * Fulfil a promise with a value.  The first call that decides a promise wins,
 * on whichever thread.  Callers may only decide promises made by
 * weir_promise_new and those passed to a thenable.
 *
 * Thread   any
 * Owns     0: the value is the promise's.  An error: it stays the caller's
 * Returns  0, -EALREADY (the promise is decided: it is settled, follows another
 *          one, or was made by then, catch, finally or a combinator), -EINVAL
 *          (NULL)
 * Orders   everything before the call happens-before the handlers, and before a
 *          wait that returns 0
 */
WEIR_API WEIR_CHECKED int weir_promise_resolve(weir_promise *promise,
                                               weir_value value);

/**
 * Reject a promise with a reason.
 *
 * Thread   any
 * Owns     0: the reason is the promise's.  An error: it stays the caller's
 * Returns  0, -EALREADY (the promise is decided: it is settled, follows another
 *          one, or was made by then, catch, finally or a combinator), -EINVAL
 *          (NULL)
 * Orders   everything before the call happens-before the handlers, and before a
 *          wait that returns 0
 */
WEIR_API WEIR_CHECKED int weir_promise_reject(weir_promise *promise,
                                              weir_value reason);

/**
 * Make a promise follow another promise of the same loop, and settle in the
 * same way.  One microtask begins to follow; another settles the promise once
 * the outcome of `other` is known.  A promise that is made to follow itself is
 * rejected with WEIR_ESELF.
 *
 * Thread   any
 * Owns     `other` stays the caller's
 * Returns  0, -EALREADY, -EXDEV (`other` belongs to another loop), -EINVAL
 *          (NULL)
 */
WEIR_API WEIR_CHECKED int weir_promise_follow(weir_promise *promise,
                                              weir_promise *other);

/**
 * Let a thenable decide a promise.  A microtask calls its `then`.
 *
 * Thread   any
 * Owns     the thenable is borrowed until its `then` is entered
 * Returns  0, -EALREADY, -ENOMEM, WEIR_ECLOSED, -EINVAL (NULL), WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_promise_follow_thenable(weir_promise *promise,
                                                       weir_thenable *thenable);

/* ---- reactions ---- */

/**
 * Call one of two handlers once a promise is settled.  On the loop's thread the
 * handler never runs before this call returns.  On another thread it may, but
 * *derived is set by then.  A handler that is NULL passes its outcome on.
 * *derived is settled as the handler's result says.
 *
 * Thread   any; calls from threads other than the loop's take effect in the
 *          order of what the calling thread posts
 * Owns     *derived is the caller's; pass NULL if it is not needed.  arg is the
 *          caller's; to free it in every case, give both handlers, or use
 *          weir_promise_finally
 * Returns  0, -EINVAL (promise is NULL), -ENOMEM, WEIR_ECLOSED (the loop has
 *          rejected its promises; on other threads: the loop is ending),
 *          WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_promise_then(weir_promise *promise,
                                            weir_then_fn *on_fulfilled,
                                            weir_then_fn *on_rejected,
                                            void *arg, weir_promise **derived);

/**
 * Call a handler once a promise is rejected.  This is weir_promise_then with
 * NULL for on_fulfilled.
 *
 * Thread   any
 * Owns     *derived is the caller's; pass NULL if it is not needed.  arg is the
 *          caller's
 * Returns  0, -EINVAL (NULL), -ENOMEM, WEIR_ECLOSED, WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_promise_catch(weir_promise *promise,
                                             weir_then_fn *on_rejected,
                                             void *arg, weir_promise **derived);

/**
 * Call a function once a promise is settled, whatever the outcome.  *derived
 * then gets the same outcome, unless fn returns an error or a promise that is
 * rejected: that rejection takes its place.  A promise that fn returns is
 * waited for, and a value that it returns is freed.
 *
 * Thread   any
 * Owns     *derived is the caller's; pass NULL if it is not needed.  arg is the
 *          caller's
 * Returns  0, -EINVAL (NULL), -ENOMEM, WEIR_ECLOSED, WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_promise_finally(weir_promise *promise,
                                               weir_finally_fn *fn, void *arg,
                                               weir_promise **derived);

/* ---- combinators ---- */

/* The outcome of one of several promises.  data is borrowed from that
 * promise. */
typedef struct weir_outcome {
    enum weir_promise_state state;
    int code;
    void *data;
} weir_outcome;

/* The outcomes of several promises, in the order of the promises: the data that
 * `all` and `all_settled` are fulfilled with, and `any` is rejected with. */
typedef struct weir_outcomes {
    size_t count;
    const weir_outcome *at;
} weir_outcomes;

/**
 * Create a promise that is fulfilled with weir_outcomes when all of the given
 * promises are fulfilled.  It is rejected like the first of them that is
 * rejected.
 *
 * Thread   loop, inside a callback
 * Owns     *result is the caller's; the promises and the array stay the
 *          caller's
 * Returns  0, -EINVAL (NULL), -EXDEV (one of the promises belongs to another
 *          loop), -EPERM (not on the loop's thread), -ENOMEM, WEIR_ECLOSED,
 *          WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_promise_all(weir_promise **result,
                                           weir_loop *loop,
                                           weir_promise *const *promises,
                                           size_t count);

/**
 * Create a promise that is fulfilled with weir_outcomes when all of the given
 * promises are settled.  If there are none, it is fulfilled at once.
 *
 * Thread   loop, inside a callback
 * Owns     *result is the caller's; the promises and the array stay the
 *          caller's
 * Returns  0, -EINVAL (NULL), -EXDEV (one of the promises belongs to another
 *          loop), -EPERM (not on the loop's thread), -ENOMEM, WEIR_ECLOSED,
 *          WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int
weir_promise_all_settled(weir_promise **result, weir_loop *loop,
                         weir_promise *const *promises, size_t count);

/**
 * Create a promise that is settled like the first of the given promises to
 * settle.  It stays pending if there are none.
 *
 * Thread   loop, inside a callback
 * Owns     *result is the caller's; the promises and the array stay the
 *          caller's
 * Returns  0, -EINVAL (NULL), -EXDEV (one of the promises belongs to another
 *          loop), -EPERM (not on the loop's thread), -ENOMEM, WEIR_ECLOSED,
 *          WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_promise_race(weir_promise **result,
                                            weir_loop *loop,
                                            weir_promise *const *promises,
                                            size_t count);

/**
 * Create a promise that is fulfilled like the first of the given promises that
 * is fulfilled.  It is rejected with WEIR_ENONE and weir_outcomes when all of
 * them are rejected.
 *
 * Thread   loop, inside a callback
 * Owns     *result is the caller's; the promises and the array stay the
 *          caller's
 * Returns  0, -EINVAL (NULL), -EXDEV (one of the promises belongs to another
 *          loop), -EPERM (not on the loop's thread), -ENOMEM, WEIR_ECLOSED,
 *          WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_promise_any(weir_promise **result,
                                           weir_loop *loop,
                                           weir_promise *const *promises,
                                           size_t count);

/* ---- blocking work ---- */

/* A function that runs on a worker of a pool and may block.  If it returns 0,
 * the promise is fulfilled with *value.  If it returns an error, the promise is
 * rejected with that code and the data of *value.  *value is all zeros at
 * first. */
typedef int weir_blocking_fn(void *arg, weir_value *value);

/**
 * Run a blocking function on a pool, and settle a promise of a loop with its
 * result.  The promise is settled when the loop receives the result, so a
 * thread that waits for it needs the loop to run.  The promise is rejected with
 * WEIR_ECANCELED if fn never runs because the pool is closed or options->abort
 * is raised.  An abort that is raised while fn runs rejects the promise at
 * once, and so does weir_loop_close, with the same code; weir_abort_reason
 * tells a timeout from other reasons.  fn continues in both cases, and its
 * outcome is discarded.  The call keeps the loop running until fn has ended,
 * and weir_loop_shutdown waits for that, too.
 *
 * A settled promise therefore does not mean that fn has ended, and a handler
 * must not free arg.  Free it in release, which is called exactly once: after
 * fn has returned, or instead of fn if fn will never begin.  release runs on a
 * worker of the pool, before the outcome of fn settles the promise.
 * weir_pool_shutdown, weir_pool_free and weir_loop_shutdown wait for it.  fn
 * must move anything that is to outlive arg into *value.
 *
 * Thread   any
 * Owns     *promise is the caller's.  arg: 0 lends it until release(arg), which
 *          may be free; an error leaves it with the caller, and release is
 *          never called.  release may be NULL: then arg must outlive fn by
 *          other means.  options may be NULL; weir holds a reference to
 *          options->abort
 * Returns  0, -EINVAL (NULL, an unknown priority, a lane of another pool, or
 *          options has no valid size), -E2BIG (an option that this library does
 *          not know), -ENOMEM, WEIR_ECLOSED (the loop or the
 *          pool no longer admits work; in a callback of the loop: the loop is
 *          cancelling its timers, or was closed), WEIR_EFORKED
 * Orders   everything before the call happens-before fn(), fn() before
 *          release(), and release() before the handlers that see the outcome of
 *          fn
 */
WEIR_API WEIR_CHECKED int weir_promisify(weir_promise **promise,
                                         weir_loop *loop, weir_pool *pool,
                                         weir_blocking_fn *fn, void *arg,
                                         weir_call_fn *release,
                                         const weir_submit_options *options);

/* ---- inspection ---- */

/**
 * Return whether a promise is pending, fulfilled or rejected.  A promise that
 * is reported as pending may be settled by the time the call returns.
 *
 * Thread   any
 * Orders   unless pending: sees what came before the promise was settled
 */
WEIR_API enum weir_promise_state
weir_promise_state(const weir_promise *promise);

/**
 * Return the value or reason of a promise, or NULL while it is pending.
 *
 * Thread   any
 * Owns     borrowed, for as long as the caller holds a reference
 */
WEIR_API const weir_value *weir_promise_value(const weir_promise *promise);

/**
 * Block until a promise is settled.
 *
 * Thread   any except a loop's, which must not block: use weir_promise_then
 *          there
 * Returns  0 (settled, either way), -ETIMEDOUT (timeout_ns elapsed; a negative
 *          value waits forever, 0 only checks), -EDEADLK (on a loop's thread,
 *          even if the promise is settled), -EINVAL (NULL)
 * Orders   0: sees what came before the promise was settled
 */
WEIR_API WEIR_CHECKED int weir_promise_wait(weir_promise *promise,
                                            int64_t timeout_ns);

/**
 * Get the number that identifies a promise.  It is the same for each call,
 * never 0, and never that of another promise of this loop.
 *
 * Thread   any
 * Returns  0, -EINVAL (NULL), -ENOMEM, -EOVERFLOW (all 2^64 - 1 numbers are
 *          used)
 */
WEIR_API WEIR_CHECKED int weir_promise_id(weir_promise *promise, uint64_t *id);

/**
 * Find the promise with a number given by weir_promise_id, if it still exists.
 * The number alone does not keep a promise alive.
 *
 * Thread   any
 * Owns     a new reference, the caller's
 * Returns  0, -ENOENT (gone, or never existed), -EINVAL (NULL)
 */
WEIR_API WEIR_CHECKED int weir_promise_find(weir_loop *loop, uint64_t id,
                                            weir_promise **promise);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_PROMISE_H */
