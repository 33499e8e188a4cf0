/* SPDX-License-Identifier: MIT */
/*
 * class -- which bytes may occur where.
 */
#ifndef WEIR_NET_HTTP_CLASS_H
#define WEIR_NET_HTTP_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WEIR__HTTP_IN_TOKEN = 1, /* RFC 9110, 5.6.2 */
    WEIR__HTTP_IN_VALUE = 2, /* of a field: tab, space, everything that is not a
                                control character */
    /* The path of a target: RFC 3986, 3.3, and what browsers do not encode
     * there: [ ] ^ | */
    WEIR__HTTP_IN_PATH = 4,
    /* The query: everything that browsers do not encode there, which is all of
     * printable ASCII except " # < > */
    WEIR__HTTP_IN_QUERY = 8,
    WEIR__HTTP_IN_HOST = 16, /* RFC 3986, 3.2.2: reg-name, without % */
    WEIR__HTTP_IN_HEX = 32,
};

extern const uint8_t weir__http_class[256];

/* Whether a byte belongs to a class. */
static inline bool weir__http_is(char byte, unsigned class)
{
    return (weir__http_class[(uint8_t)byte] & class) != 0;
}

/* Whether all bytes do. */
bool weir__http_is_made_of(const char *text, size_t size, unsigned class);

#endif /* WEIR_NET_HTTP_CLASS_H */
