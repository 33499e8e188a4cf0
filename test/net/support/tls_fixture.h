/* SPDX-License-Identifier: MIT */
/*
 * tls_fixture -- two ends of a TLS connection that are joined in memory.
 *
 *     identities_make();
 *     server = server_make(&leaf, TLS_OPTIONS());
 *     client = client_make(&root, TLS_OPTIONS());
 *     ends_open(&ends, client, server, "localhost");
 *     expect_status(ends_shake(&ends), 0);
 */
#ifndef WEIR_TEST_NET_SUPPORT_TLS_FIXTURE_H
#define WEIR_TEST_NET_SUPPORT_TLS_FIXTURE_H

#include <stddef.h>

#include <openssl/ssl.h>

#include "net/support/identity.h"
#include "support/random.h"
#include "support/suite.h"
#include "tls/engine.h"
#include "weir/net/tls.h"

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
