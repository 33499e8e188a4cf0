/* SPDX-License-Identifier: MIT */
/*
 * capture -- an answer is complete, and late answers go nowhere.
 */
#include "watchdog/capture.h"

#include "base/parker.h"
#include "model.h"

static struct weir__capture capture;
static struct weir__parker signals;
static int me, other; /* targets */

static void init(void)
{
    weir__capture_init(&capture);
    weir__parker_init(&signals);
}

static void answer(void)
{
    if (!weir__capture_begin(&capture, &me))
        return;
    plain_store(&capture.frames, 1);
    weir__capture_end(&capture);
}

/* The deadline has passed: the question is withdrawn, unless it was taken. */
static void ask_briefly(void)
{
    plain_store(&capture.frames, 0);
    weir__capture_ask(&capture, &me);
    if (weir__capture_wait(&capture, 0))
        model_assert(plain_load(&capture.frames) == 1);
    else
        plain_store(&capture.frames, 7); /* nobody else writes it now */
}

static void ask_both(void)
{
    ask_briefly();
    weir__capture_ask(&capture, &other);
    model_assert(!weir__capture_wait(&capture, 0));
    plain_store(&capture.frames, 8);
}

static void ask_patiently(void)
{
    plain_store(&capture.frames, 0);
    weir__capture_ask(&capture, &me);
    weir__parker_unpark(&signals);
    model_assert(weir__capture_wait(&capture, -1));
    model_assert(plain_load(&capture.frames) == 1);
}

static void answer_surely(void)
{
    weir__parker_park(&signals);
    model_assert(weir__capture_is_asked(&capture));
    model_assert(weir__capture_begin(&capture, &me));
    plain_store(&capture.frames, 1);
    weir__capture_end(&capture);
}

static const struct model_case cases[] = {
    {"question_against_a_late_answer", .setup = init,
     .threads = {T(ask_briefly), T(answer)}},
    {"two_questions_against_a_late_answer", .setup = init,
     .threads = {T(ask_both), T(answer)}},
    {"patient_question_against_the_answer", .setup = init,
     .threads = {T(ask_patiently), T(answer_surely)}},
};

MODEL_CASES(cases)
