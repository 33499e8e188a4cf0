/* SPDX-License-Identifier: MIT */
/*
 * service -- a callback of it that raises fails alone: the drain goes on.
 */
#include <stdio.h>
#include <unistd.h>

#include "support/failing_syscalls.h"
#include "support/service_fixture.h"
#include "weir/timer.h"

/* What was told on stderr. */
static FILE *file;

static void listen_to_stderr(void)
{
    file = tmpfile();
    expect(dup2(fileno(file), STDERR_FILENO) == STDERR_FILENO);
}

static void expect_told(const char *expected)
{
    char text[256] = "";

    rewind(file);
    expect(fread(text, 1, sizeof(text) - 1, file) > 0);
    expect_string(text, expected);
}

static void raise_when_draining(void *arg, weir_service *of)
{
    tell('d');
    weir_raise(-EIO, "no listener");
}

static void raise_in_report(void *arg, weir_service *of)
{
    on_report(arg, of);
    tell('r');
    weir_raise(-EIO, "no log");
}

static void raise_when_closed(void *arg, weir_service *of, int status)
{
    on_closed(arg, of, status);
    weir_raise(-EIO, "no last word");
}

CASE(service_draining_that_raises_does_not_stop_the_drain)
{
    listen_to_stderr();
    make(.draining = raise_when_draining);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_stop(service), 0);
    expect_clean_end();
    expect_string(story, "dC");
    expect_told("weir: uncaught in draining: no listener (EIO)\n");
}

CASE(service_draining_that_raises_leaves_the_deadline)
{
    listen_to_stderr();
    make(.draining = raise_when_draining, .timeout_ns = MILLISECOND_NS,
         .grace_ns = -1);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_gate_enter(weir_service_gate(service)), 0);
    expect_status(weir_service_stop(service), 0);
    expect_status(weir_service_wait(service, -1), WEIR_EFORCED);
    expect_int(seen.reports, 1);
    weir_gate_exit(weir_service_gate(service));
    expect_status(weir_service_free(service), 0);
}

/* A timer that is cancelled, after the report. */
static void tell_cancelled(void *letter, int status)
{
    expect_status(status, WEIR_ECANCELED);
    tell(*(char *)letter);
}

static sem_t begun, release;

static void block(void *arg, int status)
{
    sem_post(&begun);
    wait_for(&release);
}

static void tell_pool_done(void *arg, weir_pool *pool, int status)
{
    tell('P');
}

static void report_and_raise(void *arg, weir_service *of)
{
    tell('r');
    on_report(arg, of);
    sem_post(&release); /* so that the pool can end */
    weir_raise(-EIO, "no log");
}

CASE(service_report_that_raises_does_not_stop_the_forced_end)
{
    weir_loop *loop;
    weir_pool *pool;

    sem_init(&begun, 0, 0);
    sem_init(&release, 0, 0);
    listen_to_stderr();
    make_bare(.on_report = report_and_raise, .closed = on_closed,
              .timeout_ns = -1, .grace_ns = 60 * SECOND_NS);
    expect_status(weir_service_add_loop(service, &loop, NULL), 0);
    expect_status(weir_service_add_pool(
                      service, &pool,
                      &(weir_pool_options){.size = sizeof(weir_pool_options),
                                           .workers = 1,
                                           .done = tell_pool_done}),
                  0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_timer_start(loop, NULL, 3600 * SECOND_NS,
                                   WEIR_TIMER_ONCE, tell_cancelled, "t"),
                  0);
    expect_status(weir_pool_submit(pool, block, NULL, NULL), 0);
    wait_for(&begun);
    expect_status(weir_service_force(service), 0);
    expect_status(weir_service_wait(service, 30 * SECOND_NS), WEIR_EFORCED);
    expect_int(seen.reports, 1);
    expect_int(seen.closed, 1);
    expect(story[0] == 'r' && strchr(story, 't') != NULL &&
           strchr(story, 'P') != NULL && story[3] == 'C');
    expect_told("weir: uncaught in on_report: no log (EIO)\n");
    expect_status(weir_service_free(service), 0);
}

/* Something holds it forever: then the grace must still end. */
CASE(service_report_that_raises_leaves_the_grace)
{
    listen_to_stderr();
    make_bare(.on_report = raise_in_report, .closed = on_closed,
              .grace_ns = MILLISECOND_NS);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_gate_enter(weir_service_gate(service)), 0);
    expect_status(weir_service_force(service), 0);
    expect_status(weir_service_wait(service, -1), WEIR_EFORCED);
    expect_string(story, "rC");
    weir_gate_exit(weir_service_gate(service));
    expect_status(weir_service_free(service), 0);
}

CASE(service_closed_that_raises_does_not_keep_who_waits)
{
    listen_to_stderr();
    make_bare(.on_report = on_report, .closed = raise_when_closed);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_stop(service), 0);
    expect_clean_end();
    expect_told("weir: uncaught in closed: no last word (EIO)\n");
}

/* One after the other, and closed by a timer. */
CASE(service_callbacks_that_all_raise_fail_alone)
{
    listen_to_stderr();
    make_bare(.draining = raise_when_draining, .on_report = raise_in_report,
              .closed = raise_when_closed, .grace_ns = MILLISECOND_NS);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_gate_enter(weir_service_gate(service)), 0);
    expect_status(weir_service_force(service), 0);
    expect_status(weir_service_wait(service, -1), WEIR_EFORCED);
    expect_string(story, "drC");
    expect_told("weir: uncaught in draining: no listener (EIO)\n"
                "weir: uncaught in on_report: no log (EIO)\n"
                "weir: uncaught in closed: no last word (EIO)\n");
    weir_gate_exit(weir_service_gate(service));
    expect_status(weir_service_free(service), 0);
}

/* What a callback leaves for the checkpoint is as if it had returned. */
static void fail_in_microtask(void *arg, int status)
{
    tell('m');
    weir_raise(-EIO, "nor this");
}

static void raise_with_a_microtask(void *arg, weir_service *of)
{
    expect_status(
        weir_loop_microtask(weir_loop_current(), fail_in_microtask, NULL), 0);
    raise_when_draining(arg, of);
}

CASE(service_callback_and_its_microtask_may_both_raise)
{
    listen_to_stderr();
    make(.draining = raise_with_a_microtask);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_stop(service), 0);
    expect_clean_end();
    expect_string(story, "dmC");
}

/* ---- hooks: their thread is no loop's ---- */

static void raise_in_hook(void *arg)
{
    weir_raise(-EIO, "no loop here");
}

/* On its own thread; or on the service's, where none can be made. */
static void begin_drain(void (*hook)(void *arg), bool has_threads)
{
    make();
    expect_status(weir_service_add_hook(service, "hook", -1, hook, NULL), 0);
    if (!has_threads)
        failing_syscalls_set(CALL_PTHREAD_CREATE, 1, FAILING_ALWAYS, EAGAIN);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_stop(service), 0);
}

CASE_ABORTS(service_hook_that_raises_aborts, "raise.c",
            "weir_raise outside a callback")
{
    begin_drain(raise_in_hook, true);
    expect_clean_end();
}

CASE_ABORTS(service_hook_that_raises_on_the_services_thread_aborts_too,
            "raise.c", "weir_raise outside a callback")
{
    begin_drain(raise_in_hook, false);
    expect_clean_end();
}

static void expect_no_loop(void *arg)
{
    expect(weir_loop_current() == NULL);
    tell('h');
}

CASE(service_hook_on_the_services_thread_sees_no_loop)
{
    begin_drain(expect_no_loop, false);
    expect_clean_end();
    expect_string(story, "hC");
}
