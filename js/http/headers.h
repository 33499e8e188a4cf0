/* SPDX-License-Identifier: MIT */
/*
 * headers -- the class Headers of the Fetch standard.
 *
 * A Headers object has a list of fields, or shows those of a request that a
 * server has received.  Those are copied when they are changed.
 */
#ifndef WEIR_JS_HEADERS_H
#define WEIR_JS_HEADERS_H

#include "http/exchange.h"
#include "http/fields.h"

enum weir__js_guard { WEIR__JS_GUARD_NONE, WEIR__JS_GUARD_IMMUTABLE };

struct weir__js_headers {
    struct weir__js_fields *fields;     /* NULL: those of the exchange */
    struct weir__js_exchange *exchange; /* or NULL */
    enum weir__js_guard guard;
    JSValue sorted;          /* what iterators show; undefined: not made */
    uint32_t sorted_changes; /* of the fields when it was made */
};

/* Make a Headers object of a list, or of an exchange, and take a reference to
 * it. */
JSValue weir__js_headers_new(JSContext *context, struct weir__js_fields *fields,
                             struct weir__js_exchange *exchange,
                             enum weir__js_guard guard);

/* The struct behind a Headers object, or NULL. */
struct weir__js_headers *weir__js_headers_of(JSContext *context,
                                             JSValueConst value);

/* The number of fields, and one of them. */
size_t weir__js_headers_count(const struct weir__js_headers *headers);
bool weir__js_headers_at(const struct weir__js_headers *headers, size_t index,
                         weir_http_field *field);

/* All values of a name, with ", " between them, the first of which was found
 * before `index`. */
JSValue weir__js_headers_join(JSContext *context,
                              const struct weir__js_headers *headers,
                              weir_bytes name, weir_bytes first, size_t index);

/* Append what `init` of a constructor says: another Headers object, a sequence
 * of pairs, or a record.  Returns 0, or -1 with an exception. */
int weir__js_headers_fill(JSContext *context, struct weir__js_fields *fields,
                          JSValueConst init);

/* Throw: Headers.append: "a b" is an invalid header name.  Returns -1. */
int weir__js_headers_refuse(JSContext *context, const char *method,
                            JSValueConst value, const char *what);

/* Read a name and a value as bytes.  Returns 0, or -1 with an exception; then
 * there is nothing to free. */
int weir__js_headers_read(JSContext *context, const char *method,
                          JSValueConst name, JSValueConst value,
                          struct weir__js_span spans[2], weir_bytes bytes[2]);

/* Append a pair.  Returns 0, or -1 with an exception. */
int weir__js_headers_append(JSContext *context, struct weir__js_fields *fields,
                            JSValueConst name, JSValueConst value);

#endif /* WEIR_JS_HEADERS_H */
