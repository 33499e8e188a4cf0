/* SPDX-License-Identifier: MIT */
/*
 * failing_syscalls -- see failing_syscalls.h.
 *
 * The linker turns each read() into __wrap_read(), and __real_read() into the
 * C library's or the sanitizer's.  All accesses here are relaxed: anything
 * stronger would order the threads of a test and hide their races.
 */
#include "failing_syscalls.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>

/* One word, so that it can be stored atomically. */
struct plan {
    _Alignas(uint64_t) uint32_t nth;
    uint16_t times;
    uint16_t error;
};

static struct plan plans[FAILING_CALLS];     /* atomic */
static uint64_t counts[FAILING_CALLS];       /* atomic */
static void (*actions[FAILING_CALLS])(void); /* atomic */
static void (*after_create)(void);           /* atomic */

void failing_syscalls_set(enum failing_call call, uint32_t nth, uint16_t times,
                          int error)
{
    struct plan plan = {nth, times, (uint16_t)error};

    __atomic_store_n(&counts[call], 0, __ATOMIC_RELAXED);
    __atomic_store(&plans[call], &plan, __ATOMIC_RELAXED);
}

uint64_t failing_syscalls_count(enum failing_call call)
{
    return __atomic_load_n(&counts[call], __ATOMIC_RELAXED);
}

void failing_syscalls_before(enum failing_call call, void (*action)(void))
{
    __atomic_store_n(&actions[call], action, __ATOMIC_RELAXED);
}

void failing_syscalls_after_create(void (*action)(void))
{
    __atomic_store_n(&after_create, action, __ATOMIC_RELAXED);
}

static void run_once(void (**place)(void))
{
    void (*action)(void) = __atomic_exchange_n(place, NULL, __ATOMIC_RELAXED);

    if (action != NULL)
        action();
}

/* Whether the call must fail; if so, errno is set. */
static bool fails(enum failing_call call)
{
    uint64_t number = __atomic_add_fetch(&counts[call], 1, __ATOMIC_RELAXED);
    struct plan plan;

    run_once(&actions[call]);
    __atomic_load(&plans[call], &plan, __ATOMIC_RELAXED);
    if (number < plan.nth || number - plan.nth >= plan.times)
        return false;
    errno = plan.error;
    return true;
}

/* The return value of a call that fails. */
static int failure(void)
{
    return errno != 0 ? -1 : 0;
}

/* Define __wrap_NAME. */
#define WRAP(result, name, call, parameters, arguments)                        \
    result __real_##name parameters;                                           \
    result __wrap_##name parameters;                                           \
    result __wrap_##name parameters                                            \
    {                                                                          \
        return fails(call) ? failure() : __real_##name arguments;              \
    }

WRAP(int, epoll_create1, CALL_EPOLL_CREATE1, (int flags), (flags))
WRAP(int, epoll_ctl, CALL_EPOLL_CTL,
     (int epoll_fd, int operation, int fd, struct epoll_event *event),
     (epoll_fd, operation, fd, event))
WRAP(int, epoll_wait, CALL_EPOLL_WAIT,
     (int epoll_fd, struct epoll_event *events, int size, int timeout_ms),
     (epoll_fd, events, size, timeout_ms))
WRAP(int, eventfd, CALL_EVENTFD, (unsigned count, int flags), (count, flags))
WRAP(int, poll, CALL_POLL,
     (struct pollfd * entries, nfds_t size, int timeout_ms),
     (entries, size, timeout_ms))
WRAP(int, ppoll, CALL_PPOLL,
     (struct pollfd * entries, nfds_t size, const struct timespec *timeout,
      const sigset_t *mask),
     (entries, size, timeout, mask))
WRAP(ssize_t, read, CALL_READ, (int fd, void *buffer, size_t size),
     (fd, buffer, size))
WRAP(ssize_t, write, CALL_WRITE, (int fd, const void *buffer, size_t size),
     (fd, buffer, size))

/* The two pthread functions return their error. */
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*body)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*body)(void *), void *arg);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*body)(void *), void *arg)
{
    int err;

    if (fails(CALL_PTHREAD_CREATE))
        return errno;
    err = __real_pthread_create(thread, attributes, body, arg);
    if (err == 0)
        run_once(&after_create);
    return err;
}

int __real_pthread_join(pthread_t thread, void **result);
int __wrap_pthread_join(pthread_t thread, void **result);

int __wrap_pthread_join(pthread_t thread, void **result)
{
    if (fails(CALL_PTHREAD_JOIN))
        return errno;
    return __real_pthread_join(thread, result);
}

/* Weak, because not every C library has it. */
__attribute__((weak)) int
__real_epoll_pwait2(int epoll_fd, struct epoll_event *events, int size,
                    const struct timespec *timeout, const sigset_t *mask);
int __wrap_epoll_pwait2(int epoll_fd, struct epoll_event *events, int size,
                        const struct timespec *timeout, const sigset_t *mask);

int __wrap_epoll_pwait2(int epoll_fd, struct epoll_event *events, int size,
                        const struct timespec *timeout, const sigset_t *mask)
{
    if (fails(CALL_EPOLL_PWAIT2))
        return failure();
    if (__real_epoll_pwait2 == NULL) {
        errno = ENOSYS;
        return -1;
    }
    return __real_epoll_pwait2(epoll_fd, events, size, timeout, mask);
}

static _Thread_local struct waits waits;

static int64_t real_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

int64_t waits_forget(void)
{
    waits = (struct waits){.count = 0};
    return real_ns();
}

struct waits waits_look(void)
{
    return waits;
}

static void note_wait(const struct timespec *deadline)
{
    int64_t deadline_ns =
        deadline->tv_sec * INT64_C(1000000000) + deadline->tv_nsec;

    if (waits.count++ == 0) {
        waits.called_ns = real_ns();
        waits.deadline_ns = deadline_ns;
    }
    waits.has_moved |= deadline_ns != waits.deadline_ns;
}

static bool is_timed_wait(const long arguments[6])
{
    return (arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET &&
           arguments[3] != 0;
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

/* Forward six arguments, as the C library does; the kernel ignores those that
 * were not passed.  They are read as garbage, so the sanitizers must not check
 * them. */
__attribute__((no_sanitize("address", "thread", "undefined"))) long
__wrap_syscall(long number, ...)
{
    long given[6];
    va_list list;

    va_start(list, number);
    for (int i = 0; i < 6; i++)
        given[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_futex && is_timed_wait(given))
        note_wait((const struct timespec *)given[3]);
    if (number == SYS_futex && fails(CALL_FUTEX))
        return failure();
    return __real_syscall(number, given[0], given[1], given[2], given[3],
                          given[4], given[5]);
}
