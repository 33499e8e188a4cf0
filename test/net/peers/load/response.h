/* SPDX-License-Identifier: MIT */
/*
 * response.h -- an incremental parser of HTTP/1.1 responses, for one client.
 *
 * It is written against RFC 9112 and shares nothing with the server under test.
 * Interim responses (1xx except 101) are skipped.  The caller says before each
 * response what it must contain.
 */
#ifndef WEIR_TEST_LOAD_RESPONSE_H
#define WEIR_TEST_LOAD_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct response {
    int part; /* which part of the message the next byte belongs to */
    int status;
    bool begun;  /* at least one byte has arrived */
    bool closes; /* Connection: close, or no other end than that */
    bool wrong;  /* the body is not what was expected */
    uint64_t id; /* X-Id, or 0 */
    bool chunked;
    bool until_end;  /* neither a length nor chunks: the connection's end is the
                       body's */
    uint64_t left;   /* bytes of the body or of the chunk */
    uint64_t length; /* bytes of the body so far */
    const unsigned char *expected; /* its content; NULL: any */
    uint64_t expected_length;      /* with `expected` */
    size_t used;
    char line[16384];
} response;

enum { RESPONSE_BAD = -1, RESPONSE_PART = 0, RESPONSE_WHOLE = 1 };

/* Prepare for the next response; its body must be `length` bytes of `body`. */
void response_begin(response *r, const unsigned char *body, uint64_t length);

/* Take bytes; *taken says how many belong to this response. */
int response_feed(response *r, const unsigned char *data, size_t size,
                  size_t *taken);

/* Whether the end of the connection completes the response. */
bool response_ends(const response *r);

#endif
