/* SPDX-License-Identifier: MIT */
/*
 * tickets -- the keys of a server's session tickets, replaced from time to time.
 */
#ifndef WEIR_NET_TLS_TICKETS_H
#define WEIR_NET_TLS_TICKETS_H

#include <stdbool.h>
#include <stdint.h>

#include <openssl/evp.h>

#include "weir/host/lock.h"

enum { WEIR__TICKET_NAME = 16, WEIR__TICKET_KEY = 32 };

struct weir__ticket_key {
    int64_t since_ns; /* it encrypts from then on, for one rotation */
    bool is_set;
    unsigned char name[WEIR__TICKET_NAME];
    unsigned char cipher[WEIR__TICKET_KEY], mac[WEIR__TICKET_KEY];
};

struct weir__tickets {
    weir_lock lock;
    int64_t rotation_ns;                   /* const after init */
    EVP_CIPHER *cipher;                    /* const after init */
    struct weir__ticket_key current, last; /* under the lock */
};

/* Returns whether there was memory. */
bool weir__tickets_init(struct weir__tickets *tickets, int64_t rotation_ns);
/* All bytes 0 are allowed. */
void weir__tickets_fini(struct weir__tickets *tickets);

/* Prepare the encryption or decryption of a ticket, as the callback of
 * SSL_CTX_set_tlsext_ticket_key_evp_cb(3) does, and return what that returns. */
int weir__tickets_prepare(struct weir__tickets *tickets, unsigned char *name,
                          unsigned char *iv, EVP_CIPHER_CTX *cipher,
                          EVP_MAC_CTX *mac, bool is_encrypting);

#endif /* WEIR_NET_TLS_TICKETS_H */
