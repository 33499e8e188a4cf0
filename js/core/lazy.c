/* SPDX-License-Identifier: MIT */
/*
 * lazy -- see lazy.h.
 */
#include "core/lazy.h"

#include "core/lib.h"

/* Turn the accessor into a value.  Its attributes stay, except the given ones.
 * Returns 1; 0 if the global object does not allow it; -1 with an exception. */
static int define_value(JSContext *context, const struct weir__js_lazy *row,
                        JSValueConst value, int flags)
{
    JSAtom name = JS_NewAtom(context, row->name);
    JSValue global = JS_GetGlobalObject(context);
    int status =
        name == JS_ATOM_NULL
            ? -1
            : JS_DefineProperty(context, global, name, value, JS_UNDEFINED,
                                JS_UNDEFINED,
                                JS_PROP_HAS_VALUE | JS_PROP_HAS_WRITABLE |
                                    JS_PROP_WRITABLE | flags);

    JS_FreeValue(context, global);
    JS_FreeAtom(context, name);
    return status;
}

JSValue weir__js_lazy_value(JSContext *context, const struct weir__js_lazy *row)
{
    JSValue exports = weir__js_require(context, row->lib), value;
    const char *key = row->key != NULL ? row->key : row->name;

    if (JS_IsException(exports) || *key == '\0')
        return exports;
    value = JS_GetPropertyStr(context, exports, key);
    JS_FreeValue(context, exports);
    return value;
}

static JSValue get(JSContext *context, const struct weir__js_lazy *row)
{
    JSValue value = weir__js_lazy_value(context, row);

    if (!JS_IsException(value) && define_value(context, row, value, 0) < 0) {
        JS_FreeValue(context, value);
        return JS_EXCEPTION;
    }
    return value;
}

static JSValue set(JSContext *context, const struct weir__js_lazy *row,
                   JSValueConst given)
{
    int flags = row->is_shown_when_set
                    ? JS_PROP_HAS_ENUMERABLE | JS_PROP_ENUMERABLE
                    : 0;
    int status = define_value(context, row, given, flags);

    if (status != 0)
        return status < 0 ? JS_EXCEPTION : JS_UNDEFINED;
    return JS_ThrowTypeError(
        context,
        "Cannot assign to read only property '%s' of object '#<Object>'",
        row->name);
}

/* Getter and setter in one; only the latter is passed a value. */
static JSValue access(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv, int magic, void *opaque)
{
    return argc == 0 ? get(context, opaque) : set(context, opaque, argv[0]);
}

static JSValue make_accessor(JSContext *context, JSAtom name, void *opaque)
{
    return JS_NewCClosure(context, access, NULL, NULL, 0, 0, opaque);
}

/* An engine that could not be patched creates the functions at once. */
#ifndef JS_HAS_DEFERRED_ACCESSORS
typedef JSValue JSAccessorFactory(JSContext *, JSAtom, void *);

static void JS_SetAccessorFactory(JSRuntime *runtime,
                                  JSAccessorFactory *factory)
{
    (void)runtime, (void)factory;
}

static int JS_DefineDeferredAccessor(JSContext *context, JSValueConst object,
                                     JSAtom name, void *opaque, int flags)
{
    int has = JS_HasProperty(context, object, name);
    JSValue function =
        has == 0 ? make_accessor(context, name, opaque) : JS_EXCEPTION;

    if (has != 0 || JS_IsException(function))
        return has > 0 ? 0 : -1;
    return JS_DefinePropertyGetSet(context, object, name, function,
                                   JS_DupValue(context, function), flags);
}
#endif

void weir__js_lazy_init(JSRuntime *runtime)
{
    JS_SetAccessorFactory(runtime, make_accessor);
}

int weir__js_lazy_define(JSContext *context, JSValueConst global,
                         const struct weir__js_lazy *row)
{
    int flags = JS_PROP_CONFIGURABLE | (row->is_shown ? JS_PROP_ENUMERABLE : 0);
    JSAtom name = JS_NewAtom(context, row->name);
    int status = name == JS_ATOM_NULL
                     ? -1
                     : JS_DefineDeferredAccessor(context, global, name,
                                                 (void *)row, flags);

    JS_FreeAtom(context, name);
    return status < 0 ? -1 : 0;
}
