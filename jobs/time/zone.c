/* SPDX-License-Identifier: MIT */
/*
 * zone -- see zone.h.
 *
 * A file has the transitions of the past, and in its footer the rule for the
 * time after the last one, in the form of POSIX's variable TZ.
 */
#include "time/zone.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "time/date.h"
#include "weir/host/memory.h"

enum {
    FILE_LIMIT = 1 << 20, /* the largest zone has 4 KB */
    HEADER_BYTES = 44,
    NAME_LIMIT = 255,
};

/* A day of each year, and a time of that day. */
struct change {
    enum { JULIAN, DAY, WEEKDAY } kind; /* Jn, n, Mm.w.d */
    int month, week, day;
    int64_t time;
};

struct rule {
    int64_t standard, summer; /* seconds ahead of UTC */
    bool has_summer;
    struct change begin, end; /* of summer, by the local time until then */
};

struct transition {
    int64_t at, offset; /* from then on */
};

struct weir__zone {
    size_t bytes, count;
    int64_t first; /* the offset before all transitions */
    bool has_rule;
    struct rule rule;
    struct transition transitions[];
};

/* ---- the rule ---- */

static bool read_digits(const char **at, int64_t most, int64_t *number)
{
    const char *start = *at;

    *number = 0;
    while (isdigit((unsigned char)**at) && *number <= most)
        *number = *number * 10 + *(*at)++ - '0';
    return *at > start && *number <= most;
}

/* [+-]hh[:mm[:ss]] */
static bool read_time(const char **at, int64_t *time)
{
    int64_t sign = 1, part;

    if (**at == '+' || **at == '-')
        sign = *(*at)++ == '-' ? -1 : 1;
    *time = 0;
    for (int64_t unit = 3600; unit > 0; unit /= 60) {
        if (!read_digits(at, 167, &part))
            return false;
        *time += part * unit;
        if (**at != ':')
            break;
        (*at)++;
    }
    *time *= sign;
    return true;
}

/* CET, or <+03> */
static bool skip_name(const char **at)
{
    const char *start = *at;

    if (**at == '<') {
        const char *end = strchr(*at, '>');

        if (end == NULL)
            return false;
        *at = end + 1;
        return true;
    }
    while (isalpha((unsigned char)**at))
        (*at)++;
    return *at > start;
}

static bool read_change(const char **at, struct change *change)
{
    int64_t numbers[3] = {0};
    int count = 1;

    change->kind = **at == 'J' ? JULIAN : **at == 'M' ? WEEKDAY : DAY;
    if (change->kind != DAY)
        (*at)++;
    if (change->kind == WEEKDAY)
        count = 3;
    for (int i = 0; i < count; i++) {
        if (i > 0 && *(*at)++ != '.')
            return false;
        if (!read_digits(at, 365, &numbers[i]))
            return false;
    }
    if (change->kind == WEEKDAY &&
        (numbers[0] < 1 || numbers[0] > 12 || numbers[1] < 1 ||
         numbers[1] > 5 || numbers[2] > 6))
        return false;
    change->month = (int)numbers[0];
    change->week = (int)numbers[1];
    change->day = (int)numbers[change->kind == WEEKDAY ? 2 : 0];
    change->time = 2 * 3600;
    if (**at != '/')
        return true;
    (*at)++;
    return read_time(at, &change->time);
}

/* CET-1CEST,M3.5.0,M10.5.0/3 */
static bool read_rule(const char *at, struct rule *rule)
{
    if (!skip_name(&at) || !read_time(&at, &rule->standard))
        return false;
    rule->standard = -rule->standard; /* POSIX counts to the west */
    rule->has_summer = *at != '\0';
    if (!rule->has_summer)
        return true;
    if (!skip_name(&at))
        return false;
    rule->summer = rule->standard + 3600;
    if (*at != ',' && *at != '\0') {
        if (!read_time(&at, &rule->summer))
            return false;
        rule->summer = -rule->summer;
    }
    return *at++ == ',' && read_change(&at, &rule->begin) && *at++ == ',' &&
           read_change(&at, &rule->end) && *at == '\0';
}

static bool is_leap(int64_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* The local time of a change in a year. */
static int64_t time_of(const struct change *change, int64_t year)
{
    int64_t first = weir__date_to_days(year, 1, 1), day;

    if (change->kind == DAY) {
        day = first + change->day;
    } else if (change->kind == JULIAN) {
        day = first + change->day - 1 + (is_leap(year) && change->day > 59);
    } else {
        int64_t month = weir__date_to_days(year, change->month, 1);
        int64_t next = change->month < 12
                           ? weir__date_to_days(year, change->month + 1, 1)
                           : weir__date_to_days(year + 1, 1, 1);

        day = month + (change->day - weir__date_weekday(month) + 7) % 7 +
              (change->week - 1) * 7;
        while (day >= next) /* week 5 is the last one */
            day -= 7;
    }
    return day * WEIR__DAY_S + change->time;
}

static int64_t offset_by_rule(const struct rule *rule, int64_t utc)
{
    int64_t days = weir__date_floor(utc + rule->standard, WEIR__DAY_S);
    int64_t year = weir__date_of_days(days).year;
    int64_t begin, end;
    bool is_summer;

    if (!rule->has_summer)
        return rule->standard;
    begin = time_of(&rule->begin, year) - rule->standard;
    end = time_of(&rule->end, year) - rule->summer;
    is_summer =
        begin < end ? utc >= begin && utc < end : utc >= begin || utc < end;
    return is_summer ? rule->summer : rule->standard;
}

/* ---- looking up ---- */

int64_t weir__zone_offset(const struct weir__zone *zone, int64_t utc)
{
    size_t low = 0, high = zone->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (zone->transitions[middle].at <= utc)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == zone->count && zone->has_rule)
        return offset_by_rule(&zone->rule, utc);
    return low == 0 ? zone->first : zone->transitions[low - 1].offset;
}

/* Near a change there are two offsets.  The larger one gives the earlier time;
 * if that does not show the local time, the other one may. */
int64_t weir__zone_to_utc(const struct weir__zone *zone, int64_t local)
{
    int64_t before = weir__zone_offset(zone, local - WEIR__DAY_S);
    int64_t after = weir__zone_offset(zone, local + WEIR__DAY_S);
    int64_t larger = before > after ? before : after;
    int64_t smaller = before > after ? after : before;
    int64_t low, high;

    if (weir__zone_offset(zone, local - larger) == larger)
        return local - larger;
    if (weir__zone_offset(zone, local - smaller) == smaller)
        return local - smaller;
    low = local - larger; /* before the gap, and high is after it */
    high = local - smaller;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;

        if (weir__zone_offset(zone, middle) == before)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* ---- files ---- */

struct bytes {
    const unsigned char *at;
    size_t left;
};

static int64_t read_big(const unsigned char *at, int count)
{
    uint64_t number = (at[0] & 0x80) != 0 ? UINT64_MAX : 0;

    for (int i = 0; i < count; i++)
        number = number << 8 | at[i];
    return (int64_t)number;
}

/* The counts of a header. */
struct header {
    int64_t isut, isstd, leap, time, type, name;
};

static bool read_header(struct bytes *file, struct header *header,
                        char *version)
{
    int64_t counts[6];

    if (file->left < HEADER_BYTES || memcmp(file->at, "TZif", 4) != 0)
        return false;
    *version = (char)file->at[4];
    for (int i = 0; i < 6; i++) {
        counts[i] = read_big(file->at + 20 + 4 * i, 4);
        if (counts[i] < 0 || counts[i] > FILE_LIMIT)
            return false;
    }
    *header = (struct header){counts[0], counts[1], counts[2],
                              counts[3], counts[4], counts[5]};
    file->at += HEADER_BYTES;
    file->left -= HEADER_BYTES;
    return header->type > 0;
}

static size_t data_bytes(const struct header *header, int64_t time_bytes)
{
    return (size_t)(header->time * (time_bytes + 1) + header->type * 6 +
                    header->name + header->leap * (time_bytes + 4) +
                    header->isstd + header->isut);
}

static bool skip(struct bytes *file, size_t bytes)
{
    if (file->left < bytes)
        return false;
    file->at += bytes;
    file->left -= bytes;
    return true;
}

static bool read_footer(struct bytes file, struct weir__zone *zone)
{
    char text[128];
    const unsigned char *end;

    if (file.left < 2 || file.at[0] != '\n')
        return false;
    end = memchr(file.at + 1, '\n', file.left - 1);
    if (end == NULL || (size_t)(end - file.at) > sizeof(text))
        return false;
    memcpy(text, file.at + 1, (size_t)(end - file.at) - 1);
    text[end - file.at - 1] = '\0';
    zone->has_rule = text[0] != '\0';
    return !zone->has_rule || read_rule(text, &zone->rule);
}

static int read_zone(struct bytes file, struct weir__zone **made)
{
    struct header header;
    struct bytes data;
    struct weir__zone *zone;
    const unsigned char *kinds, *types;
    size_t bytes;
    char version;

    if (!read_header(&file, &header, &version) || version < '2' ||
        !skip(&file, data_bytes(&header, 4)) ||
        !read_header(&file, &header, &version))
        return -EINVAL;
    data = file;
    if (!skip(&file, data_bytes(&header, 8)))
        return -EINVAL;
    bytes = sizeof(*zone) + sizeof(*zone->transitions) * (size_t)header.time;
    zone = weir_memory_alloc(bytes);
    if (zone == NULL)
        return -ENOMEM;
    memset(zone, 0, bytes);
    zone->bytes = bytes;
    kinds = data.at + header.time * 8;
    types = kinds + header.time;
    zone->first = read_big(types, 4);
    for (int64_t i = 0; i < header.time; i++) {
        if (kinds[i] >= header.type) {
            weir__zone_free(zone);
            return -EINVAL;
        }
        zone->transitions[zone->count++] = (struct transition){
            read_big(data.at + i * 8, 8), read_big(types + kinds[i] * 6, 4)};
    }
    if (!read_footer(file, zone)) {
        weir__zone_free(zone);
        return -EINVAL;
    }
    *made = zone;
    return 0;
}

/* Names have no dots, so no name leaves the directory. */
static bool is_name(const char *name)
{
    if (strlen(name) > NAME_LIMIT || !isalpha((unsigned char)name[0]))
        return false;
    for (; *name != '\0'; name++)
        if (!isalnum((unsigned char)*name) && strchr("/_+-", *name) == NULL)
            return false;
    return true;
}

static int open_file(const char *name)
{
    const char *folder = getenv("TZDIR");
    char path[1024];
    int fd;

    if (folder == NULL || folder[0] != '/')
        folder = "/usr/share/zoneinfo";
    if (strlen(folder) + strlen(name) + 2 > sizeof(path))
        return -EINVAL;
    strcpy(path, folder);
    strcat(path, "/");
    strcat(path, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd >= 0 ? fd : -errno;
}

static int read_file(int fd, unsigned char *bytes, size_t size)
{
    size_t done = 0;

    while (done < size) {
        ssize_t count = read(fd, bytes + done, size - done);

        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count < 0 ? -errno : -EINVAL;
        done += (size_t)count;
    }
    return 0;
}

static int load_file(struct weir__zone **zone, int fd)
{
    struct stat status;
    unsigned char *bytes;
    int err;

    if (fstat(fd, &status) != 0)
        return -errno;
    if (!S_ISREG(status.st_mode)) /* "America" is a directory */
        return -ENOENT;
    if (status.st_size <= 0 || status.st_size > FILE_LIMIT)
        return -EINVAL;
    bytes = weir_memory_alloc((size_t)status.st_size);
    if (bytes == NULL)
        return -ENOMEM;
    err = read_file(fd, bytes, (size_t)status.st_size);
    if (err == 0)
        err = read_zone((struct bytes){bytes, (size_t)status.st_size}, zone);
    weir_memory_free(bytes, (size_t)status.st_size);
    return err;
}

int weir__zone_load(struct weir__zone **zone, const char *name)
{
    int fd, err;

    if (strcmp(name, "UTC") == 0) {
        *zone = weir_memory_alloc(sizeof(**zone));
        if (*zone == NULL)
            return -ENOMEM;
        memset(*zone, 0, sizeof(**zone));
        (*zone)->bytes = sizeof(**zone);
        return 0;
    }
    if (!is_name(name))
        return -EINVAL;
    fd = open_file(name);
    if (fd < 0)
        return fd;
    err = load_file(zone, fd);
    close(fd);
    return err;
}

void weir__zone_free(struct weir__zone *zone)
{
    if (zone != NULL)
        weir_memory_free(zone, zone->bytes);
}
