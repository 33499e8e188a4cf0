/* SPDX-License-Identifier: MIT */
/*
 * timer -- started and cancelled by any thread, fired by one.
 *
 * Shape     A timer is a slot of a slab, in three parts (wheel.h): a word, its
 *           links in the wheel, and what it is for.  Its id is the slot's index
 *           and the generation that it had.  The wheel orders the timers and is
 *           the loop's alone.  What threads race for, whether a timer fires or
 *           is cancelled, its word decides:
 *
 *             31                     6      5      4   3    2   1   0
 *            +------------------------+-------+--------+-----------+
 *            |       generation       | UNREF | repeat |   state   |
 *            +------------------------+-------+--------+-----------+
 *
 *              FREE --> ARMED --> SPENT --> FREE            fires once
 *                       ARMED --> FIRING --> ARMED ...      repeats
 *              FREE --> STARTING --> ARMED                  from elsewhere
 *              ARMED, STARTING, FIRING --> CANCELLED        any thread
 *
 * Alone     A locked instruction waits for all stores before it.  With a million
 *           timers those miss every cache, and a cancel that could overlap with
 *           the one before it takes three times as long.  So the loop's thread
 *           decides with plain stores, as long as no other thread has ever
 *           cancelled a timer of this loop.  The first that wants to says so in
 *           `rivals`; from then on each decision is a CAS.  What the loop may
 *           be deciding at that moment, `deciding` tells: whoever finds its
 *           timer there has come too late, whatever becomes of it.
 * From another thread  start takes a slot and sends it through the door.
 *           cancel decides first, and then tells the loop through the door,
 *           which takes the timer out of the wheel; the slot is not used again
 *           before that letter has come.
 * Roles     start, cancel, ref, unref   any thread
 *           run, next                   the loop's thread
 *
 * Shared state
 *   word               any thread, atomic                                 P1
 *   rivals             any thread, atomic                              P2 P3
 *   deciding           the loop writes, any thread reads               P2 P4
 *   name               one writer, relaxed: report reads it
 *   everything else    who has taken the slot, until it is ARMED; then the
 *                      loop's thread.  From elsewhere it goes through the
 *                      door: ingress/P1
 *   slots, and which are free    under the loop's lock; some free ones are the
 *                      loop's own
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
 *       Forbidden: the loop reads NONE and the other does not read id (or a
 *       later one: P4).  Then the store could undo the CAS, and both had won.
 *   P3  contest: store of HERE, release  -->  contest: load, acquire
 *       Another's barrier is as good as one's own, once it is over.
 *   P4  is_alone: store of deciding, release  -->  contest: load, acquire
 *       Who reads a later id there sees what was decided before it.
 *
 * Why ids are never used again  a slot whose generation has run through all
 *           26 bits is retired: 52 bytes for 67 million timers.
 *
 * Tested by  test/unit/timer.c, test/model/timer.c, test/stress/loop.c
 */
#include "timer.h"

#include <errno.h>

#include "check.h"
#include "clock.h"
#include "loop.h"
#include "membarrier.h"

/* What is seldom needed stays out of the way of what often is. */
#define NOINLINE __attribute__((noinline))

enum {
    FREE = 0,
    STARTING = 1,  /* on its way to the loop */
    ARMED = 2,     /* in the wheel */
    FIRING = 3,    /* its callback runs; it repeats */
    CANCELLED = 4, /* the letter that says so is to come, or its arrival */
    OUT = 5,       /* the same, and no longer in the wheel */
    SPENT = 6,     /* its last callback is about to run: too late to cancel */
    STATE = 7,
    REPEAT_SHIFT = 3,
    REPEAT = 3 << REPEAT_SHIFT,
    UNREF = 1 << 5,
    GENERATION_SHIFT = 6,
    GENERATION_ONE = 1 << GENERATION_SHIFT,
};

/* In `rivals`: other threads that cancel. */
enum {
    NOBODY = 0,
    COMING = 1, /* one of them makes sure that the loop knows */
    HERE = 2,   /* it does */
};

/* Of an index that is somebody's: ours, or a letter's. */
static struct weir__timer *timer_at(weir_loop *loop, uint32_t index)
{
    return weir__timer_at(&loop->timer_slots, index);
}

static struct weir__errand *errand_at(weir_loop *loop, uint32_t index)
{
    return weir__errand_at(&loop->timer_slots, index);
}

/* Of an index that may be anything. */
static struct weir__timer *look_up(weir_loop *loop, weir_timer id)
{
    return weir__slab_at(&loop->timer_slots, (uint32_t)id,
                         sizeof(struct weir__timer));
}

static uint32_t generation_of(uint32_t word)
{
    return word >> GENERATION_SHIFT;
}

static weir_timer id_of(uint32_t word, uint32_t index)
{
    return (weir_timer)generation_of(word) << 32 | index;
}

static uint32_t with_state(uint32_t word, unsigned state)
{
    return (word & ~(uint32_t)STATE) | state;
}

static weir_repeat repeat_of(uint32_t word)
{
    return (weir_repeat)((word & REPEAT) >> REPEAT_SHIFT);
}

/* The word of a live timer that the caller alone writes at this moment. */
static uint32_t own_word(struct weir__timer *timer)
{
    /* relaxed: own, or a guess that a CAS checks */
    return load_relaxed(&timer->word);
}

/* All timers are told WEIR_ECANCELED, and no new ones are taken. */
static bool is_ending(const weir_loop *loop)
{
    return loop->is_winding || loop->status != 0;
}

/* ---- slots ---- */

/* Those of `ended` that were cancelled are taken out of the wheel, all at once:
 * see weir__wheel_remove_all. */
static void clear_wheel(weir_loop *loop)
{
    struct weir__timers *timers = &loop->timers;

    weir__wheel_remove_all(&timers->wheel, timers->ended + timers->out_count,
                           timers->ended_count - timers->out_count);
    timers->out_count = timers->ended_count;
}

/* Under the lock.  A slot that has had all its generations is not used again:
 * the one after the last is 0. */
static void put_back(weir_loop *loop)
{
    struct weir__timers *timers = &loop->timers;

    for (uint32_t i = 0; i < timers->ended_count; i++)
        if (own_word(timer_at(loop, timers->ended[i])) != 0)
            weir__slab_put(&loop->timer_slots, timers->ended[i]);
    timers->ended_count = 0;
    timers->out_count = 0;
}

/* The slots of those that ended go back, and a group is taken instead: the lock
 * is needed for one start in many. */
static NOINLINE int stock_up(weir_loop *loop)
{
    int err;

    clear_wheel(loop);
    weir__lock_lock(&loop->lock);
    put_back(loop);
    err = weir__slab_take_group(&loop->timer_slots, &loop->timers.stock);
    weir__lock_unlock(&loop->lock);
    return err;
}

static inline int take_own_slot(weir_loop *loop, uint32_t *index)
{
    struct weir__slab_stock *stock = &loop->timers.stock;

    if (stock->slots == 0) {
        int err = stock_up(loop);

        if (err != 0)
            return err;
    }
    *index = stock->first + (uint32_t)__builtin_ctzll(stock->slots);
    stock->slots &= stock->slots - 1;
    return 0;
}

/* The timer is over: its id is dead from here on.  It may still be in the
 * wheel. */
static inline void end_timer(weir_loop *loop, struct weir__timer *timer,
                             uint32_t word, uint32_t index)
{
    struct weir__timers *timers = &loop->timers;

    timers->used--;
    if (word & UNREF)
        timers->unrefs--;
    /* relaxed: ids are compared, nothing is read through a dead one */
    store_relaxed(&timer->word, (word | (GENERATION_ONE - 1)) + 1);
    timers->ended[timers->ended_count++] = index;
}

static NOINLINE void give_back(weir_loop *loop)
{
    clear_wheel(loop);
    weir__lock_lock(&loop->lock);
    put_back(loop);
    weir__lock_unlock(&loop->lock);
}

/* Room for the next one. */
static inline void make_room(weir_loop *loop)
{
    if (loop->timers.ended_count == WEIR__TIMERS_ENDED)
        give_back(loop);
}

/* The same for one that is not in the wheel. */
static void free_slot(weir_loop *loop, uint32_t index)
{
    struct weir__timer *timer = timer_at(loop, index);

    clear_wheel(loop);
    end_timer(loop, timer, own_word(timer), index);
    loop->timers.out_count = loop->timers.ended_count;
    make_room(loop);
}

/* ---- start ---- */

static void fill(struct weir__errand *errand, int64_t deadline_ns,
                 int64_t delay_ns, weir_fn *fn, void *arg)
{
    plain_store(&errand->deadline_ns, deadline_ns);
    plain_store(&errand->fn, fn);
    plain_store(&errand->arg, arg);
    plain_store(&errand->period_ns, delay_ns);
    store_relaxed(&errand->name, NULL); /* relaxed: own */
}

/* A fresh slot has generation 0, and no id is 0: its first one is 1. */
static uint32_t make_word(struct weir__timer *timer, weir_repeat repeat,
                          unsigned state)
{
    uint32_t generation = generation_of(own_word(timer));

    if (generation == 0)
        generation = 1;
    return generation << GENERATION_SHIFT | (unsigned)repeat << REPEAT_SHIFT |
           state;
}

static inline int start_own(weir_loop *loop, weir_timer *id,
                            int64_t deadline_ns, int64_t delay_ns,
                            weir_repeat repeat, weir_fn *fn, void *arg)
{
    struct weir__timer *timer;
    uint32_t word;
    uint32_t index;
    int err;

    if (is_ending(loop))
        return WEIR_ECLOSED;
    err = take_own_slot(loop, &index);
    if (err != 0)
        return err;
    timer = timer_at(loop, index);
    fill(errand_at(loop, index), deadline_ns, delay_ns, fn, arg);
    word = make_word(timer, repeat, ARMED);
    store_relaxed(&timer->word, word); /* relaxed: nobody has its id yet */
    loop->timers.used++;
    weir__wheel_insert(&loop->timers.wheel, index, deadline_ns);
    if (id != NULL)
        *id = id_of(word, index);
    return 0;
}

/* A timer that comes too late is told so at once. */
static void refuse(weir_loop *loop, uint32_t index)
{
    struct weir__errand *errand = errand_at(loop, index);
    weir_fn *fn = plain_load(&errand->fn);
    void *arg = plain_load(&errand->arg);

    free_slot(loop, index);
    fn(arg, WEIR_ECANCELED);
}

/* Takes the timer from one state to another, on the loop's thread.  False: it
 * was cancelled meanwhile. */
static bool move(struct weir__timer *timer, unsigned from, unsigned to)
{
    uint32_t word = with_state(own_word(timer), from);

    /* timer/P1 release: publishes what the callbacks so far did */
    return cas_release(&timer->word, &word, with_state(word, to));
}

/* A start from another thread has come through the door. */
static void arrive(weir_task *task, int status)
{
    weir_loop *loop = weir__thread_loop();
    struct weir__envelope *envelope = (struct weir__envelope *)task;
    uint32_t index = (uint32_t)(uintptr_t)weir__envelope_open(envelope).arg;
    struct weir__timer *timer = timer_at(loop, index);

    (void)status;
    weir__loop_inner_task(loop);
    loop->timers.used++;
    if (!move(timer, STARTING, ARMED))
        free_slot(loop, index);
    else if (!is_ending(loop))
        weir__wheel_insert(&loop->timers.wheel, index,
                           plain_load(&errand_at(loop, index)->deadline_ns));
    else if (move(timer, ARMED, SPENT))
        refuse(loop, index);
    else
        store_relaxed(&timer->word, /* relaxed: own, its letter comes */
                      with_state(own_word(timer), OUT));
}

static NOINLINE int start_elsewhere(weir_loop *loop, weir_timer *id,
                                    int64_t deadline_ns, int64_t delay_ns,
                                    weir_repeat repeat, weir_fn *fn, void *arg)
{
    weir_timer before = id != NULL ? *id : 0;
    struct weir__timer *timer;
    uint32_t word;
    uint32_t index;
    int err;

    weir__lock_lock(&loop->lock);
    err = weir__slab_take(&loop->timer_slots, &index);
    weir__lock_unlock(&loop->lock);
    if (err != 0)
        return err;
    timer = timer_at(loop, index);
    fill(errand_at(loop, index), deadline_ns, delay_ns, fn, arg);
    word = make_word(timer, repeat, STARTING);
    store_relaxed(&timer->word, word); /* relaxed: nobody has its id yet */
    if (id != NULL)
        *id = id_of(word, index); /* before it can fire */
    err = weir__loop_push_call(loop, arrive, NULL, (void *)(uintptr_t)index,
                               WEIR__OUTSIDER);
    if (err == 0)
        return 0;
    if (id != NULL)
        *id = before;
    /* relaxed: nobody has its id */
    store_relaxed(&timer->word, with_state(word, FREE));
    weir__lock_lock(&loop->lock);
    weir__slab_put(&loop->timer_slots, index);
    weir__lock_unlock(&loop->lock);
    return err;
}

static bool is_sensible(const weir_loop *loop, int64_t delay_ns,
                        weir_repeat repeat, weir_fn *fn)
{
    return loop != NULL && fn != NULL && delay_ns >= 0 && repeat >= WEIR_ONCE &&
           repeat <= WEIR_FIXED_RATE_CATCH_UP &&
           (repeat == WEIR_ONCE || delay_ns > 0);
}

int weir_timer_start(weir_loop *loop, weir_timer *id, int64_t delay_ns,
                     weir_repeat repeat, weir_fn *fn, void *arg)
{
    int64_t now_ns;
    bool is_mine;

    if (!is_sensible(loop, delay_ns, repeat, fn))
        return -EINVAL;
    is_mine = weir__loop_is_mine(loop);
    now_ns = is_mine ? weir__pace_now(&loop->timers.pace) : weir_clock_now();
    if (delay_ns > INT64_MAX - now_ns)
        return -EOVERFLOW;
    if (!is_mine)
        return start_elsewhere(loop, id, now_ns + delay_ns, delay_ns, repeat,
                               fn, arg);
    return start_own(loop, id, now_ns + delay_ns, delay_ns, repeat, fn, arg);
}

/* ---- cancel ---- */

static inline bool is_live(uint32_t word)
{
    return (1u << (word & STATE) &
            (1u << STARTING | 1u << ARMED | 1u << FIRING));
}

static inline bool is_of(uint32_t word, weir_timer id)
{
    return generation_of(word) == id >> 32 && is_live(word);
}

/* The loop's thread is about to end a timer: cancel it, or fire it for the last
 * time.  True: no other thread can come between, a plain store will do. */
static bool is_alone(weir_loop *loop, weir_timer id)
{
    struct weir__timers *timers = &loop->timers;

    /* timer/P4 release: publishes what was decided before */
    store_release(&timers->deciding, id);
    /* timer/P2 light: between saying what we do and looking who cares */
    fence_light();
    /* relaxed: ordered by P2 */
    return load_relaxed(&timers->rivals) == NOBODY;
}

/* Another thread is about to cancel.  False: the loop has been quicker. */
static bool contest(weir_loop *loop, weir_timer id)
{
    struct weir__timers *timers = &loop->timers;

    /* timer/P3 acquire: receives the barrier of who was here before */
    if (load_acquire(&timers->rivals) != HERE) {
        store_relaxed(&timers->rivals, COMING); /* relaxed: ordered by P2 */
        /* timer/P2 heavy: between saying that we care and looking */
        weir__membarrier();
        /* timer/P3 release: publishes that the loop knows */
        store_release(&timers->rivals, HERE);
    }
    /* timer/P4 acquire: receives what was decided before this one */
    return load_acquire(&timers->deciding) != id;
}

/* Over, and in the wheel. */
static inline void take_out(weir_loop *loop, struct weir__timer *timer,
                            uint32_t index)
{
    __builtin_prefetch(weir__link_at(&loop->timer_slots, index), 1);
    end_timer(loop, timer, own_word(timer), index);
    make_room(loop);
}

/* The letter of a cancel on another thread: the slot may be used again. */
static void bury(weir_task *task, int status)
{
    weir_loop *loop = weir__thread_loop();
    struct weir__envelope *envelope = (struct weir__envelope *)task;
    uint32_t index = (uint32_t)(uintptr_t)weir__envelope_open(envelope).arg;
    struct weir__timer *timer = timer_at(loop, index);
    uint32_t word = own_word(timer);

    (void)status;
    weir__loop_inner_task(loop);
    if ((word & STATE) == OUT)
        free_slot(loop, index);
    else
        take_out(loop, timer, index);
}

/* From a live state to CANCELLED, whoever else tries.  Returns the state it was
 * in, or -ENOENT. */
static int kill_timer(struct weir__timer *timer, weir_timer id)
{
    uint32_t word = own_word(timer);

    do {
        if (!is_of(word, id))
            return -ENOENT;
        /* timer/P1 acquire: receives what the callbacks so far did */
    } while (
        !cas_weak_acquire(&timer->word, &word, with_state(word, CANCELLED)));
    return (int)(word & STATE);
}

/* Where others may come between, or there is more to it than taking it out. */
static NOINLINE int cancel_with_care(weir_loop *loop, struct weir__timer *timer,
                                     weir_timer id, bool alone)
{
    uint32_t word = own_word(timer);
    int state = (int)(word & STATE);

    if (alone)
        /* relaxed: own, nobody else decides */
        store_relaxed(&timer->word, with_state(word, CANCELLED));
    else
        state = kill_timer(timer, id);
    if (state == ARMED)
        take_out(loop, timer, (uint32_t)id);
    return state < 0 ? state : 0;
}

static inline int cancel_own(weir_loop *loop, struct weir__timer *timer,
                             weir_timer id)
{
    uint32_t word = own_word(timer);
    bool alone;

    if (!is_of(word, id))
        return -ENOENT;
    alone = is_alone(loop, id);
    if (!alone || (word & STATE) != ARMED)
        return cancel_with_care(loop, timer, id, alone);
    take_out(loop, timer, (uint32_t)id);
    return 0;
}

static int kill_by_letter(weir_loop *loop, struct weir__timer *timer,
                          weir_timer id)
{
    struct weir__envelope *letter = weir__envelope_take(&loop->envelopes);
    int state;

    if (letter == NULL)
        return -ENOMEM;
    state = contest(loop, id) ? kill_timer(timer, id) : -ENOENT;
    if (state != ARMED) {
        weir__envelope_return(&loop->envelopes, letter);
        return state < 0 ? state : 0;
    }
    letter->task.run = bury;
    letter->task.name = NULL;
    letter->arg = (void *)(uintptr_t)(uint32_t)id;
    state = weir__loop_push(loop, &letter->task, WEIR__EXPECTED);
    CHECK(state == 0, "a loop has ended with a timer in it");
    return 0;
}

static NOINLINE int cancel_elsewhere(weir_loop *loop, struct weir__timer *timer,
                                     weir_timer id)
{
    int err;

    weir__loop_enter(loop); /* as it may be idle and freed before we return */
    err = kill_by_letter(loop, timer, id);
    weir__loop_exit(loop);
    return err;
}

int weir_timer_cancel(weir_loop *loop, weir_timer id)
{
    struct weir__timer *timer;

    if (loop == NULL)
        return -EINVAL;
    timer = look_up(loop, id);
    if (timer == NULL)
        return -ENOENT;
    return weir__loop_is_mine(loop) ? cancel_own(loop, timer, id)
                                    : cancel_elsewhere(loop, timer, id);
}

/* ---- ref, unref, name ---- */

/* The timer of an id that is not over, or NULL. */
static struct weir__timer *find(weir_loop *loop, weir_timer id)
{
    struct weir__timer *timer = look_up(loop, id);

    return timer != NULL && is_of(own_word(timer), id) ? timer : NULL;
}

static int set_ref(weir_loop *loop, weir_timer id, bool holds)
{
    struct weir__timer *timer = find(loop, id);
    uint32_t word;

    if (timer == NULL)
        return -ENOENT;
    word = own_word(timer);
    if (!(word & UNREF) == holds)
        return 0;
    /* relaxed: the flag is the loop's own; a cancel may come between */
    while (!cas_weak_relaxed(&timer->word, &word, word ^ UNREF))
        ;
    loop->timers.unrefs += holds ? UINT64_MAX : 1;
    return 0;
}

static void ref_letter(void *id, int status)
{
    (void)status;
    weir__loop_inner_task(weir__thread_loop());
    (void)set_ref(weir__thread_loop(), (weir_timer)(uintptr_t)id, true);
}

static void unref_letter(void *id, int status)
{
    (void)status;
    weir__loop_inner_task(weir__thread_loop());
    (void)set_ref(weir__thread_loop(), (weir_timer)(uintptr_t)id, false);
}

static int change_ref(weir_loop *loop, weir_timer id, bool holds)
{
    int err;

    if (loop == NULL)
        return -EINVAL;
    if (weir__loop_is_mine(loop))
        return set_ref(loop, id, holds);
    if (find(loop, id) == NULL)
        return -ENOENT;
    err = weir_loop_submit(loop, holds ? ref_letter : unref_letter,
                           (void *)(uintptr_t)id);
    return err == WEIR_ECLOSED ? -ENOENT : err;
}

int weir_timer_ref(weir_loop *loop, weir_timer id)
{
    return change_ref(loop, id, true);
}

int weir_timer_unref(weir_loop *loop, weir_timer id)
{
    return change_ref(loop, id, false);
}

int weir_timer_set_name(weir_loop *loop, weir_timer id, const char *name)
{
    if (loop == NULL)
        return -EINVAL;
    if (find(loop, id) == NULL)
        return -ENOENT;
    /* relaxed: own, shown by report */
    store_relaxed(&errand_at(loop, (uint32_t)id)->name, name);
    return 0;
}

bool weir__timer_is_holding(const weir_loop *loop, uint32_t index,
                            const char **name)
{
    const struct weir__timer *timer = weir__timer_at(&loop->timer_slots, index);
    uint32_t before = load_relaxed(&timer->word); /* relaxed: picture */

    /* relaxed: picture */
    *name = load_relaxed(&weir__errand_at(&loop->timer_slots, index)->name);
    return is_live(before) && !(before & UNREF) &&
           /* relaxed: picture; the same again: the name was this timer's */
           generation_of(load_relaxed(&timer->word)) == generation_of(before);
}

/* ---- fire ---- */

void weir__timers_init(weir_loop *loop)
{
    struct weir__timers *timers = &loop->timers;

    weir__timer_slots_init(&loop->timer_slots);
    weir__wheel_init(&timers->wheel, &loop->timer_slots, weir_clock_now());
    weir__pace_init(&timers->pace);
    timers->used = 0;
    timers->unrefs = 0;
    timers->firing = WEIR__SLAB_NONE;
    timers->stock = (struct weir__slab_stock){0};
    timers->ended_count = 0;
    timers->out_count = 0;
    set_unshared(&timers->deciding, 0);
    set_unshared(&timers->rivals, weir__membarrier_is_ready() ? NOBODY : HERE);
}

/* A time after now_ns, in step with the deadline; or the next step, if missed
 * ones are to be made up for. */
static int64_t next_deadline(const struct weir__errand *errand,
                             weir_repeat repeat, int64_t now_ns)
{
    int64_t base_ns = errand->deadline_ns;
    int64_t period_ns = errand->period_ns;

    if (repeat == WEIR_FIXED_DELAY)
        base_ns = now_ns;
    else if (repeat == WEIR_FIXED_RATE && now_ns - base_ns >= period_ns)
        base_ns = now_ns - (now_ns - base_ns) % period_ns;
    return period_ns < INT64_MAX - base_ns ? base_ns + period_ns : INT64_MAX;
}

/* After the callback of one that repeats: back into the wheel, unless it was
 * cancelled. */
static void settle(weir_loop *loop)
{
    uint32_t index = loop->timers.firing;
    struct weir__timer *timer;
    struct weir__errand *errand;

    if (index == WEIR__SLAB_NONE)
        return;
    loop->timers.firing = WEIR__SLAB_NONE;
    timer = timer_at(loop, index);
    errand = errand_at(loop, index);
    errand->deadline_ns =
        next_deadline(errand, repeat_of(own_word(timer)), weir_clock_now());
    if (move(timer, FIRING, ARMED))
        weir__wheel_insert(&loop->timers.wheel, index, errand->deadline_ns);
    else
        free_slot(loop, index);
}

static void call(weir_loop *loop, uint32_t index, bool is_last)
{
    struct weir__errand *errand = errand_at(loop, index);
    weir_fn *fn = plain_load(&errand->fn);
    void *arg = plain_load(&errand->arg);
    const char *name = load_relaxed(&errand->name); /* relaxed: own */

    if (is_last)
        free_slot(loop, index);
    else
        loop->timers.firing = index;
    weir__loop_begin_other(loop, WEIR_KIND_TIMER, name);
    fn(arg, is_ending(loop) ? WEIR_ECANCELED : 0);
    settle(loop);
    weir__loop_end(loop);
}

/* Whether it may fire: it has not been cancelled on another thread. */
static bool claim(weir_loop *loop, uint32_t index, bool is_last)
{
    struct weir__timer *timer = timer_at(loop, index);

    return (is_last && is_alone(loop, id_of(own_word(timer), index))) ||
           move(timer, ARMED, is_last ? SPENT : FIRING);
}

/* One that has come out of the wheel. */
static void take(weir_loop *loop, uint32_t index)
{
    struct weir__timer *timer = timer_at(loop, index);
    uint32_t word = own_word(timer);
    bool is_last = repeat_of(word) == WEIR_ONCE || is_ending(loop);

    if (claim(loop, index, is_last))
        call(loop, index, is_last);
    else
        store_relaxed(&timer->word, /* relaxed: own, its letter comes */
                      with_state(own_word(timer), OUT));
}

static uint32_t next_due(weir_loop *loop)
{
    struct weir__timers *timers = &loop->timers;

    clear_wheel(loop);
    return is_ending(loop) ? weir__wheel_take_any(&timers->wheel)
                           : weir__wheel_pop(&timers->wheel);
}

void weir__timers_run(weir_loop *loop)
{
    uint32_t index;

    settle(loop); /* what weir_raise has left */
    while ((index = next_due(loop)) != WEIR__SLAB_NONE)
        take(loop, index);
}

int64_t weir__timers_next(weir_loop *loop)
{
    clear_wheel(loop);
    return weir__wheel_next(&loop->timers.wheel);
}
