/* SPDX-License-Identifier: MIT */
/*
 * abort_raise -- a listener that leaves by weir_raise fails alone.
 */
#include "support/failing_allocator.h"
#include "support/promise_fixture.h"
#include "weir/abort.h"
#include "weir/host/loop.h"

static weir_abort *signal_, *other;

struct ear {
    weir_abort_listener listener;
    int calls;
};

static void hear(weir_abort_listener *listener, int reason)
{
    expect(reason != 0);
    ((struct ear *)listener)->calls++;
}

static void begin(void)
{
    expect_status(weir_abort_new(&signal_), 0);
    expect_status(weir_abort_new(&other), 0);
}

static void end(void)
{
    weir_abort_unref(signal_);
    weir_abort_unref(other);
}

static void hear_and_fail(weir_abort_listener *listener, int reason)
{
    hear(listener, reason);
    weir_raise(-EIO, "no");
}

static int uncaught;

static void on_uncaught(void *arg, weir_loop *told, const weir_uncaught *what)
{
    expect_int(what->code, -EIO);
    expect_int(what->kind, WEIR_KIND_TASK);
    expect(((weir_abort_listener *)what->arg)->run == hear_and_fail);
    uncaught++;
}

/* Two that listen to the abort, and two to one that follows it; the first of
 * each fails. */
static struct ear failing[2], told[2];
static weir_abort *either;

static void raise_with_failing_ears(void)
{
    for (int i = 0; i < 2; i++) {
        failing[i] = (struct ear){.listener.run = hear_and_fail};
        told[i] = (struct ear){.listener.run = hear};
    }
    expect_status(weir_abort_listen(signal_, &failing[0].listener), 0);
    expect_status(
        weir_abort_any(&either, (weir_abort *[]){other, signal_, other}, 3), 0);
    expect_status(weir_abort_listen(either, &failing[1].listener), 0);
    expect_status(weir_abort_listen(either, &told[1].listener), 0);
    expect_status(weir_abort_listen(signal_, &told[0].listener), 0);
    expect_status(weir_abort_raise(signal_, -ETIMEDOUT), 0);
    expect_status(weir_abort_listen(signal_, &failing[0].listener), 0);
    expect_int(failing[0].calls, 2);
    expect_int(failing[1].calls + told[0].calls + told[1].calls, 3);
    weir_abort_unref(either);
    note("goes on");
}

CASE(abort_listener_that_raises_fails_alone)
{
    struct failing_allocator memory;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    loop_make(LOOP_OPTIONS(.on_uncaught = on_uncaught));
    begin();
    inside(raise_with_failing_ears);
    expect_recorded("goes on");
    expect_int(uncaught, 3);
    end();
    loop_end();
    expect_int(memory.live, 0);
}

static void on_uncaught_microtask(void *arg, weir_loop *where,
                                  const weir_uncaught *what)
{
    expect_int(what->kind, WEIR_KIND_MICROTASK);
    note("uncaught");
    if (what->code == -EIO)
        weir_raise(-EPERM, "nor that"); /* goes to stderr */
}

static weir_result raise_in_handler(void *arg, const weir_value *value)
{
    expect_status(weir_abort_raise(signal_, 1), 0);
    return weir_give(nothing());
}

static void handle(void)
{
    struct ear *ear = &failing[0];

    *ear = (struct ear){.listener.run = hear_and_fail};
    expect_status(weir_abort_listen(signal_, &ear->listener), 0);
    drop(then_note(then_call(resolved(), raise_in_handler, NULL), "fulfilled"));
}

CASE(abort_listener_that_raises_does_not_reject_for_a_handler)
{
    loop_make(LOOP_OPTIONS(.on_uncaught = on_uncaught_microtask));
    begin();
    inside(handle);
    expect_recorded("uncaught fulfilled");
    end();
    loop_end();
}

static void fail_call(void *arg, int status)
{
    weir_raise(-EIO, "no");
}

static weir_result fail_handler(void *arg, const weir_value *value)
{
    weir_raise(-EIO, "no");
}

static void make_checkpoint(weir_abort_listener *listener, int reason)
{
    hear(listener, reason);
    (void)!weir_loop_checkpoint(loop);
    note("never");
}

static void hear_and_make_checkpoints(void)
{
    for (int i = 0; i < 2; i++) {
        failing[i] = (struct ear){.listener.run = make_checkpoint};
        expect_status(weir_abort_listen(signal_, &failing[i].listener), 0);
    }
    expect_status(weir_loop_microtask(loop, fail_call, NULL), 0);
    drop(catch_note(then_call(resolved(), fail_handler, NULL), "rejected"));
    expect_status(weir_abort_raise(signal_, 1), 0);
    note("goes on");
    expect_status(weir_loop_checkpoint(loop), 0);
    note("and on");
}

/* What raises in the checkpoint that a listener makes leaves that listener. */
CASE(abort_listener_that_makes_a_checkpoint_is_left_by_what_raises_there)
{
    loop_make(LOOP_OPTIONS(.on_uncaught = on_uncaught_microtask,
                           .microtask_budget = 3));
    begin();
    inside(hear_and_make_checkpoints);
    expect_recorded("uncaught goes on rejected and on");
    expect_int(failing[1].calls, 1);
    end();
    loop_end();
}
