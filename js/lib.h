/* SPDX-License-Identifier: MIT */
/*
 * lib -- the part of the host that is written in JavaScript: js/lib.
 *
 * Each file there is a CommonJS module that user code sees, if at all, under
 * its name in lib/builtin.js.  Its parameter `native` has the functions in C
 * that carry its name in the table of lib.c.
 */
#ifndef WEIR_JS_LIB_H
#define WEIR_JS_LIB_H

#include "host.h"

struct weir__js_lib {
    const char *name;
    const uint8_t *code; /* js/compile's */
    size_t size;
};

extern const struct weir__js_lib weir__js_libs[];
extern const int weir__js_lib_count;

/* Load "bootstrap", which fills the global object.  -ENOMEM, or 0. */
int weir__js_boot(weir_js *js);

void weir__js_drop_libs(weir_js *js);

/* The exports of a library, which is loaded if it was not; or an exception. */
JSValue weir__js_require(JSContext *context, JSValueConst lib);

/* An export of "bootstrap", or an exception. */
JSValue weir__js_hook(weir_js *js, const char *name);

/* Call such an export with one argument; mostly it throws. */
JSValue weir__js_complain(weir_js *js, const char *name, JSValueConst value);

/* A list of functions for `native`, as most need it. */
#define WEIR__JS_SET_NATIVE(context, native, list)                             \
    JS_SetPropertyFunctionList(context, native, list,                          \
                               (int)(sizeof(list) / sizeof(*(list))))

#endif /* WEIR_JS_LIB_H */
