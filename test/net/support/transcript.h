/* SPDX-License-Identifier: MIT */
/*
 * transcript -- everything that the HTTP parser says about some bytes, as text.
 *
 *     transcript_make(&t, TRANSCRIPT_REQUESTS, bytes, size, splits, count);
 *
 * The bytes are fed in pieces, each in memory of its own that is freed
 * afterwards, so that AddressSanitizer sees a view that is used too long.  The
 * text does not depend on the pieces: adjacent data is joined.
 *
 *     GET /a HTTP/1.1 authority=[x] path=[/a] keep-alive
 *     Host: x
 *     .
 *     body 5 [hello]
 *     complete at 30
 *     failed 400 at 31 (WEIR_EHTTP: an invalid method)
 */
#ifndef WEIR_TEST_NET_SUPPORT_TRANSCRIPT_H
#define WEIR_TEST_NET_SUPPORT_TRANSCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/parser.h"

enum transcript_kind {
    TRANSCRIPT_REQUESTS,
    TRANSCRIPT_RESPONSES,
    TRANSCRIPT_RESPONSE_TO_HEAD,
    TRANSCRIPT_RESPONSE_TO_CONNECT,
};

struct transcript {
    char *text; /* ends with NUL; free with transcript_free */
    size_t size, capacity;
    unsigned status;   /* of the failure, or 0 */
    unsigned messages; /* that are complete */
    bool is_inside;    /* the bytes have ended inside a message */
    /* How to parse; zeros are the defaults. */
    const struct weir__http_limits *limits;
    uint64_t body_limit;
    bool ends; /* the connection ends after the bytes */
};

/* Parse the bytes, cut at `cuts` (ascending offsets), until they are used up, a
 * message has WEIR__HTTP_UPGRADE, or the parser fails. */
void transcript_make(struct transcript *transcript, enum transcript_kind kind,
                     const void *bytes, size_t size, const size_t *cuts,
                     size_t cut_count);

/* The same, cut after every byte. */
void transcript_make_bytewise(struct transcript *transcript,
                              enum transcript_kind kind, const void *bytes,
                              size_t size);

void transcript_free(struct transcript *transcript);

#endif /* WEIR_TEST_NET_SUPPORT_TRANSCRIPT_H */
