/* SPDX-License-Identifier: MIT */
/*
 * dh -- Diffie-Hellman over a prime, with keys that can be replaced.
 *
 * OpenSSL's newer interface refuses small and unsafe primes, and does not say
 * what is wrong with one (verifyError).  So this file, alone, uses the older
 * one.
 *
 * Tested by  test/js/crypto/dh.js
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/dh.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/bytes.h"
#include "core/builtin.h"
#include "core/property.h"
#include "crypto/group.h"
#include "crypto/operation.h"

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    JSClassID id;

    DH_free(JS_GetAnyOpaque(value, &id));
}

static DH *dh_of(JSContext *context, JSValueConst value)
{
    DH *dh = weir__js_opaque(weir__js_of(context), value, WEIR__JS_DH);

    if (dh == NULL)
        JS_ThrowTypeError(context, "not a DiffieHellman");
    return dh;
}

/* Takes the DH. */
static JSValue new_handle(JSContext *context, DH *dh)
{
    weir_js *js = weir__js_of(context);
    JSValue object;

    if (dh == NULL)
        return weir__js_throw_openssl(context, "Initialization failed");
    object = JS_NewObjectClass(context, js->classes[WEIR__JS_DH]);
    if (JS_IsException(object))
        DH_free(dh);
    else
        JS_SetOpaque(object, dh);
    return object;
}

/* Takes the numbers; NULL if one is missing. */
static DH *make(BIGNUM *prime, BIGNUM *generator)
{
    DH *dh = prime != NULL && generator != NULL ? DH_new() : NULL;

    if (dh != NULL && DH_set0_pqg(dh, prime, NULL, generator) == 1)
        return dh;
    DH_free(dh);
    BN_free(prime);
    BN_free(generator);
    return NULL;
}

static BIGNUM *number_of(unsigned long number)
{
    BIGNUM *made = BN_new();

    if (made != NULL && BN_set_word(made, number) == 1)
        return made;
    BN_free(made);
    return NULL;
}

/* ---- beginning ---- */

/* search(bits, generator) */
static JSValue search(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    int32_t bits, generator;
    DH *dh;

    if (JS_ToInt32(context, &bits, argv[0]) < 0 ||
        JS_ToInt32(context, &generator, argv[1]) < 0)
        return JS_EXCEPTION;
    ERR_clear_error();
    dh = DH_new();
    if (dh != NULL &&
        DH_generate_parameters_ex(dh, bits, generator, NULL) != 1) {
        DH_free(dh);
        dh = NULL;
    }
    return new_handle(context, dh);
}

static BIGNUM *refuse_generator(void)
{
    ERR_raise(ERR_LIB_DH, DH_R_BAD_GENERATOR);
    return NULL;
}

/* A generator that is greater than 1, from a number or bytes. */
static BIGNUM *read_generator(JSContext *context, JSValueConst value)
{
    struct weir__js_bytes bytes;
    int32_t number;
    BIGNUM *made;

    if (JS_IsNumber(value)) {
        if (JS_ToInt32(context, &number, value) < 0)
            return NULL;
        return number < 2 ? refuse_generator()
                          : number_of((unsigned long)number);
    }
    if (weir__js_bytes(context, value, &bytes) < 0)
        return NULL;
    made = BN_bin2bn(bytes.data, (int)bytes.size, NULL);
    if (made != NULL && (BN_is_zero(made) || BN_is_one(made))) {
        BN_free(made);
        return refuse_generator();
    }
    return made;
}

/* use(prime, generator) */
static JSValue use(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv)
{
    struct weir__js_bytes bytes;
    BIGNUM *prime, *generator;

    ERR_clear_error();
    if (weir__js_bytes(context, argv[0], &bytes) < 0)
        return JS_EXCEPTION;
    if (bytes.size == 0) {
        ERR_raise(ERR_LIB_BN, BN_R_BITS_TOO_SMALL);
        return weir__js_throw_openssl(context, "Initialization failed");
    }
    prime = BN_bin2bn(bytes.data, (int)bytes.size, NULL);
    generator = read_generator(context, argv[1]);
    if (JS_HasException(context)) {
        BN_free(prime);
        return JS_EXCEPTION;
    }
    return new_handle(context, make(prime, generator));
}

/* useGroup(name): undefined if there is none */
static JSValue use_group(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    const char *name = JS_ToCString(context, argv[0]);
    BIGNUM *prime = name != NULL ? weir__js_group_prime(name) : NULL;

    if (name == NULL)
        return JS_EXCEPTION;
    JS_FreeCString(context, name);
    return prime == NULL ? JS_UNDEFINED
                         : new_handle(context, make(prime, number_of(2)));
}

/* verifyError(dh) */
static JSValue verify_error(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    DH *dh = dh_of(context, argv[0]);
    int codes = 0;

    if (dh == NULL)
        return JS_EXCEPTION;
    if (DH_check(dh, &codes) != 1)
        return weir__js_throw_coded(context, WEIR__JS_ERROR,
                                    "ERR_CRYPTO_OPERATION_FAILED",
                                    "Checking DH parameters failed");
    ERR_clear_error();
    return JS_NewInt32(context, codes);
}

/* ---- keys ---- */

/* An ArrayBuffer; undefined if there is no number. */
static JSValue new_number(JSContext *context, const BIGNUM *number)
{
    struct weir__js_secret secret = {NULL, 0};
    JSValue value;

    if (number == NULL)
        return JS_UNDEFINED;
    if (!weir__js_secret_reserve(&secret, (size_t)BN_num_bytes(number)))
        return JS_ThrowOutOfMemory(context);
    BN_bn2bin(number, secret.bytes);
    value = weir__js_secret_buffer(context, &secret);
    weir__js_secret_free(&secret);
    return value;
}

enum part { PRIME, GENERATOR, PUBLIC, PRIVATE };

/* numbers(dh): [prime, generator, public key, private key] */
static JSValue numbers(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    DH *dh = dh_of(context, argv[0]);
    JSValue values[4];

    if (dh == NULL)
        return JS_EXCEPTION;
    values[PRIME] = new_number(context, DH_get0_p(dh));
    values[GENERATOR] = new_number(context, DH_get0_g(dh));
    values[PUBLIC] = new_number(context, DH_get0_pub_key(dh));
    values[PRIVATE] = new_number(context, DH_get0_priv_key(dh));
    return weir__js_new_array(context, 4, values);
}

/* generate(dh): keeps a private key that is there */
static JSValue generate(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    DH *dh = dh_of(context, argv[0]);

    if (dh == NULL)
        return JS_EXCEPTION;
    ERR_clear_error();
    return DH_generate_key(dh) == 1
               ? JS_UNDEFINED
               : weir__js_throw_openssl(context, "Key generation failed");
}

/* setKey(dh, bytes, is private) */
static JSValue set_key(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    DH *dh = dh_of(context, argv[0]);
    bool is_private = JS_ToBool(context, argv[2]) == 1;
    struct weir__js_bytes bytes;
    BIGNUM *key;

    if (dh == NULL || weir__js_bytes(context, argv[1], &bytes) < 0)
        return JS_EXCEPTION;
    key = BN_bin2bn(bytes.data, (int)bytes.size, NULL);
    if (key == NULL || DH_set0_key(dh, is_private ? NULL : key,
                                   is_private ? key : NULL) != 1) {
        BN_clear_free(key);
        return weir__js_throw_openssl(context, "Failed to set key");
    }
    return JS_UNDEFINED;
}

static JSValue refuse_secret(JSContext *context, const DH *dh,
                             const BIGNUM *theirs)
{
    int codes = 0;

    if (DH_check_pub_key(dh, theirs, &codes) != 1)
        return weir__js_throw_coded(context, WEIR__JS_RANGE_ERROR,
                                    "ERR_CRYPTO_INVALID_KEYTYPE",
                                    "Invalid key type");
    if ((codes & DH_CHECK_PUBKEY_TOO_SMALL) != 0)
        return weir__js_throw_coded(context, WEIR__JS_RANGE_ERROR,
                                    "ERR_CRYPTO_INVALID_KEYLEN",
                                    "Supplied key is too small");
    if ((codes & DH_CHECK_PUBKEY_TOO_LARGE) != 0)
        return weir__js_throw_coded(context, WEIR__JS_RANGE_ERROR,
                                    "ERR_CRYPTO_INVALID_KEYLEN",
                                    "Supplied key is too large");
    return weir__js_throw_coded(context, WEIR__JS_RANGE_ERROR,
                                "ERR_CRYPTO_INVALID_KEYTYPE",
                                "Invalid key type");
}

/* secret(dh, their public key): an ArrayBuffer of the prime's size */
static JSValue secret(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    DH *dh = dh_of(context, argv[0]);
    struct weir__js_secret made = {NULL, 0};
    struct weir__js_bytes bytes;
    JSValue value;
    BIGNUM *theirs;
    int size;

    if (dh == NULL || weir__js_bytes(context, argv[1], &bytes) < 0)
        return JS_EXCEPTION;
    ERR_clear_error();
    theirs = BN_bin2bn(bytes.data, (int)bytes.size, NULL);
    if (theirs == NULL ||
        !weir__js_secret_reserve(&made, (size_t)DH_size(dh))) {
        BN_free(theirs);
        return JS_ThrowOutOfMemory(context);
    }
    size = DH_compute_key_padded(made.bytes, theirs, dh);
    value = size >= 0 ? weir__js_secret_buffer(context, &made)
                      : refuse_secret(context, dh, theirs);
    weir__js_secret_free(&made);
    BN_free(theirs);
    return value;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("search", 2, search),
    JS_CFUNC_DEF("use", 2, use),
    JS_CFUNC_DEF("useGroup", 1, use_group),
    JS_CFUNC_DEF("verifyError", 1, verify_error),
    JS_CFUNC_DEF("numbers", 1, numbers),
    JS_CFUNC_DEF("generate", 1, generate),
    JS_CFUNC_DEF("setKey", 3, set_key),
    JS_CFUNC_DEF("secret", 2, secret),
};

static const JSClassDef class_definition = {"DiffieHellman",
                                            .finalizer = finalize};

const struct weir__js_builtin weir__js_dh_builtin = {
    WEIR__JS_LIBS("crypto/dh"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &class_definition,
};
