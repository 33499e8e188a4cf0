/* SPDX-License-Identifier: MIT */
/*
 * weir -- runs a program of test/js on a clock that stands still while
 * JavaScript runs, and goes to the next timer when the loop sleeps: weir FILE
 *
 * So what a program of timers prints does not depend on how busy the machine
 * is, and an hour takes no time.  pass(ms) is work that takes so long.
 * tools/run-js uses it for the files that ask for it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "weir.h"
#include "weir/host/virtual.h"
#include "weir/js.h"

static weir_loop *loop;

static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "%s: %s\n", what, weir_error_text(err));
    exit(1);
}

static int pass(weir_js *js, void *arg, const weir_js_value *args, size_t count,
                weir_js_value *result)
{
    if (count != 1 || args[0].type != WEIR_JS_TYPE_NUMBER)
        return weir_js_throw(js, WEIR_JS_THROW_TYPE_ERROR,
                             "how many milliseconds?");
    return weir_clock_advance((int64_t)(args[0].number * 1e6));
}

int main(int argc, char **argv)
{
    weir_js_program program = {.size = sizeof(program),
                               .text = argc == 2 ? argv[1] : NULL,
                               .argc = argc - 1,
                               .argv = (const char *const *)argv + 1};
    weir_js *js;
    int code;

    must(weir_virtual_begin(), "begin");
    must(weir_loop_new(&loop, NULL), "loop");
    must(weir_js_new(&js, loop, NULL), "host");
    must(weir_js_define(js, NULL, "pass", pass, NULL), "pass");
    must(weir_js_run(js, &program, &code), "run");
    weir_virtual_end();
    must(weir_js_free(js), "free");
    must(weir_loop_shutdown(loop, -1), "shutdown");
    must(weir_loop_free(loop), "free");
    return code;
}
