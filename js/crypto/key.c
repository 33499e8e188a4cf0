/* SPDX-License-Identifier: MIT */
/*
 * key -- see key.h: making keys, and asking them.
 *
 * Tested by  test/js/crypto/keys.js
 */
#include "crypto/key.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/bytes.h"
#include "core/builtin.h"
#include "core/property.h"

/* ---- objects ---- */

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    JSClassID id;
    struct weir__js_key *key = JS_GetAnyOpaque(value, &id);

    if (key == NULL)
        return;
    weir__js_secret_free(&key->secret);
    EVP_PKEY_free(key->pkey);
    free(key);
}

struct weir__js_key *weir__js_key_of(JSContext *context, JSValueConst value)
{
    struct weir__js_key *key =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_KEY);

    if (key == NULL)
        JS_ThrowTypeError(context, "not a key");
    return key;
}

EVP_PKEY *weir__js_key_ref(JSContext *context, JSValueConst value)
{
    struct weir__js_key *key = weir__js_key_of(context, value);

    if (key == NULL)
        return NULL;
    if (key->pkey == NULL || EVP_PKEY_up_ref(key->pkey) != 1) {
        JS_ThrowTypeError(context, "a secret has no key");
        return NULL;
    }
    return key->pkey;
}

static JSValue new_handle(JSContext *context, struct weir__js_key **made)
{
    weir_js *js = weir__js_of(context);
    JSValue object = JS_NewObjectClass(context, js->classes[WEIR__JS_KEY]);

    if (JS_IsException(object))
        return object;
    *made = calloc(1, sizeof(**made));
    if (*made == NULL) {
        JS_FreeValue(context, object);
        return JS_ThrowOutOfMemory(context);
    }
    JS_SetOpaque(object, *made);
    return object;
}

JSValue weir__js_key_new(JSContext *context, enum weir__js_key_type type,
                         EVP_PKEY *pkey)
{
    struct weir__js_key *key;
    JSValue object;

    if (pkey == NULL)
        return weir__js_throw_openssl(context, "Invalid key");
    object = new_handle(context, &key);
    if (JS_IsException(object)) {
        EVP_PKEY_free(pkey);
        return object;
    }
    key->type = type;
    key->pkey = pkey;
    return object;
}

/* makeSecret(bytes) */
static JSValue make_secret(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct weir__js_key *key;
    JSValue object = new_handle(context, &key);

    if (JS_IsException(object))
        return object;
    key->type = WEIR__JS_KEY_SECRET;
    if (weir__js_secret_copy(context, argv[0], &key->secret) == 0)
        return object;
    JS_FreeValue(context, object);
    return JS_EXCEPTION;
}

/* makePublic(key): the public half of a key */
static JSValue make_public(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    EVP_PKEY *pkey = weir__js_key_ref(context, argv[0]);

    return pkey == NULL ? JS_EXCEPTION
                        : weir__js_key_new(context, WEIR__JS_KEY_PUBLIC, pkey);
}

/* secretOf(key): an ArrayBuffer */
static JSValue secret_of(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct weir__js_key *key = weir__js_key_of(context, argv[0]);

    return key == NULL ? JS_EXCEPTION
                       : weir__js_secret_buffer(context, &key->secret);
}

/* ---- parts ---- */

int weir__js_curve_of(const char *name)
{
    int nid = EC_curve_nist2nid(name);

    return nid != NID_undef ? nid : OBJ_sn2nid(name);
}

EVP_MD *weir__js_digest_find(const char *name)
{
    const EVP_MD *entry = EVP_get_digestbyname(name);

    return EVP_MD_fetch(NULL, entry != NULL ? EVP_MD_get0_name(entry) : name,
                        NULL);
}

/* Build a key from what the builder has. */
static EVP_PKEY *build(const char *kind, bool is_private,
                       OSSL_PARAM_BLD *builder)
{
    OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_from_name(NULL, kind, NULL);
    EVP_PKEY *pkey = NULL;

    if (parameters == NULL || maker == NULL ||
        EVP_PKEY_fromdata_init(maker) != 1 ||
        EVP_PKEY_fromdata(maker, &pkey,
                          is_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY,
                          parameters) != 1)
        pkey = NULL;
    EVP_PKEY_CTX_free(maker);
    OSSL_PARAM_free(parameters);
    return pkey;
}

/* The numbers of an RSA key, in the order of a JWK. */
static const char *const rsa_parts[] = {
    OSSL_PKEY_PARAM_RSA_N,         OSSL_PKEY_PARAM_RSA_E,
    OSSL_PKEY_PARAM_RSA_D,         OSSL_PKEY_PARAM_RSA_FACTOR1,
    OSSL_PKEY_PARAM_RSA_FACTOR2,   OSSL_PKEY_PARAM_RSA_EXPONENT1,
    OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
};

enum { RSA_PARTS = sizeof(rsa_parts) / sizeof(*rsa_parts), RSA_PUBLIC = 2 };

/* makeRsa(n, e, d, p, q, dp, dq, qi): undefined if they are no key; with two
 * numbers, a public key */
static JSValue make_rsa(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    BIGNUM *numbers[RSA_PARTS] = {NULL};
    bool is_private = !JS_IsUndefined(argv[RSA_PUBLIC]);
    int count = is_private ? RSA_PARTS : RSA_PUBLIC;
    bool is_good = builder != NULL;
    EVP_PKEY *pkey = NULL;

    for (int i = 0; is_good && i < count; i++) {
        struct weir__js_bytes bytes;

        is_good = weir__js_bytes(context, argv[i], &bytes) == 0;
        if (is_good)
            numbers[i] = BN_bin2bn(bytes.data, (int)bytes.size, NULL);
        is_good =
            is_good && numbers[i] != NULL &&
            OSSL_PARAM_BLD_push_BN(builder, rsa_parts[i], numbers[i]) == 1;
    }
    if (is_good)
        pkey = build("RSA", is_private, builder);
    OSSL_PARAM_BLD_free(builder);
    for (int i = 0; i < count; i++)
        BN_clear_free(numbers[i]);
    ERR_clear_error();
    if (pkey == NULL)
        return JS_HasException(context) ? JS_EXCEPTION : JS_UNDEFINED;
    return weir__js_key_new(
        context, is_private ? WEIR__JS_KEY_PRIVATE : WEIR__JS_KEY_PUBLIC, pkey);
}

/* A key on a curve; NULL if the point is not on it, or is not the number's. */
static EVP_PKEY *build_ec(const char *curve, const struct weir__js_bytes *point,
                          const struct weir__js_bytes *number)
{
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    BIGNUM *private = number != NULL
                          ? BN_bin2bn(number->data, (int)number->size, NULL)
                          : NULL;
    EVP_PKEY *pkey = NULL;

    if (builder != NULL &&
        OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME,
                                        curve, 0) == 1 &&
        OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY,
                                         point->data, point->size) == 1 &&
        (private == NULL ||
         OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, private) ==
             1))
        pkey = build("EC", private != NULL, builder);
    OSSL_PARAM_BLD_free(builder);
    BN_clear_free(private);
    return pkey;
}

/* A handle of a key that was built; undefined if that was not possible. */
static JSValue new_built(JSContext *context, bool is_private, EVP_PKEY *pkey)
{
    ERR_clear_error();
    if (pkey == NULL)
        return JS_UNDEFINED;
    return weir__js_key_new(
        context, is_private ? WEIR__JS_KEY_PRIVATE : WEIR__JS_KEY_PUBLIC, pkey);
}

/* makeEc(curve, point, number): undefined if they are no key; without a number,
 * a public key */
static JSValue make_ec(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    bool is_private = !JS_IsUndefined(argv[2]);
    const char *curve = JS_ToCString(context, argv[0]);
    struct weir__js_bytes point, number;
    EVP_PKEY *pkey = NULL;
    bool is_good =
        curve != NULL && weir__js_bytes(context, argv[1], &point) == 0 &&
        (!is_private || weir__js_bytes(context, argv[2], &number) == 0);

    if (is_good)
        pkey = build_ec(curve, &point, is_private ? &number : NULL);
    JS_FreeCString(context, curve);
    return is_good ? new_built(context, is_private, pkey) : JS_EXCEPTION;
}

/* makeRaw(name, bytes, is private): of Ed25519, X25519, Ed448 or X448; undefined
 * if it is not a key */
static JSValue make_raw(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    bool is_private = JS_ToBool(context, argv[2]) == 1;
    const char *name = JS_ToCString(context, argv[0]);
    struct weir__js_bytes bytes;
    EVP_PKEY *pkey = NULL;
    bool is_good =
        name != NULL && weir__js_bytes(context, argv[1], &bytes) == 0;

    if (is_good && is_private)
        pkey = EVP_PKEY_new_raw_private_key_ex(NULL, name, NULL, bytes.data,
                                               bytes.size);
    else if (is_good)
        pkey = EVP_PKEY_new_raw_public_key_ex(NULL, name, NULL, bytes.data,
                                              bytes.size);
    JS_FreeCString(context, name);
    return is_good ? new_built(context, is_private, pkey) : JS_EXCEPTION;
}

/* An ArrayBuffer with at least `size` bytes; undefined if there is no number. */
static JSValue new_number(JSContext *context, const EVP_PKEY *pkey,
                          const char *name, size_t size)
{
    BIGNUM *number = NULL;
    struct weir__js_secret secret = {NULL, 0};
    JSValue value;

    if (EVP_PKEY_get_bn_param(pkey, name, &number) != 1)
        return JS_UNDEFINED;
    if (size < (size_t)BN_num_bytes(number))
        size = (size_t)BN_num_bytes(number);
    if (weir__js_secret_reserve(&secret, size)) {
        BN_bn2binpad(number, secret.bytes, (int)size);
        value = weir__js_secret_buffer(context, &secret);
    } else {
        value = JS_ThrowOutOfMemory(context);
    }
    weir__js_secret_free(&secret);
    BN_clear_free(number);
    return value;
}

static JSValue rsa_numbers(JSContext *context, const struct weir__js_key *key)
{
    JSValue values[RSA_PARTS];
    int count = key->type == WEIR__JS_KEY_PRIVATE ? RSA_PARTS : RSA_PUBLIC;

    for (int i = 0; i < count; i++)
        values[i] = new_number(context, key->pkey, rsa_parts[i], 0);
    return weir__js_new_array(context, count, values);
}

static JSValue ec_numbers(JSContext *context, const struct weir__js_key *key)
{
    size_t size = ((size_t)EVP_PKEY_get_bits(key->pkey) + 7) / 8;
    JSValue values[] = {
        new_number(context, key->pkey, OSSL_PKEY_PARAM_EC_PUB_X, size),
        new_number(context, key->pkey, OSSL_PKEY_PARAM_EC_PUB_Y, size),
        JS_UNDEFINED,
    };

    if (key->type == WEIR__JS_KEY_PRIVATE)
        values[2] =
            new_number(context, key->pkey, OSSL_PKEY_PARAM_PRIV_KEY, size);
    return weir__js_new_array(context, 3, values);
}

static JSValue raw_bytes(JSContext *context, const EVP_PKEY *pkey,
                         bool is_private)
{
    uint8_t bytes[64]; /* Ed448 has 57 */
    size_t size = sizeof(bytes);
    int done = is_private ? EVP_PKEY_get_raw_private_key(pkey, bytes, &size)
                          : EVP_PKEY_get_raw_public_key(pkey, bytes, &size);
    JSValue value =
        done == 1 ? JS_NewArrayBufferCopy(context, bytes, size) : JS_UNDEFINED;

    OPENSSL_cleanse(bytes, sizeof(bytes));
    return value;
}

/* parts(key): RSA: [n, e, d, p, q, dp, dq, qi]; a curve: [x, y, d]; others:
 * [public, private].  A public key has no private numbers. */
static JSValue parts(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    struct weir__js_key *key = weir__js_key_of(context, argv[0]);
    JSValue values[2], list;

    if (key == NULL)
        return JS_EXCEPTION;
    if (EVP_PKEY_is_a(key->pkey, "RSA") || EVP_PKEY_is_a(key->pkey, "RSA-PSS"))
        list = rsa_numbers(context, key);
    else if (EVP_PKEY_is_a(key->pkey, "EC"))
        list = ec_numbers(context, key);
    else {
        values[0] = raw_bytes(context, key->pkey, false);
        values[1] = key->type == WEIR__JS_KEY_PRIVATE
                        ? raw_bytes(context, key->pkey, true)
                        : JS_UNDEFINED;
        list = weir__js_new_array(context, 2, values);
    }
    ERR_clear_error();
    return list;
}

/* ---- questions ---- */

static const struct {
    const char *theirs, *nodes;
} kinds[] = {
    {"RSA", "rsa"},         {"RSA-PSS", "rsa-pss"}, {"EC", "ec"},
    {"ED25519", "ed25519"}, {"X25519", "x25519"},   {"DSA", "dsa"},
    {"DH", "dh"},           {"DHX", "dh"},          {"ED448", "ed448"},
    {"X448", "x448"},
};

/* kindOf(key): Node's asymmetricKeyType, or undefined */
static JSValue kind_of(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct weir__js_key *key = weir__js_key_of(context, argv[0]);

    if (key == NULL)
        return JS_EXCEPTION;
    for (size_t i = 0; key->pkey != NULL && i < sizeof(kinds) / sizeof(*kinds);
         i++)
        if (EVP_PKEY_is_a(key->pkey, kinds[i].theirs))
            return JS_NewString(context, kinds[i].nodes);
    return JS_UNDEFINED;
}

static bool put_bits(JSContext *context, JSValueConst object,
                     const EVP_PKEY *pkey, const char *name, const char *key)
{
    BIGNUM *number = NULL;
    bool is_done =
        EVP_PKEY_get_bn_param(pkey, name, &number) != 1 ||
        weir__js_set_property(context, object, key,
                              JS_NewInt32(context, BN_num_bits(number))) >= 0;

    BN_free(number);
    return is_done;
}

/* The short name of a digest that a provider names otherwise; SHA-1, which is
 * left out, if there is none. */
static const char *digest_name(const EVP_PKEY *pkey, const char *parameter)
{
    char name[64];
    EVP_MD *digest;
    int type = NID_sha1;

    if (EVP_PKEY_get_utf8_string_param(pkey, parameter, name, sizeof(name),
                                       NULL) == 1 &&
        (digest = EVP_MD_fetch(NULL, name, NULL)) != NULL) {
        type = EVP_MD_get_type(digest);
        EVP_MD_free(digest);
    }
    return OBJ_nid2ln(type);
}

/* What a key of RSA-PSS is restricted to, if it is. */
static bool put_pss(JSContext *context, JSValueConst object,
                    const EVP_PKEY *pkey)
{
    int salt;

    if (EVP_PKEY_get_int_param(pkey, OSSL_PKEY_PARAM_RSA_PSS_SALTLEN, &salt) !=
        1)
        return true;
    return weir__js_set_property(
               context, object, "hashAlgorithm",
               JS_NewString(context,
                            digest_name(pkey, OSSL_PKEY_PARAM_RSA_DIGEST))) >=
               0 &&
           weir__js_set_property(
               context, object, "mgf1HashAlgorithm",
               JS_NewString(
                   context,
                   digest_name(pkey, OSSL_PKEY_PARAM_RSA_MGF1_DIGEST))) >= 0 &&
           weir__js_set_property(context, object, "saltLength",
                                 JS_NewInt32(context, salt)) >= 0;
}

static bool put_curve(JSContext *context, JSValueConst object,
                      const EVP_PKEY *pkey)
{
    char name[64];

    return EVP_PKEY_get_utf8_string_param(pkey, OSSL_PKEY_PARAM_GROUP_NAME,
                                          name, sizeof(name), NULL) != 1 ||
           weir__js_set_property(context, object, "namedCurve",
                                 JS_NewString(context, name)) >= 0;
}

/* details(key): Node's asymmetricKeyDetails; publicExponent is an ArrayBuffer */
static JSValue details(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct weir__js_key *key = weir__js_key_of(context, argv[0]);
    JSValue object = key != NULL ? JS_NewObject(context) : JS_EXCEPTION;
    bool is_done = !JS_IsException(object);
    const EVP_PKEY *pkey;

    if (!is_done)
        return object;
    pkey = key->pkey;
    if (EVP_PKEY_is_a(pkey, "RSA") || EVP_PKEY_is_a(pkey, "RSA-PSS"))
        is_done =
            put_bits(context, object, pkey, OSSL_PKEY_PARAM_RSA_N,
                     "modulusLength") &&
            weir__js_set_property(
                context, object, "publicExponent",
                new_number(context, pkey, OSSL_PKEY_PARAM_RSA_E, 0)) >= 0 &&
            (!EVP_PKEY_is_a(pkey, "RSA-PSS") || put_pss(context, object, pkey));
    else if (EVP_PKEY_is_a(pkey, "DSA"))
        is_done = put_bits(context, object, pkey, OSSL_PKEY_PARAM_FFC_P,
                           "modulusLength") &&
                  put_bits(context, object, pkey, OSSL_PKEY_PARAM_FFC_Q,
                           "divisorLength");
    else if (EVP_PKEY_is_a(pkey, "EC"))
        is_done = put_curve(context, object, pkey);
    ERR_clear_error();
    if (is_done)
        return object;
    JS_FreeValue(context, object);
    return JS_EXCEPTION;
}

/* isEqual(a, b), of one type */
static JSValue is_equal(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    struct weir__js_key *a = weir__js_key_of(context, argv[0]),
                        *b = weir__js_key_of(context, argv[1]);
    int result;

    if (a == NULL || b == NULL)
        return JS_EXCEPTION;
    if (a->type == WEIR__JS_KEY_SECRET)
        return JS_NewBool(context,
                          a->secret.size == b->secret.size &&
                              CRYPTO_memcmp(a->secret.bytes, b->secret.bytes,
                                            a->secret.size) == 0);
    result = EVP_PKEY_eq(a->pkey, b->pkey);
    ERR_clear_error();
    return result != -2
               ? JS_NewBool(context, result == 1)
               : weir__js_throw_coded(context, WEIR__JS_ERROR,
                                      "ERR_CRYPTO_UNSUPPORTED_OPERATION",
                                      "Unsupported crypto operation");
}

/* isGood(key): whether the numbers of a key on a curve fit together */
static JSValue is_good(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct weir__js_key *key = weir__js_key_of(context, argv[0]);
    EVP_PKEY_CTX *checker;
    int result = 0;

    if (key == NULL)
        return JS_EXCEPTION;
    checker = EVP_PKEY_CTX_new(key->pkey, NULL);
    if (checker != NULL)
        result = key->type == WEIR__JS_KEY_PRIVATE
                     ? EVP_PKEY_check(checker)
                     : EVP_PKEY_public_check(checker);
    EVP_PKEY_CTX_free(checker);
    ERR_clear_error();
    return JS_NewBool(context, result == 1);
}

/* point(key): the public key of a curve, as an ArrayBuffer */
static JSValue point(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    struct weir__js_key *key = weir__js_key_of(context, argv[0]);
    unsigned char *bytes = NULL;
    size_t size;
    JSValue value;

    if (key == NULL)
        return JS_EXCEPTION;
    size = EVP_PKEY_get1_encoded_public_key(key->pkey, &bytes);
    value = size > 0 ? JS_NewArrayBufferCopy(context, bytes, size)
                     : weir__js_throw_openssl(context, "Invalid key");
    OPENSSL_free(bytes);
    return value;
}

/* version(): OpenSSL's, as one number */
static JSValue version(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    return JS_NewInt64(context, (int64_t)OpenSSL_version_num());
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("version", 0, version),
    JS_CFUNC_DEF("makeSecret", 1, make_secret),
    JS_CFUNC_DEF("makePublic", 1, make_public),
    JS_CFUNC_DEF("makeRsa", 8, make_rsa),
    JS_CFUNC_DEF("makeEc", 3, make_ec),
    JS_CFUNC_DEF("makeRaw", 3, make_raw),
    JS_CFUNC_DEF("secretOf", 1, secret_of),
    JS_CFUNC_DEF("parts", 1, parts),
    JS_CFUNC_DEF("kindOf", 1, kind_of),
    JS_CFUNC_DEF("details", 1, details),
    JS_CFUNC_DEF("isEqual", 2, is_equal),
    JS_CFUNC_DEF("isGood", 1, is_good),
    JS_CFUNC_DEF("point", 1, point),
};

static const JSClassDef class_definition = {"KeyObjectHandle",
                                            .finalizer = finalize};

const struct weir__js_builtin weir__js_key_builtin = {
    WEIR__JS_LIBS("crypto/keys", "crypto/jwk", "crypto/constants"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &class_definition,
};
