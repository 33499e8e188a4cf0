/* SPDX-License-Identifier: MIT */
/*
 * inflate -- every coding, in pieces of every size, cut and corrupted.
 */
#include "http/inflate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/suite.h"

#define TEXT "hello, hello, hello, world"

/* TEXT, a million times "z", and nothing, by brotli 1.0.9. */
static const char brotli_text[] =
    "\033\031\000\000\244\100\130\152\020\151\062\251\074\117\047\042";
static const char brotli_large[] =
    "\133\077\102\017\100\102\057\036\013\044\077\347\001";
static const char brotli_empty[] = "\006";

enum { LARGE = 1000000 };

struct data {
    char bytes[4096];
    size_t size;
};

/* ---- encoding ---- */

/* windowBits of zlib: 15 + 16 gzip, 15 zlib, -15 bare. */
static void add_zlib(struct data *data, const void *from, size_t size, int bits)
{
    z_stream stream = {0};

    expect_int(deflateInit2(&stream, 9, Z_DEFLATED, bits, 9, 0), Z_OK);
    stream.next_in = (Bytef *)(uintptr_t)from;
    stream.avail_in = (unsigned)size;
    stream.next_out = (Bytef *)data->bytes + data->size;
    stream.avail_out = (unsigned)(sizeof(data->bytes) - data->size);
    expect_int(deflate(&stream, Z_FINISH), Z_STREAM_END);
    data->size = sizeof(data->bytes) - stream.avail_out;
    deflateEnd(&stream);
}

static void add_zstd(struct data *data, const void *from, size_t size)
{
    size_t written =
        ZSTD_compress(data->bytes + data->size,
                      sizeof(data->bytes) - data->size, from, size, 3);

    expect(!ZSTD_isError(written));
    data->size += written;
}

static void add_bytes(struct data *data, const void *from, size_t size)
{
    memcpy(data->bytes + data->size, from, size);
    data->size += size;
}

/* Apply a coding to something of the test's. */
static struct data encode(const char *coding, const void *from, size_t size)
{
    struct data data = {.size = 0};

    if (strcmp(coding, "gzip") == 0)
        add_zlib(&data, from, size, 15 + 16);
    else if (strcmp(coding, "deflate") == 0)
        add_zlib(&data, from, size, 15);
    else if (strcmp(coding, "zstd") == 0)
        add_zstd(&data, from, size);
    else if (size == LARGE)
        add_bytes(&data, brotli_large, sizeof(brotli_large) - 1);
    else if (size == 0)
        add_bytes(&data, brotli_empty, sizeof(brotli_empty) - 1);
    else
        add_bytes(&data, brotli_text, sizeof(brotli_text) - 1);
    return data;
}

static const char *const codings[] = {"gzip", "deflate", "br", "zstd"};

#define FOR_EACH_CODING(name)                                                  \
    for (size_t name##_n = 0; name##_n < 4; name##_n++)                        \
        for (const char *name = codings[name##_n]; name != NULL; name = NULL)

/* ---- decoding ---- */

struct result {
    int err; /* of read, or of end */
    size_t size;
    char *bytes;
};

static struct weir__http_inflate *make(const char *encoding)
{
    struct weir__http_inflate *inflate;

    expect_status(weir__http_inflate_new(
                      &inflate, (weir_bytes){encoding, strlen(encoding)}),
                  0);
    expect(inflate != NULL);
    return inflate;
}

/* Decode in pieces of `step` bytes, into room for `room` bytes. */
static struct result decode_with(struct weir__http_inflate *inflate,
                                 const struct data *data, size_t step,
                                 size_t room)
{
    struct result result = {.bytes = malloc(2 * LARGE)};
    char *buffer = malloc(room);

    for (size_t at = 0; at < data->size && result.err == 0; at += step) {
        size_t size = data->size - at < step ? data->size - at : step;
        char *piece = malloc(size);
        weir_bytes input = {memcpy(piece, data->bytes + at, size), size};
        ssize_t written;

        while ((written = weir__http_inflate_read(inflate, &input, buffer,
                                                  room)) > 0) {
            expect((size_t)written <= room);
            expect(result.size + (size_t)written <= 2 * LARGE);
            memcpy(result.bytes + result.size, buffer, (size_t)written);
            result.size += (size_t)written;
        }
        if (written < 0)
            result.err = (int)written;
        else
            expect_int(input.size, 0);
        free(piece);
    }
    if (result.err == 0)
        result.err = weir__http_inflate_end(inflate);
    free(buffer);
    return result;
}

static struct result decode(const char *encoding, const struct data *data,
                            size_t step, size_t room)
{
    struct weir__http_inflate *inflate = make(encoding);
    struct result result = decode_with(inflate, data, step, room);

    weir__http_inflate_free(inflate);
    return result;
}

/* Decode it, and compare it with what it was. */
static void expect_decoded(const char *encoding, const struct data *data,
                           size_t step, size_t room, const char *expected,
                           size_t size)
{
    struct result result = decode(encoding, data, step, room);

    expect_status(result.err, 0);
    expect_int(result.size, size);
    expect(memcmp(result.bytes, expected, size) == 0);
    free(result.bytes);
}

static int error_of(const char *encoding, const struct data *data)
{
    struct result result = decode(encoding, data, 7, 64);

    free(result.bytes);
    return result.err;
}

/* ---- cases ---- */

CASE(text_is_decoded_in_pieces_of_every_size)
{
    FOR_EACH_CODING(coding)
    {
        struct data data = encode(coding, TEXT, strlen(TEXT));

        for (size_t step = 1; step <= data.size; step++)
            for (size_t room = 1; room < 40; room += 6)
                expect_decoded(coding, &data, step, room, TEXT, strlen(TEXT));
    }
}

CASE(nothing_is_decoded_to_nothing)
{
    FOR_EACH_CODING(coding)
    {
        struct data data = encode(coding, "", 0);
        struct data none = {.size = 0};

        expect_decoded(coding, &data, 1, 16, "", 0);
        expect_decoded(coding, &none, 1, 16, "", 0);
    }
}

CASE(large_output_comes_in_bounded_steps)
{
    char *large = malloc(LARGE);

    memset(large, 'z', LARGE);
    FOR_EACH_CODING(coding)
    {
        struct data data = encode(coding, large, LARGE);

        expect(data.size < 2000);
        expect_decoded(coding, &data, 1, 4096, large, LARGE);
        expect_decoded(coding, &data, data.size, 4096, large, LARGE);
        expect_decoded(coding, &data, data.size, LARGE * 2, large, LARGE);
    }
    free(large);
}

CASE(output_that_waits_needs_no_more_input)
{
    char *large = malloc(LARGE);
    char buffer[1000];

    memset(large, 'z', LARGE);
    FOR_EACH_CODING(coding)
    {
        struct data data = encode(coding, large, LARGE);
        struct weir__http_inflate *inflate = make(coding);
        weir_bytes input = {data.bytes, data.size};
        size_t total = 0;
        ssize_t written;

        do {
            written = weir__http_inflate_read(inflate, &input, buffer, 1000);
            expect(written >= 0);
            total += (size_t)written;
        } while (input.size > 0);
        /* From now on it gets no input at all. */
        while ((written =
                    weir__http_inflate_read(inflate, &input, buffer, 1000)) > 0)
            total += (size_t)written;
        expect_int(written, 0);
        expect_int(total, LARGE);
        expect_status(weir__http_inflate_end(inflate), 0);
        weir__http_inflate_free(inflate);
    }
    free(large);
}

CASE(data_that_is_cut_is_a_truncation)
{
    FOR_EACH_CODING(coding)
    {
        struct data data = encode(coding, TEXT, strlen(TEXT));

        for (data.size--; data.size > 0; data.size--)
            expect_status(error_of(coding, &data), WEIR_ETRUNCATED);
    }
}

CASE(data_of_another_format_is_corrupt)
{
    struct data text = {.size = 0};

    add_bytes(&text, "<html>this is not compressed</html>", 35);
    FOR_EACH_CODING(coding)
    expect_status(error_of(coding, &text), -EBADMSG);
}

CASE(checksum_that_differs_is_corrupt)
{
    struct data data = encode("gzip", TEXT, strlen(TEXT));

    data.bytes[data.size - 6] ^= 1;
    expect_status(error_of("gzip", &data), -EBADMSG);
    data = encode("deflate", TEXT, strlen(TEXT));
    data.bytes[data.size - 1] ^= 1;
    expect_status(error_of("deflate", &data), -EBADMSG);
}

CASE(random_damage_never_does_more_than_fail)
{
    struct random random = {random_seed()};
    int failed = 0;

    for (int n = 0; n < 2000; n++) {
        const char *coding = codings[n % 4];
        struct data data = encode(coding, TEXT, strlen(TEXT));
        int err;

        for (uint64_t flips = 1 + random_below(&random, 4); flips > 0; flips--)
            data.bytes[random_below(&random, data.size)] ^=
                (char)(1 << random_below(&random, 8));
        err = error_of(coding, &data);
        expect(err == 0 || err == -EBADMSG || err == WEIR_ETRUNCATED);
        failed += err != 0;
    }
    expect(failed > 1000);
}

CASE(deflate_may_be_bare)
{
    struct data data = {.size = 0};

    add_zlib(&data, TEXT, strlen(TEXT), -15);
    expect_decoded("deflate", &data, 1, 5, TEXT, strlen(TEXT));
    expect_decoded("deflate", &data, 100, 100, TEXT, strlen(TEXT));
}

CASE(several_members_are_one_text)
{
    struct data gzip = {.size = 0};
    struct data zstd = {.size = 0};

    add_zlib(&gzip, "hello, ", 7, 15 + 16);
    add_zlib(&gzip, "world", 5, 15 + 16);
    add_zstd(&zstd, "hello, ", 7);
    add_zstd(&zstd, "world", 5);
    for (size_t step = 1; step < 50; step++) {
        expect_decoded("gzip", &gzip, step, 3, "hello, world", 12);
        expect_decoded("zstd", &zstd, step, 3, "hello, world", 12);
    }
    gzip.size--;
    expect_status(error_of("gzip", &gzip), WEIR_ETRUNCATED);
}

CASE(what_follows_the_end_is_ignored)
{
    struct data data;

    FOR_EACH_CODING(coding)
    {
        data = encode(coding, TEXT, strlen(TEXT));
        add_bytes(&data, "\0\0garbage", 9);
        if (strcmp(coding, "zstd") == 0)
            expect_status(error_of(coding, &data), -EBADMSG);
        else
            for (size_t step = 1; step <= data.size; step++)
                expect_decoded(coding, &data, step, 100, TEXT, strlen(TEXT));
    }
}

/* RFC 9659: not more than 8 MiB. */
CASE(zstd_with_a_huge_window_is_refused)
{
    /* A frame with a window of 16 MiB, and an empty block. */
    static const char frame[] = "\x28\xb5\x2f\xfd\x00\x70\x01\x00\x00";
    struct data data = {.size = 0};

    add_bytes(&data, frame, sizeof(frame) - 1);
    expect_status(error_of("zstd", &data), -EBADMSG);
    data.bytes[5] = 0x68; /* 8 MiB */
    expect_status(error_of("zstd", &data), 0);
}

CASE(codings_are_undone_in_reverse_order)
{
    struct data inner = encode("br", TEXT, strlen(TEXT));
    struct data middle = encode("zstd", inner.bytes, inner.size);
    struct data outer = encode("gzip", middle.bytes, middle.size);

    for (size_t step = 1; step <= outer.size; step++) {
        expect_decoded("br, zstd, gzip", &outer, step, 4, TEXT, strlen(TEXT));
        expect_decoded("zstd, identity, gzip", &outer, step, 4, inner.bytes,
                       inner.size);
    }
    expect_status(error_of("zstd, br, gzip", &outer), -EBADMSG);
}

CASE(large_output_goes_through_a_chain)
{
    char *large = malloc(LARGE);
    struct data inner, outer;

    memset(large, 'z', LARGE);
    inner = encode("gzip", large, LARGE);
    outer = encode("zstd", inner.bytes, inner.size);
    expect_decoded("gzip, zstd", &outer, 10, 100, large, LARGE);
    free(large);
}

CASE(names_of_codings_are_understood)
{
    struct data data = encode("gzip", TEXT, strlen(TEXT));
    struct weir__http_inflate *inflate = (void *)1;

    expect_decoded("GZip", &data, 5, 5, TEXT, strlen(TEXT));
    expect_decoded("x-gzip", &data, 5, 5, TEXT, strlen(TEXT));
    expect_status(weir__http_inflate_new(&inflate, (weir_bytes){"identity", 8}),
                  0);
    expect(inflate == NULL);
    expect_status(weir__http_inflate_new(&inflate, (weir_bytes){"", 0}), 0);
    expect(inflate == NULL);
    expect_status(weir__http_inflate_new(&inflate, (weir_bytes){"compress", 8}),
                  -EOPNOTSUPP);
    expect_status(weir__http_inflate_new(&inflate, (weir_bytes){"gzip, x", 7}),
                  -EOPNOTSUPP);
    expect_status(
        weir__http_inflate_new(&inflate, (weir_bytes){"br,br,br,br", 11}),
        -EOPNOTSUPP);
    expect(inflate == NULL);
    weir__http_inflate_free(NULL);
}

/* zstd allocates by itself. */
CASE(decoder_without_memory_fails_and_leaks_nothing)
{
    struct data inner = encode("br", TEXT, strlen(TEXT));
    struct data outer = encode("gzip", inner.bytes, inner.size);
    static struct failing_allocator memory;
    uint64_t n;

    for (n = 1;; n++) {
        struct weir__http_inflate *inflate;
        int err;

        failing_allocator_init(&memory, n);
        expect_status(weir_set_allocator(&memory.hooks), 0);
        err = weir__http_inflate_new(&inflate, (weir_bytes){"br, gzip", 8});
        if (err == 0) {
            struct result result = decode_with(inflate, &outer, 9, 10);

            err = result.err;
            free(result.bytes);
            weir__http_inflate_free(inflate);
        } else {
            expect(inflate == NULL);
        }
        expect_int(memory.live, 0);
        expect_int(memory.live_bytes, 0);
        expect_status(weir_set_allocator(NULL), 0);
        if (err == 0)
            break;
        expect_status(err, -ENOMEM);
    }
    expect(n > 5);
}
