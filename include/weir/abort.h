/* SPDX-License-Identifier: MIT */
/*
 * weir/abort.h -- one signal, raised once, that work may look at or listen to.
 *
 *     weir_abort *abort;
 *     if (weir_abort_new(&abort) != 0) ...
 *     weir_pool_submit(pool, search, query,
 *                      &(weir_submit_options){.size = sizeof(...),
 *                                             .abort = abort});
 *     weir_abort_raise(abort, -ETIMEDOUT);        any thread
 *     weir_abort_unref(abort);
 *
 * A job that carries an abort and has not begun when it is raised is called
 * with WEIR_ECANCELED; one that runs looks at weir_abort_reason() where it can
 * stop.
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

/* Somebody to be told, embedded in the caller's own struct.  Set run, add it,
 * and leave it alone until run() is entered or weir_abort_remove returns 0.
 * run is called on the thread that raises: inside weir_abort_raise, or inside
 * weir_abort_listen if it was raised before.  No lock is held.  In a callback
 * of a loop it may leave by weir_raise: on_uncaught of that loop is told, the
 * other listeners are called, and the callback goes on. */
typedef struct weir_listener weir_listener;
struct weir_listener {
    void (*run)(weir_listener *listener, int reason);
    weir_listener *next_, *prev_; /* private: weir's while it listens */
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
 * An abort that is raised when the first of `count` others is, with its
 * reason.  One that is raised already raises it at once.
 *
 * Thread   any
 * Owns     the reference is the caller's; it holds the sources until it is
 *          freed
 * Returns  0, -EINVAL (NULL, or a source that is NULL), -ENOMEM
 */
WEIR_API WEIR_CHECKED int
weir_abort_any(weir_abort **abort, weir_abort *const *sources, size_t count);

/**
 * An abort that a timer of the loop raises after delay_ns, with -ETIMEDOUT; or
 * with WEIR_ECANCELED, if the loop ends before.  It may be raised earlier, as
 * any other.  The timer does not hold the loop, but it keeps the abort.
 *
 * Thread   any
 * Owns     the reference is the caller's
 * Returns  0, -EINVAL (NULL, or delay_ns is negative), -EOVERFLOW, -ENOMEM,
 *          -ENOSPC (no ids left), WEIR_ECLOSED (the loop no longer admits work)
 */
WEIR_API WEIR_CHECKED int weir_abort_after(weir_abort **abort, weir_loop *loop,
                                           int64_t delay_ns);

/**
 * One more reference.
 *
 * Thread   any that has one
 */
WEIR_API void weir_abort_ref(weir_abort *abort);

/**
 * One less; the last one frees it.  Listeners that were not told never are.
 *
 * Thread   any that has one
 * Owns     the reference is no longer the caller's.  NULL is nothing
 */
WEIR_API void weir_abort_unref(weir_abort *abort);

/**
 * Raise it, once: the first caller's reason is the reason.  Listeners are told
 * before it returns.
 *
 * Thread   any
 * Returns  0, -EALREADY (it was raised before), -EINVAL (NULL, or reason 0)
 * Orders   what came before is seen by who finds it raised
 */
WEIR_API int weir_abort_raise(weir_abort *abort, int reason);

/**
 * Why it was raised; 0: it was not.
 *
 * Thread   any
 * Orders   a reason sees what came before weir_abort_raise
 */
WEIR_API int weir_abort_reason(const weir_abort *abort);

/**
 * Call the listener once when it is raised; at once, if it was.
 *
 * Thread   any
 * Owns     the caller keeps the listener; weir borrows it until run() is
 *          entered, or it is removed, or the abort is freed
 * Returns  0, -EINVAL (NULL, or no run)
 */
WEIR_API WEIR_CHECKED int weir_abort_listen(weir_abort *abort,
                                            weir_listener *listener);

/**
 * Listen no more.  0: it was not called and never will be.  Otherwise it was,
 * or is being called on another thread right now.
 *
 * Thread   any
 * Owns     0: the listener is the caller's again
 * Returns  0, -ENOENT (told, or removed, or not added), -EINVAL (NULL)
 */
WEIR_API int weir_abort_remove(weir_abort *abort, weir_listener *listener);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_ABORT_H */
