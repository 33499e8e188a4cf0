/* SPDX-License-Identifier: MIT */
/*
 * collator -- the order of texts, for Intl.Collator.
 *
 * Tested by  test/js/intl/intl-collator.js
 */
#include <unicode/ucol.h>

#include "core/builtin.h"
#include "intl/object.h"
#include "intl/text.h"

static void close_collator(void *collator)
{
    ucol_close(collator);
}

static const struct weir__js_icu_kind kind = {close_collator};

static const UColAttribute attributes[] = {
    UCOL_STRENGTH,   UCOL_CASE_LEVEL,         UCOL_NUMERIC_COLLATION,
    UCOL_CASE_FIRST, UCOL_ALTERNATE_HANDLING,
};
enum { ATTRIBUTES = sizeof(attributes) / sizeof(*attributes) };

/* newCollator(locale, ...values): the values of the attributes above, where -1
 * leaves that of the locale. */
static JSValue new_collator(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    struct weir__js_locale locale;
    UErrorCode code = U_ZERO_ERROR;
    UCollator *collator;

    if (!weir__js_locale_read(context, &locale, argv[0]))
        return JS_EXCEPTION;
    collator = ucol_open(locale.id, &code);
    if (U_SUCCESS(code))
        ucol_setAttribute(collator, UCOL_NORMALIZATION_MODE, UCOL_ON, &code);
    for (int i = 0; i < ATTRIBUTES && U_SUCCESS(code); i++) {
        int32_t value;

        if (JS_ToInt32(context, &value, argv[i + 1]) < 0) {
            ucol_close(collator);
            return JS_EXCEPTION;
        }
        if (value >= 0)
            ucol_setAttribute(collator, attributes[i],
                              (UColAttributeValue)value, &code);
    }
    return weir__js_icu_wrap(context, &kind, collator, code);
}

/* compare(collator, a, b): -1, 0 or 1 */
static JSValue compare(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    UCollator *collator = weir__js_icu_unwrap(context, argv[0], &kind);
    struct weir__js_utf16 a, b;
    int order;

    if (collator == NULL || !weir__js_utf16_read(context, &a, argv[1]))
        return JS_EXCEPTION;
    if (!weir__js_utf16_read(context, &b, argv[2])) {
        weir__js_utf16_free(context, &a);
        return JS_EXCEPTION;
    }
    order = ucol_strcoll(collator, a.units, a.length, b.units, b.length);
    weir__js_utf16_free(context, &b);
    weir__js_utf16_free(context, &a);
    return JS_NewInt32(context, order);
}

/* attribute(collator, index) of the list above */
static JSValue attribute(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    UCollator *collator = weir__js_icu_unwrap(context, argv[0], &kind);
    UErrorCode code = U_ZERO_ERROR;
    uint32_t index;

    if (collator == NULL || JS_ToUint32(context, &index, argv[1]) < 0)
        return JS_EXCEPTION;
    return JS_NewInt32(
        context,
        ucol_getAttribute(collator, attributes[index % ATTRIBUTES], &code));
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("newCollator", 1 + ATTRIBUTES, new_collator),
    JS_CFUNC_DEF("compare", 3, compare),
    JS_CFUNC_DEF("attribute", 2, attribute),
};

const struct weir__js_builtin weir__js_intl_collator_builtin = {
    WEIR__JS_LIBS("intl/collator"),
    WEIR__JS_NATIVES(natives),
};
