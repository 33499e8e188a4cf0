/* SPDX-License-Identifier: MIT */
/*
 * reader -- the parser of responses for a host.
 */
#include "weir/host/parser.h"

#include <errno.h>
#include <string.h>

#include "support/failing_allocator.h"
#include "support/suite.h"

static weir_http_parser *parser;
static char events[64];

static bool is_text(weir_bytes bytes, const char *text)
{
    return bytes.size == strlen(text) &&
           memcmp(bytes.data, text, bytes.size) == 0;
}

/* Parse text in pieces of `step` bytes, and write an initial for each event.
 * Returns what is left after the first COMPLETE. */
static size_t parse(const char *text, size_t step)
{
    size_t size = strlen(text), count = strlen(events);
    char copy[16];

    for (size_t at = 0; at < size;) {
        size_t part = size - at < step ? size - at : step;
        weir_bytes input = {memcpy(copy, text + at, part), part}, data;
        weir_http_event event;

        do {
            event = weir_http_parser_next(parser, &input, &data);
            if (event != WEIR_HTTP_MORE && event != WEIR_HTTP_DATA)
                events[count++] = "mhdtcf"[event];
            else if (event == WEIR_HTTP_DATA)
                expect((const char *)data.data + data.size == input.data);
        } while (event != WEIR_HTTP_MORE && event != WEIR_HTTP_FAILED &&
                 event != WEIR_HTTP_COMPLETE);
        at += part - input.size;
        memset(copy, '#', sizeof(copy));
        if (event == WEIR_HTTP_FAILED || event == WEIR_HTTP_COMPLETE)
            return size - at;
    }
    return 0;
}

static void make(void)
{
    memset(events, 0, sizeof(events));
    expect_status(weir_http_parser_new(&parser, NULL), 0);
}

CASE(reader_reports_heads_trailers_and_ends_whatever_the_pieces)
{
    static const char text[] =
        "HTTP/1.1 200 Fine\r\nX: 1\r\nTransfer-Encoding: "
        "chunked\r\n\r\n3\r\nabc\r\n0\r\nT: 2\r\n\r\n";

    for (size_t step = 1; step <= 16; step++) {
        weir_http_field field;

        make();
        expect_int(parse(text, step), 0);
        expect_string(events, "htc");
        expect_int(weir_http_parser_status(parser), 200);
        expect_int(weir_http_parser_version(parser), 11);
        expect(is_text(weir_http_parser_reason(parser), "Fine"));
        expect(weir_http_parser_keeps_alive(parser));
        expect(!weir_http_parser_is_upgrade(parser));
        expect(weir_http_parser_field_at(parser, 0, &field));
        expect(is_text(field.name, "X") && is_text(field.value, "1"));
        expect(!weir_http_parser_field_at(parser, 2, &field));
        expect(weir_http_parser_trailer_at(parser, 0, &field));
        expect(is_text(field.name, "T") && is_text(field.value, "2"));
        expect(!weir_http_parser_trailer_at(parser, 1, &field));
        weir_http_parser_free(parser);
    }
}

/* covers: weir_http_parser_expect -EINVAL */
CASE(reader_knows_which_request_is_answered)
{
    make();
    expect_status(weir_http_parser_expect(NULL, "GET"), -EINVAL);
    expect_status(weir_http_parser_expect(parser, NULL), -EINVAL);
    expect_status(weir_http_parser_expect(parser, "NONSENSE"), -EINVAL);
    expect_status(weir_http_parser_expect(parser, "HEAD"), 0);
    expect_int(parse("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", 16), 0);
    expect_string(events, "hc");
    expect_status(weir_http_parser_expect(parser, "CONNECT"), 0);
    expect_int(parse("HTTP/1.1 200 OK\r\n\r\ntunnel", 16), 6);
    expect_string(events, "hchc");
    expect(weir_http_parser_is_upgrade(parser));
    weir_http_parser_free(parser);
}

CASE(reader_ends_a_body_with_the_connection)
{
    make();
    expect_int(weir_http_parser_end(parser), WEIR_HTTP_MORE);
    expect_int(parse("HTTP/1.0 200 OK\r\n\r\nabc", 16), 0);
    expect_string(events, "h");
    expect(!weir_http_parser_keeps_alive(parser));
    expect_int(weir_http_parser_version(parser), 10);
    expect_int(weir_http_parser_end(parser), WEIR_HTTP_COMPLETE);
    weir_http_parser_free(parser);
    make();
    expect_int(parse("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc", 16), 0);
    expect_int(weir_http_parser_end(parser), WEIR_HTTP_FAILED);
    expect_status(weir_http_parser_refusal(parser).error, WEIR_ETRUNCATED);
    weir_http_parser_free(parser);
}

CASE(reader_refuses_what_is_no_response)
{
    make();
    parse("FTP/1.1 200 OK\r\n\r\n", 16);
    expect_string(events, "f");
    expect_status(weir_http_parser_refusal(parser).error, WEIR_EHTTP);
    expect(weir_http_parser_refusal(parser).text != NULL);
    weir_http_parser_free(parser);
    weir_http_parser_free(NULL);
}

/* covers: weir_http_parser_new -EINVAL
 * covers: weir_http_parser_new -E2BIG
 * covers: weir_http_parser_new -ENOMEM */
CASE(reader_is_made_with_valid_options_and_memory_only)
{
    struct {
        weir_http_parser_options options;
        char more[8];
    } larger = {.options = {.size = sizeof(larger)}, .more = "x"};
    weir_http_parser_options options = {.size = sizeof(options),
                                        .head_bytes = UINT32_MAX};
    struct failing_allocator memory;

    expect_status(weir_http_parser_new(NULL, NULL), -EINVAL);
    expect_status(weir_http_parser_new(&parser, &options), -EINVAL);
    expect_status(weir_http_parser_new(&parser, &larger.options), -E2BIG);
    failing_allocator_init(&memory, 1);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    expect_status(weir_http_parser_new(&parser, NULL), -ENOMEM);
    memory.fail_at = 0;
    make();
    for (uint64_t i = 1; i < 4; i++) {
        memory.fail_at = memory.calls + i;
        events[0] = '\0';
        parse("HTTP/1.1 200 OK\r\n\r\n", 16);
        if (events[0] == 'f')
            expect_status(weir_http_parser_refusal(parser).error, -ENOMEM);
        weir_http_parser_free(parser);
        memory.fail_at = 0;
        make();
    }
    weir_http_parser_free(parser);
    expect_int(memory.live, 0);
}
