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
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

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

/* ---- the sweep ---- */

static const int *sweep_errors; /* atomic; NULL: there is none */
static uint64_t sweep_nth, sweep_count;
static bool sweep_is_lasting;
static enum failing_call sweep_failed; /* atomic */

static bool is_swept(enum failing_call call)
{
    const int *errors = __atomic_load_n(&sweep_errors, __ATOMIC_RELAXED);
    enum failing_call failed = __atomic_load_n(&sweep_failed, __ATOMIC_RELAXED);

    if (errors == NULL || errors[call] == 0)
        return false;
    if (failed != FAILING_CALLS && (failed != call || !sweep_is_lasting))
        return false;
    if (failed == FAILING_CALLS &&
        __atomic_add_fetch(&sweep_count, 1, __ATOMIC_RELAXED) != sweep_nth)
        return false;
    __atomic_store_n(&sweep_failed, call, __ATOMIC_RELAXED);
    errno = errors[call];
    return true;
}

void failing_sweep_begin(const int errors[FAILING_CALLS], uint64_t nth,
                         bool is_lasting)
{
    sweep_nth = nth;
    sweep_count = 0;
    sweep_is_lasting = is_lasting;
    sweep_failed = FAILING_CALLS;
    __atomic_store_n(&sweep_errors, errors, __ATOMIC_RELAXED);
}

void failing_sweep_pause(bool is_paused)
{
    static const int *errors;

    if (is_paused)
        errors = __atomic_exchange_n(&sweep_errors, NULL, __ATOMIC_RELAXED);
    else
        __atomic_store_n(&sweep_errors, errors, __ATOMIC_RELAXED);
}

enum failing_call failing_sweep_end(void)
{
    __atomic_store_n(&sweep_errors, NULL, __ATOMIC_RELAXED);
    return __atomic_load_n(&sweep_failed, __ATOMIC_RELAXED);
}

const char *failing_syscalls_name(enum failing_call call)
{
    static const char *const names[FAILING_CALLS] = {
        [CALL_ACCEPT4] = "accept4",
        [CALL_BIND] = "bind",
        [CALL_CHMOD] = "chmod",
        [CALL_CLOSE] = "close",
        [CALL_CONNECT] = "connect",
        [CALL_DUP3] = "dup3",
        [CALL_EPOLL_CREATE1] = "epoll_create1",
        [CALL_EPOLL_CTL] = "epoll_ctl",
        [CALL_EPOLL_PWAIT2] = "epoll_pwait2",
        [CALL_EPOLL_WAIT] = "epoll_wait",
        [CALL_EVENTFD] = "eventfd",
        [CALL_FCNTL] = "fcntl",
        [CALL_FSTAT] = "fstat",
        [CALL_FUTEX] = "futex",
        [CALL_GETPEERNAME] = "getpeername",
        [CALL_GETRANDOM] = "getrandom",
        [CALL_GETSOCKNAME] = "getsockname",
        [CALL_GETSOCKOPT] = "getsockopt",
        [CALL_INOTIFY_ADD_WATCH] = "inotify_add_watch",
        [CALL_INOTIFY_INIT1] = "inotify_init1",
        [CALL_LISTEN] = "listen",
        [CALL_OPEN] = "open",
        [CALL_OPENAT2] = "openat2",
        [CALL_PIPE2] = "pipe2",
        [CALL_POLL] = "poll",
        [CALL_PPOLL] = "ppoll",
        [CALL_PREAD] = "pread",
        [CALL_PTHREAD_CREATE] = "pthread_create",
        [CALL_PTHREAD_JOIN] = "pthread_join",
        [CALL_READ] = "read",
        [CALL_RECV] = "recv",
        [CALL_RECVMMSG] = "recvmmsg",
        [CALL_RECVMSG] = "recvmsg",
        [CALL_SEND] = "send",
        [CALL_SENDFILE] = "sendfile",
        [CALL_SENDMMSG] = "sendmmsg",
        [CALL_SENDMSG] = "sendmsg",
        [CALL_SETSOCKOPT] = "setsockopt",
        [CALL_SHUTDOWN] = "shutdown",
        [CALL_SOCKET] = "socket",
        [CALL_SOCKETPAIR] = "socketpair",
        [CALL_STAT] = "stat",
        [CALL_UNLINK] = "unlink",
        [CALL_WRITE] = "write",
        [CALL_WRITEV] = "writev"};

    return names[call];
}

/* ---- calls ---- */

/* Whether a call that is planned to fail is next; if so, errno is set. */
static bool is_planned(enum failing_call call)
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

/* Whether the call must fail; if so, errno is set. */
static bool fails(enum failing_call call)
{
    return is_planned(call) || is_swept(call);
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

/* A connection that is gone stays so. */
static void end_connection(int fd)
{
    int error = errno;

    if (error == EPIPE || error == ECONNRESET || error == ETIMEDOUT ||
        error == ENOTCONN)
        (void)syscall(SYS_shutdown, fd, SHUT_RDWR);
    errno = error;
}

/* Define __wrap_NAME, of a call whose first parameter is a connection. */
#define WRAP_ON(result, name, call, parameters, arguments)                     \
    result __real_##name parameters;                                           \
    result __wrap_##name parameters;                                           \
    result __wrap_##name parameters                                            \
    {                                                                          \
        if (is_planned(call))                                                  \
            return failure();                                                  \
        if (!is_swept(call))                                                   \
            return __real_##name arguments;                                    \
        end_connection(fd);                                                    \
        return -1;                                                             \
    }

#define ANY_NAME struct sockaddr *name, socklen_t *size
#define THIS_NAME const struct sockaddr *name, socklen_t size

WRAP(int, accept4, CALL_ACCEPT4, (int fd, ANY_NAME, int flags),
     (fd, name, size, flags))
WRAP(int, bind, CALL_BIND, (int fd, THIS_NAME), (fd, name, size))
WRAP(int, chmod, CALL_CHMOD, (const char *path, mode_t mode), (path, mode))
WRAP(int, connect, CALL_CONNECT, (int fd, THIS_NAME), (fd, name, size))
WRAP(int, dup3, CALL_DUP3, (int from, int to, int flags), (from, to, flags))
WRAP(int, epoll_create1, CALL_EPOLL_CREATE1, (int flags), (flags))
WRAP(int, epoll_wait, CALL_EPOLL_WAIT,
     (int epoll_fd, struct epoll_event *events, int size, int timeout_ms),
     (epoll_fd, events, size, timeout_ms))
WRAP(int, fstat, CALL_FSTAT, (int fd, struct stat *about), (fd, about))
WRAP(int, getpeername, CALL_GETPEERNAME, (int fd, ANY_NAME), (fd, name, size))
WRAP(ssize_t, getrandom, CALL_GETRANDOM,
     (void *buffer, size_t size, unsigned flags), (buffer, size, flags))
WRAP(int, getsockname, CALL_GETSOCKNAME, (int fd, ANY_NAME), (fd, name, size))
WRAP(int, getsockopt, CALL_GETSOCKOPT,
     (int fd, int level, int option, void *value, socklen_t *size),
     (fd, level, option, value, size))
WRAP(int, inotify_add_watch, CALL_INOTIFY_ADD_WATCH,
     (int fd, const char *path, uint32_t mask), (fd, path, mask))
WRAP(int, inotify_init1, CALL_INOTIFY_INIT1, (int flags), (flags))
WRAP(int, listen, CALL_LISTEN, (int fd, int backlog), (fd, backlog))
WRAP(int, pipe2, CALL_PIPE2, (int fds[2], int flags), (fds, flags))
WRAP(int, poll, CALL_POLL,
     (struct pollfd * entries, nfds_t size, int timeout_ms),
     (entries, size, timeout_ms))
WRAP(int, ppoll, CALL_PPOLL,
     (struct pollfd * entries, nfds_t size, const struct timespec *timeout,
      const sigset_t *mask),
     (entries, size, timeout, mask))
WRAP(ssize_t, pread, CALL_PREAD,
     (int fd, void *buffer, size_t size, off_t offset),
     (fd, buffer, size, offset))
WRAP_ON(ssize_t, recv, CALL_RECV,
        (int fd, void *buffer, size_t size, int flags),
        (fd, buffer, size, flags))
WRAP(int, recvmmsg, CALL_RECVMMSG,
     (int fd, struct mmsghdr *messages, unsigned count, int flags,
      struct timespec *timeout),
     (fd, messages, count, flags, timeout))
WRAP_ON(ssize_t, recvmsg, CALL_RECVMSG,
        (int fd, struct msghdr *message, int flags), (fd, message, flags))
WRAP_ON(ssize_t, send, CALL_SEND,
        (int fd, const void *buffer, size_t size, int flags),
        (fd, buffer, size, flags))
WRAP_ON(ssize_t, sendfile, CALL_SENDFILE,
        (int fd, int from, off_t *offset, size_t size),
        (fd, from, offset, size))
WRAP(int, sendmmsg, CALL_SENDMMSG,
     (int fd, struct mmsghdr *messages, unsigned count, int flags),
     (fd, messages, count, flags))
WRAP_ON(ssize_t, sendmsg, CALL_SENDMSG,
        (int fd, const struct msghdr *message, int flags), (fd, message, flags))
WRAP(int, setsockopt, CALL_SETSOCKOPT,
     (int fd, int level, int option, const void *value, socklen_t size),
     (fd, level, option, value, size))
WRAP_ON(int, shutdown, CALL_SHUTDOWN, (int fd, int how), (fd, how))
WRAP(int, socket, CALL_SOCKET, (int family, int type, int protocol),
     (family, type, protocol))
WRAP(int, socketpair, CALL_SOCKETPAIR,
     (int family, int type, int protocol, int fds[2]),
     (family, type, protocol, fds))
WRAP(int, stat, CALL_STAT, (const char *path, struct stat *about),
     (path, about))
WRAP(int, unlink, CALL_UNLINK, (const char *path), (path))
WRAP(ssize_t, writev, CALL_WRITEV,
     (int fd, const struct iovec *parts, int count), (fd, parts, count))

/* A removal never fails for want of something. */
int __real_epoll_ctl(int epoll_fd, int operation, int fd,
                     struct epoll_event *event);
int __wrap_epoll_ctl(int epoll_fd, int operation, int fd,
                     struct epoll_event *event);

int __wrap_epoll_ctl(int epoll_fd, int operation, int fd,
                     struct epoll_event *event)
{
    bool has_failed = operation == EPOLL_CTL_DEL ? is_planned(CALL_EPOLL_CTL)
                                                 : fails(CALL_EPOLL_CTL);

    return has_failed ? failure()
                      : __real_epoll_ctl(epoll_fd, operation, fd, event);
}

/* The library never passes anything but a number as the third argument. */
int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);

int __wrap_fcntl(int fd, int command, ...)
{
    va_list list;
    long argument;

    va_start(list, command);
    argument = va_arg(list, long);
    va_end(list);
    return fails(CALL_FCNTL) ? failure() : __real_fcntl(fd, command, argument);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    va_list list;

    va_start(list, flags);
    if (flags & O_CREAT)
        mode = va_arg(list, mode_t);
    va_end(list);
    return fails(CALL_OPEN) ? failure() : __real_open(path, flags, mode);
}

/* ---- eventfds ---- */

/* Which descriptors are eventfds: a sweep leaves them alone. */
static uint64_t eventfds[1024 / 64]; /* atomic */

static void mark_eventfd(int fd, bool is_one)
{
    uint64_t bit;

    if (fd < 0 || fd >= 1024)
        return;
    bit = UINT64_C(1) << (fd % 64);
    if (is_one)
        __atomic_or_fetch(&eventfds[fd / 64], bit, __ATOMIC_RELAXED);
    else
        __atomic_and_fetch(&eventfds[fd / 64], ~bit, __ATOMIC_RELAXED);
}

static bool is_eventfd(int fd)
{
    return fd >= 0 && fd < 1024 &&
           __atomic_load_n(&eventfds[fd / 64], __ATOMIC_RELAXED) >> (fd % 64) &
               1;
}

static bool fails_on(enum failing_call call, int fd)
{
    return is_eventfd(fd) ? is_planned(call) : fails(call);
}

int __real_eventfd(unsigned count, int flags);
int __wrap_eventfd(unsigned count, int flags);

int __wrap_eventfd(unsigned count, int flags)
{
    int fd;

    if (fails(CALL_EVENTFD))
        return failure();
    fd = __real_eventfd(count, flags);
    mark_eventfd(fd, true);
    return fd;
}

int __real_close(int fd);
int __wrap_close(int fd);

int __wrap_close(int fd)
{
    bool has_failed = fails(CALL_CLOSE);
    int error = errno, result;

    mark_eventfd(fd, false);
    result = __real_close(fd);
    if (!has_failed)
        return result;
    errno = error;
    return failure();
}

ssize_t __real_read(int fd, void *buffer, size_t size);
ssize_t __wrap_read(int fd, void *buffer, size_t size);

ssize_t __wrap_read(int fd, void *buffer, size_t size)
{
    return fails_on(CALL_READ, fd) ? failure() : __real_read(fd, buffer, size);
}

ssize_t __real_write(int fd, const void *buffer, size_t size);
ssize_t __wrap_write(int fd, const void *buffer, size_t size);

ssize_t __wrap_write(int fd, const void *buffer, size_t size)
{
    return fails_on(CALL_WRITE, fd) ? failure()
                                    : __real_write(fd, buffer, size);
}

/* ---- threads ---- */

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
    if (number == SYS_openat2 && fails(CALL_OPENAT2))
        return failure();
    return __real_syscall(number, given[0], given[1], given[2], given[3],
                          given[4], given[5]);
}
