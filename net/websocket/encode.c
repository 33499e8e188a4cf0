/* SPDX-License-Identifier: MIT */
/*
 * encode -- the sending half of the codec (codec.h).
 *
 * A frame is made first, and changes the codec's state only when the stream has
 * accepted it, because a call that fails must have no effect.  The compressor
 * is the exception: if its output is not sent, it is reset.
 */
#include <errno.h>
#include <string.h>

#include "websocket/codec.h"

#include "weir/error.h"
#include "weir/host/memory.h"

enum {
    CODE_SIZE = 2,
    SMALLEST_WINDOW = 9, /* that zlib can compress with */
};

bool weir__codec_is_code_valid(uint16_t code)
{
    return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
           (code >= 3000 && code <= 4999);
}

/* ---- messages ---- */

/* Begin a message, or continue one, in the state after this frame. */
static int begin(const struct weir__codec *codec,
                 struct weir__codec_output *after, weir_websocket_kind kind,
                 weir_bytes bytes, bool is_last)
{
    *after = codec->out;
    if (after->kind != 0)
        return after->kind == kind ? 0 : -EINVAL;
    after->kind = kind;
    memset(&after->utf8, 0, sizeof(after->utf8));
    after->is_compressed = codec->is_deflating &&
                           codec->deflate.window_bits >= SMALLEST_WINDOW &&
                           (bytes.size >= codec->min_deflate_bytes || !is_last);
    return 0;
}

static int check_text(struct weir__codec_output *after, weir_bytes bytes,
                      bool is_last)
{
    if (after->kind != WEIR_WEBSOCKET_TEXT)
        return 0;
    if (!weir__utf8_check(&after->utf8, bytes.data, bytes.size))
        return -EINVAL;
    return is_last && !weir__utf8_is_whole(&after->utf8) ? -EINVAL : 0;
}

static int compress(struct weir__codec *codec, struct weir__codec_frame *made,
                    weir_bytes *bytes, bool is_last)
{
    size_t used;
    int err = weir__deflate_part(&codec->deflate, *bytes, is_last, &made->block,
                                 &made->block_size, &used);

    if (err == 0)
        *bytes = (weir_bytes){made->block, used};
    return err;
}

/* A client's frame has a masked copy, so what was compressed can go. */
static void drop_block(struct weir__codec_frame *made)
{
    weir_memory_free(made->block, made->block_size);
    made->block = NULL;
    made->block_size = 0;
}

int weir__codec_message(struct weir__codec *codec,
                        struct weir__codec_frame *made,
                        weir_websocket_kind kind, weir_bytes bytes,
                        bool is_last)
{
    struct weir__codec_output *after = &made->after;
    bool is_first = codec->out.kind == 0;
    int err;

    made->block = NULL;
    made->block_size = 0;
    err = begin(codec, after, kind, bytes, is_last);
    if (err == 0)
        err = check_text(after, bytes, is_last);
    if (err == 0 && after->is_compressed)
        err = compress(codec, made, &bytes, is_last);
    if (err != 0)
        return err;
    if (is_last)
        after->kind = 0;
    err = weir__framer_write(
        &codec->framer, &made->frame,
        is_first ? (uint8_t)kind : WEIR__FRAME_CONTINUATION,
        is_first && after->is_compressed ? WEIR__FRAME_RSV1 : 0, is_last,
        bytes);
    if (err != 0)
        weir__codec_unsent(codec, made);
    else if (codec->is_client)
        drop_block(made);
    return err;
}

/* ---- control frames ---- */

int weir__codec_control(struct weir__codec *codec,
                        struct weir__codec_frame *made, uint8_t opcode,
                        weir_bytes bytes)
{
    made->block = NULL;
    made->block_size = 0;
    made->after = codec->out;
    if (bytes.size > WEIR__FRAME_CONTROL)
        return -EINVAL;
    return weir__framer_write(&codec->framer, &made->frame, opcode, 0, true,
                              bytes);
}

/* The code and the reason are put together in a block of the frame, which a
 * server's frame refers to. */
int weir__codec_close(struct weir__codec *codec, struct weir__codec_frame *made,
                      uint16_t code, weir_bytes reason)
{
    struct weir__utf8 utf8 = {0};
    uint8_t *payload;
    int err;

    if (code == 0 && reason.size == 0)
        return weir__codec_control(codec, made, WEIR__FRAME_CLOSE, reason);
    if (!weir__codec_is_code_valid(code) ||
        reason.size > WEIR__FRAME_CONTROL - CODE_SIZE ||
        !weir__utf8_check(&utf8, reason.data, reason.size) ||
        !weir__utf8_is_whole(&utf8))
        return -EINVAL;
    payload = weir_memory_alloc(CODE_SIZE + reason.size);
    if (payload == NULL)
        return -ENOMEM;
    payload[0] = (uint8_t)(code >> 8);
    payload[1] = (uint8_t)code;
    if (reason.size > 0)
        memcpy(payload + CODE_SIZE, reason.data, reason.size);
    err = weir__codec_control(codec, made, WEIR__FRAME_CLOSE,
                              (weir_bytes){payload, CODE_SIZE + reason.size});
    made->block = payload;
    made->block_size = CODE_SIZE + reason.size;
    if (err != 0 || codec->is_client)
        drop_block(made);
    return err;
}

/* ---- what becomes of a frame ---- */

void weir__codec_sent(struct weir__codec *codec,
                      const struct weir__codec_frame *made)
{
    codec->out = made->after;
}

void weir__codec_unsent(struct weir__codec *codec,
                        struct weir__codec_frame *made)
{
    if (made->after.is_compressed)
        weir__deflate_forget(&codec->deflate);
    weir__codec_frame_free(made);
}

void weir__codec_frame_free(struct weir__codec_frame *made)
{
    drop_block(made);
    weir__frame_out_free(&made->frame);
}
