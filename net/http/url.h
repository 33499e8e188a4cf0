/* SPDX-License-Identifier: MIT */
/*
 * url -- parses and normalizes URLs of http and https.
 *
 * The text is "http://host[:port]/path[?query]": the host in lower case, the
 * port only if it is not the scheme's, no fragment, no dot segments, and bytes
 * that a target may not have are percent-encoded.  So two URLs of the same
 * origin have the same scheme and authority.
 *
 * Owner     the caller of the parser, until weir__http_url_fini
 */
#ifndef WEIR_NET_HTTP_URL_H
#define WEIR_NET_HTTP_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/net/bytes.h"

struct weir__http_url {
    char *text; /* NUL-terminated; NULL: none */
    size_t capacity;
    char *host; /* NUL-terminated, without brackets; in the same block */
    weir_bytes authority; /* of the text: host and port */
    weir_bytes target;    /* of the text: path and query */
    uint16_t port;
    bool is_tls;
};

/* Parse a URL, or a reference that is relative to base (or NULL).  Returns 0,
 * -EINVAL (not valid, another scheme, or a user), -ENOMEM. */
int weir__http_url_parse(struct weir__http_url *url, weir_bytes text,
                         const struct weir__http_url *base);

/* Whether scheme, host and port are the same. */
bool weir__http_url_is_same_origin(const struct weir__http_url *one,
                                   const struct weir__http_url *other);

/* Free the text.  A struct of zeros has none. */
void weir__http_url_fini(struct weir__http_url *url);

#endif /* WEIR_NET_HTTP_URL_H */
