/* SPDX-License-Identifier: MIT */
/*
 * weir/service.h -- one lifecycle over a whole program.
 *
 * A service is a gate for its requests, loops and pools that end with it, and
 * hooks that run on the way.  SIGTERM and SIGINT begin the drain; a second one,
 * or the deadline, forces it.  weir_service_stop is no signal: after it, too, it
 * takes two.
 *
 *     weir_service *service;
 *     weir_loop *loop;
 *     weir_pool *pool;
 *     if (weir_service_new(&service, NULL) != 0) ...
 *     if (weir_service_add_pool(service, &pool, NULL) != 0) ...
 *     if (weir_service_add_loop(service, &loop, NULL) != 0) ...
 *     ... listen on the loop; each request enters weir_service_gate()
 *     weir_service_start(service);
 *     return weir_service_wait(service, -1) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
 *
 * The drain, in this order: it is no longer ready; `draining` is called, once;
 * the functions of weir_service_on_drain run on their loops; when all have, the
 * gate refuses requests, and those inside leave; the hooks run, the last one
 * that was added first; the pools finish, for their results go to the loops; the
 * loops finish; `closed` is called, once, and those who wait return.
 *
 * The deadline counts from the beginning of the drain.  When it comes, or a
 * second signal does, on_report is shown what still holds the service, and all
 * pools and loops are closed: what has not begun is told WEIR_ECANCELED, and
 * hooks that have not begun are left out.  The
 * service is closed then, forced, even if a job or a hook never ends: the
 * program can exit.
 *
 * A loop whose poller fails, as with -EBADF or -ENOMEM, is closed: what is in it
 * is told WEIR_ECANCELED, its done that error.  The service drains then, and ends
 * with the error.  It does the same if the poller of its own thread fails, and no
 * longer takes signals.
 *
 * A child of fork() has none of its threads: its calls return WEIR_EFORKED there,
 * and weir_service_free gives the memory back.
 *
 * The service's own callbacks run on a thread of its own, and so are signals
 * handled: a loop that is busy delays neither.  A callback that raises
 * (weir_raise) fails alone, with a line on stderr, and the drain goes on.
 *
 * The threads of a service have the signal mask of the thread that made them,
 * and SIGPIPE blocked in addition.  So a child that a callback, a job or a hook
 * starts hears SIGTERM, and a SIGTERM to a child is never taken for one to the
 * service.  A program that handles other signals on a thread of its own
 * (sigwait, signalfd) blocks them before it makes loops, pools or services.
 *
 * SIGPIPE: on the threads of a service, and of every pool, a write to a pipe or
 * socket that nobody reads fails with EPIPE.  weir does nothing else about it:
 * on your own threads, those that call weir_loop_run among them, it ends the
 * process, unless you use send() with MSG_NOSIGNAL or ignore SIGPIPE.  A child
 * gets it back from fork(), but not from posix_spawn(), vfork(), system() or
 * popen(): docs/guide/service.md shows what to do then.
 */
#ifndef WEIR_SERVICE_H
#define WEIR_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/gate.h"
#include "weir/loop.h"
#include "weir/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_service weir_service;

#define WEIR_SERVICE_TIMEOUT_NS (INT64_C(30) * 1000000000)
#define WEIR_SERVICE_GRACE_NS (INT64_C(25) * 1000000)

/* All may be left 0. */
typedef struct weir_service_options {
    size_t size;      /* sizeof(weir_service_options) */
    const char *name; /* for on_report's lines; not copied */
    /* From the beginning of the drain until it is forced.  0:
     * WEIR_SERVICE_TIMEOUT_NS; negative, or beyond the clock: no limit. */
    int64_t timeout_ns;
    /* How long a forced end waits for those that are told so to clean up.  0:
     * WEIR_SERVICE_GRACE_NS; negative: not at all; beyond the clock: until all
     * have. */
    int64_t grace_ns;
    bool no_signals; /* SIGTERM and SIGINT are left alone */
    void *arg;       /* of the three below, which run on the service's thread */
    /* The drain begins, and the gate still admits.  It must not block.  What is
     * to be done on a loop is for weir_service_on_drain: a task that is posted
     * from here may run after the gate has shut. */
    void (*draining)(void *arg, weir_service *service);
    /* The drain is being forced, and this holds it: the first 64 rows of
     * weir_service_report, whose counts add up to the true total.  NULL: a line
     * for each on stderr. */
    void (*on_report)(void *arg, weir_service *service,
                      const weir_holder *holders, size_t count);
    /* The last thing a service does, once.  status is what weir_service_wait
     * returns: 0, WEIR_EFORCED, or the error of a poller.  It must not free the
     * service. */
    void (*closed)(void *arg, weir_service *service, int status);
} weir_service_options;

/**
 * Make a service in INIT.  Its thread runs, and takes the signals from now on:
 * one that comes before weir_service_start is remembered.
 *
 * Thread   any
 * Owns     *service is the caller's until weir_service_free
 * Returns  0, -EINVAL (service is NULL, or options of a size that this library
 *          does not know), -EBUSY (another service of this process takes the
 *          signals), -ENOMEM, -EAGAIN (no more threads can be made), -EMFILE,
 *          -ENFILE
 */
WEIR_API WEIR_CHECKED int weir_service_new(weir_service **service,
                                           const weir_service_options *options);

/**
 * Give it back, with its loops and pools.  NULL is nothing.
 *
 * Thread   any but its own; no other call may be going on, or begin
 * Owns     the pointer, its loops and pools are no longer the caller's
 * Returns  0, -EBUSY (it was started and is not closed; or it was forced, and
 *          something of it still runs), WEIR_EREENTRANT (on its own thread, or
 *          one of its loops or workers), -EDEADLK (on another loop's thread)
 */
WEIR_API int weir_service_free(weir_service *service);

/* ---- what belongs to it ---- */

/**
 * The gate of its requests: enter for each, exit after it.  weir_gate_drain is
 * the service's to call.
 *
 * Thread   any
 * Owns     the service's; there until weir_service_free
 */
WEIR_API weir_gate *weir_service_gate(weir_service *service);

/**
 * Make a loop that ends with the service.  A thread of the service runs it, at
 * once.  options as weir_loop_new's; the service hears of its end, too.  done may
 * also be told the error of its poller's wait, which has ended it.
 *
 * Thread   any, before weir_service_start
 * Owns     *loop is the service's, and is freed with it; do not free it in done
 * Returns  0, -EINVAL (NULL, or as weir_loop_new), -EALREADY (started), -ENOMEM,
 *          -EAGAIN (no more threads can be made), -EMFILE, -ENFILE
 */
WEIR_API WEIR_CHECKED int
weir_service_add_loop(weir_service *service, weir_loop **loop,
                      const weir_loop_options *options);

/**
 * Make a pool that ends with the service.
 *
 * Thread   any, before weir_service_start
 * Owns     *pool is the service's, and is freed with it
 * Returns  0, -EINVAL (NULL, or as weir_pool_new), -EALREADY (started), -ENOMEM,
 *          -EAGAIN (no more threads can be made)
 */
WEIR_API WEIR_CHECKED int
weir_service_add_pool(weir_service *service, weir_pool **pool,
                      const weir_pool_options *options);

/**
 * Call fn during the drain, when no request is inside any more, on a thread of
 * its own: it may block.  After timeout_ns (negative, or beyond the clock: no
 * limit but the service's) the drain goes on without it.  No loop runs on that
 * thread: weir_raise aborts.
 *
 * Thread   any, before weir_service_start
 * Owns     arg is the caller's; name is not copied
 * Returns  0, -EINVAL (NULL), -EALREADY (started), -ENOMEM
 */
WEIR_API WEIR_CHECKED int
weir_service_add_hook(weir_service *service, const char *name,
                      int64_t timeout_ns, void (*fn)(void *arg), void *arg);

/**
 * Call fn on a loop of the service when the drain begins, while the gate still
 * admits requests: close the loop's listeners there, tell its clients.  The gate
 * shuts when all of these functions have returned, on all loops.  A function that
 * raises has returned.
 *
 * fn is called exactly once: with status 0, or with WEIR_ECANCELED if the loop
 * ends before it could run, as by weir_loop_shutdown, a poller that fails, a
 * forced end, or weir_service_free before the start.  A loop that has ended is
 * not waited for.  A loop that is busy holds the drain, up to the deadline;
 * the gate shuts then, and fn is cancelled as soon as the loop's callback
 * returns, even if the service is closed by that time.
 *
 * Thread   any, before weir_service_start
 * Owns     arg is the caller's, until fn is called
 * Returns  0, -EINVAL (NULL, or loop is not one of the service's), -EALREADY
 *          (started), -ENOMEM, WEIR_ECLOSED (the loop has ended)
 * Orders   `draining` and everything before the call happen-before fn, and fn
 *          before the gate shuts, unless the end is forced.  Functions on one
 *          loop run in the order in which they were added
 */
WEIR_API WEIR_CHECKED int weir_service_on_drain(weir_service *service,
                                                weir_loop *loop, weir_fn *fn,
                                                void *arg);

/* ---- its life ---- */

/**
 * INIT -> RUNNING: the gate admits requests, and it is ready.  If it was told
 * to stop before, the drain begins at once.
 *
 * Thread   any
 * Returns  0, -EINVAL (NULL), -EALREADY (started before)
 */
WEIR_API WEIR_CHECKED int weir_service_start(weir_service *service);

/**
 * Begin the drain, as the first signal does.  Returns at once.
 *
 * Thread   any, any number of times
 * Returns  0, -EINVAL (NULL), -EALREADY (begun before)
 */
WEIR_API int weir_service_stop(weir_service *service);

/**
 * Force the end, as a second signal does.  Returns at once.
 *
 * Thread   any, any number of times
 * Returns  0, -EINVAL (NULL), -EALREADY (forced before, or closed),
 *          WEIR_ENOTSTARTED
 */
WEIR_API int weir_service_force(weir_service *service);

/**
 * Sleep until it is closed.
 *
 * Thread   any but a loop's, which must not block
 * Returns  0, WEIR_EFORCED (closed, but something was cut off), the error of the
 *          poller's wait (closed, but that has ended a loop before its time),
 *          -ETIMEDOUT (timeout_ns went by; negative waits for ever), -EDEADLK (on
 *          a loop's thread), -EINVAL (NULL)
 * Orders   sees what `closed` did, and, unless forced, all callbacks and jobs
 */
WEIR_API WEIR_CHECKED int weir_service_wait(weir_service *service,
                                            int64_t timeout_ns);

/**
 * INIT, RUNNING, DRAINING or CLOSED; it may be a later one when you look at the
 * answer.
 *
 * Thread   any
 */
WEIR_API weir_phase weir_service_phase(const weir_service *service);

/**
 * For load balancers: whether new requests should come here.  It is RUNNING,
 * nobody has told it to stop, and nobody has said otherwise below.
 *
 * Thread   any
 */
WEIR_API bool weir_service_is_ready(const weir_service *service);

/**
 * Not ready for a while (a database is away), or ready again.  The gate is not
 * touched.
 *
 * Thread   any
 */
WEIR_API void weir_service_set_ready(weir_service *service, bool is_ready);

/**
 * Report what holds the service: first the jobs, hooks and callbacks that run,
 * the longest-running one first; then, counted, the requests inside the gate and
 * what holds its pools and its loops.  Equal ones share a row, even if they
 * belong to different loops: see weir_holder.  Never blocks and never allocates;
 * what it shows may be a moment old.
 *
 * Thread   any
 * Owns     fills holders[0 .. capacity - 1]
 * Returns  how many rows there are, which may be more than capacity
 */
WEIR_API size_t weir_service_report(const weir_service *service,
                                    weir_holder *holders, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_SERVICE_H */
