/* SPDX-License-Identifier: MIT */
/*
 * lib -- load the JavaScript part of the host, file by file, on first use.
 */
#include "core/lib.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/builtin.h"
#include "core/property.h"

static JSValue require_lib(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv);

static const struct weir__js_lib *find(const char *name)
{
    for (int i = 0; i < weir__js_lib_count; i++)
        if (strcmp(weir__js_libs[i].name, name) == 0)
            return &weir__js_libs[i];
    return NULL;
}

/* The files see the engine's builtins as they were when the host began,
 * whatever a program does to them: js/engine/intrinsics.patch.  An engine that
 * could not be patched lacks this. */
#ifdef JS_READ_OBJ_INTERNAL
enum { INTERNAL = JS_READ_OBJ_INTERNAL };
#else
enum { INTERNAL = 0 };
static void JS_ProtectIntrinsics(JSContext *context)
{
    (void)context;
}
#endif

static JSValue read_function(JSContext *context, const struct weir__js_lib *lib)
{
    JSValue code = JS_ReadObject(context, lib->code, lib->size,
                                 JS_READ_OBJ_BYTECODE | INTERNAL);

    return JS_IsException(code) ? code : JS_EvalFunction(context, code);
}

/* Put module.exports into the table before the file runs, so that cycles work.
 * A file that fails (stack overflow, out of memory, out of time) is loaded
 * again on the next use. */
static JSValue load(weir_js *js, const struct weir__js_lib *lib)
{
    JSContext *context = js->context;
    JSValue exports = JS_NewObject(context), module = JS_NewObject(context);
    JSValue native = JS_NewObject(context), result = JS_EXCEPTION;
    JSValue require = JS_NewCFunction(context, require_lib, "require", 1);
    JSValue function = read_function(context, lib);
    JSValueConst args[] = {exports, require, module, native};

    if (!JS_IsException(function) && !JS_IsException(native) &&
        !JS_IsException(require) &&
        weir__js_set_property(context, module, "exports",
                              JS_DupValue(context, exports)) >= 0 &&
        JS_SetPropertyStr(context, js->libs, lib->name,
                          JS_DupValue(context, module)) >= 0 &&
        weir__js_builtins_add(context, native, lib->name) >= 0)
        result = JS_Call(context, function, JS_UNDEFINED, 4, args);
    if (!JS_IsException(result)) {
        JS_FreeValue(context, result);
        result = JS_GetPropertyStr(context, module, "exports");
    } else { /* needs no memory, or it is not in the table */
        JSValue error = JS_GetException(context);

        JS_SetPropertyStr(context, js->libs, lib->name, JS_UNDEFINED);
        JS_Throw(context, error);
    }
    JS_FreeValue(context, function);
    JS_FreeValue(context, require);
    JS_FreeValue(context, native);
    JS_FreeValue(context, module);
    JS_FreeValue(context, exports);
    return result;
}

static JSValue require_by_name(weir_js *js, const char *name)
{
    const struct weir__js_lib *lib = find(name);
    JSValue module = JS_GetPropertyStr(js->context, js->libs, name), exports;

    if (JS_IsException(module))
        return module;
    if (lib == NULL)
        return JS_ThrowReferenceError(js->context, "no library %s", name);
    if (!JS_IsObject(module))
        return load(js, lib);
    exports = JS_GetPropertyStr(js->context, module, "exports");
    JS_FreeValue(js->context, module);
    return exports;
}

JSValue weir__js_lib_function(JSContext *context, const char *name)
{
    const struct weir__js_lib *lib = find(name);

    return lib != NULL ? read_function(context, lib)
                       : JS_ThrowReferenceError(context, "no library %s", name);
}

JSValue weir__js_require(JSContext *context, const char *lib)
{
    return require_by_name(weir__js_of(context), lib);
}

static JSValue require_lib(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    const char *name = JS_ToCString(context, argv[0]);
    JSValue exports;

    if (name == NULL)
        return JS_EXCEPTION;
    exports = weir__js_require(context, name);
    JS_FreeCString(context, name);
    return exports;
}

/* Returns 0, or -1 with an exception. */
static int look_up_hooks(weir_js *js, JSValueConst exports)
{
    static const char *const names[] = {
#define X(name, export_name) export_name,
        WEIR__JS_HOOKS(X)
#undef X
    };

    for (int i = 0; i < WEIR__JS_HOOK_COUNT; i++) {
        js->hooks[i] = JS_GetPropertyStr(js->context, exports, names[i]);
        if (JS_IsException(js->hooks[i]))
            return -1;
        if (!JS_IsFunction(js->context, js->hooks[i])) {
            fprintf(stderr, "weir: core/bootstrap exports no hook %s\n",
                    names[i]);
            abort();
        }
    }
    return 0;
}

int weir__js_boot(weir_js *js)
{
    JSValue exports;
    bool is_done;

    JS_ProtectIntrinsics(js->context);
    js->libs = JS_NewObjectProto(js->context, JS_NULL);
    exports = JS_IsException(js->libs) ? JS_EXCEPTION
                                       : require_by_name(js, "core/bootstrap");
    is_done = !JS_IsException(exports) && look_up_hooks(js, exports) == 0;
    JS_FreeValue(js->context, exports);
    if (is_done)
        return 0;
    JS_FreeValue(js->context, JS_GetException(js->context));
    return -ENOMEM;
}

void weir__js_drop_libs(weir_js *js)
{
    for (int i = 0; i < WEIR__JS_HOOK_COUNT; i++) {
        JS_FreeValue(js->context, js->hooks[i]);
        js->hooks[i] = JS_UNDEFINED;
    }
    JS_FreeValue(js->context, js->libs);
    js->libs = JS_UNDEFINED;
}

JSValue weir__js_call_hook(weir_js *js, enum weir__js_hook hook,
                           JSValueConst value)
{
    return weir__js_call_hook_with(js, hook, 1, &value);
}

JSValue weir__js_call_hook_with(weir_js *js, enum weir__js_hook hook, int count,
                                JSValueConst *args)
{
    return JS_Call(js->context, js->hooks[hook], JS_UNDEFINED, count, args);
}
