/* SPDX-License-Identifier: MIT */
/*
 * weir/net/address.h -- the address of a socket: IPv4, IPv6, or a path.
 *
 *     weir_address address;
 *     char text[WEIR_ADDRESS_TEXT];
 *
 *     if (weir_address_parse(&address, "[::1]:8080", 0) != 0) ...
 *     weir_address_format(&address, text, sizeof(text));    "[::1]:8080"
 *
 * A path begins with "/" or ".", or with "@" for Linux's abstract namespace.
 */
#ifndef WEIR_NET_ADDRESS_H
#define WEIR_NET_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Large enough for the text of every address, with its port and the NUL. */
#define WEIR_ADDRESS_TEXT 128

typedef enum weir_address_family {
    WEIR_ADDRESS_NONE = 0, /* unknown, such as the peer of a socketpair */
    WEIR_ADDRESS_IPV4,
    WEIR_ADDRESS_IPV6,
    WEIR_ADDRESS_UNIX,
} weir_address_family;

/* Open, so that it can be copied.  Its members are private: a struct
 * sockaddr_storage, and how many of its bytes are in use. */
typedef struct weir_address {
    uint64_t bytes_[16];
    uint32_t size_;
} weir_address;

/**
 * Parse an address: "127.0.0.1:80", "[::1]:80", "127.0.0.1", "::1",
 * "fe80::1%eth0", a path, or "@name".  If the text has no port, the address
 * gets `port`.  The interface after "%" may be a number.  Host names are
 * refused, because looking them up takes time: use weir_lookup_start.
 *
 * Thread   any
 * Returns  0, -EINVAL (NULL, or not an address), -ENAMETOOLONG (a path that
 *          does not fit), -ENODEV (the interface after "%" does not exist)
 */
WEIR_API WEIR_CHECKED int weir_address_parse(weir_address *address,
                                             const char *text, uint16_t port);

/**
 * Copy an address from the bytes of a struct sockaddr.  Padding and unused
 * bytes are dropped, so that equal addresses compare equal.
 *
 * Thread   any
 * Returns  0, -EINVAL (NULL, or a size that does not fit the family),
 *          -EAFNOSUPPORT (neither IPv4, IPv6 nor Unix)
 */
WEIR_API WEIR_CHECKED int weir_address_from(weir_address *address,
                                            const void *sockaddr, size_t size);

/**
 * Get the struct sockaddr of an address, for system calls.
 *
 * Thread   any
 * Owns     the result is part of *address; *size is its size in bytes
 */
WEIR_API const void *weir_address_sockaddr(const weir_address *address,
                                           size_t *size);

/**
 * Write the text of an address: "127.0.0.1:80", "[::1]:80", a path, or "@name".
 * The text of an unknown address, and of a socket without a name, is "".  A NUL
 * inside an abstract name is shown as "@".
 *
 * Thread   any
 * Returns  the length of the whole text; if that is not less than size, the
 *          text was truncated
 */
WEIR_API size_t weir_address_format(const weir_address *address, char *text,
                                    size_t size);

/**
 * Write the text of an address without its port: "127.0.0.1", "::1",
 * "fe80::1%eth0", a path, or "@name".
 *
 * Thread   any
 * Returns  the length of the whole text; if that is not less than size, the
 *          text was truncated
 */
WEIR_API size_t weir_address_format_host(const weir_address *address,
                                         char *text, size_t size);

/**
 * Get the family of an address.
 *
 * Thread   any
 */
WEIR_API weir_address_family
weir_address_family_of(const weir_address *address);

/**
 * Get the port of an address; 0 if it has none.
 *
 * Thread   any
 */
WEIR_API uint16_t weir_address_port(const weir_address *address);

/**
 * Set the port of an IPv4 or IPv6 address.  Has no effect on others.
 *
 * Thread   any
 */
WEIR_API void weir_address_set_port(weir_address *address, uint16_t port);

/**
 * Test whether two addresses are equal, including their ports.
 *
 * Thread   any
 */
WEIR_API bool weir_address_is_equal(const weir_address *one,
                                    const weir_address *other);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_NET_ADDRESS_H */
