/* SPDX-License-Identifier: MIT */
/*
 * date -- see date.h.  The calendar is the Gregorian one, extended to both
 * sides; a year that begins in March puts the day that leap years add at its
 * end.
 *
 * Tested by  test/net/http/date.c
 */
#include "http/date.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "http/header.h"

#define DAY INT64_C(86400)
enum { YEARS_400 = 146097 }; /* days of 400 years */

static const char day_names[7][4] = {"Sun", "Mon", "Tue", "Wed",
                                     "Thu", "Fri", "Sat"};
static const char long_day_names[7][10] = {"Sunday",    "Monday",   "Tuesday",
                                           "Wednesday", "Thursday", "Friday",
                                           "Saturday"};
static const char month_names[12][4] = {"Jan", "Feb", "Mar", "Apr",
                                        "May", "Jun", "Jul", "Aug",
                                        "Sep", "Oct", "Nov", "Dec"};

struct date {
    int year, month, day; /* month 0 to 11, day 1 to 31 */
    int hour, minute, second;
};

/* ---- the calendar ---- */

/* Count days from 1970-01-01 to a date. */
static int64_t count_days(int year, int month, int day)
{
    int64_t y = year - (month < 2);
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t in_era = y - era * 400;
    int64_t m = (month + 10) % 12; /* since March */
    int64_t in_year = (153 * m + 2) / 5 + day - 1;

    return era * YEARS_400 + in_era * 365 + in_era / 4 - in_era / 100 +
           in_year - 719468; /* from 0000-03-01 to 1970-01-01 */
}

/* The inverse. */
static void find_date(int64_t days, struct date *date)
{
    int64_t z = days + 719468;
    int64_t era = (z >= 0 ? z : z - (YEARS_400 - 1)) / YEARS_400;
    int64_t in_era = z - era * YEARS_400;
    int64_t y =
        (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    int64_t in_year = in_era - (365 * y + y / 4 - y / 100);
    int64_t m = (5 * in_year + 2) / 153;

    date->day = (int)(in_year - (153 * m + 2) / 5 + 1);
    date->month = (int)((m + 2) % 12);
    date->year = (int)(y + era * 400 + (date->month < 2));
}

static bool is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int month_length(int year, int month)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30,
                                  31, 31, 30, 31, 30, 31};

    return lengths[month] + (month == 1 && is_leap(year));
}

/* ---- writing ---- */

static void put_number(char *to, int number, int size)
{
    for (int n = size - 1; n >= 0; n--, number /= 10)
        to[n] = (char)('0' + number % 10);
}

void weir__http_date_write(char to[WEIR__HTTP_DATE_SIZE], int64_t second)
{
    static const char template[] = "xxx, 00 xxx 0000 00:00:00 GMT";
    const int64_t least = -62167219200; /* year 0 */
    const int64_t most = 253402300799;  /* the end of 9999 */
    int64_t days, rest;
    struct date date;

    if (second < least)
        second = least;
    if (second > most)
        second = most;
    days = second >= 0 ? second / DAY : (second - (DAY - 1)) / DAY;
    rest = second - days * DAY;
    find_date(days, &date);
    memcpy(to, template, WEIR__HTTP_DATE_SIZE);
    memcpy(to, day_names[((days + 4) % 7 + 7) % 7], 3); /* 1970: Thursday */
    put_number(to + 5, date.day, 2);
    memcpy(to + 8, month_names[date.month], 3);
    put_number(to + 12, date.year, 4);
    put_number(to + 17, (int)(rest / 3600), 2);
    put_number(to + 20, (int)(rest / 60 % 60), 2);
    put_number(to + 23, (int)(rest % 60), 2);
}

const char *weir__http_date_at(struct weir__http_date *cache, int64_t second)
{
    if (cache->second != second || cache->text[0] == 0) {
        weir__http_date_write(cache->text, second);
        cache->second = second;
    }
    return cache->text;
}

/* ---- parsing ---- */

struct reader {
    const char *at, *end;
    bool is_bad;
};

static void skip(struct reader *in, const char *text)
{
    size_t size = strlen(text);

    if ((size_t)(in->end - in->at) < size || memcmp(in->at, text, size) != 0)
        in->is_bad = true;
    else
        in->at += size;
}

/* Read exactly `size` digits. */
static int read_number(struct reader *in, int size)
{
    int number = 0;

    if (in->end - in->at < size)
        in->is_bad = true;
    for (int n = 0; n < size && !in->is_bad; n++, in->at++) {
        if (*in->at < '0' || *in->at > '9')
            in->is_bad = true;
        number = number * 10 + (*in->at - '0');
    }
    return in->is_bad ? 0 : number;
}

/* Read one of some names.  Case matters: RFC 9110, 5.6.7. */
static int read_name(struct reader *in, const char *names, size_t stride,
                     int count)
{
    for (int n = 0; n < count; n++) {
        const char *name = names + (size_t)n * stride;
        size_t size = strlen(name);

        if ((size_t)(in->end - in->at) >= size &&
            memcmp(in->at, name, size) == 0) {
            in->at += size;
            return n;
        }
    }
    in->is_bad = true;
    return 0;
}

static int read_month(struct reader *in)
{
    return read_name(in, month_names[0], sizeof(month_names[0]), 12);
}

static void read_time(struct reader *in, struct date *date)
{
    date->hour = read_number(in, 2);
    skip(in, ":");
    date->minute = read_number(in, 2);
    skip(in, ":");
    date->second = read_number(in, 2);
}

/* "Sun, 06 Nov 1994 08:49:37 GMT" */
static void read_fixed(struct reader *in, struct date *date)
{
    read_name(in, day_names[0], sizeof(day_names[0]), 7);
    skip(in, ", ");
    date->day = read_number(in, 2);
    skip(in, " ");
    date->month = read_month(in);
    skip(in, " ");
    date->year = read_number(in, 4);
    skip(in, " ");
    read_time(in, date);
    skip(in, " GMT");
}

/* "Sunday, 06-Nov-94 08:49:37 GMT": RFC 850. */
static void read_long(struct reader *in, struct date *date)
{
    read_name(in, long_day_names[0], sizeof(long_day_names[0]), 7);
    skip(in, ", ");
    date->day = read_number(in, 2);
    skip(in, "-");
    date->month = read_month(in);
    skip(in, "-");
    date->year = read_number(in, 2);
    skip(in, " ");
    read_time(in, date);
    skip(in, " GMT");
}

/* "Sun Nov  6 08:49:37 1994": asctime() of C. */
static void read_asctime(struct reader *in, struct date *date)
{
    read_name(in, day_names[0], sizeof(day_names[0]), 7);
    skip(in, " ");
    date->month = read_month(in);
    skip(in, " ");
    if (in->at < in->end && *in->at == ' ') {
        in->at++;
        date->day = read_number(in, 1);
    } else {
        date->day = read_number(in, 2);
    }
    skip(in, " ");
    read_time(in, date);
    skip(in, " ");
    date->year = read_number(in, 4);
}

/* Choose the latest century in which a year is not more than 50 years ahead. */
static int choose_century(int year, int64_t now)
{
    struct date today;
    int full;

    find_date(now / DAY, &today);
    full = today.year / 100 * 100 + 100 + year;
    while (full > today.year + 50)
        full -= 100;
    return full;
}

/* 60 is a leap second. */
static bool is_valid(const struct date *date)
{
    return date->day >= 1 &&
           date->day <= month_length(date->year, date->month) &&
           date->hour < 24 && date->minute < 60 && date->second <= 60;
}

int weir__http_date_parse(weir_bytes text, int64_t now, int64_t *second)
{
    struct reader in = {text.data, (const char *)text.data + text.size, false};
    struct date date = {0};

    if (text.size > 3 && in.at[3] == ',') {
        read_fixed(&in, &date);
    } else if (text.size > 3 && in.at[3] == ' ') {
        read_asctime(&in, &date);
    } else {
        read_long(&in, &date);
        date.year = choose_century(date.year, now);
    }
    if (in.is_bad || in.at != in.end || !is_valid(&date))
        return -EINVAL;
    *second = count_days(date.year, date.month, date.day) * DAY +
              date.hour * 3600 + date.minute * 60 + date.second;
    return 0;
}
