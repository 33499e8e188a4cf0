/* SPDX-License-Identifier: MIT */
/*
 * fetch -- the requests of fetch(), on weir/net/http_client.h.
 *
 * A host has one client, which is made at the first request.  A request is one
 * struct.  Its promise is resolved with a Response when the head has arrived.
 *
 * Its body is in download.c.  The loop holds a reference until on_end.
 *
 * Tested by  test/js/http/fetch-requests.mjs
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/bytes.h"
#include "core/builtin.h"
#include "core/context.h"
#include "core/entry.h"
#include "core/error.h"
#include "core/permission.h"
#include "http/download.h"
#include "http/headers.h"
#include "http/response.h"

enum { REDIRECTS = 20, FEW_FIELDS = 32 };

/* The functions of js/lib/http/fetch.js that C calls. */
enum {
    HOOK_ERROR, /* (code, text, hasResponse) -> what to reject with */
    HOOKS
};

struct state {
    JSValue hooks[HOOKS];     /* first */
    weir_http_client *client; /* NULL: none yet */
};

static struct state *state_of(const weir_js *js)
{
    return js->states[WEIR__JS_FETCH];
}

static void drop_values(struct weir__js_fetch *fetch)
{
    JSContext *context = fetch->source.js->context;
    JSValue values[] = {fetch->settle[0], fetch->settle[1], fetch->context,
                        fetch->body, fetch->on_writable};

    fetch->settle[0] = fetch->settle[1] = fetch->context = fetch->body =
        fetch->on_writable = JS_UNDEFINED;
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
        JS_FreeValue(context, values[i]);
}

/* The bytes that are being sent go away: on_end comes after the abort.  If it
 * has come, while the body was paused or the host could not be entered, nothing
 * else will end the reading. */
static void drop(struct weir__js_source *source)
{
    struct weir__js_fetch *fetch = (struct weir__js_fetch *)source;

    if (!fetch->has_ended) {
        weir_fetch_abort(fetch->handle);
    } else if (source->is_held) {
        source->is_held = false;
        weir__js_source_unref(source); /* the caller has a reference */
    }
    drop_values(fetch);
}

static void free_fetch(struct weir__js_source *source)
{
    struct weir__js_fetch *fetch = (struct weir__js_fetch *)source;

    weir__js_download_forget(fetch);
    free(fetch->url);
    free(fetch);
}

static const struct weir__js_source_kind kind = {
    .collect = weir__js_download_collect,
    .read = weir__js_download_read,
    .pause = weir__js_download_pause,
    .cancel = weir__js_download_cancel,
    .drop = drop,
    .free = free_fetch,
    .abandon = weir__js_download_abandon,
};

/* ---- the head of the response ---- */

static int copy_fields(JSContext *context, struct weir__js_fields *fields,
                       const weir_fetch *handle)
{
    weir_http_field field;

    for (size_t i = 0; weir_fetch_field_at(handle, i, &field); i++)
        if (weir__js_fields_add(context, fields, field.name, field.value) < 0)
            return -1;
    return 0;
}

static bool has_body(unsigned status)
{
    return status != 101 && status != 103 && status != 204 && status != 205 &&
           status != 304;
}

static JSValue make_response(JSContext *context, struct weir__js_fetch *fetch)
{
    const char *url = weir_fetch_url(fetch->handle);
    weir_bytes reason = weir_fetch_status_text(fetch->handle);
    unsigned status = weir_fetch_status(fetch->handle);
    JSValue self = weir__js_response_new(context, status);
    struct weir__js_response *response;
    struct weir__js_fields *fields;

    if (JS_IsException(self))
        return self;
    response = weir__js_response_of(context, self);
    fields = weir__js_response_fields(context, response);
    response->url = JS_NewString(context, url);
    response->status_text =
        weir__js_utf8_string(context, reason.data, reason.size);
    response->is_decoded = weir_fetch_is_decoded(fetch->handle);
    if (fields == NULL || JS_IsException(response->url) ||
        JS_IsException(response->status_text) ||
        copy_fields(context, fields, fetch->handle) < 0) {
        JS_FreeValue(context, self);
        return JS_EXCEPTION;
    }
    response->type = WEIR__JS_RESPONSE_BASIC;
    response->is_immutable = true;
    response->is_redirected = strcmp(url, fetch->url) != 0;
    if (has_body(status)) {
        response->body.kind = WEIR__JS_BODY_SOURCE;
        response->body.source = &fetch->source;
        weir__js_source_ref(&fetch->source);
    }
    return self;
}

/* Settle the promise of fetch(). */
static void settle(struct weir__js_fetch *fetch, JSValue value)
{
    weir_js *js = fetch->source.js;
    bool failed = JS_IsException(value);
    JSValue result;

    if (failed)
        value = JS_GetException(js->context);
    fetch->has_head = true;
    result = weir__js_context_call(js, fetch->context, fetch->settle[failed],
                                   JS_UNDEFINED, 1, (JSValueConst *)&value);
    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(js->context, result);
    JS_FreeValue(js->context, value);
}

static void on_head(void *arg, weir_fetch *handle, int status)
{
    struct weir__js_fetch *fetch = arg;
    weir_js *js = fetch->source.js;

    if (js == NULL || weir__js_enter(js) != 0)
        return;
    weir__js_source_ref(&fetch->source);
    settle(fetch, make_response(js->context, fetch));
    weir__js_leave(js);
    weir__js_source_unref(&fetch->source);
}

/* Make the error that the program gets, unless it has given one. */
static void make_error(struct weir__js_fetch *fetch, const char *reason)
{
    weir_js *js = fetch->source.js;
    JSContext *context = js->context;
    JSValue code, text, error;

    if (!JS_IsUndefined(fetch->source.error))
        return;
    code = JS_NewString(context, weir_error_name(fetch->status));
    text = JS_NewString(
        context, reason[0] != '\0' ? reason : weir_error_text(fetch->status));
    if (JS_IsException(code) || JS_IsException(text)) {
        error = JS_EXCEPTION;
    } else {
        JSValueConst args[] = {code, text,
                               JS_NewBool(context, fetch->has_head)};

        error = JS_Call(context, state_of(js)->hooks[HOOK_ERROR], JS_UNDEFINED,
                        3, args);
    }
    JS_FreeValue(context, code);
    JS_FreeValue(context, text);
    if (JS_IsException(error))
        error = JS_GetException(context);
    fetch->source.error = error;
}

static void end(struct weir__js_fetch *fetch, const char *reason)
{
    JSContext *context = fetch->source.js->context;

    if (fetch->status != 0)
        make_error(fetch, reason);
    if (!fetch->has_head)
        settle(fetch,
               JS_Throw(context, JS_DupValue(context, fetch->source.error)));
    if (fetch->mode == WEIR__JS_DOWNLOAD_COLLECT)
        weir__js_download_finish(fetch);
    else
        weir__js_download_flow(fetch);
}

static void on_end(void *arg, weir_fetch *handle, int status)
{
    struct weir__js_fetch *fetch = arg;
    weir_js *js = fetch->source.js;

    fetch->has_ended = true;
    fetch->handle = NULL;
    fetch->status = status;
    if (js != NULL) {
        if (weir__js_enter(js) == 0) {
            end(fetch, status != 0 ? weir_fetch_reason(handle) : "");
            weir__js_leave(js);
        }
        drop_values(fetch);
    }
    if (js == NULL && fetch->source.is_held) { /* nobody reads any more */
        fetch->mode = WEIR__JS_DOWNLOAD_DONE;
        weir__js_source_piece(&fetch->source, WEIR_ECANCELED,
                              (weir_bytes){NULL, 0});
    }
    weir__js_source_unref(&fetch->source);
}

/* ---- starting ---- */

static int make_client(weir_js *js)
{
    const weir_http_client_options options = {
        .size = sizeof(options),
        .connections_per_origin = 256,
        .connections = 4096,
        .idle_connections = 256,
        .keep_alive_ns = WEIR_S(4),
        .connect_ns = WEIR_S(10),
        .header_ns = WEIR_S(300),
        .progress_ns = WEIR_S(300),
        .http_proxy = "",
        .https_proxy = "",
        .no_proxy = "",
        .user_agent = "weir",
    };
    struct state *state = state_of(js);

    return state->client != NULL
               ? 0
               : weir_http_client_new(&state->client, js->loop, &options);
}

static struct weir__js_fetch *new_fetch(JSContext *context, const char *url)
{
    struct weir__js_fetch *fetch = calloc(1, sizeof(*fetch));

    if (fetch == NULL || (fetch->url = strdup(url)) == NULL) {
        free(fetch);
        JS_ThrowOutOfMemory(context);
        return NULL;
    }
    weir__js_source_init(&fetch->source, weir__js_of(context), &kind);
    fetch->settle[0] = fetch->settle[1] = JS_UNDEFINED;
    fetch->context = fetch->body = fetch->on_writable = JS_UNDEFINED;
    return fetch;
}

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct weir__js_fetch *fetch = weir__js_opaque(js, value, WEIR__JS_FETCH);

    if (fetch != NULL)
        weir__js_source_unref(&fetch->source);
}

static const JSClassDef fetch_class = {.class_name = "Fetch",
                                       .finalizer = finalize};

static void on_writable(void *arg, weir_fetch *handle, int status)
{
    struct weir__js_fetch *fetch = arg;
    weir_js *js = fetch->source.js;
    JSValue held, result;

    if (js == NULL || JS_IsUndefined(fetch->on_writable) ||
        weir__js_enter(js) != 0)
        return;
    held = JS_DupValue(js->context, fetch->on_writable);
    result =
        weir__js_context_call(js, fetch->context, held, JS_UNDEFINED, 0, NULL);
    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(js->context, result);
    JS_FreeValue(js->context, held);
    weir__js_leave(js);
}

/* What the library passes. */
enum { METHOD, URL, HEADERS, BODY, REDIRECT, WRITABLE, RESOLVE, REJECT };

/* Whether the client sends this field by itself: what concerns the connection,
 * and the length, which has to be right.  That of a stream is known from it. */
static bool is_own_field(const weir_http_field *field,
                         weir_fetch_options *options)
{
    static const weir_bytes connection = WEIR_BYTES_OF("connection");
    static const weir_bytes content_length = WEIR_BYTES_OF("content-length");
    int64_t length;

    if (!weir__js_is_name(field->name, content_length))
        return weir__js_is_name(field->name, connection);
    length = weir__js_content_length(field->value);
    if (options->is_streaming && options->stream_size < 0)
        options->stream_size = length;
    return length >= 0 &&
           length == (options->is_streaming ? options->stream_size
                                            : (int64_t)options->body.size);
}

/* Fill the fields of a request.  Returns 0, or -1 with an exception. */
static int fill_fields(JSContext *context, JSValueConst value,
                       weir_fetch_options *options, weir_http_field *few)
{
    const struct weir__js_headers *headers =
        weir__js_headers_of(context, value);
    size_t count = headers != NULL ? weir__js_headers_count(headers) : 0;
    weir_http_field *fields = few;

    if (count > FEW_FIELDS)
        fields = js_malloc(context, count * sizeof(*fields));
    if (fields == NULL)
        return -1;
    options->fields = fields;
    for (size_t i = 0; i < count; i++) {
        weir_http_field *field = &fields[options->field_count];

        if (weir__js_headers_at(headers, i, field) &&
            !is_own_field(field, options))
            options->field_count++;
    }
    return 0;
}

static int start_fetch(JSContext *context, struct weir__js_fetch *fetch,
                       JSValueConst *argv, const char *method)
{
    weir_js *js = weir__js_of(context);
    weir_http_field few[FEW_FIELDS];
    struct weir__js_bytes bytes = {.size = 0};
    weir_fetch_options options = {.size = sizeof(options),
                                  .method = method,
                                  .url = fetch->url,
                                  .stream_size = -1,
                                  .arg = fetch,
                                  .on_head = on_head,
                                  .on_body = weir__js_download_piece,
                                  .on_end = on_end,
                                  .is_always_decoded = true};
    int err;

    options.is_streaming = JS_IsFunction(context, argv[WRITABLE]);
    options.on_writable = options.is_streaming ? on_writable : NULL;
    options.redirects = JS_ToBool(context, argv[REDIRECT]) == 1 ? REDIRECTS : 0;
    if (JS_IsObject(argv[BODY]) &&
        weir__js_bytes(context, argv[BODY], &bytes) < 0)
        return WEIR_ETHROWN;
    options.body = (weir_bytes){bytes.size > 0 ? bytes.data : NULL, bytes.size};
    if (fill_fields(context, argv[HEADERS], &options, few) < 0)
        return WEIR_ETHROWN;
    err = make_client(js);
    if (err == 0)
        err = weir_fetch_start(state_of(js)->client, &fetch->handle, &options);
    if (options.fields != few)
        js_free(context, (void *)options.fields);
    return err;
}

static void hold_values(JSContext *context, struct weir__js_fetch *fetch,
                        JSValueConst *argv)
{
    weir__js_source_ref(&fetch->source); /* on_end */
    fetch->settle[0] = JS_DupValue(context, argv[RESOLVE]);
    fetch->settle[1] = JS_DupValue(context, argv[REJECT]);
    fetch->context = weir__js_context_capture(weir__js_of(context));
    fetch->body = JS_DupValue(context, argv[BODY]);
    fetch->on_writable = JS_DupValue(context, argv[WRITABLE]);
}

/* Start a fetch; returns the object for it.  See the enum above. */
static JSValue start(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    const char *method, *url;
    struct weir__js_fetch *fetch = NULL;
    JSValue self;
    int err = WEIR_ETHROWN;

    if (!weir__js_check_may(context, WEIR__JS_MAY_NET))
        return JS_EXCEPTION;
    self = JS_NewObjectClass(context, js->classes[WEIR__JS_FETCH]);
    method = JS_ToCString(context, argv[METHOD]);
    url = JS_ToCString(context, argv[URL]);
    if (!JS_IsException(self) && method != NULL && url != NULL)
        fetch = new_fetch(context, url);
    if (fetch != NULL) {
        JS_SetOpaque(self, fetch);
        err = start_fetch(context, fetch, argv, method);
        if (err == 0)
            hold_values(context, fetch, argv);
        else
            fetch->has_ended = true;
    }
    JS_FreeCString(context, method);
    JS_FreeCString(context, url);
    if (err == 0)
        return self;
    JS_FreeValue(context, self);
    return err == WEIR_ETHROWN ? JS_EXCEPTION
                               : weir__js_throw_status(context, err);
}

/* ---- methods ---- */

static struct weir__js_fetch *fetch_of(JSContext *context, JSValueConst value)
{
    struct weir__js_fetch *fetch =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_FETCH);

    if (fetch == NULL)
        JS_ThrowTypeError(context, "Illegal invocation");
    return fetch;
}

/* abort(fetch, reason) */
static JSValue abort_fetch(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct weir__js_fetch *fetch = fetch_of(context, argv[0]);

    if (fetch == NULL)
        return JS_EXCEPTION;
    if (fetch->has_ended && fetch->mode == WEIR__JS_DOWNLOAD_DONE)
        return JS_UNDEFINED;
    if (JS_IsUndefined(fetch->source.error))
        fetch->source.error = JS_DupValue(context, argv[1]);
    /* The reader gets the error at once, and nothing else. */
    fetch->is_paused = false;
    weir__js_download_forget(fetch);
    if (!fetch->has_ended) {
        weir_fetch_abort(fetch->handle);
    } else {
        fetch->status = WEIR_ECANCELED;
        weir__js_download_flow(fetch);
    }
    return JS_UNDEFINED;
}

/* write(fetch, bytes) -> whether more should be written now */
static JSValue write_bytes(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct weir__js_fetch *fetch = fetch_of(context, argv[0]);
    struct weir__js_bytes bytes;
    int err;

    if (fetch == NULL || weir__js_bytes(context, argv[1], &bytes) < 0)
        return JS_EXCEPTION;
    err = fetch->has_ended
              ? WEIR_ECLOSED
              : weir_fetch_write(fetch->handle,
                                 (weir_bytes){bytes.data, bytes.size}, NULL,
                                 NULL);
    if (err != 0)
        return weir__js_throw_status(context, err);
    return JS_NewBool(context, !weir_fetch_is_full(fetch->handle));
}

/* finish(fetch) */
static JSValue finish(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct weir__js_fetch *fetch = fetch_of(context, argv[0]);
    int err = 0;

    if (fetch == NULL)
        return JS_EXCEPTION;
    if (!fetch->has_ended)
        err = weir_fetch_finish(fetch->handle, NULL, 0);
    /* -EMSGSIZE: on_end tells the program */
    return err == 0 || err == WEIR_ECLOSED || err == -EMSGSIZE
               ? JS_UNDEFINED
               : weir__js_throw_status(context, err);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("start", 8, start),
    JS_CFUNC_DEF("abort", 2, abort_fetch),
    JS_CFUNC_DEF("write", 2, write_bytes),
    JS_CFUNC_DEF("finish", 1, finish),
};

/* ---- the host ---- */

/* The sources of the host, which come later in the table, let go of their
 * values themselves. */
static void drop_fetch(weir_js *js)
{
    struct state *state = state_of(js);

    if (state->client != NULL)
        weir_http_client_close(state->client, NULL, NULL);
    state->client = NULL;
}

const struct weir__js_builtin weir__js_fetch_builtin = {
    WEIR__JS_LIBS("http/fetch"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &fetch_class,
    .state_bytes = sizeof(struct state),
    .hook_count = HOOKS,
    .drop = drop_fetch,
};
