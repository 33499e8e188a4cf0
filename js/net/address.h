/* SPDX-License-Identifier: MIT */
/*
 * address -- addresses of sockets between C and JavaScript.
 */
#ifndef WEIR_JS_NET_ADDRESS_H
#define WEIR_JS_NET_ADDRESS_H

#include "core/host.h"
#include "weir/net/address.h"

/* Read an IP address and a port.  Returns 0, -EINVAL (not an address), or -1
 * with an exception, which is no -errno that occurs here. */
int weir__js_address_read(JSContext *context, JSValueConst text,
                          JSValueConst port, weir_address *address);

/* Read the path of a Unix socket; a NUL at its beginning is the abstract
 * namespace.  Returns as weir__js_address_read, or -ENAMETOOLONG. */
int weir__js_address_read_path(JSContext *context, JSValueConst path,
                               weir_address *address);

/* Throw unless this address is granted.  Returns whether it is.  The path of a
 * Unix socket is a file, with these bits (core/permission.h); everything else
 * is the network. */
bool weir__js_address_check(JSContext *context, int wanted,
                            const weir_address *address);

/* The same for the text of an address to listen at; NULL is a descriptor. */
bool weir__js_address_check_text(JSContext *context, const char *text);

/* {address, family, port}, or {} for a Unix socket and an unknown address */
JSValue weir__js_address_object(JSContext *context,
                                const weir_address *address);

/* The text of an address without its port. */
JSValue weir__js_address_text(JSContext *context, const weir_address *address);

#endif /* WEIR_JS_NET_ADDRESS_H */
