/* SPDX-License-Identifier: MIT */
/*
 * codec -- the WebSocket protocol without I/O.  It turns received bytes into
 * events, and messages into frames to send.
 *
 *     weir__codec_feed(&codec, bytes);
 *     while ((err = weir__codec_next(&codec, &event)) == 1)
 *         ...                                    event.bytes, until the next
 *
 *     weir__codec_message(&codec, &frame, kind, bytes, true);
 *     ...                                        write frame.parts
 *     weir__codec_sent(&codec, &frame);          or weir__codec_unsent
 *
 * A caller that stops calling weir__codec_next applies back-pressure: the input
 * stays where it is, and weir__codec_unread returns what has to be kept.
 *
 * Memory that a peer can make the codec use: a message of max_message_bytes (at
 * most twice that while the buffer grows), and the decompressor.  Between
 * messages there is only the decompressor, if its context is taken over.
 */
#ifndef WEIR_NET_WEBSOCKET_CODEC_H
#define WEIR_NET_WEBSOCKET_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/net/websocket.h"

#include "websocket/deflate.h"
#include "websocket/frame.h"
#include "websocket/utf8.h"

enum weir__codec_type {
    WEIR__CODEC_MESSAGE, /* or a part of it, if the codec is streaming */
    WEIR__CODEC_PING,
    WEIR__CODEC_PONG,
    WEIR__CODEC_CLOSE, /* the last event */
};

struct weir__codec_event {
    enum weir__codec_type type;
    weir_websocket_kind kind; /* of a message */
    bool is_last;             /* part of a message */
    uint16_t code;            /* of a Close frame */
    weir_bytes bytes;         /* the message, the payload, or the reason */
};

struct weir__codec_options {
    bool is_client;
    bool is_streaming;
    size_t max_message_bytes;
    uint32_t max_frames;
    size_t min_deflate_bytes;
    int level;
    weir_websocket_deflate deflate; /* as agreed on */
};

/* What is being received. */
struct weir__codec_input {
    weir_websocket_kind kind; /* 0: between messages */
    bool is_compressed;
    bool is_ending;  /* its last frame has arrived */
    bool is_pending; /* the decompressor has more to give */
    uint8_t control_size;
    uint32_t frames;
    size_t received; /* payload bytes of its frames */
    size_t size;     /* bytes of the message, in `data` or passed on */
    uint8_t *data;   /* of `capacity` bytes, or NULL */
    size_t capacity;
    struct weir__utf8 utf8;
    uint8_t control[WEIR__FRAME_CONTROL]; /* a control frame in pieces */
};

/* What is being sent. */
struct weir__codec_output {
    weir_websocket_kind kind; /* 0: between messages */
    bool is_compressed;
    struct weir__utf8 utf8;
};

struct weir__codec {
    struct weir__framer framer;
    struct weir__codec_input in;
    struct weir__codec_output out;
    struct weir__deflate deflate;
    struct weir__inflate inflate;
    size_t max_message_bytes;
    size_t min_deflate_bytes;
    uint32_t max_frames;
    uint16_t code; /* for the Close frame, after an error of weir__codec_next */
    bool is_client;
    bool is_streaming;
    bool is_deflating;
    bool has_delivered; /* in.data, which is to be freed */
    bool is_over;       /* a Close frame has arrived, or there was an error */
};

/* A frame to be written, and the state that the codec is in afterwards. */
struct weir__codec_frame {
    struct weir__frame_out frame; /* its parts */
    void *block;                  /* compressed payload, or NULL */
    size_t block_size;
    struct weir__codec_output after;
};

void weir__codec_init(struct weir__codec *codec,
                      const struct weir__codec_options *options);
void weir__codec_fini(struct weir__codec *codec);

/* Whether a Close frame may have this code. */
bool weir__codec_is_code_valid(uint16_t code);

/* ---- receiving ---- */

/* Give bytes that have arrived, after weir__codec_next has used up the last
 * ones.  They are borrowed until it has used up these, and they are changed:
 * the mask is removed in them. */
void weir__codec_feed(struct weir__codec *codec, weir_bytes bytes);

/* Get the next event.  Returns 1, 0 (it needs more input), WEIR_EWEBSOCKET
 * (then codec->code is what to close with) or -ENOMEM.  After an error or a
 * Close frame it ignores all input and returns 0. */
int weir__codec_next(struct weir__codec *codec,
                     struct weir__codec_event *event);

/* Get the input that weir__codec_next has not taken yet. */
weir_bytes weir__codec_unread(const struct weir__codec *codec);
/* That input was moved. */
void weir__codec_move(struct weir__codec *codec, const void *to);

/* Whether weir__codec_next may return an event without more input. */
bool weir__codec_is_pending(const struct weir__codec *codec);

/* ---- sending ---- */

/* Make the frame of a message, or of a part of one.  The payload is borrowed
 * until the frame has been written.  Returns 0, -EINVAL (another kind than the
 * message has, or not UTF-8), -ENOMEM, or an error of getrandom(2). */
int weir__codec_message(struct weir__codec *codec,
                        struct weir__codec_frame *made,
                        weir_websocket_kind kind, weir_bytes bytes,
                        bool is_last);

/* Make a ping or a pong of at most 125 bytes. */
int weir__codec_control(struct weir__codec *codec,
                        struct weir__codec_frame *made, uint8_t opcode,
                        weir_bytes bytes);

/* Make a Close frame.  Returns also -EINVAL: a code that cannot be sent, or a
 * reason without one, too long, or not UTF-8. */
int weir__codec_close(struct weir__codec *codec, struct weir__codec_frame *made,
                      uint16_t code, weir_bytes reason);

/* The frame has been accepted for writing: it is the next one on the wire.  It
 * remains the caller's, to free when its bytes are no longer needed. */
void weir__codec_sent(struct weir__codec *codec,
                      const struct weir__codec_frame *made);

/* The frame has not been accepted.  It is freed. */
void weir__codec_unsent(struct weir__codec *codec,
                        struct weir__codec_frame *made);

void weir__codec_frame_free(struct weir__codec_frame *made);

/* Whether a message in fragments has begun and has not ended. */
static inline bool weir__codec_is_inside(const struct weir__codec *codec)
{
    return codec->out.kind != 0;
}

#endif /* WEIR_NET_WEBSOCKET_CODEC_H */
