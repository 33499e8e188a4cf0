/* SPDX-License-Identifier: MIT */
/*
 * text -- strings between JavaScript and ICU, and the errors of ICU.
 *
 *     struct weir__js_units out;
 *
 *     weir__js_units_begin(&out);
 *     while (weir__js_units_again(
 *         &out, udat_toPattern(format, true, out.data, out.capacity,
 *                              &out.code)))
 *         continue;
 *     return weir__js_units_end(context, &out);
 */
#ifndef WEIR_JS_INTL_TEXT_H
#define WEIR_JS_INTL_TEXT_H

#include <stdbool.h>
#include <unicode/uenum.h>
#include <unicode/uformattedvalue.h>
#include <unicode/uloc.h>
#include <unicode/utypes.h>

#include "core/host.h"

/* The UTF-16 of a JavaScript string. */
struct weir__js_utf16 {
    const UChar *units;
    int32_t length;
};

/* Returns false with an exception. */
bool weir__js_utf16_read(JSContext *context, struct weir__js_utf16 *text,
                         JSValueConst value);
void weir__js_utf16_free(JSContext *context, struct weir__js_utf16 *text);

/* A locale of ICU, from the language tag that a string is. */
struct weir__js_locale {
    char id[ULOC_FULLNAME_CAPACITY];
};

/* Returns false with an exception. */
bool weir__js_locale_read(JSContext *context, struct weir__js_locale *locale,
                          JSValueConst value);

/* Room for what a function of ICU writes. */
struct weir__js_units {
    UChar *data;
    int32_t capacity, length;
    UErrorCode code;
    UChar small[128];
};

void weir__js_units_begin(struct weir__js_units *units);

/* Whether to call the function again, with more room. */
bool weir__js_units_again(struct weir__js_units *units, int32_t length);

/* The string, or an exception.  Frees the room. */
JSValue weir__js_units_end(JSContext *context, struct weir__js_units *units);

/* Throw an error of ICU. */
JSValue weir__js_icu_throw(JSContext *context, UErrorCode code);

/* The rest of a list that begins with a text: the category, number, begin and
 * end of each field.  Takes the list, and returns it or an exception. */
JSValue weir__js_icu_add_fields(JSContext *context, JSValue list,
                                const UFormattedValue *value);

/* The text of a formatted value, or the list of its text and fields. */
JSValue weir__js_icu_formatted(JSContext *context, const UFormattedValue *value,
                               bool wants_fields);

/* The strings of an enumeration as an array.  Closes the enumeration, which is
 * NULL if there was an error. */
JSValue weir__js_icu_list(JSContext *context, UEnumeration *names,
                          UErrorCode code);

#endif /* WEIR_JS_INTL_TEXT_H */
