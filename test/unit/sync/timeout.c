/* SPDX-License-Identifier: MIT */
/*
 * timeout -- aborts that timers raise, timers that aborts end.
 */
#include <errno.h>
#include <pthread.h>

#include "loop/loop.h"
#include "support/failing_allocator.h"
#include "support/loop_fixture.h"
#include "support/suite.h"
#include "weir/abort.h"
#include "weir/clock.h"
#include "weir/timer.h"

static struct failing_allocator memory;
static weir_abort *signal_;
static int calls, last = 1;

static void note_call(void *arg, int status)
{
    calls++;
    last = status;
}

static void begin(void)
{
    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    expect_status(weir_clock_freeze(0), 0);
    loop_make(NULL);
    expect_status(weir_abort_new(&signal_), 0);
}

static void end(void)
{
    weir_abort_unref(signal_);
    expect_status(weir_loop_free(loop), 0);
    expect_int(memory.live, 0);
}

static void pass(int64_t ns)
{
    expect_status(weir_clock_advance(ns), 0);
    loop_turns(2);
}

/* ---- an abort that a timer raises ---- */

CASE(abort_after_is_raised_when_its_time_has_come)
{
    weir_abort *late;

    begin();
    expect_status(weir_abort_after(&late, loop, 100), 0);
    loop_turns(2);
    pass(99);
    expect_int(weir_abort_reason(late), 0);
    pass(1);
    expect_int(weir_abort_reason(late), -ETIMEDOUT);
    weir_abort_unref(late);
    end();
}

static void fail_listener(weir_abort_listener *listener, int reason)
{
    expect_int(reason, -ETIMEDOUT);
    listener->run = NULL;
    weir_raise(-EIO, "no");
}

CASE(abort_after_with_a_listener_that_raises_is_let_go)
{
    weir_abort_listener listener = {.run = fail_listener};
    weir_abort *late;

    begin();
    expect_status(weir_abort_after(&late, loop, 100), 0);
    expect_status(weir_abort_listen(late, &listener), 0);
    weir_abort_unref(late);
    pass(100);
    expect(listener.run == NULL);
    end();
}

CASE(abort_after_does_not_hold_the_loop)
{
    weir_abort *late;

    begin();
    expect_status(weir_abort_after(&late, loop, 100), 0);
    loop_turns(2); /* not a run, which would not end */
    expect_int(weir_loop_report(loop, NULL, 0, sizeof(weir_holder)), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_int(weir_abort_reason(late), 0);
    weir_abort_unref(late);
    end();
}

CASE(abort_after_can_be_raised_before)
{
    weir_abort *late;

    begin();
    expect_status(weir_abort_after(&late, loop, 100), 0);
    expect_int(weir_abort_raise(late, -EPIPE), 0);
    pass(100);
    expect_int(weir_abort_reason(late), -EPIPE);
    weir_abort_unref(late);
    end();
}

CASE(abort_after_is_raised_by_the_end_of_its_loop)
{
    weir_abort *late;

    begin();
    expect_status(weir_abort_after(&late, loop, 100), 0);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_int(weir_abort_reason(late), WEIR_ECANCELED);
    weir_abort_unref(late);
    end();
}

/* covers: weir_abort_after -EINVAL
 * covers: weir_abort_after -EOVERFLOW
 * covers: weir_abort_after -ENOMEM
 * covers: weir_abort_after -ENOSPC
 * covers: weir_abort_after WEIR_ECLOSED
 * covers: weir_timer_start_abortable -EINVAL
 * covers: weir_timer_start_abortable -EOVERFLOW
 * covers: weir_timer_start_abortable -ENOMEM
 * covers: weir_timer_start_abortable -ENOSPC
 * covers: weir_timer_start_abortable WEIR_ECLOSED
 * covers: weir_timer_start_abortable WEIR_ECANCELED */
CASE(timeout_that_fails_changes_nothing)
{
    weir_abort *late = NULL;
    uint64_t live;
    int err = 1;

    begin();
    expect_status(weir_abort_after(NULL, loop, 1), -EINVAL);
    expect_status(weir_abort_after(&late, NULL, 1), -EINVAL);
    expect_status(weir_abort_after(&late, loop, -1), -EINVAL);
    expect_status(weir_timer_start_abortable(NULL, 1, signal_, note_call, NULL),
                  -EINVAL);
    expect_status(weir_timer_start_abortable(loop, 1, NULL, note_call, NULL),
                  -EINVAL);
    expect_status(weir_timer_start_abortable(loop, 1, signal_, NULL, NULL),
                  -EINVAL);
    expect_status(
        weir_timer_start_abortable(loop, -1, signal_, note_call, NULL),
        -EINVAL);
    expect_status(weir_clock_advance(1), 0);
    expect_status(weir_abort_after(&late, loop, INT64_MAX), -EOVERFLOW);
    expect_status(
        weir_timer_start_abortable(loop, INT64_MAX, signal_, note_call, NULL),
        -EOVERFLOW);
    live = memory.live;
    for (uint64_t nth = 1; err != 0; nth++) {
        memory.fail_at = memory.calls + nth;
        err = weir_timer_start_abortable(loop, 5, signal_, note_call, NULL);
        expect(err == 0 || err == -ENOMEM);
        expect(err == 0 || memory.live <= live + 2); /* a block of slots */
    }
    memory.fail_at = memory.calls + 1;
    expect_status(weir_abort_after(&late, loop, 5), -ENOMEM);
    memory.fail_at = 0;
    set_unshared(&loop->timer_slots.limit,
                 ((uint32_t)WEIR__SLAB_GROUP << WEIR__SLAB_BLOCKS) -
                     WEIR__SLAB_GROUP);
    for (err = 0; err == 0;)
        err = weir_timer_start_abortable(loop, 5, signal_, note_call, NULL);
    expect_status(err, -ENOSPC);
    expect_status(weir_abort_after(&late, loop, 5), -ENOSPC);
    set_unshared(&loop->timer_slots.limit, WEIR__SLAB_GROUP);
    expect_int(weir_abort_raise(signal_, 7), 0);
    calls = 0;
    expect_status(weir_timer_start_abortable(loop, 5, signal_, note_call, NULL),
                  WEIR_ECANCELED);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(weir_abort_after(&late, loop, 5), WEIR_ECLOSED);
    weir_abort_unref(signal_);
    expect_status(weir_abort_new(&signal_), 0);
    expect_status(weir_timer_start_abortable(loop, 5, signal_, note_call, NULL),
                  WEIR_ECLOSED);
    expect(late == NULL);
    end();
}

/* ---- a timer that an abort ends ---- */

CASE(abortable_timer_fires_like_any_other)
{
    begin();
    expect_status(
        weir_timer_start_abortable(loop, 10, signal_, note_call, NULL), 0);
    loop_turns(2);
    expect_int(calls, 0);
    pass(10);
    expect_int(calls, 1);
    expect_status(last, 0);
    expect_int(weir_abort_raise(signal_, 1), 0);
    loop_turns(2);
    expect_int(calls, 1);
    end();
}

CASE(abortable_timer_is_told_at_once)
{
    begin();
    expect_status(
        weir_timer_start_abortable(loop, 10, signal_, note_call, NULL), 0);
    loop_turns(2);
    expect_int(weir_abort_raise(signal_, 1), 0);
    loop_turns(2);
    expect_int(calls, 1);
    expect_status(last, WEIR_ECANCELED);
    pass(10);
    expect_int(calls, 1);
    end();
}

CASE(abortable_timer_is_told_of_the_end_of_its_loop)
{
    begin();
    expect_status(
        weir_timer_start_abortable(loop, 10, signal_, note_call, NULL), 0);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_int(calls, 1);
    expect_status(last, WEIR_ECANCELED);
    expect_int(weir_abort_raise(signal_, 1), 0);
    end();
}

static void *raise_it(void *arg)
{
    expect_int(weir_abort_raise(arg, 1), 0);
    return NULL;
}

/* Raised, fired and started on three threads: told once. */
static void *start_it(void *arg)
{
    expect_status(weir_timer_start_abortable(loop, 0, arg, note_call, NULL), 0);
    return NULL;
}

CASE(abortable_timer_has_one_outcome)
{
    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    for (int i = 0; i < 300; i++) {
        pthread_t starter, raiser;

        calls = 0;
        loop_make(NULL);
        expect_status(weir_abort_new(&signal_), 0);
        expect_int(pthread_create(&starter, NULL, start_it, signal_), 0);
        while (weir_loop_step(loop, 0) == 0 && calls == 0 && i % 3 == 0)
            continue;
        expect_int(pthread_join(starter, NULL), 0);
        expect_int(pthread_create(&raiser, NULL, raise_it, signal_), 0);
        while (calls == 0)
            expect_status(weir_loop_step(loop, -1), 0);
        expect_int(pthread_join(raiser, NULL), 0);
        expect_status(weir_loop_shutdown(loop, -1), 0);
        expect_int(calls, 1);
        end();
    }
}

static void fail_call(void *arg, int status)
{
    note_call(arg, status);
    weir_raise(-EIO, "no");
}

CASE(abortable_timer_whose_function_raises_is_let_go)
{
    begin();
    expect_status(
        weir_timer_start_abortable(loop, 100, signal_, fail_call, NULL), 0);
    loop_turns(1);
    expect_status(weir_abort_raise(signal_, 1), 0);
    loop_turns(2);
    expect_int(calls, 1);
    expect_status(last, WEIR_ECANCELED);
    end();
}
