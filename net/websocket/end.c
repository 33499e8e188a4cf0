/* SPDX-License-Identifier: MIT */
/*
 * end -- how a WebSocket ends, and its timer.
 *
 *     weir_websocket_close     Close frame, wait for the peer's, finish
 *     the peer's Close frame   answer it, finish
 *     a violation, no memory   Close frame with the code, finish
 *     no answer in time        close
 *     the end of the stream    finish
 *     an error of it, reset    close
 *
 * To finish is weir_stream_finish: what is queued is written, and the peer's
 * input is read until it closes, so that no reset destroys the last frames.
 * From then on the stream is NULL, and its `closed` calls on_close.
 *
 * One timer serves for pings and for the deadline of the close, because pings
 * stop when the closing begins.  The timer holds a reference to the WebSocket,
 * because it may be about to fire when it is cancelled.
 */
#include <errno.h>
#include <string.h>

#include "stream/stream.h"
#include "websocket/websocket.h"
#include "weir/error.h"
#include "weir/host/loop.h"
#include "weir/host/memory.h"

static void stop_timer(weir_websocket *websocket, weir_timer timer);

/* ---- the end ---- */

static void call_on_close(void *arg, int status)
{
    weir_websocket *websocket = arg;
    weir_websocket_end end = {
        .status = websocket->status,
        .code = websocket->code,
        .is_clean = websocket->status == 0,
        .reason = {websocket->reason, websocket->reason_size},
    };

    websocket->on_close(websocket->arg, websocket, &end);
}

/* After both Close frames were sent nothing can be lost: neither by a peer that
 * leaves the connection open, nor by one that resets it. */
static void on_stream_closed(void *arg, weir_stream *stream, int status)
{
    weir_websocket *websocket = arg;
    bool is_agreed = websocket->is_close_sent && websocket->is_close_received;

    if (websocket->status == 0 &&
        !(is_agreed && (status == -ETIMEDOUT || stream->has_shut)))
        websocket->status = status;
    if (websocket->on_close != NULL)
        (void)weir_loop_contain(call_on_close, websocket, 0);
    weir__websocket_release(websocket);
}

static weir_stream *leave_stream(weir_websocket *websocket)
{
    weir_stream *stream = websocket->stream;

    weir__websocket_stop_timer(websocket);
    websocket->stream = NULL;
    return stream;
}

static void finish(weir_websocket *websocket)
{
    weir_stream *stream = leave_stream(websocket);

    weir_stream_finish(stream, websocket->linger_ns, on_stream_closed,
                       websocket);
}

static void close_now(weir_websocket *websocket, int status)
{
    weir_stream *stream = leave_stream(websocket);

    websocket->status = status;
    weir_stream_close(stream, on_stream_closed, websocket);
}

void weir__websocket_lose(weir_websocket *websocket, int status)
{
    if (websocket->stream == NULL)
        return;
    if (status != WEIR_EEOF) {
        close_now(websocket, status);
        return;
    }
    websocket->status = status;
    finish(websocket);
}

void weir__websocket_give_up(weir_websocket *websocket, weir_stream *stream,
                             int status)
{
    websocket->stream = stream;
    close_now(websocket, status);
}

void weir__websocket_fail(weir_websocket *websocket, int err)
{
    weir_bytes none = {NULL, 0};
    uint16_t code = err == WEIR_EWEBSOCKET ? websocket->codec.code
                                           : WEIR_WEBSOCKET_INTERNAL_ERROR;

    (void)!weir__websocket_send_close(websocket, code, none);
    websocket->code = code;
    websocket->status = err;
    finish(websocket);
}

/* ---- closing ---- */

static void keep_reason(weir_websocket *websocket, weir_bytes reason)
{
    if (reason.size == 0)
        return;
    websocket->reason = weir_memory_alloc(reason.size);
    if (websocket->reason == NULL)
        return; /* it is only a text */
    websocket->reason_size = reason.size;
    memcpy(websocket->reason, reason.data, reason.size);
}

void weir__websocket_receive_close(weir_websocket *websocket, uint16_t code,
                                   weir_bytes reason)
{
    weir_bytes none = {NULL, 0};

    websocket->is_close_received = true;
    websocket->code = code;
    keep_reason(websocket, reason);
    if (!websocket->is_close_sent)
        websocket->status = weir__websocket_send_close(
            websocket, code == WEIR_WEBSOCKET_NO_CODE ? 0 : code, none);
    finish(websocket);
}

int weir_websocket_close(weir_websocket *websocket, uint16_t code,
                         weir_bytes reason)
{
    weir_timer pinging;
    int err;

    if (websocket == NULL || (reason.data == NULL && reason.size > 0))
        return -EINVAL;
    if (websocket->stream == NULL || websocket->is_close_sent)
        return WEIR_ECLOSED;
    pinging = websocket->timer;
    err = weir__websocket_start_timer(websocket, websocket->close_timeout_ns);
    if (err != 0)
        return err;
    err = weir__websocket_send_close(websocket, code, reason);
    if (err != 0) {
        weir__websocket_stop_timer(websocket);
        websocket->timer = pinging;
        return err;
    }
    stop_timer(websocket, pinging);
    return 0;
}

void weir_websocket_reset(weir_websocket *websocket)
{
    weir_stream *stream;

    if (websocket->stream == NULL)
        return;
    stream = leave_stream(websocket);
    websocket->status = WEIR_ECANCELED;
    weir_stream_reset(stream, on_stream_closed, websocket);
}

/* ---- the timer ---- */

/* Ping a peer that was silent for the interval; give up if it stays silent. */
static void check_silence(weir_websocket *websocket)
{
    weir_bytes none = {NULL, 0};
    int64_t now = weir_loop_now(websocket->loop);
    int64_t left = websocket->heard_ns + websocket->ping_interval_ns - now;

    if (websocket->is_paused) {
        left = websocket->ping_interval_ns;
    } else if (websocket->is_pinging) {
        close_now(websocket, -ETIMEDOUT);
        return;
    } else if (left <= 0) { /* a peer that cannot be asked is silent, too */
        websocket->is_pinging = weir_websocket_ping(websocket, none) != -ENOMEM;
        left = websocket->ping_timeout_ns;
    }
    if (weir__websocket_start_timer(websocket, left) != 0)
        close_now(websocket, -ENOMEM);
}

static void on_timer(void *arg, int status)
{
    weir_websocket *websocket = arg;

    websocket->timer = 0;
    if (status == 0 && websocket->stream != NULL) {
        if (websocket->is_close_sent)
            close_now(websocket, -ETIMEDOUT);
        else
            check_silence(websocket);
    }
    weir__websocket_release(websocket);
}

int weir__websocket_start_timer(weir_websocket *websocket, int64_t delay_ns)
{
    weir_timer timer;
    int err = weir_timer_start(websocket->loop, &timer, delay_ns,
                               WEIR_TIMER_ONCE, on_timer, websocket);

    if (err != 0)
        return err;
    websocket->timer = timer;
    weir__websocket_hold(websocket);
    /* The stream keeps the loop running. */
    (void)!weir_timer_unref(websocket->loop, timer);
    (void)weir_timer_set_name(websocket->loop, timer, "websocket");
    return 0;
}

/* If it is about to be cancelled with the loop, its callback releases. */
static void stop_timer(weir_websocket *websocket, weir_timer timer)
{
    if (timer != 0 && weir_timer_cancel(websocket->loop, timer) == 0)
        weir__websocket_release(websocket);
}

void weir__websocket_stop_timer(weir_websocket *websocket)
{
    weir_timer timer = websocket->timer;

    websocket->timer = 0;
    stop_timer(websocket, timer);
}
