/* SPDX-License-Identifier: MIT */
/*
 * request -- the class Request of the Fetch standard.
 */
#ifndef WEIR_JS_REQUEST_H
#define WEIR_JS_REQUEST_H

#include "http/body.h"
#include "http/exchange.h"

struct weir__js_request {
    struct weir__js_body body;          /* first */
    struct weir__js_exchange *exchange; /* NULL: a program has made it */
    /* Undefined: not made yet. */
    JSValue method, url, headers, signal;
    JSValue extra; /* an object with the other properties */
};

/* Make the Request of an exchange. */
JSValue weir__js_request_new(JSContext *context,
                             struct weir__js_exchange *exchange);

/* The struct behind a Request, or NULL. */
struct weir__js_request *weir__js_request_of(JSContext *context,
                                             JSValueConst value);

#endif /* WEIR_JS_REQUEST_H */
