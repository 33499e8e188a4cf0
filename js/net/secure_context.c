/* SPDX-License-Identifier: MIT */
/*
 * secure_context -- see secure_context.h.
 *
 * Data      An SSL_CTX, which the functions here change until the first
 *           connection uses it, and a weir_tls for each role that was used.
 * Owner     The JavaScript object.  Connections have references of OpenSSL and
 *           of libweir-net, so the object may be collected before them.
 * Thread    The loop's.
 *
 * A function here returns undefined, or the error of OpenSSL for JavaScript to
 * throw.
 *
 * Tested by  test/js/net/tls-*.js
 */
#include "net/secure_context.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/dh.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509v3.h>

#include "bytes/bytes.h"
#include "core/builtin.h"
#include "core/error.h"
#include "core/property.h"

enum { SECURITY_LEVEL = 1 }; /* as in Node */

struct secure {
    SSL_CTX *context;
    weir_tls *tls[2]; /* by role; NULL: not used yet */
};

static struct secure *secure_of(JSContext *context, JSValueConst value)
{
    struct secure *secure =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_SECURE_CONTEXT);

    if (secure == NULL)
        JS_ThrowTypeError(context, "Illegal invocation");
    return secure;
}

SSL_CTX *weir__js_secure_context_of(JSContext *context, JSValueConst value)
{
    struct secure *secure = secure_of(context, value);

    return secure != NULL ? secure->context : NULL;
}

weir_tls *weir__js_secure_context_tls(JSContext *context, JSValueConst value,
                                      weir_tls_role role)
{
    struct secure *secure = secure_of(context, value);
    weir_tls_options options = {.size = sizeof(options)};
    int err;

    if (secure == NULL)
        return NULL;
    if (secure->tls[role] != NULL)
        return secure->tls[role];
    options.context = secure->context;
    err = weir_tls_new(&secure->tls[role], role, &options, NULL, 0);
    if (err == 0)
        return secure->tls[role];
    weir__js_throw_status(context, err);
    return NULL;
}

/* ---- errors ---- */

JSValue weir__js_openssl_error(JSContext *context)
{
    unsigned long code = ERR_peek_last_error();
    const char *library = ERR_lib_error_string(code);
    const char *reason = ERR_reason_error_string(code);
    char text[256];
    JSValue values[3];

    ERR_error_string_n(code, text, sizeof(text));
    ERR_clear_error();
    values[0] = JS_NewString(context, text);
    values[1] = JS_NewString(context, library != NULL ? library : "");
    values[2] = JS_NewString(context, reason != NULL ? reason : "");
    return weir__js_new_array(context, 3, values);
}

static JSValue answer(JSContext *context, bool is_done)
{
    if (!is_done)
        return weir__js_openssl_error(context);
    ERR_clear_error();
    return JS_UNDEFINED;
}

/* ---- the certificates of the system ---- */

/* Read once for all threads of the process, because it takes 20 ms.  Contexts
 * that add nothing share the store; it is their app_data then. */
static CRYPTO_ONCE once = CRYPTO_ONCE_STATIC_INIT;
static X509_STORE *roots; /* NULL: not read, or out of memory */

static void read_roots(void)
{
    roots = X509_STORE_new();
    if (roots == NULL || X509_STORE_set_default_paths(roots) == 1)
        return;
    X509_STORE_free(roots);
    roots = NULL;
}

/* The store of a context, for certificates and lists that are only its own; NULL
 * if there is no memory. */
static X509_STORE *own_store(SSL_CTX *made)
{
    X509_STORE *store;

    if (SSL_CTX_get_app_data(made) == NULL)
        return SSL_CTX_get_cert_store(made);
    store = X509_STORE_new();
    if (store == NULL || X509_STORE_set_default_paths(store) != 1) {
        X509_STORE_free(store);
        return NULL;
    }
    SSL_CTX_set_cert_store(made, store);
    SSL_CTX_set_app_data(made, NULL);
    return store;
}

/* ---- the object ---- */

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct secure *secure = weir__js_opaque(js, value, WEIR__JS_SECURE_CONTEXT);

    if (secure == NULL)
        return;
    weir_tls_unref(secure->tls[0]);
    weir_tls_unref(secure->tls[1]);
    SSL_CTX_free(secure->context);
    free(secure);
}

static const JSClassDef secure_class = {.class_name = "SecureContext",
                                        .finalizer = finalize};

/* A server remembers no sessions: they are in the tickets of its clients, and
 * in those of TLS 1.2 without tickets in the program's own store. */
static SSL_CTX *new_context(void)
{
    SSL_CTX *made = SSL_CTX_new(TLS_method());

    if (made == NULL)
        return NULL;
    SSL_CTX_set_options(made, SSL_OP_NO_SSLv2 | SSL_OP_NO_SSLv3 |
                                  SSL_OP_NO_COMPRESSION);
    SSL_CTX_clear_options(made, SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_session_cache_mode(
        made, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_SERVER |
                  SSL_SESS_CACHE_NO_INTERNAL | SSL_SESS_CACHE_NO_AUTO_CLEAR);
    SSL_CTX_set_dh_auto(made, 0);
    SSL_CTX_set_security_level(made, SECURITY_LEVEL);
    return made;
}

/* newContext() */
static JSValue new_secure(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    JSValue object =
        JS_NewObjectClass(context, js->classes[WEIR__JS_SECURE_CONTEXT]);
    struct secure *secure;

    if (JS_IsException(object))
        return object;
    secure = calloc(1, sizeof(*secure));
    if (secure != NULL)
        secure->context = new_context();
    if (secure == NULL || secure->context == NULL) {
        free(secure);
        ERR_clear_error();
        JS_FreeValue(context, object);
        return JS_ThrowOutOfMemory(context);
    }
    JS_SetOpaque(object, secure);
    return object;
}

/* ---- certificates ---- */

/* Never ask on the terminal. */
static int give_password(char *to, int size, int is_writing, void *password)
{
    size_t length = password != NULL ? strlen(password) : 0;

    if (password == NULL || length > (size_t)size)
        return -1;
    memcpy(to, password, length);
    return (int)length;
}

static BIO *open_bytes(JSContext *context, JSValueConst value)
{
    struct weir__js_bytes bytes;

    if (weir__js_bytes(context, value, &bytes) < 0)
        return NULL;
    return BIO_new_mem_buf(bytes.data, (int)bytes.size);
}

/* setCert(context, pem): the certificate, then its chain */
static JSValue set_cert(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    SSL_CTX *made = weir__js_secure_context_of(context, argv[0]);
    BIO *bio = made != NULL ? open_bytes(context, argv[1]) : NULL;
    X509 *leaf, *next;
    bool is_done;

    if (bio == NULL)
        return JS_EXCEPTION;
    leaf = PEM_read_bio_X509_AUX(bio, NULL, give_password, NULL);
    is_done = leaf != NULL && SSL_CTX_use_certificate(made, leaf) == 1 &&
              SSL_CTX_clear_chain_certs(made) == 1;
    X509_free(leaf);
    while (is_done &&
           (next = PEM_read_bio_X509(bio, NULL, give_password, NULL)) != NULL)
        if (SSL_CTX_add0_chain_cert(made, next) != 1) {
            X509_free(next);
            is_done = false;
        }
    BIO_free(bio);
    return answer(context, is_done);
}

/* Use what a BIO holds, with the password or NULL; false if it fails. */
typedef bool use_fn(SSL_CTX *made, BIO *bio, const char *password);

/* (context, bytes, password or undefined) */
static JSValue use_secret(JSContext *context, JSValueConst *argv, use_fn *use)
{
    SSL_CTX *made = weir__js_secure_context_of(context, argv[0]);
    BIO *bio = made != NULL ? open_bytes(context, argv[1]) : NULL;
    const char *password = NULL;
    bool is_done;

    if (bio == NULL)
        return JS_EXCEPTION;
    if (!JS_IsUndefined(argv[2]) &&
        (password = JS_ToCString(context, argv[2])) == NULL) {
        BIO_free(bio);
        return JS_EXCEPTION;
    }
    is_done = use(made, bio, password);
    BIO_free(bio);
    if (password != NULL)
        JS_FreeCString(context, password);
    return answer(context, is_done);
}

static bool use_key(SSL_CTX *made, BIO *bio, const char *password)
{
    EVP_PKEY *key =
        PEM_read_bio_PrivateKey(bio, NULL, give_password, (void *)password);
    bool is_done = key != NULL && SSL_CTX_use_PrivateKey(made, key) == 1;

    EVP_PKEY_free(key);
    return is_done;
}

/* setKey(context, pem, password or undefined) */
static JSValue set_key(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    return use_secret(context, argv, use_key);
}

static bool use_pfx(SSL_CTX *made, BIO *bio, const char *password)
{
    PKCS12 *pfx = d2i_PKCS12_bio(bio, NULL);
    EVP_PKEY *key = NULL;
    X509 *leaf = NULL;
    STACK_OF(X509) *others = NULL;
    bool is_done = pfx != NULL &&
                   PKCS12_parse(pfx, password, &key, &leaf, &others) == 1 &&
                   leaf != NULL && key != NULL &&
                   SSL_CTX_use_certificate(made, leaf) == 1 &&
                   SSL_CTX_use_PrivateKey(made, key) == 1;

    for (int i = 0; is_done && i < sk_X509_num(others); i++) {
        X509 *one = sk_X509_value(others, i);
        X509_STORE *store = own_store(made);

        is_done = store != NULL && SSL_CTX_add1_chain_cert(made, one) == 1;
        if (is_done)
            (void)X509_STORE_add_cert(store, one);
    }
    sk_X509_pop_free(others, X509_free);
    X509_free(leaf);
    EVP_PKEY_free(key);
    PKCS12_free(pfx);
    return is_done;
}

/* loadPfx(context, bytes, password or undefined) */
static JSValue load_pfx(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    return use_secret(context, argv, use_pfx);
}

/* addCa(context, pem): all certificates of it */
static JSValue add_ca(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    SSL_CTX *made = weir__js_secure_context_of(context, argv[0]);
    BIO *bio = made != NULL ? open_bytes(context, argv[1]) : NULL;
    X509_STORE *store;
    X509 *one;
    bool is_done;

    if (bio == NULL)
        return JS_EXCEPTION;
    store = own_store(made);
    is_done = store != NULL;
    while (is_done && (one = PEM_read_bio_X509_AUX(bio, NULL, give_password,
                                                   NULL)) != NULL) {
        is_done = X509_STORE_add_cert(store, one) == 1 &&
                  SSL_CTX_add_client_CA(made, one) == 1;
        X509_free(one);
    }
    BIO_free(bio);
    return answer(context, is_done);
}

/* addRootCerts(context): those of the system */
static JSValue add_roots(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    SSL_CTX *made = weir__js_secure_context_of(context, argv[0]);

    if (made == NULL)
        return JS_EXCEPTION;
    if (CRYPTO_THREAD_run_once(&once, read_roots) == 1 && roots != NULL) {
        if (SSL_CTX_set_app_data(made, roots) != 1)
            return JS_ThrowOutOfMemory(context);
        SSL_CTX_set1_cert_store(made, roots);
        return JS_UNDEFINED;
    }
    return answer(context, SSL_CTX_set_default_verify_paths(made) == 1);
}

/* addCrl(context, pem) */
static JSValue add_crl(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    SSL_CTX *made = weir__js_secure_context_of(context, argv[0]);
    BIO *bio = made != NULL ? open_bytes(context, argv[1]) : NULL;
    X509_STORE *store;
    X509_CRL *crl;
    bool is_done;

    if (bio == NULL)
        return JS_EXCEPTION;
    store = own_store(made);
    crl = PEM_read_bio_X509_CRL(bio, NULL, give_password, NULL);
    is_done = store != NULL && crl != NULL &&
              X509_STORE_add_crl(store, crl) == 1 &&
              X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK |
                                              X509_V_FLAG_CRL_CHECK_ALL) == 1;
    X509_CRL_free(crl);
    BIO_free(bio);
    return answer(context, is_done);
}

/* ---- protocols ---- */

enum text { CIPHERS, SUITES, CURVE, SIGALGS, ID_CONTEXT };

static bool use_text(SSL_CTX *made, enum text kind, const char *text)
{
    switch (kind) {
    case CIPHERS:
        return SSL_CTX_set_cipher_list(made, text) == 1;
    case SUITES:
        return SSL_CTX_set_ciphersuites(made, text) == 1;
    case CURVE:
        return strcmp(text, "auto") == 0 ||
               SSL_CTX_set1_curves_list(made, text) == 1;
    case SIGALGS:
        return SSL_CTX_set1_sigalgs_list(made, text) == 1;
    default:
        return SSL_CTX_set_session_id_context(made, (const unsigned char *)text,
                                              (unsigned)strlen(text)) == 1;
    }
}

/* setCiphers(context, text), ... */
static JSValue set_text(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv, int magic)
{
    SSL_CTX *made = weir__js_secure_context_of(context, argv[0]);
    const char *text = made != NULL ? JS_ToCString(context, argv[1]) : NULL;
    bool is_done;

    if (text == NULL)
        return JS_EXCEPTION;
    is_done = use_text(made, (enum text)magic, text);
    JS_FreeCString(context, text);
    return answer(context, is_done);
}

enum number { OPTIONS, TIMEOUT, MIN_VERSION, MAX_VERSION };

/* setOptions(context, number), ... */
static JSValue set_number(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv, int magic)
{
    SSL_CTX *made = weir__js_secure_context_of(context, argv[0]);
    int64_t number;

    if (made == NULL || JS_ToInt64(context, &number, argv[1]) < 0)
        return JS_EXCEPTION;
    if (magic == OPTIONS)
        SSL_CTX_set_options(made, (uint64_t)number);
    else if (magic == TIMEOUT)
        SSL_CTX_set_timeout(made, (long)number);
    else if (magic == MIN_VERSION)
        return answer(context,
                      SSL_CTX_set_min_proto_version(made, (int)number) == 1);
    else
        return answer(context,
                      SSL_CTX_set_max_proto_version(made, (int)number) == 1);
    return JS_UNDEFINED;
}

/* setDhParam(context, pem or true for "auto"): undefined, an error, or the
 * number of bits if it is too small.  As in Node, what is not a PEM file is
 * ignored. */
static JSValue set_dh(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    enum { LEAST_BITS = 1024 };
    SSL_CTX *made = weir__js_secure_context_of(context, argv[0]);
    EVP_PKEY *key;
    BIO *bio;
    int bits;

    if (made == NULL)
        return JS_EXCEPTION;
    if (JS_IsBool(argv[1]))
        return answer(context, SSL_CTX_set_dh_auto(made, 1) == 1);
    bio = open_bytes(context, argv[1]);
    if (bio == NULL)
        return JS_EXCEPTION;
    key = PEM_read_bio_Parameters(bio, NULL);
    BIO_free(bio);
    if (key == NULL)
        return answer(context, true);
    bits = EVP_PKEY_get_bits(key);
    if (bits < LEAST_BITS) {
        EVP_PKEY_free(key);
        return JS_NewInt32(context, bits);
    }
    if (SSL_CTX_set0_tmp_dh_pkey(made, key) == 1)
        return answer(context, true);
    EVP_PKEY_free(key);
    return answer(context, false);
}

/* ticketKeys(context, bytes or undefined): 48 bytes as an ArrayBuffer, or
 * undefined after they were set */
static JSValue ticket_keys(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    enum { SIZE = 48 };
    SSL_CTX *made = weir__js_secure_context_of(context, argv[0]);
    struct weir__js_bytes bytes;
    unsigned char keys[80];
    long size;

    if (made == NULL)
        return JS_EXCEPTION;
    size = SSL_CTX_get_tlsext_ticket_keys(made, NULL, 0);
    if (size > (long)sizeof(keys) ||
        SSL_CTX_get_tlsext_ticket_keys(made, keys, size) != 1)
        return answer(context, false);
    if (JS_IsUndefined(argv[1]))
        return JS_NewArrayBufferCopy(context, keys, SIZE);
    if (weir__js_bytes(context, argv[1], &bytes) < 0)
        return JS_EXCEPTION;
    memcpy(keys, bytes.data, bytes.size < SIZE ? bytes.size : SIZE);
    return answer(context,
                  SSL_CTX_set_tlsext_ticket_keys(made, keys, size) == 1);
}

/* ciphers(): the names of all that OpenSSL has */
static JSValue list_ciphers(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    SSL_CTX *made = new_context();
    STACK_OF(SSL_CIPHER) * list;
    JSValue names = JS_NewArray(context);

    if (made != NULL)
        (void)SSL_CTX_set_cipher_list(made, "ALL:eNULL:@SECLEVEL=0");
    list = made != NULL ? SSL_CTX_get_ciphers(made) : NULL;
    for (int i = 0; i < sk_SSL_CIPHER_num(list) && !JS_IsException(names); i++)
        weir__js_put_element(
            context, &names, (uint32_t)i,
            JS_NewString(context,
                         SSL_CIPHER_get_name(sk_SSL_CIPHER_value(list, i))));
    SSL_CTX_free(made);
    ERR_clear_error();
    return names;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("newContext", 0, new_secure),
    JS_CFUNC_DEF("setCert", 2, set_cert),
    JS_CFUNC_DEF("setKey", 3, set_key),
    JS_CFUNC_DEF("loadPfx", 3, load_pfx),
    JS_CFUNC_DEF("addCa", 2, add_ca),
    JS_CFUNC_DEF("addRootCerts", 1, add_roots),
    JS_CFUNC_DEF("addCrl", 2, add_crl),
    JS_CFUNC_MAGIC_DEF("setCiphers", 2, set_text, CIPHERS),
    JS_CFUNC_MAGIC_DEF("setCipherSuites", 2, set_text, SUITES),
    JS_CFUNC_MAGIC_DEF("setEcdhCurve", 2, set_text, CURVE),
    JS_CFUNC_MAGIC_DEF("setSigalgs", 2, set_text, SIGALGS),
    JS_CFUNC_MAGIC_DEF("setSessionIdContext", 2, set_text, ID_CONTEXT),
    JS_CFUNC_MAGIC_DEF("setOptions", 2, set_number, OPTIONS),
    JS_CFUNC_MAGIC_DEF("setSessionTimeout", 2, set_number, TIMEOUT),
    JS_CFUNC_MAGIC_DEF("setMinVersion", 2, set_number, MIN_VERSION),
    JS_CFUNC_MAGIC_DEF("setMaxVersion", 2, set_number, MAX_VERSION),
    JS_CFUNC_DEF("setDhParam", 2, set_dh),
    JS_CFUNC_DEF("ticketKeys", 2, ticket_keys),
    JS_CFUNC_DEF("ciphers", 0, list_ciphers),
};

const struct weir__js_builtin weir__js_secure_context_builtin = {
    WEIR__JS_LIBS("net/securecontext"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &secure_class,
};
