/* SPDX-License-Identifier: MIT */
/*
 * cron -- expressions, and the next time that they name.
 */
#include "time/cron.h"

#include <errno.h>
#include <string.h>

#include "support/suite.h"
#include "time/date.h"
#include "time/zone.h"

static int64_t at(int year, int month, int day, int hour, int minute)
{
    return weir__date_to_days(year, month, day) * WEIR__DAY_S + hour * 3600 +
           minute * 60;
}

static int64_t next(const char *text, const char *zone_name, int64_t after)
{
    char reason[120];
    struct weir__cron cron;
    struct weir__zone *zone;
    int64_t found;

    expect_status(weir__cron_read(&cron, text, reason, sizeof(reason)), 0);
    expect_status(weir__zone_load(&zone, zone_name), 0);
    found = weir__cron_next(&cron, zone, after);
    weir__zone_free(zone);
    return found;
}

CASE(cron_names_dates)
{
    int64_t monday = at(2026, 11, 16, 12, 0);

    expect(next("* * * * *", "UTC", monday) == monday + 60);
    expect(next("0 3 * * *", "UTC", monday) == at(2026, 11, 17, 3, 0));
    expect(next("*/15 9-17 * * MON-FRI", "UTC", monday) == monday + 900);
    expect(next("0 0 * * 7", "UTC", monday) == at(2026, 11, 22, 0, 0));
    expect(next("0 0 * * sun", "UTC", monday) == at(2026, 11, 22, 0, 0));
    expect(next("5,50 0 1 JAN *", "UTC", monday) == at(2027, 1, 1, 0, 5));
    expect(next("10/20 * * * *", "UTC", monday) == monday + 600);
    expect(next("0 0 29 2 *", "UTC", monday) == at(2028, 2, 29, 0, 0));
    expect(next("@yearly", "UTC", monday) == at(2027, 1, 1, 0, 0));
    /* Both days are restricted: one of them is enough. */
    expect(next("0 0 20 * 2", "UTC", monday) == at(2026, 11, 17, 0, 0));
    expect(next("0 0 20 * 2", "UTC", at(2026, 11, 18, 0, 0)) ==
           at(2026, 11, 20, 0, 0));
    /* 29 February on a Monday, after a century without a leap day. */
    expect(next("0 12 29 2 *", "UTC", at(2096, 3, 1, 0, 0)) ==
           at(2104, 2, 29, 12, 0));
    expect(next("0 0 31 2 *", "UTC", monday) == INT64_MAX);
    expect(next("* * 31 2 *", "UTC", monday) == INT64_MAX);
}

CASE(cron_follows_clocks_that_change)
{
    const char *zone = "Europe/Berlin";

    /* 2:30 does not exist on 29 March, and is there twice on 25 October. */
    expect(next("30 2 * * *", zone, at(2026, 3, 28, 12, 0)) ==
           at(2026, 3, 29, 1, 0));
    expect(next("30 2 * * *", zone, at(2026, 3, 29, 1, 0)) ==
           at(2026, 3, 30, 0, 30));
    expect(next("30 2 * * *", zone, at(2026, 10, 24, 12, 0)) ==
           at(2026, 10, 25, 0, 30));
    expect(next("30 2 * * *", zone, at(2026, 10, 25, 0, 30)) ==
           at(2026, 10, 26, 1, 30));
    /* Each half hour goes on without a gap, and without a double. */
    for (int64_t after = at(2026, 10, 24, 22, 0);
         after < at(2026, 10, 25, 5, 0); after += 1800)
        expect(next("*/30 * * * *", zone, after) == after + 1800);
    expect(next("0 * * * *", zone, at(2026, 3, 29, 0, 0)) ==
           at(2026, 3, 29, 1, 0));
    expect(next("0 9 * * *", "Asia/Kathmandu", at(2026, 1, 1, 0, 0)) ==
           at(2026, 1, 1, 3, 15));
}

static bool matches(const struct weir__cron *cron, int64_t time)
{
    int64_t days = weir__date_floor(time, WEIR__DAY_S);
    struct weir__date date = weir__date_of_days(days);
    int minute = (int)(time / 60 % 60), hour = (int)(time / 3600 % 24);
    bool is_day = cron->days >> date.day & 1;
    bool is_weekday = cron->weekdays >> weir__date_weekday(days) & 1;
    bool is_either = !cron->is_any_day && !cron->is_any_weekday;

    return (cron->minutes >> minute & 1) && (cron->hours >> hour & 1) &&
           (cron->months >> date.month & 1) &&
           (is_either ? is_day || is_weekday : is_day && is_weekday);
}

/* Minute by minute, the first one that matches is the one that is found. */
CASE(cron_finds_the_first_time_that_matches)
{
    static const char *const texts[] = {
        "7 * * * *",    "*/7 3,4 * * *",  "0 0 1,15 * 3",
        "59 23 31 * *", "0 12 * 2-4/2 *", "*/59 */23 */2 */5 1-5/2"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        int64_t time = at(2027, 12, 30, 23, 58);
        struct weir__cron cron;
        char reason[120];

        expect_status(weir__cron_read(&cron, texts[i], reason, sizeof(reason)),
                      0);
        for (int round = 0; round < 8; round++) {
            int64_t found = next(texts[i], "UTC", time);

            for (time += 60; !matches(&cron, time); time += 60)
                ;
            expect(found == time);
        }
    }
}

CASE(cron_that_is_not_valid_is_refused_with_a_reason)
{
    static const char *const texts[][2] = {
        {"", "minute: it is missing"},
        {"* * * *", "day of the week: it is missing"},
        {"* * * * * *", "more than five"},
        {"60 * * * *", "60 is not from 0 to 59"},
        {"* 24 * * *", "24 is not from 0 to 23"},
        {"* * 0 * *", "0 is not from 1 to 31"},
        {"* * * 13 *", "month: 13"},
        {"* * * * 8", "8 is not from 0 to 7"},
        {"*/0 * * * *", "a step"},
        {"*/ * * * *", "a step"},
        {"5-1 * * * *", "ends before it begins"},
        {"1-x * * * *", "neither a number nor a name"},
        {"1, * * * *", "neither a number nor a name"},
        {",1 * * * *", "neither a number nor a name"},
        {"1x * * * *", "does not belong"},
        {"* * * FOO *", "neither a number nor a name"},
        {"* * L * *", "neither a number nor a name"},
        {"@reboot", "neither a number nor a name"},
        {"99999999999999999999 * * * *", "is not from 0 to 59"},
        {"-1 * * * *", "neither a number nor a name"},
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        char reason[120] = "";
        struct weir__cron cron;

        expect_status(
            weir__cron_read(&cron, texts[i][0], reason, sizeof(reason)),
            -EINVAL);
        if (strstr(reason, texts[i][1]) == NULL)
            expect_string(reason, texts[i][1]);
    }
}
