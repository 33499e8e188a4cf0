/* SPDX-License-Identifier: MIT */
/*
 * os/epoll -- poller.h on Linux.
 *
 * The kernel holds the table of registrations, each with its token.  A change
 * made by any thread takes effect at once, even during a wait.  The kernel
 * rotates ready descriptors: those that did not fit into one batch come first
 * in the next.  The wake descriptor is one of them, level-triggered.
 *
 * Shared state
 *   wake_fd            const after open
 *   epoll_fd           written by the loop's thread under fd.c's lock; read
 *                      under it, and by the loop's thread without it
 *   host_fd            under fd.c's lock
 *   ready, has_pwait2  the loop's thread
 *
 * epoll_pwait2 (Linux 5.11, glibc 2.35) waits in nanoseconds.  Where it is
 * missing, epoll_wait waits in milliseconds, rounded up: late, never early.
 *
 * Renewal   A descriptor that is closed before it is removed leaves the
 *           kernel's table automatically, unless a duplicate of it is open,
 *           here or in a child.  Then its entry cannot be removed: the table's
 *           key is the file and the number, and the number no longer refers to
 *           the file.  Its events would continue forever, and a loop would
 *           spin on them.  So when the loop sees such an event, it moves to a
 *           new epoll instance and closes the old one with all its stale
 *           entries.  A descriptor whose number is not in the old instance does
 *           not move: it was closed too, and the number may refer to another
 *           file.
 * The host  A host that watches the backend descriptor (weir_loop_backend_fd)
 *           must not notice a renewal.  So the backend descriptor is a second
 *           epoll instance, created on demand, which watches only the first.
 *
 * Tested by  test/unit/base/poller.c, test/unit/base/poller_failing.c
 */
#include "base/poller.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/wakefd.h"

/* Weak: NULL if the C library does not provide it. */
__attribute__((weak)) int epoll_pwait2(int epoll_fd, struct epoll_event *events,
                                       int size, const struct timespec *timeout,
                                       const sigset_t *mask);

struct weir__poller {
    int wake_fd;  /* const after open */
    int epoll_fd; /* changed by renew */
    int host_fd;  /* -1: not asked for yet */

    /* Loop only; kept off the cache lines that wakers read. */
    _Alignas(CACHE_APART) bool has_pwait2;
    struct epoll_event ready[WEIR__POLLER_BATCH];
};

/* EPOLLERR and EPOLLHUP are always reported. */
static uint32_t to_kernel(unsigned events)
{
    return ((events & WEIR_FD_READABLE) != 0 ? EPOLLIN | EPOLLRDHUP : 0) |
           ((events & WEIR_FD_WRITABLE) != 0 ? EPOLLOUT : 0) |
           ((events & WEIR_FD_PRIORITY) != 0 ? EPOLLPRI : 0) |
           ((events & WEIR_FD_EDGE) != 0 ? EPOLLET : 0) |
           ((events & WEIR_FD_ONESHOT) != 0 ? EPOLLONESHOT : 0);
}

static unsigned from_kernel(uint32_t kernel)
{
    return ((kernel & EPOLLIN) != 0 ? WEIR_FD_READABLE : 0) |
           ((kernel & EPOLLOUT) != 0 ? WEIR_FD_WRITABLE : 0) |
           ((kernel & EPOLLPRI) != 0 ? WEIR_FD_PRIORITY : 0) |
           ((kernel & EPOLLERR) != 0 ? WEIR_FD_ERROR : 0) |
           ((kernel & (EPOLLHUP | EPOLLRDHUP)) != 0 ? WEIR_FD_HANGUP : 0);
}

static int control(int epoll_fd, int operation, int fd, unsigned events,
                   uint64_t token)
{
    struct epoll_event event = {.events = to_kernel(events), .data.u64 = token};

    return epoll_ctl(epoll_fd, operation, fd, &event) == 0 ? 0 : -errno;
}

/* Create an instance that watches one descriptor.  Returns it, or -errno. */
static int open_with(int fd, uint64_t token)
{
    int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    int err;

    if (epoll_fd < 0)
        return -errno;
    err = control(epoll_fd, EPOLL_CTL_ADD, fd, WEIR_FD_READABLE, token);
    if (err == 0)
        return epoll_fd;
    close(epoll_fd);
    return err;
}

int weir__poller_open(struct weir__poller **result)
{
    struct weir__poller *poller =
        weir__memory_alloc(sizeof(*poller), _Alignof(struct weir__poller));
    int err;

    if (poller == NULL)
        return -ENOMEM;
    poller->has_pwait2 = epoll_pwait2 != NULL;
    poller->host_fd = -1;
    poller->wake_fd = err = weir__wakefd_open();
    if (err < 0)
        goto no_wakefd;
    poller->epoll_fd = err = open_with(poller->wake_fd, WEIR__POLLER_WAKE);
    if (err < 0)
        goto no_epoll;
    *result = poller;
    return 0;

no_epoll:
    weir__wakefd_close(poller->wake_fd);
no_wakefd:
    weir__memory_free(poller, sizeof(*poller));
    return err;
}

void weir__poller_close(struct weir__poller *poller)
{
    if (poller->host_fd >= 0)
        close(poller->host_fd);
    close(poller->epoll_fd);
    weir__wakefd_close(poller->wake_fd);
    weir__memory_free(poller, sizeof(*poller));
}

int weir__poller_add(struct weir__poller *poller, int fd, unsigned events,
                     uint64_t token)
{
    DEBUG_CHECK(token != WEIR__POLLER_WAKE, "the token of the wake descriptor");
    return control(poller->epoll_fd, EPOLL_CTL_ADD, fd, events, token);
}

int weir__poller_modify(struct weir__poller *poller, int fd, unsigned events,
                        uint64_t token)
{
    DEBUG_CHECK(token != WEIR__POLLER_WAKE, "the token of the wake descriptor");
    return control(poller->epoll_fd, EPOLL_CTL_MOD, fd, events, token);
}

bool weir__poller_remove(struct weir__poller *poller, int fd)
{
    /* EBADF: it is closed.  ENOENT, EPERM: its number refers to another
     * file. */
    return control(poller->epoll_fd, EPOLL_CTL_DEL, fd, 0, 0) == 0;
}

/* Register the descriptor with the new instance if the old one has it under
 * this number.  A modification that changes nothing tells whether it has. */
static int carry_over(int old_fd, int new_fd, const struct weir__watch *watch)
{
    int err =
        control(old_fd, EPOLL_CTL_MOD, watch->fd, watch->events, watch->token);

    if (err == 0)
        err = control(new_fd, EPOLL_CTL_ADD, watch->fd, watch->events,
                      watch->token);
    return err == -EBADF || err == -ENOENT || err == -EPERM ? 0 : err;
}

int weir__poller_renew(struct weir__poller *poller,
                       bool (*next)(void *arg, struct weir__watch *watch),
                       void *arg)
{
    int old_fd = poller->epoll_fd;
    int new_fd = open_with(poller->wake_fd, WEIR__POLLER_WAKE);
    struct weir__watch watch;
    int err = new_fd < 0 ? new_fd : 0;

    while (err == 0 && next(arg, &watch))
        err = carry_over(old_fd, new_fd, &watch);
    if (err == 0 && poller->host_fd >= 0)
        err = control(poller->host_fd, EPOLL_CTL_ADD, new_fd, WEIR_FD_READABLE,
                      0);
    if (err != 0) {
        if (new_fd >= 0)
            close(new_fd);
        return err;
    }
    /* A forked child may have the old one open, so closing is not enough. */
    if (poller->host_fd >= 0)
        (void)control(poller->host_fd, EPOLL_CTL_DEL, old_fd, 0, 0);
    poller->epoll_fd = new_fd;
    close(old_fd);
    return 0;
}

static int to_milliseconds(int64_t timeout_ns)
{
    int64_t milliseconds;

    if (timeout_ns < 0)
        return -1;
    milliseconds = timeout_ns / 1000000 + (timeout_ns % 1000000 != 0);
    return milliseconds < INT_MAX ? (int)milliseconds : INT_MAX;
}

/* Make one system call.  Returns the number of ready descriptors, or -errno. */
static int look(struct weir__poller *poller, int64_t timeout_ns)
{
    struct timespec timeout = {.tv_sec = timeout_ns / 1000000000,
                               .tv_nsec = timeout_ns % 1000000000};
    int count;

    if (poller->has_pwait2) {
        count =
            epoll_pwait2(poller->epoll_fd, poller->ready, WEIR__POLLER_BATCH,
                         timeout_ns < 0 ? NULL : &timeout, NULL);
        /* EPERM: some sandboxes return it for calls that they do not know. */
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

    /* A wait that a signal interrupted says nothing: check once more. */
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

int weir__poller_fd(struct weir__poller *poller)
{
    int fd = poller->host_fd;

    if (fd < 0)
        fd = open_with(poller->epoll_fd, 0);
    if (fd >= 0)
        poller->host_fd = fd;
    return fd;
}

bool weir__poller_is_ready(struct weir__poller *poller)
{
    struct pollfd entry = {.fd = poller->epoll_fd, .events = POLLIN};

    return poll(&entry, 1, 0) > 0;
}

bool weir__poller_await(struct weir__poller *poller, int64_t deadline_ns)
{
    struct pollfd entry = {.fd = poller->epoll_fd, .events = POLLIN};
    int64_t left_ns = weir__poller_timeout(deadline_ns);
    struct timespec left = {.tv_sec = left_ns / 1000000000,
                            .tv_nsec = left_ns % 1000000000};

    (void)!ppoll(&entry, 1, left_ns < 0 ? NULL : &left, NULL);
    return true;
}
