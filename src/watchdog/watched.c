/* SPDX-License-Identifier: MIT */
/*
 * watched -- a list of loops under one lock, and how their threads answer.
 *
 * Shape     The lock protects the list and what the watcher knows about each
 *           loop.  A loop takes it when it is created and when it is freed; the
 *           watcher, while it looks.  A loop that runs never takes it: what it
 *           shows is in its pulse, and it answers questions through a capture.
 *
 *           There are two questions.  The first is sent with a signal, and
 *           answered wherever the thread is.  There, the position of JavaScript
 *           that does not call anything is unknown, so that such a thread is
 *           asked again, and answers at the engine's next check for interrupts.
 *
 * Roles     enter, leave          any thread
 *           begin, end, answer    the loop's thread
 *           capture               the watcher
 * Forks     A child has none of these loops and no watcher.  It begins with an
 *           empty list, whatever its parent was doing to it: forks are known
 *           before the first loop is in the list.
 *
 * Tested by  test/unit/watchdog/live.c
 */
#include "watchdog/watched.h"

#include <string.h>

#include "base/backtrace.h"
#include "base/clock.h"
#include "base/fork.h"
#include "base/memory.h"
#include "base/parker.h"
#include "watchdog/block.h"

static const int64_t answer_ns = 100000000; /* for an answer to a signal ... */
static const int64_t exact_ns = 50000000;   /* ... and to the second question */

static struct weir__watched_list all;
static struct weir__parker parker;        /* the watcher's; all zero is empty */
static struct weir__capture first, exact; /* all zero is idle */
static struct weir__inherited inherited;
static atomic(uint32_t) is_let_in; /* any thread: a hint */
static bool has_signal;            /* the watcher's */

static _Thread_local
    __attribute__((tls_model("initial-exec"))) struct weir__watched *mine;
static _Thread_local __attribute__((tls_model("initial-exec"))) bool has_let_in;

/* ---- forks ---- */

static void forget(struct weir__inherited *object)
{
    weir__lock_init(&all.lock);
    all.first = NULL;
    all.left = NULL;
    mine = NULL;
    weir__parker_init(&parker);
    weir__capture_init(&first);
    weir__capture_init(&exact);
}

/* ---- the list ---- */

struct weir__watched_list *weir__watched_all(void)
{
    return &all;
}

int weir__watched_enter(struct weir__watched *watched,
                        struct weir__pulse *pulse, weir__hints *hints,
                        const char *name)
{
    int err = weir__fork_enter_once(&inherited, forget);

    if (err != 0)
        return err;
    *watched = (struct weir__watched){.pulse = pulse,
                                      .hints = hints,
                                      .name = name,
                                      .process = weir__fork_generation()};
    weir__lock_lock(&all.lock);
    watched->next = all.first;
    watched->link = &all.first;
    if (all.first != NULL)
        all.first->link = &watched->next;
    all.first = watched;
    weir__lock_unlock(&all.lock);
    /* A watcher that sleeps does not know this loop, so that the loop would not
     * announce when it wakes up. */
    weir__watched_wake();
    return 0;
}

void weir__watched_leave(struct weir__watched *watched)
{
    struct weir__block *block;

    if (watched->process != weir__fork_generation())
        return;
    weir__lock_lock(&all.lock);
    *watched->link = watched->next;
    if (watched->next != NULL)
        watched->next->link = watched->link;
    block = weir__watched_take_block(watched, weir__clock_real());
    if (block != NULL) {
        block->next = all.left;
        all.left = block;
    }
    weir__lock_unlock(&all.lock);
    if (block != NULL)
        weir__watched_wake();
}

struct weir__block *weir__watched_take_block(struct weir__watched *watched,
                                             int64_t now_ns)
{
    struct weir__block *block = watched->block;
    int64_t ended_ns;

    if (block == NULL)
        return NULL;
    ended_ns = weir__pulse_ended(watched->pulse, block->beat);
    block->told.stage = WEIR_BLOCK_ENDED;
    block->told.duration_ns =
        (ended_ns != 0 ? ended_ns : now_ns) - block->began_ns;
    watched->block = NULL;
    return block;
}

/* ---- the loop's thread ---- */

struct weir__watched *weir__watched_begin(struct weir__watched *watched)
{
    struct weir__watched *outer = mine;

    /* relaxed: a hint */
    if (load_relaxed(&is_let_in) && !has_let_in) {
        has_let_in = true;
        weir__backtrace_let_in();
    }
    mine = watched;
    weir__watched_finish_sleep(watched);
    return outer;
}

void weir__watched_end(struct weir__watched *outer)
{
    mine = outer;
}

void weir__watched_ended(struct weir__watched *watched)
{
    /* relaxed: only this thread clears it */
    (void)fetch_sub_relaxed(watched->hints, WEIR__HINT_BLOCKED);
    weir__pulse_set_ended(watched->pulse, weir__clock_real());
    weir__watched_wake();
}

void weir__watched_wake(void)
{
    weir__parker_unpark(&parker);
}

void weir_live_set_subject(const char *text, size_t size)
{
    if (mine != NULL)
        weir__pulse_set_subject(mine->pulse, text, size);
}

/* ---- answers ---- */

static void take_script(struct weir__capture *capture,
                        const struct weir__watched *watched)
{
    weir_script script = {.text = capture->script,
                          .size = sizeof(capture->script)};

    weir_script_fn *print = watched->script;

    capture->script[0] = '\0';
    if (print != NULL)
        print(watched->script_arg, &script);
    /* Without a frame the engine is between two of them: its next poll shows
     * one. */
    capture->is_exact =
        print == NULL || (script.is_exact && capture->script[0] != '\0');
    capture->is_collecting = script.is_collecting;
}

/* In the signal handler. */
static void on_interrupt(void)
{
    if (mine == NULL || !weir__capture_begin(&first, mine))
        return;
    first.frames = weir__backtrace_take(first.frame, WEIR__FRAMES);
    take_script(&first, mine);
    weir__capture_end(&first);
}

void weir__watched_answer(struct weir__watched *watched)
{
    if (!weir__capture_is_asked(&exact) ||
        !weir__capture_begin(&exact, watched))
        return;
    exact.frames = 0;
    take_script(&exact, watched);
    weir__capture_end(&exact);
}

/* ---- the watcher ---- */

void weir__watched_let_in(void)
{
    store_relaxed(&is_let_in, 1); /* relaxed: a hint */
}

void weir__watched_prepare(void)
{
    has_signal = weir__backtrace_start(on_interrupt) == 0;
}

void weir__watched_sleep(int64_t timeout_ns)
{
    (void)weir__parker_park_for(&parker, timeout_ns);
}

static bool ask(struct weir__capture *capture,
                const struct weir__watched *watched, int64_t limit_ns)
{
    weir__capture_ask(capture, watched);
    if (capture == &first &&
        /* relaxed: for the watcher */
        weir__backtrace_send(load_relaxed(&watched->pulse->thread)) != 0)
        limit_ns = 0;
    return weir__capture_wait(capture, weir__clock_real() + limit_ns);
}

const struct weir__capture *
weir__watched_capture(const struct weir__watched *watched)
{
    bool has_first = has_signal && ask(&first, watched, answer_ns);

    if (!has_first) {
        first.frames = 0;
        first.is_collecting = first.is_exact = false;
        first.script[0] = '\0';
    }
    if (!first.is_exact && ask(&exact, watched, exact_ns) && exact.script[0])
        memcpy(first.script, exact.script, sizeof(first.script));
    return &first;
}
