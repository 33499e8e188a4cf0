/* SPDX-License-Identifier: MIT */
/*
 * module -- files and builtins as modules.
 */
#ifndef WEIR_JS_MODULE_H
#define WEIR_JS_MODULE_H

#include "core/host.h"

/* Start a program: kind is file, eval, print or stdin.  For an ES module,
 * js->main becomes its promise. */
JSValue weir__js_main(weir_js *js, const char *kind, const char *text,
                      size_t length);

#endif /* WEIR_JS_MODULE_H */
