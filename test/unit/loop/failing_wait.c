/* SPDX-License-Identifier: MIT */
/*
 * failing -- loops whose waits fail, are interrupted, or end too early; whose
 * wakes are interrupted; and a whole life in which the nth of something fails.
 */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "support/crew.h"
#include "support/failing_fixture.h"
#include "support/loop_fixture.h"
#include "weir/clock.h"
#include "weir/fd.h"
#include "weir/metrics.h"
#include "weir/timer.h"

static const int wait_errors[] = {EBADF, ENOMEM, EINVAL};
enum { WAIT_ERRORS = 3 };

/* ---- a bit of everything ---- */

/* How often each was called; all but the task are queued by the task. */
static struct calls {
    unsigned task, tick, immediate, close, timer, repeat, fd, removed;
} calls;

static void count_call(void *arg, int status)
{
    expect_status(status, 0);
    ++*(unsigned *)arg;
}

static weir_timer repeating;

static void repeat_thrice(void *arg, int status)
{
    count_call(arg, status);
    if (calls.repeat == 3)
        expect_status(weir_timer_cancel(loop, repeating), 0);
}

static void remove_when_ready(void *arg, int status, int fd, unsigned events)
{
    expect_status(status, 0);
    expect_int(events, WEIR_FD_READABLE);
    calls.fd++;
    expect_status(weir_fd_remove(loop, fd, count_call, &calls.removed), 0);
}

static int ready_fd;

static void queue_all(void *arg, int status)
{
    count_call(arg, status);
    expect_status(weir_loop_next_tick(loop, count_call, &calls.tick), 0);
    expect_status(weir_loop_immediate(loop, count_call, &calls.immediate), 0);
    expect_status(weir_loop_on_close_phase(loop, count_call, &calls.close), 0);
    expect_status(weir_timer_start(loop, NULL, MILLISECOND_NS / 2,
                                   WEIR_TIMER_ONCE, count_call, &calls.timer),
                  0);
    expect_status(weir_timer_start(loop, &repeating, 1, WEIR_TIMER_FIXED_DELAY,
                                   repeat_thrice, &calls.repeat),
                  0);
    expect_status(
        weir_fd_add(loop, ready_fd, WEIR_FD_READABLE, remove_when_ready, NULL),
        0);
}

static void begin_all(void)
{
    calls = (struct calls){0};
    ready_fd = event_open(1);
    begin();
    loop_make(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS));
    expect_status(weir_loop_submit(loop, queue_all, &calls.task), 0);
}

static void end_all(void)
{
    end();
    close(ready_fd);
    expect_int(calls.task, 1);
    expect_int(calls.tick, 1);
    expect_int(calls.immediate, 1);
    expect_int(calls.close, 1);
    expect_int(calls.timer, 1);
    expect_int(calls.repeat, 3);
    expect_int(calls.fd, 1);
    expect_int(calls.removed, 1);
}

/* ---- waits that fail ---- */

static int run_until_idle(void)
{
    return weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE);
}

/* Every nth wait fails, once each, until a run has no nth wait. */
static void expect_failing_run_loses_nothing(enum failing_call call, int error)
{
    uint64_t waits = UINT64_MAX;

    for (uint32_t nth = 1; nth <= waits; nth++) {
        int status;

        begin_all();
        failing_syscalls_set(call, nth, 1, error);
        status = run_until_idle();
        waits = failing_syscalls_count(call);
        failing_syscalls_set(call, 0, 0, 0);
        expect_status(status, waits >= nth ? -error : 0);
        expect_int(weir_loop_state(loop), WEIR_LOOP_AWAKE);
        expect(weir_loop_current() == NULL);
        loop_run();
        end_all();
    }
}

CASE(failing_wait_ends_the_run_and_loses_nothing)
{
    for (int i = 0; i < WAIT_ERRORS; i++)
        expect_failing_run_loses_nothing(WAIT_CALL, wait_errors[i]);
}

#ifndef WEIR_POLLER_POLL
/* As on a kernel that has no epoll_pwait2. */
static void fail_pwait2(void)
{
    failing_syscalls_set(CALL_EPOLL_PWAIT2, 1, FAILING_ALWAYS, ENOSYS);
}

CASE(failing_wait_in_milliseconds_ends_the_run_and_loses_nothing)
{
    fail_pwait2();
    for (int i = 0; i < WAIT_ERRORS; i++)
        expect_failing_run_loses_nothing(CALL_EPOLL_WAIT, wait_errors[i]);
}

CASE(failing_pwait2_is_replaced_without_notice)
{
    begin_all();
    fail_pwait2();
    loop_run();
    end_all();
}
#endif

/* Whoever runs it next goes on where it was. */
static void run_to_the_end(struct crew *crew, unsigned id)
{
    loop_run();
}

CASE(failing_wait_leaves_the_loop_to_another_thread)
{
    begin_all();
    failing_syscalls_set(WAIT_CALL, 2, 1, ENOMEM);
    expect_status(run_until_idle(), -ENOMEM);
    crew_run(1, run_to_the_end, NULL);
    end_all();
}

CASE(failing_wait_ends_a_step_and_loses_nothing)
{
    for (int i = 0; i < WAIT_ERRORS; i++) {
        begin_all();
        for (int step = 0; step < 4; step++) {
            failing_syscalls_set(WAIT_CALL, 1, 1, wait_errors[i]);
            expect_status(weir_loop_step(loop, MILLISECOND_NS),
                          -wait_errors[i]);
            expect_status(weir_loop_step(loop, 0), 0);
        }
        loop_run();
        end_all();
    }
}

/* A wake that was sent while the wait failed is still taken, or the loop could
 * not end. */
static void *submit_quietly(void *arg)
{
    expect_status(weir_loop_submit(loop, count_call, arg), 0);
    return NULL;
}

static unsigned woken;

/* In the middle of the wait: the loop is asleep. */
static void submit_on_another_thread(void)
{
    pthread_t thread;

    expect_int(weir_loop_state(loop), WEIR_LOOP_SLEEPING);
    expect_int(pthread_create(&thread, NULL, submit_quietly, &woken), 0);
    expect_int(pthread_join(thread, NULL), 0);
}

CASE(failing_wait_does_not_lose_a_wake)
{
    begin();
    loop_make(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS));
    weir_loop_ref(loop);
    failing_syscalls_set(WAIT_CALL, 1, 1, ENOMEM);
    failing_syscalls_before(WAIT_CALL, submit_on_another_thread);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), -ENOMEM);
    expect_int(woken, 0);
    weir_loop_unref(loop);
    loop_run();
    expect_int(woken, 1);
    end();
}

/* A shutdown that fails is called again. */
static void tell_fd(void *arg, int status, int fd, unsigned events)
{
    record("fd", status);
}

static void begin_holding(void)
{
    begin();
    loop_make(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS));
    loop_timer(3600 * INT64_C(1000000000), "timer");
    expect_status(weir_fd_add(loop, ready_fd, WEIR_FD_READABLE, tell_fd, NULL),
                  0);
}

CASE(failing_wait_ends_a_shutdown_that_can_be_called_again)
{
    int status = 1;

    ready_fd = event_open(0);
    for (uint32_t nth = 1; status != 0; nth++) {
        begin_holding();
        loop_submit("task");
        failing_syscalls_set(WAIT_CALL, nth, 1, ENOMEM);
        status = weir_loop_shutdown(loop, -1);
        failing_syscalls_set(WAIT_CALL, 0, 0, 0);
        if (status != 0) {
            expect_status(status, -ENOMEM);
            expect_status(weir_loop_shutdown(loop, -1), 0);
        }
        expect_recorded("task timer! fd!");
        expect_status(weir_loop_free(loop), 0);
        expect_no_leak();
    }
}

static void expect_no_wakes(void)
{
    weir_metrics metrics = {.size = sizeof(metrics)};

    expect_status(weir_loop_metrics(loop, &metrics), 0);
    expect_int(metrics.wakes_sent, 0);
}

/* The first shutdown ends the sleep between two steps, the second finds none. */
CASE(failing_wait_of_a_stepped_loop_is_not_counted_as_a_wake)
{
    int status = 1, failures = 0;

    for (uint32_t nth = 1; status != 0; nth++) {
        begin();
        loop_make(
            LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS, .metrics = true));
        loop_timer(3600 * INT64_C(1000000000), "timer");
        expect_status(weir_loop_step(loop, 0), 0);
        expect_status(weir_loop_step(loop, 0), 0);
        failing_syscalls_set(WAIT_CALL, nth, 1, ENOMEM);
        status = weir_loop_shutdown(loop, -1);
        failing_syscalls_set(WAIT_CALL, 0, 0, 0);
        if (status != 0) {
            failures++;
            (void)weir_loop_backend_fd(loop); /* lets it sleep in the poller */
            expect_no_wakes();
            expect_status(weir_loop_shutdown(loop, -1), 0);
        }
        expect_recorded("timer!");
        expect_no_wakes();
        expect_status(weir_loop_free(loop), 0);
        expect_no_leak();
    }
    expect(failures > 0);
}

/* close and free have no such error: they do not need the poller. */
CASE(failing_wait_does_not_keep_a_loop_from_closing)
{
    ready_fd = event_open(0);
    begin_holding();
    failing_syscalls_set(WAIT_CALL, 1, FAILING_ALWAYS, ENOMEM);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("timer! fd!");
    expect_status(weir_loop_free(loop), 0);
    expect_no_leak();
    begin_holding();
    expect_status(weir_loop_free(loop), 0);
    expect_recorded("timer! fd!");
    expect_no_leak();
}

/* ---- waits that are interrupted, or over too early ---- */

static void expect_unnoticed(enum failing_call call, int error)
{
    uint64_t waits = UINT64_MAX;

    for (uint32_t nth = 1; nth <= waits; nth++) {
        begin_all();
        failing_syscalls_set(call, nth, 3, error);
        loop_run();
        waits = failing_syscalls_count(call);
        failing_syscalls_set(call, 0, 0, 0);
        end_all();
    }
}

CASE(failing_wait_that_is_interrupted_goes_on)
{
    expect_unnoticed(WAIT_CALL, EINTR);
}

CASE(failing_wait_that_is_over_too_early_goes_on)
{
    expect_unnoticed(WAIT_CALL, 0);
}

/* A timer is never early, whatever ends the waits. */
/* Long enough that even a thread which loses its core comes to its wait. */
enum { DELAY_NS = 100 * MILLISECOND_NS };

static int64_t deadline_ns;

static void expect_not_early(void *arg, int status)
{
    expect(weir_clock_now() >= deadline_ns);
    record(arg, status);
}

static void expect_in_time(weir_fd_mode fd_mode, enum failing_call call,
                           int error)
{
    begin();
    loop_make(LOOP_OPTIONS(.fd_mode = fd_mode));
    deadline_ns = weir_clock_now() + DELAY_NS;
    expect_status(weir_timer_start(loop, NULL, DELAY_NS, WEIR_TIMER_ONCE,
                                   expect_not_early, "fired"),
                  0);
    failing_syscalls_set(call, 1, 20, error);
    loop_run();
    expect(failing_syscalls_count(call) > 0);
    failing_syscalls_set(call, 0, 0, 0);
    expect_recorded("fired");
    end();
}

CASE(failing_wait_does_not_make_a_timer_early_in_the_poller)
{
    expect_in_time(WEIR_FD_MODE_ALWAYS, WAIT_CALL, EINTR);
    expect_in_time(WEIR_FD_MODE_ALWAYS, WAIT_CALL, 0);
}

#ifndef WEIR_FUTEX_CONDVAR
CASE(failing_wait_does_not_make_a_timer_early_on_the_futex)
{
    expect_in_time(WEIR_FD_MODE_NEVER, CALL_FUTEX, EINTR);
    expect_in_time(WEIR_FD_MODE_NEVER, CALL_FUTEX, EAGAIN);
    expect_in_time(WEIR_FD_MODE_NEVER, CALL_FUTEX, 0);
}

/* A kernel without futexes: to go on would be to spin. */
CASE_ABORTS(failing_futex_stops_the_program, "os/futex.c",
            "the kernel refused to wait on a futex")
{
    loop_make(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_NEVER));
    loop_timer(SECOND_NS, "never");
    failing_syscalls_set(CALL_FUTEX, 1, FAILING_ALWAYS, ENOSYS);
    loop_run();
}
#endif

/* ---- wakes that are interrupted ---- */

static sem_t came;

static void post_came(void *arg, int status)
{
    expect_status(status, 0);
    expect_int(sem_post(&came), 0);
}

static void expect_woken_despite(enum failing_call call)
{
    struct runner runner;

    begin();
    expect_int(sem_init(&came, 0, 0), 0);
    loop_make(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS));
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    for (int i = 0; i < 100; i++) {
        await_state(loop, WEIR_LOOP_SLEEPING);
        failing_syscalls_set(call, 1, 3, EINTR);
        expect_status(weir_loop_submit(loop, post_came, NULL), 0);
        await_post(&came);
        await_state(loop, WEIR_LOOP_SLEEPING);
        expect(failing_syscalls_count(call) >= 4);
    }
    failing_syscalls_set(call, 0, 0, 0);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(runner_join(&runner), 0);
    expect_status(weir_loop_free(loop), 0);
    expect_no_leak();
}

CASE(failing_write_of_a_wake_is_made_again)
{
    expect_woken_despite(CALL_WRITE);
}

CASE(failing_read_of_a_wake_is_made_again)
{
    expect_woken_despite(CALL_READ);
}

CASE_ABORTS(failing_write_of_a_wake_to_a_closed_descriptor_stops_the_program,
            "os/eventfd.c", "cannot signal a wake")
{
    struct runner runner;

    loop_make(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS));
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    await_state(loop, WEIR_LOOP_SLEEPING);
    failing_syscalls_set(CALL_WRITE, 1, 1, EBADF);
    loop_submit("never");
}

/* ---- a whole life, in which the nth allocation fails ---- */

/* What was accepted, and what was called. */
static struct {
    unsigned tasks, ticks, immediates, timers, fds;
} accepted, called;

static void count_end(void *arg, int status)
{
    expect(status == 0 || status == WEIR_ECANCELED);
    ++*(unsigned *)arg;
}

static void count_fd_end(void *arg, int status, int fd, unsigned events)
{
    if (status == WEIR_ECANCELED)
        ++*(unsigned *)arg;
}

/* Counts what was accepted; nothing else may go wrong. */
static void tally(int status, unsigned *count)
{
    expect(status == 0 || status == -ENOMEM);
    *count += status == 0;
}

static void use_all(void)
{
    weir_timer timer = 0;
    int status;

    for (int i = 0; i < 5; i++) {
        tally(weir_loop_submit(loop, count_end, &called.tasks),
              &accepted.tasks);
        tally(weir_loop_next_tick(loop, count_end, &called.ticks),
              &accepted.ticks);
        tally(weir_loop_immediate(loop, count_end, &called.immediates),
              &accepted.immediates);
        status = weir_timer_start(loop, &timer, i % 2 == 0 ? 0 : SECOND_NS,
                                  WEIR_TIMER_ONCE, count_end, &called.timers);
        tally(status, &accepted.timers);
        if (status == 0 && i == 3 && weir_timer_cancel(loop, timer) == 0)
            accepted.timers--;
    }
}

static void use_all_inside(void *arg, int status)
{
    count_end(arg, status);
    use_all();
}

static void live(int fd)
{
    use_all();
    tally(weir_loop_submit(loop, use_all_inside, &called.tasks),
          &accepted.tasks);
    tally(weir_fd_add(loop, fd, WEIR_FD_READABLE, count_fd_end, &called.fds),
          &accepted.fds);
    for (int i = 0; i < 3; i++)
        expect_status(weir_loop_step(loop, 0), 0);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(weir_loop_free(loop), 0);
}

static void expect_all_called(void)
{
    expect_int(called.tasks, accepted.tasks);
    expect_int(called.ticks, accepted.ticks);
    expect_int(called.immediates, accepted.immediates);
    expect_int(called.timers, accepted.timers);
    expect_int(called.fds, accepted.fds);
}

CASE(failing_allocations_refuse_single_calls_and_break_nothing)
{
    int fd = event_open(1);
    uint64_t nth = 0;

    do {
        int status;

        begin();
        memory.fail_at = ++nth;
        status = weir_loop_new(&loop, LOOP_OPTIONS(.metrics = true));
        expect(status == 0 || status == -ENOMEM);
        if (status == 0)
            live(fd);
        expect_all_called();
        expect_no_leak();
    } while (memory.calls >= nth);
    expect(nth > 8);
}
