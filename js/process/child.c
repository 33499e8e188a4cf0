/* SPDX-License-Identifier: MIT */
/*
 * child -- child processes (js/lib/process/child.js).
 *
 * Data      A block for each child, behind a JavaScript object.  While the
 *           child runs, the block is in a list of its host and holds the
 *           callback.
 * Owner     The block is counted: the object holds it, and so does the process,
 *           until on_child_exit, which the process calls exactly once.
 * Thread    The loop's.
 *
 * The ends of pipes and sockets are handles (net/handle.h).  When the host ends,
 * a child of a test file's runner is killed with its process group, and every
 * other child lives on, as in Node.
 *
 * Tested by  test/js/process, test/api/runner.py
 */
#include "process/child.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "core/builtin.h"
#include "core/context.h"
#include "core/entry.h"
#include "core/error.h"
#include "core/permission.h"
#include "net/handle.h"

struct child {
    struct weir__js_link link; /* in children.all, while it runs */
    weir_js *js;
    weir_process *process; /* NULL: has exited */
    unsigned refs;         /* the object, and the process */
    bool is_closed;        /* by the end of the host */
    bool is_group;         /* killed with its group when the host ends */
    JSValue callback;      /* (code, signal) */
    JSValue context;       /* captured */
};

struct children {
    struct weir__js_link all; /* child.link */
};

static struct children *children_of(const weir_js *js)
{
    return js->states[WEIR__JS_CHILD];
}

static void unref(struct child *child)
{
    if (--child->refs == 0)
        free(child);
}

static void drop_values(struct child *child)
{
    JSContext *context = child->js->context;

    JS_FreeValue(context, child->callback);
    JS_FreeValue(context, child->context);
    child->callback = child->context = JS_UNDEFINED;
}

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    JSClassID id;
    struct child *child = JS_GetAnyOpaque(value, &id);

    if (child != NULL)
        unref(child);
}

/* ---- the end of a child ---- */

static void tell(struct child *child, int status,
                 const weir_process_result *exit)
{
    weir_js *js = child->js;
    JSContext *context = js->context;
    JSValueConst args[] = {JS_NewInt32(context, exit->code),
                           JS_NewInt32(context, exit->signal),
                           JS_NewInt32(context, status)};
    JSValue result;

    if (JS_IsUndefined(child->callback) || weir__js_enter(js) != 0)
        return; /* the start has failed (describe), or the host has */
    result = weir__js_context_call(js, child->context, child->callback,
                                   JS_UNDEFINED, 3, args);
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

    child->process = NULL;
    if (!js->has_ended) {
        if (status == 0 || status == -ECHILD)
            tell(child, status, result);
        if (!js->has_ended) {
            weir__js_list_remove(&child->link);
            drop_values(child);
        }
    }
    if (!child->is_closed)
        weir_process_close(process);
    unref(child);
    weir__js_let_go(js);
}

/* ---- the start ---- */

/* Replace lone surrogates, which are as long as what replaces them.  A text that
 * has any is a copy of the string. */
static void replace_surrogates(const char *text)
{
    unsigned char *at = (unsigned char *)(uintptr_t)text;

    while ((at = (unsigned char *)strchr((char *)at, 0xED)) != NULL) {
        if (at[1] >= 0xA0)
            memcpy(at, "\xEF\xBF\xBD", 3);
        at++;
    }
}

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
        if (texts[i] != NULL) {
            replace_surrogates(texts[i]);
            continue;
        }
        while (i-- > 0)
            JS_FreeCString(context, texts[i]);
        js_free(context, texts);
        return NULL;
    }
    return texts;
}

static void free_texts(JSContext *context, const char *const *texts)
{
    for (const char *const *text = texts; text != NULL && *text != NULL; text++)
        JS_FreeCString(context, *text);
    js_free(context, (void *)texts);
}

/* Read [kind, descriptor, kind, descriptor, ...].  Returns -1 with an
 * exception. */
static int read_stdio(JSContext *context, JSValueConst list,
                      weir_process_options *options)
{
    weir_stdio *table;
    int64_t length;

    if (JS_GetLength(context, list, &length) < 0)
        return -1;
    table = js_mallocz(context, ((size_t)length / 2 + 1) * sizeof(*table));
    if (table == NULL)
        return -1;
    options->stdio = table;
    options->stdio_count = (size_t)length / 2;
    for (int64_t i = 0; i < length / 2; i++) {
        JSValue kind = JS_GetPropertyInt64(context, list, 2 * i);
        JSValue fd = JS_GetPropertyInt64(context, list, 2 * i + 1);
        int32_t number;

        if (JS_ToInt32(context, &number, kind) < 0 ||
            JS_ToInt32(context, &table[i].fd, fd) < 0)
            return -1; /* numbers only: nothing to free */
        table[i].kind = (weir_stdio_kind)number;
    }
    return 0;
}

/* Read a number, unless it is undefined.  Returns -1 with an exception. */
static int read_id(JSContext *context, JSValueConst value, bool *has,
                   uint32_t *id)
{
    *has = !JS_IsUndefined(value);
    return *has ? JS_ToUint32(context, id, value) : 0;
}

int weir__js_child_read(JSContext *context, JSValueConst *argv,
                        weir_process_options *options)
{
    int32_t flags;

    *options =
        (weir_process_options){.size = sizeof(*options), .name = "child"};
    options->file = JS_ToCString(context, argv[0]);
    if (options->file != NULL)
        options->arguments = read_texts(context, argv[1]);
    if (options->arguments == NULL ||
        (!JS_IsUndefined(argv[2]) &&
         (options->environment = read_texts(context, argv[2])) == NULL) ||
        (!JS_IsUndefined(argv[3]) &&
         (options->directory = JS_ToCString(context, argv[3])) == NULL) ||
        read_stdio(context, argv[4], options) < 0 ||
        JS_ToInt32(context, &flags, argv[5]) < 0 ||
        read_id(context, argv[6], &options->has_user, &options->user) < 0 ||
        read_id(context, argv[7], &options->has_group, &options->group) < 0) {
        weir__js_child_release(context, options);
        return -1;
    }
    options->is_detached = (flags & WEIR__JS_CHILD_DETACHED) != 0;
    options->is_group = (flags & WEIR__JS_CHILD_GROUP) != 0;
    options->is_independent = !options->is_group;
    return 0;
}

void weir__js_child_release(JSContext *context,
                            const weir_process_options *options)
{
    JS_FreeCString(context, options->file);
    free_texts(context, options->arguments);
    free_texts(context, options->environment);
    JS_FreeCString(context, options->directory);
    js_free(context, (void *)options->stdio);
}

/* Make the object of a child, or return an exception. */
static JSValue new_child(weir_js *js, JSValueConst callback,
                         struct child **made)
{
    JSContext *context = js->context;
    JSValue object = JS_NewObjectClass(context, js->classes[WEIR__JS_CHILD]);
    struct child *child;

    if (JS_IsException(object))
        return object;
    child = calloc(1, sizeof(*child));
    if (child == NULL) {
        JS_FreeValue(context, object);
        return JS_ThrowOutOfMemory(context);
    }
    child->js = js;
    child->refs = 1;
    child->callback = JS_DupValue(context, callback);
    child->context = weir__js_context_capture(js);
    JS_SetOpaque(object, child);
    *made = child;
    return object;
}

/* Returns 0, or an error and releases what new_child took. */
static int start(struct child *child, weir_process_options *options)
{
    weir_js *js = child->js;
    int err = weir__js_hold(js) ? 0 : WEIR_ECLOSED;

    options->on_exit = on_child_exit;
    options->arg = child;
    child->is_group = options->is_group;
    if (err == 0) {
        err = weir_process_spawn(&child->process, js->loop, options);
        if (err != 0)
            weir__js_let_go(js);
    }
    if (err != 0) {
        drop_values(child);
        return err;
    }
    child->refs++;
    weir__js_list_add(&children_of(js)->all, &child->link);
    return 0;
}

/* The end of a pipe or socket as a handle; undefined if the entry is neither;
 * or an exception. */
static JSValue open_end(weir_js *js, struct child *child, size_t index)
{
    weir_stream *stream;
    JSValue handle;
    int err = weir_process_open_stream(child->process, index, &stream, NULL);

    if (err == -ENOENT)
        return JS_UNDEFINED;
    if (err != 0)
        return weir__js_throw_status(js->context, err);
    handle = weir__js_stream_handle(js->context, stream);
    if (JS_IsException(handle))
        weir_stream_close(stream, NULL, NULL);
    return handle;
}

/* [object, pid, end, end, ...], or an exception, after which the child is
 * killed and its end not reported.  Takes the object. */
static JSValue describe(weir_js *js, JSValue object, struct child *child,
                        size_t count)
{
    JSContext *context = js->context;
    JSValue list = JS_NewArray(context), end = JS_UNDEFINED;
    bool failed = JS_IsException(list);

    failed = failed ||
             JS_DefinePropertyValueUint32(context, list, 0,
                                          JS_DupValue(context, object),
                                          JS_PROP_C_W_E) < 0 ||
             JS_DefinePropertyValueUint32(
                 context, list, 1,
                 JS_NewInt32(context, weir_process_number(child->process)),
                 JS_PROP_C_W_E) < 0;
    for (size_t i = 0; !failed && i < count; i++) {
        end = open_end(js, child, i);
        failed = JS_IsException(end) ||
                 JS_DefinePropertyValueUint32(context, list, (uint32_t)i + 2,
                                              end, JS_PROP_C_W_E) < 0;
    }
    if (failed) {
        JS_FreeValue(context, list);
        JS_FreeValue(context, child->callback);
        child->callback = JS_UNDEFINED;
        (void)!weir_process_kill(child->process, SIGKILL);
        list = JS_EXCEPTION;
    }
    JS_FreeValue(context, object);
    return list;
}

/* spawn(what weir__js_child_read reads, callback): [object, pid, end, ...], or
 * -errno */
static JSValue spawn(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    weir_process_options options;
    struct child *child = NULL;
    size_t count;
    JSValue object;
    int err;

    if (!weir__js_check_may(context, WEIR__JS_MAY_SPAWN) ||
        weir__js_child_read(context, argv, &options) < 0)
        return JS_EXCEPTION;
    object = new_child(js, argv[WEIR__JS_CHILD_ARGUMENTS], &child);
    err = JS_IsException(object) ? 0 : start(child, &options);
    count = options.stdio_count;
    weir__js_child_release(context, &options);
    if (JS_IsException(object))
        return object;
    if (err == 0)
        return describe(js, object, child, count);
    JS_FreeValue(context, object);
    return JS_NewInt32(context, err);
}

/* ---- the object ---- */

static struct child *child_of(JSContext *context, JSValueConst value)
{
    struct child *child =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_CHILD);

    if (child == NULL)
        JS_ThrowTypeError(context, "not a child process");
    return child;
}

enum { ONE, GROUP };

/* kill(child, signal), killGroup(child, signal): 0 or -errno */
static JSValue kill_child(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv, int magic)
{
    struct child *child = child_of(context, argv[0]);
    int32_t number;

    if (child == NULL || JS_ToInt32(context, &number, argv[1]) < 0)
        return JS_EXCEPTION;
    if (child->process == NULL)
        return JS_NewInt32(context, -ESRCH);
    return JS_NewInt32(context,
                       magic == GROUP
                           ? weir_process_kill_group(child->process, number)
                           : weir_process_kill(child->process, number));
}

/* setRef(child, is ref) */
static JSValue set_ref(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct child *child = child_of(context, argv[0]);

    if (child == NULL)
        return JS_EXCEPTION;
    if (child->process != NULL)
        weir_process_set_ref(child->process, JS_ToBool(context, argv[1]));
    return JS_UNDEFINED;
}

/* ---- the host ---- */

static int init_children(weir_js *js)
{
    weir__js_list_init(&children_of(js)->all);
    return 0;
}

/* on_child_exit comes later, with nothing left to call. */
static void drop_children(weir_js *js)
{
    struct children *children = children_of(js);

    while (!weir__js_list_is_empty(&children->all)) {
        struct child *child = (struct child *)children->all.next;

        weir__js_list_remove(&child->link);
        drop_values(child);
        child->is_closed = true;
        if (child->is_group)
            (void)!weir_process_kill_group(child->process, SIGKILL);
        weir_process_close(child->process);
    }
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("spawn", WEIR__JS_CHILD_ARGUMENTS + 1, spawn),
    JS_CFUNC_MAGIC_DEF("kill", 2, kill_child, ONE),
    JS_CFUNC_MAGIC_DEF("killGroup", 2, kill_child, GROUP),
    JS_CFUNC_DEF("setRef", 2, set_ref),
};

static const JSClassDef class_definition = {"Process", .finalizer = finalize};

const struct weir__js_builtin weir__js_child_builtin = {
    WEIR__JS_LIBS("process/child"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &class_definition,
    .state_bytes = sizeof(struct children),
    .init = init_children,
    .drop = drop_children,
};
