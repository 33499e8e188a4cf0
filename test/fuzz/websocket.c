/* SPDX-License-Identifier: MIT */
/*
 * websocket -- random bytes for the codec of WebSockets: it never reads or
 * writes out of bounds, leaks, hangs, or keeps more than its limit.  For
 * libFuzzer; test/fuzz/run runs it.
 *
 * The first two bytes are the settings: role, compression, streaming, size of
 * the pieces.  The rest is what arrives.  Whatever the codec makes of it, the
 * events obey the rules of codec.h, and cutting the input elsewhere gives the
 * same messages.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "websocket/codec.h"
#include "weir/error.h"

enum { LIMIT = 5000, SETTINGS = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* What came out, apart from how it was cut. */
struct outcome {
    uint64_t hash;
    unsigned events;
    int result;
    uint16_t code;
};

static void must(int holds)
{
    if (!holds)
        abort();
}

static void mix(struct outcome *outcome, const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        outcome->hash = (outcome->hash ^ ((const uint8_t *)data)[i]) *
                        UINT64_C(1099511628211);
}

static void note(struct outcome *outcome, const struct weir__codec_event *event)
{
    uint8_t type = (uint8_t)event->type;

    must(event->bytes.size <= LIMIT);
    mix(outcome, event->bytes.data, event->bytes.size);
    if (event->type == WEIR__CODEC_MESSAGE && !event->is_last)
        return;
    outcome->events++;
    mix(outcome, &type, 1);
    if (event->type == WEIR__CODEC_CLOSE)
        must(event->code == WEIR_WEBSOCKET_NO_CODE ||
             weir__codec_is_code_valid(event->code));
    if (event->type != WEIR__CODEC_MESSAGE)
        must(event->bytes.size <= WEIR__FRAME_CONTROL);
}

static struct outcome run(const uint8_t *settings, const uint8_t *bytes,
                          size_t count, size_t piece)
{
    struct weir__codec_options options = {
        .is_client = settings[0] & 1,
        .is_streaming = settings[0] & 2,
        .max_message_bytes = LIMIT,
        .max_frames = 50,
        .deflate = {.is_on = settings[0] & 4,
                    .server_no_context_takeover = settings[0] & 8,
                    .client_no_context_takeover = settings[0] & 8,
                    .server_max_window_bits = 8 + (settings[0] >> 4) % 8,
                    .client_max_window_bits = 8 + (settings[0] >> 4) % 8},
    };
    struct weir__codec codec;
    struct weir__codec_event event;
    struct outcome outcome = {.hash = UINT64_C(14695981039346656037)};

    weir__codec_init(&codec, &options);
    for (size_t at = 0; at < count && outcome.result == 0; at += piece) {
        size_t size = count - at < piece ? count - at : piece;
        uint8_t *copy = malloc(size); /* with its own bounds */

        memcpy(copy, bytes + at, size);
        weir__codec_feed(&codec, (weir_bytes){copy, size});
        while ((outcome.result = weir__codec_next(&codec, &event)) == 1)
            note(&outcome, &event);
        must(outcome.result != 0 || weir__codec_unread(&codec).size == 0);
        free(copy);
    }
    outcome.code = codec.code;
    must(outcome.result == 0 || outcome.result == WEIR_EWEBSOCKET);
    must((outcome.result == 0) == (outcome.code == 0));
    must(codec.in.capacity <= LIMIT + 1);
    weir__codec_fini(&codec);
    return outcome;
}

/* zlib accepts a reference beyond the window if it happens to have the bytes,
 * which depends on how they are cut.  The largest window has none beyond it. */
static int is_cut_visible(const uint8_t *settings)
{
    return (settings[0] & 4) && (settings[0] >> 4) % 8 != 7;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct outcome whole, pieces;

    if (count < SETTINGS)
        return 0;
    whole = run(bytes, bytes + SETTINGS, count - SETTINGS, count);
    pieces = run(bytes, bytes + SETTINGS, count - SETTINGS, 1 + bytes[1] % 16);
    if (is_cut_visible(bytes))
        return 0;
    must(whole.result == pieces.result && whole.code == pieces.code);
    if (whole.result == 0) /* parts of a message may come before its error */
        must(whole.hash == pieces.hash && whole.events == pieces.events);
    return 0;
}
