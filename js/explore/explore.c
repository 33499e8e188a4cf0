/* SPDX-License-Identifier: MIT */
/*
 * explore -- weir:explore, and the Atomics of a program that is explored.
 *
 * Each function of Atomics is replaced by one that tells the explorer which
 * element it is about to access, calls the engine's, and tells what came of it.
 * A call whose arguments are not those of a plain access to shared memory, and
 * so throws or runs code of the program, goes to the engine as it is.
 *
 * Outside of `weir explore` nothing is replaced, and the functions of
 * weir:explore have no effect.
 *
 * Tested by  test/explore/javascript.py, test/js/explore/explore-inert.js
 */
#include <errno.h>

#include "core/builtin.h"
#include "core/interrupt.h"
#include "core/visible.h"

const struct weir__js_explorer *weir__js_explorer;

/* --- invariants ------------------------------------------------------------------ */

/* Of each host: the function that checks the invariants, or undefined. */
struct checker {
    bool is_set, is_running;
    JSValue function;
};

/* Returns 0, or -1 with an exception. */
static int check_invariants(JSContext *context)
{
    struct checker *checker = weir__js_of(context)->states[WEIR__JS_EXPLORE];
    JSValue result;

    if (!checker->is_set)
        return 0;
    checker->is_running = true; /* its own accesses are not operations */
    weir__js_explorer->ignore(true);
    result = JS_Call(context, checker->function, JS_UNDEFINED, 0, NULL);
    weir__js_explorer->ignore(false);
    checker->is_running = false;
    JS_FreeValue(context, result);
    return JS_IsException(result) ? -1 : 0;
}

static JSValue on_operation(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    struct checker *checker = weir__js_of(context)->states[WEIR__JS_EXPLORE];

    if (!checker->is_set)
        checker->function = JS_DupValue(context, argv[0]);
    checker->is_set = true;
    return JS_UNDEFINED;
}

static JSValue check(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    return check_invariants(context) < 0 ? JS_EXCEPTION : JS_UNDEFINED;
}

/* --- Atomics ------------------------------------------------------------------ */

enum kind { READ, STORE, UPDATE, COMPARE, WAIT, WAIT_ASYNC, NOTIFY };

static const struct {
    const char *name, *full_name;
    enum kind kind;
} functions[] = {
    {"add", "Atomics.add", UPDATE},
    {"and", "Atomics.and", UPDATE},
    {"compareExchange", "Atomics.compareExchange", COMPARE},
    {"exchange", "Atomics.exchange", UPDATE},
    {"load", "Atomics.load", READ},
    {"notify", "Atomics.notify", NOTIFY},
    {"or", "Atomics.or", UPDATE},
    {"store", "Atomics.store", STORE},
    {"sub", "Atomics.sub", UPDATE},
    {"wait", "Atomics.wait", WAIT},
    {"waitAsync", "Atomics.waitAsync", WAIT_ASYNC},
    {"xor", "Atomics.xor", UPDATE},
};

enum { FUNCTIONS = sizeof(functions) / sizeof(*functions) };

/* False: the arguments are not an array in shared memory and an index in it. */
static bool find_element(JSContext *context, int argc, JSValueConst *argv,
                         struct weir__js_access *access)
{
    size_t offset, length, each, all;
    JSValue buffer;
    const uint8_t *bytes;
    bool is_shared;

    if (argc < 2 || JS_GetTypedArrayType(argv[0]) < 0 ||
        !JS_IsNumber(argv[1]) ||
        JS_ToInt32(context, &access->index, argv[1]) < 0)
        return false;
    buffer = JS_GetTypedArrayBuffer(context, argv[0], &offset, &length, &each);
    if (JS_IsException(buffer)) {
        JS_FreeValue(context, JS_GetException(context));
        return false;
    }
    is_shared = !JS_IsArrayBuffer(buffer);
    bytes = is_shared ? JS_GetArrayBuffer(context, &all, buffer) : NULL;
    JS_FreeValue(context, buffer);
    if (bytes == NULL || access->index < 0 ||
        (size_t)access->index >= length / each)
        return false;
    access->address = bytes + offset + (size_t)access->index * each;
    access->size = each;
    return true;
}

/* The promise in {async: true, value}. */
static void note_promise(JSContext *context,
                         const struct weir__js_access *access,
                         JSValueConst answer)
{
    JSValue promise = JS_IsObject(answer)
                          ? JS_GetPropertyStr(context, answer, "value")
                          : JS_UNDEFINED;

    if (JS_IsObject(promise))
        weir__js_explorer->wait_async(context, access, promise);
    JS_FreeValue(context, promise);
}

/* Whether compareExchange has found what it expects, and so has written. */
static bool has_exchanged(JSContext *context, size_t size,
                          JSValueConst expected, JSValueConst found)
{
    int32_t wanted, got;

    if (!JS_IsNumber(expected) || !JS_IsNumber(found) ||
        JS_ToInt32(context, &wanted, expected) < 0 ||
        JS_ToInt32(context, &got, found) < 0)
        return !JS_IsBigInt(expected) ||
               JS_IsStrictEqual(context, expected, found);
    return (uint32_t)(wanted ^ got) << (32 - 8 * size) == 0;
}

/* Tells what the operation has accessed. */
static void note_access(JSContext *context, struct weir__js_access *access,
                        enum kind kind, JSValueConst expected,
                        JSValueConst result)
{
    if (kind == COMPARE)
        access->writes = has_exchanged(context, access->size, expected, result);
    if (kind != NOTIFY)
        weir__js_explorer->access(context, access);
    if (kind == WAIT || kind == WAIT_ASYNC)
        weir__js_explorer->synchronize(access->address);
}

static JSValue access_element(JSContext *context, JSValueConst this_value,
                              int argc, JSValueConst *argv, int magic,
                              JSValueConst *data)
{
    struct weir__js_access access = {.name = functions[magic].full_name};
    const struct checker *checker =
        weir__js_of(context)->states[WEIR__JS_EXPLORE];
    enum kind kind = functions[magic].kind;
    JSValue result;

    if (checker->is_running || !find_element(context, argc, argv, &access))
        return JS_Call(context, data[0], this_value, argc, argv);
    access.reads = kind != STORE && kind != NOTIFY;
    access.writes = kind == STORE || kind == UPDATE || kind == COMPARE;
    weir__js_explorer->visit(context, &access);
    if (!weir__js_may_go_on(context)) /* terminated by another thread */
        return JS_EXCEPTION;
    weir__js_explorer->say(context, argc, argv);
    if (kind == NOTIFY)
        weir__js_explorer->synchronize(access.address);
    if (kind == WAIT)
        weir__js_explorer->wait(context, &access);
    result = JS_Call(context, data[0], this_value, argc, argv);
    if (kind == WAIT)
        weir__js_explorer->wait_is_over();
    if (!JS_IsException(result)) {
        note_access(context, &access, kind, argc > 2 ? argv[2] : JS_UNDEFINED,
                    result);
        weir__js_explorer->answer(context, result);
    }
    if (kind == WAIT_ASYNC)
        note_promise(context, &access, result);
    if (!JS_IsException(result) && check_invariants(context) < 0) {
        JS_FreeValue(context, result);
        return JS_EXCEPTION;
    }
    return result;
}

static int replace_one(JSContext *context, JSValueConst atomics, int index)
{
    const char *name = functions[index].name;
    JSValue original = JS_GetPropertyStr(context, atomics, name);
    JSValue function = JS_IsException(original)
                           ? JS_EXCEPTION
                           : JS_NewCFunctionData2(context, access_element, name,
                                                  3, index, 1, &original);

    JS_FreeValue(context, original);
    return JS_IsException(function)
               ? -1
               : JS_DefinePropertyValueStr(context, atomics, name, function,
                                           JS_PROP_WRITABLE |
                                               JS_PROP_CONFIGURABLE);
}

static int replace_functions(weir_js *js)
{
    JSContext *context = js->context;
    JSValue global, atomics;
    int err = 0;

    if (weir__js_explorer == NULL)
        return 0;
    global = JS_GetGlobalObject(context);
    atomics = JS_GetPropertyStr(context, global, "Atomics");
    for (int i = 0; i < FUNCTIONS && err >= 0; i++)
        err = replace_one(context, atomics, i);
    JS_FreeValue(context, atomics);
    JS_FreeValue(context, global);
    if (err >= 0)
        return 0;
    JS_FreeValue(context, JS_GetException(context));
    return -ENOMEM;
}

static void forget(weir_js *js)
{
    struct checker *checker = js->states[WEIR__JS_EXPLORE];

    if (checker->is_set)
        JS_FreeValue(js->context, checker->function);
    checker->is_set = false;
    if (weir__js_explorer != NULL)
        weir__js_explorer->forget(js->context);
}

/* --- weir:explore --------------------------------------------------------------- */

static JSValue is_active(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    return JS_NewBool(context, weir__js_explorer != NULL);
}

static JSValue choose(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    uint32_t count;

    if (JS_ToUint32(context, &count, argv[0]) < 0)
        return JS_EXCEPTION;
    return JS_NewUint32(context, weir__js_explorer != NULL && count > 1
                                     ? weir__js_explorer->choose(count)
                                     : 0);
}

static JSValue reach(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    const char *name;

    if (weir__js_explorer == NULL)
        return JS_UNDEFINED;
    name = JS_ToCString(context, argv[0]);
    if (name == NULL)
        return JS_EXCEPTION;
    weir__js_explorer->reach(name);
    JS_FreeCString(context, name);
    return JS_UNDEFINED;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("isActive", 0, is_active),
    JS_CFUNC_DEF("onOperation", 1, on_operation),
    JS_CFUNC_DEF("check", 0, check),
    JS_CFUNC_DEF("choose", 1, choose),
    JS_CFUNC_DEF("reach", 1, reach),
};

const struct weir__js_builtin weir__js_explore_builtin = {
    WEIR__JS_LIBS("explore/explore"),
    WEIR__JS_NATIVES(natives),
    .state_bytes = sizeof(struct checker),
    .init = replace_functions,
    .drop = forget,
};
