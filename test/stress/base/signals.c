/* SPDX-License-Identifier: MIT */
/*
 * signals -- each one is counted once, whatever the thread that it interrupts
 * is doing.
 */
#include "base/signals.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/wakefd.h"
#include "support/effort.h"
#include "support/suite.h"

static bool is_ready, is_over; /* atomic */

static bool look(bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static void set(bool *flag, bool value)
{
    __atomic_store_n(flag, value, __ATOMIC_RELEASE);
}

static pthread_t start(void *(*body)(void *))
{
    pthread_t thread;

    set(&is_ready, false);
    set(&is_over, false);
    expect_int(pthread_create(&thread, NULL, body, NULL), 0);
    while (!look(&is_ready))
        continue;
    return thread;
}

static void join(pthread_t thread)
{
    set(&is_over, true);
    expect_int(pthread_join(thread, NULL), 0);
}

/* ---- a thread that has just begun ---- */

/* ThreadSanitizer prepares a thread for signals at its first setjmp. */
static void *begin(void *arg)
{
    jmp_buf place;

    set(&is_ready, true);
    expect_int(setjmp(place), 0);
    while (!look(&is_over))
        continue;
    syscall(SYS_gettid); /* the kernel delivers at the latest here */
    return arg;
}

STRESS_CASE(signals_to_threads_that_have_just_begun_are_counted)
{
    struct effort effort = effort_begin(2);
    int fd = weir__signals_take();

    expect(fd >= 0);
    while (effort_goes_on(&effort)) {
        pthread_t thread = start(begin);

        expect_int(pthread_kill(thread, SIGTERM), 0);
        join(thread);
        expect_int(weir__wakefd_take(fd, false), 1);
    }
    weir__signals_give_back();
}

/* ---- a thread that is in the middle of something ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t plain; /* under the mutex */

/* Calls that ThreadSanitizer intercepts, and memory that it watches. */
static void *work(void *arg)
{
    int own = weir__wakefd_open();
    jmp_buf place;

    expect(own >= 0);
    set(&is_ready, true);
    while (!look(&is_over)) {
        pthread_mutex_lock(&mutex);
        plain++;
        pthread_mutex_unlock(&mutex);
        free(malloc(64));
        expect_int(setjmp(place), 0);
        weir__wakefd_signal(own);
        expect_int(weir__wakefd_take(own, false), 1);
    }
    weir__wakefd_close(own);
    return arg;
}

STRESS_CASE(signals_to_a_thread_at_work_are_counted)
{
    struct effort effort = effort_begin(2);
    int fd = weir__signals_take();
    pthread_t thread;

    expect(fd >= 0);
    thread = start(work);
    while (effort_goes_on(&effort)) {
        expect_int(pthread_kill(thread, effort.rounds % 2 ? SIGTERM : SIGINT),
                   0);
        expect_int(weir__wakefd_take(fd, true), 1);
    }
    join(thread);
    expect_int(weir__wakefd_take(fd, false), 0);
    weir__signals_give_back();
}
