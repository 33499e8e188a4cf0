/* SPDX-License-Identifier: MIT */
/*
 * config -- a weir_tls: what many connections share.
 */
#ifndef WEIR_NET_TLS_CONFIG_H
#define WEIR_NET_TLS_CONFIG_H

#include <openssl/ssl.h>

#include "tls/alpn.h"
#include "tls/credentials.h"
#include "tls/sessions.h"
#include "tls/tickets.h"
#include "tls/trust.h"
#include "weir/host/lock.h"
#include "weir/net/tls.h"

enum { WEIR__TLS_ID = 16 };

struct weir_tls {
    weir_lock lock;
    uint32_t refs;                   /* under the lock */
    SSL_CTX *context;                /* under the lock; reload replaces it */
    struct weir__tls_source *source; /* under the lock, and so are its refs */

    /* const after new */
    weir_tls_role role;
    int min_version, max_version; /* of OpenSSL */
    int verify_mode;              /* of SSL_set_verify */
    bool has_no_resumption;
    bool is_hosted;                 /* the SSL_CTX is the host's */
    unsigned char id[WEIR__TLS_ID]; /* sessions of others are not resumed */
    struct weir__tls_alpn *alpn;    /* or NULL */
    struct weir__tls_trust trust;
    BIO_METHOD *bio;
    int (*on_server_name)(void *arg, const char *name, weir_tls **use);
    void *arg;

    /* each with its own lock */
    struct weir__tickets tickets;
    struct weir__sessions sessions;
};

/* Get the current context, with a reference of OpenSSL. */
SSL_CTX *weir__tls_config_context(weir_tls *tls);

/* Free a configuration that is not in use, even if it is not complete.  All
 * members that are not set must be 0. */
void weir__tls_config_free(weir_tls *tls);

#endif /* WEIR_NET_TLS_CONFIG_H */
