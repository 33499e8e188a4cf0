/* SPDX-License-Identifier: MIT */
/*
 * stall -- delay a thread wherever it is, as a busy machine would.
 *
 *     stall_prepare();                       once, in the case
 *     stall_thread(crew->members[1].thread); from any other thread
 *
 * A race in which a thread must lose its core between two instructions shows up
 * by itself once an hour.  Here a signal stops the thread for about as long as
 * others need for a turn or two of a loop.  Whether the signal arrives between
 * the two instructions is still chance, but that now takes seconds.
 */
#ifndef WEIR_TEST_SUPPORT_STALL_H
#define WEIR_TEST_SUPPORT_STALL_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>

#include "suite.h"

enum { STALL_NS = 60000 };

static inline int64_t stall_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline void stall(int signal)
{
    int64_t end_ns = stall_now() + STALL_NS;

    while (stall_now() < end_ns)
        ;
}

static inline void stall_prepare(void)
{
    struct sigaction action = {.sa_handler = stall, .sa_flags = SA_RESTART};

    expect_int(sigaction(SIGUSR1, &action, NULL), 0);
}

static inline void stall_thread(pthread_t thread)
{
    expect_int(pthread_kill(thread, SIGUSR1), 0);
}

#endif /* WEIR_TEST_SUPPORT_STALL_H */
