/* SPDX-License-Identifier: MIT */
/*
 * casing -- toLocaleUpperCase and toLocaleLowerCase.
 *
 * Tested by  test/js/intl/intl-functions.js
 */
#include <stdlib.h>
#include <string.h>
#include <unicode/ustring.h>

#include "core/builtin.h"
#include "intl/text.h"

/* upper(text, locale) and lower; magic is whether it is lower */
static JSValue change(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv, int magic)
{
    struct weir__js_locale locale;
    struct weir__js_utf16 text;
    struct weir__js_units out;

    if (!weir__js_locale_read(context, &locale, argv[1]) ||
        !weir__js_utf16_read(context, &text, argv[0]))
        return JS_EXCEPTION;
    weir__js_units_begin(&out);
    while (weir__js_units_again(&out, (magic ? u_strToLower : u_strToUpper)(
                                          out.data, out.capacity, text.units,
                                          text.length, locale.id, &out.code)))
        continue;
    weir__js_utf16_free(context, &text);
    return weir__js_units_end(context, &out);
}

/* isSpecial(): whether the language of the environment has rules of its own.
 * Without ICU, which most programs then need not load. */
static JSValue is_special(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    static const char *const special[] = {"az", "el", "lt", "tr"};
    const char *language = NULL;
    bool is_special = false;

    for (int i = 0; i < 3 && (language == NULL || *language == '\0'); i++)
        language = getenv(names[i]);
    for (int i = 0; i < 4 && language != NULL; i++)
        is_special |= strncmp(language, special[i], 2) == 0;
    return JS_NewBool(context, is_special);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_MAGIC_DEF("upper", 2, change, false),
    JS_CFUNC_MAGIC_DEF("lower", 2, change, true),
    JS_CFUNC_DEF("isSpecial", 0, is_special),
};

const struct weir__js_builtin weir__js_intl_casing_builtin = {
    WEIR__JS_LIBS("intl/functions"),
    WEIR__JS_NATIVES(natives),
};
