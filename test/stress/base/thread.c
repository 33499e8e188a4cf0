/* SPDX-License-Identifier: MIT */
/*
 * thread -- numbers while threads come and go.
 */
#include "base/thread.h"

#include <sched.h>

#include "support/crew.h"
#include "support/suite.h"

/* CREATORS at a time each have one short-lived thread.  The creators have no
 * number, so CREATORS numbers are enough if they are taken back. */
enum { CREATORS = 8, LIVES = 1000 };

struct seats {
    bool is_taken[CREATORS];  /* atomic */
    uint64_t lives[CREATORS]; /* plain: from one owner to the next */
};

static void *live_once(void *arg)
{
    struct seats *seats = arg;
    uint32_t number = weir__thread_index();

    expect(number < CREATORS);
    expect(
        !__atomic_exchange_n(&seats->is_taken[number], true, __ATOMIC_RELAXED));
    seats->lives[number]++;
    sched_yield();
    expect_int(weir__thread_index(), number);
    __atomic_store_n(&seats->is_taken[number], false, __ATOMIC_RELAXED);
    return NULL;
}

static void create_threads(struct crew *crew, unsigned id)
{
    for (int i = 0; i < LIVES; i++) {
        pthread_t thread;

        expect_int(pthread_create(&thread, NULL, live_once, crew->context), 0);
        expect_int(pthread_join(thread, NULL), 0);
    }
}

STRESS_CASE(thread_numbers_are_unique_among_the_living_and_recycled)
{
    struct seats seats = {0};
    uint64_t lives = 0;

    crew_run(CREATORS, create_threads, &seats);
    for (int i = 0; i < CREATORS; i++)
        lives += seats.lives[i];
    expect_int(lives, CREATORS * LIVES);
}
