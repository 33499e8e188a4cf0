/* SPDX-License-Identifier: MIT */
/*
 * os/file -- file.h on open(2), write(2) and close(2).
 *
 * Tested by  test/unit/trace/perfetto.c
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int weir__file_create(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    return file < 0 ? -errno : file;
}

int weir__file_write(int file, const void *bytes, size_t size)
{
    const char *from = bytes;

    while (size > 0) {
        ssize_t written = write(file, from, size);

        if (written < 0 && errno != EINTR)
            return -errno;
        if (written > 0) {
            from += written;
            size -= (size_t)written;
        }
    }
    return 0;
}

int weir__file_close(int file, int err)
{
    if (close(file) != 0 && err == 0 && errno != EINTR)
        return -errno;
    return err;
}

void weir__file_remove(const char *path)
{
    (void)unlink(path);
}

void weir__file_read_line(const char *path, char *line, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? 0 : read(file, line, size - 1);

    if (file >= 0)
        close(file);
    line[got > 0 ? got : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
}
