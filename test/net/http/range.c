/* SPDX-License-Identifier: MIT */
/*
 * range -- RFC 9110, 14.1.2.
 */
#include "http/range.h"

#include <errno.h>
#include <string.h>

#include "support/suite.h"

enum { MOST = 8 };

static struct weir__http_range ranges[MOST];

static int parse(const char *value, uint64_t size)
{
    return weir__http_range_parse((weir_bytes){value, strlen(value)}, size,
                                  ranges, MOST);
}

static void expect_one(const char *value, uint64_t size, uint64_t first,
                       uint64_t count)
{
    expect_int(parse(value, size), 1);
    expect_int(ranges[0].first, first);
    expect_int(ranges[0].size, count);
}

CASE(single_ranges_are_clamped_to_the_size)
{
    expect_one("bytes=0-0", 10, 0, 1);
    expect_one("bytes=0-9", 10, 0, 10);
    expect_one("bytes=0-10", 10, 0, 10);
    expect_one("bytes=5-", 10, 5, 5);
    expect_one("bytes=9-9", 10, 9, 1);
    expect_one("bytes=-3", 10, 7, 3);
    expect_one("bytes=-30", 10, 0, 10);
    expect_one("Bytes=1-2", 10, 1, 2);
    expect_one("bytes= 1-2 ", 10, 1, 2);
    expect_one("bytes=0-18446744073709551615", 10, 0, 10);
    expect_one("bytes=0-99999999999999999999999", 10, 0, 10);
}

CASE(several_ranges_are_kept_in_order)
{
    expect_int(parse("bytes=0-1,4-5, -2", 10), 3);
    expect_int(ranges[0].first, 0);
    expect_int(ranges[1].first, 4);
    expect_int(ranges[2].first, 8);
    expect_int(parse("bytes=5-6,0-1", 10), 2);
    expect_int(ranges[0].first, 5);
    expect_int(parse("bytes=0-1,50-60", 10), 1);
}

CASE(ranges_beyond_the_end_are_not_satisfiable)
{
    expect_status(parse("bytes=10-", 10), -ERANGE);
    expect_status(parse("bytes=10-20,30-", 10), -ERANGE);
    expect_status(parse("bytes=-0", 10), -ERANGE);
    expect_status(parse("bytes=0-", 0), -ERANGE);
    expect_status(parse("bytes=-5", 0), -ERANGE);
    expect_status(parse("bytes=18446744073709551616-", 10), -ERANGE);
}

CASE(malformed_ranges_are_ignored)
{
    static const char *const values[] = {"",
                                         "bytes",
                                         "bytes=",
                                         "bytes=,",
                                         "bytes=-",
                                         "bytes=a-",
                                         "bytes=abc-x",
                                         "bytes=5-4",
                                         "bytes=1",
                                         "items=0-1",
                                         "bytes 0-",
                                         "bytes=0-1-2",
                                         "bytes=0--1",
                                         "bytes=+1-",
                                         "bytes=1-2x",
                                         "bytes=0x1-2",
                                         "bytes=0-1,x",
                                         "bytes=1 -2"};

    for (size_t n = 0; n < sizeof(values) / sizeof(*values); n++)
        expect_int(parse(values[n], 10), 0);
}

CASE(ranges_that_would_send_more_than_the_content_are_ignored)
{
    char many[1024] = "bytes=";

    expect_int(parse("bytes=0-,0-", 10), 0);
    expect_int(parse("bytes=0-5,5-9", 10), 0);
    expect_int(parse("bytes=0-4,5-9", 10), 2);
    for (int n = 0; n < MOST + 1; n++)
        strcat(many, "0-0,");
    expect_int(parse(many, 1000), 0);
}

CASE(content_range_is_written)
{
    struct weir__http_range range = {5, 10};
    char text[WEIR__HTTP_RANGE_TEXT + 1];

    *weir__http_range_write(text, &range, 100) = 0;
    expect_string(text, "bytes 5-14/100");
    *weir__http_range_write(text, NULL, 100) = 0;
    expect_string(text, "bytes */100");
    range = (struct weir__http_range){UINT64_MAX - 2, 2};
    *weir__http_range_write(text, &range, UINT64_MAX) = 0;
    expect_string(text, "bytes 18446744073709551613-18446744073709551614/"
                        "18446744073709551615");
}
