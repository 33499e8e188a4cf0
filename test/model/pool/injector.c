/* SPDX-License-Identifier: MIT */
/*
 * injector -- every job that was let in comes out once, in its producer's
 * order, to one of the workers, under every interleaving.
 */
#include "pool/injector.h"

#include "model.h"

static struct weir__injector in;

struct item {
    weir_job job;
    unsigned producer, place;
    int payload; /* written before the push */
};

static struct item items[4][2];
static atomic(int) taken[4][2];
static atomic(int) accepted;

static void init(void)
{
    weir__injector_init(&in);
    model_show(&in.word, "word", NULL);
    model_show(&in.sorted, "sorted", NULL);
}

static int push(unsigned place)
{
    unsigned producer = model_self();
    struct item *item = &items[producer][place];
    int err;

    item->producer = producer;
    item->place = place;
    plain_store(&item->payload, 1);
    err = weir__injector_push(&in, &item->job, WEIR__FROM_OUTSIDE);
    if (err == 0)
        fetch_add_relaxed(&accepted, 1);
    return err;
}

static void push_one(void)
{
    model_assert(push(0) == 0);
}

static void push_two(void)
{
    model_assert(push(0) == 0);
    model_assert(push(1) == 0);
}

static void try_push_two(void)
{
    int first = push(0), second = push(1);

    /* Closed is forever. */
    model_assert(first == 0 || (first == WEIR_ECLOSED && second == first));
}

/* A list in order; its producer's older ones were taken before. */
static int look_at(weir_job *job)
{
    int count = 0;

    for (; job != NULL; count++) {
        struct item *item = (struct item *)job;

        model_assert(plain_load(&item->payload) == 1);
        if (item->place == 1)
            model_assert(load_relaxed(&taken[item->producer][0]) == 1);
        model_assert(ATOMIC_ADD(&taken[item->producer][item->place], 1,
                                __ATOMIC_RELAXED) == 0);
        job = plain_load(&job->next_);
    }
    return count;
}

static void take_once(void)
{
    (void)look_at(weir__injector_take(&in, 1, 8, false));
}

/* Alone, a worker that takes what it may gets them in order. */
static void take_one_by_one(void)
{
    (void)look_at(weir__injector_take(&in, 1, 1, true));
    (void)look_at(weir__injector_take(&in, 1, 1, true));
}

/* Two workers may look at their shares in either order: count only. */
static void take_share(void)
{
    weir_job *job = weir__injector_take(&in, 2, 8, true);

    for (; job != NULL; job = plain_load(&job->next_)) {
        struct item *item = (struct item *)job;

        model_assert(plain_load(&item->payload) == 1);
        model_assert(ATOMIC_ADD(&taken[item->producer][item->place], 1,
                                __ATOMIC_RELAXED) == 0);
    }
}

static void close_it(void)
{
    weir__injector_close(&in);
}

static void close_and_push(void)
{
    weir__injector_close(&in);
    model_assert(push(0) == WEIR_ECLOSED);
}

static void all_that_was_accepted(void)
{
    int count = 0;
    weir_job *job;

    while ((job = weir__injector_take(&in, 1, 8, false)) != NULL)
        for (; job != NULL; job = job->next_) {
            struct item *item = (struct item *)job;

            taken[item->producer][item->place].v_++;
        }
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++) {
            model_assert(taken[i][k].v_ <= 1);
            count += taken[i][k].v_;
        }
    model_assert(count == accepted.v_);
    model_assert(weir__injector_is_empty(&in));
}

/* ---- closed in a separate word ---- */

static atomic(int) closed;

static void push_after_a_look(void)
{
    if (ATOMIC_LOAD(&closed, __ATOMIC_SEQ_CST) == 0)
        push_one();
}

static void close_and_drain(void)
{
    ATOMIC_STORE(&closed, 1, __ATOMIC_SEQ_CST);
    take_once();
    model_assert(weir__injector_is_empty(&in));
}

static void nothing_is_left(void)
{
    model_assert(weir__injector_is_empty(&in));
}

/* The same with ours: after close and a take nothing comes. */
static void really_close_and_drain(void)
{
    weir__injector_close(&in);
    (void)look_at(weir__injector_take(&in, 1, 8, true));
}

/* Whatever is pushed and taken meanwhile. */
static void count_them(void)
{
    model_assert(weir__injector_count_all(&in) <= 2);
}

static const struct model_case cases[] = {
    {"two_producers_each_job_once_and_in_order", .setup = init,
     .finish = all_that_was_accepted,
     .threads = {T(push_two), T(push_two), T(take_once)}},
    {"one_worker_takes_one_by_one", .setup = init,
     .finish = all_that_was_accepted,
     .threads = {T(push_two), T(push_one), T(take_one_by_one)}},
    {"two_workers_share", .setup = init, .finish = all_that_was_accepted,
     .threads = {T(push_two), T(push_one), T(take_share), T(take_share)}},
    {"count_against_a_producer_and_a_worker", .setup = init,
     .finish = all_that_was_accepted,
     .threads = {T(push_two), T(count_them), T(take_once)}},
    {"producers_against_close", .setup = init, .finish = all_that_was_accepted,
     .spurious = 1,
     .threads = {T(try_push_two), T(try_push_two), T(close_and_push),
                 T(take_once)}},
    {"two_close_and_one_pushes", .setup = init, .finish = all_that_was_accepted,
     .threads = {T(close_it), T(close_it), T(try_push_two)}},
    {"after_close_and_take_nothing_comes", .setup = init,
     .finish = nothing_is_left,
     .threads = {T(try_push_two), T(really_close_and_drain)}},
    {"broken_closed_in_a_second_word", .setup = init, .finish = nothing_is_left,
     .expect = MODEL_ASSERTION, .shortest = true,
     .threads = {T(push_after_a_look), T(close_and_drain)}},
};

MODEL_CASES(cases)
