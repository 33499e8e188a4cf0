/* SPDX-License-Identifier: MIT */
/*
 * os/backtrace -- backtrace.h on tgkill(2) and glibc's backtrace(3).
 *
 * The signal is a real-time one near the end of their range, which programs
 * rarely use.  SA_RESTART continues the system call that it interrupts;
 * SA_ONSTACK uses the alternate stack of a thread that has one.
 *
 * backtrace() loads libgcc at its first call, which allocates; that call is made
 * before the handler is installed.  Later calls only read the tables of the
 * loaded objects (_dl_find_object, glibc 2.35), and take 9 to 20 us.
 *
 * ThreadSanitizer delays signal handlers until the thread makes a call that it
 * intercepts, which a thread that is stuck does not.  There, and with a futex.h
 * that uses mutexes, this is not supported.
 *
 * Tested by  test/unit/watchdog/live.c
 */
#include "base/backtrace.h"

#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/futex.h"
#include "base/signals.h"

#ifdef WEIR__THREAD_SANITIZED
enum { IS_SUPPORTED = false };
#else
enum { IS_SUPPORTED = true };
#endif

static void (*on_interrupt)(void); /* const after start */

static int number(void)
{
    return SIGRTMAX - 1;
}

static void on_signal(int signal)
{
    int saved = errno;

    on_interrupt();
    errno = saved;
}

int weir__backtrace_take(void **frames, int capacity)
{
    return backtrace(frames, capacity);
}

int weir__backtrace_start(void (*fn)(void))
{
    struct sigaction action = {.sa_handler = on_signal,
                               .sa_flags = SA_RESTART | SA_ONSTACK};
    struct sigaction before;
    void *frame;

    if (!IS_SUPPORTED || !weir__futex_is_signal_safe)
        return -ENOTSUP;
    if (on_interrupt != NULL)
        return 0;
    if (sigaction(number(), NULL, &before) != 0)
        return -errno;
    if (before.sa_handler != SIG_DFL)
        return -EBUSY;
    (void)backtrace(&frame, 1);
    on_interrupt = fn;
    sigemptyset(&action.sa_mask);
    if (sigaction(number(), &action, NULL) == 0)
        return 0;
    on_interrupt = NULL;
    return -errno;
}

void weir__backtrace_let_in(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, number());
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

int weir__backtrace_send(uint64_t thread)
{
    return syscall(SYS_tgkill, getpid(), (pid_t)thread, number()) == 0 ? 0
                                                                       : -errno;
}
