/* SPDX-License-Identifier: MIT */
/*
 * fire -- the loop's own part of its timers: running those that are due.
 *
 * A timer is taken out of the wheel, its word says whether it may fire, and
 * then its callback runs.  A repeating timer is `firing` while its callback
 * runs, and goes back into the wheel afterwards, even if weir_raise has left
 * the callback.
 *
 * Roles     the loop's thread
 * Pairs     timer/P1, P2, P4: see timer.c
 *
 * Tested by  test/unit/loop/timer.c, test/model/loop/timer.c,
 *            test/stress/loop/loop.c
 */
#include "base/clock.h"
#include "base/membarrier.h"
#include "loop/loop.h"
#include "loop/timer.h"

static struct weir__timer *timer_at(weir_loop *loop, uint32_t index)
{
    return weir__timer_at(&loop->timer_slots, index);
}

void weir__timers_init(weir_loop *loop)
{
    struct weir__timers *timers = &loop->timers;

    weir__timer_slots_init(&loop->timer_slots);
    weir__wheel_init(&timers->wheel, &loop->timer_slots, weir_clock_now());
    weir__tsc_init(&timers->tsc);
    timers->used = 0;
    timers->unrefs = 0;
    timers->firing.id = 0;
    timers->stock = (struct weir__slab_stock){0};
    timers->ended_count = 0;
    set_unshared(&timers->deciding, 0);
    set_unshared(&timers->rivals, weir__membarrier_is_ready()
                                      ? WEIR__RIVALS_NOBODY
                                      : WEIR__RIVALS_HERE);
}

/* The next multiple of the period after now_ns, counted from the deadline; with
 * WEIR_TIMER_FIXED_RATE_CATCH_UP the next multiple, even if it has passed; with
 * WEIR_TIMER_FIXED_DELAY one period from now. */
static int64_t next_deadline(int64_t base_ns, int64_t period_ns,
                             weir_timer_repeat repeat, int64_t now_ns)
{

    if (repeat == WEIR_TIMER_FIXED_DELAY)
        base_ns = now_ns;
    else if (repeat == WEIR_TIMER_FIXED_RATE && now_ns - base_ns >= period_ns)
        base_ns = now_ns - (now_ns - base_ns) % period_ns;
    return period_ns < INT64_MAX - base_ns ? base_ns + period_ns : INT64_MAX;
}

/* After the callback of a repeating timer: put it back into the wheel, unless
 * it was cancelled. */
static void settle(weir_loop *loop)
{
    struct weir__entry entry = loop->timers.firing;
    uint32_t index = weir__timer_index(entry.id);
    struct weir__timer *timer;

    if (entry.id == 0)
        return;
    loop->timers.firing.id = 0;
    timer = timer_at(loop, index);
    if (!weir__timer_move(timer, WEIR__TIMER_FIRING, WEIR__TIMER_ARMED)) {
        weir__timer_end(loop, index);
        return;
    }
    entry.deadline_ns = next_deadline(
        entry.deadline_ns,
        plain_load(&weir__habit_at(&loop->timer_slots, index)->period_ns),
        weir__timer_repeat(weir__timer_word(timer)), weir_clock_now());
    weir__wheel_insert(&loop->timers.wheel, entry);
}

static const char *name_of(const weir_loop *loop, uint32_t index)
{
    const struct weir__slab *slots = &loop->timer_slots;

    if (!(weir__timer_word(weir__timer_at(slots, index)) & WEIR__TIMER_NAMED))
        return NULL;
    return load_relaxed(&weir__habit_at(slots, index)->name); /* relaxed: own */
}

static void call(weir_loop *loop, struct weir__entry entry, bool is_last)
{
    uint32_t index = weir__timer_index(entry.id);
    struct weir__timer_call *due =
        weir__timer_call_at(&loop->timer_slots, index);
    weir_fn *fn = plain_load(&due->fn);
    void *arg = plain_load(&due->arg);
    const char *name = name_of(loop, index);
    const void *from = weir__origin_look(timer_at(loop, index));

    if (is_last)
        weir__timer_end(loop, index);
    else
        loop->timers.firing = entry;
    weir__loop_begin_other(loop, WEIR_KIND_TIMER, name);
    weir__loop_show_origin(loop, from);
    weir__loop_show_arg(loop, arg);
    fn(arg, weir__loop_is_cancelling(loop) ? WEIR_ECANCELED : 0);
    settle(loop);
    weir__loop_end(loop);
}

/* Whether the timer may fire: no other thread has cancelled it. */
static bool claim(weir_loop *loop, struct weir__timer *timer, weir_timer id,
                  bool is_last)
{
    return (is_last && weir__timer_is_alone(&loop->timers, id)) ||
           weir__timer_move(timer, WEIR__TIMER_ARMED,
                            is_last ? WEIR__TIMER_SPENT : WEIR__TIMER_FIRING);
}

/* Handle a timer that was taken out of the wheel. */
static void take(weir_loop *loop, struct weir__entry entry)
{
    struct weir__timer *timer = timer_at(loop, weir__timer_index(entry.id));
    bool is_last =
        weir__timer_repeat(weir__timer_word(timer)) == WEIR_TIMER_ONCE ||
        weir__loop_is_cancelling(loop);

    if (claim(loop, timer, entry.id, is_last))
        call(loop, entry, is_last);
    else
        store_relaxed(
            &timer->word, /* relaxed: own; its message comes */
            weir__timer_with(weir__timer_word(timer), WEIR__TIMER_OUT));
}

static bool next_due(weir_loop *loop, struct weir__entry *entry)
{
    struct weir__wheel *wheel = &loop->timers.wheel;

    return weir__loop_is_cancelling(loop) ? weir__wheel_take_any(wheel, entry)
                                          : weir__wheel_pop(wheel, entry);
}

void weir__timers_run(weir_loop *loop)
{
    struct weir__entry entry;

    if (loop->timers.firing.id != 0)
        settle(loop); /* a callback that weir_raise has left */
    while (next_due(loop, &entry))
        take(loop, entry);
}

int64_t weir__timers_next(weir_loop *loop)
{
    return weir__wheel_next(&loop->timers.wheel);
}
