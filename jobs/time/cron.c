/* SPDX-License-Identifier: MIT */
/*
 * cron -- see cron.h.
 */
#include "time/cron.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "time/date.h"
#include "time/zone.h"
#include "weir/error.h"

enum {
    FIELDS = 5,
    /* No date of the calendar, with its weekday, is rarer: 29 February on a
     * Monday, around a century without one. */
    DAYS = 366 * 41,
};

/* ---- reading ---- */

struct field {
    const char *name;
    int least, most;
    const char *names; /* three letters each, from least on */
};

static const struct field fields[FIELDS] = {
    {"minute", 0, 59, ""},
    {"hour", 0, 23, ""},
    {"day of the month", 1, 31, ""},
    {"month", 1, 12, "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"},
    {"day of the week", 0, 7, "SUNMONTUEWEDTHUFRISAT"},
};

static const struct {
    const char *name, *text;
} nicknames[] = {
    {"@hourly", "0 * * * *"},   {"@daily", "0 0 * * *"},
    {"@midnight", "0 0 * * *"}, {"@weekly", "0 0 * * 0"},
    {"@monthly", "0 0 1 * *"},  {"@yearly", "0 0 1 1 *"},
    {"@annually", "0 0 1 1 *"},
};

struct reader {
    const char *at;
    const struct field *field;
    char *reason;
    size_t reason_bytes;
};

static bool refuse(const struct reader *reader, const char *what)
{
    snprintf(reader->reason, reader->reason_bytes, "cron: the %s: %s",
             reader->field->name, what);
    return false;
}

static bool read_name(struct reader *reader, int *number)
{
    const struct field *field = reader->field;

    for (int i = 0; field->names[3 * i] != '\0'; i++)
        if (strncasecmp(reader->at, field->names + 3 * i, 3) == 0) {
            reader->at += 3;
            *number = field->least + i;
            return true;
        }
    return refuse(reader, "this is neither a number nor a name");
}

static bool read_number(struct reader *reader, int *number)
{
    const struct field *field = reader->field;
    char text[80];

    if (!isdigit((unsigned char)*reader->at))
        return read_name(reader, number);
    *number = 0;
    while (isdigit((unsigned char)*reader->at) && *number < 1000)
        *number = *number * 10 + *reader->at++ - '0';
    if (*number >= field->least && *number <= field->most)
        return true;
    snprintf(text, sizeof(text), "%d is not from %d to %d", *number,
             field->least, field->most);
    return refuse(reader, text);
}

static bool read_step(struct reader *reader, int *step)
{
    *step = 0;
    while (isdigit((unsigned char)*reader->at) && *step < 1000)
        *step = *step * 10 + *reader->at++ - '0';
    return *step > 0 || refuse(reader, "a step is a number from 1 on");
}

/* One element of a list: a range with a step. */
static bool read_range(struct reader *reader, uint64_t *bits)
{
    int first = reader->field->least, last = reader->field->most, step = 1;

    if (*reader->at == '*') {
        reader->at++;
    } else {
        if (!read_number(reader, &first))
            return false;
        last = first;
        if (*reader->at == '-') {
            reader->at++;
            if (!read_number(reader, &last))
                return false;
            if (last < first)
                return refuse(reader, "the range ends before it begins");
        } else if (*reader->at == '/') {
            last = reader->field->most;
        }
    }
    if (*reader->at == '/') {
        reader->at++;
        if (!read_step(reader, &step))
            return false;
    }
    for (int i = first; i <= last; i += step)
        *bits |= UINT64_C(1) << i;
    return true;
}

static bool read_field(struct reader *reader, uint64_t *bits, bool *is_any)
{
    *bits = 0;
    *is_any = *reader->at == '*';
    if (!read_range(reader, bits))
        return false;
    while (*reader->at == ',') {
        reader->at++;
        if (!read_range(reader, bits))
            return false;
    }
    if (*reader->at != '\0' && !isspace((unsigned char)*reader->at))
        return refuse(reader, "something follows that does not belong here");
    while (isspace((unsigned char)*reader->at))
        reader->at++;
    return true;
}

static const char *spell_out(const char *text)
{
    for (size_t i = 0; i < sizeof(nicknames) / sizeof(*nicknames); i++)
        if (strcasecmp(text, nicknames[i].name) == 0)
            return nicknames[i].text;
    return text;
}

int weir__cron_read(struct weir__cron *cron, const char *text, char *reason,
                    size_t reason_bytes)
{
    struct reader reader = {spell_out(text), fields, reason, reason_bytes};
    uint64_t bits[FIELDS];
    bool is_any[FIELDS];

    while (isspace((unsigned char)*reader.at))
        reader.at++;
    for (int i = 0; i < FIELDS; i++) {
        reader.field = &fields[i];
        if (*reader.at == '\0') {
            (void)refuse(&reader, "it is missing; there are five fields");
            return -EINVAL;
        }
        if (!read_field(&reader, &bits[i], &is_any[i]))
            return -EINVAL;
    }
    if (*reader.at != '\0') {
        snprintf(reason, reason_bytes, "cron: there are more than five fields");
        return -EINVAL;
    }
    *cron = (struct weir__cron){
        .minutes = bits[0],
        .hours = (uint32_t)bits[1],
        .days = (uint32_t)bits[2],
        .months = (uint32_t)bits[3],
        .weekdays = (uint32_t)(bits[4] | bits[4] >> 7), /* 7 is Sunday */
        .is_any_day = is_any[2],
        .is_any_weekday = is_any[4],
    };
    return 0;
}

/* ---- the next time ---- */

static bool has_day(const struct weir__cron *cron, int64_t days)
{
    struct weir__date date = weir__date_of_days(days);
    bool is_day = (cron->days >> date.day & 1) != 0;
    bool is_weekday = (cron->weekdays >> weir__date_weekday(days) & 1) != 0;

    if ((cron->months >> date.month & 1) == 0)
        return false;
    return cron->is_any_day || cron->is_any_weekday ? is_day && is_weekday
                                                    : is_day || is_weekday;
}

/* With every hour: the times at which clocks show what matches. */
static int64_t next_shown(const struct weir__cron *cron,
                          const struct weir__zone *zone, int64_t after)
{
    int64_t end = after + (int64_t)DAYS * WEIR__DAY_S;
    int64_t at = (weir__date_floor(after, 60) + 1) * 60;

    while (at < end) {
        int64_t local = at + weir__zone_offset(zone, at);
        int64_t days = weir__date_floor(local, WEIR__DAY_S);
        int64_t minute = (local - days * WEIR__DAY_S) / 60 % 60;

        if (!has_day(cron, days))
            at += 3600 - (local - days * WEIR__DAY_S) % 3600;
        else if ((cron->minutes >> minute & 1) == 0)
            at += 60 - (local - days * WEIR__DAY_S) % 60;
        else
            return at;
    }
    return INT64_MAX;
}

/* The first time of a day after another one, or INT64_MAX. */
static int64_t next_of_day(const struct weir__cron *cron,
                           const struct weir__zone *zone, int64_t days,
                           int64_t after)
{
    for (int hour = 0; hour < 24; hour++)
        for (int minute = 0; minute < 60; minute++) {
            int64_t at;

            if ((cron->hours >> hour & 1) == 0 ||
                (cron->minutes >> minute & 1) == 0)
                continue;
            at = weir__zone_to_utc(zone, days * WEIR__DAY_S + hour * 3600 +
                                             minute * 60);
            if (at > after)
                return at;
        }
    return INT64_MAX;
}

int64_t weir__cron_next(const struct weir__cron *cron,
                        const struct weir__zone *zone, int64_t after)
{
    /* From the day before on: clocks may have been set back over midnight. */
    int64_t days =
        weir__date_floor(after + weir__zone_offset(zone, after), WEIR__DAY_S) -
        1;

    if (cron->hours == (1 << 24) - 1)
        return next_shown(cron, zone, after);
    for (int i = 0; i < DAYS; i++, days++) {
        int64_t at = has_day(cron, days) ? next_of_day(cron, zone, days, after)
                                         : INT64_MAX;

        if (at != INT64_MAX)
            return at;
    }
    return INT64_MAX;
}

int weir__cron_find(const char *text, const char *zone_name, int64_t after_ms,
                    int64_t *next_ms, char *reason, size_t reason_bytes)
{
    struct weir__zone *zone;
    struct weir__cron cron;
    int64_t next;
    int err = weir__cron_read(&cron, text, reason, reason_bytes);

    if (err != 0)
        return err;
    err = weir__zone_load(&zone, zone_name);
    if (err != 0) {
        snprintf(reason, reason_bytes, "the time zone %.60s: %s", zone_name,
                 err == -ENOENT || err == -EINVAL ? "there is none"
                                                  : weir_error_text(err));
        return err == -ENOMEM ? err : -EINVAL;
    }
    next = weir__cron_next(&cron, zone, after_ms / 1000);
    weir__zone_free(zone);
    if (next == INT64_MAX) {
        snprintf(reason, reason_bytes, "cron: there is no such date");
        return -EINVAL;
    }
    *next_ms = next * 1000;
    return 0;
}

enum { LOST_MS = 60 * 60 * 1000 };

int64_t weir__cron_look_again(int64_t date_ms)
{
    return (date_ms + LOST_MS) / 1000 * 1000 + 1;
}

bool weir__cron_is_run(int64_t next_ms)
{
    return next_ms % 1000 == 0;
}
