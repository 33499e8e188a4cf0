/* SPDX-License-Identifier: MIT */
/*
 * peer -- a WebSocket that test/net/peers/websocket.py talks to: an echo server
 * or a client of one.  The server does its handshake by hand, on a plain stream.
 */
#ifndef WEIR_TEST_NET_PEERS_WEBSOCKET_PEER_H
#define WEIR_TEST_NET_PEERS_WEBSOCKET_PEER_H

#include <stdbool.h>
#include <stddef.h>

#include "weir/net/websocket.h"

enum { HEAD = 8192, FIELDS = 64 };

/* The beginning of a connection: an HTTP message, up to its empty line. */
struct head {
    char text[HEAD];
    size_t size;
    size_t end;  /* of the head; what follows belongs to the WebSocket */
    char *first; /* the first line: GET /path HTTP/1.1 */
    weir_http_field fields[FIELDS];
    size_t count;
};

/* Add bytes.  Returns true when the head is complete and taken apart. */
bool head_add(struct head *head, weir_bytes bytes);

/* Write a head: a first line, and fields.  Returns its size. */
size_t head_write(char *to, size_t size, const char *first,
                  const weir_http_field *fields, size_t count);

/* Options of the command line. */
struct settings {
    weir_loop *loop;
    weir_websocket_deflate deflate;
    size_t max_message_bytes;
    bool is_streaming;
    bool is_paced; /* pauses after each message, for a turn */
};

extern struct settings settings;

void must(int err, const char *what);

/* Listen, print "port N", and echo until SIGTERM. */
void serve(void);

/* Send messages to an echo server and check what comes back.  Returns the exit
 * status. */
int converse(int port, int count);

#endif /* WEIR_TEST_NET_PEERS_WEBSOCKET_PEER_H */
