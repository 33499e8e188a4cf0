/* SPDX-License-Identifier: MIT */
/*
 * look -- jobs and queues for people, and the settings of queues.
 *
 * An answer lives in one block of memory: the rows, and behind them what they
 * point to.
 */
#include <errno.h>
#include <string.h>

#include "sqlite/pace.h"
#include "sqlite/place.h"
#include "weir/host/memory.h"

/* ---- jobs ---- */

static size_t bytes_of(sqlite3_stmt *row, int column)
{
    if (sqlite3_column_type(row, column) == SQLITE_NULL)
        return 0;
    return (size_t)sqlite3_column_bytes(row, column) + 1;
}

/* Copy a column, which becomes a string or bytes with a 0 behind them. */
static const char *copy_column(char **at, sqlite3_stmt *row, int column,
                               size_t *size)
{
    size_t bytes = bytes_of(row, column);
    char *copy = *at;

    if (bytes == 0)
        return NULL;
    if (bytes > 1)
        memcpy(copy, sqlite3_column_blob(row, column), bytes - 1);
    copy[bytes - 1] = '\0';
    *at += bytes;
    if (size != NULL)
        *size = bytes - 1;
    return copy;
}

static size_t row_bytes(sqlite3_stmt *row)
{
    static const int texts[] = {11, 12, 13, 14, 15, 19, 20};
    size_t bytes = sizeof(weir_jobs_info);

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        bytes += bytes_of(row, texts[i]);
    return bytes;
}

static int64_t lease_left_ms(const struct weir__engine *engine,
                             sqlite3_stmt *row)
{
    int64_t left_ms = sqlite3_column_int64(row, 21) - engine->uptime_us / 1000;

    return sqlite3_column_int(row, 17) == WEIR_JOBS_RUNNING && left_ms > 0
               ? left_ms
               : 0;
}

/* What the row points to goes to *at. */
static void fill_info(const struct weir__engine *engine, weir_jobs_info *info,
                      char **at, sqlite3_stmt *row)
{
    *info = (weir_jobs_info){
        .id = (uint64_t)sqlite3_column_int64(row, 0),
        .attempt = (uint32_t)sqlite3_column_int(row, 1),
        .attempts = (uint32_t)sqlite3_column_int(row, 2),
        .priority = sqlite3_column_int(row, 3),
        .progress = sqlite3_column_double(row, 4),
        .added_ms = sqlite3_column_int64(row, 5),
        .run_at_ms = sqlite3_column_int64(row, 6),
        .timeout_ms = sqlite3_column_int64(row, 7),
        .token = (uint64_t)sqlite3_column_int64(row, 16),
        .state = (weir_jobs_state)sqlite3_column_int(row, 17),
        .finished_ms = sqlite3_column_int64(row, 18),
        .lease_ms = lease_left_ms(engine, row),
    };
    info->key = copy_column(at, row, 11, NULL);
    info->unique = copy_column(at, row, 12, NULL);
    info->reason = copy_column(at, row, 13, NULL);
    info->payload = copy_column(at, row, 14, &info->payload_size);
    info->queue = copy_column(at, row, 15, NULL);
    info->owner = copy_column(at, row, 19, NULL);
    info->result = copy_column(at, row, 20, &info->result_size);
}

void weir__store_get(struct weir__engine *engine, struct weir__op *op)
{
    sqlite3_stmt *row = weir__sql(engine, WEIR__SQL_GET);
    weir_jobs_info *job;
    char *at;

    weir__bind_number(row, 1, (int64_t)op->in.job.id);
    if (!weir__sql_next(engine, row)) {
        weir__op_fail(op, -ENOENT, "there is no such job");
        return;
    }
    job = weir__op_alloc(op, row_bytes(row), "no memory for the job");
    if (job != NULL) {
        at = (char *)(job + 1);
        fill_info(engine, job, &at, row);
        op->reply.job = job;
        op->reply.id = op->in.job.id;
    }
    weir__sql_end(row);
}

static sqlite3_stmt *begin_list(struct weir__engine *engine,
                                const struct weir__op *op)
{
    sqlite3_stmt *list = weir__sql(engine, WEIR__SQL_LIST);

    weir__bind_text(list, 1, op->in.list.queue);
    weir__bind_number(list, 2, op->in.list.state);
    weir__bind_number(list, 3, (int64_t)op->in.list.after);
    weir__bind_number(list, 4, op->in.list.most);
    return list;
}

/* Twice: first to count, and then to fill one block. */
void weir__store_list(struct weir__engine *engine, struct weir__op *op)
{
    sqlite3_stmt *list = begin_list(engine, op);
    size_t bytes = 0, count = 0, i = 0;
    weir_jobs_info *rows;
    char *at;

    for (; weir__sql_next(engine, list); count++)
        bytes += row_bytes(list);
    if (count == 0)
        return;
    rows = weir__op_alloc(op, bytes, "no memory for the jobs");
    if (rows == NULL)
        return;
    at = (char *)(rows + count);
    list = begin_list(engine, op);
    while (weir__sql_next(engine, list))
        fill_info(engine, &rows[i++], &at, list);
    WEIR__OP_LINK(rows, i);
    op->reply.jobs = i > 0 ? rows : NULL;
    op->reply.count = i;
}

/* ---- queues ---- */

/* Rows grow from the front of the block, names from its end. */
struct rows {
    weir_jobs_queue *rows;
    size_t count, bytes, room;
};

static bool reserve(struct rows *rows, size_t name_bytes)
{
    size_t room = rows->room == 0 ? 4096 : rows->room * 2;
    weir_jobs_queue *larger;
    char *names;

    if (sizeof(*rows->rows) * (rows->count + 1) + rows->bytes + name_bytes <=
        rows->room)
        return true;
    larger = weir_memory_alloc(room);
    if (larger == NULL)
        return false;
    names = (char *)larger + room - rows->bytes;
    if (rows->rows != NULL) {
        const char *old = (char *)rows->rows + rows->room - rows->bytes;

        memcpy(larger, rows->rows, sizeof(*larger) * rows->count);
        memcpy(names, old, rows->bytes);
        for (size_t i = 0; i < rows->count; i++)
            larger[i].name = names + (larger[i].name - old);
    }
    weir_memory_free(rows->rows, rows->room);
    rows->rows = larger;
    rows->room = room;
    return true;
}

static bool push_row(struct rows *rows, sqlite3_stmt *from)
{
    const char *name = (const char *)sqlite3_column_text(from, 0);
    size_t bytes = name != NULL ? strlen(name) + 1 : 0;
    char *copy;

    if (bytes == 0 || !reserve(rows, bytes))
        return false;
    rows->bytes += bytes;
    copy = (char *)rows->rows + rows->room - rows->bytes;
    memcpy(copy, name, bytes);
    rows->rows[rows->count++] = (weir_jobs_queue){
        .name = copy,
        .is_paused = sqlite3_column_int(from, 1) != 0,
        .concurrency = (uint32_t)sqlite3_column_int64(from, 2),
        .rate = (uint32_t)sqlite3_column_int64(from, 3),
        .rate_period_ms = sqlite3_column_int64(from, 4),
        .key_concurrency = (uint32_t)sqlite3_column_int64(from, 5),
        .key_rate = (uint32_t)sqlite3_column_int64(from, 6),
        .key_rate_period_ms = sqlite3_column_int64(from, 7),
    };
    return true;
}

/* One look at the whole table, which is as quick as eight at its indexes. */
static void count_jobs(struct weir__engine *engine, weir_jobs_queue *queue)
{
    sqlite3_stmt *count = weir__sql(engine, WEIR__SQL_COUNT);

    weir__bind_text(count, 1, queue->name);
    while (weir__sql_next(engine, count)) {
        for (int state = 0; state < WEIR_JOBS_STATES; state++)
            queue->jobs[state] = (uint64_t)sqlite3_column_int64(count, state);
        queue->oldest_ms = sqlite3_column_int64(count, WEIR_JOBS_STATES);
    }
}

void weir__store_look(struct weir__engine *engine, struct weir__op *op)
{
    sqlite3_stmt *queues = weir__sql(engine, WEIR__SQL_QUEUES);
    struct rows rows = {0};

    while (weir__sql_next(engine, queues))
        if (!push_row(&rows, queues)) {
            weir__sql_end(queues);
            weir__op_fail(op, -ENOMEM, "no memory for the queues");
            break;
        }
    for (size_t i = 0; i < rows.count; i++)
        count_jobs(engine, &rows.rows[i]);
    WEIR__OP_LINK(rows.rows, rows.count);
    op->extra = rows.rows;
    op->extra_bytes = rows.room;
    op->reply.queues = rows.rows;
    op->reply.count = rows.count;
}

void weir__store_limit(struct weir__engine *engine, struct weir__op *op)
{
    const weir_jobs_limits *limits = &op->in.queue.limits;
    sqlite3_stmt *set = weir__sql(engine, WEIR__SQL_LIMIT);

    weir__bind_text(set, 1, op->in.queue.name);
    weir__bind_number(set, 2, limits->concurrency);
    weir__bind_number(set, 3, limits->rate);
    weir__bind_number(set, 4, limits->rate_period_ms);
    weir__bind_number(set, 5, limits->key_concurrency);
    weir__bind_number(set, 6, limits->key_rate);
    weir__bind_number(set, 7, limits->key_rate_period_ms);
    (void)weir__sql_run(engine, set);
    if (limits->key_rate == 0)
        weir__pace_end(engine, op->in.queue.name);
    weir__place_all_next(engine, op->in.queue.name);
    engine->is_changed = true;
}

void weir__store_pause(struct weir__engine *engine, struct weir__op *op)
{
    sqlite3_stmt *set = weir__sql(engine, WEIR__SQL_PAUSE);

    weir__bind_text(set, 1, op->in.queue.name);
    weir__bind_number(set, 2, op->in.queue.is_paused);
    (void)weir__sql_run(engine, set);
    engine->is_changed = true;
}
