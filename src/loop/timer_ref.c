/* SPDX-License-Identifier: MIT */
/*
 * timer_ref -- references, names and restarts of timers.
 *
 * Again     A timer whose entry is in the wheel cannot be moved there, because
 *           entries are found by their deadline.  So weir_timer_again() starts
 *           a second timer with the same callback and then cancels the first.
 *           If another thread has cancelled the first already, the second is
 *           cancelled instead.  No other thread knows the second until then.
 * Roles     ref, unref    any thread; others than the loop's send a message
 *           set_name      the loop's thread
 *           again         the loop's thread, in a callback
 *           is_holding    any thread: a snapshot, for reports
 * Tested by  test/unit/loop/timer_life.c, test/unit/loop/timer_threads.c,
 *            test/unit/loop/timer_again.c
 */
#include <errno.h>

#include "loop/loop.h"
#include "loop/timer.h"

/* The live timer with this id, or NULL. */
static struct weir__timer *find(weir_loop *loop, weir_timer id)
{
    struct weir__timer *timer = weir__timer_look_up(&loop->timer_slots, id);

    return timer != NULL && weir__timer_is_of(weir__timer_word(timer), id)
               ? timer
               : NULL;
}

/* Set or clear the flag.  False: no change was needed. */
static bool set_flag(struct weir__timer *timer, uint32_t flag, bool is_set)
{
    uint32_t word = weir__timer_word(timer);

    if (((word & flag) != 0) == is_set)
        return false;
    /* relaxed: only the loop writes the flag; a cancel may interfere */
    while (!cas_weak_relaxed(&timer->word, &word, word ^ flag))
        ;
    return true;
}

static int set_ref(weir_loop *loop, weir_timer id, bool holds)
{
    struct weir__timer *timer = find(loop, id);

    if (timer == NULL)
        return -ENOENT;
    if (set_flag(timer, WEIR__TIMER_UNREF, !holds))
        loop->timers.unrefs += holds ? UINT64_MAX : 1;
    return 0;
}

static void ref_by_message(void *id, int status)
{
    weir__loop_inner_task(weir__thread_loop());
    (void)set_ref(weir__thread_loop(), (weir_timer)(uintptr_t)id, true);
}

static void unref_by_message(void *id, int status)
{
    weir__loop_inner_task(weir__thread_loop());
    (void)set_ref(weir__thread_loop(), (weir_timer)(uintptr_t)id, false);
}

static int change_ref(weir_loop *loop, weir_timer id, bool holds)
{
    int err;

    if (loop == NULL)
        return -EINVAL;
    if (weir__loop_is_foreign(loop))
        return WEIR_EFORKED;
    if (weir__loop_is_mine(loop))
        return set_ref(loop, id, holds);
    if (find(loop, id) == NULL)
        return -ENOENT;
    err = weir_loop_submit(loop, holds ? ref_by_message : unref_by_message,
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

/* Whether this thread owns the loop, or no thread does.  The ingress word says
 * whether it is claimed; the owner is stored a moment later. */
static bool is_free_for_me(const weir_loop *loop)
{
    enum weir__ingress_state state = weir__ingress_look(&loop->in);

    if (state == WEIR__AWAKE || state == WEIR__TERMINATED)
        return true;
    /* relaxed: only this thread ever stores its own id there */
    return load_relaxed(&loop->owner) == weir__thread_self();
}

int weir_timer_set_name(weir_loop *loop, weir_timer id, const char *name)
{
    struct weir__timer *timer;

    if (loop == NULL)
        return -EINVAL;
    if (weir__loop_is_foreign(loop))
        return WEIR_EFORKED;
    if (!is_free_for_me(loop))
        return -EPERM;
    timer = find(loop, id);
    if (timer == NULL)
        return -ENOENT;
    /* relaxed: own, shown by report */
    store_relaxed(
        &weir__habit_at(&loop->timer_slots, weir__timer_index(id))->name, name);
    (void)set_flag(timer, WEIR__TIMER_NAMED, true);
    return 0;
}

/* ---- again ---- */

/* Give the new timer the old one's name, and unref it if the old one is.
 * `word` is the old one's.  Another thread may have cancelled the old timer
 * meanwhile; its slot is not reused before this thread processes the
 * message. */
static void take_after(weir_loop *loop, weir_timer id, weir_timer old,
                       uint32_t word)
{
    const char *name;

    if (word & WEIR__TIMER_UNREF)
        (void)set_ref(loop, id, false);
    if (!(word & WEIR__TIMER_NAMED))
        return;
    /* relaxed: own */
    name = load_relaxed(
        &weir__habit_at(&loop->timer_slots, weir__timer_index(old))->name);
    (void)weir_timer_set_name(loop, id, name);
}

int weir_timer_again(weir_loop *loop, weir_timer *id, int64_t delay_ns)
{
    const struct weir__timer_call *call;
    struct weir__timer *timer;
    weir_timer fresh;
    int err;

    weir__origin_begin();
    if (loop == NULL || id == NULL)
        return -EINVAL;
    if (!weir__loop_is_mine(loop))
        return -EPERM;
    timer = find(loop, *id);
    if (timer == NULL)
        return -ENOENT;
    call = weir__timer_call_at(&loop->timer_slots, weir__timer_index(*id));
    err = weir_timer_start(loop, &fresh, delay_ns,
                           weir__timer_repeat(weir__timer_word(timer)),
                           plain_load(&call->fn), plain_load(&call->arg));
    if (err != 0)
        return err;
    take_after(loop, fresh, *id, weir__timer_word(timer));
    err = weir_timer_cancel(loop, *id);
    if (err != 0)
        (void)!weir_timer_cancel(loop, fresh); /* no other thread has its id */
    else
        *id = fresh;
    return err;
}

bool weir__timer_is_holding(const weir_loop *loop, uint32_t index,
                            const char **name)
{
    const struct weir__timer *timer = weir__timer_at(&loop->timer_slots, index);
    uint32_t before = load_relaxed(&timer->word); /* relaxed: snapshot */

    /* relaxed: snapshot */
    *name = load_relaxed(&weir__habit_at(&loop->timer_slots, index)->name);
    return weir__timer_is_live(before) && !(before & WEIR__TIMER_UNREF) &&
           /* relaxed: snapshot; same generation: the name was this timer's */
           weir__timer_generation(load_relaxed(&timer->word)) ==
               weir__timer_generation(before);
}
