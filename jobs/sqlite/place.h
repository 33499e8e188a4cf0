/* SPDX-License-Identifier: MIT */
/*
 * place -- which state a job that is not finished belongs in.
 *
 * A job waits for others (WAITING), or is behind one with its key (BEHIND), or
 * its time has not come (SCHEDULED), or it is READY, in this order.  Of the
 * jobs with one key at most one is READY, RUNNING or SCHEDULED, or as many as
 * the key_concurrency of the queue.
 */
#ifndef WEIR_JOBS_SQLITE_PLACE_H
#define WEIR_JOBS_SQLITE_PLACE_H

#include "sqlite/store.h"

/* Put a job that no longer waits for others into its place. */
void weir__place_job(struct weir__engine *engine, int64_t id);

/* A job has left its place for good.  Let the next one with its key go on.
 * key may be NULL. */
void weir__place_next(struct weir__engine *engine, const char *queue,
                      const char *key);

/* Whether as many jobs with a key are in a place as its queue allows. */
bool weir__place_is_full(struct weir__engine *engine, const char *queue,
                         const char *key);

/* The limit of a queue has changed.  Let jobs of all keys go on. */
void weir__place_all_next(struct weir__engine *engine, const char *queue);

/* A job is done: let those that have waited for it go on. */
void weir__place_dependents(struct weir__engine *engine, int64_t id);

/* Cancel a job that is not finished, and all jobs that wait for it, directly or
 * not.  Returns whether there was such a job. */
bool weir__place_cancel(struct weir__engine *engine, int64_t id);

#endif /* WEIR_JOBS_SQLITE_PLACE_H */
