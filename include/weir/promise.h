/* SPDX-License-Identifier: MIT */
/*
 * weir/promise.h -- a value that is there later, or the reason why not.
 *
 * A promise belongs to one loop.  It is settled once, by any thread; handlers
 * run on the loop's thread, as microtasks, in the order of ECMAScript.
 *
 *     weir_promise *answer, *told;
 *     if (weir_promise_new(&answer, loop) != 0) ...
 *     weir_promise_then(answer, print, complain, NULL, &told);
 *     weir_promise_resolve(answer, value);        any thread, once
 *     weir_promise_unref(told);
 *     weir_promise_unref(answer);
 *
 * Contracts are written as in weir/loop.h.  "Thread any" costs least on the
 * loop's own thread; from others a call goes through the loop's door.
 *
 * References.  Whoever keeps a promise holds a reference, and gives each back
 * with weir_promise_unref.  What the library needs it holds itself: a promise
 * with handlers may be let go at once.  A promise that is pending, has
 * handlers, and that nobody holds any more, can never be settled by anybody: it
 * is rejected with WEIR_EABANDONED.
 *
 * Values.  A value belongs to the promise that it settles.  Its `free` is
 * called when the last promise that has it is gone: the one that was settled,
 * and all that took the value over from it.  Handlers borrow it: what they are
 * shown is theirs to read until they return, and afterwards as long as they hold
 * a promise that has it.  `free` runs on the loop's thread; once the loop is
 * TERMINATED, on the thread that lets go last.  It must not raise.
 *
 * The end of the loop.  Shutdown and close reject what is still pending, with
 * WEIR_ECANCELED: no promise stays pending for ever.  After a close, handlers
 * that were still to run are called as for a rejection with WEIR_ECANCELED, so
 * that they can clean up.  A pending promise does not keep a loop from being
 * idle; a thread that will settle one holds the loop (weir_loop_ref).
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

typedef enum weir_promise_phase {
    WEIR_PROMISE_PENDING = 0,
    WEIR_PROMISE_FULFILLED,
    WEIR_PROMISE_REJECTED,
} weir_promise_phase;

/* What a promise is fulfilled with, or the reason of its rejection. */
typedef struct weir_value {
    void *data;
    void (*free)(void *data); /* NULL: nothing is to be freed */
    int code;                 /* of a reason: an error; otherwise free to use */
} weir_value;

/* What becomes of the promise that a handler decides about. */
typedef enum weir_result_kind {
    WEIR_RESULT_PASS = 0, /* the same as of the promise it was called for */
    WEIR_RESULT_VALUE,    /* fulfilled; the value goes with it */
    WEIR_RESULT_ERROR,    /* rejected; the reason goes with it */
    WEIR_RESULT_PROMISE,  /* as that one will be; the reference goes with it */
    WEIR_RESULT_THENABLE, /* as it says, when it is asked */
} weir_result_kind;

typedef struct weir_result {
    weir_result_kind kind;
    union {
        weir_value value; /* VALUE, ERROR */
        weir_promise *promise;
        weir_thenable *thenable;
    } as;
} weir_result;

/* A handler; `value` is borrowed.  One that leaves by weir_raise rejects: the
 * reason has the code, and no data. */
typedef weir_result weir_then_fn(void *arg, const weir_value *value);

/* A handler of weir_promise_finally. */
typedef weir_result weir_finally_fn(void *arg);

/* Somebody else's promise: it is told whom to settle, and settles it, now or
 * later, by resolve, reject or follow; the first such call counts.  Embedded in
 * the caller's own struct.  `then` is called once, by a microtask; after a close
 * with a promise that is rejected already.  The promise is borrowed: who
 * settles it later takes a reference.
 *
 * Returns  0, or an error: rejects, if nothing was said before */
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

/* ---- life ---- */

/**
 * Make a pending promise.
 *
 * Thread   any
 * Owns     one reference, the caller's
 * Returns  0, -EINVAL (NULL), -ENOMEM, WEIR_ECLOSED (the loop no longer admits
 *          work; on its own thread: it has rejected its promises)
 */
WEIR_API WEIR_CHECKED int weir_promise_new(weir_promise **promise,
                                           weir_loop *loop);

/**
 * One more reference.  More than 2^29 are a leak: it aborts.
 *
 * Thread   any that has one, or the loop's
 * Owns     the new one is the caller's
 */
WEIR_API weir_promise *weir_promise_ref(weir_promise *promise);

/**
 * Give a reference back.  NULL is nothing.
 *
 * Thread   any
 * Owns     the reference is no longer the caller's
 * Orders   all uses before happen-before the value is freed
 */
WEIR_API void weir_promise_unref(weir_promise *promise);

/**
 * The loop that it belongs to.
 *
 * Thread   any
 * Owns     borrowed; there as long as the promise is
 */
WEIR_API weir_loop *weir_promise_loop(const weir_promise *promise);

/* ---- settling ---- */

/**
 * Fulfil it.  The first call that decides about a promise wins, on whichever
 * thread; only promises of weir_promise_new, and those that a thenable is
 * given, are anybody's to decide about.
 *
 * Thread   any
 * Owns     0: the value is the promise's.  An error: it stays the caller's
 * Returns  0, -EALREADY (it is decided: settled, follows another, or was made
 *          by then, catch, finally or a combinator), -EINVAL (NULL)
 * Orders   what came before happens-before the handlers, and before a wait
 *          that returns 0
 */
WEIR_API WEIR_CHECKED int weir_promise_resolve(weir_promise *promise,
                                               weir_value value);

/**
 * Reject it.
 *
 * Thread   any
 * Owns     as resolve
 * Returns  0, -EALREADY, -EINVAL (NULL)
 * Orders   as resolve
 */
WEIR_API WEIR_CHECKED int weir_promise_reject(weir_promise *promise,
                                              weir_value reason);

/**
 * Let it become what another promise of the same loop becomes, two microtasks
 * after that is known.  Itself: it is rejected with WEIR_ESELF.
 *
 * Thread   any
 * Owns     `other` stays the caller's
 * Returns  0, -EALREADY, -EXDEV (of another loop), -EINVAL (NULL)
 */
WEIR_API WEIR_CHECKED int weir_promise_follow(weir_promise *promise,
                                              weir_promise *other);

/**
 * Let a thenable decide.  Its `then` is called by a microtask.
 *
 * Thread   any
 * Owns     the thenable is borrowed until its `then` is entered
 * Returns  0, -EALREADY, -ENOMEM, WEIR_ECLOSED, -EINVAL (NULL)
 */
WEIR_API WEIR_CHECKED int weir_promise_follow_thenable(weir_promise *promise,
                                                       weir_thenable *thenable);

/* ---- reacting ---- */

/**
 * Call one of the handlers once it is settled: never before this returns.
 * NULL lets that outcome pass.  *derived becomes what the handler returns.
 *
 * Thread   any; from elsewhere than the loop's thread in the order of what this
 *          thread posts
 * Owns     *derived is the caller's; NULL: nobody wants it.  arg is the caller's;
 *          give both handlers, or a finally, if it is to be freed
 * Returns  0, -EINVAL (promise is NULL), -ENOMEM, WEIR_ECLOSED (the loop has
 *          rejected its promises, or from elsewhere: it ends)
 */
WEIR_API WEIR_CHECKED int weir_promise_then(weir_promise *promise,
                                            weir_then_fn *on_fulfilled,
                                            weir_then_fn *on_rejected,
                                            void *arg, weir_promise **derived);

/**
 * The same as then with NULL and on_rejected.
 *
 * Thread   any
 * Owns     as then
 * Returns  0, -EINVAL (NULL), -ENOMEM, WEIR_ECLOSED
 */
WEIR_API WEIR_CHECKED int weir_promise_catch(weir_promise *promise,
                                             weir_then_fn *on_rejected,
                                             void *arg, weir_promise **derived);

/**
 * Call fn whatever the outcome is.  *derived then gets the same outcome; unless
 * fn returns an error, or a promise that is rejected: that takes its place.  A
 * promise is waited for; a value is freed.
 *
 * Thread   any
 * Owns     as then
 * Returns  0, -EINVAL (NULL), -ENOMEM, WEIR_ECLOSED
 */
WEIR_API WEIR_CHECKED int weir_promise_finally(weir_promise *promise,
                                               weir_finally_fn *fn, void *arg,
                                               weir_promise **derived);

/* ---- several ---- */

/* What became of one of several promises.  data is borrowed from it. */
typedef struct weir_outcome {
    weir_promise_phase phase;
    int code;
    void *data;
} weir_outcome;

/* The data of what `all` and `all_settled` are fulfilled with, and `any` is
 * rejected with: in the order of the promises. */
typedef struct weir_outcomes {
    size_t count;
    const weir_outcome *at;
} weir_outcomes;

/**
 * Fulfilled with weir_outcomes when all are fulfilled; rejected as the first
 * that is rejected.
 *
 * Thread   loop
 * Owns     *result is the caller's; the promises stay the caller's, the array
 *          too
 * Returns  0, -EINVAL (NULL), -EXDEV (one is of another loop), -EPERM (not on
 *          the loop's thread), -ENOMEM, WEIR_ECLOSED
 */
WEIR_API WEIR_CHECKED int weir_promise_all(weir_promise **result,
                                           weir_loop *loop,
                                           weir_promise *const *promises,
                                           size_t count);

/**
 * Fulfilled with weir_outcomes when all are settled.
 *
 * Thread   loop
 * Owns     as all
 * Returns  0, -EINVAL, -EXDEV, -EPERM, -ENOMEM, WEIR_ECLOSED
 */
WEIR_API WEIR_CHECKED int
weir_promise_all_settled(weir_promise **result, weir_loop *loop,
                         weir_promise *const *promises, size_t count);

/**
 * As the first that is settled.  Of none: pending.
 *
 * Thread   loop
 * Owns     as all
 * Returns  0, -EINVAL, -EXDEV, -EPERM, -ENOMEM, WEIR_ECLOSED
 */
WEIR_API WEIR_CHECKED int weir_promise_race(weir_promise **result,
                                            weir_loop *loop,
                                            weir_promise *const *promises,
                                            size_t count);

/**
 * As the first that is fulfilled; rejected with WEIR_ENONE and weir_outcomes
 * when all are rejected.
 *
 * Thread   loop
 * Owns     as all
 * Returns  0, -EINVAL, -EXDEV, -EPERM, -ENOMEM, WEIR_ECLOSED
 */
WEIR_API WEIR_CHECKED int weir_promise_any(weir_promise **result,
                                           weir_loop *loop,
                                           weir_promise *const *promises,
                                           size_t count);

/* ---- blocking work ---- */

/* Runs on a worker of a pool, and may block.  0: *value is what the promise is
 * fulfilled with.  An error: it is rejected with that code, and *value's data
 * goes along.  *value is all zeros at first. */
typedef int weir_blocking_fn(void *arg, weir_value *value);

/**
 * Run fn on the pool, and settle *promise with what it returns when the loop
 * takes that in: a thread that waits for it needs the loop to run.  If fn does
 * not get to run, because the pool is closed or options->abort is raised, the
 * promise is rejected with WEIR_ECANCELED.  An abort that is raised while fn runs
 * rejects the promise at once, and so does weir_loop_close: fn goes on, and its
 * outcome is dropped.  The call holds the loop until fn is over, and
 * weir_loop_shutdown waits for that, too.
 *
 * So a settled promise does not mean that fn is over: a handler must not free
 * arg.  Let release free it, which is called exactly once: after fn has returned,
 * or instead of fn if that will never begin.  It runs on a worker of the pool,
 * before fn's outcome settles the promise.  weir_pool_shutdown, weir_pool_free and
 * weir_loop_shutdown wait for it.  fn moves into *value what shall outlive arg.
 *
 * Thread   any
 * Owns     *promise is the caller's.  arg: 0 lends it until release(arg), which
 *          may be free; an error leaves it with the caller, and release is never
 *          called.  release may be NULL: then arg must outlive fn by itself.
 *          options may be NULL; options->abort is held
 * Returns  0, -EINVAL (NULL, or as weir_pool_submit), -ENOMEM, WEIR_ECLOSED (the
 *          loop or the pool no longer admits work; in a callback of the loop:
 *          it is cancelling its timers, or was closed)
 * Orders   everything before the call happens-before fn(), fn() before release(),
 *          and that before the handlers that see fn's outcome
 */
WEIR_API WEIR_CHECKED int weir_promisify(weir_promise **promise,
                                         weir_loop *loop, weir_pool *pool,
                                         weir_blocking_fn *fn, void *arg,
                                         void (*release)(void *arg),
                                         const weir_submit_options *options);

/* ---- looking ---- */

/**
 * Pending, fulfilled or rejected; "pending" may be old news on return.
 *
 * Thread   any
 * Orders   unless pending: sees what came before the settling
 */
WEIR_API weir_promise_phase weir_promise_state(const weir_promise *promise);

/**
 * Its value or reason; NULL while it is pending.
 *
 * Thread   any
 * Owns     borrowed, as long as a reference is held
 */
WEIR_API const weir_value *weir_promise_value(const weir_promise *promise);

/**
 * Sleep until it is settled.
 *
 * Thread   any but a loop's, which must not block: use weir_promise_then
 * Returns  0 (settled, either way), -ETIMEDOUT (timeout_ns went by; negative
 *          waits for ever, 0 only looks), -EDEADLK (on a loop's thread, also
 *          if it is settled), -EINVAL (NULL)
 * Orders   0: sees what came before the settling
 */
WEIR_API WEIR_CHECKED int weir_promise_wait(weir_promise *promise,
                                            int64_t timeout_ns);

/**
 * A number for the promise, the same each time, that no other promise of this
 * loop ever has; never 0.
 *
 * Thread   any
 * Returns  0, -EINVAL (NULL), -ENOMEM, -EOVERFLOW (2^64 - 1 were given out)
 */
WEIR_API WEIR_CHECKED int weir_promise_id(weir_promise *promise, uint64_t *id);

/**
 * The promise with this number, if it is still there.  The number alone keeps
 * no promise.
 *
 * Thread   any
 * Owns     a new reference, the caller's
 * Returns  0, -ENOENT (gone, or never was), -EINVAL (NULL)
 */
WEIR_API WEIR_CHECKED int weir_promise_find(weir_loop *loop, uint64_t id,
                                            weir_promise **promise);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_PROMISE_H */
