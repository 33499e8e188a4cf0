/* SPDX-License-Identifier: MIT */
/*
 * limits -- JavaScript that takes too much: time, memory, stack.
 */
#include <errno.h>
#include <string.h>

#include "js/support/js_fixture.h"
#include "support/crew.h"
#include "support/suite.h"

static const char endless[] = "for (;;) try { for (;;); } catch { log('?') }"
                              "finally { log('never') }";

/* covers: weir_js_eval -ETIMEDOUT */
CASE(time_limit_ends_an_endless_loop_and_the_host_goes_on)
{
    js_make(JS_OPTIONS(.time_limit_ns = 100 * MILLISECOND_NS));
    expect_status(js_try(endless), -ETIMEDOUT);
    expect_int(weir_js_last_error(js)->kind, WEIR_JS_FAILURE_TIMED_OUT);
    expect_string(weir_js_last_error(js)->text,
                  "the time limit of 100 ms is over");
    expect_string(weir_js_last_error(js)->file, "test.js");
    js_eval("log('goes on')");
    expect_recorded("goes on");
    js_end();
}

/* covers: weir_js_call -ETIMEDOUT
 * covers: weir_js_get -ETIMEDOUT
 * covers: weir_js_set -ETIMEDOUT
 * covers: weir_js_set_time_limit -EINVAL */
CASE(time_limit_holds_for_every_way_in)
{
    weir_js_value function, object, result;

    js_make(NULL);
    expect_status(weir_js_set_time_limit(js, -1), -EINVAL);
    expect_status(weir_js_set_time_limit(NULL, 1), -EINVAL);
    expect_status(weir_js_set_time_limit(js, 100 * MILLISECOND_NS), 0);
    js_eval("function f() { for (;;); } var o = {get x() { for (;;); }}");
    function = js_function("f");
    expect_status(weir_js_call(js, &function, NULL, 0, NULL), -ETIMEDOUT);
    expect_status(weir_js_get(js, NULL, "o", &object), 0);
    expect_status(weir_js_get(js, &object, "x", &result), -ETIMEDOUT);
    js_eval("var p = new Proxy({}, {defineProperty() { for (;;); }})");
    expect_status(weir_js_get(js, NULL, "p", &object), 0);
    result = weir_js_number(1);
    expect_status(weir_js_set(js, &object, "x", &result), -ETIMEDOUT);
    js_run("Promise.resolve().then(f); queueMicrotask(() => log('b'))");
    expect_recorded("uncaught the time limit of 100 ms is over b");
    js_end();
}

CASE(time_limit_begins_anew_for_each_job)
{
    js_make(JS_OPTIONS(.time_limit_ns = 200 * MILLISECOND_NS));
    js_run("let end = Date.now() + 500;"
           "(function next() {"
           "  if (Date.now() < end) queueMicrotask(next); else log('done')"
           "})()");
    expect_recorded("done");
    js_end();
}

/* Nothing is called and nothing loops: only the compiler takes time. */
CASE(time_limit_ends_a_compilation)
{
    enum { LENGTH = 50000 };
    static char source[LENGTH];

    memset(source, ';', LENGTH);
    js_make(NULL);
    expect_status(weir_js_set_time_limit(js, 1), 0);
    expect_status(weir_js_eval(js, source, LENGTH, "test.js", 0, NULL),
                  -ETIMEDOUT);
    expect_status(weir_js_set_time_limit(js, 0), 0);
    js_eval("log('goes on')");
    expect_recorded("goes on");
    js_end();
}

static void terminate(struct crew *crew, unsigned id)
{
    weir_js_terminate(js);
}

/* covers: weir_js_eval WEIR_ECANCELED
 * covers: weir_js_call WEIR_ECANCELED
 * covers: weir_js_get WEIR_ECANCELED
 * covers: weir_js_set WEIR_ECANCELED */
CASE(terminate_ends_an_endless_loop_for_ever)
{
    struct crew crew;
    weir_js_value function, result;

    js_make(NULL);
    function = js_function("log");
    crew_start(&crew, 1, terminate, NULL);
    expect_status(js_try(endless), WEIR_ECANCELED);
    crew_join(&crew);
    expect_status(js_try("log('never')"), WEIR_ECANCELED);
    expect_status(weir_js_call(js, &function, NULL, 0, NULL), WEIR_ECANCELED);
    expect_status(weir_js_get(js, NULL, "log", &result), WEIR_ECANCELED);
    expect_status(weir_js_set(js, NULL, "log", &function), WEIR_ECANCELED);
    loop_run();
    expect_recorded("");
    js_end();
}

CASE(terminate_of_an_idle_host_is_the_last_error_of_each_call)
{
    js_make(NULL);
    expect_status(js_try("throw 'before'"), WEIR_ETHROWN);
    weir_js_terminate(js);
    expect_status(js_try("1"), WEIR_ECANCELED);
    expect(weir_js_last_error(js)->kind == WEIR_JS_FAILURE_TERMINATED);
    expect(strcmp(weir_js_last_error(js)->text, "terminated") == 0);
    expect(weir_js_last_error(js)->file == NULL);
    js_end();
}

CASE(terminate_leaves_queued_jobs_unrun)
{
    js_make(NULL);
    js_eval("Promise.resolve().then(() => log('never')); Promise.reject(1)");
    weir_js_terminate(js);
    loop_run();
    expect_recorded("");
    js_end();
}

CASE(terminate_inside_a_job_leaves_the_next_one_unrun)
{
    js_make(NULL);
    js_define_terminate();
    js_eval("Promise.resolve().then(terminate);"
            "Promise.resolve().then(() => log('never'));");
    loop_run();
    expect_recorded("");
    js_end();
}

CASE(memory_limit_is_an_error_and_the_host_goes_on)
{
    js_make(JS_OPTIONS(.memory_limit_bytes = 4 << 20));
    expect_status(
        js_try("{ let a = []; for (;;) a.push(new Array(1000).fill(1)) }"),
        WEIR_ETHROWN);
    expect(strstr(weir_js_last_error(js)->text, "out of memory") != NULL);
    expect_status(js_try("'x'.repeat(1e9)"), WEIR_ETHROWN);
    js_eval("log('goes on')");
    expect_recorded("goes on");
    js_end();
}

CASE(memory_limit_holds_while_a_host_is_made)
{
    enum { FROM = 192 * 1024, TO = 768 * 1024, STEP = 1531 };
    int made = 0, refused = 0;

    loop_make(NULL);
    for (size_t limit = FROM; limit < TO; limit += STEP) {
        weir_js *host;
        int status =
            weir_js_new(&host, loop, JS_OPTIONS(.memory_limit_bytes = limit));

        if (status == 0) {
            expect_status(weir_js_free(host), 0);
            made++;
        } else {
            expect_status(status, -ENOMEM);
            refused++;
        }
    }
    expect(made > 0 && refused > 0);
    loop_end();
}

CASE(stack_overflow_is_an_error_and_the_host_goes_on)
{
    js_make(JS_OPTIONS(.stack_size_bytes = 256 * 1024));
    js_eval("function f() { return f() + 1 }"
            "try { f() } catch (e) { log(e.name) }");
    expect_recorded("RangeError");
    expect_status(js_try("f()"), WEIR_ETHROWN);
    js_eval("log('goes on')");
    expect_recorded("goes on");
    js_end();
}

CASE(atomics_wait_is_refused_unless_allowed)
{
    static const char source[] =
        "log(Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1))";

    js_make(NULL);
    expect_status(js_try(source), WEIR_ETHROWN);
    expect(strstr(weir_js_last_error(js)->text, "TypeError") != NULL);
    js_end();
    js_make(JS_OPTIONS(.allow_blocking = true));
    js_eval(source);
    expect_recorded("timed-out");
    js_end();
}
