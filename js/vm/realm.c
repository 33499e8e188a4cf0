/* SPDX-License-Identifier: MIT */
/*
 * realm -- the contexts of node:vm, each with builtins and a global object of
 * its own.
 *
 * A realm is a context of the host's engine.  Its global object is exotic: it
 * reads and writes the program's object, the sandbox, and behind that the
 * global object that the engine made, the inner one, which has the builtins.
 * As in Node, what code writes goes to both, so it can still be read after the
 * program has deleted it from the sandbox; `var` without a value and `let` are
 * not seen in the sandbox.
 *
 * Data      The global object holds the sandbox and the inner object.  The
 *           realm's function run() holds the realm, as every function does, and
 *           the sandbox holds run() (js/lib/vm/vm.js).  C keeps no reference, so
 *           the engine's collector frees a realm with the last value of it.
 * Threads   Those of the host: its loop.
 *
 * Tested by  the programs of test/js/vm, test/js/vm/realm.c
 */
#include "core/builtin.h"
#include "core/lib.h"
#include "vm/script.h"

struct global {
    JSValue sandbox, inner;
};

/* Of js/engine/vm-globals.patch: an engine that is not patched has no contexts. */
#ifdef JS_HAS_EXOTIC_GLOBAL

static struct global *global_of(JSContext *context, JSValueConst object)
{
    return weir__js_opaque(weir__js_of(context), object, WEIR__JS_REALM);
}

static bool is_same(JSValueConst a, JSValueConst b)
{
    return JS_IsObject(a) && JS_IsObject(b) &&
           JS_VALUE_GET_PTR(a) == JS_VALUE_GET_PTR(b);
}

/* What the code of the realm sees: the sandbox is its global object.  Takes the
 * value. */
static JSValue seen(JSContext *context, const struct global *global,
                    JSValueConst object, JSValue value)
{
    if (!is_same(value, global->sandbox))
        return value;
    JS_FreeValue(context, value);
    return JS_DupValue(context, object);
}

/* ---- the global object; each returns -1 with an exception ---- */

static int has_property(JSContext *context, JSValueConst object, JSAtom name)
{
    const struct global *global = global_of(context, object);
    int has;

    if (JS_CheckStack(context) < 0) /* the sandbox may inherit from us */
        return -1;
    has = JS_HasProperty(context, global->sandbox, name);
    return has != 0 ? has : JS_HasProperty(context, global->inner, name);
}

static JSValue get_property(JSContext *context, JSValueConst object,
                            JSAtom name, JSValueConst receiver)
{
    const struct global *global = global_of(context, object);
    int has = JS_CheckStack(context) < 0
                  ? -1
                  : JS_HasProperty(context, global->sandbox, name);

    if (has < 0)
        return JS_EXCEPTION;
    return seen(
        context, global, object,
        JS_GetProperty(context, has ? global->sandbox : global->inner, name));
}

static int get_own_property(JSContext *context, JSPropertyDescriptor *found,
                            JSValueConst object, JSAtom name)
{
    const struct global *global = global_of(context, object);
    int has = JS_CheckStack(context) < 0
                  ? -1
                  : JS_GetOwnProperty(context, found, global->sandbox, name);

    if (has == 0)
        has = JS_GetOwnProperty(context, found, global->inner, name);
    if (has > 0 && found != NULL)
        found->value = seen(context, global, object, found->value);
    return has;
}

/* Append the names of the inner object that the sandbox does not have. */
static int merge_names(JSContext *context, const struct global *global,
                       JSPropertyEnum *names, uint32_t *count,
                       JSPropertyEnum *more, uint32_t more_count)
{
    for (uint32_t i = 0; i < more_count; i++) {
        int has =
            JS_GetOwnProperty(context, NULL, global->sandbox, more[i].atom);

        if (has < 0)
            return -1;
        if (has)
            continue;
        names[*count] = more[i];
        JS_DupAtom(context, names[(*count)++].atom);
    }
    return 0;
}

static int get_own_names(JSContext *context, JSPropertyEnum **names,
                         uint32_t *count, JSValueConst object)
{
    const struct global *global = global_of(context, object);
    const int all = JS_GPN_STRING_MASK | JS_GPN_SYMBOL_MASK;
    JSPropertyEnum *own, *inner, *both;
    uint32_t own_count, inner_count;
    int status;

    if (JS_CheckStack(context) < 0 ||
        JS_GetOwnPropertyNames(context, &own, &own_count, global->sandbox,
                               all) < 0)
        return -1;
    if (JS_GetOwnPropertyNames(context, &inner, &inner_count, global->inner,
                               all) < 0) {
        JS_FreePropertyEnum(context, own, own_count);
        return -1;
    }
    both =
        js_realloc(context, own, sizeof(*both) * (own_count + inner_count + 1));
    status = both == NULL ? -1
                          : merge_names(context, global, both, &own_count,
                                        inner, inner_count);
    JS_FreePropertyEnum(context, inner, inner_count);
    if (status < 0) {
        JS_FreePropertyEnum(context, both != NULL ? both : own, own_count);
        return -1;
    }
    *names = both;
    *count = own_count;
    return 0;
}

static int delete_property(JSContext *context, JSValueConst object, JSAtom name)
{
    const struct global *global = global_of(context, object);
    int status = JS_CheckStack(context) < 0
                     ? -1
                     : JS_DeleteProperty(context, global->sandbox, name, 0);

    return status <= 0 ? status
                       : JS_DeleteProperty(context, global->inner, name, 0);
}

/* The flags of an own property, or 0 with *has unset. */
static int own_flags(JSContext *context, JSValueConst object, JSAtom name,
                     int *has)
{
    JSPropertyDescriptor found;

    *has = JS_GetOwnProperty(context, &found, object, name);
    if (*has <= 0)
        return 0;
    JS_FreeValue(context, found.value);
    JS_FreeValue(context, found.getter);
    JS_FreeValue(context, found.setter);
    return found.flags;
}

static bool is_read_only(int flags)
{
    return !(flags & (JS_PROP_GETSET | JS_PROP_WRITABLE));
}

/* A variable that has no value yet is not seen in the sandbox. */
static int declare(JSContext *context, const struct global *global, JSAtom name,
                   JSValueConst value, int flags)
{
    if (JS_IsFunction(context, value) &&
        JS_SetPropertyFlags(context, global->sandbox, name,
                            JS_DupValue(context, value), 0) < 0)
        return -1;
    return JS_DefineProperty(context, global->inner, name, value, JS_UNDEFINED,
                             JS_UNDEFINED, flags & ~JS_PROP_DECLARATION);
}

static int define_property(JSContext *context, JSValueConst object, JSAtom name,
                           JSValueConst value, JSValueConst getter,
                           JSValueConst setter, int flags)
{
    const struct global *global = global_of(context, object);
    bool is_hidden = false;
    int has, inner;

    if (JS_CheckStack(context) < 0)
        return -1;
    if (flags & JS_PROP_DECLARATION)
        return declare(context, global, name, value, flags);
    inner = own_flags(context, global->inner, name, &has);
    if (has < 0)
        return -1;
    if (has &&
        !(flags & (JS_PROP_HAS_VALUE | JS_PROP_HAS_GET | JS_PROP_HAS_SET))) {
        /* Object.freeze() and the like: a builtin that only the inner object
         * has must not become undefined in the sandbox. */
        int is_own = JS_GetOwnProperty(context, NULL, global->sandbox, name);

        if (is_own < 0)
            return -1;
        is_hidden = !is_own;
    }
    if (!is_hidden &&
        (!has || !is_read_only(inner) || (inner & JS_PROP_CONFIGURABLE))) {
        int status = JS_DefineProperty(context, global->sandbox, name, value,
                                       getter, setter, flags);

        if (status <= 0)
            return status;
    }
    return JS_DefineProperty(context, global->inner, name, value, getter,
                             setter, flags);
}

/* Write a property that may be written.  If the sandbox refuses (it may be
 * frozen), only the inner object has it. */
static int write_both(JSContext *context, const struct global *global,
                      JSAtom name, JSValueConst value, int flags,
                      bool is_accessor)
{
    int status = JS_SetPropertyFlags(context, global->sandbox, name,
                                     JS_DupValue(context, value),
                                     is_accessor ? flags : 0);

    if (status < 0 || is_accessor)
        return status;
    return JS_SetPropertyFlags(context, global->inner, name,
                               JS_DupValue(context, value), flags);
}

/* A symbol as the key of a new property: Node writes it to the inner object
 * only. */
static int is_new_symbol(JSContext *context, JSValueConst object, JSAtom name)
{
    JSValue key = JS_AtomToValue(context, name);
    bool is_symbol = JS_IsSymbol(key);
    int has;

    if (JS_IsException(key))
        return -1;
    JS_FreeValue(context, key);
    if (!is_symbol)
        return false;
    has = has_property(context, object, name);
    return has < 0 ? -1 : !has;
}

static int set_property(JSContext *context, JSValueConst object, JSAtom name,
                        JSValueConst value, JSValueConst receiver, int flags)
{
    const struct global *global = global_of(context, object);
    int has_own, has_inner, own, inner, is_symbol;

    if (JS_CheckStack(context) < 0)
        return -1;
    if (!is_same(object, receiver)) /* an object that inherits from us */
        return JS_DefinePropertyValue(
            context, receiver, name, JS_DupValue(context, value),
            JS_PROP_C_W_E | (flags & (JS_PROP_THROW | JS_PROP_THROW_STRICT)));
    own = own_flags(context, global->sandbox, name, &has_own);
    if (has_own < 0)
        return -1;
    inner = own_flags(context, global->inner, name, &has_inner);
    if (has_inner < 0)
        return -1;
    if (has_own && is_read_only(own)) /* fails there, as the flags say */
        return JS_SetPropertyFlags(context, global->sandbox, name,
                                   JS_DupValue(context, value), flags);
    is_symbol = is_new_symbol(context, object, name);
    if (is_symbol < 0)
        return -1;
    if (is_symbol || (has_inner && is_read_only(inner)))
        return JS_SetPropertyFlags(context, global->inner, name,
                                   JS_DupValue(context, value), flags);
    return write_both(context, global, name, value, flags,
                      has_own && (own & JS_PROP_GETSET));
}

static JSClassExoticMethods methods = {
    .get_own_property = get_own_property,
    .get_own_property_names = get_own_names,
    .delete_property = delete_property,
    .define_own_property = define_property,
    .has_property = has_property,
    .get_property = get_property,
    .set_property = set_property,
};

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    const weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct global *global = weir__js_opaque(js, value, WEIR__JS_REALM);

    if (global == NULL)
        return;
    JS_FreeValueRT(runtime, global->sandbox);
    JS_FreeValueRT(runtime, global->inner);
    js_free_rt(runtime, global);
}

static void mark(JSRuntime *runtime, JSValueConst value, JS_MarkFunc *visit)
{
    const weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct global *global = weir__js_opaque(js, value, WEIR__JS_REALM);

    if (global == NULL)
        return;
    JS_MarkValue(runtime, global->sandbox, visit);
    JS_MarkValue(runtime, global->inner, visit);
}

static const JSClassDef class_definition = {.class_name = "Object",
                                            .finalizer = finalize,
                                            .gc_mark = mark,
                                            .exotic = &methods};

/* ---- a new realm ---- */

/* Run a file of js/lib in the realm, with what the realm shares with the
 * program.  Returns 0, or -1 with an exception. */
static int prepare(JSContext *realm, const char *lib, JSValueConst shared)
{
    JSValue function = weir__js_lib_function(realm, lib), result;
    JSValueConst args[] = {JS_UNDEFINED, JS_UNDEFINED, JS_UNDEFINED, shared};

    if (JS_IsException(function))
        return -1;
    result = JS_Call(realm, function, JS_UNDEFINED, 4, args);
    JS_FreeValue(realm, function);
    JS_FreeValue(realm, result);
    return JS_IsException(result) ? -1 : 0;
}

/* Its prototype is an object between it and Object.prototype, as in V8. */
static JSValue new_global(JSContext *realm, JSValueConst sandbox)
{
    const weir_js *js = weir__js_of(realm);
    struct global *global = js_malloc(realm, sizeof(*global));
    JSValue prototype = JS_NewObject(realm), object = JS_EXCEPTION;

    if (global != NULL && !JS_IsException(prototype))
        object = JS_NewObjectProtoClass(realm, prototype,
                                        js->classes[WEIR__JS_REALM]);
    JS_FreeValue(realm, prototype);
    if (JS_IsException(object)) {
        js_free(realm, global);
        return object;
    }
    global->sandbox = JS_DupValue(realm, sandbox);
    global->inner = JS_GetGlobalObject(realm);
    JS_SetOpaque(object, global);
    return object;
}

/* Give the realm its global object: a new one on the sandbox, or the one that
 * it has.  Returns it. */
static JSValue contextify(JSContext *realm, JSValueConst sandbox)
{
    JSValue inner = JS_GetGlobalObject(realm), object;

    if (!JS_IsObject(sandbox))
        return inner;
    object = new_global(realm, sandbox);
    if (!JS_IsException(object) &&
        JS_DefinePropertyValueStr(
            realm, inner, "globalThis", JS_DupValue(realm, object),
            JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE) < 0) {
        JS_FreeValue(realm, object);
        object = JS_EXCEPTION;
    }
    JS_FreeValue(realm, inner);
    if (!JS_IsException(object))
        JS_SetGlobalObject(realm, JS_DupValue(realm, object));
    return object;
}

/* createRealm(sandbox or undefined, shared, mayEval, functions): adds the
 * realm's own run() to `functions`; returns its global object. */
static JSValue create(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    JSContext *realm = JS_NewContext(JS_GetRuntime(context));
    JSValue global = JS_EXCEPTION;

    if (realm == NULL) {
        JS_FreeValue(context, JS_GetException(context));
        return JS_ThrowOutOfMemory(context);
    }
    if (prepare(realm, "core/stack", JS_UNDEFINED) == 0 &&
        prepare(realm, "vm/realm", argv[1]) == 0)
        global = contextify(realm, argv[0]);
    if (!JS_IsException(global) &&
        weir__js_script_add_run(realm, argv[3]) < 0) {
        JS_FreeValue(context, global);
        global = JS_EXCEPTION;
    }
    if (!JS_ToBool(context, argv[2]))
        JS_ForbidEval(realm);
    JS_FreeContext(realm); /* its values hold it */
    return global;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("createRealm", 4, create),
};

const struct weir__js_builtin weir__js_realm_builtin = {
    WEIR__JS_LIBS("vm/vm"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &class_definition,
};

#else /* an engine that is not patched */
const struct weir__js_builtin weir__js_realm_builtin = {
    WEIR__JS_LIBS("vm/vm"),
};
#endif
