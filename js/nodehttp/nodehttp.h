/* SPDX-License-Identifier: MIT */
/*
 * nodehttp -- the servers of node:http, on the C server of libweir-net.
 *
 * C owns the connections, the parsing and the sending, and formats most heads.
 * JavaScript (js/lib/nodehttp) decides what happens, as Node does.
 *
 *     server    a guest on the host's loop (weir/host/http.h)      server.c
 *     peer      one connection of it                               peer.c
 *     exchange  one request and its response                       exchange.c
 *     head      the fields of a request as JavaScript sees them    head.c
 *     reply     the head and the end of most responses    reply.c, compose.c
 *
 * Life      A server holds its http.Server until the C server has ended.  A
 *           peer holds its socket object, if a program has asked for one, until
 *           the connection has ended.  An exchange holds the response, and the
 *           request while its body is being read, until on_end.
 * Thread    The loop's.
 */
#ifndef WEIR_JS_NODEHTTP_H
#define WEIR_JS_NODEHTTP_H

#include <openssl/ssl.h>

#include "core/host.h"
#include "net/handle.h"
#include "weir/host/http.h"

/* The functions of js/lib/nodehttp/server.js that C calls. */
enum weir__node_hook {
    WEIR__NODE_MAKE,         /* (server, exchange, method, url, flags) */
    WEIR__NODE_REQUEST,      /* (server, request, response, flags) */
    WEIR__NODE_SOCKET,       /* (server, peer) -> its socket */
    WEIR__NODE_BODY,         /* (request, bytes or undefined, status) */
    WEIR__NODE_ENDED,        /* (response, status) */
    WEIR__NODE_WRITABLE,     /* (response) */
    WEIR__NODE_CONNECTED,    /* (server, socket) */
    WEIR__NODE_DISCONNECTED, /* (socket, status) */
    WEIR__NODE_REFUSED,      /* (server, socket, error, status, text) */
    WEIR__NODE_CLOSED,       /* (server, status) */
    WEIR__NODE_HOOKS
};

struct weir__node_state {
    JSValue hooks[WEIR__NODE_HOOKS]; /* first */
    struct weir__js_link servers, exchanges;
    JSValue kept; /* the object of an exchange, so that the engine keeps what
                   * they have in common */
};

struct weir__node_server {
    struct weir__js_link link; /* in the state's list, while open */
    struct weir__js_link peers;
    unsigned refs;          /* the object, on_end, and the peers */
    weir_js *js;            /* NULL: the host has ended */
    weir_http_server *http; /* NULL: it has ended */
    bool wants_peers;       /* the program is told of connections */
    SSL_CTX *secure;        /* instead of what it was opened with; or NULL */
    weir_http_counts counts;
    JSValue owner;   /* the http.Server, while open */
    JSValue context; /* captured (core/context.h) */
    /* What requests and responses are like, while open; undefined: the library
     * makes them. */
    JSValue request, response;
};

struct weir__node_peer {
    struct weir__js_link link; /* in server->peers, while connected */
    unsigned refs;             /* the connection, and the object */
    struct weir__node_server *server;
    weir_http_connection *http;  /* NULL: it has ended */
    bool is_closed;              /* by the program, at once */
    struct weir__js_handle *tls; /* that its stream is lent to, or NULL */
    JSValue socket;              /* what HOOK_SOCKET has made, or undefined */
};

struct weir__node_exchange {
    struct weir__js_link link; /* in the state's list, until on_end */
    unsigned refs;             /* the object, on_end, and a tick */
    weir_js *js;               /* NULL: the host has ended */
    weir_http_request *http;   /* our reference */
    int status;                /* of on_end */
    JSValue reader;            /* the request, while its body is read */
    JSValue response;          /* or undefined */
    JSValue context;           /* captured: the server's */
};

struct weir__node_state *weir__node_state_of(const weir_js *js);

/* Call a hook with a context that was captured, and report what it throws.  The
 * caller has entered JavaScript.  Returns its result, or undefined. */
JSValue weir__node_call(weir_js *js, enum weir__node_hook hook,
                        JSValueConst captured, int count, JSValueConst *args);

/* ---- peer.c ---- */

void weir__node_on_connection(void *server, weir_http_connection *connection);
void weir__node_on_disconnect(void *server, weir_http_connection *connection,
                              int status);
bool weir__node_on_refused(void *server, weir_http_connection *connection,
                           const weir_http_refusal *refusal);

/* Tell that the handshake is over before the request that has come with its end.
 * Returns whether the connection was closed. */
bool weir__node_tell_secured(weir_http_connection *connection);

/* The socket object of a connection; made if there is none. */
JSValue weir__node_socket(JSContext *context, struct weir__node_peer *peer);

/* Release the sockets, because the host ends. */
void weir__node_drop_peers(struct weir__node_server *server);

void weir__node_server_unref(struct weir__node_server *server);

/* ---- exchange.c ---- */

void weir__node_on_request(void *server, weir_http_request *http);

/* The exchange behind a value, or NULL with a TypeError. */
struct weir__node_exchange *weir__node_exchange_of(JSContext *context,
                                                   JSValueConst value);

/* Send the head and the text of a response, and end it.  Returns 0, even if the
 * client has left, or -1 with an exception. */
int weir__node_send_end(JSContext *context,
                        struct weir__node_exchange *exchange, JSValueConst head,
                        JSValueConst data, bool closes);

/* Release the values of all exchanges, because the host ends. */
void weir__node_drop_exchanges(weir_js *js);

/* ---- reply.c ---- */

/* Whether nobody can notice what becomes of a response and its request, because
 * only the caller refers to it. */
bool weir__node_is_unseen(JSContext *context, JSValueConst response);

/* ---- head.c ---- */

/* A string with one character for each byte. */
JSValue weir__node_latin1(JSContext *context, weir_bytes bytes);

/* Put the name and the value of field number i into a list of raw fields
 * (weir__js_put_element). */
void weir__node_put_field(JSContext *context, JSValue *list, uint32_t i,
                          const weir_http_field *field);

/* Whether a text is the name of a field. */
bool weir__node_is_token(const char *text, size_t size);

/* Whether a text is certainly a value of a field: one that is not ASCII is not
 * certain. */
bool weir__node_is_value(const char *text, size_t size);

#endif /* WEIR_JS_NODEHTTP_H */
