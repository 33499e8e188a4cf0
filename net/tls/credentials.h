/* SPDX-License-Identifier: MIT */
/*
 * credentials -- a certificate, its chain and its key.
 */
#ifndef WEIR_NET_TLS_CREDENTIALS_H
#define WEIR_NET_TLS_CREDENTIALS_H

#include <openssl/ssl.h>

#include "tls/reason.h"
#include "weir/net/tls.h"

/* Where credentials were read from, to read them again.  Counted under the lock
 * of the configuration; otherwise constant. */
struct weir__tls_source {
    uint32_t refs;
    size_t allocated; /* bytes of this struct */
    const char *chain_file, *key_file, *password;
    char text[];
};

/* Check and copy the caller's struct.  Returns 0, -EINVAL or -E2BIG. */
int weir__tls_credentials_read(weir_tls_certificate *to,
                               const weir_tls_certificate *from);

/* Load a certificate, its chain and its key into a context.  Returns 0,
 * -ENOMEM, WEIR_ECERT, or the error of reading a file. */
int weir__tls_credentials_use(SSL_CTX *context,
                              const weir_tls_certificate *certificate,
                              struct weir__tls_reason reason);

/* Remember the files of credentials, with one reference.  *source is NULL if
 * they are not both files.  Returns 0 or -ENOMEM. */
int weir__tls_source_new(struct weir__tls_source **source,
                         const weir_tls_certificate *certificate);
/* Free it without looking at the references.  Passing NULL has no effect. */
void weir__tls_source_free(struct weir__tls_source *source);

#endif /* WEIR_NET_TLS_CREDENTIALS_H */
