/* SPDX-License-Identifier: MIT */
/*
 * schedule -- see schedule.h.
 */
#include "postgres/schedule.h"

#include <errno.h>
#include <string.h>

#include "time/cron.h"
#include "weir/host/memory.h"

/* ---- runs ---- */

/* The columns of RUNS.  Its first row has only the date. */
enum { DATE, QUEUE, NAME, CRON, ZONE };

static struct weir__run read_run(struct weir__row row, char **at)
{
    struct weir__run run = {
        .queue = weir__row_copy(at, row, QUEUE, NULL),
        .name = weir__row_copy(at, row, NAME, NULL),
    };
    const char *cron = weir__row_copy(at, row, CRON, NULL);
    const char *zone = weir__row_copy(at, row, ZONE, NULL);
    char reason[WEIR__OP_REASON_BYTES];

    if (weir__cron_find(cron, zone, row.engine->date_ms, &run.next_ms, reason,
                        sizeof(reason)) != 0)
        run.next_ms = weir__cron_look_again(row.engine->date_ms);
    return run;
}

void weir__schedule_read_runs(struct weir__engine *engine,
                              const PGresult *result)
{
    struct weir__row row = {engine, result, 0};
    int count = engine->pq.PQntuples(result);
    size_t bytes = 0;
    char *at;

    weir__schedule_forget_runs(engine);
    engine->date_ms = weir__row_number(row, DATE);
    if (count <= 1)
        return;
    for (row.row = 1; row.row < count; row.row++) {
        bytes += sizeof(*engine->runs);
        for (int column = QUEUE; column <= ZONE; column++)
            bytes += weir__row_bytes(row, column);
    }
    engine->runs = weir_memory_alloc(bytes);
    if (engine->runs == NULL) {
        weir__pg_fail(engine, -ENOMEM, "no memory for the schedules");
        return;
    }
    engine->run_bytes = bytes;
    at = (char *)(engine->runs + (count - 1));
    for (row.row = 1; row.row < count; row.row++)
        engine->runs[engine->run_count++] = read_run(row, &at);
}

void weir__schedule_forget_runs(struct weir__engine *engine)
{
    weir_memory_free(engine->runs, engine->run_bytes);
    engine->runs = NULL;
    engine->run_count = engine->run_bytes = 0;
}

/* ---- ops ---- */

static const char *zone_of(const weir_jobs_schedule_spec *spec)
{
    return spec->zone != NULL ? spec->zone : "UTC";
}

bool weir__schedule_plan(const struct weir__engine *engine, struct weir__op *op)
{
    const weir_jobs_schedule_spec *spec = &op->in.schedule.spec;
    char reason[WEIR__OP_REASON_BYTES] = "";
    int err = weir__cron_find(spec->cron, zone_of(spec), engine->date_ms,
                              &op->reply.next_ms, reason, sizeof(reason));

    if (err != 0)
        weir__op_fail(op, err, reason);
    return err == 0;
}

static enum weir__pg_statement send_schedule(struct weir__engine *engine,
                                             const struct weir__op *op)
{
    const weir_jobs_schedule_spec *spec = &op->in.schedule.spec;
    const weir_jobs_spec *job = spec->job;
    struct weir__params params = {0};

    weir__param_text(&params, job->queue);
    weir__param_text(&params, spec->name);
    weir__param_text(&params, spec->cron);
    weir__param_text(&params, zone_of(spec));
    weir__param_number(&params, spec->missed);
    weir__param_number(&params, op->reply.next_ms);
    weir__param_number(&params, job->priority);
    weir__param_number(&params, job->attempts);
    weir__param_text(&params, job->key);
    weir__param_number(&params, job->backoff_ms);
    weir__param_number(&params, job->backoff_max_ms);
    weir__param_number(&params, job->timeout_ms);
    weir__param_number(&params, job->keep_ms);
    weir__param_bytes(&params, job->payload, job->payload_size);
    weir__pg_send(engine, WEIR__PG_SCHEDULE, &params);
    return WEIR__PG_SCHEDULE;
}

enum weir__pg_statement weir__schedule_send(struct weir__engine *engine,
                                            const struct weir__op *op)
{
    struct weir__params params = {0};

    if (op->kind == WEIR__OP_SCHEDULE)
        return send_schedule(engine, op);
    if (op->kind == WEIR__OP_PLANS) {
        weir__pg_send(engine, WEIR__PG_PLANS, &params);
        return WEIR__PG_PLANS;
    }
    weir__param_text(&params, op->in.schedule.job.queue);
    weir__param_text(&params, op->in.schedule.spec.name);
    weir__pg_send(engine, WEIR__PG_UNSCHEDULE, &params);
    return WEIR__PG_UNSCHEDULE;
}

static weir_jobs_plan read_plan(struct weir__row row, char **at)
{
    return (weir_jobs_plan){
        .queue = weir__row_copy(at, row, 0, NULL),
        .name = weir__row_copy(at, row, 1, NULL),
        .cron = weir__row_copy(at, row, 2, NULL),
        .zone = weir__row_copy(at, row, 3, NULL),
        .next_ms = weir__row_number(row, 4),
    };
}

static void read_plans(struct weir__op *op, struct weir__row row)
{
    int count = row.engine->pq.PQntuples(row.result);
    size_t bytes = sizeof(weir_jobs_plan) * (size_t)count;
    weir_jobs_plan *plans;
    char *at;

    if (count == 0)
        return;
    for (row.row = 0; row.row < count; row.row++)
        for (int column = 0; column < 4; column++)
            bytes += weir__row_bytes(row, column);
    plans = weir__op_alloc(op, bytes, "no memory for the schedules");
    if (plans == NULL)
        return;
    at = (char *)(plans + count);
    for (row.row = 0; row.row < count; row.row++)
        plans[row.row] = read_plan(row, &at);
    WEIR__OP_LINK(plans, (size_t)count);
    op->reply.plans = plans;
    op->reply.count = (uint64_t)count;
}

void weir__schedule_read(struct weir__op *op, struct weir__row row)
{
    switch (op->kind) {
    case WEIR__OP_SCHEDULE: /* one that has not changed keeps its next run */
        op->reply.next_ms = weir__row_number(row, 0);
        return;
    case WEIR__OP_UNSCHEDULE:
        if (weir__row_number(row, 0) == 0)
            weir__op_fail(op, -ENOENT, "there is no such schedule");
        return;
    default:
        read_plans(op, row);
    }
}
