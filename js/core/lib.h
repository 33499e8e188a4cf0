/* SPDX-License-Identifier: MIT */
/*
 * lib -- the part of the host that is written in JavaScript: js/lib.
 *
 * Each file there is a CommonJS module.  User code sees it, if at all, under
 * its name in the table of js/program/catalog.c.  Its parameter
 * `native` holds the C functions of the builtins that name the file
 * (core/builtin.h).
 */
#ifndef WEIR_JS_LIB_H
#define WEIR_JS_LIB_H

#include "core/host.h"

struct weir__js_lib {
    const char *name;
    const uint8_t *code; /* from js/compile */
    size_t size;
};

extern const struct weir__js_lib weir__js_libs[];
extern const int weir__js_lib_count;

/* Load core/bootstrap, which fills the global object, and look the hooks up.
 * Returns 0 or -ENOMEM. */
int weir__js_boot(weir_js *js);

void weir__js_drop_libs(weir_js *js);

/* The exports of a library, which is loaded on first use; or an exception. */
JSValue weir__js_require(JSContext *context, const char *lib);

/* The function that a library is, in another context of the engine: called with
 * (exports, require, module, native). */
JSValue weir__js_lib_function(JSContext *context, const char *lib);

/* Call a hook with one argument, or with several. */
JSValue weir__js_call_hook(weir_js *js, enum weir__js_hook hook,
                           JSValueConst value);
JSValue weir__js_call_hook_with(weir_js *js, enum weir__js_hook hook, int count,
                                JSValueConst *args);

#endif /* WEIR_JS_LIB_H */
