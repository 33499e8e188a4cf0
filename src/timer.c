/* SPDX-License-Identifier: MIT */
/*
 * timer -- started and cancelled by any thread, fired by one.
 *
 * Shape     A timer is a slot of 64 bytes (wheel.h) in a slab; its id is the
 *           slot's index and the generation that it had.  The wheel orders the
 *           timers and is the loop's alone.  What threads race for, whether a
 *           timer fires or is cancelled, is decided by one CAS on its word:
 *
 *             63           32              5      4   3    2   1   0
 *            +---------------+-----------+-------+--------+-----------+
 *            |  generation   |           | UNREF | repeat |   state   |
 *            +---------------+-----------+-------+--------+-----------+
 *
 *              FREE --> ARMED --> SPENT --> FREE            fires once
 *                       ARMED --> FIRING --> ARMED ...      repeats
 *              FREE --> STARTING --> ARMED                  from elsewhere
 *              ARMED, STARTING, FIRING --> CANCELLED        any thread
 *
 * From another thread  start takes a slot and sends it through the door.
 *           cancel decides first, and then tells the loop through the door,
 *           which takes the timer out of the wheel; the slot is not used again
 *           before that letter has come.
 * Roles     start, cancel, ref, unref   any thread
 *           run, next                   the loop's thread
 *
 * Shared state
 *   word               any thread, atomic                                 P1
 *   name               one writer, relaxed: report reads it
 *   everything else    who has taken the slot, until it is ARMED; then the
 *                      loop's thread.  From elsewhere it goes through the
 *                      door: ingress/P1
 *   slots, and which are free    under the loop's lock; a stock of free ones
 *                      is the loop's own
 *
 * Pairs
 *   P1  move: CAS to ARMED, release  -->  cancel: CAS, acquire
 *       What earlier callbacks did with arg happens before a cancel that
 *       returns 0: the caller may free it.
 *
 * Why ids are never used again  a slot whose generation has run through all
 *           32 bits is retired.
 *
 * Tested by  test/unit/timer.c, test/model/timer.c, test/stress/loop.c
 */
#include "timer.h"

#include <errno.h>

#include "check.h"
#include "clock.h"
#include "loop.h"

enum {
    FREE = 0,
    STARTING = 1,  /* on its way to the loop */
    ARMED = 2,     /* in the wheel */
    FIRING = 3,    /* its callback runs; it repeats */
    CANCELLED = 4, /* the letter that says so is to come, or its arrival */
    OUT = 5,       /* the same, and no longer in the wheel */
    DEAD = 6,      /* cancelled, but too near to be taken out of the wheel */
    SPENT = 7,     /* its last callback is about to run: too late to cancel */
    STATE = 7,
    REPEAT_SHIFT = 3,
    REPEAT = 3 << REPEAT_SHIFT,
    UNREF = 1 << 5,
};

/* Of an index that is somebody's: ours, or a letter's. */
static struct weir__timer *timer_at(weir_loop *loop, uint32_t index)
{
    return weir__slab_slot(&loop->timer_slots, index);
}

/* Of an index that may be anything. */
static struct weir__timer *look_up(weir_loop *loop, weir_timer id)
{
    return weir__slab_at(&loop->timer_slots, (uint32_t)id);
}

static uint32_t generation_of(uint64_t word)
{
    return (uint32_t)(word >> 32);
}

static weir_timer id_of(uint64_t word, uint32_t index)
{
    return (word & ~(uint64_t)UINT32_MAX) | index;
}

static uint64_t with_state(uint64_t word, unsigned state)
{
    return (word & ~(uint64_t)STATE) | state;
}

static weir_repeat repeat_of(uint64_t word)
{
    return (weir_repeat)((word & REPEAT) >> REPEAT_SHIFT);
}

/* The word of a live timer that the caller alone writes at this moment. */
static uint64_t own_word(struct weir__timer *timer)
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

/* Under the lock. */
static int take_slot(weir_loop *loop, uint32_t *index)
{
    int err = weir__slab_take(&loop->timer_slots, index);
    struct weir__timer *timer;

    if (err != 0)
        return err;
    timer = timer_at(loop, *index);
    if (own_word(timer) == 0) /* a fresh one; no id is 0 */
        store_relaxed(&timer->word, UINT64_C(1) << 32); /* relaxed: unshared */
    return 0;
}

/* The lock is needed for one start in so many. */
static int stock_up(weir_loop *loop)
{
    struct weir__timers *timers = &loop->timers;
    int err = 0;

    weir__lock_lock(&loop->lock);
    while (err == 0 && timers->stock_count < WEIR__TIMER_STOCK) {
        err = take_slot(loop, &timers->stock[timers->stock_count]);
        timers->stock_count += err == 0;
    }
    weir__lock_unlock(&loop->lock);
    return timers->stock_count > 0 ? 0 : err;
}

static int take_own_slot(weir_loop *loop, uint32_t *index)
{
    struct weir__timers *timers = &loop->timers;

    if (timers->stock_count == 0) {
        int err = stock_up(loop);

        if (err != 0)
            return err;
    }
    *index = timers->stock[--timers->stock_count];
    return 0;
}

/* Half of a stock that is full goes back to the slab. */
static void trim_stock(weir_loop *loop)
{
    struct weir__timers *timers = &loop->timers;

    weir__lock_lock(&loop->lock);
    while (timers->stock_count > WEIR__TIMER_STOCK)
        weir__slab_put(&loop->timer_slots,
                       timers->stock[--timers->stock_count]);
    weir__lock_unlock(&loop->lock);
}

/* The timer is over.  Its id is dead from here on; a slot that has had all its
 * generations is not used again. */
static void free_slot(weir_loop *loop, uint32_t index)
{
    struct weir__timers *timers = &loop->timers;
    struct weir__timer *timer = timer_at(loop, index);
    uint64_t word = own_word(timer);

    timers->used--;
    if (!(word & UNREF))
        timers->refs--;
    /* relaxed: ids are compared, nothing is read through a dead one */
    store_relaxed(&timer->word, (uint64_t)(generation_of(word) + 1) << 32);
    store_relaxed(&timer->name, NULL); /* relaxed: own */
    if (generation_of(word) == UINT32_MAX)
        return;
    timers->stock[timers->stock_count++] = index;
    if (timers->stock_count == 2 * WEIR__TIMER_STOCK)
        trim_stock(loop);
}

/* ---- start ---- */

static void fill(struct weir__timer *timer, int64_t deadline_ns,
                 int64_t delay_ns, weir_fn *fn, void *arg)
{
    plain_store(&timer->deadline_ns, deadline_ns);
    plain_store(&timer->period_ns, delay_ns);
    plain_store(&timer->fn, fn);
    plain_store(&timer->arg, arg);
}

static uint64_t make_word(struct weir__timer *timer, weir_repeat repeat,
                          unsigned state)
{
    uint64_t generation = own_word(timer) & ~(uint64_t)UINT32_MAX;

    return generation | (unsigned)repeat << REPEAT_SHIFT | state;
}

static void arm(weir_loop *loop, uint32_t index)
{
    loop->timers.used++;
    loop->timers.refs++;
    weir__wheel_insert(&loop->timers.wheel, index);
}

static int start_own(weir_loop *loop, weir_timer *id, int64_t deadline_ns,
                     int64_t delay_ns, weir_repeat repeat, weir_fn *fn,
                     void *arg)
{
    struct weir__timer *timer;
    uint64_t word;
    uint32_t index;
    int err;

    if (is_ending(loop))
        return WEIR_ECLOSED;
    err = take_own_slot(loop, &index);
    if (err != 0)
        return err;
    timer = timer_at(loop, index);
    fill(timer, deadline_ns, delay_ns, fn, arg);
    word = make_word(timer, repeat, ARMED);
    store_relaxed(&timer->word, word); /* relaxed: nobody has its id yet */
    arm(loop, index);
    if (id != NULL)
        *id = id_of(word, index);
    return 0;
}

/* A timer that comes too late is told so at once. */
static void refuse(weir_loop *loop, uint32_t index)
{
    struct weir__timer *timer = timer_at(loop, index);
    weir_fn *fn = plain_load(&timer->fn);
    void *arg = plain_load(&timer->arg);

    free_slot(loop, index);
    fn(arg, WEIR_ECANCELED);
}

/* Takes the timer from one state to another, on the loop's thread.  False: it
 * was cancelled meanwhile. */
static bool move(struct weir__timer *timer, unsigned from, unsigned to)
{
    uint64_t word = with_state(own_word(timer), from);

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
    loop->timers.refs++;
    if (!move(timer, STARTING, ARMED))
        free_slot(loop, index);
    else if (!is_ending(loop))
        weir__wheel_insert(&loop->timers.wheel, index);
    else if (move(timer, ARMED, SPENT))
        refuse(loop, index);
    else
        store_relaxed(&timer->word, /* relaxed: own, its letter comes */
                      with_state(own_word(timer), OUT));
}

static int start_elsewhere(weir_loop *loop, weir_timer *id, int64_t deadline_ns,
                           int64_t delay_ns, weir_repeat repeat, weir_fn *fn,
                           void *arg)
{
    weir_timer before = id != NULL ? *id : 0;
    struct weir__timer *timer;
    uint64_t word;
    uint32_t index;
    int err;

    weir__lock_lock(&loop->lock);
    err = take_slot(loop, &index);
    weir__lock_unlock(&loop->lock);
    if (err != 0)
        return err;
    timer = timer_at(loop, index);
    fill(timer, deadline_ns, delay_ns, fn, arg);
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

    if (!is_sensible(loop, delay_ns, repeat, fn))
        return -EINVAL;
    now_ns = weir_clock_now();
    if (delay_ns > INT64_MAX - now_ns)
        return -EOVERFLOW;
    return (weir__loop_is_mine(loop) ? start_own : start_elsewhere)(
        loop, id, now_ns + delay_ns, delay_ns, repeat, fn, arg);
}

/* ---- cancel ---- */

/* Out of the wheel; or, if it is too near for that, it stays there dead and
 * holds nothing. */
static void take_out(weir_loop *loop, uint32_t index)
{
    struct weir__timer *timer = timer_at(loop, index);
    uint64_t word = own_word(timer);

    if (weir__wheel_remove(&loop->timers.wheel, index)) {
        free_slot(loop, index);
        return;
    }
    if (!(word & UNREF))
        loop->timers.refs--;
    /* relaxed: own, nobody changes a timer that was cancelled */
    store_relaxed(&timer->word, with_state(word, DEAD) | UNREF);
}

/* The letter of a cancel on another thread: the slot may be used again. */
static void bury(weir_task *task, int status)
{
    weir_loop *loop = weir__thread_loop();
    struct weir__envelope *envelope = (struct weir__envelope *)task;
    uint32_t index = (uint32_t)(uintptr_t)weir__envelope_open(envelope).arg;
    struct weir__timer *timer = timer_at(loop, index);
    uint64_t word = own_word(timer);

    (void)status;
    weir__loop_inner_task(loop);
    if ((word & STATE) == OUT)
        free_slot(loop, index);
    else
        take_out(loop, index);
}

/* From a live state to CANCELLED.  Returns the state it was in, or -ENOENT. */
static int kill_timer(struct weir__timer *timer, weir_timer id)
{
    uint64_t word = own_word(timer);
    unsigned state;

    do {
        state = word & STATE;
        if (generation_of(word) != generation_of(id) ||
            (state != STARTING && state != ARMED && state != FIRING))
            return -ENOENT;
        /* timer/P1 acquire: receives what the callbacks so far did */
    } while (
        !cas_weak_acquire(&timer->word, &word, with_state(word, CANCELLED)));
    return (int)state;
}

static int cancel_own(weir_loop *loop, struct weir__timer *timer, weir_timer id)
{
    uint32_t index = (uint32_t)id;
    int state = kill_timer(timer, id);

    if (state < 0)
        return state;
    if (state == ARMED)
        take_out(loop, index);
    return 0;
}

static int cancel_elsewhere(weir_loop *loop, struct weir__timer *timer,
                            weir_timer id)
{
    struct weir__envelope *letter = weir__envelope_take(&loop->envelopes);
    int state;

    if (letter == NULL)
        return -ENOMEM;
    state = kill_timer(timer, id);
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

int weir_timer_cancel(weir_loop *loop, weir_timer id)
{
    struct weir__timer *timer;
    int err;

    if (loop == NULL)
        return -EINVAL;
    timer = look_up(loop, id);
    if (timer == NULL)
        return -ENOENT;
    if (weir__loop_is_mine(loop))
        return cancel_own(loop, timer, id);
    weir__loop_enter(loop); /* as it may be idle and freed before we return */
    err = cancel_elsewhere(loop, timer, id);
    weir__loop_exit(loop);
    return err;
}

/* ---- ref, unref, name ---- */

/* The timer of an id that is not over, or NULL. */
static struct weir__timer *find(weir_loop *loop, weir_timer id)
{
    struct weir__timer *timer = look_up(loop, id);
    uint64_t word = timer == NULL ? 0 : own_word(timer);
    unsigned state = word & STATE;

    return generation_of(word) == generation_of(id) &&
                   (state == STARTING || state == ARMED || state == FIRING)
               ? timer
               : NULL;
}

static int set_ref(weir_loop *loop, weir_timer id, bool holds)
{
    struct weir__timer *timer = find(loop, id);
    uint64_t word;

    if (timer == NULL)
        return -ENOENT;
    word = own_word(timer);
    if (!(word & UNREF) == holds)
        return 0;
    /* relaxed: the flag is the loop's own; a cancel may come between */
    while (!cas_weak_relaxed(&timer->word, &word, word ^ UNREF))
        ;
    loop->timers.refs += holds ? 1 : UINT64_MAX;
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
    struct weir__timer *timer = loop == NULL ? NULL : find(loop, id);

    if (timer == NULL)
        return loop == NULL ? -EINVAL : -ENOENT;
    store_relaxed(&timer->name, name); /* relaxed: own, shown by report */
    return 0;
}

bool weir__timer_is_holding(const struct weir__timer *timer, const char **name)
{
    uint64_t before = load_relaxed(&timer->word); /* relaxed: picture */
    unsigned state = before & STATE;

    *name = load_relaxed(&timer->name); /* relaxed: picture */
    return (state == STARTING || state == ARMED || state == FIRING) &&
           !(before & UNREF) &&
           /* relaxed: picture; the same again: the name was this timer's */
           generation_of(load_relaxed(&timer->word)) == generation_of(before);
}

/* ---- fire ---- */

void weir__timers_init(weir_loop *loop)
{
    struct weir__timers *timers = &loop->timers;

    weir__slab_init(&loop->timer_slots, sizeof(struct weir__timer));
    weir__wheel_init(&timers->wheel, &loop->timer_slots, weir_clock_now());
    timers->used = 0;
    timers->refs = 0;
    timers->firing = WEIR__SLAB_NONE;
    timers->stock_count = 0;
}

/* A time after now_ns, in step with the deadline; or the next step, if missed
 * ones are to be made up for. */
static int64_t next_deadline(const struct weir__timer *timer,
                             weir_repeat repeat, int64_t now_ns)
{
    int64_t base_ns = timer->deadline_ns;
    int64_t period_ns = timer->period_ns;

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

    if (index == WEIR__SLAB_NONE)
        return;
    loop->timers.firing = WEIR__SLAB_NONE;
    timer = timer_at(loop, index);
    timer->deadline_ns =
        next_deadline(timer, repeat_of(own_word(timer)), weir_clock_now());
    if (move(timer, FIRING, ARMED))
        weir__wheel_insert(&loop->timers.wheel, index);
    else
        free_slot(loop, index);
}

static void call(weir_loop *loop, uint32_t index, bool is_last)
{
    struct weir__timer *timer = timer_at(loop, index);
    weir_fn *fn = plain_load(&timer->fn);
    void *arg = plain_load(&timer->arg);
    const char *name = load_relaxed(&timer->name); /* relaxed: own */

    if (is_last)
        free_slot(loop, index);
    else
        loop->timers.firing = index;
    weir__loop_begin_other(loop, WEIR_KIND_TIMER, name);
    fn(arg, is_ending(loop) ? WEIR_ECANCELED : 0);
    settle(loop);
    weir__loop_end(loop);
}

/* One that has come out of the wheel. */
static void take(weir_loop *loop, uint32_t index)
{
    struct weir__timer *timer = timer_at(loop, index);
    uint64_t word = own_word(timer);
    bool is_last = repeat_of(word) == WEIR_ONCE || is_ending(loop);

    if ((word & STATE) == DEAD)
        free_slot(loop, index);
    else if (move(timer, ARMED, is_last ? SPENT : FIRING))
        call(loop, index, is_last);
    else
        store_relaxed(&timer->word, /* relaxed: own, its letter comes */
                      with_state(own_word(timer), OUT));
}

static uint32_t next_due(weir_loop *loop)
{
    struct weir__timers *timers = &loop->timers;

    return is_ending(loop)
               ? weir__wheel_take_any(&timers->wheel)
               : weir__wheel_pop(&timers->wheel, loop->now_ns, timers->limit);
}

void weir__timers_run(weir_loop *loop)
{
    uint32_t index;

    settle(loop); /* what weir_raise has left */
    while ((index = next_due(loop)) != WEIR__SLAB_NONE)
        take(loop, index);
}

int64_t weir__timers_next(const weir_loop *loop)
{
    return weir__wheel_next(&loop->timers.wheel);
}
