/* SPDX-License-Identifier: MIT */
/*
 * worker -- a host on a thread of its own, and its parent's hold on it.
 */
#ifndef WEIR_JS_WORKER_H
#define WEIR_JS_WORKER_H

#include "host.h"

/* The host ends: its workers are terminated and waited for. */
void weir__js_drop_workers(weir_js *js);

/* In a worker: an error that nobody caught goes to the parent. */
void weir__js_tell_parent(weir_js *js, JSValueConst thrown);

#endif /* WEIR_JS_WORKER_H */
