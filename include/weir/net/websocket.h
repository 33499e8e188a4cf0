/* SPDX-License-Identifier: MIT */
/*
 * weir/net/websocket.h -- messages both ways over one connection (RFC 6455).
 *
 *     static void on_message(void *arg, weir_websocket *websocket,
 *                            weir_websocket_kind kind, weir_bytes bytes,
 *                            bool is_last)
 *     {
 *         if (weir_websocket_send(websocket, kind, bytes, NULL, NULL) != 0) ...
 *     }
 *
 *     static void on_request(void *arg, weir_http_request *request)
 *     {
 *         weir_websocket_options options = {.size = sizeof(options),
 *                                           .on_message = on_message};
 *
 *         if (weir_websocket_upgrade(&websocket, request, NULL, &options) != 0)
 *             ...
 *     }
 *
 * A WebSocket begins as an HTTP request.  weir_websocket_upgrade answers such a
 * request of a weir_http_server, and weir_websocket_connect makes one.  With
 * another implementation of HTTP, use the functions of the handshake, which
 * check the headers of one side, make those of the other, and do no I/O.  Then
 * weir_websocket_open makes a weir_websocket of the stream.
 *
 * A WebSocket belongs to the loop of its stream.  Every call must be made on
 * that loop's thread, where every callback is made, too.  No callback is made
 * before the call that it belongs to has returned.
 *
 * A WebSocket ends in one of these ways: weir_websocket_close,
 * weir_websocket_reset, a Close frame from the peer, a violation of the
 * protocol, a timeout, or the end of the connection or of the loop.  In each
 * case on_close is called exactly once, after every other callback, and then
 * the memory is freed.
 */
#ifndef WEIR_NET_WEBSOCKET_H
#define WEIR_NET_WEBSOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/net/bytes.h"
#include "weir/net/connect.h"
#include "weir/net/http.h"
#include "weir/net/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_websocket weir_websocket;

typedef enum weir_websocket_role {
    WEIR_WEBSOCKET_SERVER = 0,
    WEIR_WEBSOCKET_CLIENT,
} weir_websocket_role;

typedef enum weir_websocket_kind {
    WEIR_WEBSOCKET_TEXT = 1, /* UTF-8 */
    WEIR_WEBSOCKET_BINARY = 2,
} weir_websocket_kind;

/* The code in a Close frame: why a WebSocket ends. */
enum {
    WEIR_WEBSOCKET_NORMAL = 1000,
    WEIR_WEBSOCKET_GOING_AWAY = 1001,
    WEIR_WEBSOCKET_PROTOCOL_ERROR = 1002,
    WEIR_WEBSOCKET_UNSUPPORTED = 1003,
    WEIR_WEBSOCKET_NO_CODE = 1005,  /* the Close frame had none; never sent */
    WEIR_WEBSOCKET_ABNORMAL = 1006, /* there was no Close frame; never sent */
    WEIR_WEBSOCKET_INVALID_DATA = 1007,
    WEIR_WEBSOCKET_POLICY = 1008,
    WEIR_WEBSOCKET_TOO_BIG = 1009,
    WEIR_WEBSOCKET_INTERNAL_ERROR = 1011,
    WEIR_WEBSOCKET_RESTART = 1012, /* the server restarts: connect again */
    WEIR_WEBSOCKET_TRY_LATER = 1013,
};

/* ---- the handshake ---- */

/* How messages are compressed (permessage-deflate, RFC 7692): what one side
 * wants, or what both have agreed on.  A window of n bits costs the compressing
 * side about 8 << n bytes and the other side about 1 << n, from the first
 * compressed message on.  Without context takeover that memory is freed after
 * each message. */
typedef struct weir_websocket_deflate {
    bool is_on;
    bool server_no_context_takeover; /* for messages of the server */
    bool client_no_context_takeover; /* for messages of the client */
    uint8_t server_max_window_bits;  /* 9 to 15; 0: 15 */
    uint8_t client_max_window_bits;
} weir_websocket_deflate;

/* What one side wants.  Every member except size may be left 0. */
typedef struct weir_websocket_handshake_options {
    size_t size; /* sizeof(weir_websocket_handshake_options) */
    /* The subprotocols that this side speaks, the best one first, separated by
     * commas: "chat.v2, chat".  Not copied.  NULL: none. */
    const char *subprotocols;
    weir_websocket_deflate deflate;
} weir_websocket_handshake_options;

#define WEIR_WEBSOCKET_KEY 32
#define WEIR_WEBSOCKET_EXTENSIONS 160

/* A handshake, and what both sides have agreed on.  The struct is open, so that
 * it can be on the stack.  The members above the line may be read; those below
 * it are private. */
typedef struct weir_websocket_handshake {
    weir_websocket_role role;
    /* Server: the status of the answer, 101 or an error.  Client: the status of
     * the answer, if it has been checked. */
    int status;
    weir_bytes subprotocol; /* a part of options.subprotocols; size 0: none */
    weir_websocket_deflate deflate;
    /* ---- */
    const char *subprotocols_;
    weir_websocket_deflate wanted_;
    char key_[WEIR_WEBSOCKET_KEY];
    char extensions_[WEIR_WEBSOCKET_EXTENSIONS];
} weir_websocket_handshake;

/* Room for the headers that weir_websocket_headers makes. */
#define WEIR_WEBSOCKET_HEADERS 6

/**
 * Check a request to open a WebSocket, and decide on the answer.  On success
 * the handshake holds what both sides have agreed on.  After WEIR_EWEBSOCKET
 * its status is that of the answer: 400, 405 (the method is not GET) or 426
 * (another version of the protocol).  In both cases weir_websocket_headers
 * makes the headers of the answer.  The request must be an HTTP/1.1 request,
 * which is not checked.  Nor is its Origin: the caller decides which ones it
 * accepts.
 *
 * Thread   any
 * Owns     the handshake refers to options->subprotocols, and to nothing else
 * Returns  0, -EINVAL (NULL, or an option has no valid value), -E2BIG (an
 *          option that this library does not know), -ENOMEM, WEIR_EWEBSOCKET
 *          (not a valid request)
 */
WEIR_API WEIR_CHECKED int
weir_websocket_accept(weir_websocket_handshake *handshake, weir_bytes method,
                      const weir_http_field *headers, size_t count,
                      const weir_websocket_handshake_options *options);

/**
 * Begin a handshake as the client.  weir_websocket_headers then makes the
 * headers of the request.  The caller sends them in an HTTP/1.1 GET request
 * with a Host field.
 *
 * Thread   any
 * Owns     the handshake refers to options->subprotocols, and to nothing else
 * Returns  0, -EINVAL (NULL, or an option has no valid value), -E2BIG (an
 *          option that this library does not know), or an error of getrandom(2)
 */
WEIR_API WEIR_CHECKED int
weir_websocket_request(weir_websocket_handshake *handshake,
                       const weir_websocket_handshake_options *options);

/**
 * Check the server's answer to the request of weir_websocket_request.  On
 * success the handshake holds what both sides have agreed on.
 *
 * Thread   any
 * Returns  0, -EINVAL (NULL, or not a client's handshake), -ENOMEM,
 *          WEIR_EWEBSOCKET (the server has refused, or its answer is not valid)
 */
WEIR_API WEIR_CHECKED int
weir_websocket_check(weir_websocket_handshake *handshake, int status,
                     const weir_http_field *headers, size_t count);

/**
 * Make the headers of a handshake's message: of the request for a client, of
 * the answer for a server.
 *
 * Thread   any
 * Owns     the views refer to the handshake, which must not be moved
 * Returns  their number, at most WEIR_WEBSOCKET_HEADERS
 */
WEIR_API size_t
weir_websocket_headers(const weir_websocket_handshake *handshake,
                       weir_http_field headers[WEIR_WEBSOCKET_HEADERS]);

/* ---- opening ---- */

/* How a WebSocket has ended. */
typedef struct weir_websocket_end {
    /* 0 if it was clean.  WEIR_EWEBSOCKET: the peer has violated the protocol
     * or exceeded a limit.  WEIR_EEOF: the connection ended without a Close
     * frame.  -ETIMEDOUT: the peer did not answer a ping or a Close frame in
     * time.  WEIR_ECANCELED: weir_websocket_reset, or the loop has ended.
     * Others: the error of the connection. */
    int status;
    /* The code of the peer's Close frame, or WEIR_WEBSOCKET_NO_CODE if that
     * frame had none.  If the peer has violated the protocol: the code that was
     * sent to it.  Otherwise WEIR_WEBSOCKET_ABNORMAL. */
    uint16_t code;
    bool is_clean;     /* both sides have sent a Close frame */
    weir_bytes reason; /* of the peer: UTF-8, at most 123 bytes */
} weir_websocket_end;

/* Every member except size may be left 0. */
typedef struct weir_websocket_options {
    size_t size; /* sizeof(weir_websocket_options) */
    void *arg;   /* for the callbacks */
    /* A message has arrived.  With is_streaming, a part of a message: each part
     * is delivered as it arrives, the last one with is_last, and a character of
     * a text may be split between two parts.  The bytes are valid during the
     * call.  Messages that the peer sends before its Close frame are delivered
     * even after weir_websocket_close.  NULL: messages are dropped. */
    void (*on_message)(void *arg, weir_websocket *websocket,
                       weir_websocket_kind kind, weir_bytes bytes,
                       bool is_last);
    /* A pong has arrived, whether a ping was sent or not. */
    void (*on_pong)(void *arg, weir_websocket *websocket, weir_bytes bytes);
    /* The WebSocket has ended.  It must not be used after this call. */
    void (*on_close)(void *arg, weir_websocket *websocket,
                     const weir_websocket_end *end);
    /* Everything has been written, after weir_websocket_is_full was true. */
    void (*on_drain)(void *arg, weir_websocket *websocket);
    /* The HTTP server drains (only after weir_websocket_upgrade): close the
     * WebSocket soon.  NULL: it is closed with WEIR_WEBSOCKET_RESTART. */
    void (*on_shutdown)(void *arg, weir_websocket *websocket);
    bool is_streaming;
    /* A message that is larger, after decompression, is refused with 1009.  0:
     * WEIR_WEBSOCKET_MAX_MESSAGE. */
    size_t max_message_bytes;
    /* A message of more fragments is refused with 1009.  0:
     * WEIR_WEBSOCKET_MAX_FRAMES. */
    uint32_t max_frames;
    /* The WebSocket is full (weir_websocket_is_full) once this many bytes wait
     * to be written.  0: WEIR_STREAM_HIGH_WATER. */
    size_t high_water_bytes;
    /* Ping a peer that has been silent for this long, and give up if it stays
     * silent for ping_timeout_ns (0: ping_interval_ns).  0: no pings. */
    int64_t ping_interval_ns;
    int64_t ping_timeout_ns;
    /* How long to wait for the peer's Close frame.  0: WEIR_S(10). */
    int64_t close_timeout_ns;
    /* How long to wait after that for the peer to close the connection.  0:
     * WEIR_S(2). */
    int64_t linger_ns;
    /* Smaller messages are not compressed.  0: 256. */
    size_t min_deflate_bytes;
    int deflate_level; /* 1 (fast) to 9 (small).  0: zlib's default */
    /* What was read from the stream after the HTTP message.  Copied. */
    weir_bytes early;
} weir_websocket_options;

#define WEIR_WEBSOCKET_MAX_MESSAGE (1024 * 1024)
#define WEIR_WEBSOCKET_MAX_FRAMES 16384

/**
 * Open a WebSocket on a stream after the handshake.  The answer may still be
 * queued in the stream.
 *
 * Thread   loop
 * Owns     the WebSocket owns the stream from now on, unless an error is
 *          returned.  The WebSocket is the library's: use it until on_close.
 *          The options and the handshake are copied
 * Returns  0, -EINVAL (NULL, or an option has no valid value), -E2BIG (an
 *          option that this library does not know), -ENOMEM, or an error of
 *          weir_stream_read
 */
WEIR_API WEIR_CHECKED int
weir_websocket_open(weir_websocket **websocket, weir_stream *stream,
                    const weir_websocket_handshake *handshake,
                    const weir_websocket_options *options);

/**
 * Answer a request of an HTTP server by opening a WebSocket.  A request that
 * does not ask for one properly is refused with 400, 405 or 426.  The server's
 * drain closes the WebSocket, and waits until it has ended.
 *
 * Thread   loop, the request's
 * Owns     the WebSocket is the library's: use it until on_close.  The options
 *          are copied.  The request has been answered if 0 or WEIR_EWEBSOCKET
 *          is returned
 * Returns  0, -EINVAL (NULL, or an option has no valid value), -E2BIG (an
 *          option that this library does not know), WEIR_EWEBSOCKET (the
 *          request was refused), -ENOMEM, or an error of weir_http_upgrade
 */
WEIR_API WEIR_CHECKED int
weir_websocket_upgrade(weir_websocket **websocket, weir_http_request *request,
                       const weir_websocket_handshake_options *wanted,
                       const weir_websocket_options *options);

/* ---- connecting ---- */

typedef struct weir_websocket_connecting weir_websocket_connecting;

/* Called once.  status is 0 if the WebSocket is open.  Otherwise it is the
 * reason: the error of weir_connect, of TLS or of the connection, WEIR_EHTTP
 * (the server's answer is not HTTP), WEIR_ELIMIT (the answer is too long),
 * WEIR_EWEBSOCKET (the answer is not valid, or the server has refused:
 * handshake->status is the status of its answer), -ETIMEDOUT, -ENOMEM, or
 * WEIR_ECANCELED. */
typedef void
weir_websocket_connect_fn(void *arg, int status, weir_websocket *websocket,
                          const weir_websocket_handshake *handshake);

#define WEIR_WEBSOCKET_CONNECT_NS WEIR_S(30)

/* Every member except size may be left 0. */
typedef struct weir_websocket_connect_options {
    size_t size; /* sizeof(weir_websocket_connect_options) */
    /* NULL: the defaults.  Copied, except for their subprotocols. */
    const weir_websocket_handshake_options *wanted;
    const weir_websocket_options *websocket; /* NULL: the defaults; copied */
    const weir_http_field *fields; /* more fields of the request; copied */
    size_t field_count;
    weir_tls *tls; /* a client's, for wss:.  The attempt takes a reference */
    const weir_connect_options *connect; /* NULL: the defaults; copied */
    /* Until the WebSocket is open.  0: WEIR_WEBSOCKET_CONNECT_NS; negative: no
     * limit. */
    int64_t timeout_ns;
} weir_websocket_connect_options;

/**
 * Connect to a WebSocket server, such as "ws://127.0.0.1:8080/chat" or
 * "wss://example.org/".  fn is called once.
 *
 * Thread   loop
 * Owns     url is copied; *connecting (or NULL) is valid until fn is called
 * Returns  0, -EINVAL (NULL, an invalid URL, wss: without tls, an invalid
 *          field, or an option is invalid), -E2BIG (an option that this library
 *          does not know), -ENOMEM, or an error of weir_connect or
 *          weir_timer_start
 */
WEIR_API WEIR_CHECKED int
weir_websocket_connect(weir_loop *loop, weir_websocket_connecting **connecting,
                       const char *url, weir_websocket_connect_fn *fn,
                       void *arg,
                       const weir_websocket_connect_options *options);

/**
 * Cancel an attempt to connect.  Its function is called with WEIR_ECANCELED,
 * after this call has returned.
 *
 * Thread   loop, before fn is called
 */
WEIR_API void
weir_websocket_connect_cancel(weir_websocket_connecting *connecting);

/* An operation of a WebSocket is over. */
typedef void weir_websocket_fn(void *arg, weir_websocket *websocket,
                               int status);

/* ---- sending ---- */

/**
 * Send a message.  done (or NULL) is called when the kernel has all of it, or
 * with the reason why not.
 *
 * Thread   loop
 * Owns     with done, the bytes are borrowed until it is called.  With done
 *          NULL, they are borrowed during the call
 * Returns  0, -EINVAL (NULL, an unknown kind, or a text that is not UTF-8),
 *          -EBUSY (a message in fragments has not been ended), -ENOMEM,
 *          WEIR_ECLOSED (the WebSocket is being closed), or an error of
 *          weir_stream_write
 */
WEIR_API int weir_websocket_send(weir_websocket *websocket,
                                 weir_websocket_kind kind, weir_bytes bytes,
                                 weir_websocket_fn *done, void *arg);

/**
 * Send a fragment of a message whose size need not be known yet.  All fragments
 * of a message have the same kind.  is_last ends the message, and that fragment
 * may be empty.  A character of a text may be split between two fragments.
 *
 * Thread   loop
 * Owns     with done, the bytes are borrowed until it is called.  With done
 *          NULL, they are borrowed during the call
 * Returns  0, -EINVAL (NULL, an unknown kind, a kind other than the message's,
 *          or a text that is not UTF-8), -ENOMEM, WEIR_ECLOSED (the WebSocket
 *          is being closed), or an error of weir_stream_write
 */
WEIR_API WEIR_CHECKED int
weir_websocket_send_fragment(weir_websocket *websocket,
                             weir_websocket_kind kind, weir_bytes bytes,
                             bool is_last, weir_websocket_fn *done, void *arg);

/**
 * Send a ping with at most 125 bytes.  The peer answers with a pong that has
 * the same bytes.
 *
 * Thread   loop
 * Owns     the bytes are copied
 * Returns  0, -EINVAL (NULL, or more than 125 bytes), -ENOMEM, WEIR_ECLOSED
 *          (the WebSocket is being closed), or an error of weir_stream_write
 */
WEIR_API WEIR_CHECKED int weir_websocket_ping(weir_websocket *websocket,
                                              weir_bytes bytes);

/**
 * Test whether a sender should wait: high_water_bytes or more are queued.
 * on_drain is called when all of them have been written.
 *
 * Thread   loop
 */
WEIR_API bool weir_websocket_is_full(const weir_websocket *websocket);

/**
 * Get the number of bytes that were accepted but not yet given to the kernel.
 *
 * Thread   loop
 */
WEIR_API size_t weir_websocket_queued_bytes(const weir_websocket *websocket);

/* ---- receiving ---- */

/**
 * Pause a WebSocket.  No on_message begins until weir_websocket_resume.  While
 * it is paused, pings are not answered, and a Close frame is not seen.
 *
 * Thread   loop
 */
WEIR_API void weir_websocket_pause(weir_websocket *websocket);

/**
 * Resume a WebSocket that was paused.
 *
 * Thread   loop
 */
WEIR_API void weir_websocket_resume(weir_websocket *websocket);

/* ---- closing ---- */

/**
 * Close a WebSocket: send a Close frame after everything that was sent before,
 * wait for the peer's, then finish the stream so that nothing is lost.  The
 * code is 1000 to 1003, 1007 to 1014, 3000 to 4999, or 0 for a Close frame
 * without one.
 *
 * Thread   loop
 * Owns     the reason is copied
 * Returns  0, -EINVAL (NULL, a code that cannot be sent, a reason without a
 *          code, of more than 123 bytes, or that is not UTF-8), -ENOMEM,
 *          WEIR_ECLOSED (it is being closed), or an error of weir_stream_write
 */
WEIR_API int weir_websocket_close(weir_websocket *websocket, uint16_t code,
                                  weir_bytes reason);

/**
 * Reset a WebSocket: drop the connection and everything that is queued.
 *
 * Thread   loop.  It may be called while the WebSocket is being closed
 */
WEIR_API void weir_websocket_reset(weir_websocket *websocket);

/**
 * Get the stream of a WebSocket, for its addresses.
 *
 * Thread   loop
 * Owns     the stream stays the WebSocket's
 * Returns  the stream, or NULL when the connection is being finished
 */
WEIR_API weir_stream *weir_websocket_stream(const weir_websocket *websocket);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_NET_WEBSOCKET_H */
