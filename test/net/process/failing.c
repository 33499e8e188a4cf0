/* SPDX-License-Identifier: MIT */
/*
 * failing -- child processes and watches with every system call and every
 * allocation failing once (sweep.h).  What the child does between its birth and
 * its program is not swept: test/net/process/spawn.c does that.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/support/sweep.h"
#include "weir/process.h"
#include "weir/timer.h"
#include "weir/watch.h"

/* ---- a child that copies its input ---- */

enum { SIZE = 100000 };

static char pattern[SIZE];

static struct {
    weir_loop *loop;
    weir_process *process;
    weir_stream *output;   /* NULL: none, or it is being closed */
    int status;            /* the first error */
    unsigned begun, ended; /* operations */
    unsigned open;         /* streams, and the child */
    size_t received;
} run;

static void fail(int err)
{
    sweep_note(&run.status, err);
}

static int accepted(int err)
{
    if (err == 0)
        run.begun++;
    return err;
}

static void on_stream_gone(void *arg, weir_stream *stream, int status)
{
    run.ended++;
    run.open--;
    if (status != 0)
        fail(status);
}

static void close_output(void)
{
    weir_stream *stream = run.output;

    run.output = NULL;
    run.begun++;
    weir_stream_close(stream, on_stream_gone, NULL);
}

static void on_read(void *arg, weir_stream *stream, int status,
                    weir_bytes bytes)
{
    if (status == 0) {
        expect(run.received + bytes.size <= SIZE);
        expect(memcmp(bytes.data, pattern + run.received, bytes.size) == 0);
        run.received += bytes.size;
        return;
    }
    if (status != WEIR_EEOF)
        fail(status);
    else if (run.received != SIZE)
        fail(WEIR_ETRUNCATED);
    close_output();
}

static void on_written(void *arg, weir_stream *stream, int status)
{
    run.ended++;
    if (status != 0)
        fail(status);
}

static void on_exit_(void *arg, weir_process *process, int status,
                     const weir_process_result *result)
{
    run.ended++;
    run.open--;
    if (status != 0)
        fail(status);
    else if (result->signal != 0 || result->code != 0)
        fail(-EPIPE); /* its output was closed, or it was killed below */
    weir_process_close(process);
}

/* Give the child its input, and read what it makes of it. */
static int talk(void)
{
    weir_bytes bytes = {pattern, SIZE};
    weir_stream *input;
    int err = weir_process_open_stream(run.process, 1, &run.output, NULL);

    if (err != 0) {
        run.output = NULL;
        return err;
    }
    run.open++;
    err = weir_stream_read(run.output, on_read, NULL);
    if (err == 0)
        err = weir_process_open_stream(run.process, 0, &input, NULL);
    if (err != 0)
        return err;
    run.open++;
    err = accepted(weir_stream_write(input, &bytes, 1, on_written, NULL));
    run.begun++;
    weir_stream_finish(input, WEIR_S(20), on_stream_gone, NULL);
    return err;
}

static int spawn(void)
{
    static const char *const arguments[] = {"cat", NULL};
    static const weir_stdio stdio[] = {{.kind = WEIR_STDIO_PIPE_IN},
                                       {.kind = WEIR_STDIO_PIPE_OUT}};
    weir_process_options options = {.size = sizeof(options),
                                    .file = "/bin/cat",
                                    .arguments = arguments,
                                    .stdio = stdio,
                                    .stdio_count = 2,
                                    .on_exit = on_exit_};
    int err = accepted(weir_process_spawn(&run.process, run.loop, &options));

    if (err != 0)
        return err;
    run.open++;
    err = talk();
    if (err != 0) {
        expect_status(weir_process_kill(run.process, SIGKILL), 0);
        if (run.output != NULL)
            close_output();
    }
    return err;
}

static int copy(void)
{
    int err;

    memset(&run, 0, sizeof(run));
    err = weir_loop_new(&run.loop, NULL);
    if (err != 0)
        return err;
    fail(spawn());
    while (run.open > 0)
        expect_status(weir_loop_step(run.loop, WEIR_S(1)), 0);
    expect_int(run.ended, run.begun);
    expect_status(weir_loop_shutdown(run.loop, -1), 0);
    expect_status(weir_loop_free(run.loop), 0);
    expect_int(waitpid(-1, NULL, WNOHANG), -1); /* there is no zombie */
    return run.status;
}

CASE_WITHIN(a_child_survives_every_failure, 180)
{
    for (size_t i = 0; i < SIZE; i++)
        pattern[i] = (char)(i * 7 + i / 251);
    sweep("a child", copy, CALL_PIPE2, CALL_OPEN, CALL_FSTAT, CALL_FCNTL,
          CALL_READ, CALL_WRITEV, CALL_CLOSE, CALL_EPOLL_CTL);
}

/* ---- a watch ---- */

static char directory[] = "/tmp/weir-failing-XXXXXX";

static struct {
    weir_loop *loop;
    weir_watch *watch; /* NULL: it was closed */
    int status;        /* the first error */
    bool is_over;
    unsigned closed, cancelled;
} watching;

/* The files that a run makes and removes.  These calls are not counted. */
static void make_directory(const char *name)
{
    char path[64];

    snprintf(path, sizeof(path), "%s%s", directory, name);
    expect_int(syscall(SYS_mkdir, path, 0700), 0);
}

static void touch(const char *name)
{
    char path[64];
    long fd;

    snprintf(path, sizeof(path), "%s%s", directory, name);
    fd = syscall(SYS_open, path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    expect(fd >= 0);
    syscall(SYS_close, fd);
}

static void remove_name(const char *name)
{
    char path[64];

    snprintf(path, sizeof(path), "%s%s", directory, name);
    expect(syscall(SYS_unlink, path) == 0 || syscall(SYS_rmdir, path) == 0);
}

static void on_watch_closed(void *arg, weir_watch *watch)
{
    watching.closed++;
    watching.is_over = true;
}

static void close_watch(void)
{
    weir_watch *watch = watching.watch;

    if (watch == NULL)
        return;
    watching.watch = NULL;
    weir_watch_close(watch, on_watch_closed, NULL);
}

static void on_event(void *arg, weir_watch *watch, int status,
                     const weir_watch_event *event)
{
    if (status == WEIR_ECANCELED)
        watching.cancelled++; /* it is being closed */
    else if (status != 0)
        sweep_note(&watching.status, status);
    else if (strcmp(event->name, "new/file") == 0)
        close_watch();
    else if (event->kind == WEIR_WATCH_ENDED)
        sweep_note(&watching.status, WEIR_EEOF);
}

/* A directory that could not be watched reports nothing more. */
static void on_late(void *arg, int status)
{
    if (status == 0 && watching.watch != NULL)
        sweep_note(&watching.status, -ETIMEDOUT);
    if (status == 0)
        close_watch();
}

static int open_watch(void)
{
    weir_watch_options options = {.size = sizeof(options),
                                  .is_recursive = true};
    int err = weir_timer_start(watching.loop, NULL, WEIR_S(2), WEIR_TIMER_ONCE,
                               on_late, NULL);

    if (err == 0)
        err = weir_watch_open(&watching.watch, watching.loop, directory,
                              &options, on_event, NULL);
    if (err != 0) {
        watching.watch = NULL;
        watching.is_over = true;
    }
    return err;
}

static int watch(void)
{
    int err;

    memset(&watching, 0, sizeof(watching));
    expect_status(weir_clock_freeze(WEIR_S(1)), 0);
    err = weir_loop_new(&watching.loop, NULL);
    if (err != 0)
        return err;
    err = open_watch();
    make_directory("/new");
    if (err == 0)
        expect_status(weir_loop_step(watching.loop, 0), 0);
    touch("/new/file");
    sweep_note(&watching.status, err);
    sweep_step(watching.loop, &watching.is_over, WEIR_S(100));
    expect_int(watching.closed, err == 0);
    expect_int(watching.cancelled, err == 0);
    expect_status(weir_loop_free(watching.loop), 0);
    remove_name("/new/file");
    remove_name("/new");
    return watching.status;
}

CASE_WITHIN(a_watch_survives_every_failure, 180)
{
    expect(mkdtemp(directory) != NULL);
    make_directory("/old");
    sweep("a watch", watch, CALL_INOTIFY_INIT1, CALL_INOTIFY_ADD_WATCH,
          CALL_READ, CALL_CLOSE, CALL_EPOLL_CTL);
    remove_name("/old");
    remove_name("");
}
