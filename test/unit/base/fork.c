/* SPDX-License-Identifier: MIT */
/*
 * fork -- a child finds a global lock free, and what it protects consistent.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/suite.h"
#include "weir/host/lock.h"

static weir_global_lock lock = WEIR_GLOBAL_LOCK_INIT;
static weir_global_lock other = WEIR_GLOBAL_LOCK_INIT;
static uint64_t pair[2]; /* under lock: equal outside */
static atomic_bool is_over;

static bool is_consistent(void)
{
    bool is_equal;

    weir_global_lock_acquire(&lock);
    is_equal = pair[0] == pair[1];
    weir_global_lock_release(&lock);
    return is_equal;
}

static void *change(void *begun)
{
    for (bool is_first = true; !atomic_load(&is_over); is_first = false) {
        weir_global_lock_acquire(&lock);
        *(volatile uint64_t *)&pair[0] += 1;
        *(volatile uint64_t *)&pair[1] += 1;
        weir_global_lock_release(&lock);
        if (is_first)
            expect_int(sem_post(begun), 0);
    }
    return NULL;
}

/* A child that waited for a lock would be killed by its alarm. */
static void expect_child(void)
{
    pid_t child = fork();
    int code;

    if (child == 0) {
        alarm(10);
        weir_global_lock_acquire(&other);
        weir_global_lock_release(&other);
        _exit(is_consistent() ? 0 : 1);
    }
    expect(child > 0 && waitpid(child, &code, 0) == child);
    expect_int(code, 0);
}

CASE(global_lock_is_free_in_children)
{
    enum { THREADS = 2, FORKS = 100 };
    pthread_t threads[THREADS];
    sem_t begun;

    expect_int(sem_init(&begun, 0, 0), 0);
    for (int i = 0; i < THREADS; i++)
        expect_int(pthread_create(&threads[i], NULL, change, &begun), 0);
    for (int i = 0; i < THREADS; i++)
        while (sem_wait(&begun) != 0)
            ;
    for (int i = 0; i < FORKS; i++)
        expect_child();
    atomic_store(&is_over, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    expect(is_consistent() && pair[0] > 0);
}

CASE(global_lock_is_free_after_a_fork)
{
    weir_global_lock_acquire(&lock);
    weir_global_lock_release(&lock);
    expect_child();
    expect(is_consistent());
    expect_child();
}
