/* SPDX-License-Identifier: MIT */
/*
 * virtual -- time passes when all loops sleep, and not before.
 */
#include "weir/host/virtual.h"

#include "model.h"
#include "weir/clock.h"
#include "weir/timer.h"

static weir_loop *loops[2];
static weir_virtual_member members[2];
static int fired[2]; /* how many had fired before; the loops' */
static int count;    /* under the order of deadlines */

static void on_timer(void *arg, int status)
{
    int *place = arg;

    plain_store(place, plain_load(&count));
    plain_store(&count, plain_load(&count) + 1);
}

static void start(int loop, int64_t delay_ns, int *place)
{
    weir_timer timer;

    model_assert(weir_timer_start(loops[loop], &timer, delay_ns,
                                  WEIR_TIMER_ONCE, on_timer, place) == 0);
}

static void make(void)
{
    for (int i = 0; i < 2; i++) {
        model_assert(weir_loop_new(&loops[i], NULL) == 0);
        members[i].loop = loops[i];
        weir_virtual_hold();
    }
}

static void run(int number)
{
    weir_virtual_join(&members[number]);
    weir_virtual_release();
    model_assert(weir_loop_run(loops[number], WEIR_RUN_UNTIL_IDLE) == 0);
    weir_virtual_leave(&members[number]);
}

static void run_first(void)
{
    run(0);
}

static void run_second(void)
{
    run(1);
}

static void free_all(void)
{
    weir_virtual_end();
    for (int i = 0; i < 2; i++) {
        model_assert(weir_loop_free(loops[i]) == 0);
        loops[i] = NULL;
    }
}

/* ---- one timer each: the later one never races with the earlier ---- */

static void init_timers(void)
{
    make();
    model_assert(weir_virtual_begin() == 0);
    start(0, 100, &fired[0]);
    start(1, 200, &fired[1]);
}

static void fired_in_order(void)
{
    model_assert(count == 2 && fired[0] == 0 && fired[1] == 1);
    free_all();
}

/* ---- a message comes before a timer ---- */

static void take_message(void *arg, int status)
{
    on_timer(&fired[0], status);
    weir_loop_unref(loops[0]);
}

static void send_message(void *arg, int status)
{
    model_assert(weir_loop_submit(loops[0], take_message, NULL) == 0);
}

static void init_message(void)
{
    weir_timer timer;

    make();
    model_assert(weir_virtual_begin() == 0);
    weir_loop_ref(loops[0]);
    model_assert(weir_timer_start(loops[1], &timer, 100, WEIR_TIMER_ONCE,
                                  send_message, NULL) == 0);
    start(1, 200, &fired[1]);
}

/* ---- virtual time begins while the loops go to sleep ---- */

static void end_second(void *arg, int status)
{
    on_timer(&fired[1], status);
    weir_loop_unref(loops[1]);
}

static void tell_second(void *arg, int status)
{
    on_timer(&fired[0], status);
    model_assert(weir_loop_submit(loops[1], end_second, NULL) == 0);
}

static void start_later(void *arg, int status)
{
    weir_timer timer;

    model_assert(weir_timer_start(loops[0], &timer, 100, WEIR_TIMER_ONCE,
                                  tell_second, NULL) == 0);
    weir_loop_unref(loops[0]);
}

static void init_real(void)
{
    make();
    weir_loop_ref(loops[0]);
    weir_loop_ref(loops[1]);
}

static void begin(void)
{
    model_assert(weir_virtual_begin() == 0);
    model_assert(weir_loop_submit(loops[0], start_later, NULL) == 0);
}

static const struct model_case cases[] = {
    {"timers_of_two_loops_fire_in_order", .setup = init_timers,
     .finish = fired_in_order, .preemption_bound = 2, .brief_bound = 1,
     .threads = {T(run_first), T(run_second)}},
    {"a_message_comes_before_a_later_timer", .setup = init_message,
     .finish = fired_in_order, .preemption_bound = 2, .brief_bound = 1,
     .threads = {T(run_first), T(run_second)}},
    {"time_begins_while_loops_prepare_sleep", .setup = init_real,
     .finish = fired_in_order, .preemption_bound = 1, .brief_runs = 2000,
     .steps = 2000, .threads = {T(begin), T(run_first), T(run_second)}},
};

MODEL_CASES(cases)
