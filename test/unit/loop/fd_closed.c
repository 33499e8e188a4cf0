/* SPDX-License-Identifier: MIT */
/*
 * fd -- descriptors that were closed before they were removed, with a duplicate
 * that keeps their file open: the kernel may go on reporting them.
 *
 * Whether a loop spins is seen by how often it asks the kernel, not by time.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/failing_syscalls.h"
#include "support/fd_fixture.h"

/* In the poller, even when no descriptor is left. */
#define IN_POLLER LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS)

static uint64_t waits(void)
{
    return failing_syscalls_count(CALL_EPOLL_PWAIT2) +
           failing_syscalls_count(CALL_EPOLL_WAIT) +
           failing_syscalls_count(CALL_PPOLL);
}

/* Waits for a timer.  A loop that does not sleep asks thousands of times. */
static void expect_sleeps(void)
{
    uint64_t before = waits();

    (void)take_record();
    loop_timer(20 * MILLISECOND_NS, "timer");
    loop_run();
    expect_recorded("timer");
    expect(waits() - before <= 6);
}

static void count(void *arg, int status, int fd, unsigned events)
{
    if (status == 0)
        ++*(unsigned *)arg;
}

static void watch_count(int fd, unsigned events, unsigned *calls)
{
    expect_status(try_add(fd, events, count, calls), 0);
}

/* How often one was called in so many turns. */
static unsigned calls_in(unsigned turns, const unsigned *calls)
{
    unsigned before = *calls;

    loop_turns(turns);
    return *calls - before;
}

/* A file that is ready, under two numbers.  The first one is watched and
 * closed; the second one is returned. */
static int open_closed(int *fd)
{
    static unsigned calls;
    int duplicate;

    *fd = event_open(1);
    duplicate = dup(*fd);
    expect(duplicate >= 0);
    watch_count(*fd, WEIR_FD_READABLE, &calls);
    close(*fd);
    return duplicate;
}

/* The same, and removed: nobody knows of it but the kernel. */
static int open_ghost(void)
{
    int fd, duplicate = open_closed(&fd);

    unwatch(fd);
    return duplicate;
}

PLACE_CASE(fd_closed_before_its_removal_lets_the_loop_sleep)
{
    loop_make(IN_POLLER);
    (void)open_ghost();
    expect_sleeps();
    close(open_ghost());
    (void)open_ghost();
    (void)open_ghost();
    (void)open_ghost(); /* more than a small batch has room for */
    loop_turns(3);
    expect_sleeps();
    loop_end();
}

/* ---- what the others get meanwhile ---- */

PLACE_CASE(fd_closed_before_its_removal_leaves_others_as_they_are)
{
    int ready = event_open(1), later = event_open(0);
    unsigned of_ready = 0, of_later = 0;

    loop_make(NULL);
    watch_count(ready, WEIR_FD_READABLE, &of_ready);
    watch_count(later, WEIR_FD_READABLE, &of_later);
    (void)open_ghost();
    expect_int(calls_in(3, &of_ready), 3);
    expect_int(of_later, 0);
    event_fill(later);
    expect_int(calls_in(3, &of_later), 3);
    expect_int(calls_in(3, &of_ready), 3);
    unwatch(ready);
    watch_for(later, WEIR_FD_WRITABLE);
    expect_int(calls_in(2, &of_ready), 0);
    expect_int(calls_in(2, &of_later), 2);
    unwatch(later);
    loop_end();
}

PLACE_CASE(fd_closed_before_its_removal_leaves_one_shots_as_they_are)
{
    int spent = event_open(1), armed = event_open(0), gone = event_open(1);
    unsigned of_spent = 0, of_armed = 0, of_gone = 0;

    loop_make(NULL);
    watch_count(spent, WEIR_FD_READABLE | WEIR_FD_ONESHOT, &of_spent);
    watch_count(armed, WEIR_FD_READABLE | WEIR_FD_ONESHOT, &of_armed);
    watch_count(gone, WEIR_FD_READABLE | WEIR_FD_ONESHOT, &of_gone);
    loop_turns(2);
    expect_int(of_spent, 1);
    (void)open_ghost();
    loop_turns(2);
    expect_int(of_spent, 1);
    expect_int(of_gone, 1);
    expect_int(of_armed, 0);
    event_fill(armed);
    loop_turns(2);
    expect_int(of_armed, 1);
    (void)open_ghost();
    watch_for(armed, WEIR_FD_READABLE | WEIR_FD_ONESHOT);
    watch_for(spent, WEIR_FD_READABLE | WEIR_FD_ONESHOT);
    unwatch(gone);
    loop_turns(2);
    expect_int(of_armed, 2);
    expect_int(of_spent, 2);
    expect_int(of_gone, 1);
    watch_for(spent, WEIR_FD_READABLE);
    expect_int(calls_in(2, &of_spent), 2);
    unwatch(spent);
    unwatch(armed);
    loop_end();
}

CASE(fd_closed_before_its_removal_leaves_edges_as_they_are)
{
    int edge = event_open(0);
    unsigned of_edge = 0;

    loop_make(NULL);
    if (weir_fd_add(loop, edge, WEIR_FD_READABLE | WEIR_FD_EDGE, count,
                    &of_edge) != -ENOTSUP) {
        (void)open_ghost();
        loop_turns(2);
        expect_int(of_edge, 0);
        event_fill(edge);
        loop_turns(2);
        expect_int(of_edge, 1);
        unwatch(edge);
    }
    loop_end();
}

static sem_t arrived;

static void arrive(void *arg, int status)
{
    record(arg, status);
    expect_int(sem_post(&arrived), 0);
}

CASE(fd_closed_before_its_removal_leaves_the_loop_to_be_woken)
{
    struct runner runner;

    expect_int(sem_init(&arrived, 0, 0), 0);
    loop_make(IN_POLLER);
    (void)open_ghost();
    loop_run(); /* it is no longer this thread's */
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    for (int i = 0; i < 2; i++) {
        await_state(loop, WEIR_LOOP_SLEEPING);
        expect_status(weir_loop_submit(loop, arrive, (void *)"woken"), 0);
        await_post(&arrived);
    }
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(runner_join(&runner), 0);
    expect_recorded("woken woken");
    expect_status(weir_loop_free(loop), 0);
}

/* ---- the descriptor that another loop watches ---- */

static bool is_readable(int fd)
{
    struct pollfd entry = {.fd = fd, .events = POLLIN};

    expect(poll(&entry, 1, 0) >= 0);
    return entry.revents != 0;
}

static void step_inner(void *calls, int status, int fd, unsigned events)
{
    count(calls, status, fd, events);
    if (status == 0)
        expect_status(weir_loop_step(loop, 0), 0);
}

PLACE_CASE(fd_closed_before_its_removal_leaves_the_backend_descriptor_quiet)
{
    unsigned steps = 0, calls = 0;
    int backend, event = event_open(0);
    weir_loop *outer;

    loop_make(NULL);
    loop_turns(1);
    backend = weir_loop_backend_fd(loop);
    expect_status(weir_loop_new(&outer, NULL), 0);
    if (backend != -ENOTSUP) {
        expect_status(
            weir_fd_add(outer, backend, WEIR_FD_READABLE, step_inner, &steps),
            0);
        (void)open_ghost();
        (void)open_ghost();
        loop_turns(1);
        expect(!is_readable(backend));
        expect_int(weir_loop_backend_fd(loop), backend);
        expect_status(weir_loop_step(outer, 0), 0);
        expect_int(steps, 0);
        watch_count(event, WEIR_FD_READABLE, &calls);
        event_fill(event);
        expect_status(weir_loop_step(outer, 0), 0);
        expect_int(steps, 1);
        expect_int(calls, 1);
        expect_status(weir_fd_remove(outer, backend, NULL, NULL), 0);
        unwatch(event);
    }
    expect_status(weir_loop_free(outer), 0);
    loop_end();
}

/* ---- the number is another file's ---- */

PLACE_CASE(fd_number_of_another_file_by_its_removal_is_free_for_that_file)
{
    unsigned calls = 0;
    int fd;

    loop_make(IN_POLLER);
    (void)open_closed(&fd);
    expect_int(event_open(0), fd);
    unwatch(fd);
    watch_count(fd, WEIR_FD_READABLE, &calls);
    expect_int(calls_in(2, &calls), 0);
    event_fill(fd);
    expect_int(calls_in(2, &calls), 2);
    unwatch(fd);
    expect_sleeps();
    loop_end();
}

PLACE_CASE(fd_number_of_a_regular_file_by_its_removal_is_survived)
{
    char name[] = "/tmp/weir-fd-XXXXXX";
    int fd;

    loop_make(IN_POLLER);
    (void)open_closed(&fd);
    expect_int(mkstemp(name), fd);
    expect_int(unlink(name), 0);
    unwatch(fd);
    expect_sleeps();
    loop_end();
}

/* The kernel has that very registration still. */
PLACE_CASE(fd_that_was_lost_is_added_again_under_its_old_number)
{
    unsigned calls = 0;
    int fd, duplicate;

    loop_make(IN_POLLER);
    duplicate = open_closed(&fd);
    event_drain(duplicate); /* no stale event shows it first */
    unwatch(fd);
    expect_int(dup2(duplicate, fd), fd);
    watch_count(fd, WEIR_FD_READABLE, &calls);
    event_fill(fd);
    expect_int(calls_in(3, &calls), 3);
    unwatch(fd);
    expect_int(calls_in(2, &calls), 0);
    expect_sleeps();
    loop_end();
}

/* The kernel reports the old registration under the old token.  Only the
 * generation in the token tells it from the new one, which has its slot. */
PLACE_CASE(fd_in_the_slot_of_a_lost_one_does_not_get_its_events)
{
    int fd, duplicate, other = event_open(0);
    unsigned calls = 0;

    loop_make(IN_POLLER);
    duplicate = open_closed(&fd);
    event_drain(duplicate); /* no stale event shows it first */
    unwatch(fd);
    loop_turns(1); /* frees the slot */
    watch_count(other, WEIR_FD_READABLE, &calls);
    event_fill(duplicate);
    expect_int(calls_in(3, &calls), 0);
    event_fill(other);
    expect_int(calls_in(3, &calls), 3);
    unwatch(other);
    expect_sleeps();
    loop_end();
}

/* ---- when the kernel has no room ---- */

#ifndef WEIR_POLLER_POLL
/* It goes on with the old instance, and tries again at the next notification. */
static void expect_renewed_in_spite_of(enum failing_call call, unsigned nth,
                                       int error)
{
    int ready = event_open(1), fd;
    unsigned calls = 0;

    place = ELSEWHERE;
    loop_make(IN_POLLER);
    watch_count(ready, WEIR_FD_READABLE, &calls);
    (void)open_closed(&fd);
    expect_status(weir_fd_remove(loop, fd, NULL, NULL), 0);
    failing_syscalls_set(call, nth, 1, error);
    expect_int(calls_in(3, &calls), 3);
    expect(failing_syscalls_count(call) >= nth);
    failing_syscalls_set(call, 0, 0, 0);
    unwatch(ready);
    expect_sleeps();
    loop_end();
}

CASE(fd_closed_before_its_removal_waits_for_room_in_the_kernel)
{
    expect_renewed_in_spite_of(CALL_EPOLL_CREATE1, 1, EMFILE);
    expect_renewed_in_spite_of(CALL_EPOLL_CTL, 1, ENOMEM);
    expect_renewed_in_spite_of(CALL_EPOLL_CTL, 3, ENOSPC);
}

static void close_and_remove(void *other, int status, int fd, unsigned events)
{
    static bool is_done;

    if (is_done || status != 0)
        return;
    is_done = true;
    close(*(int *)other);
    expect_status(weir_fd_remove(loop, *(int *)other, NULL, NULL), 0);
}

/* Its event was in the batch already: that is no reason to do anything. */
CASE(fd_closed_and_removed_by_another_callback_costs_nothing)
{
    int fds[] = {event_open(1), event_open(1)};

    loop_make(NULL);
    watch_now(fds[0], WEIR_FD_READABLE, close_and_remove, &fds[1]);
    watch_now(fds[1], WEIR_FD_READABLE, close_and_remove, &fds[0]);
    failing_syscalls_set(CALL_EPOLL_CREATE1, 0, 0, 0);
    loop_turns(3);
    expect_int(failing_syscalls_count(CALL_EPOLL_CREATE1), 0);
    expect_status(weir_loop_close(loop, -1), 0);
}
#endif
