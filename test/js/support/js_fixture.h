/* SPDX-License-Identifier: MIT */
/*
 * js_fixture -- a loop with a host on it.
 *
 *     js_make(NULL);                       or JS_OPTIONS(.time_limit_ns = 1)
 *     js_eval("log('a'); Promise.resolve().then(() => log('b'))");
 *     loop_run();
 *     expect_recorded("a b");
 *     js_end();
 *
 * log(text) notes its argument in the record.  Uncaught errors note their text
 * with "uncaught " before it, or "rejected ".
 */
#ifndef WEIR_TEST_JS_FIXTURE_H
#define WEIR_TEST_JS_FIXTURE_H

#include "support/loop_fixture.h"
#include "weir/js.h"

extern weir_js *js;

#define JS_OPTIONS(...)                                                        \
    (&(weir_js_options){.size = sizeof(weir_js_options), __VA_ARGS__})

/* on_uncaught is the fixture's, unless the options have one. */
void js_make(const weir_js_options *options);
void js_make_on(const weir_js_options *options, const weir_loop_options *of);

/* Frees the host, then the loop. */
void js_end(void);

/* A script "test.js"; js_try returns the status, js_eval expects 0. */
int js_try(const char *source);
void js_eval(const char *source);

/* The same, inside a callback of the loop; then runs until idle. */
void js_run(const char *source);

/* A global function, released by js_end. */
weir_js_value js_function(const char *name);

/* A global function terminate(), which ends its host. */
void js_define_terminate(void);

#endif /* WEIR_TEST_JS_FIXTURE_H */
