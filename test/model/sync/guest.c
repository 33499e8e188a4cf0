/* SPDX-License-Identifier: MIT */
/*
 * guest -- nobody uses a loop that has ended; no request for a drain is lost,
 * and the control thread's task is queued once; the loop is held and let go once.
 */
#include "weir/host/guest.h"

#include <errno.h>

#include "model.h"

enum { EARLY = 10, LATE = 20 };

static weir_loop *loop, *control;
static weir_guest guest;
static weir_task task, request;
static int results[2];             /* one of each thread that drains */
static int64_t taken_ns;           /* the control thread's */
static bool was_posted, was_held;  /* of one thread each */
static unsigned runs, takes, ends; /* of one thread each */

static void on_task(weir_task *ran, int status)
{
    runs++;
}

static void on_request(weir_task *ran, int status)
{
    int64_t deadline_ns;

    if (weir_guest_take(&guest, &deadline_ns)) {
        taken_ns = deadline_ns;
        takes++;
    }
}

static void init(void)
{
    model_assert(weir_loop_new(&loop, NULL) == 0);
    model_assert(weir_loop_new(&control, NULL) == 0);
    weir_guest_init(&guest, loop);
    task = (weir_task){.run = on_task};
    request = (weir_task){.run = on_request};
}

static void init_draining(void)
{
    init();
    model_assert(weir_guest_drain(&guest, LATE) ==
                 WEIR_GUEST_FIRST + WEIR_GUEST_TELL);
    model_assert(weir_loop_post(control, &request) == 0);
}

/* ---- threads ---- */

static void lose_loop(void)
{
    ends += weir_guest_lose_loop(&guest);
    model_assert(weir_loop_free(loop) == 0);
    loop = NULL;
}

static void end(void)
{
    ends += weir_guest_end(&guest);
}

static void post(void)
{
    was_posted = weir_guest_post(&guest, &task);
}

static int drain(int64_t deadline_ns)
{
    int result = weir_guest_drain(&guest, deadline_ns);

    /* The explorer notices a task that is posted while it is queued. */
    if (result > 0 && result & WEIR_GUEST_TELL)
        model_assert(weir_loop_post(control, &request) == 0);
    return result;
}

static void drain_early(void)
{
    results[0] = drain(EARLY);
}

static void drain_late(void)
{
    results[1] = drain(LATE);
}

static void run_control(void)
{
    model_assert(weir_loop_run(control, WEIR_RUN_UNTIL_IDLE) == 0);
}

static void hold(void)
{
    was_held = weir_guest_hold(&guest);
}

/* ---- what must hold ---- */

/* A loop that is still held never becomes idle: the explorer calls it a
 * deadlock. */
static void finish(void)
{
    run_control();
    if (loop != NULL) {
        ends += weir_guest_end(&guest);
        model_assert(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) == 0);
        model_assert(weir_loop_free(loop) == 0);
    }
    model_assert(ends == 1);
    model_assert(weir_guest_drain(&guest, 0) == -EALREADY);
    model_assert(!weir_guest_hold(&guest) && weir_guest_is_draining(&guest));
    model_assert(weir_loop_free(control) == 0);
}

static void ran_if_posted(void)
{
    finish();
    model_assert(runs == was_posted);
}

static void earliest_was_taken(void)
{
    run_control();
    model_assert(taken_ns == EARLY);
    model_assert((results[0] & WEIR_GUEST_FIRST) +
                     (results[1] & WEIR_GUEST_FIRST) ==
                 WEIR_GUEST_FIRST);
    finish();
}

static void hastened(void)
{
    run_control();
    model_assert(taken_ns == EARLY && takes >= 1 && takes <= 2);
    finish();
}

static void drained_or_ended(void)
{
    run_control();
    model_assert(results[0] >= 0 ? takes <= 1 : takes == 0);
    finish();
}

static const struct model_case cases[] = {
    {"post_while_the_loop_ends", .setup = init, .finish = ran_if_posted,
     .preemption_bound = 3, .threads = {T(lose_loop), T(post)}},
    {"two_drains_while_the_control_thread_takes", .setup = init,
     .finish = earliest_was_taken, .preemption_bound = 2,
     .threads = {T(drain_early), T(drain_late), T(run_control)}},
    {"earlier_deadline_while_the_first_is_taken", .setup = init_draining,
     .finish = hastened, .preemption_bound = 3,
     .threads = {T(drain_early), T(run_control)}},
    {"drain_while_the_guest_ends", .setup = init, .finish = drained_or_ended,
     .preemption_bound = 2,
     .threads = {T(drain_early), T(end), T(run_control)}},
    {"drain_while_the_loop_ends", .setup = init, .finish = drained_or_ended,
     .preemption_bound = 3, .threads = {T(drain_early), T(lose_loop)}},
    {"drain_and_hold_while_the_guest_ends", .setup = init,
     .finish = drained_or_ended, .preemption_bound = 2,
     .threads = {T(drain_early), T(hold), T(end)}},
    {"post_and_drain_while_the_loop_ends", .setup = init,
     .finish = ran_if_posted, .preemption_bound = 2,
     .threads = {T(post), T(drain_early), T(lose_loop)}},
};

MODEL_CASES(cases)
