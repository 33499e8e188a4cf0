/* SPDX-License-Identifier: MIT */
/*
 * datagram -- a datagram socket on a loop.
 *
 * Shape     The descriptor is watched from the beginning to the end, so that
 *           its callback is always called when the loop ends.  The events
 *           follow from the state: READABLE while the socket receives, WRITABLE
 *           while sends wait.
 * Raising   A callback may be left by weir_raise.  Before several callbacks are
 *           called in a row, the task is posted, which calls the rest.
 * Memory    `refs` counts what will still use the socket: its owner (until the
 *           closed callback), the posted task, and the timer.  The last two
 *           release theirs before they call anything, for the same reason.
 *
 * Everything here happens on the loop's thread.
 */
#include "stream/datagram.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "os/datagram.h"
#include "os/socket.h"
#include "weir/fd.h"
#include "weir/host/loop.h"
#include "weir/host/memory.h"
#include "weir/host/sized.h"

enum { RECEIVE_BYTES_LIMIT = 16 << 20 };

void weir__datagram_release(weir_datagram *socket)
{
    if (--socket->refs == 0)
        weir_memory_free(socket, sizeof(*socket));
}

bool weir__datagram_is_receiving(const weir_datagram *socket)
{
    return socket->receive != NULL && !socket->is_paused &&
           !socket->is_closing && !socket->is_ended;
}

bool weir__datagram_is_gone(const weir_datagram *socket)
{
    return socket->is_closing || socket->is_ended;
}

int weir__datagram_post(weir_datagram *socket)
{
    int err = 0;

    if (!socket->is_posted) {
        err = weir_loop_post(socket->loop, &socket->task);
        socket->is_posted = err == 0;
        socket->refs += err == 0;
    }
    return err;
}

int weir__datagram_update(weir_datagram *socket)
{
    unsigned events = 0;
    int err;

    if (weir__datagram_is_receiving(socket))
        events |= WEIR_FD_READABLE;
    if (socket->queue.first != NULL && socket->retry == 0)
        events |= WEIR_FD_WRITABLE;
    if (events == socket->events || weir__datagram_is_gone(socket))
        return 0;
    err = weir_fd_modify(socket->loop, socket->fd, events);
    if (err == 0)
        socket->events = events;
    return err;
}

/* ---- events ---- */

static void run_task(weir_task *task, int status)
{
    weir_datagram *socket =
        (weir_datagram *)((char *)task - offsetof(weir_datagram, task));
    bool is_over = weir__datagram_is_gone(socket);

    socket->is_posted = false;
    weir__datagram_release(socket);
    if (is_over)
        return;
    weir__outbox_deliver(socket);
    if (status == 0)
        weir__inbox_continue(socket);
}

static void cancel(void *arg, int status)
{
    weir__outbox_cancel(arg);
    weir__inbox_cancel(arg);
}

/* Everything is over: call each callback for the last time.  One that raises is
 * not called again, and the others follow. */
static void cancel_all(weir_datagram *socket)
{
    while (!weir_loop_contain(cancel, socket, 0))
        ;
}

static void call_closed(void *arg, int status)
{
    weir_datagram *socket = arg;

    socket->closed(socket->closed_arg, socket);
}

static void tell_closed(weir_datagram *socket)
{
    weir__socket_close(socket->fd);
    if (socket->closed != NULL)
        (void)weir_loop_contain(call_closed, socket, 0);
    weir__datagram_release(socket);
}

static void call_on_end(void *arg, int status)
{
    weir_datagram *socket = arg;

    socket->options.on_end(socket->options.arg, socket);
}

/* In the close phase: no callback of the descriptor will come. */
static void run_closed(void *arg, int status)
{
    cancel_all(arg);
    tell_closed(arg);
}

/* The loop has ended, and no longer watches the descriptor. */
static void end(weir_datagram *socket)
{
    socket->is_ended = socket->is_ending = true;
    cancel_all(socket);
    if (!socket->is_closing && socket->options.on_end != NULL)
        (void)weir_loop_contain(call_on_end, socket, 0);
    socket->is_ending = false;
    if (socket->is_closing || socket->options.on_end == NULL)
        tell_closed(socket);
}

static void run_events(void *arg, int status, int fd, unsigned events)
{
    weir_datagram *socket = arg;

    if (status != 0) {
        end(socket);
        return;
    }
    if (events & WEIR_FD_ERROR && !weir__datagram_is_receiving(socket)) {
        int error = weir__socket_error(fd);

        if (error != 0)
            socket->error = error;
    }
    if (events & (WEIR_FD_READABLE | WEIR_FD_ERROR))
        weir__inbox_receive(socket);
    if (events & WEIR_FD_WRITABLE && !weir__datagram_is_gone(socket))
        weir__outbox_flush(socket);
    weir__outbox_deliver(socket);
    (void)weir__datagram_update(socket); /* again, if a pause could not do it */
}

/* ---- making and ending ---- */

static int family_of(weir_address_family family)
{
    switch (family) {
    case WEIR_ADDRESS_IPV4:
        return AF_INET;
    case WEIR_ADDRESS_IPV6:
        return AF_INET6;
    case WEIR_ADDRESS_UNIX:
        return AF_UNIX;
    default:
        return -EINVAL;
    }
}

static int read_options(weir_datagram_options *options,
                        const weir_datagram_options *given)
{
    int err = weir_sized_read(options, sizeof(*options), given);

    if (err != 0)
        return err;
    if (options->receive_bytes == 0)
        options->receive_bytes = WEIR_DATAGRAM_RECEIVE;
    if (options->batch == 0)
        options->batch = WEIR_DATAGRAM_BATCH;
    if (options->queue_bytes == 0)
        options->queue_bytes = WEIR_DATAGRAM_QUEUE;
    if (options->ttl < 0 || options->ttl > 255 || options->multicast_ttl < 0 ||
        options->multicast_ttl > 255 ||
        options->receive_buffer_bytes > INT_MAX ||
        options->send_buffer_bytes > INT_MAX ||
        options->batch > WEIR_DATAGRAM_BATCH_LIMIT ||
        options->receive_bytes > RECEIVE_BYTES_LIMIT ||
        options->multicast_interface > INT_MAX)
        return -EINVAL;
    return 0;
}

static const char *default_name(int family)
{
    return family == AF_UNIX ? "unix datagrams" : "udp";
}

/* Make the socket of a descriptor, which stays the caller's on failure. */
static int make_socket(weir_datagram **made, weir_loop *loop, int fd,
                       int family, const weir_datagram_options *options)
{
    weir_datagram *socket = weir_memory_alloc(sizeof(*socket));
    int err;

    if (socket == NULL)
        return -ENOMEM;
    *socket = (weir_datagram){.loop = loop,
                              .fd = fd,
                              .refs = 1,
                              .options = *options,
                              .retry_ms = 1,
                              .task = {.run = run_task}};
    err = weir_fd_add(loop, fd, 0, run_events, socket);
    if (err != 0) {
        weir_memory_free(socket, sizeof(*socket));
        return err;
    }
    weir_datagram_set_name(
        socket, options->name != NULL ? options->name : default_name(family));
    weir_datagram_set_ref(socket, !options->is_unref);
    *made = socket;
    return 0;
}

int weir_datagram_open(weir_datagram **socket, weir_loop *loop,
                       weir_address_family family,
                       const weir_datagram_options *options)
{
    weir_datagram_options read;
    int domain = family_of(family);
    int fd, err;

    if (socket == NULL || loop == NULL || domain < 0)
        return -EINVAL;
    err = read_options(&read, options);
    if (err != 0)
        return err;
    fd = weir__socket_open(domain, SOCK_DGRAM);
    if (fd < 0)
        return fd;
    err = weir__datagram_configure(fd, domain, true, &read);
    if (err == 0)
        err = make_socket(socket, loop, fd, domain, &read);
    if (err != 0)
        weir__socket_close(fd);
    return err;
}

int weir_datagram_adopt(weir_datagram **socket, weir_loop *loop, int fd,
                        const weir_datagram_options *options)
{
    weir_datagram_options read;
    int domain, err;

    if (socket == NULL || loop == NULL)
        return -EINVAL;
    err = read_options(&read, options);
    if (err != 0)
        return err;
    domain = weir__datagram_prepare(fd);
    if (domain < 0)
        return domain;
    err = weir__datagram_configure(fd, domain, false, &read);
    return err != 0 ? err : make_socket(socket, loop, fd, domain, &read);
}

void weir_datagram_close(weir_datagram *socket, weir_datagram_fn *closed,
                         void *arg)
{
    socket->closed = closed;
    socket->closed_arg = arg;
    socket->is_closing = true;
    if (!socket->is_ended)
        (void)!weir_fd_remove(socket->loop, socket->fd, run_closed, socket);
    else if (!socket->is_ending) /* on_end did not close it */
        tell_closed(socket);
}

/* ---- addresses ---- */

int weir_datagram_bind(weir_datagram *socket, const weir_address *address)
{
    if (socket == NULL || address == NULL)
        return -EINVAL;
    if (weir__datagram_is_gone(socket))
        return WEIR_ECLOSED;
    return weir__socket_bind(socket->fd, address);
}

int weir_datagram_connect(weir_datagram *socket, const weir_address *address)
{
    if (socket == NULL || address == NULL ||
        weir_address_family_of(address) == WEIR_ADDRESS_NONE)
        return -EINVAL;
    if (weir__datagram_is_gone(socket))
        return WEIR_ECLOSED;
    return weir__socket_connect(socket->fd, address);
}

int weir_datagram_disconnect(weir_datagram *socket)
{
    if (socket == NULL)
        return -EINVAL;
    if (weir__datagram_is_gone(socket))
        return WEIR_ECLOSED;
    return weir__datagram_disconnect(socket->fd);
}

static int set_member(weir_datagram *socket, bool is_member,
                      const weir_address *group, const weir_address *source,
                      uint32_t interface_index)
{
    weir_address_family family;

    if (socket == NULL || group == NULL || interface_index > INT_MAX)
        return -EINVAL;
    family = weir_address_family_of(group);
    if ((family != WEIR_ADDRESS_IPV4 && family != WEIR_ADDRESS_IPV6) ||
        (source != NULL && weir_address_family_of(source) != family))
        return -EINVAL;
    if (weir__datagram_is_gone(socket))
        return WEIR_ECLOSED;
    return weir__datagram_set_member(socket->fd, is_member, group, source,
                                     interface_index);
}

int weir_datagram_join(weir_datagram *socket, const weir_address *group,
                       const weir_address *source, uint32_t interface_index)
{
    return set_member(socket, true, group, source, interface_index);
}

int weir_datagram_leave(weir_datagram *socket, const weir_address *group,
                        const weir_address *source, uint32_t interface_index)
{
    return set_member(socket, false, group, source, interface_index);
}

void weir_datagram_local(const weir_datagram *socket, weir_address *address)
{
    if (weir__socket_local(socket->fd, address) != 0)
        memset(address, 0, sizeof(*address));
}

void weir_datagram_peer(const weir_datagram *socket, weir_address *address)
{
    if (weir__socket_peer(socket->fd, address) != 0)
        memset(address, 0, sizeof(*address));
}

/* ---- settings ---- */

void weir_datagram_set_name(weir_datagram *socket, const char *name)
{
    if (!weir__datagram_is_gone(socket))
        (void)weir_fd_set_name(socket->loop, socket->fd, name);
}

void weir_datagram_set_ref(weir_datagram *socket, bool is_ref)
{
    if (!weir__datagram_is_gone(socket))
        (void)!(is_ref ? weir_fd_ref(socket->loop, socket->fd)
                       : weir_fd_unref(socket->loop, socket->fd));
}

weir_loop *weir_datagram_loop(const weir_datagram *socket)
{
    return socket->loop;
}

int weir_datagram_fd(const weir_datagram *socket)
{
    return socket->fd;
}
