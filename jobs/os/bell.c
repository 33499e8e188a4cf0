/* SPDX-License-Identifier: MIT */
/*
 * bell -- see bell.h.
 */
#include "os/bell.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>

int weir__bell_open(struct weir__bell *bell, const char *path)
{
    char name[PATH_MAX];
    int err;

    *bell = (struct weir__bell){.fd = -1, .file_fd = -1};
    if ((size_t)snprintf(name, sizeof(name), "%s-bell", path) >= sizeof(name))
        return -ENAMETOOLONG;
    bell->file_fd = open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (bell->file_fd < 0)
        return -errno;
    bell->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (bell->fd < 0 ||
        inotify_add_watch(bell->fd, name,
                          IN_MODIFY | IN_CLOSE_WRITE | IN_DONT_FOLLOW) < 0) {
        err = -errno;
        weir__bell_close(bell);
        return err;
    }
    return 0;
}

void weir__bell_close(struct weir__bell *bell)
{
    if (bell->file_fd >= 0)
        close(bell->file_fd);
    if (bell->fd >= 0)
        close(bell->fd);
    *bell = (struct weir__bell){.fd = -1, .file_fd = -1};
}

void weir__bell_ring(const struct weir__bell *bell)
{
    /* On a full disk the byte is there already, from the first ring, or the
     * commit before it has failed. */
    (void)!pwrite(bell->file_fd, "", 1, 0);
}

void weir__bell_hear(const struct weir__bell *bell)
{
    char events[1024];
    ssize_t count;

    do
        count = read(bell->fd, events, sizeof(events));
    while (count > 0 || (count < 0 && errno == EINTR));
}
