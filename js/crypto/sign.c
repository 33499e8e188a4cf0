/* SPDX-License-Identifier: MIT */
/*
 * sign -- signatures, and their verification.
 *
 * Data      A signing: the key, a copy of the data, the signature to verify or
 *           the one that is made.
 * Thread    The caller's, or one of the pool.
 *
 * A signature of DSA or ECDSA is a DER SEQUENCE of two numbers, or, in the
 * format of IEEE P1363, the two numbers with a fixed size.
 *
 * Tested by  test/js/crypto/sign.js
 */
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/bytes.h"
#include "core/builtin.h"
#include "crypto/key.h"

enum { DEFAULT = -1000 }; /* no padding or salt was given */

struct signing {
    struct weir__js_operation operation; /* first */
    EVP_PKEY *pkey;
    EVP_MD *digest; /* NULL: the key's own */
    bool is_digest; /* the data is a digest already */
    bool is_p1363;
    bool is_verification, is_valid;
    int padding, salt; /* of RSA */
    struct weir__js_secret data, signature;
};

/* ---- the format of IEEE P1363 ---- */

/* The size of each number; 0: the key's signatures are not of this kind. */
static size_t number_size(const EVP_PKEY *pkey)
{
    BIGNUM *order = NULL;
    const char *name = EVP_PKEY_is_a(pkey, "DSA")  ? OSSL_PKEY_PARAM_FFC_Q
                       : EVP_PKEY_is_a(pkey, "EC") ? OSSL_PKEY_PARAM_EC_ORDER
                                                   : NULL;
    size_t size = 0;

    if (name != NULL && EVP_PKEY_get_bn_param(pkey, name, &order) == 1)
        size = (size_t)BN_num_bytes(order);
    BN_free(order);
    return size;
}

static bool to_p1363(struct weir__js_secret *signature, size_t size)
{
    const unsigned char *at = signature->bytes;
    ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &at, (long)signature->size);
    struct weir__js_secret made = {NULL, 0};
    bool is_done =
        pair != NULL && weir__js_secret_reserve(&made, 2 * size) &&
        BN_bn2binpad(ECDSA_SIG_get0_r(pair), made.bytes, (int)size) > 0 &&
        BN_bn2binpad(ECDSA_SIG_get0_s(pair), made.bytes + size, (int)size) > 0;

    ECDSA_SIG_free(pair);
    if (!is_done) {
        weir__js_secret_free(&made);
        return false;
    }
    weir__js_secret_free(signature);
    *signature = made;
    return true;
}

/* Returns false if it is not a signature of that size, which is not an error. */
static bool from_p1363(struct weir__js_secret *signature, size_t size)
{
    ECDSA_SIG *pair = ECDSA_SIG_new();
    BIGNUM *r = NULL, *s = NULL;
    struct weir__js_secret made = {NULL, 0};
    unsigned char *der = NULL;
    int length = -1;

    if (pair != NULL && signature->size == 2 * size) {
        r = BN_bin2bn(signature->bytes, (int)size, NULL);
        s = BN_bin2bn(signature->bytes + size, (int)size, NULL);
    }
    if (r != NULL && s != NULL && ECDSA_SIG_set0(pair, r, s) == 1) {
        length = i2d_ECDSA_SIG(pair, &der);
    } else {
        BN_free(r);
        BN_free(s);
    }
    if (length > 0 && weir__js_secret_reserve(&made, (size_t)length)) {
        memcpy(made.bytes, der, (size_t)length);
        weir__js_secret_free(signature);
        *signature = made;
    }
    OPENSSL_free(der);
    ECDSA_SIG_free(pair);
    return made.bytes != NULL;
}

/* ---- the work, on any thread ---- */

static bool set_padding(EVP_PKEY_CTX *state, const struct signing *s)
{
    bool is_pss = EVP_PKEY_is_a(s->pkey, "RSA-PSS");
    int padding = s->padding != DEFAULT ? s->padding
                  : is_pss              ? RSA_PKCS1_PSS_PADDING
                                        : RSA_PKCS1_PADDING;

    if (!is_pss && !EVP_PKEY_is_a(s->pkey, "RSA"))
        return true;
    return EVP_PKEY_CTX_set_rsa_padding(state, padding) > 0 &&
           (padding != RSA_PKCS1_PSS_PADDING || s->salt == DEFAULT ||
            EVP_PKEY_CTX_set_rsa_pss_saltlen(state, s->salt) > 0);
}

static bool sign_digest(struct signing *s, EVP_PKEY_CTX *state)
{
    size_t size = (size_t)EVP_PKEY_get_size(s->pkey);

    if (EVP_PKEY_sign_init(state) != 1 || !set_padding(state, s) ||
        EVP_PKEY_CTX_set_signature_md(state, s->digest) != 1 ||
        !weir__js_secret_reserve(&s->signature, size) ||
        EVP_PKEY_sign(state, s->signature.bytes, &size, s->data.bytes,
                      s->data.size) != 1)
        return false;
    s->signature.size = size;
    return true;
}

/* As in Node, options that do not fit the key make a signature invalid. */
static bool verify_digest(struct signing *s, EVP_PKEY_CTX *state)
{
    s->is_valid = EVP_PKEY_verify_init(state) == 1 && set_padding(state, s) &&
                  EVP_PKEY_CTX_set_signature_md(state, s->digest) == 1 &&
                  EVP_PKEY_verify(state, s->signature.bytes, s->signature.size,
                                  s->data.bytes, s->data.size) == 1;
    return true;
}

static bool run_on_digest(struct signing *s)
{
    EVP_PKEY_CTX *state = EVP_PKEY_CTX_new(s->pkey, NULL);
    bool is_done =
        state != NULL &&
        (s->is_verification ? verify_digest(s, state) : sign_digest(s, state));

    EVP_PKEY_CTX_free(state);
    return is_done;
}

static bool sign_data(struct signing *s, EVP_MD_CTX *state)
{
    EVP_PKEY_CTX *key_state;
    size_t size = 0;

    if (EVP_DigestSignInit(state, &key_state, s->digest, NULL, s->pkey) != 1 ||
        !set_padding(key_state, s) ||
        EVP_DigestSign(state, NULL, &size, s->data.bytes, s->data.size) != 1 ||
        !weir__js_secret_reserve(&s->signature, size) ||
        EVP_DigestSign(state, s->signature.bytes, &size, s->data.bytes,
                       s->data.size) != 1)
        return false;
    s->signature.size = size;
    return true;
}

static bool verify_data(struct signing *s, EVP_MD_CTX *state)
{
    EVP_PKEY_CTX *key_state;

    if (EVP_DigestVerifyInit(state, &key_state, s->digest, NULL, s->pkey) !=
            1 ||
        !set_padding(key_state, s))
        return false;
    s->is_valid = EVP_DigestVerify(state, s->signature.bytes, s->signature.size,
                                   s->data.bytes, s->data.size) == 1;
    return true;
}

static bool run_on_data(struct signing *s)
{
    EVP_MD_CTX *state = EVP_MD_CTX_new();
    bool is_done = state != NULL && (s->is_verification ? verify_data(s, state)
                                                        : sign_data(s, state));

    EVP_MD_CTX_free(state);
    return is_done;
}

static bool run_signing(struct weir__js_operation *operation)
{
    struct signing *s = (struct signing *)operation;
    size_t size = s->is_p1363 ? number_size(s->pkey) : 0;

    if (s->is_verification && size > 0 && !from_p1363(&s->signature, size)) {
        s->is_valid = false;
        return true;
    }
    if (!(s->is_digest ? run_on_digest(s) : run_on_data(s)))
        return false;
    return s->is_verification || size == 0 || to_p1363(&s->signature, size);
}

static JSValue finish_signing(struct weir__js_operation *operation,
                              JSContext *context)
{
    struct signing *s = (struct signing *)operation;

    return s->is_verification ? JS_NewBool(context, s->is_valid)
                              : weir__js_secret_buffer(context, &s->signature);
}

static void drop_signing(struct weir__js_operation *operation)
{
    struct signing *s = (struct signing *)operation;

    weir__js_secret_free(&s->data);
    weir__js_secret_free(&s->signature);
    EVP_MD_free(s->digest);
    EVP_PKEY_free(s->pkey);
}

static const struct weir__js_operation_kind signing_kind = {
    "signature",  run_signing,      finish_signing,
    drop_signing, "Signing failed", false};

/* ---- from JavaScript ---- */

static int read_digest(JSContext *context, JSValueConst value,
                       struct signing *s)
{
    const char *name;

    if (JS_IsUndefined(value) || JS_IsNull(value))
        return 0;
    name = JS_ToCString(context, value);
    if (name == NULL)
        return -1;
    s->digest = weir__js_digest_find(name);
    if (s->digest == NULL)
        weir__js_throw_coded(context, WEIR__JS_TYPE_ERROR,
                             "ERR_CRYPTO_INVALID_DIGEST", "Invalid digest: %s",
                             name);
    JS_FreeCString(context, name);
    return s->digest != NULL ? 0 : -1;
}

static int read_number(JSContext *context, JSValueConst value, int *number)
{
    *number = DEFAULT;
    return JS_IsUndefined(value) ? 0 : JS_ToInt32(context, number, value);
}

/* sign(key, digest, data, is a digest, padding, salt, is P1363, signature,
 * resolve, reject): an ArrayBuffer; with a signature, whether it is valid */
static JSValue crypto_sign(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct signing *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return JS_ThrowOutOfMemory(context);
    s->is_verification = !JS_IsUndefined(argv[7]);
    s->is_digest = JS_ToBool(context, argv[3]) == 1;
    s->is_p1363 = JS_ToBool(context, argv[6]) == 1;
    s->pkey = weir__js_key_ref(context, argv[0]);
    if (s->pkey != NULL && read_digest(context, argv[1], s) == 0 &&
        read_number(context, argv[4], &s->padding) == 0 &&
        read_number(context, argv[5], &s->salt) == 0 &&
        weir__js_secret_copy(context, argv[2], &s->data) == 0 &&
        weir__js_secret_copy(context, argv[7], &s->signature) == 0)
        return weir__js_operation_start(context, &s->operation, &signing_kind,
                                        argv[8], argv[9]);
    weir__js_operation_free(&s->operation, &signing_kind);
    return JS_EXCEPTION;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("sign", 10, crypto_sign),
};

const struct weir__js_builtin weir__js_sign_builtin = {
    WEIR__JS_LIBS("crypto/sign"),
    WEIR__JS_NATIVES(natives),
};
