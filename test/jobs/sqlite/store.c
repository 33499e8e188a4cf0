/* SPDX-License-Identifier: MIT */
/*
 * store -- files that are not stores, disks that are full, power that is lost.
 */
#include "sqlite/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jobs/support/forgetful.h"
#include "jobs/support/jobs_fixture.h"
#include "os/clock.h"
#include "sqlite/schema.h"

struct opened {
    unsigned count;
    int status;
    char reason[200];
};

static void opened(void *arg, weir_jobs *in, int status, const char *reason)
{
    struct opened *to = arg;

    to->status = status;
    snprintf(to->reason, sizeof(to->reason), "%s", reason);
    to->count++;
}

/* Try to open a store.  A request gets the same error. */
static struct opened try_open(const char *path)
{
    struct opened result = {0};
    struct answer answer = {0};
    weir_jobs *made;

    expect_status(
        weir_jobs_open(&made, loop, path,
                       &(weir_jobs_options){.size = sizeof(weir_jobs_options),
                                            .arg = &result,
                                            .opened = opened}),
        0);
    expect_status(weir_jobs_look(made, answered, &answer), 0);
    await(&answer);
    expect_int(result.count, 1);
    expect_status(answer.status, result.status);
    weir_jobs_free(made);
    return result;
}

static void run_sql(const char *path, const char *sql)
{
    sqlite3 *db;

    expect_int(sqlite3_open(path, &db), SQLITE_OK);
    expect_int(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void write_bytes(const char *path, const char *bytes, int64_t at)
{
    int fd = open(path, O_WRONLY | O_CREAT, 0666);

    expect(fd >= 0);
    expect(pwrite(fd, bytes, strlen(bytes), at) == (ssize_t)strlen(bytes));
    expect_int(close(fd), 0);
}

static uint64_t hash_file(const char *path)
{
    FILE *file = fopen(path, "r");
    uint64_t hash = 14695981039346656037u;
    int c;

    expect(file != NULL);
    while ((c = getc(file)) != EOF)
        hash = (hash ^ (uint64_t)c) * 1099511628211u;
    fclose(file);
    return hash;
}

/* ---- files that are not stores ---- */

CASE(store_is_not_opened_if_it_is_another_file)
{
    struct opened result;
    uint64_t before;

    place_make();
    loop_make(NULL);
    write_bytes("text", "This is certainly not a database, is it? ", 0);
    write_bytes("text", "It goes on for long enough to be read as one.....",
                41);
    before = hash_file("text");
    result = try_open("text");
    expect_status(result.status, WEIR_ESTORE);
    expect(strstr(result.reason, "not a database") != NULL);
    expect(hash_file("text") == before);
    loop_end();
    place_remove();
}

CASE(store_is_not_opened_if_it_is_a_database_of_another_program)
{
    struct opened result;
    uint64_t before;

    place_make();
    loop_make(NULL);
    run_sql("other.db", "CREATE TABLE t (x); INSERT INTO t VALUES (1)");
    before = hash_file("other.db");
    result = try_open("other.db");
    expect_status(result.status, WEIR_ESTORE);
    expect(strstr(result.reason, "another program") != NULL);
    expect(hash_file("other.db") == before);
    loop_end();
    place_remove();
}

CASE(store_of_a_newer_version_is_refused_and_left_alone)
{
    struct opened result;
    uint64_t before;

    jobs_make();
    jobs_close(jobs);
    run_sql("jobs.db", "PRAGMA user_version = 1000");
    before = hash_file("jobs.db");
    result = try_open("jobs.db");
    expect_status(result.status, WEIR_ESCHEMA);
    expect(hash_file("jobs.db") == before);
    loop_end();
    place_remove();
}

CASE(store_that_is_migrated_by_a_newer_program_is_refused_from_then_on)
{
    struct answer answer = {0};

    jobs_make();
    (void)add(SPEC("q"));
    run_sql("jobs.db", "PRAGMA user_version = 1000");
    expect_status(weir_jobs_add(jobs, SPEC("q"), answered, &answer), 0);
    await(&answer);
    expect_status(answer.status, WEIR_ESCHEMA);
    jobs_end();
}

/* Another process waits for the lock while a move has it, and gets it next. */
CASE(store_that_moves_while_it_is_opened_is_refused_and_left_alone)
{
    sqlite3_stmt *boot;
    sqlite3 *db;

    jobs_make();
    jobs_close(jobs);
    expect_int(sqlite3_open("jobs.db", &db), SQLITE_OK);
    expect_int(weir__schema_prepare(db), SQLITE_OK);
    run_sql("jobs.db", "UPDATE store SET boot = 'its place';"
                       "PRAGMA user_version = 1000003");
    expect_int(weir__schema_note_boot(db, "this boot"), SQLITE_SCHEMA);
    expect(sqlite3_get_autocommit(db) != 0);
    expect_int(
        sqlite3_prepare_v2(db, "SELECT boot FROM store", -1, &boot, NULL),
        SQLITE_OK);
    expect_int(sqlite3_step(boot), SQLITE_ROW);
    expect_string((const char *)sqlite3_column_text(boot, 0), "its place");
    sqlite3_finalize(boot);
    sqlite3_close(db);
    loop_end();
    place_remove();
}

/* What weir wrote before schedules: the text of version 1 must not change. */
static const char version_1[] =
    "PRAGMA journal_mode = WAL;"
    "CREATE TABLE store (one INTEGER PRIMARY KEY CHECK (one = 1),"
    " last_token INTEGER NOT NULL, boot TEXT NOT NULL) STRICT;"
    "INSERT INTO store VALUES (1, 41, 'an earlier boot');"
    "CREATE TABLE queue (name TEXT PRIMARY KEY,"
    " is_paused INTEGER NOT NULL DEFAULT 0,"
    " concurrency INTEGER NOT NULL DEFAULT 0,"
    " rate INTEGER NOT NULL DEFAULT 0,"
    " rate_period_ms INTEGER NOT NULL DEFAULT 1000,"
    " rate_at_us INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;"
    "INSERT INTO queue (name, concurrency) VALUES ('q', 7);"
    "CREATE TABLE job (id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " queue TEXT NOT NULL, state INTEGER NOT NULL, priority INTEGER NOT NULL,"
    " run_at INTEGER NOT NULL, attempt INTEGER NOT NULL DEFAULT 0,"
    " attempts INTEGER NOT NULL, token INTEGER NOT NULL DEFAULT 0,"
    " lease_until INTEGER NOT NULL DEFAULT 0, owner TEXT, key TEXT,"
    " \"unique\" TEXT, waits INTEGER NOT NULL DEFAULT 0,"
    " backoff_ms INTEGER NOT NULL, backoff_max_ms INTEGER NOT NULL,"
    " timeout_ms INTEGER NOT NULL, keep_ms INTEGER NOT NULL,"
    " progress REAL NOT NULL DEFAULT 0, added_at INTEGER NOT NULL,"
    " finished_at INTEGER NOT NULL DEFAULT 0, expires_at INTEGER, reason TEXT,"
    " result BLOB, payload BLOB NOT NULL) STRICT;"
    "CREATE INDEX job_ready ON job (queue, priority DESC, run_at)"
    " WHERE state = 0;"
    "CREATE INDEX job_running ON job (queue, lease_until) WHERE state = 1;"
    "CREATE INDEX job_due ON job (queue, run_at) WHERE state = 2;"
    "CREATE INDEX job_key ON job (queue, key, state)"
    " WHERE key IS NOT NULL AND state < 5;"
    "CREATE UNIQUE INDEX job_unique ON job (queue, \"unique\")"
    " WHERE \"unique\" IS NOT NULL AND state < 5;"
    "CREATE INDEX job_dead ON job (queue) WHERE state = 6;"
    "CREATE INDEX job_expiry ON job (expires_at)"
    " WHERE expires_at IS NOT NULL;"
    "CREATE TABLE dependency (needs INTEGER NOT NULL, job INTEGER NOT NULL,"
    " PRIMARY KEY (needs, job)) STRICT, WITHOUT ROWID;"
    /* One is ready, one was running, one is behind it, one is dead. */
    "INSERT INTO job (queue, state, priority, run_at, attempts, key, token,"
    " attempt, backoff_ms, backoff_max_ms, timeout_ms, keep_ms, added_at,"
    " reason, payload) VALUES"
    " ('q', 0, 0, 1, 3, NULL, 0, 0, 1, 1, 0, -1, 1, NULL, x'61'),"
    " ('q', 1, 0, 1, 3, 'k', 41, 1, 1, 1, 0, -1, 1, NULL, x'62'),"
    " ('q', 3, 0, 1, 3, 'k', 0, 0, 1, 1, 0, -1, 1, NULL, x'63'),"
    " ('q', 6, 0, 1, 3, NULL, 40, 3, 1, 1, 0, -1, 1, 'no', x'64');"
    "PRAGMA application_id = 0x77656972; PRAGMA user_version = 1";

static int64_t read_version(const char *path)
{
    sqlite3_stmt *statement;
    int64_t version;
    sqlite3 *db;

    expect_int(sqlite3_open(path, &db), SQLITE_OK);
    expect_int(
        sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &statement, NULL),
        SQLITE_OK);
    expect_int(sqlite3_step(statement), SQLITE_ROW);
    version = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return version;
}

CASE(store_of_an_older_version_is_migrated_with_its_jobs)
{
    struct keeper keeper = {.is_settling = true};
    struct answer answer = {0};

    place_make();
    run_sql("jobs.db", version_1);
    expect_status(weir_clock_freeze(weir_clock_now()), 0);
    loop_make(NULL);
    jobs = jobs_open("newer");
    expect_string(get(4).why, "no");
    expect_int((int)look().queues[0].concurrency, 7);
    expect_int((int)look().queues[0].key_concurrency, 1);
    expect_int((int)add(SPEC("q", .key = "k", .keep_ms = -1)),
               5); /* ids go on */
    expect_status(weir_jobs_retry(jobs, 4, NULL, answered, &answer), 0);
    await(&answer);
    expect_status(answer.status, 0);
    keeper_start(&keeper, jobs, WORKER("q", .concurrency = 4));
    await_count(&keeper.ended, 2);
    pass(1000); /* the back-off of the one whose process died */
    await_count(&keeper.ended, 5);
    for (unsigned i = 0; i < keeper.count; i++)
        expect(get(i + 1).job.token > 41 && state_of(i + 1) == WEIR_JOBS_DONE);
    jobs_end();
}

CASE(store_that_cannot_be_migrated_stays_as_it_was)
{
    struct opened result;

    place_make();
    run_sql("jobs.db", version_1);
    run_sql("jobs.db", "CREATE TABLE schedule (x)"); /* in the way */
    loop_make(NULL);
    result = try_open("jobs.db");
    expect_status(result.status, WEIR_ESTORE);
    expect_int((int)read_version("jobs.db"), 1);
    run_sql("jobs.db", "DROP TABLE schedule");
    expect_status(try_open("jobs.db").status, 0);
    expect_int((int)read_version("jobs.db"), WEIR__SCHEMA_VERSION);
    loop_end();
    place_remove();
}

/* The statements that may look at the whole table: people ask for them. */
static bool reads_all(enum weir__statement statement)
{
    return statement == WEIR__SQL_COUNT || statement == WEIR__SQL_QUEUES ||
           statement == WEIR__SQL_LIST;
}

static void expect_index(sqlite3 *db, enum weir__statement statement,
                         const char *text)
{
    char *explain = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", text);
    sqlite3_stmt *plan;

    expect_int(sqlite3_prepare_v2(db, explain, -1, &plan, NULL), SQLITE_OK);
    while (sqlite3_step(plan) == SQLITE_ROW) {
        const char *step = (const char *)sqlite3_column_text(plan, 3);

        if (strncmp(step, "SCAN job", 8) == 0 && !reads_all(statement) &&
            strstr(step, "INDEX job_expiry") == NULL)
            expect_string(text, "a statement that uses an index");
        /* All three columns: a key may have a million jobs behind it. */
        if (strstr(step, "INDEX job_key") != NULL &&
            statement != WEIR__SQL_NEXT_KEY)
            expect(strstr(step, "AND state") != NULL);
        if (statement == WEIR__SQL_FIRST_OF_KEY)
            expect(strstr(step, "state=?") != NULL);
    }
    sqlite3_finalize(plan);
    sqlite3_free(explain);
}

CASE(store_statements_use_indexes)
{
    static const char *const texts[] = {
#define X(name, text) text,
        WEIR__STATEMENTS(X)
#undef X
    };
    sqlite3 *db;

    place_make();
    expect_int(sqlite3_open("jobs.db", &db), SQLITE_OK);
    expect_int(weir__schema_prepare(db), SQLITE_OK);
    for (int i = 0; i < WEIR__STATEMENT_COUNT; i++)
        expect_index(db, (enum weir__statement)i, texts[i]);
    sqlite3_close(db);
    place_remove();
}

static off_t size_of(const char *path)
{
    struct stat stats;

    expect_int(stat(path, &stats), 0);
    return stats.st_size;
}

CASE(store_log_grows_by_many_commits_at_a_time_and_is_used_again)
{
    unsigned grown = 0;
    off_t last = 0;

    jobs_make();
    for (int i = 0; i < 500; i++) { /* of three pages or more each */
        (void)add(SPEC("q"));
        grown += size_of("jobs.db-wal") != last;
        last = size_of("jobs.db-wal");
    }
    expect(grown > 10 && grown < 40);
    expect(last < 6 << 20); /* SQLite has begun again after 1,000 pages */
    expect_int((int)look().queues[0].jobs[WEIR_JOBS_READY], 500);
    jobs_end();
}

CASE(store_in_a_missing_directory_cannot_be_opened)
{
    place_make();
    loop_make(NULL);
    expect_status(try_open("missing/jobs.db").status, -ENOENT);
    expect_int(mkdir("directory", 0777), 0);
    expect(try_open("directory").status != 0);
    loop_end();
    place_remove();
}

CASE(store_with_a_url_that_lacks_its_slashes_is_no_file)
{
    static const char *const urls[] = {"postgres:me:secret@host",
                                       "postgresql:me:secret@host",
                                       "Postgres://me:secret@host"};

    place_make();
    loop_make(NULL);
    for (size_t i = 0; i < sizeof(urls) / sizeof(*urls); i++) {
        struct opened result = try_open(urls[i]);

        expect(result.status == -EINVAL || result.status == -ENOSYS);
        expect(strstr(result.reason, "secret") == NULL);
        expect_int(access(urls[i], F_OK), -1);
    }
    loop_end();
    place_remove();
}

CASE(store_whose_wakeup_file_is_a_link_is_refused)
{
    struct opened result;
    struct stat other;

    place_make();
    loop_make(NULL);
    write_bytes("other", "", 0);
    expect_int(symlink("other", "jobs.db-wakeup"), 0);
    result = try_open("jobs.db");
    expect_status(result.status, -ELOOP);
    expect_int(stat("other", &other), 0);
    expect_int((int)other.st_size, 0);
    loop_end();
    place_remove();
}

CASE(store_in_memory_leaves_no_file_behind)
{
    place_make();
    loop_make(NULL);
    expect_status(try_open(":memory:").status, 0);
    expect_int(access("-wakeup", F_OK), -1);
    loop_end();
    place_remove();
}

/* Pages in the middle of the file are overwritten, with the handle closed. */
CASE(store_that_is_damaged_fails_with_a_reason_and_is_not_overwritten)
{
    struct answer answer = {0};
    struct stat before, after;
    char payload[3000] = "x";

    jobs_make();
    for (int i = 0; i < 30; i++)
        (void)add(
            SPEC("q", .payload = payload, .payload_size = sizeof(payload)));
    jobs_close(jobs);
    expect_int(stat("jobs.db", &before), 0);
    for (int64_t page = 1; page * 4096 < before.st_size; page++)
        write_bytes("jobs.db", "\xde\xad\xbe\xef\xde\xad\xbe\xef", page * 4096);
    expect_status(weir_jobs_open(&jobs, loop, "jobs.db", NULL), 0);
    expect_status(weir_jobs_look(jobs, answered, &answer), 0);
    await(&answer);
    expect_status(answer.status, WEIR_ESTORE);
    expect(strstr(answer.reason, "malformed") != NULL);
    expect_int(stat("jobs.db", &after), 0);
    expect(after.st_size == before.st_size);
    jobs_end();
}

/* ---- full disks ---- */

static void ignore_event(void *arg, weir_jobs *in, const weir_jobs_event *event)
{
    ++*(unsigned *)arg;
}

static void make_forgetful(unsigned *events)
{
    place_make();
    forgetful_register();
    loop_make(NULL);
    expect_status(
        weir_jobs_open(&jobs, loop, "file:jobs.db?vfs=forgetful",
                       &(weir_jobs_options){.size = sizeof(weir_jobs_options),
                                            .arg = events,
                                            .on_event = ignore_event}),
        0);
}

CASE(store_on_a_full_disk_refuses_and_goes_on_when_there_is_room)
{
    struct answer full = {0}, broken = {0};
    struct keeper keeper = {.is_settling = true};
    unsigned events = 0;

    make_forgetful(&events);
    (void)add(SPEC("q"));
    forgetful_fail_writes(SQLITE_FULL);
    expect_status(weir_jobs_add(jobs, SPEC("q"), answered, &full), 0);
    await(&full);
    expect_status(full.status, -ENOSPC);
    expect(full.reply.id == 0);
    forgetful_fail_writes(SQLITE_IOERR_WRITE);
    expect_status(weir_jobs_add(jobs, SPEC("q"), answered, &broken), 0);
    await(&broken);
    expect_status(broken.status, -EIO);
    forgetful_fail_writes(0);
    (void)add(SPEC("q"));
    keeper_start(&keeper, jobs, WORKER("q", .concurrency = 8));
    await_count(&keeper.ended, 2); /* nothing of the failed ones */
    expect_int((int)look().queues[0].jobs[WEIR_JOBS_READY], 0);
    jobs_end();
}

CASE(store_that_fails_while_claiming_is_reported_and_tried_again)
{
    struct keeper keeper = {.is_settling = true};
    unsigned events = 0;

    make_forgetful(&events);
    (void)add(SPEC("q"));
    forgetful_fail_writes(SQLITE_FULL);
    keeper_start(&keeper, jobs, WORKER("q"));
    await_count(&events, 1);
    expect_int(keeper.count, 0);
    forgetful_fail_writes(0);
    await_count(&keeper.ended, 1); /* after a second */
    jobs_end();
}

/* ---- power loss ---- */

enum { MOST_JOBS = 512 };

/* What was acknowledged. */
struct ledger {
    uint64_t added[MOST_JOBS];
    unsigned added_count;
    bool is_settling[MOST_JOBS * 4], is_done[MOST_JOBS * 4];
    unsigned done_count;
};

static struct ledger ledger;

static void note_added(void *arg, int status, const weir_jobs_reply *reply)
{
    expect_status(status, 0);
    ledger.added[ledger.added_count++] = reply->id;
}

static void note_done(void *arg, int status, const weir_jobs_reply *reply)
{
    expect_status(status, 0);
    ledger.is_done[(uintptr_t)arg] = true;
    ledger.done_count++;
}

static void do_at_once(void *arg, weir_jobs_claim *claim)
{
    uintptr_t id = (uintptr_t)weir_jobs_claim_info(claim)->id;

    ledger.is_settling[id] = true;
    expect_status(weir_jobs_settle(claim, NULL, note_done, (void *)id), 0);
}

/* What the disk has. */
struct disk {
    bool is_sound;
    bool has_job[MOST_JOBS * 4];
};

static void read_rows(sqlite3 *db, const char *sql, struct disk *disk)
{
    sqlite3_stmt *row = NULL;

    if (sqlite3_prepare_v2(db, sql, -1, &row, NULL) != SQLITE_OK)
        return;
    while (sqlite3_step(row) == SQLITE_ROW)
        if (sqlite3_column_type(row, 0) == SQLITE_INTEGER)
            disk->has_job[sqlite3_column_int(row, 0)] = true;
        else
            disk->is_sound =
                strcmp((const char *)sqlite3_column_text(row, 0), "ok") == 0;
    sqlite3_finalize(row);
}

static struct disk read_disk(const char *path)
{
    struct disk disk = {0};
    sqlite3 *db;

    expect_int(sqlite3_open(path, &db), SQLITE_OK);
    read_rows(db, "PRAGMA integrity_check", &disk);
    read_rows(db, "SELECT id FROM job", &disk);
    sqlite3_close(db);
    return disk;
}

/* The disk must have what was acknowledged, whatever else it has. */
static unsigned count_violations(const struct ledger *then, const char *path)
{
    struct disk disk = read_disk(path);
    unsigned violations = !disk.is_sound;

    for (unsigned i = 0; i < then->added_count; i++) {
        uint64_t id = then->added[i];

        if (then->is_done[id])
            violations += disk.has_job[id];
        else if (!then->is_settling[id]) /* those may be done, or not */
            violations += !disk.has_job[id];
    }
    return violations;
}

/* Take turns until so many are added or done, lose power at some moment in
 * between, and look. */
static unsigned lose_power(struct random *random, unsigned *lost)
{
    static struct ledger then;
    enum forgetting how = random_below(random, 2) ? FORGET_SOME : FORGET_ALL;
    unsigned turns = (unsigned)random_below(random, 30);
    unsigned violations;

    for (unsigned i = 0; i < 8 && ledger.added_count < MOST_JOBS - 64; i++)
        expect_status(
            weir_jobs_add(jobs,
                          SPEC("q", .payload = "payload", .payload_size = 7),
                          note_added, NULL),
            0);
    for (unsigned i = 0; i < turns; i++)
        expect(weir_loop_step(loop, 100000) >= 0);
    then = ledger;
    *lost += forgetful_lose_power("after", how, random);
    violations = count_violations(&then, "after/jobs.db");
    expect_int(system("rm -rf after"), 0);
    return violations;
}

static unsigned lose_power_often(unsigned rounds, unsigned *lost)
{
    struct random random = {random_seed()};
    weir_jobs_worker *worker;
    unsigned events = 0, violations = 0;

    make_forgetful(&events);
    expect_status(weir_jobs_work(jobs, &worker,
                                 WORKER("q", .run = do_at_once,
                                        .concurrency = 2, .prefetch = 2)),
                  0);
    for (unsigned i = 0; i < rounds; i++)
        violations += lose_power(&random, lost);
    return violations;
}

CASE_WITHIN(store_has_all_that_was_acknowledged_after_a_power_loss, 300)
{
    unsigned lost = 0;

    expect_int(
        (int)lose_power_often(getenv("WEIR_BRIEF") != NULL ? 40 : 400, &lost),
        0);
    expect(ledger.added_count > 0 && ledger.done_count > 0);
    expect(lost > 0); /* or nothing was tried */
    jobs_end();
}

/* The same check must find a disk that lies. */
CASE(store_check_finds_a_disk_that_does_not_sync)
{
    unsigned lost = 0;

    forgetful_ignore_syncs(1);
    expect(lose_power_often(60, &lost) > 0);
    forgetful_ignore_syncs(0);
    jobs_end();
}

/* ---- clocks ---- */

static int64_t jump_ms;

int64_t __real_weir__clock_date_ms(void);
int64_t __wrap_weir__clock_date_ms(void);

int64_t __wrap_weir__clock_date_ms(void)
{
    return __real_weir__clock_date_ms() +
           __atomic_load_n(&jump_ms, __ATOMIC_RELAXED);
}

static void jump_date(int64_t ms)
{
    __atomic_store_n(&jump_ms, ms, __ATOMIC_RELAXED);
}

CASE(store_leases_do_not_care_about_the_date)
{
    enum { HOUR_MS = 3600000 };
    struct keeper holder = {0}, other = {0};
    struct answer answer = {0};
    weir_jobs *second;
    uint64_t id;

    jobs_make();
    id = add(SPEC("q"));
    keeper_start(&holder, jobs, WORKER("q", .lease_ms = 1000));
    await_count(&holder.count, 1);
    second = jobs_open("second");
    keeper_start(&other, second, WORKER("q"));
    for (int i = -1; i <= 1; i++) {
        struct answer looked = {0};

        jump_date(i * HOUR_MS);
        pass(300);                /* renewed */
        (void)add(SPEC("other")); /* the second one looks again */
        expect_status(weir_jobs_look(second, answered, &looked), 0);
        await(&looked);
        expect_int(other.count, 0);
        expect_int(state_of(id), WEIR_JOBS_RUNNING);
    }
    jump_date(0);
    expect_status(settle(holder.claims[0], NULL), 0);
    expect_status(weir_jobs_close(second, answered, &answer), 0);
    await(&answer);
    weir_jobs_free(second);
    jobs_end();
}

CASE(store_delays_follow_the_date)
{
    struct keeper keeper = {.is_settling = true};

    jobs_make();
    keeper_start(&keeper, jobs, WORKER("q"));
    (void)add(SPEC("q", .delay_ms = 3600000));
    (void)look();
    jump_date(-3600000);
    pass(3600000);
    expect_int(keeper.count, 0); /* by the date nothing has passed */
    pass(3600000);
    await_count(&keeper.ended, 1);
    jobs_end();
}

CASE(store_ends_the_leases_of_an_earlier_boot)
{
    struct keeper keeper = {0}, again = {0};
    weir_jobs *other;

    jobs_make();
    (void)add(SPEC("q", .backoff_ms = 10));
    keeper_start(&keeper, jobs, WORKER("q"));
    await_count(&keeper.count, 1);
    run_sql("jobs.db", "UPDATE store SET boot = 'another'");
    other = jobs_open("other"); /* as the first process after the boot */
    keeper_start(&again, other, WORKER("q"));
    rest(jobs, other);
    pass(10);
    while (again.count + keeper.count < 2) {
        struct answer answer = {0};

        expect_status(weir_jobs_look(other, answered, &answer), 0);
        await(&answer);
    }
    expect_status(settle(keeper.claims[0], NULL), WEIR_ELEASE);
    jobs_close(other);
    jobs_end();
}
