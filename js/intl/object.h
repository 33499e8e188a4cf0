/* SPDX-License-Identifier: MIT */
/*
 * object -- the JavaScript object that owns an object of ICU.
 *
 * js/lib/intl keeps it in a private field of a NumberFormat, a Segmenter and so
 * on, and passes it to the functions in C.
 */
#ifndef WEIR_JS_INTL_OBJECT_H
#define WEIR_JS_INTL_OBJECT_H

#include <unicode/utypes.h>

#include "core/host.h"

struct weir__js_icu_kind {
    void (*close)(void *object);
};

/* Take an object of ICU, and return the object that closes it.  With an error
 * of ICU, close what there is and throw. */
JSValue weir__js_icu_wrap(JSContext *context,
                          const struct weir__js_icu_kind *kind, void *object,
                          UErrorCode code);

/* The object of ICU, or NULL with an exception. */
void *weir__js_icu_unwrap(JSContext *context, JSValueConst value,
                          const struct weir__js_icu_kind *kind);

#endif /* WEIR_JS_INTL_OBJECT_H */
