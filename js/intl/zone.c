/* SPDX-License-Identifier: MIT */
/*
 * zone -- names of time zones.
 *
 * Tested by  test/js/intl/intl-date-zone.js
 */
#include <unicode/ucal.h>
#include <unicode/uchar.h>
#include <unicode/uenum.h>
#include <unicode/ustring.h>

#include "core/builtin.h"
#include "intl/text.h"

/* The name without regard to case, as ICU spells it, in `out`.  Returns false if
 * there is none. */
static bool find(const UChar *name, UChar *out, int32_t capacity)
{
    UErrorCode code = U_ZERO_ERROR;
    UEnumeration *zones = ucal_openTimeZones(&code);
    const UChar *zone;
    int32_t length;
    bool is_found = false;

    while (!is_found && U_SUCCESS(code) &&
           (zone = uenum_unext(zones, &length, &code)) != NULL)
        if (length < capacity &&
            u_strcasecmp(zone, name, U_FOLD_CASE_DEFAULT) == 0) {
            u_strcpy(out, zone);
            is_found = true;
        }
    uenum_close(zones);
    return is_found;
}

/* canonical(name): the name that ICU prefers, or undefined if there is no such
 * time zone */
static JSValue canonical(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    UChar name[64];
    struct weir__js_utf16 text;
    struct weir__js_units out;
    UBool is_known = false;
    bool fits;

    if (!weir__js_utf16_read(context, &text, argv[0]))
        return JS_EXCEPTION;
    fits = text.length < 64 && u_memchr(text.units, 0, text.length) == NULL;
    if (fits) {
        u_memcpy(name, text.units, text.length);
        name[text.length] = 0;
    }
    weir__js_utf16_free(context, &text);
    if (!fits || !find(name, name, 64))
        return JS_UNDEFINED;
    weir__js_units_begin(&out);
    while (weir__js_units_again(
        &out, ucal_getCanonicalTimeZoneID(name, -1, out.data, out.capacity,
                                          &is_known, &out.code)))
        continue;
    return weir__js_units_end(context, &out);
}

/* host(): the time zone that TZ or the system names */
static JSValue host(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct weir__js_units out;

    weir__js_units_begin(&out);
    while (weir__js_units_again(
        &out, ucal_getHostTimeZone(out.data, out.capacity, &out.code)))
        continue;
    return weir__js_units_end(context, &out);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("canonical", 1, canonical),
    JS_CFUNC_DEF("host", 0, host),
};

const struct weir__js_builtin weir__js_intl_zone_builtin = {
    WEIR__JS_LIBS("intl/zone"),
    WEIR__JS_NATIVES(natives),
};
