/* SPDX-License-Identifier: MIT */
/*
 * timer -- timers of JavaScript that the loop cannot be told to forget.
 *
 * While no thread runs the loop, its timers are cancelled by letters, and those
 * need memory.
 */
#include "js/support/js_fixture.h"
#include "support/failing_allocator.h"
#include "support/suite.h"
#include "weir/clock.h"

static struct failing_allocator memory;

static void begin(void)
{
    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    expect_status(weir_clock_freeze(SECOND_NS), 0);
    js_make(NULL);
    js_run("const timers = [];"
           "for (let i = 0; i < 1000; i++)"
           "    timers.push(setTimeout(() => log('never'), 1).unref())");
}

static void fail_next(void)
{
    memory.fail_at = memory.calls + 1;
}

static void expect_missed(void)
{
    expect(memory.calls >= memory.fail_at);
}

/* The loop calls what it still has. */
static void end(void)
{
    expect_status(weir_loop_free(loop), 0);
    expect_recorded("");
    expect_int(memory.live, 0);
}

CASE(timer_that_cannot_be_cancelled_does_not_call_when_its_host_has_ended)
{
    begin();
    fail_next();
    expect_status(weir_js_free(js), 0);
    expect_missed();
    end();
}

CASE(timer_that_cannot_be_cancelled_is_cleared_all_the_same)
{
    begin();
    fail_next();
    js_eval("timers.forEach(clearTimeout)");
    expect_missed();
    js_eval("setTimeout(() => log('last'), 1)");
    expect_status(weir_clock_advance(SECOND_NS), 0);
    loop_run();
    expect_recorded("last");
    expect_status(weir_js_free(js), 0);
    end();
}

CASE(timer_that_cannot_be_cancelled_cannot_be_refreshed)
{
    begin();
    fail_next();
    expect_int(js_try("timers.forEach(timer => timer.refresh())"),
               WEIR_ETHROWN);
    expect_missed();
    js_eval("timers.forEach(clearTimeout)");
    expect_status(weir_js_free(js), 0);
    end();
}
