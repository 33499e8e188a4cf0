/* SPDX-License-Identifier: MIT */
/*
 * pool_fixture -- a pool, and jobs that block until the test releases them.
 *
 *     pool_make(.workers = 1);
 *     struct stopper stopper;
 *     stopper_post(&stopper, NULL);     its only worker is busy from here on,
 *     ...                               so what is posted stays queued
 *     stopper_release(&stopper);
 *     pool_end();
 */
#ifndef WEIR_TEST_SUPPORT_POOL_FIXTURE_H
#define WEIR_TEST_SUPPORT_POOL_FIXTURE_H

#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "suite.h"
#include "weir/group.h"
#include "weir/pool.h"

#define MILLISECOND INT64_C(1000000)

/* The pool of the case. */
static weir_pool *pool;

#define pool_make(...)                                                         \
    expect_status(                                                             \
        weir_pool_new(&pool,                                                   \
                      &(weir_pool_options){.size = sizeof(weir_pool_options),  \
                                           __VA_ARGS__}),                      \
        0)

#define SUBMIT_OPTIONS(...)                                                    \
    (&(weir_submit_options){.size = sizeof(weir_submit_options), __VA_ARGS__})

static inline void pool_end(void)
{
    expect_status(weir_pool_shutdown(pool, -1), 0);
    expect_status(weir_pool_free(pool), 0);
}

static inline weir_pool_stats pool_stats(void)
{
    weir_pool_stats stats = {.size = sizeof(stats)};

    expect_status(weir_pool_look(pool, &stats), 0);
    return stats;
}

static inline void wait_for(sem_t *sem)
{
    while (sem_wait(sem) != 0)
        expect_int(errno, EINTR);
}

/* A job that signals when it has begun, and blocks until it is released. */
struct stopper {
    weir_job job;
    sem_t begun, release;
    int status;
};

static inline void stopper_run(weir_job *job, int status)
{
    struct stopper *stopper = (struct stopper *)job;

    stopper->status = status;
    sem_post(&stopper->begun);
    if (status == 0)
        wait_for(&stopper->release);
}

static inline void stopper_init(struct stopper *stopper, const char *name)
{
    memset(stopper, 0, sizeof(*stopper));
    stopper->job.run = stopper_run;
    stopper->job.name = name;
    expect_int(sem_init(&stopper->begun, 0, 0), 0);
    expect_int(sem_init(&stopper->release, 0, 0), 0);
}

/* Post the job, and wait until a worker runs it. */
static inline void stopper_post(struct stopper *stopper, const char *name)
{
    stopper_init(stopper, name);
    expect_status(weir_pool_post(pool, &stopper->job), 0);
    wait_for(&stopper->begun);
}

static inline void stopper_release(struct stopper *stopper)
{
    sem_post(&stopper->release);
}

/* A record of jobs in the order in which they ran: a letter each, followed by
 * '!' if the job was cancelled.  For pools with one worker. */
static char recorded[65536];
static size_t recorded_size;

struct letter {
    weir_job job;
    char letter;
};

static inline void letter_run(weir_job *job, int status)
{
    recorded[recorded_size++] = ((struct letter *)job)->letter;
    if (status != 0) {
        expect_status(status, WEIR_ECANCELED);
        recorded[recorded_size++] = '!';
    }
}

static inline weir_job *letter(struct letter *self, char name,
                               weir_priority priority)
{
    *self = (struct letter){.job = {.run = letter_run, .priority = priority},
                            .letter = name};
    return &self->job;
}

#define expect_recorded(letters)                                               \
    (recorded[recorded_size] = '\0', recorded_size = 0,                        \
     expect_string_at(__FILE__, __LINE__, "the record", recorded, letters))

static inline int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Wait until the condition holds, by polling; the case has a deadline. */
#define await(condition)                                                       \
    do                                                                         \
        sched_yield();                                                         \
    while (!(condition))

#endif /* WEIR_TEST_SUPPORT_POOL_FIXTURE_H */
