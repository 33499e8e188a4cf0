/* SPDX-License-Identifier: MIT */
/*
 * loop -- what a loop consists of, and who touches which part of it.
 *
 *   the door       in                          any thread, ingress.c
 *   the outside    lives .. kick               any thread, rarely
 *   the table      fds, timer slots            any thread, under `lock`
 *   the inside     from `now_ns` on            the loop's thread alone
 *
 * "The loop's thread" is the one that has claimed the door: inside run or
 * step, or between two steps.  A claim hands the inside over (ingress/P3).
 * While nobody has claimed it, the thread that made the loop may borrow the
 * inside for the length of a call (bias.h).  A claim by another thread revokes
 * that before it touches the inside.
 *
 * The files that share this struct: loop.c (life), submit.c (the ways in), run.c
 * (whose thread it is), turn.c (one turn), microtask.c, timer.c, timer_ref.c,
 * fire.c, fd.c, shutdown.c, raise.c, metrics.c, report.c.
 */
#ifndef WEIR_SRC_LOOP_H
#define WEIR_SRC_LOOP_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "atomic.h"
#include "bias.h"
#include "calls.h"
#include "envelope.h"
#include "fd.h"
#include "fork.h"
#include "ingress.h"
#include "lock.h"
#include "metrics.h"
#include "place.h"
#include "poller.h"
#include "promises.h"
#include "slab.h"
#include "tasks.h"
#include "thread.h"
#include "timer.h"
#include "weir/loop.h"

/* The parts of a turn, in their order. */
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

/* What runs now, for report: written by the loop's thread, read by any.  The
 * kind is the last to be written and says whether the rest is of now. */
struct weir__running {
    atomic(const char *) name;
    atomic(int64_t) since_ns;  /* 0: unknown */
    atomic(const void *) from; /* NULL: unknown */
    atomic(uint32_t) kind;     /* weir_kind + 1; 0: nothing */
};

struct weir_loop {
    _Alignas(CACHE_APART) struct weir__ingress in;

    _Alignas(CACHE_APART) atomic(uint64_t) lives; /* who may touch it: P2 */
    atomic(uint64_t) holds;                       /* weir_loop_ref: P3 */
    atomic(uint32_t) is_kicked;                   /* kick is posted: P1 */
    atomic(uint32_t) is_cancelled; /* close was called; relaxed, a hint */
    atomic(uint32_t) finished;     /* a futex: all is over, shutdown/P1 */
    atomic(uintptr_t) owner;       /* weir__thread_self, 0: nobody */
    atomic(uint64_t) thread;       /* weir__thread_id of the owner */
    struct weir__bias bias;        /* who made it may borrow the inside */
    weir_task kick;                /* the door's, while is_kicked */
    weir_task cancel;              /* the door's, once */

    _Alignas(CACHE_APART) struct weir__lock lock;
    struct weir__fds fds;                 /* under lock */
    struct weir__slab timer_slots;        /* under lock */
    atomic(struct weir__poller *) poller; /* written under lock; P4 */
    atomic(uint32_t) fast_path;           /* written under lock */
    struct weir__envelopes envelopes;     /* each lane its thread's */
    struct weir__inherited inherited;     /* fork.h */
    bool is_foreign;                      /* const but in a child: loop.c */
    struct weir__metrics *metrics;        /* const after new; NULL: none */
    weir_loop_options options;            /* const after new */

    /* From here on: the loop's thread alone. */
    _Alignas(CACHE_APART) int64_t now_ns;
    int64_t since_ns; /* now_ns of the real clock; 0: it is frozen */
    int status;       /* what callbacks get: 0, or WEIR_ECANCELED */
    bool is_inside;   /* in run, step or shutdown: callbacks may be running */
    bool is_ending;   /* as the door said at the beginning of the turn */
    bool is_winding;  /* timers and descriptors are being cancelled */
    bool has_rest;    /* of the last turn's microtasks, above the budget */
    bool told_breach; /* on_breach was told of this chain */
    bool is_until_idle;
    bool is_stepped;     /* by weir_loop_step: its bed is the poller */
    bool has_called;     /* something, since it looked at the clock */
    bool has_sent;       /* a job to a pool, in this turn */
    bool is_lying;       /* asleep between two steps ... */
    bool lies_in_poller; /* ... there, or on the futex */
    bool in_done;        /* `done` runs */
    bool in_uncaught;    /* on_uncaught runs */
    enum weir__part part;
    jmp_buf *landing; /* where weir_raise goes; NULL: nowhere */
    uint32_t budget_left;

    struct weir__calls ticks;
    struct weir__calls microtasks;
    struct weir__tasks ready;      /* for the next turn */
    struct weir__tasks batch;      /* for this one */
    struct weir__tasks immediates; /* as ready */
    struct weir__tasks immediate_batch;
    struct weir__tasks closing; /* as ready */
    struct weir__tasks closing_batch;
    atomic(uint64_t) taken; /* tasks that have come into ready, ever ... */
    atomic(uint64_t) run;   /* ... and those of them that have run */
    uint64_t untimed;       /* so many callbacks until one is timed */
    uint64_t began; /* when the one that is timed began, in ticks; or 0 */
    struct weir__running running;
    void *arg;            /* of what runs, for weir_uncaught ... */
    int fd;               /* ... and, of a descriptor's callback, this */
    uint64_t owed_wakes;  /* of the poller: claimed, and not arrived yet */
    int64_t spin_ns;      /* what the next spin may take */
    /* By which the kernel may be late; known if there is a timer_slack_ns. */
    int64_t kernel_slack_ns;
    uint64_t arrived;     /* through the door, in this turn */
    bool lost_core;       /* in give_way, turn.c */
    uint32_t sleeps;      /* without giving way first; so many ... */
    uint32_t sleeps_left; /* ... are left */
    int event_count;
    int event_at;

    struct weir__promises promises; /* promise.h */
    struct weir__timers timers;
    struct weir__event events[WEIR__POLLER_BATCH];
    int raised;        /* the code of the last weir_raise ... */
    char message[256]; /* ... and what it said */
};

/* ---- loop.c ---- */

/* Holds the memory, and lets it go. */
void weir__loop_enter(weir_loop *loop);
void weir__loop_exit(weir_loop *loop);

/* The loop is the parent's, and this is a child: nothing in it may be used. */
static inline bool weir__loop_is_foreign(const weir_loop *loop)
{
    return __builtin_expect(loop->is_foreign, 0);
}

/* Why it refuses something.  Cold: so it costs those nothing who are not
 * refused. */
__attribute__((cold)) int weir__loop_refusal(const weir_loop *loop);

/* All that is left is told WEIR_ECANCELED, and nothing new is taken.
 * Thread: the loop's. */
static inline bool weir__loop_is_ending(const weir_loop *loop)
{
    return loop->is_winding || loop->status != 0;
}

/* Whether something outside the queues keeps run from becoming idle. */
bool weir__loop_is_held(weir_loop *loop);

/* The poller, made if there is none.  Under the lock. */
int weir__loop_need_poller(weir_loop *loop);

/* ---- submit.c ---- */

/* Into the door, with the wake that this may need. */
int weir__loop_push(weir_loop *loop, weir_task *task, enum weir__ticket ticket);

/* The same with a function and an argument, which `run` finds in the
 * envelope that the task is part of. */
int weir__loop_push_call(weir_loop *loop,
                         void (*run)(weir_task *task, int status), weir_fn *fn,
                         void *arg, enum weir__ticket ticket);

/* Wakes a loop as push or close asked for. */
void weir__loop_wake(weir_loop *loop, int wake);

/* This thread has sent a job to a pool. */
static inline void weir__loop_note_job(void)
{
    weir_loop *loop = weir__thread_loop();

    if (loop != NULL)
        loop->has_sent = true;
}

/* A task of weir's own runs: users do not want to see it counted. */
static inline void weir__loop_inner_task(weir_loop *loop)
{
    if (loop->metrics != NULL)
        weir__metrics_add(&loop->metrics->inner, 1);
}

/* ---- run.c ---- */

static inline bool weir__loop_is_mine(const weir_loop *loop)
{
    return weir__thread_loop() == loop;
}

/* Whether this thread runs the loop, around the one that it is running now. */
__attribute__((cold)) bool weir__loop_is_around(const weir_loop *loop);

/* Whether its lists are this thread's: it is ours, or around ours.  Then
 * nothing may go through the door, behind what goes straight into the lists. */
static inline bool weir__loop_is_local(const weir_loop *loop)
{
    const weir_loop *current = weir__thread_loop();

    return current == loop || (current != NULL && weir__loop_is_around(loop));
}

/* Whether the loop is this thread's: inside a run, or between two steps.  And
 * the claim itself, when the door has said so. */
bool weir__loop_is_claimed(const weir_loop *loop);
void weir__loop_own(weir_loop *loop);

/* Whether the inside is this thread's for the moment: it made the loop, and no
 * thread has claimed it.  Then weir__loop_return ends that, without a callback
 * in between. */
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

/* Up from the sleep between two steps. */
void weir__loop_rise(weir_loop *loop);

/* Turns, until the loop is TERMINATED, idle (if is_until_idle), or the real
 * clock reaches limit_ns (negative: never; a turn that is going on ends first).
 * Returns  0, -ETIMEDOUT, or the error of the poller's wait */
int weir__loop_drive(weir_loop *loop, int64_t limit_ns);

/* weir_loop_run until it is closed.  But after an error of the poller's wait the
 * loop stays this thread's (weir__loop_is_claimed), so that it can be closed, or
 * run again, before another thread takes it. */
int weir__loop_run_and_keep(weir_loop *loop);

/* Somebody else has got the loop up; from the poller: its wake is owed. */
void weir__loop_woken(weir_loop *loop, bool in_poller);

/* ---- turn.c ---- */

/* One turn, that waits until limit_ns at the most (0: does not wait). */
int weir__loop_turn(weir_loop *loop, int64_t limit_ns);

/* Where it sleeps next; NULL: on the futex. */
struct weir__poller *weir__loop_choose_poller(weir_loop *loop);

/* Tasks in ready and batch.  Thread: any. */
static inline uint64_t weir__loop_queued(const weir_loop *loop)
{
    /* relaxed: picture; what runs between the two makes it less, not more */
    uint64_t taken = load_relaxed(&loop->taken);
    uint64_t run = load_relaxed(&loop->run); /* relaxed: picture */

    return taken > run ? taken - run : 0;
}

/* So many more tasks are in ready. */
static inline void weir__loop_take(weir_loop *loop, uint64_t count)
{
    /* relaxed: own, shown to report */
    store_relaxed(&loop->taken, load_relaxed(&loop->taken) + count);
    if (loop->metrics != NULL)
        weir__metrics_depth(loop->metrics, weir__loop_queued(loop));
}

/* A task of weir's own for the next turn, in a callback: it cannot be refused.
 * If the loop was closed, it is called with WEIR_ECANCELED. */
static inline void weir__loop_put(weir_loop *loop, weir_task *task)
{
    weir__tasks_push(&loop->ready, task);
    weir__loop_take(loop, 1);
}

/* Around each callback; of what is no task: begin_other. */
void weir__loop_begin(weir_loop *loop, weir_kind kind, const char *name);
void weir__loop_begin_other(weir_loop *loop, weir_kind kind, const char *name);

/* Where what has begun comes from. */
static inline void weir__loop_show_place(weir_loop *loop, const void *from)
{
    if (WEIR__PLACES)
        store_relaxed(&loop->running.from, from); /* relaxed: shown to report */
}
void weir__loop_end(weir_loop *loop);

/* What it was called with, in case that it raises: before each callback.  One
 * store; where it is known only inside (an envelope), it is made there. */
static inline void weir__loop_show_arg(weir_loop *loop, void *arg)
{
    loop->arg = arg;
}

/* Something for a checkpoint: ticks, microtasks, what promises have for it.  One
 * branch: this is asked after each callback, and mostly there is nothing. */
static inline bool weir__loop_has_microtasks(const weir_loop *loop)
{
    return ((loop->ticks.head ^ loop->ticks.tail) |
            (loop->microtasks.head ^ loop->microtasks.tail) |
            loop->promises.wants_checkpoint) != 0;
}

/* Has nothing left to call but timers and descriptors. */
bool weir__loop_is_quiet(const weir_loop *loop);

/* When a loop whose next timer is due at timer_ns, and not yet, may wake up for
 * it: later by what timer_slack_ns allows beyond the kernel's own slack. */
int64_t weir__loop_put_off(const weir_loop *loop, int64_t timer_ns,
                           int64_t now_ns, bool in_poller);

/* Looks for news for a while before sleeping.  True: there is some. */
bool weir__loop_spin(weir_loop *loop, int64_t until_ns);

/* ---- microtask.c ---- */

/* All next-ticks and microtasks, within the budget. */
void weir__loop_checkpoint(weir_loop *loop);

/* The same as the last act of a callback that has queued nothing, and with one
 * microtask that so need not go through the queue.  There is budget for it. */
void weir__loop_checkpoint_with(weir_loop *loop, weir_fn *fn, void *arg);

/* The same for what the last turn has left, if there is any. */
void weir__loop_take_up(weir_loop *loop);

/* ---- raise.c ---- */

/* How the landing was reached. */
enum { WEIR__LANDED_RAISED = 1, WEIR__LANDED_FORKED = 2 };

/* weir_raise has landed: hands it to on_uncaught, and ends the callback. */
void weir__loop_uncaught(weir_loop *loop);

/* Calls fn of somebody else, who may raise: on_uncaught is told, and the caller
 * goes on.  Thread: any; where nobody may raise it calls fn, and that is all. */
void weir__loop_contain(weir_fn *fn, void *arg, int status);

/* ---- shutdown.c ---- */

/* weir_loop_close, without waiting for the end.  Thread: any but the loop's. */
void weir__loop_begin_close(weir_loop *loop);

/* Whether a loop that is ending has a step to take, and must not sleep. */
bool weir__loop_has_step(const weir_loop *loop);

/* The end of a turn of a loop that is ending: one more step towards it.  True
 * when it is TERMINATED. */
bool weir__loop_wind_up(weir_loop *loop);

/* After TERMINATED: tells `done`, and everybody who waits. */
void weir__loop_tell_done(weir_loop *loop);

/* What weir_loop_free needs: TERMINATED, and done told. */
int weir__loop_end_of_life(weir_loop *loop);

/* The run of loop->cancel. */
void weir__loop_on_cancel(weir_task *task, int status);

#endif /* WEIR_SRC_LOOP_H */
