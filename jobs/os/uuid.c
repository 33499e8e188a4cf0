/* SPDX-License-Identifier: MIT */
/*
 * uuid -- see uuid.h.
 */
#include "os/uuid.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int weir__uuid_make(char to[WEIR__UUID_BYTES])
{
    int fd = open("/proc/sys/kernel/random/uuid", O_RDONLY | O_CLOEXEC);
    ssize_t count;

    if (fd < 0)
        return -errno;
    count = read(fd, to, WEIR__UUID_BYTES - 1);
    close(fd);
    if (count != WEIR__UUID_BYTES - 1)
        return -EIO;
    to[count] = '\0';
    return 0;
}
