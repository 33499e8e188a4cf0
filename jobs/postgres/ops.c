/* SPDX-License-Identifier: MIT */
/*
 * ops -- what an op asks of the server, and what it answers.
 *
 * A claim's lease counts from the moment at which the list was sent.  The
 * server counts from later on, so the dispatcher never believes in a lease that
 * has ended.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "os/clock.h"
#include "postgres/row.h"
#include "postgres/schedule.h"
#include "weir/host/memory.h"

enum {
    LOOK_AGAIN_MS = 60000, /* at the latest, while something is scheduled */
    AFTER_BYTES = WEIR_JOBS_AFTER_LIMIT * 21 + 2,
};

/* ---- asking ---- */

/* An id that the server could not read is 0, which was never added: an error
 * would undo the whole list. */
static void write_ids(char *to, const uint64_t *ids, size_t count)
{
    size_t size = 0;

    to[size++] = '{';
    for (size_t i = 0; i < count; i++)
        size += (size_t)sprintf(
            to + size, i > 0 ? ",%llu" : "%llu",
            (unsigned long long)(ids[i] <= INT64_MAX ? ids[i] : 0));
    to[size++] = '}';
    to[size] = '\0';
}

static enum weir__pg_statement send_add(struct weir__engine *engine,
                                        const weir_jobs_spec *spec)
{
    struct weir__params params = {0};
    char after[AFTER_BYTES];

    write_ids(after, spec->after, spec->after_count);
    weir__param_text(&params, spec->queue);
    weir__param_bytes(&params, spec->payload, spec->payload_size);
    weir__param_text(&params, spec->key);
    weir__param_text(&params, spec->unique);
    weir__param_number(&params, spec->priority);
    weir__param_number(&params, spec->delay_ms);
    weir__param_number(&params, spec->run_at_ms);
    weir__param_number(&params, spec->attempts);
    weir__param_number(&params, spec->backoff_ms);
    weir__param_number(&params, spec->backoff_max_ms);
    weir__param_number(&params, spec->timeout_ms);
    weir__param_number(&params, spec->keep_ms);
    weir__param_text(&params, after);
    weir__pg_send(engine, WEIR__PG_ADD, &params);
    return WEIR__PG_ADD;
}

static void name_claim(struct weir__params *params,
                       const weir_jobs_claim *claim)
{
    weir__param_number(params, (int64_t)claim->info.id);
    weir__param_number(params, (int64_t)claim->info.token);
}

static enum weir__pg_statement send_settle(struct weir__engine *engine,
                                           const struct weir__op *op)
{
    const weir_jobs_outcome *outcome = &op->in.settle.outcome;
    enum weir__pg_statement statement = WEIR__PG_RELEASED;
    struct weir__params params = {0};

    name_claim(&params, op->in.settle.claim);
    if (outcome->kind == WEIR_JOBS_OUTCOME_DONE) {
        statement = WEIR__PG_DONE;
        weir__param_bytes(&params, outcome->result, outcome->result_size);
    } else {
        bool is_elsewhere = outcome->kind == WEIR_JOBS_OUTCOME_ELSEWHERE;

        weir__param_text(&params, is_elsewhere ? WEIR__OP_NOT_ELSEWHERE
                                               : outcome->reason);
        if (outcome->kind != WEIR_JOBS_OUTCOME_RELEASED) {
            statement = WEIR__PG_FAILED;
            weir__param_text(&params,
                             outcome->is_final && !is_elsewhere ? "t" : "f");
        }
        weir__param_number(&params, outcome->delay_ms);
    }
    weir__pg_send(engine, statement, &params);
    return statement;
}

static enum weir__pg_statement send_claim(struct weir__engine *engine,
                                          const struct weir__claiming *claiming)
{
    struct weir__params params = {0};

    weir__watch_start(engine);
    weir__param_text(&params, claiming->queue);
    weir__param_number(&params, claiming->most);
    weir__param_number(&params, claiming->lease_ms);
    weir__param_text(&params, claiming->owner);
    weir__pg_send(engine, WEIR__PG_CLAIM, &params);
    return WEIR__PG_CLAIM;
}

static enum weir__pg_statement send_transfer(struct weir__engine *engine,
                                             const struct weir__op *op)
{
    struct weir__params params = {0};

    weir__param_text(&params, op->in.transfer.step);
    weir__param_text(&params, op->in.transfer.text);
    weir__pg_send(engine, WEIR__PG_TRANSFER, &params);
    return WEIR__PG_TRANSFER;
}

static enum weir__pg_statement send_progress(struct weir__engine *engine,
                                             const struct weir__op *op)
{
    struct weir__params params = {0};
    char number[40];

    snprintf(number, sizeof(number), "%.17g", op->in.progress.progress);
    name_claim(&params, op->in.progress.claim);
    weir__param_text(&params, number);
    weir__pg_send(engine, WEIR__PG_PROGRESS, &params);
    return WEIR__PG_PROGRESS;
}

static enum weir__pg_statement send_queue(struct weir__engine *engine,
                                          const struct weir__op *op)
{
    const weir_jobs_limits *limits = &op->in.queue.limits;
    struct weir__params params = {0};

    weir__param_text(&params, op->in.queue.name);
    if (op->kind == WEIR__OP_PAUSE) {
        weir__param_text(&params, op->in.queue.is_paused ? "t" : "f");
        weir__pg_send(engine, WEIR__PG_PAUSE, &params);
        return WEIR__PG_PAUSE;
    }
    weir__param_number(&params, limits->concurrency);
    weir__param_number(&params, limits->rate);
    weir__param_number(&params, limits->rate_period_ms);
    weir__param_number(&params, limits->key_concurrency);
    weir__param_number(&params, limits->key_rate);
    weir__param_number(&params, limits->key_rate_period_ms);
    weir__pg_send(engine, WEIR__PG_LIMIT, &params);
    return WEIR__PG_LIMIT;
}

static enum weir__pg_statement send_job(struct weir__engine *engine,
                                        enum weir__pg_statement statement,
                                        const struct weir__op *op)
{
    struct weir__params params = {0};

    if (statement == WEIR__PG_RETRY && op->in.job.id == 0) {
        statement = WEIR__PG_RETRY_ALL;
        weir__param_text(&params, op->in.job.queue);
    } else {
        weir__param_number(&params, (int64_t)op->in.job.id);
    }
    weir__pg_send(engine, statement, &params);
    return statement;
}

static enum weir__pg_statement send_list(struct weir__engine *engine,
                                         const struct weir__op *op)
{
    struct weir__params params = {0};

    weir__param_text(&params, op->in.list.queue);
    weir__param_number(&params, op->in.list.state);
    weir__param_number(&params, (int64_t)op->in.list.after);
    weir__param_number(&params, op->in.list.most);
    weir__pg_send(engine, WEIR__PG_LIST, &params);
    return WEIR__PG_LIST;
}

enum weir__pg_statement weir__ops_send(struct weir__engine *engine,
                                       const struct weir__op *op)
{
    static const struct weir__params none;

    switch (op->kind) {
    case WEIR__OP_ADD:
        return send_add(engine, &op->in.add.spec);
    case WEIR__OP_CLAIM:
        return send_claim(engine, &op->in.claim);
    case WEIR__OP_SETTLE:
        return send_settle(engine, op);
    case WEIR__OP_PROGRESS:
        return send_progress(engine, op);
    case WEIR__OP_LIMIT:
    case WEIR__OP_PAUSE:
        return send_queue(engine, op);
    case WEIR__OP_TRANSFER:
        return send_transfer(engine, op);
    case WEIR__OP_GET:
        return send_job(engine, WEIR__PG_GET, op);
    case WEIR__OP_CANCEL:
        return send_job(engine, WEIR__PG_CANCEL, op);
    case WEIR__OP_RETRY:
        return send_job(engine, WEIR__PG_RETRY, op);
    case WEIR__OP_LIST:
        return send_list(engine, op);
    case WEIR__OP_SCHEDULE:
    case WEIR__OP_UNSCHEDULE:
    case WEIR__OP_PLANS:
        return weir__schedule_send(engine, op);
    default: /* LOOK: the others are the dispatcher's */
        weir__pg_send(engine, WEIR__PG_LOOK, &none);
        return WEIR__PG_LOOK;
    }
}

/* ---- answers ---- */

/* What CLAIM, GET and LIST have in common. */
static weir_jobs_info read_info(struct weir__row row, char **at)
{
    weir_jobs_info info = {
        .id = (uint64_t)weir__row_number(row, 0),
        .attempt = (uint32_t)weir__row_number(row, 1),
        .attempts = (uint32_t)weir__row_number(row, 2),
        .priority = (int32_t)weir__row_number(row, 3),
        .added_ms = weir__row_number(row, 5),
        .run_at_ms = weir__row_number(row, 6),
        .timeout_ms = weir__row_number(row, 7),
        .token = (uint64_t)weir__row_number(row, 15),
    };

    info.key = weir__row_copy(at, row, 11, NULL);
    info.unique = weir__row_copy(at, row, 12, NULL);
    info.reason = weir__row_copy(at, row, 13, NULL);
    info.payload = weir__row_copy(at, row, 14, &info.payload_size);
    return info;
}

static size_t info_bytes(struct weir__row row)
{
    return weir__row_bytes(row, 11) + weir__row_bytes(row, 12) +
           weir__row_bytes(row, 13) + weir__row_bytes(row, 14);
}

static weir_jobs_claim *make_claim(const struct weir__claiming *claiming,
                                   struct weir__row row)
{
    size_t bytes = sizeof(weir_jobs_claim) + info_bytes(row);
    weir_jobs_claim *claim = weir_memory_alloc(bytes);
    char *at = (char *)(claim + 1);

    if (claim == NULL)
        return NULL;
    memset(claim, 0, sizeof(*claim));
    claim->bytes = bytes;
    claim->worker = claiming->worker;
    claim->keep_ms = weir__row_number(row, 8);
    claim->backoff_ms = weir__row_number(row, 9);
    claim->backoff_max_ms = weir__row_number(row, 10);
    claim->info = read_info(row, &at);
    claim->info.state = WEIR_JOBS_RUNNING;
    claim->info.queue = claiming->queue;
    claim->info.owner = claiming->owner;
    claim->claimed_ms = row.engine->sent_ms;
    claim->lease_until_ms = row.engine->sent_ms + claiming->lease_ms;
    claim->info.lease_ms = claiming->lease_ms;
    return claim;
}

static void read_claims(struct weir__engine *engine,
                        struct weir__claiming *claiming, const PGresult *result)
{
    weir_jobs_claim **end = &claiming->claims;
    int count = engine->pq.PQntuples(result);

    for (int i = 0; i < count; i++) {
        weir_jobs_claim *claim =
            make_claim(claiming, (struct weir__row){engine, result, i});

        if (claim == NULL) {
            weir__pg_fail(engine, -ENOMEM, "no memory for a claim");
            return;
        }
        *end = claim;
        end = &claim->next;
        claiming->count++;
    }
}

void weir__ops_read_due(struct weir__engine *engine, struct weir__op *op,
                        const PGresult *result)
{
    int64_t wait_ms = weir__link_number(&engine->work, result, 0, 0, INT64_MAX);

    op->in.claim.due_date_ms = op->in.claim.due_uptime_ms = INT64_MAX;
    if (wait_ms == INT64_MAX)
        return;
    if (wait_ms > LOOK_AGAIN_MS)
        wait_ms = LOOK_AGAIN_MS;
    op->in.claim.due_uptime_ms = weir__clock_uptime_us() / 1000 + wait_ms;
}

static void read_add(struct weir__op *op, struct weir__row row)
{
    char problem[40], text[WEIR__OP_REASON_BYTES], *at = problem;
    bool is_cancelled;

    if (weir__row_bytes(row, 2) == 0) {
        op->reply.id = (uint64_t)weir__row_number(row, 0);
        op->reply.is_new = weir__row_number(row, 1) != 0;
        return;
    }
    (void)weir__row_copy(&at, row, 2, NULL);
    is_cancelled = strcmp(problem, "cancelled") == 0;
    snprintf(text, sizeof(text), "a job that this one should run after was %s",
             problem);
    weir__op_fail(op, is_cancelled ? WEIR_ECANCELED : -ENOENT, text);
}

/* A row of GET or LIST; what it points to goes to *at. */
static weir_jobs_info read_job(struct weir__row row, char **at)
{
    weir_jobs_info info = read_info(row, at);

    info.progress =
        weir__link_double(&row.engine->work, row.result, row.row, 4);
    info.queue = weir__row_copy(at, row, 16, NULL);
    info.state = (weir_jobs_state)weir__row_number(row, 17);
    info.finished_ms = weir__row_number(row, 18);
    info.owner = weir__row_copy(at, row, 19, NULL);
    info.result = weir__row_copy(at, row, 20, &info.result_size);
    info.lease_ms = weir__row_number(row, 21);
    return info;
}

/* Read all rows into one block, linked, with what they point to behind them.
 * Returns it; NULL if there are none, or no memory. */
static weir_jobs_info *read_jobs(struct weir__op *op, struct weir__row row,
                                 size_t count)
{
    size_t bytes = sizeof(weir_jobs_info) * count;
    weir_jobs_info *jobs;
    char *at;

    if (count == 0)
        return NULL;
    for (row.row = 0; (size_t)row.row < count; row.row++)
        bytes += info_bytes(row) + weir__row_bytes(row, 16) +
                 weir__row_bytes(row, 19) + weir__row_bytes(row, 20);
    jobs = weir__op_alloc(op, bytes, "no memory for the jobs");
    if (jobs == NULL)
        return NULL;
    at = (char *)(jobs + count);
    for (row.row = 0; (size_t)row.row < count; row.row++)
        jobs[row.row] = read_job(row, &at);
    WEIR__OP_LINK(jobs, count);
    return jobs;
}

static void read_get(struct weir__op *op, struct weir__row row)
{
    const weir_jobs_info *job = read_jobs(op, row, 1);

    if (job == NULL)
        return;
    op->reply.job = job;
    op->reply.id = job->id;
}

static void read_list(struct weir__op *op, struct weir__row row)
{
    size_t count = (size_t)row.engine->pq.PQntuples(row.result);

    op->reply.jobs = read_jobs(op, row, count);
    op->reply.count = op->reply.jobs != NULL ? count : 0;
}

static void fill_queue(weir_jobs_queue *queue, struct weir__row row, char **at)
{
    *queue = (weir_jobs_queue){
        .name = weir__row_copy(at, row, 0, NULL),
        .is_paused = weir__row_number(row, 1) != 0,
        .concurrency = (uint32_t)weir__row_number(row, 2),
        .rate = (uint32_t)weir__row_number(row, 3),
        .rate_period_ms = weir__row_number(row, 4),
        .oldest_ms = weir__row_number(row, 5),
        .key_concurrency = (uint32_t)weir__row_number(row, 14),
        .key_rate = (uint32_t)weir__row_number(row, 15),
        .key_rate_period_ms = weir__row_number(row, 16),
    };
    for (int state = 0; state < WEIR_JOBS_STATES; state++)
        queue->jobs[state] = (uint64_t)weir__row_number(row, 6 + state);
}

static void read_look(struct weir__op *op, struct weir__row row)
{
    int count = row.engine->pq.PQntuples(row.result);
    size_t bytes = sizeof(weir_jobs_queue) * (size_t)count;
    weir_jobs_queue *queues;
    char *at;

    for (row.row = 0; row.row < count; row.row++)
        bytes += weir__row_bytes(row, 0);
    if (count == 0)
        return;
    queues = weir__op_alloc(op, bytes, "no memory for the queues");
    if (queues == NULL)
        return;
    at = (char *)(queues + count);
    for (row.row = 0; row.row < count; row.row++)
        fill_queue(&queues[row.row], row, &at);
    WEIR__OP_LINK(queues, (size_t)count);
    op->reply.queues = queues;
    op->reply.count = (uint64_t)count;
}

static void read_transfer(struct weir__op *op, struct weir__row row)
{
    size_t bytes = weir__row_bytes(row, 0);
    char *at = weir__op_alloc(op, bytes, "no memory for the answer");

    if (at == NULL)
        return;
    op->reply.text = weir__row_copy(&at, row, 0, NULL);
}

static void read_cancel(struct weir__op *op, struct weir__row row)
{
    if (weir__row_bytes(row, 0) == 0) {
        weir__op_fail(op, -ENOENT, "there is no such unfinished job");
        return;
    }
    op->reply.id = op->in.job.id;
    op->in.job.token = (uint64_t)weir__row_number(row, 0);
}

static void read_retry(struct weir__op *op, struct weir__row row)
{
    op->reply.count = (uint64_t)weir__row_number(row, 0);
    if (op->reply.count == 0 && op->in.job.id != 0)
        weir__op_fail(op, -ENOENT, "there is no such dead job");
}

static void read_lease(struct weir__op *op, struct weir__row row)
{
    if (weir__row_number(row, 0) == 0)
        weir__op_fail(op, WEIR_ELEASE,
                      "the lease has ended: another worker may have the job");
}

static void read_settle(struct weir__op *op, struct weir__row row)
{
    if (op->in.settle.outcome.kind == WEIR_JOBS_OUTCOME_ELSEWHERE)
        weir__op_settled_elsewhere(op, weir__row_number(row, 0) != 0);
    else
        read_lease(op, row);
}

void weir__ops_read(struct weir__engine *engine, struct weir__op *op,
                    const PGresult *result)
{
    struct weir__row row = {engine, result, 0};
    bool is_any = engine->pq.PQntuples(result) > 0;

    switch (op->kind) {
    case WEIR__OP_ADD:
        read_add(op, row);
        return;
    case WEIR__OP_CLAIM:
        read_claims(engine, &op->in.claim, result);
        return;
    case WEIR__OP_SETTLE:
        read_settle(op, row);
        return;
    case WEIR__OP_PROGRESS:
        read_lease(op, row);
        return;
    case WEIR__OP_LOOK:
        read_look(op, row);
        return;
    case WEIR__OP_TRANSFER:
        read_transfer(op, row);
        return;
    case WEIR__OP_GET:
        if (is_any)
            read_get(op, row);
        else
            weir__op_fail(op, -ENOENT, "there is no such job");
        return;
    case WEIR__OP_CANCEL:
        read_cancel(op, row);
        return;
    case WEIR__OP_RETRY:
        read_retry(op, row);
        return;
    case WEIR__OP_LIST:
        read_list(op, row);
        return;
    case WEIR__OP_SCHEDULE:
    case WEIR__OP_UNSCHEDULE:
    case WEIR__OP_PLANS:
        weir__schedule_read(op, row);
        return;
    default:
        return;
    }
}
