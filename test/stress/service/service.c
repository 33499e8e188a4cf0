/* SPDX-License-Identifier: MIT */
/*
 * service -- requests, jobs and tasks from all sides while it is stopped, and
 * sometimes forced, by several at once.
 *
 *   Each request that was admitted leaves before the hook runs; each job and
 *   task that was accepted is called once; closed is called once.  Each loop is
 *   told of the drain once, before the gate shuts, whenever the signal comes.
 *
 * effort.h says what sets the number of rounds.
 */
#include "weir/service.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "support/crew.h"
#include "support/effort.h"
#include "support/random.h"
#include "support/suite.h"

enum { THREADS = 4 };

static weir_service *service;
static weir_loop *loop;
static weir_pool *pool;
static bool forces; /* const during a round */

/* Atomic, relaxed: so as not to hide a race. */
static uint64_t accepted, called, closed, hooks, inside;

#define add(counter) __atomic_add_fetch(&(counter), 1, __ATOMIC_RELAXED)
#define get(counter) __atomic_load_n(&(counter), __ATOMIC_RELAXED)

static void on_closed(void *arg, weir_service *of, int status)
{
    expect_status(status, forces ? status : 0);
    add(closed);
}

static void on_report(void *arg, weir_service *of)
{
}

static void hook(void *arg)
{
    expect_int(get(inside), 0);
    add(hooks);
}

static void task(void *arg, int status)
{
    add(called);
}

static void job(void *arg, int status)
{
    if (status == 0 && weir_loop_submit(loop, task, NULL) == 0)
        add(accepted);
    add(called);
}

static bool request(void)
{
    weir_gate *gate = weir_service_gate(service);

    if (weir_gate_enter(gate) != 0)
        return false;
    add(inside);
    if (weir_pool_submit(pool, job, NULL, NULL) == 0)
        add(accepted);
    if (weir_loop_submit(loop, task, NULL) == 0)
        add(accepted);
    __atomic_sub_fetch(&inside, 1, __ATOMIC_RELAXED);
    weir_gate_exit(gate);
    return true;
}

static void stop_it(struct random *random)
{
    (void)weir_service_stop(service);
    if (forces && random_below(random, 2) == 0)
        (void)weir_service_force(service);
}

static void live(struct crew *crew, unsigned id)
{
    struct random random = {*(uint64_t *)crew->context + id};
    uint64_t stop_at = random_below(&random, 200);

    for (uint64_t i = 0; request(); i++) {
        if (i == stop_at)
            stop_it(&random);
        if (random_below(&random, 8) == 0)
            sched_yield();
    }
    stop_it(&random);
    if (forces)
        (void)!weir_service_wait(service, -1);
    else
        expect_status(weir_service_wait(service, -1), 0);
}

static void play(uint64_t seed)
{
    const weir_service_options options = {.size = sizeof(options),
                                          .timeout_ns = -1,
                                          .grace_ns = 1000000000,
                                          .no_signals = true,
                                          .on_report = on_report,
                                          .closed = on_closed};
    const weir_pool_options few = {
        .size = sizeof(few), .workers = 2, .max_workers = 2};

    accepted = called = closed = hooks = inside = 0;
    expect_status(weir_service_new(&service, &options), 0);
    expect_status(weir_service_add_loop(service, &loop, NULL), 0);
    expect_status(weir_service_add_pool(service, &pool, &few), 0);
    expect_status(weir_service_add_hook(service, "hook", -1, hook, NULL), 0);
    expect_status(weir_service_start(service), 0);
    crew_run(THREADS, live, &seed);
    while (weir_service_free(service) != 0)
        sched_yield();
    expect_int(get(called), get(accepted));
    expect_int(get(closed), 1);
    expect(forces || get(hooks) == 1);
}

static void play_for(double seconds, bool is_forced)
{
    struct random random = {random_seed()};
    struct effort effort = effort_begin(seconds);

    forces = is_forced;
    while (effort_goes_on(&effort))
        play(random_next(&random));
}

CASE(service_stopped_by_all_at_once_loses_nothing)
{
    play_for(2, false);
}

CASE(service_forced_at_any_moment_tells_all_of_it)
{
    play_for(2, true);
}

/* ---- SIGTERM at any moment, and loops that are notified of the drain ---- */

enum { LOOPS = 3, CALLBACKS = 6 };

static weir_loop *loops[LOOPS];
static uint64_t told; /* as above */

static void on_drain(void *arg, int status)
{
    weir_gate *gate = weir_service_gate(service);

    expect(weir_loop_current() == arg);
    add(told);
    if (!forces) {
        expect_status(status, 0);
        expect_status(weir_gate_enter(gate), 0);
        expect(get(told) <= CALLBACKS); /* the hook comes later */
        expect_int(get(hooks), 0);
        weir_gate_exit(gate);
    }
}

static void signal_it(struct crew *crew, unsigned id)
{
    struct random random = {*(uint64_t *)crew->context + id};
    uint64_t at = random_below(&random, 300);

    for (uint64_t i = 0; i < at; i++)
        if (random_below(&random, 4) == 0)
            sched_yield();
    if (id == 0 || forces)
        expect_int(kill(getpid(), SIGTERM), 0);
    if (forces)
        (void)!weir_service_wait(service, -1);
    else
        expect_status(weir_service_wait(service, -1), 0);
}

static void play_signals(uint64_t seed)
{
    const weir_service_options options = {.size = sizeof(options),
                                          .timeout_ns = -1,
                                          .grace_ns = 1000000000,
                                          .on_report = on_report,
                                          .closed = on_closed};

    closed = hooks = told = inside = 0;
    expect_status(weir_service_new(&service, &options), 0);
    for (int i = 0; i < LOOPS; i++)
        expect_status(weir_service_add_loop(service, &loops[i], NULL), 0);
    for (int i = 0; i < CALLBACKS; i++)
        expect_status(weir_service_on_drain(service, loops[i % LOOPS], on_drain,
                                            loops[i % LOOPS]),
                      0);
    expect_status(weir_service_add_hook(service, "hook", -1, hook, NULL), 0);
    expect_status(weir_service_start(service), 0);
    crew_run(2, signal_it, &seed);
    while (weir_service_free(service) != 0)
        sched_yield();
    expect_int(get(told), CALLBACKS);
    expect_int(get(closed), 1);
    expect(forces || get(hooks) == 1);
}

/* Of two signals one may come after the end: the default action would be the
 * end of the test. */
static void play_signals_for(double seconds, bool is_forced)
{
    struct random random = {random_seed()};
    struct effort effort = effort_begin(seconds);

    signal(SIGTERM, SIG_IGN);
    forces = is_forced;
    while (effort_goes_on(&effort))
        play_signals(random_next(&random));
}

CASE(service_signalled_at_any_moment_tells_its_loops_before_the_gate_shuts)
{
    play_signals_for(2, false);
}

CASE(service_signalled_twice_at_any_moment_tells_its_loops_once)
{
    play_signals_for(2, true);
}
