/* SPDX-License-Identifier: MIT */
/*
 * spawn -- what a child gets from its parent, and what it does not; how a spawn
 * fails.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "net/support/child.h"
#include "support/failing_fixture.h"
#include "weir/fd.h"

static struct child child;

/* ---- failing calls of os/ ---- */

static int start_error, pipe_error, null_error, add_error;

struct weir__spawn;
int __real_weir__spawn_start(struct weir__spawn *spawn, int *pid, int *pidfd);
int __wrap_weir__spawn_start(struct weir__spawn *spawn, int *pid, int *pidfd);
int __real_weir__spawn_pipe(int fds[2]);
int __wrap_weir__spawn_pipe(int fds[2]);
int __real_weir__spawn_open_null(void);
int __wrap_weir__spawn_open_null(void);
int __real_weir_fd_add(weir_loop *of, int fd, unsigned events, weir_fd_fn *fn,
                       void *arg);
int __wrap_weir_fd_add(weir_loop *of, int fd, unsigned events, weir_fd_fn *fn,
                       void *arg);

static int last_pid;

int __wrap_weir__spawn_start(struct weir__spawn *spawn, int *pid, int *pidfd)
{
    int err = start_error != 0 ? start_error
                               : __real_weir__spawn_start(spawn, pid, pidfd);

    if (err == 0)
        last_pid = *pid;
    return err;
}

int __wrap_weir__spawn_pipe(int fds[2])
{
    return pipe_error != 0 ? pipe_error : __real_weir__spawn_pipe(fds);
}

int __wrap_weir__spawn_open_null(void)
{
    return null_error != 0 ? null_error : __real_weir__spawn_open_null();
}

int __wrap_weir_fd_add(weir_loop *of, int fd, unsigned events, weir_fd_fn *fn,
                       void *arg)
{
    return add_error != 0 && events != 0
               ? add_error /* not the one that tries the loop */
               : __real_weir_fd_add(of, fd, events, fn, arg);
}

/* A file in a directory of this case. */
static const char *scratch(const char *name)
{
    static char directory[] = "/tmp/weir-spawn-XXXXXX", path[80];
    static bool is_made;

    if (!is_made) {
        expect(mkdtemp(directory) != NULL);
        expect_int(chmod(directory, 0755), 0);
    }
    is_made = true;
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    return path;
}

static void write_file(const char *path, const char *text, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

    expect(fd >= 0);
    expect_int(write(fd, text, strlen(text)), strlen(text));
    expect_int(fchmod(fd, mode), 0);
    close(fd);
}

static void remove_scratch(const char *name)
{
    expect_int(unlink(scratch(name)), 0);
    expect_int(rmdir(scratch("")), 0);
}

/* ---- descriptors ---- */

/* The last one is the directory that the shell itself has open. */
#define LIST_FDS "cd /proc/self/fd && echo *"

/* A pipe with numbers that no table has. */
static void open_pipe(int fds[2])
{
    int low[2];

    expect_int(pipe2(low, O_CLOEXEC), 0);
    for (int i = 0; i < 2; i++) {
        fds[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 300);
        expect(fds[i] >= 300);
        close(low[i]);
    }
}

CASE(spawn_passes_the_descriptors_of_the_table_and_no_others)
{
    int extra;

    begin();
    loop_make(NULL);
    extra = dup2(STDERR_FILENO, 57); /* not close-on-exec */
    expect_int(extra, 57);
    expect_int(dup2(STDERR_FILENO, 900), 900);
    child_run(&child, SHELL(LIST_FDS));
    expect_string(child.output, "0 1 2 3\n");
    close(57);
    close(900);
    end();
    expect_no_child();
}

CASE(spawn_without_a_table_gives_the_child_the_null_device)
{
    begin();
    loop_make(NULL);
    expect_status(
        child_try(&child, SHELL_WITH("test /dev/fd/0 -ef /dev/null && "
                                     "test /dev/fd/1 -ef /dev/null && "
                                     "test /dev/fd/2 -ef /dev/null && "
                                     "echo written && read line; exit 33",
                                     .stdio = NULL, .stdio_count = 0)),
        0);
    loop_run();
    expect_int(child.result.code, 33);
    end();
}

/* Exchange 1 and 2, pass one descriptor twice, and one that has to move. */
CASE(spawn_gives_each_descriptor_its_number)
{
    int fds[2], five = dup(5);
    char text[40] = "";
    weir_stdio table[] = {{WEIR_STDIO_NULL, 0},     {WEIR_STDIO_PIPE_OUT, 0},
                          {WEIR_STDIO_FD, 1},       {WEIR_STDIO_NULL, 0},
                          {WEIR_STDIO_FD, 3},       {WEIR_STDIO_INHERIT, 0},
                          {WEIR_STDIO_PIPE_OUT, 0}, {WEIR_STDIO_FD, 5}};

    begin();
    loop_make(NULL);
    open_pipe(fds);
    table[4].fd = fds[1];
    expect_int(dup3(fds[1], 5, O_CLOEXEC), 5);
    child_run(&child, SHELL_WITH("echo four >&4; echo five >&5; "
                                 "echo seven >&7; " LIST_FDS,
                                 .stdio = table, .stdio_count = 8));
    expect_string(child.output, "0 1 2 3 4 5 6 7 8\n");
    expect_int(read(fds[0], text, sizeof(text) - 1), 16);
    expect_string(text, "four\nfive\nseven\n");
    expect_int(fcntl(5, F_GETFD), FD_CLOEXEC); /* the parent's is as before */
    close(5);
    if (five >= 0) {
        dup2(five, 5);
        close(five);
    }
    close(fds[0]);
    close(fds[1]);
    end();
}

CASE(spawn_swaps_descriptors_of_the_caller)
{
    int one[2], two[2];
    char text[8] = "";
    weir_stdio table[5] = {{WEIR_STDIO_NULL, 0}};

    open_pipe(one);
    open_pipe(two);
    expect_int(dup2(one[1], 3), 3);
    expect_int(dup2(two[1], 4), 4);
    loop_make(NULL);
    table[3] = (weir_stdio){WEIR_STDIO_FD, 4};
    table[4] = (weir_stdio){WEIR_STDIO_FD, 3};
    expect_status(
        child_try(&child, SHELL_WITH("echo 3 >&3; echo 4 >&4", .stdio = table,
                                     .stdio_count = 5)),
        0);
    loop_run();
    expect_int(child.result.code, 0);
    expect_int(read(one[0], text, 2), 2);
    expect_string(text, "4\n");
    expect_int(read(two[0], text, 2), 2);
    expect_string(text, "3\n");
    loop_end();
}

static void write_then_finish(weir_stream *stream, const char *text)
{
    weir_bytes bytes = {text, strlen(text)};

    expect_status(weir_stream_write(stream, &bytes, 1, NULL, NULL), 0);
    expect_status(weir_stream_shutdown(stream, NULL, NULL), 0);
}

CASE(spawn_connects_streams_for_reading_and_writing)
{
    weir_stdio table[] = {{WEIR_STDIO_PIPE_IN, 0},
                          {WEIR_STDIO_PIPE_OUT, 0},
                          {WEIR_STDIO_INHERIT, 0}};
    weir_stream *input;

    begin();
    loop_make(NULL);
    child_start(&child, PROGRAM("cat", .stdio = table));
    expect_status(weir_process_open_stream(child.process, 0, &input, NULL), 0);
    write_then_finish(input, "through cat\n");
    while (child.exits == 0 || !child.has_ended)
        expect_status(weir_loop_step(loop, -1), 0);
    weir_stream_close(input, NULL, NULL);
    loop_run();
    expect_string(child.output, "through cat\n");
    end();
    expect_no_child();
}

CASE(spawn_connects_a_socket_for_both_directions)
{
    weir_stdio table[] = {
        {WEIR_STDIO_NULL, 0}, {WEIR_STDIO_SOCKET, 0}, {WEIR_STDIO_INHERIT, 0}};
    weir_stream *both;

    begin();
    loop_make(NULL);
    expect_status(child_try(&child, SHELL_WITH("cat <&1", .stdio = table)), 0);
    expect_status(weir_process_open_stream(child.process, 1, &both, NULL), 0);
    expect_status(weir_stream_read(both, child_read, &child), 0);
    write_then_finish(both, "echo\n");
    loop_run();
    expect_string(child.output, "echo\n");
    expect_int(child.exits, 1);
    end();
}

CASE(spawn_with_many_pipes)
{
    enum { COUNT = 60 };
    weir_stdio table[COUNT] = {{WEIR_STDIO_NULL, 0}};

    begin();
    loop_make(NULL);
    for (int i = 1; i < COUNT; i++)
        table[i].kind = i % 2 ? WEIR_STDIO_PIPE_OUT : WEIR_STDIO_SOCKET;
    child_start(&child,
                SHELL_WITH(LIST_FDS, .stdio = table, .stdio_count = COUNT));
    loop_run();
    expect(strncmp(child.output, "0 1 10 11 ", 10) == 0);
    expect(strstr(child.output, " 59 6 60 7 8 9\n") != NULL);
    end();
}

/* ---- signals, directories, environment, users ---- */

static unsigned long long signals_of(const char *status, const char *line)
{
    const char *at = strstr(status, line);

    expect(at != NULL);
    return strtoull(at + strlen(line), NULL, 16);
}

static void handle(int number)
{
}

CASE(spawn_starts_with_default_signals_and_an_empty_mask)
{
    sigset_t blocked;

    begin();
    loop_make(NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGUSR1, handle);
    signal(SIGRTMIN + 2, SIG_IGN);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGPIPE);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGRTMAX);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    child_run(&child, PROGRAM("cat", .arguments = ARGUMENTS(
                                         "cat", "/proc/self/status")));
    expect_int(signals_of(child.output, "SigBlk:"), 0);
    expect_int(signals_of(child.output, "SigIgn:"), 0);
    /* The parent is as before. */
    expect(signal(SIGPIPE, SIG_IGN) == SIG_IGN);
    expect(signal(SIGUSR1, handle) == handle);
    sigprocmask(SIG_SETMASK, NULL, &blocked);
    expect(sigismember(&blocked, SIGTERM) && sigismember(&blocked, SIGRTMAX));
    expect(!sigismember(&blocked, SIGINT));
    end();
}

CASE(spawn_enters_the_directory)
{
    begin();
    loop_make(NULL);
    child_run(&child, PROGRAM("pwd", .directory = "/usr/bin"));
    expect_string(child.output, "/usr/bin\n");
    /* A relative file is looked up there. */
    child_run(&child, PROGRAM("./pwd", .directory = "/usr/bin"));
    expect_string(child.output, "/usr/bin\n");
    end();
}

CASE(spawn_passes_arguments_and_environment)
{
    const char *environment[] = {"ONE=1", "PATH=/usr/bin:/bin", "TWO=zwei",
                                 NULL};

    begin();
    loop_make(NULL);
    child_run(&child, PROGRAM("env", .environment = environment));
    expect_string(child.output, "ONE=1\nPATH=/usr/bin:/bin\nTWO=zwei\n");
    expect_int(setenv("WEIR_TEST_OF_SPAWN", "seen", 1), 0);
    child_run(&child, SHELL("echo $WEIR_TEST_OF_SPAWN"));
    expect_string(child.output, "seen\n");
    child_run(&child, PROGRAM("printf", .arguments = ARGUMENTS(
                                            "printf", "%s|", "a b", "", "*")));
    expect_string(child.output, "a b||*|");
    end();
}

CASE(spawn_searches_the_path_of_the_child)
{
    char path[120];
    const char *environment[] = {path, NULL};
    const char *nothing[] = {NULL};

    begin();
    loop_make(NULL);
    write_file(scratch("weir-tool"), "#!/bin/sh\necho found\n", 0755);
    snprintf(path, sizeof(path), "PATH=/nonexistent:/dev/null:%s", scratch(""));
    child_run(&child, PROGRAM("weir-tool", .environment = environment));
    expect_string(child.output, "found\n");
    /* Without a PATH there is a default. */
    child_run(&child, PROGRAM("echo", .environment = nothing));
    expect_string(child.output, "\n");
    /* A file that cannot be executed does not end the search. */
    expect_int(chmod(scratch("weir-tool"), 0644), 0);
    expect_status(
        child_try(&child, PROGRAM("weir-tool", .environment = environment)),
        -EACCES);
    expect_status(
        child_try(&child, PROGRAM("weir-none", .environment = environment)),
        -ENOENT);
    /* An empty element is the current directory. */
    expect_int(chmod(scratch("weir-tool"), 0755), 0);
    strcpy(path, "PATH=:/nonexistent");
    child_run(&child, PROGRAM("weir-tool", .environment = environment,
                              .directory = scratch("")));
    expect_string(child.output, "found\n");
    remove_scratch("weir-tool");
    end();
}

CASE(spawn_of_a_process_without_an_environment_uses_the_default_path)
{
    begin();
    loop_make(NULL);
    expect_int(clearenv(), 0);
    child_run(&child, PROGRAM("env"));
    expect_int(child.result.code, 0);
    expect_string(child.output, "");
    end();
}

CASE(spawn_changes_user_and_groups)
{
    const uint32_t groups[] = {1234, 1235};

    if (geteuid() != 0)
        skip_case("only root can change users");
    begin();
    loop_make(NULL);
    child_run(&child,
              SHELL_WITH("id -u; id -g; id -G", .has_user = true, .user = 4321,
                         .has_group = true, .group = 4322));
    expect_string(child.output, "4321\n4322\n4322\n");
    child_run(&child,
              SHELL_WITH("id -u; id -g; id -G", .has_group = true, .group = 7,
                         .groups = groups, .group_count = 2));
    expect_string(child.output, "0\n7\n7 1234 1235\n");
    expect_int(getuid(), 0);
    expect_int(getgid(), 0);
    end();
}

CASE(spawn_enters_a_directory_before_it_changes_the_user)
{
    if (geteuid() != 0)
        skip_case("only root can change users");
    begin();
    loop_make(NULL);
    expect_int(mkdir(scratch("closed"), 0700), 0);
    child_run(&child, SHELL_WITH("id -u; ls 2>/dev/null", .has_user = true,
                                 .user = 4321, .directory = scratch("closed")));
    expect_string(child.output, "4321\n"); /* which that user cannot read */
    expect_int(child.result.code, 2);
    expect_int(rmdir(scratch("closed")), 0);
    expect_int(rmdir(scratch("")), 0);
    end();
}

CASE(spawn_detached_begins_a_session_and_is_group_begins_a_group)
{
    /* The fields of /proc/self/stat: pid, (comm), state, ppid, pgrp, session */
    const char *arguments[] = {"cat", "/proc/self/stat", NULL};
    int pid, group, session;

    begin();
    loop_make(NULL);
    for (int i = 0; i < 3; i++) {
        child_run(&child, PROGRAM("cat", .arguments = arguments,
                                  .is_detached = i == 1, .is_group = i == 2));
        expect_int(sscanf(child.output, "%d (cat) %*c %*d %d %d", &pid, &group,
                          &session),
                   3);
        expect_int(group == pid, i > 0);
        expect_int(session == pid, i == 1);
    }
    end();
}

/* Other threads go on while one spawns. */
static void *count_up(void *arg)
{
    unsigned *value = arg;

    while (__atomic_load_n(value, __ATOMIC_RELAXED) != 0)
        __atomic_fetch_add(value, 2, __ATOMIC_RELAXED);
    return NULL;
}

CASE(spawn_on_one_of_several_threads)
{
    unsigned value = 1;
    pthread_t thread;

    begin();
    loop_make(NULL);
    expect_int(pthread_create(&thread, NULL, count_up, &value), 0);
    for (int i = 0; i < 50; i++) {
        child_run(&child, SHELL("echo x"));
        expect_string(child.output, "x\n");
    }
    __atomic_store_n(&value, 0, __ATOMIC_RELAXED);
    while (pthread_tryjoin_np(thread, NULL) != 0)
        __atomic_store_n(&value, 0, __ATOMIC_RELAXED);
    end();
}

/* ---- failures ---- */

/* The loop has opened its poller, so that descriptors can be counted. */
#define IN_POLLER LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS)

static void expect_failure(const weir_process_options *options, int err)
{
    int open_before = count_open_descriptors();

    expect_status(child_try(&child, options), err);
    expect_int(count_open_descriptors(), open_before);
    expect_no_child();
}

CASE(spawn_reports_what_the_kernel_refuses)
{
    static char argument[200 * 1024];
    const char *arguments[] = {"true", argument, NULL};
    weir_stdio closed[] = {{WEIR_STDIO_FD, 999}};
    weir_stdio inherited[200] = {{WEIR_STDIO_NULL, 0}};

    begin();
    loop_make(IN_POLLER);
    /* covers: weir_process_spawn -ENOENT */
    expect_failure(PROGRAM("/nonexistent"), -ENOENT);
    expect_failure(PROGRAM("weir-nonexistent"), -ENOENT);
    expect_failure(PROGRAM(""), -ENOENT);
    expect_failure(PROGRAM("/bin/true", .directory = "/nonexistent"), -ENOENT);
    /* covers: weir_process_spawn -EACCES */
    expect_failure(PROGRAM("/etc/passwd"), -EACCES);
    /* covers: weir_process_spawn -ENOTDIR */
    expect_failure(PROGRAM("/etc/passwd/x"), -ENOTDIR);
    expect_failure(PROGRAM("/bin/true", .directory = "/etc/passwd"), -ENOTDIR);
    /* covers: weir_process_spawn -ENOEXEC */
    write_file(scratch("garbage"), "\1\2\3\4", 0755);
    expect_failure(PROGRAM(scratch("garbage")), -ENOEXEC);
    remove_scratch("garbage");
    /* covers: weir_process_spawn -EBADF */
    expect_failure(PROGRAM("true", .stdio = closed, .stdio_count = 1), -EBADF);
    closed[0].fd = -1;
    expect_failure(PROGRAM("true", .stdio = closed, .stdio_count = 1), -EBADF);
    inherited[199].kind = WEIR_STDIO_INHERIT;
    expect_failure(PROGRAM("true", .stdio = inherited, .stdio_count = 200),
                   -EBADF);
    /* covers: weir_process_spawn -E2BIG */
    memset(argument, 'x', sizeof(argument) - 1);
    expect_failure(PROGRAM("true", .arguments = arguments), -E2BIG);
    end();
}

CASE(spawn_refuses_nonsense)
{
    struct {
        weir_process_options options;
        int unknown;
    } newer = {.options = {.size = sizeof(newer), .file = "true"},
               .unknown = 1};
    weir_stdio unknown[] = {{(weir_stdio_kind)77, 0}};
    weir_process *process;

    begin();
    loop_make(IN_POLLER);
    /* covers: weir_process_spawn -EINVAL */
    expect_status(weir_process_spawn(NULL, loop, PROGRAM("true")), -EINVAL);
    expect_status(weir_process_spawn(&process, NULL, PROGRAM("true")), -EINVAL);
    expect_status(weir_process_spawn(&process, loop, NULL), -EINVAL);
    expect_failure(PROGRAM(NULL), -EINVAL);
    expect_failure(PROGRAM("true", .timeout_ns = -1), -EINVAL);
    expect_failure(PROGRAM("true", .grace_ns = -1), -EINVAL);
    expect_failure(PROGRAM("true", .stdio = NULL), -EINVAL);
    expect_failure(PROGRAM("true", .stdio_count = 5000), -EINVAL);
    expect_failure(PROGRAM("true", .group_count = 1), -EINVAL);
    expect_failure(PROGRAM("true", .stdio = unknown, .stdio_count = 1),
                   -EINVAL);
    expect_status(weir_process_spawn(&process, loop, &newer.options), -E2BIG);
    end();
}

CASE(spawn_fails_when_the_system_is_exhausted)
{
    begin();
    loop_make(IN_POLLER);
    /* covers: weir_process_spawn -EAGAIN */
    start_error = -EAGAIN;
    expect_failure(PROGRAM("true"), -EAGAIN);
    /* covers: weir_process_spawn -ENOSYS */
    start_error = -ENOSYS;
    expect_failure(PROGRAM("true"), -ENOSYS);
    start_error = 0;
    /* covers: weir_process_spawn -EMFILE */
    pipe_error = -EMFILE;
    expect_failure(PROGRAM("true"), -EMFILE);
    pipe_error = 0;
    /* covers: weir_process_spawn -ENFILE */
    null_error = -ENFILE;
    expect_failure(PROGRAM("true"), -ENFILE);
    null_error = 0;
    child_run(&child, PROGRAM("true"));
    end();
}

CASE(spawn_without_rights_is_refused)
{
    if (geteuid() == 0) {
        expect_int(setresgid(65534, 65534, 65534), 0);
        expect_int(setresuid(65534, 65534, 65534), 0);
    }
    begin();
    loop_make(IN_POLLER);
    /* covers: weir_process_spawn -EPERM */
    expect_failure(PROGRAM("true", .has_user = true, .user = 0), -EPERM);
    expect_failure(PROGRAM("true", .has_group = true, .group = 0), -EPERM);
    /* To stay what it is, it needs no rights. */
    child_run(&child, PROGRAM("true", .has_user = true, .user = geteuid(),
                              .has_group = true, .group = getegid()));
    end();
}

CASE(spawn_that_the_loop_cannot_watch_is_killed)
{
    begin();
    loop_make(IN_POLLER);
    add_error = -ENOSPC;
    expect_failure(PROGRAM("sleep", .arguments = ARGUMENTS("sleep", "1000"),
                           .is_detached = true),
                   -ENOSPC);
    expect(last_pid > 0);
    add_error = 0;
    end();
}

static void spawn_late(void *arg, int status)
{
    expect_status(weir_loop_shutdown(loop, 0), 0);
    /* covers: weir_process_spawn WEIR_ECLOSED */
    expect_failure(PROGRAM("true"), WEIR_ECLOSED);
    note("refused");
}

CASE(spawn_on_a_loop_that_ends_is_refused)
{
    begin();
    loop_make(IN_POLLER);
    expect_status(weir_loop_submit(loop, spawn_late, NULL), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), 0);
    expect_recorded("refused");
    expect_failure(PROGRAM("true"), WEIR_ECLOSED);
    expect_status(weir_loop_free(loop), 0);
    loop_make(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_NEVER));
    /* covers: weir_process_spawn WEIR_ENOFDS */
    expect_failure(PROGRAM("true"), WEIR_ENOFDS);
    end();
}

CASE(spawn_without_memory_leaves_no_trace)
{
    unsigned failures = 0;
    int err = -ENOMEM;

    for (unsigned n = 1; err != 0; n++) {
        begin();
        loop_make(IN_POLLER);
        memory.fail_at = memory.calls + n;
        err = child_try(&child, PROGRAM("true", .timeout_ns = SECOND_NS));
        memory.fail_at = 0;
        /* covers: weir_process_spawn -ENOMEM */
        expect(err == 0 || err == -ENOMEM);
        failures += err != 0;
        loop_run();
        expect_int(child.exits, err == 0);
        end();
        expect_no_child();
    }
    expect(failures >= 3);
}
