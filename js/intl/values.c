/* SPDX-License-Identifier: MIT */
/*
 * values -- what Intl.supportedValuesOf lists.
 *
 * Tested by  test/js/intl/intl-locales.js
 */
#include <unicode/ucal.h>
#include <unicode/ucol.h>
#include <unicode/ucurr.h>
#include <unicode/unumsys.h>

#include "core/builtin.h"
#include "intl/text.h"

enum what { CALENDARS, COLLATIONS, CURRENCIES, SYSTEMS, ZONES };

static JSValue list(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv, int magic)
{
    UErrorCode code = U_ZERO_ERROR;
    UEnumeration *names = NULL;

    switch ((enum what)magic) {
    case CALENDARS:
        names = ucal_getKeywordValuesForLocale("calendar", "", false, &code);
        break;
    case COLLATIONS:
        names = ucol_getKeywordValues("collation", &code);
        break;
    case CURRENCIES:
        names =
            ucurr_openISOCurrencies(UCURR_COMMON | UCURR_NON_DEPRECATED, &code);
        break;
    case SYSTEMS:
        names = unumsys_openAvailableNames(&code);
        break;
    case ZONES:
        names = ucal_openTimeZoneIDEnumeration(
            UCAL_ZONE_TYPE_CANONICAL_LOCATION, NULL, NULL, &code);
        break;
    }
    return weir__js_icu_list(context, names, code);
}

/* digits(currency): after its decimal point */
static JSValue digits(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct weir__js_utf16 currency;
    UErrorCode code = U_ZERO_ERROR;
    int32_t count;

    if (!weir__js_utf16_read(context, &currency, argv[0]))
        return JS_EXCEPTION;
    count = ucurr_getDefaultFractionDigits(currency.units, &code);
    weir__js_utf16_free(context, &currency);
    return JS_NewInt32(context, U_SUCCESS(code) ? count : 2);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_MAGIC_DEF("calendars", 0, list, CALENDARS),
    JS_CFUNC_MAGIC_DEF("collations", 0, list, COLLATIONS),
    JS_CFUNC_MAGIC_DEF("currencies", 0, list, CURRENCIES),
    JS_CFUNC_MAGIC_DEF("systems", 0, list, SYSTEMS),
    JS_CFUNC_MAGIC_DEF("zones", 0, list, ZONES),
    JS_CFUNC_DEF("digits", 1, digits),
};

const struct weir__js_builtin weir__js_intl_values_builtin = {
    WEIR__JS_LIBS("intl/values"),
    WEIR__JS_NATIVES(natives),
};
