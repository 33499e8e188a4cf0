/* SPDX-License-Identifier: MIT */
/*
 * locale -- what ICU knows of locales: which there are, their aliases and
 * preferences.
 *
 * Tested by  test/js/intl/intl-locales.js
 */
#include <stdlib.h>
#include <string.h>
#include <unicode/ucal.h>
#include <unicode/ucol.h>
#include <unicode/udata.h>
#include <unicode/uloc.h>
#include <unicode/unumsys.h>
#include <unicode/ures.h>

#include "core/builtin.h"
#include "intl/text.h"

/* initial(): the tag of the locale that the environment names */
static JSValue initial(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    char tag[ULOC_FULLNAME_CAPACITY];
    UErrorCode code = U_ZERO_ERROR;

    (void)uloc_toLanguageTag(uloc_getDefault(), tag, sizeof(tag), false, &code);
    return U_SUCCESS(code) ? JS_NewString(context, tag)
                           : weir__js_icu_throw(context, code);
}

/* has(tag, ofCollation): whether ICU has data of this very locale */
static JSValue has(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv)
{
    struct weir__js_locale locale;
    UErrorCode code = U_ZERO_ERROR;

    if (!weir__js_locale_read(context, &locale, argv[0]))
        return JS_EXCEPTION;
    ures_close(ures_open(JS_ToBool(context, argv[1])
                             ? U_ICUDATA_NAME U_TREE_SEPARATOR_STRING "coll"
                             : NULL,
                         locale.id, &code));
    return JS_NewBool(context, code == U_ZERO_ERROR);
}

/* alias(kind, subtag): what replaces a deprecated language, script, territory,
 * variant or subdivision, or undefined */
static JSValue alias(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    static const char *const path[] = {"alias", NULL, NULL, "replacement"};
    const char *kind = JS_ToCString(context, argv[0]);
    const char *subtag = kind ? JS_ToCString(context, argv[1]) : NULL;
    UErrorCode code = U_ZERO_ERROR;
    JSValue value = JS_EXCEPTION;

    if (subtag != NULL) {
        UResourceBundle *at = ures_openDirect(NULL, "metadata", &code);
        const UChar *units = NULL;
        int32_t length = 0;

        for (int i = 0; i < 4; i++)
            at = ures_getByKey(at,
                               i == 1   ? kind
                               : i == 2 ? subtag
                                        : path[i],
                               at, &code);
        if (U_SUCCESS(code))
            units = ures_getString(at, &length, &code);
        value = U_SUCCESS(code)
                    ? JS_NewStringUTF16(context, units, (size_t)length)
                    : JS_UNDEFINED;
        ures_close(at);
    }
    JS_FreeCString(context, subtag);
    JS_FreeCString(context, kind);
    return value;
}

/* likely(tag): with the script and the region that are likely */
static JSValue likely(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct weir__js_locale locale;
    char full[ULOC_FULLNAME_CAPACITY], tag[ULOC_FULLNAME_CAPACITY];
    UErrorCode code = U_ZERO_ERROR;

    if (!weir__js_locale_read(context, &locale, argv[0]))
        return JS_EXCEPTION;
    (void)uloc_addLikelySubtags(locale.id, full, sizeof(full), &code);
    (void)uloc_toLanguageTag(full, tag, sizeof(tag), false, &code);
    return U_SUCCESS(code) ? JS_NewString(context, tag)
                           : weir__js_icu_throw(context, code);
}

/* keywordType(key, type): how a locale spells a value of an extension, or
 * undefined */
static JSValue keyword_type(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    const char *key = JS_ToCString(context, argv[0]);
    const char *type = key ? JS_ToCString(context, argv[1]) : NULL;
    JSValue value = JS_EXCEPTION;

    if (type != NULL) {
        const char *found = uloc_toUnicodeLocaleType(key, type);

        value = found != NULL ? JS_NewString(context, found) : JS_UNDEFINED;
    }
    JS_FreeCString(context, type);
    JS_FreeCString(context, key);
    return value;
}

/* numberingSystem(tag): that of the locale */
static JSValue numbering_system(JSContext *context, JSValueConst this_value,
                                int argc, JSValueConst *argv)
{
    struct weir__js_locale locale;
    UErrorCode code = U_ZERO_ERROR;
    UNumberingSystem *system;
    JSValue name;

    if (!weir__js_locale_read(context, &locale, argv[0]))
        return JS_EXCEPTION;
    system = unumsys_open(locale.id, &code);
    if (U_FAILURE(code))
        return weir__js_icu_throw(context, code);
    name = JS_NewString(context, unumsys_getName(system));
    unumsys_close(system);
    return name;
}

/* isDigital(name): whether a numbering system has ten digits */
static JSValue is_digital(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    const char *name = JS_ToCString(context, argv[0]);
    UErrorCode code = U_ZERO_ERROR;
    UNumberingSystem *system;
    bool is_digital;

    if (name == NULL)
        return JS_EXCEPTION;
    system = unumsys_openByName(name, &code);
    JS_FreeCString(context, name);
    is_digital = U_SUCCESS(code) && !unumsys_isAlgorithmic(system);
    unumsys_close(system);
    return JS_NewBool(context, is_digital);
}

/* calendars(tag): those in use with the locale, the preferred one first */
static JSValue calendars(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct weir__js_locale locale;
    UErrorCode code = U_ZERO_ERROR;

    if (!weir__js_locale_read(context, &locale, argv[0]))
        return JS_EXCEPTION;
    return weir__js_icu_list(
        context,
        ucal_getKeywordValuesForLocale("calendar", locale.id, true, &code),
        code);
}

/* collations(tag) */
static JSValue collations(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct weir__js_locale locale;
    UErrorCode code = U_ZERO_ERROR;

    if (!weir__js_locale_read(context, &locale, argv[0]))
        return JS_EXCEPTION;
    return weir__js_icu_list(
        context,
        ucol_getKeywordValuesForLocale("collation", locale.id, true, &code),
        code);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("initial", 0, initial),
    JS_CFUNC_DEF("has", 2, has),
    JS_CFUNC_DEF("alias", 2, alias),
    JS_CFUNC_DEF("likely", 1, likely),
    JS_CFUNC_DEF("keywordType", 2, keyword_type),
    JS_CFUNC_DEF("numberingSystem", 1, numbering_system),
    JS_CFUNC_DEF("isDigital", 1, is_digital),
    JS_CFUNC_DEF("calendars", 1, calendars),
    JS_CFUNC_DEF("collations", 1, collations),
};

const struct weir__js_builtin weir__js_intl_locale_builtin = {
    WEIR__JS_LIBS("intl/locale"),
    WEIR__JS_NATIVES(natives),
};
