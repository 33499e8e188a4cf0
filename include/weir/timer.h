/* SPDX-License-Identifier: MIT */
/*
 * weir/timer.h -- callbacks at a time.
 *
 *     weir_timer id;
 *     weir_timer_start(loop, &id, 250 * 1000000, WEIR_ONCE, ring, bell);
 *     ...
 *     weir_timer_cancel(loop, id);
 *
 * A timer is never early.  Those with the same deadline fire in the order in
 * which they were started; one that is started during a turn fires in a later
 * turn.  Time is weir_clock_now(), also when a test has frozen it.
 *
 * Ids are never used again, so a late cancel hits nothing else.
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

typedef uint64_t weir_timer; /* 0 is no timer's */

typedef enum weir_repeat {
    WEIR_ONCE = 0,
    /* The next one is due delay_ns after the callback has returned. */
    WEIR_FIXED_DELAY,
    /* Every delay_ns from the start on, whatever the callbacks take.  Times
     * that were missed are left out ... */
    WEIR_FIXED_RATE,
    /* ... or made up for, one callback each. */
    WEIR_FIXED_RATE_CATCH_UP,
} weir_repeat;

/**
 * Call fn after delay_ns, and then again as `repeat` says.  At shutdown and
 * close fn is called once more, with WEIR_ECANCELED.
 *
 * Thread   any
 * Owns     arg is the caller's; id may be NULL
 * Returns  0, -EINVAL (loop or fn is NULL, delay_ns is negative, repeat is
 *          unknown, or repeats without a delay), -EOVERFLOW (the deadline is
 *          past the last nanosecond), -ENOMEM, -ENOSPC (no ids left),
 *          WEIR_ECLOSED
 * Orders   everything before the call happens-before fn()
 */
WEIR_API WEIR_CHECKED int weir_timer_start(weir_loop *loop, weir_timer *id,
                                           int64_t delay_ns, weir_repeat repeat,
                                           weir_fn *fn, void *arg);

/**
 * Call fn once, when weir_clock_now() has reached deadline_ns: what is past is
 * due at once.  Who starts many timers together asks for the time once, and not
 * with each of them.
 *
 * Thread   any
 * Owns     arg is the caller's; id may be NULL
 * Returns  0, -EINVAL (loop or fn is NULL), -ENOMEM, -ENOSPC (no ids left),
 *          WEIR_ECLOSED
 * Orders   everything before the call happens-before fn()
 */
WEIR_API WEIR_CHECKED int weir_timer_start_at(weir_loop *loop, weir_timer *id,
                                              int64_t deadline_ns, weir_fn *fn,
                                              void *arg);

/**
 * Stop a timer.  After 0, fn does not begin again: the caller may free arg,
 * or, on another thread than the loop's and for a timer that repeats, as soon
 * as a callback that is running has returned.
 *
 * Thread   any
 * Returns  0, -ENOENT (no such timer: it has fired, is about to, or was
 *          cancelled), -ENOMEM (on another thread only)
 */
WEIR_API WEIR_CHECKED int weir_timer_cancel(weir_loop *loop, weir_timer id);

/**
 * Restart a timer: it is due delay_ns from now, instead of when it was, and if
 * it repeats, delay_ns is its period from now on.  What it calls, its name and
 * whether it holds the loop stay.  A timeout that each byte puts off, or a
 * debounce, calls this each time.  In the callback of one that repeats it counts
 * from there; one that has fired for the last time must be started.
 *
 * After an error the timer is as it was.
 *
 * Thread   loop, inside a callback
 * Owns     *id is changed: the old id is no timer's any more
 * Returns  0, -EINVAL (NULL), -EPERM (not there), -ENOENT (no such timer: it
 *          has fired, or was cancelled), or an error of weir_timer_start
 */
WEIR_API WEIR_CHECKED int weir_timer_again(weir_loop *loop, weir_timer *id,
                                           int64_t delay_ns);

/**
 * Call fn once: after delay_ns with 0, or with WEIR_ECANCELED as soon as the
 * abort is raised or the loop ends.  It has no id: the abort is how to stop it.
 *
 * Thread   any
 * Owns     arg is the caller's; the abort is held until fn is called
 * Returns  0, -EINVAL (NULL, or delay_ns is negative), -EOVERFLOW, -ENOMEM,
 *          -ENOSPC (no ids left), WEIR_ECLOSED, WEIR_ECANCELED (the abort is
 *          raised already)
 * Orders   everything before the call happens-before fn()
 */
WEIR_API WEIR_CHECKED int weir_timer_start_abortable(weir_loop *loop,
                                                     int64_t delay_ns,
                                                     weir_abort *abort,
                                                     weir_fn *fn, void *arg);

/**
 * Whether the timer keeps weir_loop_run from becoming idle.  At first it does.
 *
 * Thread   any
 * Returns  0, -ENOENT, -ENOMEM (on another thread only)
 */
WEIR_API WEIR_CHECKED int weir_timer_ref(weir_loop *loop, weir_timer id);

/**
 * It does not, from now on.
 *
 * Thread   any
 * Returns  0, -ENOENT, -ENOMEM (on another thread only)
 */
WEIR_API WEIR_CHECKED int weir_timer_unref(weir_loop *loop, weir_timer id);

/**
 * Name it, for reports and metrics.  The name is not copied.
 *
 * Thread   loop
 * Returns  0, -ENOENT, -EPERM (another thread runs the loop, or steps it)
 */
WEIR_API int weir_timer_set_name(weir_loop *loop, weir_timer id,
                                 const char *name);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_TIMER_H */
