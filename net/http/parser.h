/* SPDX-License-Identifier: MIT */
/*
 * parser -- turns bytes into requests or responses, one event at a time.
 *
 * It does no I/O.  The caller passes bytes, and asks for events until there are
 * no more; each call takes bytes off the front of the view.
 *
 *     weir_bytes input = {data, size};
 *
 *     for (;;) {
 *         switch (weir__http_parser_next(&parser, &input)) {
 *         case WEIR__PARSED_MORE:      all of the input was taken: return
 *         case WEIR__PARSED_HEAD:      parser.message says what it is
 *         case WEIR__PARSED_DATA:      parser.data is a piece of the body
 *         case WEIR__PARSED_TRAILERS:  parser.message has them
 *         case WEIR__PARSED_COMPLETE:  the message is over, and input begins
 *                                    with the first byte after it
 *         case WEIR__PARSED_FAILED:    answer parser.status, and close
 *         }
 *     }
 *
 * Every message gives HEAD, DATA any number of times, TRAILERS at most once,
 * and COMPLETE.  Pipelined messages come one after the other: the next one
 * begins with the call after COMPLETE, which frees the message, unless it was
 * taken.  While a server is busy with a request, it keeps the bytes and does
 * not call the parser.
 *
 * Views     parser.data and the texts of parser.message lie in the caller's
 *           input if all of the head arrived at once.  Before the input goes
 *           away, call weir__http_message_keep if the message is still needed.
 *           The parser itself remembers what it needs of an incomplete head.
 *
 * Upgrade   After COMPLETE of a message with WEIR__HTTP_UPGRADE the bytes that
 *           remain are untouched.  If the upgrade does not take place, parsing
 *           goes on as usual.
 *
 * Failure   error is WEIR_EHTTP (malformed), WEIR_ELIMIT, -EOPNOTSUPP (lawful,
 *           but not implemented), WEIR_ETRUNCATED (the end came inside a
 *           message) or -ENOMEM.  status is the one to answer with, text says
 *           what is wrong.  The position is that of the first byte which cannot
 *           be accepted, whatever the pieces in which the bytes arrive.  A
 *           parser that has failed fails again.
 *
 * Memory    sizeof(struct weir__http_parser) while it is between messages.
 */
#ifndef WEIR_NET_HTTP_PARSER_H
#define WEIR_NET_HTTP_PARSER_H

#include "http/message.h"

enum weir__http_event {
    WEIR__PARSED_MORE,
    WEIR__PARSED_HEAD,
    WEIR__PARSED_DATA,
    WEIR__PARSED_TRAILERS,
    WEIR__PARSED_COMPLETE,
    WEIR__PARSED_FAILED,
};

/* 0 means the default.  At most 16 MiB each. */
struct weir__http_limits {
    uint32_t head_bytes;    /* of the start line and the fields; 431.  16 KiB */
    uint32_t target_bytes;  /* of the target; 414.  8 KiB */
    uint32_t fields;        /* of a head, and of the trailers; 431.  200 */
    uint32_t trailer_bytes; /* of all trailers; 431.  8 KiB */
    uint32_t chunk_bytes; /* of what surrounds the data of all chunks beyond 20
                             bytes each: extensions, zeros; 400.  4 KiB */
    bool any_expect;      /* accept an unknown expectation */
    bool no_host;         /* accept a request without Host */
};

struct weir__http_parser {
    struct weir__http_message *message;     /* NULL between messages */
    weir_bytes data;                        /* of WEIR__PARSED_DATA */
    const struct weir__http_limits *limits; /* the caller's, filled in */
    /* Maximum size of a body; 413.  0: no limit.  The caller may change it
     * until the first call after HEAD. */
    uint64_t body_limit;
    const char *text; /* of WEIR__PARSED_FAILED; never NULL then */
    int error;
    uint16_t status;
    /* The rest is private. */
    uint8_t kind_, phase_;
    uint8_t method_;   /* of the request that a response answers */
    uint8_t blank_;    /* of an empty line before the message */
    uint32_t section_; /* bytes of the head, the chunk line, the trailers */
    uint32_t spare_;   /* of chunk_bytes */
    uint64_t left_;    /* of the body, or of the chunk */
};

/* Set the limits that are 0 to their defaults. */
void weir__http_limits_fill(struct weir__http_limits *limits);

/* Make a parser of requests (of a server) or responses (of a client).  limits
 * are those of weir__http_limits_fill and outlive the parser; NULL means the
 * defaults.  It needs no memory until the first byte. */
void weir__http_parser_init_request(struct weir__http_parser *parser,
                                    const struct weir__http_limits *limits);
void weir__http_parser_init_response(struct weir__http_parser *parser,
                                     const struct weir__http_limits *limits);

/* Say which request the next response answers: one to HEAD has no body, and one
 * to CONNECT that succeeds begins a tunnel.  Interim responses (1xx) do not
 * count.  GET until this is called. */
void weir__http_parser_expect(struct weir__http_parser *parser,
                              enum weir__http_method method);

/* Get the next event.  Takes the bytes that belong to it off the front of
 * input. */
enum weir__http_event weir__http_parser_next(struct weir__http_parser *parser,
                                             weir_bytes *input);

/* The input has ended.  Returns COMPLETE (a response that lasts until then),
 * MORE (it ended between messages), or FAILED with WEIR_ETRUNCATED. */
enum weir__http_event weir__http_parser_end(struct weir__http_parser *parser);

/* Whether no byte of a message has arrived since the last one was complete. */
bool weir__http_parser_is_idle(const struct weir__http_parser *parser);

/* Whether the message has reached COMPLETE. */
bool weir__http_parser_is_complete(const struct weir__http_parser *parser);

/* Take the message, after COMPLETE, to keep it longer.  The caller frees it. */
struct weir__http_message *
weir__http_parser_take(struct weir__http_parser *parser);

/* Free the message, after COMPLETE: the connection is idle. */
void weir__http_parser_release(struct weir__http_parser *parser);

/* Free everything, at any time. */
void weir__http_parser_fini(struct weir__http_parser *parser);

#endif /* WEIR_NET_HTTP_PARSER_H */
