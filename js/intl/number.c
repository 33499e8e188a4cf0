/* SPDX-License-Identifier: MIT */
/*
 * number -- numbers in the format of a locale, for Intl.NumberFormat.
 *
 * js/lib/intl/skeleton.js describes the format in ICU's language of skeletons.
 *
 * Tested by  test/js/intl/intl-number-*.js
 */
#include "intl/number.h"

#include <stdlib.h>

#include "core/builtin.h"
#include "intl/object.h"
#include "intl/text.h"

struct number {
    UNumberFormatter *formatter;
    UFormattedNumber *result;
};

struct range {
    UNumberRangeFormatter *formatter;
    UFormattedNumberRange *result;
};

static void close_number(void *object)
{
    struct number *number = object;

    unumf_closeResult(number->result);
    unumf_close(number->formatter);
    free(number);
}

static void close_range(void *object)
{
    struct range *range = object;

    unumrf_closeResult(range->result);
    unumrf_close(range->formatter);
    free(range);
}

static const struct weir__js_icu_kind number_kind = {close_number};
static const struct weir__js_icu_kind range_kind = {close_range};

/* newNumber(locale, skeleton) */
static JSValue new_number(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    UErrorCode code = U_ZERO_ERROR;
    struct weir__js_locale locale;
    struct weir__js_utf16 skeleton;
    struct number *number;

    if (!weir__js_locale_read(context, &locale, argv[0]) ||
        !weir__js_utf16_read(context, &skeleton, argv[1]))
        return JS_EXCEPTION;
    number = calloc(1, sizeof(*number));
    if (number == NULL) {
        weir__js_utf16_free(context, &skeleton);
        return JS_ThrowOutOfMemory(context);
    }
    number->formatter = unumf_openForSkeletonAndLocale(
        skeleton.units, skeleton.length, locale.id, &code);
    if (U_SUCCESS(code))
        number->result = unumf_openResult(&code);
    weir__js_utf16_free(context, &skeleton);
    return weir__js_icu_wrap(context, &number_kind, number, code);
}

/* newRange(locale, skeleton) */
static JSValue new_range(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    UErrorCode code = U_ZERO_ERROR;
    struct weir__js_locale locale;
    struct weir__js_utf16 skeleton;
    struct range *range;

    if (!weir__js_locale_read(context, &locale, argv[0]) ||
        !weir__js_utf16_read(context, &skeleton, argv[1]))
        return JS_EXCEPTION;
    range = calloc(1, sizeof(*range));
    if (range == NULL) {
        weir__js_utf16_free(context, &skeleton);
        return JS_ThrowOutOfMemory(context);
    }
    range->formatter = unumrf_openForSkeletonWithCollapseAndIdentityFallback(
        skeleton.units, skeleton.length, UNUM_RANGE_COLLAPSE_AUTO,
        UNUM_IDENTITY_FALLBACK_APPROXIMATELY, locale.id, NULL, &code);
    if (U_SUCCESS(code))
        range->result = unumrf_openResult(&code);
    weir__js_utf16_free(context, &skeleton);
    return weir__js_icu_wrap(context, &range_kind, range, code);
}

static bool format_double(JSContext *context, struct number *number,
                          JSValueConst value, UErrorCode *code)
{
    double given;

    if (JS_ToFloat64(context, &given, value) < 0)
        return false;
    unumf_formatDouble(number->formatter, given, number->result, code);
    return true;
}

static bool format_decimal(JSContext *context, struct number *number,
                           JSValueConst value, UErrorCode *code)
{
    size_t length;
    const char *digits = JS_ToCStringLen(context, &length, value);

    if (digits == NULL)
        return false;
    unumf_formatDecimal(number->formatter, digits, (int32_t)length,
                        number->result, code);
    JS_FreeCString(context, digits);
    return true;
}

const UFormattedNumber *weir__js_number_format(JSContext *context,
                                               JSValueConst formatter,
                                               JSValueConst value)
{
    struct number *number =
        weir__js_icu_unwrap(context, formatter, &number_kind);
    UErrorCode code = U_ZERO_ERROR;

    if (number == NULL ||
        !(JS_IsString(value) ? format_decimal : format_double)(context, number,
                                                               value, &code))
        return NULL;
    if (U_SUCCESS(code))
        return number->result;
    (void)weir__js_icu_throw(context, code);
    return NULL;
}

const UFormattedNumberRange *weir__js_range_format(JSContext *context,
                                                   JSValueConst *argv)
{
    struct range *range = weir__js_icu_unwrap(context, argv[0], &range_kind);
    const char *first, *last;
    size_t first_length, last_length;
    UErrorCode code = U_ZERO_ERROR;

    if (range == NULL)
        return NULL;
    first = JS_ToCStringLen(context, &first_length, argv[1]);
    if (first == NULL)
        return NULL;
    last = JS_ToCStringLen(context, &last_length, argv[2]);
    if (last != NULL)
        unumrf_formatDecimalRange(range->formatter, first,
                                  (int32_t)first_length, last,
                                  (int32_t)last_length, range->result, &code);
    JS_FreeCString(context, first);
    JS_FreeCString(context, last);
    if (last == NULL)
        return NULL;
    if (U_SUCCESS(code))
        return range->result;
    (void)weir__js_icu_throw(context, code);
    return NULL;
}

/* format(formatter, value) and formatToFields; magic is whether to add the
 * fields. */
static JSValue format(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv, int magic)
{
    const UFormattedNumber *number =
        weir__js_number_format(context, argv[0], argv[1]);
    UErrorCode code = U_ZERO_ERROR;
    const UFormattedValue *value;

    if (number == NULL)
        return JS_EXCEPTION;
    value = unumf_resultAsValue(number, &code);
    return U_SUCCESS(code) ? weir__js_icu_formatted(context, value, magic)
                           : weir__js_icu_throw(context, code);
}

/* formatRange(formatter, first, last): text and fields */
static JSValue format_range(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    const UFormattedNumberRange *range = weir__js_range_format(context, argv);
    UErrorCode code = U_ZERO_ERROR;
    const UFormattedValue *value;

    if (range == NULL)
        return JS_EXCEPTION;
    value = unumrf_resultAsValue(range, &code);
    return U_SUCCESS(code) ? weir__js_icu_formatted(context, value, true)
                           : weir__js_icu_throw(context, code);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("newNumber", 2, new_number),
    JS_CFUNC_DEF("newRange", 2, new_range),
    JS_CFUNC_MAGIC_DEF("format", 2, format, false),
    JS_CFUNC_MAGIC_DEF("formatToFields", 2, format, true),
    JS_CFUNC_DEF("formatRange", 3, format_range),
};

const struct weir__js_builtin weir__js_intl_number_builtin = {
    WEIR__JS_LIBS("intl/number"),
    WEIR__JS_NATIVES(natives),
};
