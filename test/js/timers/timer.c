/* SPDX-License-Identifier: MIT */
/*
 * timer -- timers of JavaScript: what clearing them costs, and those that the
 * loop cannot be told to forget.
 */
#include <time.h>

#include "js/support/js_fixture.h"
#include "support/crew.h"
#include "support/failing_allocator.h"
#include "support/suite.h"
#include "weir/clock.h"
#include "weir/timer.h"

/* ---- the cost ---- */

/* Of this thread, in nanoseconds: others do not count. */
static int cpu(weir_js *host, void *arg, const weir_js_value *args,
               size_t count, weir_js_value *result)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    *result = weir_js_number((double)now.tv_sec * 1e9 + (double)now.tv_nsec);
    return 0;
}

/* 40,000 timers in quickjs-libc take 2.5 s.  Quadratic time
 * were 16 times as much for 4 times as many. */
CASE(timers_are_cleared_in_reverse_order_in_linear_time)
{
    js_make(NULL);
    expect_status(weir_js_define(js, NULL, "cpu", cpu, NULL), 0);
    js_run("function spend(count) {"
           "    const timers = Array.from({ length: count }, (_, i) =>"
           "        setTimeout(() => log('never'), 100000 + i % 100));"
           "    const begin = cpu();"
           "    for (const timer of timers.reverse()) clearTimeout(timer);"
           "    return cpu() - begin;"
           "}"
           "let few = Infinity, many = Infinity;"
           "for (let i = 0; i < 3; i++) {"
           "    few = Math.min(few, spend(10000));"
           "    many = Math.min(many, spend(40000));"
           "}"
           "log(many < 10 * few ? 'linear' : `${few} ns, then ${many} ns`)");
    expect_recorded("linear");
    js_end();
}

/* ---- without memory ---- */

/* While no thread runs the loop, and it is not its maker's alone, its timers
 * are cancelled by messages, and those need memory. */
static struct failing_allocator memory;

static void ignore(void *arg, int status)
{
}

static void start_elsewhere(struct crew *crew, unsigned id)
{
    weir_timer timer;

    expect_status(weir_timer_start(loop, &timer, 3600 * (int64_t)SECOND_NS,
                                   WEIR_TIMER_ONCE, ignore, NULL),
                  0);
    expect_status(weir_timer_unref(loop, timer), 0);
}

static void begin(void)
{
    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    expect_status(weir_clock_freeze(SECOND_NS), 0);
    js_make(NULL);
    crew_run(1, start_elsewhere, NULL);
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
