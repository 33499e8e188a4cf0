/* SPDX-License-Identifier: MIT */
/*
 * frame -- see frame.h.
 *
 * A header has at most 14 bytes and is collected byte by byte, because it may
 * arrive in pieces.  The payload is not copied: the mask is removed in place,
 * eight bytes at a time (docs/decisions/websocket.md).
 */
#include "websocket/frame.h"

#include <errno.h>
#include <string.h>

#include "os/random.h"
#include "weir/error.h"
#include "weir/host/memory.h"

enum {
    FINAL = 0x80,  /* of the first byte */
    MASKED = 0x80, /* of the second byte ... */
    LENGTH = 0x7f, /* ... and a length, or how many bytes of length follow */
    LENGTH_16 = 126,
    LENGTH_64 = 127,
    CONTROL = 8, /* the first opcode of a control frame */
};

/* Combine bytes with a mask of which `phase` bytes were used before. */
static void apply_mask(uint8_t *bytes, size_t size, const uint8_t mask[4],
                       uint64_t phase)
{
    uint8_t pattern[8];
    uint64_t eight, word;
    size_t i = 0;

    for (size_t at = 0; at < sizeof(pattern); at++)
        pattern[at] = mask[(phase + at) % 4];
    memcpy(&eight, pattern, sizeof(eight));
    for (; size - i >= sizeof(word); i += sizeof(word)) {
        memcpy(&word, bytes + i, sizeof(word));
        word ^= eight;
        memcpy(bytes + i, &word, sizeof(word));
    }
    for (; i < size; i++)
        bytes[i] ^= pattern[i % 8];
}

/* ---- reading ---- */

void weir__framer_init(struct weir__framer *framer, bool is_client)
{
    memset(framer, 0, sizeof(*framer));
    framer->is_masking = is_client;
}

/* The size of the header whose first two bytes these are. */
static size_t measure_header(const uint8_t *header)
{
    unsigned length = header[1] & LENGTH;

    return 2 +
           (length == LENGTH_16   ? 2
            : length == LENGTH_64 ? 8
                                  : 0) +
           (header[1] & MASKED ? 4 : 0);
}

/* Collect the header.  True if it is complete. */
static bool collect_header(struct weir__framer *framer)
{
    const uint8_t *from = framer->input.data;
    size_t taken = 0;

    while (taken < framer->input.size &&
           (framer->header_size < 2 ||
            framer->header_size < measure_header(framer->header)))
        framer->header[framer->header_size++] = from[taken++];
    framer->input.data = from + taken;
    framer->input.size -= taken;
    return framer->header_size >= 2 &&
           framer->header_size == measure_header(framer->header);
}

static uint64_t read_number(const uint8_t *bytes, size_t size)
{
    uint64_t number = 0;

    for (size_t i = 0; i < size; i++)
        number = number << 8 | bytes[i];
    return number;
}

/* Get the length of the payload.  Only the shortest form is valid.  False if it
 * is not, or if a control frame is too long or not whole. */
static bool read_length(struct weir__framer *framer)
{
    const uint8_t *header = framer->header;
    uint64_t length = header[1] & LENGTH, least = 0;

    if (length == LENGTH_16) {
        length = read_number(header + 2, 2);
        least = LENGTH_16;
    } else if (length == LENGTH_64) {
        length = read_number(header + 2, 8);
        least = UINT16_MAX + 1;
    }
    framer->size = framer->left = length;
    if (length < least || length > INT64_MAX)
        return false;
    return (header[0] & 0xf) < CONTROL ||
           (header[0] & FINAL && length <= WEIR__FRAME_CONTROL);
}

/* Take what there is of the payload. */
static void take_payload(struct weir__framer *framer, struct weir__frame *frame)
{
    const uint8_t *header = framer->header;
    size_t size = framer->left < framer->input.size ? (size_t)framer->left
                                                    : framer->input.size;

    frame->opcode = header[0] & 0xf;
    frame->rsv = header[0] >> 4 & 7;
    frame->is_final = header[0] & FINAL;
    frame->is_masked = header[1] & MASKED;
    frame->size = framer->size;
    frame->data = (weir_bytes){framer->input.data, size};
    if (frame->is_masked && size > 0)
        apply_mask((uint8_t *)framer->input.data, size,
                   header + framer->header_size - 4,
                   framer->size - framer->left);
    framer->input.data = (const uint8_t *)framer->input.data + size;
    framer->input.size -= size;
    framer->left -= size;
}

int weir__framer_read(struct weir__framer *framer, struct weir__frame *frame)
{
    frame->begins = !framer->is_inside;
    if (frame->begins) {
        if (framer->input.size == 0 || !collect_header(framer))
            return 0;
        if (!read_length(framer))
            return WEIR_EWEBSOCKET;
    } else if (framer->input.size == 0) {
        return 0;
    }
    take_payload(framer, frame);
    frame->ends = framer->left == 0;
    framer->is_inside = !frame->ends;
    if (frame->ends)
        framer->header_size = 0;
    return 1;
}

/* ---- writing ---- */

/* One system call gets the keys of several frames. */
static int take_key(struct weir__framer *framer, uint8_t key[4])
{
    if (framer->key_size == 0) {
        int err = weir__random_fill(framer->keys, sizeof(framer->keys));

        if (err != 0)
            return err;
        framer->key_size = sizeof(framer->keys);
    }
    framer->key_size -= 4;
    memcpy(key, framer->keys + framer->key_size, 4);
    return 0;
}

static uint8_t *write_number(uint8_t *to, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] = (uint8_t)(number >> 8 * (size - 1 - i));
    return to + size;
}

/* Write the second byte, and the length that follows it.  Returns the end. */
static uint8_t *write_length(uint8_t *to, uint64_t length, uint8_t masked)
{
    if (length < LENGTH_16) {
        *to++ = masked | (uint8_t)length;
        return to;
    }
    *to++ = masked | (length <= UINT16_MAX ? LENGTH_16 : LENGTH_64);
    return write_number(to, length, length <= UINT16_MAX ? 2 : 8);
}

/* Mask a copy of the payload. */
static int mask_payload(struct weir__frame_out *out, weir_bytes payload,
                        const uint8_t key[4])
{
    if (payload.size == 0)
        return 0;
    out->block = weir_memory_alloc(payload.size);
    if (out->block == NULL)
        return -ENOMEM;
    out->block_size = payload.size;
    memcpy(out->block, payload.data, payload.size);
    apply_mask(out->block, payload.size, key, 0);
    out->parts[1].data = out->block;
    return 0;
}

int weir__framer_write(struct weir__framer *framer, struct weir__frame_out *out,
                       uint8_t opcode, uint8_t rsv, bool is_final,
                       weir_bytes payload)
{
    uint8_t masked = framer->is_masking ? MASKED : 0;
    uint8_t *end;
    int err = 0;

    memset(out, 0, sizeof(*out));
    out->header[0] = (is_final ? FINAL : 0) | (uint8_t)(rsv << 4) | opcode;
    end = write_length(out->header + 1, payload.size, masked);
    out->parts[1] = payload;
    if (masked) {
        err = take_key(framer, end);
        if (err == 0)
            err = mask_payload(out, payload, end);
        end += 4;
    }
    out->parts[0] = (weir_bytes){out->header, (size_t)(end - out->header)};
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
