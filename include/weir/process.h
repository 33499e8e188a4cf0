/* SPDX-License-Identifier: MIT */
/*
 * weir/process.h -- child processes: start them, talk to them, see them exit.
 *
 *     static void on_exit(void *arg, weir_process *process, int status,
 *                         const weir_process_result *result)
 *     {
 *         if (status == 0 && result->code != 0) ...
 *         weir_process_close(process);
 *     }
 *
 *     const char *arguments[] = {"grep", "weir", NULL};
 *     weir_stdio table[] = {{WEIR_STDIO_PIPE_IN}, {WEIR_STDIO_PIPE_OUT}};
 *     weir_process_options options = {.size = sizeof(options),
 *                                     .file = "grep",
 *                                     .arguments = arguments,
 *                                     .stdio = table,
 *                                     .stdio_count = 2,
 *                                     .on_exit = on_exit};
 *     if (weir_process_spawn(&process, loop, &options) != 0) ...
 *     weir_process_open_stream(process, 1, &output, NULL);
 *
 * A child starts with an empty signal mask and the default action for every
 * signal, whatever the calling thread blocks and the program ignores.  It has
 * the descriptors of its stdio table and no others, even if the program has
 * some that are not close-on-exec.
 *
 * A process belongs to one loop.  Every call must be made on that loop's
 * thread, where on_exit is called, too.  on_exit is called exactly once for
 * each process, and never before weir_process_spawn has returned.  The process
 * remains until weir_process_close, which must be called exactly once: before
 * on_exit, in it, or after it.
 *
 * When the loop ends, or when the process is closed before the child has
 * exited, on_exit gets WEIR_ECANCELED.  The child is killed (SIGKILL) and
 * leaves no zombie.  A detached or independent child lives on instead.  If it
 * exits before this process does, the next weir_process_spawn, on any loop,
 * removes its zombie.
 *
 * A program that ignores SIGCHLD, or that waits for all of its children with
 * wait(2), takes exit statuses away: then status is -ECHILD.
 *
 * This needs Linux 5.9 or later (pidfds, and close_range).  There is no
 * fallback to SIGCHLD, because all libraries of a program would have to share
 * it.
 */
#ifndef WEIR_PROCESS_H
#define WEIR_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/loop.h"
#include "weir/net/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_process weir_process;

typedef enum weir_stdio_kind {
    WEIR_STDIO_NULL = 0, /* /dev/null */
    WEIR_STDIO_INHERIT,  /* the descriptor of the same number in this process */
    WEIR_STDIO_FD,       /* `fd`, which stays open and the caller's */
    WEIR_STDIO_PIPE_IN,  /* a pipe that the child reads from */
    WEIR_STDIO_PIPE_OUT, /* a pipe that the child writes to */
    WEIR_STDIO_SOCKET,   /* a Unix socket, for both directions */
} weir_stdio_kind;

/* What a descriptor of the child is; its number is the index in the table. */
typedef struct weir_stdio {
    weir_stdio_kind kind;
    int fd;
} weir_stdio;

/* How a child has ended.  Members may be appended. */
typedef struct weir_process_result {
    int code;          /* of its exit; 0 if a signal has killed it */
    int signal;        /* that has killed it; 0: none */
    bool has_core;     /* it has dumped core */
    bool is_timed_out; /* timeout_ns passed before it exited */
    int64_t user_ns;   /* processor time, including that of its children */
    int64_t system_ns;
    uint64_t rss_bytes; /* peak resident memory */
} weir_process_result;

/* A child has exited (status 0), or will never be reported: WEIR_ECANCELED if
 * the process was closed or the loop has ended, -ECHILD if the program has
 * waited for it elsewhere.  In these cases every member of the result is 0. */
typedef void weir_process_exit_fn(void *arg, weir_process *process, int status,
                                  const weir_process_result *result);

#define WEIR_PROCESS_STDIO_LIMIT 1024
#define WEIR_PROCESS_GRACE_NS INT64_C(5000000000)

/* Every member except size and file may be left 0. */
typedef struct weir_process_options {
    size_t size;      /* sizeof(weir_process_options) */
    const char *name; /* for reports; not copied.  NULL: "process" */
    /* The program.  A name without "/" is searched for in PATH, as the child's
     * environment has it. */
    const char *file;
    const char *const *arguments;   /* up to NULL; NULL: only the file */
    const char *const *environment; /* up to NULL; NULL: as this process */
    /* The child's working directory.  It is entered with the rights of this
     * process, before user and group change; a relative `file` is looked up
     * there.  NULL: as this process. */
    const char *directory;
    /* The child's descriptors.  0, 1 and 2 are /dev/null if the table is
     * shorter. */
    const weir_stdio *stdio;
    size_t stdio_count;
    bool has_user, has_group; /* whether to change them */
    uint32_t user, group;
    /* The supplementary groups, if the user or group changes and this process
     * is privileged. */
    const uint32_t *groups;
    size_t group_count;
    /* A new session: the child has no terminal, gets no signals of this
     * process's group, and outlives the loop. */
    bool is_detached;
    bool is_group; /* a new process group, for weir_process_kill_group */
    bool is_unref; /* does not keep weir_loop_run running */
    /* After this time the child (with its process group, if is_group or
     * is_detached is set) gets SIGTERM, and SIGKILL grace_ns later.  0: no
     * limit. */
    int64_t timeout_ns;
    int64_t grace_ns;              /* 0: WEIR_PROCESS_GRACE_NS */
    weir_process_exit_fn *on_exit; /* may be NULL */
    void *arg;
    /* The child outlives the process and the loop, as a detached child does, but
     * in this process's session and group. */
    bool is_independent;
} weir_process_options;

/**
 * Spawn a child process.  The call returns 0 when the child is running the new
 * program.  If it returns an error, there is no child.
 *
 * Thread   loop
 * Owns     *process is the caller's until weir_process_close; the options are
 *          borrowed during the call, except the name
 * Returns  0, -EINVAL (NULL, no file, a negative time, too many or unknown
 *          entries of the table), -E2BIG (an option that this library does not
 *          know, or too long arguments), -ENOENT (no such program or
 *          directory), -EACCES (it cannot be executed), -ENOTDIR, -ENOEXEC (not
 *          a program), -EPERM (may not become that user or group), -EBADF (a
 *          descriptor of the table is not open), -EAGAIN (too many processes),
 *          -ENOMEM, -EMFILE, -ENFILE, -ENOSYS (a kernel before Linux 5.9),
 *          WEIR_ECLOSED (the loop no longer admits work), WEIR_ENOFDS (the loop
 *          has WEIR_FD_MODE_NEVER), or another error of execve(2).  If the loop
 *          has no memory left to watch the child, the child is killed at once
 */
WEIR_API WEIR_CHECKED int
weir_process_spawn(weir_process **process, weir_loop *loop,
                   const weir_process_options *options);

/**
 * Close a process.  Pipes and sockets that were not opened as streams are
 * closed.  If the child runs, it is killed, unless it is detached or independent,
 * and on_exit gets WEIR_ECANCELED.
 *
 * Thread   loop, or any when the loop has ended; once for each process.  It may
 *          be called in on_exit
 * Owns     the process is no longer the caller's; its memory is freed after
 *          on_exit
 */
WEIR_API void weir_process_close(weir_process *process);

/**
 * Open the stream of a pipe or socket in the stdio table.  The stream outlives
 * the process: output that the child has written can be read after its exit.
 *
 * Thread   loop
 * Owns     *stream is the caller's until weir_stream_close
 * Returns  0, -EINVAL (NULL), -ENOENT (no pipe or socket has this index, or it
 *          was opened before), or an error of weir_stream_open
 */
WEIR_API WEIR_CHECKED int
weir_process_open_stream(weir_process *process, size_t index,
                         weir_stream **stream,
                         const weir_stream_options *options);

/**
 * Send a signal to a child.  It never reaches another process that has been
 * given the same pid.  Signal 0 only checks whether a signal could be sent.
 *
 * Thread   loop
 * Returns  0, -EINVAL (NULL, or no such signal), -ESRCH (its exit was
 *          reported), -EPERM (the child runs as another user)
 */
WEIR_API WEIR_CHECKED int weir_process_kill(weir_process *process, int number);

/**
 * Send a signal to a child and to the processes that it has started, unless
 * they have left its group.
 *
 * Thread   loop
 * Returns  0, -EINVAL (NULL, or no such signal), -ENOTSUP (the child does not
 *          have its own group: neither is_group nor is_detached was set),
 *          -ESRCH (its exit was reported), -EPERM (all of them run as other
 *          users)
 */
WEIR_API WEIR_CHECKED int weir_process_kill_group(weir_process *process,
                                                  int number);

/**
 * Get the pid of a process, for messages.  To send it a signal, use
 * weir_process_kill.
 *
 * Thread   loop
 */
WEIR_API int weir_process_number(const weir_process *process);

/**
 * Name a process for reports.  The name is not copied, and must
 * outlive the loop.
 *
 * Thread   loop
 */
WEIR_API void weir_process_set_name(weir_process *process, const char *name);

/**
 * Make a process keep weir_loop_run running, or stop it from doing so.  A new
 * process keeps it running until its child has exited.
 *
 * Thread   loop
 */
WEIR_API void weir_process_set_ref(weir_process *process, bool is_ref);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_PROCESS_H */
