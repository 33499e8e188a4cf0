/* SPDX-License-Identifier: MIT */
/*
 * service -- start, signals, force and deadlines against each other: `closed`
 * is called exactly once, after what was admitted has left, or by force; and
 * nobody waits forever.
 *
 * Thread 0 is the user.  The service's loop, and the threads of hooks and
 * workers, are spare ones (spare.h).  A signal is what drain.c makes of it: a
 * call on the service's thread, weir__drain_signalled.  Time stands still until
 * a thread moves it.
 *
 * A run has some hundreds of steps: the smallest cases are searched with a
 * bound on preemptions, the others drawn.
 */
#include "service/service.h"

#include <errno.h>

#include "model.h"
#include "spare.h"
#include "weir/clock.h"

enum { SECOND_NS = 1000000000 };

static weir_service *service;
static int closed;        /* how often; the service's */
static int closed_status; /* the service's, then who has waited */
static int inside;        /* what the request wrote, plain */
static atomic(int) admitted, left_gate;
static atomic(int) hooks, jobs, cancelled;
static int force_result; /* of who forces, then of finish */

static void on_closed(void *arg, weir_service *of, int status)
{
    model_assert(of == service);
    plain_store(&closed, plain_load(&closed) + 1);
    plain_store(&closed_status, status);
    if (status == 0) { /* nothing that was admitted is inside */
        model_assert(load_relaxed(&admitted) == load_relaxed(&left_gate));
        if (load_relaxed(&admitted))
            model_assert(plain_load(&inside) == 1);
    }
}

static void be_quiet(void *arg, weir_service *of)
{
}

static void make(unsigned spares)
{
    weir_service_options options = {.size = sizeof(options),
                                    .timeout_ns = SECOND_NS,
                                    .grace_ns = SECOND_NS,
                                    .no_signals = true,
                                    .on_report = be_quiet,
                                    .closed = on_closed};

    model_assert(weir_clock_freeze(SECOND_NS) == 0);
    model_spares(1, spares);
    model_assert(weir_service_new(&service, &options) == 0);
}

static void init(void)
{
    make(1);
}

static void init_two(void)
{
    make(2);
}

/* ---- the user ---- */

static void await_end(void)
{
    int err = weir_service_wait(service, -1);

    model_assert(err == 0 || err == WEIR_EFORCED);
    model_assert(plain_load(&closed) == 1);
    model_assert(plain_load(&closed_status) == err);
    model_assert(weir_service_phase(service) == WEIR_PHASE_CLOSED);
    model_spares_end();
}

static void start_and_wait(void)
{
    model_assert(weir_service_start(service) == 0);
    await_end();
}

static void start_stop_and_wait(void)
{
    model_assert(weir_service_start(service) == 0);
    (void)weir_service_stop(service);
    await_end();
}

/* ---- the others ---- */

static void stop(void)
{
    int err = weir_service_stop(service);

    model_assert(err == 0 || err == -EALREADY);
}

static void on_signal(void *arg, int status)
{
    if (status == 0)
        weir__drain_signalled(service, 1);
}

/* Refused once the service's loop ends: then it is as if it came later. */
static void signal_once(void)
{
    (void)!weir_loop_submit(service->loop, on_signal, NULL);
}

static void signal_twice(void)
{
    signal_once();
    signal_once();
}

static void force(void)
{
    int err = weir_service_force(service);

    model_assert(err == 0 || err == -EALREADY || err == WEIR_ENOTSTARTED);
    force_result = err;
    if (err == WEIR_ENOTSTARTED)
        stop(); /* somebody has to end it */
}

static void request(void)
{
    weir_gate *gate = weir_service_gate(service);

    if (weir_gate_enter(gate) != 0)
        return;
    store_relaxed(&admitted, 1);
    plain_store(&inside, 1);
    store_relaxed(&left_gate, 1);
    weir_gate_exit(gate);
}

static void second_goes_by(void)
{
    model_assert(weir_clock_advance(2 * (int64_t)SECOND_NS) == 0);
    weir_loop_wake(service->loop);
}

/* ---- the end ---- */

static void freed(void)
{
    model_assert(closed == 1);
    model_assert(weir_service_free(service) == 0);
    service = NULL;
}

static void freed_and_not_forced(void)
{
    model_assert(closed_status == 0);
    freed();
}

/* A force that is refused has no effect. */
static void freed_and_forced_if_it_was_told(void)
{
    model_assert(closed_status == (force_result == 0 ? WEIR_EFORCED : 0));
    freed();
}

/* ---- hooks ---- */

static void hook(void *arg)
{
    fetch_add_relaxed(&hooks, 1);
}

static void init_hook(void)
{
    make(2);
    model_assert(
        weir_service_add_hook(service, "hook", SECOND_NS, hook, NULL) == 0);
}

static void hook_ran_unless_forced(void)
{
    model_assert(hooks.v_ == 1 || (hooks.v_ == 0 && closed_status != 0));
    freed();
}

/* Whoever frees it need not have waited for it. */
static void start_stop_and_free(void)
{
    model_assert(weir_service_start(service) == 0);
    (void)weir_service_stop(service);
    if (weir_service_free(service) == -EBUSY) {
        await_end();
        model_assert(weir_service_free(service) == 0);
    } else {
        model_spares_end();
    }
}

static void hook_ran(void)
{
    model_assert(closed == 1 && hooks.v_ == 1);
    model_assert(model_spares_are_joined());
}

/* Somebody who looks all the time. */
static void look(void)
{
    weir_holder holders[4];

    (void)weir_service_report(service, holders, 4, sizeof(weir_holder));
}

static void add_hook_start_and_stop(void)
{
    model_assert(weir_service_add_hook(service, "hook", -1, hook, NULL) == 0);
    start_stop_and_wait();
}

/* ---- a pool ---- */

static weir_pool *pool;

static void work(void *arg, int status)
{
    fetch_add_relaxed(status == 0 ? &jobs : &cancelled, 1);
}

static void init_pool(void)
{
    const weir_pool_options one = {
        .size = sizeof(one), .workers = 1, .max_workers = 1};

    make(2);
    model_assert(weir_service_add_pool(service, &pool, &one) == 0);
}

static void start_work_and_wait(void)
{
    model_assert(weir_service_start(service) == 0);
    if (weir_pool_submit(pool, work, NULL, NULL) != 0)
        fetch_add_relaxed(&cancelled, 1);
    stop();
    await_end();
}

static void job_was_called_once(void)
{
    model_assert(jobs.v_ + cancelled.v_ == 1);
    freed();
}

/* ---- a loop ---- */

static weir_loop *loop;

static void work_on_loop(void *arg, int status)
{
    fetch_add_relaxed(status == 0 ? &jobs : &cancelled, 1);
}

/* Its thread runs when add_loop returns. */
static void add_loop_start_and_wait(void)
{
    model_assert(weir_service_add_loop(service, &loop, NULL) == 0);
    model_assert(weir_loop_submit(loop, work_on_loop, NULL) == 0);
    model_assert(weir_service_start(service) == 0);
    await_end();
}

/* ---- the beginning of the drain, on a loop ---- */

static atomic(int) told, refused;

/* The gate admits, unless the end is forced. */
static void on_drain(void *arg, int status)
{
    weir_gate *gate = weir_service_gate(service);

    fetch_add_relaxed(&told, 1);
    if (status != 0)
        return;
    if (weir_gate_enter(gate) == 0)
        weir_gate_exit(gate);
    else
        fetch_add_relaxed(&refused, 1);
}

static void add_callback_start_and_wait(void)
{
    model_assert(weir_service_add_loop(service, &loop, NULL) == 0);
    model_assert(weir_service_on_drain(service, loop, on_drain, NULL) == 0);
    model_assert(weir_service_start(service) == 0);
    await_end();
}

/* Of its own accord, before the drain or during it. */
static void shut_loop_down(void *arg, int status)
{
    if (status == 0)
        (void)!weir_loop_shutdown(loop, 0);
}

static void add_callback_start_and_end_loop(void)
{
    model_assert(weir_service_add_loop(service, &loop, NULL) == 0);
    model_assert(weir_service_on_drain(service, loop, on_drain, NULL) == 0);
    model_assert(weir_service_start(service) == 0);
    (void)!weir_loop_submit(loop, shut_loop_down, NULL);
    await_end();
}

static void told_once_and_admitted_unless_forced(void)
{
    model_assert(refused.v_ == 0 || closed_status == WEIR_EFORCED);
    freed();
    model_assert(told.v_ == 1);
}

static void told_once_before_the_gate_shut(void)
{
    model_assert(closed_status == 0);
    told_once_and_admitted_unless_forced();
}

/* ---- mistakes ---- */

/* A drain that does not wait for the loops. */
static void shut_the_gate(void)
{
    if (weir_service_phase(service) == WEIR_PHASE_DRAINING)
        (void)!weir_gate_drain(&service->gate);
}

/* A start that says RUNNING without a look at what it replaces: a stop that
 * came before is forgotten. */
static void start_without_looking(void)
{
    (void)!weir_gate_start(&service->gate);
    store_release(&service->word, WEIR_PHASE_RUNNING);
    await_end();
}

/* A stop that looks at the phase first, and then says STOP: a start in between
 * has seen no STOP, and nobody tells the service's loop. */
static void stop_in_two_steps(void)
{
    bool is_running = weir_service_phase(service) == WEIR_PHASE_RUNNING;

    fetch_or_acquire(&service->word, WEIR__SERVICE_STOP);
    if (is_running)
        (void)!weir_loop_post(service->loop, &service->stop);
}

/* A force that takes its steps on its own thread, beside the service's loop. */
static void force_by_hand(void)
{
    if (weir_service_phase(service) == WEIR_PHASE_DRAINING) {
        fetch_or_acquire(&service->word, WEIR__SERVICE_FORCE);
        service->is_empty = true;
        weir__drain_advance(service);
    }
}

/* A drain that does not wait for the gate. */
static void drain_past_the_gate(void *arg, int status)
{
    service->is_empty = true;
    weir__drain_advance(service);
}

static void start_and_drain_past_the_gate(void)
{
    model_assert(weir_service_start(service) == 0);
    stop();
    (void)!weir_loop_submit(service->loop, drain_past_the_gate, NULL);
    await_end();
}

static const struct model_case cases[] = {
    {"start_against_stop", .setup = init, .finish = freed, .steps = 3000,
     .preemption_bound = 3,
     .threads = {T(start_and_wait), T(model_spare), T(stop)}},
    {"start_against_a_signal", .setup = init, .finish = freed_and_not_forced,
     .steps = 3000, .preemption_bound = 2,
     .threads = {T(start_and_wait), T(model_spare), T(signal_once)}},
    {"stop_against_a_signal_does_not_force", .setup = init,
     .finish = freed_and_not_forced, .steps = 3000, .preemption_bound = 1,
     .threads = {T(start_stop_and_wait), T(model_spare), T(signal_once)}},
    {"two_stops_close_once", .setup = init, .finish = freed, .steps = 3000,
     .preemption_bound = 2,
     .threads = {T(start_stop_and_wait), T(model_spare), T(stop)}},
    {"stop_against_force", .setup = init,
     .finish = freed_and_forced_if_it_was_told, .steps = 3000,
     .preemption_bound = 2,
     .threads = {T(start_stop_and_wait), T(model_spare), T(force)}},
    {"request_leaves_before_it_is_closed", .setup = init, .finish = freed,
     .steps = 3000, .preemption_bound = 2,
     .threads = {T(start_stop_and_wait), T(model_spare), T(request)}},
    {"signals_force_and_request_meet", .setup = init, .finish = freed,
     .steps = 3000, .random_runs = 4000, .pct_depth = 4,
     .threads = {T(start_stop_and_wait), T(model_spare), T(signal_twice),
                 T(force), T(request)}},
    {"hook_runs_once_against_its_deadline_and_force", .setup = init_hook,
     .finish = hook_ran_unless_forced, .steps = 3000, .random_runs = 4000,
     .pct_depth = 4,
     .threads = {T(start_stop_and_wait), T(model_spare), T(model_spare),
                 T(second_goes_by), T(force)}},
    {"hook_is_joined_by_one_who_has_not_waited", .setup = init_hook,
     .finish = hook_ran, .steps = 3000, .random_runs = 4000, .pct_depth = 3,
     .threads = {T(start_stop_and_free), T(model_spare), T(model_spare)}},
    {"report_sees_hooks_that_are_whole", .setup = init_two,
     .finish = hook_ran_unless_forced, .steps = 3000, .preemption_bound = 1,
     .threads = {T(add_hook_start_and_stop), T(model_spare), T(model_spare),
                 T(look)}},
    {"pool_ends_before_it_is_closed_or_by_force", .setup = init_pool,
     .finish = job_was_called_once, .steps = 4000, .random_runs = 2000,
     .pct_depth = 4,
     .threads = {T(start_work_and_wait), T(model_spare), T(model_spare),
                 T(signal_twice)}},
    {"loop_ends_before_it_is_closed_or_by_force", .setup = init_two,
     .finish = job_was_called_once, .steps = 4000, .random_runs = 2000,
     .pct_depth = 4,
     .threads = {T(add_loop_start_and_wait), T(model_spare), T(model_spare),
                 T(stop), T(force)}},
    {"loop_is_told_of_the_drain_before_the_gate_shuts", .setup = init_two,
     .finish = told_once_before_the_gate_shut, .steps = 4000,
     .random_runs = 2000, .pct_depth = 4,
     .threads = {T(add_callback_start_and_wait), T(model_spare), T(model_spare),
                 T(stop)}},
    {"loop_is_told_of_the_drain_once_or_by_force", .setup = init_two,
     .finish = told_once_and_admitted_unless_forced, .steps = 4000,
     .random_runs = 2000, .pct_depth = 4,
     .threads = {T(add_callback_start_and_wait), T(model_spare), T(model_spare),
                 T(stop), T(force)}},
    {"loop_that_ends_by_itself_is_told_once_and_holds_no_drain",
     .setup = init_two, .finish = told_once_before_the_gate_shut, .steps = 4000,
     .random_runs = 2000, .pct_depth = 4,
     .threads = {T(add_callback_start_and_end_loop), T(model_spare),
                 T(model_spare), T(stop)}},
    {"broken_drain_shuts_the_gate_before_the_loop_is_told", .setup = init_two,
     .finish = told_once_before_the_gate_shut, .steps = 4000,
     .expect = MODEL_ASSERTION, .random_runs = 4000, .pct_depth = 4,
     .threads = {T(add_callback_start_and_wait), T(model_spare), T(model_spare),
                 T(stop), T(shut_the_gate)}},
    {"broken_start_forgets_a_stop", .setup = init, .steps = 3000,
     .expect = MODEL_DEADLOCK, .preemption_bound = 1,
     .threads = {T(start_without_looking), T(model_spare), T(stop)}},
    {"broken_stop_in_two_steps_is_lost", .setup = init, .steps = 3000,
     .expect = MODEL_DEADLOCK, .preemption_bound = 1,
     .threads = {T(start_and_wait), T(model_spare), T(stop_in_two_steps)}},
    {"broken_force_beside_the_loop_closes_twice", .setup = init, .steps = 3000,
     .expect = MODEL_RACE, .preemption_bound = 2,
     .threads = {T(start_stop_and_wait), T(model_spare), T(force_by_hand)}},
    {"broken_drain_leaves_a_request_inside", .setup = init, .steps = 3000,
     .expect = MODEL_RACE, .preemption_bound = 2,
     .threads = {T(start_and_drain_past_the_gate), T(model_spare), T(request)}},
};

MODEL_CASES(cases)
