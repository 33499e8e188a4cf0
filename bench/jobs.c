/* SPDX-License-Identifier: MIT */
/*
 * jobs -- durable jobs in SQLite, to SQLite itself and to the disk.
 *
 *     jobs/add        durable adds of 100 bytes, 100 in flight, in µs each; to
 *                     SQLite with 100 inserts in a transaction
 *     jobs/add-one    the same with one in flight: latencies; to a write and an
 *                     fdatasync of 4 KiB
 *     jobs/complete   from the add to the completion of an empty job, 100 in
 *                     flight, in one process, in µs each
 *     jobs/claim      from one handler to the next, which takes a commit, with
 *                     1,000 and with 1,000,000 jobs waiting: latencies
 *     jobs/memory     a worker with 1,000 prefetched jobs of 1 KiB, in MiB above
 *                     one without jobs
 *
 * All with WAL and synchronous=FULL, on the disk of /var/tmp.
 */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "weir.h"
#include "weir/jobs.h"

enum { IN_FLIGHT = 100, ADDS = 5000, COMPLETIONS = 4000, ONES = 300 };
enum { PAYLOAD = 100, PREFETCHED = 1000 };

static char place[64];
static char path[96];
static weir_loop *loop;
static weir_jobs *jobs;
static char payload[1024];
static uint64_t left, begun_ns;

static void must(int err)
{
    if (err != 0)
        bench_fail(weir_error_text(err));
}

static void make_place(void)
{
    snprintf(place, sizeof(place), "/var/tmp/weir-bench-XXXXXX");
    if (mkdtemp(place) == NULL)
        bench_fail("no directory");
    snprintf(path, sizeof(path), "%s/jobs.db", place);
}

static void remove_place(void)
{
    char command[100];

    snprintf(command, sizeof(command), "rm -r %s", place);
    if (system(command) != 0)
        bench_fail("cannot remove the directory");
}

static void set_one(void *arg, int status, const weir_jobs_reply *reply)
{
    must(status);
    *(bool *)arg = true;
}

static void turn_until(const bool *is_over)
{
    while (!*is_over)
        if (weir_loop_step(loop, -1) < 0)
            bench_fail("the loop has failed");
}

static void open_store(void)
{
    bool is_open = false;

    make_place();
    must(weir_loop_new(&loop, NULL));
    must(weir_jobs_open(&jobs, loop, path, NULL));
    must(weir_jobs_look(jobs, set_one, &is_open));
    turn_until(&is_open);
}

static void close_store(void)
{
    weir_jobs_free(jobs);
    must(weir_loop_free(loop));
    remove_place();
}

static void add(size_t size, weir_jobs_fn *fn)
{
    must(weir_jobs_add(jobs,
                       &(weir_jobs_spec){.size = sizeof(weir_jobs_spec),
                                         .queue = "q",
                                         .payload = payload,
                                         .payload_size = size},
                       fn, NULL));
}

/* ---- adding ---- */

static uint64_t to_add;
static bool is_over;

static void add_next(void *arg, int status, const weir_jobs_reply *reply)
{
    must(status);
    if (to_add > 0) {
        to_add--;
        add(PAYLOAD, add_next);
    }
    is_over = --left == 0;
}

static void add_many(const struct bench_workload *workload,
                     const struct bench_entry *entry)
{
    uint64_t first_ns;

    open_store();
    left = ADDS;
    to_add = ADDS - IN_FLIGHT;
    first_ns = bench_now_ns();
    for (int i = 0; i < IN_FLIGHT; i++)
        add(PAYLOAD, add_next);
    turn_until(&is_over);
    bench_measured(0, (double)(bench_now_ns() - first_ns) / ADDS);
    close_store();
}

static void add_ones(const struct bench_workload *workload,
                     const struct bench_entry *entry)
{
    open_store();
    for (int i = 0; i < ONES; i++) {
        uint64_t first_ns = bench_now_ns();

        left = 1;
        is_over = false;
        add(PAYLOAD, add_next);
        turn_until(&is_over);
        bench_record(bench_now_ns() - first_ns);
    }
    close_store();
}

static void sync_ones(const struct bench_workload *workload,
                      const struct bench_entry *entry)
{
    static char page[4096];
    int fd;

    make_place();
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    for (int i = 0; i < ONES; i++) {
        uint64_t first_ns = bench_now_ns();

        if (write(fd, page, sizeof(page)) != sizeof(page) || fdatasync(fd) != 0)
            bench_fail("the disk has failed");
        bench_record(bench_now_ns() - first_ns);
    }
    close(fd);
    remove_place();
}

/* SQLite alone: as many inserts in a transaction as weir has in flight. */
static void insert_many(const struct bench_workload *workload,
                        const struct bench_entry *entry)
{
    sqlite3 *db;
    sqlite3_stmt *insert;
    uint64_t first_ns;

    make_place();
    if (sqlite3_open(path, &db) != SQLITE_OK ||
        sqlite3_exec(db,
                     "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                     "CREATE TABLE job (id INTEGER PRIMARY KEY, queue TEXT,"
                     " state INTEGER, payload BLOB) STRICT;"
                     "CREATE INDEX ready ON job (queue) WHERE state = 0",
                     NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(db, "INSERT INTO job VALUES (NULL, 'q', 0, ?1)", -1,
                           &insert, NULL) != SQLITE_OK)
        bench_fail("SQLite has failed");
    first_ns = bench_now_ns();
    for (int i = 0; i < ADDS; i++) {
        if (i % IN_FLIGHT == 0)
            sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
        sqlite3_bind_blob(insert, 1, payload, PAYLOAD, SQLITE_STATIC);
        sqlite3_step(insert);
        sqlite3_reset(insert);
        if (i % IN_FLIGHT == IN_FLIGHT - 1 &&
            sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
            bench_fail("SQLite has failed");
    }
    bench_measured(0, (double)(bench_now_ns() - first_ns) / ADDS);
    sqlite3_finalize(insert);
    sqlite3_close(db);
    remove_place();
}

/* ---- completing ---- */

static void count_done(void *arg, int status, const weir_jobs_reply *reply)
{
    must(status);
    if (to_add > 0) {
        to_add--;
        add(0, NULL);
    }
    is_over = --left == 0;
}

static void do_at_once(void *arg, weir_jobs_claim *claim)
{
    must(weir_jobs_settle(claim, NULL, count_done, NULL));
}

static void start_worker(uint32_t concurrency, uint32_t prefetch,
                         void (*run)(void *, weir_jobs_claim *))
{
    weir_jobs_worker *worker;

    must(weir_jobs_work(
        jobs, &worker,
        &(weir_jobs_worker_options){.size = sizeof(weir_jobs_worker_options),
                                    .queue = "q",
                                    .concurrency = concurrency,
                                    .prefetch = prefetch,
                                    .run = run}));
}

static void complete_many(const struct bench_workload *workload,
                          const struct bench_entry *entry)
{
    uint64_t first_ns;

    open_store();
    start_worker(IN_FLIGHT, IN_FLIGHT, do_at_once);
    left = COMPLETIONS;
    to_add = COMPLETIONS - 2 * IN_FLIGHT;
    first_ns = bench_now_ns();
    for (int i = 0; i < 2 * IN_FLIGHT; i++)
        add(0, NULL);
    turn_until(&is_over);
    bench_measured(0, (double)(bench_now_ns() - first_ns) / COMPLETIONS);
    close_store();
}

/* ---- claiming ---- */

static void fill(uint64_t count)
{
    char sql[600];
    sqlite3 *db;

    snprintf(sql, sizeof(sql),
             "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
             " WHERE i < %llu) INSERT INTO job (queue, state, priority,"
             " run_at, attempts, backoff_ms, backoff_max_ms, timeout_ms,"
             " keep_ms, added_at, payload) SELECT 'q', 0, 0, i, 10, 1000,"
             " 1000, 0, 0, i, zeroblob(100) FROM n;"
             "PRAGMA wal_checkpoint(TRUNCATE)",
             (unsigned long long)count);
    if (sqlite3_open(path, &db) != SQLITE_OK ||
        sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        bench_fail("SQLite has failed");
    sqlite3_close(db);
}

static void claim_next(void *arg, weir_jobs_claim *claim)
{
    uint64_t now_ns = bench_now_ns();

    if (begun_ns != 0)
        bench_record(now_ns - begun_ns);
    begun_ns = now_ns;
    is_over = --left == 0;
    if (!is_over)
        must(weir_jobs_settle(claim, NULL, NULL, NULL));
}

static void claim_ones(const struct bench_workload *workload,
                       const struct bench_entry *entry)
{
    open_store();
    fill(*(const uint64_t *)entry->arg);
    left = ONES + 1;
    start_worker(1, 0, claim_next);
    turn_until(&is_over);
    close_store();
}

/* ---- memory ---- */

static double resident_mib(void)
{
    unsigned long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (file == NULL || fscanf(file, "%lu %lu", &size, &resident) != 2)
        bench_fail("no /proc/self/statm");
    fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

static void keep_one(void *arg, weir_jobs_claim *claim)
{
    is_over = true;
}

static void prefetch_many(const struct bench_workload *workload,
                          const struct bench_entry *entry)
{
    double before_mib;
    bool is_here = false;

    open_store();
    left = PREFETCHED + 1;
    for (int i = 0; i <= PREFETCHED; i++)
        add(sizeof(payload), add_next);
    turn_until(&is_over);
    close_store();
    /* A store that is not warm, and a worker without jobs. */
    open_store();
    start_worker(1, PREFETCHED, keep_one);
    must(weir_jobs_look(jobs, set_one, &is_here));
    turn_until(&is_here);
    before_mib = resident_mib();
    is_over = false;
    for (int i = 0; i <= PREFETCHED; i++)
        add(sizeof(payload), NULL);
    turn_until(&is_over);
    is_here = false;
    must(weir_jobs_look(jobs, set_one, &is_here));
    turn_until(&is_here);
    bench_measured(0, resident_mib() - before_mib);
    close_store();
}

/* ---- the table ---- */

static const struct bench_metric each[] = {{"mean", "µs", 1e-3}};
static const struct bench_metric grown[] = {{"memory", "MiB", 1}};
static const uint64_t thousand = 1000, million = 1000000;

static const struct bench_entry adders[] = {
    {.impl = "SQLite, 100 in a transaction", .job = insert_many},
    {.impl = "weir", .job = add_many},
};
static const struct bench_entry single_adders[] = {
    {.impl = "write + fdatasync", .job = sync_ones},
    {.impl = "weir", .job = add_ones},
};
static const struct bench_entry completers[] = {
    {.impl = "weir", .job = complete_many},
};
static const struct bench_entry claimers[] = {
    {.impl = "weir, 1,000 waiting", .job = claim_ones, .arg = &thousand},
    {.impl = "weir, 1,000,000 waiting", .job = claim_ones, .arg = &million},
};
static const struct bench_entry prefetchers[] = {
    {.impl = "weir", .job = prefetch_many},
};

#define JOB(given, what, seconds, rows)                                        \
    .name = given, .operation = what, .threads = 1, .cpu = {BENCH_ANY_CPU},    \
    .yields = true, .job_s = seconds, .entries = rows,                         \
    .entry_count = sizeof(rows) / sizeof(*(rows))

static const struct bench_workload workloads[] = {
    {JOB("jobs/add", "durable add, 100 in flight", 0.5, adders),
     .metrics = each, .metric_count = 1},
    {JOB("jobs/add-one", "durable add, one in flight", 2, single_adders),
     .records = true},
    {JOB("jobs/complete", "add to completion, 100 in flight", 1, completers),
     .metrics = each, .metric_count = 1},
    {JOB("jobs/claim", "from one handler to the next", 5, claimers),
     .records = true},
    {JOB("jobs/memory", "1,000 prefetched jobs of 1 KiB", 1, prefetchers),
     .metrics = grown, .metric_count = 1},
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "jobs", workloads,
                      sizeof(workloads) / sizeof(*workloads));
}
