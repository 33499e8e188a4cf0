/* SPDX-License-Identifier: MIT */
/*
 * tls_fixture -- certificates made by the test, and two ends of a connection
 * that are joined in memory.
 *
 *     identity_make(&ca, NULL, &(struct identity_options){.is_ca = true});
 *     identity_make(&leaf, &ca, &(struct identity_options){.names = "DNS:a"});
 *     server = server_make(&leaf, TLS_OPTIONS());
 *     client = client_make(&ca, TLS_OPTIONS());
 *     ends_open(&ends, client, server, "a");
 *     expect_status(ends_shake(&ends), 0);
 *
 * Nothing here is kept in a file, so nothing can expire.
 */
#ifndef WEIR_TEST_NET_SUPPORT_TLS_FIXTURE_H
#define WEIR_TEST_NET_SUPPORT_TLS_FIXTURE_H

#include <stddef.h>

#include <openssl/ssl.h>

#include "support/random.h"
#include "support/suite.h"
#include "tls/engine.h"
#include "weir/net/tls.h"

/* ---- certificates ---- */

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

/* ---- configurations ---- */

#define TLS_OPTIONS(...)                                                       \
    ((weir_tls_options){.size = sizeof(weir_tls_options), __VA_ARGS__})

weir_tls_certificate certificate_of(const struct identity *identity);

/* A server that shows an identity, and a client that trusts one (NULL: leaves
 * that to the options).  Both must succeed. */
weir_tls *server_make(const struct identity *shown, weir_tls_options options);
weir_tls *client_make(const struct identity *trusted, weir_tls_options options);

/* ---- two ends ---- */

enum { ENDS_MESSAGE = 256 * 1024 };

struct ends {
    struct weir__tls_engine client, server;
    int client_status, server_status; /* of the last read of each */
    struct random *splits;            /* NULL: whole pieces */
    size_t most;                      /* bytes of a piece; 0: any number */
    size_t moved;                     /* bytes so far, in both directions */
    size_t cut_after;                 /* lose everything after so many bytes */
};

/* Open both ends, without a byte moved.  name NULL: the client has none. */
void ends_open(struct ends *ends, weir_tls *client, weir_tls *server,
               const char *name);
void ends_open_with(struct ends *ends, weir_tls *client, weir_tls *server,
                    const struct weir__tls_start *start);
void ends_close(struct ends *ends);

/* Move bytes in both directions until nothing moves.  Returns whether anything
 * has moved. */
bool ends_move(struct ends *ends);

/* Do the handshake.  Returns the client's status, or the server's. */
int ends_shake(struct ends *ends);

/* Write bytes at one end, and expect them at the other. */
void ends_send(struct ends *ends, bool is_from_client, size_t size);

/* The same in both directions, with a few sizes. */
void ends_talk(struct ends *ends);

/* Open, shake, talk, and close with close_notify; expect whether it was
 * resumed. */
void ends_expect_resumed(weir_tls *client, weir_tls *server, const char *name,
                         bool is_resumed);

/* ---- one end ---- */

void engine_free(struct weir__tls_engine *engine);
ssize_t engine_read(struct weir__tls_engine *engine, void *to, size_t size);
ssize_t engine_write(struct weir__tls_engine *engine, const void *from,
                     size_t size);
size_t engine_output_size(struct weir__tls_engine *engine);
/* Take up to `most` bytes of the output of one end to the input of another. */
size_t engine_move(struct weir__tls_engine *from, struct weir__tls_engine *to,
                   size_t most);

/* The thread's error queue is OpenSSL's; it must be empty after each call. */
void expect_no_openssl_error(void);

#endif /* WEIR_TEST_NET_SUPPORT_TLS_FIXTURE_H */
