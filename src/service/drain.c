/* SPDX-License-Identifier: MIT */
/*
 * drain -- a service's shutdown, step by step, on the service's own loop.
 *
 * Shape     Every event reaches the service through its own loop: stop, force,
 *           the closing of the gate, and the end of a hook, a pool or a loop
 *           are tasks; signals are a descriptor, and deadlines are timers.  So
 *           the drain is single-threaded code: each time something has ended,
 *           advance() continues as far as it can.
 *
 *               WORK -> CALLBACKS -> GATE -> HOOKS -> POOLS -> LOOPS -> OVER
 *
 * Roles     new               one thread, alone
 *           everything else   the service's thread
 *
 * Tested by  test/unit/service/service*.c, test/stress/service/service.c,
 *            test/model/service/service.c
 */
#include <errno.h>
#include <stddef.h>

#include "base/check.h"
#include "base/signals.h"
#include "base/wakefd.h"
#include "loop/loop.h"
#include "loop/report.h"
#include "service/service.h"
#include "weir/fd.h"
#include "weir/host/service.h"

enum { SHOWN = 64 }; /* maximum number of rows that are printed */

/* ---- user callbacks ---- */

/* Call a user's function in the middle of one of our callbacks, which has
 * more steps to take.  If it raises, only this call fails, and it is reported
 * under its own name. */
static void call(weir_service *service, const char *name, weir_fn *fn)
{
    weir__loop_begin(service->loop, WEIR_KIND_TASK, name);
    weir__loop_contain(fn, service, 0);
}

static void call_draining(void *arg, int status)
{
    weir_service *service = arg;

    if (service->options.draining != NULL)
        service->options.draining(service->options.arg, service);
}

static void print_report(const weir_service *service)
{
    const char *name = service->options.name;
    weir_holder holders[SHOWN];
    size_t count =
        weir_service_report(service, holders, SHOWN, sizeof(*holders));

    weir__report_print(name != NULL ? name : "the service", holders,
                       count < SHOWN ? count : SHOWN);
}

static void call_report(void *arg, int status)
{
    weir_service *service = arg;

    if (service->options.on_report != NULL)
        service->options.on_report(service->options.arg, service);
    else
        print_report(service);
}

void weir_service_call_report(weir_service *service)
{
    call(service, "on_report", call_report);
}

static void call_closed(void *arg, int status)
{
    weir_service *service = arg;

    if (service->options.closed != NULL)
        service->options.closed(service->options.arg, service,
                                plain_load(&service->status));
}

/* ---- the end ---- */

/* Returns the word before the change. */
static uint32_t set_phase(weir_service *service, weir_phase phase)
{
    uint32_t word = weir__service_look(service);

    /* service/P2 release: publishes the threads of the hooks */
    while (!cas_weak_release(&service->word, &word,
                             (word & ~(uint32_t)WEIR__SERVICE_PHASE) | phase))
        ;
    return word;
}

static void release_signals(weir_service *service)
{
    if (service->signals < 0)
        return;
    (void)!weir_fd_remove(service->loop, service->signals, NULL, NULL);
    weir__signals_give_back();
    service->signals = -1;
}

/* The error that has ended the service early, or 0. */
static int first_error(const weir_service *service)
{
    if (service->error != 0)
        return service->error;
    return load_relaxed(&service->failure); /* relaxed: see service.c */
}

/* The CAS to CLOSED decides whether a force came first. */
static void finish(weir_service *service)
{
    uint32_t word;

    plain_store(&service->step, WEIR__STEP_OVER);
    weir__recorder_note(WEIR_RECORD_DRAIN, "closed", 0, 0);
    (void)!weir_timer_cancel(service->loop, service->deadline);
    release_signals(service);
    word = set_phase(service, WEIR_PHASE_CLOSED);
    if (word & WEIR__SERVICE_FORCE && !service->is_forcing)
        weir_service_call_report(service); /* a force came at the last moment */
    plain_store(&service->status,
                word & (WEIR__SERVICE_FORCE | WEIR__SERVICE_CUT)
                    ? WEIR_EFORCED
                    : first_error(service));
    call(service, "closed", call_closed);
    weir_gate_exit(&service->life);
    (void)!weir_loop_shutdown(service->loop, 0); /* only starts it */
}

/* ---- the drain ---- */

static void enter_step(weir_service *service, enum weir__step to,
                       const char *name)
{
    service->step = to;
    weir__recorder_note(WEIR_RECORD_DRAIN, name, 0, 0);
}

static bool have_pools_ended(const weir_service *service)
{
    return service->ended_pools == plain_load(&service->pools);
}

static bool have_loops_ended(const weir_service *service)
{
    return service->ended_loops == plain_load(&service->loops);
}

static bool is_drained(const weir_service *service)
{
    return service->is_empty && service->hook == NULL &&
           have_pools_ended(service) && have_loops_ended(service);
}

static void shut_gate(weir_service *service)
{
    enter_step(service, WEIR__STEP_GATE, "gate");
    (void)!weir_gate_drain(&service->gate);
}

/* Take one step, if what it waits for has happened. */
static bool step(weir_service *service)
{
    switch (service->step) {
    case WEIR__STEP_CALLBACKS:
        if (service->callbacks_out > 0)
            return false;
        shut_gate(service);
        return true;
    case WEIR__STEP_GATE:
        if (!service->is_empty)
            return false;
        enter_step(service, WEIR__STEP_HOOKS, "hooks");
        return true;
    case WEIR__STEP_HOOKS:
        if (service->hook != NULL || weir__hooks_next(service))
            return false;
        enter_step(service, WEIR__STEP_POOLS, "pools");
        weir__members_end_pools(service, false);
        return true;
    case WEIR__STEP_POOLS:
        if (!have_pools_ended(service))
            return false;
        enter_step(service, WEIR__STEP_LOOPS, "loops");
        weir__members_end_loops(service, false);
        return true;
    case WEIR__STEP_LOOPS:
        if (!have_loops_ended(service))
            return false;
        finish(service);
        return false;
    case WEIR__STEP_WORK:
    case WEIR__STEP_OVER:
        break;
    }
    return false;
}

void weir__drain_advance(weir_service *service)
{
    if (weir__service_look(service) & WEIR__SERVICE_FORCE) {
        if (plain_load(&service->step) != WEIR__STEP_OVER &&
            service->is_forcing && is_drained(service))
            finish(service);
        return;
    }
    while (step(service))
        ;
}

static void on_deadline(void *arg, int status)
{
    if (status == 0)
        (void)weir_service_force(arg);
}

/* Restart the deadline timer.  It has had a slot since the service was created,
 * so this cannot fail for lack of memory.  A deadline that the clock never
 * reaches means none. */
static void set_deadline(weir_service *service, int64_t timeout_ns, weir_fn *fn)
{
    int err;

    (void)!weir_timer_cancel(service->loop, service->deadline);
    if (timeout_ns < 0)
        return;
    err = weir_timer_start(service->loop, &service->deadline, timeout_ns,
                           WEIR_TIMER_ONCE, fn, service);
    CHECK(err == 0 || err == -EOVERFLOW,
          "a service without a timer for its deadline");
}

static void drain(weir_service *service)
{
    enter_step(service, WEIR__STEP_CALLBACKS, "drain");
    (void)set_phase(service, WEIR_PHASE_DRAINING);
    set_deadline(service, service->options.timeout_ns, on_deadline);
    call(service, "draining", call_draining);
    weir__drain_callbacks_post(service);
    weir__drain_advance(service);
}

static void on_stop(weir_task *task, int status)
{
    weir_service *service =
        (weir_service *)((char *)task - offsetof(weir_service, stop));

    if (status == 0 && service->step == WEIR__STEP_WORK)
        drain(service);
}

static void on_gate_closed(weir_task *task, int status)
{
    weir_service *service =
        (weir_service *)((char *)task - offsetof(weir_service, gate_closed));

    service->is_empty = true;
    if (status == 0)
        weir__drain_advance(service);
}

void weir__drain_fail(weir_service *service, int err)
{
    if (service->error == 0)
        service->error = err;
    (void)weir_service_stop(service);
}

/* ---- forced shutdown ---- */

static void on_grace_over(void *arg, int status)
{
    weir_service *service = arg;

    if (status == 0 && service->step != WEIR__STEP_OVER)
        finish(service);
}

static void on_force(weir_task *task, int status)
{
    weir_service *service =
        (weir_service *)((char *)task - offsetof(weir_service, force));

    if (status != 0 || service->step == WEIR__STEP_OVER)
        return;
    if (service->step == WEIR__STEP_WORK)
        drain(service);
    if (service->step == WEIR__STEP_CALLBACKS)
        shut_gate(service);
    weir_service_call_report(service);
    weir__members_end_pools(service, true);
    weir__members_end_loops(service, true);
    service->is_forcing = true;
    if (service->options.grace_ns < 0) {
        finish(service);
        return;
    }
    set_deadline(service, service->options.grace_ns, on_grace_over);
    weir__drain_advance(service); /* perhaps all has ended already */
}

/* ---- signals ---- */

void weir__drain_signalled(weir_service *service, uint64_t count)
{
    bool is_first = !service->is_signalled;

    if (count == 0)
        return;
    service->is_signalled = true;
    (void)weir_service_stop(service);
    if (!is_first || count > 1)
        (void)weir_service_force(service);
}

static void on_signal(void *arg, int status, int fd, unsigned events)
{
    if (status == 0)
        weir__drain_signalled(arg, weir__wakefd_take(fd, false));
}

static int take_signals(weir_service *service)
{
    int err;

    service->signals = -1;
    if (service->options.no_signals)
        return 0;
    err = weir__signals_take();
    if (err < 0)
        return err;
    service->signals = err;
    err = weir_fd_add(service->loop, service->signals, WEIR_FD_READABLE,
                      on_signal, service);
    if (err == 0)
        return 0;
    weir__signals_give_back();
    return err;
}

/* ---- the service's thread ---- */

/* The service's loop needs its poller only for signals.  If the poller fails,
 * the loop stops handling signals and continues without it, sleeping on its
 * ingress queue. */
static void run(void *arg)
{
    weir_service *service = arg;
    int err;

    if (!service->options.no_signals)
        weir__signals_let_in();
    err = weir__loop_run_and_keep(service->loop);
    if (err == 0 || !weir__loop_is_claimed(service->loop))
        return; /* closed, perhaps by another thread before this one started */
    release_signals(service);
    weir__drain_fail(service, err);
    (void)!weir_loop_run(service->loop, WEIR_RUN_UNTIL_CLOSED);
}

int weir__drain_init(weir_service *service)
{
    const weir_loop_options options = {.size = sizeof(options),
                                       .name = "service"};
    int err = weir_loop_new(&service->loop, &options);

    if (err != 0)
        return err;
    service->stop = (weir_task){.run = on_stop, .name = "stop"};
    service->force = (weir_task){.run = on_force, .name = "force"};
    service->gate_closed =
        (weir_task){.run = on_gate_closed, .name = "gate closed"};
    err = weir_timer_start_at(service->loop, &service->deadline, INT64_MAX,
                              on_deadline, service);
    if (err != 0)
        goto free_loop;
    err = take_signals(service);
    if (err != 0)
        goto free_loop;
    err = weir__thread_start(&service->thread, run, service);
    if (err == 0)
        return 0;
    if (service->signals >= 0)
        weir__signals_give_back();
free_loop:
    (void)weir_loop_free(service->loop);
    return err;
}
