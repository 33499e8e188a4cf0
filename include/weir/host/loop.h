/* SPDX-License-Identifier: MIT */
/*
 * weir/host/loop.h -- functions of a loop for engines and libraries.
 *
 * An engine has its own queue of jobs, and calls several functions of a program
 * in one callback of the loop.  These functions keep the order of microtasks
 * that the language prescribes.
 *
 *     static void run_job(void *engine, int status)    one microtask
 *     {
 *         do
 *             ... the first job of the engine's queue
 *         while (has_jobs(engine) && weir_loop_microtask_again(loop));
 *         if (has_jobs(engine)) ...                     queue it again
 *     }
 */
#ifndef WEIR_HOST_LOOP_H
#define WEIR_HOST_LOOP_H

#include <stdbool.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Let the running microtask continue as the next one.  An engine with its own
 * job queue has one microtask for its first job, and calls this for each of the
 * others.  Each call that returns true uses one microtask of the budget.
 *
 * Thread   loop, inside a microtask
 * Returns  true; false if other microtasks are queued, the budget is used up,
 *          or this is not a microtask: then queue a microtask for the rest
 */
WEIR_API WEIR_CHECKED bool weir_loop_microtask_again(weir_loop *loop);

/**
 * Run a checkpoint now, in the middle of a callback.  Use it in a callback that
 * handles several events, between one event and the next.  If a microtask
 * raises, the callback is abandoned, too.
 *
 * Thread   loop, inside a callback
 * Returns  0, -EINVAL (NULL), -EPERM (not inside a callback of this loop),
 *          WEIR_EREENTRANT (a checkpoint is already running)
 */
WEIR_API WEIR_CHECKED int weir_loop_checkpoint(weir_loop *loop);

/**
 * Test whether the loop belongs to the calling thread, which is the case if the
 * thread runs it or has stepped it.
 *
 * Thread   any
 */
WEIR_API bool weir_loop_is_claimed(const weir_loop *loop);

/**
 * Call fn(arg, status) in the middle of a callback so that it fails alone: if
 * it leaves by weir_raise, on_uncaught of the loop is called, and this call
 * returns.  Outside a callback of a loop, fn is simply called.
 *
 * Thread   any
 * Returns  true if fn has returned, false if it has raised
 */
WEIR_API bool weir_loop_contain(weir_fn *fn, void *arg, int status);

/**
 * Post a task like weir_loop_post, and in callbacks of the loop even while the
 * loop is being closed: then the task gets WEIR_ECANCELED in the next turn.  A
 * library uses this for callbacks that it owes, because it must not make them
 * inside the call that they belong to.
 *
 * Thread   any
 * Owns     the caller keeps the task; weir borrows it until run() is entered
 * Returns  0, -EINVAL (NULL), WEIR_ECLOSED (the loop has ended, or this is not
 *          a callback of it and it no longer admits work), WEIR_EFORKED
 * Orders   everything before the call happens-before run()
 */
WEIR_API WEIR_CHECKED int weir_loop_post_expected(weir_loop *loop,
                                                  weir_task *task);

/**
 * Attach a value to a loop under a key, which is the address of any object.
 * destroy is called with the value when the memory of the loop is freed, or
 * when another value replaces it.  A library uses this for data that all its
 * objects on the loop share.
 *
 * Thread   loop; destroy runs on the thread that releases the loop last, and
 *          must not use the loop
 * Owns     the loop owns the value from now on, unless an error is returned
 * Returns  0, -EINVAL (NULL), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_loop_set_local(weir_loop *loop, const void *key,
                                              void *value,
                                              void (*destroy)(void *value));

/**
 * Get the value that weir_loop_set_local has attached to a loop under a key.
 *
 * Thread   loop
 * Owns     the value stays the loop's
 * Returns  the value, or NULL if there is none
 */
WEIR_API void *weir_loop_local(const weir_loop *loop, const void *key);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_HOST_LOOP_H */
