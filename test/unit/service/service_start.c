/* SPDX-License-Identifier: MIT */
/*
 * service_start -- functions that run when a service has started, its own loop,
 * and work that was cut off.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/failing_allocator.h"
#include "support/service_fixture.h"
#include "weir/host/service.h"

static weir_loop *loop;
static sem_t called;
static int calls, status_seen = 1;
static weir_loop *loop_seen;

static void on_start(void *letter, int status)
{
    calls++;
    status_seen = status;
    loop_seen = weir_loop_current();
    tell(*(const char *)letter);
    expect_int(sem_post(&called), 0);
}

static void make_with_loop(void)
{
    expect_int(sem_init(&called, 0, 0), 0);
    make();
    expect_status(weir_service_add_loop(service, &loop, NULL), 0);
}

static void run_to_the_end(void)
{
    expect_status(weir_service_start(service), 0);
    wait_for(&called);
    expect_status(weir_service_stop(service), 0);
    expect_clean_end();
}

CASE(service_on_start_runs_on_its_loop_after_the_start)
{
    make_with_loop();
    expect_status(weir_service_on_start(service, loop, on_start, "s"), 0);
    expect_int(calls, 0);
    run_to_the_end();
    expect_string(story, "sC");
    expect_int(calls, 1);
    expect_status(status_seen, 0);
    expect(loop_seen == loop);
}

CASE(service_on_start_is_cancelled_if_the_service_never_starts)
{
    make_with_loop();
    expect_status(weir_service_on_start(service, loop, on_start, "s"), 0);
    expect_status(weir_service_free(service), 0);
    expect_int(calls, 1);
    expect_status(status_seen, WEIR_ECANCELED);
}

CASE(service_on_drain_and_on_start_accept_the_own_loop)
{
    make_with_loop();
    expect_status(weir_service_on_start(service, weir_service_loop(service),
                                        on_start, "s"),
                  0);
    expect_status(weir_service_on_drain(service, weir_service_loop(service),
                                        on_start, "d"),
                  0);
    run_to_the_end();
    expect_string(story, "sdC");
    expect_int(calls, 2);
}

CASE(service_that_was_cut_ends_with_an_error)
{
    make_with_loop();
    expect_status(weir_service_start(service), 0);
    weir_service_set_cut(service);
    expect_status(weir_service_stop(service), 0);
    expect_status(weir_service_wait(service, -1), WEIR_EFORCED);
    expect_int(seen.reports, 0);
    expect_status(weir_service_free(service), 0);
}

CASE(service_that_failed_drains_and_ends_with_the_first_error)
{
    make_with_loop();
    expect_status(weir_service_start(service), 0);
    weir_service_fail(service, -ENOMEM);
    weir_service_fail(service, -EMFILE);
    expect_status(weir_service_wait(service, -1), -ENOMEM);
    expect_int(seen.reports, 0);
    expect_status(weir_service_free(service), 0);
}

CASE(service_that_failed_and_is_forced_was_forced)
{
    make_with_loop();
    expect_status(weir_service_start(service), 0);
    expect_status(weir_gate_enter(weir_service_gate(service)), 0);
    weir_service_fail(service, -ENOMEM);
    expect_status(weir_service_force(service), 0);
    expect_status(weir_service_wait(service, -1), WEIR_EFORCED);
    weir_gate_exit(weir_service_gate(service));
    expect_status(weir_service_free(service), 0);
}

/* covers: weir_service_on_start -EINVAL
 * covers: weir_service_on_start -EALREADY
 * covers: weir_service_on_start WEIR_ECLOSED */
CASE(service_on_start_refuses_nonsense_late_calls_and_ended_loops)
{
    weir_loop *other, *ended;

    make_with_loop();
    expect_status(weir_service_add_loop(service, &ended, NULL), 0);
    expect_status(weir_loop_new(&other, NULL), 0);
    expect_status(weir_service_on_start(NULL, loop, on_start, "?"), -EINVAL);
    expect_status(weir_service_on_start(service, NULL, on_start, "?"), -EINVAL);
    expect_status(weir_service_on_start(service, loop, NULL, "?"), -EINVAL);
    expect_status(weir_service_on_start(service, other, on_start, "?"),
                  -EINVAL);
    expect_status(weir_loop_close(ended, -1), 0);
    expect_status(weir_service_on_start(service, ended, on_start, "?"),
                  WEIR_ECLOSED);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_on_start(service, loop, on_start, "?"),
                  -EALREADY);
    expect_status(weir_service_stop(service), 0);
    expect_clean_end();
    expect_status(weir_loop_free(other), 0);
    expect_int(calls, 0);
}

/* covers: weir_service_on_start -ENOMEM */
CASE(service_on_start_without_memory_has_no_effect)
{
    static struct failing_allocator memory;
    int err, failures = 0;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    make_with_loop();
    for (uint64_t nth = 1;; nth++) {
        memory.fail_at = memory.calls + nth;
        err = weir_service_on_start(service, loop, on_start, "s");
        if (err == 0)
            break;
        expect_status(err, -ENOMEM);
        failures++;
    }
    memory.fail_at = 0;
    expect(failures > 0);
    run_to_the_end();
    expect_int(calls, 1);
}

/* covers: weir_service_on_start WEIR_EFORKED */
CASE(service_on_start_in_a_child_of_fork_is_refused)
{
    int status;
    pid_t child;

    make_with_loop();
    child = fork();
    if (child == 0)
        _exit(weir_service_on_start(service, loop, on_start, "?") ==
                      WEIR_EFORKED
                  ? 0
                  : 1);
    expect(waitpid(child, &status, 0) == child && status == 0);
    expect_status(weir_service_free(service), 0);
}
