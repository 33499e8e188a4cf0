/* SPDX-License-Identifier: MIT */
/*
 * script -- let the watchdog see JavaScript's stack.
 */
#ifndef WEIR_JS_SCRIPT_H
#define WEIR_JS_SCRIPT_H

#include "core/host.h"

void weir__js_show_stack(weir_js *js, bool is_shown);

#endif /* WEIR_JS_SCRIPT_H */
