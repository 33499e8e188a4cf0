/* SPDX-License-Identifier: MIT */
/*
 * failing -- the loop's public functions when the kernel or the allocator says
 * no: the call returns the error and has changed nothing, nothing leaks, and
 * the loop goes on.
 */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/crew.h"
#include "support/failing_fixture.h"
#include "support/fd_fixture.h"
#include "weir/clock.h"
#include "weir/timer.h"

/* ---- the nth of something fails, for every n ---- */

/* An allocation, among the system calls. */
static const enum failing_call an_allocation = FAILING_CALLS;

struct attempt {
    enum failing_call which;
    uint32_t nth;
    int error;
    int (*call)(void);
    int status;
    bool has_failed; /* there was an nth one */
};

static void fail_nth(enum failing_call which, uint32_t nth, int error)
{
    if (which == an_allocation)
        memory.fail_at = nth == 0 ? 0 : memory.calls + nth;
    else
        failing_syscalls_set(which, nth, nth > 0, error);
}

static void make_attempt(void *arg, int status)
{
    struct attempt *attempt = arg;

    fail_nth(attempt->which, attempt->nth, attempt->error);
    attempt->status = attempt->call();
    attempt->has_failed =
        attempt->which == an_allocation
            ? memory.calls >= memory.fail_at
            : failing_syscalls_count(attempt->which) >= attempt->nth;
    fail_nth(attempt->which, 0, 0);
}

/* Makes the call, in the place of the case if there is a loop, with the first
 * one failing, then the second, ... until it is made without; checks after
 * each failure that nothing has changed.  Returns how many there were. */
static unsigned sweep(enum failing_call which, int error, int (*call)(void),
                      void (*check)(void))
{
    for (uint32_t nth = 1;; nth++) {
        struct attempt attempt = {which, nth, error, call, 1, false};

        if (loop == NULL)
            make_attempt(&attempt, 0);
        else
            perform(make_attempt, &attempt);
        if (!attempt.has_failed) {
            expect_status(attempt.status, 0);
            return nth - 1;
        }
        expect_status(attempt.status, -error);
        check();
    }
}

/* What opening a poller may fail with. */
static const struct refusal {
    enum failing_call call;
    int error;
} refusals[] = {
    {CALL_EPOLL_CREATE1, EMFILE}, {CALL_EPOLL_CREATE1, ENFILE},
    {CALL_EPOLL_CREATE1, ENOMEM}, {CALL_EVENTFD, EMFILE},
    {CALL_EVENTFD, ENFILE},       {CALL_EVENTFD, ENOMEM},
    {CALL_EPOLL_CTL, ENOMEM},     {FAILING_CALLS, ENOMEM}, /* allocations */
};
enum { REFUSALS = sizeof(refusals) / sizeof(*refusals) };

/* ---- new ---- */

static int make_polling(void)
{
    return weir_loop_new(
        &loop, LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS, .metrics = true));
}

static void check_not_made(void)
{
    expect(loop == NULL);
    expect_no_leak();
}

/* covers: weir_loop_new -EMFILE */
/* covers: weir_loop_new -ENFILE */
/* covers: weir_loop_new -ENOMEM */
CASE(failing_loop_new_leaves_nothing_behind)
{
    unsigned failures = 0;

    for (int i = 0; i < REFUSALS; i++) {
        begin();
        failures += sweep(refusals[i].call, refusals[i].error, make_polling,
                          check_not_made);
        end();
    }
    expect(failures > 5);
}

/* The real thing: no descriptor is left, then one, then two, ... */
enum { LIMIT = 64 };

static int use_up_descriptors(void)
{
    int count = 0;

    while (dup(STDERR_FILENO) >= 0)
        count++;
    expect_int(errno, EMFILE);
    return count;
}

/* Calls with more and more descriptors left, until it succeeds. */
static void expect_needs_descriptors(int (*call)(void))
{
    const struct rlimit limit = {.rlim_cur = LIMIT, .rlim_max = LIMIT};
    int left = 0;

    expect_int(setrlimit(RLIMIT_NOFILE, &limit), 0);
    expect(use_up_descriptors() > 8);
    for (int status = -EMFILE; status != 0;) {
        status = call();
        if (status == 0)
            break;
        expect_status(status, -EMFILE);
        expect_int(use_up_descriptors(), left);
        left++;
        for (int i = 0; i < left; i++)
            close(LIMIT - 1 - i);
    }
    expect(left > 1);
    loop_submit("works");
    loop_turns(1);
    expect(strstr(take_record(), "works") != NULL);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_status(weir_loop_free(loop), 0);
    expect_int(use_up_descriptors(), left);
    for (int i = 0; i < left; i++) /* for who looks after the process */
        close(LIMIT - 1 - i);
}

CASE(failing_loop_new_at_the_limit_of_descriptors_leaves_nothing_behind)
{
    expect_needs_descriptors(make_polling);
}

/* ---- set_fd_mode ---- */

static int disable(void)
{
    return weir_loop_set_fd_mode(loop, WEIR_FD_MODE_ALWAYS);
}

/* It goes on where it slept, which takes no descriptors. */
static void check_not_polling(void)
{
    expect_int(count_open_descriptors(), open_at_first);
    loop_submit("task");
    loop_run();
    expect_recorded("task");
    expect_int(count_open_descriptors(), open_at_first);
}

/* covers: weir_loop_set_fd_mode -EMFILE */
/* covers: weir_loop_set_fd_mode -ENFILE */
/* covers: weir_loop_set_fd_mode -ENOMEM */
CASE(failing_set_fd_mode_changes_nothing)
{
    for (int i = 0; i < REFUSALS; i++) {
        begin();
        loop_make(NULL);
        check_not_polling();
        sweep(refusals[i].call, refusals[i].error, disable, check_not_polling);
        end();
    }
}

CASE(failing_set_fd_mode_at_the_limit_of_descriptors_changes_nothing)
{
    loop_make(NULL);
    expect_needs_descriptors(disable);
}

/* ---- add ---- */

static int fd; /* is readable */

static int add(void)
{
    return weir_fd_add(loop, fd, WEIR_FD_READABLE, record_fd, "ready");
}

static void check_not_added(void)
{
    expect_status(weir_fd_modify(loop, fd, WEIR_FD_READABLE), -ENOENT);
    expect_status(weir_fd_remove(loop, fd, record, "removed"), -ENOENT);
    expect_int(weir_loop_report(loop, NULL, 0, sizeof(weir_holder)), 0);
    loop_turns(1);
    loop_run();
    expect_recorded("");
}

static void expect_added(void)
{
    take_record();
    loop_turns(1);
    expect_recorded("ready");
    unwatch(fd);
    take_record();
}

/* The first one makes the poller, a table and a slot. */
/* covers: weir_fd_add -EMFILE */
/* covers: weir_fd_add -ENFILE */
/* covers: weir_fd_add -ENOMEM */
PLACE_CASE(failing_first_add_changes_nothing)
{
    unsigned failures = 0;

    fd = event_open(1);
    for (int i = 0; i < REFUSALS; i++) {
        begin();
        loop_make(NULL);
        failures +=
            sweep(refusals[i].call, refusals[i].error, add, check_not_added);
        expect_added();
        end();
    }
    expect(failures > 8);
}

PLACE_CASE(failing_first_add_at_the_limit_of_descriptors_changes_nothing)
{
    fd = event_open(1);
    loop_make(NULL);
    expect_needs_descriptors(add);
}

/* Later ones need room in what is there: each number is on its own page,
 * and the others stay watched meanwhile. */
/* covers: weir_fd_add -ENOMEM */
PLACE_CASE(failing_later_add_changes_nothing)
{
    enum { MANY = 40, APART = 300 };
    int source = event_open(1);
    unsigned failures = 0;

    begin();
    loop_make(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS));
    for (int i = 1; i <= MANY; i++) {
        fd = dup2(source, i * APART);
        expect_int(fd, i * APART);
        failures += sweep(an_allocation, ENOMEM, add, check_not_added);
        expect_added();
        watch_now(fd, WEIR_FD_READABLE, record_fd, "ready");
        expect_status(weir_fd_unref(loop, fd), 0);
        expect_status(weir_fd_modify(loop, fd, 0), 0);
    }
    expect(failures >= MANY); /* a page at the least */
    expect_status(weir_loop_close(loop, -1), 0);
    expect_status(weir_loop_free(loop), 0);
    for (int i = 1; i <= MANY; i++)
        close(i * APART);
    expect_no_leak();
}

#ifndef WEIR_POLLER_POLL
/* covers: weir_fd_add -ENOSPC */
PLACE_CASE(failing_add_in_the_kernel_changes_nothing)
{
    static const int errors[] = {ENOMEM, ENOSPC};

    fd = event_open(1);
    begin();
    loop_make(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS));
    for (int i = 0; i < 2; i++) {
        expect_int(sweep(CALL_EPOLL_CTL, errors[i], add, check_not_added), 1);
        expect_added();
    }
    end();
}

/* ---- modify and remove: a table of our own cannot refuse them ---- */

static int modify_to_writable(void)
{
    return weir_fd_modify(loop, fd, WEIR_FD_WRITABLE);
}

static unsigned last_events;

static void see_events(void *arg, int status, int ready, unsigned events)
{
    if (status == 0)
        last_events = events;
}

static void check_old_events(void)
{
    last_events = 0;
    loop_turns(1);
    expect_int(last_events, WEIR_FD_READABLE);
}

/* covers: weir_fd_modify -ENOMEM */
PLACE_CASE(failing_modify_keeps_the_old_events)
{
    fd = event_open(1);
    begin();
    loop_make(NULL);
    watch_now(fd, WEIR_FD_READABLE, see_events, NULL);
    expect_int(
        sweep(CALL_EPOLL_CTL, ENOMEM, modify_to_writable, check_old_events), 1);
    loop_turns(1);
    expect_int(last_events, WEIR_FD_WRITABLE);
    unwatch(fd);
    end();
}

/* One shot that the failing call has not armed stays as it was.
 * covers: weir_fd_modify -ENOSPC */
PLACE_CASE(failing_modify_does_not_arm_a_shot)
{
    static const int errors[] = {ENOMEM, ENOSPC};

    fd = event_open(1);
    begin();
    loop_make(NULL);
    watch(fd, WEIR_FD_READABLE | WEIR_FD_ONESHOT, "shot");
    expect_recorded("shot");
    for (int i = 0; i < 2; i++) {
        failing_syscalls_set(CALL_EPOLL_CTL, 1, 1, errors[i]);
        expect_status(try_modify(fd, WEIR_FD_READABLE | WEIR_FD_ONESHOT),
                      -errors[i]);
        loop_turns(2);
        expect_recorded("");
    }
    watch_for(fd, WEIR_FD_READABLE | WEIR_FD_ONESHOT);
    expect_recorded("shot");
    unwatch(fd);
    end();
}

/* Whatever the kernel says, it is gone. */
PLACE_CASE(failing_remove_removes)
{
    static const int errors[] = {ENOENT, EBADF, EPERM, ENOMEM};

    for (int i = 0; i < 4; i++) {
        fd = event_open(0);
        begin();
        loop_make(NULL);
        watch(fd, WEIR_FD_READABLE, "ready");
        failing_syscalls_set(CALL_EPOLL_CTL, 1, 1, errors[i]);
        expect_status(try_remove(fd, record, "removed"), 0);
        expect_recorded("removed");
        event_fill(fd);
        loop_turns(2);
        expect_recorded("");
        end();
        close(fd);
    }
}
#endif

/* ---- timers ---- */

static weir_timer id;
static unsigned started;

static int start(void)
{
    id = 42;
    return weir_timer_start(loop, &id, SECOND_NS, WEIR_TIMER_ONCE, record, "x");
}

static void check_not_started(void)
{
    weir_holder timers = {.count = 0};

    expect_int(id, 42);
    expect_int(weir_loop_report(loop, &timers, 1, sizeof(weir_holder)),
               started > 0);
    expect_int(timers.count, started);
}

/* covers: weir_timer_start -ENOMEM */
PLACE_CASE(failing_timer_start_changes_nothing)
{
    unsigned failures = 0;

    begin();
    expect_status(weir_clock_freeze(0), 0);
    loop_make(NULL);
    for (; started < 200; started++)
        failures += sweep(an_allocation, ENOMEM, start, check_not_started);
    expect(failures >= 2);
    expect_status(weir_clock_advance(SECOND_NS), 0);
    loop_turns(1);
    expect_int(strlen(take_record()), 2 * started - 1);
    end();
}

/* On a thread that has no envelopes yet. */
struct foreign {
    int (*function)(weir_loop *loop, weir_timer id);
    int failures;
};

static void call_in_need(struct crew *crew, unsigned number)
{
    struct foreign *foreign = crew->context;
    int status;

    do {
        fail_nth(an_allocation, 1 + (uint32_t)foreign->failures, ENOMEM);
        status = foreign->function(loop, id);
        fail_nth(an_allocation, 0, 0);
        foreign->failures += status != 0;
        expect(status == 0 || status == -ENOMEM);
    } while (status != 0);
}

static void expect_needs_memory(int (*function)(weir_loop *loop, weir_timer id))
{
    struct foreign foreign = {function, 0};

    begin();
    expect_status(weir_clock_freeze(0), 0);
    loop_make(NULL);
    expect_status(start(), 0);
    crew_run(1, call_in_need, &foreign);
    expect(foreign.failures > 0);
    loop_turns(1);
    expect_status(weir_clock_advance(SECOND_NS), 0);
    loop_turns(1);
    expect_recorded(function == weir_timer_cancel ? "" : "x");
    end();
}

/* covers: weir_timer_cancel -ENOMEM */
/* covers: weir_timer_ref -ENOMEM */
/* covers: weir_timer_unref -ENOMEM */
CASE(failing_timer_calls_of_another_thread_change_nothing)
{
    expect_needs_memory(weir_timer_cancel);
    expect_needs_memory(weir_timer_ref);
    expect_needs_memory(weir_timer_unref);
}
