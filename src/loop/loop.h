/* SPDX-License-Identifier: MIT */
/*
 * loop -- the state of a loop, grouped by the threads that access it.
 *
 *   the queue      in                          any thread, ingress.c
 *   the outside    lives .. cancel             any thread, rarely
 *   the tables     fds, timer slots            any thread, under `lock`
 *   the inside     from `now_ns` on            the loop's thread only
 *
 * "The loop's thread" is the thread that has claimed the loop.  It stays the
 * loop's thread while it is inside run or step and between two steps.  A claim
 * hands the inside over (ingress/P3).  While no thread has claimed the loop,
 * the thread that created it may borrow the inside for the duration of one
 * call (bias.h).  A claim by another thread revokes this right, and only then
 * touches the inside.
 *
 * These files share the struct: loop.c (lifetime), submit.c (entry points),
 * run.c (ownership), turn.c (one turn), microtask.c, timer.c, timer_ref.c,
 * fire.c, fd.c, shutdown.c, raise.c, record.c, script.c, metrics.c, report.c.
 * Their functions are declared here; their own headers, such as timer.h, include
 * this one.
 */
#ifndef WEIR_SRC_LOOP_H
#define WEIR_SRC_LOOP_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"
#include "base/bias.h"
#include "base/calls.h"
#include "base/fork.h"
#include "base/lock.h"
#include "base/origin.h"
#include "base/poller.h"
#include "base/slab.h"
#include "base/tasks.h"
#include "base/thread.h"
#include "base/tsc.h"
#include "loop/counters.h"
#include "loop/envelope.h"
#include "loop/ingress.h"
#include "loop/promises.h"
#include "loop/wheel.h"
#include "trace/recorder.h"
#include "watchdog/watched.h"
#include "weir/loop.h"
#include "weir/timer.h"

/* How far the end of a loop has come.  It only moves forward; shutdown.c makes
 * all of its steps and explains them. */
enum weir__stage {
    WEIR__STAGE_OPEN,
    WEIR__STAGE_DRAINING,   /* accepted work runs; outsiders are refused */
    WEIR__STAGE_CANCELLING, /* timers get WEIR_ECANCELED ... */
    WEIR__STAGE_NO_TIMERS,  /* ... and all that were there have got it */
    WEIR__STAGE_REJECTING,  /* promises are rejected, none can be created */
    WEIR__STAGE_NO_FDS      /* descriptors are cancelled, none can be added */
};

/* The parts of a turn, in order. */
enum weir__part {
    WEIR__PART_DRAIN,
    WEIR__PART_REST,
    WEIR__PART_TIMERS,
    WEIR__PART_TASKS,
    WEIR__PART_WAIT,
    WEIR__PART_FDS,
    WEIR__PART_IMMEDIATES,
    WEIR__PART_CLOSE
};

/* The descriptors.  Under the loop's lock, except where noted. */
struct weir__fds {
    struct weir__slab slots;
    uint32_t **page; /* page[fd / 256][fd % 256]: the slot + 1, or 0 */
    uint32_t pages;
    uint32_t cancelled;     /* termination: the next one to cancel */
    bool has_lost;          /* some removals have failed */
    bool needs_renewal;     /* one of them had an event; the loop's thread */
    atomic(uint64_t) count; /* registered; any thread reads it */
    atomic(uint64_t) refs;  /* of these, those that hold the loop; same */
    atomic(uint64_t) used;  /* slots, with pending removals; the same */
};

#ifdef WEIR_SMALL
enum { WEIR__TIMERS_ENDED = 2 };
#else
enum { WEIR__TIMERS_ENDED = 64 };
#endif

/* The timers.  The loop's thread only, except for the last two words. */
struct weir__timers {
    struct weir__wheel wheel;
    struct weir__tsc tsc;
    uint64_t used;             /* slots of timers that have not ended */
    uint64_t unrefs;           /* of these, timers that do not hold the loop */
    struct weir__entry firing; /* a repeating timer in its callback, or id 0 */
    struct weir__slab_stock stock; /* free slots at hand */
    uint32_t ended_count;
    uint32_t ended[WEIR__TIMERS_ENDED]; /* slots to be freed soon */
    atomic(weir_timer) deciding;        /* any thread reads: timer/P2, P4 */
    atomic(int) rivals;                 /* any thread: timer/P2, P3 */
};

/* Hints to the loop, which it looks at after each callback. */
enum {
    WEIR__HINT_CANCELLED = 1, /* close was called */
    /* WEIR__HINT_BLOCKED: watched.h */
};

struct weir_loop {
    _Alignas(CACHE_APART) struct weir__ingress in;

    _Alignas(CACHE_APART) atomic(uint64_t) lives; /* memory references: P2 */
    atomic(uint64_t) holds;                       /* weir_loop_ref: P3 */
    atomic(uint32_t) is_kicked;                   /* kick is posted: P1 */
    weir__hints hints;                            /* any thread, relaxed */
    atomic(uint32_t) finished; /* futex: terminated, shutdown/P1 */
    atomic(uintptr_t) owner;   /* weir__thread_self; 0: no owner */
    atomic(uint64_t) thread;   /* weir__thread_id of the owner */
    struct weir__bias bias;    /* lets the creator borrow the inside */
    weir_task kick;            /* in the queue while is_kicked */
    weir_task cancel;          /* is queued at most once */

    _Alignas(CACHE_APART) struct weir__lock lock;
    struct weir__fds fds;                 /* under lock */
    struct weir__slab timer_slots;        /* under lock */
    atomic(struct weir__poller *) poller; /* written under lock; P4 */
    atomic(uint32_t) fd_mode;             /* written under lock */
    struct weir__recycler envelopes;      /* one cache per thread */
    struct weir__inherited inherited;     /* fork.h */
    bool is_foreign;                      /* set in a forked child: loop.c */
    struct weir__counters *counters;      /* const after new; NULL: disabled */
    weir_loop_options options;            /* const after new */

    /* From here on: the loop's thread only. */
    _Alignas(CACHE_APART) int64_t now_ns;
    int64_t since_ns; /* now_ns of the real clock; 0: the clock is frozen */
    enum weir__stage stage; /* written under the lock: others read it there */
    int status;       /* of callbacks: WEIR_ECANCELED once a close is seen */
    bool is_inside;   /* in run, step or shutdown: callbacks may be running */
    bool has_rest;    /* microtasks left over from the last turn's budget */
    bool has_timers;  /* this turn looks for timers that are due */
    bool told_breach; /* on_breach has run for this chain */
    bool is_until_idle;
    bool is_stepped;         /* by weir_loop_step: sleeps in the poller */
    bool has_called;         /* a callback ran since the clock was read */
    bool has_sent;           /* a job was sent to a pool in this turn */
    bool has_prepared_sleep; /* asleep between two steps ... */
    bool sleeps_in_poller;   /* ... in the poller, else on the futex */
    bool in_uncaught;        /* on_uncaught is running */
    enum weir__part part;
    jmp_buf *landing; /* the target of weir_raise; NULL: none */
    uint32_t budget_left;

    struct weir__calls ticks;
    struct weir__calls microtasks;
    struct weir__tasks ready;      /* for the next turn */
    struct weir__tasks batch;      /* for this one */
    struct weir__tasks immediates; /* like ready */
    struct weir__tasks immediate_batch;
    struct weir__tasks closing; /* like ready */
    struct weir__tasks closing_batch;
    atomic(uint64_t) taken; /* all tasks ever added to ready ... */
    atomic(uint64_t) run;   /* ... and how many of them have run */
    uint64_t untimed;       /* callbacks to run before the next timed one */
    uint64_t began; /* start time of the timed callback, in ticks; 0: none */
    /* The recorder; record.c. */
    struct weir__buffer *ring; /* of the thread that runs the loop; NULL: off */
    uint64_t crowd; /* since when callbacks are not measured, in ticks; or 0 */
    uint64_t crowd_left;   /* untimed, then */
    uint32_t careful;      /* how many to measure in a row */
    uint64_t calls_before; /* ticks and microtasks before this callback */
    const void *task;      /* the address of this one, or of an earlier one */
    bool was_woken;        /* by another thread, out of the last sleep */
    struct weir__pulse running; /* the callback */
    struct weir__watched watched;
    void *arg;           /* argument of the callback, for weir_uncaught */
    int fd;              /* its descriptor, if it is an fd callback */
    uint64_t owed_wakes; /* poller wake-ups claimed but not received */
    int64_t spin_ns;     /* the limit of the next spin */
    /* How late the kernel may be.  Set only if timer_slack_ns is. */
    int64_t kernel_slack_ns;
    uint64_t arrived;     /* tasks drained in this turn */
    bool lost_core;       /* while yielding: give_way, turn.c */
    uint32_t sleeps;      /* sleeps to make without yielding first */
    uint32_t sleeps_left; /* how many of them remain */
    int event_count;
    int event_at;

    struct weir_virtual_member *member; /* virtual.h; NULL: none */
    bool is_virtual;                    /* it sleeps in virtual time */
    struct weir__promises promises;     /* promise.h */
    struct weir__local *locals;         /* local.c */
    struct weir__timers timers;
    struct weir__event events[WEIR__POLLER_BATCH];
    int raised;        /* the code of the last weir_raise ... */
    char message[256]; /* ... and its message */
};

/* ---- local.c ---- */

/* Destroy the values that libraries have attached to the loop. */
void weir__locals_fini(weir_loop *loop);

/* ---- loop.c ---- */

/* Take and release a reference to the memory. */
void weir__loop_enter(weir_loop *loop);
void weir__loop_exit(weir_loop *loop);

/* Whether the loop was inherited across fork().  Nothing in it may be used. */
static inline bool weir__loop_is_foreign(const weir_loop *loop)
{
    return __builtin_expect(loop->is_foreign, 0);
}

/* The error for a refused call. */
static inline int weir__loop_refusal(const weir_loop *loop)
{
    return weir__loop_is_foreign(loop) ? WEIR_EFORKED : WEIR_ECLOSED;
}

/* Whether the end of the loop has reached `stage`.  Thread: the loop's, or any
 * that holds the lock. */
static inline bool weir__loop_has_reached(const weir_loop *loop,
                                          enum weir__stage stage)
{
    return loop->stage >= stage;
}

/* Whether the loop knows that its termination has started. */
static inline bool weir__loop_is_ending(const weir_loop *loop)
{
    return weir__loop_has_reached(loop, WEIR__STAGE_DRAINING);
}

/* Whether timers, promises and descriptors are cancelled and refused. */
static inline bool weir__loop_is_cancelling(const weir_loop *loop)
{
    return weir__loop_has_reached(loop, WEIR__STAGE_CANCELLING);
}

/* Whether anything outside the queues keeps run from becoming idle. */
bool weir__loop_is_held(weir_loop *loop);

/* Create the poller if there is none.  Call with the lock held. */
int weir__loop_need_poller(weir_loop *loop);

/* ---- submit.c ---- */

/* Push a task onto the queue and wake the loop if necessary. */
int weir__loop_push(weir_loop *loop, weir_task *task, enum weir__sender sender);

/* Push a function and its argument in an envelope.  `run` finds both in the
 * envelope that contains the task. */
int weir__loop_push_call(weir_loop *loop,
                         void (*run)(weir_task *task, int status), weir_fn *fn,
                         void *arg, enum weir__sender sender);

/* Wake the loop as the result of push or close requires. */
void weir__loop_wake(weir_loop *loop, int wake);

/* Note that this thread has sent a job to a pool. */
static inline void weir__loop_note_job(void)
{
    weir_loop *loop = weir__thread_loop();

    if (loop != NULL)
        loop->has_sent = true;
}

/* Exclude an internal task from the user's task count. */
static inline void weir__loop_inner_task(weir_loop *loop)
{
    if (loop->counters != NULL)
        weir__counters_add(&loop->counters->inner, 1);
}

/* ---- run.c ---- */

static inline bool weir__loop_is_mine(const weir_loop *loop)
{
    return weir__thread_loop() == loop;
}

/* Whether this thread is also running `loop`, in a frame outside the loop that
 * it is running now. */
__attribute__((cold)) bool weir__loop_is_around(const weir_loop *loop);

/* Whether this thread may use the lists of `loop`: it is the current loop or an
 * outer one.  Such a thread must not use the queue, because its task would then
 * run behind tasks that it adds to the lists directly. */
static inline bool weir__loop_is_local(const weir_loop *loop)
{
    const weir_loop *current = weir__thread_loop();

    return current == loop || (current != NULL && weir__loop_is_around(loop));
}

/* Whether this thread owns the loop: inside run or between two steps.  own()
 * records the ownership after a successful weir__ingress_claim or close. */
bool weir__loop_is_claimed(const weir_loop *loop);
void weir__loop_own(weir_loop *loop);

/* Borrow the inside.  True if this thread created the loop and no thread has
 * claimed it.  weir__loop_return must follow, with no callback in between. */
static inline bool weir__loop_borrow(weir_loop *loop)
{
    if (!weir__bias_enter(&loop->bias))
        return false;
    if (weir__ingress_look(&loop->in) == WEIR__AWAKE)
        return true;
    weir__bias_leave(&loop->bias);
    return false;
}

static inline void weir__loop_return(weir_loop *loop)
{
    weir__bias_leave(&loop->bias);
}

/* End the sleep between two steps. */
void weir__loop_rise(weir_loop *loop);

/* Run turns until the loop is TERMINATED, is idle (if is_until_idle), or the
 * real clock reaches limit_ns (negative: no limit).  A turn in progress is
 * completed first.  Returns 0, -ETIMEDOUT, or the error of the poller's
 * wait. */
int weir__loop_drive(weir_loop *loop, int64_t limit_ns);

/* Run the loop until it is closed.  Unlike weir_loop_run, the thread keeps the
 * loop after an error of the poller's wait (weir__loop_is_claimed), so that it
 * can close the loop or run it again before another thread claims it. */
int weir__loop_run_and_keep(weir_loop *loop);

/* Record that another thread has woken the loop.  If it slept in the poller, a
 * poller wake-up is still to come. */
void weir__loop_woken(weir_loop *loop, bool in_poller);

/* ---- turn.c ---- */

/* Run one turn, which waits at most until limit_ns (0: does not wait). */
int weir__loop_turn(weir_loop *loop, int64_t limit_ns);

/* The poller to sleep in; NULL: sleep on the futex. */
struct weir__poller *weir__loop_choose_poller(weir_loop *loop);

/* The number of tasks in ready and batch.  Thread: any. */
static inline uint64_t weir__loop_queued(const weir_loop *loop)
{
    /* relaxed: a snapshot; a task that runs between the loads can only lower
     * it */
    uint64_t taken = load_relaxed(&loop->taken);
    uint64_t run = load_relaxed(&loop->run); /* relaxed: snapshot */

    return taken > run ? taken - run : 0;
}

/* Count tasks that were added to ready. */
static inline void weir__loop_take(weir_loop *loop, uint64_t count)
{
    /* relaxed: own, shown to report */
    store_relaxed(&loop->taken, load_relaxed(&loop->taken) + count);
    if (loop->counters != NULL)
        weir__counters_depth(loop->counters, weir__loop_queued(loop));
}

/* Queue an internal task for the next turn from inside a callback.  It is never
 * refused; if the loop was closed, it runs with WEIR_ECANCELED. */
static inline void weir__loop_put(weir_loop *loop, weir_task *task)
{
    weir__tasks_push(&loop->ready, task);
    weir__loop_take(loop, 1);
}

/* Call begin and end around each callback.  begin_other is for callbacks that
 * are not tasks. */
void weir__loop_begin(weir_loop *loop, weir_kind kind, const char *name);
void weir__loop_begin_other(weir_loop *loop, weir_kind kind, const char *name);

/* Record where the running callback was submitted. */
static inline void weir__loop_show_origin(weir_loop *loop, const void *from)
{
    if (WEIR__ORIGINS)
        store_relaxed(&loop->running.from, from); /* relaxed: shown to report */
}
void weir__loop_end(weir_loop *loop);

/* Record the argument of a callback before it runs, in case it raises.  One
 * store; an envelope's argument is recorded when the envelope is opened. */
static inline void weir__loop_show_arg(weir_loop *loop, void *arg)
{
    loop->arg = arg;
}

/* Whether a checkpoint has work: ticks, microtasks, or promises.  It is asked
 * after every callback and is usually false, so it compiles to one branch. */
static inline bool weir__loop_has_microtasks(const weir_loop *loop)
{
    return ((loop->ticks.head ^ loop->ticks.tail) |
            (loop->microtasks.head ^ loop->microtasks.tail) |
            loop->promises.wants_checkpoint) != 0;
}

/* Whether only timers and descriptors can produce callbacks, as far as this
 * thread knows. */
bool weir__loop_is_quiet(const weir_loop *loop);

/* The time at which a loop may wake up for a timer due at timer_ns, which is in
 * the future: later by the part of timer_slack_ns that exceeds the kernel's own
 * slack. */
int64_t weir__loop_put_off(const weir_loop *loop, int64_t timer_ns,
                           int64_t now_ns, bool in_poller);

/* Show the watchdog that a turn begins, or continues after a wait, and that the
 * loop sleeps and wakes up.  In the explorer's models of loops it is off. */
static inline void weir__loop_show_turn(weir_loop *loop)
{
#ifndef WEIR_MODEL
    /* relaxed: own, a count */
    store_relaxed(&loop->running.turn, load_relaxed(&loop->running.turn) + 1);
#endif
}

static inline void weir__loop_show_sleep(weir_loop *loop)
{
#ifndef WEIR_MODEL
    weir__pulse_prepare_sleep(&loop->running);
#endif
}

static inline void weir__loop_show_waking(weir_loop *loop)
{
#ifndef WEIR_MODEL
    weir__watched_finish_sleep(&loop->watched);
#endif
}

/* Tell the watchdog that the callback which it waits for has ended. */
static inline void weir__loop_show_ended(weir_loop *loop)
{
#ifndef WEIR_MODEL
    weir__watched_ended(&loop->watched);
#endif
}

/* Show that the loop goes to sleep, or that it wakes up. */
static inline void weir__loop_show_rest(weir_loop *loop, bool is_resting)
{
#ifndef WEIR_MODEL
    if (is_resting)
        weir__watched_prepare_sleep(&loop->watched);
    else
        weir__watched_finish_sleep(&loop->watched);
#endif
}

/* Show that this thread begins to run the loop, and that it stops.  begin
 * returns what end needs.  loop is NULL at the end if another thread may have
 * it. */
static inline struct weir__watched *weir__loop_show_begin(weir_loop *loop)
{
#ifndef WEIR_MODEL
    return weir__watched_begin(&loop->watched);
#else
    return NULL;
#endif
}

static inline void weir__loop_show_end(weir_loop *loop,
                                       struct weir__watched *outer)
{
#ifndef WEIR_MODEL
    if (loop != NULL)
        weir__watched_prepare_sleep(&loop->watched);
    weir__watched_end(outer);
#endif
}

/* ---- record.c ---- */

/* Let the calling thread record what the loop does, if the recorder is on. */
void weir__loop_join_recorder(weir_loop *loop);

/* Return how many callbacks not to measure after one that took so many ticks,
 * if only the recorder wants to know. */
uint64_t weir__loop_unmeasured(weir_loop *loop, uint64_t ticks);

/* Record that a measured callback begins, and that it has ended. */
void weir__loop_record_begin(weir_loop *loop);
void weir__loop_record_end(weir_loop *loop, uint64_t now);

/* Record that the loop has slept since `began`. */
void weir__loop_record_sleep(weir_loop *loop, uint64_t began);

/* Record a turn that has ended, and how many tasks are queued. */
void weir__loop_record_turn(weir_loop *loop, uint64_t began);
void weir__loop_record_depth(weir_loop *loop, uint64_t depth);

/* ---- microtask.c ---- */

/* Run all next-ticks and microtasks, within the budget. */
void weir__loop_checkpoint(weir_loop *loop);

/* Run a checkpoint as the last act of a callback that has queued nothing.  fn
 * runs as its first microtask without going through the queue.  The budget must
 * not be exhausted. */
void weir__loop_checkpoint_with(weir_loop *loop, weir_fn *fn, void *arg);

/* Run a checkpoint for microtasks left over from the last turn, if any. */
void weir__loop_take_up(weir_loop *loop);

/* ---- fd.c ---- */

void weir__fds_init(weir_loop *loop);

/* Free the memory.  Nothing may be registered. */
void weir__fds_fini(weir_loop *loop);

/* Run the callbacks for loop->events, from loop->event_at on. */
void weir__fds_run(weir_loop *loop);

/* Cancel all registrations with WEIR_ECANCELED. */
void weir__fds_cancel(weir_loop *loop);

/* ---- timer.c, fire.c ---- */

void weir__timers_init(weir_loop *loop);

/* Run the timers that are due or, while the loop terminates, all of them with
 * WEIR_ECANCELED. */
void weir__timers_run(weir_loop *loop);

/* The time at which weir__timers_run has work; INT64_MAX: never. */
int64_t weir__timers_next(weir_loop *loop);

/* ---- raise.c ---- */

/* The values that setjmp returns at the landing. */
enum { WEIR__LANDED_RAISED = 1, WEIR__LANDED_FORKED = 2 };

/* After weir_raise has landed: call on_uncaught and end the callback. */
void weir__loop_uncaught(weir_loop *loop);

/* Call a user's fn that may raise.  A raise goes to on_uncaught, and the caller
 * continues.  Where raising is not allowed, this just calls fn.  Thread:
 * any. */
void weir__loop_contain(weir_fn *fn, void *arg, int status);

/* ---- shutdown.c ---- */

/* Record what the turn has found: the END bit; a close; no timer left to cancel.
 * Thread: the loop's, as for the functions below. */
void weir__loop_notice_end(weir_loop *loop);
void weir__loop_notice_close(weir_loop *loop);
void weir__loop_notice_timers(weir_loop *loop);

/* Reject promises and cancel descriptors, after the timers. */
void weir__loop_cancel_rest(weir_loop *loop);

/* Whether a terminating loop has another step to take and must not sleep. */
bool weir__loop_has_step(const weir_loop *loop);

/* Take one more step towards the end, after a turn of a terminating loop.  True
 * when it is TERMINATED. */
bool weir__loop_wind_up(weir_loop *loop);

/* After TERMINATED: call `done` and notify all waiters. */
void weir__loop_tell_done(weir_loop *loop);

/* Close the loop for weir_loop_free, unless it is TERMINATED and `done` was
 * called. */
int weir__loop_end_of_life(weir_loop *loop);

/* The run function of loop->cancel. */
void weir__loop_on_cancel(weir_task *task, int status);

#endif /* WEIR_SRC_LOOP_H */
