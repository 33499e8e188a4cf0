/* SPDX-License-Identifier: MIT */
/*
 * kernel -- see kernel.h.
 */
#include "kernel.h"

#include <dirent.h>
#include <dlfcn.h>
#include <mqueue.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "program.h"
#include "syscalls.h"

/* libc's own function of the name. */
#define NATIVE(name) ((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))

/* --- descriptors that executions leave behind --------------------------------- */

static long first_free; /* no descriptor from here on was open; 0: unknown */

void kernel_take(void)
{
    DIR *directory = opendir("/proc/self/fd");
    struct dirent *entry;

    if (directory == NULL)
        return;
    first_free = 0;
    while ((entry = readdir(directory)) != NULL) {
        long fd = strtol(entry->d_name, NULL, 10);

        if (fd != dirfd(directory) && fd >= first_free)
            first_free = fd + 1;
    }
    closedir(directory);
}

void kernel_reset(void)
{
    if (first_free != 0)
        syscalls_make(SYS_close_range, first_free, ~0u, 0, 0, 0, 0);
}

/* --- refused by name ----------------------------------------------------------- */

#define REFUSED(type, name, parameters, arguments)                             \
    INTERPOSED type name parameters                                            \
    {                                                                          \
        if (!is_exploring())                                                   \
            return NATIVE(name) arguments;                                     \
        program_refuse(#name "()", CALLER);                                    \
    }

/* clang-format off */
REFUSED(int, socket, (int domain, int type, int protocol),
        (domain, type, protocol))
REFUSED(int, socketpair, (int domain, int type, int protocol, int fds[2]),
        (domain, type, protocol, fds))
REFUSED(int, pipe, (int fds[2]), (fds))
REFUSED(int, pipe2, (int fds[2], int flags), (fds, flags))
REFUSED(int, eventfd, (unsigned value, int flags), (value, flags))
REFUSED(int, epoll_create, (int size), (size))
REFUSED(int, epoll_create1, (int flags), (flags))
REFUSED(int, timerfd_create, (clockid_t clock, int flags), (clock, flags))
REFUSED(int, signalfd, (int fd, const sigset_t *set, int flags),
        (fd, set, flags))
REFUSED(int, inotify_init, (void), ())
REFUSED(int, inotify_init1, (int flags), (flags))

REFUSED(int, system, (const char *command), (command))
REFUSED(FILE *, popen, (const char *command, const char *mode),
        (command, mode))
REFUSED(int, posix_spawn,
        (pid_t *pid, const char *path,
         const posix_spawn_file_actions_t *actions,
         const posix_spawnattr_t *attributes, char *const argv[],
         char *const environment[]),
        (pid, path, actions, attributes, argv, environment))
REFUSED(int, posix_spawnp,
        (pid_t *pid, const char *file,
         const posix_spawn_file_actions_t *actions,
         const posix_spawnattr_t *attributes, char *const argv[],
         char *const environment[]),
        (pid, file, actions, attributes, argv, environment))

REFUSED(int, kill, (pid_t pid, int number), (pid, number))
REFUSED(int, sigqueue, (pid_t pid, int number, const union sigval value),
        (pid, number, value))
REFUSED(int, pause, (void), ())
REFUSED(int, sigsuspend, (const sigset_t *set), (set))
REFUSED(int, sigwait, (const sigset_t *set, int *number), (set, number))
REFUSED(int, sigwaitinfo, (const sigset_t *set, siginfo_t *info), (set, info))
REFUSED(int, sigtimedwait,
        (const sigset_t *set, siginfo_t *info, const struct timespec *timeout),
        (set, info, timeout))
REFUSED(unsigned, alarm, (unsigned seconds), (seconds))
REFUSED(int, setitimer,
        (__itimer_which_t which, const struct itimerval *value,
         struct itimerval *old),
        (which, value, old))
REFUSED(int, timer_create,
        (clockid_t clock, struct sigevent *event, timer_t *timer),
        (clock, event, timer))
/* clang-format on */

/* --- refused if they would block ------------------------------------------------ */

static bool would_block(int fd)
{
    struct pollfd entry = {.fd = fd, .events = POLLIN};

    return syscalls_make(SYS_poll, (long)&entry, 1, 0, 0, 0, 0) == 0;
}

INTERPOSED ssize_t read(int fd, void *bytes, size_t size)
{
    if (is_exploring() && would_block(fd))
        program_refuse("read(), which would block", CALLER);
    return syscalls_make(SYS_read, fd, (long)bytes, (long)size, 0, 0, 0);
}

/* Without descriptors it is a sleep. */
static int wait_for(int ready, bool has_descriptors, int64_t timeout_ns,
                    const char *what, uintptr_t pc)
{
    if (ready != 0 || timeout_ns == 0)
        return ready;
    if (has_descriptors || timeout_ns < 0)
        program_refuse(what, pc);
    clock_sleep((uint64_t)timeout_ns, pc);
    return 0;
}

INTERPOSED int poll(struct pollfd *entries, nfds_t count, int timeout_ms)
{
    if (!is_exploring())
        return NATIVE(poll)(entries, count, timeout_ms);
    return wait_for(
        (int)syscalls_make(SYS_poll, (long)entries, (long)count, 0, 0, 0, 0),
        count != 0, timeout_ms < 0 ? -1 : (int64_t)timeout_ms * 1000000,
        "poll(), which would block", CALLER);
}

INTERPOSED int select(int count, fd_set *readable, fd_set *writable,
                      fd_set *special, struct timeval *timeout)
{
    struct timeval now = {0};

    if (!is_exploring())
        return NATIVE(select)(count, readable, writable, special, timeout);
    return wait_for((int)syscalls_make(SYS_select, count, (long)readable,
                                       (long)writable, (long)special,
                                       (long)&now, 0),
                    count != 0,
                    timeout == NULL ? -1
                                    : (int64_t)timeout->tv_sec * 1000000000 +
                                          (int64_t)timeout->tv_usec * 1000,
                    "select(), which would block", CALLER);
}
