/* SPDX-License-Identifier: MIT */
/*
 * child -- the processes that run test files (js/lib/test/child.js).
 *
 * Data      A block for each child, in a list of its host, until its exit was
 *           reported.  JavaScript knows it by its number.
 * Owner     The process calls on_child_exit exactly once, and that frees the block.
 * Thread    The loop's.
 *
 * A child gets no stdin.  What it writes to stdout and stderr arrives on two
 * handles (net/handle.h).  It leads a process group, which is killed with it:
 * so no process that a test has started survives the runner.
 *
 * Tested by  test/api/runner.py
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "core/builtin.h"
#include "core/context.h"
#include "core/entry.h"
#include "core/error.h"
#include "net/handle.h"
#include "weir/process.h"

struct child {
    struct weir__js_link link; /* in children.all */
    weir_js *js;
    weir_process *process;
    uint32_t id;
    bool is_closed;   /* by the end of the host */
    JSValue callback; /* (code, signal) */
    JSValue context;  /* captured */
};

struct children {
    struct weir__js_link all; /* child.link */
    uint32_t last_id;
};

static struct children *children_of(const weir_js *js)
{
    return js->states[WEIR__JS_CHILD];
}

static void drop_values(struct child *child)
{
    JSContext *context = child->js->context;

    JS_FreeValue(context, child->callback);
    JS_FreeValue(context, child->context);
    child->callback = child->context = JS_UNDEFINED;
}

/* ---- the end of a child ---- */

static void tell(struct child *child, const weir_process_result *exit)
{
    weir_js *js = child->js;
    JSContext *context = js->context;
    JSValueConst args[] = {JS_NewInt32(context, exit->code),
                           JS_NewInt32(context, exit->signal)};
    JSValue result;

    if (weir__js_enter(js) != 0)
        return;
    result = weir__js_context_call(js, child->context, child->callback,
                                   JS_UNDEFINED, 2, args);
    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(context, result);
    weir__js_net_leave(js);
}

static void on_child_exit(void *arg, weir_process *process, int status,
                          const weir_process_result *result)
{
    struct child *child = arg;
    weir_js *js = child->js;

    if (!js->has_ended) {
        if (status == 0 || status == -ECHILD)
            tell(child, result);
        if (!js->has_ended) {
            weir__js_list_remove(&child->link);
            drop_values(child);
        }
    }
    if (!child->is_closed)
        weir_process_close(process);
    free(child);
    weir__js_let_go(js);
}

/* ---- the start ---- */

/* An array of strings, up to NULL, or NULL with an exception. */
static const char **read_texts(JSContext *context, JSValueConst list)
{
    int64_t length;
    const char **texts;

    if (JS_GetLength(context, list, &length) < 0)
        return NULL;
    texts = js_mallocz(context, ((size_t)length + 1) * sizeof(*texts));
    for (int64_t i = 0; texts != NULL && i < length; i++) {
        JSValue text = JS_GetPropertyInt64(context, list, i);

        texts[i] = JS_ToCString(context, text);
        JS_FreeValue(context, text);
        if (texts[i] != NULL)
            continue;
        while (i-- > 0)
            JS_FreeCString(context, texts[i]);
        js_free(context, texts);
        return NULL;
    }
    return texts;
}

static void free_texts(JSContext *context, const char **texts)
{
    for (const char **text = texts; text != NULL && *text != NULL; text++)
        JS_FreeCString(context, *text);
    js_free(context, texts);
}

static struct child *new_child(weir_js *js, JSValueConst callback)
{
    struct child *child = calloc(1, sizeof(*child));

    if (child == NULL)
        return NULL;
    child->js = js;
    child->id = ++children_of(js)->last_id;
    child->callback = JS_DupValue(js->context, callback);
    child->context = weir__js_context_capture(js);
    weir__js_list_add(&children_of(js)->all, &child->link);
    return child;
}

static int start(struct child *child, const char **arguments,
                 const char **environment)
{
    weir_stdio table[] = {
        {.kind = WEIR_STDIO_NULL},
        {.kind = WEIR_STDIO_PIPE_OUT},
        {.kind = WEIR_STDIO_PIPE_OUT},
    };
    weir_process_options options = {.size = sizeof(options),
                                    .name = "test file",
                                    .file = arguments[0],
                                    .arguments = arguments,
                                    .environment = environment,
                                    .stdio = table,
                                    .stdio_count = 3,
                                    .is_group = true,
                                    .on_exit = on_child_exit,
                                    .arg = child};

    return weir_process_spawn(&child->process, child->js->loop, &options);
}

/* One end of a pipe as a handle, or an exception. */
static JSValue open_pipe(weir_js *js, struct child *child, size_t index)
{
    weir_stream *stream;
    JSValue handle;
    int err = weir_process_open_stream(child->process, index, &stream, NULL);

    if (err != 0)
        return weir__js_throw_status(js->context, err);
    handle = weir__js_stream_handle(js->context, stream);
    if (JS_IsException(handle))
        weir_stream_close(stream, NULL, NULL);
    return handle;
}

/* [number, pid, stdout, stderr], or an exception, after which the child's end
 * is not told. */
static JSValue describe(weir_js *js, struct child *child)
{
    JSContext *context = js->context;
    JSValue parts[] = {
        JS_NewUint32(context, child->id),
        JS_NewInt32(context, weir_process_number(child->process)),
        open_pipe(js, child, 1), JS_UNDEFINED};

    if (!JS_IsException(parts[2]))
        parts[3] = open_pipe(js, child, 2);
    if (!JS_IsException(parts[2]) && !JS_IsException(parts[3]))
        return JS_NewArrayFrom(context, 4, parts);
    JS_FreeValue(context, parts[2]);
    JS_FreeValue(context, parts[3]);
    JS_FreeValue(context, child->callback);
    child->callback = JS_UNDEFINED;
    (void)!weir_process_kill_group(child->process, SIGKILL);
    return JS_EXCEPTION;
}

/* spawn(arguments, environment, callback): [number, pid, stdout, stderr], or
 * -errno.  The first argument is the program. */
static JSValue spawn(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    const char **arguments = read_texts(context, argv[0]);
    const char **environment =
        arguments != NULL ? read_texts(context, argv[1]) : NULL;
    struct child *child = NULL;
    int err = 0;

    if (environment != NULL && weir__js_hold(js)) {
        child = new_child(js, argv[2]);
        err = child == NULL ? -ENOMEM : start(child, arguments, environment);
        if (err != 0)
            weir__js_let_go(js);
    }
    free_texts(context, arguments);
    free_texts(context, environment);
    if (environment == NULL)
        return JS_EXCEPTION;
    if (child != NULL && err == 0)
        return describe(js, child);
    if (child != NULL) {
        weir__js_list_remove(&child->link);
        drop_values(child);
        free(child);
    }
    return JS_NewInt32(context, err != 0 ? err : WEIR_ECLOSED);
}

/* kill(number, signal): to the whole group */
static JSValue kill_child(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct children *children = children_of(weir__js_of(context));
    uint32_t id;
    int32_t number;

    if (JS_ToUint32(context, &id, argv[0]) < 0 ||
        JS_ToInt32(context, &number, argv[1]) < 0)
        return JS_EXCEPTION;
    for (struct weir__js_link *at = children->all.next; at != &children->all;
         at = at->next) {
        struct child *child = (struct child *)at;

        if (child->id == id)
            return JS_NewInt32(context,
                               weir_process_kill_group(child->process, number));
    }
    return JS_NewInt32(context, -ESRCH);
}

/* ---- the host ---- */

static int init_children(weir_js *js)
{
    weir__js_list_init(&children_of(js)->all);
    return 0;
}

/* The children are killed.  on_child_exit comes later, with nothing left to call. */
static void drop_children(weir_js *js)
{
    struct children *children = children_of(js);

    while (!weir__js_list_is_empty(&children->all)) {
        struct child *child = (struct child *)children->all.next;

        weir__js_list_remove(&child->link);
        drop_values(child);
        child->is_closed = true;
        (void)!weir_process_kill_group(child->process, SIGKILL);
        weir_process_close(child->process);
    }
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("spawn", 3, spawn),
    JS_CFUNC_DEF("kill", 2, kill_child),
};

const struct weir__js_builtin weir__js_child_builtin = {
    WEIR__JS_LIBS("test/child"),
    WEIR__JS_NATIVES(natives),
    .state_bytes = sizeof(struct children),
    .init = init_children,
    .drop = drop_children,
};
