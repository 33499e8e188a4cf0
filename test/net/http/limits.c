/* SPDX-License-Identifier: MIT */
/*
 * limits -- every limit is exact, whatever the pieces in which bytes arrive.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/support/transcript.h"
#include "support/suite.h"

/* ---- making requests ---- */

struct request {
    char *bytes;
    size_t size;
};

static void add(struct request *request, const char *text)
{
    size_t size = strlen(text);

    request->bytes = realloc(request->bytes, request->size + size + 1);
    memcpy(request->bytes + request->size, text, size + 1);
    request->size += size;
}

static void add_run(struct request *request, char byte, size_t count)
{
    request->bytes = realloc(request->bytes, request->size + count + 1);
    memset(request->bytes + request->size, byte, count);
    request->size += count;
    request->bytes[request->size] = 0;
}

/* Parse it whole, byte by byte, and in pieces of 7 and 1000 bytes: each time
 * with the same result, which is returned: a status, or 0. */
static unsigned parse(const struct request *request,
                      const struct weir__http_limits *limits,
                      uint64_t body_limit)
{
    struct transcript whole = {.limits = limits, .body_limit = body_limit};
    struct transcript other = {.limits = limits, .body_limit = body_limit};
    static const size_t steps[] = {1, 7, 1000};
    size_t *cuts = malloc((request->size + 1) * sizeof(*cuts));
    unsigned status;

    transcript_make(&whole, TRANSCRIPT_REQUESTS, request->bytes, request->size,
                    NULL, 0);
    for (size_t n = 0; n < 3; n++) {
        size_t count = 0;

        for (size_t at = steps[n]; at < request->size; at += steps[n])
            cuts[count++] = at;
        transcript_make(&other, TRANSCRIPT_REQUESTS, request->bytes,
                        request->size, cuts, count);
        expect_string(other.text, whole.text);
    }
    status = whole.status;
    expect(status != 0 || whole.messages == 1);
    transcript_free(&whole);
    transcript_free(&other);
    free(cuts);
    return status;
}

/* Parse it, and free it. */
static unsigned status_of(struct request *request,
                          const struct weir__http_limits *given,
                          uint64_t body_limit)
{
    struct weir__http_limits limits = {0};
    unsigned status;

    if (given != NULL)
        limits = *given;
    weir__http_limits_fill(&limits);
    status = parse(request, &limits, body_limit);
    free(request->bytes);
    *request = (struct request){0};
    return status;
}

#define HOST "Host: a\r\n"

/* ---- heads ---- */

/* A request whose head has `size` bytes. */
static struct request head_of(size_t size)
{
    struct request request = {0};

    add(&request, "GET / HTTP/1.1\r\n" HOST "X: ");
    add_run(&request, 'x', size - request.size - 4);
    add(&request, "\r\n\r\n");
    expect_int(request.size, size);
    return request;
}

CASE(head_of_16_kib_is_accepted_and_one_byte_more_is_431)
{
    struct request request = head_of(16384);

    expect_int(status_of(&request, NULL, 0), 0);
    request = head_of(16385);
    expect_int(status_of(&request, NULL, 0), 431);
    request = head_of(100000);
    expect_int(status_of(&request, NULL, 0), 431);
}

CASE(limit_of_the_head_does_not_count_the_body)
{
    struct request request = {0};
    struct weir__http_limits limits = {.head_bytes = 50};

    add(&request, "POST / HTTP/1.1\r\n" HOST "Content-Length: 99\r\n\r\n");
    expect_int(request.size, 48);
    add_run(&request, 'x', 99);
    expect_int(status_of(&request, &limits, 0), 0);
}

CASE(target_of_8_kib_is_accepted_and_one_byte_more_is_414)
{
    for (size_t more = 0; more < 2; more++) {
        struct request request = {0};

        add(&request, "GET /");
        add_run(&request, 'x', 8192 - 1 + more);
        add(&request, " HTTP/1.1\r\n" HOST "\r\n");
        expect_int(status_of(&request, NULL, 0), more ? 414 : 0);
    }
}

CASE(target_longer_than_the_head_may_be_is_414)
{
    struct request request = {0};

    add(&request, "GET /");
    add_run(&request, 'x', 100000);
    expect_int(status_of(&request, NULL, 0), 414);
}

CASE(long_target_with_a_bad_byte_is_400)
{
    struct request request = {0};

    add(&request, "GET /");
    add_run(&request, 'x', 9000);
    add(&request, "\x7f");
    expect_int(status_of(&request, NULL, 0), 400);
}

CASE(long_method_is_400)
{
    struct request request = {0};

    add_run(&request, 'A', 100000);
    expect_int(status_of(&request, NULL, 0), 400);
}

CASE(long_name_is_431)
{
    struct request request = {0};
    struct weir__http_limits limits = {.head_bytes = 200000};

    add(&request, "GET / HTTP/1.1\r\n" HOST);
    add_run(&request, 'a', 70000);
    add(&request, ": x\r\n\r\n");
    expect_int(status_of(&request, &limits, 0), 0);
    add(&request, "GET / HTTP/1.1\r\n" HOST);
    add_run(&request, 'a', 70000);
    add(&request, ": x\r\n\r\n");
    expect_int(status_of(&request, NULL, 0), 431);
}

CASE(two_hundred_fields_are_accepted_and_one_more_is_431)
{
    for (size_t count = 200; count <= 201; count++) {
        struct request request = {0};
        char line[32];

        add(&request, "GET / HTTP/1.1\r\n" HOST);
        for (size_t n = 1; n < count; n++) {
            snprintf(line, sizeof(line), "X-%zu: y\r\n", n);
            add(&request, line);
        }
        add(&request, "\r\n");
        expect_int(status_of(&request, NULL, 0), count > 200 ? 431 : 0);
    }
}

CASE(one_field_too_many_with_a_bad_name_is_400)
{
    struct request request = {0};
    struct weir__http_limits limits = {.fields = 1};

    add(&request, "GET / HTTP/1.1\r\n" HOST "X[: y\r\n\r\n");
    expect_int(status_of(&request, &limits, 0), 400);
}

CASE(limits_are_clamped_to_what_the_parser_can_count)
{
    struct weir__http_limits limits = {.head_bytes = UINT32_MAX,
                                       .fields = UINT32_MAX,
                                       .trailer_bytes = UINT32_MAX,
                                       .chunk_bytes = UINT32_MAX};
    struct request request = {0};

    weir__http_limits_fill(&limits);
    expect_int(limits.head_bytes, 0xffffff);
    expect_int(limits.trailer_bytes, 0xffffff);
    expect_int(limits.chunk_bytes, 0xffffff);
    add(&request, "GET / HTTP/1.1\r\n" HOST "\r\n");
    expect_int(status_of(&request, &limits, 0), 0);
}

/* ---- bodies ---- */

#define CHUNKED "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"

CASE(length_above_the_body_limit_is_413)
{
    struct request request = {0};

    add(&request, "POST / HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello");
    expect_int(status_of(&request, NULL, 5), 0);
    add(&request, "POST / HTTP/1.1\r\n" HOST "Content-Length: 6\r\n\r\n");
    expect_int(status_of(&request, NULL, 5), 413);
    add(&request, "POST / HTTP/1.1\r\n" HOST
                  "Content-Length: 9223372036854775807\r\n\r\n");
    expect_int(status_of(&request, NULL, 5), 413);
}

CASE(chunks_above_the_body_limit_are_413)
{
    struct request request = {0};

    add(&request, CHUNKED "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
    expect_int(status_of(&request, NULL, 5), 0);
    add(&request, CHUNKED "3\r\nabc\r\n3\r\n");
    expect_int(status_of(&request, NULL, 5), 413);
    add(&request, CHUNKED "1\r\na\r\nffffffffffffffff\r\n");
    expect_int(status_of(&request, NULL, 5), 413);
}

CASE(response_until_the_end_stops_at_the_body_limit)
{
    static const char bytes[] = "HTTP/1.1 200 OK\r\n\r\nhello!";
    struct transcript whole = {.body_limit = 5};
    struct transcript cut = {.body_limit = 5};

    transcript_make(&whole, TRANSCRIPT_RESPONSES, bytes, sizeof(bytes) - 1,
                    NULL, 0);
    expect(strstr(whole.text, "body 5 [hello]\nfailed 502 at 24") != NULL);
    expect(strstr(whole.text, "ELIMIT") != NULL);
    transcript_make_bytewise(&cut, TRANSCRIPT_RESPONSES, bytes,
                             sizeof(bytes) - 1);
    expect_string(cut.text, whole.text);
    transcript_free(&whole);
    transcript_free(&cut);
}

CASE(limit_of_a_body_may_be_set_after_its_head)
{
    static const char bytes[] =
        "POST / HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello";
    weir_bytes input = {bytes, sizeof(bytes) - 1};
    struct weir__http_parser parser;

    weir__http_parser_init_request(&parser, NULL);
    expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_HEAD);
    parser.body_limit = 4;
    expect_int(weir__http_parser_next(&parser, &input), WEIR__PARSED_FAILED);
    expect_int(parser.status, 413);
    expect_status(parser.error, WEIR_ELIMIT);
    weir__http_parser_fini(&parser);
}

CASE(chunk_extensions_are_bounded_over_the_whole_body)
{
    struct weir__http_limits limits = {.chunk_bytes = 100};
    struct request request = {0};

    /* 16 digits and what surrounds them are free; 1;x\r\n uses 4 of these. */
    add(&request, CHUNKED "1;");
    add_run(&request, 'x', 116 - 2);
    add(&request, "\r\na\r\n0\r\n\r\n");
    expect_int(status_of(&request, &limits, 0), 0);
    add(&request, CHUNKED "1;");
    add_run(&request, 'x', 118 - 1);
    add(&request, "\r\na\r\n0\r\n\r\n");
    expect_int(status_of(&request, &limits, 0), 400);
    add(&request, CHUNKED);
    for (int n = 0; n < 12; n++)
        add(&request, "1;xxxxxxxxxxxxxxxxxxxxxxxxx\r\na\r\n");
    expect_int(status_of(&request, &limits, 0), 400);
}

CASE(zeros_before_a_chunk_size_are_bounded)
{
    struct request request = {0};

    add(&request, CHUNKED);
    add_run(&request, '0', 100000);
    expect_int(status_of(&request, NULL, 0), 400);
}

CASE(many_small_chunks_need_no_allowance)
{
    struct weir__http_limits limits = {.chunk_bytes = 1};
    struct request request = {0};

    add(&request, CHUNKED);
    for (int n = 0; n < 1000; n++)
        add(&request, "1\r\na\r\n");
    add(&request, "0\r\n\r\n");
    expect_int(status_of(&request, &limits, 0), 0);
}

CASE(trailers_above_their_limit_are_431)
{
    struct weir__http_limits limits = {.trailer_bytes = 20};
    struct request request = {0};

    add(&request, CHUNKED "0\r\nA: 34567890123456\r\n\r\n"); /* 21 with CRLF */
    expect_int(status_of(&request, &limits, 0), 431);
    add(&request, CHUNKED "0\r\nA: 3456789012345\r\n\r\n");
    expect_int(status_of(&request, &limits, 0), 0);
}

CASE(trailers_above_their_number_are_431)
{
    struct weir__http_limits limits = {.fields = 2};
    struct request request = {0};

    add(&request, CHUNKED "0\r\nA: 1\r\nB: 2\r\n\r\n");
    expect_int(status_of(&request, &limits, 0), 0);
    add(&request, CHUNKED "0\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n");
    expect_int(status_of(&request, &limits, 0), 431);
}
