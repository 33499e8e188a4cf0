/* SPDX-License-Identifier: MIT */
/*
 * file -- see file.h.
 */
#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int weir__file_open_root(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return fd < 0 ? -errno : fd;
}

enum { TRIES = 16 };

/* O_NONBLOCK: a FIFO below the root must not stop the loop.  openat2 fails with
 * EAGAIN if a rename interferes, which passes; and if another process has a
 * lease on the file, which may take a minute. */
int weir__file_open(int root, const char *path)
{
    struct open_how how = {
        .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
    };
    int tries = 0;
    long fd;

    do
        fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
    while (fd < 0 && (errno == EINTR || (errno == EAGAIN && ++tries < TRIES)));
    return fd < 0 ? -errno : (int)fd;
}

int weir__file_stat(int fd, struct weir__file_about *about)
{
    struct stat found;

    if (fstat(fd, &found) != 0)
        return -errno;
    *about = (struct weir__file_about){
        .is_directory = S_ISDIR(found.st_mode),
        .is_regular = S_ISREG(found.st_mode),
        .size = found.st_size,
        .modified_s = found.st_mtim.tv_sec,
        .modified_ns = found.st_mtim.tv_nsec,
    };
    return 0;
}
