/* SPDX-License-Identifier: MIT */
/*
 * weir/timer.h -- callbacks at a given time.
 *
 *     weir_timer id;
 *     weir_timer_start(loop, &id, WEIR_MS(250), WEIR_TIMER_ONCE, ring, bell);
 *     ...
 *     weir_timer_cancel(loop, id);
 *
 * Timers never fire early.  Timers with the same deadline fire in the order in
 * which they were started.  A timer that is started during a turn fires in a
 * later turn.  Timers follow weir_clock_now(), even if a test has frozen it.
 *
 * Ids are never reused, so a late cancel cannot hit another timer.
 */
#ifndef WEIR_TIMER_H
#define WEIR_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/job.h"
#include "weir/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t weir_timer; /* an id; 0 is never one */

typedef enum weir_timer_repeat {
    WEIR_TIMER_ONCE = 0,
    /* The next call is due delay_ns after the callback has returned. */
    WEIR_TIMER_FIXED_DELAY,
    /* Due every delay_ns from the start, however long the callbacks take.
     * Missed times are skipped. */
    WEIR_TIMER_FIXED_RATE,
    /* As WEIR_TIMER_FIXED_RATE, but missed times are made up for, with one
     * callback each. */
    WEIR_TIMER_FIXED_RATE_CATCH_UP,
} weir_timer_repeat;

/**
 * Start a timer that calls fn after delay_ns, and then again as `repeat` says.
 * If the loop is shut down or closed before the timer is over, fn is called
 * once more, with WEIR_ECANCELED.
 *
 * Thread   any
 * Owns     arg is the caller's; id may be NULL
 * Returns  0, -EINVAL (loop or fn is NULL, delay_ns is negative, repeat is
 *          unknown, or the timer repeats without a delay), -EOVERFLOW (the
 *          deadline is past the last nanosecond), -ENOMEM, -ENOSPC (no ids
 *          left), WEIR_ECLOSED (the loop no longer admits work), WEIR_EFORKED
 * Orders   everything before the call happens-before fn()
 */
WEIR_API WEIR_CHECKED int weir_timer_start(weir_loop *loop, weir_timer *id,
                                           int64_t delay_ns,
                                           weir_timer_repeat repeat,
                                           weir_fn *fn, void *arg);

/**
 * Start a timer that calls fn once, when weir_clock_now() has reached
 * deadline_ns.  A deadline in the past is due immediately.  A caller that
 * starts many timers together can read the clock once instead of once for each
 * timer.
 *
 * Thread   any
 * Owns     arg is the caller's; id may be NULL
 * Returns  0, -EINVAL (loop or fn is NULL), -ENOMEM, -ENOSPC (no ids left),
 *          WEIR_ECLOSED (the loop no longer admits work), WEIR_EFORKED
 * Orders   everything before the call happens-before fn()
 */
WEIR_API WEIR_CHECKED int weir_timer_start_at(weir_loop *loop, weir_timer *id,
                                              int64_t deadline_ns, weir_fn *fn,
                                              void *arg);

/**
 * Cancel a timer.  After a return of 0, fn is not entered again, and the caller
 * may free arg.  On a thread other than the loop's, the callback of a repeating
 * timer may still be running: then arg may be freed once it has returned.
 *
 * Thread   any
 * Returns  0, -ENOENT (no such timer: it has fired, is about to fire, or was
 *          cancelled), -ENOMEM (only on a thread other than the loop's),
 *          WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_timer_cancel(weir_loop *loop, weir_timer id);

/**
 * Restart a timer so that it is due delay_ns from now instead of at its old
 * deadline.  If it repeats, delay_ns becomes its period.  Its function, its
 * name and whether it holds the loop do not change.  Call this for every byte
 * that puts off a timeout, or for every event of a debounce.  In the callback
 * of a repeating timer, the delay counts from the call.  A timer that has fired
 * for the last time cannot be restarted: start it again with weir_timer_start.
 *
 * After an error the timer is unchanged.
 *
 * Thread   loop, inside a callback
 * Owns     *id is replaced: the old id no longer names a timer
 * Returns  0, -EINVAL (NULL), -EPERM (not inside a callback of this loop),
 *          -ENOENT (no such timer: it has fired, or was cancelled), or an error
 *          of weir_timer_start
 */
WEIR_API WEIR_CHECKED int weir_timer_again(weir_loop *loop, weir_timer *id,
                                           int64_t delay_ns);

/**
 * Start a timer that an abort can end.  fn is called once: with 0 after
 * delay_ns, or with WEIR_ECANCELED as soon as the abort is raised or the loop
 * ends.  The timer has no id: raise the abort to stop it.
 *
 * Thread   any
 * Owns     arg is the caller's; weir holds a reference to the abort until fn is
 *          called
 * Returns  0, -EINVAL (NULL, or delay_ns is negative), -EOVERFLOW (the deadline
 *          is past the last nanosecond), -ENOMEM, -ENOSPC (no ids left),
 *          WEIR_ECLOSED (the loop no longer admits work), WEIR_ECANCELED (the
 *          abort is already raised), WEIR_EFORKED
 * Orders   everything before the call happens-before fn()
 */
WEIR_API WEIR_CHECKED int weir_timer_start_abortable(weir_loop *loop,
                                                     int64_t delay_ns,
                                                     weir_abort *abort,
                                                     weir_fn *fn, void *arg);

/**
 * Make a timer keep weir_loop_run running.  A new timer does so, until
 * weir_timer_unref.
 *
 * Thread   any
 * Returns  0, -ENOENT (no such timer), -ENOMEM (only on a thread other than the
 *          loop's), WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_timer_ref(weir_loop *loop, weir_timer id);

/**
 * Stop a timer from keeping weir_loop_run running.  The timer still fires while
 * the loop runs.
 *
 * Thread   any
 * Returns  0, -ENOENT (no such timer), -ENOMEM (only on a thread other than the
 *          loop's), WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_timer_unref(weir_loop *loop, weir_timer id);

/**
 * Name a timer for reports and metrics.  The name is not copied.
 *
 * Thread   loop
 * Returns  0, -ENOENT (no such timer), -EPERM (another thread runs or steps the
 *          loop), WEIR_EFORKED
 */
WEIR_API int weir_timer_set_name(weir_loop *loop, weir_timer id,
                                 const char *name);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_TIMER_H */
