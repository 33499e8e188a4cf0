/* SPDX-License-Identifier: MIT */
/*
 * waiter -- who changes the word and notifies is never missed; each wait ends
 * once, in one way, and notify counts those that it has ended.
 */
#include "sync/waiter.h"

#include <errno.h>

#include "model.h"

typedef atomic(uint32_t) user_word;

static user_word words[64];
static user_word *word = &words[0], *other; /* in different buckets */
static weir_waiter waiters[2];
static int data;              /* plain: written before the notify */
static int result[2], called; /* plain: one thread's each */
static uint32_t notified;     /* plain: the notifier's */

static void init(void)
{
    other = word;
    while (weir__waiter_bucket(other) == weir__waiter_bucket(word))
        other++;
    for (int i = 0; i < 2; i++) {
        weir_waiter_init(&waiters[i], 0);
        model_show(&waiters[i].word_, i == 0 ? "waiter 0" : "waiter 1", NULL);
    }
    model_show(word, "word", NULL);
    model_show(other, "other", NULL);
}

static int wait_for(int timeout_ns)
{
    unsigned self = model_self();

    result[self] = weir_waiter_wait(&waiters[self], word, 4, 0, timeout_ns);
    return result[self];
}

/* ---- the word changes ---- */

static void change_and_notify(void)
{
    plain_store(&data, 1);
    store_seq_cst(word, 1);
    notified = weir_waiter_notify(word, 2);
}

static void wait_for_change(void)
{
    int err = wait_for(-1);

    model_assert(err == 0 || err == -EAGAIN);
    model_assert(plain_load(&data) == 1);
}

static void both_woken_were_counted(void)
{
    model_assert(notified == (uint32_t)(result[0] == 0) + (result[1] == 0));
}

/* ---- the word stays; who ends the wait? ---- */

static void notify_one(void)
{
    plain_store(&data, 1);
    notified = weir_waiter_notify(word, 1);
}

static void wait_a_moment(void)
{
    int err = wait_for(1);

    model_assert(err == 0 || err == -ETIMEDOUT);
    if (err == 0)
        model_assert(plain_load(&data) == 1);
}

static void interrupt(void)
{
    weir_waiter_interrupt(&waiters[0]);
}

static void wait_until_interrupted(void)
{
    model_assert(wait_for(-1) == WEIR_ECANCELED);
}

/* Interrupted forever: a notify ends one wait only. */
static void wait_twice(void)
{
    int err = wait_for(-1);

    model_assert(err == 0 || err == WEIR_ECANCELED);
    model_assert(weir_waiter_wait(&waiters[0], word, 4, 0, -1) ==
                 WEIR_ECANCELED);
}

static void woken_was_counted(void)
{
    model_assert(notified == (result[0] == 0));
}

/* ---- called instead of woken ---- */

static void on_woken(weir_waiter *waiter)
{
    model_assert(waiter == &waiters[0]);
    model_assert(plain_load(&data) == 1);
    plain_store(&called, plain_load(&called) + 1);
}

static void add(void)
{
    result[0] = weir_waiter_add(&waiters[0], word, 4, 0, on_woken);
}

static void called_or_too_late(void)
{
    model_assert(result[0] == 0 ? called == 1 : called == 0);
    model_assert(notified == (uint32_t)called);
}

static void init_added(void)
{
    init();
    add();
    model_assert(result[0] == 0);
}

static void remove_it(void)
{
    result[0] = weir_waiter_remove(&waiters[0]);
}

static void called_or_removed(void)
{
    model_assert(called == (result[0] == -ENOENT));
    model_assert(notified == (uint32_t)called);
}

/* ---- the waiter's memory ---- */

static weir_waiter *allocated;

static void init_allocated(void)
{
    init();
    allocated = model_alloc(sizeof(*allocated));
    weir_waiter_init(allocated, 0);
}

static void wait_and_free(void)
{
    weir_waiter *mine = allocated;
    int err = weir_waiter_wait(mine, word, 4, 0, 1);

    model_assert(err == 0 || err == -ETIMEDOUT || err == -EAGAIN);
    model_free(mine);
    allocated = NULL;
}

/* ---- one order with the user's atomics ---- */

static void set_one_wait_for_other(void)
{
    store_seq_cst(word, 1);
    result[0] = weir_waiter_wait(&waiters[0], other, 4, 0, 0);
}

static void set_other_wait_for_one(void)
{
    store_seq_cst(other, 1);
    result[1] = weir_waiter_wait(&waiters[1], word, 4, 0, 0);
}

static void one_saw_the_other(void)
{
    model_assert(result[0] == -EAGAIN || result[1] == -EAGAIN);
}

static uint64_t long_words[64];
typedef atomic(uint64_t) long_word;

static void init_long(void)
{
    init();
    int i = 1;

    while (weir__waiter_bucket(&long_words[i]) ==
           weir__waiter_bucket(&long_words[0]))
        i++;
    long_words[63] = (uint64_t)i;
}

static void set_long(unsigned mine, unsigned yours)
{
    store_seq_cst((long_word *)&long_words[mine], 1);
    result[model_self()] =
        weir_waiter_wait(&waiters[model_self()], &long_words[yours], 8, 0, 0);
}

static void set_long_one(void)
{
    set_long(0, (unsigned)long_words[63]);
}

static void set_long_other(void)
{
    set_long((unsigned)long_words[63], 0);
}

/* ---- what must go wrong ---- */

/* Looks, and then waits for what it finds when it looks again. */
static void look_and_wait(void)
{
    if (load_seq_cst(word) == 0)
        (void)!weir_waiter_wait(&waiters[0], word, 4, load_seq_cst(word), -1);
}

static const struct model_case cases[] = {
    {"change_and_notify_is_never_missed", .setup = init, .spurious = 1,
     .threads = {T(wait_for_change), T(change_and_notify)}},
    {"notify_wakes_both_who_wait_and_counts_them", .setup = init,
     .finish = both_woken_were_counted,
     .threads = {T(wait_for_change), T(wait_for_change), T(change_and_notify)}},
    {"late_wait_was_notified_if_it_was_counted", .setup = init, .spurious = 1,
     .finish = woken_was_counted, .threads = {T(wait_a_moment), T(notify_one)}},
    {"interrupt_ends_a_wait", .setup = init, .spurious = 1,
     .threads = {T(wait_until_interrupted), T(interrupt)}},
    {"interrupt_against_notify_ends_every_later_wait", .setup = init,
     .finish = woken_was_counted,
     .threads = {T(wait_twice), T(interrupt), T(notify_one)}},
    {"add_is_called_once_or_refused", .setup = init,
     .finish = called_or_too_late, .threads = {T(add), T(change_and_notify)}},
    {"remove_against_notify_has_one_winner", .setup = init_added,
     .finish = called_or_removed, .threads = {T(remove_it), T(notify_one)}},
    {"waiter_may_be_freed_when_wait_returns", .setup = init_allocated,
     .may_delay = true, .threads = {T(wait_and_free), T(change_and_notify)}},
    {"two_who_wait_for_each_other_see_each_other", .setup = init,
     .finish = one_saw_the_other,
     .threads = {T(set_one_wait_for_other), T(set_other_wait_for_one)}},
    {"two_who_wait_for_8_bytes_see_each_other", .setup = init_long,
     .finish = one_saw_the_other,
     .threads = {T(set_long_one), T(set_long_other)}},
    {"wait_for_what_a_second_look_finds_may_sleep_for_ever", .setup = init,
     .expect = MODEL_DEADLOCK,
     .threads = {T(look_and_wait), T(change_and_notify)}},
};

MODEL_CASES(cases)
