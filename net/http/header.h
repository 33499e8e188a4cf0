/* SPDX-License-Identifier: MIT */
/*
 * header -- the names and the values of fields.
 *
 * Names and tokens are compared without regard to case, the length first.
 */
#ifndef WEIR_NET_HTTP_HEADER_H
#define WEIR_NET_HTTP_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/net/bytes.h"

/* Names that the parser or the server looks at. */
#define WEIR__HTTP_NAMES(X)                                                    \
    X(CONNECTION, "connection")                                                \
    X(CONTENT_LENGTH, "content-length")                                        \
    X(CONTENT_TYPE, "content-type")                                            \
    X(DATE, "date")                                                            \
    X(EXPECT, "expect")                                                        \
    X(HOST, "host")                                                            \
    X(TRAILER, "trailer")                                                      \
    X(TRANSFER_ENCODING, "transfer-encoding")                                  \
    X(UPGRADE, "upgrade")

enum weir__http_name {
    WEIR__HTTP_NAME_OTHER,
#define X(name, text) WEIR__HTTP_NAME_##name,
    WEIR__HTTP_NAMES(X)
#undef X
};

/* Find out which of them a name is. */
enum weir__http_name weir__http_name_id(const char *name, size_t size);

/* Compare without regard to case. */
bool weir__http_is_equal(weir_bytes one, weir_bytes other);

/* Whether it is a token of RFC 9110, 5.6.2, such as a name or a method. */
bool weir__http_is_token(weir_bytes text);

/* ---- lists ---- */

/* Take the next element off the front of a list that is separated by commas:
 * without the whitespace around it; empty ones are skipped.  Commas in quoted
 * strings do not count.  Returns false at the end. */
bool weir__http_list_next(weir_bytes *list, weir_bytes *element);

/* Whether a list of tokens, such as Connection, has this one. */
bool weir__http_list_has(weir_bytes list, weir_bytes token);

/* Take the quality off an element of Accept-Encoding or the like: "gzip;q=0.5"
 * becomes "gzip" and 500.  1000 without a quality, -1 if it is malformed.
 * Other parameters stay. */
int weir__http_quality(weir_bytes *element);

/* How much a value of Accept-Encoding wants a coding: 0 (it is refused or not
 * mentioned) to 1000.  "identity" is 1 if it is not mentioned.  `accept` may
 * have data NULL: no such field. */
int weir__http_accepts(weir_bytes accept, weir_bytes coding);

/* ---- hosts ---- */

/* Whether it is a host with an optional port, as in Host: a name, an IPv4
 * address, or an IPv6 address in brackets; not empty.  No user, no path. */
bool weir__http_is_host(weir_bytes text);

/* ---- validators ---- */

/* Whether a value of If-Match or If-None-Match matches an entity tag: "*", or
 * one of the list.  Weak comparison ignores W/; strong comparison wants neither
 * to be weak.  A list that is malformed does not match from there on. */
bool weir__http_etag_match(weir_bytes list, weir_bytes etag, bool is_weak);

#endif /* WEIR_NET_HTTP_HEADER_H */
