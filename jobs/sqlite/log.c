/* SPDX-License-Identifier: MIT */
/*
 * log -- see log.h.
 */
#include "sqlite/log.h"

#include <stddef.h>

enum {
    HEADER_BYTES = 32, /* of the file, and ... */
    FRAME_BYTES = 24,  /* of each page in it */
    PAGE_BYTES = 4096,
    CHECKPOINT_PAGES = 1000, /* SQLite's default */
    LEAST_BYTES = 64 << 10,  /* about five commits of one job */
    STEP_BYTES = 256 << 10,
};

static int on_commit(void *arg, sqlite3 *db, const char *name, int pages)
{
    struct weir__log *log = arg;

    log->used =
        HEADER_BYTES + (sqlite3_int64)pages * (FRAME_BYTES + PAGE_BYTES);
    if (pages >= CHECKPOINT_PAGES)
        (void)sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_PASSIVE,
                                        NULL, NULL);
    return SQLITE_OK;
}

void weir__log_watch(struct weir__log *log, sqlite3 *db)
{
    (void)sqlite3_wal_hook(db, on_commit, log);
}

/* A disk that is full, or fails, says so to the commit. */
void weir__log_reserve(const struct weir__log *log, sqlite3 *db)
{
    static char zeros[LEAST_BYTES]; /* const, they would be in the library */
    sqlite3_int64 size, end;
    sqlite3_file *file;

    if (log->used == 0 ||
        sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) !=
            SQLITE_OK ||
        file->pMethods == NULL ||
        file->pMethods->xFileSize(file, &size) != SQLITE_OK ||
        size - log->used >= LEAST_BYTES)
        return;
    for (end = size + STEP_BYTES; size < end; size += LEAST_BYTES)
        if (file->pMethods->xWrite(file, zeros, LEAST_BYTES, size) != SQLITE_OK)
            return;
}
