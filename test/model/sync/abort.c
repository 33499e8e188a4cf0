/* SPDX-License-Identifier: MIT */
/*
 * abort -- told once or removed, never both and never neither; and the memory
 * of those that wait for any, under every interleaving.
 */
#include "weir/abort.h"

#include <errno.h>

#include "model.h"

static weir_abort *source, *second, *any;

struct ear {
    weir_abort_listener listener;
    int note; /* written before listen, read when told */
    atomic(int) calls;
    atomic(int) removed;
};

static struct ear ears[2];
static int news; /* written before raise */

static void hear(weir_abort_listener *listener, int reason)
{
    struct ear *ear = (struct ear *)listener;

    model_assert(reason == 7 || reason == 8);
    model_assert(plain_load(&ear->note) == 1);
    model_assert(ATOMIC_ADD(&ear->calls, 1, __ATOMIC_RELAXED) == 0);
}

static void init(void)
{
    model_assert(weir_abort_new(&source) == 0);
    model_assert(weir_abort_new(&second) == 0);
}

static void listen_now(int i)
{
    ears[i].listener.run = hear;
    plain_store(&ears[i].note, 1);
    model_assert(weir_abort_listen(source, &ears[i].listener) == 0);
}

static void init_with_listeners(void)
{
    init();
    listen_now(0);
    listen_now(1);
}

static void raise_seven(void)
{
    plain_store(&news, 1);
    (void)weir_abort_raise(source, 7);
}

static void raise_eight(void)
{
    (void)weir_abort_raise(source, 8);
}

static void remove_first(void)
{
    int err = weir_abort_remove(source, &ears[0].listener);

    model_assert(err == 0 || err == -ENOENT);
    if (err == 0)
        store_relaxed(&ears[0].removed, 1);
}

static void listen_first(void)
{
    listen_now(0);
}

static void listen_and_remove(void)
{
    listen_now(0);
    remove_first();
}

static void look(void)
{
    if (weir_abort_reason(source) == 7)
        model_assert(plain_load(&news) == 1);
}

static void drop(void)
{
    weir_abort_unref(source);
    weir_abort_unref(second);
}

static void each_once(void)
{
    model_assert(ears[0].calls.v_ + ears[0].removed.v_ == 1);
    drop();
}

static void both_once(void)
{
    model_assert(ears[1].calls.v_ == 1);
    each_once();
}

/* ---- any ---- */

static void init_any(void)
{
    init();
    model_assert(weir_abort_any(&any, (weir_abort *[]){source, second}, 2) ==
                 0);
}

static void raise_source_and_drop(void)
{
    (void)weir_abort_raise(source, 7);
    weir_abort_unref(source);
}

static void raise_second_and_drop(void)
{
    (void)weir_abort_raise(second, 8);
    weir_abort_unref(second);
}

static void hear_and_drop(weir_abort_listener *listener, int reason)
{
    hear(listener, reason);
    weir_abort_unref(any);
    store_relaxed(&ears[1].removed, 1); /* its memory may be used again */
}

static void hear_before_the_drop(weir_abort_listener *listener, int reason)
{
    model_assert(load_relaxed(&ears[1].removed) == 0);
    hear(listener, reason);
}

static void init_any_with_listeners(void)
{
    init_any();
    for (int i = 0; i < 2; i++) {
        ears[i].listener.run = i == 0 ? hear_and_drop : hear_before_the_drop;
        plain_store(&ears[i].note, 1);
        model_assert(weir_abort_listen(any, &ears[i].listener) == 0);
    }
}

static void drop_any(void)
{
    weir_abort_unref(any);
}

static void any_was_raised(void)
{
    int reason = weir_abort_reason(any);

    model_assert(reason == 7 || reason == 8);
    weir_abort_unref(any);
}

static const struct model_case cases[] = {
    {"two_raise_and_one_removes", .setup = init_with_listeners,
     .finish = both_once,
     .threads = {T(raise_seven), T(raise_eight), T(remove_first)}},
    {"listen_against_raise", .setup = init, .finish = each_once,
     .threads = {T(raise_seven), T(listen_first), T(look)}},
    {"listen_and_remove_against_raise", .setup = init, .finish = each_once,
     .threads = {T(raise_seven), T(listen_and_remove)}},
    {"any_is_raised_by_one_of_two", .setup = init_any, .finish = any_was_raised,
     .preemption_bound = 3,
     .threads = {T(raise_source_and_drop), T(raise_second_and_drop)}},
    {"any_whose_listener_drops_it", .setup = init_any_with_listeners,
     .preemption_bound = 2,
     .threads = {T(raise_source_and_drop), T(raise_second_and_drop)}},
    {"any_that_goes_while_its_sources_are_raised", .setup = init_any,
     .preemption_bound = 2, .may_delay = true,
     .threads = {T(raise_source_and_drop), T(raise_second_and_drop),
                 T(drop_any)}},
};

MODEL_CASES(cases)
