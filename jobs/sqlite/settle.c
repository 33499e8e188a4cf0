/* SPDX-License-Identifier: MIT */
/*
 * settle -- how attempts end, and what ends them from outside.
 *
 * Every change is made by a statement that names the token and the state
 * RUNNING.  So a change with a stale token affects no row, and is refused.
 */
#include "sqlite/settle.h"

#include <errno.h>

#include "sqlite/place.h"
#include "time/backoff.h"

static void refuse(struct weir__op *op)
{
    weir__op_fail(op, WEIR_ELEASE,
                  "the lease has ended: another worker may have the job");
}

/* ---- attempts ---- */

static bool finish_done(struct weir__engine *engine,
                        const weir_jobs_claim *claim,
                        const weir_jobs_outcome *outcome)
{
    sqlite3_stmt *done =
        weir__sql(engine, claim->keep_ms == 0 ? WEIR__SQL_REMOVE_DONE
                                              : WEIR__SQL_KEEP_DONE);

    weir__bind_number(done, 1, (int64_t)claim->info.id);
    weir__bind_number(done, 2, (int64_t)claim->info.token);
    if (claim->keep_ms != 0) {
        weir__bind_bytes(done, 3, outcome->result, outcome->result_size);
        weir__bind_number(done, 4, engine->date_ms);
        if (claim->keep_ms > 0)
            weir__bind_number(done, 5, engine->date_ms + claim->keep_ms);
    }
    if (weir__sql_run(engine, done) == 0)
        return false;
    weir__place_next(engine, claim->info.queue, claim->info.key);
    weir__place_dependents(engine, (int64_t)claim->info.id);
    return true;
}

static uint64_t random_number(void)
{
    uint64_t number;

    sqlite3_randomness(sizeof(number), &number);
    return number;
}

bool weir__settle_failed(struct weir__engine *engine,
                         const struct weir__failed *failed)
{
    bool is_last = failed->is_final || failed->attempt >= failed->attempts;
    sqlite3_stmt *fail =
        weir__sql(engine, is_last ? WEIR__SQL_BURY : WEIR__SQL_FAIL);
    int64_t wait_ms =
        failed->delay_ms > 0
            ? failed->delay_ms
            : weir__backoff_ms(failed->backoff_ms, failed->backoff_max_ms,
                               failed->attempt, random_number());

    weir__bind_number(fail, 1, failed->id);
    weir__bind_number(fail, 2, failed->token);
    weir__bind_text(fail, 3, failed->reason);
    weir__bind_number(fail, 4, engine->date_ms + (is_last ? 0 : wait_ms));
    if (weir__sql_run(engine, fail) == 0)
        return false;
    if (is_last)
        weir__place_next(engine, failed->queue, failed->key);
    engine->is_changed = true;
    return true;
}

static bool finish_failed(struct weir__engine *engine,
                          const weir_jobs_claim *claim,
                          const weir_jobs_outcome *outcome)
{
    return weir__settle_failed(engine,
                               &(struct weir__failed){
                                   .id = (int64_t)claim->info.id,
                                   .token = (int64_t)claim->info.token,
                                   .queue = claim->info.queue,
                                   .key = claim->info.key,
                                   .attempt = claim->info.attempt,
                                   .attempts = claim->info.attempts,
                                   .backoff_ms = claim->backoff_ms,
                                   .backoff_max_ms = claim->backoff_max_ms,
                                   .reason = outcome->reason,
                                   .is_final = outcome->is_final,
                                   .delay_ms = outcome->delay_ms,
                               });
}

static bool give_back(struct weir__engine *engine, const weir_jobs_claim *claim,
                      const weir_jobs_outcome *outcome)
{
    sqlite3_stmt *release = weir__sql(engine, WEIR__SQL_RELEASE);
    bool is_later = outcome->delay_ms > 0;

    weir__bind_number(release, 1, (int64_t)claim->info.id);
    weir__bind_number(release, 2, (int64_t)claim->info.token);
    weir__bind_number(release, 3,
                      is_later ? WEIR_JOBS_SCHEDULED : WEIR_JOBS_READY);
    if (is_later)
        weir__bind_number(release, 4, engine->date_ms + outcome->delay_ms);
    weir__bind_text(release, 5, outcome->reason);
    return weir__sql_run(engine, release) > 0;
}

void weir__store_settle(struct weir__engine *engine, struct weir__op *op)
{
    const weir_jobs_claim *claim = op->in.settle.claim;
    const weir_jobs_outcome *outcome = &op->in.settle.outcome;
    bool is_settled;

    if (outcome->kind == WEIR_JOBS_OUTCOME_ELSEWHERE) {
        weir_jobs_outcome failed = {.reason = WEIR__OP_NOT_ELSEWHERE};

        weir__op_settled_elsewhere(op, finish_failed(engine, claim, &failed));
        return;
    }
    if (outcome->kind == WEIR_JOBS_OUTCOME_DONE)
        is_settled = finish_done(engine, claim, outcome);
    else if (outcome->kind == WEIR_JOBS_OUTCOME_FAILED)
        is_settled = finish_failed(engine, claim, outcome);
    else
        is_settled = give_back(engine, claim, outcome);
    if (is_settled)
        engine->is_changed = true;
    else
        refuse(op);
}

void weir__store_renew(struct weir__engine *engine, struct weir__op *op)
{
    for (uint32_t i = 0; i < op->in.renew.count; i++) {
        struct weir__renewal *row = &op->in.renew.rows[i];
        sqlite3_stmt *renew = weir__sql(engine, WEIR__SQL_RENEW);

        row->until_ms = engine->uptime_us / 1000 + row->lease_ms;
        weir__bind_number(renew, 1, (int64_t)row->id);
        weir__bind_number(renew, 2, (int64_t)row->token);
        weir__bind_number(renew, 3, row->until_ms);
        row->is_lost = weir__sql_run(engine, renew) == 0;
    }
}

void weir__store_progress(struct weir__engine *engine, struct weir__op *op)
{
    const weir_jobs_claim *claim = op->in.progress.claim;
    sqlite3_stmt *set = weir__sql(engine, WEIR__SQL_PROGRESS);

    weir__bind_number(set, 1, (int64_t)claim->info.id);
    weir__bind_number(set, 2, (int64_t)claim->info.token);
    if (set != NULL)
        (void)sqlite3_bind_double(set, 3, op->in.progress.progress);
    if (weir__sql_run(engine, set) == 0)
        refuse(op);
}

/* ---- from outside ---- */

static int64_t token_of(struct weir__engine *engine, int64_t id)
{
    sqlite3_stmt *find = weir__sql(engine, WEIR__SQL_PLACE_OF);
    int64_t token = 0;

    weir__bind_number(find, 1, id);
    while (weir__sql_next(engine, find))
        if (sqlite3_column_int(find, 3) == WEIR_JOBS_RUNNING)
            token = sqlite3_column_int64(find, 5);
    return token;
}

void weir__store_cancel(struct weir__engine *engine, struct weir__op *op)
{
    int64_t id = (int64_t)op->in.job.id;

    op->in.job.token = (uint64_t)token_of(engine, id);
    if (weir__place_cancel(engine, id)) {
        op->reply.id = op->in.job.id;
        engine->is_changed = true;
    } else {
        op->in.job.token = 0;
        weir__op_fail(op, -ENOENT, "there is no such unfinished job");
    }
}

/* A dead job stays dead while another one with its `unique` is not finished. */
static bool retry(struct weir__engine *engine, int64_t id)
{
    sqlite3_stmt *set = weir__sql(engine, WEIR__SQL_RETRY);

    weir__bind_number(set, 1, id);
    weir__bind_number(set, 2, engine->date_ms);
    if (weir__sql_run(engine, set) == 0)
        return false;
    weir__place_job(engine, id);
    return true;
}

static uint64_t retry_all(struct weir__engine *engine, const char *queue)
{
    uint64_t count = 0;
    int64_t id = 0;

    do {
        sqlite3_stmt *find = weir__sql(engine, WEIR__SQL_DEAD);

        weir__bind_text(find, 1, queue);
        weir__bind_number(find, 2, id);
        id = weir__sql_number(engine, find, 0);
        count += id != 0 && retry(engine, id);
    } while (id != 0);
    return count;
}

void weir__store_retry(struct weir__engine *engine, struct weir__op *op)
{
    if (op->in.job.id == 0)
        op->reply.count = retry_all(engine, op->in.job.queue);
    else
        op->reply.count = retry(engine, (int64_t)op->in.job.id);
    if (op->reply.count > 0)
        engine->is_changed = true;
    else if (op->in.job.id != 0)
        weir__op_fail(op, -ENOENT, "there is no such dead job");
}
