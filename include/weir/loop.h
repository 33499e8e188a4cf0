/* SPDX-License-Identifier: MIT */
/*
 * weir/loop.h -- one loop, one thread.
 *
 * A loop runs callbacks only on the thread that calls weir_loop_run().  Every
 * other thread reaches it through weir_loop_post() and the calls below that say
 * "Thread any".
 *
 *     weir_loop *loop;
 *     if (weir_loop_new(&loop, NULL) != 0) ...
 *     weir_loop_submit(loop, hello, "world");    any thread, any time
 *     weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE);  returns when nothing is left
 *     weir_loop_shutdown(loop, -1);              what was accepted has run
 *     weir_loop_free(loop);
 *
 * Each function states its contract in at most four lines:
 *
 *     Thread   any   - callable from every thread, concurrently
 *              loop  - only on the loop's thread (inside a callback), or while
 *                      no thread runs the loop
 *     Owns     who owns each pointer, from when, until when
 *     Returns  0 or one of the errors listed; nothing else
 *     Orders   what happens-before what (omitted: nothing beyond C)
 *
 * A call that returns an error had no effect, and its callback never runs.
 * Every function that can fail returns -EINVAL if the loop is NULL.
 *
 * One turn of a loop consists of these steps:
 *
 *     take over what other threads posted
 *     run the timers that are due          timer.h
 *     run the tasks that were queued       post, submit
 *     wait for events, serve descriptors   fd.h
 *     run the immediates
 *     run the close callbacks
 *
 * A checkpoint follows every single callback.  It runs all next-ticks, then the
 * microtasks, until both queues are empty or the budget is used up.
 *
 * The states of a loop are:
 *
 *     AWAKE ----> RUNNING <----> SLEEPING
 *       ^  run      |  |             |
 *       +-----------+  +-----+-------+  shutdown, close
 *           is idle          v
 *                       TERMINATING ----> TERMINATED
 *
 * A struct that begins with `size` can grow: a later version of weir may append
 * members, whose default is 0.  Set size to the sizeof of the struct.  Options
 * of a program that was compiled with an older version are extended with zeros.
 * Options of a newer one are accepted if the members that the library does not
 * know are 0, and refused with -E2BIG otherwise.  When the library fills a
 * struct, it sets the members that it does not know to 0.
 *
 * Names appear in weir_loop_report() and in metrics.  They are not copied and
 * must outlive the loop; most are string literals.
 *
 * A child of fork() cannot use the loops of its parent, and does not harm the
 * parent by trying.  Each call that would change such a loop returns
 * WEIR_EFORKED.  weir_loop_state returns TERMINATED, and weir_loop_free frees
 * the memory without touching anything that the parent uses.  Work that was
 * accepted before the fork is never called in the child.  If a callback forks
 * and returns in the child, weir_loop_run returns WEIR_EFORKED there.  The
 * child may make its own loops.  All of weir's descriptors are close-on-exec.
 * A child made by clone(2) or _Fork() is not recognized and must call exec.
 */
#ifndef WEIR_LOOP_H
#define WEIR_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/clock.h"
#include "weir/error.h"
#include "weir/export.h"
#include "weir/task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_loop weir_loop;

/* The values are those of the internal state word.  Their order has no
 * meaning. */
enum weir_loop_state {
    WEIR_LOOP_AWAKE = 0,       /* no thread runs it */
    WEIR_LOOP_TERMINATED = 1,  /* final */
    WEIR_LOOP_SLEEPING = 2,    /* its thread waits for work */
    WEIR_LOOP_RUNNING = 4,     /* its thread is taking a turn */
    WEIR_LOOP_TERMINATING = 5, /* a shutdown or close has begun */
};

/* Whether a loop is ready to watch descriptors.  While it is not, it sleeps on
 * a futex, and a wake-up takes less than half the time. */
typedef enum weir_fd_mode {
    WEIR_FD_MODE_AUTO = 0, /* while it has descriptors */
    WEIR_FD_MODE_NEVER,    /* never: weir_fd_add is refused */
    WEIR_FD_MODE_ALWAYS,   /* always: it sleeps in the poller */
} weir_fd_mode;

/* The error that weir_raise left a callback with.  Valid only during
 * on_uncaught. */
typedef struct weir_uncaught {
    int code;
    const char *message;
    weir_kind kind;
    const char *name; /* of the callback that raised; may be NULL */
    void *arg;        /* its argument, as submitted, started or added;
                       * or the weir_task, weir_abort_listener or weir_waiter */
    int fd;           /* of a WEIR_KIND_FD; otherwise -1 */
} weir_uncaught;

#define WEIR_LOOP_MICROTASK_BUDGET 1024
#define WEIR_LOOP_NO_BUDGET UINT32_MAX

/* A rejection without a handler.  Valid only during on_rejection. */
typedef struct weir_rejection {
    struct weir_promise *promise; /* borrowed; weir/promise.h */
    int code;                     /* of its reason */
    /* False: the promise had no handler at the end of a checkpoint.  True: it
     * was reported before, and a handler was added since. */
    bool is_handled;
} weir_rejection;

/* Every member may be left 0, except size. */
typedef struct weir_loop_options {
    size_t size;      /* sizeof(weir_loop_options) */
    const char *name; /* of the loop */
    weir_fd_mode fd_mode;
    /* The longest time to spin, looking for work, before sleeping.  Work is
     * what other threads submit, and descriptors that are ready.  The loop
     * spins only while that pays off and no other thread wants the core.  0:
     * the loop never spins.  The maximum is one second. */
    int64_t spin_ns;
    /* Timers that are due within this time of each other are served together.
     * A sleeping loop wakes up this long after its next timer is due, and
     * immediately for anything else.  Timers never fire early, and their order does not change.
     * The slack that the kernel adds to each wait of the thread is part of this
     * time (50 us; see PR_SET_TIMERSLACK in prctl(2)), so a smaller value adds
     * nothing.  0: only the kernel's slack.  The maximum is one minute. */
    int64_t timer_slack_ns;
    /* The most microtasks and next-ticks that one checkpoint runs.  0:
     * WEIR_LOOP_MICROTASK_BUDGET.  WEIR_LOOP_NO_BUDGET: no limit. */
    uint32_t microtask_budget;
    bool metrics; /* collect metrics; see weir/metrics.h */
    void *arg;    /* for the four callbacks below, on the loop's thread */
    /* A checkpoint has used up its budget.  Called once for each such chain of
     * microtasks, and again only after the queue was empty. */
    void (*on_breach)(void *arg, weir_loop *loop);
    /* A callback was left by weir_raise.  NULL: print one line on stderr. */
    void (*on_uncaught)(void *arg, weir_loop *loop, const weir_uncaught *what);
    /* A promise was rejected and has no handler, or was given one since.  NULL:
     * print one line on stderr in the former case. */
    void (*on_rejection)(void *arg, weir_loop *loop,
                         const weir_rejection *what);
    /* The last thing that a loop does, once, after TERMINATED.  status is 0
     * after a shutdown, WEIR_ECANCELED after a close.  done may call
     * weir_loop_free. */
    void (*done)(void *arg, weir_loop *loop, int status);
} weir_loop_options;

/**
 * Make a loop.  It is AWAKE and admits work immediately.
 *
 * Thread   any
 * Owns     *loop is the caller's until weir_loop_free
 * Returns  0, -EINVAL (loop is NULL, or an option is invalid), -E2BIG (an
 *          option that this library does not know), -ENOMEM, -EMFILE, -ENFILE
 *          (WEIR_FD_MODE_ALWAYS: no descriptor left)
 */
WEIR_API WEIR_CHECKED int weir_loop_new(weir_loop **loop,
                                        const weir_loop_options *options);

/**
 * Free a loop.  If no thread runs the loop, it is first closed as by
 * weir_loop_close.  The memory remains until the last reference of
 * weir_loop_ref is released and every call that was accepted has returned.
 * Passing NULL has no effect.
 *
 * Thread   any; afterwards only threads that hold a reference may use the loop.
 *          A call that is in progress is safe only if the loop accepts it
 * Owns     the pointer is no longer the caller's
 * Returns  0, -EBUSY (another thread runs or steps the loop), WEIR_EREENTRANT
 *          (inside a callback of the loop other than done)
 */
WEIR_API int weir_loop_free(weir_loop *loop);

/**
 * Take a reference to a loop.  Until each reference is released with
 * weir_loop_unref, weir_loop_run does not become idle and the memory remains.
 * Take a reference for a thread that posts to a loop which may be freed
 * meanwhile: its calls then return WEIR_ECLOSED instead of using freed memory.
 *
 * Thread   any; the caller has a reference, or the loop is not freed yet
 */
WEIR_API void weir_loop_ref(weir_loop *loop);

/**
 * Release a reference taken with weir_loop_ref.
 *
 * Thread   any; once for each reference
 * Orders   everything before the call happens-before the return of a
 *          weir_loop_run that waited for this reference
 */
WEIR_API void weir_loop_unref(weir_loop *loop);

/* ---- in from any thread ---- */

/**
 * Post a task from any thread.  It runs once, on the loop's thread, after every
 * task that this thread posted or submitted to this loop before.
 *
 * Thread   any
 * Owns     the caller keeps the task; weir borrows it until run() is entered
 * Returns  0, WEIR_ECLOSED (the loop no longer admits work), WEIR_EFORKED (the
 *          loop is the parent process's), -EINVAL (NULL)
 * Orders   everything before the call happens-before run()
 */
WEIR_API WEIR_CHECKED int weir_loop_post(weir_loop *loop, weir_task *task);

/**
 * Submit a function and its argument from any thread.  fn runs once, on the
 * loop's thread, after everything that this thread posted or submitted to this
 * loop before.  weir keeps the storage for the call, and reuses it.
 *
 * Thread   any
 * Owns     arg is the caller's
 * Returns  0, WEIR_ECLOSED (the loop no longer admits work), -EINVAL (NULL),
 *          -ENOMEM, WEIR_EFORKED
 * Orders   everything before the call happens-before fn()
 */
WEIR_API WEIR_CHECKED int weir_loop_submit(weir_loop *loop, weir_fn *fn,
                                           void *arg);

/**
 * Call fn immediately on the loop's thread, or submit it from any other thread.
 *
 * Thread   any
 * Owns     arg is the caller's
 * Returns  0, WEIR_ECLOSED (the loop no longer admits work), -EINVAL (NULL),
 *          -ENOMEM, WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_loop_dispatch(weir_loop *loop, weir_fn *fn,
                                             void *arg);

/**
 * Make a loop take a turn, even if it has nothing to do.  Tests use it after
 * they have moved a frozen clock.  Several calls before the turn count as one.
 * Passing NULL, or a loop that is TERMINATED, has no effect.
 *
 * Thread   any
 */
WEIR_API void weir_loop_wake(weir_loop *loop);

/* ---- on the loop's thread ---- */

/* next_tick, microtask, immediate and on_close_phase may be called on any
 * thread.  On a thread other than the loop's, fn goes through the loop's MPSC
 * queue, in order with what that thread posts. */

/**
 * Queue a next-tick, which is called at the current or next checkpoint.  A
 * checkpoint runs the next-ticks before the microtasks, but next-ticks do not
 * interrupt microtasks that are running.  On a thread that is not running the
 * loop, fn is submitted as by weir_loop_submit.
 *
 * Thread   any
 * Owns     arg is the caller's
 * Returns  0, WEIR_ECLOSED (the loop no longer admits work), -EINVAL (NULL),
 *          -ENOMEM, WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_loop_next_tick(weir_loop *loop, weir_fn *fn,
                                              void *arg);

/**
 * Queue a microtask, which is called at the current or next checkpoint.  On a
 * thread that is not running the loop, fn is submitted as by weir_loop_submit.
 *
 * Thread   any
 * Owns     arg is the caller's
 * Returns  0, WEIR_ECLOSED (the loop no longer admits work), -EINVAL (NULL),
 *          -ENOMEM, WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_loop_microtask(weir_loop *loop, weir_fn *fn,
                                              void *arg);

/**
 * Queue an immediate, which is called after this turn's descriptors.  An
 * immediate that another immediate queues waits for the next turn.  On a thread
 * other than the loop's, fn is queued in order with what that thread posts.
 *
 * Thread   any
 * Owns     arg is the caller's
 * Returns  0, WEIR_ECLOSED (the loop no longer admits work), -EINVAL (NULL),
 *          -ENOMEM, WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_loop_immediate(weir_loop *loop, weir_fn *fn,
                                              void *arg);

/**
 * Queue a close callback, which is called at the end of this turn.  On a thread
 * other than the loop's, fn is queued in order with what that thread posts.
 *
 * Thread   any
 * Owns     arg is the caller's
 * Returns  0, WEIR_ECLOSED (the loop no longer admits work), -EINVAL (NULL),
 *          -ENOMEM, WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_loop_on_close_phase(weir_loop *loop, weir_fn *fn,
                                                   void *arg);

/**
 * Leave the running callback with an error.  The loop passes the error to
 * on_uncaught, with a message of at most 255 bytes, and continues with the next
 * callback.  In a handler of a promise, the derived promise is rejected with
 * the code instead, and the message is lost.  A function called by
 * weir_loop_dispatch takes the callback that dispatched it down with it.  In a
 * function that a callback notifies (an abort's listener, a waiter's woken
 * function), only that function is left, and the callback continues.
 *
 * No cleanup is done: locks stay locked, and memory stays allocated.  Outside a
 * callback, weir_raise aborts the program.
 *
 * Thread   loop, inside a callback
 */
WEIR_API void weir_raise(int code, const char *format, ...)
    __attribute__((noreturn, cold, format(printf, 2, 3)));

/* ---- running ---- */

typedef enum weir_run_mode {
    WEIR_RUN_UNTIL_IDLE = 0, /* nothing is queued, nothing referenced is left */
    WEIR_RUN_UNTIL_CLOSED,   /* a shutdown or close has finished */
} weir_run_mode;

/**
 * Run a loop on the calling thread.  A loop that has become idle is AWAKE: it
 * still admits work, and any thread may run it again.  If a shutdown began
 * before this call, the call carries it out.  A pthread_cancel() of the thread
 * takes effect after the call.
 *
 * Thread   any, one at a time
 * Returns  0, -EBUSY (another thread runs or steps the loop), WEIR_EREENTRANT
 *          (inside a callback of the loop), WEIR_ECLOSED (TERMINATED before
 *          this call), WEIR_EFORKED (this is a child of fork(), made before or
 *          during the call), -EINVAL (unknown mode), or the error of the
 *          poller's wait.  After such an error the loop is AWAKE.  If the loop
 *          was already terminating, it still belongs to this thread: run it
 *          again
 * Orders   sees everything that the thread which ran the loop last did
 */
WEIR_API WEIR_CHECKED int weir_loop_run(weir_loop *loop, weir_run_mode mode);

/**
 * Take one turn of a loop.  If the turn finds nothing to call, it waits for at
 * most timeout_ns (0: not at all, negative: without a limit).  From then on the
 * loop belongs to this thread until it is TERMINATED or run: it sleeps between
 * the steps, and its backend descriptor becomes readable when it needs the next
 * step.
 *
 * Thread   one: the thread that stepped the loop first
 * Returns  0, -EBUSY (another thread runs or steps the loop), WEIR_EREENTRANT
 *          (inside a callback of the loop), WEIR_ECLOSED (TERMINATED, before or
 *          by this step), WEIR_EFORKED, or the error of the poller's wait
 */
WEIR_API WEIR_CHECKED int weir_loop_step(weir_loop *loop, int64_t timeout_ns);

/**
 * Get the descriptor through which another loop can watch this one.  From the
 * first step on, it is readable when a step would find events or tasks.  It
 * does not cover timers: see weir_loop_timeout.
 *
 * Thread   loop
 * Owns     the descriptor is the loop's; never read or close it
 * Returns  the descriptor, WEIR_ENOFDS (WEIR_FD_MODE_NEVER: there is none),
 *          WEIR_ECLOSED (the loop has ended), -ENOTSUP (the poller has none),
 *          -EMFILE, -ENFILE, -ENOMEM, -ENOSPC (the kernel's limit of watches),
 *          WEIR_EFORKED
 */
WEIR_API int weir_loop_backend_fd(weir_loop *loop);

/**
 * Get the time that another loop may wait before the next step, as timers and
 * queued work permit.
 *
 * Thread   loop
 * Returns  nanoseconds; 0 (step immediately), -1 (no limit)
 */
WEIR_API int64_t weir_loop_timeout(weir_loop *loop);

/* ---- looking ---- */

/**
 * Get the loop that runs on the calling thread, or NULL if there is none.
 *
 * Thread   any
 */
WEIR_API weir_loop *weir_loop_current(void);

/**
 * Test whether the calling thread is running the loop.
 *
 * Thread   any
 */
WEIR_API bool weir_loop_is_owner(const weir_loop *loop);

/**
 * Get the state of a loop.  It may have changed by the time the call returns.
 *
 * Thread   any
 */
WEIR_API enum weir_loop_state weir_loop_state(const weir_loop *loop);

/**
 * Get the time of weir_clock_now as the current turn sees it.
 *
 * Thread   loop
 */
WEIR_API int64_t weir_loop_now(const weir_loop *loop);

/**
 * Change whether a loop is ready to watch descriptors, even while it sleeps.
 *
 * Thread   any
 * Returns  0, WEIR_ENOFDS (NEVER, but the loop has descriptors), -EINVAL
 *          (unknown mode), WEIR_ECLOSED (the loop has ended), -EMFILE, -ENFILE,
 *          -ENOMEM (ALWAYS: the poller cannot be opened), WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_loop_set_fd_mode(weir_loop *loop,
                                                weir_fd_mode mode);

/* ---- stopping ---- */

/**
 * Stop a loop gracefully.  The steps of a shutdown are, in this order:
 *
 *     refuse new work from outside
 *     run all accepted work, and everything that it queues
 *     wait for the jobs of weir_promisify that are still out, and run the
 *         handlers of their outcomes; timers and descriptors go on meanwhile
 *     cancel the timers
 *     reject the pending promises
 *     cancel the descriptors
 *     become TERMINATED
 *     call options.done
 *
 * Each timer and each descriptor is called once with WEIR_ECANCELED.
 *
 * The call waits for the end, for at most timeout_ns (negative: no limit).  If
 * no thread runs the loop, or the loop belongs to this thread, the call runs
 * the loop itself.  Inside a callback of the loop, the call begins the shutdown
 * and returns immediately.  Inside a callback of another loop, which must not
 * block, the call does not wait for another thread.  With timeout_ns 0 it
 * begins the shutdown there, and options.done reports the end.
 *
 * Thread   any, any number of times
 * Returns  0 (TERMINATED and done, or begun from inside), -ETIMEDOUT (the
 *          shutdown continues, and weir_loop_report says what holds it.  If
 *          this call ran the loop, the loop still belongs to this thread: call
 *          again), -EDEADLK (timeout_ns is not 0, and the caller is a callback
 *          of another loop while another thread runs this one, or a job that
 *          this loop waits for: nothing has changed), WEIR_EFORKED, or the
 *          error of the poller's wait
 * Orders   0: all callbacks happened before
 */
WEIR_API WEIR_CHECKED int weir_loop_shutdown(weir_loop *loop,
                                             int64_t timeout_ns);

/**
 * Stop a loop immediately.  The callback that is running finishes.  Every other
 * callback that was accepted is called with WEIR_ECANCELED.  The call waits for
 * the end of the loop, for at most timeout_ns (negative: no limit), but not for
 * jobs of weir_promisify: their promises are rejected, and their outcomes
 * dropped.  Inside a callback of the loop, the call begins the close and
 * returns immediately.  Inside a callback of another loop, a timeout_ns of 0
 * begins the close without waiting for another thread.
 *
 * Thread   any, any number of times; even during a shutdown
 * Returns  0 (TERMINATED and done, or begun from inside), -ETIMEDOUT (the close
 *          continues.  If this call ran the loop, the loop still belongs to
 *          this thread: call again), -EDEADLK (timeout_ns is not 0, and the
 *          caller is a callback of another loop while another thread runs this
 *          one: nothing has changed), WEIR_EFORKED
 * Orders   0: all callbacks happened before
 */
WEIR_API WEIR_CHECKED int weir_loop_close(weir_loop *loop, int64_t timeout_ns);

/* A row of a report: something that keeps a loop, a pool or a service from
 * ending.
 *
 * What is running comes first, with one row for each and the longest-running
 * first.  What is not running is counted: requests, hooks, jobs, tasks,
 * references, timers and descriptors, with one row for each kind and name.  A
 * report has at most 48 rows with different names of this sort.  Things with
 * further names are counted as if they had no name, and so are jobs that wait in
 * a pool, unless they wait in a lane: these have its name.
 *
 * If there are more rows than capacity, the last row that fits has the kind
 * WEIR_KIND_OTHER and counts everything that the rows before it do not show.
 * So the counts add up to the true total with any capacity of at least 2.  With
 * a capacity of 1, a report has its first row and no total.
 *
 * The caller of a report passes the size of its rows, so that members can be
 * appended. */
typedef struct weir_holder {
    weir_kind kind;
    bool is_running;  /* a callback, a job or a hook that runs now */
    const char *name; /* may be NULL */
    uint64_t count;   /* of such things; 1 for what runs */
    int64_t age_ns;   /* since it began to run, or was started; -1: unknown.
                         Among several, that of the oldest.  For a callback that
                         began before the loop's end did, the time since the
                         beginning of its turn, except in debug builds */
    uint64_t thread;  /* the kernel's id of the thread it runs on; 0: none */
    /* Debug builds of weir: where a job, task, timer or descriptor was
     * submitted, as the return address of the call (`addr2line -e PROGRAM`, or
     * dladdr).  What is not running is then also counted by origin.  NULL:
     * unknown. */
    const void *from;
} weir_holder;

/**
 * Report what holds a loop.  The rows show the running callback and the queued
 * tasks.  If the loop is not terminating, they also show references (each job
 * of weir_promisify is one), referenced timers and referenced descriptors.
 * During a shutdown they show the jobs that it waits for: some with their name
 * and the time since they were sent, the others as a number.  Equal entries
 * share a row: see weir_holder.  The call never blocks and never allocates.
 * Its answer may be slightly out of date.
 *
 * Thread   any
 * Owns     fills holders[0 .. capacity - 1]; size is sizeof(weir_holder)
 * Returns  the number of rows that there are, which may exceed capacity
 */
WEIR_API size_t weir_loop_report(const weir_loop *loop, weir_holder *holders,
                                 size_t capacity, size_t size);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_LOOP_H */
