/* SPDX-License-Identifier: MIT */
/*
 * profile -- samples of the stack.
 */
#ifndef WEIR_JS_PROFILE_H
#define WEIR_JS_PROFILE_H

#include "core/host.h"

/* Take a sample, if there is a profile and it is time.  Called where the engine
 * looks for interrupts; no JavaScript runs. */
void weir__js_profile_sample(weir_js *js);

void weir__js_profile_drop(weir_js *js);

#endif /* WEIR_JS_PROFILE_H */
