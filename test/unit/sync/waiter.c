/* SPDX-License-Identifier: MIT */
/*
 * waiter -- compared, in order, and each ended in one way.
 */
#include "sync/waiter.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "support/crew.h"
#include "support/loop_fixture.h"
#include "support/suite.h"

enum { CROWD = 100 };

static uint32_t word;
static uint64_t long_word;
static weir_waiter waiters[CROWD];
static char woken_record[512];

static void on_woken(weir_waiter *waiter)
{
    size_t used = strlen(woken_record);

    snprintf(woken_record + used, sizeof(woken_record) - used, "%d ",
             (int)(waiter - waiters));
}

static void add(int i, const void *address)
{
    expect_status(weir_waiter_add(&waiters[i], address, 4, 0, on_woken), 0);
}

/* covers: weir_waiter_wait -EAGAIN
 * covers: weir_waiter_wait -ETIMEDOUT */
CASE(waiter_compares_before_it_waits)
{
    weir_waiter_init(&waiters[0], 0);
    word = 7;
    long_word = UINT64_C(7) << 32;
    expect_status(weir_waiter_wait(&waiters[0], &word, 4, 8, -1), -EAGAIN);
    expect_status(weir_waiter_wait(&waiters[0], &word, 4, 8, 0), -EAGAIN);
    expect_status(weir_waiter_wait(&waiters[0], &word, 4, 7, 0), -ETIMEDOUT);
    expect_status(weir_waiter_wait(&waiters[0], &long_word, 8, 0, -1), -EAGAIN);
    expect_status(weir_waiter_wait(&waiters[0], &long_word, 8, long_word, 0),
                  -ETIMEDOUT);
}

/* covers: weir_waiter_wait -EINVAL
 * covers: weir_waiter_add -EINVAL */
CASE(waiter_refuses_what_is_no_word)
{
    const char *odd = (const char *)&long_word + 4;

    weir_waiter_init(&waiters[0], 0);
    expect_status(weir_waiter_wait(NULL, &word, 4, 0, 0), -EINVAL);
    expect_status(weir_waiter_wait(&waiters[0], NULL, 4, 0, 0), -EINVAL);
    expect_status(weir_waiter_wait(&waiters[0], &word, 2, 0, 0), -EINVAL);
    expect_status(weir_waiter_wait(&waiters[0], odd, 8, 0, 0), -EINVAL);
    expect_status(weir_waiter_wait(&waiters[0], odd, 4, 0, 0), -ETIMEDOUT);
    expect_status(weir_waiter_add(NULL, &word, 4, 0, on_woken), -EINVAL);
    expect_status(weir_waiter_add(&waiters[0], &word, 4, 0, NULL), -EINVAL);
    expect_status(weir_waiter_add(&waiters[0], odd, 8, 0, on_woken), -EINVAL);
}

CASE(waiter_is_not_early)
{
    weir_waiter_init(&waiters[0], 50000); /* spins, when it may */
    for (int64_t timeout_ns = 1; timeout_ns < 20 * MILLISECOND_NS;
         timeout_ns *= 3) {
        int64_t begin_ns = weir__clock_real();

        expect_status(weir_waiter_wait(&waiters[0], &word, 4, 0, timeout_ns),
                      -ETIMEDOUT);
        expect(weir__clock_real() - begin_ns >= timeout_ns);
    }
    expect_int(weir_waiter_notify(&word, 1), 0); /* nobody was left behind */
}

static void wait_in_vain(void)
{
    expect_status(weir_waiter_wait(&waiters[0], &word, 4, 0, 2), -ETIMEDOUT);
}

/* Whatever the clock says: longer than the first limit, shorter than the
 * second. */
CASE(waiter_spins_less_after_a_long_wait_and_longest_after_a_short_one)
{
    weir_waiter_init(&waiters[0], 4000);
    waiters[0].most_ns_ = 1;
    wait_in_vain();
    expect_int(waiters[0].spin_ns_, 2000);
    for (int i = 0; i < 5; i++)
        wait_in_vain();
    expect_int(waiters[0].spin_ns_, 500); /* and no less */
    waiters[0].most_ns_ = INT64_MAX;
    wait_in_vain();
    expect(waiters[0].spin_ns_ == INT64_MAX);
}

CASE(waiters_are_woken_in_the_order_in_which_they_came)
{
    for (int i = 0; i < 5; i++)
        add(i, &word);
    expect_int(weir_waiter_notify(&word, 0), 0);
    expect_int(weir_waiter_notify(&word, 2), 2);
    expect_string(woken_record, "0 1 ");
    add(0, &word);
    expect_int(weir_waiter_notify(&word, UINT32_MAX), 4);
    expect_string(woken_record, "0 1 2 3 4 0 ");
    expect_int(weir_waiter_notify(&word, 1), 0);
}

/* covers: weir_waiter_add -EAGAIN
 * covers: weir_waiter_remove -ENOENT */
CASE(waiter_that_was_removed_is_not_woken)
{
    word = 1;
    expect_status(weir_waiter_add(&waiters[0], &word, 4, 0, on_woken), -EAGAIN);
    word = 0;
    for (int i = 0; i < 5; i++)
        add(i, &word);
    expect_status(weir_waiter_remove(&waiters[0]), 0); /* the first, */
    expect_status(weir_waiter_remove(&waiters[2]), 0); /* one between, */
    expect_status(weir_waiter_remove(&waiters[4]), 0); /* and the last */
    expect_status(weir_waiter_remove(&waiters[4]), -ENOENT);
    expect_int(weir_waiter_notify(&word, 9), 2);
    expect_string(woken_record, "1 3 ");
    expect_status(weir_waiter_remove(&waiters[1]), -ENOENT);
}

/* More words than there are buckets: some share one. */
CASE(waiters_of_other_words_are_left_alone)
{
    static uint32_t words[4096];
    static weir_waiter many[4096];

    for (int i = 0; i < 4096; i++)
        expect_status(weir_waiter_add(&many[i], &words[i], 4, 0, on_woken), 0);
    for (int i = 4095; i > 0; i--)
        expect_status(weir_waiter_remove(&many[i]), 0);
    waiters[0] = many[0]; /* on_woken shows a place in `waiters` */
    expect_status(weir_waiter_remove(&many[0]), 0);
    add(0, &words[0]);
    for (int i = 1; i < 4096; i++)
        expect_int(weir_waiter_notify(&words[i], 1), 0);
    expect_int(weir_waiter_notify(&words[0], 1), 1);
    expect_string(woken_record, "0 ");
}

static void add_again(weir_waiter *waiter)
{
    on_woken(waiter);
    if (waiter == &waiters[0])
        expect_status(weir_waiter_add(waiter, &word, 4, 0, add_again), 0);
    else
        expect_int(weir_waiter_notify(&word, 9), 1);
}

/* No lock is held while it is called. */
CASE(woken_may_add_and_notify)
{
    weir_waiter *second = &waiters[1];

    expect_status(weir_waiter_add(&waiters[0], &word, 4, 0, add_again), 0);
    expect_status(weir_waiter_add(second, &word, 4, 0, add_again), 0);
    expect_int(weir_waiter_notify(&word, 2), 2);
    expect_string(woken_record, "0 1 0 ");
    expect_status(weir_waiter_remove(&waiters[0]), 0);
}

/* ---- threads ---- */

static void sleeper(struct crew *crew, unsigned id)
{
    int *results = crew->context;

    results[id] = weir_waiter_wait(&waiters[id], &word, 4, 0, -1);
}

/* covers: weir_waiter_wait WEIR_ECANCELED */
CASE(waiter_is_interrupted_for_ever)
{
    int result = 1;
    struct crew crew;

    weir_waiter_init(&waiters[0], 50000);
    crew_start(&crew, 1, sleeper, &result);
    expect(await_asleep(crew.members[0].tid));
    weir_waiter_interrupt(&waiters[0]);
    crew_join(&crew);
    expect_status(result, WEIR_ECANCELED);
    expect_status(weir_waiter_wait(&waiters[0], &word, 4, 9, 0),
                  WEIR_ECANCELED);
    expect_int(weir_waiter_notify(&word, 1), 0);
}

static void fail_woken(weir_waiter *waiter)
{
    on_woken(waiter);
    weir_raise(-EIO, "no");
}

static void count_uncaught(void *arg, weir_loop *told,
                           const weir_uncaught *what)
{
    expect_int(what->code, -EIO);
    ++*(int *)arg;
}

static void notify_all(void *arg, int status)
{
    expect_int(weir_waiter_notify(&word, 9), 4);
    strcat(woken_record, "goes on");
}

/* The last of them sleeps. */
CASE(waiter_whose_woken_raises_fails_alone)
{
    int uncaught = 0, result = 1;
    struct crew crew;

    loop_make(LOOP_OPTIONS(.on_uncaught = count_uncaught, .arg = &uncaught));
    for (int i = 1; i < 4; i++)
        expect_status(weir_waiter_add(&waiters[i], &word, 4, 0,
                                      i == 2 ? on_woken : fail_woken),
                      0);
    weir_waiter_init(&waiters[0], 0);
    crew_start(&crew, 1, sleeper, &result);
    expect(await_asleep(crew.members[0].tid));
    expect_status(weir_loop_submit(loop, notify_all, NULL), 0);
    loop_run();
    crew_join(&crew);
    expect_status(result, 0);
    expect_string(woken_record, "1 2 3 goes on");
    expect_int(uncaught, 2);
    loop_end();
}

CASE(notify_wakes_as_many_sleepers_as_it_says)
{
    int results[5] = {1, 1, 1, 1, 1};
    struct crew crew;

    for (int i = 0; i < 5; i++)
        weir_waiter_init(&waiters[i], 0);
    crew_start(&crew, 5, sleeper, results);
    for (int i = 0; i < 5; i++)
        expect(await_asleep(crew.members[i].tid));
    expect_int(weir_waiter_notify(&word, 2), 2);
    expect_int(weir_waiter_notify(&word, 9), 3);
    crew_join(&crew);
    for (int i = 0; i < 5; i++)
        expect_status(results[i], 0);
}
