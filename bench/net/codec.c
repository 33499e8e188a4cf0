/* SPDX-License-Identifier: MIT */
/*
 * codec -- what HTTP costs a server besides the system calls: parsing a request
 * and writing the head of a response.
 *
 *     build/bench/net.programs/codec [REQUESTS]
 *
 * Prints the median of several rounds, in nanoseconds for each request.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "http/date.h"
#include "http/format.h"
#include "http/parser.h"

enum { ROUNDS = 9 };

#define HOST "Host: 127.0.0.1:8080\r\n"

static const char hello[] = "GET /hello HTTP/1.1\r\n" HOST "\r\n";
static const char curl[] = "GET /api/v1/things?limit=20 HTTP/1.1\r\n" HOST
                           "User-Agent: curl/8.5.0\r\nAccept: */*\r\n\r\n";
static const char browser[] =
    "GET /static/app.js?v=7f3a HTTP/1.1\r\n" HOST "Connection: keep-alive\r\n"
    "Cache-Control: max-age=0\r\n"
    "sec-ch-ua: \"Chromium\";v=\"130\", \"Not?A_Brand\";v=\"99\"\r\n"
    "sec-ch-ua-mobile: ?0\r\nsec-ch-ua-platform: \"Linux\"\r\n"
    "Upgrade-Insecure-Requests: 1\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, "
    "like Gecko) Chrome/130.0.0.0 Safari/537.36\r\n"
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,"
    "image/webp,*/*;q=0.8\r\n"
    "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: navigate\r\n"
    "Sec-Fetch-User: ?1\r\nSec-Fetch-Dest: document\r\n"
    "Accept-Encoding: gzip, deflate, br, zstd\r\n"
    "Accept-Language: en-US,en;q=0.9\r\n"
    "Cookie: session=0123456789abcdef0123456789abcdef\r\n\r\n";
static const char chunked[] =
    "POST /upload HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
    "5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n";

static uint64_t sink; /* keeps the work */

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Parse one message, in pieces of `step` bytes. */
static void parse(struct weir__http_parser *parser, const char *bytes,
                  size_t size, size_t step)
{
    for (size_t at = 0; at < size; at += step) {
        weir_bytes input = {bytes + at, size - at < step ? size - at : step};
        enum weir__http_event event;

        do {
            event = weir__http_parser_next(parser, &input);
            if (event == WEIR__PARSED_FAILED)
                abort();
            if (event == WEIR__PARSED_HEAD)
                sink += parser->message->field_count;
        } while (event != WEIR__PARSED_MORE && event != WEIR__PARSED_COMPLETE);
    }
    weir__http_parser_release(parser);
}

static void format(struct weir__http_date *date, int64_t second)
{
    static const weir_http_field fields[] = {
        {WEIR_BYTES_OF("Content-Type"), WEIR_BYTES_OF("text/plain")}};
    struct weir__http_response response = {
        .status = 200,
        .fields = fields,
        .field_count = 1,
        .framing = WEIR__HTTP_FRAME_LENGTH,
        .length = 5,
        .date = weir__http_date_at(date, second)};
    char buffer[512];

    if (weir__http_fields_check(fields, 1) < 0 ||
        weir__http_response_size(&response) > sizeof(buffer))
        abort();
    sink += (uint64_t)(weir__http_response_write(&response, buffer) - buffer);
    __asm__ volatile("" : : "r"(buffer) : "memory");
}

static int compare(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;

    return (one > other) - (one < other);
}

static void report(const char *name, double *rounds, long count)
{
    qsort(rounds, ROUNDS, sizeof(*rounds), compare);
    printf("%-34s %8.1f ns  (%.1f to %.1f)\n", name,
           rounds[ROUNDS / 2] / (double)count, rounds[0] / (double)count,
           rounds[ROUNDS - 1] / (double)count);
}

static void bench_parse(const char *name, const char *bytes, size_t size,
                        size_t step, long count)
{
    struct weir__http_parser parser;
    double rounds[ROUNDS];

    weir__http_parser_init_request(&parser, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_ns();

        for (long n = 0; n < count; n++)
            parse(&parser, bytes, size, step);
        rounds[round] = now_ns() - begin;
    }
    weir__http_parser_fini(&parser);
    report(name, rounds, count);
}

static void bench_format(long count)
{
    struct weir__http_date date = {0};
    double rounds[ROUNDS];

    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_ns();

        for (long n = 0; n < count; n++)
            format(&date, 1760000000 + n / 50000); /* requests a second */
        rounds[round] = now_ns() - begin;
    }
    report("write a response head", rounds, count);
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? strtol(argv[1], NULL, 10) : 200000;

    bench_parse("parse hello, 45 bytes", hello, sizeof(hello) - 1, SIZE_MAX / 2,
                count);
    bench_parse("parse curl's GET", curl, sizeof(curl) - 1, SIZE_MAX / 2,
                count);
    bench_parse("parse a browser's GET", browser, sizeof(browser) - 1,
                SIZE_MAX / 2, count);
    bench_parse("parse a browser's GET in 64s", browser, sizeof(browser) - 1,
                64, count);
    bench_parse("parse a POST of two chunks", chunked, sizeof(chunked) - 1,
                SIZE_MAX / 2, count);
    bench_format(count);
    return sink == 0;
}
