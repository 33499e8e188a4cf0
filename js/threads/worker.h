/* SPDX-License-Identifier: MIT */
/*
 * worker -- a host on its own thread, and the parent's handle to it.
 */
#ifndef WEIR_JS_WORKER_H
#define WEIR_JS_WORKER_H

#include "core/host.h"

/* Terminate and join all workers.  Called when the host ends. */
void weir__js_drop_workers(weir_js *js);

/* In a worker: send an uncaught error to the parent. */
void weir__js_tell_parent(weir_js *js, JSValueConst thrown);

#endif /* WEIR_JS_WORKER_H */
