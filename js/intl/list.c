/* SPDX-License-Identifier: MIT */
/*
 * list -- lists in the format of a locale, for Intl.ListFormat.
 *
 * Tested by  test/js/intl/intl-list.js
 */
#include <stdlib.h>
#include <unicode/ulistformatter.h>

#include "core/builtin.h"
#include "intl/object.h"
#include "intl/text.h"

struct list {
    UListFormatter *formatter;
    UFormattedList *result;
};

static void close_list(void *object)
{
    struct list *list = object;

    ulistfmt_closeResult(list->result);
    ulistfmt_close(list->formatter);
    free(list);
}

static const struct weir__js_icu_kind kind = {close_list};

/* newList(locale, type, width) */
static JSValue new_list(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    UErrorCode code = U_ZERO_ERROR;
    struct weir__js_locale locale;
    struct list *list;
    int32_t type, width;

    if (JS_ToInt32(context, &type, argv[1]) < 0 ||
        JS_ToInt32(context, &width, argv[2]) < 0 ||
        !weir__js_locale_read(context, &locale, argv[0]))
        return JS_EXCEPTION;
    list = calloc(1, sizeof(*list));
    if (list == NULL)
        return JS_ThrowOutOfMemory(context);
    list->formatter = ulistfmt_openForType(locale.id, (UListFormatterType)type,
                                           (UListFormatterWidth)width, &code);
    list->result = ulistfmt_openResult(&code);
    return weir__js_icu_wrap(context, &kind, list, code);
}

struct texts {
    int32_t count; /* those that have been read */
    struct weir__js_utf16 *texts;
    const UChar **units;
    int32_t *lengths;
};

static void free_texts(JSContext *context, struct texts *texts)
{
    while (texts->count > 0)
        weir__js_utf16_free(context, &texts->texts[--texts->count]);
    js_free(context, texts->texts);
    js_free(context, texts->units);
    js_free(context, texts->lengths);
}

/* Returns false with an exception. */
static bool read_texts(JSContext *context, struct texts *texts,
                       JSValueConst array, uint32_t count)
{
    size_t room = count > 0 ? count : 1;

    texts->count = 0;
    texts->texts = js_malloc(context, room * sizeof(*texts->texts));
    texts->units = js_malloc(context, room * sizeof(*texts->units));
    texts->lengths = js_malloc(context, room * sizeof(*texts->lengths));
    if (texts->texts == NULL || texts->units == NULL || texts->lengths == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        JSValue value = JS_GetPropertyUint32(context, array, i);
        bool is_read = !JS_IsException(value) &&
                       weir__js_utf16_read(context, &texts->texts[i], value);

        JS_FreeValue(context, value);
        if (!is_read)
            return false;
        texts->units[i] = texts->texts[i].units;
        texts->lengths[i] = texts->texts[i].length;
        texts->count++;
    }
    return true;
}

/* format(list, array, count): text and fields; the field of an element is its
 * index */
static JSValue format(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct list *list = weir__js_icu_unwrap(context, argv[0], &kind);
    UErrorCode code = U_ZERO_ERROR;
    JSValue value = JS_EXCEPTION;
    struct texts texts;
    uint32_t count;

    if (list == NULL || JS_ToUint32(context, &count, argv[2]) < 0)
        return JS_EXCEPTION;
    if (read_texts(context, &texts, argv[1], count)) {
        const UFormattedValue *formatted;

        ulistfmt_formatStringsToResult(list->formatter, texts.units,
                                       texts.lengths, texts.count, list->result,
                                       &code);
        formatted = ulistfmt_resultAsValue(list->result, &code);
        value = U_SUCCESS(code)
                    ? weir__js_icu_formatted(context, formatted, true)
                    : weir__js_icu_throw(context, code);
    }
    free_texts(context, &texts);
    return value;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("newList", 3, new_list),
    JS_CFUNC_DEF("format", 3, format),
};

const struct weir__js_builtin weir__js_intl_list_builtin = {
    WEIR__JS_LIBS("intl/list"),
    WEIR__JS_NATIVES(natives),
};
