/* SPDX-License-Identifier: MIT */
/*
 * spawn -- see spawn.h.
 *
 * Why not posix_spawn: it cannot change the user, it searches the PATH of the
 * parent, and it returns a pid.  Here clone creates the pidfd together with the
 * child.
 *
 * The child is made as by vfork: it runs in the parent's memory, on its own
 * stack, and the calling thread sleeps until the child has called execve or has
 * ended.  So there is nothing to copy, however large the parent is, and the
 * child reports an error by storing it in `status`.
 *
 * Until execve the child shares memory, including the C library's state and
 * errno, with the other threads of the parent.  It therefore does nothing but
 * system calls, none of which the C library or a sanitizer keeps a record of.
 * No signal handler may run in it, so all signals are blocked until it has
 * reset their actions.
 */
#include "os/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    STACK_BYTES = 16 * 1024,
    KERNEL_SIGNALS = 64,
    KERNEL_SET_BYTES = KERNEL_SIGNALS / 8,
};

/* Where these have 16 bits, the kernel has others with 32. */
#ifdef SYS_setgroups32
#undef SYS_setgroups
#undef SYS_setresgid
#undef SYS_setresuid
#define SYS_setgroups SYS_setgroups32
#define SYS_setresgid SYS_setresgid32
#define SYS_setresuid SYS_setresuid32
#endif

struct child {
    const struct weir__spawn *spawn;
    int pidfd;  /* stored by the kernel before the child begins */
    int status; /* of the child, as long as it is not the program */
};

/* ---- in the child ---- */

#define IN_CHILD __attribute__((no_sanitize("address", "thread", "undefined")))

/* Zeros are the default action in every layout of the kernel's struct. */
IN_CHILD static void reset_signals(void)
{
    unsigned long action[8] = {0};

    for (int number = 1; number <= KERNEL_SIGNALS; number++)
        syscall(SYS_rt_sigaction, number, action, NULL, KERNEL_SET_BYTES);
}

IN_CHILD static void unblock_signals(void)
{
    unsigned char none[KERNEL_SET_BYTES] = {0};

    syscall(SYS_rt_sigprocmask, SIG_SETMASK, none, NULL, KERNEL_SET_BYTES);
}

IN_CHILD static int place_fd(int from, int to)
{
    if (from == to) /* only make it survive execve */
        return (int)syscall(SYS_fcntl, to, F_SETFD, 0);
    return (int)syscall(SYS_dup3, from, to, 0);
}

/* Programs expect their standard streams to block.  A stream of ours does not,
 * and the flag belongs to both ends of a copy: whoever hands over a descriptor
 * stops using it. */
IN_CHILD static void make_blocking(int fd)
{
    long flags = syscall(SYS_fcntl, fd, F_GETFL, 0);

    if (flags >= 0 && (flags & O_NONBLOCK) != 0)
        (void)syscall(SYS_fcntl, fd, F_SETFL, flags & ~O_NONBLOCK);
}

/* Give each descriptor its number.  First move those away whose numbers others
 * will get. */
IN_CHILD static int place_fds(const struct weir__spawn *spawn)
{
    int count = (int)spawn->fd_count;

    for (int i = 0; i < count; i++) {
        if (spawn->fds[i] >= count || spawn->fds[i] == i)
            continue;
        spawn->fds[i] =
            (int)syscall(SYS_fcntl, spawn->fds[i], F_DUPFD_CLOEXEC, count);
        if (spawn->fds[i] < 0)
            return -errno;
    }
    for (int i = 0; i < count; i++) {
        if (place_fd(spawn->fds[i], i) < 0)
            return -errno;
        if (i <= STDERR_FILENO)
            make_blocking(i);
    }
    return syscall(SYS_close_range, count, UINT_MAX, 0) == 0 ? 0 : -errno;
}

/* The C library's functions would change the other threads of the parent,
 * too. */
IN_CHILD static int change_identity(const struct weir__spawn *spawn)
{
    if (spawn->has_groups &&
        syscall(SYS_setgroups, spawn->group_count, spawn->groups) != 0)
        return -errno;
    if (spawn->has_group &&
        syscall(SYS_setresgid, spawn->group, spawn->group, spawn->group) != 0)
        return -errno;
    if (spawn->has_user &&
        syscall(SYS_setresuid, spawn->user, spawn->user, spawn->user) != 0)
        return -errno;
    return 0;
}

/* Become the program.  A file that cannot be executed is remembered while the
 * rest of PATH is searched. */
IN_CHILD static int execute(const struct weir__spawn *spawn)
{
    int status = -ENOENT;

    for (const char *const *file = spawn->files; *file != NULL; file++) {
        syscall(SYS_execve, *file, spawn->arguments, spawn->environment);
        if (errno == EACCES)
            status = -EACCES;
        else if (errno != ENOENT && errno != ENOTDIR)
            return -errno;
        else if (spawn->files[1] == NULL)
            return -errno;
    }
    return status;
}

IN_CHILD static int prepare(const struct weir__spawn *spawn)
{
    int err;

    reset_signals();
    if (spawn->is_detached && syscall(SYS_setsid) < 0)
        return -errno;
    if (spawn->is_group && !spawn->is_detached && syscall(SYS_setpgid, 0, 0))
        return -errno;
    err = place_fds(spawn);
    if (err == 0 && spawn->directory != NULL &&
        syscall(SYS_chdir, spawn->directory) != 0)
        err = -errno;
    return err == 0 ? change_identity(spawn) : err;
}

IN_CHILD static int run_child(void *arg)
{
    struct child *child = arg;
    int err = child->pidfd < 0 ? -ENOSYS : prepare(child->spawn);

    if (err == 0) {
        unblock_signals();
        err = execute(child->spawn);
    }
    child->status = err;
    return 127;
}

/* ---- in the parent ---- */

/* The last wait for a child that never became the program. */
static void reap_failed(int pid)
{
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* ThreadSanitizer takes a call of clone for a fork: in the child, which shares
 * its memory, it would stop following the thread.  The C library has the function
 * by another name. */
#ifdef __SANITIZE_THREAD__
int __clone(int (*run)(void *), void *stack, int flags, void *arg, ...);
#define clone __clone
#endif

IN_CHILD int weir__spawn_start(struct weir__spawn *spawn, int *pid, int *pidfd)
{
    _Alignas(64) char stack[STACK_BYTES];
    struct child child = {.spawn = spawn, .pidfd = -1};
    sigset_t all, before;
    int made, err;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    made = clone(run_child, stack + sizeof(stack),
                 CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, &child,
                 &child.pidfd);
    err = made < 0 ? -errno : child.status;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (err != 0) {
        if (made >= 0)
            reap_failed(made);
        if (child.pidfd >= 0)
            close(child.pidfd);
        return err;
    }
    *pid = made;
    *pidfd = child.pidfd;
    return 0;
}

static int64_t ns_of(struct timeval time)
{
    return time.tv_sec * INT64_C(1000000000) + time.tv_usec * INT64_C(1000);
}

int weir__spawn_reap(int pidfd, weir_process_result *result)
{
    siginfo_t info;
    struct rusage usage;
    long failed;

    memset(&info, 0, sizeof(info));
    do /* the C library's function has no rusage */
        failed = syscall(SYS_waitid, P_PIDFD, pidfd, &info, WEXITED | WNOHANG,
                         &usage);
    while (failed && errno == EINTR);
    if (failed)
        return -errno;
    if (info.si_pid == 0)
        return 0;
    result->code = info.si_code == CLD_EXITED ? info.si_status : 0;
    result->signal = info.si_code == CLD_EXITED ? 0 : info.si_status;
    result->has_core = info.si_code == CLD_DUMPED;
    result->user_ns = ns_of(usage.ru_utime);
    result->system_ns = ns_of(usage.ru_stime);
    result->rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
    return 1;
}

void weir__spawn_await(int pidfd, int timeout_ms)
{
    struct pollfd entry = {.fd = pidfd, .events = POLLIN};

    (void)!poll(&entry, 1, timeout_ms);
}

int weir__spawn_signal(int pidfd, int number)
{
    return syscall(SYS_pidfd_send_signal, pidfd, number, NULL, 0) == 0 ? 0
                                                                       : -errno;
}

int weir__spawn_signal_group(int pid, int number)
{
    return kill(-pid, number) == 0 ? 0 : -errno;
}

int weir__spawn_pipe(int fds[2])
{
    return pipe2(fds, O_CLOEXEC) == 0 ? 0 : -errno;
}

int weir__spawn_socketpair(int fds[2])
{
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0
               ? 0
               : -errno;
}

int weir__spawn_open_null(void)
{
    int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

    return fd >= 0 ? fd : -errno;
}

bool weir__spawn_is_privileged(void)
{
    return geteuid() == 0;
}

const char *const *weir__spawn_environment(void)
{
    static const char *const none[] = {NULL};

    return environ != NULL ? (const char *const *)environ : none;
}
