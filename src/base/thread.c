/* SPDX-License-Identifier: MIT */
/*
 * thread -- assigns small numbers to threads, under one mutex.
 *
 * The mutex orders successive owners of a number: everything a thread did under
 * its number happens before anything the number's next owner does.  Data
 * indexed by the number may therefore be plain or relaxed on its owner's side.
 *
 * Tested by  test/unit/base/thread.c, test/stress/gate/gate.c (100 threads,
 *            64 shards)
 */
#include "base/thread.h"

#include <pthread.h>

#include "base/check.h"

_Thread_local uint32_t weir__thread_number = WEIR__THREAD_UNNUMBERED;
_Thread_local uint32_t weir__thread_slot_ = WEIR__THREAD_SLOTS * CACHE_APART;
_Thread_local struct weir_loop *weir__thread_loop_;
_Thread_local struct weir__worker *weir__thread_worker_;
_Thread_local const struct weir__duty *weir__thread_duty_;

enum { WORDS = WEIR__THREAD_INDEX_LIMIT / 64 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t taken[WORDS]; /* under mutex; one bit per number */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key; /* const after once */

/* Give back the number of a thread that ends; this is the key's destructor.
 * The value is number + 1, because a destructor does not run for NULL.  If a
 * later destructor of the user's enters a gate again, the thread gets a number
 * again and this destructor runs once more. */
static void give_back(void *value)
{
    uint32_t number = (uint32_t)(uintptr_t)value - 1;

    pthread_mutex_lock(&mutex);
    taken[number / 64] &= ~(UINT64_C(1) << number % 64);
    pthread_mutex_unlock(&mutex);
    weir__thread_number = WEIR__THREAD_UNNUMBERED;
    weir__thread_slot_ = weir__thread_slot_of(WEIR__THREAD_UNNUMBERED);
}

static void make_key(void)
{
    CHECK(pthread_key_create(&key, give_back) == 0, "no thread-specific keys");
}

static uint32_t take_lowest(void)
{
    for (uint32_t i = 0; i < WORDS; i++) {
        if (taken[i] != UINT64_MAX) {
            uint32_t bit = (uint32_t)__builtin_ctzll(~taken[i]);

            taken[i] |= UINT64_C(1) << bit;
            return i * 64 + bit;
        }
    }
    return WEIR__THREAD_UNNUMBERED;
}

uint32_t weir__thread_number_assign(void)
{
    uint32_t number;

    pthread_once(&once, make_key);
    pthread_mutex_lock(&mutex);
    number = take_lowest();
    pthread_mutex_unlock(&mutex);
    if (number == WEIR__THREAD_UNNUMBERED)
        return number;
    if (pthread_setspecific(key, (void *)(uintptr_t)(number + 1)) != 0) {
        give_back((void *)(uintptr_t)(number + 1));
        return WEIR__THREAD_UNNUMBERED;
    }
    weir__thread_number = number;
    weir__thread_slot_ = weir__thread_slot_of(number);
    return number;
}

void weir__thread_hold_numbers(bool holds)
{
    if (holds)
        pthread_mutex_lock(&mutex);
    else
        pthread_mutex_unlock(&mutex);
}

void weir__thread_set_loop(struct weir_loop *loop)
{
    weir__thread_loop_ = loop;
}

void weir__thread_set_worker(struct weir__worker *worker)
{
    weir__thread_worker_ = worker;
}
