/* SPDX-License-Identifier: MIT */
/*
 * datagram -- the object behind a dgram.Socket: one UDP socket.
 *
 * Data      A block behind a JavaScript object, with the socket of libweir-net
 *           and the async context of the code that made it.  A send whose
 *           callback is awaited is a request, with its own context.
 * Owner     The block is counted: the object, the open socket and each request
 *           hold it.  An open socket holds its object and the host's struct.
 * Thread    The loop's.
 * Decides   `socket`, as `stream` does in handle.h.
 * Bytes     A message is copied both ways: into the host's heap when it was
 *           received, and into the request when it is sent.
 */
#ifndef WEIR_JS_NET_DATAGRAM_H
#define WEIR_JS_NET_DATAGRAM_H

#include "core/host.h"
#include "weir/net/datagram.h"

struct weir__js_datagram {
    struct weir__js_link link; /* in datagrams.open, while `self` is held */
    weir_js *js;
    weir_datagram *socket; /* NULL: closed */
    weir_address_family family;
    unsigned refs;
    bool is_unref, is_receiving;
    JSValue self;    /* the object, while it is open or closing */
    JSValue owner;   /* the dgram.Socket */
    JSValue closed;  /* the callback of close(), or undefined */
    JSValue context; /* captured */
};

/* Functions of js/lib/net/dgram.js.  `this` is the owner. */
enum weir__js_datagram_hook {
    WEIR__DATAGRAM_MESSAGE, /* (bytes, sender, status) */
    WEIR__DATAGRAM_SENT,    /* (status, bytes, callback) */
    WEIR__DATAGRAM_HOOKS,
};

/* The sockets of a host. */
struct weir__js_datagrams {
    struct weir__js_link open;     /* weir__js_datagram.link */
    struct weir__js_link requests; /* of send.c */
    JSValue hooks[WEIR__DATAGRAM_HOOKS];
};

static inline struct weir__js_datagrams *weir__js_datagrams(const weir_js *js)
{
    return js->states[WEIR__JS_DATAGRAM];
}

/* The socket behind a value.  Throws and returns NULL for any other value. */
struct weir__js_datagram *weir__js_datagram_of(JSContext *context,
                                               JSValueConst value);

/* Call a hook of the owner with an async context. */
void weir__js_datagram_tell(struct weir__js_datagram *datagram,
                            JSValueConst captured,
                            enum weir__js_datagram_hook hook, int count,
                            JSValueConst *args);

void weir__js_datagram_unref(struct weir__js_datagram *datagram);

/* Drop the values of all requests: the host ends. */
void weir__js_datagram_drop_requests(weir_js *js);

/* Methods of multicast.c and send.c. */
extern const JSCFunctionListEntry weir__js_datagram_settings[];
extern const int weir__js_datagram_settings_count;
extern const JSCFunctionListEntry weir__js_datagram_sends[];
extern const int weir__js_datagram_sends_count;

#endif /* WEIR_JS_NET_DATAGRAM_H */
