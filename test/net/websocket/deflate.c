/* SPDX-License-Identifier: MIT */
/*
 * deflate -- compressed messages: the examples of RFC 7692, round trips, bombs,
 * broken streams, and memory.
 */
#include "websocket/deflate.h"

#include "net/support/websocket_fixture.h"
#include "support/failing_allocator.h"
#include "support/random.h"

static struct weir__codec server, client;
static struct wire wire;
static struct failing_allocator memory;

static void count_memory(uint64_t fail_at)
{
    failing_allocator_init(&memory, fail_at);
    expect_status(weir_set_allocator(&memory.hooks), 0);
}

static void make_with(weir_websocket_deflate deflate, bool is_streaming,
                      size_t limit)
{
    deflate.is_on = true;
    codec_make_with(&server, CODEC_OPTIONS(.deflate = deflate,
                                           .is_streaming = is_streaming,
                                           .max_message_bytes = limit));
    codec_make_with(&client,
                    CODEC_OPTIONS(.is_client = true, .deflate = deflate,
                                  .is_streaming = is_streaming,
                                  .max_message_bytes = limit));
}

static void make_both(void)
{
    make_with((weir_websocket_deflate){.is_on = true}, false, 0);
}

static void end_both(void)
{
    weir__codec_fini(&server);
    weir__codec_fini(&client);
    wire_free(&wire);
}

static void expect_read(const char *payload, size_t size, const char *events)
{
    for (size_t piece = 1; piece <= 3; piece++) {
        make_both();
        wire_frame(&wire, FINAL | RSV1 | TEXT, payload, size, MASKED);
        expect_status(codec_take(&server, &wire, piece), 0);
        expect_events(events);
        end_both();
    }
}

/* ---- the examples of RFC 7692, 7.2.3 ---- */

CASE(a_compressed_text_of_the_rfc_is_read)
{
    expect_read("\xf2\x48\xcd\xc9\xc9\x07\x00", 7, "text:Hello");
}

CASE(a_fragmented_compressed_text_of_the_rfc_is_read)
{
    make_both();
    wire_frame(&wire, RSV1 | TEXT, "\xf2\x48\xcd", 3, MASKED);
    wire_frame(&wire, FINAL | PING, "x", 1, MASKED);
    wire_frame(&wire, FINAL | CONTINUATION, "\xc9\xc9\x07\x00", 4, MASKED);
    expect_status(codec_take(&server, &wire, 1), 0);
    expect_events("ping:x text:Hello");
    end_both();
}

CASE(a_second_text_of_the_rfc_refers_to_the_first)
{
    make_both();
    wire_frame(&wire, FINAL | RSV1 | TEXT, "\xf2\x48\xcd\xc9\xc9\x07\x00", 7,
               MASKED);
    wire_frame(&wire, FINAL | RSV1 | TEXT, "\xf2\x00\x11\x00\x00", 5, MASKED);
    expect_status(codec_take(&server, &wire, 1), 0);
    expect_events("text:Hello text:Hello");
    end_both();
}

CASE(a_stored_block_of_the_rfc_is_read)
{
    expect_read("\x00\x05\x00\xfa\xff\x48\x65\x6c\x6c\x6f\x00", 11,
                "text:Hello");
}

CASE(a_final_block_of_the_rfc_is_read)
{
    expect_read("\xf3\x48\xcd\xc9\xc9\x07\x00\x00", 8, "text:Hello");
}

CASE(two_blocks_of_the_rfc_are_read)
{
    expect_read("\xf2\x48\x05\x00\x00\x00\xff\xff\xca\xc9\xc9\x07\x00", 13,
                "text:Hello");
}

CASE(an_empty_compressed_text_is_read)
{
    expect_read("\x00", 1, "text:");
}

/* zlib does not flush twice in a row, so some peers send nothing. */
CASE(an_empty_text_that_was_compressed_to_nothing_is_read)
{
    expect_read("", 0, "text:");
    make_both();
    wire_frame(&wire, RSV1 | TEXT, "", 0, MASKED);
    wire_frame(&wire, FINAL | CONTINUATION, "", 0, MASKED);
    wire_send(&wire, &client, WEIR_WEBSOCKET_TEXT, "Hello", 5, true);
    expect_status(codec_take(&server, &wire, 1), 0);
    expect_events("text: text:Hello");
    end_both();
}

/* What follows a final block may refer to what came before it. */
CASE(the_window_survives_a_final_block)
{
    make_both();
    wire_frame(&wire, FINAL | RSV1 | TEXT, "\xf3\x48\xcd\xc9\xc9\x07\x00\x00",
               8, MASKED);
    wire_frame(&wire, FINAL | RSV1 | TEXT, "\xf2\x00\x11\x00\x00", 5, MASKED);
    expect_status(codec_take(&server, &wire, 1), 0);
    expect_events("text:Hello text:Hello");
    end_both();
}

/* ---- what is not compressed ---- */

CASE(small_messages_are_not_compressed)
{
    weir_websocket_deflate deflate = {.is_on = true};

    codec_make_with(&server,
                    CODEC_OPTIONS(.deflate = deflate, .min_deflate_bytes = 6));
    wire_send(&wire, &server, WEIR_WEBSOCKET_TEXT, "Hello", 5, true);
    expect_int(wire.data[0], FINAL | TEXT);
    wire.size = 0;
    wire_send(&wire, &server, WEIR_WEBSOCKET_TEXT, "Hello!", 6, true);
    expect_int(wire.data[0], FINAL | RSV1 | TEXT);
    weir__codec_fini(&server);
    wire_free(&wire);
}

CASE(a_window_that_zlib_does_not_have_means_no_compression)
{
    weir_websocket_deflate deflate = {.is_on = true,
                                      .client_max_window_bits = 8};

    make_with(deflate, false, 0);
    wire_send(&wire, &client, WEIR_WEBSOCKET_TEXT, "Hello", 5, true);
    expect_int(wire.data[0], FINAL | TEXT);
    expect_status(codec_take(&server, &wire, 1), 0);
    expect_events("text:Hello");
    end_both();
}

CASE(compressed_and_plain_messages_may_alternate)
{
    make_both();
    wire_send(&wire, &client, WEIR_WEBSOCKET_TEXT, "Hello", 5, true);
    wire_frame(&wire, FINAL | TEXT, "plain", 5, MASKED);
    wire_send(&wire, &client, WEIR_WEBSOCKET_TEXT, "Hello", 5, true);
    expect_status(codec_take(&server, &wire, 1), 0);
    expect_events("text:Hello text:plain text:Hello");
    end_both();
}

/* ---- violations ---- */

static void expect_refused(unsigned first, const char *payload, size_t size,
                           unsigned code)
{
    for (int is_streaming = 0; is_streaming < 2; is_streaming++) {
        make_with((weir_websocket_deflate){.is_on = true}, is_streaming, 0);
        wire_frame(&wire, first, payload, size, MASKED);
        expect_status(codec_take(&server, &wire, 1), WEIR_EWEBSOCKET);
        expect_int(server.code, code);
        (void)take_events();
        end_both();
    }
}

CASE(a_stream_that_is_broken_is_refused)
{
    expect_refused(FINAL | RSV1 | TEXT, "\xff\xff\xff\xff", 4, 1007);
}

CASE(a_stream_that_is_cut_is_refused)
{
    expect_refused(FINAL | RSV1 | TEXT, "\xf2\x48\xcd\xc9\xc9", 5, 1007);
    expect_refused(FINAL | RSV1 | TEXT, "\x00\x05\x00\xfa\xff\x48", 6, 1007);
}

CASE(a_compressed_text_that_is_not_utf8_is_refused)
{
    expect_refused(FINAL | RSV1 | TEXT, "\x00\x03\x00\xfc\xff\x61\xff\x62\x00",
                   9, 1007);
}

CASE(other_reserved_bits_are_refused_although_one_is_agreed_on)
{
    expect_refused(FINAL | RSV1 | RSV2 | TEXT, "\x00", 1, 1002);
    expect_refused(FINAL | RSV3 | TEXT, "x", 1, 1002);
    expect_refused(FINAL | RSV1 | PING, "x", 1, 1002);
    make_both();
    wire_frame(&wire, RSV1 | TEXT, "\xf2\x48\xcd", 3, MASKED);
    wire_frame(&wire, FINAL | RSV1 | CONTINUATION, "\xc9\xc9\x07\x00", 4,
               MASKED);
    expect_status(codec_take(&server, &wire, 1), WEIR_EWEBSOCKET);
    expect_int(server.code, 1002);
    end_both();
}

/* ---- bombs ---- */

/* 64 MiB of zeros in 64 KiB. */
static void wire_bomb(void)
{
    static uint8_t zeros[1 << 20];

    make_with((weir_websocket_deflate){.is_on = true}, false, SIZE_MAX);
    for (int i = 0; i < 64; i++)
        wire_send(&wire, &client, WEIR_WEBSOCKET_BINARY, zeros, sizeof(zeros),
                  i == 63);
    weir__codec_fini(&client);
    weir__codec_fini(&server);
}

CASE(a_bomb_is_refused_with_bounded_memory)
{
    enum { LIMIT = 100000 };

    for (int is_streaming = 0; is_streaming < 2; is_streaming++) {
        wire_bomb();
        expect(wire.size < 128 * 1024);
        make_with((weir_websocket_deflate){.is_on = true}, is_streaming, LIMIT);
        count_memory(0);
        for (size_t at = 0, piece = 1000; at < wire.size; at += piece) {
            struct weir__codec_event event;
            int result;

            weir__codec_feed(&server, (weir_bytes){wire.data + at, piece});
            do {
                result = weir__codec_next(&server, &event);
                expect(memory.live_bytes < 3 * LIMIT + 50000);
            } while (result == 1);
            if (result == 0)
                continue;
            expect_status(result, WEIR_EWEBSOCKET);
            expect_int(server.code, 1009);
            break;
        }
        expect(server.is_over);
        expect_int(memory.live, 0);
        end_both();
    }
}

/* Blocks that stand for nothing have no output that could be limited. */
CASE(a_compressed_message_without_end_and_content_is_refused)
{
    int result = 0;

    make_with((weir_websocket_deflate){.is_on = true}, true, 1000);
    wire_header(&wire, FINAL | RSV1 | BINARY, UINT64_C(1) << 40, MASKED);
    for (int i = 0; i < 10; i++)
        wire_payload(&wire, "\x00\x00\x00\xff\xff", 5, MASKED);
    result = codec_take(&server, &wire, 100);
    expect_status(result, WEIR_EWEBSOCKET);
    expect_int(server.code, 1009);
    end_both();
}

CASE(a_message_of_exactly_the_limit_is_inflated)
{
    static char text[100000];

    memset(text, 'x', sizeof(text));
    for (int is_streaming = 0; is_streaming < 2; is_streaming++) {
        make_with((weir_websocket_deflate){.is_on = true}, is_streaming,
                  sizeof(text));
        wire_send(&wire, &client, WEIR_WEBSOCKET_BINARY, text, sizeof(text),
                  true);
        expect_status(codec_take(&server, &wire, 1), 0);
        (void)take_events();
        wire_send(&wire, &client, WEIR_WEBSOCKET_BINARY, text, sizeof(text),
                  false);
        wire_send(&wire, &client, WEIR_WEBSOCKET_BINARY, "x", 1, true);
        expect_status(codec_take(&server, &wire, 1), WEIR_EWEBSOCKET);
        expect_int(server.code, 1009);
        (void)take_events();
        end_both();
    }
}

/* ---- round trips ---- */

static size_t make_text(struct random *random, char *text, size_t limit)
{
    static const char *const words[] = {
        "weir ", "stream ", "loop ", "\xc3\xa9", "0123456789 ", "{\"a\":1},"};
    size_t size = 0, wanted = random_below(random, limit - 16);

    while (size < wanted) {
        const char *word = words[random_below(random, 6)];

        memcpy(text + size, word, strlen(word));
        size += strlen(word);
    }
    return size;
}

/* Send a text in some fragments, and expect it at the other side. */
static void expect_passed(struct random *random, struct weir__codec *from,
                          struct weir__codec *to)
{
    static char text[20000], got[20000];
    size_t size = make_text(random, text, sizeof(text)), at = 0, seen = 0;
    size_t piece = 1 + random_below(random, 5000);
    bool has_ended = false;
    struct weir__codec_event event;

    while (random_below(random, 3) != 0) {
        size_t part = random_below(random, size - at + 1);

        wire_send(&wire, from, WEIR_WEBSOCKET_BINARY, text + at, part, false);
        at += part;
    }
    wire_send(&wire, from, WEIR_WEBSOCKET_BINARY, text + at, size - at, true);
    for (at = 0; at < wire.size; at += piece) {
        size_t count = wire.size - at < piece ? wire.size - at : piece;
        int result;

        weir__codec_feed(to, (weir_bytes){wire.data + at, count});
        while ((result = weir__codec_next(to, &event)) == 1) {
            expect(!has_ended);
            expect(seen + event.bytes.size <= size);
            memcpy(got + seen, event.bytes.data, event.bytes.size);
            seen += event.bytes.size;
            has_ended = event.is_last;
        }
        expect_status(result, 0);
    }
    expect(has_ended);
    expect_int(seen, size);
    expect(memcmp(got, text, size) == 0);
    wire.size = 0;
}

/* What a reader that pauses does: keep the rest of the input elsewhere. */
CASE(a_compressed_message_can_be_kept_in_the_middle)
{
    static char text[200000], got[sizeof(text)];
    struct random random = {random_seed()};
    size_t size = make_text(&random, text, sizeof(text)), seen = 0;
    struct weir__codec_event event = {.is_last = false};
    unsigned moves = 0;
    uint8_t *held;

    while (size < sizeof(text) / 2)
        size += make_text(&random, text + size, sizeof(text) - size);
    make_with((weir_websocket_deflate){.is_on = true}, true, SIZE_MAX);
    wire_send(&wire, &client, WEIR_WEBSOCKET_BINARY, text, size, true);
    held = malloc(wire.size);
    memcpy(held, wire.data, wire.size);
    weir__codec_feed(&server, (weir_bytes){held, wire.size});
    while (weir__codec_next(&server, &event) == 1) {
        weir_bytes unread = weir__codec_unread(&server);
        uint8_t *moved = malloc(unread.size + 1);

        memcpy(got + seen, event.bytes.data, event.bytes.size);
        seen += event.bytes.size;
        memcpy(moved, unread.data, unread.size);
        free(held);
        held = moved;
        if (unread.size > 0)
            weir__codec_move(&server, held), moves++;
    }
    expect(event.is_last && moves > 2);
    expect_int(seen, size);
    expect(memcmp(got, text, size) == 0);
    free(held);
    end_both();
}

CASE(texts_pass_with_every_window_with_and_without_takeover)
{
    struct random random = {random_seed()};

    for (int i = 0; i < 7 * 8; i++) {
        uint8_t bits = (uint8_t)(9 + i % 7);
        weir_websocket_deflate deflate = {
            .server_max_window_bits = bits,
            .client_max_window_bits = (uint8_t)(24 - bits),
            .server_no_context_takeover = i / 7 & 1,
            .client_no_context_takeover = i / 7 & 2,
        };

        make_with(deflate, i / 7 & 4, 0);
        for (int k = 0; k < 12; k++) {
            expect_passed(&random, &client, &server);
            expect_passed(&random, &server, &client);
        }
        end_both();
    }
}

CASE(a_second_message_is_smaller_if_the_context_is_taken_over)
{
    char text[1000];
    size_t first;

    for (int i = 0; i < 1000; i++)
        text[i] = (char)('a' + i * i % 23);
    for (int takes_over = 0; takes_over < 2; takes_over++) {
        weir_websocket_deflate deflate = {.client_no_context_takeover =
                                              !takes_over};

        make_with(deflate, false, 0);
        wire_send(&wire, &client, WEIR_WEBSOCKET_TEXT, text, 1000, true);
        first = wire.size;
        wire_send(&wire, &client, WEIR_WEBSOCKET_TEXT, text, 1000, true);
        if (takes_over)
            expect(wire.size - first < first / 2);
        else
            expect_int(wire.size - first, first);
        end_both();
    }
}

CASE(what_cannot_be_compressed_passes)
{
    struct random random = {random_seed()};
    static uint8_t noise[300000];
    struct weir__codec_event event;

    for (size_t i = 0; i < sizeof(noise); i++)
        noise[i] = (uint8_t)random_next(&random);
    for (uint8_t bits = 9; bits <= 15; bits += 3) {
        weir_websocket_deflate deflate = {.client_max_window_bits = bits};

        make_with(deflate, false, 0);
        wire_send(&wire, &client, WEIR_WEBSOCKET_BINARY, noise, sizeof(noise),
                  true);
        weir__codec_feed(&server, (weir_bytes){wire.data, wire.size});
        expect_int(weir__codec_next(&server, &event), 1);
        expect_int(event.bytes.size, sizeof(noise));
        expect(memcmp(event.bytes.data, noise, sizeof(noise)) == 0);
        end_both();
    }
}

/* ---- memory ---- */

CASE(contexts_are_allocated_at_first_use_and_kept_only_if_taken_over)
{
    for (int takes_over = 0; takes_over < 2; takes_over++) {
        weir_websocket_deflate deflate = {.client_no_context_takeover =
                                              !takes_over,
                                          .client_max_window_bits = 15};

        count_memory(0);
        make_with(deflate, false, 0);
        expect_int(memory.live, 0);
        wire_send(&wire, &client, WEIR_WEBSOCKET_TEXT, "Hello", 5, true);
        fprintf(stderr, "# compressor: %llu bytes\n",
                (unsigned long long)memory.live_bytes);
        expect((memory.live > 0) == takes_over);
        weir__codec_fini(&client);
        expect_int(memory.live, 0);
        expect_status(codec_take(&server, &wire, 100), 0);
        expect_events("text:Hello");
        fprintf(stderr, "# decompressor: %llu bytes\n",
                (unsigned long long)memory.live_bytes);
        expect((memory.live > 0) == takes_over);
        expect(memory.live_bytes < 48 * 1024);
        end_both();
        expect_int(memory.live, 0);
    }
}

CASE(a_small_window_has_a_small_context)
{
    uint64_t last = 0;

    for (uint8_t bits = 9; bits <= 15; bits++) {
        weir_websocket_deflate deflate = {.client_max_window_bits = bits};

        count_memory(0);
        make_with(deflate, false, 0);
        wire_send(&wire, &client, WEIR_WEBSOCKET_TEXT, "Hello", 5, true);
        fprintf(stderr, "# compressor of %u bits: %llu bytes\n", bits,
                (unsigned long long)memory.live_bytes);
        expect(memory.live_bytes > last);
        expect(memory.live_bytes < (UINT64_C(8) << bits) + 8192);
        last = memory.live_bytes;
        end_both();
    }
}

/* A message that could not be made has no effect: the next one can be read. */
CASE(sending_fails_without_memory_and_without_effect)
{
    static char text[5000];
    uint64_t failed = 0;

    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (char)('a' + i * i % 26);
    for (uint64_t n = 1;; n++) {
        struct weir__codec_frame made;
        int result;

        count_memory(0);
        make_both();
        wire_send(&wire, &client, WEIR_WEBSOCKET_TEXT, text, 1000, true);
        wire_send(&wire, &client, WEIR_WEBSOCKET_TEXT, "a", 1, false);
        memory.fail_at = memory.calls + n;
        result = weir__codec_message(&client, &made, WEIR_WEBSOCKET_TEXT,
                                     (weir_bytes){text, 5000}, false);
        if (result == 0)
            wire_made(&wire, &client, &made);
        else
            expect_status(result, -ENOMEM);
        failed += result != 0;
        memory.fail_at = 0;
        wire_send(&wire, &client, WEIR_WEBSOCKET_TEXT, text, 100, true);
        expect_status(codec_take(&server, &wire, 1000), 0);
        expect_events(result == 0 ? "text:1000 bytes text:5101 bytes"
                                  : "text:1000 bytes text:101 bytes");
        end_both();
        expect_int(memory.live, 0);
        if (result == 0)
            break;
    }
    expect(failed > 0);
}

/* So has one that was made but not sent. */
CASE(a_frame_that_was_not_sent_has_no_effect)
{
    struct weir__codec_frame made;

    make_both();
    wire_send(&wire, &client, WEIR_WEBSOCKET_TEXT, "Hello Hello", 11, true);
    expect_status(weir__codec_message(&client, &made, WEIR_WEBSOCKET_TEXT,
                                      (weir_bytes){"secret words", 12}, true),
                  0);
    weir__codec_unsent(&client, &made);
    wire_send(&wire, &client, WEIR_WEBSOCKET_TEXT, "secret words", 12, true);
    expect_status(codec_take(&server, &wire, 1), 0);
    expect_events("text:Hello Hello text:secret words");
    end_both();
}

CASE(receiving_fails_without_memory_and_leaks_nothing)
{
    static char text[50000];
    uint64_t failed = 0;

    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (char)('a' + i * i % 26);
    for (int is_streaming = 0; is_streaming < 2; is_streaming++)
        for (uint64_t n = 1;; n++) {
            int result;

            count_memory(0);
            make_with((weir_websocket_deflate){.is_on = true}, is_streaming, 0);
            wire_send(&wire, &client, WEIR_WEBSOCKET_TEXT, text, sizeof(text),
                      true);
            wire_frame(&wire, FINAL | RSV1 | TEXT,
                       "\xf3\x48\xcd\xc9\xc9\x07\x00\x00", 8, MASKED);
            weir__codec_fini(&client);
            count_memory(n);
            result = codec_take(&server, &wire, 1000);
            expect(result == 0 || result == -ENOMEM);
            (void)take_events();
            failed += result != 0;
            weir__codec_fini(&server);
            expect_int(memory.live, 0);
            if (result == 0)
                break;
        }
    expect(failed > 6);
    wire_free(&wire);
}
