/* SPDX-License-Identifier: MIT */
/*
 * identity -- certificates made by the test, so that none can expire.
 *
 *     identity_make(&ca, NULL, &(struct identity_options){.is_ca = true});
 *     identity_make(&leaf, &ca, &(struct identity_options){.names = "DNS:a"});
 */
#ifndef WEIR_TEST_NET_SUPPORT_IDENTITY_H
#define WEIR_TEST_NET_SUPPORT_IDENTITY_H

#include <stdbool.h>

#include <openssl/x509.h>

#include "weir/net/bytes.h"

struct identity {
    X509 *certificate;
    EVP_PKEY *key;
    weir_bytes chain_pem; /* itself, then its issuer unless that is the root */
    weir_bytes key_pem;
};

struct identity_options {
    const char *common_name; /* NULL: "test" */
    const char *names;       /* of OpenSSL, such as "DNS:localhost"; or NULL */
    long from_s, to_s;       /* from now; both 0: an hour ago, in an hour */
    bool is_ca;
};

/* issuer NULL: self-signed. */
void identity_make(struct identity *made, const struct identity *issuer,
                   const struct identity_options *options);
void identity_free(struct identity *identity);

/* The two of them that most cases use: a root, and a server "localhost",
 * "*.example.org", 127.0.0.1. */
extern struct identity root, leaf;
void identities_make(void);
void identities_free(void);

#endif /* WEIR_TEST_NET_SUPPORT_IDENTITY_H */
