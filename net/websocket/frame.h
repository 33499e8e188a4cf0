/* SPDX-License-Identifier: MIT */
/*
 * frame -- WebSocket frames from bytes, and bytes from frames (RFC 6455, 5.2).
 *
 * The framer parses headers and removes masks.  It checks lengths and the form
 * of control frames; the codec checks everything else.  The framer has no
 * buffer: a frame is passed on in the parts in which it arrives.
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

struct weir__framer {
    weir_bytes input; /* given, and not read */
    uint64_t size;    /* payload of the current frame ... */
    uint64_t left;    /* ... and what of it is to come */
    bool is_inside;   /* a header has been read, and its payload has not */
    bool is_masking;  /* a client's */
    uint8_t header_size;
    uint8_t key_size;                   /* unused bytes of keys */
    uint8_t header[WEIR__FRAME_HEADER]; /* of the current frame */
    uint8_t keys[WEIR__FRAME_KEYS];     /* random bytes, for masks */
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

/* Read the next part of a frame from framer->input, whose bytes are changed:
 * the mask is removed in them.  Returns 1, 0 (it needs more input), or
 * WEIR_EWEBSOCKET, which is the end of the framer. */
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
