/* SPDX-License-Identifier: MIT */
/*
 * service -- it drains in order, and closes once.
 */
#include "weir/service.h"

#include "support/service_fixture.h"

/* ---- phases ---- */

/* covers: weir_service_wait -ETIMEDOUT */
CASE(service_goes_from_init_to_closed)
{
    make();
    expect_int(weir_service_phase(service), WEIR_PHASE_INIT);
    expect(!weir_service_is_ready(service));
    expect_status(weir_gate_enter(weir_service_gate(service)), WEIR_ECLOSED);
    expect_status(weir_service_start(service), 0);
    expect_int(weir_service_phase(service), WEIR_PHASE_RUNNING);
    expect(weir_service_is_ready(service));
    expect_status(weir_service_wait(service, 0), -ETIMEDOUT);
    expect_status(weir_service_stop(service), 0);
    expect(!weir_service_is_ready(service));
    expect_clean_end();
}

/* covers: weir_service_start -EALREADY */
CASE(service_starts_once)
{
    make();
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_start(service), -EALREADY);
    (void)weir_service_stop(service);
    expect_status(weir_service_wait(service, -1), 0);
    expect_status(weir_service_start(service), -EALREADY);
    expect_status(weir_service_free(service), 0);
}

/* covers: weir_service_stop -EALREADY */
CASE(service_stop_before_start_is_remembered)
{
    make();
    expect_status(weir_service_stop(service), 0);
    expect_status(weir_service_stop(service), -EALREADY);
    expect_int(weir_service_phase(service), WEIR_PHASE_INIT);
    expect_status(weir_service_start(service), 0);
    expect(!weir_service_is_ready(service));
    expect_clean_end();
}

CASE(service_that_was_never_started_can_be_freed)
{
    weir_loop *loop;
    weir_pool *pool;

    make();
    expect_status(weir_service_add_loop(service, &loop, NULL), 0);
    expect_status(weir_service_add_pool(service, &pool, NULL), 0);
    expect_status(weir_service_free(service), 0);
    expect_int(seen.closed, 0);
    expect_status(weir_service_free(NULL), 0);
}

/* covers: weir_service_free -EBUSY */
CASE(service_that_runs_is_not_freed)
{
    make();
    expect_status(weir_service_start(service), 0);
    expect_int(weir_service_free(service), -EBUSY);
    (void)weir_service_stop(service);
    expect_clean_end();
}

CASE(service_is_not_ready_while_it_says_so)
{
    make();
    weir_service_set_ready(service, false);
    expect_status(weir_service_start(service), 0);
    expect(!weir_service_is_ready(service));
    expect_status(weir_gate_enter(weir_service_gate(service)), 0);
    weir_gate_exit(weir_service_gate(service));
    weir_service_set_ready(service, true);
    expect(weir_service_is_ready(service));
    (void)weir_service_stop(service);
    expect(!weir_service_is_ready(service));
    expect_clean_end();
}

/* ---- the order of the drain ---- */

static void on_draining(void *arg, weir_service *of)
{
    expect(of == service);
    expect_int(weir_service_phase(service), WEIR_PHASE_DRAINING);
    expect(!weir_service_is_ready(service));
    expect_int(weir_gate_phase(weir_service_gate(service)), WEIR_PHASE_RUNNING);
    tell('d');
}

static void hook_first(void *arg)
{
    tell('1');
}

static void hook_second(void *arg)
{
    tell('2');
}

static void on_pool_done(void *arg, weir_pool *pool, int status)
{
    expect_status(status, 0);
    tell('P');
}

static void on_loop_done(void *arg, weir_loop *loop, int status)
{
    expect_status(status, 0);
    tell('L');
}

static void run_task(void *arg, int status)
{
    expect_status(status, 0);
    tell('t');
}

/* A job's result goes to the loop, which must still be there. */
static void run_job(void *loop, int status)
{
    expect_status(status, 0);
    expect_status(weir_loop_submit(loop, run_task, NULL), 0);
}

CASE(service_drains_requests_then_hooks_then_pools_then_loops)
{
    weir_loop *loop;
    weir_pool *pool;

    make(.draining = on_draining);
    expect_status(weir_service_add_loop(
                      service, &loop,
                      &(weir_loop_options){.size = sizeof(weir_loop_options),
                                           .done = on_loop_done}),
                  0);
    expect_status(weir_service_add_pool(
                      service, &pool,
                      &(weir_pool_options){.size = sizeof(weir_pool_options),
                                           .workers = 1,
                                           .done = on_pool_done}),
                  0);
    expect_status(weir_service_add_hook(service, "1", -1, hook_first, NULL), 0);
    expect_status(
        weir_service_add_hook(service, "2", SECOND_NS * 60, hook_second, NULL),
        0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_gate_enter(weir_service_gate(service)), 0);
    expect_status(weir_service_stop(service), 0);
    expect_status(weir_service_wait(service, 0), -ETIMEDOUT);
    while (weir_gate_phase(weir_service_gate(service)) == WEIR_PHASE_RUNNING)
        continue;
    expect_status(weir_pool_submit(pool, run_job, loop, NULL), 0);
    tell('r');
    weir_gate_exit(weir_service_gate(service));
    expect_status(weir_service_wait(service, -1), 0);
    /* the job ran beside, whenever it liked: its task is a 't' before 'L' */
    expect(strchr(story, 't') != NULL &&
           strchr(story, 't') < strchr(story, 'L'));
    for (char *t = strchr(story, 't'); *t != '\0'; t++)
        t[0] = t[1];
    expect_string(story, "dr21PLC");
    expect_status(weir_service_free(service), 0);
}

/* covers: weir_gate_enter WEIR_ECLOSED */
CASE(service_that_drains_refuses_requests)
{
    weir_gate *gate;

    make();
    gate = weir_service_gate(service);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_gate_enter(gate), 0);
    expect_status(weir_service_stop(service), 0);
    while (weir_gate_phase(gate) != WEIR_PHASE_DRAINING)
        continue;
    expect_status(weir_gate_enter(gate), WEIR_ECLOSED);
    expect_int(weir_service_phase(service), WEIR_PHASE_DRAINING);
    weir_gate_exit(gate);
    expect_clean_end();
}

/* ---- from inside ---- */

static void free_inside(void *arg, int status)
{
    /* covers: weir_service_free WEIR_EREENTRANT */
    expect_int(weir_service_free(service), WEIR_EREENTRANT);
    /* covers: weir_service_wait -EDEADLK */
    expect_int(weir_service_wait(service, 0), -EDEADLK);
    expect_status(weir_service_stop(service), 0);
}

CASE(service_can_be_stopped_by_its_own_loop)
{
    weir_loop *loop;

    make();
    expect_status(weir_service_add_loop(service, &loop, NULL), 0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_loop_submit(loop, free_inside, NULL), 0);
    expect_clean_end();
}

static void free_elsewhere(void *arg, int status)
{
    /* covers: weir_service_free -EDEADLK */
    expect_int(weir_service_free(service), -EDEADLK);
}

CASE(service_is_not_freed_on_another_loops_thread)
{
    weir_loop *loop;

    make();
    expect_status(weir_loop_new(&loop, NULL), 0);
    expect_status(weir_loop_submit(loop, free_elsewhere, NULL), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_status(weir_loop_free(loop), 0);
    expect_status(weir_service_free(service), 0);
}

/* ---- what the user's options still do ---- */

static void on_breach(void *arg, weir_loop *loop)
{
    *(int *)arg += 1;
}

static void on_uncaught(void *arg, weir_loop *loop, const weir_uncaught *what)
{
    expect_int(what->code, 77);
    *(int *)arg += 10;
}

static void raise_it(void *arg, int status)
{
    weir_raise(77, "as a test");
}

static void again(void *loop, int status)
{
    static int left = 100;

    if (left-- > 0)
        expect_status(weir_loop_microtask(loop, again, loop), 0);
}

CASE(service_loops_keep_their_own_callbacks)
{
    weir_loop *loop;
    int heard = 0;

    make();
    expect_status(weir_service_add_loop(
                      service, &loop,
                      &(weir_loop_options){.size = sizeof(weir_loop_options),
                                           .microtask_budget = 10,
                                           .arg = &heard,
                                           .on_breach = on_breach,
                                           .on_uncaught = on_uncaught}),
                  0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_loop_submit(loop, raise_it, NULL), 0);
    expect_status(weir_loop_submit(loop, again, loop), 0);
    (void)weir_service_stop(service);
    expect_status(weir_service_wait(service, -1), 0);
    expect_int(heard, 11);
    expect_status(weir_service_free(service), 0);
}

/* The service's loop hears of one end while the next member is being added. */
CASE(service_members_may_end_while_others_are_added)
{
    enum { LOOPS = 20 };
    weir_loop *loop;
    weir_pool *pool;

    make();
    for (int i = 0; i < LOOPS; i++) {
        expect_status(weir_service_add_loop(service, &loop, NULL), 0);
        expect_status(weir_loop_shutdown(loop, -1), 0);
    }
    expect_status(weir_service_add_pool(service, &pool, NULL), 0);
    expect_status(weir_pool_shutdown(pool, -1), 0);
    expect_status(weir_service_add_pool(service, &pool, NULL), 0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_stop(service), 0);
    expect_clean_end();
}

/* ---- bad input ---- */

/* covers: weir_service_new -EINVAL
 * covers: weir_service_add_loop -EINVAL
 * covers: weir_service_add_pool -EINVAL
 * covers: weir_service_add_hook -EINVAL
 * covers: weir_service_start -EINVAL
 * covers: weir_service_stop -EINVAL
 * covers: weir_service_force -EINVAL
 * covers: weir_service_wait -EINVAL */
CASE(service_refuses_what_makes_no_sense)
{
    weir_loop *loop = NULL;
    weir_pool *pool = NULL;

    expect_status(weir_service_new(NULL, NULL), -EINVAL);
    expect_status(
        weir_service_new(&service, &(weir_service_options){.size = 3}),
        -EINVAL);
    make();
    expect_status(weir_service_add_loop(NULL, &loop, NULL), -EINVAL);
    expect_status(weir_service_add_loop(service, NULL, NULL), -EINVAL);
    expect_status(
        weir_service_add_loop(service, &loop, &(weir_loop_options){.size = 3}),
        -EINVAL);
    expect_status(weir_service_add_loop(
                      service, &loop,
                      &(weir_loop_options){.size = sizeof(weir_loop_options),
                                           .spin_ns = -1}),
                  -EINVAL);
    expect_status(weir_service_add_pool(NULL, &pool, NULL), -EINVAL);
    expect_status(weir_service_add_pool(service, NULL, NULL), -EINVAL);
    expect_status(
        weir_service_add_pool(service, &pool, &(weir_pool_options){.size = 3}),
        -EINVAL);
    expect_status(weir_service_add_hook(NULL, "h", -1, hook_first, NULL),
                  -EINVAL);
    expect_status(weir_service_add_hook(service, "h", -1, NULL, NULL), -EINVAL);
    expect_status(weir_service_start(NULL), -EINVAL);
    expect_status(weir_service_stop(NULL), -EINVAL);
    expect_status(weir_service_force(NULL), -EINVAL);
    expect_status(weir_service_wait(NULL, 0), -EINVAL);
    expect(loop == NULL && pool == NULL);
    expect_status(weir_service_free(service), 0);
}

/* covers: weir_service_add_loop -EALREADY
 * covers: weir_service_add_pool -EALREADY
 * covers: weir_service_add_hook -EALREADY */
CASE(service_that_was_started_takes_no_more_members)
{
    weir_loop *loop;
    weir_pool *pool;

    make();
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_add_loop(service, &loop, NULL), -EALREADY);
    expect_status(weir_service_add_pool(service, &pool, NULL), -EALREADY);
    expect_status(weir_service_add_hook(service, "h", -1, hook_first, NULL),
                  -EALREADY);
    (void)weir_service_stop(service);
    expect_clean_end();
}

CASE(service_kinds_have_names)
{
    expect_string(weir_kind_name(WEIR_KIND_TASK), "task");
    expect_string(weir_kind_name(WEIR_KIND_HOOK), "hook");
    expect_string(weir_kind_name((weir_kind)99), "unknown");
}
