/* SPDX-License-Identifier: MIT */
/*
 * pattern -- what the formats of dates look like in a locale.
 *
 * Tested by  test/js/intl/intl-date-*.js
 */
#include <unicode/udat.h>
#include <unicode/udatpg.h>

#include "core/builtin.h"
#include "intl/object.h"
#include "intl/text.h"

static void close_generator(void *generator)
{
    udatpg_close(generator);
}

static const struct weir__js_icu_kind kind = {close_generator};

/* newGenerator(locale) */
static JSValue new_generator(JSContext *context, JSValueConst this_value,
                             int argc, JSValueConst *argv)
{
    struct weir__js_locale locale;
    UErrorCode code = U_ZERO_ERROR;
    UDateTimePatternGenerator *generator;

    if (!weir__js_locale_read(context, &locale, argv[0]))
        return JS_EXCEPTION;
    generator = udatpg_open(locale.id, &code);
    return weir__js_icu_wrap(context, &kind, generator, code);
}

/* bestPattern(generator, skeleton) */
static JSValue best_pattern(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    UDateTimePatternGenerator *generator =
        weir__js_icu_unwrap(context, argv[0], &kind);
    struct weir__js_utf16 skeleton;
    struct weir__js_units out;

    if (generator == NULL || !weir__js_utf16_read(context, &skeleton, argv[1]))
        return JS_EXCEPTION;
    weir__js_units_begin(&out);
    while (weir__js_units_again(&out,
                                udatpg_getBestPatternWithOptions(
                                    generator, skeleton.units, skeleton.length,
                                    UDATPG_MATCH_HOUR_FIELD_LENGTH, out.data,
                                    out.capacity, &out.code)))
        continue;
    weir__js_utf16_free(context, &skeleton);
    return weir__js_units_end(context, &out);
}

/* skeletonOf(pattern) */
static JSValue skeleton_of(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct weir__js_utf16 pattern;
    struct weir__js_units out;

    if (!weir__js_utf16_read(context, &pattern, argv[0]))
        return JS_EXCEPTION;
    weir__js_units_begin(&out);
    while (weir__js_units_again(
        &out, udatpg_getSkeleton(NULL, pattern.units, pattern.length, out.data,
                                 out.capacity, &out.code)))
        continue;
    weir__js_utf16_free(context, &pattern);
    return weir__js_units_end(context, &out);
}

/* hourCycle(generator): that of the locale */
static JSValue hour_cycle(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    static const char *const names[] = {
        [UDAT_HOUR_CYCLE_11] = "h11",
        [UDAT_HOUR_CYCLE_12] = "h12",
        [UDAT_HOUR_CYCLE_23] = "h23",
        [UDAT_HOUR_CYCLE_24] = "h24",
    };
    UDateTimePatternGenerator *generator =
        weir__js_icu_unwrap(context, argv[0], &kind);
    UErrorCode code = U_ZERO_ERROR;
    UDateFormatHourCycle cycle;

    if (generator == NULL)
        return JS_EXCEPTION;
    cycle = udatpg_getDefaultHourCycle(generator, &code);
    return U_SUCCESS(code) ? JS_NewString(context, names[cycle])
                           : weir__js_icu_throw(context, code);
}

/* stylePattern(locale, dateStyle, timeStyle): UDateFormatStyle, or -1 */
static JSValue style_pattern(JSContext *context, JSValueConst this_value,
                             int argc, JSValueConst *argv)
{
    struct weir__js_locale locale;
    struct weir__js_units out;
    UDateFormat *format;
    int32_t date_style, time_style;

    if (JS_ToInt32(context, &date_style, argv[1]) < 0 ||
        JS_ToInt32(context, &time_style, argv[2]) < 0 ||
        !weir__js_locale_read(context, &locale, argv[0]))
        return JS_EXCEPTION;
    weir__js_units_begin(&out);
    format =
        udat_open((UDateFormatStyle)time_style, (UDateFormatStyle)date_style,
                  locale.id, NULL, 0, NULL, 0, &out.code);
    if (U_FAILURE(out.code))
        return weir__js_icu_throw(context, out.code);
    while (weir__js_units_again(
        &out, udat_toPattern(format, false, out.data, out.capacity, &out.code)))
        continue;
    udat_close(format);
    return weir__js_units_end(context, &out);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("newGenerator", 1, new_generator),
    JS_CFUNC_DEF("bestPattern", 2, best_pattern),
    JS_CFUNC_DEF("skeletonOf", 1, skeleton_of),
    JS_CFUNC_DEF("hourCycle", 1, hour_cycle),
    JS_CFUNC_DEF("stylePattern", 3, style_pattern),
};

const struct weir__js_builtin weir__js_intl_pattern_builtin = {
    WEIR__JS_LIBS("intl/pattern"),
    WEIR__JS_NATIVES(natives),
};
