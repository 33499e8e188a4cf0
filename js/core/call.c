/* SPDX-License-Identifier: MIT */
/*
 * call -- calls from C into JavaScript, and from JavaScript into C.
 *
 * Tested by  test/js/core/call.c
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/entry.h"
#include "core/error.h"
#include "core/host.h"
#include "core/value.h"

/* A C function, as JavaScript sees it. */
struct definition {
    weir_js *js;
    weir_js_fn *fn;
    void *arg;
};

enum { FEW = 8 }; /* arguments that need no allocation */

/* Begin a call from C.  Returns 0, or an error with js->error set if the host
 * was terminated. */
static int begin(weir_js *js)
{
    int err = weir__js_is_here(js) ? weir__js_enter(js) : -EPERM;

    if (err == WEIR_ECANCELED && !js->has_ended)
        weir__js_set_terminated(js);
    return err;
}

int weir_js_eval(weir_js *js, const char *source, size_t length,
                 const char *file, weir_js_source kind, weir_js_value *result)
{
    JSValue value;
    int err;

    if (js == NULL || source == NULL || file == NULL ||
        (unsigned)kind > WEIR_JS_SOURCE_MODULE)
        return -EINVAL;
    err = begin(js);
    if (err != 0)
        return err;
    js->linking++;
    value = JS_Eval(js->context, source, length, file,
                    kind == WEIR_JS_SOURCE_MODULE ? JS_EVAL_TYPE_MODULE
                                                  : JS_EVAL_TYPE_GLOBAL);
    js->linking--;
    return weir__js_finish(js, value, result);
}

/* ---- from C ---- */

static void free_all(weir_js *js, JSValue *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        JS_FreeValue(js->context, values[i]);
}

static JSValue call_with(weir_js *js, JSValueConst function, JSValue *values,
                         const weir_js_value *args, size_t count)
{
    JSValue result = JS_EXCEPTION;
    size_t done;

    for (done = 0; done < count; done++) {
        values[done] = weir__js_to(js, &args[done]);
        if (JS_IsException(values[done]))
            goto out;
    }
    result = JS_Call(js->context, function, JS_UNDEFINED, (int)count,
                     (JSValueConst *)values);
out:
    free_all(js, values, done);
    return result;
}

/* Call the function and leave JavaScript, which the caller has entered. */
static int apply(weir_js *js, JSValueConst function, const weir_js_value *args,
                 size_t count, weir_js_value *result)
{
    JSValue few[FEW], *values = few, value;

    if (count > FEW) {
        values = malloc(count * sizeof(*values));
        if (values == NULL) {
            weir__js_leave(js);
            return -ENOMEM;
        }
    }
    value = call_with(js, function, values, args, count);
    if (values != few)
        free(values);
    return weir__js_finish(js, value, result);
}

int weir_js_call(weir_js *js, const weir_js_value *function,
                 const weir_js_value *args, size_t count, weir_js_value *result)
{
    weir_js_value ignored = weir_js_undefined();
    int err;

    if (js == NULL || !weir__js_is_valid(js, function) ||
        function->type != WEIR_JS_TYPE_FUNCTION ||
        (args == NULL && count > 0) || count > INT16_MAX)
        return -EINVAL;
    for (size_t i = 0; i < count; i++)
        if (!weir__js_is_valid(js, &args[i]))
            return -EINVAL;
    err = begin(js);
    if (err != 0)
        return err;
    err = apply(js, function->handle->value, args, count,
                result != NULL ? result : &ignored);
    weir_js_release(js, &ignored);
    return err;
}

/* ---- properties ---- */

static bool is_place(const weir_js *js, const weir_js_value *object)
{
    return object == NULL || (weir__js_is_valid(js, object) &&
                              (object->type == WEIR_JS_TYPE_OBJECT ||
                               object->type == WEIR_JS_TYPE_FUNCTION));
}

static JSValue place(weir_js *js, const weir_js_value *object)
{
    return object == NULL ? JS_GetGlobalObject(js->context)
                          : weir__js_to(js, object);
}

/* Begin to read or define a property from C: check whether that is allowed and
 * enter JavaScript.  define_value takes the value and leaves. */
static int define_begin(weir_js *js, const weir_js_value *object,
                        const char *name)
{
    if (js == NULL || name == NULL || !is_place(js, object))
        return -EINVAL;
    return begin(js);
}

int weir_js_get(weir_js *js, const weir_js_value *object, const char *name,
                weir_js_value *result)
{
    JSValue owner, value;
    int err = result != NULL ? define_begin(js, object, name) : -EINVAL;

    if (err != 0)
        return err;
    owner = place(js, object);
    value = JS_GetPropertyStr(js->context, owner, name);
    JS_FreeValue(js->context, owner);
    return weir__js_finish(js, value, result);
}

static int define_value(weir_js *js, const weir_js_value *object,
                        const char *name, JSValue value)
{
    JSValue owner = place(js, object);
    bool failed = JS_IsException(value) ||
                  JS_DefinePropertyValueStr(js->context, owner, name, value,
                                            JS_PROP_C_W_E | JS_PROP_THROW) < 0;

    JS_FreeValue(js->context, owner);
    return weir__js_finish(js, failed ? JS_EXCEPTION : JS_UNDEFINED, NULL);
}

int weir_js_set(weir_js *js, const weir_js_value *object, const char *name,
                const weir_js_value *value)
{
    int err;

    if (js == NULL || !weir__js_is_valid(js, value))
        return -EINVAL;
    err = define_begin(js, object, name);
    return err != 0 ? err
                    : define_value(js, object, name, weir__js_to(js, value));
}

/* ---- from JavaScript ---- */

/* Convert what the C function returned. */
static JSValue answer(weir_js *js, int err, const weir_js_value *result)
{
    if (err == WEIR_ETHROWN && JS_HasException(js->context))
        return JS_EXCEPTION;
    if (err == 0 && !weir__js_is_valid(js, result))
        err = -EINVAL;
    return err != 0 ? weir__js_throw_status(js->context, err)
                    : weir__js_to(js, result);
}

/* A result that is one of the arguments is released with it. */
static void release_all(weir_js *js, weir_js_value *args, int count,
                        weir_js_value *result)
{
    for (int i = 0; i < count; i++) {
        if (args[i].handle == result->handle)
            result->handle = NULL;
        weir_js_release(js, &args[i]);
    }
    weir_js_release(js, result);
}

static JSValue call_definition(JSContext *context, JSValueConst this_value,
                               int argc, JSValueConst *argv, int magic,
                               void *opaque)
{
    struct definition *definition = opaque;
    weir_js *js = definition->js;
    weir_js_value few[FEW], *args = few, result = weir_js_undefined();
    int err = 0, count = 0;
    JSValue value;

    if (argc > FEW)
        args = malloc((size_t)argc * sizeof(*args));
    if (args == NULL)
        return JS_ThrowOutOfMemory(context);
    for (; count < argc && err == 0; count++)
        err =
            weir__js_from(js, JS_DupValue(context, argv[count]), &args[count]);
    if (err != 0)
        count--;
    else
        err = definition->fn(js, definition->arg, args, (size_t)argc, &result);
    value = answer(js, err, &result);
    release_all(js, args, count, &result);
    if (args != few)
        free(args);
    return value;
}

int weir__js_define_closure(weir_js *js, const weir_js_value *object,
                            const char *name, JSCClosure *call,
                            const void *definition, size_t size)
{
    int err = define_begin(js, object, name);
    JSValue function;
    void *own;

    if (err != 0)
        return err;
    own = malloc(size);
    if (own == NULL) {
        weir__js_leave(js);
        return -ENOMEM;
    }
    memcpy(own, definition, size);
    function = JS_NewCClosure(js->context, call, name, free, 0, 0, own);
    if (JS_IsException(function))
        free(own);
    return define_value(js, object, name, function);
}

int weir_js_define(weir_js *js, const weir_js_value *object, const char *name,
                   weir_js_fn *fn, void *arg)
{
    const struct definition definition = {js, fn, arg};

    if (fn == NULL)
        return -EINVAL;
    return weir__js_define_closure(js, object, name, call_definition,
                                   &definition, sizeof(definition));
}
