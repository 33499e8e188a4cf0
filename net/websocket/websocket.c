/* SPDX-License-Identifier: MIT */
/*
 * websocket -- a codec on a stream: opening and receiving.
 *
 * Shape     Bytes that the stream has read go through the codec, whose events
 *           become callbacks (here), pongs (send.c) or the end (end.c).
 * Owner     The loop's thread touches everything; no other thread touches
 *           anything.  The WebSocket owns its stream until it finishes it.
 * Pausing   The codec stops after the event in whose callback the user pauses.
 *           The bytes that it has not taken are copied, because the stream's
 *           buffer is valid for one callback only.  After weir_websocket_resume
 *           a task feeds these bytes to the codec first, and then the stream is
 *           resumed.
 * Memory    Freed by the release of the last hold, after on_close.  The stream
 *           is one hold, the timer another, a posted task a third.
 *
 * Tested by  test/net/websocket/websocket.c, test/net/peers/websocket.py
 */
#include "websocket/websocket.h"

#include <errno.h>
#include <string.h>

#include "stream/stream.h"
#include "weir/clock.h"
#include "weir/host/loop.h"
#include "weir/host/memory.h"
#include "weir/host/sized.h"

enum { MIN_DEFLATE = 256 };

/* ---- memory ---- */

void weir__websocket_hold(weir_websocket *websocket)
{
    websocket->holds++;
}

static void free_held(weir_websocket *websocket)
{
    weir_memory_free(websocket->held, websocket->held_size);
    websocket->held = NULL;
    websocket->held_size = 0;
}

void weir__websocket_release(weir_websocket *websocket)
{
    if (--websocket->holds > 0)
        return;
    free_held(websocket);
    weir_memory_free(websocket->reason, websocket->reason_size);
    weir__codec_fini(&websocket->codec);
    weir_memory_free(websocket, sizeof(*websocket));
}

/* ---- receiving ---- */

static void dispatch(weir_websocket *websocket,
                     const struct weir__codec_event *event)
{
    switch (event->type) {
    case WEIR__CODEC_MESSAGE:
        if (websocket->on_message != NULL)
            websocket->on_message(websocket->arg, websocket, event->kind,
                                  event->bytes, event->is_last);
        break;
    case WEIR__CODEC_PING:
        weir__websocket_pong(websocket, event->bytes);
        break;
    case WEIR__CODEC_PONG:
        if (websocket->on_pong != NULL)
            websocket->on_pong(websocket->arg, websocket, event->bytes);
        break;
    case WEIR__CODEC_CLOSE:
        weir__websocket_receive_close(websocket, event->code, event->bytes);
        break;
    }
}

/* Whether the next event may be passed on. */
static bool is_receiving(const weir_websocket *websocket)
{
    return websocket->stream != NULL && !websocket->is_paused;
}

/* Keep the input that the codec has not taken. */
static int keep_unread(weir_websocket *websocket)
{
    weir_bytes unread = weir__codec_unread(&websocket->codec);
    uint8_t *kept;

    if (unread.size == 0) {
        free_held(websocket);
        return 0;
    }
    kept = weir_memory_alloc(unread.size);
    if (kept == NULL)
        return -ENOMEM;
    memcpy(kept, unread.data, unread.size);
    free_held(websocket);
    websocket->held = kept;
    websocket->held_size = unread.size;
    weir__codec_move(&websocket->codec, kept);
    return 0;
}

struct run {
    weir_websocket *websocket;
    int result; /* of weir__codec_next */
};

static void pass_events(void *arg, int status)
{
    struct run *run = arg;
    struct weir__codec_event event;

    while (run->result == 1 && is_receiving(run->websocket)) {
        run->result = weir__codec_next(&run->websocket->codec, &event);
        if (run->result == 1)
            dispatch(run->websocket, &event);
    }
}

/* Pass on what has arrived, until the codec or the user has had enough.  A
 * callback that raises has had its event, and the next one follows. */
static void run_codec(weir_websocket *websocket)
{
    struct run run = {websocket, 1};

    weir__websocket_hold(websocket);
    while (!weir_loop_contain(pass_events, &run, 0))
        ;
    if (websocket->stream != NULL && run.result >= 0)
        run.result = keep_unread(websocket);
    if (websocket->stream != NULL && run.result < 0)
        weir__websocket_fail(websocket, run.result);
    weir__websocket_release(websocket);
}

static void on_read(void *arg, weir_stream *stream, int status,
                    weir_bytes bytes)
{
    weir_websocket *websocket = arg;

    if (status != 0) {
        weir__websocket_lose(websocket, status);
        return;
    }
    websocket->heard_ns = weir_loop_now(websocket->loop);
    websocket->is_pinging = false;
    weir__codec_feed(&websocket->codec, bytes);
    run_codec(websocket);
}

/* ---- pausing, and waking up ---- */

void weir__websocket_shut_down(void *arg, int status)
{
    weir_websocket *websocket = arg;
    weir_bytes none = {NULL, 0};

    websocket->is_shutting_down = false;
    if (websocket->on_shutdown != NULL)
        websocket->on_shutdown(websocket->arg, websocket);
    else /* if it fails, the drain's deadline is the end */
        (void)!weir_websocket_close(websocket, WEIR_WEBSOCKET_RESTART, none);
}

static void on_wake(weir_task *task, int status)
{
    weir_websocket *websocket =
        (weir_websocket *)((char *)task - offsetof(weir_websocket, task));

    websocket->is_waking = false;
    if (status == 0 && websocket->is_shutting_down && websocket->stream != NULL)
        (void)weir_loop_contain(weir__websocket_shut_down, websocket, 0);
    if (status == 0 && is_receiving(websocket))
        run_codec(websocket);
    if (is_receiving(websocket))
        weir_stream_resume(websocket->stream);
    weir__websocket_release(websocket);
}

/* If the loop does not take the task, it has ended, and so does the stream. */
void weir__websocket_wake(weir_websocket *websocket)
{
    if (websocket->is_waking)
        return;
    websocket->task = (weir_task){.run = on_wake, .name = "websocket"};
    if (weir_loop_post(websocket->loop, &websocket->task) != 0)
        return;
    websocket->is_waking = true;
    weir__websocket_hold(websocket);
}

void weir_websocket_pause(weir_websocket *websocket)
{
    websocket->is_paused = true;
    if (websocket->stream != NULL)
        weir_stream_pause(websocket->stream);
}

void weir_websocket_resume(weir_websocket *websocket)
{
    if (!websocket->is_paused)
        return;
    websocket->is_paused = false;
    websocket->heard_ns = weir_loop_now(websocket->loop);
    if (websocket->stream != NULL)
        weir__websocket_wake(websocket);
}

/* ---- opening ---- */

static void on_stream_drain(void *arg, weir_stream *stream)
{
    weir_websocket *websocket = arg;

    if (websocket->stream != NULL && websocket->on_drain != NULL)
        websocket->on_drain(websocket->arg, websocket);
}

static void on_stream_end(void *arg, weir_stream *stream)
{
    weir__websocket_lose(arg, WEIR_ECANCELED);
}

/* The events of the stream were those of HTTP until now. */
static void take_events(weir_websocket *websocket, weir_stream *stream)
{
    stream->on_end = on_stream_end;
    stream->on_drain = on_stream_drain;
    stream->arg = websocket;
    stream->high_water = websocket->high_water_bytes;
    weir_stream_set_name(stream, "websocket");
}

static int check_options(const weir_websocket_options *options)
{
    return options->ping_interval_ns < 0 || options->ping_timeout_ns < 0 ||
                   options->close_timeout_ns < 0 || options->linger_ns < 0 ||
                   options->deflate_level < 0 || options->deflate_level > 9 ||
                   (options->early.size > 0 && options->early.data == NULL)
               ? -EINVAL
               : 0;
}

static void init_codec(weir_websocket *websocket,
                       const weir_websocket_handshake *handshake,
                       const weir_websocket_options *options)
{
    struct weir__codec_options codec = {
        .is_client = handshake->role == WEIR_WEBSOCKET_CLIENT,
        .is_streaming = options->is_streaming,
        .max_message_bytes = options->max_message_bytes != 0
                                 ? options->max_message_bytes
                                 : WEIR_WEBSOCKET_MAX_MESSAGE,
        .max_frames = options->max_frames != 0 ? options->max_frames
                                               : WEIR_WEBSOCKET_MAX_FRAMES,
        .min_deflate_bytes = options->min_deflate_bytes != 0
                                 ? options->min_deflate_bytes
                                 : MIN_DEFLATE,
        .level = options->deflate_level,
        .deflate = handshake->deflate,
    };

    weir__codec_init(&websocket->codec, &codec);
}

static void init_websocket(weir_websocket *websocket, weir_loop *loop,
                           const weir_websocket_options *options)
{
    memset(websocket, 0, sizeof(*websocket));
    websocket->loop = loop;
    websocket->holds = 1;
    websocket->code = WEIR_WEBSOCKET_ABNORMAL;
    websocket->heard_ns = weir_loop_now(loop);
    websocket->ping_interval_ns = options->ping_interval_ns;
    websocket->ping_timeout_ns = options->ping_timeout_ns != 0
                                     ? options->ping_timeout_ns
                                     : options->ping_interval_ns;
    websocket->close_timeout_ns =
        options->close_timeout_ns != 0 ? options->close_timeout_ns : WEIR_S(10);
    websocket->linger_ns =
        options->linger_ns != 0 ? options->linger_ns : WEIR_S(2);
    websocket->high_water_bytes = options->high_water_bytes != 0
                                      ? options->high_water_bytes
                                      : WEIR_STREAM_HIGH_WATER;
    websocket->arg = options->arg;
    websocket->on_message = options->on_message;
    websocket->on_pong = options->on_pong;
    websocket->on_close = options->on_close;
    websocket->on_drain = options->on_drain;
    websocket->on_shutdown = options->on_shutdown;
}

int weir__websocket_new(weir_websocket **made, weir_loop *loop,
                        const weir_websocket_handshake *handshake,
                        const weir_websocket_options *given)
{
    weir_websocket_options options;
    weir_websocket *websocket;
    int err = weir_sized_read(&options, sizeof(options), given);

    if (err == 0)
        err = check_options(&options);
    if (err != 0)
        return err;
    websocket = weir_memory_alloc(sizeof(*websocket));
    if (websocket == NULL)
        return -ENOMEM;
    init_websocket(websocket, loop, &options);
    init_codec(websocket, handshake, &options);
    weir__codec_feed(&websocket->codec, options.early);
    err = keep_unread(websocket);
    if (err == 0 && websocket->ping_interval_ns > 0)
        err =
            weir__websocket_start_timer(websocket, websocket->ping_interval_ns);
    if (err != 0) {
        weir__websocket_release(websocket);
        return err;
    }
    *made = websocket;
    return 0;
}

void weir__websocket_drop(weir_websocket *websocket)
{
    weir__websocket_stop_timer(websocket);
    weir__websocket_release(websocket);
}

int weir__websocket_attach(weir_websocket *websocket, weir_stream *stream)
{
    int err = weir_stream_read(stream, on_read, websocket);

    if (err != 0)
        return err;
    websocket->stream = stream;
    take_events(websocket, stream);
    if (websocket->held == NULL) {
        weir_stream_resume(stream);
    } else {
        weir_stream_pause(stream);
        weir__websocket_wake(websocket);
    }
    return 0;
}

int weir_websocket_open(weir_websocket **made, weir_stream *stream,
                        const weir_websocket_handshake *handshake,
                        const weir_websocket_options *options)
{
    weir_websocket *websocket;
    int err;

    if (made == NULL || stream == NULL || handshake == NULL)
        return -EINVAL;
    err = weir__websocket_new(&websocket, weir_stream_loop(stream), handshake,
                              options);
    if (err != 0)
        return err;
    err = weir__websocket_attach(websocket, stream);
    if (err != 0) {
        weir__websocket_drop(websocket);
        return err;
    }
    *made = websocket;
    return 0;
}

/* ---- looking ---- */

bool weir_websocket_is_full(const weir_websocket *websocket)
{
    return websocket->stream != NULL && weir_stream_is_full(websocket->stream);
}

size_t weir_websocket_queued_bytes(const weir_websocket *websocket)
{
    return websocket->stream != NULL
               ? weir_stream_queued_bytes(websocket->stream)
               : 0;
}

weir_stream *weir_websocket_stream(const weir_websocket *websocket)
{
    return websocket->stream;
}
