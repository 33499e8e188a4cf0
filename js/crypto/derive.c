/* SPDX-License-Identifier: MIT */
/*
 * derive -- keys that are derived from passwords and other keys: PBKDF2, scrypt
 * and HKDF of OpenSSL.
 *
 * Data      A derivation, with copies of its inputs: secrets, which are
 *           overwritten when it is freed.
 * Thread    The caller's, or one of the pool: derivations are meant to take
 *           long.
 *
 * Tested by  test/js/crypto/crypto-derive.js
 */
#include <errno.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/block.h"
#include "bytes/bytes.h"
#include "core/async.h"
#include "core/builtin.h"
#include "core/error.h"
#include "crypto/key.h"

enum method { PBKDF2, SCRYPT, HKDF };

enum { INPUTS = 3, NUMBERS = 4 };

struct input {
    uint8_t *bytes; /* from malloc */
    size_t size;
};

struct derivation {
    struct weir__js_work work; /* first */
    enum method method;
    char digest[64];
    /* The password, salt and, for HKDF, the information */
    struct input inputs[INPUTS];
    /* PBKDF2: iterations; scrypt: N, r, p, and the limit of memory */
    double numbers[NUMBERS];
    struct weir__js_block output;
    size_t length;
    bool is_done;
};

/* ---- the work, on any thread ---- */

static bool derive_pbkdf2(struct derivation *d, uint8_t *to)
{
    EVP_MD *digest = weir__js_digest_find(d->digest);
    bool is_done = digest != NULL &&
                   PKCS5_PBKDF2_HMAC((const char *)d->inputs[0].bytes,
                                     (int)d->inputs[0].size, d->inputs[1].bytes,
                                     (int)d->inputs[1].size, (int)d->numbers[0],
                                     digest, (int)d->length, to) == 1;

    EVP_MD_free(digest);
    return is_done;
}

static bool derive_scrypt(struct derivation *d, uint8_t *to)
{
    return EVP_PBE_scrypt((const char *)d->inputs[0].bytes, d->inputs[0].size,
                          d->inputs[1].bytes, d->inputs[1].size,
                          (uint64_t)d->numbers[0], (uint64_t)d->numbers[1],
                          (uint64_t)d->numbers[2], (uint64_t)d->numbers[3], to,
                          d->length) == 1;
}

static bool derive_hkdf(struct derivation *d, uint8_t *to)
{
    EVP_MD *digest = weir__js_digest_find(d->digest);
    const char *name = digest != NULL ? EVP_MD_get0_name(digest) : "";
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)name, 0),
        OSSL_PARAM_octet_string(OSSL_KDF_PARAM_KEY, d->inputs[0].bytes,
                                d->inputs[0].size),
        OSSL_PARAM_octet_string(OSSL_KDF_PARAM_SALT, d->inputs[1].bytes,
                                d->inputs[1].size),
        OSSL_PARAM_octet_string(OSSL_KDF_PARAM_INFO, d->inputs[2].bytes,
                                d->inputs[2].size),
        OSSL_PARAM_END};
    EVP_KDF *kdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
    EVP_KDF_CTX *state = kdf != NULL ? EVP_KDF_CTX_new(kdf) : NULL;
    bool is_done =
        state != NULL && EVP_KDF_derive(state, to, d->length, parameters) == 1;

    EVP_KDF_CTX_free(state);
    EVP_KDF_free(kdf);
    EVP_MD_free(digest);
    return is_done;
}

static void derive(struct derivation *d)
{
    uint8_t *to;

    if (weir__js_block_reserve(&d->output, d->length + 1) != 0)
        return;
    to = (uint8_t *)d->output.bytes;
    d->output.size = d->length;
    switch (d->method) {
    case PBKDF2:
        d->is_done = d->length == 0 || derive_pbkdf2(d, to);
        break;
    case SCRYPT:
        d->is_done = d->length == 0 || derive_scrypt(d, to);
        break;
    case HKDF:
        d->is_done = d->length == 0 || derive_hkdf(d, to);
        break;
    }
}

static void run_derivation(struct weir__js_work *work, int status)
{
    if (status == 0)
        derive((struct derivation *)work);
}

static JSValue finish_derivation(struct weir__js_work *work, JSContext *context)
{
    struct derivation *d = (struct derivation *)work;

    return d->is_done ? weir__js_block_buffer(context, &d->output)
                      : JS_UNDEFINED;
}

static void free_derivation(struct weir__js_work *work)
{
    struct derivation *d = (struct derivation *)work;

    for (int i = 0; i < INPUTS; i++) {
        if (d->inputs[i].bytes != NULL)
            OPENSSL_cleanse(d->inputs[i].bytes, d->inputs[i].size);
        free(d->inputs[i].bytes);
    }
    if (d->output.bytes != NULL)
        OPENSSL_cleanse(d->output.bytes, d->output.size);
    weir__js_block_free(&d->output);
    free(d);
}

static const struct weir__js_work_kind derivation_kind = {
    "key derivation", run_derivation, finish_derivation, free_derivation};

/* ---- from JavaScript ---- */

/* Returns -1 with an exception. */
static int copy_input(JSContext *context, JSValueConst value,
                      struct input *input)
{
    struct weir__js_bytes bytes;

    if (weir__js_bytes(context, value, &bytes) < 0)
        return -1;
    input->bytes = malloc(bytes.size + 1); /* never NULL, even if empty */
    if (input->bytes == NULL) {
        JS_ThrowOutOfMemory(context);
        return -1;
    }
    memcpy(input->bytes, bytes.data, bytes.size);
    input->size = bytes.size;
    return 0;
}

/* Returns -1 with an exception. */
static int read_numbers(JSContext *context, JSValueConst list, double *numbers)
{
    for (int i = 0; i < NUMBERS; i++) {
        JSValue value = JS_GetPropertyInt64(context, list, i);

        if (JS_IsUndefined(value))
            break;
        if (JS_ToFloat64(context, &numbers[i], value) < 0)
            return -1; /* a number: nothing to free */
    }
    return 0;
}

/* Returns -1 with an exception. */
static int read_arguments(JSContext *context, JSValueConst *argv,
                          struct derivation *d)
{
    const char *digest = JS_ToCString(context, argv[1]);
    int64_t length;
    int32_t method;

    if (digest == NULL)
        return -1;
    strncpy(d->digest, digest, sizeof(d->digest) - 1);
    JS_FreeCString(context, digest);
    if (JS_ToInt32(context, &method, argv[0]) < 0 ||
        read_numbers(context, argv[5], d->numbers) < 0 ||
        JS_ToInt64(context, &length, argv[6]) < 0)
        return -1;
    d->method = (enum method)method;
    d->length = (size_t)length;
    for (int i = 0; i < INPUTS; i++)
        if (copy_input(context, argv[2 + i], &d->inputs[i]) < 0)
            return -1;
    return 0;
}

/* derive(method, digest, input, input, input, numbers, length, resolve, reject):
 * an ArrayBuffer, or undefined if OpenSSL refuses; without functions, at once */
static JSValue crypto_derive(JSContext *context, JSValueConst this_value,
                             int argc, JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct derivation *d = calloc(1, sizeof(*d));
    JSValue value = JS_EXCEPTION;
    int err;

    if (d == NULL)
        return JS_ThrowOutOfMemory(context);
    d->output = weir__js_block_of(js);
    if (read_arguments(context, argv, d) == 0) {
        if (!JS_IsFunction(context, argv[7])) {
            derive(d);
            value = finish_derivation(&d->work, context);
        } else {
            err = weir__js_work_start(js, &d->work, &derivation_kind, NULL,
                                      argv[7], argv[8]);
            if (err == 0)
                return JS_UNDEFINED;
            value = weir__js_throw_status_as(
                context, err, err == -ENOTSUP ? "the host has no pool" : NULL);
        }
    }
    free_derivation(&d->work);
    return value;
}

/* digestSize(name): in bytes, or undefined if there is no such digest */
static JSValue digest_size(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    const char *name = JS_ToCString(context, argv[0]);
    EVP_MD *digest;
    JSValue size = JS_UNDEFINED;

    if (name == NULL)
        return JS_EXCEPTION;
    digest = weir__js_digest_find(name);
    JS_FreeCString(context, name);
    if (digest != NULL)
        size = JS_NewInt32(context, EVP_MD_get_size(digest));
    EVP_MD_free(digest);
    return size;
}

/* checkScrypt([N, r, p, limit of memory]): "", or OpenSSL's error; undefined if
 * they are good */
static JSValue check_scrypt(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    double numbers[NUMBERS] = {0};
    char text[256] = "";
    unsigned long error;

    if (read_numbers(context, argv[0], numbers) < 0)
        return JS_EXCEPTION;
    ERR_clear_error();
    if (EVP_PBE_scrypt(NULL, 0, NULL, 0, (uint64_t)numbers[0],
                       (uint64_t)numbers[1], (uint64_t)numbers[2],
                       (uint64_t)numbers[3], NULL, 0) == 1)
        return JS_UNDEFINED;
    error = ERR_get_error();
    if (error != 0)
        ERR_error_string_n(error, text, sizeof(text));
    ERR_clear_error();
    return JS_NewString(context, text);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("derive", 9, crypto_derive),
    JS_CFUNC_DEF("digestSize", 1, digest_size),
    JS_CFUNC_DEF("checkScrypt", 1, check_scrypt),
};

const struct weir__js_builtin weir__js_derive_builtin = {
    WEIR__JS_LIBS("crypto/derive"),
    WEIR__JS_NATIVES(natives),
};
