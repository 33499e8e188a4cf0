/* SPDX-License-Identifier: MIT */
/*
 * os/procstate -- procstate.h on /proc/self/task/TID/stat and syscall.
 *
 * Tested by  test/unit/watchdog/live.c
 */
#include "base/procstate.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The calls that block for long. */
static const struct {
    long number;
    const char *name;
} calls[] = {
    {SYS_read, "read"},
    {SYS_write, "write"},
    {SYS_readv, "readv"},
    {SYS_writev, "writev"},
    {SYS_pread64, "pread"},
    {SYS_pwrite64, "pwrite"},
    {SYS_openat, "open"},
    {SYS_close, "close"},
    {SYS_fsync, "fsync"},
    {SYS_fdatasync, "fdatasync"},
    {SYS_flock, "flock"},
    {SYS_fcntl, "fcntl"},
    {SYS_ioctl, "ioctl"},
    {SYS_futex, "futex"},
    {SYS_nanosleep, "nanosleep"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_ppoll, "poll"},
    {SYS_pselect6, "select"},
    {SYS_epoll_pwait, "epoll_wait"},
    {SYS_connect, "connect"},
    {SYS_accept4, "accept"},
    {SYS_recvfrom, "recv"},
    {SYS_recvmsg, "recvmsg"},
    {SYS_sendto, "send"},
    {SYS_sendmsg, "sendmsg"},
    {SYS_wait4, "wait"},
    {SYS_waitid, "waitid"},
    {SYS_rt_sigtimedwait, "sigwait"},
    {SYS_rt_sigsuspend, "sigsuspend"},
#ifdef SYS_poll
    {SYS_poll, "poll"},
    {SYS_select, "select"},
    {SYS_epoll_wait, "epoll_wait"},
    {SYS_open, "open"},
    {SYS_pause, "pause"},
#endif
};

/* Read a file of the thread into text; "" if it cannot be read. */
static void read_file(uint64_t thread, const char *name, char *text,
                      size_t size)
{
    char path[64];
    ssize_t got = -1;
    int fd;

    snprintf(path, sizeof(path), "/proc/self/task/%" PRIu64 "/%s", thread,
             name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        got = read(fd, text, size - 1);
        close(fd);
    }
    text[got > 0 ? got : 0] = '\0';
}

static void print_call(uint64_t thread, bool is_deep, char *text, size_t size)
{
    char line[128];
    char *end;
    long number;

    read_file(thread, "syscall", line, sizeof(line));
    number = strtol(line, &end, 10);
    if (end == line) { /* "running", or it may not be read */
        snprintf(text, size, is_deep ? "asleep in the kernel" : "asleep");
        return;
    }
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (calls[i].number == number) {
            snprintf(text, size, "asleep in %s", calls[i].name);
            return;
        }
    snprintf(text, size, "asleep in system call %ld", number);
}

/* The state is the letter after the name, which is in parentheses and may
 * contain any character. */
void weir__procstate_print(uint64_t thread, char *text, size_t size)
{
    char line[512];
    const char *end;

    read_file(thread, "stat", line, sizeof(line));
    end = strrchr(line, ')');
    switch (end != NULL && strlen(end) > 2 ? end[2] : '?') {
    case 'R':
        snprintf(text, size, "running");
        break;
    case 'S':
        print_call(thread, false, text, size);
        break;
    case 'D':
        print_call(thread, true, text, size);
        break;
    case 'T':
    case 't':
        snprintf(text, size, "stopped");
        break;
    default:
        snprintf(text, size, "unknown");
    }
}
