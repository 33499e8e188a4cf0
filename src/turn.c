/* SPDX-License-Identifier: MIT */
/*
 * turn -- one turn of a loop, part by part.
 *
 * All of this is the loop's thread's.  What is still to do is in the loop, not
 * on the stack: weir_raise may leave any callback by a jump to the landing in
 * weir__loop_turn, and the turn then goes on with the part that it was in.  So
 * each part takes something out of its queue before it calls it, and may be
 * begun again at any time.  One landing serves a whole turn; a callback that
 * does not fail pays nothing for it.
 *
 * A part runs what was there when it began; what callbacks add waits for the
 * next turn.  That is what `batch` is for, beside `ready`.
 *
 * Sleeping  A loop sleeps when there is nothing to call.  Whether that is so
 *           is known here for everything that belongs to this thread, and
 *           decided by the door for everything else (lie_down, ingress.c).  It
 *           sleeps on the door's word, or in the poller if it has descriptors.
 *           Somebody who gets it up from the poller has a wake to deliver; we
 *           count those that are still to come (owed_wakes), because until
 *           then the poller must not be closed.
 *
 * Tested by  test/unit/turn.c, test/unit/loop.c, test/model/loop.c
 */
#include <errno.h>

#include "clock.h"
#include "loop.h"
#include "spin.h"

static void look_at_clock(weir_loop *loop)
{
    loop->now_ns = weir_clock_now();
    loop->since_ns = weir__clock_is_frozen() ? 0 : loop->now_ns;
    loop->has_called = false;
}

/* ---- around each callback ---- */

__attribute__((cold)) static void begin_timed(weir_loop *loop)
{
    uint64_t now = weir__ticks_now();

    loop->untimed =
        weir__metrics_look(loop->metrics, now, weir__loop_queued(loop));
    if (loop->untimed == 0)
        loop->began = now;
}

static inline void begin(weir_loop *loop, weir_kind kind, const char *name)
{
    struct weir__running *running = &loop->running;

    loop->has_called = true;
    /* relaxed: shown to report, the kind last */
    store_relaxed(&running->name, name);
    /* relaxed: the same.  A loop that is ending may be asked what holds it;
     * otherwise the beginning of the turn must do, as a look at the clock costs
     * more than most callbacks. */
    store_relaxed(&running->since_ns, loop->is_ending || WEIR__PLACES
                                          ? weir__clock_real()
                                          : loop->since_ns);
    if (WEIR__PLACES)
        store_relaxed(&running->from, NULL);           /* relaxed: the same */
    store_relaxed(&running->kind, (uint32_t)kind + 1); /* relaxed: the same */
    if (loop->untimed-- == 0) /* never, without metrics */
        begin_timed(loop);
}

void weir__loop_begin(weir_loop *loop, weir_kind kind, const char *name)
{
    begin(loop, kind, name);
}

void weir__loop_begin_other(weir_loop *loop, weir_kind kind, const char *name)
{
    if (loop->metrics != NULL)
        weir__metrics_add(&loop->metrics->others, 1);
    weir__loop_begin(loop, kind, name);
}

/* From now on all are told WEIR_ECANCELED.  In a child of fork() nobody is told
 * anything: it leaves the turn. */
__attribute__((cold)) static void begin_cancel(weir_loop *loop)
{
    if (weir__loop_is_foreign(loop))
        _longjmp(*loop->landing, WEIR__LANDED_FORKED);
    loop->status = WEIR_ECANCELED;
}

/* Before each callback that was accepted before a close. */
static void notice_close(weir_loop *loop)
{
    /* relaxed: a hint; loop->cancel brings the certainty */
    if (load_relaxed(&loop->is_cancelled))
        begin_cancel(loop);
}

__attribute__((cold)) static void end_timed(weir_loop *loop)
{
    loop->untimed =
        weir__metrics_end(loop->metrics, loop->began,
                          /* relaxed: own */
                          (weir_kind)(load_relaxed(&loop->running.kind) - 1),
                          load_relaxed(&loop->running.name), /* relaxed: own */
                          weir__loop_queued(loop));
    loop->began = 0;
}

static inline void end(weir_loop *loop)
{
    if (weir__loop_has_microtasks(loop))
        weir__loop_checkpoint(loop);
    if (loop->began != 0)
        end_timed(loop);
    store_relaxed(&loop->running.kind, 0); /* relaxed: shown to report */
    notice_close(loop);
}

void weir__loop_end(weir_loop *loop)
{
    end(loop);
}

/* ---- the parts ---- */

enum {
    MANY = 16, /* tasks that make up for a core that was lost */
    MOST_SLEEPS = 63
};

/* give_way has lost the core for a while, and so much has come since. */
__attribute__((cold)) static void judge_way(weir_loop *loop, uint64_t arrived)
{
    loop->lost_core = false;
    if (arrived >= MANY)
        loop->sleeps = 0;
    else if (loop->sleeps < MOST_SLEEPS)
        loop->sleeps = 2 * loop->sleeps + 1;
    loop->sleeps_left = loop->sleeps;
}

static void drain(weir_loop *loop)
{
    uint64_t arrived = 0;
    struct weir__tasks tasks = weir__ingress_drain(&loop->in, &arrived);

    loop->arrived = arrived;
    if (loop->lost_core)
        judge_way(loop, arrived);
    if (arrived == 0)
        return;
    weir__tasks_move(&loop->ready, &tasks);
    weir__loop_take(loop, arrived);
    if (loop->metrics != NULL)
        weir__metrics_add(&loop->metrics->arrived, arrived);
}

static inline void run_list(weir_loop *loop, struct weir__tasks *batch,
                            weir_kind kind)
{
    weir_task *task;

    while ((task = weir__tasks_pop(batch)) != NULL) {
        weir__loop_begin_other(loop, kind, task->name);
        weir__loop_show_arg(loop, task);
        task->run(task, loop->status);
        weir__loop_end(loop);
    }
}

static void run_tasks(weir_loop *loop)
{
    weir_task *task;

    while ((task = weir__tasks_pop(&loop->batch)) != NULL) {
        begin(loop, WEIR_KIND_TASK, task->name);
        weir__loop_show_place(loop, weir__place_take(task));
        weir__loop_show_arg(loop, task);
        /* Now: it is queued, or it runs.  relaxed: own, shown to report */
        store_relaxed(&loop->run, load_relaxed(&loop->run) + 1);
        task->run(task, loop->status);
        end(loop);
    }
    if (loop->metrics != NULL)
        /* Here both counts are of one moment.  relaxed: own, and count */
        store_relaxed(&loop->metrics->tasks,
                      load_relaxed(&loop->run) -
                          load_relaxed(&loop->metrics->inner));
}

/* ---- waiting ---- */

static bool has_descriptors(weir_loop *loop)
{
    /* relaxed: a count; an add from elsewhere wakes the loop afterwards */
    return load_relaxed(&loop->fds.count) > 0;
}

/* Where to sleep.  The poller may be NULL: then on the futex. */
struct weir__poller *weir__loop_choose_poller(weir_loop *loop)
{
    /* relaxed: whoever changes it wakes the loop afterwards */
    uint32_t mode = load_relaxed(&loop->fast_path);
    bool on_futex = loop->is_stepped ? mode == WEIR_FAST_PATH_FORCED
                                     : mode != WEIR_FAST_PATH_DISABLED &&
                                           !has_descriptors(loop);

    /* A loop that cancels everything does not ask the poller, which may fail.
     * loop/P4 acquire: receives the poller, which another may have made */
    return on_futex || loop->is_winding || loop->status != 0
               ? NULL
               : load_acquire(&loop->poller);
}

/* Nothing to call, as far as this thread knows. */
bool weir__loop_is_quiet(const weir_loop *loop)
{
    return weir__tasks_is_empty(&loop->ready) &&
           weir__tasks_is_empty(&loop->immediates) &&
           weir__tasks_is_empty(&loop->closing) &&
           !weir__loop_has_microtasks(loop);
}

/* In epoll and poll the kernel also allows itself a thousandth of the wait. */
int64_t weir__loop_put_off(const weir_loop *loop, int64_t timer_ns,
                           int64_t now_ns, bool in_poller)
{
    int64_t slack_ns = loop->options.timer_slack_ns;
    int64_t kernel_ns = loop->kernel_slack_ns;

    if (in_poller && kernel_ns < (timer_ns - now_ns) / 1000)
        kernel_ns = (timer_ns - now_ns) / 1000;
    if (slack_ns <= kernel_ns)
        return timer_ns;
    slack_ns -= kernel_ns;
    return timer_ns < INT64_MAX - slack_ns ? timer_ns + slack_ns : INT64_MAX;
}

/* Until when it may sleep, as a time of the real clock: 0 not at all, negative
 * for ever.  A stopped clock brings no timer nearer; who moves it wakes us. */
static int64_t wait_limit(weir_loop *loop, int64_t limit_ns, bool in_poller)
{
    int64_t timer_ns, now_ns;

    if (limit_ns == 0 || (loop->is_stepped && loop->has_called) ||
        !weir__loop_is_quiet(loop) ||
        (loop->is_until_idle && !weir__loop_is_held(loop)) ||
        weir__loop_has_step(loop))
        return 0;
    timer_ns = weir__timers_next(loop);
    if (timer_ns == INT64_MAX)
        return limit_ns;
    now_ns = weir_clock_now();
    if (timer_ns <= now_ns)
        return 0;
    if (weir__clock_is_frozen())
        return limit_ns;
    timer_ns = weir__loop_put_off(loop, timer_ns, now_ns, in_poller);
    return limit_ns < 0 || timer_ns < limit_ns ? timer_ns : limit_ns;
}

/* Sleeps in the poller, or looks into it only. */
static int poll(weir_loop *loop, struct weir__poller *poller, int64_t until_ns)
{
    bool sleeps =
        until_ns != 0 &&
        weir__ingress_lie_down(&loop->in, WEIR__BED_POLLER, loop->is_ending);
    int got = weir__poller_wait(poller, loop->events, sleeps ? until_ns : 0);

    if (sleeps && !weir__ingress_get_up(&loop->in))
        weir__loop_woken(loop, true);
    if (got < 0)
        return got;
    loop->event_at = 0;
    loop->event_count = got;
    for (int i = 0; i < got; i++)
        if (loop->events[i].token == WEIR__POLLER_WAKE)
            loop->owed_wakes -= weir__poller_take_wakes(poller, false);
    return 0;
}

static void sleep_on_door(weir_loop *loop, int64_t until_ns)
{
    if (until_ns == 0 ||
        !weir__ingress_lie_down(&loop->in, WEIR__BED_FUTEX, loop->is_ending))
        return;
    weir__ingress_sleep(&loop->in, until_ns);
    if (!weir__ingress_get_up(&loop->in))
        weir__loop_woken(loop, false);
}

/* ---- giving way ---- */

/* A loop whose turn has taken results from other threads and sent new jobs to a
 * pool lets the workers have the core before it sleeps.  One that shares it with
 * the loop would otherwise be interrupted by each result that it brings: a wake
 * and two switches for every job, which cost twenty times as much as the rest.
 * On a core of its own the loop loses a tenth of a microsecond.
 *
 * Only then: a thread that has yielded, unlike one that sleeps, is not called
 * when something comes, and the next time it sleeps it is called later.  And
 * when strangers take the core for long, and little has come (drain sees that),
 * it sleeps at once the next time; then for 3 times, 7 times, ...
 *
 * True: there is news. */
static bool give_way(weir_loop *loop)
{
    int64_t began_ns;

    if (loop->arrived == 0 || !loop->has_sent)
        return false;
    if (loop->sleeps_left > 0) {
        loop->sleeps_left--;
        return false;
    }
    began_ns = weir__clock_real();
    weir__thread_yield();
    loop->lost_core = weir__clock_real() - began_ns > WEIR__LOST_CORE_NS;
    if (!loop->lost_core)
        loop->sleeps = 0;
    return weir__ingress_has_news(&loop->in, loop->is_ending);
}

static int wait(weir_loop *loop, int64_t limit_ns)
{
    struct weir__poller *poller = weir__loop_choose_poller(loop);
    int64_t until_ns = wait_limit(loop, limit_ns, poller != NULL);
    int64_t began_ns = 0;
    int err = 0;

    if (until_ns != 0 &&
        (loop->options.spin_ns > 0 ? weir__loop_spin(loop, until_ns)
                                   : give_way(loop)))
        until_ns = 0;
    if (until_ns != 0)
        weir__envelopes_trim(&loop->envelopes);
    if (loop->metrics != NULL && until_ns != 0)
        began_ns = weir__clock_real();
    if (poller != NULL)
        err = poll(loop, poller, until_ns);
    else
        sleep_on_door(loop, until_ns);
    if (began_ns != 0)
        weir__metrics_slept(loop->metrics, began_ns);
    notice_close(loop);
    look_at_clock(loop);
    return err;
}

/* ---- spinning ---- */

static bool has_news(const void *arg)
{
    const weir_loop *loop = arg;

    return weir__ingress_has_news(&loop->in, loop->is_ending);
}

/* Spins that pay grow, to what the user allows; others shrink. */
bool weir__loop_spin(weir_loop *loop, int64_t until_ns)
{
    const struct weir__gaze gaze = {.pauses = 32, .looks = 4};
    int64_t began_ns = weir__clock_real();
    int64_t end_ns = began_ns + loop->spin_ns;

    if (until_ns >= 0 && until_ns < end_ns)
        end_ns = until_ns;
    if (weir__spin(gaze, began_ns, end_ns, has_news, loop)) {
        loop->spin_ns = 2 * loop->spin_ns < loop->options.spin_ns
                            ? 2 * loop->spin_ns
                            : loop->options.spin_ns;
        return true;
    }
    if (loop->spin_ns > WEIR__SHORTEST_SPIN_NS)
        loop->spin_ns /= 2;
    return false;
}

/* ---- the turn ---- */

/* A turn mostly begins where the wait of the last one has ended, and then it
 * is still the same time. */
static void begin_turn(weir_loop *loop)
{
    if (loop->has_called)
        look_at_clock(loop);
    weir__wheel_begin(&loop->timers.wheel, loop->now_ns);
    loop->has_rest = weir__loop_has_microtasks(loop);
    loop->has_sent = false;
    loop->part = WEIR__PART_DRAIN;
    if (loop->metrics != NULL)
        weir__metrics_add(&loop->metrics->turns, 1);
}

static void take_in(weir_loop *loop)
{
    loop->is_ending = (weir__ingress_look(&loop->in) & 1) != 0;
    drain(loop);
    notice_close(loop);
    weir__tasks_move(&loop->batch, &loop->ready);
}

static void run_timers(weir_loop *loop)
{
    weir__timers_run(loop);
    if (weir__loop_is_ending(loop))
        loop->promises.may_wind = true;
}

static void run_descriptors(weir_loop *loop)
{
    if (loop->event_at != loop->event_count)
        weir__fds_run(loop);
    if (loop->promises.may_wind && loop->promises.hooks != NULL)
        loop->promises.hooks->wind(loop);
    if (weir__loop_is_ending(loop))
        weir__fds_cancel(loop);
}

/* What is left of the turn.  Most parts of most turns have nothing to do, and a
 * sleeping loop that is woken goes through all of them before it calls: so it
 * falls from one to the next. */
static int run_parts(weir_loop *loop, int64_t limit_ns)
{
    int err;

    switch (loop->part) {
    case WEIR__PART_DRAIN:
        take_in(loop);
        loop->part = WEIR__PART_REST;
        /* fall through */
    case WEIR__PART_REST:
        weir__loop_take_up(loop);
        loop->part = WEIR__PART_TIMERS;
        /* fall through */
    case WEIR__PART_TIMERS:
        run_timers(loop);
        loop->part = WEIR__PART_TASKS;
        /* fall through */
    case WEIR__PART_TASKS:
        run_tasks(loop);
        if (loop->promises.late.first != NULL)
            loop->promises.hooks->after_tasks(loop);
        loop->part = WEIR__PART_WAIT;
        /* fall through */
    case WEIR__PART_WAIT:
        err = wait(loop, limit_ns);
        if (err != 0)
            return err;
        loop->part = WEIR__PART_FDS;
        /* fall through */
    case WEIR__PART_FDS:
        run_descriptors(loop);
        weir__tasks_move(&loop->immediate_batch, &loop->immediates);
        loop->part = WEIR__PART_IMMEDIATES;
        /* fall through */
    case WEIR__PART_IMMEDIATES:
        run_list(loop, &loop->immediate_batch, WEIR_KIND_IMMEDIATE);
        weir__tasks_move(&loop->closing_batch, &loop->closing);
        loop->part = WEIR__PART_CLOSE;
        /* fall through */
    case WEIR__PART_CLOSE:
        run_list(loop, &loop->closing_batch, WEIR_KIND_CLOSE);
    }
    return 0;
}

/* After weir_raise it goes on with the part that it was in. */
int weir__loop_turn(weir_loop *loop, int64_t limit_ns)
{
    jmp_buf landing;
    int err;

    begin_turn(loop);
    loop->landing = &landing;
    switch (_setjmp(landing)) {
    case WEIR__LANDED_RAISED:
        weir__loop_uncaught(loop);
        break;
    case WEIR__LANDED_FORKED:
        loop->landing = NULL;
        return WEIR_EFORKED;
    default:
        break;
    }
    err = run_parts(loop, limit_ns);
    loop->landing = NULL;
    return err;
}
