/* SPDX-License-Identifier: MIT */
/*
 * object -- see object.h.
 *
 * Tested by  test/js/intl/intl-*.js
 */
#include "intl/object.h"

#include "core/builtin.h"
#include "intl/text.h"

struct object {
    const struct weir__js_icu_kind *kind;
    void *icu;
};

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    struct object *object = weir__js_opaque(JS_GetRuntimeOpaque(runtime), value,
                                            WEIR__JS_INTL_OBJECT);

    if (object == NULL)
        return;
    object->kind->close(object->icu);
    js_free_rt(runtime, object);
}

static const JSClassDef class_definition = {.class_name = "Object",
                                            .finalizer = finalize};

JSValue weir__js_icu_wrap(JSContext *context,
                          const struct weir__js_icu_kind *kind, void *icu,
                          UErrorCode code)
{
    JSValue value = JS_EXCEPTION;
    struct object *object = NULL;

    if (U_FAILURE(code)) {
        (void)weir__js_icu_throw(context, code);
    } else {
        value = JS_NewObjectClass(
            context, weir__js_of(context)->classes[WEIR__JS_INTL_OBJECT]);
        if (!JS_IsException(value))
            object = js_malloc(context, sizeof(*object));
    }
    if (object == NULL) {
        JS_FreeValue(context, value);
        if (icu != NULL)
            kind->close(icu);
        return JS_EXCEPTION;
    }
    object->kind = kind;
    object->icu = icu;
    JS_SetOpaque(value, object);
    return value;
}

void *weir__js_icu_unwrap(JSContext *context, JSValueConst value,
                          const struct weir__js_icu_kind *kind)
{
    struct object *object =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_INTL_OBJECT);

    if (object != NULL && object->kind == kind)
        return object->icu;
    JS_ThrowTypeError(context, "Illegal invocation");
    return NULL;
}

const struct weir__js_builtin weir__js_intl_object_builtin = {
    .class_definition = &class_definition,
};
