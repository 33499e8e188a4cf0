/* SPDX-License-Identifier: MIT */
/*
 * inotify -- the system calls of watches, and reading directories.
 *
 * Each function returns 0 or a number, or -errno.
 */
#ifndef WEIR_NET_OS_INOTIFY_H
#define WEIR_NET_OS_INOTIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Open an instance, non-blocking and close-on-exec. */
int weir__inotify_open(void);

/* Watch a file.  Returns its watch descriptor, which may be known already. */
int weir__inotify_add(int fd, const char *path, uint32_t mask);
void weir__inotify_remove(int fd, int wd);

/* Read events.  Returns the number of bytes. */
int weir__inotify_read(int fd, void *to, size_t size);

typedef struct weir__directory weir__directory;

int weir__directory_open(weir__directory **directory, const char *path);

/* Get the next entry, without "." and "..".  It is valid until the next call.
 * *is_directory is true if the entry may be one; symbolic links are none.
 * Returns 1, 0 (there are no more), or -errno. */
int weir__directory_next(weir__directory *directory, const char **name,
                         bool *is_directory);
void weir__directory_close(weir__directory *directory);

#endif /* WEIR_NET_OS_INOTIFY_H */
