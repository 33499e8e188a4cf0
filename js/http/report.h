/* SPDX-License-Identifier: MIT */
/*
 * report -- what a server has done and is doing, as objects.
 */
#ifndef WEIR_JS_REPORT_H
#define WEIR_JS_REPORT_H

#include "core/host.h"
#include "weir/net/http.h"

JSValue weir__js_report_counts(JSContext *context,
                               const weir_http_counts *counts);
JSValue weir__js_report_holder(JSContext *context,
                               const weir_http_holder *holder);

#endif /* WEIR_JS_REPORT_H */
