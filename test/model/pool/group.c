/* SPDX-License-Identifier: MIT */
/*
 * group -- the two counts, the waiter, and the memory that goes when wait
 * returns, under every interleaving.
 *
 * The counts alone: what a worker does when it has nothing to run is a call of
 * weir__group_await and a sleep on its slot.
 */
#include <errno.h>

#include "base/memory.h"
#include "model.h"
#include "pool/pool.h"

static struct weir_pool pool;
static struct weir__worker workers[3];
static weir_group *group;
static int results[3];

static void be_worker(unsigned i)
{
    workers[i].pool = &pool;
    weir__thread_set_worker(&workers[i]);
}

/* An owner on thread 0; its jobs are run by the others. */
static void init(void)
{
    group = model_alloc(sizeof(*group));
    *group = (weir_group){.owner_ = &workers[0], .pool_ = &pool};
    set_unshared(&group->word_, 0);
    for (int i = 0; i < 3; i++)
        weir__idle_slot_init(&workers[i].slot);
    model_show(&group->word_, "group", NULL);
}

/* The owner has spawned two, one of which it has run itself; the other two
 * threads have one each, as one was spawned by a job. */
static void init_with_three(void)
{
    init();
    group->mine_ = 3;
}

/* Waits as worker.c does, and then the group is gone. */
static void own(void)
{
    be_worker(0);
    group->mine_--; /* one of its own */
    while (!weir__group_is_done(group) && !weir__group_await(group))
        weir__parker_park(&workers[0].slot.parker);
    model_assert(plain_load(&results[1]) == 1);
    model_assert(plain_load(&results[2]) == 1);
    model_free(group);
    group = NULL;
}

static void leave(void)
{
    unsigned self = model_self();
    weir_group *mine = group;

    plain_store(&results[self], 1);
    weir__group_leave(mine, &workers[self]);
}

/* The owner helps: it runs a job after it has said that it waits. */
static void own_and_help(void)
{
    be_worker(0);
    if (!weir__group_await(group)) {
        group->mine_--; /* it has found one, and run it */
        while (!weir__group_is_done(group) && !weir__group_await(group))
            weir__parker_park(&workers[0].slot.parker);
    }
    model_assert(plain_load(&results[1]) == 1);
    model_assert(plain_load(&results[2]) == 1);
    model_free(group);
    group = NULL;
}

/* A job that spawns another before it leaves. */
static atomic(int) spawned;

static void init_with_one(void)
{
    init();
    group->mine_ = 1;
}

static void own_only(void)
{
    be_worker(0);
    while (!weir__group_is_done(group) && !weir__group_await(group))
        weir__parker_park(&workers[0].slot.parker);
    model_assert(plain_load(&results[1]) == 1);
    model_assert(plain_load(&results[2]) == 1);
    model_free(group);
    group = NULL;
}

static void spawn_and_leave(void)
{
    weir_group *mine = group;

    plain_store(&results[1], 1);
    fetch_add_relaxed(&mine->word_, WEIR__GROUP_ONE); /* as spawn_counted */
    store_release(&spawned, 1);
    weir__group_leave(mine, &workers[1]);
}

/* The one that was spawned, if it is there already; else its spawner's thread
 * would run it later, and so does this one. */
static void leave_when_spawned(void)
{
    weir_group *mine = group;

    while (load_acquire(&spawned) == 0)
        ;
    plain_store(&results[2], 1);
    weir__group_leave(mine, &workers[2]);
}

/* ---- an owner that is no worker ---- */

static void init_outside(void)
{
    init();
    group->owner_ = NULL;
    set_unshared(&group->word_, 2 * WEIR__GROUP_ONE);
}

static void wait_outside(void)
{
    int err = weir_group_wait(group);

    model_assert(err == 0 || err == WEIR_ECANCELED);
    model_assert(plain_load(&results[1]) == 1);
    model_assert(plain_load(&results[2]) == 1);
    model_free(group);
    group = NULL;
}

/* A cancel while it is waited for, by one of its jobs. */
static void cancel_and_leave(void)
{
    weir_group_cancel(group);
    leave();
}

/* ---- two counts that are looked at one after the other ---- */

static atomic(int) left_outside;

static void init_two_words(void)
{
    init();
    set_unshared(&left_outside, 1);
}

static void own_two_words(void)
{
    be_worker(0);
    if (load_acquire(&left_outside) != 0)
        weir__parker_park(&workers[0].slot.parker);
}

static void leave_two_words(void)
{
    /* Calls only if it sees that the owner waits, which is another word. */
    if (fetch_sub_acq_rel(&left_outside, 1) == 1 &&
        load_relaxed(&group->word_) & WEIR__GROUP_WAITER)
        weir__idle_call(&workers[0].slot);
}

static void free_group(void)
{
    model_free(group);
}

static const struct model_case cases[] = {
    {"owner_sees_what_all_did_and_frees_the_group", .setup = init_with_three,
     .may_delay = true, .threads = {T(own), T(leave), T(leave)}},
    {"owner_that_helps_is_called_at_the_end", .setup = init_with_three,
     .threads = {T(own_and_help), T(leave), T(leave)}},
    {"job_that_spawns_keeps_the_group", .setup = init_with_one,
     .threads = {T(own_only), T(spawn_and_leave), T(leave_when_spawned)}},
    {"outsider_sleeps_on_the_word", .setup = init_outside, .may_delay = true,
     .spurious = 1, .threads = {T(wait_outside), T(leave), T(leave)}},
    {"cancel_does_not_disturb_the_count", .setup = init_outside,
     .threads = {T(wait_outside), T(cancel_and_leave), T(leave)}},
    {"broken_waiter_in_another_word", .setup = init_two_words,
     .finish = free_group, .expect = MODEL_DEADLOCK, .shortest = true,
     .threads = {T(own_two_words), T(leave_two_words)}},
};

MODEL_CASES(cases)
