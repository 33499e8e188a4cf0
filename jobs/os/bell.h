/* SPDX-License-Identifier: MIT */
/*
 * bell -- a file through which the processes of a store wake each other.
 *
 * A process that has committed rings: it writes a byte to the file.  The others
 * watch the file with inotify.  Each keeps it open for writing, so that one that
 * dies between its commit and its ring is heard as well: the kernel closes the
 * file, which is an event too.
 *
 * The log of SQLite could not be watched instead: a commit becomes visible by a
 * store to shared memory after the last write to the log.
 */
#ifndef WEIR_JOBS_OS_BELL_H
#define WEIR_JOBS_OS_BELL_H

#include <stdbool.h>

struct weir__bell {
    int fd;      /* readable when a process has rung; this one, too */
    int file_fd; /* -1: closed */
};

/* Open the bell of the store `path`, and create it if needed.  Returns 0 or
 * -errno. */
int weir__bell_open(struct weir__bell *bell, const char *path);
void weir__bell_close(struct weir__bell *bell);

void weir__bell_ring(const struct weir__bell *bell);

/* Take all events, so that fd is not readable any more. */
void weir__bell_hear(const struct weir__bell *bell);

#endif /* WEIR_JOBS_OS_BELL_H */
