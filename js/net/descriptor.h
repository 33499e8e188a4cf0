/* SPDX-License-Identifier: MIT */
/*
 * descriptor -- a socket without an owner: one that another process has sent,
 * or that is bound for processes that will listen on it.
 *
 * Data      A number behind a JavaScript object, -1 once it was closed or taken.
 * Owner     The object.  Whoever makes a handle of it takes the number; if
 *           nobody does, the object closes it when it is collected, so nothing
 *           that arrives can leak.
 * Thread    The loop's.
 */
#ifndef WEIR_JS_NET_DESCRIPTOR_H
#define WEIR_JS_NET_DESCRIPTOR_H

#include "core/host.h"
#include "weir/net/address.h"

/* Make an object.  It owns fd, which is closed after an exception. */
JSValue weir__js_descriptor_new(JSContext *context, int fd);

/* The number behind a value, which stays the object's.  Returns -1 with a
 * TypeError for any other value, and one that was closed. */
int weir__js_descriptor_fd(JSContext *context, JSValueConst value);

/* The caller has become the owner. */
void weir__js_descriptor_forget(JSContext *context, JSValueConst value);

/* Open a socket for connections and bind it.  As in Node, an address can be
 * bound again while connections to it linger.  Returns it, or -errno. */
int weir__js_descriptor_bind(const weir_address *address, bool is_ipv6_only);

/* Add to the permissions of a Unix socket's file.  An abstract name has none.
 * Returns 0, or -1 with errno and removes the file. */
int weir__js_descriptor_set_mode(const weir_address *address, unsigned mode);

#endif /* WEIR_JS_NET_DESCRIPTOR_H */
