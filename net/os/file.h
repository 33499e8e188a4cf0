/* SPDX-License-Identifier: MIT */
/*
 * file -- the files that a server sends.
 */
#ifndef WEIR_NET_OS_FILE_H
#define WEIR_NET_OS_FILE_H

#include <stdbool.h>
#include <stdint.h>

struct weir__file_about {
    bool is_directory;
    bool is_regular;
    int64_t size;
    int64_t modified_s, modified_ns;
};

/* Open a directory, for weir__file_open.  Returns its descriptor or -errno. */
int weir__file_open_root(const char *path);

/* Open a file for reading.  No part of its path leads out of the root, neither
 * ".." nor a symbolic link (-EXDEV).  Returns its descriptor or -errno: -EAGAIN
 * if another process has a lease on the file. */
int weir__file_open(int root, const char *path);

int weir__file_stat(int fd, struct weir__file_about *about);

#endif /* WEIR_NET_OS_FILE_H */
