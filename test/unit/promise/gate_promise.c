/* SPDX-License-Identifier: MIT */
/*
 * gate_promise -- a promise for the end of a gate.
 */
#include <string.h>

#include "support/crew.h"
#include "support/failing_fixture.h"
#include "support/promise_fixture.h"
#include "weir/gate.h"

static weir_gate gate;
static weir_promise *ended;

static bool is_elsewhere; /* the record is the loop's thread's */

static void on_closed(void *arg)
{
    if (!is_elsewhere)
        note(arg);
}

static void open_gate(void)
{
    expect_status(weir_gate_init(&gate, on_closed, (void *)"on_closed", NULL),
                  0);
    expect_status(weir_gate_start(&gate), 0);
    expect_status(weir_gate_enter(&gate), 0);
}

static void listen(void)
{
    expect_status(weir_gate_closed(&gate, loop, &ended), 0);
    drop(then_note(keep(ended), "closed"));
}

static void leave(void)
{
    expect_status(weir_gate_drain(&gate), 0);
    expect_int(weir_promise_state(ended), WEIR_PROMISE_PENDING);
    weir_gate_exit(&gate);
    expect_int(weir_promise_state(ended), WEIR_PROMISE_FULFILLED);
    drop(ended);
}

CASE(gate_promise_is_fulfilled_by_the_last_exit_on_the_loop)
{
    begin();
    loop_make(NULL);
    open_gate();
    inside(listen);
    inside(leave);
    expect_recorded("on_closed closed");
    end();
}

static void leave_elsewhere(struct crew *crew, unsigned id)
{
    leave();
    weir_loop_unref(loop);
}

CASE(gate_promise_is_fulfilled_by_the_last_exit_of_another_thread)
{
    struct crew crew;

    is_elsewhere = true;
    loop_make(NULL);
    open_gate();
    inside(listen);
    weir_loop_ref(loop);
    crew_start(&crew, 1, leave_elsewhere, NULL);
    loop_run();
    crew_join(&crew);
    expect(strstr(take_record(), "closed") != NULL);
    loop_end();
}

CASE(gate_promise_of_a_closed_gate_is_fulfilled)
{
    loop_make(NULL);
    open_gate();
    weir_gate_exit(&gate);
    expect_status(weir_gate_drain(&gate), 0);
    expect_status(weir_gate_closed(&gate, loop, &ended), 0);
    expect_int(weir_promise_state(ended), WEIR_PROMISE_FULFILLED);
    drop(ended);
    loop_end();
}

/* Two gates, two promises of one of them. */
CASE(gate_promise_is_told_of_its_own_gate_only)
{
    weir_gate other;
    weir_promise *first, *second, *of_other;

    loop_make(NULL);
    open_gate();
    expect_status(weir_gate_init(&other, NULL, NULL, NULL), 0);
    expect_status(weir_gate_start(&other), 0);
    expect_status(weir_gate_closed(&gate, loop, &first), 0);
    expect_status(weir_gate_closed(&other, loop, &of_other), 0);
    expect_status(weir_gate_closed(&gate, loop, &second), 0);
    expect_status(weir_gate_drain(&gate), 0);
    weir_gate_exit(&gate);
    expect_int(weir_promise_state(first), WEIR_PROMISE_FULFILLED);
    expect_int(weir_promise_state(second), WEIR_PROMISE_FULFILLED);
    expect_int(weir_promise_state(of_other), WEIR_PROMISE_PENDING);
    expect_status(weir_gate_drain(&other), 0);
    expect_int(weir_promise_state(of_other), WEIR_PROMISE_FULFILLED);
    drop(first);
    drop(second);
    drop(of_other);
    loop_end();
}

/* The loop goes first: its promise is rejected, and the gate closes later. */
CASE(gate_promise_is_rejected_by_the_end_of_its_loop)
{
    begin();
    loop_make(NULL);
    open_gate();
    expect_status(weir_gate_closed(&gate, loop, &ended), 0);
    loop_end();
    expect_int(weir_promise_value(ended)->code, WEIR_ECANCELED);
    drop(ended);
    expect_status(weir_gate_drain(&gate), 0);
    weir_gate_exit(&gate);
    expect_no_leak();
}

/* covers: weir_gate_closed -EINVAL
 * covers: weir_gate_closed -ENOMEM
 * covers: weir_gate_closed WEIR_ECLOSED */
CASE(gate_promise_fails_clean)
{
    begin();
    loop_make(NULL);
    open_gate();
    expect_status(weir_gate_closed(NULL, loop, &ended), -EINVAL);
    expect_status(weir_gate_closed(&gate, NULL, &ended), -EINVAL);
    expect_status(weir_gate_closed(&gate, loop, NULL), -EINVAL);
    for (unsigned n = 1; n <= 2; n++) {
        memory.fail_at = memory.calls + n;
        expect_status(weir_gate_closed(&gate, loop, &ended), -ENOMEM);
    }
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(weir_gate_closed(&gate, loop, &ended), WEIR_ECLOSED);
    expect_status(weir_gate_drain(&gate), 0);
    weir_gate_exit(&gate);
    expect_status(weir_loop_free(loop), 0);
    expect_no_leak();
}
