/* SPDX-License-Identifier: MIT */
/*
 * source -- see source.h.
 *
 * Tested by  test/js/http/serve-requests.mjs, fetch-requests.mjs
 */
#include "http/source.h"

#include <string.h>

#include "bytes/bytes.h"
#include "core/builtin.h"
#include "core/context.h"
#include "core/entry.h"
#include "core/error.h"

/* The sources of a host: source.link. */
static struct weir__js_link *sources_of(const weir_js *js)
{
    return js->states[WEIR__JS_SOURCE];
}

void weir__js_source_init(struct weir__js_source *source, weir_js *js,
                          const struct weir__js_source_kind *kind)
{
    source->kind = kind;
    source->js = js;
    source->refs = 1;
    source->has_begun = source->is_held = false;
    source->form = (enum weir__js_form)0;
    source->functions[0] = source->functions[1] = JS_UNDEFINED;
    source->on_body = source->context = source->error = JS_UNDEFINED;
    weir__js_list_add(sources_of(js), &source->link);
}

void weir__js_source_ref(struct weir__js_source *source)
{
    source->refs++;
}

void weir__js_source_unref(struct weir__js_source *source)
{
    if (--source->refs > 0) {
        if (source->refs == 1 && source->kind->abandon != NULL)
            source->kind->abandon(source);
        return;
    }
    if (source->js != NULL) {
        weir__js_list_remove(&source->link);
        JS_FreeValueRT(source->js->runtime, source->error);
    }
    source->kind->free(source);
}

/* The reading has ended: release what it held.  May free the source. */
static void end_reading(struct weir__js_source *source)
{
    weir_js *js = source->js;

    if (js != NULL) {
        JS_FreeValue(js->context, source->functions[0]);
        JS_FreeValue(js->context, source->functions[1]);
        JS_FreeValue(js->context, source->on_body);
        JS_FreeValue(js->context, source->context);
        source->functions[0] = source->functions[1] = JS_UNDEFINED;
        source->on_body = source->context = JS_UNDEFINED;
    }
    if (source->is_held) {
        source->is_held = false;
        weir__js_source_unref(source);
    }
}

/* ---- forms ---- */

static weir_bytes without_mark(weir_bytes bytes)
{
    if (bytes.size >= 3 && memcmp(bytes.data, "\xEF\xBB\xBF", 3) == 0)
        return (weir_bytes){(const char *)bytes.data + 3, bytes.size - 3};
    return bytes;
}

static JSValue parse(JSContext *context, weir_bytes bytes)
{
    JSValue text = weir__js_utf8_string(context, bytes.data, bytes.size), value;
    const char *source;
    size_t size;

    if (JS_IsException(text))
        return text;
    source = JS_ToCStringLen(context, &size, text);
    value = source != NULL ? JS_ParseJSON(context, source, size, "<input>")
                           : JS_EXCEPTION;
    JS_FreeCString(context, source);
    JS_FreeValue(context, text);
    return value;
}

JSValue weir__js_form_bytes(JSContext *context, enum weir__js_form form,
                            weir_bytes bytes)
{
    static const uint8_t none[1];
    weir_bytes text = without_mark(bytes);
    const uint8_t *data = bytes.size > 0 ? bytes.data : none;

    switch (form) {
    case WEIR__JS_FORM_TEXT:
        return text.size > 0
                   ? weir__js_utf8_string(context, text.data, text.size)
                   : JS_NewStringLen(context, "", 0);
    case WEIR__JS_FORM_JSON:
        return parse(context, text.size > 0 ? text : (weir_bytes){"", 0});
    case WEIR__JS_FORM_BUFFER:
        return JS_NewArrayBufferCopy(context, data, bytes.size);
    case WEIR__JS_FORM_BYTES:
        break;
    }
    return JS_NewUint8ArrayCopy(context, data, bytes.size);
}

/* Throw the error that a reader gets. */
static JSValue throw_error(struct weir__js_source *source, int status)
{
    JSContext *context = source->js->context;

    return JS_IsUndefined(source->error)
               ? weir__js_throw_status(context, status)
               : JS_Throw(context, JS_DupValue(context, source->error));
}

/* ---- the whole ---- */

/* Settle the promise; what settling throws is reported. */
static void settle(struct weir__js_source *source, int status, weir_bytes bytes)
{
    weir_js *js = source->js;
    JSContext *context = js->context;
    JSValue value = status == 0
                        ? weir__js_form_bytes(context, source->form, bytes)
                        : throw_error(source, status);
    bool failed = JS_IsException(value);
    JSValue result;

    if (failed)
        value = JS_GetException(context);
    result =
        weir__js_context_call(js, source->context, source->functions[failed],
                              JS_UNDEFINED, 1, (JSValueConst *)&value);
    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(context, result);
    JS_FreeValue(context, value);
}

void weir__js_source_collected(struct weir__js_source *source, int status,
                               weir_bytes bytes)
{
    weir_js *js = source->js;

    if (js != NULL && weir__js_enter(js) == 0) {
        settle(source, status, bytes);
        weir__js_leave(js);
    }
    end_reading(source);
}

/* Begin to read.  Returns 0, or -1 with an exception. */
static int begin(JSContext *context, struct weir__js_source *source,
                 int (*how)(struct weir__js_source *source))
{
    int err;

    source->has_begun = source->is_held = true;
    source->context = weir__js_context_capture(source->js);
    weir__js_source_ref(source);
    err = how(source);
    if (err == 0)
        return 0;
    end_reading(source);
    weir__js_throw_status(context, err);
    return -1;
}

JSValue weir__js_source_consume(JSContext *context,
                                struct weir__js_source *source,
                                enum weir__js_form form)
{
    JSValue promise = JS_NewPromiseCapability(context, source->functions);

    if (JS_IsException(promise)) {
        source->functions[0] = source->functions[1] = JS_UNDEFINED;
        return promise;
    }
    source->form = form;
    if (begin(context, source, source->kind->collect) < 0) {
        JS_FreeValue(context, promise);
        return JS_EXCEPTION;
    }
    return promise;
}

/* ---- in pieces ---- */

int weir__js_source_start(JSContext *context, struct weir__js_source *source,
                          JSValueConst on_body)
{
    source->on_body = JS_DupValue(context, on_body);
    return begin(context, source, source->kind->read);
}

static void give(struct weir__js_source *source, int status, weir_bytes bytes)
{
    weir_js *js = source->js;
    JSContext *context = js->context;
    JSValue args[2] = {
        JS_NewInt32(context, status == WEIR_EEOF ? 1 : status),
        status == 0 ? JS_NewUint8ArrayCopy(context, bytes.data, bytes.size)
                    : JS_UNDEFINED};
    JSValue result;

    if (status != 0 && status != WEIR_EEOF) {
        throw_error(source, status);
        args[1] = JS_GetException(context);
    }
    result = JS_IsException(args[1])
                 ? JS_EXCEPTION
                 : weir__js_context_call(js, source->context, source->on_body,
                                         JS_UNDEFINED, 2, (JSValueConst *)args);
    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(context, result);
    JS_FreeValue(context, args[1]);
}

void weir__js_source_piece(struct weir__js_source *source, int status,
                           weir_bytes bytes)
{
    weir_js *js = source->js;

    weir__js_source_ref(source);
    if (js != NULL && !JS_IsUndefined(source->on_body) &&
        weir__js_enter(js) == 0) {
        give(source, status, bytes);
        weir__js_leave(js);
    }
    if (status != 0)
        end_reading(source);
    weir__js_source_unref(source);
}

/* ---- the host ---- */

static int init_sources(weir_js *js)
{
    weir__js_list_init(sources_of(js));
    return 0;
}

/* Release the values now.  What the loop still refers to stays. */
static void drop_sources(weir_js *js)
{
    struct weir__js_link *list = sources_of(js);

    while (!weir__js_list_is_empty(list)) {
        struct weir__js_source *source = (struct weir__js_source *)list->next;

        weir__js_list_remove(&source->link);
        weir__js_source_ref(source);
        for (int i = 0; i < 2; i++) {
            JS_FreeValue(js->context, source->functions[i]);
            source->functions[i] = JS_UNDEFINED;
        }
        JS_FreeValue(js->context, source->on_body);
        JS_FreeValue(js->context, source->context);
        JS_FreeValue(js->context, source->error);
        source->on_body = source->context = source->error = JS_UNDEFINED;
        source->kind->drop(source);
        source->js = NULL;
        weir__js_source_unref(source);
    }
}

const struct weir__js_builtin weir__js_source_builtin = {
    .state_bytes = sizeof(struct weir__js_link),
    .init = init_sources,
    .drop = drop_sources,
};
