/* SPDX-License-Identifier: MIT */
/*
 * atomics -- Atomics.wait, waitAsync and notify.
 */
#ifndef WEIR_JS_ATOMICS_H
#define WEIR_JS_ATOMICS_H

#include "host.h"

/* In the place of the engine's, which share one lock.  0, or -ENOMEM. */
int weir__js_add_atomics(weir_js *js);

#endif /* WEIR_JS_ATOMICS_H */
