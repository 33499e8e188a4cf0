/* SPDX-License-Identifier: MIT */
/*
 * codec -- one compression or decompression in progress.
 *
 * Tested by  test/js/zlib
 */
#include "zlib/codec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct weir__js_codec_kind *kind_of(enum weir__js_codec_mode mode)
{
    switch (mode) {
    case WEIR__JS_CODEC_BROTLI_DECODE:
        return &weir__js_codec_brotli_decoder;
    case WEIR__JS_CODEC_BROTLI_ENCODE:
        return &weir__js_codec_brotli_encoder;
    case WEIR__JS_CODEC_ZSTD_COMPRESS:
        return &weir__js_codec_zstd_encoder;
    case WEIR__JS_CODEC_ZSTD_DECOMPRESS:
        return &weir__js_codec_zstd_decoder;
    default:
        return &weir__js_codec_zlib;
    }
}

static int copy_dictionary(struct weir__js_codec *codec)
{
    const uint8_t *theirs = codec->dictionary;

    if (theirs == NULL)
        return 0;
    codec->dictionary = malloc(codec->dictionary_size + 1); /* may be empty */
    if (codec->dictionary == NULL)
        return -ENOMEM;
    memcpy(codec->dictionary, theirs, codec->dictionary_size);
    return 0;
}

int weir__js_codec_new(struct weir__js_codec **codec,
                       const struct weir__js_codec *like)
{
    struct weir__js_codec *made = malloc(sizeof(*made));
    int err;

    if (made == NULL)
        return -ENOMEM;
    *made = *like;
    made->kind = kind_of(like->mode);
    made->state = NULL;
    err = copy_dictionary(made);
    if (err == 0)
        err = made->kind->open(made);
    if (err == 0) {
        *codec = made;
        return 0;
    }
    free(made->dictionary);
    free(made);
    return err;
}

void weir__js_codec_free(struct weir__js_codec *codec)
{
    if (codec == NULL)
        return;
    codec->kind->close(codec);
    free(codec->dictionary);
    free(codec);
}

/* What each library's documentation says of its defaults; zlib's formulas are
 * exact. */
size_t weir__js_codec_weight(const struct weir__js_codec *codec)
{
    size_t own = sizeof(*codec) + codec->dictionary_size;

    switch (codec->mode) {
    case WEIR__JS_CODEC_DEFLATE:
    case WEIR__JS_CODEC_GZIP:
    case WEIR__JS_CODEC_DEFLATE_RAW:
        return own + ((size_t)1 << (codec->parameters[0].value + 2)) +
               ((size_t)1 << (codec->parameters[2].value + 9));
    case WEIR__JS_CODEC_INFLATE:
    case WEIR__JS_CODEC_GUNZIP:
    case WEIR__JS_CODEC_INFLATE_RAW:
    case WEIR__JS_CODEC_UNZIP:
        return own + (1 << 15) + 10240;
    case WEIR__JS_CODEC_BROTLI_DECODE:
    case WEIR__JS_CODEC_ZSTD_DECOMPRESS:
        return own + ((size_t)1 << 18);
    case WEIR__JS_CODEC_BROTLI_ENCODE:
    case WEIR__JS_CODEC_ZSTD_COMPRESS:
        break;
    }
    return own + ((size_t)1 << 20);
}
