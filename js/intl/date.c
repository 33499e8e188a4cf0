/* SPDX-License-Identifier: MIT */
/*
 * date -- dates in the format of a locale, for Intl.DateTimeFormat.
 *
 * js/lib/intl/pattern.js chooses a pattern, with the help of pattern.c.
 *
 * Tested by  test/js/intl/intl-date-*.js
 */
#include <unicode/udat.h>
#include <unicode/ufieldpositer.h>

#include "core/builtin.h"
#include "core/property.h"
#include "intl/object.h"
#include "intl/text.h"

/* No date is in the Julian calendar. */
static const UDate always_gregorian = -8.64e15;

static void close_format(void *format)
{
    udat_close(format);
}

static const struct weir__js_icu_kind kind = {close_format};

static void make_gregorian(UDateFormat *format, UErrorCode *code)
{
    UErrorCode is_other = U_ZERO_ERROR; /* another calendar than Gregory's */
    UCalendar *calendar = ucal_clone(udat_getCalendar(format), code);

    if (U_FAILURE(*code))
        return;
    ucal_setGregorianChange(calendar, always_gregorian, &is_other);
    udat_setCalendar(format, calendar);
    ucal_close(calendar);
}

/* newFormat(locale, pattern, timeZone) */
static JSValue new_format(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    UErrorCode code = U_ZERO_ERROR;
    struct weir__js_locale locale;
    struct weir__js_utf16 pattern, zone;
    UDateFormat *format;

    if (!weir__js_locale_read(context, &locale, argv[0]) ||
        !weir__js_utf16_read(context, &pattern, argv[1]))
        return JS_EXCEPTION;
    if (!weir__js_utf16_read(context, &zone, argv[2])) {
        weir__js_utf16_free(context, &pattern);
        return JS_EXCEPTION;
    }
    format = udat_open(UDAT_PATTERN, UDAT_PATTERN, locale.id, zone.units,
                       zone.length, pattern.units, pattern.length, &code);
    weir__js_utf16_free(context, &zone);
    weir__js_utf16_free(context, &pattern);
    if (U_SUCCESS(code))
        make_gregorian(format, &code);
    return weir__js_icu_wrap(context, &kind, format, code);
}

/* format(format, time) */
static JSValue format_text(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    UDateFormat *format = weir__js_icu_unwrap(context, argv[0], &kind);
    struct weir__js_units out;
    double time;

    if (format == NULL || JS_ToFloat64(context, &time, argv[1]) < 0)
        return JS_EXCEPTION;
    weir__js_units_begin(&out);
    while (
        weir__js_units_again(&out, udat_format(format, time, out.data,
                                               out.capacity, NULL, &out.code)))
        continue;
    return weir__js_units_end(context, &out);
}

/* Takes the list; see weir__js_icu_add_fields. */
static JSValue add_fields(JSContext *context, JSValue list,
                          UFieldPositionIterator *fields)
{
    int32_t begin, end, field;
    uint32_t count = 1;

    while (!JS_IsException(list) &&
           (field = ufieldpositer_next(fields, &begin, &end)) >= 0) {
        const int32_t parts[] = {UFIELD_CATEGORY_DATE, field, begin, end};

        for (int i = 0; i < 4; i++)
            weir__js_put_element(context, &list, count++,
                                 JS_NewInt32(context, parts[i]));
    }
    return list;
}

/* formatToFields(format, time) */
static JSValue format_to_fields(JSContext *context, JSValueConst this_value,
                                int argc, JSValueConst *argv)
{
    UDateFormat *format = weir__js_icu_unwrap(context, argv[0], &kind);
    UErrorCode code = U_ZERO_ERROR;
    UFieldPositionIterator *fields;
    struct weir__js_units out;
    JSValue list;
    double time;

    if (format == NULL || JS_ToFloat64(context, &time, argv[1]) < 0)
        return JS_EXCEPTION;
    fields = ufieldpositer_open(&code);
    if (U_FAILURE(code))
        return weir__js_icu_throw(context, code);
    weir__js_units_begin(&out);
    while (weir__js_units_again(
        &out, udat_formatForFields(format, time, out.data, out.capacity, fields,
                                   &out.code)))
        continue;
    list = weir__js_units_end(context, &out);
    list = weir__js_new_array(context, 1, &list);
    list = add_fields(context, list, fields);
    ufieldpositer_close(fields);
    return list;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("newFormat", 3, new_format),
    JS_CFUNC_DEF("format", 2, format_text),
    JS_CFUNC_DEF("formatToFields", 2, format_to_fields),
};

const struct weir__js_builtin weir__js_intl_date_builtin = {
    WEIR__JS_LIBS("intl/date"),
    WEIR__JS_NATIVES(natives),
};
