/* SPDX-License-Identifier: MIT */
/*
 * extension -- negotiates permessage-deflate (RFC 7692, 7.1).
 *
 * A client offers it, perhaps several times with different parameters; a server
 * picks the first offer that it can accept and answers with what applies.
 */
#ifndef WEIR_NET_WEBSOCKET_EXTENSION_H
#define WEIR_NET_WEBSOCKET_EXTENSION_H

#include <stdbool.h>
#include <stddef.h>

#include "weir/net/websocket.h"

/* Server: read one header of offers.  If *agreed is not on yet, the first offer
 * that fits becomes *agreed.  Returns 0, or WEIR_EWEBSOCKET (the header is
 * malformed). */
int weir__extension_accept(const weir_websocket_deflate *wanted,
                           weir_bytes header, weir_websocket_deflate *agreed);

/* Client: read one header of the answer to weir__extension_offer.  Returns 0, or
 * WEIR_EWEBSOCKET (malformed, or not what was offered). */
int weir__extension_check(const weir_websocket_deflate *wanted,
                          weir_bytes header, weir_websocket_deflate *agreed);

/* Write the client's offer, or the server's answer: at most size bytes with the
 * NUL.  "" if there is none. */
void weir__extension_offer(const weir_websocket_deflate *wanted, char *text,
                           size_t size);
void weir__extension_answer(const weir_websocket_deflate *agreed, char *text,
                            size_t size);

#endif /* WEIR_NET_WEBSOCKET_EXTENSION_H */
