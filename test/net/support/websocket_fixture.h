/* SPDX-License-Identifier: MIT */
/*
 * websocket_fixture -- raw frames, and a record of what a codec makes of them.
 *
 *     struct weir__codec codec;
 *     struct wire wire = {0};
 *
 *     codec_make(&codec, CODEC_SERVER);
 *     wire_frame(&wire, FINAL | TEXT, "Hello", 5, MASKED);
 *     expect_status(codec_take(&codec, &wire, 1), 0);     one byte at a time
 *     expect_events("text:Hello");
 */
#ifndef WEIR_TEST_NET_SUPPORT_WEBSOCKET_FIXTURE_H
#define WEIR_TEST_NET_SUPPORT_WEBSOCKET_FIXTURE_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/suite.h"
#include "websocket/codec.h"

enum {
    FINAL = 0x80,
    RSV1 = 0x40,
    RSV2 = 0x20,
    RSV3 = 0x10,
    CONTINUATION = 0,
    TEXT = 1,
    BINARY = 2,
    CLOSE = 8,
    PING = 9,
    PONG = 10,
};

enum { UNMASKED, MASKED };

/* Bytes on their way. */
struct wire {
    uint8_t *data;
    size_t size;
    size_t capacity;
};

static inline void wire_add(struct wire *wire, const void *data, size_t size)
{
    if (wire->size + size > wire->capacity) {
        wire->capacity = (wire->size + size) * 2;
        wire->data = realloc(wire->data, wire->capacity);
        expect(wire->data != NULL);
    }
    if (size > 0)
        memcpy(wire->data + wire->size, data, size);
    wire->size += size;
}

static inline void wire_byte(struct wire *wire, unsigned byte)
{
    uint8_t one = (uint8_t)byte;

    wire_add(wire, &one, 1);
}

/* The header of a frame of `size` bytes, in the shortest form. */
static inline void wire_header(struct wire *wire, unsigned first, uint64_t size,
                               int masked)
{
    unsigned mask = masked ? 0x80 : 0;
    int extra = size < 126 ? 0 : size < 65536 ? 2 : 8;

    wire_byte(wire, first);
    wire_byte(wire, mask | (extra == 0   ? (unsigned)size
                            : extra == 2 ? 126
                                         : 127));
    for (int i = extra - 1; i >= 0; i--)
        wire_byte(wire, (unsigned)(size >> (8 * i)) & 0xff);
    if (masked)
        wire_add(wire, "\x12\x34\x56\x78", 4);
}

static inline void wire_payload(struct wire *wire, const void *data,
                                size_t size, int masked)
{
    static const uint8_t key[] = {0x12, 0x34, 0x56, 0x78};

    for (size_t i = 0; i < size; i++)
        wire_byte(wire, ((const uint8_t *)data)[i] ^ (masked ? key[i % 4] : 0));
}

static inline void wire_frame(struct wire *wire, unsigned first,
                              const void *data, size_t size, int masked)
{
    wire_header(wire, first, size, masked);
    wire_payload(wire, data, size, masked);
}

static inline void wire_free(struct wire *wire)
{
    free(wire->data);
    memset(wire, 0, sizeof(*wire));
}

/* ---- the record ---- */

static char event_text[65536];
static size_t event_length;

__attribute__((format(printf, 1, 2))) static inline void
event_note(const char *format, ...)
{
    va_list list;

    if (event_length > 0 && event_length < sizeof(event_text) - 1)
        event_text[event_length++] = ' ';
    va_start(list, format);
    event_length +=
        (size_t)vsnprintf(event_text + event_length,
                          sizeof(event_text) - event_length, format, list);
    va_end(list);
    expect(event_length < sizeof(event_text));
}

/* Short payloads are recorded as they are, long ones by their size. */
static inline void event_record(const struct weir__codec_event *event)
{
    static const char *const names[] = {"message", "ping", "pong", "close"};
    const char *name = names[event->type];
    char bytes[64];

    if (event->type == WEIR__CODEC_MESSAGE)
        name = event->kind == WEIR_WEBSOCKET_TEXT ? "text" : "binary";
    if (event->bytes.size < 32)
        snprintf(bytes, sizeof(bytes), "%.*s", (int)event->bytes.size,
                 event->bytes.size > 0 ? (const char *)event->bytes.data : "");
    else
        snprintf(bytes, sizeof(bytes), "%zu bytes", event->bytes.size);
    if (event->type == WEIR__CODEC_CLOSE)
        event_note("%s:%u:%s", name, event->code, bytes);
    else
        event_note("%s:%s%s", name, bytes,
                   event->type == WEIR__CODEC_MESSAGE && !event->is_last ? "..."
                                                                         : "");
}

#define expect_events(text)                                                    \
    expect_string_at(__FILE__, __LINE__, "the events", take_events(), text)

static inline const char *take_events(void)
{
    event_text[event_length] = '\0';
    event_length = 0;
    return event_text;
}

/* ---- codecs ---- */

enum { CODEC_SERVER, CODEC_CLIENT };

#define CODEC_OPTIONS(...) ((struct weir__codec_options){__VA_ARGS__})

/* Limits that are 0 are set. */
static inline void codec_make_with(struct weir__codec *codec,
                                   struct weir__codec_options options)
{
    if (options.max_message_bytes == 0)
        options.max_message_bytes = 1 << 20;
    if (options.max_frames == 0)
        options.max_frames = 1000;
    if (options.min_deflate_bytes == 0)
        options.min_deflate_bytes = 1;
    weir__codec_init(codec, &options);
}

static inline void codec_make(struct weir__codec *codec, int role)
{
    codec_make_with(codec, CODEC_OPTIONS(.is_client = role == CODEC_CLIENT));
}

/* Give the codec everything, in pieces, and record its events.  Returns 0 or
 * the error.  Each piece is a block of its own, so that a sanitizer sees a read
 * beyond it. */
static inline int codec_take(struct weir__codec *codec, struct wire *wire,
                             size_t piece)
{
    struct weir__codec_event event;
    int result = 0;

    for (size_t at = 0; at < wire->size && result == 0; at += piece) {
        size_t size = wire->size - at < piece ? wire->size - at : piece;
        uint8_t *copy = malloc(size);

        memcpy(copy, wire->data + at, size);
        weir__codec_feed(codec, (weir_bytes){copy, size});
        while ((result = weir__codec_next(codec, &event)) == 1)
            event_record(&event);
        expect(result != 0 || weir__codec_unread(codec).size == 0);
        free(copy);
    }
    wire->size = 0;
    return result;
}

/* Put a frame that was made on the wire. */
static inline void wire_made(struct wire *wire, struct weir__codec *codec,
                             struct weir__codec_frame *made)
{
    weir__codec_sent(codec, made);
    wire_add(wire, made->frame.parts[0].data, made->frame.parts[0].size);
    wire_add(wire, made->frame.parts[1].data, made->frame.parts[1].size);
    weir__codec_frame_free(made);
}

static inline void wire_send(struct wire *wire, struct weir__codec *codec,
                             weir_websocket_kind kind, const void *data,
                             size_t size, bool is_last)
{
    struct weir__codec_frame made;

    expect_status(weir__codec_message(codec, &made, kind,
                                      (weir_bytes){data, size}, is_last),
                  0);
    wire_made(wire, codec, &made);
}

#endif /* WEIR_TEST_NET_SUPPORT_WEBSOCKET_FIXTURE_H */
