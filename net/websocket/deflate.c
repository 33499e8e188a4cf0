/* SPDX-License-Identifier: MIT */
/*
 * deflate -- see deflate.h.
 *
 * A message is a raw DEFLATE stream, flushed to a byte boundary by an empty
 * stored block, 00 00 ff ff, which is removed from its end.  If a message is
 * sent in parts, each part is flushed, and the block is removed from the last
 * part only.
 *
 * zlib's free function does not get the size of a block, which weir's needs, so
 * each block begins with its size.
 */
#include "websocket/deflate.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "weir/error.h"
#include "weir/host/memory.h"

enum {
    TAIL = 4, /* bytes of the empty stored block, without its header */
    SMALLEST_BLOCK = 64,
    WINDOW = 32768,
    BLOCK_HEADER = 16,    /* keeps the alignment */
    BETWEEN_BLOCKS = 128, /* z_stream.data_type of inflate */
    UNUSED_BITS = 7,
};

static const uint8_t tail[TAIL] = {0x00, 0x00, 0xff, 0xff};

struct weir__zlib {
    z_stream stream;
};

/* ---- memory ---- */

static void *allocate(void *arg, uInt count, uInt size)
{
    size_t total = (size_t)count * size + BLOCK_HEADER;
    uint8_t *block = weir_memory_alloc(total);

    (void)arg;
    if (block == NULL)
        return NULL;
    memcpy(block, &total, sizeof(total));
    return block + BLOCK_HEADER;
}

static void release(void *arg, void *pointer)
{
    uint8_t *block = (uint8_t *)pointer - BLOCK_HEADER;
    size_t total;

    (void)arg;
    memcpy(&total, block, sizeof(total));
    weir_memory_free(block, total);
}

static struct weir__zlib *make_zlib(void)
{
    struct weir__zlib *zlib = weir_memory_alloc(sizeof(*zlib));

    if (zlib == NULL)
        return NULL;
    memset(zlib, 0, sizeof(*zlib));
    zlib->stream.zalloc = allocate;
    zlib->stream.zfree = release;
    return zlib;
}

/* ---- compressing ---- */

void weir__deflate_fini(struct weir__deflate *deflate)
{
    if (deflate->zlib == NULL)
        return;
    (void)deflateEnd(&deflate->zlib->stream);
    weir_memory_free(deflate->zlib, sizeof(*deflate->zlib));
    deflate->zlib = NULL;
}

/* A small window has small tables: together 8 << window_bits. */
static int begin_deflate(struct weir__deflate *deflate)
{
    struct weir__zlib *zlib;
    int memory_level = deflate->window_bits - 7;

    if (deflate->zlib != NULL)
        return 0;
    zlib = make_zlib();
    if (zlib == NULL)
        return -ENOMEM;
    if (deflateInit2(&zlib->stream, deflate->level, Z_DEFLATED,
                     -deflate->window_bits, memory_level,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        weir_memory_free(zlib, sizeof(*zlib));
        return -ENOMEM;
    }
    deflate->zlib = zlib;
    return 0;
}

/* zlib does not flush twice in a row, so a part without bytes is written by
 * hand: the header of an empty stored block, and what the last part loses. */
static size_t write_empty(uint8_t *block, bool is_last)
{
    block[0] = 0;
    memcpy(block + 1, tail, TAIL);
    return is_last ? 1 : 1 + TAIL;
}

/* zlib counts in 32 bits. */
static uInt clamp(size_t size)
{
    return size < UINT32_MAX ? (uInt)size : UINT32_MAX;
}

/* What deflate writes to.  It grows as needed, because most messages become
 * much smaller. */
struct output {
    uint8_t *block;
    size_t size;
    size_t used;
};

static bool grow(struct output *output)
{
    size_t size = output->size * 2;
    uint8_t *block = weir_memory_alloc(size);

    if (block == NULL)
        return false;
    memcpy(block, output->block, output->used);
    weir_memory_free(output->block, output->size);
    output->block = block;
    output->size = size;
    return true;
}

static bool compress_all(z_stream *stream, weir_bytes part,
                         struct output *output)
{
    /* zlib does not change its input. */
    stream->next_in = (Bytef *)(uintptr_t)part.data;
    do {
        uInt given = clamp(part.size), room;

        if (output->used == output->size && !grow(output))
            return false;
        room = clamp(output->size - output->used);
        stream->avail_in = given;
        stream->next_out = output->block + output->used;
        stream->avail_out = room;
        (void)deflate(stream, part.size > given ? Z_NO_FLUSH : Z_SYNC_FLUSH);
        part.size -= given - stream->avail_in;
        output->used += room - stream->avail_out;
    } while (part.size > 0 || stream->avail_out == 0);
    return true;
}

static bool compress_part(z_stream *stream, weir_bytes part, bool is_last,
                          struct output *output)
{
    output->size = part.size / 2 + SMALLEST_BLOCK;
    output->block = weir_memory_alloc(output->size);
    if (output->block == NULL)
        return false;
    if (part.size == 0) {
        output->used = write_empty(output->block, is_last);
        return true;
    }
    if (!compress_all(stream, part, output)) {
        weir_memory_free(output->block, output->size);
        return false;
    }
    output->used -= is_last ? TAIL : 0;
    return true;
}

int weir__deflate_part(struct weir__deflate *deflate, weir_bytes part,
                       bool is_last, void **block, size_t *size, size_t *used)
{
    struct output output = {0};
    int err = begin_deflate(deflate);

    if (err != 0)
        return err;
    if (!compress_part(&deflate->zlib->stream, part, is_last, &output)) {
        weir__deflate_forget(deflate);
        return -ENOMEM;
    }
    *block = output.block;
    *size = output.size;
    *used = output.used;
    if (is_last && !deflate->takes_over)
        weir__deflate_fini(deflate);
    return 0;
}

void weir__deflate_forget(struct weir__deflate *deflate)
{
    if (deflate->zlib != NULL)
        (void)deflateReset(&deflate->zlib->stream);
}

/* ---- decompressing ---- */

void weir__inflate_fini(struct weir__inflate *inflate)
{
    if (inflate->zlib == NULL)
        return;
    (void)inflateEnd(&inflate->zlib->stream);
    weir_memory_free(inflate->zlib, sizeof(*inflate->zlib));
    inflate->zlib = NULL;
}

static int begin_inflate(struct weir__inflate *inflate)
{
    struct weir__zlib *zlib;

    if (inflate->zlib != NULL)
        return 0;
    zlib = make_zlib();
    if (zlib == NULL)
        return -ENOMEM;
    if (inflateInit2(&zlib->stream, -inflate->window_bits) != Z_OK) {
        weir_memory_free(zlib, sizeof(*zlib));
        return -ENOMEM;
    }
    inflate->zlib = zlib;
    return 0;
}

int weir__inflate_feed(struct weir__inflate *inflate, weir_bytes part)
{
    int err = begin_inflate(inflate);

    if (err != 0)
        return err;
    inflate->zlib->stream.next_in = (Bytef *)(uintptr_t)part.data;
    inflate->zlib->stream.avail_in = (uInt)part.size;
    return 0;
}

size_t weir__inflate_left(const struct weir__inflate *inflate)
{
    return inflate->zlib == NULL || inflate->is_ending
               ? 0
               : inflate->zlib->stream.avail_in;
}

void weir__inflate_move(struct weir__inflate *inflate, const void *to)
{
    inflate->zlib->stream.next_in = (Bytef *)(uintptr_t)to;
}

void weir__inflate_feed_tail(struct weir__inflate *inflate)
{
    inflate->is_ending = true;
    inflate->zlib->stream.next_in = (Bytef *)(uintptr_t)tail;
    inflate->zlib->stream.avail_in = TAIL;
}

/* A block was marked as the last one of its stream (RFC 7692, 7.2.3.4).  What
 * follows may still refer to what came before. */
static int continue_after_end(z_stream *stream)
{
    uInt size = WINDOW;
    uint8_t *window = weir_memory_alloc(WINDOW);
    int result;

    if (window == NULL)
        return -ENOMEM;
    (void)inflateGetDictionary(stream, window, &size);
    (void)inflateReset(stream);
    result = inflateSetDictionary(stream, window, size);
    weir_memory_free(window, WINDOW);
    return result == Z_OK ? 0 : -ENOMEM;
}

/* *is_whole: a block has just ended, at a byte boundary. */
static int run_once(z_stream *stream, bool *is_whole)
{
    int result = inflate(stream, Z_SYNC_FLUSH);

    *is_whole =
        result == Z_STREAM_END || ((stream->data_type & BETWEEN_BLOCKS) &&
                                   (stream->data_type & UNUSED_BITS) == 0);
    switch (result) {
    case Z_OK:
    case Z_BUF_ERROR: /* it needs more input, or more room */
        return 0;
    case Z_STREAM_END:
        return continue_after_end(stream);
    case Z_MEM_ERROR:
        return -ENOMEM;
    default:
        return WEIR_EWEBSOCKET;
    }
}

/* inflate says whether a block has ended only in the call that has read its
 * end, so a call that does nothing must not be asked. */
int weir__inflate_run(struct weir__inflate *inflate, void *to, size_t *size)
{
    z_stream *stream = &inflate->zlib->stream;
    uInt room = clamp(*size), input, output;
    bool is_whole, did_nothing;
    int err;

    stream->next_out = to;
    stream->avail_out = room;
    do {
        input = stream->avail_in;
        output = stream->avail_out;
        err = run_once(stream, &is_whole);
        did_nothing = stream->avail_in == input && stream->avail_out == output;
        if (!did_nothing)
            inflate->is_whole = is_whole;
    } while (err == 0 && !did_nothing && stream->avail_in > 0 &&
             stream->avail_out > 0);
    *size = room - stream->avail_out;
    if (err == 0 && *size < room && inflate->is_ending && !inflate->is_whole)
        err = WEIR_EWEBSOCKET;
    return err;
}

void weir__inflate_end(struct weir__inflate *inflate)
{
    inflate->is_ending = false;
    if (!inflate->takes_over)
        weir__inflate_fini(inflate);
}
