/* SPDX-License-Identifier: MIT */
/*
 * answer -- from the Response of a program to the bytes that are sent; and the
 * object by which JavaScript refers to an exchange.
 */
#ifndef WEIR_JS_ANSWER_H
#define WEIR_JS_ANSWER_H

#include "http/exchange.h"

/* Answer with a value that `fetch` has returned or its promise was fulfilled
 * with.  Returns 0, or -1 with an exception if that is not possible. */
int weir__js_answer(JSContext *context, struct weir__js_exchange *exchange,
                    JSValueConst response);

/* The object that stands for an exchange, as the second argument of `fetch`.
 * Takes a reference to both. */
JSValue weir__js_exchange_object(JSContext *context,
                                 struct weir__js_exchange *exchange,
                                 JSValueConst request);

/* The exchange behind such an object or behind a Request, or NULL with a
 * TypeError. */
struct weir__js_exchange *weir__js_exchange_of(JSContext *context,
                                               JSValueConst value);

#endif /* WEIR_JS_ANSWER_H */
