/* SPDX-License-Identifier: MIT */
/*
 * engine -- how the host of a worker is made.
 */
#ifndef WEIR_JS_ENGINE_H
#define WEIR_JS_ENGINE_H

#include "core/host.h"

/* Create a host in a worker of this parent; without a parent (NULL), as
 * weir_js_new.  Call it on the parent's thread, or on one that the parent
 * outlives. */
int weir__js_new(weir_js **js, weir_loop *loop, const weir_js_options *options,
                 const weir_js *parent);

#endif /* WEIR_JS_ENGINE_H */
