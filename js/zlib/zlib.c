/* SPDX-License-Identifier: MIT */
/*
 * zlib -- the codecs of zlib: deflate, inflate, and their gzip and raw forms.
 *
 * A gzip file may have several members.  zlib decodes one, and this file begins
 * with the next.  Zeros after the last member are padding.
 *
 * Tested by  test/js/zlib
 */
#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "zlib/codec.h"

enum { WINDOW_BITS, LEVEL, MEMORY_LEVEL, STRATEGY };

/* Added to the window bits, these select another form than zlib's own. */
enum { AS_GZIP = 16, AS_EITHER = 32 };

/* zlib counts in unsigned int. */
#define LARGEST_PIECE ((size_t)1 << 30)

static bool is_encoder(const struct weir__js_codec *codec)
{
    return codec->mode == WEIR__JS_CODEC_DEFLATE ||
           codec->mode == WEIR__JS_CODEC_GZIP ||
           codec->mode == WEIR__JS_CODEC_DEFLATE_RAW;
}

static int window_bits(const struct weir__js_codec *codec)
{
    int bits = codec->parameters[WINDOW_BITS].value;

    switch (codec->mode) {
    case WEIR__JS_CODEC_GZIP:
    case WEIR__JS_CODEC_GUNZIP:
        return bits + AS_GZIP;
    case WEIR__JS_CODEC_UNZIP:
        return bits + AS_EITHER;
    case WEIR__JS_CODEC_DEFLATE_RAW:
    case WEIR__JS_CODEC_INFLATE_RAW:
        return -bits;
    default:
        return bits;
    }
}

static const char *code_of(int number)
{
    switch (number) {
    case Z_NEED_DICT:
        return "Z_NEED_DICT";
    case Z_ERRNO:
        return "Z_ERRNO";
    case Z_STREAM_ERROR:
        return "Z_STREAM_ERROR";
    case Z_DATA_ERROR:
        return "Z_DATA_ERROR";
    case Z_MEM_ERROR:
        return "Z_MEM_ERROR";
    case Z_BUF_ERROR:
        return "Z_BUF_ERROR";
    default:
        return "Z_VERSION_ERROR";
    }
}

static void fail(struct weir__js_codec *codec, const char *message, int number)
{
    weir__js_codec_fail(codec, message, code_of(number), number);
}

/* ---- the beginning ---- */

/* Inflate asks for its dictionary when it needs it, unless the data has no
 * header. */
static void set_dictionary(struct weir__js_codec *codec)
{
    int err = Z_OK;

    if (codec->dictionary == NULL)
        return;
    if (codec->mode == WEIR__JS_CODEC_DEFLATE ||
        codec->mode == WEIR__JS_CODEC_DEFLATE_RAW)
        err = deflateSetDictionary(codec->state, codec->dictionary,
                                   (uInt)codec->dictionary_size);
    else if (codec->mode == WEIR__JS_CODEC_INFLATE_RAW)
        err = inflateSetDictionary(codec->state, codec->dictionary,
                                   (uInt)codec->dictionary_size);
    if (err != Z_OK)
        fail(codec, "Failed to set dictionary", err);
}

static int open_stream(struct weir__js_codec *codec)
{
    const struct weir__js_codec_parameter *given = codec->parameters;
    z_stream *stream = calloc(1, sizeof(*stream));
    int err;

    if (stream == NULL || codec->dictionary_size > LARGEST_PIECE) {
        free(stream);
        return -ENOMEM;
    }
    err = is_encoder(codec)
              ? deflateInit2(stream, given[LEVEL].value, Z_DEFLATED,
                             window_bits(codec), given[MEMORY_LEVEL].value,
                             given[STRATEGY].value)
              : inflateInit2(stream, window_bits(codec));
    if (err != Z_OK) {
        free(stream);
        return err == Z_MEM_ERROR ? -ENOMEM : -EINVAL;
    }
    codec->state = stream;
    set_dictionary(codec);
    return 0;
}

static int reset_stream(struct weir__js_codec *codec)
{
    int err = is_encoder(codec) ? deflateReset(codec->state)
                                : inflateReset(codec->state);

    codec->error = (struct weir__js_codec_error){NULL, NULL, 0};
    if (err != Z_OK)
        fail(codec, "Failed to reset stream", err);
    else
        set_dictionary(codec);
    return 0;
}

static void close_stream(struct weir__js_codec *codec)
{
    if (is_encoder(codec))
        (void)deflateEnd(codec->state);
    else
        (void)inflateEnd(codec->state);
    free(codec->state);
}

void weir__js_codec_set_level(struct weir__js_codec *codec, int level,
                              int strategy)
{
    static uint8_t none[1];
    z_stream *stream = codec->state;
    int err;

    if (codec->kind != &weir__js_codec_zlib || !is_encoder(codec))
        return;
    stream->next_in = stream->next_out = none;
    stream->avail_in = stream->avail_out = 0;
    err = deflateParams(stream, level, strategy);
    if (err != Z_OK && err != Z_BUF_ERROR)
        fail(codec, "Failed to set parameters", err);
}

/* ---- pieces ---- */

/* Call zlib once, for at most a gigabyte. */
static int process(struct weir__js_codec *codec, int flush)
{
    z_stream *stream = codec->state;
    size_t in = codec->in_left, out = codec->out_left;
    int err;

    if (in > LARGEST_PIECE) {
        in = LARGEST_PIECE;
        flush = Z_NO_FLUSH;
    }
    if (out > LARGEST_PIECE)
        out = LARGEST_PIECE;
    stream->next_in = (Bytef *)codec->in;
    stream->avail_in = (uInt)in;
    stream->next_out = codec->out;
    stream->avail_out = (uInt)out;
    err = is_encoder(codec) ? deflate(stream, flush) : inflate(stream, flush);
    weir__js_codec_advance(codec, in - stream->avail_in,
                           out - stream->avail_out);
    return err;
}

static int process_all(struct weir__js_codec *codec, int flush)
{
    int err;

    do
        err = process(codec, flush);
    while (err == Z_OK && codec->in_left > 0 && codec->out_left > 0);
    return err;
}

/* Learn from the first two bytes what is to be decoded.  zlib itself finds that
 * out, too, but does not tell. */
static void read_magic(struct weir__js_codec *codec)
{
    static const uint8_t magic[] = {0x1f, 0x8b};

    for (size_t i = 0; codec->magic_read < 2 && i < codec->in_left; i++) {
        if (codec->in[i] != magic[codec->magic_read]) {
            codec->mode = WEIR__JS_CODEC_INFLATE;
            return;
        }
        codec->magic_read++;
    }
    if (codec->magic_read == 2)
        codec->mode = WEIR__JS_CODEC_GUNZIP;
}

static int decode(struct weir__js_codec *codec, int flush)
{
    int err;

    if (codec->mode == WEIR__JS_CODEC_UNZIP)
        read_magic(codec);
    err = process_all(codec, flush);
    if (err == Z_NEED_DICT && codec->dictionary != NULL) {
        err = inflateSetDictionary(codec->state, codec->dictionary,
                                   (uInt)codec->dictionary_size);
        err = err == Z_OK ? process_all(codec, flush) : Z_NEED_DICT;
    }
    while (err == Z_STREAM_END && codec->mode == WEIR__JS_CODEC_GUNZIP &&
           codec->in_left > 0 && codec->in[0] != 0) {
        (void)inflateReset(codec->state);
        err = process_all(codec, flush);
    }
    return err;
}

static void run_stream(struct weir__js_codec *codec, int flush)
{
    const z_stream *stream = codec->state;
    int err;

    if (codec->error.message != NULL)
        return;
    err = is_encoder(codec) ? process_all(codec, flush) : decode(codec, flush);
    switch (err) {
    case Z_OK:
    case Z_BUF_ERROR: /* no progress was possible */
        if (codec->out_left > 0 && flush == Z_FINISH)
            fail(codec, "unexpected end of file", Z_BUF_ERROR);
        break;
    case Z_STREAM_END:
        break;
    case Z_NEED_DICT:
        fail(codec,
             codec->dictionary == NULL ? "Missing dictionary"
                                       : "Bad dictionary",
             err);
        break;
    default:
        fail(codec, stream->msg != NULL ? stream->msg : "Zlib error", err);
    }
}

const struct weir__js_codec_kind weir__js_codec_zlib = {
    open_stream, reset_stream, run_stream, close_stream};
