/* SPDX-License-Identifier: MIT */
/*
 * value -- conversion to and from JavaScript, and handles.
 *
 * Tested by  test/js/core/call.c, test/js/core/post.c
 */
#include "core/value.h"

#include <errno.h>
#include <stdlib.h>

#include "core/entry.h"
#include "core/error.h"
#include "core/plain.h"

/* On any thread. */
static void on_nobody_left(void *arg)
{
    struct weir_js_handle *handle = arg;

    weir__js_let_go(handle->js);
    free(handle);
}

/* Release the value and its entry of the gate. */
static void drop(struct weir_js_handle *handle)
{
    JSContext *context = handle->js->context;

    weir__js_list_remove(&handle->link);
    if (handle->text != NULL)
        JS_FreeCString(context, handle->text);
    JS_FreeValue(context, handle->value);
    weir_gate_exit(&handle->gate);
}

static void close_gate(struct weir_js_handle *handle)
{
    handle->is_released = true;
    if (weir_gate_drain(&handle->gate) != 0)
        abort(); /* impossible: it was RUNNING, and nobody else drains it */
}

static void release(struct weir_js_handle *handle)
{
    close_gate(handle);
    if (weir_gate_inflight(&handle->gate) == 1)
        drop(handle);
}

void weir__js_settle_release(struct weir_js_handle *handle)
{
    if (handle->is_released && weir_gate_inflight(&handle->gate) == 2)
        drop(handle);
}

void weir__js_drop_handles(weir_js *js)
{
    while (!weir__js_list_is_empty(&js->handles)) {
        struct weir_js_handle *handle =
            (struct weir_js_handle *)js->handles.next;

        if (!handle->is_released)
            close_gate(handle);
        drop(handle);
    }
}

/* Takes the value. */
static struct weir_js_handle *new_handle(weir_js *js, JSValue value)
{
    struct weir_js_handle *handle = malloc(sizeof(*handle));

    if (handle == NULL ||
        weir_gate_init(&handle->gate, on_nobody_left, handle, NULL) != 0 ||
        weir_gate_start(&handle->gate) != 0 ||
        weir_gate_enter(&handle->gate) != 0 || !weir__js_hold(js)) {
        JS_FreeValue(js->context, value);
        free(handle);
        return NULL;
    }
    handle->js = js;
    handle->value = value;
    handle->text = NULL;
    handle->is_released = false;
    weir__js_list_add(&js->handles, &handle->link);
    return handle;
}

static weir_js_type type_of(JSContext *context, JSValueConst value)
{
    if (JS_IsNumber(value))
        return WEIR_JS_TYPE_NUMBER;
    if (JS_IsString(value))
        return WEIR_JS_TYPE_STRING;
    if (JS_IsBool(value))
        return WEIR_JS_TYPE_BOOL;
    if (JS_IsNull(value))
        return WEIR_JS_TYPE_NULL;
    if (JS_IsUndefined(value))
        return WEIR_JS_TYPE_UNDEFINED;
    if (JS_IsFunction(context, value))
        return WEIR_JS_TYPE_FUNCTION;
    return JS_IsObject(value) ? WEIR_JS_TYPE_OBJECT : WEIR_JS_TYPE_OTHER;
}

int weir__js_from(weir_js *js, JSValue value, weir_js_value *out)
{
    weir_js_value result = weir_js_undefined();

    result.type = type_of(js->context, value);
    if (result.type == WEIR_JS_TYPE_BOOL)
        result.boolean = JS_VALUE_GET_BOOL(value);
    if (result.type == WEIR_JS_TYPE_NUMBER)
        JS_ToFloat64(js->context, &result.number, value);
    if (result.type >= WEIR_JS_TYPE_STRING) {
        result.handle = new_handle(js, value);
        if (result.handle == NULL)
            return -ENOMEM;
    }
    if (result.type == WEIR_JS_TYPE_STRING) {
        result.text = result.handle->text =
            JS_ToCStringLen(js->context, &result.length, value);
        if (result.text == NULL) {
            JS_FreeValue(js->context, JS_GetException(js->context));
            release(result.handle);
            return -ENOMEM;
        }
    }
    *out = result;
    return 0;
}

bool weir__js_is_valid(const weir_js *js, const weir_js_value *value)
{
    if (value == NULL || (unsigned)value->type > WEIR_JS_TYPE_BYTES)
        return false;
    if (weir__js_has_text(value))
        return value->text != NULL || value->length == 0;
    return value->type < WEIR_JS_TYPE_STRING ||
           (value->handle != NULL && value->handle->js == js);
}

JSValue weir__js_to(weir_js *js, const weir_js_value *value)
{
    switch (value->type) {
    case WEIR_JS_TYPE_NULL:
        return JS_NULL;
    case WEIR_JS_TYPE_BOOL:
        return JS_NewBool(js->context, value->boolean);
    case WEIR_JS_TYPE_NUMBER:
        return JS_NewNumber(js->context, value->number);
    case WEIR_JS_TYPE_STRING:
        return JS_NewStringLen(
            js->context, value->text != NULL ? value->text : "", value->length);
    case WEIR_JS_TYPE_OBJECT:
    case WEIR_JS_TYPE_FUNCTION:
    case WEIR_JS_TYPE_OTHER:
        return JS_DupValue(js->context, value->handle->value);
    case WEIR_JS_TYPE_BYTES:
        return JS_NewUint8ArrayCopy(js->context, (const uint8_t *)value->text,
                                    value->length);
    case WEIR_JS_TYPE_UNDEFINED:
        break;
    }
    return JS_UNDEFINED;
}

int weir__js_finish(weir_js *js, JSValue value, weir_js_value *result)
{
    int err = 0;

    if (JS_IsException(value))
        err = weir__js_catch(js);
    else if (result != NULL)
        err = weir__js_from(js, value, result);
    else
        JS_FreeValue(js->context, value);
    weir__js_leave(js);
    return err;
}

int weir_js_keep(weir_js *js, const weir_js_value *value, weir_js_value *kept)
{
    JSValue copy;

    if (js == NULL || kept == NULL || !weir__js_is_valid(js, value))
        return -EINVAL;
    if (!weir__js_is_here(js))
        return -EPERM;
    copy = weir__js_to(js, value);
    if (JS_IsException(copy)) {
        JS_FreeValue(js->context, JS_GetException(js->context));
        return -ENOMEM;
    }
    return weir__js_from(js, copy, kept);
}

void weir_js_release(weir_js *js, weir_js_value *value)
{
    if (value == NULL)
        return;
    if (value->handle != NULL && value->handle->js == js &&
        weir__js_is_here(js))
        release(value->handle);
    *value = weir_js_undefined();
}
