/* SPDX-License-Identifier: MIT */
/*
 * plural -- categories of numbers, for Intl.PluralRules.
 *
 * Tested by  test/js/intl/intl-plural.js
 */
#include <unicode/uenum.h>
#include <unicode/upluralrules.h>

#include "core/builtin.h"
#include "intl/number.h"
#include "intl/object.h"
#include "intl/text.h"

static void close_rules(void *rules)
{
    uplrules_close(rules);
}

static const struct weir__js_icu_kind kind = {close_rules};

/* newRules(locale, isOrdinal) */
static JSValue new_rules(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct weir__js_locale locale;
    UErrorCode code = U_ZERO_ERROR;
    UPluralRules *rules;

    if (!weir__js_locale_read(context, &locale, argv[0]))
        return JS_EXCEPTION;
    rules = uplrules_openForType(locale.id,
                                 JS_ToBool(context, argv[1])
                                     ? UPLURAL_TYPE_ORDINAL
                                     : UPLURAL_TYPE_CARDINAL,
                                 &code);
    return weir__js_icu_wrap(context, &kind, rules, code);
}

/* select(rules, number, value) */
static JSValue select_one(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    UPluralRules *rules = weir__js_icu_unwrap(context, argv[0], &kind);
    const UFormattedNumber *number;
    struct weir__js_units out;

    if (rules == NULL)
        return JS_EXCEPTION;
    number = weir__js_number_format(context, argv[1], argv[2]);
    if (number == NULL)
        return JS_EXCEPTION;
    weir__js_units_begin(&out);
    while (weir__js_units_again(
        &out, uplrules_selectFormatted(rules, number, out.data, out.capacity,
                                       &out.code)))
        continue;
    return weir__js_units_end(context, &out);
}

/* selectRange(rules, range, first, last) */
static JSValue select_range(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    UPluralRules *rules = weir__js_icu_unwrap(context, argv[0], &kind);
    const UFormattedNumberRange *range;
    struct weir__js_units out;

    if (rules == NULL)
        return JS_EXCEPTION;
    range = weir__js_range_format(context, argv + 1);
    if (range == NULL)
        return JS_EXCEPTION;
    weir__js_units_begin(&out);
    while (weir__js_units_again(
        &out, uplrules_selectForRange(rules, range, out.data, out.capacity,
                                      &out.code)))
        continue;
    return weir__js_units_end(context, &out);
}

/* categories(rules) */
static JSValue categories(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    UPluralRules *rules = weir__js_icu_unwrap(context, argv[0], &kind);

    UErrorCode code = U_ZERO_ERROR;

    if (rules == NULL)
        return JS_EXCEPTION;
    return weir__js_icu_list(context, uplrules_getKeywords(rules, &code), code);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("newRules", 2, new_rules),
    JS_CFUNC_DEF("select", 3, select_one),
    JS_CFUNC_DEF("selectRange", 4, select_range),
    JS_CFUNC_DEF("categories", 1, categories),
};

const struct weir__js_builtin weir__js_intl_plural_builtin = {
    WEIR__JS_LIBS("intl/plural"),
    WEIR__JS_NATIVES(natives),
};
