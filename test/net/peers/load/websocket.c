/* SPDX-License-Identifier: MIT */
/*
 * websocket.c -- messages that are echoed, until the server's close frame.
 */
#include <string.h>

#include "connection.h"

enum { TEXT = 1, CLOSE = 8, PING = 9, PONG = 10, MS = 1000000 };

void websocket_begin(connection *c)
{
    static const char handshake[] =
        "GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    request *r = &c->requests[c->first];
    memset(r, 0, sizeof *r);
    r->start = c->queued;
    c->outstanding = 1;
    connection_queue(c, handshake, sizeof handshake - 1);
    r->end = c->queued;
}

/* Clients mask what they send; the mask here is 0x20, four times. */
static void send_frame(connection *c, int opcode, const unsigned char *data,
                       size_t size)
{
    unsigned char frame[8 + 512] = {(unsigned char)(0x80 | opcode)};
    size_t at = 2;
    frame[1] = (unsigned char)(0x80 | (size < 126 ? size : 126));
    if (size >= 126) {
        frame[at++] = (unsigned char)(size >> 8);
        frame[at++] = (unsigned char)size;
    }
    memset(frame + at, 0x20, 4);
    at += 4;
    for (size_t i = 0; i < size; i++)
        frame[at + i] = data[i] ^ 0x20;
    connection_queue(c, frame, at + size);
    connection_flush(c);
}

void websocket_send(connection *c)
{
    c->message_size = 1 + load_random(c->load, 400);
    send_frame(c, TEXT, load_text, c->message_size);
}

static void take_close(connection *c, const unsigned char *data, size_t size)
{
    load *l = c->load;
    int code = size >= 2 ? data[0] << 8 | data[1] : 1005;
    c->has_close_frame = true;
    l->counts[code == 1012 ? COUNT_WS_CLOSE_1012 : COUNT_WS_CLOSE_OTHER]++;
    send_frame(c, CLOSE, data, size >= 2 ? 2 : 0);
}

static void take_echo(connection *c, const unsigned char *data, size_t size)
{
    load *l = c->load;
    if (size != c->message_size || memcmp(data, load_text, size) != 0)
        l->counts[COUNT_WRONG]++;
    l->counts[COUNT_WS_MESSAGES]++;
    c->message_size = 0;
    c->wake_ns = l->now_ns + (int64_t)load_random(l, 10 * MS);
}

static void take_frame(connection *c, const unsigned char *data, size_t size)
{
    int opcode = c->frame[0] & 15;
    if (opcode == CLOSE)
        take_close(c, data, size);
    else if (opcode == PING)
        send_frame(c, PONG, data, size > 125 ? 125 : size);
    else if (opcode != PONG && !c->has_close_frame)
        take_echo(c, data, size);
}

/* How long the frame at the beginning of c->frame is; 0: not yet known. */
static size_t measure_frame(const connection *c, size_t *head)
{
    size_t size = c->frame[1] & 127;
    *head = size < 126 ? 2 : size == 126 ? 4 : 10;
    if (c->frame_size < 2 || c->frame_size < *head || *head == 10)
        return 0;
    if (*head == 4)
        size = (size_t)c->frame[2] << 8 | c->frame[3];
    return *head + size;
}

void websocket_feed(connection *c, const unsigned char *data, size_t size)
{
    size_t head, whole;
    if (c->frame_size + size > sizeof c->frame) {
        c->load->counts[COUNT_BAD]++;
        return;
    }
    memcpy(c->frame + c->frame_size, data, size);
    c->frame_size += size;
    while ((whole = measure_frame(c, &head)) != 0 && whole <= c->frame_size) {
        take_frame(c, c->frame + head, whole - head);
        if (c->fd < 0)
            return;
        memmove(c->frame, c->frame + whole, c->frame_size - whole);
        c->frame_size -= whole;
    }
}
