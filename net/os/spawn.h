/* SPDX-License-Identifier: MIT */
/*
 * spawn -- the system calls that start, signal and reap a child process.
 *
 * Each function returns 0 or a number, or -errno.
 */
#ifndef WEIR_NET_OS_SPAWN_H
#define WEIR_NET_OS_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/process.h"

/* What the child does before it becomes the program. */
struct weir__spawn {
    const char *const *files; /* to be tried in order, up to NULL */
    const char *const *arguments, *const *environment;
    const char *directory; /* NULL: stay */
    int *fds; /* fds[i] becomes i; the others are closed.  Overwritten */
    size_t fd_count;
    bool has_user, has_group, has_groups;
    uint32_t user, group;
    const uint32_t *groups;
    size_t group_count;
    bool is_detached, is_group;
};

/* Start a child.  Returns 0 when it runs the program; otherwise there is no
 * child. */
int weir__spawn_start(struct weir__spawn *spawn, int *pid, int *pidfd);

/* Reap a child.  Returns 1, 0 (it has not exited), or -ECHILD. */
int weir__spawn_reap(int pidfd, weir_process_result *result);

/* Wait until a child has exited, for at most timeout_ms. */
void weir__spawn_await(int pidfd, int timeout_ms);

int weir__spawn_signal(int pidfd, int number);
int weir__spawn_signal_group(int pid, int number);

/* Both ends block and are close-on-exec. */
int weir__spawn_pipe(int fds[2]);
int weir__spawn_socketpair(int fds[2]);
int weir__spawn_open_null(void);

/* Whether this process may set the supplementary groups of a child. */
bool weir__spawn_is_privileged(void);

/* The environment of this process; an empty one after clearenv(3). */
const char *const *weir__spawn_environment(void);

#endif /* WEIR_NET_OS_SPAWN_H */
