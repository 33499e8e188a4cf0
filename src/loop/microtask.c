/* SPDX-License-Identifier: MIT */
/*
 * microtask -- callbacks that run between two other callbacks.
 *
 * Two queues, both used by the loop's thread only.  A checkpoint runs all
 * next-ticks and then all microtasks, including those queued meanwhile, and
 * repeats this until both queues are empty.  A next-tick does not interrupt
 * the batch of microtasks that is running, as in Node 11 and later.
 *
 * A chain that feeds itself would starve timers and descriptors.  The budget
 * ends the checkpoint; the rest stays queued in order, and the turn continues
 * without sleeping.  The rest runs at the next checkpoint: after the next
 * callback, or at the one with which each turn begins.
 *
 * Tested by  test/unit/loop/microtask.c, test/unit/loop/microtask_again.c
 */
#include <errno.h>

#include "loop/loop.h"
#include "weir/host/loop.h"

static void use_budget(weir_loop *loop)
{
    if (loop->budget_left != WEIR_LOOP_NO_BUDGET)
        loop->budget_left--;
}

static void run_calls(weir_loop *loop, struct weir__calls *calls,
                      weir_kind kind)
{
    if (weir__calls_is_empty(calls))
        return;
    weir__pulse_kind(&loop->running, (uint32_t)kind + 1);
    while (!weir__calls_is_empty(calls) && loop->budget_left > 0) {
        struct weir__call call = weir__calls_pop(calls);

        use_budget(loop);
        weir__loop_show_arg(loop, call.arg);
        call.fn(call.arg, loop->status);
    }
}

/* Let promises finish a checkpoint whose queues are empty.  They may queue
 * more. */
static void serve_promises(weir_loop *loop)
{
    if (!weir__calls_is_empty(&loop->ticks) ||
        !weir__calls_is_empty(&loop->microtasks))
        return;
    use_budget(loop);
    weir__loop_show_arg(loop, NULL);
    weir__pulse_kind(&loop->running, WEIR_KIND_MICROTASK + 1);
    loop->promises.hooks->checkpoint(loop);
}

static inline void end_chain(weir_loop *loop)
{
    loop->told_breach = false;
    weir__calls_trim(&loop->ticks);
    weir__calls_trim(&loop->microtasks);
}

__attribute__((cold)) static void breach(weir_loop *loop)
{
    if (loop->told_breach)
        return;
    loop->told_breach = true;
    if (loop->options.on_breach != NULL)
        loop->options.on_breach(loop->options.arg, loop);
}

/* Run a checkpoint after its first batch of next-ticks. */
static void run_microtasks(weir_loop *loop)
{
    for (;;) {
        run_calls(loop, &loop->microtasks, WEIR_KIND_MICROTASK);
        if (loop->promises.wants_checkpoint && loop->budget_left > 0)
            serve_promises(loop);
        if (!weir__loop_has_microtasks(loop) || loop->budget_left == 0)
            return;
        run_calls(loop, &loop->ticks, WEIR_KIND_TICK);
    }
}

static inline void end_checkpoint(weir_loop *loop, uint32_t kind)
{
    weir__pulse_kind(&loop->running, kind);
    if (weir__loop_has_microtasks(loop))
        breach(loop);
    else
        end_chain(loop);
    /* Reset only here: a checkpoint that weir_raise has left continues with the
     * rest of its budget. */
    loop->budget_left = loop->options.microtask_budget;
}

void weir__loop_checkpoint(weir_loop *loop)
{
    uint32_t kind;

    if (!weir__loop_has_microtasks(loop))
        return;
    kind = load_relaxed(&loop->running.kind); /* relaxed: own */
    run_calls(loop, &loop->ticks, WEIR_KIND_TICK);
    run_microtasks(loop);
    end_checkpoint(loop, kind);
}

void weir__loop_checkpoint_with(weir_loop *loop, weir_fn *fn, void *arg)
{
    uint32_t kind = load_relaxed(&loop->running.kind); /* relaxed: own */

    weir__pulse_kind(&loop->running, WEIR_KIND_MICROTASK + 1);
    use_budget(loop);
    weir__loop_show_arg(loop, arg);
    fn(arg, loop->status);
    if (weir__loop_has_microtasks(loop))
        run_microtasks(loop);
    end_checkpoint(loop, kind);
}

int weir_loop_checkpoint(weir_loop *loop)
{
    uint32_t kind;
    void *arg;

    if (loop == NULL)
        return -EINVAL;
    if (!weir_loop_is_owner(loop))
        return -EPERM;
    kind = load_relaxed(&loop->running.kind); /* relaxed: own */
    if (kind == 0)
        return -EPERM;
    if (kind == WEIR_KIND_TICK + 1 || kind == WEIR_KIND_MICROTASK + 1)
        return WEIR_EREENTRANT;
    arg = loop->arg;
    weir__loop_checkpoint(loop);
    loop->arg = arg;
    return 0;
}

void weir__loop_take_up(weir_loop *loop)
{
    if (!loop->has_rest)
        return;
    loop->has_rest = false; /* even if one of them raises */
    weir__loop_begin_other(loop, WEIR_KIND_MICROTASK, NULL);
    weir__loop_end(loop);
}

/* A call from another thread does not come here.  It becomes a task that runs
 * as soon as it arrives, as there is no callback whose checkpoint it could wait
 * for. */
static inline __attribute__((always_inline)) int
queue(weir_loop *loop, struct weir__calls *calls, weir_fn *fn, void *arg)
{
    if (__builtin_expect(loop->status != 0, 0))
        return weir__loop_refusal(loop);
    return weir__calls_push(calls, fn, arg);
}

int weir_loop_next_tick(weir_loop *loop, weir_fn *fn, void *arg)
{
    if (loop == NULL || fn == NULL)
        return -EINVAL;
    if (!weir__loop_is_local(loop))
        return weir_loop_submit(loop, fn, arg);
    return queue(loop, &loop->ticks, fn, arg);
}

int weir_loop_microtask(weir_loop *loop, weir_fn *fn, void *arg)
{
    if (loop == NULL || fn == NULL)
        return -EINVAL;
    if (!weir__loop_is_local(loop))
        return weir_loop_submit(loop, fn, arg);
    return queue(loop, &loop->microtasks, fn, arg);
}

bool weir_loop_microtask_again(weir_loop *loop)
{
    if (loop == NULL || !weir__loop_is_local(loop) || loop->status != 0)
        return false;
    /* relaxed: own */
    if (load_relaxed(&loop->running.kind) != WEIR_KIND_MICROTASK + 1 ||
        !weir__calls_is_empty(&loop->microtasks) || loop->budget_left == 0)
        return false;
    use_budget(loop);
    return true;
}
