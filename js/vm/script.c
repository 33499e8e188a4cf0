/* SPDX-License-Identifier: MIT */
/*
 * script -- the code of node:vm: compiled once, run in any realm, within a
 * time.
 *
 * Data      A compiled script is the engine's bytecode, which belongs to the
 *           realm that compiled it: the program's own.  For other realms it is
 *           written out once, and read by each run there.  A run keeps its
 *           deadline on the C stack; the innermost one is the host's
 *           (core/interrupt.h), never later than those around it.
 * Threads   Those of the host: its loop.  SIGINT only sets a flag.
 *
 * Tested by  the programs of test/js/vm, test/js/vm/realm.c
 */
#include "vm/script.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "core/builtin.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/property.h"
#include "weir/host/thread.h"

struct script {
    JSValue code;
    uint8_t *bytes; /* the same for other realms; NULL until one needs it */
    size_t size;
};

static struct script *script_of(JSContext *context, JSValueConst value)
{
    return weir__js_opaque(weir__js_of(context), value, WEIR__JS_SCRIPT);
}

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    const weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct script *script = weir__js_opaque(js, value, WEIR__JS_SCRIPT);

    if (script == NULL)
        return;
    JS_FreeValueRT(runtime, script->code);
    js_free_rt(runtime, script->bytes);
    js_free_rt(runtime, script);
}

static void mark(JSRuntime *runtime, JSValueConst value, JS_MarkFunc *visit)
{
    const weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct script *script = weir__js_opaque(js, value, WEIR__JS_SCRIPT);

    if (script != NULL)
        JS_MarkValue(runtime, script->code, visit);
}

static const JSClassDef class_definition = {
    .class_name = "Script", .finalizer = finalize, .gc_mark = mark};

/* ---- compile ---- */

/* Compile (source, file, line, column), and run it unless the flags say
 * otherwise.  The column counts from 0, and spaces before the source stand for
 * it.  To the engine, line 0 means that none was given. */
static JSValue evaluate_source(JSContext *context, JSValueConst *argv,
                               int flags)
{
    JSEvalOptions options = {.version = JS_EVAL_OPTIONS_VERSION,
                             .eval_flags = JS_EVAL_TYPE_GLOBAL | flags};
    size_t length, before, lines;
    const char *source;
    JSValue value = JS_EXCEPTION;
    uint32_t column;
    int32_t line;
    char *text;

    if (JS_ToInt32(context, &line, argv[2]) < 0 ||
        JS_ToUint32(context, &column, argv[3]) < 0)
        return JS_EXCEPTION;
    source = JS_ToCStringLen(context, &length, argv[0]);
    options.filename = JS_ToCString(context, argv[1]);
    lines = line == 0;
    options.line_num = line == 0 ? -1 : line;
    before = lines + column;
    text = source != NULL && options.filename != NULL && before > 0
               ? js_malloc(context, before + length + 1)
               : NULL;
    if (text != NULL) {
        memset(text, '\n', lines);
        memset(text + lines, ' ', column);
        memcpy(text + before, source, length + 1);
    }
    if (source != NULL && options.filename != NULL &&
        (before == 0 || text != NULL))
        value = JS_Eval2(context, text != NULL ? text : source, before + length,
                         &options);
    js_free(context, text);
    JS_FreeCString(context, options.filename);
    JS_FreeCString(context, source);
    return value;
}

/* compile(source, file, line, column): a script */
static JSValue compile(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    const weir_js *js = weir__js_of(context);
    JSValue code = evaluate_source(context, argv, JS_EVAL_FLAG_COMPILE_ONLY);
    JSValue object =
        JS_IsException(code)
            ? JS_EXCEPTION
            : JS_NewObjectClass(context, js->classes[WEIR__JS_SCRIPT]);
    struct script *script =
        JS_IsException(object) ? NULL : js_mallocz(context, sizeof(*script));

    if (script == NULL) {
        JS_FreeValue(context, code);
        JS_FreeValue(context, object);
        return JS_EXCEPTION;
    }
    script->code = code;
    JS_SetOpaque(object, script);
    return object;
}

/* ---- run ---- */

static JSValue run_elsewhere(JSContext *context, struct script *script)
{
    JSValue code;

    if (script->bytes == NULL)
        script->bytes = JS_WriteObject(context, &script->size, script->code,
                                       JS_WRITE_OBJ_BYTECODE);
    if (script->bytes == NULL)
        return JS_EXCEPTION;
    code = JS_ReadObject(context, script->bytes, script->size,
                         JS_READ_OBJ_BYTECODE);
    return JS_IsException(code) ? code : JS_EvalFunction(context, code);
}

static JSValue evaluate(JSContext *context, JSValueConst *argv)
{
    struct script *script = script_of(context, argv[0]);

    if (script == NULL)
        return evaluate_source(context, argv, 0);
    if (context != weir__js_of(context)->context)
        return run_elsewhere(context, script);
    return JS_EvalFunction(context, JS_DupValue(context, script->code));
}

/* Whether the code did not end by itself. */
static bool has_ended(JSContext *context, JSValueConst value)
{
    JSValue error;
    bool is_ended;

    if (!JS_IsException(value))
        return false;
    error = JS_GetException(context);
    is_ended = JS_IsUncatchableError(error);
    JS_Throw(context, error);
    return is_ended;
}

/* Throw an error of the realm that code can catch. */
static JSValue throw_ended(JSContext *context, const char *code,
                           const char *message)
{
    JSValue error;

    JS_FreeValue(context, JS_GetException(context));
    error = JS_NewPlainError(context, "%s", message);
    if (JS_IsException(error) ||
        weir__js_set_property(context, error, "code",
                              JS_NewString(context, code)) < 0) {
        JS_FreeValue(context, error);
        return JS_EXCEPTION;
    }
    return JS_Throw(context, error);
}

/* Run for so many milliseconds, 0 means without a limit. */
static JSValue evaluate_in_time(JSContext *context, JSValueConst *argv,
                                int64_t limit_ms)
{
    weir_js *js = weir__js_of(context);
    struct weir__js_limit limit;
    char message[64];
    JSValue value;

    if (limit_ms == 0)
        return evaluate(context, argv);
    weir__js_limit_begin(js, &limit, limit_ms * 1000000);
    value = evaluate(context, argv);
    if (!weir__js_limit_end(js, &limit) || !has_ended(context, value))
        return value;
    snprintf(message, sizeof(message),
             "Script execution timed out after %" PRId64 "ms", limit_ms);
    return throw_ended(context, "ERR_SCRIPT_EXECUTION_TIMEOUT", message);
}

/* ---- Ctrl-C ---- */

static volatile sig_atomic_t has_signal;
static bool was_stopped; /* the main thread's: the engine has seen it */

static void on_signal(int number)
{
    has_signal = 1;
}

static bool is_interrupted(void)
{
    if (!has_signal)
        return false;
    has_signal = 0;
    was_stopped = true;
    return true;
}

/* Run until SIGINT, whose other handlers see none meanwhile: a program that
 * listens for it has blocked it (program/signal.c).  Only the main thread does
 * this, because there is one handler. */
static JSValue evaluate_until_signal(JSContext *context, JSValueConst *argv,
                                     int64_t limit_ms)
{
    weir_js *js = weir__js_of(context);
    bool (*before)(void) = js->on.interrupted;
    struct sigaction action = {.sa_handler = on_signal}, old;
    bool was_blocked;
    JSValue value;

    sigemptyset(&action.sa_mask);
    has_signal = 0;
    was_stopped = false;
    if (sigaction(SIGINT, &action, &old) != 0 ||
        weir_thread_block_signal(SIGINT, false, &was_blocked) != 0)
        return weir__js_throw_status(context, -errno);
    js->on.interrupted = is_interrupted;
    value = evaluate_in_time(context, argv, limit_ms);
    js->on.interrupted = before;
    (void)!weir_thread_block_signal(SIGINT, was_blocked, NULL);
    sigaction(SIGINT, &old, NULL);
    if (!was_stopped || weir__js_is_terminated(js) ||
        !has_ended(context, value))
        return value;
    was_stopped = js->was_interrupted = false;
    return throw_ended(context, "ERR_SCRIPT_EXECUTION_INTERRUPTED",
                       "Script execution was interrupted by `SIGINT`");
}

/* run(script or source, file, line, column, milliseconds, breaksOnSignal): its
 * last value */
static JSValue run(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv)
{
    int64_t limit_ms;

    if (JS_ToInt64(context, &limit_ms, argv[4]) < 0)
        return JS_EXCEPTION;
    return JS_ToBool(context, argv[5])
               ? evaluate_until_signal(context, argv, limit_ms)
               : evaluate_in_time(context, argv, limit_ms);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("compile", 4, compile),
    JS_CFUNC_DEF("run", 6, run),
};

int weir__js_script_add_run(JSContext *realm, JSValueConst object)
{
    return weir__js_set_property(realm, object, "run",
                                 JS_NewCFunction(realm, run, "run", 6));
}

const struct weir__js_builtin weir__js_script_builtin = {
    WEIR__JS_LIBS("vm/vm"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &class_definition,
};
