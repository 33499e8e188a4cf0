/* SPDX-License-Identifier: MIT */
/*
 * signals -- what the handler does if it cannot count, and what one owner of the
 * signals leaves to the next.
 */
#include "base/signals.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/wakefd.h"
#include "support/suite.h"

/* The counter is full: the signal is as pending as it can be. */
CASE(signals_that_find_the_counter_full_leave_no_error)
{
    const uint64_t most = UINT64_MAX - 1;
    int fd = weir__signals_take();

    expect(fd >= 0);
    expect_int(write(fd, &most, sizeof(most)), sizeof(most));
    errno = 0;
    expect_int(raise(SIGTERM), 0);
    expect_int(errno, 0);
    expect(weir__wakefd_take(fd, false) == most);
    weir__signals_give_back();
}

CASE_ABORTS(signals_that_find_their_descriptor_closed_abort, "os/eventfd.c",
            "cannot signal a wake")
{
    int fd = weir__signals_take();

    expect(fd >= 0);
    expect_int(close(fd), 0);
    raise(SIGINT);
}

/* The descriptor is the same, and what came for an earlier owner is gone. */
CASE(signals_of_an_earlier_owner_are_dropped)
{
    int fd = weir__signals_take();

    expect(fd >= 0);
    expect_int(raise(SIGTERM), 0);
    weir__signals_give_back();
    expect_int(weir__signals_take(), fd);
    expect(weir__wakefd_take(fd, false) == 0);
    expect_int(raise(SIGTERM), 0);
    expect(weir__wakefd_take(fd, false) == 1);
    weir__signals_give_back();
}

/* The parent's next owner must not get the signals of the child. */
CASE(signals_of_a_child_do_not_reach_an_earlier_descriptor)
{
    int fd = weir__signals_take(), code;
    pid_t child;

    expect(fd >= 0);
    weir__signals_give_back();
    child = fork();
    if (child == 0) {
        int own = weir__signals_take();

        if (own < 0 || raise(SIGTERM) != 0)
            _exit(1);
        _exit(own != fd ? 0 : 2); /* with the signal pending */
    }
    expect(child > 0 && waitpid(child, &code, 0) == child);
    expect_int(weir__wakefd_take(fd, false), 0);
    expect_int(code, 0);
}
