/* SPDX-License-Identifier: MIT */
/*
 * process -- a child process in a loop.
 *
 * Shape     A pidfd, which becomes readable when the child exits, and is
 *           watched until then.  It stands for this child and no other, so that
 *           a signal through it never reaches the next process with the same
 *           number.  The child's group has no such descriptor, but its number
 *           is not given away before the child is reaped.
 * Memory    `refs` counts what will still use the process: its owner, the
 *           registration of the pidfd, the posted task, the timer.
 * The end   A child that is closed while it runs is killed, and reaped when its
 *           pidfd becomes readable.  At the end of the loop there is no later,
 *           so the loop's thread waits for it.  A killed child ends within
 *           milliseconds, unless a device holds it: then it becomes an orphan
 *           after END_MS, as a detached child does at once.
 *
 * Everything here happens on the loop's thread.
 */
#include "weir/process.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "os/socket.h"
#include "os/spawn.h"
#include "process/launch.h"
#include "process/orphan.h"
#include "weir/fd.h"
#include "weir/host/loop.h"
#include "weir/host/memory.h"
#include "weir/host/sized.h"
#include "weir/timer.h"

enum { END_MS = 5000 };

struct weir_process {
    weir_loop *loop;
    size_t size; /* of the allocation */
    unsigned refs;
    int pid, pidfd;
    bool is_independent, is_group;
    bool is_closed;
    bool is_told; /* on_exit was called, or is about to be */
    bool is_posted;
    bool is_over; /* the child was reaped, or left alone */
    int64_t grace_ns;
    weir_timer timer; /* 0: none */
    bool is_timed_out;
    weir_task task;
    struct weir__orphan *orphan;
    weir_process_exit_fn *on_exit;
    void *arg;
    size_t fd_count;
    int fds[]; /* this process's ends; -1: none, or a stream has it */
};

static void release(weir_process *process)
{
    if (--process->refs > 0)
        return;
    if (process->orphan != NULL)
        weir__orphan_free(process->orphan);
    weir_memory_free(process, process->size);
}

static void close_fds(weir_process *process)
{
    for (size_t i = 0; i < process->fd_count; i++)
        if (process->fds[i] >= 0)
            weir__socket_close(process->fds[i]);
}

/* Call on_exit, unless it was called.  It may free the process. */
static void tell(weir_process *process, int status,
                 const weir_process_result *result)
{
    if (process->is_told)
        return;
    process->is_told = true;
    if (process->on_exit != NULL)
        process->on_exit(process->arg, process, status, result);
}

static void call_cancelled(void *process, int status)
{
    weir_process_result none = {0};

    tell(process, WEIR_ECANCELED, &none);
}

/* The caller goes on, even if on_exit raises. */
static void tell_cancelled(weir_process *process)
{
    (void)weir_loop_contain(call_cancelled, process, 0);
}

/* ---- signals ---- */

static int signal_group(weir_process *process, int number)
{
    return process->is_group ? weir__spawn_signal_group(process->pid, number)
                             : weir__spawn_signal(process->pidfd, number);
}

int weir_process_kill(weir_process *process, int number)
{
    if (process == NULL || number < 0)
        return -EINVAL;
    if (process->is_over)
        return -ESRCH;
    return weir__spawn_signal(process->pidfd, number);
}

int weir_process_kill_group(weir_process *process, int number)
{
    if (process == NULL || number < 0)
        return -EINVAL;
    if (!process->is_group)
        return -ENOTSUP;
    if (process->is_over)
        return -ESRCH;
    return weir__spawn_signal_group(process->pid, number);
}

/* ---- the timeout ---- */

static int start_timer(weir_process *process, int64_t delay_ns, weir_fn *fn)
{
    int err = weir_timer_start(process->loop, &process->timer, delay_ns,
                               WEIR_TIMER_ONCE, fn, process);

    if (err != 0) {
        process->timer = 0;
        return err;
    }
    process->refs++;
    (void)!weir_timer_unref(process->loop, process->timer);
    return 0;
}

/* If it cannot be cancelled, it fires without effect. */
static void stop_timer(weir_process *process)
{
    weir_timer timer = process->timer;

    process->timer = 0;
    if (timer != 0 && weir_timer_cancel(process->loop, timer) == 0)
        release(process);
}

static void run_kill(void *arg, int status)
{
    weir_process *process = arg;

    process->timer = 0;
    if (status == 0 && !process->is_over)
        (void)signal_group(process, SIGKILL);
    release(process);
}

static void run_timeout(void *arg, int status)
{
    weir_process *process = arg;

    process->timer = 0;
    if (status == 0 && !process->is_over) {
        process->is_timed_out = true;
        (void)signal_group(process, SIGTERM);
        if (start_timer(process, process->grace_ns, run_kill) != 0)
            (void)signal_group(process, SIGKILL);
    }
    release(process);
}

/* ---- the end of a child ---- */

/* The end of the loop: leave neither a child nor a zombie, unless it is
 * independent. */
static void end_child(weir_process *process)
{
    weir_process_result result;

    if (!process->is_independent) {
        (void)signal_group(process, SIGKILL);
        weir__spawn_await(process->pidfd, END_MS);
    }
    process->is_over = true;
    stop_timer(process);
    if (weir__spawn_reap(process->pidfd, &result) == 0) {
        weir__orphan_leave(process->orphan, process->pidfd);
        process->orphan = NULL;
    } else {
        weir__socket_close(process->pidfd);
    }
}

/* The registration of the pidfd is over; call on_exit unless the task does.
 * If the process was closed and its task refused, the owner's reference is left
 * to us. */
static void finish(weir_process *process, int status,
                   const weir_process_result *result)
{
    if (!process->is_closed) {
        process->refs--; /* the owner has another */
        tell(process, status, result);
        return;
    }
    if (!process->is_told && !process->is_posted) {
        tell_cancelled(process);
        release(process);
    }
    release(process);
}

/* The child has exited, or the loop ends. */
static void run_exit(void *arg, int status, int fd, unsigned events)
{
    weir_process *process = arg;
    weir_process_result result = {0};
    int reaped;

    if (status != 0) {
        end_child(process);
        finish(process, WEIR_ECANCELED, &result);
        return;
    }
    reaped = weir__spawn_reap(fd, &result);
    if (reaped == 0)
        return;
    (void)!weir_fd_remove(process->loop, fd, NULL, NULL);
    process->is_over = true;
    stop_timer(process);
    weir__socket_close(fd);
    result.is_timed_out = process->is_timed_out;
    finish(process, reaped > 0 ? 0 : reaped, &result);
}

/* ---- making ---- */

static int read_options(weir_process_options *options,
                        const weir_process_options *given)
{
    int err = weir_sized_read(options, sizeof(*options), given);

    if (err != 0)
        return err;
    if (options->grace_ns == 0)
        options->grace_ns = WEIR_PROCESS_GRACE_NS;
    if (options->file == NULL || options->timeout_ns < 0 ||
        options->grace_ns < 0 ||
        options->stdio_count > WEIR_PROCESS_STDIO_LIMIT ||
        (options->stdio_count > 0 && options->stdio == NULL) ||
        (options->group_count > 0 && options->groups == NULL))
        return -EINVAL;
    return options->file[0] == '\0' ? -ENOENT : 0;
}

static void run_nothing(void *arg, int status, int fd, unsigned events)
{
}

/* Find out whether the loop admits a descriptor, before there is a child.
 * epoll(7) refuses the null device with -EPERM, after everything else was
 * checked; poll(2) accepts it. */
static int check_loop(weir_loop *loop)
{
    int fd = weir__spawn_open_null();
    int err;

    if (fd < 0)
        return fd;
    err = weir_fd_add(loop, fd, 0, run_nothing, NULL);
    if (err == 0)
        (void)!weir_fd_remove(loop, fd, NULL, NULL);
    weir__socket_close(fd);
    return err == -EPERM ? 0 : err;
}

static void run_task(weir_task *task, int status)
{
    weir_process *process =
        (weir_process *)((char *)task - offsetof(weir_process, task));

    process->is_posted = false;
    tell_cancelled(process);
    release(process);
}

static weir_process *make_process(weir_loop *loop,
                                  const weir_process_options *options)
{
    size_t count = weir__launch_fd_count(options);
    size_t size = sizeof(weir_process) + count * sizeof(int);
    weir_process *process = weir_memory_alloc(size);

    if (process == NULL)
        return NULL;
    *process = (weir_process){
        .loop = loop,
        .size = size,
        .refs = 1,
        .is_independent = options->is_independent || options->is_detached,
        .is_group = options->is_group || options->is_detached,
        .grace_ns = options->grace_ns,
        .task = {.run = run_task},
        .orphan = weir__orphan_new(),
        .on_exit = options->on_exit,
        .arg = options->arg,
        .fd_count = count};
    if (process->orphan == NULL) {
        weir_memory_free(process, size);
        return NULL;
    }
    return process;
}

/* The loop has no memory for the child. */
static void kill_at_once(weir_process *process)
{
    process->is_independent = false;
    end_child(process);
    close_fds(process);
}

/* Start the child, with its timer before it, which cannot be undone later. */
static int start(weir_process *process, const weir_process_options *options)
{
    int err = 0;

    if (options->timeout_ns > 0)
        err = start_timer(process, options->timeout_ns, run_timeout);
    if (err != 0)
        return err;
    err =
        weir__launch_run(options, process->fds, &process->pid, &process->pidfd);
    if (err == 0) {
        err = weir_fd_add(process->loop, process->pidfd, WEIR_FD_READABLE,
                          run_exit, process);
        if (err != 0)
            kill_at_once(process);
    }
    if (err != 0) {
        process->is_over = true;
        stop_timer(process);
    }
    return err;
}

int weir_process_spawn(weir_process **process, weir_loop *loop,
                       const weir_process_options *options)
{
    weir_process_options read;
    weir_process *made;
    int err;

    if (process == NULL || loop == NULL || options == NULL)
        return -EINVAL;
    err = read_options(&read, options);
    if (err == 0)
        err = check_loop(loop);
    if (err != 0)
        return err;
    weir__orphan_reap();
    made = make_process(loop, &read);
    if (made == NULL)
        return -ENOMEM;
    err = start(made, &read);
    if (err != 0) {
        release(made);
        return err;
    }
    made->refs++; /* of the registration */
    weir_process_set_name(made, read.name != NULL ? read.name : "process");
    weir_process_set_ref(made, !read.is_unref);
    *process = made;
    return 0;
}

/* ---- the owner ---- */

void weir_process_close(weir_process *process)
{
    close_fds(process);
    process->is_closed = true;
    if (!process->is_over) {
        if (!process->is_independent)
            (void)signal_group(process, SIGKILL);
        weir_process_set_ref(process, false);
    }
    /* A loop that refuses the task is being closed, and calls run_exit. */
    if (!process->is_told &&
        weir_loop_post(process->loop, &process->task) == 0) {
        process->is_posted = true;
        process->refs++;
    }
    if (process->is_told || process->is_posted)
        release(process);
}

int weir_process_open_stream(weir_process *process, size_t index,
                             weir_stream **stream,
                             const weir_stream_options *options)
{
    int err;

    if (process == NULL || stream == NULL)
        return -EINVAL;
    if (index >= process->fd_count || process->fds[index] < 0)
        return -ENOENT;
    err = weir_stream_open(stream, process->loop, process->fds[index], options);
    if (err == 0)
        process->fds[index] = -1;
    return err;
}

int weir_process_number(const weir_process *process)
{
    return process->pid;
}

void weir_process_set_name(weir_process *process, const char *name)
{
    if (!process->is_over)
        (void)weir_fd_set_name(process->loop, process->pidfd, name);
}

void weir_process_set_ref(weir_process *process, bool is_ref)
{
    if (!process->is_over)
        (void)!(is_ref ? weir_fd_ref(process->loop, process->pidfd)
                       : weir_fd_unref(process->loop, process->pidfd));
}
