/* SPDX-License-Identifier: MIT */
/*
 * frame -- WebSocket frames from bytes, and bytes from frames, by wslay.
 *
 * wslay's frame layer parses headers and removes masks.  It checks lengths and
 * the shape of control frames; everything else is the codec's.
 *
 * wslay's context has a buffer of 4 KiB.  So that an idle connection does not
 * pay for it, a framer has a context only from the first byte of a frame to its
 * last one.  Nothing in wslay tells when that is, so the framer counts the
 * bytes that it has given and those of the frames that it got back.
 */
#ifndef WEIR_NET_WEBSOCKET_FRAME_H
#define WEIR_NET_WEBSOCKET_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/net/bytes.h"

enum {
    WEIR__FRAME_CONTINUATION = 0,
    WEIR__FRAME_TEXT = 1,
    WEIR__FRAME_BINARY = 2,
    WEIR__FRAME_CLOSE = 8,
    WEIR__FRAME_PING = 9,
    WEIR__FRAME_PONG = 10,

    WEIR__FRAME_RSV1 = 4, /* bits of rsv */

    WEIR__FRAME_HEADER = 14,   /* bytes of the longest header */
    WEIR__FRAME_CONTROL = 125, /* bytes of the longest control frame */
    WEIR__FRAME_KEYS = 32,
};

struct wslay_frame_context;

struct weir__framer {
    struct wslay_frame_context *context; /* NULL between frames */
    weir_bytes input;                    /* given, and not taken by wslay */
    size_t buffered;  /* in wslay: taken, and not part of a frame yet */
    uint64_t left;    /* payload of the current frame that is to come */
    bool is_inside;   /* a frame has begun, and has not ended */
    bool is_masking;  /* a client's */
    uint8_t key_size; /* unused bytes of keys */
    uint8_t keys[WEIR__FRAME_KEYS]; /* random bytes, for masks */
};

/* A part of a frame's payload. */
struct weir__frame {
    uint8_t opcode;
    uint8_t rsv;
    bool is_final;  /* the last frame of its message */
    bool is_masked; /* in transit; data is not */
    bool begins;    /* the first part of the frame */
    bool ends;      /* the last part of the frame */
    uint64_t size;  /* of the payload of the whole frame */
    weir_bytes data;
};

/* A frame that is ready to be written.  parts[0] is the header. */
struct weir__frame_out {
    weir_bytes parts[2];
    void *block; /* the masked copy of the payload, or NULL */
    size_t block_size;
    uint8_t header[WEIR__FRAME_HEADER];
};

void weir__framer_init(struct weir__framer *framer, bool is_client);
void weir__framer_fini(struct weir__framer *framer);

/* Read the next part of a frame from framer->input.  Its data is valid until the
 * next read.  Returns 1, 0 (it needs more input), WEIR_EWEBSOCKET, or -ENOMEM.
 * A framer that has returned an error is at its end. */
int weir__framer_read(struct weir__framer *framer, struct weir__frame *frame);

/* Make a frame.  A server's refers to the payload; a client's owns a masked
 * copy.  Returns 0, -ENOMEM, or an error of getrandom(2). */
int weir__framer_write(struct weir__framer *framer, struct weir__frame_out *out,
                       uint8_t opcode, uint8_t rsv, bool is_final,
                       weir_bytes payload);
void weir__frame_out_free(struct weir__frame_out *out);

/* A copy of a frame's parts elsewhere must refer to the copied header. */
void weir__frame_out_move(struct weir__frame_out *to,
                          const struct weir__frame_out *from);

#endif /* WEIR_NET_WEBSOCKET_FRAME_H */
