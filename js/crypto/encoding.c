/* SPDX-License-Identifier: MIT */
/*
 * encoding -- keys in PEM and DER: PKCS #1, PKCS #8, SEC 1 and SPKI.
 *
 * The tests of formats and types are those of js/lib/crypto/keys.js; what comes
 * here is a valid combination.
 *
 * Tested by  test/js/crypto/keys.js, test/js/crypto/keys-errors.js
 */
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/bytes.h"
#include "core/builtin.h"
#include "crypto/key.h"

/* As in js/lib/crypto/keys.js */
enum format { PEM, DER };

enum encoding { PKCS1 = 1, PKCS8, SPKI, SEC1 };

/* ---- passphrases ---- */

/* Returns the size of the passphrase, or -1: there is none, or it is too
 * long. */
static int give_passphrase(char *to, int most, int is_writing, void *arg)
{
    const struct weir__js_secret *passphrase = arg;

    if (passphrase->bytes == NULL || passphrase->size > (size_t)most)
        return -1;
    memcpy(to, passphrase->bytes, passphrase->size);
    return (int)passphrase->size;
}

/* For what is never encrypted.  The default of OpenSSL is to ask at the
 * terminal. */
static int give_nothing(char *to, int most, int is_writing, void *arg)
{
    return 0;
}

/* ---- reading ---- */

/* Whether DER is a SEQUENCE that begins with a SEQUENCE, as an encrypted key
 * does; a key that is not encrypted begins with its version. */
static bool is_encrypted(const uint8_t *at, size_t size)
{
    size_t skip = 2;

    if (size < 2 || at[0] != 0x30)
        return false;
    if (at[1] & 0x80)
        skip += at[1] & 0x7f;
    return skip < size && at[skip] == 0x30;
}

/* Whether DER is a SEQUENCE of a version and more, as a private key of PKCS #1
 * is; a public one begins with the modulus, which is longer. */
static bool is_private_rsa(const uint8_t *at, size_t size)
{
    size_t skip = 2;

    if (size < 2 || at[0] != 0x30)
        return false;
    if (at[1] & 0x80)
        skip += at[1] & 0x7f;
    return skip + 3 <= size && at[skip] == 2 && at[skip + 1] == 1 &&
           (at[skip + 2] & 0xfe) == 0;
}

static EVP_PKEY *read_pkcs8(BIO *bio, const struct weir__js_bytes *bytes,
                            struct weir__js_secret *passphrase)
{
    PKCS8_PRIV_KEY_INFO *info;
    EVP_PKEY *pkey;

    if (is_encrypted(bytes->data, bytes->size))
        return d2i_PKCS8PrivateKey_bio(bio, NULL, give_passphrase, passphrase);
    info = d2i_PKCS8_PRIV_KEY_INFO_bio(bio, NULL);
    if (info == NULL)
        return NULL;
    pkey = EVP_PKCS82PKEY(info);
    PKCS8_PRIV_KEY_INFO_free(info);
    return pkey;
}

static EVP_PKEY *read_private(enum format format, enum encoding encoding,
                              const struct weir__js_bytes *bytes,
                              struct weir__js_secret *passphrase)
{
    const unsigned char *at = bytes->data;
    BIO *bio = BIO_new_mem_buf(bytes->data, (int)bytes->size);
    EVP_PKEY *pkey = NULL;

    if (bio == NULL)
        return NULL;
    if (format == PEM)
        pkey = PEM_read_bio_PrivateKey(bio, NULL, give_passphrase, passphrase);
    else if (encoding == PKCS8)
        pkey = read_pkcs8(bio, bytes, passphrase);
    else
        pkey = d2i_PrivateKey(encoding == SEC1 ? EVP_PKEY_EC : EVP_PKEY_RSA,
                              NULL, &at, (long)bytes->size);
    BIO_free(bio);
    return pkey;
}

/* The public key of a certificate */
static EVP_PKEY *of_certificate(const unsigned char *at, long size)
{
    X509 *certificate = d2i_X509(NULL, &at, size);
    EVP_PKEY *pkey = certificate != NULL ? X509_get_pubkey(certificate) : NULL;

    X509_free(certificate);
    return pkey;
}

/* Read the first block of this name.  Returns whether there is one. */
static bool read_block(const struct weir__js_bytes *bytes, const char *name,
                       EVP_PKEY **pkey)
{
    BIO *bio = BIO_new_mem_buf(bytes->data, (int)bytes->size);
    unsigned char *der = NULL;
    const unsigned char *at;
    long size = 0;
    bool is_found;

    if (bio == NULL)
        return false;
    ERR_set_mark();
    is_found = PEM_bytes_read_bio(&der, &size, NULL, name, bio, give_nothing,
                                  NULL) == 1;
    ERR_pop_to_mark();
    BIO_free(bio);
    at = der;
    if (!is_found)
        return false;
    if (strcmp(name, PEM_STRING_X509) == 0)
        *pkey = of_certificate(at, size);
    else if (strcmp(name, PEM_STRING_RSA_PUBLIC) == 0)
        *pkey = d2i_PublicKey(EVP_PKEY_RSA, NULL, &at, size);
    else
        *pkey = d2i_PUBKEY(NULL, &at, size);
    OPENSSL_free(der);
    return true;
}

/* A public key, or the private key that it belongs to.  *is_private says
 * which. */
static EVP_PKEY *read_any(enum format format, enum encoding encoding,
                          const struct weir__js_bytes *bytes,
                          struct weir__js_secret *passphrase, bool *is_private)
{
    const unsigned char *at = bytes->data;
    EVP_PKEY *pkey = NULL;

    *is_private = false;
    if (format == PEM) {
        if (read_block(bytes, PEM_STRING_PUBLIC, &pkey) ||
            read_block(bytes, PEM_STRING_RSA_PUBLIC, &pkey) ||
            read_block(bytes, PEM_STRING_X509, &pkey))
            return pkey;
    } else if (encoding == SPKI) {
        return d2i_PUBKEY(NULL, &at, (long)bytes->size);
    } else if (encoding == PKCS1 && !is_private_rsa(bytes->data, bytes->size)) {
        return d2i_PublicKey(EVP_PKEY_RSA, NULL, &at, (long)bytes->size);
    }
    *is_private = true;
    return read_private(format, encoding, bytes, passphrase);
}

static JSValue refuse(JSContext *context, const struct weir__js_secret *given)
{
    unsigned long code = ERR_peek_error();

    if (given->bytes == NULL && ERR_GET_LIB(code) == ERR_LIB_PEM &&
        ERR_GET_REASON(code) == PEM_R_BAD_PASSWORD_READ)
        return weir__js_throw_coded(context, WEIR__JS_TYPE_ERROR,
                                    "ERR_MISSING_PASSPHRASE",
                                    "Passphrase required for encrypted key");
    return weir__js_throw_openssl(context, "Failed to read asymmetric key");
}

/* read(bytes, format, encoding, passphrase, is private): a key; a public one
 * unless it must be private, whatever the bytes have */
static JSValue read_key(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    struct weir__js_secret passphrase = {NULL, 0};
    bool must_be_private = JS_ToBool(context, argv[4]) == 1, is_private = true;
    struct weir__js_bytes bytes;
    int32_t format, encoding = 0;
    EVP_PKEY *pkey;
    JSValue value;

    if (JS_ToInt32(context, &format, argv[1]) < 0 ||
        (!JS_IsUndefined(argv[2]) &&
         JS_ToInt32(context, &encoding, argv[2]) < 0) ||
        weir__js_secret_copy(context, argv[3], &passphrase) < 0)
        return JS_EXCEPTION;
    if (weir__js_bytes(context, argv[0], &bytes) < 0) {
        weir__js_secret_free(&passphrase);
        return JS_EXCEPTION;
    }
    ERR_clear_error();
    pkey = must_be_private
               ? read_private((enum format)format, (enum encoding)encoding,
                              &bytes, &passphrase)
               : read_any((enum format)format, (enum encoding)encoding, &bytes,
                          &passphrase, &is_private);
    /* OpenSSL may return a key that it could not read in full. */
    if (pkey != NULL && ERR_peek_error() != 0 && is_private) {
        EVP_PKEY_free(pkey);
        pkey = NULL;
    }
    if (pkey == NULL) {
        value = refuse(context, &passphrase);
    } else {
        ERR_clear_error();
        value = weir__js_key_new(
            context,
            must_be_private ? WEIR__JS_KEY_PRIVATE : WEIR__JS_KEY_PUBLIC, pkey);
    }
    weir__js_secret_free(&passphrase);
    return value;
}

/* ---- writing ---- */

static bool write_public(BIO *bio, EVP_PKEY *pkey, enum format format,
                         enum encoding encoding)
{
    unsigned char *der = NULL;
    bool is_done;
    int size;

    if (encoding == SPKI)
        return format == PEM ? PEM_write_bio_PUBKEY(bio, pkey) == 1
                             : i2d_PUBKEY_bio(bio, pkey) == 1;
    size = i2d_PublicKey(pkey, &der);
    if (size <= 0)
        return false;
    is_done = format == PEM
                  ? PEM_write_bio(bio, PEM_STRING_RSA_PUBLIC, "", der, size) > 0
                  : BIO_write(bio, der, size) == size;
    OPENSSL_free(der);
    return is_done;
}

static bool write_private(BIO *bio, EVP_PKEY *pkey, enum format format,
                          enum encoding encoding, const EVP_CIPHER *cipher,
                          const struct weir__js_secret *passphrase)
{
    /* The default of OpenSSL is to ask at the terminal. */
    char *text = cipher != NULL ? (char *)passphrase->bytes : NULL;
    int length = cipher != NULL ? (int)passphrase->size : 0;

    if (encoding == PKCS8)
        return format == PEM
                   ? PEM_write_bio_PKCS8PrivateKey(bio, pkey, cipher, text,
                                                   length, NULL, NULL) == 1
                   : i2d_PKCS8PrivateKey_bio(bio, pkey, cipher, text, length,
                                             NULL, NULL) == 1;
    return format == PEM
               ? PEM_write_bio_PrivateKey_traditional(bio, pkey, cipher,
                                                      (unsigned char *)text,
                                                      length, NULL, NULL) == 1
               : i2d_PrivateKey_bio(bio, pkey) == 1;
}

/* The cipher of a name, or NULL for undefined.  Returns -1 with an exception. */
static int find_cipher(JSContext *context, JSValueConst value,
                       const EVP_CIPHER **cipher)
{
    const char *name;

    *cipher = NULL;
    if (JS_IsUndefined(value) || JS_IsNull(value))
        return 0;
    name = JS_ToCString(context, value);
    if (name == NULL)
        return -1;
    *cipher = EVP_get_cipherbyname(name);
    JS_FreeCString(context, name);
    if (*cipher != NULL)
        return 0;
    weir__js_throw_coded(context, WEIR__JS_ERROR, "ERR_CRYPTO_UNKNOWN_CIPHER",
                         "Unknown cipher");
    return -1;
}

/* write(key, format, encoding, cipher, passphrase): an ArrayBuffer */
static JSValue write_key(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct weir__js_key *key = weir__js_key_of(context, argv[0]);
    struct weir__js_secret passphrase = {NULL, 0};
    const EVP_CIPHER *cipher;
    int32_t format, encoding;
    JSValue value = JS_EXCEPTION;
    bool is_done;
    char *bytes;
    BIO *bio;

    if (key == NULL || JS_ToInt32(context, &format, argv[1]) < 0 ||
        JS_ToInt32(context, &encoding, argv[2]) < 0 ||
        find_cipher(context, argv[3], &cipher) < 0 ||
        weir__js_secret_copy(context, argv[4], &passphrase) < 0)
        return JS_EXCEPTION;
    ERR_clear_error();
    bio = BIO_new(BIO_s_secmem());
    is_done =
        bio != NULL &&
        (key->type == WEIR__JS_KEY_PUBLIC
             ? write_public(bio, key->pkey, (enum format)format,
                            (enum encoding)encoding)
             : write_private(bio, key->pkey, (enum format)format,
                             (enum encoding)encoding, cipher, &passphrase));
    if (is_done) {
        long size = BIO_get_mem_data(bio, &bytes);

        value = JS_NewArrayBufferCopy(context, (uint8_t *)bytes, (size_t)size);
    } else {
        value = weir__js_throw_openssl(context,
                                       key->type == WEIR__JS_KEY_PUBLIC
                                           ? "Failed to encode public key"
                                           : "Failed to encode private key");
    }
    BIO_free(bio);
    weir__js_secret_free(&passphrase);
    return value;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("read", 5, read_key),
    JS_CFUNC_DEF("write", 5, write_key),
};

const struct weir__js_builtin weir__js_key_encoding_builtin = {
    WEIR__JS_LIBS("crypto/keys"),
    WEIR__JS_NATIVES(natives),
};
