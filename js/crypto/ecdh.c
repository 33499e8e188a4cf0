/* SPDX-License-Identifier: MIT */
/*
 * ecdh -- Diffie-Hellman on a curve, with keys that can be replaced.
 *
 * Tested by  test/js/crypto/dh.js
 */
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/objects.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/bytes.h"
#include "core/builtin.h"
#include "core/property.h"
#include "crypto/key.h"

/* What is behind an object. */
struct ecdh {
    EC_GROUP *group;
    BIGNUM *private; /* NULL: none yet */
    EC_POINT *public;
};

static void free_ecdh(struct ecdh *ecdh)
{
    if (ecdh == NULL)
        return;
    EC_GROUP_free(ecdh->group);
    BN_clear_free(ecdh->private);
    EC_POINT_free(ecdh->public);
    free(ecdh);
}

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    JSClassID id;

    free_ecdh(JS_GetAnyOpaque(value, &id));
}

static struct ecdh *ecdh_of(JSContext *context, JSValueConst value)
{
    struct ecdh *ecdh =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_ECDH);

    if (ecdh == NULL)
        JS_ThrowTypeError(context, "not an ECDH");
    return ecdh;
}

static JSValue fail(JSContext *context, const char *text)
{
    return weir__js_throw_coded(context, WEIR__JS_ERROR,
                                "ERR_CRYPTO_OPERATION_FAILED", "%s", text);
}

/* The group of a curve; NULL with an exception. */
static EC_GROUP *find_group(JSContext *context, JSValueConst value)
{
    const char *name = JS_ToCString(context, value);
    int nid = name != NULL ? OBJ_sn2nid(name) : NID_undef;
    EC_GROUP *group = NULL;

    if (name == NULL)
        return NULL;
    JS_FreeCString(context, name);
    if (nid != NID_undef)
        group = EC_GROUP_new_by_curve_name(nid);
    if (group == NULL)
        weir__js_throw_coded(context, WEIR__JS_TYPE_ERROR,
                             "ERR_CRYPTO_INVALID_CURVE",
                             "Invalid EC curve name");
    return group;
}

/* open(curve) */
static JSValue ecdh_open(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    EC_GROUP *group = find_group(context, argv[0]);
    struct ecdh *ecdh = NULL;
    JSValue object;

    if (group == NULL)
        return JS_EXCEPTION;
    object = JS_NewObjectClass(context, js->classes[WEIR__JS_ECDH]);
    if (!JS_IsException(object))
        ecdh = calloc(1, sizeof(*ecdh));
    if (ecdh == NULL) {
        EC_GROUP_free(group);
        JS_FreeValue(context, object);
        return JS_ThrowOutOfMemory(context);
    }
    ecdh->group = group;
    JS_SetOpaque(object, ecdh);
    return object;
}

/* The point of a private key; NULL if OpenSSL fails. */
static EC_POINT *multiply(const EC_GROUP *group, const BIGNUM *number)
{
    EC_POINT *point = EC_POINT_new(group);

    if (point != NULL &&
        EC_POINT_mul(group, point, number, NULL, NULL, NULL) == 1)
        return point;
    EC_POINT_free(point);
    return NULL;
}

/* Takes the number. */
static bool set_private(struct ecdh *ecdh, BIGNUM *number)
{
    EC_POINT *point = multiply(ecdh->group, number);

    if (point == NULL) {
        BN_clear_free(number);
        return false;
    }
    BN_clear_free(ecdh->private);
    EC_POINT_free(ecdh->public);
    ecdh->private = number;
    ecdh->public = point;
    return true;
}

/* generate(ecdh) */
static JSValue generate(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    struct ecdh *ecdh = ecdh_of(context, argv[0]);
    BIGNUM *number;
    bool is_good;

    if (ecdh == NULL)
        return JS_EXCEPTION;
    number = BN_secure_new();
    is_good = number != NULL;
    do {
        is_good = is_good && BN_priv_rand_range(
                                 number, EC_GROUP_get0_order(ecdh->group)) == 1;
    } while (is_good && BN_is_zero(number));
    if (!is_good)
        BN_clear_free(number);
    return is_good && set_private(ecdh, number)
               ? JS_UNDEFINED
               : fail(context, "Failed to generate key");
}

/* setPrivate(ecdh, bytes): sets the public key too */
static JSValue set_private_key(JSContext *context, JSValueConst this_value,
                               int argc, JSValueConst *argv)
{
    struct ecdh *ecdh = ecdh_of(context, argv[0]);
    struct weir__js_bytes bytes;
    BIGNUM *number;

    if (ecdh == NULL || weir__js_bytes(context, argv[1], &bytes) < 0)
        return JS_EXCEPTION;
    number = BN_bin2bn(bytes.data, (int)bytes.size, BN_secure_new());
    if (number == NULL)
        return JS_ThrowOutOfMemory(context);
    if (BN_is_zero(number) ||
        BN_cmp(number, EC_GROUP_get0_order(ecdh->group)) >= 0) {
        BN_clear_free(number);
        return weir__js_throw_coded(
            context, WEIR__JS_RANGE_ERROR, "ERR_CRYPTO_INVALID_KEYTYPE",
            "Private key is not valid for specified curve.");
    }
    return set_private(ecdh, number)
               ? JS_UNDEFINED
               : fail(context, "Failed to set generated public key");
}

/* A point of these bytes; NULL if they are none. */
static EC_POINT *read_point(const EC_GROUP *group,
                            const struct weir__js_bytes *bytes)
{
    EC_POINT *point = EC_POINT_new(group);

    if (point != NULL &&
        EC_POINT_oct2point(group, point, bytes->data, bytes->size, NULL) == 1)
        return point;
    EC_POINT_free(point);
    ERR_clear_error();
    return NULL;
}

/* setPublic(ecdh, bytes) */
static JSValue set_public_key(JSContext *context, JSValueConst this_value,
                              int argc, JSValueConst *argv)
{
    struct ecdh *ecdh = ecdh_of(context, argv[0]);
    struct weir__js_bytes bytes;
    EC_POINT *point;

    if (ecdh == NULL || weir__js_bytes(context, argv[1], &bytes) < 0)
        return JS_EXCEPTION;
    point = read_point(ecdh->group, &bytes);
    if (point == NULL)
        return fail(context, "Failed to convert Buffer to EC_POINT");
    EC_POINT_free(ecdh->public);
    ecdh->public = point;
    return JS_UNDEFINED;
}

static JSValue new_point(JSContext *context, const EC_GROUP *group,
                         const EC_POINT *point, int32_t form,
                         const char *otherwise)
{
    unsigned char *bytes = NULL;
    size_t size =
        point != NULL
            ? EC_POINT_point2buf(group, point, (point_conversion_form_t)form,
                                 &bytes, NULL)
            : 0;
    JSValue value = size > 0 ? JS_NewArrayBufferCopy(context, bytes, size)
                             : fail(context, otherwise);

    OPENSSL_free(bytes);
    return value;
}

/* publicKey(ecdh, form): an ArrayBuffer */
static JSValue public_key(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct ecdh *ecdh = ecdh_of(context, argv[0]);
    int32_t form;

    if (ecdh == NULL || JS_ToInt32(context, &form, argv[1]) < 0)
        return JS_EXCEPTION;
    return new_point(context, ecdh->group, ecdh->public, form,
                     "Failed to get ECDH public key");
}

/* An ArrayBuffer of this size */
static JSValue new_number(JSContext *context, const BIGNUM *number, int size)
{
    struct weir__js_secret secret = {NULL, 0};
    JSValue value;

    if (!weir__js_secret_reserve(&secret, (size_t)size))
        return JS_ThrowOutOfMemory(context);
    value = BN_bn2binpad(number, secret.bytes, size) == size
                ? weir__js_secret_buffer(context, &secret)
                : fail(context, "Failed to encode ECDH key");
    weir__js_secret_free(&secret);
    return value;
}

/* privateKey(ecdh): an ArrayBuffer */
static JSValue private_key(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct ecdh *ecdh = ecdh_of(context, argv[0]);

    if (ecdh == NULL)
        return JS_EXCEPTION;
    if (ecdh->private == NULL)
        return fail(context, "Failed to get ECDH private key");
    return new_number(context, ecdh->private,
                      (EC_GROUP_order_bits(ecdh->group) + 7) / 8);
}

/* Whether the public key is the private key's: a program may have set one. */
static bool is_pair(const struct ecdh *ecdh)
{
    EC_POINT *point = ecdh->private != NULL && ecdh->public != NULL
                          ? multiply(ecdh->group, ecdh->private)
                          : NULL;
    bool is_equal = point != NULL &&
                    EC_POINT_cmp(ecdh->group, point, ecdh->public, NULL) == 0;

    EC_POINT_free(point);
    return is_equal;
}

/* The first coordinate of the common point */
static BIGNUM *agree(const struct ecdh *ecdh, const EC_POINT *theirs)
{
    EC_POINT *common = EC_POINT_new(ecdh->group);
    BIGNUM *x = BN_new();
    bool is_done = common != NULL && x != NULL &&
                   EC_POINT_mul(ecdh->group, common, NULL, theirs,
                                ecdh->private, NULL) == 1 &&
                   EC_POINT_get_affine_coordinates(ecdh->group, common, x, NULL,
                                                   NULL) == 1;

    EC_POINT_clear_free(common);
    if (is_done)
        return x;
    BN_clear_free(x);
    return NULL;
}

/* secret(ecdh, their public key): an ArrayBuffer; undefined if the key is not a
 * point of the curve */
static JSValue secret(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct ecdh *ecdh = ecdh_of(context, argv[0]);
    struct weir__js_bytes bytes;
    EC_POINT *theirs;
    BIGNUM *x;
    JSValue value;

    if (ecdh == NULL || weir__js_bytes(context, argv[1], &bytes) < 0)
        return JS_EXCEPTION;
    if (!is_pair(ecdh))
        return weir__js_throw_coded(context, WEIR__JS_RANGE_ERROR,
                                    "ERR_CRYPTO_INVALID_KEYPAIR",
                                    "Invalid key pair");
    theirs = read_point(ecdh->group, &bytes);
    if (theirs == NULL)
        return JS_UNDEFINED;
    x = agree(ecdh, theirs);
    EC_POINT_free(theirs);
    value = x != NULL ? new_number(context, x,
                                   (EC_GROUP_get_degree(ecdh->group) + 7) / 8)
                      : fail(context, "Failed to compute ECDH key");
    BN_clear_free(x);
    return value;
}

/* convert(bytes, curve, form): an ArrayBuffer */
static JSValue convert(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct weir__js_bytes bytes;
    EC_GROUP *group;
    EC_POINT *point;
    JSValue value;
    int32_t form;

    if (JS_ToInt32(context, &form, argv[2]) < 0)
        return JS_EXCEPTION;
    group = find_group(context, argv[1]);
    if (group == NULL || weir__js_bytes(context, argv[0], &bytes) < 0) {
        EC_GROUP_free(group);
        return JS_EXCEPTION;
    }
    point = read_point(group, &bytes);
    value = point != NULL
                ? new_point(context, group, point, form,
                            "Failed to get public key length")
                : fail(context, "Failed to convert Buffer to EC_POINT");
    EC_POINT_free(point);
    EC_GROUP_free(group);
    return value;
}

/* curves(): the names of all */
static JSValue curves(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    size_t count = EC_get_builtin_curves(NULL, 0);
    EC_builtin_curve *list = calloc(count, sizeof(*list));
    JSValue array = JS_NewArray(context);
    bool is_done = list != NULL && !JS_IsException(array);

    if (list != NULL)
        EC_get_builtin_curves(list, count);
    for (size_t i = 0; is_done && i < count; i++)
        is_done = weir__js_set_element(
                      context, array, (uint32_t)i,
                      JS_NewString(context, OBJ_nid2sn(list[i].nid))) >= 0;
    free(list);
    if (is_done)
        return array;
    JS_FreeValue(context, array);
    return JS_ThrowOutOfMemory(context);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("open", 1, ecdh_open),
    JS_CFUNC_DEF("generate", 1, generate),
    JS_CFUNC_DEF("setPrivate", 2, set_private_key),
    JS_CFUNC_DEF("setPublic", 2, set_public_key),
    JS_CFUNC_DEF("publicKey", 2, public_key),
    JS_CFUNC_DEF("privateKey", 1, private_key),
    JS_CFUNC_DEF("secret", 2, secret),
    JS_CFUNC_DEF("convert", 3, convert),
    JS_CFUNC_DEF("curves", 0, curves),
};

static const JSClassDef class_definition = {"ECDH", .finalizer = finalize};

const struct weir__js_builtin weir__js_ecdh_builtin = {
    WEIR__JS_LIBS("crypto/ecdh"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &class_definition,
};
