/* SPDX-License-Identifier: MIT */
/*
 * loop -- the whole of it, from its public functions down to the words.
 *
 * Each case has a thread that runs the loop and others that want something of
 * it.  What must hold: everything that was accepted is called once, with 0 or
 * with WEIR_ECANCELED; nobody sleeps forever; nothing is touched after it was
 * freed.
 */
#include <errno.h>

#include "model.h"
#include "readiness.h"
#include "weir/fd.h"
#include "weir/loop.h"
#include "weir/timer.h"

static weir_loop *loop;
static int accepted[MODEL_THREADS]; /* each thread's own */
static int called;                  /* the loop's thread's */
static int done;

static void on_done(void *arg, weir_loop *ended, int status)
{
    plain_store(&done, plain_load(&done) + 1);
}

static void make(weir_fd_mode fd_mode)
{
    weir_loop_options options = {
        .size = sizeof(options), .fd_mode = fd_mode, .done = on_done};

    model_assert(weir_loop_new(&loop, &options) == 0);
}

static void init(void)
{
    make(WEIR_FD_MODE_AUTO);
}

static void init_in_poller(void)
{
    make(WEIR_FD_MODE_ALWAYS);
}

static void count_call(void *arg, int status)
{
    model_assert(status == 0 || status == WEIR_ECANCELED);
    plain_store(&called, plain_load(&called) + 1);
}

static int all_accepted(void)
{
    int sum = 0;

    for (int i = 0; i < MODEL_THREADS; i++)
        sum += accepted[i];
    return sum;
}

/* ---- roles ---- */

static void run(void)
{
    int err = weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED);

    model_assert(err == 0 || err == WEIR_ECLOSED || err == -EBUSY);
}

static void submit_one(void)
{
    int err = weir_loop_submit(loop, count_call, NULL);

    model_assert(err == 0 || err == WEIR_ECLOSED);
    accepted[model_self()] += err == 0;
}

static void close_it(void)
{
    model_assert(weir_loop_close(loop, -1) == 0);
    model_assert(plain_load(&done) == 1);
}

static void close_inside(void *arg, int status)
{
    model_assert(weir_loop_close(loop, -1) == 0);
}

static void init_closer(void)
{
    init();
    model_assert(weir_loop_submit(loop, close_inside, NULL) == 0);
}

static void shut_down(void)
{
    model_assert(weir_loop_shutdown(loop, -1) == 0);
    model_assert(plain_load(&done) == 1);
}

static void ended_once(void)
{
    model_assert(weir_loop_state(loop) == WEIR_LOOP_TERMINATED);
    model_assert(done == 1);
    model_assert(weir_loop_free(loop) == 0);
    loop = NULL;
}

static void ended_well(void)
{
    model_assert(called == all_accepted());
    ended_once();
}

/* ---- post against close and free ---- */

static weir_task task;
static int task_calls;

static void run_task(weir_task *posted, int status)
{
    model_assert(status == 0 || status == WEIR_ECANCELED);
    plain_store(&task_calls, plain_load(&task_calls) + 1);
}

static void init_held(void)
{
    init();
    task.run = run_task;
    weir_loop_ref(loop); /* the producer's */
    weir_loop_ref(loop); /* the runner's */
}

static void init_held_in_poller(void)
{
    init_in_poller();
    task.run = run_task;
    weir_loop_ref(loop);
    weir_loop_ref(loop);
}

static void post_and_let_go(void)
{
    int err = weir_loop_post(loop, &task);

    model_assert(err == 0 || err == WEIR_ECLOSED);
    accepted[model_self()] += err == 0;
    weir_loop_unref(loop);
}

static void run_and_let_go(void)
{
    run();
    weir_loop_unref(loop);
}

static void close_and_free(void)
{
    close_it();
    model_assert(weir_loop_free(loop) == 0);
}

static void task_was_called_if_accepted(void)
{
    model_assert(task_calls == all_accepted());
    model_assert(done == 1);
    loop = NULL; /* freed by whoever was last: a leak otherwise */
}

/* The producer holds nothing: its task has run, so its push is over but for
 * the wake, and the loop may go. */
static atomic(int) has_run;

static void note_run(weir_task *posted, int status)
{
    store_release(&has_run, 1);
}

static void init_note(void)
{
    init();
    task.run = note_run;
}

static void init_note_in_poller(void)
{
    init_in_poller();
    task.run = note_run;
}

static void post_only(void)
{
    model_assert(weir_loop_post(loop, &task) == 0);
}

static void run_until_noted_and_free(void)
{
    weir_loop *mine = loop;

    while (!load_acquire(&has_run))
        model_assert(weir_loop_step(mine, -1) == 0);
    model_assert(weir_loop_free(mine) == 0);
}

static void forget(void)
{
    loop = NULL;
}

/* ---- mode switch against submit ---- */

static void init_two_refs(void)
{
    init();
    weir_loop_ref(loop);
    weir_loop_ref(loop);
}

static void to_the_poller(void)
{
    model_assert(weir_loop_set_fd_mode(loop, WEIR_FD_MODE_ALWAYS) == 0);
    weir_loop_unref(loop);
}

static void init_two_refs_in_poller(void)
{
    init_in_poller();
    weir_loop_ref(loop);
    weir_loop_ref(loop);
}

static void to_the_futex(void)
{
    model_assert(weir_loop_set_fd_mode(loop, WEIR_FD_MODE_NEVER) == 0);
    weir_loop_unref(loop);
}

static void close_after(void)
{
    model_assert(weir_loop_free(loop) == 0);
    loop = NULL;
}

/* ---- a ref that is let go against a loop that becomes idle ---- */

static void init_ref(void)
{
    init();
    weir_loop_ref(loop);
}

static void submit_and_unref(void)
{
    model_assert(weir_loop_submit(loop, count_call, NULL) == 0);
    weir_loop_unref(loop);
}

static void run_until_idle(void)
{
    model_assert(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) == 0);
    model_assert(plain_load(&called) == 1);
}

/* What was done before the ref was let go is seen by whoever was waiting for
 * that, even if the wake that follows is still on its way. */
static int news;

static void leave_news_and_unref(void)
{
    plain_store(&news, 1);
    weir_loop_unref(loop);
}

static void run_until_idle_and_look(void)
{
    model_assert(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) == 0);
    model_assert(plain_load(&news) == 1);
}

/* ---- the memory goes with the last one who may touch it ---- */

static void init_ended(void)
{
    init_ref();
    model_assert(weir_loop_close(loop, -1) == 0);
}

static void unref(void)
{
    weir_loop_unref(loop);
}

static void free_it(void)
{
    model_assert(weir_loop_free(loop) == 0);
}

/* ---- one kick for all ---- */

static void run_only(void)
{
    model_assert(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) == 0);
}

static void wake(void)
{
    weir_loop_wake(loop);
}

static void wake_twice_and_unref(void)
{
    weir_loop_wake(loop);
    weir_loop_wake(loop);
    weir_loop_unref(loop);
}

/* ---- a host that steps the loop, and sleeps on its descriptor ---- */

static weir_timer far;
static int cancelled; /* the canceller's */

static void begin_shutdown(void *arg, int status)
{
    model_assert(weir_loop_shutdown(loop, -1) == 0);
}

static void init_hosted(void)
{
    init_in_poller();
    weir_loop_ref(loop); /* the other thread's */
}

static void init_hosted_by_two(void)
{
    init_hosted();
    weir_loop_ref(loop);
}

static void init_hosted_with_a_timer(void)
{
    init_hosted();
    model_assert(weir_timer_start(loop, &far, INT64_C(1) << 60, WEIR_TIMER_ONCE,
                                  count_call, NULL) == 0);
    model_assert(weir_loop_submit(loop, begin_shutdown, NULL) == 0);
}

static void host(void)
{
    int err;

    while ((err = weir_loop_step(loop, 0)) == 0)
        if (weir_loop_timeout(loop) != 0)
            readiness_await();
    model_assert(err == WEIR_ECLOSED || err == -EBUSY); /* ended by others */
}

static void cancel_far(void)
{
    cancelled = weir_timer_cancel(loop, far) == 0;
    weir_loop_unref(loop);
}

static void timer_had_one_end(void)
{
    model_assert(called + cancelled == 1);
    ended_once();
}

/* Who has more to do after a step wakes the poller that its host looks at: also
 * one that another thread has just made. */
static void submit_another(void *arg, int status)
{
    model_assert(weir_loop_submit(loop, count_call, NULL) == 0);
}

static void init_stepped(void)
{
    init_ref();
    model_assert(weir_loop_submit(loop, submit_another, NULL) == 0);
}

static void make_the_poller(void)
{
    int err = weir_loop_set_fd_mode(loop, WEIR_FD_MODE_ALWAYS);

    model_assert(err == 0 || err == WEIR_ECLOSED);
    weir_loop_unref(loop);
}

static void step_and_free(void)
{
    model_assert(weir_loop_step(loop, 0) == 0);
    model_assert(weir_loop_free(loop) == 0);
}

static void shut_down_and_let_go(void)
{
    shut_down();
    weir_loop_unref(loop);
}

static void close_and_let_go(void)
{
    close_it();
    weir_loop_unref(loop);
}

static const struct model_case cases[] = {
    {"submit_against_close", .setup = init, .finish = ended_well,
     .threads = {T(submit_one), T(close_it), T(run)}, .preemption_bound = 2},
    {"submit_against_close_inside", .setup = init_closer, .finish = ended_well,
     .threads = {T(submit_one), T(run)}, .preemption_bound = 2},
    {"submit_against_close_inside_and_outside", .setup = init_closer,
     .finish = ended_well, .preemption_bound = 1,
     .threads = {T(submit_one), T(close_it), T(run)}},
    {"submit_against_shutdown", .setup = init, .finish = ended_well,
     .threads = {T(submit_one), T(shut_down), T(run)}, .preemption_bound = 2},
    {"shutdown_against_close_against_submit", .setup = init,
     .finish = ended_well, .preemption_bound = 1, .brief_runs = 2000,
     .threads = {T(submit_one), T(shut_down), T(close_it), T(run)}},
    {"shutdown_against_close_against_submit_bound_2", .setup = init,
     .finish = ended_well, .preemption_bound = 2, .is_long = true,
     .threads = {T(submit_one), T(shut_down), T(close_it), T(run)}},
    {"post_against_close_and_free", .setup = init_held,
     .finish = task_was_called_if_accepted, .preemption_bound = 2,
     .brief_bound = 1,
     .threads = {T(post_and_let_go), T(close_and_free), T(run_and_let_go)}},
    {"post_against_close_and_free_in_the_poller", .setup = init_held_in_poller,
     .finish = task_was_called_if_accepted, .preemption_bound = 2,
     .brief_bound = 1,
     .threads = {T(post_and_let_go), T(close_and_free), T(run_and_let_go)}},
    {"loop_is_freed_while_the_producer_wakes_it", .setup = init_note,
     .finish = forget, .may_delay = true,
     .threads = {T(post_only), T(run_until_noted_and_free)}},
    {"loop_is_freed_while_the_producer_wakes_its_poller",
     .setup = init_note_in_poller, .finish = forget, .may_delay = true,
     .threads = {T(post_only), T(run_until_noted_and_free)}},
    {"mode_switch_against_submit", .setup = init_two_refs,
     .finish = close_after, .preemption_bound = 3, .brief_bound = 1,
     .threads = {T(submit_and_unref), T(to_the_poller), T(run_until_idle)}},
    {"mode_switch_back_against_submit", .setup = init_two_refs_in_poller,
     .finish = close_after, .preemption_bound = 2, .brief_bound = 1,
     .threads = {T(submit_and_unref), T(to_the_futex), T(run_until_idle)}},
    {"idle_waits_for_the_last_ref", .setup = init_ref, .finish = close_after,
     .threads = {T(submit_and_unref), T(run_until_idle)}},
    {"idle_sees_what_they_did_who_let_go", .setup = init_ref,
     .finish = close_after,
     .threads = {T(leave_news_and_unref), T(run_until_idle_and_look)}},
    {"last_one_out_frees_the_loop", .setup = init_ended, .finish = forget,
     .threads = {T(unref), T(free_it)}},
    {"mode_switch_hands_the_poller_over", .setup = init_ref,
     .finish = close_after, .preemption_bound = 3,
     .threads = {T(to_the_poller), T(run_only)}},
    {"host_hears_of_a_timer_cancelled_during_the_end",
     .setup = init_hosted_with_a_timer, .finish = timer_had_one_end,
     .preemption_bound = 2, .threads = {T(cancel_far), T(host)}},
    {"host_hears_of_shutdown_and_of_close", .setup = init_hosted_by_two,
     .finish = ended_well, .preemption_bound = 1,
     .threads = {T(shut_down_and_let_go), T(close_and_let_go), T(host)}},
    {"mode_switch_hands_the_poller_to_a_host", .setup = init_stepped,
     .finish = forget, .preemption_bound = 3, .brief_bound = 2,
     .threads = {T(make_the_poller), T(step_and_free)}},
    {"kick_under_way_brings_the_news_of_others", .setup = init_ref,
     .finish = close_after, .preemption_bound = 2,
     .threads = {T(wake), T(unref), T(run_only)}},
    {"kick_that_has_run_is_posted_again", .setup = init_ref,
     .finish = close_after, .preemption_bound = 3,
     .threads = {T(wake_twice_and_unref), T(run_only)}},
};

MODEL_CASES(cases)
