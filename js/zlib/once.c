/* SPDX-License-Identifier: MIT */
/*
 * once -- a whole message compressed by libdeflate, in about half of zlib's
 * time (docs/decisions/compression.md).
 *
 * zlib keeps what libdeflate cannot do: pieces, dictionaries, other windows and
 * strategies, and an output whose limit may be exceeded.  Short messages are
 * zlib's, too, because its state is there already.
 *
 * Tested by  test/js/zlib/zlib-once.js
 */
#include <libdeflate.h>
#include <zlib.h>

#include "zlib/codec.h"

enum { LEAST_BYTES = 32 << 10, USUAL_WINDOW = 15, USUAL_MEMORY = 8 };

/* The order of the parameters of zlib. */
enum { WINDOW_BITS, LEVEL, MEMORY_LEVEL, STRATEGY };

/* In the header of gzip: how the data was compressed, and Unix. */
enum { EXTRA_FLAGS = 8, SYSTEM = 9, SLOWEST = 2, FASTEST = 4, UNIX = 3 };

static bool is_usual(const struct weir__js_codec *codec)
{
    const struct weir__js_codec_parameter *given = codec->parameters;

    return given[WINDOW_BITS].value == USUAL_WINDOW &&
           given[MEMORY_LEVEL].value == USUAL_MEMORY &&
           given[STRATEGY].value == Z_DEFAULT_STRATEGY &&
           codec->dictionary == NULL;
}

static bool has_begun(const struct weir__js_codec *codec)
{
    const z_stream *stream = codec->state;

    return stream->total_in > 0 || stream->total_out > 0 ||
           codec->error.message != NULL;
}

size_t weir__js_codec_bound(const struct weir__js_codec *codec, int flush)
{
    if (codec->kind != &weir__js_codec_zlib || flush != Z_FINISH ||
        codec->in_left < LEAST_BYTES || !is_usual(codec) || has_begun(codec))
        return 0;
    switch (codec->mode) {
    case WEIR__JS_CODEC_DEFLATE:
        return libdeflate_zlib_compress_bound(NULL, codec->in_left);
    case WEIR__JS_CODEC_GZIP:
        return libdeflate_gzip_compress_bound(NULL, codec->in_left);
    case WEIR__JS_CODEC_DEFLATE_RAW:
        return libdeflate_deflate_compress_bound(NULL, codec->in_left);
    default:
        return 0;
    }
}

/* Returns the size of the output, or 0. */
static size_t compress_with(struct libdeflate_compressor *compressor,
                            struct weir__js_codec *codec, int level)
{
    size_t size;

    switch (codec->mode) {
    case WEIR__JS_CODEC_DEFLATE:
        return libdeflate_zlib_compress(compressor, codec->in, codec->in_left,
                                        codec->out, codec->out_left);
    case WEIR__JS_CODEC_GZIP:
        size = libdeflate_gzip_compress(compressor, codec->in, codec->in_left,
                                        codec->out, codec->out_left);
        if (size > 0) { /* as zlib has them */
            codec->out[EXTRA_FLAGS] = level == Z_BEST_COMPRESSION ? SLOWEST
                                      : level < 2                 ? FASTEST
                                                                  : 0;
            codec->out[SYSTEM] = UNIX;
        }
        return size;
    default:
        return libdeflate_deflate_compress(
            compressor, codec->in, codec->in_left, codec->out, codec->out_left);
    }
}

bool weir__js_codec_run_once(struct weir__js_codec *codec)
{
    int level = codec->parameters[LEVEL].value;
    struct libdeflate_compressor *compressor;
    size_t size;

    if (level == Z_DEFAULT_COMPRESSION)
        level = 6;
    compressor = libdeflate_alloc_compressor(level);
    if (compressor == NULL)
        return false;
    size = compress_with(compressor, codec, level);
    libdeflate_free_compressor(compressor);
    if (size > 0)
        weir__js_codec_advance(codec, codec->in_left, size);
    return size > 0;
}
