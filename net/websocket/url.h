/* SPDX-License-Identifier: MIT */
/*
 * url -- takes "ws://host:port/path?query" apart (RFC 6455, 3).
 */
#ifndef WEIR_NET_WEBSOCKET_URL_H
#define WEIR_NET_WEBSOCKET_URL_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/net/bytes.h"

/* Views of the URL. */
struct weir__url {
    bool is_secure;
    uint16_t port;        /* 80 or 443 if the URL has none */
    weir_bytes authority; /* host and port, as written: for the field Host */
    weir_bytes host;      /* without the brackets of an IPv6 address */
    weir_bytes target;    /* the path and the query; may lack its "/" */
};

/* Returns 0 or -EINVAL.  The target is not checked. */
int weir__url_parse(struct weir__url *url, const char *text);

#endif /* WEIR_NET_WEBSOCKET_URL_H */
