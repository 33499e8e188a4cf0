/* SPDX-License-Identifier: MIT */
/*
 * zone -- a time zone: what its clocks show, and when.
 *
 * Zones are read from the system's database (TZif, RFC 8536), and not through
 * the C library, whose zone belongs to the whole process.  Times are seconds
 * since 1970; local ones count as if the zone's clocks showed UTC.
 *
 * Thread   any: a zone is const after it was loaded
 */
#ifndef WEIR_JOBS_TIME_ZONE_H
#define WEIR_JOBS_TIME_ZONE_H

#include <stdint.h>

struct weir__zone;

/* Load a zone by its name, such as "Europe/Berlin".  "UTC" needs no file.
 * Returns 0, -ENOENT (there is no such zone), -EINVAL (its file is damaged, or
 * this is not a name), -ENOMEM, or the error of reading the file. */
int weir__zone_load(struct weir__zone **zone, const char *name);

/* Passing NULL has no effect. */
void weir__zone_free(struct weir__zone *zone);

/* Get the seconds that the zone's clocks are ahead of UTC at a time. */
int64_t weir__zone_offset(const struct weir__zone *zone, int64_t utc);

/* Get the first time at which the zone's clocks show a local time.  If they skip
 * it, get the first time after the gap. */
int64_t weir__zone_to_utc(const struct weir__zone *zone, int64_t local);

#endif /* WEIR_JOBS_TIME_ZONE_H */
