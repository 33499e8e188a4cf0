/* SPDX-License-Identifier: MIT */
/*
 * step -- a loop that is driven from outside, turn by turn, and the descriptor
 * that says when it wants the next one.
 */
#include <errno.h>
#include <poll.h>

#include "base/clock.h"
#include "support/crew.h"
#include "support/failing_allocator.h"
#include "support/failing_syscalls.h"
#include "support/loop_fixture.h"
#include "support/suite.h"
#include "weir/clock.h"
#include "weir/fd.h"
#include "weir/host/loop.h"
#include "weir/loop.h"
#include "weir/timer.h"

/* one turn */

static void submit_more(void *word, int status)
{
    record(word, status);
    loop_submit("more");
}

CASE(step_takes_one_turn)
{
    loop_make(NULL);
    expect_status(weir_loop_submit(loop, submit_more, (void *)"a"), 0);
    loop_submit("b");
    expect_status(weir_loop_step(loop, 0), 0);
    expect_recorded("a b");
    expect_status(weir_loop_step(loop, 0), 0);
    expect_recorded("more");
    expect_status(weir_loop_step(loop, 0), 0);
    expect_recorded("");
    loop_end();
}

static void *is_claimed(void *arg)
{
    return weir_loop_is_claimed(loop) ? loop : NULL;
}

static void expect_claimed(void *arg, int status)
{
    expect_status(status, 0);
    expect(weir_loop_is_claimed(loop));
}

CASE(step_claims_the_loop_until_it_is_run)
{
    pthread_t thread;
    void *answer;

    loop_make(NULL);
    expect(!weir_loop_is_claimed(NULL));
    expect(!weir_loop_is_claimed(loop));
    expect_status(weir_loop_submit(loop, expect_claimed, NULL), 0);
    expect_status(weir_loop_step(loop, 0), 0);
    expect(weir_loop_is_claimed(loop));
    expect(!weir_loop_is_owner(loop));
    expect_int(pthread_create(&thread, NULL, is_claimed, NULL), 0);
    expect_int(pthread_join(thread, &answer), 0);
    expect(answer == NULL);
    expect_status(weir_loop_submit(loop, expect_claimed, NULL), 0);
    loop_run();
    expect(!weir_loop_is_claimed(loop));
    loop_end();
}

CASE(step_without_time_does_not_wait)
{
    loop_make(NULL);
    loop_timer(3600 * (int64_t)SECOND_NS, "timer");
    weir_loop_ref(loop);
    loop_turns(3);
    weir_loop_unref(loop);
    loop_end();
}

CASE(step_with_nothing_to_do_waits_as_long_as_it_may)
{
    int64_t begun_ns;

    loop_make(NULL);
    loop_turns(1);
    begun_ns = weir__clock_real();
    expect_status(weir_loop_step(loop, 2 * MILLISECOND_NS), 0);
    expect(weir__clock_real() - begun_ns >= 2 * MILLISECOND_NS);
    loop_end();
}

CASE(step_in_the_poller_waits_as_long_as_it_may)
{
    int64_t begun_ns;

    loop_make(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS));
    loop_turns(1);
    begun_ns = weir__clock_real();
    expect_status(weir_loop_step(loop, 2 * MILLISECOND_NS), 0);
    expect(weir__clock_real() - begun_ns >= 2 * MILLISECOND_NS);
    loop_end();
}

CASE(step_waits_by_the_real_clock)
{
    expect_status(weir_clock_freeze(0), 0);
    loop_make(NULL);
    loop_timer(1, "timer");
    loop_turns(1);
    expect_status(weir_loop_step(loop, MILLISECOND_NS), 0);
    expect_recorded("");
    loop_end();
}

CASE(step_waits_no_longer_than_until_the_next_timer)
{
    int64_t begun_ns = weir__clock_real();

    loop_make(NULL);
    loop_timer(2 * MILLISECOND_NS, "timer");
    loop_turns(1);
    expect_status(weir_loop_step(loop, 3600 * (int64_t)SECOND_NS), 0);
    loop_turns(1);
    expect(weir__clock_real() - begun_ns >= 2 * MILLISECOND_NS);
    expect_recorded("timer");
    loop_end();
}

static void submit_when_asleep(struct crew *crew, unsigned id)
{
    await_state(loop, WEIR_LOOP_SLEEPING);
    loop_submit("a");
}

CASE(step_that_waits_is_woken_by_a_task)
{
    struct crew crew;

    loop_make(NULL);
    crew_start(&crew, 1, submit_when_asleep, NULL);
    expect_status(weir_loop_step(loop, -1), 0);
    crew_join(&crew);
    loop_turns(1);
    expect_recorded("a");
    loop_end();
}

/* whose it is */

static void expect_busy(struct crew *crew, unsigned id)
{
    expect_status(weir_loop_step(loop, 0), -EBUSY);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), -EBUSY);
}

/* covers: weir_loop_step -EBUSY */
CASE(step_belongs_to_the_thread_that_stepped_first)
{
    loop_make(NULL);
    loop_submit("a");
    loop_turns(1);
    crew_run(1, expect_busy, NULL);
    loop_submit("b");
    loop_turns(1);
    expect_recorded("a b");
    loop_end();
}

static void step_or_run(struct crew *crew, unsigned id)
{
    loop_turns(1);
    expect_recorded("c");
    loop_submit("d");
    loop_run();
}

CASE(step_no_longer_binds_once_the_loop_was_run)
{
    loop_make(NULL);
    loop_submit("a");
    loop_turns(1);
    loop_submit("b");
    loop_run();
    expect_recorded("a b");
    expect_int(weir_loop_state(loop), WEIR_LOOP_AWAKE);
    loop_submit("c");
    crew_run(1, step_or_run, NULL);
    loop_turns(1);
    expect_recorded("d");
    loop_end();
}

CASE(step_leaves_the_loop_asleep)
{
    loop_make(NULL);
    loop_turns(1);
    expect_int(weir_loop_state(loop), WEIR_LOOP_SLEEPING);
    expect(weir_loop_current() == NULL);
    expect(!weir_loop_is_owner(loop));
    loop_submit("a");
    expect_int(weir_loop_state(loop), WEIR_LOOP_RUNNING);
    loop_turns(1);
    expect_int(weir_loop_state(loop), WEIR_LOOP_SLEEPING);
    loop_end();
}

static void queue_inside(void *arg, int status)
{
    loop_immediate("immediate");
}

/* Between two steps this thread is an outsider like any other. */
CASE(step_runs_what_is_queued_between_two)
{
    loop_make(NULL);
    expect_status(weir_loop_submit(loop, queue_inside, NULL), 0);
    loop_turns(1);
    expect_recorded("immediate");
    loop_tick("tick");
    loop_microtask("microtask");
    loop_immediate("immediate");
    loop_close_phase("close");
    expect_status(weir_loop_dispatch(loop, record, (void *)"dispatch"), 0);
    expect_recorded("");
    loop_turns(1);
    expect_recorded("tick microtask dispatch immediate close");
    loop_end();
}

/* the end */

/* covers: weir_loop_step WEIR_ECLOSED */
CASE(step_of_a_loop_that_has_ended_is_refused)
{
    loop_make(NULL);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(weir_loop_step(loop, 0), WEIR_ECLOSED);
    expect_status(weir_loop_step(loop, -1), WEIR_ECLOSED);
    expect_status(weir_loop_free(loop), 0);
}

static void shut_down_inside(void *arg, int status)
{
    expect_status(weir_loop_shutdown(loop, -1), 0);
}

/* covers: weir_loop_step WEIR_ECLOSED */
CASE(step_that_ends_the_loop_says_so)
{
    int err;

    loop_make(NULL);
    loop_timer(SECOND_NS, "timer");
    expect_status(weir_loop_submit(loop, shut_down_inside, NULL), 0);
    do
        err = weir_loop_step(loop, 0);
    while (err == 0);
    expect_status(err, WEIR_ECLOSED);
    expect_recorded("timer!");
    expect_int(weir_loop_state(loop), WEIR_LOOP_TERMINATED);
    expect_status(weir_loop_step(loop, 0), WEIR_ECLOSED);
    expect_status(weir_loop_free(loop), 0);
}

CASE(step_that_waits_does_not_hold_up_the_end)
{
    int err;

    loop_make(NULL);
    loop_timer(3600 * (int64_t)SECOND_NS, "timer");
    expect_status(weir_fd_add(loop, event_open(0), WEIR_FD_READABLE, record_fd,
                              (void *)"fd"),
                  0);
    expect_status(weir_loop_submit(loop, shut_down_inside, NULL), 0);
    do
        err = weir_loop_step(loop, -1);
    while (err == 0);
    expect_status(err, WEIR_ECLOSED);
    expect_recorded("timer! fd!");
    expect_status(weir_loop_free(loop), 0);
}

CASE(step_loop_is_shut_down_by_its_thread_between_two)
{
    loop_make(NULL);
    loop_timer(3600 * (int64_t)SECOND_NS, "timer");
    loop_turns(2);
    loop_submit("a");
    loop_end();
    expect_recorded("a timer!");
}

/* the descriptor */

/* The loop's backend descriptor, or the end of the case. */
static int backend_fd(void)
{
    int fd = weir_loop_backend_fd(loop);

#ifdef WEIR_POLLER_POLL
    expect_status(fd, -ENOTSUP);
    skip_case("poll has no backend descriptor");
#endif
    expect(fd >= 0);
    return fd;
}

static bool is_readable(int fd)
{
    struct pollfd entry = {.fd = fd, .events = POLLIN};

    expect(poll(&entry, 1, 0) >= 0);
    expect_int(entry.revents & ~POLLIN, 0);
    return entry.revents != 0;
}

/* As a foreign loop does: sleeps until the loop wants a step. */
static void await_wish(int fd)
{
    struct pollfd entry = {.fd = fd, .events = POLLIN};
    int64_t timeout_ns = weir_loop_timeout(loop);
    struct timespec timeout = {timeout_ns / SECOND_NS, timeout_ns % SECOND_NS};

    expect(ppoll(&entry, 1, timeout_ns < 0 ? NULL : &timeout, NULL) >= 0);
}

/* covers: weir_loop_backend_fd -ENOTSUP */
CASE(step_backend_is_silent_while_there_is_nothing_to_do)
{
    int fd;

    loop_make(NULL);
    loop_turns(1);
    fd = backend_fd();
    expect(!is_readable(fd));
    loop_turns(2);
    expect(!is_readable(fd));
    expect_int(weir_loop_backend_fd(loop), fd);
    loop_end();
}

CASE(step_backend_becomes_readable_by_a_task)
{
    int fd;

    loop_make(NULL);
    loop_turns(1);
    fd = backend_fd();
    for (int i = 0; i < 3; i++) {
        loop_submit("a");
        loop_submit("b");
        expect(is_readable(fd));
        expect_int(weir_loop_timeout(loop), 0);
        loop_turns(1);
        expect_recorded("a b");
        loop_turns(1);
        expect(!is_readable(fd));
        expect_int(weir_loop_timeout(loop), -1);
    }
    loop_end();
}

/* The same when the poller is there from the beginning. */
CASE(step_backend_of_a_loop_without_fd_mode_becomes_readable_by_a_task)
{
    int fd;

    loop_make(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS));
    loop_turns(1);
    fd = backend_fd();
    expect(!is_readable(fd));
    loop_submit("a");
    expect(is_readable(fd));
    loop_turns(1);
    expect_recorded("a");
    loop_end();
}

CASE(step_backend_asked_for_before_the_first_step_is_the_same)
{
    int fd;

    loop_make(NULL);
    fd = backend_fd();
    loop_turns(1);
    expect_int(weir_loop_backend_fd(loop), fd);
    expect(!is_readable(fd));
    loop_submit("a");
    expect(is_readable(fd));
    loop_end();
}

CASE(step_backend_becomes_readable_by_wake_and_by_timers_of_others)
{
    int fd;

    expect_status(weir_clock_freeze(0), 0);
    loop_make(NULL);
    loop_turns(1);
    fd = backend_fd();
    weir_loop_wake(loop);
    expect(is_readable(fd));
    loop_turns(2);
    expect(!is_readable(fd));
    loop_timer(5, "timer");
    expect(is_readable(fd));
    loop_turns(2);
    expect(!is_readable(fd));
    expect_int(weir_loop_timeout(loop), 5);
    loop_end();
    expect_recorded("timer!");
}

CASE(step_backend_becomes_readable_by_a_descriptor)
{
    int event = event_open(0), fd;

    loop_make(NULL);
    loop_turns(1);
    fd = backend_fd();
    expect_status(weir_fd_add(loop, event, WEIR_FD_READABLE | WEIR_FD_ONESHOT,
                              record_fd, (void *)"event"),
                  0);
    loop_turns(2);
    expect(!is_readable(fd));
    event_fill(event);
    expect(is_readable(fd));
    loop_turns(1);
    expect_recorded("event");
    loop_turns(1);
    expect(!is_readable(fd));
    loop_end();
    expect_recorded("event!");
}

CASE(step_backend_stays_readable_while_a_task_is_left)
{
    int fd;

    loop_make(NULL);
    loop_turns(1);
    fd = backend_fd();
    expect_status(weir_loop_submit(loop, submit_more, (void *)"a"), 0);
    loop_turns(1);
    expect_recorded("a");
    expect(is_readable(fd));
    loop_turns(1);
    expect_recorded("more");
    loop_turns(1);
    expect(!is_readable(fd));
    loop_end();
}

static void submit_elsewhere(struct crew *crew, unsigned id)
{
    loop_submit("b");
}

static void let_another_submit(void *word, int status)
{
    record(word, status);
    crew_run(1, submit_elsewhere, NULL);
}

/* It came after the turn had looked, and before the loop could go to sleep. */
CASE(step_backend_is_readable_by_a_task_that_came_during_the_step)
{
    int fd;

    loop_make(NULL);
    loop_turns(1);
    fd = backend_fd();
    expect_status(
        weir_loop_on_close_phase(loop, let_another_submit, (void *)"a"), 0);
    loop_turns(1);
    expect_recorded("a");
    expect(is_readable(fd));
    loop_turns(1);
    expect_recorded("b");
    loop_turns(1);
    expect(!is_readable(fd));
    loop_end();
}

/* covers: weir_loop_backend_fd WEIR_ENOFDS */
CASE(step_backend_of_a_loop_without_descriptors_is_refused)
{
    loop_make(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_NEVER));
    expect_status(weir_loop_backend_fd(loop), WEIR_ENOFDS);
    loop_turns(1);
    expect_status(weir_loop_backend_fd(loop), WEIR_ENOFDS);
    expect_int(weir_loop_state(loop), WEIR_LOOP_SLEEPING);
    loop_submit("a");
    loop_turns(1);
    expect_recorded("a");
    expect_status(weir_loop_set_fd_mode(loop, WEIR_FD_MODE_AUTO), 0);
    loop_turns(1);
    expect(weir_loop_backend_fd(loop) != WEIR_ENOFDS);
    loop_end();
}

/* covers: weir_loop_backend_fd WEIR_ECLOSED */
CASE(step_backend_after_the_end_is_refused)
{
    loop_make(NULL);
    loop_turns(1);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(weir_loop_backend_fd(loop), WEIR_ECLOSED);
    expect_status(weir_loop_free(loop), 0);
}

/* covers: weir_loop_backend_fd -ENOSPC */
CASE(step_backend_beyond_the_limit_of_watches_is_refused)
{
    int fd;

    loop_make(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS));
    failing_syscalls_set(CALL_EPOLL_CTL, 1, 1, ENOSPC);
    fd = weir_loop_backend_fd(loop);
    if (fd != -ENOTSUP) { /* poll(2) has none */
        expect_status(fd, -ENOSPC);
        expect(weir_loop_backend_fd(loop) >= 0);
    }
    loop_end();
}

static void expect_backend_fails(int error)
{
    loop_make(NULL);
    loop_turns(1);
    failing_syscalls_set(CALL_EPOLL_CREATE1, 1, 1, error);
    failing_syscalls_set(CALL_EVENTFD, 1, 1, error);
    expect_status(weir_loop_backend_fd(loop), -error);
    failing_syscalls_set(CALL_EPOLL_CREATE1, 0, 0, 0);
    failing_syscalls_set(CALL_EVENTFD, 0, 0, 0);
    loop_submit("a");
    loop_turns(1);
    expect_recorded("a");
    loop_end();
}

/* covers: weir_loop_backend_fd -EMFILE */
/* covers: weir_loop_backend_fd -ENFILE */
CASE(step_backend_without_descriptors_is_refused)
{
    expect_backend_fails(EMFILE);
    expect_backend_fails(ENFILE);
}

/* covers: weir_loop_backend_fd -ENOMEM */
CASE(step_backend_without_memory_is_refused)
{
    struct failing_allocator memory;
    int fd = -ENOMEM;

    expect_backend_fails(ENOMEM);
    for (uint64_t nth = 2; fd == -ENOMEM; nth++) {
        failing_allocator_init(&memory, nth);
        expect_status(weir_set_allocator(&memory.hooks), 0);
        loop_make(NULL);
        loop_turns(1);
        fd = weir_loop_backend_fd(loop);
        loop_end();
        expect_int(memory.live, 0);
    }
    expect(fd >= 0 || fd == -ENOTSUP);
}

/* the timeout */

CASE(step_timeout_is_until_the_next_timer)
{
    expect_status(weir_clock_freeze(100), 0);
    loop_make(NULL);
    expect_int(weir_loop_timeout(loop), -1);
    loop_timer(50, "timer");
    expect_int(weir_loop_timeout(loop), 50);
    loop_turns(1);
    expect_int(weir_loop_timeout(loop), 50);
    loop_timer(60, "later");
    expect_int(weir_loop_timeout(loop), 0); /* it is on its way */
    loop_turns(1);
    expect_int(weir_loop_timeout(loop), 50);
    expect_status(weir_clock_advance(49), 0);
    expect_int(weir_loop_timeout(loop), 1);
    expect_status(weir_clock_advance(1), 0);
    expect_int(weir_loop_timeout(loop), 0);
    expect_status(weir_clock_advance(1000), 0);
    expect_int(weir_loop_timeout(loop), 0);
    loop_turns(1);
    expect_recorded("timer later");
    expect_int(weir_loop_timeout(loop), -1);
    loop_end();
}

static void queue_one_more(void *queue, int status)
{
    int (*again)(weir_loop *, weir_fn *, void *) =
        *(int (**)(weir_loop *, weir_fn *, void *))queue;

    expect_status(again(loop, record, (void *)"more"), 0);
}

CASE(step_timeout_is_nothing_while_something_is_queued)
{
    int (*queues[])(weir_loop *, weir_fn *, void *) = {
        weir_loop_submit, weir_loop_immediate, weir_loop_on_close_phase};

    loop_make(NULL);
    loop_turns(1);
    for (int i = 0; i < 3; i++) {
        expect_status(
            weir_loop_on_close_phase(loop, queue_one_more, &queues[i]), 0);
        loop_turns(1);
        expect_recorded("");
        expect_int(weir_loop_timeout(loop), 0);
        loop_turns(1);
        expect_recorded("more");
        expect_int(weir_loop_timeout(loop), -1);
    }
    loop_end();
}

/* others end it */

static void end_from_outside(struct crew *crew, unsigned id)
{
    expect_status(crew->context == NULL ? weir_loop_shutdown(loop, -1)
                                        : weir_loop_close(loop, -1),
                  0);
    expect_int(weir_loop_state(loop), WEIR_LOOP_TERMINATED);
}

/* A foreign loop that only looks at the descriptor and at the timeout. */
static void expect_end_reaches(void *close_instead)
{
    struct crew crew;
    int fd, err;

    loop_make(NULL);
    loop_timer(3600 * (int64_t)SECOND_NS, "timer");
    expect_status(weir_fd_add(loop, event_open(0), WEIR_FD_READABLE, record_fd,
                              (void *)"fd"),
                  0);
    loop_turns(2);
    fd = backend_fd();
    crew_start(&crew, 1, end_from_outside, close_instead);
    do {
        await_wish(fd);
        err = weir_loop_step(loop, 0);
    } while (err == 0);
    expect_status(err, WEIR_ECLOSED);
    crew_join(&crew);
    expect_recorded("timer! fd!");
    expect_status(weir_loop_free(loop), 0);
}

CASE(step_loop_is_shut_down_by_another_thread)
{
    expect_end_reaches(NULL);
}

CASE(step_loop_is_closed_by_another_thread)
{
    expect_end_reaches(&loop);
}

CASE(step_loop_is_shut_down_by_another_thread_while_it_waits)
{
    struct crew crew;
    int err;

    loop_make(NULL);
    loop_timer(3600 * (int64_t)SECOND_NS, "timer");
    loop_turns(1);
    crew_start(&crew, 1, end_from_outside, NULL);
    do
        err = weir_loop_step(loop, -1);
    while (err == 0);
    expect_status(err, WEIR_ECLOSED);
    crew_join(&crew);
    expect_recorded("timer!");
    expect_status(weir_loop_free(loop), 0);
}

/* one loop inside another */

static unsigned arrived;

static void arrive(void *arg, int status)
{
    expect_status(status, 0);
    arrived++;
}

static void step_inner(void *outer, int status, int fd, unsigned events)
{
    expect_status(status, 0);
    expect_status(weir_loop_step(loop, 0), 0);
    if (arrived == 3000)
        expect_status(weir_fd_remove(outer, fd, NULL, NULL), 0);
}

static void submit_many(struct crew *crew, unsigned id)
{
    for (int i = 0; i < 1000; i++)
        expect_status(weir_loop_submit(loop, arrive, NULL), 0);
}

CASE(step_serves_a_loop_that_another_loop_watches)
{
    weir_loop *outer;
    struct crew crew;
    int fd;

    loop_make(NULL);
    loop_turns(1);
    fd = backend_fd();
    expect_status(weir_loop_new(&outer, NULL), 0);
    expect_status(weir_fd_add(outer, fd, WEIR_FD_READABLE, step_inner, outer),
                  0);
    crew_start(&crew, 3, submit_many, NULL);
    expect_status(weir_loop_run(outer, WEIR_RUN_UNTIL_IDLE), 0);
    crew_join(&crew);
    expect_int(arrived, 3000);
    expect_status(weir_loop_free(outer), 0);
    loop_end();
}

/* covers: weir_fd_add -ELOOP */
CASE(step_two_loops_do_not_watch_each_other)
{
    weir_loop *outer;
    int inner_fd, outer_fd;

    loop_make(NULL);
    expect_status(weir_loop_new(&outer, NULL), 0);
    inner_fd = weir_loop_backend_fd(loop);
    outer_fd = weir_loop_backend_fd(outer);
    if (inner_fd != -ENOTSUP) { /* poll(2) has none */
        expect_status(
            weir_fd_add(outer, inner_fd, WEIR_FD_READABLE, step_inner, outer),
            0);
        expect_status(weir_fd_add(loop, outer_fd, WEIR_FD_READABLE, record_fd,
                                  (void *)"outer"),
                      -ELOOP);
        expect_status(weir_fd_remove(outer, inner_fd, NULL, NULL), 0);
    }
    expect_status(weir_loop_free(outer), 0);
    loop_end();
}
