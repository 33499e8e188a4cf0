/* SPDX-License-Identifier: MIT */
/*
 * format -- heads and chunks, byte by byte; and that nothing can be injected.
 */
#include "http/format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "http/parser.h"
#include "support/suite.h"

#define TEXT(literal) ((weir_bytes){literal, sizeof(literal) - 1})
#define PAIR(name, value)                                                      \
    {                                                                          \
        WEIR_BYTES_OF(name), WEIR_BYTES_OF(value)                              \
    }
#define DATE "Sun, 06 Nov 1994 08:49:37 GMT"

/* Write into memory of exactly the size that was announced. */
static char *response_text(const struct weir__http_response *response)
{
    size_t size = weir__http_response_size(response);
    char *buffer = malloc(size);
    char *end = weir__http_response_write(response, buffer);
    char *text;

    expect((size_t)(end - buffer) <= size);
    text = strndup(buffer, (size_t)(end - buffer));
    free(buffer);
    return text;
}

static void expect_response(const struct weir__http_response *response,
                            const char *expected)
{
    char *text = response_text(response);

    expect_string(text, expected);
    free(text);
}

CASE(response_has_its_parts_in_order)
{
    static const weir_http_field fields[] = {PAIR("Content-Type", "text/plain"),
                                             PAIR("X-Empty", "")};
    struct weir__http_response response = {.status = 200,
                                           .fields = fields,
                                           .field_count = 2,
                                           .framing = WEIR__HTTP_FRAME_LENGTH,
                                           .length = 5,
                                           .date = DATE};

    expect_response(&response, "HTTP/1.1 200 OK\r\nDate: " DATE "\r\n"
                               "Content-Type: text/plain\r\nX-Empty: \r\n"
                               "Content-Length: 5\r\n\r\n");
}

CASE(response_may_be_bare)
{
    struct weir__http_response response = {.status = 204};

    expect_response(&response, "HTTP/1.1 204 No Content\r\n\r\n");
    response.status = 299;
    expect_response(&response, "HTTP/1.1 299 \r\n\r\n");
    response.status = 200;
    response.reason = TEXT("Fine");
    expect_response(&response, "HTTP/1.1 200 Fine\r\n\r\n");
    response.reason = TEXT("");
    expect_response(&response, "HTTP/1.1 200 \r\n\r\n");
}

CASE(response_has_every_framing_and_connection)
{
    struct weir__http_response response = {.status = 404,
                                           .framing = WEIR__HTTP_FRAME_CHUNKED,
                                           .connection =
                                               WEIR__HTTP_CONNECTION_CLOSE};

    expect_response(&response, "HTTP/1.1 404 Not Found\r\nConnection: close\r\n"
                               "Transfer-Encoding: chunked\r\n\r\n");
    response.framing = WEIR__HTTP_FRAME_LENGTH;
    response.length = UINT64_MAX;
    response.connection = WEIR__HTTP_CONNECTION_KEEP_ALIVE;
    expect_response(&response,
                    "HTTP/1.1 404 Not Found\r\nConnection: keep-alive\r\n"
                    "Content-Length: 18446744073709551615\r\n\r\n");
    response.framing = WEIR__HTTP_FRAME_NONE;
    response.connection = WEIR__HTTP_CONNECTION_UPGRADE;
    response.status = 101;
    expect_response(&response, "HTTP/1.1 101 Switching Protocols\r\n"
                               "Connection: upgrade\r\n\r\n");
}

CASE(request_has_its_parts_in_order)
{
    static const weir_http_field fields[] = {PAIR("Accept", "*/*")};
    struct weir__http_request request = {.method = TEXT("POST"),
                                         .target = TEXT("/a?b"),
                                         .host = TEXT("x:80"),
                                         .fields = fields,
                                         .field_count = 1,
                                         .framing = WEIR__HTTP_FRAME_CHUNKED,
                                         .connection =
                                             WEIR__HTTP_CONNECTION_CLOSE};
    size_t size = weir__http_request_size(&request);
    char *buffer = malloc(size);
    char *end = weir__http_request_write(&request, buffer);
    char *text = strndup(buffer, (size_t)(end - buffer));

    expect((size_t)(end - buffer) <= size);
    expect_string(text, "POST /a?b HTTP/1.1\r\nHost: x:80\r\nAccept: */*\r\n"
                        "Connection: close\r\n"
                        "Transfer-Encoding: chunked\r\n\r\n");
    free(text);
    free(buffer);
}

CASE(request_may_be_bare)
{
    struct weir__http_request request = {.method = TEXT("GET"),
                                         .target = TEXT("/")};
    char buffer[256];
    char *end = weir__http_request_write(&request, buffer);

    *end = 0;
    expect_string(buffer, "GET / HTTP/1.1\r\n\r\n");
}

/* The parser understands what is written. */
CASE(response_survives_the_parser)
{
    static const weir_http_field fields[] = {PAIR("A", "b"),
                                             PAIR("C", "\303\251 \t x")};
    struct weir__http_response response = {.status = 503,
                                           .fields = fields,
                                           .field_count = 2,
                                           .framing = WEIR__HTTP_FRAME_LENGTH,
                                           .length = 7,
                                           .date = DATE};
    char *text = response_text(&response);
    weir_bytes input = {text, strlen(text)};
    struct weir__http_parser parser;

    weir__http_parser_init_response(&parser, NULL);
    expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_HEAD);
    expect_int(parser.message->status, 503);
    expect_int(parser.message->content_length, 7);
    expect_int(parser.message->field_count, 4);
    expect_int(weir__http_get(parser.message, TEXT("c")).size, 6);
    weir__http_parser_fini(&parser);
    free(text);
}

/* ---- checks ---- */

static int check(weir_bytes name, weir_bytes value)
{
    weir_http_field pair = {name, value};

    return weir__http_fields_check(&pair, 1);
}

CASE(field_with_a_line_break_is_refused)
{
    static const char bad[] = {'\r', '\n', 0, 1, 7, 11, 12, 27, 31, 127};

    for (size_t n = 0; n < sizeof(bad); n++) {
        char value[] = {'a', bad[n], 'b'};

        expect_status(check(TEXT("X"), (weir_bytes){value, 3}), -EINVAL);
        expect_status(check((weir_bytes){value, 3}, TEXT("x")), -EINVAL);
    }
    expect_status(check(TEXT("X"), TEXT("a\r\nSet-Cookie: b")), -EINVAL);
    expect_status(check(TEXT("X"), TEXT("a\r\n\r\n<html>")), -EINVAL);
}

CASE(name_that_is_not_a_token_is_refused)
{
    expect_status(check(TEXT(""), TEXT("x")), -EINVAL);
    expect_status(check(TEXT("a b"), TEXT("x")), -EINVAL);
    expect_status(check(TEXT("a:"), TEXT("x")), -EINVAL);
    expect_status(check(TEXT("a\303\251"), TEXT("x")), -EINVAL);
    expect_status(check(TEXT("(a)"), TEXT("x")), -EINVAL);
    expect_int(check(TEXT("a-b_c.d!"), TEXT("x")), 0);
}

CASE(field_without_the_bytes_that_it_counts_is_refused)
{
    expect_status(check(TEXT("X"), (weir_bytes){NULL, 4}), -EINVAL);
    expect_status(check((weir_bytes){NULL, 4}, TEXT("x")), -EINVAL);
    expect_status(weir__http_target_check((weir_bytes){NULL, 1}), -EINVAL);
    expect_status(weir__http_reason_check((weir_bytes){NULL, 5}), -EINVAL);
    expect_int(check(TEXT("X"), (weir_bytes){NULL, 0}), 0);
    expect_status(weir__http_reason_check((weir_bytes){NULL, 0}), 0);
}

CASE(value_with_space_around_it_is_refused)
{
    expect_status(check(TEXT("X"), TEXT(" a")), -EINVAL);
    expect_status(check(TEXT("X"), TEXT("a ")), -EINVAL);
    expect_status(check(TEXT("X"), TEXT("\ta")), -EINVAL);
    expect_status(check(TEXT("X"), TEXT("a\t")), -EINVAL);
    expect_status(check(TEXT("X"), TEXT(" ")), -EINVAL);
    expect_int(check(TEXT("X"), TEXT("a \t b")), 0);
    expect_int(check(TEXT("X"), TEXT("")), 0);
    expect_int(check(TEXT("X"), TEXT("\303\251\377")), 0);
}

CASE(names_that_the_framing_depends_on_are_reported)
{
    static const weir_http_field fields[] = {
        PAIR("content-length", "1"),
        PAIR("Transfer-Encoding", "chunked"),
        PAIR("CONNECTION", "close"),
        PAIR("Date", DATE),
        PAIR("host", "a"),
        PAIR("Upgrade", "x"),
        PAIR("Expect", "100-continue"),
        PAIR("trailer", "x"),
        PAIR("Content-Type", "text/a")};

    expect_int(weir__http_fields_check(fields, 9), 0x1ff);
    expect_int(weir__http_fields_check(fields, 1), WEIR__HTTP_HAS_LENGTH);
    expect_int(weir__http_fields_check(&fields[8], 1), WEIR__HTTP_HAS_TYPE);
    expect_int(weir__http_fields_check(NULL, 0), 0);
}

CASE(parts_of_a_start_line_are_checked)
{
    expect_status(weir__http_method_check(TEXT("GET")), 0);
    expect_status(weir__http_method_check(TEXT("M-SEARCH")), 0);
    expect_status(weir__http_method_check(TEXT("")), -EINVAL);
    expect_status(weir__http_method_check(TEXT("GET /")), -EINVAL);
    expect_status(weir__http_method_check(TEXT("G\r\n")), -EINVAL);
    expect_status(weir__http_target_check(TEXT("/a?b")), 0);
    expect_status(weir__http_target_check(TEXT("*")), 0);
    expect_status(weir__http_target_check(TEXT("http://a/")), 0);
    expect_status(weir__http_target_check(TEXT("")), -EINVAL);
    expect_status(weir__http_target_check(TEXT("/a b")), -EINVAL);
    expect_status(weir__http_target_check(TEXT("/a#b")), -EINVAL);
    expect_status(weir__http_target_check(TEXT("/\303\251")), -EINVAL);
    expect_status(weir__http_target_check(TEXT("/ HTTP/1.1\r\nX: y")), -EINVAL);
    expect_status(weir__http_reason_check(TEXT("")), 0);
    expect_status(weir__http_reason_check(TEXT("All is well")), 0);
    expect_status(weir__http_reason_check(TEXT("x\r\n")), -EINVAL);
}

/* ---- decisions ---- */

static enum weir__http_connection decide(const char *bytes, bool keep)
{
    weir_bytes input = {bytes, strlen(bytes)};
    enum weir__http_connection decision;
    struct weir__http_parser parser;

    weir__http_parser_init_request(&parser, NULL);
    expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_HEAD);
    decision = weir__http_connection_for(parser.message, keep);
    weir__http_parser_fini(&parser);
    return decision;
}

CASE(connection_is_kept_if_both_want_it)
{
    static const char new[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    static const char old[] = "GET / HTTP/1.0\r\n\r\n";
    static const char closing[] =
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    static const char keeping[] =
        "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";

    expect_int(decide(new, true), WEIR__HTTP_CONNECTION_NONE);
    expect_int(decide(new, false), WEIR__HTTP_CONNECTION_CLOSE);
    expect_int(decide(old, true), WEIR__HTTP_CONNECTION_CLOSE);
    expect_int(decide(closing, true), WEIR__HTTP_CONNECTION_CLOSE);
    expect_int(decide(keeping, true), WEIR__HTTP_CONNECTION_KEEP_ALIVE);
    expect_int(decide(keeping, false), WEIR__HTTP_CONNECTION_CLOSE);
    expect_int(weir__http_connection_for(NULL, true),
               WEIR__HTTP_CONNECTION_CLOSE);
}

CASE(responses_without_a_body_are_known)
{
    expect(weir__http_has_body(WEIR__HTTP_GET, 200));
    expect(weir__http_has_body(WEIR__HTTP_CONNECT, 403));
    expect(!weir__http_has_body(WEIR__HTTP_HEAD, 200));
    expect(!weir__http_has_body(WEIR__HTTP_GET, 100));
    expect(!weir__http_has_body(WEIR__HTTP_GET, 204));
    expect(!weir__http_has_body(WEIR__HTTP_GET, 304));
    expect(!weir__http_has_body(WEIR__HTTP_CONNECT, 200));
}

/* ---- chunks and numbers ---- */

static void expect_chunk(uint64_t size, const char *expected)
{
    char text[WEIR__HTTP_CHUNK_HEAD + 1];

    *weir__http_chunk_write(text, size) = 0;
    expect_string(text, expected);
}

CASE(chunk_lines_are_hexadecimal)
{
    expect_chunk(1, "1\r\n");
    expect_chunk(15, "f\r\n");
    expect_chunk(16, "10\r\n");
    expect_chunk(65536, "10000\r\n");
    expect_chunk(0x0123456789abcdef, "123456789abcdef\r\n");
    expect_chunk(UINT64_MAX, "ffffffffffffffff\r\n");
}

CASE(last_chunk_has_trailers)
{
    static const weir_http_field trailers[] = {PAIR("A", "b"), PAIR("C", "d")};
    char text[64];

    *weir__http_last_write(NULL, 0, text) = 0;
    expect_string(text, "0\r\n\r\n");
    expect_int(weir__http_last_size(NULL, 0), 5);
    *weir__http_last_write(trailers, 2, text) = 0;
    expect_string(text, "0\r\nA: b\r\nC: d\r\n\r\n");
    expect_int(weir__http_last_size(trailers, 2), strlen(text));
}

static void expect_number(uint64_t number, const char *expected)
{
    char text[WEIR__HTTP_NUMBER_SIZE + 1];

    *weir__http_number_write(text, number) = 0;
    expect_string(text, expected);
}

CASE(numbers_are_decimal)
{
    expect_number(0, "0");
    expect_number(9, "9");
    expect_number(10, "10");
    expect_number(99, "99");
    expect_number(100, "100");
    expect_number(12345, "12345");
    expect_number(UINT64_MAX, "18446744073709551615");
}

CASE(reasons_are_those_of_the_registry)
{
    expect_string(weir__http_reason(413).data, "Content Too Large");
    expect_string(weir__http_reason(431).data,
                  "Request Header Fields Too Large");
    expect_int(weir__http_reason(299).size, 0);
    expect_int(weir__http_reason(0).size, 0);
}
