/* SPDX-License-Identifier: MIT */
/*
 * handle -- see handle.h.
 *
 * Tested by  test/js/net/net-*.js, test/js/net/handle.c
 */
#include "net/handle.h"

#include <errno.h>
#include <stdlib.h>

#include "core/builtin.h"
#include "core/context.h"
#include "core/entry.h"
#include "core/error.h"
#include "weir/host/loop.h"

/* The handles of a host. */
struct handles {
    struct weir__js_link open; /* weir__js_handle.link */
    size_t open_count;         /* they hold the host's struct together */
    JSValue hooks[WEIR__HANDLE_HOOKS];
};

static struct handles *handles_of(const weir_js *js)
{
    return js->states[WEIR__JS_HANDLE];
}

void weir__js_handle_tell_news(struct weir__js_handle *handle)
{
    if (!handle->has_news)
        return;
    handle->has_news = false;
    (void)!weir_loop_checkpoint(handle->js->loop);
}

/* ---- references ---- */

static void drop_values(JSRuntime *runtime, struct weir__js_handle *handle)
{
    JS_FreeValueRT(runtime, handle->owner);
    JS_FreeValueRT(runtime, handle->closed);
    JS_FreeValueRT(runtime, handle->context);
    handle->owner = handle->closed = handle->context = JS_UNDEFINED;
}

void weir__js_handle_unref(struct weir__js_handle *handle)
{
    if (--handle->refs > 0)
        return;
    weir__js_handle_drop_received(handle);
    free(handle);
}

bool weir__js_handle_hold(struct weir__js_handle *handle, JSValueConst self)
{
    struct handles *handles = handles_of(handle->js);

    if (handles->open_count == 0 && !weir__js_hold(handle->js))
        return false;
    handles->open_count++;
    handle->refs++;
    if (handle->holds++ == 0) {
        handle->self = JS_DupValue(handle->js->context, self);
        weir__js_list_add(&handles->open, &handle->link);
    }
    return true;
}

/* Release the object, whose stream has ended. */
static void drop_self(struct weir__js_handle *handle)
{
    JSValue self = handle->self;

    if (JS_IsUndefined(self))
        return;
    handle->self = JS_UNDEFINED;
    weir__js_list_remove(&handle->link);
    JS_FreeValue(handle->js->context, self);
}

void weir__js_handle_let_go(struct weir__js_handle *handle)
{
    weir_js *js = handle->js;

    if (--handle->holds == 0 && !js->has_ended)
        drop_self(handle);
    weir__js_handle_unref(handle);
    if (--handles_of(js)->open_count == 0)
        weir__js_let_go(js);
}

void weir__js_handle_keep(struct weir__js_handle *handle)
{
    bool is_awaited =
        handle->is_reading || !weir__js_list_is_empty(&handle->requests);
    bool keeps = is_awaited && !handle->is_unref;

    if (handle->stream == NULL || keeps == handle->is_keeping)
        return;
    handle->is_keeping = keeps;
    weir_stream_set_ref(handle->stream, keeps);
}

/* ---- calls into JavaScript ---- */

static void call(weir_js *js, JSValueConst captured, JSValueConst given,
                 JSValueConst owner, int count, JSValueConst *args)
{
    JSContext *context = js->context;
    JSValue function = JS_DupValue(context, given);
    JSValue result =
        weir__js_context_call(js, captured, function, owner, count, args);

    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(context, result);
    JS_FreeValue(context, function);
}

void weir__js_handle_tell(struct weir__js_handle *handle,
                          enum weir__js_handle_hook hook, int count,
                          JSValueConst *args)
{
    weir_js *js = handle->js;
    JSValue owner = JS_DupValue(js->context, handle->owner);
    JSValue captured = JS_DupValue(js->context, handle->context);

    if (!JS_IsUndefined(owner))
        call(js, captured, handles_of(js)->hooks[hook], owner, count, args);
    JS_FreeValue(js->context, captured);
    JS_FreeValue(js->context, owner);
}

JSValueConst weir__js_handle_event(const weir_js *js)
{
    return handles_of(js)->hooks[WEIR__HANDLE_EVENT];
}

/* ---- requests ---- */

struct weir__js_handle_request *
weir__js_handle_request_new(struct weir__js_handle *handle,
                            JSValueConst callback)
{
    weir_js *js = handle->js;
    struct weir__js_handle_request *request = malloc(sizeof(*request));

    if (request == NULL) {
        JS_ThrowOutOfMemory(js->context);
        return NULL;
    }
    request->handle = handle;
    request->callback = JS_DupValue(js->context, callback);
    request->context = weir__js_context_capture(js);
    handle->refs++;
    weir__js_list_add(&handle->requests, &request->link);
    return request;
}

static void drop_request_values(struct weir__js_handle_request *request)
{
    JSContext *context = request->handle->js->context;

    JS_FreeValue(context, request->callback);
    JS_FreeValue(context, request->context);
    request->callback = request->context = JS_UNDEFINED;
}

void weir__js_handle_request_free(struct weir__js_handle_request *request)
{
    struct weir__js_handle *handle = request->handle;

    if (!handle->js->has_ended)
        drop_request_values(request);
    weir__js_list_remove(&request->link);
    free(request);
    weir__js_handle_keep(handle);
    weir__js_handle_unref(handle);
}

void weir__js_handle_request_end(struct weir__js_handle_request *request,
                                 enum weir__js_handle_hook hook, int status)
{
    struct weir__js_handle *handle = request->handle;
    weir_js *js = handle->js;
    JSValue args[2], owner, captured;

    if (weir__js_enter(js) != 0) {
        weir__js_handle_request_free(request);
        return;
    }
    args[0] = JS_NewInt32(js->context, weir__js_net_status(status));
    args[1] = JS_DupValue(js->context, request->callback);
    owner = JS_DupValue(js->context, handle->owner);
    captured = JS_DupValue(js->context, request->context);
    weir__js_handle_request_free(request);
    call(js, captured, handles_of(js)->hooks[hook], owner, 2,
         (JSValueConst *)args);
    for (int i = 0; i < 2; i++)
        JS_FreeValue(js->context, args[i]);
    JS_FreeValue(js->context, captured);
    JS_FreeValue(js->context, owner);
    weir__js_net_leave(js);
}

/* ---- the stream ---- */

/* In the close phase. */
static void tell_closed(void *arg, int status)
{
    struct weir__js_handle *handle = arg;
    weir_js *js = handle->js;
    JSValue function;

    if (status == 0 && weir__js_enter(js) == 0) {
        function = JS_DupValue(js->context, handle->closed);
        if (JS_IsFunction(js->context, function))
            call(js, handle->context, function, handle->self, 0, NULL);
        JS_FreeValue(js->context, function);
        weir__js_handle_let_go(handle); /* the entry holds the host's struct */
        weir__js_leave(js);
        return;
    }
    weir__js_handle_let_go(handle);
}

static void on_closed(void *arg, weir_stream *stream, int status)
{
    struct weir__js_handle *handle = arg;

    if (handle->js->has_ended ||
        weir_loop_on_close_phase(handle->js->loop, tell_closed, handle) != 0)
        tell_closed(handle, WEIR_ECANCELED);
}

/* The loop has ended; the library closes the stream. */
static void on_end(void *arg, weir_stream *stream)
{
    struct weir__js_handle *handle = arg;

    handle->stream = NULL;
    weir__js_handle_let_go(handle);
}

int weir__js_handle_attach(struct weir__js_handle *handle, JSValueConst self,
                           weir_stream *stream)
{
    if (!weir__js_handle_hold(handle, self))
        return WEIR_ECLOSED;
    handle->stream = stream;
    handle->is_keeping = true;
    weir_stream_stop(stream);
    weir_stream_set_on_end(stream, on_end, handle);
    weir__js_handle_keep(handle);
    return 0;
}

static void close_stream(struct weir__js_handle *handle, bool is_reset)
{
    weir_stream *stream = handle->stream;

    handle->stream = NULL;
    handle->is_reading = false;
    if (is_reset)
        weir_stream_reset(stream, on_closed, handle);
    else
        weir_stream_close(stream, on_closed, handle);
}

/* ---- the object ---- */

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct weir__js_handle *handle =
        weir__js_opaque(js, value, WEIR__JS_HANDLE);

    if (handle == NULL)
        return;
    drop_values(runtime, handle);
    weir__js_handle_unref(handle);
}

static void mark(JSRuntime *runtime, JSValueConst value, JS_MarkFunc *fn)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct weir__js_handle *handle =
        weir__js_opaque(js, value, WEIR__JS_HANDLE);

    if (handle == NULL)
        return;
    JS_MarkValue(runtime, handle->owner, fn);
    JS_MarkValue(runtime, handle->closed, fn);
    JS_MarkValue(runtime, handle->context, fn);
}

static const JSClassDef handle_class = {
    .class_name = "StreamHandle", .finalizer = finalize, .gc_mark = mark};

JSValue weir__js_handle_new(weir_js *js, struct weir__js_handle **made)
{
    JSValue object =
        JS_NewObjectClass(js->context, js->classes[WEIR__JS_HANDLE]);
    struct weir__js_handle *handle;

    if (JS_IsException(object))
        return object;
    handle = calloc(1, sizeof(*handle));
    if (handle == NULL) {
        JS_FreeValue(js->context, object);
        return JS_ThrowOutOfMemory(js->context);
    }
    handle->js = js;
    handle->refs = 1;
    handle->received = -1;
    handle->self = handle->owner = handle->closed = JS_UNDEFINED;
    handle->context = weir__js_context_capture(js);
    weir__js_list_init(&handle->requests);
    JS_SetOpaque(object, handle);
    *made = handle;
    return object;
}

JSValue weir__js_stream_handle(JSContext *context, weir_stream *stream)
{
    struct weir__js_handle *handle;
    JSValue object = weir__js_handle_new(weir__js_of(context), &handle);

    if (JS_IsException(object) ||
        weir__js_handle_attach(handle, object, stream) == 0)
        return object;
    JS_FreeValue(context, object);
    return weir__js_throw_status(context, WEIR_ECLOSED);
}

weir_stream *weir__js_handle_take(struct weir__js_handle *handle)
{
    weir_stream *stream = handle->stream;

    handle->stream = NULL;
    handle->is_reading = handle->is_keeping = false;
    weir_stream_stop(stream);
    weir_stream_set_on_end(stream, NULL, NULL);
    weir_stream_set_ref(stream, true);
    weir__js_handle_let_go(handle);
    return stream;
}

JSValue weir__js_handle_lend(JSContext *context, weir_stream *stream,
                             struct weir__js_handle **made)
{
    struct weir__js_handle *handle;
    JSValue object = weir__js_handle_new(weir__js_of(context), &handle);

    if (JS_IsException(object))
        return object;
    if (!weir__js_handle_hold(handle, object)) {
        JS_FreeValue(context, object);
        return weir__js_throw_status(context, WEIR_ECLOSED);
    }
    handle->lent = stream;
    *made = handle;
    return object;
}

void weir__js_handle_return(struct weir__js_handle *handle)
{
    handle->lent = NULL;
    weir__js_handle_let_go(handle);
}

struct weir__js_handle *weir__js_handle_of(JSContext *context,
                                           JSValueConst value)
{
    struct weir__js_handle *handle =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_HANDLE);

    if (handle == NULL)
        JS_ThrowTypeError(context, "Illegal invocation");
    return handle;
}

enum { CLOSE, RESET };

/* close(callback), reset(callback) */
static JSValue end(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv, int magic)
{
    struct weir__js_handle *handle = weir__js_handle_of(context, this_value);

    if (handle == NULL)
        return JS_EXCEPTION;
    if (handle->is_closed)
        return JS_UNDEFINED;
    handle->is_closed = true;
    weir__js_handle_drop_received(handle);
    handle->closed = JS_DupValue(context, argv[0]);
    if (handle->connecting != NULL) {
        weir_connecting *connecting = handle->connecting;

        handle->connecting = NULL;
        weir_connect_cancel(connecting);
    }
    if (handle->stream != NULL)
        close_stream(handle, magic == RESET);
    else if (weir__js_handle_hold(handle, this_value))
        on_closed(handle, NULL, 0);
    return JS_UNDEFINED;
}

enum { REF, UNREF, HAS_REF };

static JSValue change_ref(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv, int magic)
{
    struct weir__js_handle *handle = weir__js_handle_of(context, this_value);

    if (handle == NULL)
        return JS_EXCEPTION;
    if (magic == HAS_REF)
        return JS_NewBool(context, !handle->is_unref);
    handle->is_unref = magic == UNREF;
    weir__js_handle_keep(handle);
    return JS_UNDEFINED;
}

/* setOwner(socket) */
static JSValue set_owner(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct weir__js_handle *handle = weir__js_handle_of(context, this_value);
    JSValue before;

    if (handle == NULL)
        return JS_EXCEPTION;
    before = handle->owner;
    handle->owner = JS_DupValue(context, argv[0]);
    JS_FreeValue(context, before);
    return JS_UNDEFINED;
}

static const JSCFunctionListEntry methods[] = {
    JS_CFUNC_MAGIC_DEF("close", 1, end, CLOSE),
    JS_CFUNC_MAGIC_DEF("reset", 1, end, RESET),
    JS_CFUNC_MAGIC_DEF("ref", 0, change_ref, REF),
    JS_CFUNC_MAGIC_DEF("unref", 0, change_ref, UNREF),
    JS_CFUNC_MAGIC_DEF("hasRef", 0, change_ref, HAS_REF),
    JS_CFUNC_DEF("setOwner", 1, set_owner),
};

/* ---- the host ---- */

static JSValue new_prototype(JSContext *context)
{
    JSValue prototype = JS_NewObject(context);

    if (JS_IsException(prototype) ||
        (WEIR__JS_SET_FUNCTIONS(context, prototype, methods) >= 0 &&
         JS_SetPropertyFunctionList(context, prototype, weir__js_handle_io,
                                    weir__js_handle_io_count) >= 0 &&
         JS_SetPropertyFunctionList(context, prototype,
                                    weir__js_handle_settings,
                                    weir__js_handle_settings_count) >= 0 &&
         JS_SetPropertyFunctionList(context, prototype,
                                    weir__js_handle_connects,
                                    weir__js_handle_connects_count) >= 0 &&
         JS_SetPropertyFunctionList(context, prototype, weir__js_handle_passes,
                                    weir__js_handle_passes_count) >= 0))
        return prototype;
    JS_FreeValue(context, prototype);
    return JS_EXCEPTION;
}

/* setHooks(read, written, connected, secured, event) -> the prototype of
 * handles */
static JSValue set_hooks(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct handles *handles = handles_of(js);
    JSValue prototype = new_prototype(context);

    if (JS_IsException(prototype))
        return prototype;
    weir__js_values_set(context, handles->hooks, WEIR__HANDLE_HOOKS, argv);
    JS_SetClassProto(context, js->classes[WEIR__JS_HANDLE],
                     JS_DupValue(context, prototype));
    return prototype;
}

/* newHandle(): an object that will connect */
static JSValue new_handle(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct weir__js_handle *handle;

    return weir__js_handle_new(weir__js_of(context), &handle);
}

/* open(fd): a handle, or -errno */
static JSValue open_fd(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    weir_stream *stream;
    int32_t fd;
    int err;
    JSValue handle;

    if (JS_ToInt32(context, &fd, argv[0]) < 0)
        return JS_EXCEPTION;
    err = weir_stream_open(
        &stream, js->loop, fd,
        &(weir_stream_options){.size = sizeof(weir_stream_options),
                               .has_delay = true});
    if (err != 0)
        return JS_NewInt32(context, weir__js_net_status(err));
    handle = weir__js_stream_handle(context, stream);
    if (JS_IsException(handle))
        weir_stream_close(stream, NULL, NULL);
    return handle;
}

static int init_handles(weir_js *js)
{
    struct handles *handles = handles_of(js);

    weir__js_list_init(&handles->open);
    weir__js_values_init(handles->hooks, WEIR__HANDLE_HOOKS);
    return 0;
}

/* End a handle with its host.  Its callbacks come later, with nothing left to
 * call. */
static void drop_handle(struct weir__js_handle *handle)
{
    for (struct weir__js_link *at = handle->requests.next;
         at != &handle->requests; at = at->next)
        drop_request_values((struct weir__js_handle_request *)at);
    drop_values(handle->js->runtime, handle);
    drop_self(handle);
    if (handle->connecting != NULL) {
        weir_connecting *connecting = handle->connecting;

        handle->connecting = NULL;
        weir_connect_cancel(connecting);
    } else if (handle->stream != NULL) {
        close_stream(handle, false);
    }
}

static void drop_handles(weir_js *js)
{
    struct handles *handles = handles_of(js);

    while (!weir__js_list_is_empty(&handles->open)) {
        struct weir__js_handle *handle =
            (struct weir__js_handle *)handles->open.next;

        handle->refs++;
        drop_handle(handle);
        weir__js_handle_unref(handle);
    }
    weir__js_values_drop(js->context, handles->hooks, WEIR__HANDLE_HOOKS);
}

/* pair(): two handles that are connected to each other, or -errno */
static JSValue new_pair(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    weir_stream *streams[2];
    JSValue handles[2];
    int err = weir_stream_pair(streams, weir__js_of(context)->loop, NULL);

    if (err != 0)
        return JS_NewInt32(context, weir__js_net_status(err));
    for (int i = 0; i < 2; i++) {
        handles[i] = weir__js_stream_handle(context, streams[i]);
        if (!JS_IsException(handles[i]))
            continue;
        if (i > 0) {
            close_stream(weir__js_opaque(weir__js_of(context), handles[0],
                                         WEIR__JS_HANDLE),
                         false);
            JS_FreeValue(context, handles[0]);
        }
        while (i < 2)
            weir_stream_close(streams[i++], NULL, NULL);
        return JS_EXCEPTION;
    }
    return JS_NewArrayFrom(context, 2, handles);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("setHooks", WEIR__HANDLE_HOOKS, set_hooks),
    JS_CFUNC_DEF("newHandle", 0, new_handle),
    JS_CFUNC_DEF("pair", 0, new_pair),
    JS_CFUNC_DEF("open", 1, open_fd),
};

const struct weir__js_builtin weir__js_handle_builtin = {
    WEIR__JS_LIBS("net/socket"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &handle_class,
    .state_bytes = sizeof(struct handles),
    .init = init_handles,
    .drop = drop_handles,
};
