/* SPDX-License-Identifier: MIT */
/*
 * foreign -- see foreign.h.
 *
 * Some properties of builtins are getters that load what they return, as
 * process.stdout.  Such an export gets its value when it is first imported
 * (js/engine/unused-exports.patch): `import process from 'node:process'` does
 * not create three streams.
 *
 * Tested by  test/js/program/module-builtins, test/js/program/module-getters
 */
#include "program/foreign.h"

#include <string.h>

#include "core/lib.h"

/* An engine that could not be patched wants all values at once. */
#ifndef JS_HAS_DEFERRED_EXPORTS
typedef JSValue JSDeferredExportFunc(JSContext *, JSModuleDef *, JSAtom);

static void JS_SetDeferredExportFunc(JSRuntime *runtime,
                                     JSDeferredExportFunc *function)
{
    (void)runtime, (void)function;
}

static bool JS_DeferModuleExport(JSContext *context, JSModuleDef *module,
                                 JSAtom name)
{
    return false;
}
#endif

/* Takes the argument. */
static JSValue ask(weir_js *js, enum weir__js_hook hook, JSValue argument)
{
    JSValue answer = JS_IsException(argument)
                         ? JS_EXCEPTION
                         : weir__js_call_hook(js, hook, argument);

    JS_FreeValue(js->context, argument);
    return answer;
}

/* The private value of a module is its id. */
static JSValue exports_of(JSContext *context, JSModuleDef *module)
{
    return ask(weir__js_of(context), WEIR__JS_HOOK_LOAD,
               JS_GetModulePrivateValue(context, module));
}

static JSValue get_deferred(JSContext *context, JSModuleDef *module,
                            JSAtom name)
{
    JSValue exports = exports_of(context, module);
    JSValue value = JS_IsException(exports)
                        ? JS_EXCEPTION
                        : JS_GetProperty(context, exports, name);

    JS_FreeValue(context, exports);
    return value;
}

static bool is_accessor(JSContext *context, JSValueConst object, JSAtom name)
{
    JSPropertyDescriptor found;

    if (JS_GetOwnProperty(context, &found, object, name) <= 0)
        return false;
    JS_FreeValue(context, found.value);
    JS_FreeValue(context, found.getter);
    JS_FreeValue(context, found.setter);
    return (found.flags & JS_PROP_GETSET) != 0;
}

/* Returns 0, or -1 with an exception. */
static int set_export(JSContext *context, JSModuleDef *module,
                      JSValueConst exports, JSAtom name, bool is_builtin)
{
    const char *text;
    JSValue value = JS_UNDEFINED;
    int err;

    if (is_builtin && is_accessor(context, exports, name) &&
        JS_DeferModuleExport(context, module, name))
        return 0;
    if (JS_IsObject(exports))
        value = JS_GetProperty(context, exports, name);
    text = JS_IsException(value) ? NULL : JS_AtomToCString(context, name);
    if (text == NULL) {
        JS_FreeValue(context, value);
        return -1;
    }
    err = JS_SetModuleExport(context, module, text, value);
    JS_FreeCString(context, text);
    return err;
}

/* The last of the names is "default". */
static int set_exports(JSContext *context, JSModuleDef *module,
                       JSValueConst exports, JSValueConst names,
                       bool is_builtin)
{
    int64_t count;
    int err = JS_GetLength(context, names, &count);

    for (int64_t i = 0; i < count - 1 && err == 0; i++) {
        JSValue key = JS_GetPropertyInt64(context, names, i);
        JSAtom name = JS_ValueToAtom(context, key);

        err = name == JS_ATOM_NULL
                  ? -1
                  : set_export(context, module, exports, name, is_builtin);
        JS_FreeAtom(context, name);
        JS_FreeValue(context, key);
    }
    return err != 0 ? err
                    : JS_SetModuleExport(context, module, "default",
                                         JS_DupValue(context, exports));
}

static int run(JSContext *context, JSModuleDef *module)
{
    static const char prefix[] = "node:";
    JSAtom id = JS_GetModuleName(context, module);
    const char *text = JS_AtomToCString(context, id);
    bool is_builtin =
        text != NULL && strncmp(text, prefix, sizeof(prefix) - 1) == 0;
    JSValue exports = exports_of(context, module);
    JSValue names = ask(weir__js_of(context), WEIR__JS_HOOK_NAMES,
                        JS_AtomToString(context, id));
    int err = text == NULL || JS_IsException(exports) || JS_IsException(names)
                  ? -1
                  : set_exports(context, module, exports, names, is_builtin);

    JS_FreeValue(context, names);
    JS_FreeValue(context, exports);
    JS_FreeCString(context, text);
    JS_FreeAtom(context, id);
    return err;
}

JSModuleDef *weir__js_foreign_new(weir_js *js, const char *id)
{
    JSContext *context = js->context;
    JSModuleDef *module = JS_NewCModule(context, id, run);
    JSValue names = ask(js, WEIR__JS_HOOK_NAMES, JS_NewString(context, id));
    int64_t count = 0;
    bool failed = module == NULL || JS_IsException(names) ||
                  JS_GetLength(context, names, &count) < 0 ||
                  JS_SetModulePrivateValue(context, module,
                                           JS_NewString(context, id)) < 0;

    for (int64_t i = 0; i < count && !failed; i++) {
        JSValue key = JS_GetPropertyInt64(context, names, i);
        const char *name = JS_ToCString(context, key);

        failed = name == NULL || JS_AddModuleExport(context, module, name) < 0;
        JS_FreeCString(context, name);
        JS_FreeValue(context, key);
    }
    JS_FreeValue(context, names);
    return failed ? NULL : module;
}

void weir__js_foreign_init(weir_js *js)
{
    JS_SetDeferredExportFunc(js->runtime, get_deferred);
}
