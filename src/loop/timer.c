/* SPDX-License-Identifier: MIT */
/*
 * timer -- started and cancelled by any thread, fired by one.
 *
 * Shape     A timer is a slot of a slab, in three parts (entries.h): a word, a
 *           callback, and data that few timers need.  Its id is the slot's
 *           index and the generation that the slot had.  The wheel has an entry
 *           for it, and is used by the loop's thread only.  Threads race for
 *           whether a timer fires or is cancelled; its word decides:
 *
 *             31             7     6       5      4   3    2   1   0
 *            +----------------+-------+-------+--------+-----------+
 *            |   generation   | NAMED | UNREF | repeat |   state   |
 *            +----------------+-------+-------+--------+-----------+
 *
 *              FREE --> ARMED --> SPENT --> FREE            fires once
 *                       ARMED --> FIRING --> ARMED ...      repeats
 *              FREE --> STARTING --> ARMED                  from elsewhere
 *              ARMED, STARTING, FIRING --> CANCELLED        any thread
 *
 * Alone     A locked instruction waits for all stores before it.  With a
 *           million timers these stores miss every cache, and a cancel that
 *           cannot overlap with the one before it takes three times as long.
 *           So the loop's thread decides with plain stores as long as no other
 *           thread has ever cancelled a timer of this loop.  The first thread
 *           that wants to announces it in `rivals`; from then on each decision
 *           is a CAS.  `deciding` names the timer that the loop may be deciding
 *           at that moment.  A thread that finds its own timer there is too
 *           late, whatever the loop decides.
 * Early     While no thread runs the loop, the thread that created it borrows
 *           the inside of the loop for each call (bias.h), and does what the
 *           loop's thread would do.  A start on a third thread ends that for
 *           good: a later start by the creator must not overtake it.
 * From another thread  start takes a slot and sends a message with it through
 *           the loop's queue.  cancel decides first and then sends a message.
 *           The slot is not reused before that message has arrived.
 * Roles     start, cancel    any thread; fire.c is the loop's own part
 *
 * Shared state
 *   word               any thread, atomic                                 P1
 *   rivals             any thread, atomic                              P2 P3
 *   deciding           the loop writes, any thread reads               P2 P4
 *   name               one writer, relaxed: report reads it
 *   everything else    the thread that has taken the slot, until it is ARMED;
 *                      then the loop's thread.  A start on another thread
 *                      publishes it through the queue: ingress/P1
 *   slots, free slots  under the loop's lock, except for a stock of free slots
 *                      that belongs to the loop's thread
 *
 * Pairs
 *   P1  move: CAS to ARMED, release  -->  kill: CAS, acquire
 *       What earlier callbacks did with arg happens before a cancel that
 *       returns 0: the caller may free it.
 *   P2  light: is_alone, between the store of deciding and the load of rivals.
 *       heavy: contest, between the store of rivals and the load of deciding.
 *             loop                           another thread
 *             deciding = id                  rivals = COMING
 *             fence_light()                  weir__membarrier()
 *             if (rivals == NONE) store      if (deciding != id) CAS
 *       Forbidden: the loop reads NONE and the other thread does not read id
 *       (or a later one: P4).  Then the store could overwrite the CAS, and both
 *       would have won.
 *   P3  contest: store of HERE, release  -->  contest: load, acquire
 *       Once another thread's barrier is over, no second one is needed.
 *   P4  is_alone: store of deciding, release  -->  contest: load, acquire
 *       A thread that reads a later id sees the decisions before it.
 *
 * Why ids are never reused  A slot whose generation has run through all 25 bits
 *           is retired: 36 bytes for 33 million timers.
 *
 * Tested by  test/unit/loop/timer*.c, test/model/loop/timer.c,
 *            test/stress/loop/loop.c
 */
#include "loop/timer.h"

#include <errno.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/membarrier.h"
#include "loop/loop.h"

/* Keeps rare paths out of the common ones. */
#define NOINLINE __attribute__((noinline))

/* The timer at a valid index: of this thread, or from a message. */
static struct weir__timer *timer_at(weir_loop *loop, uint32_t index)
{
    return weir__timer_at(&loop->timer_slots, index);
}

static struct weir__timer_call *call_at(weir_loop *loop, uint32_t index)
{
    return weir__timer_call_at(&loop->timer_slots, index);
}

/* ---- slots ---- */

/* Return the ended slots to the slab, with the lock held.  A slot that has used
 * up its generations is retired: its generation wraps to 0. */
static void put_back(weir_loop *loop)
{
    struct weir__timers *timers = &loop->timers;

    for (uint32_t i = 0; i < timers->ended_count; i++)
        if (weir__timer_word(timer_at(loop, timers->ended[i])) != 0)
            weir__slab_put(&loop->timer_slots, timers->ended[i]);
    timers->ended_count = 0;
}

/* Return the slots of ended timers and take a group of free ones, so that only
 * one start in many needs the lock. */
static NOINLINE int stock_up(weir_loop *loop)
{
    int err;

    weir__lock_lock(&loop->lock);
    put_back(loop);
    err = weir__slab_take_group(&loop->timer_slots, &loop->timers.stock);
    weir__lock_unlock(&loop->lock);
    return err;
}

/* The next slot of a stock that is not empty. */
static inline uint32_t next_slot(const weir_loop *loop)
{
    const struct weir__slab_stock *stock = &loop->timers.stock;

    return stock->first + (uint32_t)__builtin_ctzll(stock->slots);
}

static int take_own_slot(weir_loop *loop, uint32_t *index)
{
    struct weir__slab_stock *stock = &loop->timers.stock;

    if (stock->slots == 0) {
        int err = stock_up(loop);

        if (err != 0)
            return err;
    }
    *index = next_slot(loop);
    stock->slots &= stock->slots - 1;
    return 0;
}

static NOINLINE void give_back(weir_loop *loop)
{
    weir__lock_lock(&loop->lock);
    put_back(loop);
    weir__lock_unlock(&loop->lock);
}

static NOINLINE void end_special(weir_loop *loop, uint32_t word, uint32_t index)
{
    if (word & WEIR__TIMER_UNREF)
        loop->timers.unrefs--;
    if (word & WEIR__TIMER_NAMED)
        /* relaxed: own, shown by report */
        store_relaxed(&weir__habit_at(&loop->timer_slots, index)->name, NULL);
}

/* End a timer.  Its id is invalid from here on, and so is its entry in the
 * wheel, if there is one. */
static inline void end_timer(weir_loop *loop, struct weir__timer *timer,
                             uint32_t word, uint32_t index)
{
    struct weir__timers *timers = &loop->timers;

    timers->used--;
    (void)weir__origin_take(timer);
    if (__builtin_expect(word & (WEIR__TIMER_UNREF | WEIR__TIMER_NAMED), 0))
        end_special(loop, word, index);
    /* relaxed: ids are compared, nothing is read through a dead one */
    store_relaxed(&timer->word, (word | (WEIR__TIMER_GENERATION_ONE - 1)) + 1);
    timers->ended[timers->ended_count++] = index;
    if (timers->ended_count == WEIR__TIMERS_ENDED)
        give_back(loop);
}

void weir__timer_end(weir_loop *loop, uint32_t index)
{
    struct weir__timer *timer = timer_at(loop, index);

    end_timer(loop, timer, weir__timer_word(timer), index);
}

/* ---- start ---- */

/* The period is stored only for a timer that repeats. */
static inline void fill(weir_loop *loop, uint32_t index, int64_t delay_ns,
                        weir_timer_repeat repeat, weir_fn *fn, void *arg)
{
    struct weir__timer_call *due = call_at(loop, index);

    plain_store(&due->fn, fn);
    plain_store(&due->arg, arg);
    if (repeat != WEIR_TIMER_ONCE)
        plain_store(&weir__habit_at(&loop->timer_slots, index)->period_ns,
                    delay_ns);
}

/* A fresh slot has generation 0.  As no id is 0, its first generation is 1. */
static uint32_t make_word(struct weir__timer *timer, weir_timer_repeat repeat,
                          unsigned state)
{
    uint32_t generation = weir__timer_generation(weir__timer_word(timer));

    if (generation == 0)
        generation = 1;
    return generation << WEIR__TIMER_GENERATION_SHIFT |
           (unsigned)repeat << WEIR__TIMER_REPEAT_SHIFT | state;
}

/* Turn a slot into a timer.  Its entry is in the wheel, or will be. */
static inline void arm(weir_loop *loop, struct weir__timer *timer,
                       uint32_t word, weir_timer id, int64_t delay_ns,
                       weir_fn *fn, void *arg)
{
    fill(loop, weir__timer_index(id), delay_ns, weir__timer_repeat(word), fn,
         arg);
    (void)weir__origin_note(timer, &loop->timers, NULL);
    store_relaxed(&timer->word, word); /* relaxed: nobody has its id yet */
    loop->timers.used++;
}

static int start_own(weir_loop *loop, weir_timer *id, int64_t deadline_ns,
                     int64_t delay_ns, weir_timer_repeat repeat, weir_fn *fn,
                     void *arg)
{
    struct weir__timer *timer;
    struct weir__entry entry = {.deadline_ns = deadline_ns};
    uint32_t word, index;
    int err;

    if (weir__loop_is_cancelling(loop))
        return weir__loop_refusal(loop);
    err = take_own_slot(loop, &index);
    if (err != 0)
        return err;
    timer = timer_at(loop, index);
    word = make_word(timer, repeat, WEIR__TIMER_ARMED);
    entry.id = weir__timer_id(word, index);
    arm(loop, timer, word, entry.id, delay_ns, fn, arg);
    weir__wheel_insert(&loop->timers.wheel, entry);
    if (id != NULL)
        *id = entry.id;
    return 0;
}

/* Cancel at once a timer that arrived too late. */
static void refuse(weir_loop *loop, uint32_t index)
{
    struct weir__timer_call *due = call_at(loop, index);
    weir_fn *fn = plain_load(&due->fn);
    void *arg = plain_load(&due->arg);

    weir__timer_end(loop, index);
    weir__loop_show_arg(loop, arg);
    fn(arg, WEIR_ECANCELED);
}

/* A start from another thread has arrived through the queue. */
static void arrive(weir_task *task, int status)
{
    weir_loop *loop = weir__thread_loop();
    struct weir__envelope *envelope = (struct weir__envelope *)task;
    int64_t deadline_ns = envelope->deadline_ns;
    uint32_t index = (uint32_t)(uintptr_t)weir__envelope_open(envelope).arg;
    struct weir__timer *timer = timer_at(loop, index);

    weir__loop_inner_task(loop);
    loop->timers.used++;
    if (!weir__timer_move(timer, WEIR__TIMER_STARTING, WEIR__TIMER_ARMED))
        weir__timer_end(loop, index);
    else if (!weir__loop_is_cancelling(loop))
        weir__wheel_insert(
            &loop->timers.wheel,
            (struct weir__entry){
                deadline_ns, weir__timer_id(weir__timer_word(timer), index)});
    else if (weir__timer_move(timer, WEIR__TIMER_ARMED, WEIR__TIMER_SPENT))
        refuse(loop, index);
    else
        store_relaxed(
            &timer->word, /* relaxed: own; its message comes */
            weir__timer_with(weir__timer_word(timer), WEIR__TIMER_OUT));
}

/* Send a start through the queue, to run arrive(). */
static int send(weir_loop *loop, uint32_t index, int64_t deadline_ns)
{
    struct weir__envelope *message = weir__recycler_take(&loop->envelopes);
    int err;

    if (message == NULL)
        return -ENOMEM;
    message->task.run = arrive;
    message->task.name = NULL;
    message->deadline_ns = deadline_ns;
    message->arg = (void *)(uintptr_t)index;
    err = weir__loop_push(loop, &message->task, WEIR__OUTSIDER);
    if (err != 0)
        weir__recycler_return(message->block);
    return err;
}

static NOINLINE int start_elsewhere(weir_loop *loop, weir_timer *id,
                                    int64_t deadline_ns, int64_t delay_ns,
                                    weir_timer_repeat repeat, weir_fn *fn,
                                    void *arg)
{
    weir_timer before = id != NULL ? *id : 0;
    struct weir__timer *timer;
    uint32_t word;
    uint32_t index;
    int err;

    if (weir__loop_is_foreign(loop))
        return WEIR_EFORKED;        /* its slots may be half changed */
    weir__bias_revoke(&loop->bias); /* the creator must not overtake us */
    weir__lock_lock(&loop->lock);
    err = weir__slab_take(&loop->timer_slots, &index);
    weir__lock_unlock(&loop->lock);
    if (err != 0)
        return err;
    timer = timer_at(loop, index);
    fill(loop, index, delay_ns, repeat, fn, arg);
    (void)weir__origin_note(timer, &loop->timers, NULL);
    word = make_word(timer, repeat, WEIR__TIMER_STARTING);
    store_relaxed(&timer->word, word); /* relaxed: nobody has its id yet */
    if (id != NULL)
        *id = weir__timer_id(word, index); /* before it can fire */
    err = send(loop, index, deadline_ns);
    if (err == 0)
        return 0;
    if (id != NULL)
        *id = before;
    (void)weir__origin_take(timer);
    /* relaxed: nobody has its id */
    store_relaxed(&timer->word, weir__timer_with(word, WEIR__TIMER_FREE));
    weir__lock_lock(&loop->lock);
    weir__slab_put(&loop->timer_slots, index);
    weir__lock_unlock(&loop->lock);
    return err;
}

static bool is_sensible(const weir_loop *loop, int64_t delay_ns,
                        weir_timer_repeat repeat, weir_fn *fn)
{
    return loop != NULL && fn != NULL && delay_ns >= 0 &&
           repeat >= WEIR_TIMER_ONCE &&
           repeat <= WEIR_TIMER_FIXED_RATE_CATCH_UP &&
           (repeat == WEIR_TIMER_ONCE || delay_ns > 0);
}

/* The fast path on the loop's thread.  A store that misses the cache delays all
 * stores after it, and a processor buffers some 50: the fewer stores a start
 * makes, the more starts wait for memory together.  So this path calls nothing
 * and uses so few registers that none is saved on the stack.  The callback is
 * stored first, into a slot that stays free if the rest fails. */
static inline __attribute__((always_inline)) bool
has_slot(const weir_loop *loop)
{
    return !weir__loop_is_cancelling(loop) && loop->timers.stock.slots != 0;
}

/* False: nothing was done. */
static inline __attribute__((always_inline)) bool
enter_quickly(weir_loop *loop, uint32_t index, int64_t deadline_ns,
              weir_timer_repeat repeat, weir_timer *id)
{
    struct weir__timer *timer = timer_at(loop, index);
    uint32_t word = make_word(timer, repeat, WEIR__TIMER_ARMED);
    struct weir__entry entry = {deadline_ns, weir__timer_id(word, index)};

    if (!weir__wheel_insert_quickly(&loop->timers.wheel, entry))
        return false;
    loop->timers.stock.slots &= loop->timers.stock.slots - 1;
    (void)weir__origin_note(timer, &loop->timers, NULL);
    store_relaxed(&timer->word, word); /* relaxed: nobody has its id yet */
    loop->timers.used++;
    if (id != NULL)
        *id = entry.id;
    return true;
}

static NOINLINE int start_with_care(weir_loop *loop, weir_timer *id,
                                    int64_t delay_ns, weir_timer_repeat repeat,
                                    weir_fn *fn, void *arg)
{
    int64_t now_ns = weir__tsc_now(&loop->timers.tsc);

    if (delay_ns > INT64_MAX - now_ns)
        return -EOVERFLOW;
    return start_own(loop, id, now_ns + delay_ns, delay_ns, repeat, fn, arg);
}

/* Start on the slow path with the callback that the fast path has stored. */
static NOINLINE int start_again(weir_loop *loop, weir_timer *id,
                                int64_t delay_ns, weir_timer_repeat repeat,
                                uint32_t index)
{
    struct weir__timer_call *due = call_at(loop, index);

    return start_with_care(loop, id, delay_ns, repeat, plain_load(&due->fn),
                           plain_load(&due->arg));
}

static NOINLINE int start_later(weir_loop *loop, weir_timer *id,
                                int64_t delay_ns, weir_timer_repeat repeat,
                                weir_fn *fn, void *arg)
{
    int64_t now_ns = weir_clock_now();

    if (delay_ns > INT64_MAX - now_ns)
        return -EOVERFLOW;
    return start_elsewhere(loop, id, now_ns + delay_ns, delay_ns, repeat, fn,
                           arg);
}

/* Most programs start their timers before they run the loop, so this path is as
 * fast as the one inside.  These two finish what start_outside has begun. */
static NOINLINE int start_with_care_and_return(weir_loop *loop, weir_timer *id,
                                               int64_t delay_ns,
                                               weir_timer_repeat repeat,
                                               weir_fn *fn, void *arg)
{
    int err = start_with_care(loop, id, delay_ns, repeat, fn, arg);

    weir__loop_return(loop);
    return err;
}

static NOINLINE int start_again_and_return(weir_loop *loop, weir_timer *id,
                                           int64_t delay_ns,
                                           weir_timer_repeat repeat,
                                           uint32_t index)
{
    int err = start_again(loop, id, delay_ns, repeat, index);

    weir__loop_return(loop);
    return err;
}

static NOINLINE int start_outside(weir_loop *loop, weir_timer *id,
                                  int64_t delay_ns, weir_timer_repeat repeat,
                                  weir_fn *fn, void *arg)
{
    int64_t now_ns;
    uint32_t index;

    if (!weir__loop_borrow(loop))
        return start_later(loop, id, delay_ns, repeat, fn, arg);
    if (!has_slot(loop))
        return start_with_care_and_return(loop, id, delay_ns, repeat, fn, arg);
    index = next_slot(loop);
    fill(loop, index, delay_ns, repeat, fn, arg);
    if (!weir__tsc_tell(&loop->timers.tsc, &now_ns) ||
        delay_ns > INT64_MAX - now_ns ||
        !enter_quickly(loop, index, now_ns + delay_ns, repeat, id))
        return start_again_and_return(loop, id, delay_ns, repeat, index);
    weir__loop_return(loop);
    return 0;
}

int weir_timer_start(weir_loop *loop, weir_timer *id, int64_t delay_ns,
                     weir_timer_repeat repeat, weir_fn *fn, void *arg)
{
    int64_t now_ns;
    uint32_t index;

    weir__origin_begin();
    __builtin_prefetch(id, 1); /* it may be one of a million */
    if (!is_sensible(loop, delay_ns, repeat, fn))
        return -EINVAL;
    if (!weir__loop_is_mine(loop))
        return start_outside(loop, id, delay_ns, repeat, fn, arg);
    if (!has_slot(loop))
        return start_with_care(loop, id, delay_ns, repeat, fn, arg);
    index = next_slot(loop);
    fill(loop, index, delay_ns, repeat, fn, arg);
    if (weir__tsc_tell(&loop->timers.tsc, &now_ns) &&
        delay_ns <= INT64_MAX - now_ns &&
        enter_quickly(loop, index, now_ns + delay_ns, repeat, id))
        return 0;
    return start_again(loop, id, delay_ns, repeat, index);
}

static NOINLINE int start_at_again(weir_loop *loop, weir_timer *id,
                                   int64_t deadline_ns, uint32_t index)
{
    struct weir__timer_call *due = call_at(loop, index);

    return start_own(loop, id, deadline_ns, 0, WEIR_TIMER_ONCE,
                     plain_load(&due->fn), plain_load(&due->arg));
}

static NOINLINE int start_at_and_return(weir_loop *loop, weir_timer *id,
                                        int64_t deadline_ns, weir_fn *fn,
                                        void *arg)
{
    int err = start_own(loop, id, deadline_ns, 0, WEIR_TIMER_ONCE, fn, arg);

    weir__loop_return(loop);
    return err;
}

static NOINLINE int start_at_outside(weir_loop *loop, weir_timer *id,
                                     int64_t deadline_ns, weir_fn *fn,
                                     void *arg)
{
    uint32_t index;

    if (!weir__loop_borrow(loop))
        return start_elsewhere(loop, id, deadline_ns, 0, WEIR_TIMER_ONCE, fn,
                               arg);
    if (!has_slot(loop))
        return start_at_and_return(loop, id, deadline_ns, fn, arg);
    index = next_slot(loop);
    fill(loop, index, 0, WEIR_TIMER_ONCE, fn, arg);
    if (!enter_quickly(loop, index, deadline_ns, WEIR_TIMER_ONCE, id))
        return start_at_and_return(loop, id, deadline_ns, fn, arg);
    weir__loop_return(loop);
    return 0;
}

int weir_timer_start_at(weir_loop *loop, weir_timer *id, int64_t deadline_ns,
                        weir_fn *fn, void *arg)
{
    uint32_t index;

    weir__origin_begin();
    __builtin_prefetch(id, 1);
    if (loop == NULL || fn == NULL)
        return -EINVAL;
    if (!weir__loop_is_mine(loop))
        return start_at_outside(loop, id, deadline_ns, fn, arg);
    if (!has_slot(loop))
        return start_own(loop, id, deadline_ns, 0, WEIR_TIMER_ONCE, fn, arg);
    index = next_slot(loop);
    fill(loop, index, 0, WEIR_TIMER_ONCE, fn, arg);
    if (enter_quickly(loop, index, deadline_ns, WEIR_TIMER_ONCE, id))
        return 0;
    return start_at_again(loop, id, deadline_ns, index);
}

/* ---- cancel ---- */

/* Announce that another thread is about to cancel.  False: the loop was
 * first. */
static bool contest(weir_loop *loop, weir_timer id)
{
    struct weir__timers *timers = &loop->timers;

    /* timer/P3 acquire: receives the barrier of an earlier thread */
    if (load_acquire(&timers->rivals) != WEIR__RIVALS_HERE) {
        store_relaxed(&timers->rivals,
                      WEIR__RIVALS_COMING); /* relaxed: ordered by P2 */
        /* timer/P2 heavy: between the announcement and the check */
        weir__membarrier();
        /* timer/P3 release: publishes that the loop knows */
        store_release(&timers->rivals, WEIR__RIVALS_HERE);
    }
    /* timer/P4 acquire: receives what was decided before this one */
    return load_acquire(&timers->deciding) != id;
}

/* End a timer whose entry is in the wheel. */
static inline void take_out(weir_loop *loop, struct weir__timer *timer,
                            uint32_t index)
{
    end_timer(loop, timer, weir__timer_word(timer), index);
    weir__wheel_forget(&loop->timers.wheel);
}

/* The message of a cancel on another thread has arrived: free the slot. */
static void receive_cancel(weir_task *task, int status)
{
    weir_loop *loop = weir__thread_loop();
    struct weir__envelope *envelope = (struct weir__envelope *)task;
    uint32_t index = (uint32_t)(uintptr_t)weir__envelope_open(envelope).arg;
    struct weir__timer *timer = timer_at(loop, index);
    uint32_t word = weir__timer_word(timer);

    weir__loop_inner_task(loop);
    if ((word & WEIR__TIMER_STATE) == WEIR__TIMER_OUT)
        weir__timer_end(loop, index);
    else
        take_out(loop, timer, index);
}

/* Change a live state to WEIR__TIMER_CANCELLED, against all rivals.  Returns
 * the previous state, or -ENOENT. */
static int kill_timer(struct weir__timer *timer, weir_timer id)
{
    uint32_t word = weir__timer_word(timer);

    do {
        if (!weir__timer_is_of(word, id))
            return -ENOENT;
        /* timer/P1 acquire: receives what the callbacks so far did */
    } while (!cas_weak_acquire(&timer->word, &word,
                               weir__timer_with(word, WEIR__TIMER_CANCELLED)));
    return (int)(word & WEIR__TIMER_STATE);
}

/* The slow path: other threads may interfere, or the timer is not just
 * ARMED. */
static NOINLINE int cancel_with_care(weir_loop *loop, struct weir__timer *timer,
                                     weir_timer id, bool alone)
{
    uint32_t word = weir__timer_word(timer);
    int state = (int)(word & WEIR__TIMER_STATE);

    if (alone)
        /* relaxed: own, no other thread decides */
        store_relaxed(&timer->word,
                      weir__timer_with(word, WEIR__TIMER_CANCELLED));
    else
        state = kill_timer(timer, id);
    if (state == WEIR__TIMER_ARMED)
        take_out(loop, timer, (uint32_t)id);
    return state < 0 ? state : 0;
}

static inline int cancel_own(weir_loop *loop, struct weir__timer *timer,
                             weir_timer id)
{
    uint32_t word = weir__timer_word(timer);
    bool alone;

    if (!weir__timer_is_of(word, id))
        return -ENOENT;
    alone = weir__timer_is_alone(&loop->timers, id);
    if (!alone || (word & WEIR__TIMER_STATE) != WEIR__TIMER_ARMED)
        return cancel_with_care(loop, timer, id, alone);
    take_out(loop, timer, (uint32_t)id);
    return 0;
}

static int kill_by_message(weir_loop *loop, struct weir__timer *timer,
                           weir_timer id)
{
    struct weir__envelope *message = weir__recycler_take(&loop->envelopes);
    int state;

    if (message == NULL)
        return -ENOMEM;
    state = contest(loop, id) ? kill_timer(timer, id) : -ENOENT;
    if (state != WEIR__TIMER_ARMED) {
        weir__recycler_return(message->block);
        return state < 0 ? state : 0;
    }
    message->task.run = receive_cancel;
    message->task.name = NULL;
    message->arg = (void *)(uintptr_t)(uint32_t)id;
    state = weir__loop_push(loop, &message->task, WEIR__EXPECTED);
    CHECK(state == 0, "a loop has ended with a timer in it");
    return 0;
}

static NOINLINE int cancel_elsewhere(weir_loop *loop, struct weir__timer *timer,
                                     weir_timer id)
{
    int err;

    if (weir__loop_borrow(loop)) {
        err = cancel_own(loop, timer, id);
        weir__loop_return(loop);
        return err;
    }
    if (weir__loop_is_foreign(loop))
        return WEIR_EFORKED;
    if (weir__loop_is_claimed(loop)) /* between two steps */
        return cancel_own(loop, timer, id);
    weir__loop_enter(loop); /* it may be idle and freed before we return */
    err = kill_by_message(loop, timer, id);
    weir__loop_exit(loop);
    return err;
}

int weir_timer_cancel(weir_loop *loop, weir_timer id)
{
    struct weir__timer *timer;

    if (loop == NULL)
        return -EINVAL;
    timer = weir__timer_look_up(&loop->timer_slots, id);
    if (timer == NULL)
        return -ENOENT;
    return weir__loop_is_mine(loop) ? cancel_own(loop, timer, id)
                                    : cancel_elsewhere(loop, timer, id);
}
