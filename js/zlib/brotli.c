/* SPDX-License-Identifier: MIT */
/*
 * brotli -- the codecs of brotli.
 *
 * Tested by  test/js/zlib
 */
#include <brotli/decode.h>
#include <brotli/encode.h>
#include <errno.h>

#include "zlib/codec.h"

/* Of zlib, which Node uses for every kind of truncated input. */
enum { BUFFER_ERROR = -5 };

/* ---- compression ---- */

static int open_encoder(struct weir__js_codec *codec)
{
    BrotliEncoderState *state = BrotliEncoderCreateInstance(NULL, NULL, NULL);

    if (state == NULL)
        return -ENOMEM;
    for (int i = 0; i < codec->parameter_count; i++)
        if (BrotliEncoderSetParameter(
                state, (BrotliEncoderParameter)codec->parameters[i].key,
                (uint32_t)codec->parameters[i].value) != BROTLI_TRUE) {
            BrotliEncoderDestroyInstance(state);
            return -EINVAL;
        }
    codec->state = state;
    codec->error = (struct weir__js_codec_error){NULL, NULL, 0};
    return 0;
}

static void close_encoder(struct weir__js_codec *codec)
{
    BrotliEncoderDestroyInstance(codec->state);
}

static int reset_encoder(struct weir__js_codec *codec)
{
    BrotliEncoderState *old = codec->state;
    int err = open_encoder(codec);

    if (err == 0)
        BrotliEncoderDestroyInstance(old);
    return err;
}

static void run_encoder(struct weir__js_codec *codec, int flush)
{
    if (codec->error.message == NULL &&
        BrotliEncoderCompressStream(
            codec->state, (BrotliEncoderOperation)flush, &codec->in_left,
            &codec->in, &codec->out_left, &codec->out, NULL) != BROTLI_TRUE)
        weir__js_codec_fail(codec, "Compression failed",
                            "ERR_BROTLI_COMPRESSION_FAILED", -1);
}

const struct weir__js_codec_kind weir__js_codec_brotli_encoder = {
    open_encoder, reset_encoder, run_encoder, close_encoder};

/* ---- decompression ---- */

static int open_decoder(struct weir__js_codec *codec)
{
    BrotliDecoderState *state = BrotliDecoderCreateInstance(NULL, NULL, NULL);

    if (state == NULL)
        return -ENOMEM;
    for (int i = 0; i < codec->parameter_count; i++)
        if (BrotliDecoderSetParameter(
                state, (BrotliDecoderParameter)codec->parameters[i].key,
                (uint32_t)codec->parameters[i].value) != BROTLI_TRUE) {
            BrotliDecoderDestroyInstance(state);
            return -EINVAL;
        }
    codec->state = state;
    codec->error = (struct weir__js_codec_error){NULL, NULL, 0};
    return 0;
}

static void close_decoder(struct weir__js_codec *codec)
{
    BrotliDecoderDestroyInstance(codec->state);
}

static int reset_decoder(struct weir__js_codec *codec)
{
    BrotliDecoderState *old = codec->state;
    int err = open_decoder(codec);

    if (err == 0)
        BrotliDecoderDestroyInstance(old);
    return err;
}

/* Node puts "ERR_" before what the library calls the error. */
static const char *code_of(BrotliDecoderErrorCode error)
{
    switch (error) {
#define NOTHING
#define CODE(prefix, name, code)                                               \
    case BROTLI_DECODER##prefix##name:                                         \
        return "ERR_" #prefix #name;
        BROTLI_DECODER_ERROR_CODES_LIST(CODE, NOTHING)
#undef CODE
#undef NOTHING
    default:
        return "ERR_INVALID";
    }
}

static void run_decoder(struct weir__js_codec *codec, int flush)
{
    BrotliDecoderResult result;
    BrotliDecoderErrorCode error;

    if (codec->error.message != NULL)
        return;
    result =
        BrotliDecoderDecompressStream(codec->state, &codec->in_left, &codec->in,
                                      &codec->out_left, &codec->out, NULL);
    if (result == BROTLI_DECODER_RESULT_ERROR) {
        error = BrotliDecoderGetErrorCode(codec->state);
        weir__js_codec_fail(codec, "Decompression failed", code_of(error),
                            error);
    } else if (result == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT &&
               flush == BROTLI_OPERATION_FINISH) {
        weir__js_codec_fail(codec, "unexpected end of file", "Z_BUF_ERROR",
                            BUFFER_ERROR);
    }
}

const struct weir__js_codec_kind weir__js_codec_brotli_decoder = {
    open_decoder, reset_decoder, run_decoder, close_decoder};
