/* SPDX-License-Identifier: MIT */
/*
 * schedule -- schedules on a server, and the runs that are due.
 *
 * A process knows cron and the time zones, the server knows the time and who
 * comes first.  So a run takes two round trips of one transaction:
 *
 *     BEGIN, START, RUNS   the date, and the schedules that are due, locked
 *     FIRE, the ops        add the job of each, and set its next run
 *
 * Who decides  RUNS.  It takes the rows that are due and that nobody else has
 *              locked, and they stay locked until the commit: of all processes
 *              that see a run due, one adds its job.  To the others the row is
 *              locked, and then no longer due.
 * When         Every list asks START whether a run is due, which rarely is so.
 *              Then the list is rolled back, and run again with RUNS.  A worker
 *              that waits looks when the next run of its queue is due; one that
 *              is busy is told with its renewals (watch.c).
 * Next run     The first one after the date that RUNS has read, which it has
 *              also compared with: a run is never found twice.
 */
#ifndef WEIR_JOBS_POSTGRES_SCHEDULE_H
#define WEIR_JOBS_POSTGRES_SCHEDULE_H

#include "postgres/row.h"

/* Read the result of RUNS into engine->date_ms and engine->runs. */
void weir__schedule_read_runs(struct weir__engine *engine,
                              const PGresult *result);

/* Free the runs.  If there are none, this has no effect. */
void weir__schedule_forget_runs(struct weir__engine *engine);

/* Find the next run of an op that adds a schedule.  Returns false if it is not
 * valid: then the op has its status. */
bool weir__schedule_plan(const struct weir__engine *engine,
                         struct weir__op *op);

/* For ops.c: SCHEDULE, UNSCHEDULE, PLANS. */
enum weir__pg_statement weir__schedule_send(struct weir__engine *engine,
                                            const struct weir__op *op);
void weir__schedule_read(struct weir__op *op, struct weir__row row);

#endif /* WEIR_JOBS_POSTGRES_SCHEDULE_H */
