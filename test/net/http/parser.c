/* SPDX-License-Identifier: MIT */
/*
 * parser -- its memory, its views, and what a server does with it.
 */
#include <errno.h>
#include <string.h>

#include "http/header.h"
#include "http/parser.h"
#include "support/failing_allocator.h"
#include "support/suite.h"

#define TEXT(literal) ((weir_bytes){literal, sizeof(literal) - 1})

static const char get[] = "GET /a HTTP/1.1\r\nHost: x\r\nAccept: y\r\n\r\n";

static struct failing_allocator memory;

static void begin(uint64_t fail_at)
{
    failing_allocator_init(&memory, fail_at);
    expect_status(weir_set_allocator(&memory.hooks), 0);
}

static bool is(weir_bytes actual, const char *expected)
{
    return actual.size == strlen(expected) &&
           memcmp(actual.data, expected, actual.size) == 0;
}

/* ---- memory ---- */

CASE(parser_between_messages_has_no_memory)
{
    weir_bytes input = {get, sizeof(get) - 1};
    struct weir__http_parser parser;

    begin(0);
    weir__http_parser_init_request(&parser, NULL);
    expect(sizeof(parser) <= 256);
    expect(weir__http_parser_is_idle(&parser));
    expect_int(memory.calls, 0);
    expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_HEAD);
    expect(!weir__http_parser_is_idle(&parser));
    expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_COMPLETE);
    expect(weir__http_parser_is_complete(&parser));
    weir__http_parser_release(&parser);
    expect(weir__http_parser_is_idle(&parser));
    expect_int(memory.live, 0);
    weir__http_parser_fini(&parser);
}

CASE(head_in_one_piece_takes_one_allocation_and_no_copy)
{
    weir_bytes input = {get, sizeof(get) - 1};
    struct weir__http_parser parser;
    const char *target;

    begin(0);
    weir__http_parser_init_request(&parser, NULL);
    expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_HEAD);
    expect_int(memory.calls, 1);
    target = weir__http_target(parser.message).data;
    expect(target == get + 4);
    expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_COMPLETE);
    expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_MORE);
    expect_int(memory.live, 0);
    weir__http_parser_fini(&parser);
}

CASE(kept_message_outlives_the_input)
{
    struct weir__http_parser parser;
    struct weir__http_message *message;
    char bytes[sizeof(get)];
    weir_bytes input = {bytes, sizeof(get) - 1};

    begin(0);
    memcpy(bytes, get, sizeof(get));
    weir__http_parser_init_request(&parser, NULL);
    expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_HEAD);
    expect_status(weir__http_message_keep(parser.message), 0);
    expect_status(weir__http_message_keep(parser.message), 0);
    memset(bytes, '!', sizeof(bytes));
    expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_COMPLETE);
    message = weir__http_parser_take(&parser);
    weir__http_parser_fini(&parser);
    expect(is(weir__http_target(message), "/a"));
    expect(is(weir__http_get(message, TEXT("accept")), "y"));
    weir__http_message_free(message);
    expect_int(memory.live, 0);
}

CASE(parser_goes_on_after_its_message_was_taken)
{
    static const char two[] = "GET /1 HTTP/1.0\r\n\r\nGET /2 HTTP/1.0\r\n\r\n";
    weir_bytes input = {two, sizeof(two) - 1};
    struct weir__http_parser parser;
    struct weir__http_message *first;

    begin(0);
    weir__http_parser_init_request(&parser, NULL);
    expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_HEAD);
    expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_COMPLETE);
    expect_int(input.size, 19);
    first = weir__http_parser_take(&parser);
    expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_HEAD);
    expect(is(weir__http_target(first), "/1"));
    expect(is(weir__http_target(parser.message), "/2"));
    weir__http_message_free(first);
    weir__http_parser_fini(&parser);
    expect_int(memory.live, 0);
}

CASE(parser_can_be_finished_anywhere)
{
    static const char bytes[] =
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        "5\r\nhello\r\n0\r\nA: b\r\n\r\n";

    begin(0);
    for (size_t size = 0; size < sizeof(bytes); size++) {
        weir_bytes input = {bytes, size};
        struct weir__http_parser parser;
        enum weir__http_event event;

        weir__http_parser_init_request(&parser, NULL);
        do
            event = weir__http_parser_next(&parser, &input);
        while (event != WEIR__PARSED_MORE && event != WEIR__PARSED_COMPLETE);
        weir__http_parser_fini(&parser);
        expect_int(memory.live, 0);
    }
}

/* Parse in two pieces, with trailers and more fields than fit into a message,
 * and keep the message.  Returns the parser's error. */
static int parse_much(void)
{
    char bytes[2048] = "POST / HTTP/1.1\r\nHost: a\r\n"
                       "Transfer-Encoding: chunked\r\n";
    struct weir__http_parser parser;
    enum weir__http_event event;
    weir_bytes input;
    int err = 0;

    for (int n = 0; n < 40; n++)
        strcat(bytes, "X: y\r\n");
    strcat(bytes, "\r\n0\r\nA: b\r\n\r\n");
    weir__http_parser_init_request(&parser, NULL);
    for (int half = 0; half < 2 && err == 0; half++) {
        size_t cut = strlen(bytes) - 4;

        input.data = half == 0 ? bytes : bytes + cut;
        input.size = half == 0 ? cut : 4;
        do
            event = weir__http_parser_next(&parser, &input);
        while (event != WEIR__PARSED_MORE && event != WEIR__PARSED_FAILED &&
               event != WEIR__PARSED_COMPLETE);
        if (event == WEIR__PARSED_FAILED) {
            err = parser.error;
            expect_int(parser.status, 503);
            expect_int(weir__http_parser_next(&parser, &input),
                       WEIR__PARSED_FAILED);
        }
        if (err == 0)
            err = weir__http_message_keep(parser.message);
    }
    weir__http_parser_fini(&parser);
    return err;
}

CASE(parser_without_memory_fails_and_leaks_nothing)
{
    uint64_t n;

    for (n = 1;; n++) {
        int err;

        begin(n);
        err = parse_much();
        expect_int(memory.live, 0);
        expect_int(memory.live_bytes, 0);
        if (err == 0)
            break;
        expect_status(err, -ENOMEM);
        expect_status(weir_set_allocator(NULL), 0);
    }
    expect(n > 4);
}

/* ---- views ---- */

CASE(fields_are_found_without_regard_to_case)
{
    static const char bytes[] = "GET / HTTP/1.1\r\nHost: x\r\nX-A: 1\r\n"
                                "x-a: 2\r\nX-AB: 3\r\n\r\n";
    weir_bytes input = {bytes, sizeof(bytes) - 1};
    struct weir__http_parser parser;
    const struct weir__http_message *message;

    weir__http_parser_init_request(&parser, NULL);
    expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_HEAD);
    message = parser.message;
    expect_int(weir__http_find(message, TEXT("X-a"), 0), 1);
    expect_int(weir__http_find(message, TEXT("X-a"), 2), 2);
    expect_int(weir__http_find(message, TEXT("X-a"), 3), -1);
    expect(is(weir__http_get(message, TEXT("x-ab")), "3"));
    expect(weir__http_get(message, TEXT("x")).data == NULL);
    expect_int(message->fields[0].id, WEIR__HTTP_NAME_HOST);
    expect_int(message->fields[1].id, WEIR__HTTP_NAME_OTHER);
    weir__http_parser_fini(&parser);
}

CASE(trailers_come_after_the_fields)
{
    static const char bytes[] =
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        "0\r\nA: b\r\n\r\n";
    weir_bytes input = {bytes, sizeof(bytes) - 1};
    struct weir__http_parser parser;

    weir__http_parser_init_request(&parser, NULL);
    expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_HEAD);
    expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_TRAILERS);
    expect_int(parser.message->field_count, 2);
    expect_int(parser.message->trailer_count, 1);
    expect(is(weir__http_name(parser.message, 2), "A"));
    expect(is(weir__http_value(parser.message, 2), "b"));
    /* They are not found among the fields of the head. */
    expect_int(weir__http_find(parser.message, TEXT("A"), 0), -1);
    expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_COMPLETE);
    weir__http_parser_fini(&parser);
}

CASE(data_is_a_view_of_the_input)
{
    static const char bytes[] =
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";
    weir_bytes input = {bytes, sizeof(bytes) - 1};
    struct weir__http_parser parser;

    weir__http_parser_init_request(&parser, NULL);
    expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_HEAD);
    expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_DATA);
    expect(parser.data.data == bytes + sizeof(bytes) - 6);
    expect(is(parser.data, "hello"));
    expect_int(parser.message->body_bytes, 5);
    expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_COMPLETE);
    weir__http_parser_fini(&parser);
}

CASE(methods_have_names)
{
    for (int n = 0; n < WEIR__HTTP_METHOD_COUNT; n++)
        expect_int(weir__http_method_find(weir__http_method_name(n)), n);
    expect_status(weir__http_method_find(TEXT("get")), -EINVAL);
    expect_status(weir__http_method_find(TEXT("")), -EINVAL);
}

/* Every method of the table gets through llhttp as itself. */
CASE(methods_are_parsed_as_themselves)
{
    for (int n = 0; n < WEIR__HTTP_METHOD_COUNT; n++) {
        weir_bytes name = weir__http_method_name(n);
        struct weir__http_parser parser;
        weir_bytes input;
        char bytes[64];

        memcpy(bytes, name.data, name.size);
        strcpy(bytes + name.size, n == WEIR__HTTP_CONNECT
                                      ? " a:1 HTTP/1.0\r\n\r\n"
                                      : " / HTTP/1.0\r\n\r\n");
        input = (weir_bytes){bytes, strlen(bytes)};
        weir__http_parser_init_request(&parser, NULL);
        expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_HEAD);
        expect_int(parser.message->method, n);
        weir__http_parser_fini(&parser);
    }
}

/* ---- the end ---- */

CASE(end_between_messages_is_orderly)
{
    struct weir__http_parser parser;
    weir_bytes input = {get, sizeof(get) - 1};

    weir__http_parser_init_request(&parser, NULL);
    expect_int(weir__http_parser_end(&parser), WEIR__PARSED_MORE);
    while (weir__http_parser_next(&parser, &input) != WEIR__PARSED_COMPLETE)
        continue;
    expect_int(weir__http_parser_end(&parser), WEIR__PARSED_MORE);
    weir__http_parser_fini(&parser);
}

CASE(end_inside_a_message_is_a_truncation)
{
    struct weir__http_parser parser;
    weir_bytes input = {get, 3};

    weir__http_parser_init_request(&parser, NULL);
    expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_MORE);
    expect_int(input.size, 0);
    expect_int(weir__http_parser_end(&parser), WEIR__PARSED_FAILED);
    expect_status(parser.error, WEIR_ETRUNCATED);
    expect_int(parser.status, 400);
    expect_int(weir__http_parser_end(&parser), WEIR__PARSED_FAILED);
    weir__http_parser_fini(&parser);
}

CASE(end_right_after_a_head_completes_what_has_no_body)
{
    static const char bytes[] = "HTTP/1.1 200 OK\r\n\r\n";
    struct weir__http_parser parser;
    weir_bytes input = {bytes, sizeof(bytes) - 1};

    weir__http_parser_init_response(&parser, NULL);
    expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_HEAD);
    expect_int(weir__http_parser_end(&parser), WEIR__PARSED_COMPLETE);
    weir__http_parser_fini(&parser);
}

CASE(failure_is_final_and_takes_no_more_input)
{
    static const char bytes[] = "G\x01T / HTTP/1.1\r\n";
    struct weir__http_parser parser;
    weir_bytes input = {bytes, sizeof(bytes) - 1};
    size_t left;

    weir__http_parser_init_request(&parser, NULL);
    expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_FAILED);
    expect_status(parser.error, WEIR_EHTTP);
    expect(parser.text != NULL);
    left = input.size;
    expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_FAILED);
    expect_int(input.size, left);
    weir__http_parser_fini(&parser);
}
