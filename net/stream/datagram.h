/* SPDX-License-Identifier: MIT */
/*
 * datagram -- the internal struct of a datagram socket: outbox.c sends, inbox.c
 * receives, and datagram.c does the rest.
 */
#ifndef WEIR_NET_STREAM_DATAGRAM_H
#define WEIR_NET_STREAM_DATAGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "weir/net/datagram.h"
#include "weir/timer.h"

struct weir__area;    /* inbox.c */
struct weir__request; /* outbox.c */

struct weir__requests {
    struct weir__request *first, *last;
};

struct weir_datagram {
    weir_loop *loop;
    int fd;
    unsigned events; /* that fd is watched for */
    unsigned refs;
    weir_datagram_options options;
    weir_datagram_receive_fn *receive;
    void *receive_arg;
    struct weir__area *area;
    int error; /* not reported yet */
    struct weir__requests queue, over;
    size_t queued;
    weir_timer retry; /* 0: none */
    int retry_ms;
    weir_task task;
    bool is_posted, is_paused;
    bool is_closing; /* weir_datagram_close was called */
    bool is_ended;   /* the loop no longer watches fd */
    bool is_ending;  /* the loop is telling so */
    weir_datagram_fn *closed;
    void *closed_arg;
};

/* Release a reference. */
void weir__datagram_release(weir_datagram *socket);

/* Whether the socket is closed or the loop has ended. */
bool weir__datagram_is_gone(const weir_datagram *socket);

/* Whether the receiver can be called. */
bool weir__datagram_is_receiving(const weir_datagram *socket);

/* Have the task run once more.  A loop that refuses it is being closed, and
 * will soon tell so through the descriptor. */
int weir__datagram_post(weir_datagram *socket);

/* Watch the descriptor for what the state asks for. */
int weir__datagram_update(weir_datagram *socket);

/* ---- outbox.c ---- */

/* Call the callbacks of the sends that are over by now. */
void weir__outbox_deliver(weir_datagram *socket);

/* Send what waits, a bounded number of messages. */
void weir__outbox_flush(weir_datagram *socket);

/* Cancel what waits, and call the callbacks of all sends. */
void weir__outbox_cancel(weir_datagram *socket);

/* ---- inbox.c ---- */

/* Receive a bounded number of datagrams. */
void weir__inbox_receive(weir_datagram *socket);

/* Hand over what a pause or a callback that raised has left. */
void weir__inbox_continue(weir_datagram *socket);

/* End the receiving, with a last call of its callback. */
void weir__inbox_cancel(weir_datagram *socket);

#endif /* WEIR_NET_STREAM_DATAGRAM_H */
