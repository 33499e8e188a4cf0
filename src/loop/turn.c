/* SPDX-License-Identifier: MIT */
/*
 * turn -- one turn of a loop, part by part.
 *
 * Everything here runs on the loop's thread.  Pending work is kept in the loop,
 * not on the stack: weir_raise may leave any callback by a jump to the landing
 * in weir__loop_turn, and the turn then continues with the part that it was in.
 * So each part dequeues an item before it calls it, and may be restarted at any
 * time.  One landing serves a whole turn; a callback that does not raise pays
 * nothing for it.
 *
 * A part runs what was queued when it began; what callbacks add waits for the
 * next turn.  This is why there is a `batch` beside `ready`.
 *
 * Sleeping  A loop sleeps when there is nothing to call.  This file decides
 *           that for everything that belongs to this thread, and the ingress
 *           word decides it for all else (prepare_sleep, ingress.c).  The
 *           loop sleeps on that word as a futex, or in the poller if it has
 *           descriptors.  A thread that takes the loop out of its sleep in the
 *           poller owes it a wake-up.  The loop counts the wake-ups still to
 *           come (owed_wakes), because the poller must not be closed before
 *           they have arrived.
 *
 * Tested by  test/unit/loop/turn.c, test/unit/loop/loop.c,
 *            test/model/loop/loop.c
 */
#include <errno.h>

#include "base/clock.h"
#include "base/spin.h"
#include "loop/loop.h"
#include "loop/virtual.h"

static inline void look_at_clock(weir_loop *loop)
{
    loop->now_ns = weir_clock_now();
    loop->since_ns = weir__clock_is_frozen() ? 0 : loop->now_ns;
    loop->has_called = false;
    weir__loop_show_turn(loop);
}

/* ---- around each callback ---- */

__attribute__((cold)) static void begin_timed(weir_loop *loop)
{
    loop->untimed = 0;
    loop->began = weir__tsc_read();
    if (loop->ring != NULL)
        weir__loop_record_begin(loop);
}

static inline void begin(weir_loop *loop, weir_kind kind, const char *name)
{
    loop->has_called = true;
    if (WEIR__ORIGINS)
        store_relaxed(&loop->running.from, NULL); /* relaxed: for report */
    /* While the loop terminates, a report may ask how long a callback has held
     * it.  Otherwise the start of the turn is close enough, because reading the
     * clock costs more than most callbacks. */
    weir__pulse_begin(&loop->running, kind, name,
                      weir__loop_is_ending(loop) || WEIR__ORIGINS
                          ? weir__clock_real()
                          : loop->since_ns);
    if (loop->untimed-- == 0) /* never without metrics and recorder */
        begin_timed(loop);
}

void weir__loop_begin(weir_loop *loop, weir_kind kind, const char *name)
{
    begin(loop, kind, name);
}

void weir__loop_begin_other(weir_loop *loop, weir_kind kind, const char *name)
{
    if (loop->counters != NULL)
        weir__counters_add(&loop->counters->others, 1);
    weir__loop_begin(loop, kind, name);
}

/* From now on every callback gets WEIR_ECANCELED.  In a forked child no
 * callback runs: it leaves the turn.  A close sets the hint before END; until
 * END is set, the end has not begun. */
static void begin_cancel(weir_loop *loop)
{
    if (weir__loop_is_foreign(loop))
        _longjmp(*loop->landing, WEIR__LANDED_FORKED);
    if (weir__ingress_look(&loop->in) & 1)
        weir__loop_notice_close(loop);
}

__attribute__((cold)) static void take_hints(weir_loop *loop, uint32_t hints)
{
    if (hints & WEIR__HINT_BLOCKED)
        weir__loop_show_ended(loop);
    if (hints & WEIR__HINT_CANCELLED)
        begin_cancel(loop);
}

/* Check for a close before each callback that was accepted earlier, and whether
 * the watchdog waits for the end of the last one. */
static void notice_close(weir_loop *loop)
{
    /* relaxed: a hint; loop->cancel makes it certain */
    uint32_t hints = load_relaxed(&loop->hints);

    if (hints != 0)
        take_hints(loop, hints);
}

__attribute__((cold)) static void end_timed(weir_loop *loop)
{
    uint64_t now = weir__tsc_read();

    if (loop->counters != NULL)
        loop->untimed = weir__counters_end(
            loop->counters, loop->began, now,
            /* relaxed: own */
            (weir_kind)(load_relaxed(&loop->running.kind) - 1),
            load_relaxed(&loop->running.name), /* relaxed: own */
            weir__loop_queued(loop));
    else
        loop->untimed = weir__loop_unmeasured(loop, now - loop->began);
    if (loop->ring != NULL)
        weir__loop_record_end(loop, now);
    loop->began = 0;
}

static inline void end(weir_loop *loop)
{
    if (weir__loop_has_microtasks(loop))
        weir__loop_checkpoint(loop);
    if (loop->began != 0)
        end_timed(loop);
    weir__pulse_end(&loop->running);
    notice_close(loop);
}

void weir__loop_end(weir_loop *loop)
{
    end(loop);
}

/* ---- the parts ---- */

enum {
    MANY = 16, /* tasks that are worth having lost the core */
    MOST_SLEEPS = 63
};

/* Decide whether to yield again, after give_way has lost the core for a while
 * and `arrived` tasks have come since. */
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
    if (loop->counters != NULL)
        weir__counters_add(&loop->counters->arrived, arrived);
    if (loop->ring != NULL && arrived > 1)
        weir__loop_record_depth(loop, weir__loop_queued(loop));
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
        weir__loop_show_origin(loop, weir__origin_take(task));
        weir__loop_show_arg(loop, task);
        loop->task = task;
        /* The task leaves the queue as it starts.  relaxed: own, shown to
         * report */
        store_relaxed(&loop->run, load_relaxed(&loop->run) + 1);
        task->run(task, loop->status);
        end(loop);
    }
    if (loop->counters != NULL)
        /* Both counts are consistent here.  relaxed: own, and count */
        store_relaxed(&loop->counters->tasks,
                      load_relaxed(&loop->run) -
                          load_relaxed(&loop->counters->inner));
}

/* ---- waiting ---- */

static bool has_descriptors(weir_loop *loop)
{
    /* relaxed: a count; an add on another thread then wakes the loop */
    return load_relaxed(&loop->fds.count) > 0;
}

struct weir__poller *weir__loop_choose_poller(weir_loop *loop)
{
    /* relaxed: a thread that changes it then wakes the loop */
    uint32_t mode = load_relaxed(&loop->fd_mode);
    bool on_futex = loop->is_stepped
                        ? mode == WEIR_FD_MODE_NEVER
                        : mode != WEIR_FD_MODE_ALWAYS && !has_descriptors(loop);

    /* A loop that cancels everything does not use the poller, which may fail.
     * loop/P4 acquire: receives the poller, which any thread may make */
    return on_futex || weir__loop_is_cancelling(loop)
               ? NULL
               : load_acquire(&loop->poller);
}

bool weir__loop_is_quiet(const weir_loop *loop)
{
    return weir__tasks_is_empty(&loop->ready) &&
           weir__tasks_is_empty(&loop->immediates) &&
           weir__tasks_is_empty(&loop->closing) &&
           !weir__loop_has_microtasks(loop);
}

/* In epoll and poll the kernel also allows itself 0.1% of the wait. */
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

/* The real-clock time until which the loop may sleep; 0: not at all, negative:
 * no limit.  While the clock is frozen no timer comes nearer; a thread that
 * moves the clock wakes the loop. */
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

/* Take what the poller has returned: events, or an error. */
static int take_events(weir_loop *loop, struct weir__poller *poller, int got)
{
    if (got < 0)
        return got;
    loop->event_at = 0;
    loop->event_count = got;
    for (int i = 0; i < got; i++)
        if (loop->events[i].token == WEIR__POLLER_WAKE)
            loop->owed_wakes -= weir__poller_take_wakes(poller, false);
    return 0;
}

static inline bool prepare_sleep(weir_loop *loop, enum weir__sleep_on on)
{
    bool may_sleep;

    loop->is_virtual = loop->member != NULL && weir__clock_is_frozen();
    may_sleep = loop->is_virtual
                    ? weir__virtual_prepare_sleep(loop, on)
                    : weir__ingress_prepare_sleep(&loop->in, on,
                                                  weir__loop_is_ending(loop));
    if (may_sleep)
        weir__loop_show_sleep(loop);
    return may_sleep;
}

static inline void finish_sleep(weir_loop *loop, bool in_poller)
{
    if (!weir__ingress_finish_sleep(&loop->in))
        weir__loop_woken(loop, in_poller);
    weir__loop_show_waking(loop);
    if (loop->is_virtual)
        weir__virtual_finish_sleep(loop);
}

/* In virtual time the loop wakes up before it takes the events: a loop that
 * sleeps has none. */
static int sleep_in_poller(weir_loop *loop, struct weir__poller *poller,
                           int64_t until_ns)
{
    bool is_left = loop->is_virtual && weir__poller_await(poller, until_ns);
    int got = is_left ? 0 : weir__poller_wait(poller, loop->events, until_ns);

    finish_sleep(loop, true);
    return is_left ? weir__poller_wait(poller, loop->events, 0) : got;
}

/* Sleep in the poller, or only poll it. */
static int poll(weir_loop *loop, struct weir__poller *poller, int64_t until_ns)
{
    bool sleeps = until_ns != 0 && prepare_sleep(loop, WEIR__SLEEP_ON_POLLER);
    int got = sleeps ? sleep_in_poller(loop, poller, until_ns)
                     : weir__poller_wait(poller, loop->events, 0);

    return take_events(loop, poller, got);
}

static void sleep_on_futex(weir_loop *loop, int64_t until_ns)
{
    if (until_ns == 0 || !prepare_sleep(loop, WEIR__SLEEP_ON_FUTEX))
        return;
    weir__ingress_sleep(&loop->in, until_ns);
    finish_sleep(loop, false);
}

/* ---- yielding ---- */

/* If this turn took results from other threads and sent new jobs to a pool, let
 * the workers have the core before sleeping.  Otherwise a worker that shares
 * the core with the loop would be preempted by each result that it delivers: a
 * wake-up and two context switches per job, which cost twenty times as much as
 * the rest.  On its own core the loop loses a tenth of a microsecond.
 *
 * Yield only in that case: unlike a thread that sleeps, one that has yielded is
 * not scheduled when work arrives, and after its next sleep it is scheduled
 * later.  If other threads keep the core for long and little has arrived (drain
 * checks), the loop skips the yield before its next sleep; then before 3
 * sleeps, 7 sleeps, and so on.
 *
 * Returns true if there is new work. */
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
    return weir__ingress_has_news(&loop->in, weir__loop_is_ending(loop));
}

/* ---- spinning ---- */

/* What a spin looks at: the word that other threads change, and, if there are
 * descriptors, the poller, whose events it takes. */
struct search {
    weir_loop *loop;
    struct weir__poller *poller; /* NULL: no descriptors */
    int got;                     /* events of the poller, or an error */
};

static bool has_news(void *arg)
{
    struct search *search = arg;
    weir_loop *loop = search->loop;

    if (weir__ingress_has_news(&loop->in, weir__loop_is_ending(loop)))
        return true;
    if (search->poller != NULL)
        search->got = weir__poller_wait(search->poller, loop->events, 0);
    return search->got != 0;
}

/* A successful spin doubles the next limit, up to what the user allows; a
 * failed one halves it. */
static bool spin(struct search *search, int64_t until_ns)
{
    const struct weir__gaze gaze = {.pauses = 32, .looks = 4};
    weir_loop *loop = search->loop;
    int64_t began_ns = weir__clock_real();
    int64_t end_ns = began_ns + loop->spin_ns;

    if (until_ns >= 0 && until_ns < end_ns)
        end_ns = until_ns;
    if (weir__spin(gaze, began_ns, end_ns, has_news, search)) {
        loop->spin_ns = 2 * loop->spin_ns < loop->options.spin_ns
                            ? 2 * loop->spin_ns
                            : loop->options.spin_ns;
        return true;
    }
    if (loop->spin_ns > WEIR__SHORTEST_SPIN_NS)
        loop->spin_ns /= 2;
    return false;
}

/* ---- waiting, all together ---- */

static int wait(weir_loop *loop, int64_t limit_ns)
{
    struct weir__poller *poller = weir__loop_choose_poller(loop);
    int64_t until_ns = wait_limit(loop, limit_ns, poller != NULL);
    struct search search = {loop, poller, 0};
    uint64_t began = 0;
    bool is_counted;
    int err = 0;

    if (until_ns != 0 &&
        (loop->options.spin_ns > 0 ? spin(&search, until_ns) : give_way(loop)))
        until_ns = 0;
    if (until_ns != 0)
        weir__recycler_trim(&loop->envelopes);
    is_counted = loop->counters != NULL && until_ns != 0;
    if (is_counted)
        weir__counters_sleep(loop->counters);
    if (loop->ring != NULL && until_ns != 0)
        began = weir__tsc_read();
    if (search.got != 0)
        err = take_events(loop, poller, search.got);
    else if (poller != NULL)
        err = poll(loop, poller, until_ns);
    else
        sleep_on_futex(loop, until_ns);
    if (is_counted)
        weir__counters_slept(loop->counters);
    if (began != 0)
        weir__loop_record_sleep(loop, began);
    notice_close(loop);
    look_at_clock(loop);
    return err;
}

/* ---- the turn ---- */

/* Whether a timer, a microtask or a task of this thread may run before the wait,
 * which looks at the clock.  A loop that only serves descriptors has none, and
 * need not look at the clock and the timers twice in each turn.  What other
 * threads have posted is not known yet. */
static inline bool has_early_work(const weir_loop *loop)
{
    return !weir__wheel_is_never_due(&loop->timers.wheel) ||
           !weir__tasks_is_empty(&loop->ready) ||
           weir__loop_has_microtasks(loop) || loop->is_stepped;
}

/* A turn usually begins where the wait of the last one ended; then now_ns is
 * still current. */
static void begin_turn(weir_loop *loop)
{
    loop->has_rest = weir__loop_has_microtasks(loop);
    loop->has_timers = has_early_work(loop);
    if (loop->has_timers) {
        if (loop->has_called)
            look_at_clock(loop);
        weir__wheel_begin(&loop->timers.wheel, loop->now_ns);
    }
    loop->has_sent = false;
    loop->part = WEIR__PART_DRAIN;
    if (loop->counters != NULL)
        weir__counters_add(&loop->counters->turns, 1);
}

static void take_in(weir_loop *loop)
{
    if (weir__ingress_look(&loop->in) & 1)
        weir__loop_notice_end(loop);
    drain(loop);
    notice_close(loop);
    if (loop->has_called &&
        (!weir__tasks_is_empty(&loop->ready) || weir__loop_is_ending(loop)))
        look_at_clock(loop); /* begin_turn did not */
    weir__tasks_move(&loop->batch, &loop->ready);
}

static void run_timers(weir_loop *loop)
{
    weir__timers_run(loop);
    if (weir__loop_is_cancelling(loop))
        weir__loop_notice_timers(loop);
}

static void run_descriptors(weir_loop *loop)
{
    if (loop->event_at != loop->event_count)
        weir__fds_run(loop);
    if (weir__loop_is_cancelling(loop))
        weir__loop_cancel_rest(loop);
}

/* Run the rest of the turn.  Most parts of most turns have nothing to do, and a
 * loop that was woken passes through several of them before its first callback:
 * so the cases fall through. */
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
        if (loop->has_timers || weir__loop_is_ending(loop))
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

/* After weir_raise the turn continues with the part that it was in. */
int weir__loop_turn(weir_loop *loop, int64_t limit_ns)
{
    jmp_buf landing;
    uint64_t began = weir__recorder_has_everything() ? weir__tsc_read() : 0;
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
    if (loop->ring != NULL && weir__recorder_has_everything())
        weir__loop_record_turn(loop, began);
    return err;
}
