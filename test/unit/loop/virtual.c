/* SPDX-License-Identifier: MIT */
/*
 * virtual -- time that passes only while every loop sleeps.
 */
#include "weir/host/virtual.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "support/suite.h"
#include "weir.h"
#include "weir/fd.h"

enum { LOOPS = 3 };

static weir_loop *loops[LOOPS];
static weir_virtual_member members[LOOPS];
static int order[16], count; /* under the lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void note(int number)
{
    pthread_mutex_lock(&lock);
    order[count++] = number;
    pthread_mutex_unlock(&lock);
}

static void on_timer(void *arg, int status)
{
    if (status == 0)
        note((int)(intptr_t)arg);
}

static void start_timer(weir_loop *loop, int64_t delay_ns, int number)
{
    weir_timer timer;

    expect_status(weir_timer_start(loop, &timer, delay_ns, WEIR_TIMER_ONCE,
                                   on_timer, (void *)(intptr_t)number),
                  0);
}

CASE(timers_of_an_hour_fire_at_once)
{
    weir_virtual_member member = {0};
    int64_t began_ns, date_ns;

    expect_status(weir_loop_new(&loops[0], NULL), 0);
    member.loop = loops[0];
    weir_virtual_join(&member);
    expect_int(weir_virtual_date() == -1, 1);
    expect_status(weir_virtual_begin(), 0);
    expect_status(weir_virtual_begin(), -EBUSY);
    began_ns = weir_clock_now();
    date_ns = weir_virtual_date();
    start_timer(loops[0], WEIR_S(3600), 1);
    start_timer(loops[0], WEIR_S(1), 2);
    expect_status(weir_loop_run(loops[0], WEIR_RUN_UNTIL_IDLE), 0);
    expect_int(count, 2);
    expect_int(order[0], 2);
    expect_int(weir_clock_now() - began_ns == WEIR_S(3600), 1);
    expect_int(weir_virtual_date() - date_ns == WEIR_S(3600), 1);
    weir_virtual_end();
    weir_virtual_end();
    expect_int(weir_clock_now() - began_ns < WEIR_S(3600), 1);
    expect_int(weir_virtual_date() == -1, 1);
    weir_virtual_leave(&member);
    expect_status(weir_loop_free(loops[0]), 0);
}

/* covers: weir_virtual_begin -EBUSY */
CASE(begin_while_the_clock_is_frozen_is_refused)
{
    expect_status(weir_clock_freeze(5), 0);
    expect_status(weir_virtual_begin(), -EBUSY);
    expect_int(weir_virtual_date() == -1, 1);
    weir_virtual_end();
    expect_int(weir_clock_now() == 5, 1);
    weir_clock_thaw();
}

static void *run_loop(void *arg)
{
    int number = (int)(intptr_t)arg;

    members[number].loop = loops[number];
    weir_virtual_join(&members[number]);
    weir_virtual_release();
    expect_status(weir_loop_run(loops[number], WEIR_RUN_UNTIL_IDLE), 0);
    weir_virtual_leave(&members[number]);
    return NULL;
}

static void run_threads(void)
{
    pthread_t threads[LOOPS];

    for (int i = 0; i < LOOPS; i++)
        weir_virtual_hold();
    expect_status(weir_virtual_begin(), 0);
    for (int i = 0; i < LOOPS; i++)
        expect_int(
            pthread_create(&threads[i], NULL, run_loop, (void *)(intptr_t)i),
            0);
    for (int i = 0; i < LOOPS; i++)
        pthread_join(threads[i], NULL);
    weir_virtual_end();
    for (int i = 0; i < LOOPS; i++)
        expect_status(weir_loop_free(loops[i]), 0);
}

CASE(timers_of_several_loops_fire_in_the_order_of_their_deadlines)
{
    for (int i = 0; i < LOOPS; i++)
        expect_status(weir_loop_new(&loops[i], NULL), 0);
    for (int i = 0; i < 12; i++)
        start_timer(loops[i % LOOPS], WEIR_S(100) * (i + 1), i);
    run_threads();
    expect_int(count, 12);
    for (int i = 0; i < 12; i++)
        expect_int(order[i], i);
}

static void answer(void *arg, int status)
{
    note(1);
    weir_loop_unref(loops[0]);
}

static void ask(void *arg, int status)
{
    expect_status(weir_loop_submit(loops[0], answer, NULL), 0);
}

/* The first loop is woken by the second one, which sleeps then: the timer of an
 * hour comes after that. */
CASE(a_loop_that_was_woken_counts_as_awake)
{
    weir_timer timer;

    for (int i = 0; i < LOOPS; i++)
        expect_status(weir_loop_new(&loops[i], NULL), 0);
    weir_loop_ref(loops[0]);
    expect_status(weir_timer_start(loops[1], &timer, WEIR_S(1), WEIR_TIMER_ONCE,
                                   ask, NULL),
                  0);
    start_timer(loops[1], WEIR_S(3600), 2);
    run_threads();
    expect_int(count, 2);
    expect_int(order[0], 1);
    expect_int(order[1], 2);
}

static int ends[2];

static void on_readable(void *arg, int status, int fd, unsigned events)
{
    char byte;

    if (status != 0)
        return;
    expect_int(read(fd, &byte, 1), 1);
    note(1);
    expect_status(weir_fd_remove(loops[0], fd, NULL, NULL), 0);
}

static void send_byte(void *arg, int status)
{
    expect_int(write(ends[1], "x", 1), 1);
}

/* With os/poll.c nobody but the loop can tell. */
CASE(a_loop_with_a_ready_descriptor_counts_as_awake)
{
    weir_timer timer;
    bool is_told;

    expect_int(pipe(ends), 0);
    for (int i = 0; i < LOOPS; i++)
        expect_status(weir_loop_new(&loops[i], NULL), 0);
    is_told = weir_loop_backend_fd(loops[0]) >= 0;
    expect_status(
        weir_fd_add(loops[0], ends[0], WEIR_FD_READABLE, on_readable, NULL), 0);
    expect_status(weir_timer_start(loops[1], &timer, WEIR_S(1), WEIR_TIMER_ONCE,
                                   send_byte, NULL),
                  0);
    start_timer(loops[1], WEIR_S(3600), 2);
    run_threads();
    expect_int(count, 2);
    expect(!is_told || (order[0] == 1 && order[1] == 2));
    close(ends[0]);
    close(ends[1]);
}

static bool busy; /* the loop's */

static bool is_busy(void *arg)
{
    return *(bool *)arg;
}

static void end_work(void *arg, int status)
{
    busy = false;
    answer(arg, status);
}

static void *work(void *arg)
{
    expect_status(weir_loop_submit(loops[0], end_work, NULL), 0);
    return NULL;
}

/* A thread outside has something to say before the timer of an hour. */
CASE(a_busy_loop_stops_time)
{
    weir_virtual_member member = {.is_busy = is_busy, .arg = &busy};
    pthread_t thread;

    expect_status(weir_loop_new(&loops[0], NULL), 0);
    member.loop = loops[0];
    weir_virtual_join(&member);
    expect_status(weir_virtual_begin(), 0);
    busy = true;
    start_timer(loops[0], WEIR_S(3600), 2);
    weir_loop_ref(loops[0]);
    expect_int(pthread_create(&thread, NULL, work, NULL), 0);
    expect_status(weir_loop_run(loops[0], WEIR_RUN_UNTIL_IDLE), 0);
    expect_int(order[0], 1);
    expect_int(order[1], 2);
    pthread_join(thread, NULL);
    weir_virtual_end();
    weir_virtual_leave(&member);
    expect_status(weir_loop_free(loops[0]), 0);
}
