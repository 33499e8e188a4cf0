/* SPDX-License-Identifier: MIT */
/*
 * poller_fixture -- one poller, and descriptors that are easy to make ready.
 *
 * A case is a process: what it opens is closed when it ends.
 */
#ifndef WEIR_TEST_SUPPORT_POLLER_FIXTURE_H
#define WEIR_TEST_SUPPORT_POLLER_FIXTURE_H

#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/poller.h"
#include "support/suite.h"

enum { NEVER = -1, AT_ONCE = 0, MILLISECOND_NS = 1000000 };

static struct weir__poller *poller;
static struct weir__event events[WEIR__POLLER_BATCH];

static inline void begin(void)
{
    expect_status(weir__poller_open(&poller), 0);
}

static inline void end(void)
{
    weir__poller_close(poller);
}

static inline void add(int fd, unsigned mask, uint64_t token)
{
    expect_status(weir__poller_add(poller, fd, mask, token), 0);
}

static inline void modify(int fd, unsigned mask, uint64_t token)
{
    expect_status(weir__poller_modify(poller, fd, mask, token), 0);
}

/* Expect exactly one event, which is ready now or certain to come. */
static inline void expect_event(int64_t deadline_ns, uint64_t token,
                                unsigned mask)
{
    expect_int(weir__poller_wait(poller, events, deadline_ns), 1);
    expect_int(events[0].token, token);
    expect_int(events[0].events, mask);
}

static inline void expect_silence(void)
{
    expect_int(weir__poller_wait(poller, events, AT_ONCE), 0);
}

/* An eventfd is always writable; a full one is readable as well. */
static inline int open_event(unsigned count)
{
    int fd = eventfd(count, EFD_NONBLOCK);

    expect(fd >= 0);
    return fd;
}

static inline void fill(int fd)
{
    const uint64_t one = 1;

    expect_int(write(fd, &one, sizeof(one)), sizeof(one));
}

static inline void drain(int fd)
{
    uint64_t count;

    expect_int(read(fd, &count, sizeof(count)), sizeof(count));
}

#endif /* WEIR_TEST_SUPPORT_POLLER_FIXTURE_H */
