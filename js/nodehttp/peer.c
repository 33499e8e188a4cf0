/* SPDX-License-Identifier: MIT */
/*
 * peer -- a connection of a server of node:http, as JavaScript sees it.
 *
 * Node has a socket for each connection.  Here its object is made when a
 * program asks for it: it reads request.socket, or listens for 'connection'.
 *
 * Tested by  test/js/http/node-http-upgrade.js, node-http-limits.js
 */
#include <stdlib.h>
#include <string.h>

#include "bytes/bytes.h"
#include "core/builtin.h"
#include "core/entry.h"
#include "core/property.h"
#include "net/secure.h"
#include "nodehttp/nodehttp.h"
#include "weir/net/address.h"
#include "weir/net/tls.h"

/* ---- life ---- */

static void unref_peer(struct weir__node_peer *peer)
{
    if (--peer->refs > 0)
        return;
    weir__node_server_unref(peer->server);
    free(peer);
}

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct weir__node_peer *peer =
        weir__js_opaque(js, value, WEIR__JS_NODE_PEER);

    if (peer != NULL)
        unref_peer(peer);
}

static const JSClassDef peer_class = {.class_name = "HTTPConnection",
                                      .finalizer = finalize};

/* The peer behind a value, or NULL with a TypeError. */
static struct weir__node_peer *peer_of(JSContext *context, JSValueConst value)
{
    struct weir__node_peer *peer =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_NODE_PEER);

    if (peer == NULL)
        JS_ThrowTypeError(context, "Illegal invocation");
    return peer;
}

JSValue weir__node_socket(JSContext *context, struct weir__node_peer *peer)
{
    weir_js *js = weir__js_of(context);
    JSValue args[2], socket;

    if (peer == NULL)
        return JS_NULL;
    if (!JS_IsUndefined(peer->socket))
        return JS_DupValue(context, peer->socket);
    args[1] = JS_NewObjectClass(context, js->classes[WEIR__JS_NODE_PEER]);
    if (JS_IsException(args[1]))
        return JS_EXCEPTION;
    JS_SetOpaque(args[1], peer);
    peer->refs++;
    args[0] = peer->server->owner;
    socket = JS_Call(context, weir__node_state_of(js)->hooks[WEIR__NODE_SOCKET],
                     JS_UNDEFINED, 2, (JSValueConst *)args);
    JS_FreeValue(context, args[1]);
    if (!JS_IsException(socket))
        peer->socket = JS_DupValue(context, socket);
    return socket;
}

void weir__node_drop_peers(struct weir__node_server *server)
{
    for (struct weir__js_link *each = server->peers.next;
         each != &server->peers; each = each->next) {
        struct weir__node_peer *peer = (struct weir__node_peer *)each;
        JSValue socket = peer->socket;

        peer->socket = JS_UNDEFINED;
        JS_FreeValue(server->js->context, socket);
    }
}

/* ---- what the C server tells ---- */

/* Use the certificate that has replaced that of the server. */
static bool use_secure(const struct weir__node_server *server,
                       const weir_http_connection *connection)
{
    return server->secure == NULL ||
           weir__js_secure_replace(
               weir_tls_ssl(weir_http_connection_stream(connection)),
               server->secure);
}

void weir__node_on_connection(void *arg, weir_http_connection *connection)
{
    struct weir__node_server *server = arg;
    weir_js *js = server->js;
    struct weir__node_peer *peer = calloc(1, sizeof(*peer));
    JSValue args[2];

    if (peer == NULL)
        return; /* it has no socket object then */
    peer->refs = 1;
    peer->server = server;
    server->refs++;
    peer->http = connection;
    peer->socket = JS_UNDEFINED;
    weir_http_connection_set_data(connection, peer);
    weir__js_list_add(&server->peers, &peer->link);
    if (!use_secure(server, connection)) {
        weir_http_connection_close(connection, true);
        return;
    }
    if (js == NULL || !server->wants_peers || weir__js_enter(js) != 0)
        return;
    args[0] = JS_DupValue(js->context, server->owner);
    args[1] = weir__node_socket(js->context, peer);
    (void)weir__node_call(js, WEIR__NODE_CONNECTED, server->context, 2,
                          (JSValueConst *)args);
    JS_FreeValue(js->context, args[1]);
    JS_FreeValue(js->context, args[0]);
    weir__js_leave(js);
}

void weir__node_on_disconnect(void *arg, weir_http_connection *connection,
                              int status)
{
    struct weir__node_server *server = arg;
    struct weir__node_peer *peer = weir_http_connection_data(connection);
    weir_js *js = server->js;
    JSValue args[2];

    if (peer == NULL)
        return;
    weir__js_list_remove(&peer->link);
    peer->http = NULL;
    if (peer->tls != NULL)
        weir__js_handle_return(peer->tls);
    peer->tls = NULL;
    if (js != NULL && !JS_IsUndefined(peer->socket)) {
        args[0] = peer->socket;
        args[1] = JS_NewInt32(js->context, status);
        peer->socket = JS_UNDEFINED;
        if (weir__js_enter(js) == 0) {
            (void)weir__node_call(js, WEIR__NODE_DISCONNECTED, server->context,
                                  2, (JSValueConst *)args);
            weir__js_leave(js);
        }
        if (server->js != NULL)
            JS_FreeValue(js->context, args[0]);
    }
    unref_peer(peer);
}

bool weir__node_tell_secured(weir_http_connection *connection)
{
    struct weir__node_peer *peer = weir_http_connection_data(connection);
    bool is_closed;

    if (peer == NULL || peer->tls == NULL || peer->server->js == NULL)
        return false;
    peer->refs++;
    weir__js_handle_tell_news(peer->tls);
    is_closed = peer->is_closed;
    unref_peer(peer);
    return is_closed;
}

bool weir__node_on_refused(void *arg, weir_http_connection *connection,
                           const weir_http_refusal *refusal)
{
    struct weir__node_server *server = arg;
    struct weir__node_peer *peer = weir_http_connection_data(connection);
    weir_js *js = server->js;
    JSContext *context;
    JSValue args[6], result;
    bool is_taken;

    if (peer == NULL || js == NULL || weir__js_enter(js) != 0)
        return false;
    context = js->context;
    args[0] = JS_DupValue(context, server->owner);
    args[1] = weir__node_socket(context, peer);
    args[2] = JS_NewInt32(context, refusal->error);
    args[3] = JS_NewInt32(context, (int32_t)refusal->status);
    args[4] = JS_NewString(context, refusal->text);
    args[5] = JS_NewBool(context, refusal->has_head);
    result = weir__node_call(js, WEIR__NODE_REFUSED, server->context, 6,
                             (JSValueConst *)args);
    is_taken = JS_ToBool(context, result) == 1;
    JS_FreeValue(context, result);
    JS_FreeValue(context, args[4]);
    JS_FreeValue(context, args[1]);
    JS_FreeValue(context, args[0]);
    weir__js_leave(js);
    return is_taken;
}

/* ---- what JavaScript asks for ---- */

static int add_address(JSContext *context, JSValueConst list, uint32_t at,
                       const weir_address *address)
{
    char text[WEIR_ADDRESS_TEXT] = "";
    weir_address_family family = weir_address_family_of(address);
    bool is_ip = family == WEIR_ADDRESS_IPV4 || family == WEIR_ADDRESS_IPV6;

    if (!is_ip)
        return 0;
    weir_address_format_host(address, text, sizeof(text));
    if (weir__js_set_element(context, list, at, JS_NewString(context, text)) <
            0 ||
        weir__js_set_element(context, list, at + 1,
                             JS_NewInt32(context, weir_address_port(address))) <
            0)
        return -1;
    return 0;
}

/* addresses(peer): [remote address, port, local address, port]; empty for a Unix
 * socket, undefined if the connection has ended */
static JSValue get_addresses(JSContext *context, JSValueConst this_value,
                             int argc, JSValueConst *argv)
{
    struct weir__node_peer *peer = peer_of(context, argv[0]);
    weir_stream *stream;
    weir_address address;
    JSValue list;

    if (peer == NULL)
        return JS_EXCEPTION;
    stream =
        peer->http != NULL ? weir_http_connection_stream(peer->http) : NULL;
    if (stream == NULL)
        return JS_UNDEFINED;
    list = JS_NewArray(context);
    if (JS_IsException(list))
        return list;
    weir_stream_peer(stream, &address);
    if (add_address(context, list, 0, &address) == 0) {
        weir_stream_local(stream, &address);
        if (add_address(context, list, 2, &address) == 0)
            return list;
    }
    JS_FreeValue(context, list);
    return JS_EXCEPTION;
}

/* tlsOf(peer): a handle for its TLS; undefined if the connection has ended */
static JSValue get_tls(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct weir__node_peer *peer = peer_of(context, argv[0]);
    weir_stream *stream;

    if (peer == NULL)
        return JS_EXCEPTION;
    stream =
        peer->http != NULL ? weir_http_connection_stream(peer->http) : NULL;
    if (stream == NULL)
        return JS_UNDEFINED;
    return peer->tls != NULL
               ? JS_DupValue(context, peer->tls->self)
               : weir__js_handle_lend(context, stream, &peer->tls);
}

/* write(peer, bytes): a status */
static JSValue write_peer(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct weir__node_peer *peer = peer_of(context, argv[0]);
    struct weir__js_bytes found;
    int err = WEIR_ECLOSED;

    if (peer == NULL || weir__js_bytes(context, argv[1], &found) < 0)
        return JS_EXCEPTION;
    if (peer->http != NULL)
        err = weir_http_connection_write(peer->http,
                                         (weir_bytes){found.data, found.size});
    return JS_NewInt32(context, err);
}

/* close(peer, isReset) */
static JSValue close_peer(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct weir__node_peer *peer = peer_of(context, argv[0]);

    if (peer == NULL)
        return JS_EXCEPTION;
    if (peer->http != NULL) {
        bool is_abrupt = JS_ToBool(context, argv[1]) == 1;

        peer->is_closed |= is_abrupt;
        weir_http_connection_close(peer->http, is_abrupt);
    }
    return JS_UNDEFINED;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("addresses", 1, get_addresses),
    JS_CFUNC_DEF("tlsOf", 1, get_tls),
    JS_CFUNC_DEF("writePeer", 2, write_peer),
    JS_CFUNC_DEF("closePeer", 2, close_peer),
};

const struct weir__js_builtin weir__js_node_peer_builtin = {
    WEIR__JS_LIBS("nodehttp/binding"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &peer_class,
};
