/* SPDX-License-Identifier: MIT */
/*
 * os/condvar -- futex.h on POSIX threads alone.
 *
 * Shape     A hash table of buckets, each a mutex and a condition variable.  A
 *           word belongs to the bucket that its address hashes to.
 * Roles     wait, wake: any thread
 * Progress  Blocking, by design.
 *
 * Why no lost wake  wait checks the word and begins to sleep under the bucket's
 *           mutex, and wake acquires the same mutex before it signals.  So a
 *           wake comes either before the check, which then sees the change that
 *           led to it (the mutex orders them), or after the sleep has begun.
 *
 * Words that share a bucket wake each other's sleepers, which is allowed: wait
 * may wake up spuriously.  wake_one must therefore wake all sleepers of the
 * bucket; a single one might be waiting on another word.
 *
 * Not paired, on purpose
 *   wait: load of the word, relaxed.  The bucket's mutex orders it after every
 *   earlier wake; what the word publishes is for the caller to acquire.
 *
 * Tested by  test/unit/base/futex.c, test/stress/base/parker.c, built with
 *            -DWEIR_FUTEX=condvar
 */
#include "base/futex.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "base/atomic.h"
#include "base/check.h"

const bool weir__futex_is_signal_safe = false;

struct bucket {
    _Alignas(CACHE_APART) pthread_mutex_t mutex;
    pthread_cond_t changed;
};

enum { BUCKET_BITS = 6, BUCKETS = 1 << BUCKET_BITS };

static struct bucket buckets[BUCKETS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_buckets(void)
{
    pthread_condattr_t attributes;

    CHECK(pthread_condattr_init(&attributes) == 0, "no condition variables");
    CHECK(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0,
          "no monotonic condition variables");
    for (int i = 0; i < BUCKETS; i++) {
        CHECK(pthread_mutex_init(&buckets[i].mutex, NULL) == 0, "no mutex");
        CHECK(pthread_cond_init(&buckets[i].changed, &attributes) == 0,
              "no condition variable");
    }
    pthread_condattr_destroy(&attributes);
}

/* A forked child has no waiters, and may have copied a mutex that was held, so
 * it reinitialises all buckets. */
static void begin(void)
{
    make_buckets();
    CHECK(pthread_atfork(NULL, NULL, make_buckets) == 0, "no fork handlers");
}

static struct bucket *bucket_of(const void *word)
{
    uint64_t hash = (uint64_t)(uintptr_t)word * UINT64_C(0x9e3779b97f4a7c15);

    pthread_once(&once, begin);
    return &buckets[hash >> (64 - BUCKET_BITS)];
}

int weir__futex_wait(const void *word, uint32_t expected, int64_t deadline_ns,
                     enum weir__futex_scope scope)
{
    const atomic(uint32_t) *value = word;
    struct bucket *bucket = bucket_of(word);
    struct timespec deadline = {.tv_sec = deadline_ns / 1000000000,
                                .tv_nsec = deadline_ns % 1000000000};
    int err = 0;

    pthread_mutex_lock(&bucket->mutex);
    /* relaxed: ordered by the bucket's mutex */
    if (load_relaxed(value) == expected)
        err = deadline_ns < 0
                  ? pthread_cond_wait(&bucket->changed, &bucket->mutex)
                  : pthread_cond_timedwait(&bucket->changed, &bucket->mutex,
                                           &deadline);
    pthread_mutex_unlock(&bucket->mutex);
    return -err;
}

void weir__futex_wake_all(const void *word, enum weir__futex_scope scope)
{
    struct bucket *bucket = bucket_of(word);

    pthread_mutex_lock(&bucket->mutex);
    pthread_cond_broadcast(&bucket->changed);
    pthread_mutex_unlock(&bucket->mutex);
}

void weir__futex_wake_one(const void *word, enum weir__futex_scope scope)
{
    weir__futex_wake_all(word, scope);
}
