/* SPDX-License-Identifier: MIT */
/*
 * codec -- one compression or decompression in progress, by zlib, brotli or
 * zstd.
 *
 *     codec->in = ..., codec->out = ...
 *     weir__js_codec_run(codec, flush);
 *     if (codec->error.message != NULL) ...
 *     what was used up of `in` and `out` is no longer in in_left and out_left
 *
 * A codec knows nothing of JavaScript.  Any thread may use it, one at a time.
 */
#ifndef WEIR_JS_CODEC_H
#define WEIR_JS_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Node's numbers. */
enum weir__js_codec_mode {
    WEIR__JS_CODEC_DEFLATE = 1,
    WEIR__JS_CODEC_INFLATE,
    WEIR__JS_CODEC_GZIP,
    WEIR__JS_CODEC_GUNZIP,
    WEIR__JS_CODEC_DEFLATE_RAW,
    WEIR__JS_CODEC_INFLATE_RAW,
    WEIR__JS_CODEC_UNZIP, /* inflate or gunzip, as the first bytes say */
    WEIR__JS_CODEC_BROTLI_DECODE,
    WEIR__JS_CODEC_BROTLI_ENCODE,
    WEIR__JS_CODEC_ZSTD_COMPRESS,
    WEIR__JS_CODEC_ZSTD_DECOMPRESS,
};

/* Static texts, as Node has them. */
struct weir__js_codec_error {
    const char *message; /* NULL: there is no error */
    const char *code;
    int number;
};

/* A parameter of the library.  For zlib these are four: window bits, level,
 * memory level, strategy. */
struct weir__js_codec_parameter {
    int key;
    int value;
};

enum { WEIR__JS_CODEC_PARAMETERS = 32 };

struct weir__js_codec;

struct weir__js_codec_kind {
    /* Make the library's state with the parameters.  Returns 0, -ENOMEM or
     * -EINVAL (a parameter is refused). */
    int (*open)(struct weir__js_codec *codec);
    /* Begin a new stream with the same parameters.  Returns as open. */
    int (*reset)(struct weir__js_codec *codec);
    void (*run)(struct weir__js_codec *codec, int flush);
    void (*close)(struct weir__js_codec *codec);
};

struct weir__js_codec {
    const struct weir__js_codec_kind *kind;
    enum weir__js_codec_mode mode;
    void *state; /* the library's */
    struct weir__js_codec_parameter parameters[WEIR__JS_CODEC_PARAMETERS];
    int parameter_count;
    int64_t source_size; /* of everything to compress, or -1: zstd */
    uint8_t *dictionary; /* from malloc, or NULL */
    size_t dictionary_size;
    const uint8_t *in;
    size_t in_left;
    uint8_t *out;
    size_t out_left;
    unsigned magic_read; /* by UNZIP: how many bytes of gzip's magic number */
    bool is_complete;    /* zstd: no frame is open */
    struct weir__js_codec_error error;
};

extern const struct weir__js_codec_kind weir__js_codec_zlib;
extern const struct weir__js_codec_kind weir__js_codec_brotli_encoder;
extern const struct weir__js_codec_kind weir__js_codec_brotli_decoder;
extern const struct weir__js_codec_kind weir__js_codec_zstd_encoder;
extern const struct weir__js_codec_kind weir__js_codec_zstd_decoder;

/* Make a codec.  Mode, parameters and source_size are those of `like`; the
 * dictionary is copied.  Returns 0, -ENOMEM or -EINVAL. */
int weir__js_codec_new(struct weir__js_codec **codec,
                       const struct weir__js_codec *like);

/* Passing NULL has no effect. */
void weir__js_codec_free(struct weir__js_codec *codec);

/* The memory that a codec takes, roughly. */
size_t weir__js_codec_weight(const struct weir__js_codec *codec);

/* Process input until it is used up, the output is full, or the stream has
 * ended. */
static inline void weir__js_codec_run(struct weir__js_codec *codec, int flush)
{
    codec->kind->run(codec, flush);
}

/* The room that the output needs at most, if all of the input can be compressed
 * by one call of weir__js_codec_run_once(); otherwise 0.  In once.c. */
size_t weir__js_codec_bound(const struct weir__js_codec *codec, int flush);

/* Compress all of the input.  Returns whether it was done; if not, the codec is
 * as before.  In once.c. */
bool weir__js_codec_run_once(struct weir__js_codec *codec);

/* Change the level and the strategy of a compression by zlib; has no effect on
 * the others.  In zlib.c. */
void weir__js_codec_set_level(struct weir__js_codec *codec, int level,
                              int strategy);

static inline void weir__js_codec_fail(struct weir__js_codec *codec,
                                       const char *message, const char *code,
                                       int number)
{
    codec->error = (struct weir__js_codec_error){message, code, number};
}

/* Account for what a library has used up. */
static inline void weir__js_codec_advance(struct weir__js_codec *codec,
                                          size_t in_used, size_t out_used)
{
    codec->in += in_used;
    codec->in_left -= in_used;
    codec->out += out_used;
    codec->out_left -= out_used;
}

#endif /* WEIR_JS_CODEC_H */
