/* SPDX-License-Identifier: MIT */
/*
 * thread -- numbers, and who runs a loop.
 */
#include "base/thread.h"

#include <sched.h>
#include <stdlib.h>

#include "support/crew.h"
#include "support/suite.h"

static uint32_t numbers[WEIR__THREAD_INDEX_LIMIT + 2];

static void take_number(struct crew *crew, unsigned id)
{
    numbers[id] = weir__thread_index();
    crew_meet(crew); /* all live until all have one */
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* The numbers of `count` threads that live together are 0 .. count - 1; those
 * of threads that have none sort behind them. */
static void expect_lowest(unsigned count, unsigned without)
{
    qsort(numbers, count + without, sizeof(*numbers), by_value);
    for (unsigned i = 0; i < count; i++)
        expect_int(numbers[i], i);
    for (unsigned i = count; i < count + without; i++)
        expect_int(numbers[i], WEIR__THREAD_UNNUMBERED);
}

CASE(thread_keeps_its_number)
{
    uint32_t number = weir__thread_index();

    expect(number < WEIR__THREAD_INDEX_LIMIT);
    expect_int(weir__thread_index(), number);
}

CASE(thread_numbers_are_the_lowest_and_never_shared)
{
    crew_run(100, take_number, NULL);
    expect_lowest(100, 0);
}

CASE(thread_numbers_come_back_when_threads_end)
{
    for (int i = 0; i < 50; i++) {
        crew_run(20, take_number, NULL);
        expect_lowest(20, 0);
    }
}

CASE(thread_number_of_a_living_thread_is_not_given_out)
{
    uint32_t mine = weir__thread_index();

    crew_run(20, take_number, NULL);
    for (int i = 0; i < 20; i++)
        expect(numbers[i] != mine);
}

CASE(thread_beyond_the_last_number_has_none)
{
    crew_run(WEIR__THREAD_INDEX_LIMIT + 2, take_number, NULL);
    expect_lowest(WEIR__THREAD_INDEX_LIMIT, 2);
}

enum { NOBODYS_SLOT = WEIR__THREAD_SLOTS * CACHE_APART };

static void take_slot(struct crew *crew, unsigned id)
{
    uint32_t number;

    expect_int(weir__thread_slot(), NOBODYS_SLOT);
    number = weir__thread_index();
    if (number < WEIR__THREAD_SLOTS)
        expect_int(weir__thread_slot(), number * CACHE_APART);
    else
        expect_int(weir__thread_slot(), NOBODYS_SLOT);
    crew_meet(crew);
}

CASE(thread_slot_goes_with_its_number_once_that_is_asked_for)
{
    crew_run(WEIR__THREAD_SLOTS, take_slot, NULL);
}

CASE(thread_beyond_the_last_slot_has_nobodys)
{
    crew_run(WEIR__THREAD_SLOTS + 10, take_slot, NULL);
}

/* Destructors of the user's, which run after weir's own has taken the number
 * back: they get one again. */
static pthread_key_t late_key;

static void end_with_late_question(struct crew *crew, unsigned id)
{
    (void)weir__thread_index();
    expect_int(pthread_setspecific(late_key, &late_key), 0);
}

static void end_threads_with(void (*destructor)(void *), int count)
{
    crew_run(1, take_number, NULL); /* weir's key is older than ours */
    expect_int(pthread_key_create(&late_key, destructor), 0);
    for (int i = 0; i < count; i++)
        crew_run(1, end_with_late_question, NULL);
}

static void ask_late(void *unused)
{
    expect_int(weir__thread_slot(), NOBODYS_SLOT);
    expect_int(weir__thread_index(), 0);
}

CASE(thread_number_asked_for_by_a_destructor_comes_back)
{
    end_threads_with(ask_late, 10);
    crew_run(20, take_number, NULL);
    expect_lowest(20, 0);
}

/* Another thread takes the old number before the destructor asks. */
static uint32_t asked; /* atomic: 1 taken by the other, 2 asked for late */

static void hold_number(struct crew *crew, unsigned id)
{
    expect_int(weir__thread_index(), 0);
    __atomic_store_n(&asked, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&asked, __ATOMIC_ACQUIRE) != 2)
        sched_yield();
}

static void ask_after_another(void *unused)
{
    struct crew other;

    crew_start(&other, 1, hold_number, NULL);
    while (__atomic_load_n(&asked, __ATOMIC_ACQUIRE) != 1)
        sched_yield();
    expect_int(weir__thread_index(), 1);
    __atomic_store_n(&asked, 2, __ATOMIC_RELEASE);
    crew_join(&other);
}

CASE(thread_number_asked_for_by_a_destructor_is_its_own)
{
    end_threads_with(ask_after_another, 1);
}

CASE(thread_runs_no_loop_unless_it_says_so)
{
    expect(!weir__thread_is_loop());
}

static char place;
static struct weir_loop *const some_loop = (struct weir_loop *)&place;

CASE(thread_runs_a_loop_from_set_to_reset)
{
    weir__thread_set_loop(some_loop);
    expect(weir__thread_is_loop());
    expect(weir__thread_loop() == some_loop);
    weir__thread_set_loop(NULL);
    expect(!weir__thread_is_loop());
}

static void expect_no_loop(struct crew *crew, unsigned id)
{
    expect(!weir__thread_is_loop());
}

CASE(thread_loop_is_a_matter_of_one_thread)
{
    weir__thread_set_loop(some_loop);
    crew_run(1, expect_no_loop, NULL);
    expect(weir__thread_is_loop());
}
