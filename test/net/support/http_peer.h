/* SPDX-License-Identifier: MIT */
/*
 * http_peer -- a server for the tests of the client, on the same loop, that
 * answers what it was told to, whatever it is asked.
 *
 *     peer_start();
 *     peer_will("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 0);
 *     ... fetch peer_url("/path") ...
 *     expect_peer_got("GET /path HTTP/1.1\r\n");
 *     peer_stop();
 *
 * Each request, on whichever connection, takes the next answer.
 */
#ifndef WEIR_TEST_NET_HTTP_PEER_H
#define WEIR_TEST_NET_HTTP_PEER_H

#include <stdbool.h>
#include <stddef.h>

#include "weir/net/stream.h"

/* What else the peer does with a request. */
enum {
    PEER_CLOSES = 1, /* after the answer */
    PEER_RESETS = 2, /* instead of the rest */
    PEER_EARLY = 4,  /* answers after the head, without the body */
    PEER_HOLDS = 8,  /* sends the answer, and more with peer_send */
};

void peer_start(void);
void peer_stop(void);

/* Queue an answer.  The text is not copied. */
void peer_will(const char *answer, unsigned flags);
void peer_will_bytes(const void *answer, size_t size, unsigned flags);

/* Forget the answers that nobody took. */
void peer_will_nothing(void);

/* Send more on the connection that had the last request; or end it. */
void peer_send(const char *text);
void peer_close_last(void);
void peer_reset_last(void);

/* Close all connections that wait for a request. */
void peer_close_idle(void);

/* The URL of a path; valid until the fourth call after this one. */
const char *peer_url(const char *path);
unsigned peer_port(void);

extern unsigned peer_accepted; /* connections */
extern unsigned peer_requests; /* complete, or answered early */
extern unsigned peer_gone;     /* connections that the client has closed */

/* Everything received, as text; peer_forget empties it. */
const char *peer_received(void);
void peer_forget(void);

/* Stop and resume reading, on connections that come. */
void peer_set_deaf(bool is_deaf);
void peer_hear(void);

#endif /* WEIR_TEST_NET_HTTP_PEER_H */
