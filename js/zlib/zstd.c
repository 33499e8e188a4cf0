/* SPDX-License-Identifier: MIT */
/*
 * zstd -- the codecs of zstd.
 *
 * Tested by  test/js/zlib
 */
#include <errno.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "zlib/codec.h"

/* Of zlib, which Node uses for every kind of truncated input. */
enum { BUFFER_ERROR = -5 };

static const char *code_of(ZSTD_ErrorCode code)
{
    switch (code) {
#define CODE(name)                                                             \
    case ZSTD_error_##name:                                                    \
        return "ZSTD_error_" #name;
        CODE(GENERIC)
        CODE(prefix_unknown)
        CODE(version_unsupported)
        CODE(frameParameter_unsupported)
        CODE(frameParameter_windowTooLarge)
        CODE(corruption_detected)
        CODE(checksum_wrong)
        CODE(dictionary_corrupted)
        CODE(dictionary_wrong)
        CODE(dictionaryCreation_failed)
        CODE(parameter_unsupported)
        CODE(parameter_outOfBound)
        CODE(tableLog_tooLarge)
        CODE(maxSymbolValue_tooLarge)
        CODE(maxSymbolValue_tooSmall)
        CODE(stage_wrong)
        CODE(init_missing)
        CODE(memory_allocation)
        CODE(workSpace_tooSmall)
        CODE(dstSize_tooSmall)
        CODE(srcSize_wrong)
        CODE(dstBuffer_null)
#undef CODE
    default:
        return "ZSTD_error_GENERIC";
    }
}

static void fail(struct weir__js_codec *codec, size_t result)
{
    ZSTD_ErrorCode code = ZSTD_getErrorCode(result);

    weir__js_codec_fail(codec, ZSTD_getErrorString(code), code_of(code),
                        (int)code);
}

/* ---- compression ---- */

static bool configure_encoder(struct weir__js_codec *codec, ZSTD_CCtx *state)
{
    for (int i = 0; i < codec->parameter_count; i++)
        if (ZSTD_isError(ZSTD_CCtx_setParameter(
                state, (ZSTD_cParameter)codec->parameters[i].key,
                codec->parameters[i].value)))
            return false;
    if (codec->source_size >= 0 &&
        ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(
            state, (unsigned long long)codec->source_size)))
        return false;
    return codec->dictionary == NULL ||
           !ZSTD_isError(ZSTD_CCtx_loadDictionary(state, codec->dictionary,
                                                  codec->dictionary_size));
}

static int open_encoder(struct weir__js_codec *codec)
{
    ZSTD_CCtx *state = ZSTD_createCCtx();

    if (state == NULL)
        return -ENOMEM;
    if (!configure_encoder(codec, state)) {
        ZSTD_freeCCtx(state);
        return -EINVAL;
    }
    codec->state = state;
    return 0;
}

static int reset_encoder(struct weir__js_codec *codec)
{
    size_t result =
        ZSTD_CCtx_reset(codec->state, ZSTD_reset_session_and_parameters);

    codec->error = (struct weir__js_codec_error){NULL, NULL, 0};
    if (ZSTD_isError(result))
        fail(codec, result);
    return configure_encoder(codec, codec->state) ? 0 : -EINVAL;
}

static void run_encoder(struct weir__js_codec *codec, int flush)
{
    ZSTD_inBuffer in = {codec->in, codec->in_left, 0};
    ZSTD_outBuffer out = {codec->out, codec->out_left, 0};
    size_t left;

    if (codec->error.message != NULL)
        return;
    do
        left = ZSTD_compressStream2(codec->state, &out, &in,
                                    (ZSTD_EndDirective)flush);
    while (!ZSTD_isError(left) && out.pos < out.size &&
           (flush == ZSTD_e_continue ? in.pos < in.size : left > 0));
    weir__js_codec_advance(codec, in.pos, out.pos);
    if (ZSTD_isError(left))
        fail(codec, left);
}

static void close_encoder(struct weir__js_codec *codec)
{
    ZSTD_freeCCtx(codec->state);
}

const struct weir__js_codec_kind weir__js_codec_zstd_encoder = {
    open_encoder, reset_encoder, run_encoder, close_encoder};

/* ---- decompression ---- */

static bool configure_decoder(struct weir__js_codec *codec, ZSTD_DCtx *state)
{
    for (int i = 0; i < codec->parameter_count; i++)
        if (ZSTD_isError(ZSTD_DCtx_setParameter(
                state, (ZSTD_dParameter)codec->parameters[i].key,
                codec->parameters[i].value)))
            return false;
    codec->is_complete = false;
    return codec->dictionary == NULL ||
           !ZSTD_isError(ZSTD_DCtx_loadDictionary(state, codec->dictionary,
                                                  codec->dictionary_size));
}

static int open_decoder(struct weir__js_codec *codec)
{
    ZSTD_DCtx *state = ZSTD_createDCtx();

    if (state == NULL)
        return -ENOMEM;
    if (!configure_decoder(codec, state)) {
        ZSTD_freeDCtx(state);
        return -EINVAL;
    }
    codec->state = state;
    return 0;
}

static int reset_decoder(struct weir__js_codec *codec)
{
    size_t result =
        ZSTD_DCtx_reset(codec->state, ZSTD_reset_session_and_parameters);

    codec->error = (struct weir__js_codec_error){NULL, NULL, 0};
    if (ZSTD_isError(result))
        fail(codec, result);
    return configure_decoder(codec, codec->state) ? 0 : -EINVAL;
}

/* One call decodes at most one frame, and a file may have several. */
static void run_decoder(struct weir__js_codec *codec, int flush)
{
    ZSTD_inBuffer in = {codec->in, codec->in_left, 0};
    ZSTD_outBuffer out = {codec->out, codec->out_left, 0};
    size_t left = codec->is_complete ? 0 : 1;

    if (codec->error.message != NULL)
        return;
    while (out.pos < out.size) {
        size_t in_before = in.pos, out_before = out.pos;

        if (in.pos == in.size && left == 0)
            break;
        left = ZSTD_decompressStream(codec->state, &out, &in);
        if (ZSTD_isError(left))
            break;
        codec->is_complete = left == 0;
        if (in.pos == in_before && out.pos == out_before)
            break;
    }
    weir__js_codec_advance(codec, in.pos, out.pos);
    if (ZSTD_isError(left))
        fail(codec, left);
    else if (flush == ZSTD_e_end && !codec->is_complete && codec->out_left > 0)
        weir__js_codec_fail(codec, "unexpected end of file", "Z_BUF_ERROR",
                            BUFFER_ERROR);
}

static void close_decoder(struct weir__js_codec *codec)
{
    ZSTD_freeDCtx(codec->state);
}

const struct weir__js_codec_kind weir__js_codec_zstd_decoder = {
    open_decoder, reset_decoder, run_decoder, close_decoder};
