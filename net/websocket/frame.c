/* SPDX-License-Identifier: MIT */
/*
 * frame -- see frame.h.
 *
 * wslay calls back for input, for output and for masking keys; each callback
 * runs inside weir__framer_read or weir__framer_write and only copies.  The
 * context belongs to the framer.  wslay allocates it with malloc(3).
 */
#include "websocket/frame.h"

#include <errno.h>
#include <string.h>
#include <wslay/wslay.h>

#include "os/random.h"
#include "weir/error.h"
#include "weir/host/memory.h"

/* What the callbacks of wslay get while a frame is written. */
struct writing {
    struct weir__framer *framer;
    struct weir__frame_out *out;
    size_t copied; /* into the block */
    int error;
};

/* ---- callbacks of wslay ---- */

static ssize_t give_input(uint8_t *to, size_t size, int flags, void *arg)
{
    struct weir__framer *framer = arg;
    size_t count = framer->input.size < size ? framer->input.size : size;

    (void)flags;
    if (count == 0)
        return -1;
    memcpy(to, framer->input.data, count);
    framer->input.data = (const uint8_t *)framer->input.data + count;
    framer->input.size -= count;
    framer->buffered += count;
    return (ssize_t)count;
}

/* The header comes first.  A payload that is not masked is the caller's. */
static ssize_t take_output(const uint8_t *data, size_t size, int flags,
                           void *arg)
{
    struct writing *writing = arg;
    struct weir__frame_out *out = writing->out;

    (void)flags;
    if (out->parts[0].size == 0) {
        memcpy(out->header, data, size);
        out->parts[0] = (weir_bytes){out->header, size};
    } else if (out->block == NULL) {
        out->parts[1] = (weir_bytes){data, size};
    } else {
        memcpy((uint8_t *)out->block + writing->copied, data, size);
        writing->copied += size;
    }
    return (ssize_t)size;
}

/* One system call gets the keys of several frames. */
static int take_key(uint8_t *key, size_t size, void *arg)
{
    struct writing *writing = arg;
    struct weir__framer *framer = writing->framer;

    if (framer->key_size < size) {
        writing->error = weir__random_fill(framer->keys, sizeof(framer->keys));
        if (writing->error != 0)
            return -1;
        framer->key_size = sizeof(framer->keys);
    }
    framer->key_size -= (uint8_t)size;
    memcpy(key, framer->keys + framer->key_size, size);
    return 0;
}

/* ---- reading ---- */

void weir__framer_init(struct weir__framer *framer, bool is_client)
{
    memset(framer, 0, sizeof(*framer));
    framer->is_masking = is_client;
}

void weir__framer_fini(struct weir__framer *framer)
{
    if (framer->context != NULL)
        wslay_frame_context_free(framer->context);
    framer->context = NULL;
}

static int begin_reading(struct weir__framer *framer)
{
    static const struct wslay_frame_callbacks callbacks = {.recv_callback =
                                                               give_input};

    if (framer->context != NULL)
        return 0;
    return wslay_frame_context_init(&framer->context, &callbacks, framer) == 0
               ? 0
               : -ENOMEM;
}

/* wslay accepts only the shortest form of a length. */
static size_t count_header(const struct wslay_frame_iocb *got)
{
    size_t size = got->payload_length < 126     ? 2
                  : got->payload_length < 65536 ? 4
                                                : 10;

    return size + (got->mask ? 4 : 0);
}

static void fill(struct weir__framer *framer, struct weir__frame *frame,
                 const struct wslay_frame_iocb *got)
{
    frame->opcode = got->opcode;
    frame->rsv = got->rsv;
    frame->is_final = got->fin;
    frame->is_masked = got->mask;
    frame->size = got->payload_length;
    frame->data = (weir_bytes){got->data, got->data_length};
    frame->begins = !framer->is_inside;
    if (frame->begins) {
        framer->buffered -= count_header(got);
        framer->left = got->payload_length;
    }
    framer->buffered -= got->data_length;
    framer->left -= got->data_length;
    frame->ends = framer->left == 0;
    framer->is_inside = !frame->ends;
}

int weir__framer_read(struct weir__framer *framer, struct weir__frame *frame)
{
    struct wslay_frame_iocb got = {0};
    ssize_t result;
    int err;

    if (framer->input.size == 0 && framer->buffered == 0) {
        if (!framer->is_inside)
            weir__framer_fini(framer);
        return 0;
    }
    err = begin_reading(framer);
    if (err != 0)
        return err;
    /* It may return although there is more input, after part of a header. */
    do
        result = wslay_frame_recv(framer->context, &got);
    while (result == WSLAY_ERR_WANT_READ && framer->input.size > 0);
    if (result == WSLAY_ERR_WANT_READ)
        return 0;
    if (result < 0)
        return WEIR_EWEBSOCKET;
    fill(framer, frame, &got);
    return 1;
}

/* ---- writing ---- */

static int allocate_block(struct weir__frame_out *out, size_t size)
{
    out->block = weir_memory_alloc(size);
    if (out->block == NULL)
        return -ENOMEM;
    out->block_size = size;
    out->parts[1] = (weir_bytes){out->block, size};
    return 0;
}

/* The context for reading is in the middle of a frame, perhaps; and its
 * callbacks get the framer.  So writing has one of its own, for the moment. */
static int write_frame(struct writing *writing, struct wslay_frame_iocb *frame)
{
    static const struct wslay_frame_callbacks callbacks = {
        .send_callback = take_output, .genmask_callback = take_key};
    struct wslay_frame_context *context;
    ssize_t result;

    if (wslay_frame_context_init(&context, &callbacks, writing) != 0)
        return -ENOMEM;
    result = wslay_frame_send(context, frame);
    wslay_frame_context_free(context);
    return result >= 0 ? 0 : writing->error != 0 ? writing->error : -EINVAL;
}

int weir__framer_write(struct weir__framer *framer, struct weir__frame_out *out,
                       uint8_t opcode, uint8_t rsv, bool is_final,
                       weir_bytes payload)
{
    struct writing writing = {.framer = framer, .out = out};
    struct wslay_frame_iocb frame = {
        .fin = is_final,
        .rsv = rsv,
        .opcode = opcode,
        .payload_length = payload.size,
        .mask = framer->is_masking,
        .data = payload.data,
        .data_length = payload.size,
    };
    int err = 0;

    memset(out, 0, sizeof(*out));
    if (framer->is_masking && payload.size > 0)
        err = allocate_block(out, payload.size);
    if (err == 0)
        err = write_frame(&writing, &frame);
    if (err != 0)
        weir__frame_out_free(out);
    return err;
}

void weir__frame_out_free(struct weir__frame_out *out)
{
    weir_memory_free(out->block, out->block_size);
    memset(out, 0, sizeof(*out));
}

void weir__frame_out_move(struct weir__frame_out *to,
                          const struct weir__frame_out *from)
{
    *to = *from;
    to->parts[0].data = to->header;
}
