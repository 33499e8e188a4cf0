/* SPDX-License-Identifier: MIT */
/*
 * foreign -- builtins and CommonJS files as modules of the engine.
 *
 * The names of such a module's exports are known when it is linked, and its
 * values when its turn to run comes.
 */
#ifndef WEIR_JS_FOREIGN_H
#define WEIR_JS_FOREIGN_H

#include "core/host.h"

/* Create the module with this id; NULL with an exception. */
JSModuleDef *weir__js_foreign_new(weir_js *js, const char *id);

/* Prepare the engine.  Called once for each host. */
void weir__js_foreign_init(weir_js *js);

#endif /* WEIR_JS_FOREIGN_H */
