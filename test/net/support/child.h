/* SPDX-License-Identifier: MIT */
/*
 * child -- one child process of a case, and what it has written.
 *
 *     struct child child;
 *     child_run(&child, SHELL("echo hello"));
 *     expect_string(child.output, "hello\n");
 *     expect_int(child.result.code, 0);
 */
#ifndef WEIR_TEST_NET_SUPPORT_CHILD_H
#define WEIR_TEST_NET_SUPPORT_CHILD_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>

#include "support/loop_fixture.h"
#include "support/suite.h"
#include "weir/process.h"

struct child {
    weir_process *process;
    unsigned exits; /* calls of on_exit */
    int status;
    weir_process_result result;
    bool is_kept; /* do not close the process in on_exit */
    char output[64 * 1024];
    size_t size;
    bool has_ended; /* the output */
};

/* Standard output is a pipe, standard error is that of the test. */
static const weir_stdio child_stdio[] = {
    {WEIR_STDIO_NULL, 0}, {WEIR_STDIO_PIPE_OUT, 0}, {WEIR_STDIO_INHERIT, 0}};

/* A case may replace the table and the arguments. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Winitializer-overrides"
#else
#pragma GCC diagnostic ignored "-Woverride-init"
#endif

#define PROGRAM(name, ...)                                                     \
    (&(weir_process_options){.size = sizeof(weir_process_options),             \
                             .file = name,                                     \
                             .stdio = child_stdio,                             \
                             .stdio_count = 3,                                 \
                             __VA_ARGS__})

#define ARGUMENTS(...) ((const char *const[]){__VA_ARGS__, NULL})

#define SHELL_WITH(script, ...)                                                \
    PROGRAM("/bin/sh", .arguments = ARGUMENTS("sh", "-c", script), __VA_ARGS__)
#define SHELL(script)                                                          \
    PROGRAM("/bin/sh", .arguments = ARGUMENTS("sh", "-c", script))

static inline void child_exited(void *arg, weir_process *process, int status,
                                const weir_process_result *result)
{
    struct child *child = arg;

    expect(process == child->process);
    child->exits++;
    child->status = status;
    child->result = *result;
    if (!child->is_kept)
        weir_process_close(process);
}

static inline void child_read(void *arg, weir_stream *stream, int status,
                              weir_bytes bytes)
{
    struct child *child = arg;

    if (status != 0) {
        child->has_ended = true;
        weir_stream_close(stream, NULL, NULL);
        return;
    }
    expect(child->size + bytes.size < sizeof(child->output));
    memcpy(child->output + child->size, bytes.data, bytes.size);
    child->size += bytes.size;
    child->output[child->size] = '\0';
}

/* Start a child that reports to *child.  Returns the status of the spawn. */
static inline int child_try(struct child *child,
                            const weir_process_options *options)
{
    weir_process_options with = *options;

    child->exits = 0;
    child->size = 0;
    child->output[0] = '\0';
    child->has_ended = false;
    with.on_exit = child_exited;
    with.arg = child;
    return weir_process_spawn(&child->process, loop, &with);
}

static inline void child_listen(struct child *child)
{
    weir_stream *stream;

    expect_status(weir_process_open_stream(child->process, 1, &stream, NULL),
                  0);
    expect_status(weir_stream_read(stream, child_read, child), 0);
}

/* Start a child and read its standard output. */
static inline void child_start(struct child *child,
                               const weir_process_options *options)
{
    expect_status(child_try(child, options), 0);
    child_listen(child);
}

/* Let the loop run until the child has written so much. */
static inline void child_await(struct child *child, size_t size)
{
    while (child->size < size)
        expect_status(weir_loop_step(loop, -1), 0);
}

static inline void child_await_exit(struct child *child)
{
    while (child->exits == 0)
        expect_status(weir_loop_step(loop, -1), 0);
}

/* Start a child and run the loop until it has exited. */
static inline void child_run(struct child *child,
                             const weir_process_options *options)
{
    child_start(child, options);
    loop_run();
    expect_int(child->exits, 1);
    expect(child->has_ended);
}

/* Neither a child nor a zombie is left. */
static inline void expect_no_child(void)
{
    expect_int(waitpid(-1, NULL, WNOHANG), -1);
    expect_int(errno, ECHILD);
}

#endif /* WEIR_TEST_NET_SUPPORT_CHILD_H */
