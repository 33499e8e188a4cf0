/* SPDX-License-Identifier: MIT */
/*
 * poller -- the kernel's readiness, and the descriptor that wakes it.
 *
 * Two implementations, one is linked:
 *   os/epoll.c   Linux
 *   os/poll.c    POSIX: an array that is made anew when it has changed
 * Both sleep with a wakefd (wakefd.h) among the other descriptors.
 *
 * Roles
 *   open, close, wait, take_wakes   the loop's thread
 *   renew                           the loop's thread, under fd.c's lock
 *   add, modify, remove             any thread, also during wait; under fd.c's
 *                                   lock
 *   wake                            any thread
 *
 * Tokens.  A registration has a 64-bit token that is never used again; an
 * event carries it.  A stale event is one whose token nobody knows.  Token 0
 * is the wake descriptor's.
 */
#ifndef WEIR_SRC_POLLER_H
#define WEIR_SRC_POLLER_H

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "weir/event.h"

#ifdef WEIR_SMALL
enum { WEIR__POLLER_BATCH = 2 };
#else
enum { WEIR__POLLER_BATCH = 256 };
#endif

#define WEIR__POLLER_WAKE UINT64_C(0)

struct weir__poller; /* os/epoll.c, os/poll.c */

/* A registration, as add knows it. */
struct weir__watch {
    int fd;
    unsigned events;
    uint64_t token;
};

struct weir__event {
    uint64_t token;
    unsigned events; /* WEIR_READABLE .. WEIR_HANGUP */
};

/* Returns  0, -ENOMEM, -EMFILE, -ENFILE; nothing is left open on failure */
int weir__poller_open(struct weir__poller **poller);

/* All wakes have been taken, and no other thread is inside. */
void weir__poller_close(struct weir__poller *poller);

/* events as in weir/event.h, WEIR_EDGE and WEIR_ONESHOT included.
 * Returns  0, or what the kernel says: -EBADF, -EEXIST, -EPERM, -ENOMEM,
 *          -ENOSPC, -ENOENT, -ENOTSUP; nothing has changed then */
int weir__poller_add(struct weir__poller *poller, int fd, unsigned events,
                     uint64_t token);
int weir__poller_modify(struct weir__poller *poller, int fd, unsigned events,
                        uint64_t token);

/* Whether the number is that of an open descriptor (os/fcntl.c). */
bool weir__poller_is_open(int fd);

/* Returns  false if the descriptor was closed before: then the kernel has
 *          forgotten it; or it has not, as a duplicate is open, and goes on
 *          reporting the token until a renewal */
bool weir__poller_remove(struct weir__poller *poller, int fd);

/* Forget all that was removed in vain, and keep what `next` names, one by one
 * until it returns false.  What was closed meanwhile is left out, one-shots that
 * have been shot must be left out by `next`.  What is ready is reported once
 * more, as by add.
 * Returns  0, -EMFILE, -ENFILE, -ENOMEM, -ENOSPC: nothing has changed */
int weir__poller_renew(struct weir__poller *poller,
                       bool (*next)(void *arg, struct weir__watch *watch),
                       void *arg);

/* Wait until the real clock reaches deadline_ns (0: do not wait, negative: no
 * deadline), and fill events[0 .. WEIR__POLLER_BATCH - 1].  A signal neither
 * shortens nor lengthens it.  Never returns before the deadline without an
 * event.
 * Returns  how many, or -errno of the kernel's refusal */
int weir__poller_wait(struct weir__poller *poller, struct weir__event *events,
                      int64_t deadline_ns);

/* One more wake: WEIR__POLLER_WAKE becomes ready. */
void weir__poller_wake(struct weir__poller *poller);

/* How many wakes there were since the last call; the event is no longer ready.
 * wait_for_one: if there was none yet, sleeps until there is. */
uint64_t weir__poller_take_wakes(struct weir__poller *poller,
                                 bool wait_for_one);

/* A descriptor that is readable when wait would find something; always the same
 * one.  Under fd.c's lock.
 * Returns  it, or -ENOTSUP, -EMFILE, -ENFILE, -ENOMEM, -ENOSPC */
int weir__poller_fd(struct weir__poller *poller);

/* For the implementations: how long the kernel may sleep until a deadline of
 * wait; 0: not at all, negative: for ever. */
static inline int64_t weir__poller_timeout(int64_t deadline_ns)
{
    int64_t now_ns;

    if (deadline_ns <= 0)
        return deadline_ns;
    now_ns = weir__clock_real();
    return deadline_ns > now_ns ? deadline_ns - now_ns : 0;
}

#endif /* WEIR_SRC_POLLER_H */
