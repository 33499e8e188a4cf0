/* SPDX-License-Identifier: MIT */
/*
 * format -- requests and responses into bytes.
 *
 *     weir_http_field fields[] = {
 *         {WEIR_BYTES_OF("Content-Type"), WEIR_BYTES_OF("text/plain")}};
 *     struct weir__http_response response = {
 *         .status = 200, .fields = fields, .field_count = 1,
 *         .framing = WEIR__HTTP_FRAME_LENGTH, .length = 5,
 *         .date = weir__http_date_at(&cache, now_s)};
 *     size_t size = weir__http_response_size(&response);     an upper bound
 *
 *     buffer = ... size bytes ...
 *     end = weir__http_response_write(&response, buffer);
 *
 * A head is checked once (weir__http_fields_check), measured, and written in
 * one pass.  The functions that write return the end of what they have written.
 */
#ifndef WEIR_NET_HTTP_FORMAT_H
#define WEIR_NET_HTTP_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/message.h"
#include "weir/net/bytes.h"
#include "weir/net/http.h"

/* How the end of a body is found. */
enum weir__http_framing {
    WEIR__HTTP_FRAME_NONE,    /* neither field is sent: 1xx, 204, 304, requests
                                 without a body, responses until the end */
    WEIR__HTTP_FRAME_LENGTH,  /* Content-Length: length */
    WEIR__HTTP_FRAME_CHUNKED, /* Transfer-Encoding: chunked */
};

/* The Connection field. */
enum weir__http_connection {
    WEIR__HTTP_CONNECTION_NONE,
    WEIR__HTTP_CONNECTION_CLOSE,
    WEIR__HTTP_CONNECTION_KEEP_ALIVE,
    WEIR__HTTP_CONNECTION_UPGRADE,
};

enum { WEIR__HTTP_DATE_SIZE = 29 }; /* "Sun, 06 Nov 1994 08:49:37 GMT" */

struct weir__http_response {
    uint16_t status; /* 100 to 999 */
    uint8_t framing;
    uint8_t connection;
    weir_bytes reason; /* data is NULL: the usual one */
    const weir_http_field *fields;
    size_t field_count;
    uint64_t length;
    const char *date; /* WEIR__HTTP_DATE_SIZE bytes; NULL: no Date */
};

struct weir__http_request {
    weir_bytes method, target; /* checked by weir__http_target_check, ... */
    weir_bytes host;           /* data is NULL: no Host */
    uint8_t framing;
    uint8_t connection;
    const weir_http_field *fields;
    size_t field_count;
    uint64_t length;
};

/* ---- what may be sent ---- */

/* Names that matter to the framing, in the result of the next function. */
enum {
    WEIR__HTTP_HAS_LENGTH = 1 << 0,     /* Content-Length */
    WEIR__HTTP_HAS_CODING = 1 << 1,     /* Transfer-Encoding */
    WEIR__HTTP_HAS_CONNECTION = 1 << 2, /* Connection */
    WEIR__HTTP_HAS_DATE = 1 << 3,
    WEIR__HTTP_HAS_HOST = 1 << 4,
    WEIR__HTTP_HAS_UPGRADE = 1 << 5,
    WEIR__HTTP_HAS_EXPECT = 1 << 6,
    WEIR__HTTP_HAS_TRAILER = 1 << 7,
    WEIR__HTTP_HAS_TYPE = 1 << 8, /* Content-Type */
};

/* Check names (tokens) and values (no control character except tab, no
 * whitespace at either end), so that no value can inject a line.  Returns the
 * names above that are among them, or -EINVAL. */
int weir__http_fields_check(const weir_http_field *fields, size_t count);

/* Check the parts of a start line: 0 or -EINVAL.  A target is any of the four
 * forms; a reason may be empty. */
int weir__http_method_check(weir_bytes method);
int weir__http_target_check(weir_bytes target);
int weir__http_reason_check(weir_bytes reason);

/* ---- heads ---- */

/* Get the standard reason of a status, or "". */
weir_bytes weir__http_reason(unsigned status);

/* An upper bound of what the next function writes. */
size_t weir__http_response_size(const struct weir__http_response *response);

/* Write a head, from the status line to the empty line. */
char *weir__http_response_write(const struct weir__http_response *response,
                                char *to);

size_t weir__http_request_size(const struct weir__http_request *request);
char *weir__http_request_write(const struct weir__http_request *request,
                               char *to);

/* Decide on the Connection field of a response: `keep` is what the server
 * wants, request what the client wants (NULL: it was not understood).  The
 * connection is kept unless the result is CLOSE. */
enum weir__http_connection
weir__http_connection_for(const struct weir__http_message *request, bool keep);

/* Whether a response to this method and with this status has a body. */
bool weir__http_has_body(enum weir__http_method method, unsigned status);

/* ---- chunks ---- */

enum { WEIR__HTTP_CHUNK_HEAD = 18 }; /* 16 digits, CR, LF */

/* Write the line before a chunk of size > 0.  Send this, the data, and
 * "\r\n". */
char *weir__http_chunk_write(char *to, uint64_t size);

/* Write the last chunk, with trailers that weir__http_fields_check has passed:
 * "0\r\n", the fields, "\r\n". */
size_t weir__http_last_size(const weir_http_field *trailers, size_t count);
char *weir__http_last_write(const weir_http_field *trailers, size_t count,
                            char *to);

/* ---- numbers ---- */

enum { WEIR__HTTP_NUMBER_SIZE = 20 };

/* Write a number in decimal, without NUL. */
char *weir__http_number_write(char *to, uint64_t number);

#endif /* WEIR_NET_HTTP_FORMAT_H */
