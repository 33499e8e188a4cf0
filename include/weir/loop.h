/* SPDX-License-Identifier: MIT */
/*
 * weir/loop.h -- one loop, one thread.
 *
 * A loop runs callbacks on the thread that calls weir_loop_run(), and on no
 * other.  Every other thread reaches it through weir_loop_post() and the
 * calls below that say "Thread any".
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
 *     Orders   what the call happens-before (omitted: nothing beyond C)
 *
 * On any error the call had no effect and its callback never runs.  Every
 * function that can fail returns -EINVAL for a loop that is NULL.
 *
 * One turn of a loop:
 *
 *     take what other threads posted
 *     timers that are due              timer.h
 *     tasks that were there            post, submit
 *     wait for events; descriptors     fd.h
 *     immediates
 *     close callbacks
 *
 * After every single callback comes a checkpoint: all next-ticks, then
 * microtasks, until both are empty or the budget is used up.
 *
 * Its states:
 *
 *     AWAKE ----> RUNNING <----> SLEEPING
 *       ^  run      |  |             |
 *       +-----------+  +-----+-------+  shutdown, close
 *           is idle          v
 *                       TERMINATING ----> TERMINATED
 *
 * Names are shown by weir_loop_report() and in metrics.  They are not copied
 * and must outlive the loop: string literals, mostly.
 *
 * A child of fork() cannot use the loops of its parent, and does the parent no
 * harm by trying: each call that would change such a loop returns WEIR_EFORKED,
 * weir_loop_state says TERMINATED, and weir_loop_free gives the memory back and
 * touches nothing that the parent uses.  Of what has been accepted nothing is
 * called in the child.  A callback that forks and returns in the child leaves
 * the loop: weir_loop_run returns WEIR_EFORKED there.  The child may make loops
 * of its own.  The descriptors of weir are closed by exec.  A child made by
 * clone(2) or _Fork() is not recognized: it must exec.
 */
#ifndef WEIR_LOOP_H
#define WEIR_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_loop weir_loop;

/* The numbers are those of the word inside; they say nothing by their order. */
typedef enum weir_loop_phase {
    WEIR_LOOP_AWAKE = 0,       /* nobody runs it */
    WEIR_LOOP_TERMINATED = 1,  /* for ever */
    WEIR_LOOP_SLEEPING = 2,    /* its thread waits for something to do */
    WEIR_LOOP_RUNNING = 4,     /* its thread is taking a turn */
    WEIR_LOOP_TERMINATING = 5, /* shutdown or close has begun */
} weir_loop_phase;

/* Where a loop sleeps.  On a futex it is woken in less than half the time that
 * a descriptor takes; but there it cannot watch descriptors. */
typedef enum weir_fast_path {
    WEIR_FAST_PATH_AUTO = 0, /* on a futex while it has no descriptors */
    WEIR_FAST_PATH_FORCED,   /* on a futex; weir_fd_add is refused */
    WEIR_FAST_PATH_DISABLED, /* in the poller, always */
} weir_fast_path;

/* What weir_raise left a callback with.  Valid during on_uncaught only. */
typedef struct weir_uncaught {
    int code;
    const char *message;
    weir_kind kind;
    const char *name; /* of what raised; may be NULL */
    void *arg;        /* its argument: what was submitted, started or added with
                       * it; or the weir_task, weir_listener or weir_waiter */
    int fd;           /* of a WEIR_KIND_FD; otherwise -1 */
} weir_uncaught;

#define WEIR_MICROTASK_BUDGET 1024
#define WEIR_NO_BUDGET UINT32_MAX

/* A rejection that nobody has handled.  Valid during on_rejection only. */
typedef struct weir_rejection {
    struct weir_promise *promise; /* borrowed; weir/promise.h */
    int code;                     /* of its reason */
    /* False: no handler when a checkpoint ended.  True: it was told before, and
     * has got a handler since. */
    bool is_handled;
} weir_rejection;

/* All may be left 0. */
typedef struct weir_loop_options {
    size_t size;      /* sizeof(weir_loop_options) */
    const char *name; /* of the loop */
    weir_fast_path fast_path;
    /* How long to look for work before sleeping: at the most, and only while
     * that pays and no other thread wants the core.  0: not at all; a second is
     * the limit. */
    int64_t spin_ns;
    /* Serve timers together that are due within this time: a loop that sleeps
     * wakes up so much after its next timer is due, and at once for anything
     * else.  Timers are never early, and their order does not change.  The slack
     * that the kernel gives each wait of the thread is part of it (50 us; see
     * PR_SET_TIMERSLACK in prctl(2)), so less than that adds nothing.  0: the
     * kernel's alone; a minute is the limit. */
    int64_t timer_slack_ns;
    /* Microtasks and next-ticks at one checkpoint.  0: WEIR_MICROTASK_BUDGET,
     * WEIR_NO_BUDGET: all. */
    uint32_t microtask_budget;
    bool metrics; /* keep them; see weir/metrics.h */
    void *arg;    /* of the four below, which run on the loop's thread */
    /* A checkpoint has used up its budget.  Told once for each such chain of
     * microtasks: again only after the queue was empty. */
    void (*on_breach)(void *arg, weir_loop *loop);
    /* weir_raise left a callback.  NULL: one line on stderr. */
    void (*on_uncaught)(void *arg, weir_loop *loop, const weir_uncaught *what);
    /* A promise was rejected and nobody handles it, or now somebody does.  NULL:
     * one line on stderr for the former. */
    void (*on_rejection)(void *arg, weir_loop *loop,
                         const weir_rejection *what);
    /* The last thing a loop does, after TERMINATED: once.  status is 0 after a
     * shutdown, WEIR_ECANCELED after a close.  May call weir_loop_free. */
    void (*done)(void *arg, weir_loop *loop, int status);
} weir_loop_options;

/**
 * Make a loop.  It is AWAKE and admits work at once.
 *
 * Thread   any
 * Owns     *loop is the caller's until weir_loop_free
 * Returns  0, -EINVAL (loop is NULL, or an option makes no sense), -ENOMEM,
 *          -EMFILE, -ENFILE (WEIR_FAST_PATH_DISABLED: no descriptor left)
 */
WEIR_API WEIR_CHECKED int weir_loop_new(weir_loop **loop,
                                        const weir_loop_options *options);

/**
 * Give back the loop.  One that nobody runs is closed first, as by
 * weir_loop_close.  Its memory stays while a weir_loop_ref holds it, and while
 * a call that was accepted is on its way out.  NULL is nothing.
 *
 * Thread   any; without a ref no call may begin afterwards, or be refused
 * Owns     the pointer is no longer the caller's
 * Returns  0, -EBUSY (another thread runs it, or steps it),
 *          WEIR_EREENTRANT (inside a callback of it, other than done)
 */
WEIR_API int weir_loop_free(weir_loop *loop);

/**
 * Hold the loop: weir_loop_run does not become idle, and the memory stays,
 * until the same number of unrefs.  A thread that posts to a loop which may
 * be freed meanwhile holds it, and gets WEIR_ECLOSED then, not a crash.
 *
 * Thread   any; the loop is held or not freed yet
 */
WEIR_API void weir_loop_ref(weir_loop *loop);

/**
 * Let it go.
 *
 * Thread   any; once for each ref
 * Orders   what came before happens-before the end of a run that was waiting
 *          for this
 */
WEIR_API void weir_loop_unref(weir_loop *loop);

/* ---- in from any thread ---- */

/**
 * Post a task.  It runs once, on the loop's thread, after every task that
 * this thread posted or submitted to this loop before.
 *
 * Thread   any
 * Owns     the caller keeps the task; weir borrows it until run() is entered
 * Returns  0, WEIR_ECLOSED (the loop no longer admits work), WEIR_EFORKED (it
 *          is the parent process's), -EINVAL (NULL)
 * Orders   everything before the call happens-before run()
 */
WEIR_API WEIR_CHECKED int weir_loop_post(weir_loop *loop, weir_task *task);

/**
 * The same with a function and its argument; weir keeps the storage, and uses
 * it again.
 *
 * Thread   any
 * Owns     arg is the caller's
 * Returns  0, WEIR_ECLOSED, -EINVAL (NULL), -ENOMEM
 * Orders   everything before the call happens-before fn()
 */
WEIR_API WEIR_CHECKED int weir_loop_submit(weir_loop *loop, weir_fn *fn,
                                           void *arg);

/**
 * The same with a name, for reports and metrics.
 *
 * Thread   any
 * Owns     arg is the caller's; name is not copied
 * Returns  0, WEIR_ECLOSED, -EINVAL (NULL), -ENOMEM
 * Orders   everything before the call happens-before fn()
 */
WEIR_API WEIR_CHECKED int weir_loop_submit_named(weir_loop *loop, weir_fn *fn,
                                                 void *arg, const char *name);

/**
 * Call fn at once if this is the loop's thread; submit it otherwise.
 *
 * Thread   any
 * Owns     arg is the caller's
 * Returns  0, WEIR_ECLOSED, -EINVAL (NULL), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_loop_dispatch(weir_loop *loop, weir_fn *fn,
                                             void *arg);

/**
 * Make the loop take a turn, also if there is nothing to do; a test that moves
 * the clock tells the loop so.  Nothing after TERMINATED.
 *
 * Thread   any
 */
WEIR_API void weir_loop_wake(weir_loop *loop);

/* ---- on the loop's thread ---- */

/* These four may be called on any thread.  On another than the loop's they get
 * there through the door, in the order of what that thread posts. */

/**
 * Call fn at this checkpoint, before the next microtask.
 *
 * Thread   any
 * Owns     arg is the caller's
 * Returns  0, WEIR_ECLOSED, -EINVAL (NULL), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_loop_next_tick(weir_loop *loop, weir_fn *fn,
                                              void *arg);

/**
 * Call fn at this checkpoint.
 *
 * Thread   any
 * Owns     arg is the caller's
 * Returns  0, WEIR_ECLOSED, -EINVAL (NULL), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_loop_microtask(weir_loop *loop, weir_fn *fn,
                                              void *arg);

/**
 * Let the microtask that runs go on as the next one: for an engine that has a
 * queue of its own, and one microtask for the first in it.  Counts as one.
 *
 * Thread   loop, inside a microtask
 * Returns  true; false if others are queued, the budget is used up, or this is
 *          no microtask: then queue one for the rest
 */
WEIR_API WEIR_CHECKED bool weir_loop_microtask_again(weir_loop *loop);

/**
 * Call fn after this turn's descriptors.  One that an immediate queues waits
 * for the next turn.
 *
 * Thread   any
 * Owns     arg is the caller's
 * Returns  0, WEIR_ECLOSED, -EINVAL (NULL), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_loop_immediate(weir_loop *loop, weir_fn *fn,
                                              void *arg);

/**
 * Call fn at the end of this turn.
 *
 * Thread   any
 * Owns     arg is the caller's
 * Returns  0, WEIR_ECLOSED, -EINVAL (NULL), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_loop_on_close_phase(weir_loop *loop, weir_fn *fn,
                                                   void *arg);

/**
 * Make the checkpoint that comes after a callback now, in the middle of one: for
 * a callback that serves several things, each of which could have had its own.
 * A microtask that raises leaves the callback as well.
 *
 * Thread   loop, inside a callback
 * Returns  0, -EINVAL (NULL), -EPERM (not there), WEIR_EREENTRANT (a checkpoint
 *          is going on)
 */
WEIR_API WEIR_CHECKED int weir_loop_checkpoint(weir_loop *loop);

/**
 * Leave the running callback, and with it whoever called weir_loop_dispatch
 * there.  The loop gives the error to on_uncaught and goes on with the next
 * callback.  Nothing is undone: what the callback holds must not need its
 * return.  In what a callback tells of something (a listener of an abort, the
 * woken of a waiter) it leaves only that, and the callback goes on.  Outside a
 * callback: aborts.
 *
 * Thread   loop, inside a callback
 */
WEIR_API void weir_raise(int code, const char *format, ...)
    __attribute__((noreturn, cold, format(printf, 2, 3)));

/* ---- running ---- */

typedef enum weir_run_mode {
    WEIR_RUN_UNTIL_IDLE = 0, /* nothing is queued, nothing referenced left */
    WEIR_RUN_UNTIL_CLOSED,   /* shutdown or close has finished */
} weir_run_mode;

/**
 * Run the loop on this thread.  After "idle" it is AWAKE: it still admits
 * work, and may be run again, by any thread.  A shutdown that came before is
 * not forgotten: it is what this call then does.
 *
 * Thread   any one at a time
 * Returns  0, -EBUSY (another thread runs or steps it), WEIR_EREENTRANT
 *          (inside a callback of it), WEIR_ECLOSED (TERMINATED before this
 *          call), WEIR_EFORKED (a child, before the call or by it), -EINVAL
 *          (mode), or the error of the poller's wait.  After
 *          such an error the loop is AWAKE; or, if its end has begun, still
 *          this thread's: run it again
 * Orders   sees what the thread that ran it last did
 */
WEIR_API WEIR_CHECKED int weir_loop_run(weir_loop *loop, weir_run_mode mode);

/**
 * One turn, that waits for timeout_ns at the most if it finds nothing to call
 * (0: does not wait, negative: as long as it takes).  The loop then belongs to
 * this thread until it is terminated or run: it sleeps between the steps, and
 * its backend descriptor becomes readable when it wants the next one.
 *
 * Thread   one: that which stepped it first
 * Returns  0, -EBUSY (another thread runs or steps it), WEIR_EREENTRANT,
 *          WEIR_ECLOSED (TERMINATED, before or by this step), or the error of
 *          the poller's wait
 */
WEIR_API WEIR_CHECKED int weir_loop_step(weir_loop *loop, int64_t timeout_ns);

/**
 * A descriptor that another loop can watch, from the first step on: readable
 * when a step would find events or tasks.  Timers are not in it: see
 * weir_loop_timeout.
 *
 * Thread   loop
 * Owns     the loop's; never read or close it
 * Returns  the descriptor, WEIR_EFASTPATH (FORCED has none), WEIR_ECLOSED,
 *          -ENOTSUP (the poller has none), -EMFILE, -ENFILE, -ENOMEM,
 *          -ENOSPC (the kernel's limit of watches)
 */
WEIR_API int weir_loop_backend_fd(weir_loop *loop);

/**
 * How long another loop may wait before the next step, for the sake of timers
 * and of what is queued.
 *
 * Thread   loop
 * Returns  nanoseconds; 0 (at once), -1 (for ever)
 */
WEIR_API int64_t weir_loop_timeout(weir_loop *loop);

/* ---- looking ---- */

/**
 * The loop that runs on this thread, or NULL.
 *
 * Thread   any
 */
WEIR_API weir_loop *weir_loop_current(void);

/**
 * Whether this thread is running the loop.
 *
 * Thread   any
 */
WEIR_API bool weir_loop_is_owner(const weir_loop *loop);

/**
 * Whether the loop is this thread's: it runs the loop, or has stepped it.
 *
 * Thread   any
 */
WEIR_API bool weir_loop_is_claimed(const weir_loop *loop);

/**
 * Where it is in its life; may be old news on return.
 *
 * Thread   any
 */
WEIR_API weir_loop_phase weir_loop_state(const weir_loop *loop);

/**
 * The clock as this turn sees it.
 *
 * Thread   loop
 */
WEIR_API int64_t weir_loop_now(const weir_loop *loop);

/**
 * Change where the loop sleeps, also while it does.
 *
 * Thread   any
 * Returns  0, WEIR_EFASTPATH (FORCED, but it has descriptors), -EINVAL,
 *          WEIR_ECLOSED, -EMFILE, -ENFILE, -ENOMEM (DISABLED)
 */
WEIR_API WEIR_CHECKED int weir_loop_set_fast_path(weir_loop *loop,
                                                  weir_fast_path mode);

/* ---- stopping ---- */

/**
 * Stop gracefully.  In this order: refuse new work from outside; run what was
 * accepted, and what that queues; wait for the jobs that weir_promisify has out,
 * and run the handlers of their outcomes (timers and descriptors go on
 * meanwhile); cancel the timers; reject the promises that are pending; cancel
 * the descriptors; TERMINATED; done.  Timers and descriptors are told
 * WEIR_ECANCELED once each.
 *
 * Waits for the end, for timeout_ns at the most (negative: no limit).  If no
 * thread runs the loop, or it is this thread's, the call runs it itself.
 * Inside a callback of the loop it begins the shutdown and returns at once.
 * Inside a callback of another loop, which must not block, it waits for no other
 * thread: with timeout_ns 0 it begins, and options.done tells the end.
 *
 * Thread   any, any number of times
 * Returns  0 (TERMINATED and done, or begun from inside), -ETIMEDOUT (it goes
 *          on; weir_loop_report says what holds it.  If this call ran the loop,
 *          it stays this thread's: call again), -EDEADLK (timeout_ns is not 0,
 *          and this is a callback of another loop while another thread runs
 *          this one, or a job that this one waits for: nothing has changed), or
 *          the error of the poller's wait
 * Orders   0: all callbacks happened before
 */
WEIR_API WEIR_CHECKED int weir_loop_shutdown(weir_loop *loop,
                                             int64_t timeout_ns);

/**
 * Stop at once.  The callback that is running finishes; all others that were
 * accepted are called with WEIR_ECANCELED.  Waits for the end, but for no job of
 * weir_promisify: its promise is rejected, and its outcome dropped.
 *
 * Thread   any, any number of times; also during a shutdown
 * Returns  0 (TERMINATED and done), WEIR_EREENTRANT (inside a callback),
 *          -EDEADLK (inside a callback of another loop, and another thread runs
 *          this one: nothing has changed; weir_loop_shutdown begins without
 *          waiting)
 * Orders   all callbacks happened before
 */
WEIR_API WEIR_CHECKED int weir_loop_close(weir_loop *loop);

/* A row of a report: what keeps a loop, a pool or a service from its end.
 *
 * What runs comes first, a row for each, the longest-running one first.  What
 * does not run is counted: requests, hooks, jobs, tasks, references, timers,
 * descriptors, with a row for each kind and name.  A report has at most 48 rows
 * with different names of that sort; things with further names are counted as
 * if they had none.
 *
 * If there are more rows than capacity, the last one that fits has the kind
 * WEIR_KIND_OTHER and counts what the others do not show.  So the counts add up
 * to the true total, with any capacity of at least 2; a capacity of 1 gets the
 * first row, and no total. */
typedef struct weir_holder {
    weir_kind kind;
    bool is_running;  /* it is a callback, a job or a hook that runs now */
    const char *name; /* may be NULL */
    uint64_t count;   /* how many such; 1 for what runs */
    int64_t age_ns;   /* since it began to run, or was started; -1: unknown.  Of
                         several, the oldest one's.  Of a callback that began
                         before the loop's end did: since the turn began that
                         it is part of, unless this is a debug build */
    uint64_t thread;  /* the kernel's id of the thread it runs on; 0: none */
    /* Debug builds of weir: where it was submitted, as the address that the call
     * returned to (`addr2line -e PROGRAM`, or dladdr).  Of jobs, tasks,
     * timers and descriptors; what does not run is counted by place, too.
     * NULL: not known. */
    const void *from;
} weir_holder;

/**
 * Report what holds the loop: the callback that runs, queued tasks, and, if it
 * is not terminating, refs (each job of weir_promisify is one), referenced
 * timers and descriptors.  During a shutdown the jobs that it waits for: some
 * with their name, and their age since they were sent, the others as a number.
 * Equal ones share a row: see weir_holder.  Never blocks and never allocates;
 * what it shows may be a moment old.
 *
 * Thread   any
 * Owns     fills holders[0 .. capacity - 1]
 * Returns  how many rows there are, which may be more than capacity
 */
WEIR_API size_t weir_loop_report(const weir_loop *loop, weir_holder *holders,
                                 size_t capacity);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_LOOP_H */
