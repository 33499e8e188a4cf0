/* SPDX-License-Identifier: MIT */
/*
 * poller -- readiness events from the kernel, and a descriptor to wake it.
 *
 * Two implementations, of which one is linked:
 *   os/epoll.c   Linux
 *   os/poll.c    POSIX: an array that is rebuilt after a change
 * Both sleep with a wakefd (wakefd.h) among the other descriptors.
 *
 * Roles
 *   open, close, wait, take_wakes   the loop's thread
 *   renew                           the loop's thread, under fd.c's lock
 *   add, modify, remove             any thread, even during wait; under fd.c's
 *                                   lock
 *   wake                            any thread
 *
 * Tokens.  A registration has a 64-bit token that is never reused; an event
 * carries it.  An event with an unknown token is stale.  Token 0 belongs to the
 * wake descriptor.
 */
#ifndef WEIR_SRC_POLLER_H
#define WEIR_SRC_POLLER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "weir/event.h"

#ifdef WEIR_SMALL
enum { WEIR__POLLER_BATCH = 2 };
#else
enum { WEIR__POLLER_BATCH = 256 };
#endif

#define WEIR__POLLER_WAKE UINT64_C(0)

struct weir__poller; /* os/epoll.c, os/poll.c */

/* A registration, with the arguments of add. */
struct weir__watch {
    int fd;
    unsigned events;
    uint64_t token;
};

struct weir__event {
    uint64_t token;
    unsigned events; /* WEIR_FD_READABLE .. WEIR_FD_HANGUP */
};

/* Open a poller.  Returns 0, -ENOMEM, -EMFILE, -ENFILE; nothing is left open on
 * failure. */
int weir__poller_open(struct weir__poller **poller);

/* Close a poller.  All wake-ups must have been taken, and no other thread may
 * be inside. */
void weir__poller_close(struct weir__poller *poller);

/* Add or modify a registration.  events as in weir/event.h, including
 * WEIR_FD_EDGE and WEIR_FD_ONESHOT.  Returns 0, or the kernel's error: -EBADF,
 * -EEXIST, -EPERM, -ENOMEM, -ENOSPC, -ENOENT, -ENOTSUP.  On failure nothing has
 * changed. */
int weir__poller_add(struct weir__poller *poller, int fd, unsigned events,
                     uint64_t token);
int weir__poller_modify(struct weir__poller *poller, int fd, unsigned events,
                        uint64_t token);

/* Whether fd is an open descriptor (os/fcntl.c). */
bool weir__poller_is_open(int fd);

/* Remove a registration.  False if the descriptor was closed before: the kernel
 * has forgotten it, unless a duplicate is open, and then it goes on reporting
 * the token until a renewal. */
bool weir__poller_remove(struct weir__poller *poller, int fd);

/* Forget all failed removals, and keep the registrations that `next` returns,
 * one by one until it returns false.  Descriptors closed meanwhile are left
 * out; `next` must leave out one-shots that have fired.  Ready descriptors are
 * reported once more, as by add.  Returns 0, -EMFILE, -ENFILE, -ENOMEM,
 * -ENOSPC; on failure nothing has changed. */
int weir__poller_renew(struct weir__poller *poller,
                       bool (*next)(void *arg, struct weir__watch *watch),
                       void *arg);

/* Wait until the real clock reaches deadline_ns (0: do not wait, negative: no
 * deadline), and fill events[0 .. WEIR__POLLER_BATCH - 1].  A signal neither
 * shortens nor lengthens the wait.  Never returns before the deadline without
 * an event.  Returns the number of events, or -errno of the kernel. */
int weir__poller_wait(struct weir__poller *poller, struct weir__event *events,
                      int64_t deadline_ns);

/* Send a wake-up: WEIR__POLLER_WAKE becomes ready. */
void weir__poller_wake(struct weir__poller *poller);

/* Take the number of wake-ups since the last call, and clear the event.
 * wait_for_one: if there was none yet, sleep until there is. */
uint64_t weir__poller_take_wakes(struct weir__poller *poller,
                                 bool wait_for_one);

/* A descriptor that is readable when wait would find an event; always the same
 * one.  Call under fd.c's lock.  Returns the descriptor, or -ENOTSUP, -EMFILE,
 * -ENFILE, -ENOMEM, -ENOSPC. */
int weir__poller_fd(struct weir__poller *poller);

/* Whether wait would find an event.  May be called by any thread, even during
 * await, under fd.c's lock.  False if that cannot be told (os/poll.c). */
bool weir__poller_is_ready(struct weir__poller *poller);

/* Wait like wait, but leave the events to it; a signal may shorten this.  False,
 * without waiting, if the implementation cannot (os/poll.c). */
bool weir__poller_await(struct weir__poller *poller, int64_t deadline_ns);

/* For the implementations: the time that the kernel may sleep until a deadline
 * of wait; 0: not at all, negative: no limit. */
static inline int64_t weir__poller_timeout(int64_t deadline_ns)
{
    int64_t now_ns;

    if (deadline_ns <= 0)
        return deadline_ns;
    now_ns = weir__clock_real();
    return deadline_ns > now_ns ? deadline_ns - now_ns : 0;
}

#endif /* WEIR_SRC_POLLER_H */
