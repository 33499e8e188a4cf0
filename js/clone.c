/* SPDX-License-Identifier: MIT */
/*
 * clone -- structuredClone; and what the writer and the reader of messages
 * need of a host: which class is which, and the functions of js/lib/clone.js.
 *
 * The engine has numbers for its classes but does not give them away; their
 * names are known, so the numbers are looked up, once in each host.
 *
 * Tested by  test/js/clone-*.js
 */
#include <stdlib.h>
#include <string.h>

#include "lib.h"
#include "message.h"
#include "native.h"

enum { CLASSES = 128 }; /* more than the engine has of its own */

struct weir__js_cloner {
    uint8_t kinds[CLASSES]; /* enum weir__js_kind, by the engine's number */
    JSValue hooks[WEIR__CLONE_HOOKS];
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

/* A proxy's class has the same name; an object's is found with an object. */
static void set_object(weir_js *js, struct weir__js_cloner *cloner)
{
    JSValue object = JS_NewObject(js->context);
    JSClassID id = JS_IsObject(object) ? JS_GetClassID(object) : 0;

    if (id < CLASSES)
        cloner->kinds[id] = WEIR__KIND_OBJECT;
    cloner->kinds[0] = WEIR__KIND_OTHER;
    JS_FreeValue(js->context, object);
}

static void look_up(weir_js *js, struct weir__js_cloner *cloner)
{
    for (JSClassID id = 1; id < js->classes[0] && id < CLASSES; id++) {
        JSAtom atom = JS_GetClassName(js->runtime, id);
        const char *name =
            atom != JS_ATOM_NULL ? JS_AtomToCString(js->context, atom) : NULL;

        if (name != NULL)
            cloner->kinds[id] = (uint8_t)kind_by_name(name);
        JS_FreeCString(js->context, name);
        JS_FreeAtom(js->context, atom);
    }
    set_object(js, cloner);
    if (js->classes[WEIR__JS_PORT] < CLASSES)
        cloner->kinds[js->classes[WEIR__JS_PORT]] = WEIR__KIND_PORT;
}

const struct weir__js_cloner *weir__js_cloner(weir_js *js)
{
    JSValue loaded;

    if (js->cloner == NULL) {
        loaded = weir__js_complain(js, "clone", JS_UNDEFINED);
        JS_FreeValue(js->context, loaded);
    }
    return js->cloner;
}

enum weir__js_kind weir__js_kind_of(const struct weir__js_cloner *cloner,
                                    JSValueConst value)
{
    JSClassID id = JS_GetClassID(value);

    return id < CLASSES ? (enum weir__js_kind)cloner->kinds[id]
                        : WEIR__KIND_OTHER;
}

JSValue weir__js_clone_call(weir_js *js, enum weir__js_clone_hook hook,
                            int count, JSValueConst *args)
{
    const struct weir__js_cloner *cloner = weir__js_cloner(js);

    return cloner == NULL ? JS_EXCEPTION
                          : JS_Call(js->context, cloner->hooks[hook],
                                    JS_UNDEFINED, count, args);
}

void weir__js_drop_cloner(weir_js *js)
{
    if (js->cloner == NULL)
        return;
    for (int i = 0; i < WEIR__CLONE_HOOKS; i++)
        JS_FreeValue(js->context, js->cloner->hooks[i]);
    free(js->cloner);
    js->cloner = NULL;
}

/* setHooks(take, make, fill, refuse) */
static JSValue set_hooks(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);

    (void)this_value;
    (void)argc;
    js->cloner = calloc(1, sizeof(*js->cloner));
    if (js->cloner == NULL)
        return JS_ThrowOutOfMemory(context);
    for (int i = 0; i < WEIR__CLONE_HOOKS; i++)
        js->cloner->hooks[i] = JS_DupValue(context, argv[i]);
    look_up(js, js->cloner);
    return JS_UNDEFINED;
}

/* clone(value, list of what to transfer) */
static JSValue clone(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    struct weir__js_message *message =
        weir__js_message_write(context, argv[0], argv[1], NULL);
    JSValue copy;

    (void)this_value;
    (void)argc;
    if (message == NULL)
        return JS_EXCEPTION;
    copy = weir__js_message_read(context, message, NULL);
    weir__js_message_free(message);
    return copy;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("setHooks", WEIR__CLONE_HOOKS, set_hooks),
    JS_CFUNC_DEF("clone", 2, clone),
};

int weir__js_add_clone(JSContext *context, JSValueConst native)
{
    return weir__js_add_inspect(context, native) < 0
               ? -1
               : WEIR__JS_SET_NATIVE(context, native, natives);
}
