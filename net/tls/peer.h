/* SPDX-License-Identifier: MIT */
/*
 * peer -- the certificate of the other end, as bytes and as text.
 */
#ifndef WEIR_NET_TLS_PEER_H
#define WEIR_NET_TLS_PEER_H

#include <openssl/ssl.h>

#include "weir/net/tls.h"

struct weir__tls_peer;

/* Describe the peer of a connection.  *made is the caller's.  Returns 0, -ENOENT
 * (it has shown no certificate) or -ENOMEM. */
int weir__tls_peer_new(struct weir__tls_peer **made, const SSL *ssl);
void weir__tls_peer_free(struct weir__tls_peer *peer);

const weir_tls_peer *weir__tls_peer_get(const struct weir__tls_peer *peer);

#endif /* WEIR_NET_TLS_PEER_H */
