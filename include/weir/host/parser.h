/* SPDX-License-Identifier: MIT */
/*
 * weir/host/parser.h -- libweir-net's parser of HTTP responses, for a host that
 * does its own I/O.
 *
 *     weir_http_parser_new(&parser, NULL);
 *     weir_http_parser_expect(parser, "GET");
 *     for (;;) {
 *         switch (weir_http_parser_next(parser, &input, &data)) {
 *         case WEIR_HTTP_MORE:      all of the input was taken
 *         case WEIR_HTTP_HEAD:      weir_http_parser_status, _field_at, ...
 *         case WEIR_HTTP_DATA:      data is a piece of the body
 *         case WEIR_HTTP_TRAILERS:  weir_http_parser_trailer_at
 *         case WEIR_HTTP_COMPLETE:  input begins with what follows the message
 *         case WEIR_HTTP_FAILED:    weir_http_parser_refusal says why
 *         }
 *     }
 *
 * Every response, and every interim response, gives HEAD, DATA any number of
 * times, TRAILERS at most once, and COMPLETE.  After COMPLETE of a response
 * that begins another protocol (weir_http_parser_is_upgrade), what is left of
 * the input belongs to that protocol.
 */
#ifndef WEIR_HOST_PARSER_H
#define WEIR_HOST_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/host/http.h"
#include "weir/net/bytes.h"
#include "weir/net/http.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_http_parser weir_http_parser;

typedef enum weir_http_event {
    WEIR_HTTP_MORE,
    WEIR_HTTP_HEAD,
    WEIR_HTTP_DATA,
    WEIR_HTTP_TRAILERS,
    WEIR_HTTP_COMPLETE,
    WEIR_HTTP_FAILED,
} weir_http_event;

/* 0 means the default. */
typedef struct weir_http_parser_options {
    size_t size;         /* sizeof(weir_http_parser_options) */
    uint32_t head_bytes; /* of the status line and the fields.  16 KiB */
    uint32_t fields;     /* their number.  200 */
} weir_http_parser_options;

/**
 * Make a parser of responses.
 *
 * Thread   one at a time, like all functions of a parser
 * Owns     *parser is the caller's until weir_http_parser_free
 * Returns  0, -EINVAL (NULL, or an option is invalid), -E2BIG (an option that
 *          this library does not know), -ENOMEM
 */
WEIR_API WEIR_CHECKED int
weir_http_parser_new(weir_http_parser **parser,
                     const weir_http_parser_options *options);

/**
 * Free a parser.  Passing NULL has no effect.
 *
 * Thread   one at a time
 */
WEIR_API void weir_http_parser_free(weir_http_parser *parser);

/**
 * Set the method that the next response answers.  A response to HEAD has no
 * body, and a successful one to CONNECT begins a tunnel.  Interim responses do
 * not count.  The method is GET until this is called.
 *
 * Thread   one at a time
 * Returns  0, -EINVAL (NULL, or an unknown method)
 */
WEIR_API int weir_http_parser_expect(weir_http_parser *parser,
                                     const char *method);

/**
 * Get the next event.  Takes the bytes that belong to it off the front of
 * input.
 *
 * Thread   one at a time
 * Owns     *data is a part of the input, which ends where input now begins
 */
WEIR_API weir_http_event weir_http_parser_next(weir_http_parser *parser,
                                               weir_bytes *input,
                                               weir_bytes *data);

/**
 * Announce that the input has ended.
 *
 * Thread   one at a time
 * Returns  WEIR_HTTP_COMPLETE (a response that lasts until the end),
 *          WEIR_HTTP_MORE (the input ended between messages), or
 *          WEIR_HTTP_FAILED
 */
WEIR_API weir_http_event weir_http_parser_end(weir_http_parser *parser);

/**
 * Get the status of the response whose head has arrived.
 *
 * Thread   one at a time
 */
WEIR_API unsigned weir_http_parser_status(const weir_http_parser *parser);

/**
 * Get the version of that response: 10 for HTTP/1.0, 11 for HTTP/1.1.
 *
 * Thread   one at a time
 */
WEIR_API unsigned weir_http_parser_version(const weir_http_parser *parser);

/**
 * Get the reason of that response.
 *
 * Thread   one at a time
 * Owns     the bytes are valid until the next event
 */
WEIR_API weir_bytes weir_http_parser_reason(const weir_http_parser *parser);

/**
 * Test whether the connection can be used again after that response.
 *
 * Thread   one at a time
 */
WEIR_API bool weir_http_parser_keeps_alive(const weir_http_parser *parser);

/**
 * Test whether that response begins another protocol: 101, or success of a
 * CONNECT.
 *
 * Thread   one at a time
 */
WEIR_API bool weir_http_parser_is_upgrade(const weir_http_parser *parser);

/**
 * Get the field of that response at an index, which counts from 0.
 *
 * Thread   one at a time
 * Owns     the bytes are valid until the next event
 * Returns  true, or false if there is no field at this index
 */
WEIR_API bool weir_http_parser_field_at(const weir_http_parser *parser,
                                        size_t index, weir_http_field *field);

/**
 * Get the field of the trailers at an index, after WEIR_HTTP_TRAILERS.
 *
 * Thread   one at a time
 * Owns     the bytes are valid until the next event
 * Returns  true, or false if there is no field at this index
 */
WEIR_API bool weir_http_parser_trailer_at(const weir_http_parser *parser,
                                          size_t index, weir_http_field *field);

/**
 * Get the reason why a parser has failed.
 *
 * Thread   one at a time
 */
WEIR_API weir_http_refusal
weir_http_parser_refusal(const weir_http_parser *parser);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_HOST_PARSER_H */
