/* SPDX-License-Identifier: MIT */
/*
 * host -- hosts are made, refused and ended, in every order with the loop.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "js/support/failing_malloc.h"
#include "js/support/js_fixture.h"
#include "support/crew.h"
#include "support/failing_allocator.h"
#include "support/failing_syscalls.h"
#include "support/suite.h"

CASE(host_evaluates_and_ends)
{
    js_make(NULL);
    js_eval("log('hello')");
    expect_recorded("hello");
    expect(weir_js_loop(js) == loop);
    expect(weir_js_context(js) != NULL);
    js_end();
}

CASE(host_without_an_error_has_an_empty_one)
{
    js_make(NULL);
    expect_string(weir_js_last_error(js)->text, "");
    expect_string(weir_js_last_error(js)->stack, "");
    expect(weir_js_last_error(js)->file == NULL);
    js_end();
}

CASE(host_free_of_null_is_nothing)
{
    expect_status(weir_js_free(NULL), 0);
}

/* covers: weir_js_new -EINVAL */
CASE(host_of_nothing_is_refused)
{
    loop_make(NULL);
    expect_status(weir_js_new(NULL, loop, NULL), -EINVAL);
    expect_status(weir_js_new(&js, NULL, NULL), -EINVAL);
    expect_status(weir_js_new(&js, loop, &(weir_js_options){.size = 1}),
                  -EINVAL);
    expect_status(weir_js_new(&js, loop, JS_OPTIONS(.time_limit_ns = -1)),
                  -EINVAL);
    loop_end();
}

/* Structs of a program that was compiled with a later version of weir. */
struct newer_options {
    weir_js_options known;
    uint64_t unknown;
};

struct newer_program {
    weir_js_program known;
    uint64_t unknown;
};

/* covers: weir_js_new -E2BIG
 * covers: weir_js_run -E2BIG */
CASE(host_refuses_an_option_that_it_does_not_know)
{
    struct newer_options options = {.known.size = sizeof(options),
                                    .unknown = 1};
    struct newer_program program = {.known = {.size = sizeof(program),
                                              .kind = WEIR_JS_PROGRAM_EVAL,
                                              .text = "log('ran')"},
                                    .unknown = 1};
    int code = 99;

    loop_make(NULL);
    expect_status(weir_js_new(&js, loop, &options.known), -E2BIG);
    options.unknown = 0;
    expect_status(weir_js_new(&js, loop, &options.known), 0);
    expect_status(weir_js_run(js, &program.known, &code), -E2BIG);
    expect_int(code, 99);
    expect_status(weir_js_free(js), 0);
    loop_end();
}

/* covers: weir_js_new -ENOMEM */
CASE(host_in_too_little_memory_is_refused)
{
    loop_make(NULL);
    expect_status(weir_js_new(&js, loop, JS_OPTIONS(.memory_limit_bytes = 999)),
                  -ENOMEM);
    expect_status(
        weir_js_new(&js, loop, JS_OPTIONS(.memory_limit_bytes = 20000)),
        -ENOMEM);
    loop_end();
}

/* covers: weir_js_new WEIR_ECLOSED */
CASE(host_on_a_terminated_loop_is_refused)
{
    loop_make(NULL);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(weir_js_new(&js, loop, NULL), WEIR_ECLOSED);
    expect_status(weir_loop_free(loop), 0);
}

/* Everything of the host, from a thread that does not run its loop.
 * covers: weir_js_new -EPERM
 * covers: weir_js_free -EPERM
 * covers: weir_js_eval -EPERM
 * covers: weir_js_call -EPERM
 * covers: weir_js_get -EPERM
 * covers: weir_js_set -EPERM
 * covers: weir_js_keep -EPERM
 * covers: weir_js_set_time_limit -EPERM */
CASE(host_is_not_touched_from_another_thread)
{
    struct runner runner;
    weir_js_value function, result;
    weir_js *other;

    js_make(NULL);
    function = js_function("log");
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    expect_status(weir_js_new(&other, loop, NULL), -EPERM);
    expect_status(weir_js_free(js), -EPERM);
    expect_status(js_try("1"), -EPERM);
    expect_status(weir_js_call(js, &function, NULL, 0, NULL), -EPERM);
    expect_status(weir_js_get(js, NULL, "log", &result), -EPERM);
    expect_status(weir_js_set(js, NULL, "x", &function), -EPERM);
    expect_status(weir_js_keep(js, &function, &result), -EPERM);
    expect_status(weir_js_set_time_limit(js, 1), -EPERM);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(runner_join(&runner), 0);
    expect_status(weir_js_free(js), 0);
    expect_status(weir_loop_free(loop), 0);
}

static int free_host(weir_js *host, void *arg, const weir_js_value *args,
                     size_t count, weir_js_value *result)
{
    expect_status(weir_js_free(host), WEIR_EREENTRANT);
    note("refused");
    return 0;
}

/* covers: weir_js_free WEIR_EREENTRANT */
CASE(host_free_inside_javascript_is_refused)
{
    js_make(NULL);
    expect_status(weir_js_define(js, NULL, "free", free_host, NULL), 0);
    js_eval("free()");
    expect_recorded("refused");
    js_end();
}

static void free_in_callback(void *arg, int status)
{
    expect_status(status, 0);
    js_eval("Promise.resolve().then(() => log('never'));"
            "Promise.reject(1)");
    expect_status(weir_js_free(js), 0);
    note("freed");
}

CASE(host_freed_in_a_callback_leaves_its_jobs_unrun)
{
    js_make(NULL);
    expect_status(weir_loop_submit(loop, free_in_callback, NULL), 0);
    loop_run();
    expect_recorded("freed");
    loop_end();
}

CASE(host_outlives_its_loop_s_end)
{
    js_make(NULL);
    js_eval("Promise.resolve().then(() => log('never'))");
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("");
    js_eval("log('still here')");
    expect_recorded("still here");
    expect_status(weir_js_free(js), 0);
    expect_status(weir_loop_free(loop), 0);
}

CASE(host_frees_what_nobody_released)
{
    weir_js_value value;

    js_make(NULL);
    expect_status(weir_js_get(js, NULL, "Object", &value), 0);
    expect_status(
        weir_js_eval(js, "'text'", 6, "t.js", WEIR_JS_SOURCE_SCRIPT, &value),
        0);
    expect_string(value.text, "text");
    js_end();
}

CASE(host_frees_cycles)
{
    js_make(NULL);
    js_eval("globalThis.a = {f() { return a }}; a.a = a;"
            "globalThis.p = new Promise(() => {}); p.p = p; p.then(() => p);"
            "(async () => { await p; })();"
            "globalThis.w = new WeakRef(a);"
            "new FinalizationRegistry(() => {}).register(a, 1)");
    js_end();
}

CASE(hosts_on_one_loop_do_not_see_each_other)
{
    weir_js *other;
    weir_js_value value;

    js_make(NULL);
    expect_status(weir_js_new(&other, loop, NULL), 0);
    js_eval("globalThis.secret = 1");
    expect_status(weir_js_get(other, NULL, "secret", &value), 0);
    expect_int(value.type, WEIR_JS_TYPE_UNDEFINED);
    expect_status(weir_js_free(other), 0);
    js_end();
}

static void run_loop(struct crew *crew, unsigned id)
{
    loop_run();
}

CASE(host_runs_on_whichever_thread_runs_the_loop)
{
    struct crew crew;

    js_make(NULL);
    js_eval("Promise.resolve().then(() => {"
            "  function deep(n) { return n && 1 + deep(n - 1) }"
            "  log(String(deep(50)))"
            "})");
    crew_start(&crew, 1, run_loop, NULL);
    crew_join(&crew);
    expect_recorded("50");
    js_end();
}

/* Each allocation fails, with all after it, until none does.  Where the engine
 * takes every block from malloc (AddressSanitizer) there are thousands: then
 * one in STRIDE, which hits others in each kind of build. */
CASE_WITHIN(host_new_without_memory_leaves_nothing, 300)
{
    enum { EACH = 200, STRIDE = 17 };
    unsigned nth = 0;
    bool has_failed;
    int err;

    loop_make(NULL);
    do {
        nth += nth < EACH ? 1 : STRIDE;
        failing_malloc_arm(nth);
        err = weir_js_new(&js, loop, NULL);
        has_failed = failing_malloc_disarm();
        if (err != 0)
            expect_status(err, -ENOMEM);
        else /* some blocks are for speed alone */
            expect_status(weir_js_free(js), 0);
    } while (has_failed);
    expect_status(err, 0);
    expect(nth > 50);
    loop_end();
}

static void *free_elsewhere(void *arg)
{
    expect_status(weir_js_free(js), -EPERM);
    return NULL;
}

static const char *step_until_noted(void)
{
    const char *words;

    do
        expect_status(weir_loop_step(loop, SECOND_NS), 0);
    while ((words = take_record())[0] == '\0');
    return words;
}

CASE(host_on_a_loop_that_is_stepped_is_that_thread_s)
{
    pthread_t thread;
    weir_js_value value;

    js_make(NULL);
    js_eval("process.on('SIGUSR2', () => {})"); /* a descriptor */
    loop_turns(3);
    js_eval("Promise.resolve('job').then(log); var it = 'kept';"
            "setTimeout(() => log('timer'))");
    expect_recorded("");
    expect_status(weir_js_get(js, NULL, "it", &value), 0);
    expect_string(value.text, "kept");
    weir_js_release(js, &value);
    expect_status(weir_loop_step(loop, 0), 0);
    expect_recorded("job");
    expect_string(step_until_noted(), "timer");
    expect_int(pthread_create(&thread, NULL, free_elsewhere, NULL), 0);
    expect_int(pthread_join(thread, NULL), 0);
    js_eval("setInterval(() => log('never'), 1); Promise.reject(1)");
    expect_status(weir_js_free(js), 0);
    loop_turns(3);
    expect_recorded("");
    loop_end();
}

CASE(host_that_exits_leaves_the_loop_to_others)
{
    const char *source = "setTimeout(() => process.exit(1))";
    weir_js *other;

    js_make(NULL);
    expect_status(weir_js_new(&other, loop, NULL), 0);
    expect_status(weir_js_eval(other, source, strlen(source), "other.js",
                               WEIR_JS_SOURCE_SCRIPT, NULL),
                  0);
    loop_run();
    expect_status(weir_js_eval(other, source, strlen(source), "other.js",
                               WEIR_JS_SOURCE_SCRIPT, NULL),
                  WEIR_ECANCELED);
    js_eval("setTimeout(() => log('later'))");
    loop_run();
    expect_recorded("later");
    expect_status(weir_js_free(other), 0);
    js_end();
}

/* ---- programs ---- */

static const weir_js_program eval_log = {.size = sizeof(eval_log),
                                         .kind = WEIR_JS_PROGRAM_EVAL,
                                         .text = "log('ran')"};

/* covers: weir_js_run -EINVAL */
CASE(run_runs_one_program_once)
{
    weir_js_program wrong = eval_log;
    int code = 99;

    js_make(NULL);
    expect_status(weir_js_run(NULL, &eval_log, &code), -EINVAL);
    expect_status(weir_js_run(js, NULL, &code), -EINVAL);
    expect_status(weir_js_run(js, &eval_log, NULL), -EINVAL);
    wrong.kind = (weir_js_program_kind)9;
    expect_status(weir_js_run(js, &wrong, &code), -EINVAL);
    wrong = eval_log;
    wrong.size = 1;
    expect_status(weir_js_run(js, &wrong, &code), -EINVAL);
    wrong = eval_log;
    wrong.argc = 1;
    expect_status(weir_js_run(js, &wrong, &code), -EINVAL);
    wrong = eval_log;
    wrong.exec_argc = 1;
    expect_status(weir_js_run(js, &wrong, &code), -EINVAL);
    expect_status(weir_js_run(js, &eval_log, &code), 0);
    expect_int(code, 0);
    expect_recorded("ran");
    expect_status(weir_js_run(js, &eval_log, &code), -EINVAL);
    js_end();
}

/* covers: weir_js_run WEIR_ECLOSED */
CASE(run_on_a_loop_that_has_ended_is_refused)
{
    int code;

    js_make(NULL);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(weir_js_run(js, &eval_log, &code), WEIR_ECLOSED);
    expect_status(weir_js_free(js), 0);
    expect_status(weir_loop_free(loop), 0);
}

static void run_inside(void *arg, int status)
{
    int code;

    expect_status(status, 0);
    expect_status(weir_js_run(js, &eval_log, &code), WEIR_EREENTRANT);
    note("refused");
}

/* covers: weir_js_run WEIR_EREENTRANT */
CASE(run_inside_a_callback_is_refused)
{
    js_make(NULL);
    expect_status(weir_loop_submit(loop, run_inside, NULL), 0);
    loop_run();
    expect_recorded("refused");
    js_end();
}

/* covers: weir_js_run -EPERM */
CASE(run_on_another_thread_than_the_loop_s_is_refused)
{
    struct runner runner;
    int code;

    js_make(NULL);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    expect_status(weir_js_run(js, &eval_log, &code), -EPERM);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(runner_join(&runner), 0);
    expect_status(weir_js_free(js), 0);
    expect_status(weir_loop_free(loop), 0);
}

/* covers: weir_js_run -ENOMEM */
CASE(run_without_memory_is_refused)
{
    struct failing_allocator memory;
    int code;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    js_make(NULL);
    memory.fail_at = memory.calls + 1;
    expect_status(weir_js_run(js, &eval_log, &code), -ENOMEM);
    js_end();
}

static void fail_wait(uint32_t nth)
{
    failing_syscalls_set(CALL_EPOLL_WAIT, nth, 1, EBADF);
    failing_syscalls_set(CALL_EPOLL_PWAIT2, nth, 1, EBADF);
}

CASE(run_whose_poller_fails_leaves_nothing_behind)
{
    static const weir_js_program program = {
        .size = sizeof(program),
        .kind = WEIR_JS_PROGRAM_EVAL,
        .text = "process.on('beforeExit', () => log('before')); log('run')"};
    int err = -EBADF, code = 0;

    for (uint32_t nth = 1; err != 0; nth++) {
        js_make_on(NULL, LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS));
        fail_wait(nth);
        err = weir_js_run(js, &program, &code);
        fail_wait(0);
        expect(err == 0 || err == -EBADF);
        expect(nth > 1 || err == -EBADF);
        take_record();
        loop_run(); /* what it had queued */
        expect_recorded("");
        js_end();
    }
}

CASE(run_reads_its_arguments_no_more_when_it_has_returned)
{
    const char **argv = calloc(1, sizeof(*argv));
    weir_js_program program = {.size = sizeof(program),
                               .kind = WEIR_JS_PROGRAM_EVAL,
                               .text = "1",
                               .argc = 1,
                               .argv = argv};
    int code = 0;

    expect(argv != NULL);
    argv[0] = "x";
    js_make(NULL);
    expect_status(weir_js_run(js, &program, &code), 0);
    free(argv);
    js_eval("log(String(process.argv.length))");
    expect_recorded("1");
    js_end();
}

CASE(run_ends_with_the_code_of_exit_and_its_loop_with_it)
{
    const weir_js_program program = {
        .size = sizeof(program),
        .kind = WEIR_JS_PROGRAM_EVAL,
        .text = "process.on('exit', c => log('exit ' + c));"
                "setTimeout(() => log('never'), 1);"
                "process.nextTick(() => process.exit(300))"};
    int code;

    js_make(NULL);
    expect_status(weir_js_run(js, &program, &code), 0);
    expect_int(code, 300 & 0xff);
    expect_recorded("exit 300");
    expect_int(weir_loop_state(loop), WEIR_LOOP_TERMINATED);
    expect_status(weir_js_free(js), 0);
    expect_status(weir_loop_free(loop), 0);
}

CASE(host_freed_with_timers_leaves_nothing)
{
    js_make(NULL);
    js_eval("setTimeout(() => log('never'), 1); setInterval(() => 1, 1);"
            "setImmediate(() => log('never'));"
            "globalThis.t = setTimeout(() => t, 1e6);"
            "process.nextTick(() => log('never'))");
    expect_status(weir_js_free(js), 0);
    loop_run();
    expect_recorded("");
    loop_end();
}

CASE(host_of_a_closed_loop_leaves_no_timers)
{
    js_make(NULL);
    js_eval("setTimeout(() => log('never'), 1); setInterval(() => 1, 1);"
            "setImmediate(() => log('never'));"
            "process.nextTick(() => log('never'))");
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("");
    expect_status(weir_js_free(js), 0);
    expect_status(weir_loop_free(loop), 0);
}
