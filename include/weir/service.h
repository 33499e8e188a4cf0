/* SPDX-License-Identifier: MIT */
/*
 * weir/service.h -- one lifecycle over a whole program.
 *
 * A service consists of a gate for its requests, the loops and pools that end
 * with it, and hooks that run during its shutdown.  SIGTERM or SIGINT begins
 * the drain.  A second signal, or the deadline, forces the end.  A call to
 * weir_service_stop does not count as a signal: forcing the end by signals
 * still takes two of them after it.
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
 * The drain proceeds in this order.  The service stops being ready.  `draining`
 * is called, once.  The functions added with weir_service_on_drain run on their
 * loops.  When all of them have returned, the gate refuses new requests, and
 * the requests inside it leave.  The hooks run in the reverse of the order in
 * which they were added.  The pools finish before the loops, because their
 * results go to the loops.  Then the loops finish.  Finally `closed` is called,
 * once, and the waiting threads return.
 *
 * The deadline counts from the beginning of the drain.  When it expires, or a
 * second signal arrives, on_report is called, which can ask what still holds
 * the service, and all pools and loops are closed.  Work that has not begun is
 * called with WEIR_ECANCELED, and hooks that have not begun are skipped.  The
 * service is then closed by force, even if a job or a hook never ends, so that
 * the program can exit.
 *
 * A loop whose poller fails, for example with -EBADF or -ENOMEM, is closed: its
 * pending work is called with WEIR_ECANCELED, and its done callback receives
 * the poller's error.  The service then drains, and ends with that error.  The
 * same happens if the poller of the service's own thread fails; in that case
 * the service also stops handling signals.
 *
 * A child of fork() has none of the service's threads.  Calls on the service
 * return WEIR_EFORKED there, and weir_service_free releases the memory.
 *
 * The service runs its own callbacks, and handles signals, on its own thread,
 * so a busy loop delays neither.  A callback that raises (weir_raise) fails
 * alone: the failure is reported by a line on stderr, and the drain continues.
 *
 * The threads of a service inherit the signal mask of the thread that created
 * them, and additionally block SIGPIPE.  A child process that a callback, a job
 * or a hook starts therefore still receives SIGTERM, and a SIGTERM sent to such
 * a child is never mistaken for one sent to the service.  A program that
 * handles other signals on its own thread (sigwait, signalfd) must block them
 * before it creates loops, pools or services.
 *
 * SIGPIPE: on the threads of a service, and of every pool, a write to a pipe or
 * socket that has no reader fails with EPIPE.  weir does nothing else about
 * SIGPIPE.  On your own threads, including those that call weir_loop_run, it
 * terminates the process unless you use send() with MSG_NOSIGNAL or ignore
 * SIGPIPE.  A child created by fork() has its SIGPIPE restored, but a child
 * created by posix_spawn(), vfork(), system() or popen() does not:
 * docs/guide/service.md shows what to do in those cases.
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

#define WEIR_SERVICE_TIMEOUT_NS WEIR_S(30)
#define WEIR_SERVICE_GRACE_NS WEIR_MS(25)

/* Every member except size may be left 0. */
typedef struct weir_service_options {
    size_t size;      /* sizeof(weir_service_options) */
    const char *name; /* for on_report's lines; not copied */
    /* Time from the beginning of the drain until the end is forced.  0:
     * WEIR_SERVICE_TIMEOUT_NS; negative, or beyond the clock's range: no
     * limit. */
    int64_t timeout_ns;
    /* How long a forced end waits for cancelled work to clean up.  0:
     * WEIR_SERVICE_GRACE_NS; negative: no wait; beyond the clock's range: until
     * all of it has done so. */
    int64_t grace_ns;
    bool no_signals; /* do not handle SIGTERM and SIGINT */
    void *arg;       /* for the three callbacks below; they run on the service's
                        thread */
    /* Called when the drain begins, while the gate still admits requests.  It
     * must not block.  Use weir_service_on_drain for work on a loop: a task
     * posted from here may run after the gate has stopped admitting
     * requests. */
    void (*draining)(void *arg, weir_service *service);
    /* Called when the end is forced, before anything is cancelled:
     * weir_service_report shows what still holds the service.  Also called when
     * an HTTP server is about to cut connections off at its own deadline
     * (weir/net/http.h).  NULL: print the first 64 rows of the report on
     * stderr. */
    void (*on_report)(void *arg, weir_service *service);
    /* Called once, as the last action of the service.  status is what
     * weir_service_wait returns: 0, WEIR_EFORCED, or the error of a poller or a
     * server.  It must not free the service. */
    void (*closed)(void *arg, weir_service *service, int status);
} weir_service_options;

/**
 * Create a service in the INIT phase.  Its thread is running and handles
 * signals from now on.  A signal that arrives before weir_service_start begins
 * the drain at the start.  Further ones before the start have no effect,
 * because there is nothing to force yet.
 *
 * Thread   any
 * Owns     *service is the caller's until weir_service_free
 * Returns  0, -EINVAL (service is NULL, or options has no valid size), -E2BIG
 *          (an option that this library does not know), -EBUSY (another service
 *          of this process handles the signals), -ENOMEM, -EAGAIN (no more
 *          threads can be created), -EMFILE, -ENFILE
 */
WEIR_API WEIR_CHECKED int weir_service_new(weir_service **service,
                                           const weir_service_options *options);

/**
 * Free a service together with its loops and pools.  Passing NULL has no
 * effect.
 *
 * Thread   any except the service's own; no other call may be in progress or
 *          begin
 * Owns     the service, its loops and its pools are no longer the caller's to
 *          use
 * Returns  0, -EBUSY (it was started and is not closed; or it was forced, and
 *          part of it is still running), WEIR_EREENTRANT (on its own thread, or
 *          on that of one of its loops or workers), -EDEADLK (on another loop's
 *          thread)
 */
WEIR_API int weir_service_free(weir_service *service);

/* ---- members ---- */

/**
 * Return the gate that counts the service's requests.  Enter it for each
 * request, and exit after the request.  Only the service may call
 * weir_gate_drain on it.
 *
 * Thread   any
 * Owns     the gate belongs to the service and is valid until weir_service_free
 */
WEIR_API weir_gate *weir_service_gate(weir_service *service);

/**
 * Create a loop that ends with the service.  A thread of the service starts
 * running it at once.  options are those of weir_loop_new.  The service is also
 * notified of the loop's end.  done may receive, in addition to the usual
 * statuses, the error of the poller's wait that ended the loop.
 *
 * Thread   any, before weir_service_start
 * Owns     *loop belongs to the service and is freed with it; do not free it in
 *          done
 * Returns  0, -EINVAL (NULL, or an option is invalid), -E2BIG (an
 *          option that this library does not know), -EALREADY (the service was
 *          started), -ENOMEM, -EAGAIN (no more threads can be created),
 *          -EMFILE, -ENFILE, WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int
weir_service_add_loop(weir_service *service, weir_loop **loop,
                      const weir_loop_options *options);

/**
 * Create a pool that ends with the service.
 *
 * Thread   any, before weir_service_start
 * Owns     *pool belongs to the service and is freed with it
 * Returns  0, -EINVAL (NULL, or an option is invalid), -E2BIG (an
 *          option that this library does not know), -EALREADY (the service was
 *          started), -ENOMEM, -EAGAIN (no more threads can be created),
 *          WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int
weir_service_add_pool(weir_service *service, weir_pool **pool,
                      const weir_pool_options *options);

/**
 * Add a hook that the drain calls once no request is inside the gate.  fn runs
 * on its own thread and may block.  The drain continues without it after
 * timeout_ns.  A timeout that is negative, or beyond the clock's range, leaves
 * only the service's own deadline.  No loop runs on the hook's thread, so
 * weir_raise aborts there.  If the thread cannot be created when the drain
 * begins the hook, fn runs on the service's thread, which then serves no
 * deadline, signal or force until fn returns.
 *
 * Thread   any, before weir_service_start
 * Owns     arg is the caller's; name is not copied
 * Returns  0, -EINVAL (NULL), -EALREADY (the service was started), -ENOMEM,
 *          WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_service_add_hook(weir_service *service,
                                                const char *name,
                                                int64_t timeout_ns,
                                                weir_call_fn *fn, void *arg);

/**
 * Add a function that runs on a loop of the service when the drain begins.  The
 * gate still admits requests at that point: use fn to close the loop's
 * listeners and to notify its clients.  The gate stops admitting requests when
 * all of these functions have returned, on all loops.  A function that raises
 * counts as returned.
 *
 * fn is called exactly once: with status 0, or with WEIR_ECANCELED if the loop
 * ends before fn could run.  The causes of that are weir_loop_shutdown, a
 * failing poller, a forced end, and weir_service_free before the start.  The
 * drain does not wait for a loop that has ended.  A busy loop holds the drain
 * up to the deadline.  The gate then stops admitting requests, and fn is
 * cancelled as soon as the loop's callback returns, even if the service is
 * closed by that time.
 *
 * Thread   any, before weir_service_start
 * Owns     arg is the caller's until fn is called
 * Returns  0, -EINVAL (NULL, or loop is not one of the service's), -EALREADY
 *          (the service was started), -ENOMEM, WEIR_ECLOSED (the loop has
 *          ended), WEIR_EFORKED
 * Orders   `draining` and everything before the call happen-before fn, and fn
 *          happens-before the gate stops admitting requests, unless the end is
 *          forced.  Functions on one loop run in the order in which they were
 *          added
 */
WEIR_API WEIR_CHECKED int weir_service_on_drain(weir_service *service,
                                                weir_loop *loop, weir_fn *fn,
                                                void *arg);

/* ---- lifecycle ---- */

/**
 * Start a service, moving it from INIT to RUNNING.  From now on its gate admits
 * requests, and it is ready.  If weir_service_stop was called earlier, this
 * still returns 0, and the drain begins at once.
 *
 * Thread   any
 * Returns  0, -EINVAL (NULL), -EALREADY (started before), WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_service_start(weir_service *service);

/**
 * Begin the drain of a service, as the first signal does.  Returns at once.
 *
 * Thread   any, any number of times
 * Returns  0, -EINVAL (NULL), -EALREADY (begun before), WEIR_EFORKED
 */
WEIR_API int weir_service_stop(weir_service *service);

/**
 * Force the end of a service, as a second signal does.  Returns at once.
 *
 * Thread   any, any number of times
 * Returns  0, -EINVAL (NULL), -EALREADY (forced before, or closed),
 *          WEIR_ENOTSTARTED, WEIR_EFORKED
 */
WEIR_API int weir_service_force(weir_service *service);

/**
 * Block until a service is closed.
 *
 * Thread   any except a loop's, which must not block
 * Returns  0, WEIR_EFORCED (closed, but some work was cut off), the error of
 *          the poller's wait (closed, but that error ended a loop early), the
 *          error of a server that could not listen or accept (closed for that
 *          reason: weir/net/serve.h, weir/net/http.h),
 *          -ETIMEDOUT (timeout_ns elapsed; a negative value waits forever),
 *          -EDEADLK (on a loop's thread), -EINVAL (NULL), WEIR_EFORKED
 * Orders   sees what `closed` did, and, unless forced, all callbacks and jobs
 */
WEIR_API WEIR_CHECKED int weir_service_wait(weir_service *service,
                                            int64_t timeout_ns);

/**
 * Return the phase of a service: INIT, RUNNING, DRAINING or CLOSED.  The
 * service may already be in a later phase when the caller looks at the result.
 *
 * Thread   any
 */
WEIR_API weir_phase weir_service_phase(const weir_service *service);

/**
 * Return whether a load balancer should send new requests to a service.  This
 * is true while the service is RUNNING, has not been asked to stop, and has not
 * been marked as not ready with weir_service_set_ready.
 *
 * Thread   any
 */
WEIR_API bool weir_service_is_ready(const weir_service *service);

/**
 * Mark a service as not ready for a while, or as ready again.  A typical reason
 * is an unavailable database.  The gate is not affected.
 *
 * Thread   any
 */
WEIR_API void weir_service_set_ready(weir_service *service, bool is_ready);

/**
 * Report what holds a service.  The running jobs, hooks and callbacks come
 * first, the longest-running one first.  Then come counts of the requests
 * inside the gate and of what holds the service's pools and loops.  Equal
 * entries share a row, even if they belong to different loops: see weir_holder.
 * The call never blocks and never allocates; its result may be slightly out of
 * date.
 *
 * Thread   any
 * Owns     fills holders[0 .. capacity - 1]; size is sizeof(weir_holder)
 * Returns  the number of rows that exist, which may exceed capacity; 0 for NULL
 */
WEIR_API size_t weir_service_report(const weir_service *service,
                                    weir_holder *holders, size_t capacity,
                                    size_t size);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_SERVICE_H */
