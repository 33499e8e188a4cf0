/* SPDX-License-Identifier: MIT */
/*
 * pace -- the rate of a key.
 *
 * Each job of a key that is claimed costs its key an interval.  Until that has
 * passed, the key has a row in the table `pace`, and its jobs that become READY
 * are put BEHIND, as if one of them were still running.  A claim looks at the
 * jobs that it could take, so nothing else needs to know of the rate: whatever
 * makes a job READY may do so.
 *
 * A row with jobs behind it is awaited.  The first claim after its time deletes
 * it, and lets the key go on.
 */
#ifndef WEIR_JOBS_SQLITE_PACE_H
#define WEIR_JOBS_SQLITE_PACE_H

#include "sqlite/store.h"

/* Let the keys of a queue go on whose interval is over. */
void weir__pace_pass(struct weir__engine *engine, const char *queue);

/* Of the next `most` READY jobs, put those BEHIND whose key has not been paid
 * for, and others in their place; and pay for the keys of the rest.  Returns
 * how many may be claimed now, at most `most`. */
int64_t weir__pace_hold(struct weir__engine *engine, const char *queue,
                        int64_t interval_us, int64_t most);

/* When a key that is awaited may go on, by the uptime; INT64_MAX: there is
 * none. */
int64_t weir__pace_due_us(struct weir__engine *engine, const char *queue);

/* The queue has no rate for keys any more. */
void weir__pace_end(struct weir__engine *engine, const char *queue);

#endif /* WEIR_JOBS_SQLITE_PACE_H */
