/* SPDX-License-Identifier: MIT */
/*
 * repl -- code that a user types: whether it is complete, its value, and Ctrl-C
 * while it runs.
 *
 * Ctrl-C is a key while the user types, and SIGINT while code runs.  The signal
 * handler sets a flag and makes a descriptor readable.  A busy engine stops at
 * its next interrupt check, with an error that the code cannot catch; the user
 * sees an ordinary one.  If the code waits for a promise, the loop sees the
 * descriptor.
 *
 * Tested by  test/api/repl.py
 */
#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/builtin.h"
#include "core/error.h"
#include "core/interrupt.h"

enum { PARSE, RUN };

/* There is one terminal.  The descriptor is never closed, so that a late
 * handler cannot write to an unrelated file. */
static volatile sig_atomic_t has_signal, wake_fd = -1;
static bool was_stopped; /* loop only: the engine has seen it */

static void on_signal(int number)
{
    uint64_t one = 1;
    int err = errno; /* of the code that was interrupted */

    has_signal = 1;
    (void)!write(wake_fd, &one, sizeof(one));
    errno = err;
}

static bool is_interrupted(void)
{
    if (has_signal == 0)
        return false;
    has_signal = 0;
    was_stopped = true;
    return true;
}

/* takeSignal(): whether an unreported Ctrl-C has come */
static JSValue take_signal(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    bool has_come = has_signal != 0 || was_stopped;
    uint64_t count;

    has_signal = 0;
    was_stopped = false;
    (void)!read(wake_fd, &count, sizeof(count));
    return JS_NewBool(context, has_come);
}

/* Replace the uncatchable error, which was meant for the code only. */
static JSValue make_ordinary(JSContext *context)
{
    if (!was_stopped || weir__js_is_terminated(weir__js_of(context)))
        return JS_EXCEPTION;
    was_stopped = false;
    weir__js_of(context)->was_interrupted = false;
    JS_FreeValue(context, JS_GetException(context));
    return JS_ThrowPlainError(context, "Script execution was interrupted by "
                                       "`SIGINT`");
}

/* parse(text, name, isAsync): undefined, or throws a SyntaxError.
 * run(text, name, isAsync): its last value; if async, a promise of an object
 * with that as its `value`.  Declarations go to the global scope either way. */
static JSValue evaluate(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv, int what)
{
    size_t length;
    const char *source = JS_ToCStringLen(context, &length, argv[0]);
    const char *name = JS_ToCString(context, argv[1]);
    int flags = JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_BACKTRACE_BARRIER;
    JSValue value = JS_EXCEPTION;

    if (JS_ToBool(context, argv[2]) == 1)
        flags |= JS_EVAL_FLAG_ASYNC;
    if (what == PARSE)
        flags |= JS_EVAL_FLAG_COMPILE_ONLY;
    if (source != NULL && name != NULL)
        value = JS_Eval(context, source, length, name, flags);
    if (JS_IsException(value))
        value = make_ordinary(context);
    JS_FreeCString(context, name);
    JS_FreeCString(context, source);
    if (what == RUN || JS_IsException(value))
        return value;
    JS_FreeValue(context, value);
    return JS_UNDEFINED;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("takeSignal", 0, take_signal),
    JS_CFUNC_MAGIC_DEF("parse", 3, evaluate, PARSE),
    JS_CFUNC_MAGIC_DEF("run", 3, evaluate, RUN),
};

static int catch_interrupts(JSContext *context, JSValueConst native)
{
    struct sigaction action = {.sa_handler = on_signal};

    if (wake_fd < 0)
        wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (wake_fd < 0) {
        weir__js_throw_status(context, -errno);
        return -1;
    }
    weir__js_of(context)->on.interrupted = is_interrupted;
    sigaction(SIGINT, &action, NULL);
    return JS_SetPropertyStr(context, native, "wakeFd",
                             JS_NewInt32(context, wake_fd));
}

const struct weir__js_builtin weir__js_repl_builtin = {
    WEIR__JS_LIBS("program/repl"),
    WEIR__JS_NATIVES(natives),
    .add = catch_interrupts,
};
