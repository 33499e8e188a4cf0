/* SPDX-License-Identifier: MIT */
/*
 * operation -- one use of OpenSSL that may take long: on this thread, or on the
 * pool.
 *
 * A caller embeds a struct weir__js_operation as the first member of its own
 * block, which holds copies of all inputs.  Secrets are overwritten when it is
 * freed.
 */
#ifndef WEIR_JS_CRYPTO_OPERATION_H
#define WEIR_JS_CRYPTO_OPERATION_H

#include "core/async.h"
#include "crypto/failure.h"

struct weir__js_operation;

struct weir__js_operation_kind {
    const char *name;
    /* Returns whether it is done; if not, OpenSSL's queue may say why.  Any
     * thread. */
    bool (*run)(struct weir__js_operation *operation);
    /* Return the value, or an exception.  The loop's thread. */
    JSValue (*finish)(struct weir__js_operation *operation, JSContext *context);
    /* Release what the block holds, not the block.  Any thread. */
    void (*drop)(struct weir__js_operation *operation);
    const char *failed; /* the error's text if OpenSSL says nothing */
    bool is_plain;      /* its errors have no code, as Node's on the pool */
};

struct weir__js_operation {
    struct weir__js_work work; /* first */
    const struct weir__js_operation_kind *kind;
    bool is_done;
    struct weir__js_failure failure;
};

/* Run the operation.  If `resolve` is a function, on the pool: one of the two
 * functions is called later.  Otherwise here: returns the value or throws.
 * Takes the operation, which is from calloc. */
JSValue weir__js_operation_start(JSContext *context,
                                 struct weir__js_operation *operation,
                                 const struct weir__js_operation_kind *kind,
                                 JSValueConst resolve, JSValueConst reject);

/* Release an operation that was not started. */
void weir__js_operation_free(struct weir__js_operation *operation,
                             const struct weir__js_operation_kind *kind);

/* A copy of bytes that is overwritten when it is freed. */
struct weir__js_secret {
    uint8_t *bytes; /* from malloc; NULL: there are none, not even empty ones */
    size_t size;
};

/* Copy bytes.  Returns 0, or -1 with an exception.  If the value is undefined
 * or null, there are no bytes. */
int weir__js_secret_copy(JSContext *context, JSValueConst value,
                         struct weir__js_secret *secret);

/* Make room for bytes.  Returns whether there is memory.  Any thread. */
bool weir__js_secret_reserve(struct weir__js_secret *secret, size_t size);

void weir__js_secret_free(struct weir__js_secret *secret);

/* An ArrayBuffer with a copy of the bytes. */
JSValue weir__js_secret_buffer(JSContext *context,
                               const struct weir__js_secret *secret);

#endif /* WEIR_JS_CRYPTO_OPERATION_H */
