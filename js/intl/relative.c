/* SPDX-License-Identifier: MIT */
/*
 * relative -- how far a time is away, for Intl.RelativeTimeFormat.
 *
 * Tested by  test/js/intl/intl-relative.js
 */
#include <stdlib.h>
#include <unicode/ureldatefmt.h>

#include "core/builtin.h"
#include "intl/object.h"
#include "intl/text.h"

struct relative {
    URelativeDateTimeFormatter *formatter;
    UFormattedRelativeDateTime *result;
};

static void close_relative(void *object)
{
    struct relative *relative = object;

    ureldatefmt_closeResult(relative->result);
    ureldatefmt_close(relative->formatter);
    free(relative);
}

static const struct weir__js_icu_kind kind = {close_relative};

/* Numbers of four digits are not grouped in some locales. */
static UNumberFormat *open_numbers(const struct weir__js_locale *locale,
                                   UErrorCode *code)
{
    UNumberFormat *numbers =
        unum_open(UNUM_DECIMAL, NULL, 0, locale->id, NULL, code);

    if (U_SUCCESS(*code))
        unum_setAttribute(numbers, UNUM_MINIMUM_GROUPING_DIGITS,
                          UNUM_MINIMUM_GROUPING_DIGITS_AUTO);
    return numbers;
}

/* newRelative(locale, style) */
static JSValue new_relative(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    UErrorCode code = U_ZERO_ERROR;
    struct weir__js_locale locale;
    struct relative *relative;
    UNumberFormat *numbers;
    int32_t style;

    if (JS_ToInt32(context, &style, argv[1]) < 0 ||
        !weir__js_locale_read(context, &locale, argv[0]))
        return JS_EXCEPTION;
    relative = calloc(1, sizeof(*relative));
    if (relative == NULL)
        return JS_ThrowOutOfMemory(context);
    numbers = open_numbers(&locale, &code);
    if (U_SUCCESS(code)) /* takes the numbers, even if it fails */
        relative->formatter = ureldatefmt_open(
            locale.id, numbers, (UDateRelativeDateTimeFormatterStyle)style,
            UDISPCTX_CAPITALIZATION_NONE, &code);
    relative->result = ureldatefmt_openResult(&code);
    return weir__js_icu_wrap(context, &kind, relative, code);
}

/* format(relative, value, unit, isNumeric): text and fields */
static JSValue format(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct relative *relative = weir__js_icu_unwrap(context, argv[0], &kind);
    UErrorCode code = U_ZERO_ERROR;
    const UFormattedValue *value;
    double offset;
    int32_t unit;

    if (relative == NULL || JS_ToFloat64(context, &offset, argv[1]) < 0 ||
        JS_ToInt32(context, &unit, argv[2]) < 0)
        return JS_EXCEPTION;
    (JS_ToBool(context, argv[3]) ? ureldatefmt_formatNumericToResult
                                 : ureldatefmt_formatToResult)(
        relative->formatter, offset, (URelativeDateTimeUnit)unit,
        relative->result, &code);
    value = ureldatefmt_resultAsValue(relative->result, &code);
    return U_SUCCESS(code) ? weir__js_icu_formatted(context, value, true)
                           : weir__js_icu_throw(context, code);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("newRelative", 2, new_relative),
    JS_CFUNC_DEF("format", 4, format),
};

const struct weir__js_builtin weir__js_intl_relative_builtin = {
    WEIR__JS_LIBS("intl/relative"),
    WEIR__JS_NATIVES(natives),
};
