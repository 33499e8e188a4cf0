/* SPDX-License-Identifier: MIT */
/*
 * message -- the head and the trailers of a request or a response.
 *
 * Bytes     The text of a head is one block: a part of the caller's input while
 *           that is valid, or a copy.  Fields are offsets into the block, so
 *           that copying it (weir__http_message_keep) is one memcpy and leaves
 *           the fields as they are.  The trailers have a separate block.
 * Fields    The first ones are inside the struct; a longer table is allocated.
 *           Values have no whitespace around them.
 * Owner     The parser that has made it, or the code that has taken it from the
 *           parser.
 * Thread    The loop's.
 */
#ifndef WEIR_NET_HTTP_MESSAGE_H
#define WEIR_NET_HTTP_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/net/bytes.h"

/* Name, text.  The values are indexes, not those of llhttp. */
#define WEIR__HTTP_METHODS(X)                                                  \
    X(GET, "GET")                                                              \
    X(HEAD, "HEAD")                                                            \
    X(POST, "POST")                                                            \
    X(PUT, "PUT")                                                              \
    X(DELETE, "DELETE")                                                        \
    X(CONNECT, "CONNECT")                                                      \
    X(OPTIONS, "OPTIONS")                                                      \
    X(TRACE, "TRACE")                                                          \
    X(PATCH, "PATCH")                                                          \
    X(QUERY, "QUERY")                                                          \
    X(ACL, "ACL")                                                              \
    X(BIND, "BIND")                                                            \
    X(CHECKOUT, "CHECKOUT")                                                    \
    X(COPY, "COPY")                                                            \
    X(LINK, "LINK")                                                            \
    X(LOCK, "LOCK")                                                            \
    X(MERGE, "MERGE")                                                          \
    X(MKACTIVITY, "MKACTIVITY")                                                \
    X(MKCALENDAR, "MKCALENDAR")                                                \
    X(MKCOL, "MKCOL")                                                          \
    X(MOVE, "MOVE")                                                            \
    X(M_SEARCH, "M-SEARCH")                                                    \
    X(NOTIFY, "NOTIFY")                                                        \
    X(PROPFIND, "PROPFIND")                                                    \
    X(PROPPATCH, "PROPPATCH")                                                  \
    X(PURGE, "PURGE")                                                          \
    X(REBIND, "REBIND")                                                        \
    X(REPORT, "REPORT")                                                        \
    X(SEARCH, "SEARCH")                                                        \
    X(SUBSCRIBE, "SUBSCRIBE")                                                  \
    X(UNBIND, "UNBIND")                                                        \
    X(UNLINK, "UNLINK")                                                        \
    X(UNLOCK, "UNLOCK")                                                        \
    X(UNSUBSCRIBE, "UNSUBSCRIBE")

enum weir__http_method {
#define X(name, text) WEIR__HTTP_##name,
    WEIR__HTTP_METHODS(X)
#undef X
        WEIR__HTTP_METHOD_COUNT
};

/* Get the name of a method, or find the method of a name (case matters).
 * Returns -EINVAL for a name that the parser would refuse. */
weir_bytes weir__http_method_name(enum weir__http_method method);
int weir__http_method_find(weir_bytes name);

/* What the head says, in the flags of a message. */
enum {
    WEIR__HTTP_KEEP_ALIVE = 1 << 0, /* the sender wants to keep the connection:
                                       the version's default and Connection */
    WEIR__HTTP_CLOSE = 1 << 1,      /* Connection: close */
    WEIR__HTTP_CHUNKED = 1 << 2,    /* the body is chunked */
    WEIR__HTTP_LENGTH = 1 << 3,     /* Content-Length was given */
    WEIR__HTTP_UNTIL_END = 1 << 4,  /* a response that lasts until the end of
                                       the connection */
    WEIR__HTTP_BODY = 1 << 5,       /* a body follows; with a length, it is not
                                       0 */
    WEIR__HTTP_UPGRADE = 1 << 6,    /* request: Upgrade, named by Connection, in
                                       HTTP/1.1, or CONNECT; response: 101, or
                                       2xx to CONNECT.  What follows COMPLETE
                                       belongs to the other protocol if both
                                       sides agree */
    WEIR__HTTP_CONTINUE = 1 << 7,   /* Expect: 100-continue, in HTTP/1.1 */
    WEIR__HTTP_ABSOLUTE = 1 << 8,   /* the target is a URI with a host, which
                                       overrides Host */
};

/* A piece of a block. */
struct weir__http_span {
    uint32_t at, size;
};

struct weir__http_field {
    uint32_t name, value; /* offsets in the block */
    uint32_t value_size;
    uint32_t name_size : 24;
    uint32_t id : 8; /* enum weir__http_name of header.h; 0: any other */
};

/* The text that fields point into. */
struct weir__http_block {
    const char *data;
    char *copy; /* the same text if the message owns it, otherwise NULL */
    uint32_t size, capacity;
};

/* Why a message is refused. */
struct weir__http_refusal {
    int error; /* 0: it is not */
    uint16_t status;
    const char *text;
};

enum { WEIR__HTTP_INLINE_FIELDS = 24 };

/* Read only, except for the parser. */
struct weir__http_message {
    uint8_t method;  /* enum weir__http_method; of a request */
    uint8_t minor;   /* HTTP/1.minor: 0 or 1 */
    uint16_t status; /* of a response */
    uint16_t flags;
    uint16_t field_count;   /* of the head: fields[0], ... */
    uint16_t trailer_count; /* after those of the head */
    uint16_t field_capacity;
    uint64_t content_length;       /* with WEIR__HTTP_LENGTH */
    uint64_t body_bytes;           /* of the body that have been seen */
    struct weir__http_span target; /* as it was sent: "/a?b", "*", "a:1" */
    struct weir__http_span path;   /* without scheme and host: "/a?b", "*", or
                                      empty (CONNECT; absolute without path) */
    struct weir__http_span authority; /* of the target, else the value of Host;
                                         may be empty in HTTP/1.0 */
    struct weir__http_span reason;    /* of a response */
    struct weir__http_block head, trailer;
    struct weir__http_field *fields;
    /* machine.c's, while it is parsed. */
    uint64_t machine[12]; /* llhttp_t */
    const char *piece;    /* of the block, which llhttp reads now ... */
    uint32_t piece_at;    /* ... and its offset there */
    uint32_t target_most; /* bytes */
    uint16_t field_most;
    uint8_t parts;            /* of the start line that are complete */
    uint8_t is_value;         /* llhttp has begun the value of the last field */
    bool any_expect, no_host; /* as in the limits of the parser */
    struct weir__http_span protocol, version;
    struct weir__http_refusal refusal; /* of a callback */
    struct weir__http_field inline_fields[WEIR__HTTP_INLINE_FIELDS];
};

/* ---- what it says ---- */

static inline weir_bytes
weir__http_text(const struct weir__http_message *message,
                struct weir__http_span span)
{
    return (weir_bytes){message->head.data + span.at, span.size};
}

static inline weir_bytes
weir__http_target(const struct weir__http_message *message)
{
    return weir__http_text(message, message->target);
}

/* The path and the query of the target. */
static inline weir_bytes
weir__http_path(const struct weir__http_message *message)
{
    return weir__http_text(message, message->path);
}

/* The host and the port that the request is for. */
static inline weir_bytes
weir__http_authority(const struct weir__http_message *message)
{
    return weir__http_text(message, message->authority);
}

/* The n-th field; those from field_count on are the trailers. */
static inline weir_bytes
weir__http_name(const struct weir__http_message *message, size_t n)
{
    const struct weir__http_field *field = &message->fields[n];

    return (weir_bytes){(n < message->field_count ? message->head.data
                                                  : message->trailer.data) +
                            field->name,
                        field->name_size};
}

static inline weir_bytes
weir__http_value(const struct weir__http_message *message, size_t n)
{
    const struct weir__http_field *field = &message->fields[n];

    return (weir_bytes){(n < message->field_count ? message->head.data
                                                  : message->trailer.data) +
                            field->value,
                        field->value_size};
}

/* Find the next field of the head with this name (case is ignored), at n or
 * after it.  Returns its index, or -1.  To visit all: n = find(m, name, n + 1).
 */
int weir__http_find(const struct weir__http_message *message, weir_bytes name,
                    int n);

/* The value of the first field of this name; data is NULL if there is none. */
weir_bytes weir__http_get(const struct weir__http_message *message,
                          weir_bytes name);

/* ---- its memory ---- */

/* Make one, for a parser.  Returns NULL if there is no memory left. */
struct weir__http_message *weir__http_message_new(void);

/* Append a field of zeros, which is not counted yet.  Returns NULL if there is
 * no memory left. */
struct weir__http_field *
weir__http_message_add(struct weir__http_message *message);

/* Append to a copy of the text, or make the first. */
int weir__http_block_append(struct weir__http_block *block, const char *data,
                            size_t size);

/* Complete a block: point at the text if there is no copy of what came before,
 * otherwise append.  Both return 0 or -ENOMEM. */
int weir__http_block_set(struct weir__http_block *block, const char *data,
                         size_t size);

/* Copy what still lies in the caller's input.  Call it before the input goes
 * away, if the message is needed afterwards.  Returns 0 or -ENOMEM. */
int weir__http_message_keep(struct weir__http_message *message);

/* Free a message.  NULL has no effect. */
void weir__http_message_free(struct weir__http_message *message);

#endif /* WEIR_NET_HTTP_MESSAGE_H */
