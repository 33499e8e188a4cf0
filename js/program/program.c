/* SPDX-License-Identifier: MIT */
/*
 * program -- from the first line to the exit code.
 *
 *     main, then turns of the loop until it is idle
 *     beforeExit; if that has queued something, again
 *     exit, and the code
 *
 * An uncaught error ends the program early with code 1, and process.exit ends
 * it with its own code.  If the top level of the main module waits forever, the
 * code is 13, as in Node.
 *
 * Tested by  test/api/program.sh, test/js/program/process-*.js
 */
#include "program/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/builtin.h"
#include "core/entry.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/job.h"
#include "core/lib.h"
#include "program/module.h"
#include "timers/clock.h"
#include "weir/host/recorder.h"
#include "weir/host/sized.h"
#include "weir/live.h"

static const char MAIN[] = "the main module";

enum { FAILED = 1, LISTENER_FAILED = 7, UNSETTLED = 13 };

void weir__js_stop(weir_js *js, int code)
{
    struct weir__js_program *own = weir__js_program(js);

    if (!own->has_exited) {
        own->has_exited = true;
        own->exit_code = code;
    }
    weir_js_terminate(js);
    if (js->is_program && weir_loop_is_owner(js->loop))
        (void)!weir_loop_shutdown(js->loop, -1); /* begins; we are inside */
}

/* What a listener throws replaces the first error. */
static bool heard(weir_js *js, JSValue result)
{
    bool is_true = JS_ToBool(js->context, result) == 1;

    if (JS_IsException(result)) {
        JSValue thrown = JS_GetException(js->context);

        if (js->heap.has_run_out) { /* no listener could be called */
            JS_FreeValue(js->context, thrown);
            return false;
        }
        if (!JS_IsUncatchableError(thrown)) {
            weir__js_program(js)->is_hopeless = true;
            JS_Throw(js->context, thrown);
            weir__js_report_last(js);
            return true;
        }
        JS_FreeValue(js->context, thrown);
        return true; /* it called process.exit */
    }
    JS_FreeValue(js->context, result);
    return is_true;
}

static bool on_uncaught(weir_js *js, JSValueConst thrown)
{
    return heard(js, weir__js_call_hook(js, WEIR__JS_HOOK_ON_UNCAUGHT, thrown));
}

static bool on_unhandled(weir_js *js, JSValueConst promise, JSValueConst reason,
                         uint32_t number)
{
    JSValueConst args[] = {promise, reason, JS_NewUint32(js->context, number)};
    JSValue result =
        weir__js_call_hook_with(js, WEIR__JS_HOOK_ON_UNHANDLED, 3, args);
    bool is_true = JS_ToBool(js->context, result) == 1;

    if (JS_IsException(result)) { /* an ordinary uncaught error */
        weir__js_report(js);
        return true;
    }
    JS_FreeValue(js->context, result);
    return is_true ||
           heard(js, weir__js_call_hook(js, WEIR__JS_HOOK_ON_REJECTED, reason));
}

static void on_handled(weir_js *js, JSValueConst promise)
{
    JSValue result = weir__js_call_hook(js, WEIR__JS_HOOK_ON_HANDLED, promise);

    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(js->context, result);
}

void weir__js_watch_process(weir_js *js)
{
    weir__js_program(js)->has_process = true;
    js->on.uncaught = on_uncaught;
    js->on.unhandled = on_unhandled;
    js->on.handled = on_handled;
}

/* Emit "exit" once for a failure; return the code, which listeners may
 * change. */
static int emit_failure(weir_js *js)
{
    struct weir__js_program *own = weir__js_program(js);
    JSValue failed = JS_NewInt32(js->context, FAILED), result;
    int code = FAILED;

    if (own->is_hopeless) /* for a worker, Node only says that it failed */
        return !js->is_child ? LISTENER_FAILED : FAILED;
    if (!own->has_process || weir__js_enter(js) != 0)
        return FAILED;
    result = weir__js_call_hook(js, WEIR__JS_HOOK_FAIL, failed);
    if (JS_IsException(result))
        JS_FreeValue(js->context, JS_GetException(js->context));
    else
        JS_ToInt32(js->context, &code, result);
    JS_FreeValue(js->context, result);
    weir__js_leave(js);
    return code;
}

/* Emit "exit" for an uncaught error before the error is reported, as Node
 * does.  Returns true if a listener ended the program. */
static bool on_failing(weir_js *js)
{
    struct weir__js_program *own = weir__js_program(js);

    if (own->has_exited)
        return false;
    emit_failure(js);
    return own->has_exited;
}

static void on_failed(weir_js *js)
{
    if (!weir__js_program(js)->has_exited)
        weir__js_stop(js, emit_failure(js));
}

/* Queue fn on the loop with the host, which fn lets go.  The loop can fail
 * before it has called fn, so fn may also be called after weir_js_run has
 * returned. */
static int give(weir_js *js, int (*how)(weir_loop *, weir_fn *, void *),
                weir_fn *fn)
{
    int err;

    if (!weir__js_hold(js))
        return WEIR_ECLOSED;
    err = how(js->loop, fn, js);
    if (err != 0)
        weir__js_let_go(js);
    return err;
}

/* Whether an option says what becomes of rejections that nobody handles. */
static bool has_mode(const struct weir__js_program *own)
{
    static const char option[] = "--unhandled-rejections";

    for (int i = 0; i < own->exec_argc; i++)
        if (strncmp(own->exec_argv[i], option, sizeof(option) - 1) == 0)
            return true;
    return false;
}

/* Load `process` first if it has to do something that the program does not ask
 * for.  In a program that was forked it opens the channel to the parent with a
 * socket of `net`, which is not possible while a module of the program loads
 * `net`.  Returns -1 with an exception. */
static int load_process(weir_js *js)
{
    bool is_wanted = !js->is_child && (getenv("NODE_CHANNEL_FD") != NULL ||
                                       has_mode(weir__js_program(js)));
    JSValue process = is_wanted
                          ? weir__js_require(js->context, "program/process")
                          : JS_UNDEFINED;

    if (JS_IsException(process))
        return -1;
    JS_FreeValue(js->context, process);
    return 0;
}

static void run_main(weir_js *js)
{
    struct weir__js_program *own = weir__js_program(js);
    static const char *const kinds[] = {"file", "eval", "print", "stdin",
                                        "repl", "test", "top",   "jobs"};
    const char *text = own->given->text;
    JSValue result = JS_EXCEPTION;

    if (load_process(js) == 0)
        result = weir__js_main(js, kinds[own->given->kind], text,
                               own->text_length > 0 ? own->text_length
                                                    : strlen(text));
    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(js->context, result);
}

static void start(void *arg, int status)
{
    weir_js *js = arg;

    if (status == 0 && weir__js_program(js)->given != NULL &&
        weir__js_enter(js) == 0) {
        weir__js_clock_reach(js, WEIR__JS_BOOTED);
        weir_live_set_subject(MAIN, sizeof(MAIN) - 1);
        weir_loop_set_callback_kind(js->loop, WEIR_KIND_MAIN);
        run_main(js);
        weir__js_clock_reach(js, WEIR__JS_LOOP_BEGAN);
        weir_loop_name_callback(js->loop, "main module");
        weir__js_leave(js);
        weir_live_set_subject("", 0);
    }
    weir__js_let_go(js);
}

/* Call a hook from outside the loop.  What it throws is reported. */
static int tell_process(weir_js *js, enum weir__js_hook hook, int *code)
{
    JSValue result;

    if (!weir__js_program(js)->has_process || weir__js_enter(js) != 0)
        return 0;
    result = weir__js_call_hook_with(js, hook, 0, NULL);
    if (JS_IsException(result))
        weir__js_report(js);
    else if (code != NULL)
        JS_ToInt32(js->context, code, result);
    JS_FreeValue(js->context, result);
    weir__js_leave(js);
    return 0;
}

static void on_before_exit(void *arg, int status)
{
    weir_js *js = arg;

    if (status == 0 && weir__js_program(js)->given != NULL)
        tell_process(js, WEIR__JS_HOOK_BEFORE_EXIT, NULL);
    weir__js_let_go(js);
}

/* The exit code if the top level of the main module waits forever; otherwise
 * 0. */
static int main_code(weir_js *js)
{
    JSPromiseStateEnum state = JS_PromiseState(js->context, js->main);

    return state == JS_PROMISE_PENDING ? UNSETTLED : 0;
}

/* (reason, hops) */
static JSValue fail(JSContext *context, int argc, JSValueConst *argv)
{
    JSValueConst next[] = {argv[0],
                           JS_NewInt32(context, JS_VALUE_GET_INT(argv[1]) - 1)};

    if (JS_VALUE_GET_INT(argv[1]) == 1)
        return JS_Throw(context, JS_DupValue(context, argv[0]));
    return JS_EnqueueJob(context, fail, 2, next) == 0 ? JS_UNDEFINED
                                                      : JS_EXCEPTION;
}

/* In Node the module, the job that runs it and its loader each await the one
 * before, so other jobs see three hops pass. */
static void on_main_failed(weir_js *js)
{
    JSValue reason = JS_PromiseResult(js->context, js->main);
    JSValueConst args[] = {reason, JS_NewInt32(js->context, 3)};

    JS_FreeValue(js->context, js->main);
    js->main = JS_UNDEFINED;
    if (JS_EnqueueJob(js->context, fail, 2, args) < 0)
        weir__js_report(js);
    JS_FreeValue(js->context, reason);
}

static int run_until_idle(weir_js *js)
{
    int err = weir_loop_run(js->loop, WEIR_RUN_UNTIL_IDLE);

    return weir__js_program(js)->has_exited && err == WEIR_ECLOSED ? 0 : err;
}

/* Runs behind beforeExit and the jobs and ticks that it caused. */
static void on_after(void *arg, int status)
{
    weir_js *js = arg;

    weir__js_program(js)->begun_by_exit = js->begun;
    weir__js_let_go(js);
}

/* beforeExit may queue more for the loop; then it is emitted again. */
static int run_to_the_end(weir_js *js)
{
    struct weir__js_program *own = weir__js_program(js);
    int err = run_until_idle(js);

    while (err == 0 && !own->has_exited && own->has_process) {
        err = give(js, weir_loop_submit, on_before_exit);
        if (err == 0)
            err = give(js, weir_loop_submit, on_after);
        if (err == 0)
            err = run_until_idle(js);
        if (js->begun == own->begun_by_exit)
            break; /* it queued nothing */
    }
    return err;
}

/* Return the exit code, after the loop became idle or ended. */
static int end(weir_js *js)
{
    struct weir__js_program *own = weir__js_program(js);
    int code;

    if (own->has_exited)
        return own->exit_code;
    weir__js_clock_reach(js, WEIR__JS_LOOP_ENDED);
    code = main_code(js);
    tell_process(js, code == 0 ? WEIR__JS_HOOK_EXIT : WEIR__JS_HOOK_UNSETTLED,
                 &code);
    weir__js_run_last_jobs(js);
    return own->has_exited ? own->exit_code : code;
}

/* A file is read, or other work is done on the pool. */
static bool is_busy(void *arg)
{
    const weir_js *js = arg;

    return !weir__js_list_is_empty(&js->works);
}

void weir__js_join_time(weir_js *js)
{
    weir_virtual_member *member = &weir__js_program(js)->member;

    *member =
        (weir_virtual_member){.loop = js->loop, .is_busy = is_busy, .arg = js};
    weir_virtual_join(member);
}

void weir__js_leave_time(weir_js *js)
{
    weir_virtual_leave(&weir__js_program(js)->member);
}

/* The program's texts are the caller's until weir_js_run returns. */
static void take(weir_js *js, const weir_js_program *program)
{
    struct weir__js_program *own = weir__js_program(js);

    js->is_program = true;
    js->on.main_failed = on_main_failed;
    js->on.failing = on_failing;
    js->on.failed = on_failed;
    own->given = program;
    own->argc = program->argc;
    own->argv = program->argv;
    own->exec_argc = program->exec_argc;
    own->exec_argv = program->exec_argv;
    if (!js->is_child)
        weir__js_join_time(js);
}

static void give_back(weir_js *js)
{
    struct weir__js_program *own = weir__js_program(js);

    if (!js->is_child)
        weir__js_leave_time(js);
    own->given = NULL;
    own->argc = own->exec_argc = 0;
}

int weir_js_run(weir_js *js, const weir_js_program *given, int *exit_code)
{
    weir_js_program program;
    int err = weir_sized_read(&program, sizeof(program), given);

    if (err != 0)
        return err;
    if (js == NULL || exit_code == NULL || program.text == NULL ||
        (unsigned)program.kind > WEIR_JS_PROGRAM_JOBS ||
        (program.argc > 0 && program.argv == NULL) ||
        (program.exec_argc > 0 && program.exec_argv == NULL) || js->is_program)
        return -EINVAL;
    if (!weir__js_is_here(js))
        return -EPERM;
    if (weir_loop_is_owner(js->loop))
        return WEIR_EREENTRANT;
    take(js, &program);
    /* Start at the end of a turn, so that the next one begins with the timers,
     * as Node's first turn does.  A worker receives what to run as a message,
     * so immediates come next there. */
    err = give(js, !js->is_child ? weir_loop_on_close_phase : weir_loop_submit,
               start);
    if (err == 0)
        err = run_to_the_end(js);
    if (err == 0) {
        *exit_code = end(js);
        if (!js->is_child)
            *exit_code &= 0xff; /* of a process; a worker's is any number */
    }
    give_back(js);
    return err;
}

const struct weir__js_builtin weir__js_program_builtin = {
    .state_bytes = sizeof(struct weir__js_program),
};
