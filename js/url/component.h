/* SPDX-License-Identifier: MIT */
/*
 * component -- the parts of a URL as JavaScript sees them, with delimiters.
 */
#ifndef WEIR_JS_COMPONENT_H
#define WEIR_JS_COMPONENT_H

#include <quickjs.h>

#include "url/change.h"

/* The getter that belongs to a setter. */
JSValue weir__js_component(JSContext *context,
                           const struct weir__js_record *url,
                           enum weir__js_change what);

/* The query without "?". */
JSValue weir__js_component_query(JSContext *context,
                                 const struct weir__js_record *url);

/* The origin of a URL that is not "blob:", or "null". */
JSValue weir__js_component_origin(JSContext *context,
                                  const struct weir__js_record *url);

#endif /* WEIR_JS_COMPONENT_H */
