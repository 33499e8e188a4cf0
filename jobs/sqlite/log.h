/* SPDX-License-Identifier: MIT */
/*
 * log -- the write-ahead log of a store, with room for what comes next.
 *
 * A commit appends to the log, and waits for the disk.  If that makes the file
 * larger, the file system has to write its journal, too, and the wait is about
 * twice as long.  So the file is made larger by many commits at a time, with
 * zeros, which are no frames: a reader of the log stops there.  From the first
 * checkpoint on SQLite overwrites the log from its beginning, and it has grown
 * enough.
 *
 * SQLite must be told when to copy the log into the database by whoever wants to
 * know how long it is, so this file does that as well.
 */
#ifndef WEIR_JOBS_SQLITE_LOG_H
#define WEIR_JOBS_SQLITE_LOG_H

#include <sqlite3.h>

struct weir__log {
    sqlite3_int64 used; /* bytes, after this connection's last commit; or 0 */
};

/* Watch the log of a connection that has prepared its tables. */
void weir__log_watch(struct weir__log *log, sqlite3 *db);

/* Make room, if little is left.  In a transaction that writes: nobody else
 * appends to the log. */
void weir__log_reserve(const struct weir__log *log, sqlite3 *db);

#endif /* WEIR_JOBS_SQLITE_LOG_H */
