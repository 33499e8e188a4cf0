/* SPDX-License-Identifier: MIT */
/*
 * env -- environment variables.
 */
#ifndef WEIR_JS_ENV_H
#define WEIR_JS_ENV_H

#include "core/host.h"

/* variables(): the environment that a worker begins with */
JSValue weir__js_variables(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv);

#endif /* WEIR_JS_ENV_H */
