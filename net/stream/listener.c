/* SPDX-License-Identifier: MIT */
/*
 * listener -- accept connections, and hand them to the loops that serve them.
 *
 * Shape     A descriptor that the loop watches.  Each event accepts a bounded
 *           batch.  With `loops`, an accepted socket travels to its loop in a
 *           handover (a task), where the stream is made.
 * Threads   The listener belongs to its loop's thread.  A handover belongs to
 *           the accepting thread until it is posted, and then to the thread of
 *           its loop.  It carries a copy of everything that it needs.
 * The end   A gate counts the handovers on their way.  Closing the listener
 *           drains the gate, and the last handover to arrive closes it, on any
 *           thread.  That posts the listener to its own loop, where `done` is
 *           called and the memory is freed.  If that loop has ended, `done` was
 *           called with WEIR_ECANCELED at that time, and the memory is freed
 *           where the gate was closed.
 * Draining  os/listen.h stops new connections.  A handshake that has begun
 *           still completes, so the listener accepts for GRACE_NS more, then
 *           closes.  Without descriptors for what is queued it tries on, at
 *           most DRAIN_TRIES times: streams that end leave theirs.
 *
 * Tested by  test/net/stream/listener.c
 */
#include "weir/net/listener.h"

#include <errno.h>
#include <string.h>

#include "os/listen.h"
#include "os/socket.h"
#include "stream/stream.h"
#include "weir/fd.h"
#include "weir/gate.h"
#include "weir/host/memory.h"
#include "weir/host/sized.h"
#include "weir/timer.h"

#define RETRY_NS WEIR_MS(100) /* after -EMFILE and the like */
#define GRACE_NS WEIR_MS(50)

enum { DRAIN_TRIES = 100 };

/* What a stream is made with, on whichever loop. */
struct recipe {
    weir_stream_options stream;
    bool is_unix;
    void (*on_stream)(void *arg, weir_stream *stream);
    void *arg;
};

struct weir_listener {
    weir_loop *loop;
    int fd; /* -1: closed */
    bool is_inherited, is_paused, is_starved, is_draining, is_ended;
    unsigned batch;
    unsigned left; /* of the connections that a drain accepts */
    unsigned tries;
    int status; /* for done: why a drain has not accepted all of them, or 0 */
    weir_address address;
    struct weir__listen_file file;
    weir_timer timer; /* of is_starved or is_draining; 0: not started */
    struct recipe recipe;
    weir_loop **loops;
    size_t loop_count, next_loop;
    const char *name;
    void (*on_error)(void *arg, weir_listener *listener, int err);
    weir_listener_fn *done;
    void *done_arg;
    weir_gate handovers;
    weir_task task; /* posted when the gate is closed */
};

struct handover {
    weir_task task;
    weir_gate *gate; /* of the listener, which stays until we have left */
    weir_loop *loop;
    struct recipe recipe;
    int fd;
};

/* ---- making streams ---- */

static void make_stream(weir_loop *loop, int fd, const struct recipe *recipe)
{
    weir_stream *stream;

    if (weir__stream_accepted(&stream, loop, fd, recipe->is_unix,
                              &recipe->stream) != 0) {
        weir__socket_close(fd); /* no memory for this one; others go on */
        return;
    }
    recipe->on_stream(recipe->arg, stream);
}

static void arrive(weir_task *task, int status)
{
    struct handover handover = *(struct handover *)task;

    weir_memory_free(task, sizeof(handover));
    if (status == 0)
        make_stream(handover.loop, handover.fd, &handover.recipe);
    else
        weir__socket_close(handover.fd); /* the loop is being closed */
    weir_gate_exit(handover.gate);
}

/* Post a socket to one of the loops.  False if none takes it. */
static bool hand_over(weir_listener *listener, int fd)
{
    struct handover *handover = weir_memory_alloc(sizeof(*handover));

    if (handover == NULL || weir_gate_enter(&listener->handovers) != 0) {
        weir_memory_free(handover, sizeof(*handover));
        return false;
    }
    *handover = (struct handover){.task = {.run = arrive, .name = "accept"},
                                  .gate = &listener->handovers,
                                  .recipe = listener->recipe,
                                  .fd = fd};
    for (size_t i = 0; i < listener->loop_count; i++) {
        size_t at = listener->next_loop++ % listener->loop_count;

        handover->loop = listener->loops[at];
        if (weir_loop_post(handover->loop, &handover->task) == 0)
            return true;
    }
    weir_memory_free(handover, sizeof(*handover));
    weir_gate_exit(&listener->handovers);
    return false;
}

static void assign_connection(weir_listener *listener, int fd)
{
    if (listener->loop_count == 0)
        make_stream(listener->loop, fd, &listener->recipe);
    else if (!hand_over(listener, fd))
        weir__socket_close(fd);
}

/* ---- accepting ---- */

static void tell_error(weir_listener *listener, int err)
{
    if (listener->on_error != NULL)
        listener->on_error(listener->recipe.arg, listener, err);
}

static void on_timer(void *arg, int status);

static int start_timer(weir_listener *listener, int64_t delay_ns)
{
    return weir_timer_start(listener->loop, &listener->timer, delay_ns,
                            WEIR_TIMER_ONCE, on_timer, listener);
}

static void cancel_timer(weir_listener *listener)
{
    if (listener->timer != 0)
        (void)!weir_timer_cancel(listener->loop, listener->timer);
    listener->timer = 0;
}

/* If the loop cannot watch the descriptor again, which takes memory, the
 * listener tries to accept from time to time, as one without descriptors does.
 * If it cannot stop watching, the next event finds the listener as it is. */
static void watch(weir_listener *listener)
{
    bool is_wanted = !listener->is_paused && !listener->is_starved;
    int err = weir_fd_modify(listener->loop, listener->fd,
                             is_wanted ? WEIR_FD_READABLE : 0);

    if (err != 0 && is_wanted && !listener->is_draining)
        listener->is_starved =
            listener->timer != 0 || start_timer(listener, RETRY_NS) == 0;
}

/* Stop until descriptors are available again. */
static void starve(weir_listener *listener, int err)
{
    bool was_starved = listener->is_starved;

    listener->is_starved = true;
    watch(listener);
    if (listener->timer == 0 && start_timer(listener, RETRY_NS) != 0) {
        listener->is_starved = false;
        watch(listener);
    }
    if (!was_starved)
        tell_error(listener, err);
}

/* Errors of one connection, not of the listener (accept(2)). */
static bool is_of_connection(int err)
{
    return err == -ECONNABORTED || err == -EPROTO || err == -EPERM ||
           err == -ENETDOWN || err == -ENOPROTOOPT || err == -EHOSTDOWN ||
           err == -ENONET || err == -EHOSTUNREACH || err == -EOPNOTSUPP ||
           err == -ENETUNREACH;
}

/* Accept at most `most` connections.  Returns the reason for stopping: 0 if
 * there may be more. */
static int accept_some(weir_listener *listener, unsigned most)
{
    while (most-- > 0 && listener->fd >= 0 && !listener->is_paused) {
        int fd = weir__socket_accept(listener->fd, NULL);

        if (fd < 0 && !is_of_connection(fd))
            return fd;
        if (listener->left > 0)
            listener->left--;
        if (fd < 0)
            continue;
        if (listener->is_starved) {
            listener->is_starved = false;
            watch(listener);
        }
        assign_connection(listener, fd);
    }
    return 0;
}

static void close_fd(weir_listener *listener)
{
    if (listener->fd < 0)
        return;
    cancel_timer(listener);
    if (!listener->is_inherited)
        weir__listen_remove(&listener->address, &listener->file);
    /* -ENOENT: the loop has ended */
    (void)!weir_fd_remove(listener->loop, listener->fd, NULL, NULL);
    weir__socket_close(listener->fd);
    listener->fd = -1;
}

/* The owner has left.  This may free the listener. */
static void leave(weir_listener *listener)
{
    close_fd(listener);
    (void)!weir_gate_drain(&listener->handovers); /* -EALREADY: before */
}

/* The loop has ended.  If the owner has not left, it does so later. */
static void end_with_loop(weir_listener *listener)
{
    weir_listener_fn *done = listener->done;

    listener->is_ended = true;
    listener->done = NULL;
    close_fd(listener);
    if (done != NULL)
        done(listener->done_arg, listener, WEIR_ECANCELED);
    if (listener->is_draining)
        leave(listener);
}

static void on_event(void *arg, int status, int fd, unsigned events)
{
    weir_listener *listener = arg;
    weir_gate *gate = &listener->handovers;
    int err;

    /* The callbacks may close the listener. */
    if (weir_gate_enter(gate) != 0)
        return;
    if (status != 0) {
        end_with_loop(listener);
    } else {
        err = accept_some(listener, listener->batch);
        if (listener->fd >= 0 && weir__listen_is_shortage(err))
            starve(listener, err);
        else if (listener->fd >= 0 && err != 0 && err != -EAGAIN) {
            listener->is_paused = true;
            watch(listener);
            tell_error(listener, err);
        } else if (listener->fd >= 0 && listener->is_paused) {
            watch(listener);
        }
    }
    weir_gate_exit(gate);
}

/* ---- ending ---- */

static void free_listener(weir_listener *listener)
{
    weir_memory_free(listener->loops,
                     listener->loop_count * sizeof(*listener->loops));
    weir_memory_free(listener, sizeof(*listener));
}

static void on_gone(weir_task *task, int status)
{
    weir_listener *listener =
        (weir_listener *)((char *)task - offsetof(weir_listener, task));

    if (status == 0)
        status = listener->status;
    if (listener->done != NULL)
        listener->done(listener->done_arg, listener, status);
    free_listener(listener);
}

/* The gate is closed: no handover is pending, and the listener is not in use.
 * On any thread. */
static void on_closed(void *arg)
{
    weir_listener *listener = arg;

    listener->task = (weir_task){.run = on_gone, .name = listener->name};
    if (listener->is_ended ||
        weir_loop_post(listener->loop, &listener->task) != 0)
        on_gone(&listener->task, WEIR_ECANCELED);
}

/* Wait until a descriptor is available for what is queued.  False if a drain has
 * waited long enough, or cannot. */
static bool wait_in_drain(weir_listener *listener, int err)
{
    if (listener->tries++ < DRAIN_TRIES)
        starve(listener, err);
    if (listener->timer != 0)
        return true;
    listener->status = err;
    return false;
}

/* A drain accepts what is queued, for GRACE_NS, and at most as much as the
 * kernel could have queued. */
static void finish_drain(weir_listener *listener)
{
    weir_gate *gate = &listener->handovers;
    int err = 0;

    if (weir_gate_enter(gate) != 0)
        return;
    listener->is_paused = false; /* an error may have stopped it */
    while (listener->fd >= 0 && listener->left > 0 && err == 0)
        err = accept_some(listener, listener->left);
    if (!weir__listen_is_shortage(err) || !wait_in_drain(listener, err))
        leave(listener);
    weir_gate_exit(gate);
}

static void on_timer(void *arg, int status)
{
    weir_listener *listener = arg;

    listener->timer = 0;
    if (status != 0)
        return;
    if (listener->is_draining)
        finish_drain(listener);
    else if (listener->is_starved) {
        if (start_timer(listener, RETRY_NS) != 0)
            listener->is_starved = false;
        on_event(listener, 0, listener->fd, WEIR_FD_READABLE);
    }
}

void weir_listener_close(weir_listener *listener, weir_listener_fn *done,
                         void *arg)
{
    listener->done = done;
    listener->done_arg = arg;
    leave(listener);
}

void weir_listener_drain(weir_listener *listener, weir_listener_fn *done,
                         void *arg)
{
    if (listener->fd < 0) {
        weir_listener_close(listener, done, arg);
        return;
    }
    listener->done = done;
    listener->done_arg = arg;
    cancel_timer(listener);
    listener->is_draining = true;
    listener->is_paused = listener->is_starved = false;
    listener->left = 2 * WEIR_LISTENER_BACKLOG;
    if (!listener->is_inherited) {
        weir__listen_stop(listener->fd, &listener->address);
        weir__listen_remove(&listener->address, &listener->file);
    }
    watch(listener);
    if (listener->is_inherited || start_timer(listener, GRACE_NS) != 0)
        finish_drain(listener);
}

/* ---- opening ---- */

static int copy_loops(weir_listener *listener,
                      const weir_listener_options *options)
{
    size_t bytes = options->loop_count * sizeof(*listener->loops);

    if (options->loop_count == 0)
        return 0;
    listener->loops = weir_memory_alloc(bytes);
    if (listener->loops == NULL)
        return -ENOMEM;
    memcpy(listener->loops, options->loops, bytes);
    listener->loop_count = options->loop_count;
    return 0;
}

static int open_fd(weir_listener *listener,
                   const weir_listener_options *options)
{
    struct weir__listen_request request = {
        .address = &options->address,
        .backlog =
            options->backlog > 0 ? options->backlog : WEIR_LISTENER_BACKLOG,
        .reuse_port = options->reuse_port,
        .is_ipv6_only = options->is_ipv6_only,
        .unix_mode = options->unix_mode,
    };

    if (options->has_fd) {
        listener->is_inherited = !options->is_private;
        listener->fd = options->fd;
        return weir__listen_check(options->fd);
    }
    listener->fd = weir__listen_open(&request, &listener->file);
    return listener->fd < 0 ? listener->fd : 0;
}

static int check_options(const weir_listener_options *options)
{
    if (options->on_stream == NULL || options->backlog < 0 ||
        (options->loop_count > 0 && options->loops == NULL) ||
        (!options->has_fd &&
         weir_address_family_of(&options->address) == WEIR_ADDRESS_NONE))
        return -EINVAL;
    return 0;
}

static int fill_listener(weir_listener *listener, weir_loop *loop,
                         const weir_listener_options *options)
{
    int err;

    memset(listener, 0, sizeof(*listener));
    listener->loop = loop;
    listener->fd = -1;
    listener->batch = options->batch > 0 ? options->batch : WEIR_LISTENER_BATCH;
    listener->recipe.on_stream = options->on_stream;
    listener->recipe.arg = options->arg;
    listener->on_error = options->on_error;
    listener->name = options->name != NULL ? options->name : "listener";
    err = weir_sized_read(&listener->recipe.stream,
                          sizeof(listener->recipe.stream), options->stream);
    return err == 0 && listener->recipe.stream.keep_alive_ns < 0 ? -EINVAL
                                                                 : err;
}

/* Watch the descriptor of a listener that is complete. */
static int start(weir_listener *listener)
{
    int err = weir__socket_local(listener->fd, &listener->address);

    listener->recipe.is_unix =
        weir_address_family_of(&listener->address) == WEIR_ADDRESS_UNIX;
    if (err == 0 && !listener->is_inherited)
        weir__listen_identify(&listener->address, &listener->file);
    if (err == 0)
        err = weir_gate_init(&listener->handovers, on_closed, listener, NULL);
    if (err == 0)
        err = weir_gate_start(&listener->handovers);
    if (err == 0)
        err = weir_fd_add(listener->loop, listener->fd, WEIR_FD_READABLE,
                          on_event, listener);
    if (err == 0)
        weir_fd_set_name(listener->loop, listener->fd, listener->name);
    return err;
}

int weir_listener_open(weir_listener **made, weir_loop *loop,
                       const weir_listener_options *given)
{
    weir_listener_options options;
    weir_listener *listener;
    int err = weir_sized_read(&options, sizeof(options), given);

    if (err != 0)
        return err;
    if (made == NULL || loop == NULL || check_options(&options) != 0)
        return -EINVAL;
    listener = weir_memory_alloc(sizeof(*listener));
    if (listener == NULL)
        return -ENOMEM;
    err = fill_listener(listener, loop, &options);
    if (err == 0)
        err = copy_loops(listener, &options);
    if (err == 0)
        err = open_fd(listener, &options);
    if (err == 0)
        err = start(listener);
    if (err == 0) {
        *made = listener;
        return 0;
    }
    if (listener->fd >= 0 && !options.has_fd) {
        weir__listen_remove(&options.address, &listener->file);
        weir__socket_close(listener->fd);
    }
    free_listener(listener);
    return err;
}

int weir_listener_inherited(int *fds, size_t capacity)
{
    int count = weir__listen_inherited();

    if (count < 0)
        return count;
    if ((size_t)count > capacity)
        count = (int)capacity;
    for (int i = 0; i < count; i++)
        fds[i] = WEIR__LISTEN_FDS_START + i;
    return count;
}

/* ---- settings ---- */

void weir_listener_pause(weir_listener *listener)
{
    listener->is_paused = true;
    if (listener->fd >= 0)
        watch(listener);
}

void weir_listener_resume(weir_listener *listener)
{
    listener->is_paused = false;
    if (listener->fd >= 0)
        watch(listener);
}

void weir_listener_set_ref(weir_listener *listener, bool is_ref)
{
    /* -ENOENT: the loop has ended */
    (void)!(is_ref ? weir_fd_ref(listener->loop, listener->fd)
                   : weir_fd_unref(listener->loop, listener->fd));
}

void weir_listener_address(const weir_listener *listener, weir_address *address)
{
    *address = listener->address;
}

int weir_listener_fd(const weir_listener *listener)
{
    return listener->fd;
}
