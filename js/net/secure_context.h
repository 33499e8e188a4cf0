/* SPDX-License-Identifier: MIT */
/*
 * secure_context -- the object behind a tls.SecureContext: an SSL_CTX of OpenSSL.
 */
#ifndef WEIR_JS_NET_SECURE_CONTEXT_H
#define WEIR_JS_NET_SECURE_CONTEXT_H

#include <openssl/ssl.h>

#include "core/host.h"
#include "weir/net/tls.h"

/* The SSL_CTX of a value.  Throws and returns NULL for any other value. */
SSL_CTX *weir__js_secure_context_of(JSContext *context, JSValueConst value);

/* The configuration of a value for a role, without a reference.  Returns NULL
 * with an exception. */
weir_tls *weir__js_secure_context_tls(JSContext *context, JSValueConst value,
                                      weir_tls_role role);

/* The newest error of OpenSSL as [text, library, reason]; its queue is empty
 * then. */
JSValue weir__js_openssl_error(JSContext *context);

#endif /* WEIR_JS_NET_SECURE_CONTEXT_H */
