/* SPDX-License-Identifier: MIT */
/*
 * lazy -- names of the global object whose library is loaded on first use.
 *
 * Each name is an accessor that replaces itself with the value.  If the program
 * has frozen or sealed the global object, the accessor stays and returns the
 * same value each time.
 *
 * A row of a table describes one name.  Nothing is created for it before the
 * program asks for more than its existence, not even the accessor's function
 * (js/engine/until-used.patch): every host defines all of them, and a program
 * uses few.
 *
 * Tested by  test/js/core/globals-lazy.js
 */
#ifndef WEIR_JS_LAZY_H
#define WEIR_JS_LAZY_H

#include "core/host.h"

struct weir__js_lazy {
    const char *name;
    const char *lib;
    const char *key;        /* of the exports; NULL: as name; "": the exports */
    bool is_shown;          /* enumerable */
    bool is_shown_when_set; /* the value that a program assigns is */
};

/* Prepare the engine.  Called once for each host. */
void weir__js_lazy_init(JSRuntime *runtime);

/* Define the name on the global object, unless it has one of that name.  The
 * row must outlive the host.  Returns 0, or -1 with an exception. */
int weir__js_lazy_define(JSContext *context, JSValueConst global,
                         const struct weir__js_lazy *row);

/* The value of a row, whose library is loaded if necessary; or an
 * exception. */
JSValue weir__js_lazy_value(JSContext *context,
                            const struct weir__js_lazy *row);

#endif /* WEIR_JS_LAZY_H */
