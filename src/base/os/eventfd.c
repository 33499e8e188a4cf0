/* SPDX-License-Identifier: MIT */
/*
 * os/eventfd -- wakefd.h on eventfd(2), whose counter holds the signals.
 *
 * An unexpected error means that other code has closed the descriptor, or that
 * its number now refers to another file.  A wake-up would be lost and a loop
 * would sleep forever, so these functions abort with the reason instead.
 *
 * Tested by  test/unit/base/wakefd.c, test/unit/base/poller.c,
 *            test/unit/base/poller_failing.c, test/unit/base/signals.c
 */
#include "base/wakefd.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.h"
#include "base/signals.h"

int weir__wakefd_open(void)
{
    int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

    return fd >= 0 ? fd : -errno;
}

void weir__wakefd_close(int fd)
{
    close(fd);
}

void weir__wakefd_signal(int fd)
{
    const uint64_t one = 1;

    while (write(fd, &one, sizeof(one)) < 0) {
        if (errno == EAGAIN) /* full, so it is readable as well */
            return;
        CHECK(errno == EINTR, "cannot signal a wake: who closed weir's "
                              "eventfd?");
    }
}

/* The sanitizers do not intercept syscall().  A write that does not block is not
 * interrupted. */
WEIR__IN_HANDLER void weir__wakefd_signal_in_handler(int fd)
{
    const uint64_t one = 1;

    if (syscall(SYS_write, fd, &one, sizeof(one)) < 0)
        CHECK(errno == EAGAIN, "cannot signal a wake: who closed weir's "
                               "eventfd?");
}

static void await_signal(int fd)
{
    struct pollfd entry = {.fd = fd, .events = POLLIN};

    if (poll(&entry, 1, -1) < 0)
        CHECK(errno == EINTR || errno == EAGAIN, "cannot wait for a wake");
}

uint64_t weir__wakefd_take(int fd, bool wait_for_one)
{
    uint64_t count;

    while (read(fd, &count, sizeof(count)) < 0) {
        if (errno == EAGAIN) {
            if (!wait_for_one)
                return 0;
            await_signal(fd);
            continue;
        }
        CHECK(errno == EINTR, "cannot take a wake: who closed weir's eventfd?");
    }
    return count;
}
