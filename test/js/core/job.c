/* SPDX-License-Identifier: MIT */
/*
 * job -- promise jobs in the loop's checkpoint: order and budget.
 */
#include <stdlib.h>
#include <string.h>

#include "js/support/js_fixture.h"
#include "support/suite.h"
#include "weir/memory.h"
#include "weir/timer.h"

CASE(job_runs_after_the_script_in_order)
{
    js_make(NULL);
    js_run("Promise.resolve().then(() => log('a')).then(() => log('c'));"
           "queueMicrotask(() => log('b')); log('script')");
    expect_recorded("script a b c");
    js_end();
}

CASE(job_of_a_script_outside_the_loop_waits_for_the_run)
{
    js_make(NULL);
    js_eval("Promise.resolve().then(() => log('a'))");
    expect_recorded("");
    loop_run();
    expect_recorded("a");
    js_end();
}

CASE(job_of_a_script_outside_the_loop_waits_for_each_run)
{
    js_make(NULL);
    js_eval("Promise.resolve().then(() => log('a'))");
    loop_run();
    js_eval("Promise.resolve().then(() => log('b'))");
    loop_run();
    expect_recorded("a b");
    js_end();
}

static int tick(weir_js *host, void *arg, const weir_js_value *args,
                size_t count, weir_js_value *result)
{
    return weir_loop_next_tick(weir_js_loop(host), record, arg);
}

static int microtask(weir_js *host, void *arg, const weir_js_value *args,
                     size_t count, weir_js_value *result)
{
    return weir_loop_microtask(weir_js_loop(host), record, arg);
}

CASE(job_comes_after_the_ticks_and_before_the_next_callback)
{
    js_make(NULL);
    expect_status(weir_js_define(js, NULL, "tick", tick, "tick"), 0);
    js_run("Promise.resolve().then(() => { log('a'); tick() })"
           "    .then(() => log('b')); tick()");
    expect_recorded("tick a b tick");
    js_end();
}

CASE(job_takes_turns_with_microtasks_of_c)
{
    js_make(NULL);
    expect_status(weir_js_define(js, NULL, "micro", microtask, "c"), 0);
    js_run("queueMicrotask(() => { log('a'); micro() });"
           "queueMicrotask(() => log('b')); queueMicrotask(() => log('d'))");
    expect_recorded("a c b d");
    js_end();
}

CASE(job_that_throws_is_reported_and_the_others_run)
{
    js_make(NULL);
    js_run("queueMicrotask(() => { throw new Error('one') });"
           "queueMicrotask(() => log('two'))");
    expect_recorded("uncaught Error: one two");
    js_end();
}

CASE(queue_microtask_of_no_function_throws)
{
    js_make(NULL);
    expect_status(js_try("queueMicrotask()"), WEIR_ETHROWN);
    expect_status(js_try("queueMicrotask({})"), WEIR_ETHROWN);
    js_end();
}

static unsigned breaches;

static void on_breach(void *arg, weir_loop *told)
{
    breaches++;
}

static void on_timer(void *arg, int status)
{
    expect_status(status, 0);
    note("timer");
    js_eval("stop = true");
}

/* The jobs are real; only the budget is small. */
CASE(job_chain_without_end_lets_a_timer_through)
{
    js_make_on(NULL,
               LOOP_OPTIONS(.microtask_budget = 100, .on_breach = on_breach));
    js_eval("let stop = false;"
            "function next() { if (!stop) Promise.resolve().then(next) }"
            "next()");
    expect_status(weir_timer_start(loop, NULL, 10 * MILLISECOND_NS,
                                   WEIR_TIMER_ONCE, on_timer, NULL),
                  0);
    loop_run();
    expect_recorded("timer");
    expect_int(breaches, 1);
    js_end();
}

CASE(await_in_a_loop_is_one_job_each)
{
    js_make_on(NULL, LOOP_OPTIONS(.microtask_budget = WEIR_LOOP_NO_BUDGET));
    js_run("(async () => { for (let i = 0; i < 100000; i++) await i;"
           "  log('done') })()");
    expect_recorded("done");
    js_end();
}

/* ---- no memory for microtasks ---- */

static bool has_run_out;

static void *alloc_unless_out(void *arg, size_t size, size_t align)
{
    return has_run_out
               ? NULL
               : aligned_alloc(align, (size + align - 1) / align * align);
}

static void free_plain(void *arg, void *memory, size_t size)
{
    free(memory);
}

static void make_that_runs_out(const char *source)
{
    expect_status(weir_set_allocator(&(weir_allocator){
                      .alloc = alloc_unless_out, .free = free_plain}),
                  0);
    js_make(NULL);
    js_eval(source);
    has_run_out = true;
}

/* One turn each, and none without progress. */
CASE(job_runs_without_memory_for_a_microtask)
{
    make_that_runs_out("Promise.resolve().then(() => log('a'))"
                       "    .then(() => log('b')).then(() => log('c'))");
    loop_turns(4);
    expect_recorded("a b c");
    loop_run();
    has_run_out = false;
    js_end();
}

CASE(rejection_is_reported_without_memory_for_a_microtask)
{
    make_that_runs_out("Promise.reject('no'); Promise.reject('handled')"
                       "    .catch(() => log('caught'))");
    loop_turns(3);
    expect_recorded("caught rejected no");
    loop_run();
    has_run_out = false;
    js_end();
}

CASE(job_of_a_terminated_host_is_dropped_without_memory)
{
    make_that_runs_out("Promise.resolve().then(() => terminate());"
                       "Promise.resolve().then(() => log('never'))");
    js_define_terminate();
    loop_turns(3);
    expect_recorded("");
    expect_int(weir_loop_report(loop, NULL, 0, sizeof(weir_holder)), 0);
    has_run_out = false;
    js_end();
}
