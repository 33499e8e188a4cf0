/* SPDX-License-Identifier: MIT */
/*
 * bio -- OpenSSL's end of a connection: it reads what has been received, and
 * writes what is to be sent.
 */
#ifndef WEIR_NET_TLS_BIO_H
#define WEIR_NET_TLS_BIO_H

#include <openssl/bio.h>

#include "tls/queue.h"

struct weir__tls_pipe {
    struct weir__tls_queue in;  /* received, encrypted */
    struct weir__tls_queue out; /* to be sent, encrypted */
    int err;                    /* -ENOMEM: a write has failed */
};

/* Make the methods of such BIOs.  Returns NULL if there is no memory. */
BIO_METHOD *weir__tls_bio_methods(void);

/* Make a BIO on a pipe, which outlives it.  Returns NULL if there is no
 * memory. */
BIO *weir__tls_bio_new(const BIO_METHOD *methods, struct weir__tls_pipe *pipe);

#endif /* WEIR_NET_TLS_BIO_H */
