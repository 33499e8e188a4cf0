/* SPDX-License-Identifier: MIT */
/*
 * state -- one winner for each move, and what led to a state is seen in it.
 */
#include "weir/state.h"

#include "model.h"

enum { AWAKE, RUNNING, SLEEPING, ENDING, ENDED };

static const uint64_t next[] = {
    [AWAKE] = 1u << RUNNING,
    [RUNNING] = 1u << SLEEPING | 1u << ENDING,
    [SLEEPING] = 1u << RUNNING | 1u << ENDING,
    [ENDING] = 1u << ENDED,
    [ENDED] = 0,
};
static const weir_state_table moves = {5, next};

static weir_state state;
static int data;
static int wins;

static void init(void)
{
    model_show(&state.word_, "state", NULL);
    model_assert(weir_state_init(&state, AWAKE, &moves) == 0);
}

static void init_running(void)
{
    init();
    model_assert(weir_state_try_transition(&state, AWAKE, RUNNING));
}

/* The winner owns the data: nobody else writes it. */
static void racer(void)
{
    if (weir_state_try_transition(&state, AWAKE, RUNNING)) {
        plain_store(&data, 1);
        wins++;
    }
}

static void expect_one_winner(void)
{
    model_assert(wins == 1);
}

/* Hands the data to the next state, and takes it back from it. */
static void runner(void)
{
    plain_store(&data, 1);
    if (!weir_state_try_transition(&state, RUNNING, SLEEPING))
        return;
    if (weir_state_try_transition(&state, SLEEPING, RUNNING))
        model_assert(plain_load(&data) == 1);
}

static void waker(void)
{
    if (weir_state_try_transition(&state, SLEEPING, RUNNING)) {
        model_assert(plain_load(&data) == 1);
        plain_store(&data, 2);
    }
}

static void watcher(void)
{
    if (weir_state_load(&state) == SLEEPING)
        model_assert(plain_load(&data) == 1);
}

/* Ending can never be overwritten by a loop on its way to sleep. */
static void loop(void)
{
    if (weir_state_try_transition(&state, RUNNING, SLEEPING))
        if (weir_state_try_transition(&state, SLEEPING, RUNNING))
            wins++;
}

static void ender(void)
{
    static const uint64_t from[] = {RUNNING, SLEEPING};

    plain_store(&data, 3);
    if (weir_state_transition_any(&state, from, 2, ENDING))
        weir_state_store(&state, ENDED);
}

static void end_watcher(void)
{
    if (weir_state_load(&state) == ENDED)
        model_assert(plain_load(&data) == 3);
}

static void expect_ended(void)
{
    model_assert(weir_state_load(&state) == ENDED);
}

/* transition_any receives from the state it left. */
static void handing_runner(void)
{
    plain_store(&data, 1);
    (void)!weir_state_try_transition(&state, RUNNING, SLEEPING);
}

static void taking_ender(void)
{
    static const uint64_t from[] = {SLEEPING};

    if (weir_state_transition_any(&state, from, 1, ENDING)) {
        model_assert(plain_load(&data) == 1);
        plain_store(&data, 2);
        weir_state_store(&state, ENDED);
    }
}

/* Publishes by transition_any alone. */
static void any_ender(void)
{
    static const uint64_t from[] = {RUNNING, SLEEPING};

    plain_store(&data, 3);
    (void)!weir_state_transition_any(&state, from, 2, ENDING);
}

static void any_watcher(void)
{
    if (weir_state_load(&state) == ENDING)
        model_assert(plain_load(&data) == 3);
}

static const struct model_case cases[] = {
    {"try_transition_has_one_winner_of_three", .setup = init,
     .threads = {T(racer), T(racer), T(racer)}, .finish = expect_one_winner},
    {"transitions_hand_over_what_led_to_them", .setup = init_running,
     .threads = {T(runner), T(waker)}},
    {"load_sees_what_led_to_the_state", .setup = init_running,
     .threads = {T(runner), T(watcher)}},
    {"ending_is_never_overwritten", .setup = init_running, .spurious = 1,
     .threads = {T(loop), T(ender), T(end_watcher)}, .finish = expect_ended},
    {"transition_any_receives_from_the_state_it_left", .setup = init_running,
     .spurious = 1, .threads = {T(handing_runner), T(taking_ender)}},
    {"transition_any_publishes_what_led_to_it", .setup = init_running,
     .threads = {T(any_ender), T(any_watcher)}},
    {"store_publishes_what_led_to_it", .setup = init_running,
     .threads = {T(ender), T(end_watcher)}},
};

MODEL_CASES(cases)
