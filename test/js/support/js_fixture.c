/* SPDX-License-Identifier: MIT */
#include "js_fixture.h"

#include <stdio.h>
#include <string.h>

weir_js *js;

static int log_word(weir_js *host, void *arg, const weir_js_value *args,
                    size_t count, weir_js_value *result)
{
    if (count != 1 || args[0].type != WEIR_JS_TYPE_STRING)
        return weir_js_throw(host, WEIR_JS_THROW_TYPE_ERROR, "log a string");
    note(args[0].text);
    return 0;
}

static void on_uncaught(void *arg, weir_js *host, const weir_js_error *error)
{
    char words[256];

    expect(host == js);
    expect(weir_loop_is_owner(loop));
    snprintf(words, sizeof(words), "%s %s",
             error->kind == WEIR_JS_FAILURE_REJECTED ? "rejected" : "uncaught",
             error->text);
    note(words);
}

void js_make_on(const weir_js_options *options, const weir_loop_options *of)
{
    weir_js_options mine = {.size = sizeof(mine)};

    if (options != NULL)
        mine = *options;
    if (mine.on_uncaught == NULL)
        mine.on_uncaught = on_uncaught;
    loop_make(of);
    expect_status(weir_js_new(&js, loop, &mine), 0);
    expect_status(weir_js_define(js, NULL, "log", log_word, NULL), 0);
}

void js_make(const weir_js_options *options)
{
    js_make_on(options, NULL);
}

void js_end(void)
{
    expect_status(weir_js_free(js), 0);
    js = NULL;
    loop_end();
}

int js_try(const char *source)
{
    return weir_js_eval(js, source, strlen(source), "test.js",
                        WEIR_JS_SOURCE_SCRIPT, NULL);
}

void js_eval(const char *source)
{
    int err = js_try(source);

    if (err != 0)
        fprintf(stderr, "%s\n%s", weir_js_last_error(js)->text,
                weir_js_last_error(js)->stack);
    expect_status(err, 0);
}

static void eval_in_callback(void *source, int status)
{
    expect_status(status, 0);
    js_eval(source);
}

void js_run(const char *source)
{
    expect_status(weir_loop_submit(loop, eval_in_callback, (void *)source), 0);
    loop_run();
}

weir_js_value js_function(const char *name)
{
    weir_js_value function;

    expect_status(weir_js_get(js, NULL, name, &function), 0);
    expect_int(function.type, WEIR_JS_TYPE_FUNCTION);
    return function;
}

static int terminate(weir_js *host, void *arg, const weir_js_value *args,
                     size_t count, weir_js_value *result)
{
    weir_js_terminate(host);
    return 0;
}

void js_define_terminate(void)
{
    expect_status(weir_js_define(js, NULL, "terminate", terminate, NULL), 0);
}
