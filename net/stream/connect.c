/* SPDX-License-Identifier: MIT */
/*
 * connect -- races several attempts to connect; the first to succeed wins (RFC
 * 8305).
 *
 * Shape     The addresses, of the caller or of a lookup, are sorted so that the
 *           families alternate.  Attempt n begins when attempt n - 1 has
 *           failed, or delay_ns after it.  Each has a socket that the loop
 *           watches until it is connected or has failed.
 * The end   One of: an attempt succeeds, all have failed, the time is over, a
 *           cancel, the end of the loop.  The outcome is recorded, everything
 *           else is stopped, and a task calls fn.
 * Thread    The loop's.
 *
 * Tested by  test/net/stream/connect.c
 */
#include "weir/net/connect.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "os/socket.h"
#include "weir/fd.h"
#include "weir/host/loop.h"
#include "weir/host/memory.h"
#include "weir/host/sized.h"
#include "weir/timer.h"

struct attempt {
    weir_connecting *owner;
    int fd; /* -1: not begun, failed, or taken */
};

struct weir_connecting {
    weir_loop *loop;
    weir_connect_fn *fn;
    void *arg;
    weir_connect_options options;
    weir_stream_options stream_options;
    weir_address *addresses;
    struct attempt *attempts;
    size_t count, begun, failed;
    weir_lookup *lookup;       /* NULL: none is in progress */
    weir_timer deadline, next; /* 0: not started */
    bool is_over;
    bool is_called; /* by the loop, which need not be asked to call again */
    int status;
    int fd; /* of the winner; -1: none */
    weir_task task;
};

static void begin_next(weir_connecting *connecting);

/* ---- the end ---- */

static void free_connecting(weir_connecting *connecting)
{
    size_t count = connecting->count;

    weir_memory_free(connecting->addresses, count * sizeof(weir_address));
    weir_memory_free(connecting->attempts, count * sizeof(struct attempt));
    weir_memory_free(connecting, sizeof(*connecting));
}

/* Make the stream of the winner, and call fn. */
static void call_fn(weir_task *task, int status)
{
    weir_connecting *connecting =
        (weir_connecting *)((char *)task - offsetof(weir_connecting, task));
    weir_connect_fn *fn = connecting->fn;
    void *arg = connecting->arg;
    weir_stream *stream = NULL;
    int err = connecting->status;

    if (err == 0 && status != 0)
        err = status;
    if (err == 0)
        err = weir_stream_open(&stream, connecting->loop, connecting->fd,
                               &connecting->stream_options);
    if (err != 0 && connecting->fd >= 0)
        weir__socket_close(connecting->fd);
    free_connecting(connecting);
    fn(arg, err, stream);
}

static void cancel_timer(weir_connecting *connecting, weir_timer *timer)
{
    if (*timer != 0)
        (void)!weir_timer_cancel(connecting->loop, *timer);
    *timer = 0;
}

static void stop_attempts(weir_connecting *connecting)
{
    for (size_t i = 0; i < connecting->begun; i++) {
        struct attempt *attempt = &connecting->attempts[i];

        if (attempt->fd < 0)
            continue;
        /* -ENOENT: the loop has ended */
        (void)!weir_fd_remove(connecting->loop, attempt->fd, NULL, NULL);
        weir__socket_close(attempt->fd);
        attempt->fd = -1;
    }
}

/* Record the outcome; fn is called soon. */
static void finish(weir_connecting *connecting, int status)
{
    if (connecting->is_over)
        return;
    connecting->is_over = true;
    connecting->status = status;
    cancel_timer(connecting, &connecting->deadline);
    cancel_timer(connecting, &connecting->next);
    stop_attempts(connecting);
    connecting->task = (weir_task){.run = call_fn, .name = "connect"};
    if (connecting->is_called)
        return; /* on_event calls fn */
    if (connecting->lookup != NULL)
        (void)weir_lookup_cancel(connecting->lookup); /* its end calls fn */
    else if (weir_loop_post_expected(connecting->loop, &connecting->task) != 0)
        call_fn(&connecting->task, WEIR_ECANCELED); /* the loop has ended */
}

static void on_deadline(void *arg, int status)
{
    weir_connecting *connecting = arg;

    connecting->deadline = 0;
    finish(connecting, status != 0 ? status : -ETIMEDOUT);
}

/* ---- attempts ---- */

static void on_next(void *arg, int status)
{
    weir_connecting *connecting = arg;

    connecting->next = 0;
    if (status == 0)
        begin_next(connecting);
}

/* An attempt has failed: begin the next at once, or give up after the last. */
static void fail_attempt(weir_connecting *connecting, int err)
{
    connecting->failed++;
    cancel_timer(connecting, &connecting->next);
    if (connecting->begun < connecting->count)
        begin_next(connecting);
    else if (connecting->failed == connecting->count)
        finish(connecting, err);
}

static void finish_connected(struct attempt *attempt)
{
    weir_connecting *connecting = attempt->owner;

    connecting->fd = attempt->fd;
    attempt->fd = -1;
    finish(connecting, 0);
}

static void end_attempt(struct attempt *attempt, int fd)
{
    weir_connecting *connecting = attempt->owner;
    int err = weir__socket_error(fd);

    (void)!weir_fd_remove(connecting->loop, fd, NULL, NULL);
    if (err == 0) {
        finish_connected(attempt);
        return;
    }
    weir__socket_close(fd);
    attempt->fd = -1;
    fail_attempt(connecting, err);
}

static void on_event(void *arg, int status, int fd, unsigned events)
{
    struct attempt *attempt = arg;
    weir_connecting *connecting = attempt->owner;

    if (status != 0) { /* the loop has ended and no longer watches it */
        finish(connecting, status);
        return;
    }
    connecting->is_called = true;
    end_attempt(attempt, fd);
    connecting->is_called = false;
    if (connecting->is_over)
        call_fn(&connecting->task, 0);
}

static int bind_local(int fd, const weir_connect_options *options,
                      weir_address_family family)
{
    if (weir_address_family_of(&options->local) != family)
        return 0;
    return weir__socket_bind(fd, &options->local);
}

/* Returns 0 (the attempt is in progress), or why it has failed.  A Unix socket
 * is connected at once, but the loop reports that in turn with other events, so
 * that the server can accept the connection first. */
static int begin_attempt(struct attempt *attempt, const weir_address *address)
{
    static const int families[] = {[WEIR_ADDRESS_NONE] = AF_UNSPEC,
                                   [WEIR_ADDRESS_IPV4] = AF_INET,
                                   [WEIR_ADDRESS_IPV6] = AF_INET6,
                                   [WEIR_ADDRESS_UNIX] = AF_UNIX};
    weir_connecting *connecting = attempt->owner;
    weir_address_family family = weir_address_family_of(address);
    int fd = weir__socket_open(families[family], SOCK_STREAM), err;

    if (fd < 0)
        return fd;
    err = bind_local(fd, &connecting->options, family);
    if (err == 0)
        err = weir__socket_connect(fd, address);
    if (err == 0 || err == -EINPROGRESS)
        err = weir_fd_add(connecting->loop, fd, WEIR_FD_WRITABLE, on_event,
                          attempt);
    if (err != 0) {
        weir__socket_close(fd);
        return err;
    }
    attempt->fd = fd;
    weir_fd_set_name(connecting->loop, fd, "connect");
    return 0;
}

static void begin_next(weir_connecting *connecting)
{
    size_t at = connecting->begun++;
    int err;

    connecting->attempts[at] = (struct attempt){connecting, -1};
    err = begin_attempt(&connecting->attempts[at], &connecting->addresses[at]);
    if (err != 0)
        fail_attempt(connecting, err);
    else if (!connecting->is_over && connecting->begun < connecting->count &&
             weir_timer_start(connecting->loop, &connecting->next,
                              connecting->options.delay_ns, WEIR_TIMER_ONCE,
                              on_next, connecting) != 0)
        connecting->next = 0; /* the next one waits for a failure */
}

/* ---- addresses ---- */

/* Let the families alternate, beginning with that of the first (RFC 8305,
 * 4). */
static void sort_addresses(weir_address *to, const weir_address *from,
                           size_t count)
{
    weir_address_family first = weir_address_family_of(&from[0]);
    size_t same = 0, other = 0;

    for (size_t i = 0; i < count; i++) {
        bool wants_same = i % 2 == 0;

        while (same < count && weir_address_family_of(&from[same]) != first)
            same++;
        while (other < count && weir_address_family_of(&from[other]) == first)
            other++;
        if ((wants_same && same < count) || other >= count)
            to[i] = from[same++];
        else
            to[i] = from[other++];
    }
}

static int set_addresses(weir_connecting *connecting,
                         const weir_address *addresses, size_t count)
{
    connecting->addresses = weir_memory_alloc(count * sizeof(*addresses));
    connecting->attempts = weir_memory_alloc(count * sizeof(struct attempt));
    connecting->count = count;
    if (connecting->addresses == NULL || connecting->attempts == NULL)
        return -ENOMEM;
    sort_addresses(connecting->addresses, addresses, count);
    return 0;
}

static void on_lookup(void *arg, int status, const weir_lookup_result *result)
{
    weir_connecting *connecting = arg;

    connecting->lookup = NULL;
    if (connecting->is_over) { /* it was cancelled, or timed out */
        call_fn(&connecting->task, 0);
        return;
    }
    if (status == 0)
        status = set_addresses(connecting, result->addresses, result->count);
    if (status == 0)
        begin_next(connecting);
    else
        finish(connecting, status);
}

/* ---- beginning ---- */

static int make_connecting(weir_connecting **made, weir_loop *loop,
                           weir_connect_fn *fn, void *arg,
                           const weir_connect_options *given)
{
    weir_connecting *connecting;
    int err;

    if (loop == NULL || fn == NULL)
        return -EINVAL;
    connecting = weir_memory_alloc(sizeof(*connecting));
    if (connecting == NULL)
        return -ENOMEM;
    memset(connecting, 0, sizeof(*connecting));
    connecting->loop = loop;
    connecting->fn = fn;
    connecting->arg = arg;
    connecting->fd = -1;
    err = weir_sized_read(&connecting->options, sizeof(connecting->options),
                          given);
    if (err == 0)
        err = weir_sized_read(&connecting->stream_options,
                              sizeof(connecting->stream_options),
                              connecting->options.stream);
    if (err == 0 && connecting->options.delay_ns < 0)
        err = -EINVAL;
    if (err != 0) {
        free_connecting(connecting);
        return err;
    }
    if (connecting->options.delay_ns == 0)
        connecting->options.delay_ns = WEIR_CONNECT_DELAY_NS;
    if (connecting->options.timeout_ns == 0)
        connecting->options.timeout_ns = WEIR_CONNECT_TIMEOUT_NS;
    *made = connecting;
    return 0;
}

static int start_deadline(weir_connecting *connecting)
{
    if (connecting->options.timeout_ns < 0)
        return 0;
    return weir_timer_start(connecting->loop, &connecting->deadline,
                            connecting->options.timeout_ns, WEIR_TIMER_ONCE,
                            on_deadline, connecting);
}

int weir_connect_addresses(weir_loop *loop, weir_connecting **handle,
                           const weir_address *addresses, size_t count,
                           weir_connect_fn *fn, void *arg,
                           const weir_connect_options *options)
{
    weir_connecting *connecting;
    int err;

    if (addresses == NULL || count == 0)
        return -EINVAL;
    err = make_connecting(&connecting, loop, fn, arg, options);
    if (err != 0)
        return err;
    err = set_addresses(connecting, addresses, count);
    if (err == 0)
        err = start_deadline(connecting);
    if (err != 0) {
        free_connecting(connecting);
        return err;
    }
    if (handle != NULL)
        *handle = connecting;
    begin_next(connecting);
    return 0;
}

int weir_connect(weir_loop *loop, weir_connecting **handle, const char *host,
                 uint16_t port, weir_connect_fn *fn, void *arg,
                 const weir_connect_options *options)
{
    weir_connecting *connecting;
    weir_address address;
    int err;

    if (host == NULL || host[0] == '\0')
        return -EINVAL;
    if (weir_address_parse(&address, host, port) == 0)
        return weir_connect_addresses(loop, handle, &address, 1, fn, arg,
                                      options);
    err = make_connecting(&connecting, loop, fn, arg, options);
    if (err != 0)
        return err;
    err = start_deadline(connecting);
    if (err == 0)
        err =
            weir_lookup_start(loop, &connecting->lookup, host, port, on_lookup,
                              connecting, connecting->options.lookup);
    if (err != 0) {
        cancel_timer(connecting, &connecting->deadline);
        free_connecting(connecting);
        return err;
    }
    if (handle != NULL)
        *handle = connecting;
    return 0;
}

void weir_connect_cancel(weir_connecting *connecting)
{
    finish(connecting, WEIR_ECANCELED);
}
