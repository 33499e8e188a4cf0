/* SPDX-License-Identifier: MIT */
/*
 * wakefd -- a descriptor that counts wake-ups.
 */
#include "base/wakefd.h"

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/suite.h"

/* A program that has closed its standard input gets the number 0. */
CASE(wakefd_may_have_the_number_zero)
{
    expect_int(close(STDIN_FILENO), 0);
    errno = EBADF; /* of something else */
    expect_int(weir__wakefd_open(), 0);
    weir__wakefd_signal(0);
    expect(weir__wakefd_take(0, false) == 1);
    expect(weir__wakefd_take(0, false) == 0);
    weir__wakefd_close(0);
}

CASE(wakefd_beyond_the_limit_is_refused)
{
    struct rlimit before, none;

    expect_int(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    expect_int(setrlimit(RLIMIT_NOFILE, &none), 0);
    expect_int(weir__wakefd_open(), -EMFILE);
    expect_int(setrlimit(RLIMIT_NOFILE, &before), 0); /* for LeakSanitizer */
}
