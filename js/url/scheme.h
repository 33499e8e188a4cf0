/* SPDX-License-Identifier: MIT */
/*
 * scheme -- the special schemes of the URL Standard.
 */
#ifndef WEIR_JS_SCHEME_H
#define WEIR_JS_SCHEME_H

#include "url/piece.h"

enum weir__js_scheme {
    WEIR__JS_SCHEME_OTHER, /* not special */
    WEIR__JS_SCHEME_HTTP,
    WEIR__JS_SCHEME_HTTPS,
    WEIR__JS_SCHEME_WS,
    WEIR__JS_SCHEME_WSS,
    WEIR__JS_SCHEME_FTP,
    WEIR__JS_SCHEME_FILE,
};

/* By its name in lower case. */
static inline enum weir__js_scheme
weir__js_scheme_of(struct weir__js_piece name)
{
    static const char names[][6] = {"",    "http", "https", "ws",
                                    "wss", "ftp",  "file"};

    for (int i = WEIR__JS_SCHEME_HTTP; i <= WEIR__JS_SCHEME_FILE; i++)
        if (weir__js_piece_is(name, names[i]))
            return (enum weir__js_scheme)i;
    return WEIR__JS_SCHEME_OTHER;
}

static inline bool weir__js_scheme_is_special(enum weir__js_scheme scheme)
{
    return scheme != WEIR__JS_SCHEME_OTHER;
}

/* -1: it has none. */
static inline int weir__js_scheme_port(enum weir__js_scheme scheme)
{
    static const int ports[] = {-1, 80, 443, 80, 443, 21, -1};

    return ports[scheme];
}

#endif /* WEIR_JS_SCHEME_H */
