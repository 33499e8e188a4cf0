/* SPDX-License-Identifier: MIT */
/*
 * generate -- pairs of keys.
 *
 * Data      A generation: numbers and names, as they come from
 *           js/lib/crypto/generate.js, and the key that is the result.
 * Thread    The caller's, or one of the pool: searching for primes takes long.
 *
 * Tested by  test/js/crypto/keys-generate.js
 */
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/dh.h>
#include <openssl/dsa.h>
#include <openssl/ec.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <string.h>

#include "core/builtin.h"
#include "core/property.h"
#include "crypto/group.h"
#include "crypto/key.h"

struct generation {
    struct weir__js_operation operation; /* first */
    char kind[16];                       /* Node's name */
    char name[64];        /* of the curve, group or digest; may be empty */
    char mask_digest[64]; /* RSA-PSS: of MGF1; may be empty */
    /* RSA: bits, exponent, salt or -1; DSA: bits, bits of the divisor or -1;
     * a curve: whether it is named; DH: bits, generator */
    int64_t numbers[3];
    struct weir__js_secret prime; /* DH */
    EVP_PKEY *pkey;
};

/* ---- the work, on any thread ---- */

static bool generate_with(struct generation *g, EVP_PKEY_CTX *maker)
{
    bool is_done = maker != NULL && EVP_PKEY_keygen(maker, &g->pkey) == 1;

    EVP_PKEY_CTX_free(maker);
    return is_done;
}

/* A maker that has begun; NULL if it could not. */
static EVP_PKEY_CTX *begin(const char *kind)
{
    EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_from_name(NULL, kind, NULL);

    if (maker != NULL && EVP_PKEY_keygen_init(maker) == 1)
        return maker;
    EVP_PKEY_CTX_free(maker);
    return NULL;
}

/* A maker with parameters that were generated first. */
static EVP_PKEY_CTX *begin_from(EVP_PKEY *parameters)
{
    EVP_PKEY_CTX *maker =
        parameters != NULL ? EVP_PKEY_CTX_new(parameters, NULL) : NULL;

    EVP_PKEY_free(parameters);
    if (maker != NULL && EVP_PKEY_keygen_init(maker) == 1)
        return maker;
    EVP_PKEY_CTX_free(maker);
    return NULL;
}

static bool restrict_pss(EVP_PKEY_CTX *maker, const struct generation *g)
{
    const char *mask = g->mask_digest[0] != '\0' ? g->mask_digest : g->name;

    return (g->name[0] == '\0' || EVP_PKEY_CTX_set_rsa_pss_keygen_md_name(
                                      maker, g->name, NULL) == 1) &&
           (mask[0] == '\0' ||
            EVP_PKEY_CTX_set_rsa_pss_keygen_mgf1_md_name(maker, mask) == 1) &&
           (g->numbers[2] < 0 || EVP_PKEY_CTX_set_rsa_pss_keygen_saltlen(
                                     maker, (int)g->numbers[2]) == 1);
}

static bool generate_rsa(struct generation *g, bool is_pss)
{
    EVP_PKEY_CTX *maker = begin(is_pss ? "RSA-PSS" : "RSA");
    BIGNUM *exponent = BN_new();
    bool is_good =
        maker != NULL && exponent != NULL &&
        EVP_PKEY_CTX_set_rsa_keygen_bits(maker, (int)g->numbers[0]) == 1 &&
        BN_set_word(exponent, (BN_ULONG)g->numbers[1]) == 1 &&
        EVP_PKEY_CTX_set1_rsa_keygen_pubexp(maker, exponent) == 1 &&
        (!is_pss || restrict_pss(maker, g));

    BN_free(exponent);
    if (is_good)
        return generate_with(g, maker);
    EVP_PKEY_CTX_free(maker);
    return false;
}

static bool generate_dsa(struct generation *g)
{
    EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_from_name(NULL, "DSA", NULL);
    EVP_PKEY *parameters = NULL;

    if (maker == NULL || EVP_PKEY_paramgen_init(maker) != 1 ||
        EVP_PKEY_CTX_set_dsa_paramgen_bits(maker, (int)g->numbers[0]) != 1 ||
        (g->numbers[1] >= 0 && EVP_PKEY_CTX_set_dsa_paramgen_q_bits(
                                   maker, (int)g->numbers[1]) != 1) ||
        EVP_PKEY_paramgen(maker, &parameters) != 1)
        parameters = NULL;
    EVP_PKEY_CTX_free(maker);
    return generate_with(g, begin_from(parameters));
}

static bool generate_ec(struct generation *g)
{
    EVP_PKEY_CTX *maker = begin("EC");

    if (maker != NULL &&
        EVP_PKEY_CTX_set_ec_paramgen_curve_nid(
            maker, weir__js_curve_of(g->name)) == 1 &&
        EVP_PKEY_CTX_set_ec_param_enc(
            maker, g->numbers[0] != 0 ? OPENSSL_EC_NAMED_CURVE : 0) == 1)
        return generate_with(g, maker);
    EVP_PKEY_CTX_free(maker);
    return false;
}

/* Parameters of Diffie-Hellman with this prime and generator */
static EVP_PKEY *make_dh(const BIGNUM *prime, int64_t generator)
{
    EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_from_name(NULL, "DH", NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    OSSL_PARAM *parameters = NULL;
    EVP_PKEY *pkey = NULL;

    if (builder != NULL &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_FFC_P, prime) == 1 &&
        OSSL_PARAM_BLD_push_uint64(builder, OSSL_PKEY_PARAM_FFC_G,
                                   (uint64_t)generator) == 1)
        parameters = OSSL_PARAM_BLD_to_param(builder);
    if (maker == NULL || parameters == NULL ||
        EVP_PKEY_fromdata_init(maker) != 1 ||
        EVP_PKEY_fromdata(maker, &pkey, EVP_PKEY_KEY_PARAMETERS, parameters) !=
            1)
        pkey = NULL;
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    EVP_PKEY_CTX_free(maker);
    return pkey;
}

static EVP_PKEY *search_dh(int64_t bits, int64_t generator)
{
    EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_from_name(NULL, "DH", NULL);
    EVP_PKEY *pkey = NULL;

    if (maker == NULL || EVP_PKEY_paramgen_init(maker) != 1 ||
        EVP_PKEY_CTX_set_dh_paramgen_prime_len(maker, (int)bits) != 1 ||
        EVP_PKEY_CTX_set_dh_paramgen_generator(maker, (int)generator) != 1 ||
        EVP_PKEY_paramgen(maker, &pkey) != 1)
        pkey = NULL;
    EVP_PKEY_CTX_free(maker);
    return pkey;
}

static bool generate_dh(struct generation *g)
{
    BIGNUM *prime = NULL;
    EVP_PKEY *parameters;

    if (g->name[0] != '\0')
        prime = weir__js_group_prime(g->name);
    else if (g->prime.bytes != NULL)
        prime = BN_bin2bn(g->prime.bytes, (int)g->prime.size, NULL);
    else
        return generate_with(
            g, begin_from(search_dh(g->numbers[0], g->numbers[1])));
    parameters = prime != NULL ? make_dh(prime, g->numbers[1]) : NULL;
    BN_free(prime);
    return generate_with(g, begin_from(parameters));
}

static bool run_generation(struct weir__js_operation *operation)
{
    struct generation *g = (struct generation *)operation;

    if (strcmp(g->kind, "rsa") == 0)
        return generate_rsa(g, false);
    if (strcmp(g->kind, "rsa-pss") == 0)
        return generate_rsa(g, true);
    if (strcmp(g->kind, "dsa") == 0)
        return generate_dsa(g);
    if (strcmp(g->kind, "ec") == 0)
        return generate_ec(g);
    if (strcmp(g->kind, "dh") == 0)
        return generate_dh(g);
    return generate_with(g, begin(g->kind)); /* ed25519 and kin */
}

static JSValue finish_generation(struct weir__js_operation *operation,
                                 JSContext *context)
{
    struct generation *g = (struct generation *)operation;
    JSValue values[2] = {JS_EXCEPTION, JS_EXCEPTION};

    for (int i = 0; i < 2; i++)
        if (EVP_PKEY_up_ref(g->pkey) == 1)
            values[i] = weir__js_key_new(
                context, i == 0 ? WEIR__JS_KEY_PUBLIC : WEIR__JS_KEY_PRIVATE,
                g->pkey);
    return weir__js_new_array(context, 2, values);
}

static void drop_generation(struct weir__js_operation *operation)
{
    struct generation *g = (struct generation *)operation;

    weir__js_secret_free(&g->prime);
    EVP_PKEY_free(g->pkey);
}

static const struct weir__js_operation_kind generation_kind = {
    "key generation", run_generation,          finish_generation,
    drop_generation,  "Key generation failed", true};

/* ---- from JavaScript ---- */

/* Copy a name that fits, or nothing for undefined.  Returns -1 with an
 * exception. */
static int copy_name(JSContext *context, JSValueConst value, char *to,
                     size_t size)
{
    const char *name;

    if (JS_IsUndefined(value))
        return 0;
    name = JS_ToCString(context, value);
    if (name == NULL)
        return -1;
    strncpy(to, name, size - 1);
    JS_FreeCString(context, name);
    return 0;
}

/* generate(kind, name, mask digest, number, number, number, prime, resolve,
 * reject): [public key, private key] */
static JSValue generate(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    struct generation *g = calloc(1, sizeof(*g));
    bool is_good;

    if (g == NULL)
        return JS_ThrowOutOfMemory(context);
    is_good = copy_name(context, argv[0], g->kind, sizeof(g->kind)) == 0 &&
              copy_name(context, argv[1], g->name, sizeof(g->name)) == 0 &&
              copy_name(context, argv[2], g->mask_digest,
                        sizeof(g->mask_digest)) == 0 &&
              weir__js_secret_copy(context, argv[6], &g->prime) == 0;
    for (int i = 0; is_good && i < 3; i++)
        is_good = JS_ToInt64(context, &g->numbers[i], argv[3 + i]) == 0;
    if (is_good)
        return weir__js_operation_start(context, &g->operation,
                                        &generation_kind, argv[7], argv[8]);
    weir__js_operation_free(&g->operation, &generation_kind);
    return JS_EXCEPTION;
}

/* ---- known names ---- */

static bool is_curve(const char *name)
{
    return weir__js_curve_of(name) != NID_undef;
}

static bool is_digest(const char *name)
{
    EVP_MD *digest = weir__js_digest_find(name);
    bool is_known = digest != NULL;

    EVP_MD_free(digest);
    return is_known;
}

/* Whether OpenSSL knows it, even if it cannot use it. */
static bool is_cipher(const char *name)
{
    return EVP_get_cipherbyname(name) != NULL;
}

static bool is_group(const char *name)
{
    BIGNUM *prime = weir__js_group_prime(name);
    bool is_known = prime != NULL;

    BN_free(prime);
    return is_known;
}

static bool (*const known[])(const char *) = {is_curve, is_digest, is_cipher,
                                              is_group};
enum { CURVE, DIGEST, CIPHER, GROUP };

/* isCurve(name), isDigest(name), isCipher(name), isGroup(name) */
static JSValue is_known(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv, int magic)
{
    const char *name = JS_ToCString(context, argv[0]);
    bool is_one;

    if (name == NULL)
        return JS_EXCEPTION;
    is_one = known[magic](name);
    JS_FreeCString(context, name);
    return JS_NewBool(context, is_one);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("generate", 9, generate),
    JS_CFUNC_MAGIC_DEF("isCipher", 1, is_known, CIPHER),
    JS_CFUNC_MAGIC_DEF("isCurve", 1, is_known, CURVE),
    JS_CFUNC_MAGIC_DEF("isDigest", 1, is_known, DIGEST),
    JS_CFUNC_MAGIC_DEF("isGroup", 1, is_known, GROUP),
};

const struct weir__js_builtin weir__js_generate_builtin = {
    WEIR__JS_LIBS("crypto/generate"),
    WEIR__JS_NATIVES(natives),
};
