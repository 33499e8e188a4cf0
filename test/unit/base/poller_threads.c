/* SPDX-License-Identifier: MIT */
/*
 * poller -- changes, wakes and signals while the loop's thread waits.
 */
#include "base/poller.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "support/crew.h"
#include "support/poller_fixture.h"
#include "support/suite.h"

/* --- other threads ------------------------------------------------------- */

/* The loop's thread, which waits once. */
struct waiter {
    int64_t deadline_ns;
    int status;
    bool is_up; /* atomic */
};

static void wait_once(struct crew *crew, unsigned id)
{
    struct waiter *waiter = crew->context;

    waiter->status = weir__poller_wait(poller, events, waiter->deadline_ns);
    __atomic_store_n(&waiter->is_up, true, __ATOMIC_RELEASE);
}

static void start_waiter(struct crew *crew, struct waiter *waiter)
{
    crew_start(crew, 1, wait_once, waiter);
    expect(await_asleep(crew->members[0].tid));
}

static void join_waiter(struct crew *crew, const struct waiter *waiter,
                        uint64_t token, unsigned mask)
{
    crew_join(crew);
    expect_int(waiter->status, 1);
    expect_int(events[0].token, token);
    expect_int(events[0].events, mask);
}

CASE(poller_add_during_a_wait_takes_effect)
{
    struct waiter waiter = {.deadline_ns = NEVER};
    int fd = open_event(1);
    struct crew crew;

    begin();
    start_waiter(&crew, &waiter);
    add(fd, WEIR_FD_READABLE, 7);
    join_waiter(&crew, &waiter, 7, WEIR_FD_READABLE);
    end();
}

CASE(poller_added_during_a_wait_is_reported_when_it_becomes_ready)
{
    struct waiter waiter = {.deadline_ns = INT64_MAX};
    struct crew crew;
    int fds[5];

    begin();
    start_waiter(&crew, &waiter);
    for (int i = 0; i < 5; i++) {
        fds[i] = open_event(0);
        add(fds[i], WEIR_FD_READABLE, 7 + (uint64_t)i);
        expect(await_asleep(crew.members[0].tid));
    }
    fill(fds[3]);
    join_waiter(&crew, &waiter, 10, WEIR_FD_READABLE);
    end();
}

CASE(poller_modify_during_a_wait_takes_effect)
{
    struct waiter waiter = {.deadline_ns = NEVER};
    int fd = open_event(0);
    struct crew crew;

    begin();
    add(fd, WEIR_FD_READABLE, 7);
    start_waiter(&crew, &waiter);
    modify(fd, WEIR_FD_WRITABLE, 8);
    join_waiter(&crew, &waiter, 8, WEIR_FD_WRITABLE);
    end();
}

CASE(poller_remove_during_a_wait_takes_effect)
{
    struct waiter waiter = {.deadline_ns = NEVER};
    int fd = open_event(0);
    struct crew crew;

    begin();
    add(fd, WEIR_FD_READABLE, 7);
    start_waiter(&crew, &waiter);
    weir__poller_remove(poller, fd);
    fill(fd);
    expect(await_asleep(crew.members[0].tid));
    weir__poller_wake(poller);
    join_waiter(&crew, &waiter, WEIR__POLLER_WAKE, WEIR_FD_READABLE);
    expect_int(weir__poller_take_wakes(poller, false), 1);
    end();
}

CASE(poller_wait_survives_a_close_without_removal)
{
    struct waiter waiter = {.deadline_ns = NEVER};
    int fd = open_event(0), other = open_event(1);
    struct crew crew;

    begin();
    add(fd, WEIR_FD_READABLE, 7);
    start_waiter(&crew, &waiter);
    close(fd);
    add(other, WEIR_FD_READABLE, 8);
    join_waiter(&crew, &waiter, 8, WEIR_FD_READABLE);
    end();
}

CASE(poller_wait_is_not_ended_by_changes_of_others)
{
    struct waiter waiter = {.deadline_ns =
                                weir__clock_real() + 50 * MILLISECOND_NS};
    int fd = open_event(0);
    struct crew crew;

    begin();
    crew_start(&crew, 1, wait_once, &waiter);
    while (!__atomic_load_n(&waiter.is_up, __ATOMIC_ACQUIRE)) {
        add(fd, WEIR_FD_READABLE, 7);
        modify(fd, WEIR_FD_READABLE | WEIR_FD_ONESHOT, 8);
        weir__poller_remove(poller, fd);
    }
    expect(weir__clock_real() >= waiter.deadline_ns);
    crew_join(&crew);
    expect_int(waiter.status, 0);
    end();
}

/* Four threads, each with its own descriptor that it arms again and
 * again; the first member is the loop's thread. */
enum { ARMERS = 4, ARMS = 500 };

struct arena {
    int fds[ARMERS];
    uint64_t reported[ARMERS]; /* atomic: how often */
};

static void arm(struct arena *arena, unsigned i)
{
    const unsigned mask = WEIR_FD_WRITABLE | WEIR_FD_ONESHOT;

    add(arena->fds[i], mask, i + 1);
    for (uint64_t round = 1; round <= ARMS; round++) {
        while (__atomic_load_n(&arena->reported[i], __ATOMIC_ACQUIRE) < round)
            sched_yield();
        modify(arena->fds[i], mask, i + 1);
    }
    while (__atomic_load_n(&arena->reported[i], __ATOMIC_ACQUIRE) <= ARMS)
        sched_yield();
    weir__poller_remove(poller, arena->fds[i]);
    weir__poller_wake(poller);
}

static void report_until_all_are_done(struct arena *arena)
{
    uint64_t done = 0;

    while (done < ARMERS) {
        int count = weir__poller_wait(poller, events, NEVER);

        expect(count > 0);
        for (int i = 0; i < count; i++) {
            if (events[i].token == WEIR__POLLER_WAKE)
                done += weir__poller_take_wakes(poller, false);
            else
                __atomic_fetch_add(&arena->reported[events[i].token - 1], 1,
                                   __ATOMIC_RELEASE);
        }
    }
}

static void arm_or_report(struct crew *crew, unsigned id)
{
    if (id < ARMERS)
        arm(crew->context, id);
    else
        report_until_all_are_done(crew->context);
}

CASE(poller_oneshots_armed_by_many_threads_are_reported_once_each)
{
    struct arena arena = {{0}, {0}};

    begin();
    for (int i = 0; i < ARMERS; i++)
        arena.fds[i] = open_event(0);
    crew_run(ARMERS + 1, arm_or_report, &arena);
    for (int i = 0; i < ARMERS; i++)
        expect_int(arena.reported[i], ARMS + 1);
    end();
}

/* --- wakes --------------------------------------------------------------- */

CASE(poller_wake_during_a_wait_ends_it)
{
    struct waiter waiter = {.deadline_ns = NEVER};
    struct crew crew;

    begin();
    start_waiter(&crew, &waiter);
    weir__poller_wake(poller);
    join_waiter(&crew, &waiter, WEIR__POLLER_WAKE, WEIR_FD_READABLE);
    expect_int(weir__poller_take_wakes(poller, false), 1);
    end();
}

CASE(poller_wake_stays_ready_until_it_is_taken)
{
    begin();
    weir__poller_wake(poller);
    for (int i = 0; i < 3; i++)
        expect_event(NEVER, WEIR__POLLER_WAKE, WEIR_FD_READABLE);
    expect_int(weir__poller_take_wakes(poller, false), 1);
    expect_silence();
    end();
}

CASE(poller_wakes_are_counted)
{
    begin();
    expect_int(weir__poller_take_wakes(poller, false), 0);
    for (int i = 0; i < 1000; i++)
        weir__poller_wake(poller);
    expect_int(weir__poller_take_wakes(poller, true), 1000);
    expect_int(weir__poller_take_wakes(poller, false), 0);
    end();
}

enum { WAKERS = 4, WAKES = 5000 };

/* Odd rounds wait for the event, even ones for the wake itself. */
static void wake_or_take(struct crew *crew, unsigned id)
{
    uint64_t *taken = crew->context;

    for (int i = 0; id > 0 && i < WAKES; i++)
        weir__poller_wake(poller);
    for (int i = 0; id == 0 && *taken < WAKERS * WAKES; i++) {
        if (i % 2 == 0)
            expect_event(NEVER, WEIR__POLLER_WAKE, WEIR_FD_READABLE);
        *taken += weir__poller_take_wakes(poller, i % 2 == 1);
    }
}

CASE(poller_wakes_of_many_threads_are_counted_exactly)
{
    uint64_t taken = 0;

    begin();
    crew_run(1 + WAKERS, wake_or_take, &taken);
    expect_int(taken, WAKERS * WAKES);
    expect_int(weir__poller_take_wakes(poller, false), 0);
    end();
}

static void take_one(struct crew *crew, unsigned id)
{
    uint64_t *taken = crew->context;

    *taken = weir__poller_take_wakes(poller, true);
}

CASE(poller_take_sleeps_until_there_is_a_wake)
{
    uint64_t taken = 0;
    struct crew crew;

    begin();
    crew_start(&crew, 1, take_one, &taken);
    expect(await_asleep(crew.members[0].tid));
    weir__poller_wake(poller);
    crew_join(&crew);
    expect_int(taken, 1);
    end();
}

static void write_and_wake(struct crew *crew, unsigned id)
{
    int *letter = crew->context;

    if (id == 0) {
        *letter = 42;
        weir__poller_wake(poller);
    } else {
        expect_int(weir__poller_take_wakes(poller, true), 1);
        expect_int(*letter, 42);
    }
}

CASE(poller_take_sees_what_came_before_the_wake)
{
    int letter = 0;

    begin();
    crew_run(2, write_and_wake, &letter);
    end();
}

/* --- signals ------------------------------------------------------------- */

static void catch_signal(int number)
{
}

static void handle_signals(void)
{
    struct sigaction action = {.sa_handler = catch_signal}; /* no SA_RESTART */

    expect_int(sigaction(SIGUSR1, &action, NULL), 0);
}

CASE(poller_wait_is_not_ended_by_signals)
{
    struct waiter waiter = {.deadline_ns = NEVER};
    struct crew crew;

    begin();
    handle_signals();
    start_waiter(&crew, &waiter);
    for (int i = 0; i < 10; i++) {
        expect_int(pthread_kill(crew.members[0].thread, SIGUSR1), 0);
        expect(await_asleep(crew.members[0].tid));
    }
    expect(!__atomic_load_n(&waiter.is_up, __ATOMIC_ACQUIRE));
    weir__poller_wake(poller);
    join_waiter(&crew, &waiter, WEIR__POLLER_WAKE, WEIR_FD_READABLE);
    expect_int(weir__poller_take_wakes(poller, false), 1);
    end();
}

CASE(poller_wait_is_not_shortened_by_signals)
{
    struct waiter waiter = {.deadline_ns =
                                weir__clock_real() + 50 * MILLISECOND_NS};
    struct crew crew;

    begin();
    handle_signals();
    crew_start(&crew, 1, wait_once, &waiter);
    while (!__atomic_load_n(&waiter.is_up, __ATOMIC_ACQUIRE)) {
        expect_int(pthread_kill(crew.members[0].thread, SIGUSR1), 0);
        sched_yield();
    }
    expect(weir__clock_real() >= waiter.deadline_ns);
    crew_join(&crew);
    expect_int(waiter.status, 0);
    end();
}

CASE(poller_take_is_not_ended_by_signals)
{
    uint64_t taken = 0;
    struct crew crew;

    begin();
    handle_signals();
    crew_start(&crew, 1, take_one, &taken);
    for (int i = 0; i < 10; i++) {
        expect(await_asleep(crew.members[0].tid));
        expect_int(pthread_kill(crew.members[0].thread, SIGUSR1), 0);
    }
    weir__poller_wake(poller);
    crew_join(&crew);
    expect_int(taken, 1);
    end();
}
