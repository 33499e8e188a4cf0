/* SPDX-License-Identifier: MIT */
/*
 * list -- a list of ops is one transaction, in two groups of requests.
 *
 *     BEGIN, the ops, sync     one round trip, however many there are
 *     COMMIT, sync             when all results are known
 *
 * Runs      Schedules that are due come first (schedule.h), in a round trip of
 *           their own.
 * Lost      A connection that is lost before the COMMIT was sent has changed
 *           nothing: the list is run again on the next one.  So is a list that
 *           was the victim of a deadlock.
 * In doubt  After the COMMIT was sent, only the server knows.  Each list that
 *           changes the store writes its number to the row of its handle, in the
 *           table client.  The next connection asks for that row and its lock:
 *           if the transaction still exists, it holds the lock, and the answer
 *           comes when it has ended.  Its number is there, or the list is run
 *           again.  The question is an INSERT: a SELECT would not wait for the
 *           row that the first list of a handle inserts.  A number of the
 *           server's own, as that of the transaction, would not do: after a
 *           crash it is given to another one.
 * Deadline  A list that makes no progress for busy_ms fails.  If it is in doubt
 *           then, its status is -ETIMEDOUT, the only one with which a change may
 *           have happened.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "os/clock.h"
#include "postgres/schedule.h"
#include "weir/clock.h"
#include "weir/host/memory.h"

enum {
    DEADLINE_MORE_MS =
        1000,      /* than the time that the server waits for a lock */
    AGAIN_MS = 20, /* after a deadlock */
    VERSION = 1,
};

/* ---- the deadline ---- */

static void miss_deadline(void *arg, int status);

static void stop_timer(struct weir__engine *engine, weir_timer *timer)
{
    if (*timer != 0)
        (void)!weir_timer_cancel(engine->host->loop, *timer);
    *timer = 0;
}

static void start_deadline(struct weir__engine *engine)
{
    stop_timer(engine, &engine->deadline);
    if (weir_timer_start(engine->host->loop, &engine->deadline,
                         WEIR_MS(engine->host->busy_ms + DEADLINE_MORE_MS),
                         WEIR_TIMER_ONCE, miss_deadline, engine) != 0)
        engine->deadline = 0;
}

/* ---- the end ---- */

static void finish(struct weir__engine *engine)
{
    struct weir__op *first = engine->first;

    stop_timer(engine, &engine->deadline);
    stop_timer(engine, &engine->again);
    /* Those of a connection that was lost are others' by now. */
    weir__schedule_forget_runs(engine);
    engine->first = NULL;
    engine->phase = WEIR__LIST_NONE;
    engine->host->ran(engine->host, first);
}

static void finish_failed(struct weir__engine *engine)
{
    for (struct weir__op *op = engine->first; op != NULL; op = op->next)
        weir__op_undo(op, engine->status, engine->reason);
    finish(engine);
}

void weir__pg_fail(struct weir__engine *engine, int status, const char *reason)
{
    if (engine->status != 0)
        return;
    engine->status = status;
    snprintf(engine->reason, sizeof(engine->reason), "%s", reason);
}

static void miss_deadline(void *arg, int status)
{
    struct weir__engine *engine = arg;
    bool is_in_doubt =
        engine->is_changing && (engine->phase == WEIR__LIST_COMMITTING ||
                                engine->phase == WEIR__LIST_IN_DOUBT ||
                                engine->phase == WEIR__LIST_ASKING);

    engine->deadline = 0;
    if (status != 0)
        return;
    if (is_in_doubt) {
        engine->status = -ETIMEDOUT;
        snprintf(engine->reason, sizeof(engine->reason),
                 "the server has not answered a commit: it may have happened");
    } else {
        weir__pg_fail(engine, WEIR_ESTORE, "the server does not answer");
    }
    if (engine->work.is_up) /* what is on the way there must not come back */
        weir__link_restart(&engine->work);
    finish_failed(engine);
}

/* ---- sending ---- */

static bool add_step(struct weir__engine *engine,
                     enum weir__pg_statement statement, struct weir__op *op)
{
    size_t room = engine->step_room == 0 ? 64 : engine->step_room * 2;
    struct weir__step *larger;

    if (engine->step_count == engine->step_room) {
        larger = weir_memory_alloc(room * sizeof(*larger));
        if (larger == NULL) {
            weir__pg_fail(engine, -ENOMEM, "");
            return false;
        }
        if (engine->step_count > 0)
            memcpy(larger, engine->steps, engine->step_count * sizeof(*larger));
        weir_memory_free(engine->steps, engine->step_room * sizeof(*larger));
        engine->steps = larger;
        engine->step_room = room;
    }
    engine->steps[engine->step_count++] = (struct weir__step){statement, op};
    return true;
}

static void send_plain(struct weir__engine *engine,
                       enum weir__pg_statement statement)
{
    struct weir__params none = {0};

    if (add_step(engine, statement, NULL))
        weir__pg_send(engine, statement, &none);
}

static void send_start(struct weir__engine *engine)
{
    struct weir__params params = {0};

    weir__param_number(&params, VERSION);
    weir__param_text(&params, engine->is_changing ? engine->client : NULL);
    weir__param_number(&params, (int64_t)engine->number);
    weir__param_date(&params);
    if (add_step(engine, WEIR__PG_START, NULL))
        weir__pg_send(engine, WEIR__PG_START, &params);
}

static size_t quote(char *to, const char *name)
{
    size_t size = 0;

    to[size++] = '"';
    for (; *name != '\0'; name++) {
        if (*name == '"' || *name == '\\')
            to[size++] = '\\';
        to[size++] = *name;
    }
    to[size++] = '"';
    return size;
}

/* Write the queues of the claims of a list as an array.  A worker more than fit
 * is not worth memory: its queue is tidied by its next claim. */
static void write_queues(const struct weir__op *op, char *to, size_t room)
{
    size_t size = 0;

    to[size++] = '{';
    for (; op != NULL; op = op->next) {
        if (op->kind != WEIR__OP_CLAIM ||
            size + 2 * strlen(op->in.claim.queue) + 5 > room)
            continue;
        if (size > 1)
            to[size++] = ',';
        size += quote(to + size, op->in.claim.queue);
    }
    to[size++] = '}';
    to[size] = '\0';
}

static void send_tidy(struct weir__engine *engine, const struct weir__op *from)
{
    struct weir__params params = {0};
    char queues[8192];

    write_queues(from, queues, sizeof(queues));
    weir__param_text(&params, queues);
    if (add_step(engine, WEIR__PG_TIDY, NULL))
        weir__pg_send(engine, WEIR__PG_TIDY, &params);
}

static bool is_reading(const struct weir__op *op)
{
    return op->kind == WEIR__OP_GET || op->kind == WEIR__OP_LOOK ||
           op->kind == WEIR__OP_LIST || op->kind == WEIR__OP_PLANS ||
           op->kind == WEIR__OP_TICK;
}

/* Whether an op may leave something to be done for other jobs. */
static bool makes_work(const struct weir__op *op)
{
    return op->kind == WEIR__OP_ADD || op->kind == WEIR__OP_SETTLE ||
           op->kind == WEIR__OP_CANCEL || op->kind == WEIR__OP_RETRY ||
           op->kind == WEIR__OP_LIMIT;
}

static void send_op(struct weir__engine *engine, struct weir__op *op)
{
    struct weir__params params = {0};

    if (op->kind == WEIR__OP_TICK ||
        (op->kind == WEIR__OP_SCHEDULE && !weir__schedule_plan(engine, op)))
        return;
    if (!add_step(engine, weir__ops_send(engine, op), op) ||
        op->kind != WEIR__OP_CLAIM)
        return;
    weir__param_text(&params, op->in.claim.queue);
    if (add_step(engine, WEIR__PG_DUE, op))
        weir__pg_send(engine, WEIR__PG_DUE, &params);
}

static void send_runs(struct weir__engine *engine)
{
    for (size_t i = 0; i < engine->run_count; i++) {
        struct weir__params params = {0};

        weir__param_text(&params, engine->runs[i].queue);
        weir__param_text(&params, engine->runs[i].name);
        weir__param_number(&params, engine->runs[i].next_ms);
        if (add_step(engine, WEIR__PG_FIRE, NULL))
            weir__pg_send(engine, WEIR__PG_FIRE, &params);
    }
    weir__schedule_forget_runs(engine);
}

/* Send the runs that are due, and the ops. */
static void send_ops(struct weir__engine *engine)
{
    bool is_untidy = engine->run_count > 0, is_tidied = false;

    engine->phase = WEIR__LIST_RUNNING;
    send_runs(engine);
    for (struct weir__op *op = engine->first; op != NULL; op = op->next) {
        bool is_claim = op->kind == WEIR__OP_CLAIM;

        if ((is_untidy && (is_claim || is_reading(op))) ||
            (is_claim && !is_tidied)) {
            send_tidy(engine, op);
            is_untidy = false;
            is_tidied = true;
        }
        send_op(engine, op);
        is_untidy |= makes_work(op);
    }
    if (is_untidy)
        send_tidy(engine, NULL);
    weir__link_sync(&engine->work);
}

static void send_list(struct weir__engine *engine)
{
    engine->status = 0;
    engine->reason[0] = '\0';
    engine->is_passing = engine->is_due = false;
    engine->step_count = engine->step_at = 0;
    engine->sent_ms = weir__clock_uptime_us() / 1000;
    send_plain(engine, WEIR__PG_BEGIN);
    send_start(engine);
    if (!engine->is_firing) {
        send_ops(engine);
        return;
    }
    engine->phase = WEIR__LIST_STARTING;
    send_plain(engine, WEIR__PG_RUNS);
    weir__link_sync(&engine->work);
}

static void send_one(struct weir__engine *engine, int phase,
                     enum weir__pg_statement statement,
                     const struct weir__params *params)
{
    engine->phase = (unsigned)phase;
    engine->step_count = engine->step_at = 0;
    if (add_step(engine, statement, NULL))
        weir__pg_send(engine, statement, params);
    weir__link_sync(&engine->work);
}

static void ask(struct weir__engine *engine)
{
    struct weir__params params = {0};

    engine->status = 0;
    weir__param_text(&params, engine->client);
    send_one(engine, WEIR__LIST_ASKING, WEIR__PG_LAST_LIST, &params);
}

/* ---- running ---- */

static void forget_answers(struct weir__engine *engine)
{
    for (struct weir__op *op = engine->first; op != NULL; op = op->next)
        weir__op_undo(op, 0, "");
}

void weir__list_fail(struct weir__engine *engine, int status,
                     const char *reason)
{
    if (engine->phase != WEIR__LIST_WAITING)
        return;
    engine->status = 0;
    weir__pg_fail(engine, status, reason);
    finish_failed(engine);
}

void weir__list_stop(struct weir__engine *engine)
{
    stop_timer(engine, &engine->deadline);
    stop_timer(engine, &engine->again);
    weir_memory_free(engine->steps, engine->step_room * sizeof(*engine->steps));
    weir__schedule_forget_runs(engine);
}

void weir__list_run(struct weir__engine *engine, struct weir__op *first)
{
    engine->first = first;
    engine->number++;
    engine->is_changing = engine->is_firing = false;
    for (const struct weir__op *op = first; op != NULL; op = op->next) {
        engine->is_firing |=
            op->kind == WEIR__OP_SCHEDULE || op->kind == WEIR__OP_TICK;
        engine->is_changing |= !is_reading(op) || engine->is_firing;
    }
    engine->status = 0;
    engine->phase = WEIR__LIST_WAITING;
    start_deadline(engine);
    weir__list_connected(engine);
}

void weir__list_connected(struct weir__engine *engine)
{
    if (engine->setup != WEIR__SETUP_DONE || !engine->work.is_up)
        return;
    if (engine->phase == WEIR__LIST_WAITING)
        send_list(engine);
    else if (engine->phase == WEIR__LIST_IN_DOUBT)
        ask(engine);
}

void weir__list_lost(struct weir__engine *engine, const char *reason)
{
    switch (engine->phase) {
    case WEIR__LIST_NONE:
        return;
    case WEIR__LIST_COMMITTING:
    case WEIR__LIST_ASKING:
    case WEIR__LIST_IN_DOUBT:
        engine->phase =
            engine->is_changing ? WEIR__LIST_IN_DOUBT : WEIR__LIST_WAITING;
        break;
    default:
        engine->phase = WEIR__LIST_WAITING;
    }
    if (engine->phase == WEIR__LIST_WAITING) {
        forget_answers(engine);
        engine->status = 0; /* unless the deadline comes first */
        weir__pg_fail(engine, WEIR_ESTORE, reason);
    }
}

static void run_again(void *arg, int status)
{
    struct weir__engine *engine = arg;

    engine->again = 0;
    if (status == 0)
        weir__list_connected(engine);
}

/* ---- results ---- */

static bool is_good(const struct weir__engine *engine, const PGresult *result)
{
    ExecStatusType status = engine->pq.PQresultStatus(result);

    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

static void note_failure(struct weir__engine *engine, const PGresult *result)
{
    const char *code = engine->pq.PQresultErrorField(result, PG_DIAG_SQLSTATE);
    char reason[WEIR__OP_REASON_BYTES];

    if (engine->pq.PQresultStatus(result) == PGRES_PIPELINE_ABORTED ||
        engine->status != 0)
        return;
    weir__pg_fail(engine, weir__pg_status(engine, result, reason), reason);
    engine->is_passing = code != NULL && (strcmp(code, "40P01") == 0 ||
                                          strcmp(code, "40001") == 0);
}

static void read_step(struct weir__engine *engine,
                      const struct weir__step *step, const PGresult *result)
{
    switch (step->statement) {
    case WEIR__PG_START:
        engine->is_due = !engine->is_firing &&
                         weir__link_number(&engine->work, result, 0, 0, 0) != 0;
        return;
    case WEIR__PG_RUNS:
        weir__schedule_read_runs(engine, result);
        return;
    case WEIR__PG_DUE:
        weir__ops_read_due(engine, step->op, result);
        return;
    case WEIR__PG_LAST_LIST:
        engine->found = engine->pq.PQntuples(result) > 0
                            ? weir__link_number(&engine->work, result, 0, 0, -1)
                            : -1;
        return;
    default:
        if (step->op != NULL)
            weir__ops_read(engine, step->op, result);
    }
}

void weir__list_result(struct weir__engine *engine, PGresult *result)
{
    if (engine->step_at >= engine->step_count)
        return;
    if (is_good(engine, result) && engine->status == 0)
        read_step(engine, &engine->steps[engine->step_at], result);
    else
        note_failure(engine, result);
    engine->step_at++;
    if (engine->phase == WEIR__LIST_ASKING && engine->status != 0)
        return; /* a failed question is not progress */
    if (engine->deadline != 0 &&
        weir_timer_again(engine->host->loop, &engine->deadline,
                         WEIR_MS(engine->host->busy_ms + DEADLINE_MORE_MS)) !=
            0)
        engine->deadline = 0;
}

static void undone(struct weir__engine *engine)
{
    if (engine->status == 0) { /* it should have begun with the runs */
        forget_answers(engine);
        engine->is_firing = engine->is_changing = true;
        send_list(engine);
        return;
    }
    if (!engine->is_passing) {
        finish_failed(engine);
        return;
    }
    forget_answers(engine);
    engine->phase = WEIR__LIST_WAITING;
    if (weir_timer_start(engine->host->loop, &engine->again, WEIR_MS(AGAIN_MS),
                         WEIR_TIMER_ONCE, run_again, engine) != 0) {
        engine->again = 0;
        finish_failed(engine);
    }
}

/* The server knows how the commit has ended. */
static void told(struct weir__engine *engine)
{
    if (engine->status != 0) {
        weir__link_restart(&engine->work);
        engine->phase = WEIR__LIST_IN_DOUBT;
        engine->status = 0;
    } else if (engine->found == (int64_t)engine->number) {
        finish(engine);
    } else {
        forget_answers(engine);
        send_list(engine);
    }
}

void weir__list_synced(struct weir__engine *engine)
{
    static const struct weir__params none;

    switch (engine->phase) {
    case WEIR__LIST_STARTING:
        if (engine->status == 0)
            send_ops(engine);
        else
            send_one(engine, WEIR__LIST_UNDOING, WEIR__PG_ROLLBACK, &none);
        return;
    case WEIR__LIST_RUNNING:
        if (engine->status == 0 && !engine->is_due)
            send_one(engine, WEIR__LIST_COMMITTING, WEIR__PG_COMMIT, &none);
        else
            send_one(engine, WEIR__LIST_UNDOING, WEIR__PG_ROLLBACK, &none);
        return;
    case WEIR__LIST_COMMITTING:
        if (engine->status == 0)
            finish(engine);
        else /* the server has rolled it back, and says why */
            undone(engine);
        return;
    case WEIR__LIST_UNDOING:
        undone(engine);
        return;
    case WEIR__LIST_ASKING:
        told(engine);
        return;
    default:
        return;
    }
}
