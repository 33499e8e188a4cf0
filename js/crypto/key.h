/* SPDX-License-Identifier: MIT */
/*
 * key -- what is behind a KeyObject: a secret, or a key of OpenSSL.
 *
 * A key never changes.  OpenSSL counts the references of its keys atomically, so
 * operations on other threads hold one.
 */
#ifndef WEIR_JS_CRYPTO_KEY_H
#define WEIR_JS_CRYPTO_KEY_H

#include <openssl/evp.h>

#include "core/host.h"
#include "crypto/operation.h"

enum weir__js_key_type {
    WEIR__JS_KEY_SECRET,
    WEIR__JS_KEY_PUBLIC,
    WEIR__JS_KEY_PRIVATE
};

struct weir__js_key {
    enum weir__js_key_type type;
    struct weir__js_secret secret;
    EVP_PKEY *pkey; /* NULL: a secret */
};

/* The key behind a handle; NULL with an exception. */
struct weir__js_key *weir__js_key_of(JSContext *context, JSValueConst value);

/* The same, with a reference to OpenSSL's key, which a secret does not have. */
EVP_PKEY *weir__js_key_ref(JSContext *context, JSValueConst value);

/* Make a handle.  Takes the key even if it fails; NULL stands for an error that
 * OpenSSL has reported. */
JSValue weir__js_key_new(JSContext *context, enum weir__js_key_type type,
                         EVP_PKEY *pkey);

/* The number of a curve that OpenSSL or NIST names; NID_undef: there is none. */
int weir__js_curve_of(const char *name);

/* Find a digest by one of OpenSSL's names; the caller frees it.  NULL: there is
 * none. */
EVP_MD *weir__js_digest_find(const char *name);

#endif /* WEIR_JS_CRYPTO_KEY_H */
