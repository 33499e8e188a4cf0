/* SPDX-License-Identifier: MIT */
/*
 * place -- where a path leads, held so that it cannot lead elsewhere.
 *
 *     struct weir__js_place place;
 *     int err = weir__js_place_find(&place, path, WEIR__JS_FOLLOW,
 *                                   WEIR__JS_MAY_READ);
 *
 *     if (err == 0) {
 *         err = stat(place.path, &found) == 0 ? 0 : -errno;
 *         weir__js_place_drop(&place);
 *     }
 *
 * In a process that is not confined, place.path is the path itself, and nothing
 * is opened.  Otherwise the kernel resolves the path once, into a descriptor
 * that was opened with O_PATH; /proc/self/fd says the name of what it refers
 * to; that name is compared with the grants; and place.path leads to the same
 * file through the descriptor.  A program that renames directories or replaces
 * symbolic links in between, on another thread, therefore changes nothing.
 *
 * Where there is no such file, the name that it would have is compared, so that
 * an error never says what exists where nothing is granted.
 *
 * No function here touches JavaScript: they are called on any thread.
 */
#ifndef WEIR_JS_PLACE_H
#define WEIR_JS_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "core/permission.h"

enum weir__js_follow {
    WEIR__JS_FOLLOW, /* the file, through a symbolic link at the end */
    /* The entry of a directory, which may be a symbolic link or missing: to
     * create, remove or rename it. */
    WEIR__JS_ENTRY,
    /* The entry to look at: a symbolic link is followed only by a slash. */
    WEIR__JS_LOOK,
};

struct weir__js_place {
    const char *path; /* for system calls */
    int fd;           /* -1: none */
    int missing;      /* the bits that were not granted; 0: none */
    char buffer[PATH_MAX];
};

/* Returns 0; -EACCES with place->missing; or the -errno of the kernel.  After 0
 * it must be dropped; otherwise there is nothing to drop. */
int weir__js_place_find(struct weir__js_place *place, const char *path,
                        enum weir__js_follow follow, int wanted);

void weir__js_place_drop(struct weir__js_place *place);

/* open(2), with O_CLOEXEC.  Returns a descriptor or -errno.  If it is not
 * permitted: -EACCES, and *missing says what is missing; otherwise 0. */
int weir__js_place_open(const char *path, int flags, mode_t mode, int *missing);

/* Check the file behind an open descriptor.  Returns the bits that are not
 * granted. */
int weir__js_missing_for_fd(int wanted, int fd);

/* Write the name of a path into buffer[PATH_MAX], as it is compared with
 * grants, even if nothing is there.  Returns 0 or -errno. */
int weir__js_place_name(const char *path, bool follows, char *buffer);

#endif /* WEIR_JS_PLACE_H */
