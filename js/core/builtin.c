/* SPDX-License-Identifier: MIT */
/*
 * builtin -- begin, fill and end the builtins of js/builtins.h, row by row.
 */
#include "core/builtin.h"

#include <errno.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct weir__js_builtin *const builtins[WEIR__JS_BUILTIN_COUNT] = {
#define X(NAME, name) &weir__js_##name##_builtin,
    WEIR__JS_BUILTINS(X)
#undef X
};

static size_t align(size_t size)
{
    size_t unit = alignof(max_align_t);

    return (size + unit - 1) / unit * unit;
}

weir_js *weir__js_builtins_new_host(void)
{
    size_t size = align(sizeof(weir_js)), at = size;
    weir_js *js;

    for (int i = 0; i < WEIR__JS_BUILTIN_COUNT; i++)
        size += align(builtins[i]->state_bytes);
    js = calloc(1, size);
    for (int i = 0; js != NULL && i < WEIR__JS_BUILTIN_COUNT; i++) {
        js->states[i] = (char *)js + at;
        at += align(builtins[i]->state_bytes);
    }
    return js;
}

static int add_class(weir_js *js, int number, const JSClassDef *definition)
{
    JS_NewClassID(js->runtime, &js->classes[number]);
    return JS_NewClass(js->runtime, js->classes[number], definition) < 0
               ? -ENOMEM
               : 0;
}

int weir__js_builtins_init(weir_js *js)
{
    for (int i = 0; i < WEIR__JS_BUILTIN_COUNT; i++) {
        const struct weir__js_builtin *builtin = builtins[i];
        int err = 0;

        if (builtin->class_definition != NULL)
            err = add_class(js, i, builtin->class_definition);
        weir__js_values_init(js->states[i], builtin->hook_count);
        if (err == 0 && builtin->init != NULL)
            err = builtin->init(js);
        if (err != 0)
            return err;
        js->builtins_begun++;
    }
    return 0;
}

void weir__js_builtins_drop(weir_js *js)
{
    for (int i = 0; i < js->builtins_begun; i++) {
        weir__js_values_drop(js->context, js->states[i],
                             builtins[i]->hook_count);
        if (builtins[i]->drop != NULL)
            builtins[i]->drop(js);
    }
}

/* setHooks(functions); magic is the number of the builtin. */
static JSValue set_hooks(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv, int magic)
{
    weir__js_values_read(context, weir__js_of(context)->states[magic],
                         builtins[magic]->hook_count, argv[0]);
    return JS_UNDEFINED;
}

static int add_set_hooks(JSContext *context, JSValueConst native, int number)
{
    return JS_DefinePropertyValueStr(
        context, native, "setHooks",
        JS_NewCFunctionMagic(context, set_hooks, "setHooks", 1,
                             JS_CFUNC_generic_magic, number),
        JS_PROP_C_W_E);
}

static bool serves(const struct weir__js_builtin *builtin, const char *lib)
{
    const char *const *name = builtin->libs;

    while (name != NULL && *name != NULL)
        if (strcmp(*name++, lib) == 0)
            return true;
    return false;
}

int weir__js_builtins_add(JSContext *context, JSValueConst native,
                          const char *lib)
{
    for (int i = 0; i < WEIR__JS_BUILTIN_COUNT; i++) {
        const struct weir__js_builtin *builtin = builtins[i];

        if (!serves(builtin, lib))
            continue;
        if (builtin->natives != NULL &&
            JS_SetPropertyFunctionList(context, native, builtin->natives,
                                       builtin->native_count) < 0)
            return -1;
        if (builtin->hook_count > 0 && add_set_hooks(context, native, i) < 0)
            return -1;
        if (builtin->add != NULL && builtin->add(context, native) < 0)
            return -1;
    }
    return 0;
}
