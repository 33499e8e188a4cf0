/* SPDX-License-Identifier: MIT */
/*
 * rejection -- reported once, when it is certain that nobody handles it.
 */
#include "js/support/failing_malloc.h"
#include "js/support/js_fixture.h"
#include "support/suite.h"

CASE(rejection_without_a_handler_is_reported)
{
    js_make(NULL);
    js_run("Promise.reject(new Error('lost')); log('script')");
    expect_recorded("script rejected Error: lost");
    js_end();
}

CASE(rejection_says_where_its_error_was_made)
{
    js_make(NULL);
    js_run("\n  Promise.reject(new Error('lost'))");
    expect_recorded("rejected Error: lost");
    expect_string(weir_js_last_error(js)->file, "test.js");
    expect_int(weir_js_last_error(js)->line, 2);
    js_end();
}

CASE(rejection_handled_in_the_same_checkpoint_is_not_reported)
{
    js_make(NULL);
    js_run("let p = Promise.reject(1); let n = 100;"
           "(function later() {"
           "  if (n-- > 0) Promise.resolve().then(later);"
           "  else p.catch(() => log('handled'))"
           "})()");
    expect_recorded("handled");
    js_end();
}

static void handle(void *arg, int status)
{
    expect_status(status, 0);
    js_eval("p.catch(() => log('handled'))");
}

static int handle_soon(weir_js *host, void *arg, const weir_js_value *args,
                       size_t count, weir_js_value *result)
{
    return weir_loop_next_tick(weir_js_loop(host), handle, NULL);
}

CASE(rejection_handled_by_a_tick_is_not_reported)
{
    js_make(NULL);
    expect_status(weir_js_define(js, NULL, "soon", handle_soon, NULL), 0);
    js_run("var p = Promise.reject(1); soon()");
    expect_recorded("handled");
    js_end();
}

CASE(rejection_is_reported_for_the_last_of_a_chain_only)
{
    js_make(NULL);
    js_run("Promise.reject('x').then(() => {}).then(() => {})");
    expect_recorded("rejected x");
    js_end();
}

CASE(rejections_are_reported_in_order_before_the_next_callback)
{
    js_make(NULL);
    expect_status(weir_loop_submit(loop, record, "before"), 0);
    js_run("Promise.reject('a'); Promise.reject('b');"
           "Promise.resolve().then(() => { throw 'c' })");
    expect_recorded("before rejected a rejected b rejected c");
    js_end();
}

CASE(rejection_outside_the_loop_waits_for_the_run)
{
    js_make(NULL);
    js_eval("Promise.reject('a')");
    expect_recorded("");
    loop_run();
    expect_recorded("rejected a");
    js_end();
}

/* Quadratic search would take minutes. */
CASE(rejections_by_the_thousand_are_handled_from_both_ends)
{
    js_make(NULL);
    js_run("let all = Array.from({length: 50000}, (_, i) => Promise.reject(i));"
           "for (const p of all) p.catch(() => {});"
           "all = Array.from({length: 50000}, (_, i) => Promise.reject(i));"
           "for (const p of all.reverse()) p.catch(() => {});"
           "all = Array.from({length: 9}, (_, i) => Promise.reject(i));"
           "for (const i of [4, 2, 8, 0, 6, 1, 7, 3, 5])"
           "  all[i].catch(() => {});"
           "log('done')");
    expect_recorded("done");
    js_end();
}

static void on_uncaught(void *arg, weir_js *host, const weir_js_error *error)
{
    note(error->text);
    expect_status(weir_js_free(host), WEIR_EREENTRANT);
    if (error->text[0] == 'a')
        js_eval("Promise.reject('b')");
}

CASE(rejection_in_a_report_is_reported)
{
    js_make(JS_OPTIONS(.on_uncaught = on_uncaught));
    js_run("Promise.reject('a')");
    expect_recorded("a b");
    js_end();
}

static int starve(weir_js *host, void *arg, const weir_js_value *args,
                  size_t count, weir_js_value *result)
{
    failing_malloc_arm(1);
    return 0;
}

static int feed(weir_js *host, void *arg, const weir_js_value *args,
                size_t count, weir_js_value *result)
{
    expect(failing_malloc_disarm());
    return 0;
}

static void make_starving(void)
{
    js_make(NULL);
    expect_status(weir_js_define(js, NULL, "starve", starve, NULL), 0);
    expect_status(weir_js_define(js, NULL, "feed", feed, NULL), 0);
    js_eval("var no, p = new Promise((_, f) => no = f)");
}

CASE(rejection_that_cannot_be_recorded_is_reported_all_the_same)
{
    make_starving();
    js_run("starve(); no(1); feed(); log('script')");
    expect_recorded("script rejected InternalError: out of memory");
    js_end();
}

CASE(rejection_that_cannot_be_recorded_may_be_handled_in_time)
{
    make_starving();
    js_run("starve(); no(1); feed(); p.catch((reason) => log('handled ' + "
           "reason))");
    expect_recorded("handled 1");
    js_end();
}
