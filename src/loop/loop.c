/* SPDX-License-Identifier: MIT */
/*
 * loop -- creation, references and destruction of a loop.
 *
 * Shape     loop.h shows the struct and lists the files that work on it.
 * Roles     new, free               one thread, exclusively
 *           ref, unref, wake, state   any thread
 *
 * Shared state
 *   lives       any thread: references to the memory                      P2
 *   holds       any thread: references by weir_loop_ref                   P3
 *   is_kicked   any thread                                                P1
 *   poller      written once, under the lock                              P4
 *
 * Pairs
 *   P1  wake: exchange on is_kicked, acquire and release  -->  the run of the
 *       kick: exchange, acquire and release
 *       The kick is one task, queued at most once.  A caller that finds it
 *       queued publishes its writes to the coming run of the task.  A caller
 *       that finds it not queued gets the task's memory back.
 *   P2  exit: fetch_sub on lives, release  -->  the exit that takes it to zero,
 *       acquire
 *       All uses of the struct happen before it is freed.
 *   P3  unref: fetch_sub on holds, release  -->  is_held: load, acquire
 *       What a thread did before unref happens before run returns idle.
 *   P4  need_poller: store, release  -->  choose_poller: load, acquire
 *       Publishes the poller.
 *
 * Tested by  test/unit/loop/loop.c, test/model/loop/loop.c,
 *            test/stress/loop/loop.c
 */
#include "loop/loop.h"

#include <errno.h>
#include <stddef.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/spin.h"
#include "weir/host/sized.h"

_Static_assert(sizeof(void *) == sizeof(uint64_t),
               "a futex on the queue's word needs its low half, and timer ids "
               "travel as pointers");

/* ---- the kick ---- */

static void on_kick(weir_task *task, int status)
{
    weir_loop *loop = (weir_loop *)((char *)task - offsetof(weir_loop, kick));

    weir__loop_inner_task(loop);
    /* loop/P1 acquire: receives the writes of every caller of wake
     * loop/P1 release: allows the task to be posted again */
    swap_acq_rel(&loop->is_kicked, 0);
}

void weir_loop_wake(weir_loop *loop)
{
    /* loop/P1 acquire: receives the task back from its last run
     * loop/P1 release: publishes the caller's writes to the coming run */
    if (loop != NULL && swap_acq_rel(&loop->is_kicked, 1) == 0)
        (void)weir__loop_push(loop, &loop->kick, WEIR__EXPECTED);
}

/* ---- lifetime ---- */

#define LONGEST_SLACK_NS (60 * INT64_C(1000000000))

static bool are_sensible(const weir_loop_options *options)
{
    return options->spin_ns >= 0 && options->spin_ns <= WEIR__LONGEST_SPIN_NS &&
           options->timer_slack_ns >= 0 &&
           options->timer_slack_ns <= LONGEST_SLACK_NS &&
           (unsigned)options->fd_mode <= WEIR_FD_MODE_ALWAYS;
}

/* ---- fork ---- */

/* Runs in a forked child.  The child has the loop's memory but not its thread,
 * and shares its poller with the parent.  The queue is marked TERMINATED, so
 * that it refuses every push; accepted pushes pay nothing for that.  Locks that
 * other threads held are reset, and nothing is waited for.  The memory of
 * promises is not freed.  If this thread is
 * in a callback of the loop, it leaves the turn when that callback returns
 * (turn.c), and no other callback runs. */
static void disown(struct weir__inherited *inherited)
{
    weir_loop *loop =
        (weir_loop *)((char *)inherited - offsetof(weir_loop, inherited));
    /* relaxed: the child has one thread, here and below */
    uintptr_t owner = load_relaxed(&loop->owner);

    loop->is_foreign = true;
    weir__origin_forget(loop);
    weir__ingress_disown(&loop->in);
    weir__lock_init(&loop->lock);
    weir__lock_init(&loop->promises.lock);
    weir__bias_disown(&loop->bias);
    set_unshared(&loop->finished, 1);
    set_unshared(&loop->hints, WEIR__HINT_CANCELLED);
    loop->status = WEIR_ECANCELED;
    loop->stage = WEIR__STAGE_NO_FDS;
    weir__calls_clear(&loop->ticks);
    weir__calls_clear(&loop->microtasks);
    loop->promises.wants_checkpoint = false;
    /* What a promise queues from now on is never run, and nobody is told. */
    loop->options.microtask_budget = loop->budget_left = 0;
    loop->told_breach = true;
    if (loop->promises.hooks != NULL)
        weir__loop_enter(loop); /* for promises that are released after free */
    if (owner != 0 && owner != weir__thread_self()) {
        fetch_sub_relaxed(&loop->lives, loop->is_inside); /* relaxed: alone */
        loop->is_inside = false;
    }
}

static void init_outside(weir_loop *loop, const weir_loop_options *options)
{
    weir__ingress_init(&loop->in);
    set_unshared(&loop->lives, 1);
    set_unshared(&loop->holds, 0);
    set_unshared(&loop->is_kicked, 0);
    set_unshared(&loop->hints, 0);
    set_unshared(&loop->finished, 0);
    set_unshared(&loop->owner, 0);
    set_unshared(&loop->thread, 0);
    weir__bias_init(&loop->bias, weir__thread_index());
    loop->kick = (weir_task){.run = on_kick};
    loop->cancel = (weir_task){.run = weir__loop_on_cancel};
    weir__lock_init(&loop->lock);
    set_unshared(&loop->poller, NULL);
    set_unshared(&loop->fd_mode, options->fd_mode);
    weir__envelopes_init(&loop->envelopes);
    loop->options = *options;
    if (loop->options.microtask_budget == 0)
        loop->options.microtask_budget = WEIR_LOOP_MICROTASK_BUDGET;
}

static void init_promises(struct weir__promises *promises)
{
    *promises = (struct weir__promises){.hooks = NULL};
    set_unshared(&promises->outstanding, 0);
    promises->requests.prev = promises->requests.next = &promises->requests;
    weir__recycler_cache_init(&promises->request_cache);
    set_unshared(&promises->shown_count, 0);
    weir__lock_init(&promises->lock);
}

static void init_inside(weir_loop *loop)
{
    static const struct weir__tasks none;

    loop->now_ns = weir_clock_now();
    loop->status = 0;
    loop->stage = WEIR__STAGE_OPEN;
    loop->is_inside = loop->has_rest = loop->told_breach = false;
    loop->budget_left = loop->options.microtask_budget;
    loop->is_until_idle = loop->is_stepped = loop->in_uncaught = false;
    loop->has_prepared_sleep = loop->sleeps_in_poller = false;
    loop->has_called = loop->has_sent = false;
    loop->landing = NULL;
    weir__calls_init(&loop->ticks);
    weir__calls_init(&loop->microtasks);
    loop->locals = NULL;
    loop->member = NULL;
    init_promises(&loop->promises);
    loop->ready = loop->batch = none;
    loop->immediates = loop->immediate_batch = none;
    loop->closing = loop->closing_batch = none;
    set_unshared(&loop->taken, 0);
    set_unshared(&loop->run, 0);
    loop->owed_wakes = 0;
    loop->spin_ns = loop->options.spin_ns;
    loop->kernel_slack_ns = 0;
    loop->arrived = 0;
    loop->lost_core = false;
    loop->sleeps = loop->sleeps_left = 0;
    loop->event_count = loop->event_at = 0;
    loop->untimed = loop->counters != NULL ? 0 : UINT64_MAX;
    loop->began = 0;
    loop->ring = NULL;
    loop->crowd = loop->crowd_left = loop->calls_before = 0;
    loop->careful = 0;
    loop->was_woken = false;
    weir__pulse_init(&loop->running);
    loop->since_ns = 0;
    loop->arg = NULL;
    loop->fd = -1;
}

/* In the explorer's models of loops there is no watchdog. */
static int enter_watchdog(weir_loop *loop)
{
#ifndef WEIR_MODEL
    return weir__watched_enter(&loop->watched, &loop->running, &loop->hints,
                               loop->options.name);
#else
    return 0;
#endif
}

static void leave_watchdog(weir_loop *loop)
{
#ifndef WEIR_MODEL
    weir__watched_leave(&loop->watched);
#endif
}

int weir_loop_new(weir_loop **made, const weir_loop_options *given)
{
    weir_loop_options options;
    weir_loop *loop;
    int err = weir_sized_read(&options, sizeof(options), given);

    if (err != 0)
        return err;
    if (made == NULL || !are_sensible(&options))
        return -EINVAL;
    loop = weir__memory_alloc(sizeof(*loop), _Alignof(weir_loop));
    if (loop == NULL)
        return -ENOMEM;
    loop->counters = NULL;
    loop->is_foreign = false;
    if (options.metrics)
        err = weir__counters_new(&loop->counters);
    if (err != 0)
        goto free_loop;
    init_outside(loop, &options);
    init_inside(loop);
    weir__timers_init(loop);
    weir__fds_init(loop);
    if (options.fd_mode == WEIR_FD_MODE_ALWAYS)
        err = weir__loop_need_poller(loop);
    if (err != 0)
        goto free_counters;
    err = weir__fork_enter(&loop->inherited, disown);
    if (err != 0)
        goto close_poller;
    err = enter_watchdog(loop);
    if (err != 0)
        goto leave_forks;
    *made = loop;
    return 0;

leave_forks:
    weir__fork_leave(&loop->inherited);
close_poller:
    if (load_relaxed(&loop->poller) != NULL)             /* relaxed: unshared */
        weir__poller_close(load_relaxed(&loop->poller)); /* relaxed: unshared */
free_counters:
    weir__counters_free(loop->counters);
free_loop:
    weir__memory_free(loop, sizeof(*loop));
    return err;
}

static void destroy(weir_loop *loop)
{
    leave_watchdog(loop);
    weir__fork_leave(&loop->inherited);
    weir__locals_fini(loop);
    if (loop->promises.hooks != NULL)
        loop->promises.hooks->destroy(loop);
    weir__fds_fini(loop);
    weir__slab_fini(&loop->timer_slots);
    weir__calls_fini(&loop->ticks);
    weir__calls_fini(&loop->microtasks);
    weir__recycler_fini(&loop->envelopes);
    weir__counters_free(loop->counters);
    weir__memory_free(loop, sizeof(*loop));
}

void weir__loop_enter(weir_loop *loop)
{
    fetch_add_relaxed(&loop->lives, 1); /* relaxed: the caller holds one */
}

void weir__loop_exit(weir_loop *loop)
{
    /* loop/P2 release: publishes all uses of the loop so far
     * loop/P2 acquire: receives those of all others before it is freed */
    if (fetch_sub_acq_rel(&loop->lives, 1) == 1)
        destroy(loop);
}

/* Close this process's copies of the poller's descriptors, which does not
 * affect the parent's. */
static int free_foreign(weir_loop *loop)
{
    /* relaxed: unshared */
    struct weir__poller *poller = load_relaxed(&loop->poller);

    if (loop->is_inside)
        return WEIR_EREENTRANT;
    store_relaxed(&loop->poller, NULL); /* relaxed: unshared */
    if (poller != NULL)
        weir__poller_close(poller);
    weir__loop_exit(loop);
    return 0;
}

int weir_loop_free(weir_loop *loop)
{
    int err;

    if (loop == NULL)
        return 0;
    if (weir__loop_is_foreign(loop))
        return free_foreign(loop);
    err = weir__loop_end_of_life(loop);
    if (err == 0)
        weir__loop_exit(loop);
    return err;
}

void weir_loop_ref(weir_loop *loop)
{
    weir__loop_enter(loop);
    fetch_add_relaxed(&loop->holds, 1); /* relaxed: the caller holds one */
}

void weir_loop_unref(weir_loop *loop)
{
    /* loop/P3 release: publishes what the caller did before unref */
    if (fetch_sub_release(&loop->holds, 1) == 1)
        weir_loop_wake(loop); /* it may be asleep, and idle now */
    weir__loop_exit(loop);
}

bool weir__loop_is_held(weir_loop *loop)
{
    return loop->timers.used > loop->timers.unrefs ||
           /* relaxed: a count; a thread that changes it then wakes the loop */
           load_relaxed(&loop->fds.refs) > 0 ||
           load_relaxed(&loop->promises.outstanding) > 0 || /* relaxed: own */
           /* loop/P3 acquire: receives what threads did before unref */
           load_acquire(&loop->holds) > 0;
}

/* ---- queries ---- */

enum weir_loop_state weir_loop_state(const weir_loop *loop)
{
    enum weir__ingress_state state = weir__ingress_look(&loop->in);

    if (state == WEIR__SLEEPING_IN_POLLER)
        return WEIR_LOOP_SLEEPING;
    if (state == WEIR__TERMINATING_ASLEEP ||
        state == WEIR__TERMINATING_IN_POLLER)
        return WEIR_LOOP_TERMINATING;
    return (enum weir_loop_state)state;
}

int64_t weir_loop_now(const weir_loop *loop)
{
    return loop->now_ns;
}

/* ---- the poller ---- */

int weir__loop_need_poller(weir_loop *loop)
{
    /* relaxed: written under the lock, which we hold */
    struct weir__poller *poller = load_relaxed(&loop->poller);
    int err = 0;

    if (poller == NULL) {
        err = weir__poller_open(&poller);
        if (err == 0)
            /* loop/P4 release: publishes the poller */
            store_release(&loop->poller, poller);
    }
    return err;
}

static int set_fd_mode(weir_loop *loop, weir_fd_mode mode)
{
    int err = 0;

    if (weir__loop_has_reached(loop, WEIR__STAGE_NO_FDS))
        return weir__loop_refusal(loop);
    /* relaxed: counts change under the lock, which we hold */
    if (mode == WEIR_FD_MODE_NEVER && load_relaxed(&loop->fds.count) > 0)
        return WEIR_ENOFDS;
    if (mode == WEIR_FD_MODE_ALWAYS)
        err = weir__loop_need_poller(loop);
    if (err == 0)
        /* relaxed: the loop is woken below and reads it again */
        store_relaxed(&loop->fd_mode, (uint32_t)mode);
    return err;
}

int weir_loop_set_fd_mode(weir_loop *loop, weir_fd_mode mode)
{
    int err;

    if (loop == NULL || (unsigned)mode > WEIR_FD_MODE_ALWAYS)
        return -EINVAL;
    weir__loop_enter(loop); /* it may be freed before we return */
    weir__lock_lock(&loop->lock);
    err = set_fd_mode(loop, mode);
    weir__lock_unlock(&loop->lock);
    if (err == 0 && !weir__loop_is_mine(loop))
        weir_loop_wake(loop);
    weir__loop_exit(loop);
    return err;
}
