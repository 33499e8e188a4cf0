/* SPDX-License-Identifier: MIT */
/*
 * cron -- when a schedule is due.
 *
 *     minute hour day-of-month month day-of-week
 *
 * Each field is *, a number, a name (JAN, MON), a range a-b, either with a step
 * /n, or a list of these.  If both days are restricted, one of them has to
 * match, as everywhere.  @hourly, @daily, @weekly, @monthly and @yearly stand for
 * what they say.
 *
 * Clocks that change: a schedule with every hour (*) runs at each time that
 * matches.  Any other runs once for each date and time that it names: after the
 * gap, if clocks skip it, and the first time, if clocks show it twice.
 */
#ifndef WEIR_JOBS_TIME_CRON_H
#define WEIR_JOBS_TIME_CRON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir__zone;

struct weir__cron {
    uint64_t minutes; /* bits */
    uint32_t hours, days, months, weekdays;
    bool is_any_day, is_any_weekday;
};

enum { WEIR__CRON_LIMIT = 255 }; /* bytes */

/* Read a schedule.  Returns 0, or -EINVAL with the reason. */
int weir__cron_read(struct weir__cron *cron, const char *text, char *reason,
                    size_t reason_bytes);

/* Get the first time after another one, in seconds since 1970; INT64_MAX if
 * there is none. */
int64_t weir__cron_next(const struct weir__cron *cron,
                        const struct weir__zone *zone, int64_t after);

/* Get the first time after another one, in milliseconds since 1970, of a schedule
 * and a zone that are given as text.  Returns 0, or -EINVAL or -ENOMEM with the
 * reason. */
int weir__cron_find(const char *text, const char *zone_name, int64_t after_ms,
                    int64_t *next_ms, char *reason, size_t reason_bytes);

/* When to look again at a schedule whose zone cannot be loaded here.  That is not
 * a run: it is not a whole second, as all runs are. */
int64_t weir__cron_look_again(int64_t date_ms);
bool weir__cron_is_run(int64_t next_ms);

#endif /* WEIR_JOBS_TIME_CRON_H */
