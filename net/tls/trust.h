/* SPDX-License-Identifier: MIT */
/*
 * trust -- the certificates that those of peers are checked against.
 */
#ifndef WEIR_NET_TLS_TRUST_H
#define WEIR_NET_TLS_TRUST_H

#include <openssl/ssl.h>

#include "tls/reason.h"
#include "weir/net/tls.h"

struct weir__tls_trust {
    X509_STORE *store;           /* NULL: peers are not verified */
    STACK_OF(X509_NAME) * names; /* server: the list for clients; or NULL */
};

/* Load what the options name, or the system's store.  Returns 0, -EINVAL (a
 * server asks for certificates, but trusts no CA), -ENOMEM, WEIR_ECERT,
 * WEIR_ETLS, or the error of reading a file. */
int weir__tls_trust_init(struct weir__tls_trust *trust, weir_tls_role role,
                         const weir_tls_options *options,
                         struct weir__tls_reason reason);
void weir__tls_trust_fini(struct weir__tls_trust *trust);

/* Make a context use it.  Returns whether there was memory. */
bool weir__tls_trust_use(const struct weir__tls_trust *trust, SSL_CTX *context);

#endif /* WEIR_NET_TLS_TRUST_H */
