/* SPDX-License-Identifier: MIT */
/*
 * sqlite -- the statements of sqlite.js in C, on the same library.
 */
#include <sqlite3.h>

#include "js/engine.h"

enum { COUNT = 100000 };

static sqlite3_stmt *prepare(sqlite3 *database, const char *text)
{
    sqlite3_stmt *statement;

    if (sqlite3_prepare_v2(database, text, -1, &statement, NULL) != SQLITE_OK)
        bench_fail("SQLite refuses a statement");
    return statement;
}

static void execute(sqlite3 *database, const char *text)
{
    if (sqlite3_exec(database, text, NULL, NULL, NULL) != SQLITE_OK)
        bench_fail("SQLite fails");
}

static void insert(sqlite3 *database, sqlite3_stmt *statement, int count)
{
    execute(database, "DELETE FROM t; BEGIN");
    for (int i = 0; i < count; i++) {
        sqlite3_bind_text(statement, 1, "a name", -1, SQLITE_TRANSIENT);
        sqlite3_bind_double(statement, 2, i + 0.5);
        if (sqlite3_step(statement) != SQLITE_DONE)
            bench_fail("no row was inserted");
        sqlite3_reset(statement);
    }
    execute(database, "COMMIT");
}

static void fetch(sqlite3_stmt *statement, int count)
{
    double sum = 0;

    for (int i = 1; i <= count; i++) {
        sqlite3_bind_int(statement, 1, i);
        if (sqlite3_step(statement) != SQLITE_ROW)
            bench_fail("a row is missing");
        sum += sqlite3_column_double(statement, 2);
        sqlite3_reset(statement);
    }
    if (sum != (double)count * count / 2)
        bench_fail("wrong rows");
}

void bench_sqlite(const struct bench_workload *workload,
                  const struct bench_entry *entry)
{
    sqlite3_stmt *inserting, *selecting;
    uint64_t began_ns, inserted_ns;
    sqlite3 *database;

    (void)workload;
    (void)entry;
    if (sqlite3_open(":memory:", &database) != SQLITE_OK)
        bench_fail("SQLite cannot open a database");
    execute(database,
            "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, value REAL)");
    inserting = prepare(database, "INSERT INTO t (name, value) VALUES (?, ?)");
    selecting = prepare(database, "SELECT * FROM t WHERE id = ?");
    insert(database, inserting, COUNT / 10);
    began_ns = bench_now_ns();
    insert(database, inserting, COUNT);
    inserted_ns = bench_now_ns();
    fetch(selecting, COUNT);
    bench_measured(0, (double)(inserted_ns - began_ns) / COUNT);
    bench_measured(1, (double)(bench_now_ns() - inserted_ns) / COUNT);
    sqlite3_finalize(inserting);
    sqlite3_finalize(selecting);
    sqlite3_close(database);
}
