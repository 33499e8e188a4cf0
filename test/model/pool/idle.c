/* SPDX-License-Identifier: MIT */
/*
 * idle -- no work is left while a worker sleeps, and over is over, under
 * every interleaving.
 *
 * Work is a flag that one thread sets with a relaxed store, as a deque's bottom
 * is as good as one; workers take it by CAS.
 */
#include "pool/idle.h"

#include <stddef.h>

#include "model.h"

static struct weir__idle idle;
static struct weir__idle_slot slot[2];
static atomic(int) work[2]; /* 0: none, 1: there, 2: taken */
static atomic(int) done;

static void show(void)
{
    model_show(&idle.word, "word", NULL);
    model_show(&work[0], "work", NULL);
    model_show(&work[1], "work'", NULL);
}

static void init(void)
{
    weir__idle_init(&idle, 2);
    weir__idle_slot_init(&slot[0]);
    weir__idle_slot_init(&slot[1]);
    show();
    model_assert(weir__idle_join(&idle));
    model_assert(weir__idle_join(&idle));
}

static void init_without_membarrier(void)
{
    init();
    idle.is_asymmetric = false;
}

static void init_with_one(void)
{
    weir__idle_init(&idle, 1);
    weir__idle_slot_init(&slot[0]);
    show();
    model_assert(weir__idle_join(&idle));
}

static void init_one_without_membarrier(void)
{
    init_with_one();
    idle.is_asymmetric = false;
}

/* ---- the others ---- */

static void post(int i)
{
    store_relaxed(&work[i], 1);
    weir__idle_notify(&idle);
}

static void post_one(void)
{
    post((int)model_self() & 1);
}

static void post_two(void)
{
    post(0);
    post(1);
}

/* ---- a worker ---- */

static bool is_there(int i)
{
    return load_relaxed(&work[i]) == 1;
}

static bool is_any(void)
{
    return is_there(0) || is_there(1);
}

/* For the explorer, which looks between the steps. */
static bool is_left(void)
{
    return work[0].v_ == 1 || work[1].v_ == 1;
}

static bool is_empty(void *arg)
{
    return !is_any();
}

static bool take(void)
{
    for (int i = 0; i < 2; i++) {
        int seen = 1;

        if (is_there(i) && ATOMIC_CAS(&work[i], &seen, 2, false,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            if (weir__idle_found(&idle) && is_any())
                weir__idle_wake_one(&idle);
            fetch_add_relaxed(&done, 1);
            weir__idle_search(&idle);
            return true;
        }
    }
    return false;
}

/* As the pool's (worker.c). */
static void worker(void)
{
    struct weir__idle_slot *own = &slot[model_self() & 1];

    for (;;) {
        if (take())
            continue;
        (void)weir__idle_enter(&idle, own, WEIR__REST_DONE);
        if (is_any())
            weir__idle_wake_one(&idle);
        else
            (void)weir__idle_end(&idle, false, is_empty, NULL);
        if (!weir__idle_sleep(&idle, own))
            return;
    }
}

/* Work is posted, and then the end begins, by the same thread. */
static void post_and_end(void)
{
    post(0);
    (void)weir__idle_end(&idle, true, is_empty, NULL);
}

static void post_two_and_end(void)
{
    post_two();
    (void)weir__idle_end(&idle, true, is_empty, NULL);
}

static void end(void)
{
    (void)weir__idle_end(&idle, true, is_empty, NULL);
}

static void all_is_over(void)
{
    model_assert(idle.is_over && !is_any());
    model_assert(idle.word.v_ == 0 && idle.sleepers == NULL);
    model_assert(idle.resting == 0);
}

static void one_was_done(void)
{
    model_assert(done.v_ == 1);
    all_is_over();
}

static void two_were_done(void)
{
    model_assert(done.v_ == 2);
    all_is_over();
}

/* ---- a worker that sleeps in the middle of a job ---- */

static atomic(int) answer;

/* It is called when the answer is there, and must not sleep then. */
static void await_answer(void)
{
    while (load_relaxed(&answer) == 0) {
        (void)weir__idle_enter(&idle, &slot[0], WEIR__REST_WAITING);
        if (is_any())
            weir__idle_wake_one(&idle);
        model_assert(weir__idle_sleep(&idle, &slot[0]));
        (void)take();
    }
}

static void answer_and_call(void)
{
    store_relaxed(&answer, 1);
    weir__idle_call(&slot[0]);
}

/* Work that comes while it waits is done, by it or later. */
static void await_and_work(void)
{
    await_answer();
    while (take())
        ;
}

static void waited(void)
{
    model_assert(answer.v_ == 1 && idle.sleepers == NULL);
}

/* ---- one too many, as after a blocking call ---- */

static atomic(int) left;

static void one_of_too_many(void)
{
    struct weir__idle_slot *own = &slot[model_self() & 1];

    for (;;) {
        if (take())
            continue;
        if (weir__idle_enter(&idle, own, WEIR__REST_DONE) ==
            WEIR__ORDER_LEAVE) {
            if (is_any())
                weir__idle_wake_one(&idle);
            (void)weir__idle_end(&idle, false, is_empty, NULL);
            fetch_add_relaxed(&left, 1);
            return;
        }
        if (is_any())
            weir__idle_wake_one(&idle);
        else
            (void)weir__idle_end(&idle, false, is_empty, NULL);
        if (!weir__idle_sleep(&idle, own))
            return;
    }
}

static void init_crowded(void)
{
    weir__idle_init(&idle, 1);
    weir__idle_slot_init(&slot[0]);
    weir__idle_slot_init(&slot[1]);
    show();
    model_assert(weir__idle_join(&idle));
    model_assert(weir__idle_join(&idle));
}

static void one_stayed(void)
{
    model_assert(idle.live == 1);
    one_was_done();
}

/* ---- without the second look ---- */

static void worker_that_trusts(void)
{
    while (!take()) {
        (void)weir__idle_enter(&idle, &slot[0], WEIR__REST_DONE);
        if (!weir__idle_sleep(&idle, &slot[0]))
            return;
    }
}

/* The fence left out, as if a spawn were followed by a load anyway. */
static void post_without_fence(void)
{
    store_relaxed(&work[0], 1);
    if (weir__idle_is_blind(load_relaxed(&idle.word)))
        weir__idle_wake_one(&idle);
}

static void worker_for_one(void)
{
    while (!take()) {
        (void)weir__idle_enter(&idle, &slot[0], WEIR__REST_DONE);
        if (is_any())
            weir__idle_wake_one(&idle);
        (void)weir__idle_sleep(&idle, &slot[0]);
    }
}

/* ---- two that need each other ---- */

static atomic(int) finished;

/* Works until the other piece is done, too. */
static void work_together(struct weir__idle_slot *own)
{
    if (fetch_add_acq_rel(&finished, 1) == 1) {
        store_release(&answer, 1);
        weir__idle_call(&slot[0]);
        weir__idle_call(&slot[1]);
    }
    while (load_acquire(&answer) == 0)
        weir__parker_park(&own->parker);
}

static void work_for_both(bool looks_again)
{
    struct weir__idle_slot *own = &slot[model_self() & 1];

    for (;;) {
        for (int i = 0; i < 2; i++) {
            int seen = 1;

            if (is_there(i) && ATOMIC_CAS(&work[i], &seen, 2, false,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
                if (weir__idle_found(&idle) && looks_again && is_any())
                    weir__idle_wake_one(&idle);
                work_together(own);
                return;
            }
        }
        (void)weir__idle_enter(&idle, own, WEIR__REST_DONE);
        if (is_any())
            weir__idle_wake_one(&idle);
        (void)weir__idle_sleep(&idle, own);
    }
}

static void worker_that_looks_again(void)
{
    work_for_both(true);
}

/* The last searcher goes to work and leaves the rest to nobody. */
static void worker_that_forgets(void)
{
    work_for_both(false);
}

static void init_crowded_without_membarrier(void)
{
    init_crowded();
    idle.is_asymmetric = false;
}

/* One of two comes back from a blocking call while the other may sleep. */
static void init_with_one_blocked(void)
{
    init_crowded_without_membarrier();
    model_assert(!weir__idle_block(&idle, 2, NULL));
}

static void come_back_and_leave(void)
{
    weir__idle_unblock(&idle);
    one_of_too_many();
}

/* ---- one that is counted as a searcher, and never begins ---- */

/* One of two has a job. */
static void init_with_one_busy(void)
{
    init();
    model_assert(!weir__idle_found(&idle));
}

static void init_with_one_busy_without_membarrier(void)
{
    init_with_one_busy();
    idle.is_asymmetric = false;
}

/* There is no thread for the worker that it wants in its place. */
static void block_in_vain(void)
{
    struct weir__idle_slot *given;

    model_assert(weir__idle_block(&idle, 3, &given));
    weir__idle_unjoin(&idle, given);
}

/* Whoever posts may have relied on it. */
static void block_and_forget(void)
{
    struct weir__idle_slot *given;

    model_assert(weir__idle_block(&idle, 3, &given));
    (void)weir__idle_found(&idle);
}

static const struct model_case cases[] = {
    {"work_finds_its_worker", .setup = init_with_one, .finish = one_was_done,
     .threads = {T(worker), T(post_and_end)}},
    {"work_finds_its_worker_without_membarrier",
     .setup = init_one_without_membarrier, .finish = one_was_done,
     .threads = {T(worker), T(post_and_end)}},
    {"end_finds_a_worker_that_sleeps", .setup = init_with_one,
     .finish = all_is_over, .spurious = 1, .threads = {T(worker), T(end)}},
    {"two_pieces_and_two_workers", .setup = init, .finish = two_were_done,
     .preemption_bound = 1,
     .threads = {T(worker), T(worker), T(post_two_and_end)}},
    {"two_pieces_and_two_workers_three_preemptions", .setup = init,
     .finish = two_were_done, .preemption_bound = 3, .is_long = true,
     .threads = {T(worker), T(worker), T(post_two_and_end)}},
    {"two_workers_without_membarrier", .setup = init_without_membarrier,
     .finish = one_was_done, .preemption_bound = 2,
     .threads = {T(worker), T(worker), T(post_and_end)}},
    {"waiter_is_called_and_works_meanwhile", .setup = init_with_one,
     .finish = waited,
     .threads = {T(await_and_work), T(post_one), T(answer_and_call)}},
    {"one_too_many_leaves", .setup = init_crowded, .finish = one_stayed,
     .preemption_bound = 2,
     .threads = {T(one_of_too_many), T(one_of_too_many), T(post_and_end)}},
    {"one_too_many_leaves_without_membarrier",
     .setup = init_crowded_without_membarrier, .finish = one_stayed,
     .preemption_bound = 2,
     .threads = {T(one_of_too_many), T(one_of_too_many), T(post_and_end)}},
    {"one_that_comes_back_leaves_no_work", .setup = init_with_one_blocked,
     .finish = one_stayed, .preemption_bound = 2,
     .threads = {T(come_back_and_leave), T(one_of_too_many), T(post_and_end)}},
    {"last_searcher_finds_the_other_a_worker", .setup = init,
     .preemption_bound = 2, .work_left = is_left,
     .threads = {T(worker_that_looks_again), T(worker_that_looks_again),
                 T(post_two)}},
    {"last_searcher_without_membarrier", .setup = init_without_membarrier,
     .preemption_bound = 2, .work_left = is_left,
     .threads = {T(worker_that_looks_again), T(worker_that_looks_again),
                 T(post_two)}},
    {"worker_that_never_begins_leaves_its_work_to_another",
     .setup = init_with_one_busy, .work_left = is_left, .preemption_bound = 2,
     .threads = {T(worker_for_one), T(block_in_vain), T(post_one)}},
    {"worker_that_never_begins_without_membarrier",
     .setup = init_with_one_busy_without_membarrier, .work_left = is_left,
     .preemption_bound = 2,
     .threads = {T(worker_for_one), T(block_in_vain), T(post_one)}},
    {"broken_worker_that_never_begins_wakes_nobody",
     .setup = init_with_one_busy, .work_left = is_left,
     .expect = MODEL_LOST_WAKE, .shortest = true,
     .threads = {T(worker_for_one), T(block_and_forget), T(post_one)}},
    {"broken_no_second_look", .setup = init_with_one, .work_left = is_left,
     .expect = MODEL_LOST_WAKE, .shortest = true,
     .threads = {T(worker_that_trusts), T(post_one)}},
    {"broken_no_fence_before_the_look_at_the_word", .setup = init_with_one,
     .work_left = is_left, .expect = MODEL_LOST_WAKE, .shortest = true,
     .threads = {T(worker_for_one), T(post_without_fence)}},
    {"broken_last_searcher_leaves_the_rest_to_nobody", .setup = init,
     .work_left = is_left, .expect = MODEL_LOST_WAKE,
     .threads = {T(worker_that_forgets), T(worker_that_forgets), T(post_two)}},
};

MODEL_CASES(cases)
