/* SPDX-License-Identifier: MIT */
/*
 * forgetful -- a file system that loses what was not synced.
 *
 *     forgetful_register();
 *     weir_jobs_open(&jobs, loop, "file:jobs.db?vfs=forgetful", NULL);
 *     ...
 *     forgetful_lose_power("after", FORGET_SOME, &random);
 *
 * A VFS of SQLite above the system's.  It remembers what each write since the
 * last sync has replaced.  At a loss of power, the files are copied to a
 * directory as a disk could then have them: every write since the sync may be
 * there or not, whatever their order was.
 */
#ifndef WEIR_TEST_JOBS_SUPPORT_FORGETFUL_H
#define WEIR_TEST_JOBS_SUPPORT_FORGETFUL_H

#include "support/random.h"

enum forgetting {
    FORGET_ALL,  /* nothing that was not synced is there */
    FORGET_SOME, /* any subset of the writes */
};

void forgetful_register(void);

/* Copy the files to a directory, which is made.  Returns the number of writes
 * that were lost. */
unsigned forgetful_lose_power(const char *directory, enum forgetting how,
                              struct random *random);

/* From now on let writes fail: SQLITE_FULL, SQLITE_IOERR_WRITE, ...; 0: none. */
void forgetful_fail_writes(int rc);

/* Let a sync do nothing: the disk lies. */
void forgetful_ignore_syncs(int is_ignored);

#endif /* WEIR_TEST_JOBS_SUPPORT_FORGETFUL_H */
