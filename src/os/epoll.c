/* SPDX-License-Identifier: MIT */
/*
 * os/epoll -- poller.h on Linux.
 *
 * The kernel holds the table of registrations, each with its token; a change
 * by any thread takes effect at once, also during a wait.  Ready descriptors
 * take turns in the kernel: what a batch had no room for comes first in the
 * next.  The wake descriptor is one of them, level-triggered.
 *
 * Shared state
 *   the descriptors    const after open
 *   ready, has_pwait2  the loop's thread
 *
 * epoll_pwait2 (Linux 5.11, glibc 2.35) waits in nanoseconds.  Where it is
 * missing, epoll_wait waits in milliseconds, rounded up: late, never early.
 *
 * A descriptor that is closed before it is removed leaves the table by itself,
 * unless a duplicate of it is open somewhere: then its events go on, and
 * nothing can stop them but closing the duplicate.  That is epoll's nature,
 * and why fd.h asks for the removal first.
 *
 * Tested by  test/unit/poller.c, test/unit/poller_failing.c
 */
#include "poller.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "atomic.h"
#include "check.h"
#include "memory.h"
#include "wakefd.h"

/* Weak: NULL if the C library that we are linked with does not know it. */
__attribute__((weak)) int epoll_pwait2(int epoll_fd, struct epoll_event *events,
                                       int size, const struct timespec *timeout,
                                       const sigset_t *mask);

struct weir__poller {
    int epoll_fd, wake_fd; /* const after open */

    /* Loop only; apart from what those who wake read. */
    _Alignas(CACHE_APART) bool has_pwait2;
    struct epoll_event ready[WEIR__POLLER_BATCH];
};

/* EPOLLERR and EPOLLHUP need not be asked for. */
static uint32_t to_kernel(unsigned events)
{
    return ((events & WEIR_READABLE) != 0 ? EPOLLIN | EPOLLRDHUP : 0) |
           ((events & WEIR_WRITABLE) != 0 ? EPOLLOUT : 0) |
           ((events & WEIR_PRIORITY) != 0 ? EPOLLPRI : 0) |
           ((events & WEIR_EDGE) != 0 ? EPOLLET : 0) |
           ((events & WEIR_ONESHOT) != 0 ? EPOLLONESHOT : 0);
}

static unsigned from_kernel(uint32_t kernel)
{
    return ((kernel & EPOLLIN) != 0 ? WEIR_READABLE : 0) |
           ((kernel & EPOLLOUT) != 0 ? WEIR_WRITABLE : 0) |
           ((kernel & EPOLLPRI) != 0 ? WEIR_PRIORITY : 0) |
           ((kernel & EPOLLERR) != 0 ? WEIR_ERROR : 0) |
           ((kernel & (EPOLLHUP | EPOLLRDHUP)) != 0 ? WEIR_HANGUP : 0);
}

static int control(struct weir__poller *poller, int operation, int fd,
                   unsigned events, uint64_t token)
{
    struct epoll_event event = {.events = to_kernel(events), .data.u64 = token};

    return epoll_ctl(poller->epoll_fd, operation, fd, &event) == 0 ? 0 : -errno;
}

int weir__poller_open(struct weir__poller **result)
{
    struct weir__poller *poller =
        weir__memory_alloc(sizeof(*poller), _Alignof(struct weir__poller));
    int err;

    if (poller == NULL)
        return -ENOMEM;
    poller->has_pwait2 = epoll_pwait2 != NULL;
    poller->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (poller->epoll_fd < 0) {
        err = -errno;
        goto no_epoll;
    }
    poller->wake_fd = err = weir__wakefd_open();
    if (err < 0)
        goto no_wakefd;
    err = control(poller, EPOLL_CTL_ADD, poller->wake_fd, WEIR_READABLE,
                  WEIR__POLLER_WAKE);
    if (err != 0)
        goto not_added;
    *result = poller;
    return 0;

not_added:
    weir__wakefd_close(poller->wake_fd);
no_wakefd:
    close(poller->epoll_fd);
no_epoll:
    weir__memory_free(poller, sizeof(*poller));
    return err;
}

void weir__poller_close(struct weir__poller *poller)
{
    weir__wakefd_close(poller->wake_fd);
    close(poller->epoll_fd);
    weir__memory_free(poller, sizeof(*poller));
}

int weir__poller_add(struct weir__poller *poller, int fd, unsigned events,
                     uint64_t token)
{
    DEBUG_CHECK(token != WEIR__POLLER_WAKE, "the token of the wake descriptor");
    return control(poller, EPOLL_CTL_ADD, fd, events, token);
}

int weir__poller_modify(struct weir__poller *poller, int fd, unsigned events,
                        uint64_t token)
{
    DEBUG_CHECK(token != WEIR__POLLER_WAKE, "the token of the wake descriptor");
    return control(poller, EPOLL_CTL_MOD, fd, events, token);
}

void weir__poller_remove(struct weir__poller *poller, int fd)
{
    /* EBADF: it is closed.  ENOENT, EPERM: and its number is another file's.
     * In each case it is gone, and that is what was asked for. */
    (void)control(poller, EPOLL_CTL_DEL, fd, 0, 0);
}

static int to_milliseconds(int64_t timeout_ns)
{
    int64_t milliseconds;

    if (timeout_ns < 0)
        return -1;
    milliseconds = timeout_ns / 1000000 + (timeout_ns % 1000000 != 0);
    return milliseconds < INT_MAX ? (int)milliseconds : INT_MAX;
}

/* One system call.  Returns how many are ready, or -errno. */
static int look(struct weir__poller *poller, int64_t timeout_ns)
{
    struct timespec timeout = {.tv_sec = timeout_ns / 1000000000,
                               .tv_nsec = timeout_ns % 1000000000};
    int count;

    if (poller->has_pwait2) {
        count =
            epoll_pwait2(poller->epoll_fd, poller->ready, WEIR__POLLER_BATCH,
                         timeout_ns < 0 ? NULL : &timeout, NULL);
        /* EPERM: some sandboxes say so of calls that they do not know. */
        if (count >= 0 || (errno != ENOSYS && errno != EPERM))
            return count >= 0 ? count : -errno;
        poller->has_pwait2 = false;
    }
    count = epoll_wait(poller->epoll_fd, poller->ready, WEIR__POLLER_BATCH,
                       to_milliseconds(timeout_ns));
    return count >= 0 ? count : -errno;
}

int weir__poller_wait(struct weir__poller *poller, struct weir__event *events,
                      int64_t deadline_ns)
{
    int count;

    /* After a signal nothing is known: look once more. */
    do {
        count = look(poller, weir__poller_timeout(deadline_ns));
    } while (count == -EINTR ||
             (count == 0 && weir__poller_timeout(deadline_ns) != 0));
    for (int i = 0; i < count; i++) {
        events[i].token = poller->ready[i].data.u64;
        events[i].events = from_kernel(poller->ready[i].events);
    }
    return count;
}

void weir__poller_wake(struct weir__poller *poller)
{
    weir__wakefd_signal(poller->wake_fd);
}

uint64_t weir__poller_take_wakes(struct weir__poller *poller, bool wait_for_one)
{
    return weir__wakefd_take(poller->wake_fd, wait_for_one);
}

int weir__poller_fd(const struct weir__poller *poller)
{
    return poller->epoll_fd;
}
