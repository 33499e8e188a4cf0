/* SPDX-License-Identifier: MIT */
/*
 * asymmetric -- encryption with RSA, and secrets that two keys agree on.
 *
 * Data      An operation on one or two keys: copies of the input, and the
 *           output.
 * Thread    The caller's, or one of the pool.
 *
 * Tested by  test/js/crypto/prime.js, test/js/crypto/dh.js
 */
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <string.h>

#include "core/builtin.h"
#include "crypto/key.h"

/* As in js/lib/crypto/cipher.js */
enum method { ENCRYPT, DECRYPT, SIGN, RECOVER };

struct encryption {
    struct weir__js_operation operation; /* first */
    enum method method;
    EVP_PKEY *pkey;
    int padding;
    EVP_MD *digest; /* of OAEP; NULL: SHA-1 */
    struct weir__js_secret label, data, output;
};

/* ---- RSA ---- */

static const struct {
    int (*init)(EVP_PKEY_CTX *state);
    int (*run)(EVP_PKEY_CTX *state, unsigned char *to, size_t *size,
               const unsigned char *from, size_t from_size);
} methods[] = {
    [ENCRYPT] = {EVP_PKEY_encrypt_init, EVP_PKEY_encrypt},
    [DECRYPT] = {EVP_PKEY_decrypt_init, EVP_PKEY_decrypt},
    [SIGN] = {EVP_PKEY_sign_init, EVP_PKEY_sign},
    [RECOVER] = {EVP_PKEY_verify_recover_init, EVP_PKEY_verify_recover},
};

/* OpenSSL takes over the label. */
static bool set_label(EVP_PKEY_CTX *state, const struct weir__js_secret *label)
{
    void *copy;

    if (label->size == 0)
        return true;
    copy = OPENSSL_memdup(label->bytes, label->size);
    if (copy != NULL &&
        EVP_PKEY_CTX_set0_rsa_oaep_label(state, copy, (int)label->size) > 0)
        return true;
    OPENSSL_free(copy);
    return false;
}

static bool run_with(struct encryption *e, EVP_PKEY_CTX *state)
{
    size_t size = 0;

    if (state == NULL || methods[e->method].init(state) != 1 ||
        EVP_PKEY_CTX_set_rsa_padding(state, e->padding) <= 0 ||
        (e->digest != NULL &&
         EVP_PKEY_CTX_set_rsa_oaep_md(state, e->digest) <= 0) ||
        !set_label(state, &e->label) ||
        methods[e->method].run(state, NULL, &size, e->data.bytes,
                               e->data.size) != 1 ||
        !weir__js_secret_reserve(&e->output, size) ||
        methods[e->method].run(state, e->output.bytes, &size, e->data.bytes,
                               e->data.size) != 1)
        return false;
    e->output.size = size;
    return true;
}

static bool run_encryption(struct weir__js_operation *operation)
{
    struct encryption *e = (struct encryption *)operation;
    EVP_PKEY_CTX *state = EVP_PKEY_CTX_new(e->pkey, NULL);
    bool is_done = run_with(e, state);

    EVP_PKEY_CTX_free(state);
    return is_done;
}

static JSValue finish_encryption(struct weir__js_operation *operation,
                                 JSContext *context)
{
    return weir__js_secret_buffer(context,
                                  &((struct encryption *)operation)->output);
}

static void drop_encryption(struct weir__js_operation *operation)
{
    struct encryption *e = (struct encryption *)operation;

    weir__js_secret_free(&e->label);
    weir__js_secret_free(&e->data);
    weir__js_secret_free(&e->output);
    EVP_MD_free(e->digest);
    EVP_PKEY_free(e->pkey);
}

static const struct weir__js_operation_kind encryption_kind = {
    "encryption",    run_encryption,      finish_encryption,
    drop_encryption, "Encryption failed", false};

static int read_digest(JSContext *context, JSValueConst value,
                       struct encryption *e)
{
    const char *name;

    if (JS_IsUndefined(value))
        return 0;
    name = JS_ToCString(context, value);
    if (name == NULL)
        return -1;
    e->digest = weir__js_digest_find(name);
    JS_FreeCString(context, name);
    if (e->digest != NULL)
        return 0;
    weir__js_throw_coded(context, WEIR__JS_ERROR, "ERR_OSSL_EVP_INVALID_DIGEST",
                         "Invalid digest used");
    return -1;
}

/* encrypt(method, key, data, padding, digest, label, resolve, reject): an
 * ArrayBuffer */
static JSValue crypto_encrypt(JSContext *context, JSValueConst this_value,
                              int argc, JSValueConst *argv)
{
    struct encryption *e = calloc(1, sizeof(*e));
    int32_t method;

    if (e == NULL)
        return JS_ThrowOutOfMemory(context);
    e->pkey = weir__js_key_ref(context, argv[1]);
    if (e->pkey != NULL && JS_ToInt32(context, &method, argv[0]) == 0 &&
        JS_ToInt32(context, &e->padding, argv[3]) == 0 &&
        read_digest(context, argv[4], e) == 0 &&
        weir__js_secret_copy(context, argv[2], &e->data) == 0 &&
        weir__js_secret_copy(context, argv[5], &e->label) == 0) {
        e->method = (enum method)method;
        return weir__js_operation_start(context, &e->operation,
                                        &encryption_kind, argv[6], argv[7]);
    }
    weir__js_operation_free(&e->operation, &encryption_kind);
    return JS_EXCEPTION;
}

/* ---- agreement ---- */

struct agreement {
    struct weir__js_operation operation; /* first */
    EVP_PKEY *own, *theirs;
    struct weir__js_secret output;
};

static bool agree_with(struct agreement *a, EVP_PKEY_CTX *state)
{
    size_t size = 0, room;

    if (state == NULL || EVP_PKEY_derive_init(state) != 1 ||
        EVP_PKEY_derive_set_peer(state, a->theirs) != 1 ||
        EVP_PKEY_derive(state, NULL, &size) != 1 ||
        !weir__js_secret_reserve(&a->output, size))
        return false;
    room = size;
    if (EVP_PKEY_derive(state, a->output.bytes, &size) != 1)
        return false;
    /* Diffie-Hellman leaves out zeros at the beginning. */
    if (size < room) {
        memmove(a->output.bytes + room - size, a->output.bytes, size);
        memset(a->output.bytes, 0, room - size);
    }
    return true;
}

static bool run_agreement(struct weir__js_operation *operation)
{
    struct agreement *a = (struct agreement *)operation;
    EVP_PKEY_CTX *state = EVP_PKEY_CTX_new(a->own, NULL);
    bool is_done = agree_with(a, state);

    EVP_PKEY_CTX_free(state);
    return is_done;
}

static JSValue finish_agreement(struct weir__js_operation *operation,
                                JSContext *context)
{
    return weir__js_secret_buffer(context,
                                  &((struct agreement *)operation)->output);
}

static void drop_agreement(struct weir__js_operation *operation)
{
    struct agreement *a = (struct agreement *)operation;

    weir__js_secret_free(&a->output);
    EVP_PKEY_free(a->own);
    EVP_PKEY_free(a->theirs);
}

static const struct weir__js_operation_kind agreement_kind = {
    "key agreement", run_agreement,          finish_agreement,
    drop_agreement,  "diffieHellman failed", false};

/* agree(private key, public key, resolve, reject): an ArrayBuffer */
static JSValue crypto_agree(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    struct agreement *a = calloc(1, sizeof(*a));

    if (a == NULL)
        return JS_ThrowOutOfMemory(context);
    a->own = weir__js_key_ref(context, argv[0]);
    a->theirs = a->own != NULL ? weir__js_key_ref(context, argv[1]) : NULL;
    if (a->theirs != NULL)
        return weir__js_operation_start(context, &a->operation, &agreement_kind,
                                        argv[2], argv[3]);
    weir__js_operation_free(&a->operation, &agreement_kind);
    return JS_EXCEPTION;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("encrypt", 8, crypto_encrypt),
    JS_CFUNC_DEF("agree", 4, crypto_agree),
};

const struct weir__js_builtin weir__js_asymmetric_builtin = {
    WEIR__JS_LIBS("crypto/asymmetric"),
    WEIR__JS_NATIVES(natives),
};
