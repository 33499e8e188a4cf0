/* SPDX-License-Identifier: MIT */
/*
 * codec -- the frames of RFC 6455, right and wrong, whole and byte by byte.
 */
#include "net/support/websocket_fixture.h"
#include "support/failing_allocator.h"

static struct weir__codec codec;
static struct wire wire;

static void end_codec(void)
{
    weir__codec_fini(&codec);
    wire_free(&wire);
}

/* The wire holds a violation: each way to split it gets the same answer. */
static void expect_violation(int role, const char *events, unsigned code)
{
    static const size_t pieces[] = {1, 2, 3, 7, 100000};

    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        struct wire copy = {0};

        wire_add(&copy, wire.data, wire.size);
        codec_make(&codec, role);
        expect_status(codec_take(&codec, &copy, pieces[i]), WEIR_EWEBSOCKET);
        expect_int(codec.code, code);
        expect_events(events);
        wire_frame(&copy, FINAL | TEXT, "more", 4, role == CODEC_SERVER);
        expect_status(codec_take(&codec, &copy, 1), 0); /* it is over */
        expect_events("");
        weir__codec_fini(&codec);
        wire_free(&copy);
    }
    wire.size = 0;
}

/* The wire is valid: each way to split it gives the same events. */
static void expect_accepted(int role, const char *events)
{
    static const size_t pieces[] = {1, 2, 3, 7, 4096, 4097, 100000};

    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        struct wire copy = {0};

        wire_add(&copy, wire.data, wire.size);
        codec_make(&codec, role);
        expect_status(codec_take(&codec, &copy, pieces[i]), 0);
        expect_events(events);
        weir__codec_fini(&codec);
        wire_free(&copy);
    }
    wire.size = 0;
}

/* ---- the examples of RFC 6455, 5.7 ---- */

CASE(an_unmasked_text_of_the_rfc_is_read)
{
    wire_add(&wire, "\x81\x05\x48\x65\x6c\x6c\x6f", 7);
    expect_accepted(CODEC_CLIENT, "text:Hello");
}

CASE(a_masked_text_of_the_rfc_is_read)
{
    wire_add(&wire, "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58", 11);
    expect_accepted(CODEC_SERVER, "text:Hello");
}

CASE(a_fragmented_text_of_the_rfc_is_read)
{
    wire_add(&wire, "\x01\x03\x48\x65\x6c\x80\x02\x6c\x6f", 9);
    expect_accepted(CODEC_CLIENT, "text:Hello");
}

CASE(a_ping_and_its_pong_of_the_rfc_are_read)
{
    wire_add(&wire, "\x89\x05\x48\x65\x6c\x6c\x6f", 7);
    expect_accepted(CODEC_CLIENT, "ping:Hello");
    wire_add(&wire, "\x8a\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58", 11);
    expect_accepted(CODEC_SERVER, "pong:Hello");
}

CASE(lengths_of_16_and_64_bits_of_the_rfc_are_read)
{
    static const uint8_t zeros[65536];

    wire_add(&wire, "\x82\x7e\x01\x00", 4);
    wire_add(&wire, zeros, 256);
    wire_add(&wire, "\x82\x7f\x00\x00\x00\x00\x00\x01\x00\x00", 10);
    wire_add(&wire, zeros, 65536);
    expect_accepted(CODEC_CLIENT, "binary:256 bytes binary:65536 bytes");
}

/* ---- what is written can be read ---- */

static void expect_round_trip(int sender, size_t size, size_t piece)
{
    struct weir__codec from, to;
    uint8_t *data = malloc(size + 1);
    struct weir__codec_event event;
    size_t seen = 0;

    for (size_t i = 0; i < size; i++)
        data[i] = (uint8_t)(i * 31 + 7);
    codec_make(&from, sender);
    codec_make(&to, !sender);
    wire_send(&wire, &from, WEIR_WEBSOCKET_BINARY, data, size, true);
    for (size_t at = 0; at < wire.size; at += piece) {
        size_t count = wire.size - at < piece ? wire.size - at : piece;

        weir__codec_feed(&to, (weir_bytes){wire.data + at, count});
        while (weir__codec_next(&to, &event) == 1) {
            expect_int(event.type, WEIR__CODEC_MESSAGE);
            expect_int(event.bytes.size, size);
            expect(size == 0 || memcmp(event.bytes.data, data, size) == 0);
            seen++;
        }
    }
    expect_int(seen, 1);
    expect(to.in.data == NULL); /* idle */
    wire.size = 0;
    weir__codec_fini(&from);
    weir__codec_fini(&to);
    free(data);
}

CASE(messages_of_all_lengths_arrive_in_both_directions)
{
    static const size_t sizes[] = {0,    1,    125,   126,   127,   128,   4090,
                                   4096, 8192, 65535, 65536, 65537, 200000};
    static const size_t pieces[] = {1, 13, 4096, 70000, 1 << 20};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        for (size_t k = 0; k < sizeof(pieces) / sizeof(pieces[0]); k++) {
            expect_round_trip(CODEC_SERVER, sizes[i], pieces[k]);
            expect_round_trip(CODEC_CLIENT, sizes[i], pieces[k]);
        }
    wire_free(&wire);
}

CASE(a_client_masks_each_frame_with_another_key)
{
    uint8_t keys[64][4];

    codec_make(&codec, CODEC_CLIENT);
    for (int i = 0; i < 64; i++) {
        wire.size = 0;
        wire_send(&wire, &codec, WEIR_WEBSOCKET_TEXT, "a", 1, true);
        expect_int(wire.data[1], 0x81);
        memcpy(keys[i], wire.data + 2, 4);
        expect_int(wire.data[6] ^ wire.data[2], 'a');
        for (int k = 0; k < i; k++)
            expect(memcmp(keys[i], keys[k], 4) != 0);
    }
    end_codec();
}

CASE(the_first_keys_of_two_clients_differ)
{
    uint8_t keys[2][4];

    for (int i = 0; i < 2; i++) {
        codec_make(&codec, CODEC_CLIENT);
        wire.size = 0;
        wire_send(&wire, &codec, WEIR_WEBSOCKET_TEXT, "a", 1, true);
        memcpy(keys[i], wire.data + 2, 4);
        weir__codec_fini(&codec);
    }
    expect(memcmp(keys[0], keys[1], 4) != 0);
    wire_free(&wire);
}

CASE(a_server_writes_the_payload_where_it_is)
{
    static const char text[] = "not copied";
    struct weir__codec_frame made;

    codec_make(&codec, CODEC_SERVER);
    expect_status(weir__codec_message(&codec, &made, WEIR_WEBSOCKET_TEXT,
                                      (weir_bytes){text, 10}, true),
                  0);
    expect(made.frame.parts[1].data == text);
    weir__codec_unsent(&codec, &made);
    end_codec();
}

/* ---- fragments ---- */

CASE(control_frames_between_fragments_are_passed_on_at_once)
{
    wire_frame(&wire, TEXT, "one ", 4, MASKED);
    wire_frame(&wire, FINAL | PING, "p", 1, MASKED);
    wire_frame(&wire, CONTINUATION, "two ", 4, MASKED);
    wire_frame(&wire, FINAL | PONG, "", 0, MASKED);
    wire_frame(&wire, FINAL | CONTINUATION, "three", 5, MASKED);
    wire_frame(&wire, FINAL | BINARY, "x", 1, MASKED);
    expect_accepted(CODEC_SERVER, "ping:p pong: text:one two three binary:x");
}

CASE(empty_fragments_make_an_empty_message)
{
    wire_frame(&wire, TEXT, "", 0, MASKED);
    wire_frame(&wire, CONTINUATION, "", 0, MASKED);
    wire_frame(&wire, FINAL | CONTINUATION, "", 0, MASKED);
    wire_frame(&wire, TEXT, "", 0, MASKED);
    wire_frame(&wire, CONTINUATION, "x", 1, MASKED);
    wire_frame(&wire, FINAL | CONTINUATION, "", 0, MASKED);
    expect_accepted(CODEC_SERVER, "text: text:x");
}

CASE(a_continuation_of_nothing_is_refused)
{
    wire_frame(&wire, FINAL | CONTINUATION, "x", 1, MASKED);
    expect_violation(CODEC_SERVER, "", 1002);
    wire_frame(&wire, FINAL | TEXT, "x", 1, MASKED);
    wire_frame(&wire, CONTINUATION, "x", 1, MASKED);
    expect_violation(CODEC_SERVER, "text:x", 1002);
}

CASE(a_message_inside_another_is_refused)
{
    wire_frame(&wire, TEXT, "x", 1, MASKED);
    wire_frame(&wire, FINAL | TEXT, "y", 1, MASKED);
    expect_violation(CODEC_SERVER, "", 1002);
    wire_frame(&wire, BINARY, "x", 1, MASKED);
    wire_frame(&wire, BINARY, "y", 1, MASKED);
    expect_violation(CODEC_SERVER, "", 1002);
}

CASE(a_message_is_sent_in_fragments_with_pings_between)
{
    struct weir__codec_frame made;

    codec_make(&codec, CODEC_CLIENT);
    wire_send(&wire, &codec, WEIR_WEBSOCKET_TEXT, "a\xe2", 2, false);
    expect(weir__codec_is_inside(&codec));
    expect_status(
        weir__codec_control(&codec, &made, PING, (weir_bytes){"p", 1}), 0);
    wire_made(&wire, &codec, &made);
    wire_send(&wire, &codec, WEIR_WEBSOCKET_TEXT, "\x82", 1, false);
    wire_send(&wire, &codec, WEIR_WEBSOCKET_TEXT, "\xac", 1, true);
    expect(!weir__codec_is_inside(&codec));
    weir__codec_fini(&codec);
    expect_accepted(CODEC_SERVER, "ping:p text:a\xe2\x82\xac");
}

CASE(a_fragment_of_another_kind_or_of_broken_text_is_not_sent)
{
    struct weir__codec_frame made;

    codec_make(&codec, CODEC_SERVER);
    wire_send(&wire, &codec, WEIR_WEBSOCKET_TEXT, "\xe2\x82", 2, false);
    expect_status(weir__codec_message(&codec, &made, WEIR_WEBSOCKET_BINARY,
                                      (weir_bytes){"x", 1}, true),
                  -EINVAL);
    expect_status(weir__codec_message(&codec, &made, WEIR_WEBSOCKET_TEXT,
                                      (weir_bytes){"x", 1}, false),
                  -EINVAL);
    expect_status(weir__codec_message(&codec, &made, WEIR_WEBSOCKET_TEXT,
                                      (weir_bytes){"", 0}, true),
                  -EINVAL);
    wire_send(&wire, &codec, WEIR_WEBSOCKET_TEXT, "\xac", 1, true);
    weir__codec_fini(&codec);
    expect_accepted(CODEC_CLIENT, "text:\xe2\x82\xac");
}

/* ---- reserved bits and opcodes ---- */

CASE(reserved_bits_are_refused)
{
    for (unsigned bits = RSV3; bits <= (RSV1 | RSV2 | RSV3); bits += RSV3) {
        wire_frame(&wire, FINAL | bits | TEXT, "x", 1, MASKED);
        expect_violation(CODEC_SERVER, "", 1002);
        wire_frame(&wire, FINAL | bits | PING, "x", 1, MASKED);
        expect_violation(CODEC_SERVER, "", 1002);
        wire_frame(&wire, FINAL | bits | CLOSE, "", 0, MASKED);
        expect_violation(CODEC_SERVER, "", 1002);
        wire_frame(&wire, TEXT, "x", 1, MASKED);
        wire_frame(&wire, FINAL | bits | CONTINUATION, "x", 1, MASKED);
        expect_violation(CODEC_SERVER, "", 1002);
    }
}

CASE(reserved_opcodes_are_refused)
{
    for (unsigned opcode = 0; opcode < 16; opcode++) {
        if (opcode <= BINARY || (opcode >= CLOSE && opcode <= PONG))
            continue;
        wire_frame(&wire, FINAL | TEXT, "ok", 2, MASKED);
        wire_frame(&wire, FINAL | opcode, "x", 1, MASKED);
        expect_violation(CODEC_SERVER, "text:ok", 1002);
        wire_frame(&wire, FINAL | opcode, "", 0, MASKED);
        expect_violation(CODEC_SERVER, "", 1002);
    }
}

CASE(a_control_frame_that_is_too_long_or_a_fragment_is_refused)
{
    static const char bytes[126] = "";

    for (unsigned opcode = CLOSE; opcode <= PONG; opcode++) {
        wire_frame(&wire, FINAL | opcode, bytes, 126, MASKED);
        expect_violation(CODEC_SERVER, "", 1002);
        wire_frame(&wire, opcode, "x", 1, MASKED);
        expect_violation(CODEC_SERVER, "", 1002);
    }
    wire_frame(&wire, FINAL | PING, bytes, 125, MASKED);
    expect_accepted(CODEC_SERVER, "ping:125 bytes");
}

CASE(a_length_that_is_not_in_its_shortest_form_is_refused)
{
    wire_add(&wire, "\x82\x7e\x00\x7d", 4);
    expect_violation(CODEC_CLIENT, "", 1002);
    wire_add(&wire, "\x82\x7f\x00\x00\x00\x00\x00\x00\xff\xff", 10);
    expect_violation(CODEC_CLIENT, "", 1002);
    wire_add(&wire, "\x82\x7f\x80\x00\x00\x00\x00\x00\x00\x00", 10);
    expect_violation(CODEC_CLIENT, "", 1002);
}

CASE(only_a_client_masks)
{
    wire_frame(&wire, FINAL | TEXT, "x", 1, UNMASKED);
    expect_violation(CODEC_SERVER, "", 1002);
    wire_frame(&wire, FINAL | TEXT, "", 0, UNMASKED);
    expect_violation(CODEC_SERVER, "", 1002);
    wire_frame(&wire, FINAL | TEXT, "x", 1, MASKED);
    expect_violation(CODEC_CLIENT, "", 1002);
    wire_frame(&wire, FINAL | PING, "x", 1, MASKED);
    expect_violation(CODEC_CLIENT, "", 1002);
}

/* ---- texts ---- */

CASE(a_text_may_be_split_inside_a_character)
{
    static const char text[] = "\xce\xba\xf0\x9f\x98\x80\xe2\x82\xac";

    for (size_t split = 0; split <= 9; split++) {
        wire_frame(&wire, TEXT, text, split, MASKED);
        wire_frame(&wire, FINAL | CONTINUATION, text + split, 9 - split,
                   MASKED);
        expect_accepted(CODEC_SERVER,
                        "text:\xce\xba\xf0\x9f\x98\x80\xe2\x82\xac");
    }
}

CASE(an_invalid_text_is_refused_however_it_is_split)
{
    static const char *const texts[] = {
        ("\xce\xba\xe1\xbd\xb9\xed\xa0\x80"
         "edited"),            /* a surrogate */
        "\xc0\xaf",            /* overlong */
        "ok \xf4\x90\x80\x80", /* beyond the last */
        "\x80",
        "abc\xff",
        "\xf8\x88\x80\x80\x80",
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        for (size_t split = 0; split <= strlen(texts[i]); split++) {
            wire_frame(&wire, TEXT, texts[i], split, MASKED);
            wire_frame(&wire, FINAL | CONTINUATION, texts[i] + split,
                       strlen(texts[i]) - split, MASKED);
            expect_violation(CODEC_SERVER, "", 1007);
        }
}

CASE(a_text_that_ends_inside_a_character_is_refused)
{
    wire_frame(&wire, FINAL | TEXT, "a\xe2\x82", 3, MASKED);
    expect_violation(CODEC_SERVER, "", 1007);
    wire_frame(&wire, TEXT, "a\xe2\x82", 3, MASKED);
    wire_frame(&wire, FINAL | CONTINUATION, "", 0, MASKED);
    expect_violation(CODEC_SERVER, "", 1007);
}

CASE(an_invalid_text_is_refused_before_it_is_complete)
{
    wire_header(&wire, TEXT, 1000, MASKED);
    wire_payload(&wire, "ab\xff", 3, MASKED);
    expect_violation(CODEC_SERVER, "", 1007);
}

CASE(binary_messages_may_hold_anything)
{
    wire_frame(&wire, FINAL | BINARY, "\xff\xfe", 2, MASKED);
    expect_accepted(CODEC_SERVER, "binary:\xff\xfe");
}

/* ---- closing ---- */

CASE(a_close_frame_ends_the_input)
{
    wire_frame(&wire, FINAL | CLOSE,
               "\x03\xe8"
               "bye",
               5, MASKED);
    wire_frame(&wire, FINAL | TEXT, "ignored", 7, MASKED);
    wire_frame(&wire, 0x7f, "nonsense", 8, UNMASKED);
    expect_accepted(CODEC_SERVER, "close:1000:bye");
    wire_frame(&wire, FINAL | CLOSE, "", 0, MASKED);
    expect_accepted(CODEC_SERVER, "close:1005:");
    wire_frame(&wire, TEXT, "unfinished", 10, MASKED);
    wire_frame(&wire, FINAL | CLOSE, "\x0f\x9f", 2, MASKED);
    expect_accepted(CODEC_SERVER, "close:3999:");
}

CASE(a_close_frame_with_half_a_code_is_refused)
{
    wire_frame(&wire, FINAL | CLOSE, "\x03", 1, MASKED);
    expect_violation(CODEC_SERVER, "", 1002);
}

CASE(every_close_code_is_judged_right)
{
    for (unsigned code = 0; code < 6000; code++) {
        uint8_t payload[] = {(uint8_t)(code >> 8), (uint8_t)code};
        bool is_valid = (code >= 1000 && code <= 1014 && code != 1004 &&
                         code != 1005 && code != 1006) ||
                        (code >= 3000 && code < 5000);
        struct weir__codec_frame made;
        int sent;

        wire.size = 0;
        wire_frame(&wire, FINAL | CLOSE, payload, 2, MASKED);
        codec_make(&codec, CODEC_SERVER);
        expect_status(codec_take(&codec, &wire, 100),
                      is_valid ? 0 : WEIR_EWEBSOCKET);
        take_events();
        sent = weir__codec_close(&codec, &made, (uint16_t)code,
                                 (weir_bytes){"x", 1});
        expect_status(sent, is_valid ? 0 : -EINVAL);
        if (sent == 0)
            weir__codec_unsent(&codec, &made);
        weir__codec_fini(&codec);
    }
    wire_free(&wire);
}

CASE(a_close_reason_that_is_not_utf8_is_refused)
{
    wire_frame(&wire, FINAL | CLOSE, "\x03\xe8\xe2\x82", 4, MASKED);
    expect_violation(CODEC_SERVER, "", 1007);
    wire_frame(&wire, FINAL | CLOSE, "\x03\xe8\xff", 3, MASKED);
    expect_violation(CODEC_SERVER, "", 1007);
}

CASE(a_close_frame_is_written_with_its_code_and_reason)
{
    struct weir__codec_frame made;
    char reason[124];

    memset(reason, 'r', sizeof(reason));
    codec_make(&codec, CODEC_SERVER);
    expect_status(
        weir__codec_close(&codec, &made, 1000, (weir_bytes){reason, 124}),
        -EINVAL);
    expect_status(
        weir__codec_close(&codec, &made, 1000, (weir_bytes){"\xff", 1}),
        -EINVAL);
    expect_status(weir__codec_close(&codec, &made, 0, (weir_bytes){"x", 1}),
                  -EINVAL);
    expect_status(
        weir__codec_close(&codec, &made, 1012, (weir_bytes){"again", 5}), 0);
    wire_made(&wire, &codec, &made);
    weir__codec_fini(&codec);
    expect_accepted(CODEC_CLIENT, "close:1012:again");
    codec_make(&codec, CODEC_CLIENT);
    expect_status(weir__codec_close(&codec, &made, 0, (weir_bytes){NULL, 0}),
                  0);
    wire_made(&wire, &codec, &made);
    weir__codec_fini(&codec);
    expect_accepted(CODEC_SERVER, "close:1005:");
    codec_make(&codec, CODEC_CLIENT);
    expect_status(
        weir__codec_close(&codec, &made, 4999, (weir_bytes){reason, 123}), 0);
    wire_made(&wire, &codec, &made);
    weir__codec_fini(&codec);
    expect_accepted(CODEC_SERVER, "close:4999:123 bytes");
}

/* ---- limits ---- */

static void make_limited(bool is_streaming)
{
    codec_make_with(&codec,
                    CODEC_OPTIONS(.max_message_bytes = 10, .max_frames = 4,
                                  .is_streaming = is_streaming));
}

CASE(a_message_of_the_largest_size_is_accepted)
{
    make_limited(false);
    wire_frame(&wire, FINAL | TEXT, "0123456789", 10, MASKED);
    wire_frame(&wire, TEXT, "01234", 5, MASKED);
    wire_frame(&wire, FINAL | CONTINUATION, "56789", 5, MASKED);
    expect_status(codec_take(&codec, &wire, 3), 0);
    expect_events("text:0123456789 text:0123456789");
    end_codec();
}

CASE(a_larger_message_is_refused_as_soon_as_it_is_announced)
{
    for (int is_streaming = 0; is_streaming < 2; is_streaming++) {
        make_limited(is_streaming);
        wire_header(&wire, FINAL | TEXT, 11, MASKED);
        wire_payload(&wire, "0", 1, MASKED);
        expect_status(codec_take(&codec, &wire, 100), WEIR_EWEBSOCKET);
        expect_int(codec.code, 1009);
        expect_events("");
        weir__codec_fini(&codec);

        make_limited(is_streaming);
        wire_frame(&wire, TEXT, "012345", 6, MASKED);
        wire_header(&wire, CONTINUATION, UINT64_MAX >> 1, MASKED);
        wire_payload(&wire, "0", 1, MASKED);
        expect_status(codec_take(&codec, &wire, 100), WEIR_EWEBSOCKET);
        expect_int(codec.code, 1009);
        expect_events(is_streaming ? "text:012345..." : "");
        weir__codec_fini(&codec);
    }
    wire_free(&wire);
}

CASE(fragments_without_end_are_refused)
{
    make_limited(false);
    for (int i = 0; i < 5; i++)
        wire_frame(&wire, i == 0 ? TEXT : CONTINUATION, "", 0, MASKED);
    expect_status(codec_take(&codec, &wire, 1), WEIR_EWEBSOCKET);
    expect_int(codec.code, 1009);
    expect_int(wire.size, 0);
    end_codec();
}

/* ---- memory ---- */

CASE(a_header_does_not_make_the_codec_allocate_what_it_announces)
{
    struct failing_allocator memory;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    codec_make(&codec, CODEC_SERVER);
    wire_header(&wire, FINAL | BINARY, 1 << 20, MASKED);
    wire_payload(&wire, "x", 1, MASKED);
    expect_status(codec_take(&codec, &wire, 100), 0);
    expect(memory.live_bytes <= 65536);
    for (int i = 0; i < 100; i++)
        wire_payload(&wire, "0123456789", 10, UNMASKED);
    expect_status(codec_take(&codec, &wire, 100), 0);
    expect(memory.live_bytes <= 65536);
    end_codec();
    expect_int(memory.live_bytes, 0);
}

CASE(a_codec_between_messages_has_no_memory)
{
    struct failing_allocator memory;
    static char large[100000];

    memset(large, 'x', sizeof(large));
    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    codec_make(&codec, CODEC_SERVER);
    wire_frame(&wire, FINAL | TEXT, large, sizeof(large), MASKED);
    expect_status(codec_take(&codec, &wire, 1000), 0);
    expect_events("text:100000 bytes");
    expect(memory.calls > 0);
    expect_int(memory.live, 0);
    end_codec();
}

/* An allocation that fails ends the input, with nothing leaked. */
CASE(a_message_for_which_there_is_no_memory_is_an_error)
{
    static char large[100000];
    uint64_t failed = 0;

    for (uint64_t n = 1;; n++) {
        struct failing_allocator memory;
        int result;

        failing_allocator_init(&memory, n);
        expect_status(weir_set_allocator(&memory.hooks), 0);
        codec_make(&codec, CODEC_SERVER);
        wire_frame(&wire, BINARY, large, 50000, MASKED);
        wire_frame(&wire, FINAL | CONTINUATION, large, 50000, MASKED);
        result = codec_take(&codec, &wire, 5000);
        expect(result == 0 || result == -ENOMEM);
        expect_events(result == 0 ? "binary:100000 bytes" : "");
        weir__codec_fini(&codec);
        expect_int(memory.live, 0);
        failed += result != 0;
        if (memory.calls < n)
            break;
    }
    expect(failed > 0);
    wire_free(&wire);
}

/* ---- streaming and back-pressure ---- */

CASE(a_streaming_codec_passes_on_what_has_arrived)
{
    codec_make_with(&codec, CODEC_OPTIONS(.is_streaming = true));
    wire_header(&wire, TEXT, 8, MASKED);
    wire_payload(&wire, "abc", 3, MASKED);
    expect_status(codec_take(&codec, &wire, 100), 0);
    expect_events("text:abc...");
    wire_add(&wire, "\x78\x12\x34\x56\x78", 5); /* the mask: zeros */
    wire_frame(&wire, CONTINUATION, "", 0, MASKED);
    wire_frame(&wire, FINAL | PING, "", 0, MASKED);
    wire_frame(&wire, FINAL | CONTINUATION, "", 0, MASKED);
    wire_frame(&wire, FINAL | BINARY, "end", 3, MASKED);
    expect_status(codec_take(&codec, &wire, 100), 0);
    expect_events("text:... ping: text: binary:end");
    end_codec();
}

CASE(a_reader_that_stops_loses_nothing)
{
    struct weir__codec_event event;
    uint8_t *rest;
    weir_bytes unread;

    codec_make(&codec, CODEC_SERVER);
    for (int i = 0; i < 3000; i++)
        wire_frame(&wire, FINAL | TEXT, "0123456789", 10, MASKED);
    weir__codec_feed(&codec, (weir_bytes){wire.data, wire.size});
    for (int i = 0; i < 3000; i++) {
        expect_int(weir__codec_next(&codec, &event), 1);
        expect(memcmp(event.bytes.data, "0123456789", 10) == 0);
        if (i % 100 != 0)
            continue;
        unread = weir__codec_unread(&codec); /* keep it elsewhere */
        rest = malloc(unread.size + 1);
        memcpy(rest, unread.data, unread.size);
        free(wire.data);
        wire.data = rest;
        weir__codec_feed(&codec, (weir_bytes){rest, unread.size});
    }
    expect_int(weir__codec_next(&codec, &event), 0);
    expect(!weir__codec_is_pending(&codec));
    end_codec();
}
