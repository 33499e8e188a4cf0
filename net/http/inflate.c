/* SPDX-License-Identifier: MIT */
/*
 * inflate -- zlib, brotli and zstd behind one function, and a chain of them.
 *
 * Shape     A stage decodes one coding.  The last coding that was applied is
 *           decoded first: stages[0] reads the caller's input, each other one
 *           what the stage before it has written into its buffer.
 * Deflate   means zlib's format (RFC 9110, 8.4.1.2), but some servers send the
 *           bare format.  The first byte tells them apart, as in browsers.
 * Memory    zlib and brotli allocate through weir_memory_alloc; they free
 *           without a size, which is therefore kept in front of each block.
 *           zstd's stable interface has no such hooks.  Windows are bounded: 32
 *           KiB, 16 MiB, and 8 MiB (RFC 9659).
 *
 * Tested by  test/net/http/inflate.c
 */
#include "http/inflate.h"

#include <brotli/decode.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "http/header.h"
#include "weir/error.h"
#include "weir/host/memory.h"

enum { BUFFER_SIZE = 16 * 1024, ZSTD_WINDOW_LOG = 23 };

enum state {
    STATE_BEGIN, /* nothing has been read */
    STATE_INSIDE,
    STATE_BETWEEN, /* complete; another member or frame may follow */
    STATE_OVER,    /* complete; what follows is ignored */
};

struct stage {
    /* Decode.  Returns the bytes written, 0 (it needs input), or an error. */
    ssize_t (*read)(struct stage *stage, weir_bytes *input, void *to,
                    size_t size);
    enum state state;
    union {
        z_stream zlib;
        BrotliDecoderState *brotli;
        ZSTD_DStream *zstd;
    };
    /* What the next stage has not read yet; NULL for the last one. */
    uint8_t *buffer;
    weir_bytes waiting;
};

struct weir__http_inflate {
    int count;
    struct stage stages[WEIR__HTTP_INFLATE_MOST];
};

/* ---- memory ---- */

/* Keeps the alignment of what follows. */
union block {
    size_t size;
    max_align_t align;
};

static void *alloc_block(void *arg, size_t size)
{
    union block *block;

    (void)arg;
    if (size > SIZE_MAX - sizeof(*block))
        return NULL;
    block = weir_memory_alloc(sizeof(*block) + size);
    if (block == NULL)
        return NULL;
    block->size = sizeof(*block) + size;
    return block + 1;
}

static void free_block(void *arg, void *pointer)
{
    union block *block = pointer;

    (void)arg;
    if (block != NULL)
        weir_memory_free(block - 1, block[-1].size);
}

static void *alloc_items(void *arg, unsigned count, unsigned size)
{
    return alloc_block(arg, (size_t)count * size);
}

/* ---- input ---- */

static void take(weir_bytes *input, size_t size)
{
    *input = (weir_bytes){(const char *)input->data + size, input->size - size};
}

static unsigned clamp(size_t size)
{
    return size < UINT32_MAX ? (unsigned)size : UINT32_MAX;
}

/* ---- zlib ---- */

/* Let zlib decode.  It may write nothing though input is left, because it has
 * read a header. */
static ssize_t run_zlib(struct stage *stage, weir_bytes *input, void *to,
                        size_t size)
{
    z_stream *stream = &stage->zlib;
    unsigned given = clamp(input->size);
    unsigned room = clamp(size);
    int result;

    stream->next_in = (Bytef *)(uintptr_t)input->data;
    stream->avail_in = given;
    stream->next_out = to;
    stream->avail_out = room;
    result = inflate(stream, Z_NO_FLUSH);
    take(input, given - stream->avail_in);
    if (result == Z_MEM_ERROR)
        return -ENOMEM;
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        return -EBADMSG;
    if (result == Z_STREAM_END)
        stage->state = STATE_BETWEEN;
    return room - stream->avail_out;
}

/* Decode until something comes out or nothing more goes in. */
static ssize_t drain_zlib(struct stage *stage, weir_bytes *input, void *to,
                          size_t size)
{
    for (;;) {
        size_t left = input->size;
        ssize_t written = run_zlib(stage, input, to, size);

        if (written != 0 || stage->state != STATE_INSIDE || left == input->size)
            return written;
    }
}

static ssize_t read_gzip(struct stage *stage, weir_bytes *input, void *to,
                         size_t size)
{
    while (stage->state != STATE_OVER) {
        ssize_t written;

        if (stage->state != STATE_INSIDE) {
            if (input->size == 0)
                return 0;
            if (stage->state == STATE_BETWEEN &&
                *(const uint8_t *)input->data != 0x1f)
                break;
            if (inflateReset(&stage->zlib) != Z_OK)
                return -EBADMSG;
            stage->state = STATE_INSIDE;
        }
        written = drain_zlib(stage, input, to, size);
        if (written != 0 || stage->state == STATE_INSIDE)
            return written;
    }
    stage->state = STATE_OVER;
    take(input, input->size);
    return 0;
}

static ssize_t read_deflate(struct stage *stage, weir_bytes *input, void *to,
                            size_t size)
{
    if (stage->state == STATE_BEGIN) {
        if (input->size == 0)
            return 0;
        /* The method is in the low half of the first byte of zlib's format. */
        if ((*(const uint8_t *)input->data & 15) != Z_DEFLATED &&
            inflateReset2(&stage->zlib, -MAX_WBITS) != Z_OK)
            return -ENOMEM;
        stage->state = STATE_INSIDE;
    }
    if (stage->state == STATE_INSIDE) {
        ssize_t written = drain_zlib(stage, input, to, size);

        if (written != 0 || stage->state == STATE_INSIDE)
            return written;
    }
    take(input, input->size);
    return 0;
}

/* ---- brotli ---- */

static ssize_t fail_brotli(const struct stage *stage)
{
    BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(stage->brotli);

    return code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES &&
                   code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES
               ? -ENOMEM
               : -EBADMSG;
}

static ssize_t read_brotli(struct stage *stage, weir_bytes *input, void *to,
                           size_t size)
{
    const uint8_t *in = input->data;
    size_t given = input->size;
    size_t room = size;
    uint8_t *out = to;
    BrotliDecoderResult result;

    if (stage->state == STATE_BETWEEN) {
        take(input, input->size);
        return 0;
    }
    if (input->size > 0)
        stage->state = STATE_INSIDE;
    result = BrotliDecoderDecompressStream(stage->brotli, &given, &in, &room,
                                           &out, NULL);
    take(input, input->size - given);
    if (result == BROTLI_DECODER_RESULT_ERROR)
        return fail_brotli(stage);
    if (result == BROTLI_DECODER_RESULT_SUCCESS) {
        stage->state = STATE_BETWEEN;
        if (room == size)
            take(input, input->size);
    }
    return (ssize_t)(size - room);
}

/* ---- zstd ---- */

static ssize_t read_zstd(struct stage *stage, weir_bytes *input, void *to,
                         size_t size)
{
    ZSTD_outBuffer out = {to, size, 0};

    do {
        ZSTD_inBuffer in = {input->data, input->size, 0};
        size_t written = out.pos;
        size_t result;

        if (in.size > 0)
            stage->state = STATE_INSIDE;
        else if (stage->state != STATE_INSIDE)
            break;
        result = ZSTD_decompressStream(stage->zstd, &out, &in);
        take(input, in.pos);
        if (ZSTD_isError(result))
            return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation
                       ? -ENOMEM
                       : -EBADMSG;
        if (result == 0) /* a frame is complete */
            stage->state = STATE_BETWEEN;
        else if (in.pos == 0 && out.pos == written)
            break;
    } while (out.pos == 0);
    return (ssize_t)out.pos;
}

/* ---- stages ---- */

static int init_zlib(struct stage *stage, int bits)
{
    stage->zlib.zalloc = alloc_items;
    stage->zlib.zfree = free_block;
    return inflateInit2(&stage->zlib, bits) == Z_OK ? 0 : -ENOMEM;
}

static int init_gzip(struct stage *stage)
{
    stage->read = read_gzip;
    return init_zlib(stage, MAX_WBITS + 16);
}

static int init_deflate(struct stage *stage)
{
    stage->read = read_deflate;
    return init_zlib(stage, MAX_WBITS);
}

static int init_brotli(struct stage *stage)
{
    stage->read = read_brotli;
    stage->brotli = BrotliDecoderCreateInstance(alloc_block, free_block, NULL);
    return stage->brotli != NULL ? 0 : -ENOMEM;
}

static int init_zstd(struct stage *stage)
{
    stage->read = read_zstd;
    stage->zstd = ZSTD_createDStream();
    if (stage->zstd == NULL)
        return -ENOMEM;
    (void)ZSTD_DCtx_setParameter(stage->zstd, ZSTD_d_windowLogMax,
                                 ZSTD_WINDOW_LOG);
    return 0;
}

static void fini_stage(struct stage *stage)
{
    if (stage->read == read_brotli)
        BrotliDecoderDestroyInstance(stage->brotli);
    else if (stage->read == read_zstd)
        ZSTD_freeDStream(stage->zstd);
    else
        inflateEnd(&stage->zlib);
    weir_memory_free(stage->buffer, BUFFER_SIZE);
}

typedef int init_fn(struct stage *stage);

static init_fn *find_coding(weir_bytes name)
{
    static const struct {
        weir_bytes name;
        init_fn *init;
    } codings[] = {
        {WEIR_BYTES_OF("gzip"), init_gzip},
        {WEIR_BYTES_OF("x-gzip"), init_gzip},
        {WEIR_BYTES_OF("deflate"), init_deflate},
        {WEIR_BYTES_OF("br"), init_brotli},
        {WEIR_BYTES_OF("zstd"), init_zstd},
    };

    for (size_t n = 0; n < sizeof(codings) / sizeof(*codings); n++)
        if (weir__http_is_equal(codings[n].name, name))
            return codings[n].init;
    return NULL;
}

/* ---- chains ---- */

/* Find the codings of a list, the last one first.  Returns their number or
 * -EOPNOTSUPP. */
static int parse_encoding(weir_bytes encoding,
                          init_fn *found[WEIR__HTTP_INFLATE_MOST])
{
    static const weir_bytes identity = WEIR_BYTES_OF("identity");
    weir_bytes name;
    int count = 0;

    while (weir__http_list_next(&encoding, &name)) {
        init_fn *init = find_coding(name);

        if (init == NULL && weir__http_is_equal(name, identity))
            continue;
        if (init == NULL || count == WEIR__HTTP_INFLATE_MOST)
            return -EOPNOTSUPP;
        memmove(found + 1, found, (size_t)count * sizeof(*found));
        found[0] = init;
        count++;
    }
    return count;
}

static int add_stage(struct weir__http_inflate *inflate, init_fn *init,
                     bool is_last)
{
    struct stage *stage = &inflate->stages[inflate->count];
    int err;

    *stage = (struct stage){0};
    if (!is_last) {
        stage->buffer = weir_memory_alloc(BUFFER_SIZE);
        if (stage->buffer == NULL)
            return -ENOMEM;
    }
    err = init(stage);
    if (err != 0)
        weir_memory_free(stage->buffer, BUFFER_SIZE);
    else
        inflate->count++;
    return err;
}

int weir__http_inflate_new(struct weir__http_inflate **made,
                           weir_bytes encoding)
{
    init_fn *codings[WEIR__HTTP_INFLATE_MOST];
    int count = parse_encoding(encoding, codings);
    struct weir__http_inflate *inflate;

    *made = NULL;
    if (count <= 0)
        return count;
    inflate = weir_memory_alloc(sizeof(*inflate));
    if (inflate == NULL)
        return -ENOMEM;
    inflate->count = 0;
    for (int n = 0; n < count; n++) {
        int err = add_stage(inflate, codings[n], n == count - 1);

        if (err != 0) {
            weir__http_inflate_free(inflate);
            return err;
        }
    }
    *made = inflate;
    return 0;
}

void weir__http_inflate_free(struct weir__http_inflate *inflate)
{
    if (inflate == NULL)
        return;
    for (int n = 0; n < inflate->count; n++)
        fini_stage(&inflate->stages[n]);
    weir_memory_free(inflate, sizeof(*inflate));
}

/* Read from the n-th stage, which reads from those before it. */
static ssize_t read_stage(struct weir__http_inflate *inflate, int n,
                          weir_bytes *input, void *to, size_t size)
{
    struct stage *stage = &inflate->stages[n];
    struct stage *before = stage - 1;

    if (n == 0)
        return stage->read(stage, input, to, size);
    for (;;) {
        ssize_t written = stage->read(stage, &before->waiting, to, size);

        if (written != 0)
            return written;
        written =
            read_stage(inflate, n - 1, input, before->buffer, BUFFER_SIZE);
        if (written <= 0)
            return written;
        before->waiting = (weir_bytes){before->buffer, (size_t)written};
    }
}

ssize_t weir__http_inflate_read(struct weir__http_inflate *inflate,
                                weir_bytes *input, void *to, size_t size)
{
    return read_stage(inflate, inflate->count - 1, input, to, size);
}

int weir__http_inflate_end(const struct weir__http_inflate *inflate)
{
    for (int n = 0; n < inflate->count; n++)
        if (inflate->stages[n].state == STATE_INSIDE)
            return WEIR_ETRUNCATED;
    return 0;
}
