/* SPDX-License-Identifier: MIT */
/*
 * secure -- TLS on a handle.
 */
#ifndef WEIR_JS_NET_SECURE_H
#define WEIR_JS_NET_SECURE_H

#include <openssl/ssl.h>

#include "core/host.h"

/* The SSL object of a handle, or NULL: with an exception if the value is not a
 * handle, without one if it has no TLS. */
SSL *weir__js_secure_ssl(JSContext *context, JSValueConst value);

#endif /* WEIR_JS_NET_SECURE_H */
