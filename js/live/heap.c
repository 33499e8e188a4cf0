/* SPDX-License-Identifier: MIT */
/*
 * heap -- heapSummary() of weir:live: what the objects of this thread take, by
 * class.
 *
 * The engine is asked for each object (js/engine/visit-objects.patch).  Those of
 * a class and a prototype are one row.  The name of a row is that of the
 * prototype's constructor, which is read without running code of the program:
 * only properties with a value count.
 *
 * Nothing is allocated from the engine while its objects are visited.
 *
 * Tested by  test/js/live/live-heap.mjs
 */
#include <stdlib.h>

#include "core/builtin.h"
#include "core/error.h"
#include "weir/net/monitor.h"

struct row {
    void *proto;     /* of the objects; NULL: none */
    JSClassID class; /* 0: a free slot */
    uint64_t count, bytes;
};

struct rows {
    struct row *slots;
    size_t capacity; /* a power of two */
    size_t count;
    bool is_short; /* of memory */
};

/* ---- rows ---- */

static struct row *find(const struct rows *rows, JSClassID class,
                        const void *proto)
{
    size_t hash =
        (((uintptr_t)proto >> 4) ^ class) * UINT64_C(0x9e3779b97f4a7c15);

    for (size_t i = hash >> 20;; i++) {
        struct row *row = &rows->slots[i & (rows->capacity - 1)];

        if (row->class == 0 || (row->class == class && row->proto == proto))
            return row;
    }
}

static bool grow(struct rows *rows)
{
    struct rows larger = {.capacity =
                              rows->capacity == 0 ? 256 : 2 * rows->capacity,
                          .count = rows->count};

    larger.slots = calloc(larger.capacity, sizeof(*larger.slots));
    if (larger.slots == NULL)
        return false;
    for (size_t i = 0; i < rows->capacity; i++)
        if (rows->slots[i].class != 0)
            *find(&larger, rows->slots[i].class, rows->slots[i].proto) =
                rows->slots[i];
    free(rows->slots);
    *rows = larger;
    return true;
}

#ifdef JS_HAS_VISIT_OBJECTS
static void add(void *arg, JSClassID class, JSValueConst proto, size_t size)
{
    struct rows *rows = arg;
    void *key = JS_IsObject(proto) ? JS_VALUE_GET_PTR(proto) : NULL;
    struct row *row;

    if (rows->is_short || (2 * rows->count >= rows->capacity && !grow(rows))) {
        rows->is_short = true;
        return;
    }
    row = find(rows, class, key);
    if (row->class == 0) {
        *row = (struct row){.proto = key, .class = class};
        rows->count++;
    }
    row->count++;
    row->bytes += size;
}
#endif

/* ---- names ---- */

/* The value of an own property, or undefined: if it has none, or a getter. */
static JSValue own_value(JSContext *context, JSValueConst object,
                         const char *name)
{
    JSPropertyDescriptor property;
    JSAtom atom;
    int found;

    if (!JS_IsObject(object) || JS_IsProxy(object))
        return JS_UNDEFINED;
    atom = JS_NewAtom(context, name);
    if (atom == JS_ATOM_NULL)
        return JS_EXCEPTION;
    found = JS_GetOwnProperty(context, &property, object, atom);
    JS_FreeAtom(context, atom);
    if (found <= 0)
        return found < 0 ? JS_EXCEPTION : JS_UNDEFINED;
    JS_FreeValue(context, property.getter);
    JS_FreeValue(context, property.setter);
    return property.value;
}

static JSValue class_name(JSContext *context, JSClassID class)
{
    JSAtom atom = JS_GetClassName(JS_GetRuntime(context), class);
    JSValue name = atom == JS_ATOM_NULL ? JS_NewString(context, "")
                                        : JS_AtomToString(context, atom);

    JS_FreeAtom(context, atom);
    return name;
}

static JSValue name_of(JSContext *context, const struct row *row,
                       JSValueConst proto)
{
    JSValue constructor = own_value(context, proto, "constructor");
    JSValue name = own_value(context, constructor, "name");

    JS_FreeValue(context, constructor);
    if (JS_IsString(name) || JS_IsException(name))
        return name;
    JS_FreeValue(context, name);
    return class_name(context, row->class);
}

/* ---- the object ---- */

/* [name, count, bytes] */
static JSValue describe(JSContext *context, const struct row *row,
                        JSValueConst proto)
{
    JSValue list = JS_NewArray(context);
    JSValue values[] = {name_of(context, row, proto),
                        JS_NewInt64(context, (int64_t)row->count),
                        JS_NewInt64(context, (int64_t)row->bytes)};
    bool failed = JS_IsException(list) || JS_IsException(values[0]);

    for (uint32_t i = 0; i < 3; i++) {
        if (failed)
            JS_FreeValue(context, values[i]);
        else
            failed = JS_DefinePropertyValueUint32(context, list, i, values[i],
                                                  JS_PROP_C_W_E) < 0;
    }
    if (!failed)
        return list;
    JS_FreeValue(context, list);
    return JS_EXCEPTION;
}

/* A prototype of a row may be freed while names are made, so they are held. */
static void hold(JSContext *context, const struct rows *rows, JSValue *protos)
{
    size_t at = 0;

    for (size_t i = 0; i < rows->capacity; i++)
        if (rows->slots[i].class != 0)
            protos[at++] =
                rows->slots[i].proto == NULL
                    ? JS_NULL
                    : JS_DupValue(context, JS_MKPTR(JS_TAG_OBJECT,
                                                    rows->slots[i].proto));
}

static JSValue list_rows(JSContext *context, const struct rows *rows)
{
    JSValue list = JS_NewArray(context), *protos;
    uint32_t at = 0;
    bool failed = JS_IsException(list);

    protos = calloc(rows->count + 1, sizeof(*protos));
    if (protos == NULL) {
        JS_FreeValue(context, list);
        return JS_ThrowOutOfMemory(context);
    }
    hold(context, rows, protos);
    for (size_t i = 0; i < rows->capacity; i++) {
        JSValue one;

        if (rows->slots[i].class == 0)
            continue;
        one = failed ? JS_UNDEFINED
                     : describe(context, &rows->slots[i], protos[at]);
        failed |= JS_IsException(one) ||
                  JS_DefinePropertyValueUint32(context, list, at, one,
                                               JS_PROP_C_W_E) < 0;
        JS_FreeValue(context, protos[at++]);
    }
    free(protos);
    if (!failed)
        return list;
    JS_FreeValue(context, list);
    return JS_EXCEPTION;
}

/* heap() -> [[name, count, bytes], ...]; undefined: not with this engine */
static JSValue heap(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct rows rows = {0};
    JSValue list = JS_UNDEFINED;

#ifdef JS_HAS_VISIT_OBJECTS
    JS_VisitObjects(JS_GetRuntime(context), add, &rows);
    list = rows.is_short ? JS_ThrowOutOfMemory(context)
                         : list_rows(context, &rows);
#endif
    free(rows.slots);
    return list;
}

/* usage() -> what JS_ComputeMemoryUsage says */
static JSValue usage(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    JSValue object = JS_NewObject(context);
    JSMemoryUsage usage;

    if (JS_IsException(object))
        return object;
    JS_ComputeMemoryUsage(JS_GetRuntime(context), &usage);
    {
        const struct {
            const char *name;
            int64_t value;
        } figures[] = {
            {"allocated", usage.malloc_size},
            {"objects", usage.obj_count},
            {"objectBytes", usage.obj_size + usage.prop_size},
            {"strings", usage.str_count},
            {"stringBytes", usage.str_size},
            {"atoms", usage.atom_count},
            {"atomBytes", usage.atom_size},
            {"shapes", usage.shape_count},
            {"shapeBytes", usage.shape_size},
            {"functions", usage.js_func_count},
            {"functionBytes", usage.js_func_size + usage.js_func_code_size +
                                  usage.js_func_pc2line_size},
        };

        for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
            if (JS_DefinePropertyValueStr(
                    context, object, figures[i].name,
                    JS_NewInt64(context, figures[i].value),
                    JS_PROP_C_W_E) < 0) {
                JS_FreeValue(context, object);
                return JS_EXCEPTION;
            }
    }
    return object;
}

/* show(name, json): on the live page */
static JSValue show(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    size_t size;
    const char *name = JS_ToCString(context, argv[0]);
    const char *json =
        name == NULL ? NULL : JS_ToCStringLen(context, &size, argv[1]);
    int err = json == NULL ? 0 : weir_monitor_show(name, json, size);
    bool failed = json == NULL;

    JS_FreeCString(context, json);
    JS_FreeCString(context, name);
    if (failed)
        return JS_EXCEPTION;
    return err == 0 ? JS_UNDEFINED : weir__js_throw_status(context, err);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("heap", 0, heap),
    JS_CFUNC_DEF("usage", 0, usage),
    JS_CFUNC_DEF("show", 2, show),
};

const struct weir__js_builtin weir__js_heap_builtin = {
    WEIR__JS_LIBS("live/panels"),
    WEIR__JS_NATIVES(natives),
};
