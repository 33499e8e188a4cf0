/* SPDX-License-Identifier: MIT */
/*
 * wakeup -- a file through which the processes of a store wake each other.
 *
 * A process that has committed writes a byte to the file.  The others watch the
 * file with inotify.  Each keeps it open for writing, so that they also wake if
 * it dies between its commit and its write: the kernel closes the file, which is
 * an event too.
 *
 * The log of SQLite could not be watched instead: a commit becomes visible by a
 * store to shared memory after the last write to the log.
 */
#ifndef WEIR_JOBS_OS_WAKEUP_H
#define WEIR_JOBS_OS_WAKEUP_H

#include <stdbool.h>

struct weir__wakeup {
    int fd;      /* readable after a write by any process, this one too */
    int file_fd; /* -1: closed */
};

/* Open the wake-up file of the store `path`, and create it if needed.  Returns
 * 0 or -errno. */
int weir__wakeup_open(struct weir__wakeup *wakeup, const char *path);
void weir__wakeup_close(struct weir__wakeup *wakeup);

void weir__wakeup_send(const struct weir__wakeup *wakeup);

/* Take all events, so that fd is not readable any more. */
void weir__wakeup_receive(const struct weir__wakeup *wakeup);

#endif /* WEIR_JOBS_OS_WAKEUP_H */
