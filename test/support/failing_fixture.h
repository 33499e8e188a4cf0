/* SPDX-License-Identifier: MIT */
/*
 * failing_fixture -- a loop whose allocations and system calls can fail,
 * checked for leaks at the end.
 *
 *     begin();
 *     loop_make(NULL);
 *     failing_syscalls_set(WAIT_CALL, 1, 1, ENOMEM);
 *     ...
 *     end();
 */
#ifndef WEIR_TEST_SUPPORT_FAILING_FIXTURE_H
#define WEIR_TEST_SUPPORT_FAILING_FIXTURE_H

#include <dirent.h>
#include <stddef.h>

#include "support/failing_allocator.h"
#include "support/failing_syscalls.h"
#include "support/loop_fixture.h"
#include "support/suite.h"

/* The call that a loop waits in, if it waits in the poller. */
#ifdef WEIR_POLLER_POLL
#define WAIT_CALL CALL_PPOLL
#else
#define WAIT_CALL CALL_EPOLL_PWAIT2
#endif

static struct failing_allocator memory;
static int open_at_first;

static inline int count_open_descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    int count = 0;

    expect(directory != NULL);
    while (readdir(directory) != NULL)
        count++;
    closedir(directory);
    return count;
}

/* A case opens its own descriptors before it calls this. */
static inline void begin(void)
{
    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    open_at_first = count_open_descriptors();
}

static inline void expect_no_leak(void)
{
    expect_int(memory.live, 0);
    expect_int(memory.live_bytes, 0);
    expect_int(count_open_descriptors(), open_at_first);
}

static inline void end(void)
{
    loop_end();
    expect_no_leak();
}

#endif /* WEIR_TEST_SUPPORT_FAILING_FIXTURE_H */
