/* SPDX-License-Identifier: MIT */
/*
 * lock -- one at a time, and nobody sleeps for ever.
 */
#include "base/lock.h"

#include "model.h"

static struct weir__lock lock;
static int protected; /* under lock */

static void init(void)
{
    weir__lock_init(&lock);
    model_show(&lock.word, "lock", NULL);
}

static void add_one(void)
{
    weir__lock_lock(&lock);
    plain_store(&protected, plain_load(&protected) + 1);
    weir__lock_unlock(&lock);
}

static void add_two(void)
{
    add_one();
    add_one();
}

static void three_were_added(void)
{
    model_assert(protected == 3);
}

static const struct model_case cases[] = {
    {"three_threads_add_one_at_a_time", .setup = init, .spurious = 1,
     .finish = three_were_added,
     .threads = {T(add_one), T(add_one), T(add_one)}},
    {"lock_again_after_unlock_lets_others_in", .setup = init,
     .finish = three_were_added, .threads = {T(add_one), T(add_two)}},
};

MODEL_CASES(cases)
