/* SPDX-License-Identifier: MIT */
/*
 * schedule -- schedules, and the jobs that they add.
 *
 * Each transaction begins with the schedules that are due, whoever makes it.  So
 * a run is added once, by one of the processes, and the claim of the same
 * transaction finds it.  A worker that waits is woken for the next run of its
 * queue (claim.c); one that is busy makes its own transactions.
 *
 * The job of a run has the schedule's name as its `unique`, so there is one at a
 * time.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sqlite/store.h"
#include "time/cron.h"
#include "weir/host/memory.h"

enum { MISSED_MS = 5 * 60 * 1000 }; /* so late, a run was missed */

/* ---- ops ---- */

/* The next run of a schedule that has not changed, or `otherwise`: also if its
 * zone was lost. */
static int64_t find_planned(struct weir__engine *engine,
                            const weir_jobs_schedule_spec *spec,
                            const char *zone, int64_t otherwise)
{
    sqlite3_stmt *find = weir__sql(engine, WEIR__SQL_PLANNED);
    int64_t planned_ms;

    weir__bind_text(find, 1, spec->job->queue);
    weir__bind_text(find, 2, spec->name);
    weir__bind_text(find, 3, spec->cron);
    weir__bind_text(find, 4, zone);
    planned_ms = weir__sql_number(engine, find, otherwise);
    return weir__cron_is_run(planned_ms) ? planned_ms : otherwise;
}

void weir__store_schedule(struct weir__engine *engine, struct weir__op *op)
{
    const weir_jobs_schedule_spec *spec = &op->in.schedule.spec;
    const weir_jobs_spec *job = spec->job;
    const char *zone = spec->zone != NULL ? spec->zone : "UTC";
    char reason[WEIR__OP_REASON_BYTES] = "";
    sqlite3_stmt *set;
    int64_t next_ms;
    int err = weir__cron_find(spec->cron, zone, engine->date_ms, &next_ms,
                              reason, sizeof(reason));

    if (err != 0) {
        weir__op_fail(op, err, reason);
        return;
    }
    next_ms = find_planned(engine, spec, zone, next_ms);
    set = weir__sql(engine, WEIR__SQL_SCHEDULE);
    weir__bind_text(set, 1, job->queue);
    weir__bind_text(set, 2, spec->name);
    weir__bind_text(set, 3, spec->cron);
    weir__bind_text(set, 4, zone);
    weir__bind_number(set, 5, spec->missed);
    weir__bind_number(set, 6, next_ms);
    weir__bind_number(set, 7, job->priority);
    weir__bind_number(set, 8, job->attempts);
    weir__bind_text(set, 9, job->key);
    weir__bind_number(set, 10, job->backoff_ms);
    weir__bind_number(set, 11, job->backoff_max_ms);
    weir__bind_number(set, 12, job->timeout_ms);
    weir__bind_number(set, 13, job->keep_ms);
    weir__bind_bytes(set, 14, job->payload, job->payload_size);
    (void)weir__sql_run(engine, set);
    op->reply.next_ms = next_ms;
    engine->is_changed = true;
}

void weir__store_unschedule(struct weir__engine *engine, struct weir__op *op)
{
    sqlite3_stmt *remove = weir__sql(engine, WEIR__SQL_UNSCHEDULE);

    weir__bind_text(remove, 1, op->in.schedule.job.queue);
    weir__bind_text(remove, 2, op->in.schedule.spec.name);
    if (weir__sql_run(engine, remove) == 0)
        weir__op_fail(op, -ENOENT, "there is no such schedule");
}

static const char *copy_text(char **at, sqlite3_stmt *row, int column)
{
    size_t bytes = (size_t)sqlite3_column_bytes(row, column);
    char *copy = *at;

    memcpy(copy, sqlite3_column_text(row, column), bytes);
    copy[bytes] = '\0';
    *at += bytes + 1;
    return copy;
}

/* Twice: first to count, and then to fill one block. */
void weir__store_plans(struct weir__engine *engine, struct weir__op *op)
{
    sqlite3_stmt *row = weir__sql(engine, WEIR__SQL_PLANS);
    size_t bytes = 0, count = 0, i = 0;
    weir_jobs_plan *plans;
    char *at;

    for (; weir__sql_next(engine, row); count++)
        for (int column = 0; column < 4; column++)
            bytes += (size_t)sqlite3_column_bytes(row, column) + 1;
    if (count == 0)
        return;
    bytes += sizeof(*plans) * count;
    plans = weir__op_alloc(op, bytes, "no memory for the schedules");
    if (plans == NULL)
        return;
    at = (char *)(plans + count);
    row = weir__sql(engine, WEIR__SQL_PLANS); /* NULL: counting has failed */
    while (weir__sql_next(engine, row)) {
        weir_jobs_plan *plan = &plans[i++];

        plan->queue = copy_text(&at, row, 0);
        plan->name = copy_text(&at, row, 1);
        plan->cron = copy_text(&at, row, 2);
        plan->zone = copy_text(&at, row, 3);
        plan->next_ms = sqlite3_column_int64(row, 4);
    }
    WEIR__OP_LINK(plans, i);
    op->reply.plans = i > 0 ? plans : NULL;
    op->reply.count = i;
}

/* ---- runs ---- */

static void add_job(struct weir__engine *engine, sqlite3_stmt *row)
{
    struct weir__op op = {.kind = WEIR__OP_ADD};
    char unique[WEIR_JOBS_NAME_LIMIT + 1];

    snprintf(unique, sizeof(unique), "schedule %s",
             (const char *)sqlite3_column_text(row, 1));
    op.in.add.spec = (weir_jobs_spec){
        .size = sizeof(weir_jobs_spec),
        .queue = (const char *)sqlite3_column_text(row, 0),
        .run_at_ms = sqlite3_column_int64(row, 5),
        .priority = sqlite3_column_int(row, 6),
        .attempts = (uint32_t)sqlite3_column_int(row, 7),
        .key = (const char *)sqlite3_column_text(row, 8),
        .unique = unique,
        .backoff_ms = sqlite3_column_int64(row, 9),
        .backoff_max_ms = sqlite3_column_int64(row, 10),
        .timeout_ms = sqlite3_column_int64(row, 11),
        .keep_ms = sqlite3_column_int64(row, 12),
        .payload = sqlite3_column_blob(row, 13),
        .payload_size = (size_t)sqlite3_column_bytes(row, 13),
    };
    weir__store_add(engine, &op);
}

/* Run one schedule that is due, and plan its next run. */
static void run_schedule(struct weir__engine *engine, sqlite3_stmt *row)
{
    const char *cron = (const char *)sqlite3_column_text(row, 2);
    const char *zone = (const char *)sqlite3_column_text(row, 3);
    bool is_made_up = sqlite3_column_int(row, 4) == WEIR_JOBS_MISSED_ONE;
    int64_t late_ms = engine->date_ms - sqlite3_column_int64(row, 5);
    char reason[WEIR__OP_REASON_BYTES];
    sqlite3_stmt *set;
    int64_t next_ms;

    if (weir__cron_is_run(sqlite3_column_int64(row, 5)) &&
        (is_made_up || late_ms < MISSED_MS))
        add_job(engine, row);
    if (weir__cron_find(cron, zone, engine->date_ms, &next_ms, reason,
                        sizeof(reason)) != 0)
        next_ms = weir__cron_look_again(engine->date_ms);
    set = weir__sql(engine, WEIR__SQL_SET_NEXT_RUN);
    weir__bind_text(set, 1, (const char *)sqlite3_column_text(row, 0));
    weir__bind_text(set, 2, (const char *)sqlite3_column_text(row, 1));
    weir__bind_number(set, 3, next_ms);
    (void)weir__sql_run(engine, set);
}

void weir__store_run_schedules(struct weir__engine *engine)
{
    int64_t next_ms = weir__sql_number(
        engine, weir__sql(engine, WEIR__SQL_NEXT_RUN), INT64_MAX);

    while (next_ms <= engine->date_ms && engine->status == 0) {
        sqlite3_stmt *due = weir__sql(engine, WEIR__SQL_DUE_RUN);

        weir__bind_number(due, 1, engine->date_ms);
        if (weir__sql_next(engine, due))
            run_schedule(engine, due);
        weir__sql_end(due);
        next_ms = weir__sql_number(
            engine, weir__sql(engine, WEIR__SQL_NEXT_RUN), INT64_MAX);
    }
}
