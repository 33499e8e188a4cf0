/* SPDX-License-Identifier: MIT */
/*
 * zone -- the same offsets as the C library's, for a hundred and ten years.
 */
#include "time/zone.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/suite.h"
#include "time/date.h"

static const char *const names[] = {
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "America/St_Johns",
    "Africa/Casablanca",
    "Pacific/Apia",
    "America/Sao_Paulo",
    "Europe/Dublin",
    "Antarctica/Troll",
    "Etc/GMT+5",
};

static int64_t at(int year, int month, int day, int hour)
{
    return weir__date_to_days(year, month, day) * WEIR__DAY_S + hour * 3600;
}

CASE(zone_offsets_are_those_of_the_c_library)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        struct weir__zone *zone;

        expect_status(weir__zone_load(&zone, names[i]), 0);
        expect_int(setenv("TZ", names[i], 1), 0);
        tzset();
        for (int64_t utc = at(1970, 1, 1, 0); utc < at(2080, 1, 1, 0);
             utc += 47 * 3600 + 1800) {
            time_t time = utc;
            struct tm local;

            expect(localtime_r(&time, &local) != NULL);
            expect_int((int)weir__zone_offset(zone, utc), (int)local.tm_gmtoff);
        }
        weir__zone_free(zone);
    }
}

/* Whatever a clock shows, it shows first at the time that is found. */
CASE(zone_finds_the_first_time_that_clocks_show)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        struct weir__zone *zone;

        expect_status(weir__zone_load(&zone, names[i]), 0);
        for (int64_t utc = at(2024, 1, 1, 0); utc < at(2042, 1, 1, 0);
             utc += 7 * 3600 + 900) {
            int64_t local = utc + weir__zone_offset(zone, utc);
            int64_t found = weir__zone_to_utc(zone, local);

            expect(found <= utc);
            expect(found + weir__zone_offset(zone, found) == local);
        }
        weir__zone_free(zone);
    }
}

CASE(zone_goes_on_after_a_gap)
{
    struct weir__zone *zone;

    expect_status(weir__zone_load(&zone, "Europe/Berlin"), 0);
    expect(weir__zone_to_utc(zone, at(2026, 3, 29, 2) + 1800) ==
           at(2026, 3, 29, 1));
    expect(weir__zone_to_utc(zone, at(2026, 10, 25, 2)) == at(2026, 10, 25, 0));
    weir__zone_free(zone);
}

CASE(zone_that_does_not_exist_is_refused)
{
    struct weir__zone *zone;
    char long_name[400];

    memset(long_name, 'a', sizeof(long_name) - 1);
    long_name[sizeof(long_name) - 1] = '\0';
    expect_status(weir__zone_load(&zone, "Europe/Nowhere"), -ENOENT);
    expect_status(weir__zone_load(&zone, "Europe"), -ENOENT);
    expect_status(weir__zone_load(&zone, ""), -EINVAL);
    expect_status(weir__zone_load(&zone, "/etc/passwd"), -EINVAL);
    expect_status(weir__zone_load(&zone, "Europe/../../../etc/passwd"),
                  -EINVAL);
    expect_status(weir__zone_load(&zone, long_name), -EINVAL);
}

/* A file of each length, and with each byte changed, is read or refused. */
CASE(zone_file_that_is_damaged_is_refused)
{
    char folder[] = "/tmp/weir-zone-XXXXXX", path[64];
    unsigned char bytes[8192];
    struct weir__zone *zone;
    int fd = open("/usr/share/zoneinfo/Europe/Berlin", O_RDONLY);
    ssize_t size = read(fd, bytes, sizeof(bytes));

    expect(size > 100 && size < (ssize_t)sizeof(bytes));
    close(fd);
    expect(mkdtemp(folder) != NULL);
    snprintf(path, sizeof(path), "%s/Zone", folder);
    expect_int(setenv("TZDIR", folder, 1), 0);
    for (ssize_t i = 0; i < size; i += i < 200 ? 1 : 37) {
        unsigned char kept = bytes[i];

        for (int round = 0; round < 2; round++) {
            size_t length = round == 0 ? (size_t)i : (size_t)size;

            bytes[i] ^= round == 0 ? 0 : 0xff;
            fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
            expect(write(fd, bytes, length) == (ssize_t)length);
            close(fd);
            if (weir__zone_load(&zone, "Zone") == 0) {
                (void)weir__zone_offset(zone, at(2026, 1, 1, 0));
                (void)weir__zone_to_utc(zone, at(2050, 7, 1, 0));
                weir__zone_free(zone);
                expect_int(round, 1);
            }
            bytes[i] = kept;
        }
    }
    expect_int(unlink(path), 0);
    expect_int(rmdir(folder), 0);
}
