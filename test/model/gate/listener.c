/* SPDX-License-Identifier: MIT */
/*
 * listener -- told once that its gate is CLOSED, or sees it at once; and never
 * of another gate that has come to the same address.
 */
#include "gate/listener.h"

#include "model.h"

static weir_gate gate;
static struct weir__listener listeners[2];
static int told[2]; /* plain: the closer's, or the adder's */
static int work;    /* what came before the exit */

static void on_told(struct weir__listener *listener)
{
    int i = (int)(listener - listeners);

    model_assert(plain_load(&work) == 1);
    plain_store(&told[i], plain_load(&told[i]) + 1);
}

static void init(void)
{
    model_assert(weir_gate_init(&gate, NULL, NULL, NULL) == 0);
    model_assert(weir_gate_start(&gate) == 0);
    model_assert(weir_gate_enter(&gate) == 0);
    listeners[0].told = listeners[1].told = on_told;
}

static void listen(int i)
{
    if (!weir__listener_add(&listeners[i], &gate))
        on_told(&listeners[i]);
}

static void listen_first(void)
{
    listen(0);
}

static void listen_second(void)
{
    listen(1);
}

static void leave(void)
{
    plain_store(&work, 1);
    weir_gate_exit(&gate);
}

static void drain(void)
{
    model_assert(weir_gate_drain(&gate) == 0);
}

static void both_told(void)
{
    model_assert(told[0] == 1 && told[1] == 1);
}

static void first_told(void)
{
    model_assert(told[0] == 1);
}

/* ---- a waiter frees the gate, and a new one takes its place ---- */

static void drain_old(void)
{
    weir_gate_exit(&gate); /* the last one out; it was draining */
}

static void init_draining(void)
{
    init();
    model_assert(weir_gate_drain(&gate) == 0);
}

/* The old one is CLOSED, so its memory is ours; its closer may be late. */
static void wait_and_make_anew(void)
{
    model_assert(weir_gate_wait(&gate, -1) == 0);
    model_assert(weir_gate_init(&gate, NULL, NULL, NULL) == 0);
    model_assert(weir_gate_start(&gate) == 0);
    model_assert(weir_gate_enter(&gate) == 0);
    model_assert(weir_gate_drain(&gate) == 0);
    model_assert(weir__listener_add(&listeners[0], &gate));
    plain_store(&work, 1);
    weir_gate_exit(&gate);
}

static const struct model_case cases[] = {
    {"listen_against_the_last_exit", .setup = init, .finish = first_told,
     .threads = {T(listen_first), T(leave), T(drain)}},
    {"two_listen_against_the_last_exit", .setup = init, .finish = both_told,
     .preemption_bound = 3,
     .threads = {T(listen_first), T(listen_second), T(leave), T(drain)}},
    {"late_closer_does_not_tell_of_a_newer_gate", .setup = init_draining,
     .finish = first_told, .threads = {T(drain_old), T(wait_and_make_anew)}},
};

MODEL_CASES(cases)
