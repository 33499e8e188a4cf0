/* SPDX-License-Identifier: MIT */
/*
 * operation -- see operation.h.
 *
 * Tested by  test/js/crypto/keys-generate.js, test/js/crypto/sign.js
 */
#include "crypto/operation.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/bytes.h"
#include "core/error.h"

/* An operation on the loop's thread must not inherit what a call before it left
 * in the queue. */
static void run(struct weir__js_operation *operation)
{
    ERR_clear_error();
    operation->is_done = operation->kind->run(operation);
    if (operation->is_done)
        ERR_clear_error();
    else
        weir__js_failure_take(&operation->failure);
}

static void run_work(struct weir__js_work *work, int status)
{
    if (status == 0)
        run((struct weir__js_operation *)work);
}

static JSValue finish_work(struct weir__js_work *work, JSContext *context)
{
    struct weir__js_operation *operation = (struct weir__js_operation *)work;

    if (operation->is_done)
        return operation->kind->finish(operation, context);
    return weir__js_failure_throw(context, &operation->failure,
                                  operation->kind->failed);
}

static void free_work(struct weir__js_work *work)
{
    struct weir__js_operation *operation = (struct weir__js_operation *)work;

    operation->kind->drop(operation);
    free(operation);
}

static const struct weir__js_work_kind work_kind = {"crypto", run_work,
                                                    finish_work, free_work};

void weir__js_operation_free(struct weir__js_operation *operation,
                             const struct weir__js_operation_kind *kind)
{
    operation->kind = kind;
    free_work(&operation->work);
}

JSValue weir__js_operation_start(JSContext *context,
                                 struct weir__js_operation *operation,
                                 const struct weir__js_operation_kind *kind,
                                 JSValueConst resolve, JSValueConst reject)
{
    JSValue value;
    int err;

    operation->kind = kind;
    operation->failure.is_plain =
        kind->is_plain || JS_IsFunction(context, resolve);
    if (JS_IsFunction(context, resolve)) {
        err = weir__js_work_start(weir__js_of(context), &operation->work,
                                  &work_kind, kind->name, resolve, reject);
        if (err == 0)
            return JS_UNDEFINED;
        value = weir__js_throw_status_as(
            context, err, err == -ENOTSUP ? "the host has no pool" : NULL);
    } else {
        run(operation);
        value = finish_work(&operation->work, context);
    }
    free_work(&operation->work);
    return value;
}

/* ---- secrets ---- */

bool weir__js_secret_reserve(struct weir__js_secret *secret, size_t size)
{
    secret->bytes = malloc(size + 1); /* never NULL, even if empty */
    secret->size = secret->bytes != NULL ? size : 0;
    return secret->bytes != NULL;
}

int weir__js_secret_copy(JSContext *context, JSValueConst value,
                         struct weir__js_secret *secret)
{
    struct weir__js_bytes bytes;

    if (JS_IsUndefined(value) || JS_IsNull(value))
        return 0;
    if (weir__js_bytes(context, value, &bytes) < 0)
        return -1;
    if (!weir__js_secret_reserve(secret, bytes.size)) {
        JS_ThrowOutOfMemory(context);
        return -1;
    }
    memcpy(secret->bytes, bytes.data, bytes.size);
    return 0;
}

void weir__js_secret_free(struct weir__js_secret *secret)
{
    if (secret->bytes != NULL)
        OPENSSL_cleanse(secret->bytes, secret->size);
    free(secret->bytes);
    *secret = (struct weir__js_secret){NULL, 0};
}

JSValue weir__js_secret_buffer(JSContext *context,
                               const struct weir__js_secret *secret)
{
    return JS_NewArrayBufferCopy(context, secret->bytes, secret->size);
}
