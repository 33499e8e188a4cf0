/* SPDX-License-Identifier: MIT */
/*
 * sessions -- what a client needs to resume its connections, by server.
 */
#ifndef WEIR_NET_TLS_SESSIONS_H
#define WEIR_NET_TLS_SESSIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <openssl/ssl.h>

#include "weir/host/lock.h"

struct weir__session;

struct weir__sessions {
    weir_lock lock;
    uint32_t capacity;           /* const after init; 0: keep none */
    uint32_t count;              /* under the lock */
    struct weir__session *first; /* under the lock; the newest */
};

/* Keep a session for a server.  Returns whether it was kept, and with it the
 * caller's reference. */
bool weir__sessions_put(struct weir__sessions *sessions, const char *name,
                        uint16_t port, SSL_SESSION *session);

/* Get a session for a server, with a reference.  Returns NULL if there is
 * none. */
SSL_SESSION *weir__sessions_take(struct weir__sessions *sessions,
                                 const char *name, uint16_t port);

/* Drop the sessions of a server, which has refused one. */
void weir__sessions_forget(struct weir__sessions *sessions, const char *name,
                           uint16_t port);

/* Drop all sessions. */
void weir__sessions_clear(struct weir__sessions *sessions);

#endif /* WEIR_NET_TLS_SESSIONS_H */
