/* SPDX-License-Identifier: MIT */
/*
 * file -- writing a new file, and reading small ones (os/file.c).
 */
#ifndef WEIR_SRC_FILE_H
#define WEIR_SRC_FILE_H

#include <stddef.h>

/* Create a file that only its owner can read.  Returns its descriptor, or
 * -EEXIST or another negative errno. */
int weir__file_create(const char *path);

/* Write all of it.  Returns 0 or a negative errno. */
int weir__file_write(int file, const void *bytes, size_t size);

/* Close the file.  Returns err, or, if that is 0, 0 or a negative errno. */
int weir__file_close(int file, int err);

void weir__file_remove(const char *path);

/* Read the beginning of a file as a text, without its line break; "" if that
 * fails. */
void weir__file_read_line(const char *path, char *line, size_t size);

#endif /* WEIR_SRC_FILE_H */
