/* SPDX-License-Identifier: MIT */
/*
 * failure -- why OpenSSL refused something, as an error of Node.
 *
 * OpenSSL keeps a queue of errors for each thread.  What runs on the pool takes
 * its queue along as plain numbers, and the loop's thread makes the error.
 */
#ifndef WEIR_JS_CRYPTO_FAILURE_H
#define WEIR_JS_CRYPTO_FAILURE_H

#include "core/host.h"

enum { WEIR__JS_FAILURE_CODES = 16 };

struct weir__js_failure {
    unsigned long codes[WEIR__JS_FAILURE_CODES]; /* the oldest first */
    unsigned count;
    bool is_plain; /* without `library`, `reason` and `code` */
};

/* Take the queue of this thread, which is empty afterwards.  Any thread. */
void weir__js_failure_take(struct weir__js_failure *failure);

/* Throw the oldest error; if there is none, an error with this text. */
JSValue weir__js_failure_throw(JSContext *context,
                               const struct weir__js_failure *failure,
                               const char *otherwise);

/* Both at once. */
JSValue weir__js_throw_openssl(JSContext *context, const char *otherwise);

enum weir__js_error_class {
    WEIR__JS_ERROR,
    WEIR__JS_TYPE_ERROR,
    WEIR__JS_RANGE_ERROR
};

/* Throw an error with `code`. */
__attribute__((format(printf, 4, 5))) JSValue
weir__js_throw_coded(JSContext *context, enum weir__js_error_class kind,
                     const char *code, const char *format, ...);

#endif /* WEIR_JS_CRYPTO_FAILURE_H */
