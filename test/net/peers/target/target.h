/* SPDX-License-Identifier: MIT */
/*
 * target.h -- the server that the scripts in test/net/peers put to the test.
 *
 *     POST /echo?id=N          the body
 *     GET /large?bytes=N       a body of that length, no faster than it is read
 *     GET /stream?chunks=N&ms= chunks, one every few milliseconds
 *     GET /events?ms=          the same until the drain begins
 *     GET /slow?ms=            an answer after a while
 *     GET /block?ms=           the same, and the loop is blocked meanwhile
 *     GET /ws                  a WebSocket that echoes
 *     everything else          "OK"
 *
 * Each response returns the id in X-Id.  A line in the log means that the
 * request was executed: it has arrived completely, and its effect, if it had
 * one, would have happened.
 */
#ifndef WEIR_TEST_TARGET_H
#define WEIR_TEST_TARGET_H

#include <stdint.h>

#include "weir/net/http.h"

enum { TARGET_BODY_BYTES = 8 << 20, TARGET_CHUNK_BYTES = 1040 };

/* Opened for appending; -1: none.  One write(2) for each line. */
extern int target_log;

/* A number of the query, such as that of "id". */
int64_t target_number(const weir_http_request *request, const char *name,
                      int64_t otherwise);

/* The text of X-Id. */
typedef struct target_id {
    char text[24];
    weir_http_field field;
} target_id;

void target_fill_id(target_id *id, const weir_http_request *request);

void target_record(const weir_http_request *request, size_t body_bytes);

/* Report an error that the test did not provoke. */
void target_complain(const char *what, int err);

/* The responses that take a while, and the WebSocket. */
void target_stream(weir_http_request *request);
void target_large(weir_http_request *request);
void target_slow(weir_http_request *request);
void target_websocket(weir_http_request *request);

/* Called once, before the first request. */
void target_fill_text(void);

#endif
