/* SPDX-License-Identifier: MIT */
/*
 * codec -- see codec.h.  Everything belongs to one connection and is used on
 * its loop's thread only.
 *
 * Receiving  A frame arrives in pieces.  The first piece is checked against the
 *            state of the connection.  The payload of a message goes through
 *            the decompressor if it is compressed, through the UTF-8 check if
 *            it is a text, and into in.data.  A message that arrives in one
 *            piece is not copied.
 *
 * Memory     in.data grows with what has arrived, not with what a header
 *            announces.  It is freed by the call after the one that has
 *            delivered it.
 *
 * The sending half is encode.c.
 */
#include "websocket/codec.h"

#include <errno.h>
#include <string.h>

#include "weir/error.h"
#include "weir/host/memory.h"

enum {
    SMALLEST_BUFFER = 4096,
    LARGEST_START = 65536, /* of a buffer, on the word of a header */
    CODE_SIZE = 2,
};

/* ---- making and ending ---- */

static uint8_t window_bits(uint8_t agreed)
{
    return agreed == 0 ? 15 : agreed;
}

static void init_deflate(struct weir__codec *codec,
                         const struct weir__codec_options *options)
{
    const weir_websocket_deflate *agreed = &options->deflate;
    uint8_t server = window_bits(agreed->server_max_window_bits);
    uint8_t client = window_bits(agreed->client_max_window_bits);
    bool is_client = options->is_client;

    codec->is_deflating = agreed->is_on;
    codec->deflate.window_bits = is_client ? client : server;
    codec->inflate.window_bits = is_client ? server : client;
    codec->deflate.takes_over = is_client ? !agreed->client_no_context_takeover
                                          : !agreed->server_no_context_takeover;
    codec->inflate.takes_over = is_client ? !agreed->server_no_context_takeover
                                          : !agreed->client_no_context_takeover;
    codec->deflate.level = (int8_t)(options->level == 0 ? -1 : options->level);
}

void weir__codec_init(struct weir__codec *codec,
                      const struct weir__codec_options *options)
{
    memset(codec, 0, sizeof(*codec));
    weir__framer_init(&codec->framer, options->is_client);
    codec->is_client = options->is_client;
    codec->is_streaming = options->is_streaming;
    codec->max_message_bytes = options->max_message_bytes;
    codec->max_frames = options->max_frames;
    codec->min_deflate_bytes = options->min_deflate_bytes;
    init_deflate(codec, options);
}

static void free_message(struct weir__codec *codec)
{
    weir_memory_free(codec->in.data, codec->in.capacity);
    codec->in.data = NULL;
    codec->in.capacity = 0;
    codec->has_delivered = false;
}

void weir__codec_fini(struct weir__codec *codec)
{
    weir__deflate_fini(&codec->deflate);
    weir__inflate_fini(&codec->inflate);
    free_message(codec);
}

/* ---- receiving: errors ---- */

static int fail(struct weir__codec *codec, uint16_t code)
{
    codec->code = code;
    return WEIR_EWEBSOCKET;
}

static int fail_protocol(struct weir__codec *codec)
{
    return fail(codec, WEIR_WEBSOCKET_PROTOCOL_ERROR);
}

/* ---- receiving: the beginning of a frame ---- */

static bool is_control(const struct weir__frame *frame)
{
    return frame->opcode >= WEIR__FRAME_CLOSE;
}

static int begin_message(struct weir__codec *codec,
                         const struct weir__frame *frame)
{
    struct weir__codec_input *in = &codec->in;

    if (in->kind != 0)
        return fail_protocol(codec); /* the last one has not ended */
    if (frame->rsv != 0 &&
        (frame->rsv != WEIR__FRAME_RSV1 || !codec->is_deflating))
        return fail_protocol(codec);
    in->kind = frame->opcode == WEIR__FRAME_TEXT ? WEIR_WEBSOCKET_TEXT
                                                 : WEIR_WEBSOCKET_BINARY;
    in->is_compressed = frame->rsv != 0;
    in->frames = 0;
    in->received = 0;
    in->size = 0;
    memset(&in->utf8, 0, sizeof(in->utf8));
    return 0;
}

/* What is compressed may be larger than what it stands for, if it was flushed
 * often; but not without limit. */
static bool is_within_limit(const struct weir__codec *codec, uint64_t size)
{
    size_t limit = codec->max_message_bytes;

    if (codec->in.is_compressed)
        limit = limit > SIZE_MAX / 2 - SMALLEST_BUFFER
                    ? SIZE_MAX
                    : limit * 2 + SMALLEST_BUFFER;
    return size <= limit && codec->in.received <= limit - size;
}

static int begin_data(struct weir__codec *codec,
                      const struct weir__frame *frame)
{
    struct weir__codec_input *in = &codec->in;
    int err = 0;

    if (frame->opcode != WEIR__FRAME_CONTINUATION)
        err = begin_message(codec, frame);
    else if (in->kind == 0 || frame->rsv != 0)
        err = fail_protocol(codec);
    if (err != 0)
        return err;
    if (++in->frames > codec->max_frames ||
        !is_within_limit(codec, frame->size))
        return fail(codec, WEIR_WEBSOCKET_TOO_BIG);
    in->received += frame->size;
    return 0;
}

static int begin_frame(struct weir__codec *codec,
                       const struct weir__frame *frame)
{
    if (frame->is_masked == codec->is_client)
        return fail_protocol(codec); /* only a client masks */
    switch (frame->opcode) {
    case WEIR__FRAME_CONTINUATION:
    case WEIR__FRAME_TEXT:
    case WEIR__FRAME_BINARY:
        return begin_data(codec, frame);
    case WEIR__FRAME_CLOSE:
    case WEIR__FRAME_PING:
    case WEIR__FRAME_PONG:
        codec->in.control_size = 0;
        return frame->rsv == 0 ? 0 : fail_protocol(codec);
    default:
        return fail_protocol(codec);
    }
}

/* ---- receiving: control frames ---- */

static bool is_utf8(weir_bytes bytes)
{
    struct weir__utf8 utf8 = {0};

    return weir__utf8_check(&utf8, bytes.data, bytes.size) &&
           weir__utf8_is_whole(&utf8);
}

static int receive_close(struct weir__codec *codec,
                         struct weir__codec_event *event)
{
    const uint8_t *data = event->bytes.data;

    event->code = WEIR_WEBSOCKET_NO_CODE;
    if (event->bytes.size > 0) {
        if (event->bytes.size < CODE_SIZE)
            return fail_protocol(codec);
        event->code = (uint16_t)(data[0] << 8 | data[1]);
        event->bytes.data = data + CODE_SIZE;
        event->bytes.size -= CODE_SIZE;
        if (!weir__codec_is_code_valid(event->code))
            return fail_protocol(codec);
        if (!is_utf8(event->bytes))
            return fail(codec, WEIR_WEBSOCKET_INVALID_DATA);
    }
    codec->is_over = true;
    return 1;
}

static int receive_control(struct weir__codec *codec,
                           const struct weir__frame *frame,
                           struct weir__codec_event *event)
{
    struct weir__codec_input *in = &codec->in;

    event->bytes = frame->data;
    if (!frame->begins || !frame->ends) {
        if (frame->data.size > 0)
            memcpy(in->control + in->control_size, frame->data.data,
                   frame->data.size);
        in->control_size += (uint8_t)frame->data.size;
        event->bytes = (weir_bytes){in->control, in->control_size};
    }
    if (!frame->ends)
        return 0;
    switch (frame->opcode) {
    case WEIR__FRAME_PING:
        event->type = WEIR__CODEC_PING;
        return 1;
    case WEIR__FRAME_PONG:
        event->type = WEIR__CODEC_PONG;
        return 1;
    default:
        event->type = WEIR__CODEC_CLOSE;
        return receive_close(codec, event);
    }
}

/* ---- receiving: the buffer ---- */

/* Make room for at least one more byte, and for `more` if that is known. */
static int reserve(struct weir__codec *codec, size_t more)
{
    struct weir__codec_input *in = &codec->in;
    size_t limit = codec->max_message_bytes, capacity = in->capacity * 2;
    uint8_t *data;

    if (in->capacity - in->size >= more && in->capacity > in->size)
        return 0;
    if (capacity < in->size + more)
        capacity = in->size + more;
    if (capacity < SMALLEST_BUFFER)
        capacity = SMALLEST_BUFFER;
    if (capacity > limit)
        capacity = limit > in->size ? limit : in->size + 1;
    data = weir_memory_alloc(capacity);
    if (data == NULL)
        return -ENOMEM;
    if (in->size > 0)
        memcpy(data, in->data, in->size);
    weir_memory_free(in->data, in->capacity);
    in->data = data;
    in->capacity = capacity;
    return 0;
}

/* The first buffer of a message has the size that the frame announces, within
 * reason. */
static int append(struct weir__codec *codec, const struct weir__frame *frame)
{
    struct weir__codec_input *in = &codec->in;
    size_t more = frame->data.size;
    int err;

    if (in->capacity == 0 && more < LARGEST_START && more < frame->size)
        more = frame->size < LARGEST_START ? frame->size : LARGEST_START;
    if (more == 0)
        return 0;
    err = reserve(codec, more);
    if (err != 0)
        return err;
    memcpy(in->data + in->size, frame->data.data, frame->data.size);
    in->size += frame->data.size;
    return 0;
}

/* ---- receiving: messages ---- */

static int check_text(struct weir__codec *codec, const void *data, size_t size)
{
    struct weir__codec_input *in = &codec->in;

    if (in->kind != WEIR_WEBSOCKET_TEXT ||
        weir__utf8_check(&in->utf8, data, size))
        return 0;
    return fail(codec, WEIR_WEBSOCKET_INVALID_DATA);
}

/* Deliver a message, or a part of one.  A part that is empty and not the last
 * one is none. */
static int deliver(struct weir__codec *codec, weir_bytes bytes, bool is_last,
                   struct weir__codec_event *event)
{
    struct weir__codec_input *in = &codec->in;

    if (!is_last && (bytes.size == 0 || !codec->is_streaming))
        return 0;
    if (is_last && !weir__utf8_is_whole(&in->utf8))
        return fail(codec, WEIR_WEBSOCKET_INVALID_DATA);
    event->type = WEIR__CODEC_MESSAGE;
    event->kind = in->kind;
    event->bytes = bytes;
    event->is_last = is_last;
    codec->has_delivered = is_last;
    if (is_last)
        in->kind = 0;
    return 1;
}

static int receive_plain(struct weir__codec *codec,
                         const struct weir__frame *frame,
                         struct weir__codec_event *event)
{
    struct weir__codec_input *in = &codec->in;
    bool is_last = frame->is_final && frame->ends;
    int err = check_text(codec, frame->data.data, frame->data.size);

    if (err != 0)
        return err;
    if (codec->is_streaming || (is_last && in->size == 0))
        return deliver(codec, frame->data, is_last, event);
    err = append(codec, frame);
    if (err != 0)
        return err;
    return deliver(codec, (weir_bytes){in->data, in->size}, is_last, event);
}

static int inflate_failed(struct weir__codec *codec, int err)
{
    return err == WEIR_EWEBSOCKET ? fail(codec, WEIR_WEBSOCKET_INVALID_DATA)
                                  : err;
}

/* Fill the rest of the buffer.  *got: the bytes that were added. */
static int inflate_more(struct weir__codec *codec, size_t *got, bool *is_full)
{
    struct weir__codec_input *in = &codec->in;
    uint8_t *to = in->data + in->size;
    size_t room = in->capacity - in->size;
    int err;

    *got = room;
    err = weir__inflate_run(&codec->inflate, to, got);
    if (err != 0)
        return inflate_failed(codec, err);
    *is_full = *got == room;
    return check_text(codec, to, *got);
}

/* A whole message: inflate everything, in a buffer that grows up to the limit
 * and by one byte beyond it. */
static int inflate_whole(struct weir__codec *codec)
{
    struct weir__codec_input *in = &codec->in;
    bool is_full = true;
    size_t got;
    int err;

    while (is_full) {
        err = reserve(codec, 1);
        if (err == 0)
            err = inflate_more(codec, &got, &is_full);
        if (err != 0)
            return err;
        in->size += got;
        if (in->size > codec->max_message_bytes)
            return fail(codec, WEIR_WEBSOCKET_TOO_BIG);
    }
    in->is_pending = false;
    return 0;
}

/* A part of a message, in a buffer that does not grow; `size` counts what was
 * passed on. */
static int inflate_part(struct weir__codec *codec, size_t *got)
{
    struct weir__codec_input *in = &codec->in;
    size_t passed = in->size;
    bool is_full;
    int err;

    in->size = 0;
    err = in->capacity > 0 ? 0 : reserve(codec, LARGEST_START / 4);
    if (err == 0)
        err = inflate_more(codec, got, &is_full);
    if (err != 0)
        return err;
    in->is_pending = is_full;
    in->size = passed + *got;
    if (*got > codec->max_message_bytes ||
        passed > codec->max_message_bytes - *got)
        return fail(codec, WEIR_WEBSOCKET_TOO_BIG);
    return 0;
}

/* The tail follows when everything else is used up. */
static bool give_tail(struct weir__codec *codec)
{
    struct weir__codec_input *in = &codec->in;

    if (in->is_pending || !in->is_ending || codec->inflate.is_ending)
        return false;
    weir__inflate_feed_tail(&codec->inflate);
    in->is_pending = true;
    return true;
}

static int inflate_next(struct weir__codec *codec,
                        struct weir__codec_event *event)
{
    struct weir__codec_input *in = &codec->in;
    size_t got = 0;
    bool is_last;
    int err;

    do
        err = codec->is_streaming ? inflate_part(codec, &got)
                                  : inflate_whole(codec);
    while (err == 0 && (give_tail(codec) && got == 0));
    if (err != 0)
        return err;
    is_last = !in->is_pending && in->is_ending;
    if (is_last) {
        weir__inflate_end(&codec->inflate);
        in->is_ending = false;
    }
    return deliver(codec,
                   (weir_bytes){in->data, codec->is_streaming ? got : in->size},
                   is_last, event);
}

/* Some peers compress an empty message to nothing, because zlib does not flush
 * twice in a row. */
static int receive_compressed(struct weir__codec *codec,
                              const struct weir__frame *frame,
                              struct weir__codec_event *event)
{
    int err;

    if (codec->in.received == 0)
        return deliver(codec, frame->data, frame->is_final, event);
    err = weir__inflate_feed(&codec->inflate, frame->data);
    if (err != 0)
        return err;
    codec->in.is_pending = true;
    codec->in.is_ending = frame->is_final && frame->ends;
    return inflate_next(codec, event);
}

static int receive(struct weir__codec *codec, const struct weir__frame *frame,
                   struct weir__codec_event *event)
{
    int err = frame->begins ? begin_frame(codec, frame) : 0;

    if (err != 0)
        return err;
    if (is_control(frame))
        return receive_control(codec, frame, event);
    return codec->in.is_compressed ? receive_compressed(codec, frame, event)
                                   : receive_plain(codec, frame, event);
}

/* ---- receiving ---- */

void weir__codec_feed(struct weir__codec *codec, weir_bytes bytes)
{
    codec->framer.input = bytes;
}

/* The bytes that the decompressor has not used.  They lie before the rest of
 * the input. */
static size_t count_compressed(const struct weir__codec *codec)
{
    return codec->in.is_pending ? weir__inflate_left(&codec->inflate) : 0;
}

weir_bytes weir__codec_unread(const struct weir__codec *codec)
{
    weir_bytes unread = codec->framer.input;
    size_t left = count_compressed(codec);

    return (weir_bytes){(const uint8_t *)unread.data - left,
                        unread.size + left};
}

void weir__codec_move(struct weir__codec *codec, const void *to)
{
    size_t left = count_compressed(codec);

    if (left > 0)
        weir__inflate_move(&codec->inflate, to);
    codec->framer.input.data = (const uint8_t *)to + left;
}

bool weir__codec_is_pending(const struct weir__codec *codec)
{
    return !codec->is_over &&
           (codec->in.is_pending || codec->framer.input.size > 0);
}

/* Nothing that arrives from now on matters. */
static void end_input(struct weir__codec *codec)
{
    codec->is_over = true;
    codec->in.is_pending = false;
    codec->framer.input.size = 0;
    weir__inflate_fini(&codec->inflate);
    free_message(codec);
}

int weir__codec_next(struct weir__codec *codec, struct weir__codec_event *event)
{
    struct weir__frame frame;
    int result = 0;

    if (codec->has_delivered)
        free_message(codec);
    if (codec->is_over) {
        end_input(codec);
        return 0;
    }
    if (codec->in.is_pending)
        result = inflate_next(codec, event);
    while (result == 0) {
        result = weir__framer_read(&codec->framer, &frame);
        if (result == 0)
            return 0;
        if (result == WEIR_EWEBSOCKET)
            codec->code = WEIR_WEBSOCKET_PROTOCOL_ERROR;
        if (result == 1)
            result = receive(codec, &frame, event);
    }
    if (result < 0)
        end_input(codec);
    return result;
}
