/* SPDX-License-Identifier: MIT */
/*
 * weir -- runs a program of test/js on a clock that stands still while
 * JavaScript runs, and goes to the next timer when the loop sleeps: weir FILE
 *
 * So what a program of timers prints does not depend on how busy the machine
 * is, and an hour takes no time.  pass(ms) is work that takes so long.
 * tools/run-js uses it for the files that ask for it.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "weir.h"
#include "weir/js.h"

enum { LOOK_NS = 20000 };

static weir_loop *loop;
static weir_gate running; /* the clock's thread looks at the loop */

static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "%s: %s\n", what, weir_error_text(err));
    exit(1);
}

/* On the loop's thread, which had nothing else to do. */
static void go_on(void *arg, int status)
{
    int64_t wait_ns = status == 0 ? weir_loop_timeout(arg) : 0;

    if (wait_ns > 0)
        must(weir_clock_advance(wait_ns), "advance");
}

static void *keep_time(void *arg)
{
    static const struct timespec while_ns = {.tv_nsec = LOOK_NS};

    while (weir_gate_enter(&running) == 0) {
        if (weir_loop_state(arg) == WEIR_LOOP_SLEEPING)
            (void)!weir_loop_submit(arg, go_on, arg); /* it may have ended */
        weir_gate_exit(&running);
        nanosleep(&while_ns, NULL);
    }
    return NULL;
}

/* Signals are not for it. */
static void start_clock(pthread_t *clock)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    must(-pthread_create(clock, NULL, keep_time, loop), "thread");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
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
    pthread_t clock;
    weir_js *js;
    int code;

    must(weir_clock_freeze(weir_clock_now()), "freeze");
    must(weir_loop_new(&loop, NULL), "loop");
    must(weir_js_new(&js, loop, NULL), "host");
    must(weir_js_define(js, NULL, "pass", pass, NULL), "pass");
    must(weir_gate_init(&running, NULL, NULL, NULL), "gate");
    must(weir_gate_start(&running), "gate");
    start_clock(&clock);
    must(weir_js_run(js, &program, &code), "run");
    must(weir_gate_drain(&running), "gate");
    pthread_join(clock, NULL);
    must(weir_js_free(js), "free");
    must(weir_loop_shutdown(loop, -1), "shutdown");
    must(weir_loop_free(loop), "free");
    return code;
}
