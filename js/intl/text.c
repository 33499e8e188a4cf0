/* SPDX-License-Identifier: MIT */
/*
 * text -- see text.h.
 *
 * Tested by  test/js/intl/intl-*.js
 */
#include "intl/text.h"

#include <stdlib.h>
#include <string.h>

#include "core/property.h"

JSValue weir__js_icu_throw(JSContext *context, UErrorCode code)
{
    if (code == U_MEMORY_ALLOCATION_ERROR)
        return JS_ThrowOutOfMemory(context);
    return JS_ThrowRangeError(context, "Internal error. Icu error: %s",
                              u_errorName(code));
}

bool weir__js_utf16_read(JSContext *context, struct weir__js_utf16 *text,
                         JSValueConst value)
{
    size_t length;

    text->units = JS_ToCStringLenUTF16(context, &length, value);
    text->length = text->units != NULL ? (int32_t)length : 0;
    return text->units != NULL;
}

void weir__js_utf16_free(JSContext *context, struct weir__js_utf16 *text)
{
    JS_FreeCStringUTF16(context, text->units);
}

bool weir__js_locale_read(JSContext *context, struct weir__js_locale *locale,
                          JSValueConst value)
{
    const char *tag = JS_ToCString(context, value);
    UErrorCode code = U_ZERO_ERROR;

    if (tag == NULL)
        return false;
    (void)uloc_forLanguageTag(tag, locale->id, sizeof(locale->id), NULL, &code);
    JS_FreeCString(context, tag);
    if (U_SUCCESS(code) && code != U_STRING_NOT_TERMINATED_WARNING)
        return true;
    (void)weir__js_icu_throw(context,
                             U_FAILURE(code) ? code : U_BUFFER_OVERFLOW_ERROR);
    return false;
}

void weir__js_units_begin(struct weir__js_units *units)
{
    units->data = units->small;
    units->capacity = sizeof(units->small) / sizeof(*units->small);
    units->length = 0;
    units->code = U_ZERO_ERROR;
}

static void free_data(struct weir__js_units *units)
{
    if (units->data != units->small)
        free(units->data);
    units->data = units->small;
}

bool weir__js_units_again(struct weir__js_units *units, int32_t length)
{
    UChar *fresh;

    units->length = length;
    if (units->code != U_BUFFER_OVERFLOW_ERROR)
        return false;
    free_data(units);
    fresh = malloc((size_t)length * sizeof(*fresh));
    if (fresh == NULL) {
        units->code = U_MEMORY_ALLOCATION_ERROR;
        return false;
    }
    units->data = fresh;
    units->capacity = length;
    units->code = U_ZERO_ERROR;
    return true;
}

JSValue weir__js_units_end(JSContext *context, struct weir__js_units *units)
{
    JSValue value =
        U_FAILURE(units->code)
            ? weir__js_icu_throw(context, units->code)
            : JS_NewStringUTF16(context, units->data, (size_t)units->length);

    free_data(units);
    return value;
}

JSValue weir__js_icu_add_fields(JSContext *context, JSValue list,
                                const UFormattedValue *value)
{
    UErrorCode code = U_ZERO_ERROR;
    UConstrainedFieldPosition *position = ucfpos_open(&code);
    uint32_t count = 1;

    while (!JS_IsException(list) && U_SUCCESS(code) &&
           ufmtval_nextPosition(value, position, &code)) {
        int32_t begin = 0, end = 0;

        weir__js_put_element(
            context, &list, count++,
            JS_NewInt32(context, ucfpos_getCategory(position, &code)));
        weir__js_put_element(
            context, &list, count++,
            JS_NewInt32(context, ucfpos_getField(position, &code)));
        ucfpos_getIndexes(position, &begin, &end, &code);
        weir__js_put_element(context, &list, count++,
                             JS_NewInt32(context, begin));
        weir__js_put_element(context, &list, count++,
                             JS_NewInt32(context, end));
    }
    ucfpos_close(position);
    if (U_SUCCESS(code) || JS_IsException(list))
        return list;
    JS_FreeValue(context, list);
    return weir__js_icu_throw(context, code);
}

JSValue weir__js_icu_formatted(JSContext *context, const UFormattedValue *value,
                               bool wants_fields)
{
    UErrorCode code = U_ZERO_ERROR;
    int32_t length = 0;
    const UChar *units = ufmtval_getString(value, &length, &code);
    JSValue text;

    if (U_FAILURE(code))
        return weir__js_icu_throw(context, code);
    text = JS_NewStringUTF16(context, units, (size_t)length);
    if (!wants_fields)
        return text;
    text = weir__js_new_array(context, 1, &text);
    return JS_IsException(text) ? text
                                : weir__js_icu_add_fields(context, text, value);
}

JSValue weir__js_icu_list(JSContext *context, UEnumeration *names,
                          UErrorCode code)
{
    JSValue list = JS_NewArray(context);
    const char *name;
    uint32_t count = 0;
    int32_t length;

    while (U_SUCCESS(code) && !JS_IsException(list) &&
           (name = uenum_next(names, &length, &code)) != NULL)
        weir__js_put_element(context, &list, count++,
                             JS_NewStringLen(context, name, (size_t)length));
    uenum_close(names);
    if (U_SUCCESS(code) || JS_IsException(list))
        return list;
    JS_FreeValue(context, list);
    return weir__js_icu_throw(context, code);
}
