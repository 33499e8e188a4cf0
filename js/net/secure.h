/* SPDX-License-Identifier: MIT */
/*
 * secure -- TLS on a handle.
 */
#ifndef WEIR_JS_NET_SECURE_H
#define WEIR_JS_NET_SECURE_H

#include <openssl/ssl.h>

#include "core/host.h"
#include "weir/net/tls.h"

/* The SSL object of a handle, or NULL: with an exception if the value is not a
 * handle, without one if it has no TLS. */
SSL *weir__js_secure_ssl(JSContext *context, JSValueConst value);

/* The configuration of a tls.SecureContext for connections that node:https
 * accepts, without a reference.  They choose http/1.1.  verify_mode is OpenSSL's;
 * a client without a valid certificate is refused if the mode has
 * SSL_VERIFY_FAIL_IF_NO_PEER_CERT.  Returns NULL with an exception. */
weir_tls *weir__js_secure_serve(JSContext *context, JSValueConst value,
                                int verify_mode);

/* Use another context for a connection whose ClientHello was not answered yet.
 * False if there is no memory. */
bool weir__js_secure_replace(SSL *ssl, SSL_CTX *chosen);

#endif /* WEIR_JS_NET_SECURE_H */
