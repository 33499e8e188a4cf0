/* SPDX-License-Identifier: MIT */
/*
 * process -- the life of child processes in a loop: exits, signals, timeouts,
 * the end of the loop.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "net/support/child.h"
#include "net/support/loop_rows.h"
#include "support/failing_fixture.h"
#include "weir/clock.h"

static struct child child, other;

#define SLEEP PROGRAM("sleep", .arguments = ARGUMENTS("sleep", "1000"))
#define SLEEP_WITH(...)                                                        \
    PROGRAM("sleep", .arguments = ARGUMENTS("sleep", "1000"), __VA_ARGS__)

static bool is_alive(int pid)
{
    return kill(pid, 0) == 0;
}

/* ---- exits ---- */

CASE(process_reports_the_exit_code)
{
    begin();
    loop_make(NULL);
    child_run(&child, SHELL("exit 42"));
    expect_status(child.status, 0);
    expect_int(child.result.code, 42);
    expect_int(child.result.signal, 0);
    expect(!child.result.is_timed_out && !child.result.has_core);
    end();
    expect_no_child();
}

CASE(process_reports_the_signal)
{
    begin();
    loop_make(NULL);
    child_run(&child, SHELL("kill -USR1 $$"));
    expect_int(child.result.code, 0);
    expect_int(child.result.signal, SIGUSR1);
    end();
    expect_no_child();
}

CASE(process_reports_the_resources)
{
    begin();
    loop_make(NULL);
    child_run(&child,
              SHELL("i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done"));
    expect_int(child.result.code, 0);
    expect(child.result.user_ns > 0);
    expect(child.result.system_ns >= 0);
    expect(child.result.rss_bytes > 100000);
    end();
}

CASE(process_that_exits_at_once_is_reported_after_the_spawn)
{
    begin();
    loop_make(NULL);
    expect_status(child_try(&child, PROGRAM("true")), 0);
    expect(weir_process_number(child.process) > 0);
    while (waitid(P_PID, (id_t)weir_process_number(child.process),
                  &(siginfo_t){0}, WEXITED | WNOWAIT) != 0)
        ;
    expect_int(child.exits, 0);
    loop_run();
    expect_int(child.exits, 1);
    end();
    expect_no_child();
}

CASE(process_whose_output_is_read_after_its_exit)
{
    weir_stream *stream;

    begin();
    loop_make(NULL);
    child.is_kept = true;
    expect_status(child_try(&child, SHELL("echo late")), 0);
    loop_run();
    expect_int(child.exits, 1);
    expect_status(weir_process_open_stream(child.process, 1, &stream, NULL), 0);
    expect_status(weir_stream_read(stream, child_read, &child), 0);
    weir_process_close(child.process);
    loop_run();
    expect_string(child.output, "late\n");
    end();
}

CASE(process_whose_status_was_taken_reports_that)
{
    int code;

    begin();
    loop_make(NULL);
    expect_status(child_try(&child, PROGRAM("true")), 0);
    expect_int(waitpid(weir_process_number(child.process), &code, 0),
               weir_process_number(child.process));
    loop_run();
    expect_status(child.status, -ECHILD);
    signal(SIGCHLD, SIG_IGN); /* the kernel reaps them */
    expect_status(child_try(&child, PROGRAM("true")), 0);
    loop_run();
    expect_status(child.status, -ECHILD);
    end();
}

/* ---- many ---- */

enum { CHILDREN = 3000, AT_ONCE = 40 };
static unsigned started, exited;

static void spawn_next(void);

static void count_exit(void *arg, weir_process *process, int status,
                       const weir_process_result *result)
{
    expect_status(status, 0);
    expect_int(result->code, (intptr_t)arg);
    weir_process_close(process);
    exited++;
    spawn_next();
}

static void spawn_next(void)
{
    static const char *const files[] = {"/bin/true", "/bin/false"};
    intptr_t code = started % 2;
    weir_process_options options = {.size = sizeof(options),
                                    .file = files[code],
                                    .on_exit = count_exit,
                                    .arg = (void *)code};
    weir_process *process;

    if (started == CHILDREN)
        return;
    started++;
    expect_status(weir_process_spawn(&process, loop, &options), 0);
}

CASE_WITHIN(process_thousands_leave_no_zombie, 300)
{
    begin();
    loop_make(NULL);
    for (int i = 0; i < AT_ONCE; i++)
        spawn_next();
    loop_run();
    expect_int(exited, CHILDREN);
    end();
    expect_no_child();
}

/* ---- signals ---- */

CASE(process_kill_reaches_the_child)
{
    begin();
    loop_make(NULL);
    child.is_kept = true;
    child_start(&child, SLEEP);
    expect_status(weir_process_kill(child.process, 0), 0);
    expect_status(weir_process_kill(child.process, SIGTERM), 0);
    loop_run();
    expect_int(child.result.signal, SIGTERM);
    /* covers: weir_process_kill -ESRCH */
    expect_status(weir_process_kill(child.process, SIGTERM), -ESRCH);
    weir_process_close(child.process);
    end();
    expect_no_child();
}

CASE(process_kill_refuses_nonsense)
{
    weir_stream *stream;

    begin();
    loop_make(NULL);
    child_start(&child, SLEEP);
    /* covers: weir_process_kill -EINVAL */
    expect_status(weir_process_kill(NULL, SIGTERM), -EINVAL);
    expect_status(weir_process_kill(child.process, -1), -EINVAL);
    expect_status(weir_process_kill(child.process, 1000), -EINVAL);
    /* covers: weir_process_kill_group -EINVAL */
    expect_status(weir_process_kill_group(NULL, SIGTERM), -EINVAL);
    expect_status(weir_process_kill_group(child.process, -1), -EINVAL);
    /* covers: weir_process_kill_group -ENOTSUP */
    expect_status(weir_process_kill_group(child.process, SIGTERM), -ENOTSUP);
    /* covers: weir_process_open_stream -EINVAL */
    expect_status(weir_process_open_stream(NULL, 1, &stream, NULL), -EINVAL);
    expect_status(weir_process_open_stream(child.process, 1, NULL, NULL),
                  -EINVAL);
    /* covers: weir_process_open_stream -ENOENT */
    expect_status(weir_process_open_stream(child.process, 0, &stream, NULL),
                  -ENOENT);
    expect_status(weir_process_open_stream(child.process, 1, &stream, NULL),
                  -ENOENT);
    expect_status(weir_process_open_stream(child.process, 99, &stream, NULL),
                  -ENOENT);
    expect_status(weir_process_kill(child.process, SIGKILL), 0);
    loop_run();
    end();
}

CASE(process_of_another_user_cannot_be_killed)
{
    if (geteuid() != 0)
        skip_case("only root can change users");
    loop_make(NULL);
    child_start(&child, SLEEP_WITH(.is_group = true));
    expect_int(setresuid(65534, 65534, 0), 0);
    /* covers: weir_process_kill -EPERM */
    expect_status(weir_process_kill(child.process, SIGTERM), -EPERM);
    /* covers: weir_process_kill_group -EPERM */
    expect_status(weir_process_kill_group(child.process, SIGTERM), -EPERM);
    expect_int(setresuid(0, 0, 0), 0);
    expect_status(weir_process_kill(child.process, SIGKILL), 0);
    loop_run();
    loop_end();
    expect_no_child();
}

/* The shell's own child holds the pipe open. */
#define WITH_GRANDCHILD "sleep 1000 & echo started; wait"

CASE(process_kill_group_reaches_grandchildren)
{
    begin();
    loop_make(NULL);
    child.is_kept = true;
    child_start(&child, SHELL_WITH(WITH_GRANDCHILD, .is_group = true));
    child_await(&child, 8);
    expect_status(weir_process_kill_group(child.process, SIGTERM), 0);
    loop_run(); /* until the output ends, which both had open */
    expect(child.has_ended);
    expect_int(child.result.signal, SIGTERM);
    /* covers: weir_process_kill_group -ESRCH */
    expect_status(weir_process_kill_group(child.process, SIGTERM), -ESRCH);
    weir_process_close(child.process);
    end();
}

/* ---- timeouts ---- */

static void freeze(void)
{
    expect_status(weir_clock_freeze(1000 * INT64_C(1000000000)), 0);
}

static void advance(int64_t ns)
{
    expect_status(weir_clock_advance(ns), 0);
    loop_turns(2);
}

CASE(process_that_takes_too_long_is_terminated)
{
    begin();
    freeze();
    loop_make(NULL);
    child_start(&child, SLEEP_WITH(.timeout_ns = WEIR_S(3)));
    advance(WEIR_S(3) - 1);
    expect_int(child.exits, 0);
    expect_status(weir_process_kill(child.process, 0), 0);
    advance(1);
    child_await_exit(&child);
    expect(child.result.is_timed_out);
    expect_int(child.result.signal, SIGTERM);
    loop_run();
    weir_clock_thaw();
    end();
    expect_no_child();
}

CASE(process_that_ignores_the_termination_is_killed)
{
    begin();
    freeze();
    loop_make(NULL);
    child_start(&child, SHELL_WITH("trap 'echo no' TERM; echo ready; "
                                   "while :; do sleep 1000 & wait; done",
                                   .timeout_ns = WEIR_S(3),
                                   .grace_ns = WEIR_S(2), .is_group = true));
    child_await(&child, 6);
    advance(WEIR_S(3));
    child_await(&child, 9); /* "ready no" */
    advance(WEIR_S(2) - 1);
    expect_int(child.exits, 0);
    advance(1);
    child_await_exit(&child);
    expect(child.result.is_timed_out);
    expect_int(child.result.signal, SIGKILL);
    loop_run();
    weir_clock_thaw();
    end();
    expect_no_child();
}

CASE(process_that_cannot_be_timed_again_is_killed_at_once)
{
    begin();
    freeze();
    loop_make(NULL);
    child_start(&child,
                SHELL_WITH("trap '' TERM; echo ready; exec sleep 1000",
                           .timeout_ns = WEIR_S(3), .grace_ns = INT64_MAX));
    child_await(&child, 6);
    advance(WEIR_S(3));
    child_await_exit(&child);
    expect_int(child.result.signal, SIGKILL);
    loop_run();
    weir_clock_thaw();
    end();
}

CASE(process_that_exits_in_time_is_not_timed_out)
{
    begin();
    loop_make(NULL);
    child_run(&child, SHELL_WITH("exit 3", .timeout_ns = WEIR_S(1000)));
    expect(!child.result.is_timed_out);
    expect_int(child.result.code, 3);
    end();
}

/* ---- close ---- */

CASE(process_close_kills_the_child)
{
    int pid;

    begin();
    loop_make(NULL);
    child.is_kept = true;
    expect_status(child_try(&child, SLEEP_WITH(.timeout_ns = WEIR_S(99))), 0);
    pid = weir_process_number(child.process);
    weir_process_close(child.process);
    expect_int(child.exits, 0); /* never before the call has returned */
    while (child.exits == 0 || is_alive(pid))
        expect_status(weir_loop_step(loop, 10 * MILLISECOND_NS), 0);
    expect_int(child.exits, 1);
    expect_status(child.status, WEIR_ECANCELED);
    end();
    expect_no_child();
}

CASE(process_close_leaves_a_detached_child_alone)
{
    int pid;

    begin();
    loop_make(NULL);
    child.is_kept = true;
    expect_status(child_try(&child, SLEEP_WITH(.is_detached = true)), 0);
    pid = weir_process_number(child.process);
    weir_process_close(child.process);
    loop_run(); /* nobody waits for it */
    expect_status(child.status, WEIR_ECANCELED);
    expect(is_alive(pid));
    expect_int(kill(pid, SIGKILL), 0);
    while (is_alive(pid)) /* while the loop lives, it reaps */
        expect_status(weir_loop_step(loop, 10 * MILLISECOND_NS), 0);
    end();
    expect_no_child();
}

CASE(process_without_a_callback_can_be_closed_at_any_time)
{
    begin();
    loop_make(NULL);
    for (int i = 0; i < 2; i++) {
        weir_process_options options = *PROGRAM("true");
        weir_process *process;

        expect_status(weir_process_spawn(&process, loop, &options), 0);
        if (i == 1)
            loop_run();
        weir_process_close(process);
        loop_run();
    }
    end();
    expect_no_child();
}

/* ---- the end of the loop ---- */

static void expect_end(bool is_closed)
{
    int pid;

    begin();
    loop_make(NULL);
    child_start(&child, SLEEP_WITH(.timeout_ns = WEIR_S(99)));
    child_start(&other, SHELL_WITH(WITH_GRANDCHILD, .is_group = true));
    child_await(&other, 8);
    pid = weir_process_number(child.process);
    if (is_closed)
        expect_status(weir_loop_close(loop, -1), 0);
    else
        expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_int(child.exits, 1);
    expect_status(child.status, WEIR_ECANCELED);
    expect_int(child.result.signal, 0);
    expect_int(other.exits, 1);
    expect(!is_alive(pid));
    expect_status(weir_loop_free(loop), 0);
    expect_no_leak();
    expect_no_child();
}

CASE(process_of_a_loop_that_is_shut_down_is_killed)
{
    expect_end(false);
}

CASE(process_of_a_loop_that_is_closed_is_killed)
{
    expect_end(true);
}

CASE(process_closed_after_the_end_of_its_loop)
{
    begin();
    loop_make(NULL);
    child.is_kept = true;
    expect_status(child_try(&child, SLEEP), 0);
    loop_end();
    expect_int(child.exits, 1);
    expect_status(weir_process_kill(child.process, SIGTERM), -ESRCH);
    weir_process_close(child.process);
    expect_int(child.exits, 1);
    expect_no_leak();
    expect_no_child();
}

/* The loop ends before the task of the close has run, or refuses it. */
static void close_and_end(void *arg, int status)
{
    if (arg != NULL)
        expect_status(weir_loop_close(loop, 0), 0);
    weir_process_close(child.process);
    expect_status(weir_loop_close(loop, 0), 0);
}

static void expect_close_at_the_end(void *arg)
{
    begin();
    loop_make(NULL);
    child.is_kept = true;
    expect_status(child_try(&child, SLEEP), 0);
    expect_status(weir_loop_submit(loop, close_and_end, arg), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), 0);
    expect_int(child.exits, 1);
    expect_status(child.status, WEIR_ECANCELED);
    expect_status(weir_loop_free(loop), 0);
    expect_no_leak();
    expect_no_child();
}

CASE(process_closed_just_before_the_loop_is_told_once)
{
    expect_close_at_the_end(NULL);
    expect_close_at_the_end(&child);
}

/* In a task that was cancelled, the loop refuses another one. */
static void close_when_cancelled(void *arg, int status)
{
    expect_status(status, WEIR_ECANCELED);
    weir_process_close(child.process);
}

CASE(process_closed_while_the_loop_is_closing_is_told_once)
{
    begin();
    loop_make(NULL);
    child.is_kept = true;
    expect_status(child_try(&child, SLEEP), 0);
    expect_status(weir_loop_submit(loop, close_when_cancelled, NULL), 0);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_int(child.exits, 1);
    expect_status(child.status, WEIR_ECANCELED);
    expect_status(weir_loop_free(loop), 0);
    expect_no_leak();
    expect_no_child();
}

CASE(process_that_is_detached_outlives_the_loop_without_a_zombie)
{
    int pid;

    begin();
    loop_make(NULL);
    expect_status(child_try(&child, SLEEP_WITH(.is_detached = true)), 0);
    pid = weir_process_number(child.process);
    loop_end();
    expect_status(child.status, WEIR_ECANCELED);
    expect(is_alive(pid));
    /* The next spawn on another loop does not disturb it ... */
    loop_make(NULL);
    child_run(&other, PROGRAM("true"));
    expect(is_alive(pid));
    /* ... and removes it once it has exited. */
    expect_int(kill(pid, SIGKILL), 0);
    expect_int(waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
    child_run(&other, PROGRAM("true"));
    expect(!is_alive(pid));
    end();
    expect_no_child();
}

CASE(process_that_is_independent_outlives_the_loop_in_our_session)
{
    int pid;

    begin();
    loop_make(NULL);
    expect_status(child_try(&child, SLEEP_WITH(.is_independent = true)), 0);
    pid = weir_process_number(child.process);
    expect_int(getsid(pid), getsid(0));
    expect_int(getpgid(pid), getpgrp());
    loop_end();
    expect_status(child.status, WEIR_ECANCELED);
    expect(is_alive(pid));
    expect_int(kill(pid, SIGKILL), 0);
    expect_int(waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
    loop_make(NULL);
    child_run(&other, PROGRAM("true"));
    expect(!is_alive(pid));
    end();
    expect_no_child();
}

/* ---- settings ---- */

CASE(process_holds_the_loop_under_its_name)
{
    begin();
    loop_make(NULL);
    expect_status(child_try(&child, SLEEP_WITH(.is_unref = true)), 0);
    expect_int(loop_rows_named("process"), 0);
    loop_run(); /* returns */
    weir_process_set_ref(child.process, true);
    expect_int(loop_rows_named("process"), 1);
    weir_process_set_name(child.process, "converter");
    expect_int(loop_rows_named("converter"), 1);
    weir_process_set_ref(child.process, false);
    expect_int(loop_rows_named("converter"), 0);
    loop_run();
    end();
    expect_no_child();
    begin();
    loop_make(NULL);
    expect_status(child_try(&child, SLEEP_WITH(.name = "named")), 0);
    expect_int(loop_rows_named("named"), 1);
    expect_status(weir_process_kill(child.process, SIGKILL), 0);
    loop_run();
    end();
}

static void swallow(void *arg, weir_loop *of, const weir_uncaught *what)
{
    weir_process_close(arg);
    note("raised");
}

static weir_process *raising;

static void exit_and_raise(void *arg, weir_process *process, int status,
                           const weir_process_result *result)
{
    weir_raise(-EIO, "no");
}

static void close_raising(void *arg, weir_loop *of, const weir_uncaught *what)
{
    swallow(raising, of, what);
}

CASE(process_whose_callback_raises_can_be_closed)
{
    weir_process_options options = *PROGRAM("true");

    begin();
    loop_make(LOOP_OPTIONS(.on_uncaught = close_raising));
    options.on_exit = exit_and_raise;
    expect_status(weir_process_spawn(&raising, loop, &options), 0);
    loop_run();
    expect_recorded("raised");
    end();
    expect_no_child();
}

CASE(process_stream_without_memory_can_be_opened_again)
{
    weir_stream *stream;

    begin();
    loop_make(NULL);
    expect_status(child_try(&child, SHELL("echo again")), 0);
    memory.fail_at = memory.calls + 1;
    expect_status(weir_process_open_stream(child.process, 1, &stream, NULL),
                  -ENOMEM);
    memory.fail_at = 0;
    child_listen(&child);
    loop_run();
    expect_string(child.output, "again\n");
    end();
}
