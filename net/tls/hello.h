/* SPDX-License-Identifier: MIT */
/*
 * hello -- what is decided during a handshake: name, protocol, trust, session.
 */
#ifndef WEIR_NET_TLS_HELLO_H
#define WEIR_NET_TLS_HELLO_H

#include "tls/config.h"

/* Set the callbacks of a new context.  Returns whether there was memory. */
bool weir__tls_hello_set(const weir_tls *tls, SSL_CTX *context);

#endif /* WEIR_NET_TLS_HELLO_H */
