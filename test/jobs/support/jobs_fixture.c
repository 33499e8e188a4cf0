/* SPDX-License-Identifier: MIT */
/*
 * jobs_fixture -- see jobs_fixture.h.
 */
#include "jobs_fixture.h"

#include <sched.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "weir/clock.h"
#include "work/jobs.h"

weir_jobs *jobs;

static char place[] = "/tmp/weir-jobs-XXXXXX";

void place_make(void)
{
    expect(mkdtemp(place) != NULL);
    expect_int(chdir(place), 0);
}

void place_remove(void)
{
    char command[100];

    expect_int(chdir("/"), 0);
    snprintf(command, sizeof(command), "rm -rf %s", place);
    expect_int(system(command), 0);
}

const char *store_path(void)
{
    return is_on_server() ? getenv("WEIR_TEST_STORE") : "jobs.db";
}

bool is_on_server(void)
{
    return getenv("WEIR_TEST_STORE") != NULL;
}

static int64_t number_in_file(uint64_t id, const char *column)
{
    sqlite3 *db;
    sqlite3_stmt *row;
    int64_t number = -1;
    char sql[100];

    snprintf(sql, sizeof(sql), "SELECT %s FROM job WHERE id = %llu", column,
             (unsigned long long)id);
    expect_int(sqlite3_open("jobs.db", &db), SQLITE_OK);
    expect_int(sqlite3_prepare_v2(db, sql, -1, &row, NULL), SQLITE_OK);
    if (sqlite3_step(row) == SQLITE_ROW)
        number = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    sqlite3_close(db);
    return number;
}

static int64_t number_on_server(uint64_t id, const char *column)
{
    char command[200];
    long long number = -1;
    FILE *answer;

    snprintf(command, sizeof(command),
             "psql -qXAt \"$WEIR_TEST_STORE\" -c 'SELECT %s FROM "
             "weir_jobs.job WHERE id = %llu'",
             column, (unsigned long long)id);
    answer = popen(command, "r");
    expect(answer != NULL);
    if (fscanf(answer, "%lld", &number) != 1)
        number = -1;
    expect_int(pclose(answer), 0);
    return number;
}

int64_t stored_number(uint64_t id, const char *column)
{
    return is_on_server() ? number_on_server(id, column)
                          : number_in_file(id, column);
}

/* A store on a server is there for all cases, so its tables are removed. */
static void empty_store(void)
{
    if (!is_on_server())
        return;
    expect_int(system("psql -qX \"$WEIR_TEST_STORE\" -c 'SET "
                      "client_min_messages = error' -c 'DROP SCHEMA IF EXISTS "
                      "weir_jobs CASCADE' >/dev/null"),
               0);
}

void jobs_make_with(const weir_jobs_options *options)
{
    place_make();
    empty_store();
    expect_status(weir_clock_freeze(weir_clock_now()), 0);
    loop_make(NULL);
    expect_status(weir_jobs_open(&jobs, loop, store_path(), options), 0);
}

void jobs_make(void)
{
    jobs_make_with(NULL);
}

weir_jobs *jobs_open(const char *name)
{
    weir_jobs *other;

    expect_status(
        weir_jobs_open(&other, loop, store_path(),
                       &(weir_jobs_options){.size = sizeof(weir_jobs_options),
                                            .name = name}),
        0);
    return other;
}

void jobs_close(weir_jobs *other)
{
    struct answer answer = {0};

    expect_status(weir_jobs_close(other, answered, &answer), 0);
    await(&answer);
    expect_status(answer.status, 0);
    weir_jobs_free(other);
}

void jobs_end(void)
{
    jobs_close(jobs);
    loop_end();
    weir_clock_thaw();
    place_remove();
}

/* ---- answers ---- */

static void copy(char *to, size_t size, const void *from, size_t bytes)
{
    if (from == NULL)
        return;
    expect(bytes < size);
    memcpy(to, from, bytes);
    to[bytes] = '\0';
}

static void copy_text(char *to, size_t size, const char *from)
{
    if (from != NULL)
        copy(to, size, from, strlen(from));
}

static void copy_job(struct answer *answer, const weir_jobs_info *job)
{
    answer->job = *job;
    copy_text(answer->queue, sizeof(answer->queue), job->queue);
    copy_text(answer->key, sizeof(answer->key), job->key);
    copy_text(answer->why, sizeof(answer->why), job->reason);
    copy_text(answer->owner, sizeof(answer->owner), job->owner);
    copy(answer->payload, sizeof(answer->payload), job->payload,
         job->payload_size);
    copy(answer->result, sizeof(answer->result), job->result, job->result_size);
}

void answered(void *arg, int status, const weir_jobs_reply *reply)
{
    struct answer *answer = arg;
    unsigned i = 0;

    expect(!answer->is_here);
    answer->is_here = true;
    answer->status = status;
    answer->reply = *reply;
    copy_text(answer->reason, sizeof(answer->reason), reply->reason);
    if (reply->job != NULL)
        copy_job(answer, reply->job);
    for (const weir_jobs_queue *queue = reply->queues; queue != NULL;
         queue = queue->next, i++) {
        expect(i < 8);
        answer->queues[i] = *queue;
        copy_text(answer->names[i], sizeof(answer->names[i]), queue->name);
        answer->queues[i].name = answer->names[i];
    }
    for (const weir_jobs_holder *holder = reply->holders; holder != NULL;
         holder = holder->next, i++) {
        expect(i < 8);
        answer->holders[i] = *holder;
    }
    expect(i == 0 || i == reply->count);
}

void await(const struct answer *answer)
{
    while (!answer->is_here)
        expect(weir_loop_step(loop, SECOND_NS) >= 0);
}

void await_count(const unsigned *count, unsigned at)
{
    while (*count < at)
        expect(weir_loop_step(loop, SECOND_NS) >= 0);
}

uint64_t add(const weir_jobs_spec *spec)
{
    struct answer answer = {0};

    expect_status(weir_jobs_add(jobs, spec, answered, &answer), 0);
    await(&answer);
    expect_status(answer.status, 0);
    expect(answer.reply.id != 0);
    return answer.reply.id;
}

struct answer get(uint64_t id)
{
    struct answer answer = {0};

    expect_status(weir_jobs_get(jobs, id, answered, &answer), 0);
    await(&answer);
    return answer;
}

int state_of(uint64_t id)
{
    struct answer answer = get(id);

    return answer.status == 0 ? (int)answer.job.state : answer.status;
}

struct answer look(void)
{
    struct answer answer = {0};

    expect_status(weir_jobs_look(jobs, answered, &answer), 0);
    await(&answer);
    expect_status(answer.status, 0);
    return answer;
}

static void look_at(weir_jobs *at)
{
    struct answer answer = {0};

    expect_status(weir_jobs_look(at, answered, &answer), 0);
    await(&answer);
}

/* A call on a dispatcher's thread, at a moment when nothing is on its way to
 * the store.  A dispatcher that waits for a server sleeps, too, so the state of
 * its loop does not tell. */
struct visit {
    weir_task task;
    weir_jobs *at;
    int64_t advance_ns;
    atomic_bool is_over;
};

static void visit_idle(weir_task *task, int status)
{
    struct visit *visit = (struct visit *)task;
    struct weir__dispatcher *dispatcher = visit->at->dispatcher;

    expect_status(status, 0);
    if (dispatcher->is_running || dispatcher->is_scheduled ||
        dispatcher->is_renew_sent) {
        expect_status(weir_loop_post(dispatcher->loop, task), 0);
        return;
    }
    if (visit->advance_ns > 0)
        expect_status(weir_clock_advance(visit->advance_ns), 0);
    atomic_store(&visit->is_over, true);
}

static void visit_at_rest(weir_jobs *at, int64_t advance_ns)
{
    struct visit visit = {
        .task = {.run = visit_idle}, .at = at, .advance_ns = advance_ns};

    expect_status(weir_loop_post(at->dispatcher->loop, &visit.task), 0);
    while (!atomic_load(&visit.is_over))
        sched_yield();
}

/* A turn of a dispatcher receives the wake-up before its transaction, and the
 * dispatcher takes one more turn after it. */
void rest(weir_jobs *one, weir_jobs *two)
{
    for (int i = 0; i < 2; i++) {
        look_at(one);
        look_at(two);
    }
    visit_at_rest(one, 0);
    visit_at_rest(two, 0);
}

/* A transaction on its way to a server has a deadline, which must not pass in
 * this jump. */
void jump(weir_jobs *at, int64_t ms)
{
    visit_at_rest(at, ms * MILLISECOND_NS);
}

void pass(int64_t ms)
{
    (void)look(); /* what was asked before has begun */
    jump(jobs, ms);
    (void)look(); /* its timers have fired before it answers */
    (void)look(); /* and what they have begun is done */
}

/* ---- workers ---- */

static void count_ended(void *arg, int status, const weir_jobs_reply *reply)
{
    struct keeper *keeper = arg;

    expect_status(status, 0);
    keeper->ended++;
}

void keep(void *arg, weir_jobs_claim *claim)
{
    struct keeper *keeper = arg;

    expect(keeper->count < 64);
    keeper->claims[keeper->count++] = claim;
    if (keeper->is_settling)
        expect_status(weir_jobs_settle(claim, NULL, count_ended, keeper), 0);
}

void keeper_start(struct keeper *keeper, weir_jobs *in,
                  const weir_jobs_worker_options *options)
{
    weir_jobs_worker_options own = *options;

    own.run = keep;
    own.arg = keeper;
    expect_status(weir_jobs_work(in, &keeper->worker, &own), 0);
}

int settle(weir_jobs_claim *claim, const weir_jobs_outcome *outcome)
{
    struct answer answer = {0};

    expect_status(weir_jobs_settle(claim, outcome, answered, &answer), 0);
    await(&answer);
    return answer.status;
}
