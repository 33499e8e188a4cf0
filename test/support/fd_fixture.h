/* SPDX-License-Identifier: MIT */
/*
 * fd_fixture -- descriptors of a loop, watched from inside and from elsewhere.
 *
 *     PLACE_CASE(fd_that_is_ready_is_called_every_turn)
 *     {
 *         loop_make(NULL);
 *         watch(event_open(1), WEIR_FD_READABLE, "ready");
 *         loop_turns(1);
 *         expect_recorded("ready ready");
 *         loop_end();
 *     }
 */
#ifndef WEIR_TEST_SUPPORT_FD_FIXTURE_H
#define WEIR_TEST_SUPPORT_FD_FIXTURE_H

#include <stddef.h>

#include "support/loop_fixture.h"
#include "support/place.h"
#include "support/suite.h"
#include "weir/fd.h"

struct fd_call {
    enum { ADD, MODIFY, REMOVE, REF, UNREF } what;
    int fd;
    unsigned events;
    weir_fd_fn *fn;
    weir_fn *removed;
    void *arg;
    int status;
};

static inline int make_fd_call(const struct fd_call *call)
{
    switch (call->what) {
    case ADD:
        return weir_fd_add(loop, call->fd, call->events, call->fn, call->arg);
    case MODIFY:
        return weir_fd_modify(loop, call->fd, call->events);
    case REMOVE:
        return weir_fd_remove(loop, call->fd, call->removed, call->arg);
    case REF:
        return weir_fd_ref(loop, call->fd);
    default:
        return weir_fd_unref(loop, call->fd);
    }
}

static inline void run_fd_call(void *arg, int status)
{
    struct fd_call *call = arg;

    call->status = make_fd_call(call);
}

static inline int perform_fd_call(struct fd_call call)
{
    call.status = 1;
    perform(run_fd_call, &call);
    return call.status;
}

static inline int try_add(int fd, unsigned events, weir_fd_fn *fn, void *arg)
{
    return perform_fd_call((struct fd_call){
        .what = ADD, .fd = fd, .events = events, .fn = fn, .arg = arg});
}

static inline int try_modify(int fd, unsigned events)
{
    return perform_fd_call(
        (struct fd_call){.what = MODIFY, .fd = fd, .events = events});
}

static inline int try_remove(int fd, weir_fn *removed, void *arg)
{
    return perform_fd_call((struct fd_call){
        .what = REMOVE, .fd = fd, .removed = removed, .arg = arg});
}

static inline int try_ref(int fd)
{
    return perform_fd_call((struct fd_call){.what = REF, .fd = fd});
}

static inline int try_unref(int fd)
{
    return perform_fd_call((struct fd_call){.what = UNREF, .fd = fd});
}

/* Variants that must succeed.  The callback records the word. */
static inline void watch(int fd, unsigned events, char *word)
{
    expect_status(try_add(fd, events, record_fd, word), 0);
}

static inline void watch_for(int fd, unsigned events)
{
    expect_status(try_modify(fd, events), 0);
}

static inline void unwatch(int fd)
{
    expect_status(try_remove(fd, NULL, NULL), 0);
}

/* Without a turn of the loop. */
static inline void watch_now(int fd, unsigned events, weir_fd_fn *fn, void *arg)
{
    expect_status(weir_fd_add(loop, fd, events, fn, arg), 0);
}

#endif /* WEIR_TEST_SUPPORT_FD_FIXTURE_H */
