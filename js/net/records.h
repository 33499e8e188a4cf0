/* SPDX-License-Identifier: MIT */
/*
 * records -- records of DNS servers as JavaScript values.
 */
#ifndef WEIR_JS_NET_RECORDS_H
#define WEIR_JS_NET_RECORDS_H

#include "core/host.h"
#include "weir/net/query.h"

/* An array with one array for each record: its type, its time to live, and what
 * its type has.  js/lib/net/resolver.js names the parts. */
JSValue weir__js_records(JSContext *context, const weir_query_result *result);

#endif /* WEIR_JS_NET_RECORDS_H */
