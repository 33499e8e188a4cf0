/* SPDX-License-Identifier: MIT */
/*
 * websocket -- the internal struct of a WebSocket, which websocket.c, send.c
 * and end.c share.
 *
 * Everything here belongs to the loop's thread.
 */
#ifndef WEIR_NET_WEBSOCKET_WEBSOCKET_H
#define WEIR_NET_WEBSOCKET_WEBSOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "websocket/codec.h"
#include "weir/loop.h"
#include "weir/net/websocket.h"
#include "weir/timer.h"

struct weir__pong;

struct weir_websocket {
    weir_loop *loop;
    weir_stream *stream; /* NULL once it is being finished or closed */
    struct weir__codec codec;
    unsigned holds; /* calls in progress, and callbacks that are to come */
    bool is_paused : 1;
    bool is_waking : 1;         /* the task is posted */
    bool is_settling : 1;       /* it will be told when the queue is empty */
    bool is_close_sent : 1;     /* a Close frame, or queued to be */
    bool is_close_received : 1; /* a Close frame */
    bool is_pinging : 1;        /* the peer must be heard before the timer */
    bool is_attached : 1;       /* weir_websocket_upgrade has succeeded */
    bool is_shutting_down : 1;  /* the server drained before that */
    uint16_t code;              /* for on_close */
    int status;                 /* for on_close; 0: still open, or clean */
    weir_timer timer;           /* the ping, or the close timeout; 0: none */
    int64_t heard_ns;           /* when bytes last arrived */
    int64_t ping_interval_ns;
    int64_t ping_timeout_ns;
    int64_t close_timeout_ns;
    int64_t linger_ns;
    size_t high_water_bytes;
    uint8_t *held; /* input that waits for weir_websocket_resume */
    size_t held_size;
    char *reason; /* of the peer's Close frame */
    size_t reason_size;
    struct weir__pong *pong; /* that is queued */
    weir_task task;
    void *arg;
    void (*on_message)(void *arg, weir_websocket *websocket,
                       weir_websocket_kind kind, weir_bytes bytes,
                       bool is_last);
    void (*on_pong)(void *arg, weir_websocket *websocket, weir_bytes bytes);
    void (*on_close)(void *arg, weir_websocket *websocket,
                     const weir_websocket_end *end);
    void (*on_drain)(void *arg, weir_websocket *websocket);
    void (*on_shutdown)(void *arg, weir_websocket *websocket);
};

/* ---- websocket.c ---- */

/* Make a WebSocket without a stream: everything that can fail.  drop frees it
 * again, without on_close. */
int weir__websocket_new(weir_websocket **websocket, weir_loop *loop,
                        const weir_websocket_handshake *handshake,
                        const weir_websocket_options *options);
void weir__websocket_drop(weir_websocket *websocket);

/* Begin to read from a stream, which is the WebSocket's unless an error of
 * weir_stream_read is returned. */
int weir__websocket_attach(weir_websocket *websocket, weir_stream *stream);

/* Continue soon: with input that is held, or with is_shutting_down. */
void weir__websocket_wake(weir_websocket *websocket);

/* The server drains: tell the user, or close.  A weir_fn. */
void weir__websocket_shut_down(void *websocket, int status);

/* Keep the memory.  release frees the WebSocket after its on_close. */
void weir__websocket_hold(weir_websocket *websocket);
void weir__websocket_release(weir_websocket *websocket);

/* ---- send.c ---- */

/* Answer a ping.  If answers pile up, only the last ping is answered. */
void weir__websocket_pong(weir_websocket *websocket, weir_bytes bytes);

/* Send a Close frame, if none was sent.  Returns 0 or an error. */
int weir__websocket_send_close(weir_websocket *websocket, uint16_t code,
                               weir_bytes reason);

/* ---- end.c ---- */

/* Start the timer for the ping, or for the peer's Close frame. */
int weir__websocket_start_timer(weir_websocket *websocket, int64_t delay_ns);
void weir__websocket_stop_timer(weir_websocket *websocket);

/* The peer has sent a Close frame. */
void weir__websocket_receive_close(weir_websocket *websocket, uint16_t code,
                                   weir_bytes reason);

/* The codec has failed: tell the peer why, and end. */
void weir__websocket_fail(weir_websocket *websocket, int err);

/* The stream has ended, or must. */
void weir__websocket_lose(weir_websocket *websocket, int status);

/* The stream had ended before it was attached. */
void weir__websocket_give_up(weir_websocket *websocket, weir_stream *stream,
                             int status);

#endif /* WEIR_NET_WEBSOCKET_WEBSOCKET_H */
