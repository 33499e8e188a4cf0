/* SPDX-License-Identifier: MIT */
/*
 * interval -- two dates in the format of a locale, for formatRange.
 *
 * Tested by  test/js/intl/intl-date-range.js
 */
#include <stdlib.h>
#include <unicode/ucal.h>
#include <unicode/udateintervalformat.h>

#include "core/builtin.h"
#include "intl/object.h"
#include "intl/text.h"

struct interval {
    UDateIntervalFormat *format;
    UFormattedDateInterval *result;
    UCalendar *first, *last;
};

static void close_interval(void *object)
{
    struct interval *interval = object;

    ucal_close(interval->first);
    ucal_close(interval->last);
    udtitvfmt_closeResult(interval->result);
    udtitvfmt_close(interval->format);
    free(interval);
}

static const struct weir__js_icu_kind kind = {close_interval};

static void open_interval(struct interval *interval,
                          const struct weir__js_locale *locale,
                          const struct weir__js_utf16 *skeleton,
                          const struct weir__js_utf16 *zone, UErrorCode *code)
{
    UErrorCode is_other = U_ZERO_ERROR; /* another calendar than Gregory's */

    interval->format =
        udtitvfmt_open(locale->id, skeleton->units, skeleton->length,
                       zone->units, zone->length, code);
    interval->result = udtitvfmt_openResult(code);
    interval->first =
        ucal_open(zone->units, zone->length, locale->id, UCAL_DEFAULT, code);
    if (U_SUCCESS(*code))
        ucal_setGregorianChange(interval->first, -8.64e15, &is_other);
    if (U_SUCCESS(*code))
        interval->last = ucal_clone(interval->first, code);
}

/* newInterval(locale, skeleton, timeZone) */
static JSValue new_interval(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    UErrorCode code = U_ZERO_ERROR;
    struct weir__js_locale locale;
    struct weir__js_utf16 skeleton, zone;
    struct interval *interval;

    if (!weir__js_locale_read(context, &locale, argv[0]) ||
        !weir__js_utf16_read(context, &skeleton, argv[1]))
        return JS_EXCEPTION;
    if (!weir__js_utf16_read(context, &zone, argv[2])) {
        weir__js_utf16_free(context, &skeleton);
        return JS_EXCEPTION;
    }
    interval = calloc(1, sizeof(*interval));
    if (interval != NULL)
        open_interval(interval, &locale, &skeleton, &zone, &code);
    else
        code = U_MEMORY_ALLOCATION_ERROR;
    weir__js_utf16_free(context, &zone);
    weir__js_utf16_free(context, &skeleton);
    return weir__js_icu_wrap(context, &kind, interval, code);
}

/* formatRange(interval, first, last): text and fields */
static JSValue format_range(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    struct interval *interval = weir__js_icu_unwrap(context, argv[0], &kind);
    UErrorCode code = U_ZERO_ERROR;
    const UFormattedValue *value = NULL;
    double first, last;

    if (interval == NULL || JS_ToFloat64(context, &first, argv[1]) < 0 ||
        JS_ToFloat64(context, &last, argv[2]) < 0)
        return JS_EXCEPTION;
    ucal_setMillis(interval->first, first, &code);
    ucal_setMillis(interval->last, last, &code);
    udtitvfmt_formatCalendarToResult(interval->format, interval->first,
                                     interval->last, interval->result, &code);
    if (U_SUCCESS(code))
        value = udtitvfmt_resultAsValue(interval->result, &code);
    return U_SUCCESS(code) ? weir__js_icu_formatted(context, value, true)
                           : weir__js_icu_throw(context, code);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("newInterval", 3, new_interval),
    JS_CFUNC_DEF("formatRange", 3, format_range),
};

const struct weir__js_builtin weir__js_intl_interval_builtin = {
    WEIR__JS_LIBS("intl/date"),
    WEIR__JS_NATIVES(natives),
};
