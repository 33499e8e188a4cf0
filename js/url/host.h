/* SPDX-License-Identifier: MIT */
/*
 * host -- the host parser of the URL Standard.
 *
 * The text of a host is its serialization: a domain or an opaque host as it is,
 * an IPv4 address in four decimal numbers, an IPv6 address in brackets.
 */
#ifndef WEIR_JS_URL_HOST_H
#define WEIR_JS_URL_HOST_H

#include "url/piece.h"

enum weir__js_url_status {
    WEIR__JS_URL_OK,
    WEIR__JS_URL_INVALID,
    WEIR__JS_URL_NO_ROOM, /* a domain became longer than expected */
    WEIR__JS_URL_THROWN,  /* by weir__js_idna.convert */
};

/* How a domain becomes ASCII if it is not. */
struct weir__js_idna {
    /* Convert a domain, which is UTF-8 and may be malformed.  Write the result to
     * `to`, which has room for `room` bytes and may be where the domain is. */
    enum weir__js_url_status (*convert)(const struct weir__js_idna *idna,
                                        struct weir__js_piece domain, char *to,
                                        size_t room, size_t *length);
    void *opaque;
};

/* Where a host is written. */
struct weir__js_host_room {
    char *to;          /* moves behind the host */
    const char *limit; /* at least to + weir__js_host_most() */
};

/* The room that a host of that length needs, unless it needs `idna`. */
size_t weir__js_host_most(size_t length);

/* Parse a host that is not empty and write it. */
enum weir__js_url_status weir__js_host_parse(struct weir__js_host_room *room,
                                             struct weir__js_piece text,
                                             bool is_opaque,
                                             const struct weir__js_idna *idna);

#endif /* WEIR_JS_URL_HOST_H */
