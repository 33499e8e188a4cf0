/* SPDX-License-Identifier: MIT */
/*
 * cwd -- the directory that relative paths begin in.
 */
#ifndef WEIR_JS_CWD_H
#define WEIR_JS_CWD_H

#include "core/host.h"

/* cwd() */
JSValue weir__js_cwd(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv);

#endif /* WEIR_JS_CWD_H */
