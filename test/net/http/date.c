/* SPDX-License-Identifier: MIT */
/*
 * date -- against gmtime_r and timegm of the C library.
 */
#include "http/date.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "support/random.h"
#include "support/suite.h"

#define NOW INT64_C(1760000000) /* 2025 */

static int parse(const char *text, int64_t *second)
{
    return weir__http_date_parse((weir_bytes){text, strlen(text)}, NOW, second);
}

static void expect_parsed(const char *text, int64_t expected)
{
    int64_t second = -1;

    expect_status(parse(text, &second), 0);
    expect_int(second, expected);
}

static void expect_refused(const char *text)
{
    int64_t second = -1;

    expect_status(parse(text, &second), -EINVAL);
    expect_int(second, -1);
}

CASE(date_is_written_as_strftime_does)
{
    static const char format[] = "%a, %d %b %Y %H:%M:%S GMT";
    struct random random = {random_seed()};

    for (int n = 0; n < 20000; n++) {
        int64_t second = (int64_t)(random_next(&random) % 253402300800);
        char text[WEIR__HTTP_DATE_SIZE + 1] = "";
        time_t time = (time_t)second;
        char expected[64];
        struct tm parts;
        int64_t back;

        weir__http_date_write(text, second);
        strftime(expected, sizeof(expected), format, gmtime_r(&time, &parts));
        expect_string(text, expected);
        expect_status(parse(text, &back), 0);
        expect_int(back, second);
    }
}

CASE(date_of_every_day_of_four_centuries_is_right)
{
    static const int64_t first = -62135596800 / 86400; /* 0001-01-01 */

    for (int64_t day = first; day < first + 146097; day++) {
        char text[WEIR__HTTP_DATE_SIZE + 1] = "";
        int64_t back;

        weir__http_date_write(text, day * 86400);
        expect_status(parse(text, &back), 0);
        expect_int(back, day * 86400);
    }
}

CASE(date_before_1970_and_beyond_9999_is_clamped)
{
    char text[WEIR__HTTP_DATE_SIZE + 1] = "";

    weir__http_date_write(text, -1);
    expect_string(text, "Wed, 31 Dec 1969 23:59:59 GMT");
    weir__http_date_write(text, INT64_MAX);
    expect_string(text, "Fri, 31 Dec 9999 23:59:59 GMT");
    weir__http_date_write(text, INT64_MIN);
    expect_string(text, "Sat, 01 Jan 0000 00:00:00 GMT");
}

CASE(date_is_cached_for_a_second)
{
    struct weir__http_date cache = {0};
    const char *text = weir__http_date_at(&cache, 0);

    expect_string(text, "Thu, 01 Jan 1970 00:00:00 GMT");
    expect(weir__http_date_at(&cache, 0) == text);
    cache.text[0] = 'x'; /* it is not written again ... */
    expect_int(*weir__http_date_at(&cache, 0), 'x');
    expect_string(weir__http_date_at(&cache, 1),
                  "Thu, 01 Jan 1970 00:00:01 GMT"); /* ... until it changes */
}

CASE(three_formats_are_parsed)
{
    expect_parsed("Sun, 06 Nov 1994 08:49:37 GMT", 784111777);
    expect_parsed("Sunday, 06-Nov-94 08:49:37 GMT", 784111777);
    expect_parsed("Sun Nov  6 08:49:37 1994", 784111777);
    expect_parsed("Wed Nov 16 08:49:37 1994", 784111777 + 10 * 86400);
    expect_parsed("Thu, 29 Feb 2024 00:00:00 GMT", 1709164800);
    expect_parsed("Tue, 29 Feb 2000 00:00:00 GMT", 951782400);
    expect_parsed("Fri, 30 Jun 2015 23:59:60 GMT", 1435708800); /* leap */
}

/* RFC 9110, 5.6.7: more than 50 years ahead means the past. */
CASE(year_of_two_digits_is_at_most_50_years_ahead)
{
    int64_t second;

    expect_status(parse("Sunday, 06-Nov-75 08:49:37 GMT", &second), 0);
    expect(second > NOW);
    expect_status(parse("Sunday, 06-Nov-76 08:49:37 GMT", &second), 0);
    expect(second < NOW);
    expect_status(parse("Sunday, 06-Nov-99 08:49:37 GMT", &second), 0);
    expect(second < NOW);
    expect_status(parse("Sunday, 06-Nov-00 08:49:37 GMT", &second), 0);
    expect(second < NOW && second > NOW - 30LL * 365 * 86400);
}

CASE(texts_that_are_not_dates_are_refused)
{
    static const char *const texts[] = {
        "",
        "x",
        "not-a-date",
        "0",
        "784111777",
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 GMT ",
        "Sun, 06 Nov 1994 08:49:37 +0000",
        "sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT",
        "Wed, 29 Feb 2023 00:00:00 GMT",
        "Mon, 29 Feb 1900 00:00:00 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:00 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 199x 08:49:37 GMT",
        "Sun, 06-Nov-94 08:49:37 GMT",
        "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994",
        "Sun Nov  6 08:49:37 94",
        "Xyz, 06 Nov 1994 08:49:37 GMT",
    };

    for (size_t n = 0; n < sizeof(texts) / sizeof(*texts); n++)
        expect_refused(texts[n]);
}
