/* SPDX-License-Identifier: MIT */
/*
 * control -- methods that the servers of weir:http and of node:http share.
 *
 * `http` is NULL once the server has ended.
 */
#ifndef WEIR_JS_CONTROL_H
#define WEIR_JS_CONTROL_H

#include "core/host.h"
#include "weir/net/http.h"

/* Drain in that many milliseconds; negative: the server's own deadline. */
JSValue weir__js_control_drain(JSContext *context, weir_http_server *http,
                               JSValueConst deadline);

JSValue weir__js_control_set_ref(JSContext *context, weir_http_server *http,
                                 JSValueConst is_ref);

/* What the server has done, or had done when it ended. */
JSValue weir__js_control_counts(JSContext *context, weir_http_server *http,
                                const weir_http_counts *last);

#endif /* WEIR_JS_CONTROL_H */
