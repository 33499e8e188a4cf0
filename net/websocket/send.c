/* SPDX-License-Identifier: MIT */
/*
 * send -- frames to the stream: messages, pings, pongs.
 *
 * A frame without a callback is written from the stack; the stream copies what
 * the kernel does not take.  A frame with a callback lives in a record until
 * the stream has written it.
 *
 * A peer that sends pings and does not read must not make the queue grow.  So a
 * pong is queued only if none is; meanwhile the last ping is remembered, which
 * RFC 6455 allows (5.5.3).
 */
#include <errno.h>
#include <string.h>

#include "websocket/websocket.h"
#include "weir/error.h"
#include "weir/host/memory.h"

struct sending {
    weir_websocket *websocket;
    weir_websocket_fn *done;
    void *arg;
    struct weir__codec_frame frame;
};

struct weir__pong {
    weir_websocket *websocket;
    struct weir__codec_frame frame;
    uint8_t size;
    uint8_t next_size;
    bool has_next;
    uint8_t bytes[WEIR__FRAME_CONTROL];
    uint8_t next[WEIR__FRAME_CONTROL];
};

/* ---- frames ---- */

static int write_frame(weir_websocket *websocket,
                       const struct weir__frame_out *frame,
                       weir_stream_fn *done, void *arg)
{
    return weir_stream_write(websocket->stream, frame->parts,
                             frame->parts[1].size > 0 ? 2 : 1, done, arg);
}

/* The stream could not be written.  If the peer has left, what it sent before can
 * still be read, and then the end.  After any other error nothing else would end
 * the WebSocket. */
static void lose_output(weir_websocket *websocket, int status)
{
    if (status != 0 && status != -EPIPE && status != -ECONNRESET)
        weir__websocket_lose(websocket, status);
}

static void on_settled(void *arg, weir_stream *stream, int status)
{
    weir_websocket *websocket = arg;

    websocket->is_settling = false;
    lose_output(websocket, status);
}

/* Be told if a frame that had to wait, and that nobody waits for, fails. */
static void settle(weir_websocket *websocket)
{
    if (!websocket->is_settling &&
        weir_stream_queued_bytes(websocket->stream) > 0)
        websocket->is_settling = weir_stream_write(websocket->stream, NULL, 0,
                                                   on_settled, websocket) == 0;
}

/* Write a frame of which nothing is needed afterwards. */
static int send_frame(weir_websocket *websocket,
                      struct weir__codec_frame *frame)
{
    int err = write_frame(websocket, &frame->frame, NULL, NULL);

    if (err != 0) {
        weir__codec_unsent(&websocket->codec, frame);
        return err;
    }
    weir__codec_sent(&websocket->codec, frame);
    weir__codec_frame_free(frame);
    settle(websocket);
    return 0;
}

static void on_sent(void *arg, weir_stream *stream, int status)
{
    struct sending sending = *(struct sending *)arg;

    weir__codec_frame_free(&sending.frame);
    weir_memory_free(arg, sizeof(sending));
    sending.done(sending.arg, sending.websocket, status);
    lose_output(sending.websocket, status);
}

static int send_with_done(weir_websocket *websocket,
                          struct weir__codec_frame *frame,
                          weir_websocket_fn *done, void *arg)
{
    struct sending *sending = weir_memory_alloc(sizeof(*sending));
    int err = -ENOMEM;

    if (sending != NULL) {
        sending->websocket = websocket;
        sending->done = done;
        sending->arg = arg;
        sending->frame = *frame;
        weir__frame_out_move(&sending->frame.frame, &frame->frame);
        err = write_frame(websocket, &sending->frame.frame, on_sent, sending);
    }
    if (err != 0) {
        weir_memory_free(sending, sizeof(*sending));
        weir__codec_unsent(&websocket->codec, frame);
        return err;
    }
    weir__codec_sent(&websocket->codec, frame);
    return 0;
}

/* ---- messages ---- */

static int check_sender(const weir_websocket *websocket)
{
    if (websocket == NULL)
        return -EINVAL;
    return websocket->stream == NULL || websocket->is_close_sent ? WEIR_ECLOSED
                                                                 : 0;
}

int weir_websocket_send_fragment(weir_websocket *websocket,
                                 weir_websocket_kind kind, weir_bytes bytes,
                                 bool is_last, weir_websocket_fn *done,
                                 void *arg)
{
    struct weir__codec_frame frame;
    int err;

    if (websocket == NULL || (bytes.data == NULL && bytes.size > 0) ||
        (kind != WEIR_WEBSOCKET_TEXT && kind != WEIR_WEBSOCKET_BINARY))
        return -EINVAL;
    err = check_sender(websocket);
    if (err == 0)
        err = weir__codec_message(&websocket->codec, &frame, kind, bytes,
                                  is_last);
    if (err != 0)
        return err;
    return done == NULL ? send_frame(websocket, &frame)
                        : send_with_done(websocket, &frame, done, arg);
}

int weir_websocket_send(weir_websocket *websocket, weir_websocket_kind kind,
                        weir_bytes bytes, weir_websocket_fn *done, void *arg)
{
    if (websocket == NULL)
        return -EINVAL;
    if (weir__codec_is_inside(&websocket->codec))
        return -EBUSY;
    return weir_websocket_send_fragment(websocket, kind, bytes, true, done,
                                        arg);
}

/* ---- control frames ---- */

static int send_control(weir_websocket *websocket, uint8_t opcode,
                        weir_bytes bytes)
{
    struct weir__codec_frame frame;
    int err = weir__codec_control(&websocket->codec, &frame, opcode, bytes);

    return err != 0 ? err : send_frame(websocket, &frame);
}

int weir_websocket_ping(weir_websocket *websocket, weir_bytes bytes)
{
    int err;

    if (websocket == NULL || (bytes.data == NULL && bytes.size > 0) ||
        bytes.size > WEIR__FRAME_CONTROL)
        return -EINVAL;
    err = check_sender(websocket);
    return err != 0 ? err : send_control(websocket, WEIR__FRAME_PING, bytes);
}

int weir__websocket_send_close(weir_websocket *websocket, uint16_t code,
                               weir_bytes reason)
{
    struct weir__codec_frame frame;
    int err = check_sender(websocket);

    if (err == 0)
        err = weir__codec_close(&websocket->codec, &frame, code, reason);
    if (err == 0)
        err = send_frame(websocket, &frame);
    if (err == 0)
        websocket->is_close_sent = true;
    return err;
}

/* ---- pongs ---- */

static int write_pong(struct weir__pong *pong);

static void free_pong(struct weir__pong *pong)
{
    weir_memory_free(pong, sizeof(*pong));
}

static void on_pong_sent(void *arg, weir_stream *stream, int status)
{
    struct weir__pong *pong = arg;
    weir_websocket *websocket = pong->websocket;

    weir__codec_frame_free(&pong->frame);
    websocket->pong = NULL;
    if (status == 0 && pong->has_next && check_sender(websocket) == 0) {
        pong->has_next = false;
        pong->size = pong->next_size;
        memcpy(pong->bytes, pong->next, pong->next_size);
        if (write_pong(pong) == 0)
            return;
    }
    free_pong(pong);
    lose_output(websocket, status);
}

static int write_pong(struct weir__pong *pong)
{
    weir_websocket *websocket = pong->websocket;
    weir_bytes bytes = {pong->bytes, pong->size};
    int err = weir__codec_control(&websocket->codec, &pong->frame,
                                  WEIR__FRAME_PONG, bytes);

    if (err != 0)
        return err;
    err = write_frame(websocket, &pong->frame.frame, on_pong_sent, pong);
    if (err != 0)
        weir__codec_unsent(&websocket->codec, &pong->frame);
    else
        websocket->pong = pong;
    return err;
}

static void queue_pong(weir_websocket *websocket, weir_bytes bytes)
{
    struct weir__pong *pong = weir_memory_alloc(sizeof(*pong));

    if (pong == NULL)
        return; /* the peer pings again, or gives up */
    pong->websocket = websocket;
    pong->has_next = false;
    pong->size = (uint8_t)bytes.size;
    if (bytes.size > 0)
        memcpy(pong->bytes, bytes.data, bytes.size);
    if (write_pong(pong) != 0)
        free_pong(pong);
}

void weir__websocket_pong(weir_websocket *websocket, weir_bytes bytes)
{
    struct weir__pong *pong = websocket->pong;

    if (check_sender(websocket) != 0)
        return;
    if (pong != NULL) {
        pong->has_next = true;
        pong->next_size = (uint8_t)bytes.size;
        if (bytes.size > 0)
            memcpy(pong->next, bytes.data, bytes.size);
    } else if (weir_stream_queued_bytes(websocket->stream) == 0) {
        (void)send_control(websocket, WEIR__FRAME_PONG, bytes);
    } else {
        queue_pong(websocket, bytes);
    }
}
