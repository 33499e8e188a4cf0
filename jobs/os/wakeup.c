/* SPDX-License-Identifier: MIT */
/*
 * wakeup -- see wakeup.h.
 */
#include "os/wakeup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>

int weir__wakeup_open(struct weir__wakeup *wakeup, const char *path)
{
    char name[PATH_MAX];
    int err;

    *wakeup = (struct weir__wakeup){.fd = -1, .file_fd = -1};
    if ((size_t)snprintf(name, sizeof(name), "%s-wakeup", path) >= sizeof(name))
        return -ENAMETOOLONG;
    wakeup->file_fd =
        open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (wakeup->file_fd < 0)
        return -errno;
    wakeup->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (wakeup->fd < 0 ||
        inotify_add_watch(wakeup->fd, name,
                          IN_MODIFY | IN_CLOSE_WRITE | IN_DONT_FOLLOW) < 0) {
        err = -errno;
        weir__wakeup_close(wakeup);
        return err;
    }
    return 0;
}

void weir__wakeup_close(struct weir__wakeup *wakeup)
{
    if (wakeup->file_fd >= 0)
        close(wakeup->file_fd);
    if (wakeup->fd >= 0)
        close(wakeup->fd);
    *wakeup = (struct weir__wakeup){.fd = -1, .file_fd = -1};
}

void weir__wakeup_send(const struct weir__wakeup *wakeup)
{
    /* On a full disk the byte is there already, from the first write, or the
     * commit before it has failed. */
    (void)!pwrite(wakeup->file_fd, "", 1, 0);
}

void weir__wakeup_receive(const struct weir__wakeup *wakeup)
{
    char events[1024];
    ssize_t count;

    do
        count = read(wakeup->fd, events, sizeof(events));
    while (count > 0 || (count < 0 && errno == EINTR));
}
