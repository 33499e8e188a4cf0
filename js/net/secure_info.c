/* SPDX-License-Identifier: MIT */
/*
 * secure_info -- what a TLS connection has agreed on, and who its peer is.
 *
 * Each function takes a handle, and returns undefined if it has no TLS.
 *
 * Tested by  test/js/net/tls-*.js
 */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "bytes/bytes.h"
#include "core/builtin.h"
#include "core/property.h"
#include "net/buffer.h"
#include "net/certificate.h"
#include "net/secure.h"

static JSValue text_or_none(JSContext *context, const char *text)
{
    return text != NULL ? JS_NewString(context, text) : JS_UNDEFINED;
}

/* info(handle): [protocol, cipher, its standard name, its version, ALPN, server
 * name, is resumed] */
static JSValue get_info(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    SSL *ssl = weir__js_secure_ssl(context, argv[0]);
    const SSL_CIPHER *cipher;
    const unsigned char *alpn;
    unsigned size;
    JSValue values[7];

    if (ssl == NULL)
        return JS_HasException(context) ? JS_EXCEPTION : JS_UNDEFINED;
    cipher = SSL_get_current_cipher(ssl);
    SSL_get0_alpn_selected(ssl, &alpn, &size);
    values[0] = JS_NewString(context, SSL_get_version(ssl));
    values[1] = text_or_none(
        context, cipher != NULL ? SSL_CIPHER_get_name(cipher) : NULL);
    values[2] = text_or_none(
        context, cipher != NULL ? SSL_CIPHER_standard_name(cipher) : NULL);
    values[3] = text_or_none(
        context, cipher != NULL ? SSL_CIPHER_get_version(cipher) : NULL);
    values[4] = size > 0 ? JS_NewStringLen(context, (const char *)alpn, size)
                         : JS_FALSE;
    values[5] = text_or_none(
        context, SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name));
    values[6] = JS_NewBool(context, SSL_session_reused(ssl) == 1);
    return weir__js_new_array(context, 7, values);
}

/* verifyError(handle): undefined if the peer is trusted, otherwise [code,
 * text].  A peer without a certificate is not trusted, unless it has resumed a
 * session or uses a shared key. */
static JSValue get_verify_error(JSContext *context, JSValueConst this_value,
                                int argc, JSValueConst *argv)
{
    SSL *ssl = weir__js_secure_ssl(context, argv[0]);
    long error = X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT;
    JSValue values[2];
    X509 *peer;

    if (ssl == NULL)
        return JS_HasException(context) ? JS_EXCEPTION : JS_UNDEFINED;
    peer = SSL_get0_peer_certificate(ssl);
    if (peer != NULL || SSL_session_reused(ssl))
        error = SSL_get_verify_result(ssl);
    if (error == X509_V_OK)
        return JS_UNDEFINED;
    values[0] = JS_NewString(context, weir__js_verify_name(error));
    values[1] = JS_NewString(context, X509_verify_cert_error_string(error));
    return weir__js_new_array(context, 2, values);
}

/* ---- certificates ---- */

static bool append(JSContext *context, JSValueConst list, uint32_t *count,
                   X509 *certificate)
{
    return weir__js_set_element(context, list, (*count)++,
                                weir__js_certificate(context, certificate)) >=
           0;
}

/* Certificates of the store that continue the chain, up to the root. */
static bool append_issuers(JSContext *context, JSValueConst list,
                           uint32_t *count, SSL *ssl, X509 *last)
{
    enum { MOST = 16 };
    X509_STORE_CTX *store = X509_STORE_CTX_new();
    X509 *issuer = NULL, *before = NULL;
    bool is_done = store != NULL;

    if (store != NULL)
        (void)X509_STORE_CTX_init(
            store, SSL_CTX_get_cert_store(SSL_get_SSL_CTX(ssl)), NULL, NULL);
    for (int i = 0;
         is_done && i < MOST && X509_check_issued(last, last) != X509_V_OK &&
         X509_STORE_CTX_get1_issuer(&issuer, store, last) == 1;
         i++) {
        is_done = append(context, list, count, issuer);
        X509_free(before);
        before = last = issuer;
    }
    X509_free(before);
    X509_STORE_CTX_free(store);
    ERR_clear_error();
    return is_done;
}

static JSValue new_chain(JSContext *context, SSL *ssl, bool is_detailed)
{
    STACK_OF(X509) *chain = SSL_get_peer_cert_chain(ssl);
    X509 *leaf = SSL_get0_peer_certificate(ssl), *last = leaf;
    JSValue list = JS_NewArray(context);
    uint32_t count = 0;
    bool is_done = append(context, list, &count, leaf);

    for (int i = 0; is_done && is_detailed && i < sk_X509_num(chain); i++) {
        X509 *one = sk_X509_value(chain, i);

        if (X509_cmp(one, leaf) == 0)
            continue;
        last = one;
        is_done = append(context, list, &count, one);
    }
    if (is_done && is_detailed)
        is_done = append_issuers(context, list, &count, ssl, last);
    if (is_done)
        return list;
    JS_FreeValue(context, list);
    return JS_EXCEPTION;
}

/* peerChain(handle, isDetailed): the peer's certificate and its issuers, or
 * undefined */
static JSValue get_chain(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    SSL *ssl = weir__js_secure_ssl(context, argv[0]);

    if (ssl == NULL || SSL_get0_peer_certificate(ssl) == NULL)
        return JS_HasException(context) ? JS_EXCEPTION : JS_UNDEFINED;
    return new_chain(context, ssl, JS_ToBool(context, argv[1]) > 0);
}

/* ownCertificate(handle) */
static JSValue get_own(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    SSL *ssl = weir__js_secure_ssl(context, argv[0]);
    X509 *own = ssl != NULL ? SSL_get_certificate(ssl) : NULL;

    if (own == NULL)
        return JS_HasException(context) ? JS_EXCEPTION : JS_UNDEFINED;
    return weir__js_certificate(context, own);
}

/* ---- keys ---- */

/* finished(handle, isPeer) */
static JSValue get_finished(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    SSL *ssl = weir__js_secure_ssl(context, argv[0]);
    unsigned char bytes[EVP_MAX_MD_SIZE];
    size_t size;

    if (ssl == NULL)
        return JS_HasException(context) ? JS_EXCEPTION : JS_UNDEFINED;
    size = JS_ToBool(context, argv[1]) > 0
               ? SSL_get_peer_finished(ssl, bytes, sizeof(bytes))
               : SSL_get_finished(ssl, bytes, sizeof(bytes));
    return size > 0 ? weir__js_new_buffer(context, bytes, size) : JS_UNDEFINED;
}

/* exportKey(handle, length, label, context or undefined) */
static JSValue export_key(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    SSL *ssl = weir__js_secure_ssl(context, argv[0]);
    struct weir__js_bytes given = {0};
    bool has_context = !JS_IsUndefined(argv[3]);
    const char *label;
    size_t label_size;
    uint32_t size;
    unsigned char *out;
    JSValue key = JS_UNDEFINED;

    if (ssl == NULL)
        return JS_HasException(context) ? JS_EXCEPTION : JS_UNDEFINED;
    if (JS_ToUint32(context, &size, argv[1]) < 0)
        return JS_EXCEPTION;
    label = JS_ToCStringLen(context, &label_size, argv[2]);
    if (label == NULL)
        return JS_EXCEPTION;
    out = js_malloc(context, size + 1);
    if (out == NULL ||
        (has_context && weir__js_bytes(context, argv[3], &given) < 0))
        key = JS_EXCEPTION;
    else if (SSL_export_keying_material(ssl, out, size, label, label_size,
                                        given.data, given.size,
                                        has_context) == 1)
        key = weir__js_new_buffer(context, out, size);
    ERR_clear_error();
    js_free(context, out);
    JS_FreeCString(context, label);
    return key;
}

/* ephemeralKey(handle): [type, name, bits], or undefined */
static JSValue get_ephemeral(JSContext *context, JSValueConst this_value,
                             int argc, JSValueConst *argv)
{
    SSL *ssl = weir__js_secure_ssl(context, argv[0]);
    EVP_PKEY *key = NULL;
    char group[64] = "";
    bool is_dh;
    JSValue values[3];

    if (ssl == NULL)
        return JS_HasException(context) ? JS_EXCEPTION : JS_UNDEFINED;
    if (SSL_get_peer_tmp_key(ssl, &key) != 1) {
        ERR_clear_error();
        return JS_UNDEFINED;
    }
    is_dh = EVP_PKEY_is_a(key, "DH") == 1;
    if (EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, group,
                                       sizeof(group), NULL) != 1 &&
        !is_dh)
        strncpy(group, EVP_PKEY_get0_type_name(key), sizeof(group) - 1);
    values[0] = JS_NewString(context, is_dh ? "DH" : "ECDH");
    values[1] = is_dh ? JS_UNDEFINED : JS_NewString(context, group);
    values[2] = JS_NewInt32(context, EVP_PKEY_get_bits(key));
    EVP_PKEY_free(key);
    ERR_clear_error();
    return weir__js_new_array(context, 3, values);
}

/* setMaxFragment(handle, size) */
static JSValue set_fragment(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    SSL *ssl = weir__js_secure_ssl(context, argv[0]);
    int32_t size;

    if (JS_HasException(context) || JS_ToInt32(context, &size, argv[1]) < 0)
        return JS_EXCEPTION;
    return JS_NewBool(context,
                      ssl != NULL && SSL_set_max_send_fragment(ssl, size) == 1);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("info", 1, get_info),
    JS_CFUNC_DEF("verifyError", 1, get_verify_error),
    JS_CFUNC_DEF("peerChain", 2, get_chain),
    JS_CFUNC_DEF("ownCertificate", 1, get_own),
    JS_CFUNC_DEF("finished", 2, get_finished),
    JS_CFUNC_DEF("exportKey", 4, export_key),
    JS_CFUNC_DEF("ephemeralKey", 1, get_ephemeral),
    JS_CFUNC_DEF("setMaxFragment", 2, set_fragment),
};

const struct weir__js_builtin weir__js_secure_info_builtin = {
    WEIR__JS_LIBS("net/tlssocket"),
    WEIR__JS_NATIVES(natives),
};
