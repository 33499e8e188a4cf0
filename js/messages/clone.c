/* SPDX-License-Identifier: MIT */
/*
 * clone -- structuredClone, and what the writer and reader of messages need
 * from a host: the engine's class numbers, and the functions of
 * js/lib/messages/clone.js.
 *
 * The engine numbers its classes but does not publish the numbers.  It does
 * publish the names, so the numbers are looked up by name.  They are the same
 * in all hosts, so the first host does this for all: it writes `known` once,
 * under a lock, and the others copy it.  Hosts that begin at the same time may
 * each look them up.
 *
 * The functions are loaded when the first value needs them.
 *
 * Tested by  test/js/messages/clone-*.js
 */
#include <stdlib.h>
#include <string.h>

#include "core/builtin.h"
#include "core/lib.h"
#include "messages/message.h"
#include "weir/host/lock.h"

enum { CLASSES = 128 }; /* more than the engine has itself */

struct weir__js_cloner {
    uint8_t kinds[CLASSES]; /* enum weir__js_kind, by the engine's number */
    JSValue hooks[WEIR__CLONE_HOOKS];
    JSAtom host; /* the symbol of js/lib/messages/host.js, once it is loaded */
};

static const struct {
    const char *name;
    enum weir__js_kind kind;
} names[] = {
    {"Array", WEIR__KIND_ARRAY},
    {"ArrayBuffer", WEIR__KIND_BUFFER},
    {"SharedArrayBuffer", WEIR__KIND_SHARED},
    {"Uint8ClampedArray", WEIR__KIND_VIEW},
    {"Int8Array", WEIR__KIND_VIEW},
    {"Uint8Array", WEIR__KIND_VIEW},
    {"Int16Array", WEIR__KIND_VIEW},
    {"Uint16Array", WEIR__KIND_VIEW},
    {"Int32Array", WEIR__KIND_VIEW},
    {"Uint32Array", WEIR__KIND_VIEW},
    {"BigInt64Array", WEIR__KIND_VIEW},
    {"BigUint64Array", WEIR__KIND_VIEW},
    {"Float16Array", WEIR__KIND_VIEW},
    {"Float32Array", WEIR__KIND_VIEW},
    {"Float64Array", WEIR__KIND_VIEW},
    {"DataView", WEIR__KIND_PARTS},
    {"Boolean", WEIR__KIND_PARTS},
    {"Number", WEIR__KIND_PARTS},
    {"String", WEIR__KIND_PARTS},
    {"BigInt", WEIR__KIND_PARTS},
    {"Date", WEIR__KIND_PARTS},
    {"RegExp", WEIR__KIND_PARTS},
    {"Map", WEIR__KIND_PARTS},
    {"Set", WEIR__KIND_PARTS},
    {"Error", WEIR__KIND_PARTS},
    {"DOMException", WEIR__KIND_PARTS},
};

static enum weir__js_kind kind_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(names[i].name, name) == 0)
            return names[i].kind;
    return WEIR__KIND_OTHER;
}

/* A proxy's class has the same name, so the class of objects is taken from an
 * object. */
static bool set_object(weir_js *js, uint8_t *kinds)
{
    JSValue object = JS_NewObject(js->context);

    if (JS_IsException(object))
        return false;
    if (JS_GetClassID(object) < CLASSES)
        kinds[JS_GetClassID(object)] = WEIR__KIND_OBJECT;
    JS_FreeValue(js->context, object);
    return true;
}

/* Look at the classes before the port's, which the engine's are among.  Returns
 * false if there is no memory. */
static bool look_up(weir_js *js, uint8_t *kinds)
{
    for (JSClassID id = 1; id < js->classes[WEIR__JS_PORT] && id < CLASSES;
         id++) {
        JSAtom atom = JS_GetClassName(js->runtime, id);
        const char *name =
            atom != JS_ATOM_NULL ? JS_AtomToCString(js->context, atom) : NULL;

        if (name != NULL)
            kinds[id] = (uint8_t)kind_by_name(name);
        JS_FreeCString(js->context, name);
        JS_FreeAtom(js->context, atom);
        if (name == NULL && atom != JS_ATOM_NULL)
            return false;
    }
    return set_object(js, kinds);
}

static weir_lock lock = WEIR_LOCK_INIT;
static uint8_t known[CLASSES]; /* under the lock; so is: */
static bool is_known;

static bool copy_known(uint8_t *kinds)
{
    bool is_copied;

    weir_lock_acquire(&lock);
    is_copied = is_known;
    memcpy(kinds, known, sizeof(known));
    weir_lock_release(&lock);
    return is_copied;
}

/* Copy the engine's own classes; false with an exception. */
static bool copy_kinds(weir_js *js, uint8_t *kinds)
{
    if (copy_known(kinds))
        return true;
    if (!look_up(js, kinds))
        return false;
    weir_lock_acquire(&lock);
    memcpy(known, kinds, sizeof(known));
    is_known = true;
    weir_lock_release(&lock);
    return true;
}

static struct weir__js_cloner *new_cloner(weir_js *js)
{
    struct weir__js_cloner *cloner = malloc(sizeof(*cloner));

    if (cloner == NULL) {
        JS_ThrowOutOfMemory(js->context);
        return NULL;
    }
    if (!copy_kinds(js, cloner->kinds)) {
        free(cloner);
        return NULL;
    }
    if (js->classes[WEIR__JS_PORT] < CLASSES)
        cloner->kinds[js->classes[WEIR__JS_PORT]] = WEIR__KIND_PORT;
    /* As in Node, where a URL keeps its text where nobody copies it. */
    if (js->classes[WEIR__JS_URL] < CLASSES)
        cloner->kinds[js->classes[WEIR__JS_URL]] = WEIR__KIND_OBJECT;
    weir__js_values_init(cloner->hooks, WEIR__CLONE_HOOKS);
    cloner->host = JS_ATOM_NULL;
    return cloner;
}

/* NULL until something is cloned. */
static struct weir__js_cloner **cloner_of(const weir_js *js)
{
    return js->states[WEIR__JS_CLONE];
}

const struct weir__js_cloner *weir__js_cloner(weir_js *js)
{
    struct weir__js_cloner **cloner = cloner_of(js);

    if (*cloner == NULL)
        *cloner = new_cloner(js);
    return *cloner;
}

enum weir__js_kind weir__js_kind_of(const struct weir__js_cloner *cloner,
                                    JSValueConst value)
{
    JSClassID id = JS_GetClassID(value);

    return id < CLASSES ? (enum weir__js_kind)cloner->kinds[id]
                        : WEIR__KIND_OTHER;
}

/* Objects of the host have the symbol in the prototype of their class.  A proxy
 * among the prototypes is not asked: its traps are the program's. */
bool weir__js_is_host_object(weir_js *js, JSValueConst object)
{
    JSContext *context = js->context;
    JSAtom host = (*cloner_of(js))->host;
    JSValue plain, at;
    int has = 0;

    if (host == JS_ATOM_NULL)
        return false;
    plain = JS_GetClassProto(context, JS_GetClassID(object));
    at = JS_GetPrototype(context, object);
    while (has == 0 && JS_IsObject(at) && !JS_IsProxy(at) &&
           !JS_IsStrictEqual(context, at, plain)) {
        JSValue next = JS_GetPrototype(context, at);

        has = JS_GetOwnProperty(context, NULL, at, host);
        JS_FreeValue(context, at);
        at = next;
    }
    JS_FreeValue(context, at);
    JS_FreeValue(context, plain);
    return has == 1;
}

JSValue weir__js_clone_call(weir_js *js, enum weir__js_clone_hook hook,
                            int count, JSValueConst *args)
{
    const struct weir__js_cloner *cloner = weir__js_cloner(js);

    if (cloner == NULL)
        return JS_EXCEPTION;
    if (JS_IsUndefined(cloner->hooks[hook])) {
        JSValue loaded =
            weir__js_call_hook(js, WEIR__JS_HOOK_CLONE, JS_UNDEFINED);

        if (JS_IsException(loaded))
            return loaded;
        JS_FreeValue(js->context, loaded);
    }
    return JS_Call(js->context, cloner->hooks[hook], JS_UNDEFINED, count, args);
}

static void drop_cloner(weir_js *js)
{
    struct weir__js_cloner *cloner = *cloner_of(js);

    if (cloner == NULL)
        return;
    weir__js_values_drop(js->context, cloner->hooks, WEIR__CLONE_HOOKS);
    JS_FreeAtom(js->context, cloner->host);
    free(cloner);
    *cloner_of(js) = NULL;
}

/* setHooks(take, make, fill, refuse) */
static JSValue set_hooks(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct weir__js_cloner *cloner;

    if (weir__js_cloner(js) == NULL)
        return JS_EXCEPTION;
    cloner = *cloner_of(js);
    weir__js_values_set(context, cloner->hooks, WEIR__CLONE_HOOKS, argv);
    return JS_UNDEFINED;
}

/* setHost(symbol) */
static JSValue set_host(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    JSAtom host;

    if (weir__js_cloner(js) == NULL)
        return JS_EXCEPTION;
    host = JS_ValueToAtom(context, argv[0]);
    if (host == JS_ATOM_NULL)
        return JS_EXCEPTION;
    JS_FreeAtom(context, (*cloner_of(js))->host);
    (*cloner_of(js))->host = host;
    return JS_UNDEFINED;
}

/* clone(value, transfer list) */
static JSValue clone_value(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct weir__js_message *message =
        weir__js_message_write(context, argv[0], argv[1], NULL);
    JSValue copy;

    if (message == NULL)
        return JS_EXCEPTION;
    copy = weir__js_message_read(context, message, NULL);
    weir__js_message_free(message);
    return copy;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("setHooks", WEIR__CLONE_HOOKS, set_hooks),
    JS_CFUNC_DEF("setHost", 1, set_host),
    JS_CFUNC_DEF("clone", 2, clone_value),
};

const struct weir__js_builtin weir__js_clone_builtin = {
    WEIR__JS_LIBS("messages/clone", "messages/host"),
    WEIR__JS_NATIVES(natives),
    .state_bytes = sizeof(struct weir__js_cloner *),
    .drop = drop_cloner,
};
