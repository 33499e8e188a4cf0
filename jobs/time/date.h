/* SPDX-License-Identifier: MIT */
/*
 * date -- days of the Gregorian calendar.
 */
#ifndef WEIR_JOBS_TIME_DATE_H
#define WEIR_JOBS_TIME_DATE_H

#include <stdint.h>

struct weir__date {
    int64_t year;
    int month, day; /* from 1 on */
};

enum { WEIR__DAY_S = 86400 };

/* Divide and round towards the past. */
static inline int64_t weir__date_floor(int64_t number, int64_t divisor)
{
    return number / divisor - (number % divisor < 0);
}

/* Count the days from 1970 to a date.  Years begin in March here, so that a leap
 * day is the last one. */
static inline int64_t weir__date_to_days(int64_t year, int month, int day)
{
    int64_t shifted = year - (month <= 2);
    int64_t era = weir__date_floor(shifted, 400);
    int64_t year_of_era = shifted - era * 400;
    int64_t day_of_year =
        (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

    return era * 146097 + year_of_era * 365 + year_of_era / 4 -
           year_of_era / 100 + day_of_year - 719468;
}

static inline struct weir__date weir__date_of_days(int64_t days)
{
    int64_t shifted = days + 719468;
    int64_t era = weir__date_floor(shifted, 146097);
    int64_t day_of_era = shifted - era * 146097;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 -
                           day_of_era / 146096) /
                          365;
    int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int month = (int)((5 * day_of_year + 2) / 153);

    return (struct weir__date){
        .year = year_of_era + era * 400 + (month >= 10),
        .month = month < 10 ? month + 3 : month - 9,
        .day = (int)(day_of_year - (153 * month + 2) / 5 + 1),
    };
}

/* 0 is Sunday. */
static inline int weir__date_weekday(int64_t days)
{
    return (int)(days + 4 - weir__date_floor(days + 4, 7) * 7);
}

#endif /* WEIR_JOBS_TIME_DATE_H */
