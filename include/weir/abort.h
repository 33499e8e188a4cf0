/* SPDX-License-Identifier: MIT */
/*
 * weir/abort.h -- a signal, raised once, that cancels work.
 *
 *     weir_abort *abort;
 *     if (weir_abort_new(&abort) != 0) ...
 *     weir_pool_submit(pool, search, query,
 *                      &(weir_submit_options){.size = sizeof(...),
 *                                             .abort = abort});
 *     weir_abort_raise(abort, -ETIMEDOUT);        any thread
 *     weir_abort_unref(abort);
 *
 * Work can poll an abort or listen to it.  A job that carries an abort and has
 * not begun when the abort is raised is called with WEIR_ECANCELED.  A running
 * job checks weir_abort_reason() at points where it can stop.
 */
#ifndef WEIR_ABORT_H
#define WEIR_ABORT_H

#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/job.h"
#include "weir/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A listener of an abort, embedded in the caller's own struct.  Set run, add
 * the listener, and do not touch it until run() is entered or weir_abort_remove
 * returns 0.  run is called inside weir_abort_raise, on the thread that raises;
 * or inside weir_abort_listen, if the abort was raised before.  No lock is
 * held.  If that happens in a callback of a loop, run may leave by weir_raise:
 * then on_uncaught of that loop is called, the other listeners are called, and
 * the callback goes on. */
typedef struct weir_abort_listener weir_abort_listener;
struct weir_abort_listener {
    void (*run)(weir_abort_listener *listener, int reason);
    weir_abort_listener *next_, *prev_; /* private: weir's while it listens */
    uint64_t state_;
};

/**
 * Make an abort that is not raised, with one reference.
 *
 * Thread   any
 * Owns     the reference is the caller's
 * Returns  0, -EINVAL (abort is NULL), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_abort_new(weir_abort **abort);

/**
 * Make an abort that is raised when the first of `count` source aborts is
 * raised, with the same reason.  If a source is already raised, the new abort
 * is raised immediately.
 *
 * Thread   any
 * Owns     the reference is the caller's; the new abort holds references to the
 *          sources until it is freed
 * Returns  0, -EINVAL (NULL, or a source that is NULL), -ENOMEM
 */
WEIR_API WEIR_CHECKED int
weir_abort_any(weir_abort **abort, weir_abort *const *sources, size_t count);

/**
 * Make an abort that a timer raises after delay_ns.  The reason is -ETIMEDOUT,
 * or WEIR_ECANCELED if the loop of the timer ends first.  Like any other abort,
 * it may be raised earlier.  The timer does not keep weir_loop_run running, but
 * it holds a reference to the abort.
 *
 * Thread   any
 * Owns     the reference is the caller's
 * Returns  0, -EINVAL (NULL, or delay_ns is negative), -EOVERFLOW (the deadline
 *          is past the last nanosecond), -ENOMEM, -ENOSPC (no ids left),
 *          WEIR_ECLOSED (the loop no longer admits work), WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_abort_after(weir_abort **abort, weir_loop *loop,
                                           int64_t delay_ns);

/**
 * Take another reference to an abort.
 *
 * Thread   any that has a reference
 */
WEIR_API void weir_abort_ref(weir_abort *abort);

/**
 * Release a reference to an abort.  Releasing the last reference frees the
 * abort; listeners that have not been called are then never called, except by
 * another thread that is just raising a source of the abort (weir_abort_any).
 * If there may be such a thread, call weir_abort_remove first, and free the
 * listener only if that returns 0.  Passing NULL has no effect.
 *
 * Thread   any that has a reference
 * Owns     the reference is no longer the caller's
 */
WEIR_API void weir_abort_unref(weir_abort *abort);

/**
 * Raise an abort.  An abort is raised once, with the reason of the first
 * caller.  All listeners are called before that call returns.
 *
 * Thread   any
 * Returns  0, -EALREADY (it was raised before), -EINVAL (NULL, or reason 0)
 * Orders   everything before the call is visible to a thread that finds the
 *          abort raised
 */
WEIR_API int weir_abort_raise(weir_abort *abort, int reason);

/**
 * Get the reason for which an abort was raised, or 0 if it was not raised.
 *
 * Thread   any
 * Orders   not 0: sees everything before weir_abort_raise
 */
WEIR_API int weir_abort_reason(const weir_abort *abort);

/**
 * Add a listener to an abort.  It is called once, when the abort is raised.  If
 * the abort was raised before, the listener is called immediately.
 *
 * Thread   any
 * Owns     the caller keeps the listener; weir borrows it until run() is
 *          entered, the listener is removed, or the abort is freed
 * Returns  0, -EINVAL (NULL, or run is NULL)
 */
WEIR_API WEIR_CHECKED int weir_abort_listen(weir_abort *abort,
                                            weir_abort_listener *listener);

/**
 * Remove a listener from an abort.  After a return of 0 the listener has not
 * been called and never will be.  After -ENOENT it may have been called, or
 * another thread may be calling it at this moment.
 *
 * Thread   any
 * Owns     0: the listener is the caller's again
 * Returns  0, -ENOENT (already called, removed, or never added), -EINVAL (NULL)
 */
WEIR_API int weir_abort_remove(weir_abort *abort,
                               weir_abort_listener *listener);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_ABORT_H */
