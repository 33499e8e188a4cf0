/* SPDX-License-Identifier: MIT */
/*
 * pem -- certificates and keys as text, from a file or from memory.
 */
#ifndef WEIR_NET_TLS_PEM_H
#define WEIR_NET_TLS_PEM_H

#include <stddef.h>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include "tls/reason.h"
#include "weir/net/bytes.h"

struct weir__tls_pem {
    BIO *bio;
    const char *name; /* for reasons: the path, or what it is */
    char *data;       /* of a file; otherwise NULL */
    size_t size, allocated;
};

/* Open a file, or bytes if file is NULL.  what names the bytes in reasons.
 * Returns 0, -ENOMEM, or the error of reading the file. */
int weir__tls_pem_open(struct weir__tls_pem *pem, const char *file,
                       weir_bytes bytes, const char *what,
                       struct weir__tls_reason reason);
void weir__tls_pem_close(struct weir__tls_pem *pem);

/* Read the next certificate.  *certificate is NULL after the last one.  Returns
 * 0, -ENOMEM or WEIR_ECERT. */
int weir__tls_pem_next(struct weir__tls_pem *pem, X509 **certificate,
                       struct weir__tls_reason reason);

/* Read the first private key.  Returns 0, -ENOMEM or WEIR_ECERT. */
int weir__tls_pem_key(struct weir__tls_pem *pem, const char *password,
                      EVP_PKEY **key, struct weir__tls_reason reason);

#endif /* WEIR_NET_TLS_PEM_H */
