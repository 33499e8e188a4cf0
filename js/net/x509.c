/* SPDX-License-Identifier: MIT */
/*
 * x509 -- certificates that a program inspects, and SPKAC, an old format of
 * requests for them.
 *
 * Tested by  test/js/net/x509.js
 */
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/bytes.h"
#include "core/builtin.h"
#include "core/property.h"
#include "crypto/failure.h"
#include "crypto/key.h"
#include "net/certificate.h"

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    JSClassID id;

    X509_free(JS_GetAnyOpaque(value, &id));
}

static X509 *certificate_of(JSContext *context, JSValueConst value)
{
    X509 *certificate =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_X509);

    if (certificate == NULL)
        JS_ThrowTypeError(context, "not a certificate");
    return certificate;
}

/* ---- reading ---- */

/* The default of OpenSSL is to ask at the terminal. */
static int give_nothing(char *to, int most, int is_writing, void *arg)
{
    return 0;
}

/* PEM, or else DER.  The first error of PEM is the one that Node reports. */
static X509 *read_certificate(const struct weir__js_bytes *bytes)
{
    BIO *bio = BIO_new_mem_buf(bytes->data, (int)bytes->size);
    X509 *certificate = NULL;
    const unsigned char *at = bytes->data;

    if (bio == NULL)
        return NULL;
    certificate = PEM_read_bio_X509_AUX(bio, NULL, give_nothing, NULL);
    BIO_free(bio);
    return certificate != NULL ? certificate
                               : d2i_X509(NULL, &at, (long)bytes->size);
}

/* parse(bytes) */
static JSValue parse(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct weir__js_bytes bytes;
    X509 *certificate;
    JSValue object;

    if (weir__js_bytes(context, argv[0], &bytes) < 0)
        return JS_EXCEPTION;
    ERR_clear_error();
    certificate = read_certificate(&bytes);
    if (certificate == NULL)
        return weir__js_throw_openssl(context, "Invalid certificate");
    ERR_clear_error();
    object = JS_NewObjectClass(context, js->classes[WEIR__JS_X509]);
    if (JS_IsException(object))
        X509_free(certificate);
    else
        JS_SetOpaque(object, certificate);
    return object;
}

/* ---- parts ---- */

/* One line for each part of a name */
static JSValue new_name(JSContext *context, const X509_NAME *name)
{
    BIO *bio = BIO_new(BIO_s_mem());

    if (bio == NULL)
        return JS_ThrowOutOfMemory(context);
    X509_NAME_print_ex(bio, name, 0,
                       ASN1_STRFLGS_ESC_2253 | ASN1_STRFLGS_ESC_CTRL |
                           ASN1_STRFLGS_UTF8_CONVERT | XN_FLAG_SEP_MULTILINE |
                           XN_FLAG_FN_SN);
    return weir__js_bio_text(context, bio);
}

/* Where to ask about the certificate, one line each; undefined: nowhere */
static JSValue new_access(JSContext *context, X509 *certificate)
{
    AUTHORITY_INFO_ACCESS *list =
        X509_get_ext_d2i(certificate, NID_info_access, NULL, NULL);
    BIO *bio;

    if (list == NULL)
        return JS_UNDEFINED;
    bio = BIO_new(BIO_s_mem());
    for (int i = 0; bio != NULL && i < sk_ACCESS_DESCRIPTION_num(list); i++) {
        ACCESS_DESCRIPTION *one = sk_ACCESS_DESCRIPTION_value(list, i);
        char method[80];

        i2t_ASN1_OBJECT(method, sizeof(method), one->method);
        BIO_printf(bio, "%s%s - ", i > 0 ? "\n" : "", method);
        weir__js_general_name_print(bio, one->location);
    }
    AUTHORITY_INFO_ACCESS_free(list);
    return bio != NULL ? weir__js_bio_text(context, bio)
                       : JS_ThrowOutOfMemory(context);
}

static JSValue new_pem(JSContext *context, X509 *certificate)
{
    BIO *bio = BIO_new(BIO_s_mem());

    if (bio == NULL)
        return JS_ThrowOutOfMemory(context);
    (void)PEM_write_bio_X509(bio, certificate);
    return weir__js_bio_text(context, bio);
}

/* parts(certificate): [the legacy object, subject, issuer, infoAccess, PEM] */
static JSValue parts(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    X509 *certificate = certificate_of(context, argv[0]);
    JSValue values[5], list;

    if (certificate == NULL)
        return JS_EXCEPTION;
    values[0] = weir__js_certificate(context, certificate);
    values[1] = new_name(context, X509_get_subject_name(certificate));
    values[2] = new_name(context, X509_get_issuer_name(certificate));
    values[3] = new_access(context, certificate);
    values[4] = new_pem(context, certificate);
    list = weir__js_new_array(context, 5, values);
    ERR_clear_error();
    return list;
}

/* publicKey(certificate) */
static JSValue public_key(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    X509 *certificate = certificate_of(context, argv[0]);

    if (certificate == NULL)
        return JS_EXCEPTION;
    ERR_clear_error();
    return weir__js_key_new(context, WEIR__JS_KEY_PUBLIC,
                            X509_get_pubkey(certificate));
}

/* ---- checks ---- */

/* As in js/lib/net/x509.js */
enum check { HOST, EMAIL, IP };

/* check(certificate, which, name, flags): the name that matches; undefined if
 * none does */
static JSValue check(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    X509 *certificate = certificate_of(context, argv[0]);
    int32_t which, flags;
    const char *name;
    char *peer = NULL;
    size_t size;
    JSValue value = JS_UNDEFINED;
    int result;

    if (certificate == NULL || JS_ToInt32(context, &which, argv[1]) < 0 ||
        JS_ToInt32(context, &flags, argv[3]) < 0)
        return JS_EXCEPTION;
    name = JS_ToCStringLen(context, &size, argv[2]);
    if (name == NULL)
        return JS_EXCEPTION;
    result = which == HOST ? X509_check_host(certificate, name, size,
                                             (unsigned)flags, &peer)
             : which == EMAIL
                 ? X509_check_email(certificate, name, size, (unsigned)flags)
                 : X509_check_ip_asc(certificate, name, (unsigned)flags);
    if (result == 1)
        value = JS_NewString(context, peer != NULL ? peer : name);
    else if (result < 0)
        value = weir__js_throw_coded(context, WEIR__JS_TYPE_ERROR,
                                     "ERR_INVALID_ARG_VALUE", "Invalid %s",
                                     which == HOST    ? "name"
                                     : which == EMAIL ? "email"
                                                      : "IP");
    ERR_clear_error();
    OPENSSL_free(peer);
    JS_FreeCString(context, name);
    return value;
}

/* isIssued(certificate, by another one) */
static JSValue is_issued(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    X509 *certificate = certificate_of(context, argv[0]);
    X509 *issuer =
        certificate != NULL ? certificate_of(context, argv[1]) : NULL;
    int result;

    if (issuer == NULL)
        return JS_EXCEPTION;
    result = X509_check_issued(issuer, certificate);
    ERR_clear_error();
    return JS_NewBool(context, result == X509_V_OK);
}

enum { HAS_KEY, IS_SIGNED };

/* hasKey(certificate, private key), isSigned(certificate, by a public key) */
static JSValue check_key(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv, int magic)
{
    X509 *certificate = certificate_of(context, argv[0]);
    struct weir__js_key *key =
        certificate != NULL ? weir__js_key_of(context, argv[1]) : NULL;
    int result;

    if (key == NULL)
        return JS_EXCEPTION;
    result = magic == HAS_KEY ? X509_check_private_key(certificate, key->pkey)
                              : X509_verify(certificate, key->pkey);
    ERR_clear_error();
    return JS_NewBool(context, result > 0);
}

/* ---- SPKAC ---- */

/* The request in these bytes; NULL if there is none. */
static NETSCAPE_SPKI *read_request(const struct weir__js_bytes *bytes)
{
    int size = (int)bytes->size;

    while (size > 0 && strchr(" \n\r\t", bytes->data[size - 1]) != NULL)
        size--;
    if (size == 0) /* OpenSSL would look for a NUL */
        return NULL;
    return NETSCAPE_SPKI_b64_decode((const char *)bytes->data, size);
}

static JSValue is_valid(JSContext *context, NETSCAPE_SPKI *request,
                        EVP_PKEY *pkey)
{
    return JS_NewBool(context,
                      pkey != NULL && NETSCAPE_SPKI_verify(request, pkey) > 0);
}

static JSValue challenge_of(JSContext *context, NETSCAPE_SPKI *request)
{
    unsigned char *text = NULL;
    int size = ASN1_STRING_to_UTF8(&text, request->spkac->challenge);
    JSValue value = size >= 0
                        ? JS_NewArrayBufferCopy(context, text, (size_t)size)
                        : JS_UNDEFINED;

    OPENSSL_free(text);
    return value;
}

static JSValue pem_of(JSContext *context, EVP_PKEY *pkey)
{
    BIO *bio = BIO_new(BIO_s_mem());
    JSValue value = JS_UNDEFINED;
    char *text;
    long size;

    if (bio != NULL && pkey != NULL && PEM_write_bio_PUBKEY(bio, pkey) > 0) {
        size = BIO_get_mem_data(bio, &text);
        value = JS_NewArrayBufferCopy(context, (uint8_t *)text, (size_t)size);
    }
    BIO_free(bio);
    return value;
}

/* As in js/lib/net/x509.js */
enum { VALID, CHALLENGE, PUBLIC_KEY };

/* request(bytes, what): whether the signature is good, the challenge, or the
 * public key; undefined if it is no SPKAC */
static JSValue request(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct weir__js_bytes bytes;
    NETSCAPE_SPKI *found;
    EVP_PKEY *pkey;
    JSValue value = JS_UNDEFINED;
    int32_t what;

    if (JS_ToInt32(context, &what, argv[1]) < 0 ||
        weir__js_bytes(context, argv[0], &bytes) < 0)
        return JS_EXCEPTION;
    found = read_request(&bytes);
    if (found != NULL) {
        pkey = NETSCAPE_SPKI_get_pubkey(found);
        value = what == VALID       ? is_valid(context, found, pkey)
                : what == CHALLENGE ? challenge_of(context, found)
                                    : pem_of(context, pkey);
        EVP_PKEY_free(pkey);
    }
    NETSCAPE_SPKI_free(found);
    ERR_clear_error();
    return value;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("parse", 1, parse),
    JS_CFUNC_DEF("parts", 1, parts),
    JS_CFUNC_DEF("publicKey", 1, public_key),
    JS_CFUNC_DEF("check", 4, check),
    JS_CFUNC_DEF("isIssued", 2, is_issued),
    JS_CFUNC_MAGIC_DEF("hasKey", 2, check_key, HAS_KEY),
    JS_CFUNC_MAGIC_DEF("isSigned", 2, check_key, IS_SIGNED),
    JS_CFUNC_DEF("request", 2, request),
};

static const JSClassDef class_definition = {"X509Certificate",
                                            .finalizer = finalize};

const struct weir__js_builtin weir__js_x509_builtin = {
    WEIR__JS_LIBS("net/x509"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &class_definition,
};
