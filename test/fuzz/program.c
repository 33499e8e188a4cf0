/* SPDX-License-Identifier: MIT */
/*
 * program -- random programs, each on its own host: none crashes, hangs or
 * leaks.  For libFuzzer; test/fuzz/run runs it.
 *
 * The first byte says how it is run; the others are the program (grammar.h).
 * The host has limits of time, memory and stack, and what goes on for too long
 * is terminated: these paths are tried as well.  In debug builds the engine
 * itself aborts if a value is left when a host ends.
 *
 * WEIR_FUZZ_SHOW=1 prints the programs instead of running them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grammar.h"
#include "weir.h"
#include "weir/js.h"

#define MS INT64_C(1000000)

enum { MODE_PROGRAM, MODE_SCRIPT, MODE_MODULE, MODE_COUNT };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* Its effects would be felt outside of the process, or end it. */
static const char prelude[] =
    "if (globalThis.process)"
    "    process.kill = process.abort = process.chdir = undefined;"
    "var a = 0, b = [], c = {}, d = () => {};\n";

static void must(int err)
{
    if (err == 0)
        return;
    fprintf(stderr, "program: %s\n", weir_error_text(err));
    abort();
}

static void ignore(void *arg, weir_js *js, const weir_js_error *error)
{
}

/* It has had its time. */
static void stop(void *js, int status)
{
    if (status != 0)
        return;
    weir_js_terminate(js);
    (void)!weir_loop_shutdown(weir_js_loop(js), -1);
}

static void run_as_program(weir_loop *loop, weir_js *js, const char *source)
{
    weir_js_program program = {
        .size = sizeof(program), .kind = WEIR_JS_PROGRAM_EVAL, .text = source};
    int code;

    (void)!weir_js_run(js, &program, &code); /* the loop may be shut down */
}

static void evaluate(weir_loop *loop, weir_js *js, const char *source,
                     weir_js_source kind)
{
    (void)!weir_js_eval(js, source, strlen(source), "fuzz.js", kind, NULL);
    (void)!weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE);
}

static void run(const char *source, unsigned mode)
{
    weir_js_options options = {.size = sizeof(options),
                               .memory_limit_bytes = 64 << 20,
                               .stack_size_bytes = 256 << 10,
                               .time_limit_ns = 50 * MS,
                               .on_uncaught = ignore};
    weir_timer deadline;
    weir_loop *loop;
    weir_js *js;

    must(weir_loop_new(&loop, NULL));
    must(weir_js_new(&js, loop, &options));
    must(
        weir_timer_start(loop, &deadline, 100 * MS, WEIR_TIMER_ONCE, stop, js));
    must(weir_timer_unref(loop, deadline));
    if (mode == MODE_PROGRAM)
        run_as_program(loop, js, source);
    else
        evaluate(loop, js, source,
                 mode == MODE_SCRIPT ? WEIR_JS_SOURCE_SCRIPT
                                     : WEIR_JS_SOURCE_MODULE);
    (void)!weir_timer_cancel(loop, deadline); /* it may have fired */
    must(weir_js_free(js));
    must(weir_loop_free(loop));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static char source[sizeof(prelude) + GRAMMAR_TEXT_MAX];

    if (count == 0)
        return 0;
    memcpy(source, prelude, sizeof(prelude));
    grammar_write(bytes + 1, count - 1, source + sizeof(prelude) - 1);
    if (getenv("WEIR_FUZZ_SHOW") != NULL) {
        puts(source);
        fflush(stdout);
    } else {
        run(source, bytes[0] % MODE_COUNT);
    }
    return 0;
}
