/* SPDX-License-Identifier: MIT */
/*
 * schema -- the tables of a store, and how old ones are brought up to date.
 *
 * jobs/README.md describes the tables.  PRAGMA application_id tells a store from
 * other files, and PRAGMA user_version is the version of its tables.
 */
#ifndef WEIR_JOBS_SQLITE_SCHEMA_H
#define WEIR_JOBS_SQLITE_SCHEMA_H

#include <sqlite3.h>

enum {
    WEIR__SCHEMA_APPLICATION = 0x77656972, /* "weir" */
    WEIR__SCHEMA_VERSION = 3,
};

/* Check whose file this is, and create or migrate the tables in one
 * transaction.  Nothing is written to a file that is not a store, or that is
 * newer.  Returns a result code of SQLite; SQLITE_MISMATCH for a file of
 * another program, SQLITE_SCHEMA for a newer one. */
int weir__schema_prepare(sqlite3 *db);

/* Make the leases, and the waits for a rate, of an earlier boot end now.  Returns a result code. */
int weir__schema_note_boot(sqlite3 *db, const char *boot);

#endif /* WEIR_JOBS_SQLITE_SCHEMA_H */
