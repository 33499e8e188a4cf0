/* SPDX-License-Identifier: MIT */
/*
 * pulse -- a reader never mixes two callbacks, and a loop that wakes is never
 * overlooked.
 */
#include "watchdog/pulse.h"

#include <string.h>

#include "base/parker.h"
#include "model.h"

static struct weir__pulse pulse;
static struct weir__parker parker;
static const char *const names[] = {NULL, "first", "second"};

static void init(void)
{
    weir__pulse_init(&pulse);
    weir__parker_init(&parker);
}

/* ---- what runs ---- */

static void run_two(void)
{
    weir__pulse_begin(&pulse, WEIR_KIND_TASK, names[1], 10);
    weir__pulse_end(&pulse);
    weir__pulse_begin(&pulse, WEIR_KIND_TIMER, names[2], 20);
    weir__pulse_end(&pulse);
}

static void run_one_with_microtasks(void)
{
    weir__pulse_begin(&pulse, WEIR_KIND_TASK, names[1], 10);
    weir__pulse_kind(&pulse, WEIR_KIND_MICROTASK + 1);
    weir__pulse_end(&pulse);
    weir__pulse_begin(&pulse, WEIR_KIND_TIMER, names[2], 20);
}

static void look(void)
{
    struct weir__sight sight;

    if (!weir__pulse_look(&pulse, &sight) || !sight.is_running)
        return;
    model_assert(sight.beat == 1 || sight.beat == 2);
    model_assert(sight.name == names[sight.beat]);
    model_assert(sight.since_ns == 10 * (int64_t)sight.beat);
    model_assert(sight.beat == 1 ? sight.kind == WEIR_KIND_TASK ||
                                       sight.kind == WEIR_KIND_MICROTASK
                                 : sight.kind == WEIR_KIND_TIMER);
}

/* A callback gets the name of a function that was just found: its text is new. */
static atomic(uint32_t) new_text;

static void init_text(void)
{
    init();
    set_unshared(&new_text, 0);
}

static void name_the_callback(void)
{
    weir__pulse_begin(&pulse, WEIR_KIND_TASK, names[1], 10);
    store_relaxed(&new_text, 1);
    weir__pulse_name(&pulse, names[2]);
}

static void read_name(void)
{
    struct weir__sight sight;

    if (weir__pulse_look(&pulse, &sight) && sight.name == names[2])
        model_assert(load_relaxed(&new_text) == 1);
}

/* ---- what it works on ---- */

static void set_two(void)
{
    weir__pulse_set_subject(&pulse, "aaaaaaaaaaaa", 12);
    weir__pulse_set_subject(&pulse, "bbbbbbbbbbbb", 12);
}

static void read_subject(void)
{
    char text[WEIR__SUBJECT_BYTES + 1];

    if (weir__pulse_subject(&pulse, text))
        model_assert(strcmp(text, "") == 0 ||
                     strcmp(text, "aaaaaaaaaaaa") == 0 ||
                     strcmp(text, "bbbbbbbbbbbb") == 0);
    else
        model_assert(text[0] == '\0');
}

/* ---- its end ---- */

static void end_two(void)
{
    weir__pulse_begin(&pulse, WEIR_KIND_TASK, names[1], 10);
    weir__pulse_set_ended(&pulse, 15);
    weir__pulse_begin(&pulse, WEIR_KIND_TASK, names[2], 20);
    weir__pulse_set_ended(&pulse, 25);
}

static void read_end(void)
{
    int64_t ended_ns = weir__pulse_ended(&pulse, 2);

    model_assert(ended_ns == 0 || ended_ns == 25);
}

/* ---- whether it sleeps ---- */

/* The watcher sleeps without a limit once the loop sleeps.  If the loop did not
 * wake it, it would sleep forever, which the explorer reports. */
static void watch(void)
{
    if (weir__pulse_is_asleep(&pulse))
        weir__parker_park(&parker);
}

static void finish_sleep(void)
{
    if (weir__pulse_finish_sleep(&pulse))
        weir__parker_unpark(&parker);
}

static void finish_sleep_twice(void)
{
    finish_sleep();
    weir__pulse_prepare_sleep(&pulse);
    finish_sleep();
}

/* Two words instead of one: whether the loop sleeps, and whether it must wake
 * the watcher. */
static atomic(uint32_t) is_asleep, is_unwatched;

static void init_two_words(void)
{
    init();
    set_unshared(&is_asleep, 1);
    set_unshared(&is_unwatched, 0);
}

static void watch_two_words(void)
{
    if (!load_acquire(&is_asleep))
        return;
    store_release(&is_unwatched, 1);
    weir__parker_park(&parker);
}

static void finish_sleep_with_two_words(void)
{
    store_release(&is_asleep, 0);
    if (load_acquire(&is_unwatched))
        weir__parker_unpark(&parker);
}

static const struct model_case cases[] = {
    {"look_against_two_callbacks", .setup = init,
     .threads = {T(run_two), T(look)}},
    {"look_against_a_callback_with_microtasks", .setup = init,
     .threads = {T(run_one_with_microtasks), T(look)}},
    {"look_against_a_new_name", .setup = init_text,
     .threads = {T(name_the_callback), T(read_name)}},
    {"subject_against_two_requests", .setup = init,
     .threads = {T(set_two), T(read_subject)}},
    {"ended_against_the_end", .setup = init,
     .threads = {T(end_two), T(read_end)}},
    {"watcher_that_sleeps_against_a_loop_that_gets_up", .setup = init,
     .threads = {T(finish_sleep), T(watch)}},
    {"watcher_that_sleeps_against_a_loop_that_gets_up_twice", .setup = init,
     .threads = {T(finish_sleep_twice), T(watch)}},
    {"two_words_overlook_a_loop", .setup = init_two_words,
     .expect = MODEL_DEADLOCK,
     .threads = {T(finish_sleep_with_two_words), T(watch_two_words)}},
};

MODEL_CASES(cases)
