/* SPDX-License-Identifier: MIT */
/*
 * engine -- one end of a TLS connection, as a filter: bytes in, bytes out.
 */
#ifndef WEIR_NET_TLS_ENGINE_H
#define WEIR_NET_TLS_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include <openssl/ssl.h>

#include "stream/filter.h"
#include "tls/alpn.h"
#include "tls/bio.h"
#include "tls/reason.h"
#include "weir/net/tls.h"

enum { WEIR__TLS_REASON = 160, WEIR__TLS_NAME = 253 };

struct weir__tls_engine {
    struct weir__filter filter; /* free and on_ready are the owner's */
    weir_tls *tls;              /* counted */
    weir_tls *chosen;           /* by the name that the client asks for; counted
                                 * or NULL */
    SSL *ssl;
    struct weir__tls_pipe pipe;
    struct weir__tls_alpn *alpn; /* a client's own list, or NULL */
    char *name;                  /* of the server, in lower case; or NULL */
    size_t name_size;            /* with its NUL */
    uint16_t port;               /* of the server: a client's key of sessions */
    bool is_ready;               /* the handshake is over */
    bool has_ended;              /* the peer has sent close_notify */
    bool has_shut;               /* close_notify was sent */
    int status;                  /* the error that has ended it, or 0 */
    uint32_t records;            /* written with this key */
    char reason[WEIR__TLS_REASON];
};

struct weir__tls_start {
    const char *server_name;
    const char *alpn;
    uint16_t port;
    weir_bytes received;
    int (*on_connection)(void *arg, void *ssl);
    void *arg;
};

/* Make one end of a connection, without its free and on_ready.  Returns 0,
 * -EINVAL, -ENOMEM or WEIR_ETLS. */
int weir__tls_engine_init(struct weir__tls_engine *engine, weir_tls *tls,
                          const struct weir__tls_start *start);
void weir__tls_engine_fini(struct weir__tls_engine *engine);

/* The configuration in use: the chosen one, or that of init. */
weir_tls *weir__tls_engine_config(const struct weir__tls_engine *engine);

/* The engine that OpenSSL calls back for. */
struct weir__tls_engine *weir__tls_engine_of(const SSL *ssl);

/* Where its reason goes. */
struct weir__tls_reason
weir__tls_engine_reason(struct weir__tls_engine *engine);

/* Copy a name in lower case.  Returns 0, -EINVAL (not a host name) or
 * -ENOMEM. */
int weir__tls_engine_set_name(struct weir__tls_engine *engine, const char *name,
                              size_t size);

/* The protocol that was chosen, or NULL. */
const char *weir__tls_engine_alpn(const struct weir__tls_engine *engine);

#endif /* WEIR_NET_TLS_ENGINE_H */
