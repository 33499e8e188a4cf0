/* SPDX-License-Identifier: MIT */
/*
 * order -- the fields of a Headers object in the order of iteration: sorted by
 * name, with the values of one name combined, except those of Set-Cookie.
 *
 * Tested by  test/js/http/headers-methods.mjs
 */
#include <stdlib.h>

#include "core/builtin.h"
#include "core/property.h"
#include "http/headers.h"

static const weir_bytes set_cookie = WEIR_BYTES_OF("set-cookie");

struct entry {
    weir_bytes name;
    size_t index; /* of its field */
};

static int compare(const void *a, const void *b)
{
    const struct entry *one = a, *two = b;
    size_t size =
        one->name.size < two->name.size ? one->name.size : two->name.size;
    const unsigned char *x = one->name.data, *y = two->name.data;

    for (size_t i = 0; i < size; i++) {
        int c = x[i] >= 'A' && x[i] <= 'Z' ? x[i] | 0x20 : x[i];
        int d = y[i] >= 'A' && y[i] <= 'Z' ? y[i] | 0x20 : y[i];

        if (c != d)
            return c - d;
    }
    if (one->name.size != two->name.size)
        return one->name.size < two->name.size ? -1 : 1;
    return one->index < two->index ? -1 : 1;
}

static int add_entry(JSContext *context, JSValueConst list, uint32_t *count,
                     const struct weir__js_headers *headers,
                     const struct entry *entry, bool is_single)
{
    weir_http_field field;
    JSValue value;

    if (weir__js_set_element(context, list, (*count)++,
                             weir__js_byte_string(context, entry->name, true)) <
        0)
        return -1;
    (void)weir__js_headers_at(headers, entry->index, &field);
    value = is_single ? weir__js_byte_string(context, field.value, false)
                      : weir__js_headers_join(context, headers, entry->name,
                                              field.value, entry->index + 1);
    return weir__js_set_element(context, list, (*count)++, value);
}

/* A list of names and values, sorted and combined: name, value, name, ... */
static JSValue make_sorted(JSContext *context,
                           const struct weir__js_headers *headers)
{
    size_t count = weir__js_headers_count(headers);
    struct entry *entries = js_malloc(context, (count + 1) * sizeof(*entries));
    JSValue list = entries != NULL ? JS_NewArray(context) : JS_EXCEPTION;
    uint32_t made = 0;
    weir_http_field field;

    for (size_t i = 0; i < count && !JS_IsException(list); i++) {
        (void)weir__js_headers_at(headers, i, &field);
        entries[i] = (struct entry){field.name, i};
    }
    if (!JS_IsException(list))
        qsort(entries, count, sizeof(*entries), compare);
    for (size_t i = 0; i < count && !JS_IsException(list); i++) {
        bool is_cookie = weir__js_is_name(entries[i].name, set_cookie);

        if (!is_cookie && i > 0 &&
            weir__js_is_name(entries[i].name, entries[i - 1].name))
            continue;
        if (add_entry(context, list, &made, headers, &entries[i], is_cookie) <
            0) {
            JS_FreeValue(context, list);
            list = JS_EXCEPTION;
        }
    }
    js_free(context, entries);
    return list;
}

/* sorted(headers): see make_sorted */
static JSValue sorted(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct weir__js_headers *headers = weir__js_headers_of(context, argv[0]);
    uint32_t changes;

    if (headers == NULL)
        return JS_ThrowTypeError(context, "Illegal invocation");
    changes = headers->fields != NULL ? headers->fields->changes + 1 : 0;
    if (JS_IsUndefined(headers->sorted) || headers->sorted_changes != changes) {
        JSValue list = make_sorted(context, headers);

        if (JS_IsException(list))
            return list;
        JS_FreeValue(context, headers->sorted);
        headers->sorted = list;
        headers->sorted_changes = changes;
    }
    return JS_DupValue(context, headers->sorted);
}

/* raw(headers): name, value, name, ..., as they were given */
static JSValue raw(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv)
{
    struct weir__js_headers *headers = weir__js_headers_of(context, argv[0]);
    JSValue list = headers != NULL
                       ? JS_NewArray(context)
                       : JS_ThrowTypeError(context, "Illegal invocation");
    weir_http_field field;
    uint32_t made = 0;

    for (size_t i = 0;
         !JS_IsException(list) && weir__js_headers_at(headers, i, &field);
         i++) {
        weir__js_put_element(context, &list, made++,
                             weir__js_byte_string(context, field.name, false));
        weir__js_put_element(context, &list, made++,
                             weir__js_byte_string(context, field.value, false));
    }
    return list;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("sorted", 1, sorted),
    JS_CFUNC_DEF("raw", 1, raw),
};

const struct weir__js_builtin weir__js_order_builtin = {
    WEIR__JS_LIBS("http/headers"),
    WEIR__JS_NATIVES(natives),
};
