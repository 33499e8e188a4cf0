/* SPDX-License-Identifier: MIT */
/*
 * loop -- its life, the ways in, and who runs it.
 *
 * Shape     loop.h shows the struct.  Whoever wants something from a loop on
 *           another thread puts a task into its door (ingress.c); on its own
 *           thread, into a list.
 * Roles     post, submit, ... wake     any thread
 *           run, step                  one thread at a time: it claims the
 *                                      door, and then is "the loop's thread"
 *
 * Shared state
 *   lives       any thread: who may still touch the struct                P2
 *   holds       any thread: weir_loop_refs                                P3
 *   is_kicked   any thread                                                P1
 *   owner       written by the thread that has the claim; a thread asks only
 *               whether it is itself, so relaxed is enough
 *   poller      written once, under the lock                              P4
 *
 * Pairs
 *   P1  kick: exchange on is_kicked, acquire and release  -->  the run of the
 *       kick: exchange, acquire and release
 *       The kick is one task, in the door at most once.  Who finds it there
 *       already hands its news to the run of that task; who finds it run has
 *       the task's memory back.
 *   P2  exit: fetch_sub on lives, release  -->  the one that takes it to zero,
 *       acquire
 *       All uses of the struct happen before it is freed.
 *   P3  unref: fetch_sub on holds, release  -->  is_held: load, acquire
 *       What a thread did before it let go happens before run returns idle.
 *   P4  need_poller: store, release  -->  choose_poller: load, acquire
 *       Hands over the poller.
 *
 * Tested by  test/unit/loop.c, test/model/loop.c, test/stress/loop.c
 */
#include "loop.h"

#include <errno.h>
#include <stddef.h>

#include "check.h"
#include "clock.h"
#include "memory.h"
#include "place.h"

_Static_assert(sizeof(void *) == sizeof(uint64_t),
               "a futex on the door's word needs its low half, and timer ids "
               "travel as pointers");

/* ---- life ---- */

static bool are_sensible(const weir_loop_options *options)
{
    return options->size == sizeof(*options) && options->spin_ns >= 0 &&
           (unsigned)options->fast_path <= WEIR_FAST_PATH_DISABLED;
}

static void on_kick(weir_task *task, int status)
{
    weir_loop *loop = (weir_loop *)((char *)task - offsetof(weir_loop, kick));

    (void)status;
    weir__loop_inner_task(loop);
    /* loop/P1 acquire: receives the news of all who have kicked
     * loop/P1 release: the task may be posted again */
    swap_acq_rel(&loop->is_kicked, 0);
}

static void init_outside(weir_loop *loop, const weir_loop_options *options)
{
    weir__ingress_init(&loop->in);
    set_unshared(&loop->lives, 1);
    set_unshared(&loop->holds, 0);
    set_unshared(&loop->is_kicked, 0);
    set_unshared(&loop->is_cancelled, 0);
    set_unshared(&loop->finished, 0);
    set_unshared(&loop->owner, 0);
    set_unshared(&loop->thread, 0);
    loop->kick = (weir_task){.run = on_kick};
    loop->cancel = (weir_task){.run = weir__loop_on_cancel};
    weir__lock_init(&loop->lock);
    set_unshared(&loop->poller, NULL);
    set_unshared(&loop->fast_path, options->fast_path);
    weir__envelopes_init(&loop->envelopes);
    loop->options = *options;
    if (loop->options.microtask_budget == 0)
        loop->options.microtask_budget = WEIR_MICROTASK_BUDGET;
}

static void init_inside(weir_loop *loop)
{
    static const struct weir__tasks none;

    loop->now_ns = weir_clock_now();
    loop->status = 0;
    loop->is_inside = loop->is_ending = loop->is_winding = false;
    loop->has_rest = loop->told_breach = false;
    loop->budget_left = loop->options.microtask_budget;
    loop->is_until_idle = loop->is_stepped = loop->in_uncaught = false;
    loop->is_lying = loop->lies_in_poller = loop->in_done = false;
    loop->has_called = loop->has_sent = false;
    loop->landing = NULL;
    weir__calls_init(&loop->ticks);
    weir__calls_init(&loop->microtasks);
    loop->promises = (struct weir__promises){.hooks = NULL};
    set_unshared(&loop->promises.errands, 0);
    weir__lock_init(&loop->promises.lock);
    loop->ready = loop->batch = none;
    loop->immediates = loop->immediate_batch = none;
    loop->closing = loop->closing_batch = none;
    set_unshared(&loop->taken, 0);
    set_unshared(&loop->run, 0);
    loop->owed_wakes = 0;
    loop->spin_ns = loop->options.spin_ns;
    loop->arrived = 0;
    loop->lost_core = false;
    loop->sleeps = loop->sleeps_left = 0;
    loop->event_count = loop->event_at = 0;
    loop->untimed = loop->metrics != NULL ? 0 : UINT64_MAX;
    loop->began = 0;
    set_unshared(&loop->running.name, NULL);
    set_unshared(&loop->running.since_ns, 0);
    set_unshared(&loop->running.kind, 0);
    set_unshared(&loop->running.from, NULL);
    loop->since_ns = 0;
}

int weir_loop_new(weir_loop **made, const weir_loop_options *options)
{
    static const weir_loop_options defaults = {.size = sizeof(defaults)};
    weir_loop *loop;
    int err = 0;

    if (options == NULL)
        options = &defaults;
    if (made == NULL || !are_sensible(options))
        return -EINVAL;
    loop = weir__memory_alloc(sizeof(*loop), _Alignof(weir_loop));
    if (loop == NULL)
        return -ENOMEM;
    loop->metrics = NULL;
    if (options->metrics)
        err = weir__metrics_new(&loop->metrics);
    if (err != 0)
        goto free_loop;
    init_outside(loop, options);
    init_inside(loop);
    weir__timers_init(loop);
    weir__fds_init(loop);
    if (options->fast_path == WEIR_FAST_PATH_DISABLED)
        err = weir__loop_need_poller(loop);
    if (err != 0)
        goto free_metrics;
    *made = loop;
    return 0;

free_metrics:
    weir__metrics_free(loop->metrics);
free_loop:
    weir__memory_free(loop, sizeof(*loop));
    return err;
}

static void destroy(weir_loop *loop)
{
    if (loop->promises.hooks != NULL)
        loop->promises.hooks->destroy(loop);
    weir__fds_fini(loop);
    weir__slab_fini(&loop->timer_slots);
    weir__calls_fini(&loop->ticks);
    weir__calls_fini(&loop->microtasks);
    weir__envelopes_fini(&loop->envelopes);
    weir__metrics_free(loop->metrics);
    weir__memory_free(loop, sizeof(*loop));
}

void weir__loop_enter(weir_loop *loop)
{
    fetch_add_relaxed(&loop->lives, 1); /* relaxed: the caller has it, too */
}

void weir__loop_exit(weir_loop *loop)
{
    /* loop/P2 release: all uses of the loop so far
     * loop/P2 acquire: those of all others, before it is freed */
    if (fetch_sub_acq_rel(&loop->lives, 1) == 1)
        destroy(loop);
}

int weir_loop_free(weir_loop *loop)
{
    int err;

    if (loop == NULL)
        return 0;
    err = weir__loop_end_of_life(loop);
    if (err == 0)
        weir__loop_exit(loop);
    return err;
}

void weir_loop_ref(weir_loop *loop)
{
    weir__loop_enter(loop);
    fetch_add_relaxed(&loop->holds, 1); /* relaxed: the caller has it, too */
}

void weir_loop_unref(weir_loop *loop)
{
    /* loop/P3 release: what the caller did before it let go */
    if (fetch_sub_release(&loop->holds, 1) == 1)
        weir_loop_wake(loop); /* it may be asleep, and idle now */
    weir__loop_exit(loop);
}

bool weir__loop_is_held(weir_loop *loop)
{
    return loop->timers.used > loop->timers.unrefs ||
           /* relaxed: a count; who changes it wakes the loop afterwards */
           load_relaxed(&loop->fds.refs) > 0 ||
           load_relaxed(&loop->promises.errands) > 0 || /* relaxed: own */
           /* loop/P3 acquire: receives what they did who let go */
           load_acquire(&loop->holds) > 0;
}

/* ---- the ways in ---- */

void weir__loop_wake(weir_loop *loop, int wake)
{
    if (wake == WEIR__WAKE_FUTEX)
        weir__ingress_wake(&loop->in);
    else if (wake == WEIR__WAKE_POLLER)
        /* relaxed: ordered by ingress/P2.  The loop waits for this wake before
         * it closes the poller. */
        weir__poller_wake(load_relaxed(&loop->poller));
}

int weir__loop_push(weir_loop *loop, weir_task *task, enum weir__ticket ticket)
{
    int wake = weir__ingress_push(&loop->in, task, ticket);

    if (wake == WEIR__WAKE_NOBODY)
        return 0; /* and the loop may be gone by now */
    if (wake < 0)
        return wake;
    weir__loop_wake(loop, wake);
    return 0;
}

/* On the loop's own thread. */
static int push_own(weir_loop *loop, struct weir__tasks *list, weir_task *task)
{
    if (loop->status != 0)
        return WEIR_ECLOSED;
    weir__tasks_push(list, task);
    if (list == &loop->ready)
        weir__loop_take(loop, 1);
    return 0;
}

static struct weir__envelope *
fill_envelope(weir_loop *loop, void (*run)(weir_task *task, int status),
              weir_fn *fn, void *arg, const char *name)
{
    struct weir__envelope *envelope = weir__envelope_take(&loop->envelopes);

    if (envelope != NULL) {
        envelope->task.run = run;
        envelope->task.name = name;
        envelope->fn = fn;
        envelope->arg = arg;
    }
    return envelope;
}

int weir__loop_push_call(weir_loop *loop,
                         void (*run)(weir_task *task, int status), weir_fn *fn,
                         void *arg, enum weir__ticket ticket)
{
    struct weir__envelope *envelope = fill_envelope(loop, run, fn, arg, NULL);
    int err;

    if (envelope == NULL)
        return -ENOMEM;
    err = weir__loop_push(loop, &envelope->task, ticket);
    if (err != 0)
        weir__envelope_return(&loop->envelopes, envelope);
    return err;
}

static void run_envelope(weir_task *task, int status)
{
    struct weir__call call = weir__envelope_open((struct weir__envelope *)task);

    call.fn(call.arg, status);
}

/* A probe says how long tasks wait that come in now. */
static void run_probe(weir_task *task, int status)
{
    struct weir__call call = weir__envelope_open((struct weir__envelope *)task);

    (void)status;
    weir__loop_inner_task(weir__thread_loop());
    weir__metrics_probe(weir__thread_loop()->metrics, (uintptr_t)call.arg);
}

/* Before some pushes.  It does not matter if it fails. */
__attribute__((cold, noinline)) static void send_probe(weir_loop *loop)
{
    uint64_t now = weir__metrics_begin_probe();

    (void)weir__loop_push_call(loop, run_probe, NULL, (void *)(uintptr_t)now,
                               WEIR__OUTSIDER);
}

int weir_loop_post(weir_loop *loop, weir_task *task)
{
    int err;

    weir__place_begin();
    if (loop == NULL || task == NULL || task->run == NULL)
        return -EINVAL;
    weir__place_note(task, loop, NULL);
    if (weir__loop_is_local(loop)) {
        err = push_own(loop, &loop->ready, task);
    } else {
        if (loop->metrics != NULL && weir__metrics_wants_probe())
            send_probe(loop);
        err = weir__loop_push(loop, task, WEIR__OUTSIDER);
    }
    if (err != 0)
        (void)weir__place_take(task);
    return err;
}

/* On the loop's thread into a list of its own; otherwise through the door, and
 * `arrive` is what runs then. */
static int enqueue(weir_loop *loop, struct weir__tasks *list,
                   void (*arrive)(weir_task *task, int status), weir_fn *fn,
                   void *arg, const char *name)
{
    bool is_mine = weir__loop_is_local(loop);
    struct weir__envelope *envelope;
    int err;

    if (!is_mine && loop->metrics != NULL && weir__metrics_wants_probe())
        send_probe(loop);
    envelope =
        fill_envelope(loop, is_mine ? run_envelope : arrive, fn, arg, name);
    if (envelope == NULL)
        return -ENOMEM;
    if (list == &loop->ready)
        weir__place_note(envelope, loop, NULL);
    err = is_mine ? push_own(loop, list, &envelope->task)
                  : weir__loop_push(loop, &envelope->task, WEIR__OUTSIDER);
    if (err != 0) {
        (void)weir__place_take(envelope);
        weir__envelope_return(&loop->envelopes, envelope);
    }
    return err;
}

int weir_loop_submit_named(weir_loop *loop, weir_fn *fn, void *arg,
                           const char *name)
{
    weir__place_begin();
    if (loop == NULL || fn == NULL)
        return -EINVAL;
    return enqueue(loop, &loop->ready, run_envelope, fn, arg, name);
}

int weir_loop_submit(weir_loop *loop, weir_fn *fn, void *arg)
{
    weir__place_begin();
    return weir_loop_submit_named(loop, fn, arg, NULL);
}

int weir_loop_dispatch(weir_loop *loop, weir_fn *fn, void *arg)
{
    if (loop == NULL || fn == NULL)
        return -EINVAL;
    if (!weir__loop_is_mine(loop)) {
        weir__place_begin(); /* only here: weir_raise may leave fn */
        return weir_loop_submit(loop, fn, arg);
    }
    if (loop->status != 0)
        return WEIR_ECLOSED;
    fn(arg, 0);
    return 0;
}

/* ---- immediates, and the close phase ---- */

/* From another thread: has come through the door, and waits for its part. */
static void arrive_immediate(weir_task *task, int status)
{
    (void)status;
    task->run = run_envelope;
    weir__loop_inner_task(weir__thread_loop());
    weir__tasks_push(&weir__thread_loop()->immediates, task);
}

static void arrive_closing(weir_task *task, int status)
{
    (void)status;
    task->run = run_envelope;
    weir__loop_inner_task(weir__thread_loop());
    weir__tasks_push(&weir__thread_loop()->closing, task);
}

int weir_loop_immediate(weir_loop *loop, weir_fn *fn, void *arg)
{
    if (loop == NULL || fn == NULL)
        return -EINVAL;
    return enqueue(loop, &loop->immediates, arrive_immediate, fn, arg, NULL);
}

int weir_loop_on_close_phase(weir_loop *loop, weir_fn *fn, void *arg)
{
    if (loop == NULL || fn == NULL)
        return -EINVAL;
    return enqueue(loop, &loop->closing, arrive_closing, fn, arg, NULL);
}

void weir_loop_wake(weir_loop *loop)
{
    /* loop/P1 acquire: receives the task back from its last run
     * loop/P1 release: the caller's news, for the run that is to come */
    if (loop != NULL && swap_acq_rel(&loop->is_kicked, 1) == 0)
        (void)weir__loop_push(loop, &loop->kick, WEIR__EXPECTED);
}

/* ---- who runs it ---- */

weir_loop *weir_loop_current(void)
{
    return weir__thread_loop();
}

bool weir_loop_is_owner(const weir_loop *loop)
{
    return loop != NULL && weir__loop_is_mine(loop);
}

weir_loop_phase weir_loop_state(const weir_loop *loop)
{
    enum weir__ingress_state state = weir__ingress_look(&loop->in);

    if (state == WEIR__SLEEPING_IN_POLLER)
        return WEIR_LOOP_SLEEPING;
    if (state == WEIR__TERMINATING_ASLEEP ||
        state == WEIR__TERMINATING_IN_POLLER)
        return WEIR_LOOP_TERMINATING;
    return (weir_loop_phase)state;
}

int64_t weir_loop_now(const weir_loop *loop)
{
    return loop->now_ns;
}

bool weir__loop_is_claimed(const weir_loop *loop)
{
    /* relaxed: only this thread has written its own name there */
    return load_relaxed(&loop->owner) == weir__thread_self();
}

bool weir__loop_is_around(const weir_loop *loop)
{
    return weir__loop_is_claimed(loop) && loop->is_inside;
}

void weir__loop_own(weir_loop *loop)
{
    store_relaxed(&loop->owner, weir__thread_self()); /* relaxed: see above */
    store_relaxed(&loop->thread, weir__thread_id());  /* relaxed: for report */
}

/* Back to AWAKE, for whoever runs it next.  False: it stays this thread's. */
static bool leave(weir_loop *loop, bool only_if_empty)
{
    store_relaxed(&loop->owner, 0); /* relaxed: see above */
    if (weir__ingress_leave(&loop->in, only_if_empty))
        return true;
    store_relaxed(&loop->owner, weir__thread_self()); /* relaxed: see above */
    return false;
}

void weir__loop_woken(weir_loop *loop, bool in_poller)
{
    if (in_poller)
        loop->owed_wakes++;
    if (loop->metrics != NULL)
        weir__metrics_add(&loop->metrics->wakes, 1);
}

/* ---- between two steps ---- */

/* Asleep until the next step; or, if that has something to do already, with a
 * wake that makes the backend descriptor readable. */
static void lie_between_steps(weir_loop *loop)
{
    struct weir__poller *poller = weir__loop_choose_poller(loop);

    loop->lies_in_poller = poller != NULL;
    loop->is_lying = weir__loop_is_quiet(loop) && !weir__loop_has_step(loop) &&
                     weir__ingress_lie_down(&loop->in,
                                            poller != NULL ? WEIR__BED_POLLER
                                                           : WEIR__BED_FUTEX,
                                            loop->is_ending);
    if (!loop->is_lying && poller != NULL && loop->owed_wakes == 0) {
        loop->owed_wakes = 1;
        weir__poller_wake(poller);
    }
}

void weir__loop_rise(weir_loop *loop)
{
    if (loop->is_lying && !weir__ingress_get_up(&loop->in))
        weir__loop_woken(loop, loop->lies_in_poller);
    loop->is_lying = false;
}

int64_t weir_loop_timeout(weir_loop *loop)
{
    int64_t first_ns = weir__timers_next(loop);
    int64_t now_ns = weir_clock_now();

    if (!weir__loop_is_quiet(loop) || weir__loop_has_step(loop) ||
        weir__ingress_has_news(&loop->in, loop->is_ending) ||
        first_ns <= now_ns)
        return 0;
    return first_ns == INT64_MAX ? -1 : first_ns - now_ns;
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
            /* loop/P4 release: hands over the poller */
            store_release(&loop->poller, poller);
    }
    return err;
}

static int set_fast_path(weir_loop *loop, weir_fast_path mode)
{
    int err = 0;

    if (loop->fds.is_closed)
        return WEIR_ECLOSED;
    /* relaxed: counts change under the lock, which we hold */
    if (mode == WEIR_FAST_PATH_FORCED && load_relaxed(&loop->fds.count) > 0)
        return WEIR_EFASTPATH;
    if (mode == WEIR_FAST_PATH_DISABLED)
        err = weir__loop_need_poller(loop);
    if (err == 0)
        /* relaxed: the loop is woken afterwards, and looks again */
        store_relaxed(&loop->fast_path, (uint32_t)mode);
    return err;
}

int weir_loop_set_fast_path(weir_loop *loop, weir_fast_path mode)
{
    int err;

    if (loop == NULL || (unsigned)mode > WEIR_FAST_PATH_DISABLED)
        return -EINVAL;
    weir__loop_enter(loop); /* as it may be freed before we return */
    weir__lock_lock(&loop->lock);
    err = set_fast_path(loop, mode);
    weir__lock_unlock(&loop->lock);
    if (err == 0 && !weir__loop_is_mine(loop))
        weir_loop_wake(loop);
    weir__loop_exit(loop);
    return err;
}

int weir_loop_backend_fd(weir_loop *loop)
{
    int err;

    if (loop == NULL)
        return -EINVAL;
    weir__lock_lock(&loop->lock);
    if (loop->fds.is_closed)
        err = WEIR_ECLOSED;
    /* relaxed: written under the lock, which we hold */
    else if (load_relaxed(&loop->fast_path) == WEIR_FAST_PATH_FORCED)
        err = WEIR_EFASTPATH;
    else
        err = weir__loop_need_poller(loop);
    if (err == 0)
        /* relaxed: written under the lock, which we hold */
        err = weir__poller_fd(load_relaxed(&loop->poller));
    weir__lock_unlock(&loop->lock);
    if (err >= 0 && weir__loop_is_claimed(loop) && loop->is_stepped &&
        !loop->is_inside) {
        weir__loop_rise(loop); /* into the poller, if it was not there */
        lie_between_steps(loop);
    }
    return err;
}

/* ---- run, step ---- */

static int claim(weir_loop *loop)
{
    int err;

    if (weir__loop_is_claimed(loop)) {
        if (loop->is_inside)
            return WEIR_EREENTRANT;
        if (weir__ingress_look(&loop->in) == WEIR__TERMINATED)
            return WEIR_ECLOSED;
        weir__loop_rise(loop);
        return 0;
    }
    err = weir__ingress_claim(&loop->in);
    if (err == 0)
        weir__loop_own(loop);
    return err;
}

static bool has_passed(int64_t limit_ns)
{
    return limit_ns >= 0 && weir__clock_real() >= limit_ns;
}

/* Idle: nothing to call, nothing that holds it, and the door agrees.  From
 * that moment on the loop is whoever's runs it next. */
static bool becomes_idle(weir_loop *loop)
{
    if (!loop->is_until_idle || !weir__loop_is_quiet(loop) ||
        weir__loop_is_held(loop))
        return false;
    weir__envelopes_trim(&loop->envelopes);
    loop->is_inside = false;
    if (leave(loop, true))
        return true;
    loop->is_inside = true;
    return false;
}

/* Returns whether the loop is over or idle, or the error that ends the run. */
static int next_turn(weir_loop *loop, int64_t limit_ns)
{
    int err = weir__loop_turn(loop, limit_ns);

    if (err != 0)
        return err;
    if (loop->is_ending && weir__loop_wind_up(loop)) {
        weir__loop_tell_done(loop);
        return true;
    }
    if (has_passed(limit_ns))
        return -ETIMEDOUT;
    return becomes_idle(loop);
}

int weir__loop_drive(weir_loop *loop, int64_t limit_ns)
{
    weir_loop *outer = weir__thread_loop();
    int result;

    weir__thread_set_loop(loop);
    loop->is_inside = true;
    do
        result = next_turn(loop, limit_ns);
    while (result == 0);
    weir__thread_set_loop(outer);
    if (result < 0)
        loop->is_inside = false;
    return result < 0 ? result : 0;
}

int weir_loop_run(weir_loop *loop, weir_run_mode mode)
{
    int err;

    if (loop == NULL || (unsigned)mode > WEIR_RUN_UNTIL_CLOSED)
        return -EINVAL;
    err = claim(loop);
    if (err != 0)
        return err;
    weir__loop_enter(loop);
    loop->is_until_idle = mode == WEIR_RUN_UNTIL_IDLE;
    loop->is_stepped = false;
    err = weir__loop_drive(loop, -1);
    if (err != 0)
        (void)leave(loop, false);
    weir__loop_exit(loop);
    return err;
}

int weir_loop_step(weir_loop *loop, int64_t timeout_ns)
{
    weir_loop *outer = weir__thread_loop();
    int err;

    if (loop == NULL)
        return -EINVAL;
    err = claim(loop);
    if (err != 0)
        return err;
    weir__loop_enter(loop);
    loop->is_until_idle = false;
    loop->is_stepped = true;
    weir__thread_set_loop(loop);
    loop->is_inside = true;
    err = weir__loop_turn(
        loop, timeout_ns == 0 ? 0 : weir__clock_deadline(timeout_ns));
    if (err == 0 && loop->is_ending && weir__loop_wind_up(loop)) {
        weir__loop_tell_done(loop);
        err = WEIR_ECLOSED;
    }
    loop->is_inside = false;
    weir__thread_set_loop(outer);
    if (err != WEIR_ECLOSED)
        lie_between_steps(loop);
    weir__loop_exit(loop);
    return err;
}
