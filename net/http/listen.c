/* SPDX-License-Identifier: MIT */
/*
 * listen -- the listeners of an HTTP server.
 *
 * Each belongs to a shard.  weir_http_server_listen binds its socket before the
 * service starts, so that it can return errors.  The loop of the shard opens the
 * listener when the service has started; that of a guest (guest.c) opens it at
 * once.  At a TCP address each loop has its own socket (SO_REUSEPORT).  A Unix
 * socket or an inherited socket belongs to the first loop, which hands
 * connections to all loops.
 *
 * A shard that has reached its limit of connections pauses its listeners.
 *
 * Threads   The owner's before the start, then each shard's loop.
 *
 * Tested by  test/net/http/server.c
 */
#include <errno.h>
#include <string.h>

#include "http/server.h"
#include "os/listen.h"
#include "os/socket.h"
#include "weir/host/memory.h"
#include "weir/host/sized.h"

/* ---- accepting ---- */

static struct weir__http_shard *shard_of(weir_http_server *server,
                                         const weir_loop *loop)
{
    for (size_t i = 0; i < server->shard_count; i++)
        if (server->shards[i].loop == loop)
            return &server->shards[i];
    return NULL;
}

static void pause_listeners(struct weir__http_shard *shard)
{
    shard->is_full = true;
    for (struct weir__http_listener *listener = shard->listeners;
         listener != NULL; listener = listener->next)
        if (listener->open != NULL)
            weir_listener_pause(listener->open);
}

void weir__http_listeners_resume(struct weir__http_shard *shard)
{
    shard->is_full = false;
    for (struct weir__http_listener *listener = shard->listeners;
         listener != NULL; listener = listener->next)
        if (listener->open != NULL)
            weir_listener_resume(listener->open);
}

static void on_stream(void *arg, weir_stream *stream)
{
    weir_http_server *server = arg;
    struct weir__http_shard *shard = shard_of(server, weir_stream_loop(stream));

    weir__http_conn_open(shard, stream);
    if (shard->conn_count >= server->options.connections &&
        !shard->is_draining && !shard->is_full)
        pause_listeners(shard);
}

int weir_http_server_adopt(weir_http_server *server, weir_stream *stream)
{
    if (server == NULL || stream == NULL || server->guest == NULL ||
        weir_stream_loop(stream) != server->shards[0].loop)
        return -EINVAL;
    if (server->shards[0].is_draining || weir_http_server_is_draining(server))
        return -EALREADY;
    on_stream(server, stream);
    return 0;
}

static const struct weir__http_listener *find_open(weir_http_server *server,
                                                   weir_listener *open)
{
    const struct weir__http_listener *listener =
        shard_of(server, weir_loop_current())->listeners;

    while (listener != NULL && listener->open != open)
        listener = listener->next;
    return listener;
}

/* A server that can no longer accept ends, unless it has on_error. */
static void on_error(void *arg, weir_listener *open, int err)
{
    weir_http_server *server = arg;
    const struct weir__http_listener *listener = find_open(server, open);

    if (listener != NULL && listener->on_error != NULL)
        listener->on_error(server->options.arg, open, err);
    else if (listener != NULL && !weir__listen_is_shortage(err))
        weir__http_fail(server, err);
}

/* ---- opening and freeing ---- */

static int open_listener(struct weir__http_listener *listener)
{
    struct weir__http_shard *shard = listener->shard;
    int err;

    listener->options.stream = &listener->stream;
    err = weir_listener_open(&listener->open, shard->loop, &listener->options);
    if (err == 0)
        shard->listeners_open++;
    else
        listener->open = NULL;
    return err;
}

/* Clients would wait forever at a socket from which no one accepts. */
static void close_socket(struct weir__http_listener *listener)
{
    weir__listen_remove(&listener->options.address, &listener->file);
    weir__socket_close(listener->options.fd);
    listener->options.fd = -1;
}

int weir__http_listeners_open(struct weir__http_shard *shard)
{
    int err = 0;

    for (struct weir__http_listener *listener = shard->listeners;
         listener != NULL && err == 0; listener = listener->next) {
        err = open_listener(listener);
        if (err != 0)
            close_socket(listener);
    }
    return err;
}

void weir__http_listeners_set_ref(struct weir__http_shard *shard, bool is_ref)
{
    for (struct weir__http_listener *listener = shard->listeners;
         listener != NULL; listener = listener->next)
        if (listener->open != NULL)
            weir_listener_set_ref(listener->open, is_ref);
}

void weir__http_listeners_free(struct weir__http_shard *shard)
{
    while (shard->listeners != NULL) {
        struct weir__http_listener *listener = shard->listeners;

        shard->listeners = listener->next;
        if (listener->open != NULL) /* its loop was closed, and ends */
            weir_listener_close(listener->open, NULL, NULL);
        else if (listener->options.fd >= 0)
            close_socket(listener);
        weir_memory_free(listener, sizeof(*listener));
    }
}

/* ---- listening ---- */

static int add_listener(struct weir__http_shard *shard,
                        const weir_listener_options *options, int fd,
                        bool is_private)
{
    struct weir__http_listener *listener = weir_memory_alloc(sizeof(*listener));
    int err;

    if (listener == NULL)
        return -ENOMEM;
    memset(listener, 0, sizeof(*listener));
    err = weir_sized_read(&listener->stream, sizeof(listener->stream),
                          options->stream);
    if (err != 0) {
        weir_memory_free(listener, sizeof(*listener));
        return err;
    }
    listener->shard = shard;
    listener->options = *options;
    listener->options.has_fd = true;
    listener->options.fd = fd;
    listener->options.is_private = is_private;
    listener->options.on_stream = on_stream;
    listener->on_error = options->on_error;
    listener->options.on_error = on_error;
    listener->options.arg = shard->server;
    if (listener->options.name == NULL)
        listener->options.name = "http listener";
    if (listener->stream.name == NULL)
        listener->stream.name = "http";
    listener->next = shard->listeners;
    shard->listeners = listener;
    return 0;
}

static int bind_listener(struct weir__http_shard *shard,
                         const weir_listener_options *options,
                         weir_address *address, bool reuse_port)
{
    struct weir__listen_request request = {
        .address = address,
        .backlog =
            options->backlog > 0 ? options->backlog : WEIR_LISTENER_BACKLOG,
        .reuse_port = reuse_port || options->reuse_port,
        .is_ipv6_only = options->is_ipv6_only,
        .unix_mode = options->unix_mode,
    };
    struct weir__listen_file file = {.is_there = false};
    int fd = weir__listen_open(&request, &file), err;

    if (fd < 0)
        return fd;
    err = weir__socket_local(fd, address); /* with the port */
    if (err == 0)
        err = add_listener(shard, options, fd, true);
    if (err == 0) {
        shard->listeners->file = file;
    } else {
        weir__listen_remove(address, &file);
        weir__socket_close(fd);
    }
    return err;
}

/* Undo the listeners that were added since. */
static void remove_listeners(weir_http_server *server, size_t shards)
{
    for (size_t i = 0; i < shards; i++) {
        struct weir__http_listener *listener = server->shards[i].listeners;

        server->shards[i].listeners = listener->next;
        weir__socket_close(listener->options.fd);
        weir_memory_free(listener, sizeof(*listener));
    }
}

/* Let each loop accept on its own socket. */
static int bind_all(weir_http_server *server,
                    const weir_listener_options *options, weir_address *address)
{
    for (size_t i = 0; i < server->shard_count; i++) {
        int err = bind_listener(&server->shards[i], options, address,
                                server->shard_count > 1);

        if (err != 0) {
            remove_listeners(server, i);
            return err;
        }
    }
    return 0;
}

/* One socket, from which the first loop hands connections to all. */
static int share_one(weir_http_server *server, weir_listener_options *options,
                     weir_address *address)
{
    int err;

    if (server->shard_count > 1) {
        options->loops = server->loops;
        options->loop_count = server->shard_count;
    }
    if (!options->has_fd)
        return bind_listener(&server->shards[0], options, address, false);
    err = weir__listen_check(options->fd);
    if (err == 0)
        err = weir__socket_local(options->fd, address);
    if (err == 0)
        err = add_listener(&server->shards[0], options, options->fd,
                           options->is_private);
    return err;
}

/* Open the listener that was added last, on the loop of a guest.  After an
 * error the listener is gone, with its socket unless that is the caller's. */
static int open_on_guest(weir_http_server *server, bool has_fd)
{
    struct weir__http_shard *shard = &server->shards[0];
    struct weir__http_listener *listener = shard->listeners;
    int err = open_listener(listener);

    if (err == 0) {
        weir_listener_set_ref(listener->open, server->guest->is_ref);
        return 0;
    }
    if (!has_fd)
        close_socket(listener);
    shard->listeners = listener->next;
    weir_memory_free(listener, sizeof(*listener));
    return err;
}

/* Whether it is too late to listen. */
static int check_phase(const weir_http_server *server)
{
    if (server->guest == NULL)
        return weir_service_phase(server->service) != WEIR_PHASE_INIT
                   ? -EALREADY
                   : 0;
    return weir_http_server_is_draining(server) ? -EALREADY : 0;
}

int weir_http_server_listen(weir_http_server *server, const char *text,
                            const weir_listener_options *given)
{
    weir_listener_options options;
    struct weir__http_place *place;
    int err = weir_sized_read(&options, sizeof(options), given);

    if (server == NULL)
        return -EINVAL;
    if (err == 0 && text != NULL)
        err = weir_address_parse(&options.address, text, 0);
    if (err == 0)
        err = check_phase(server);
    if (err != 0)
        return err;
    if (!options.has_fd &&
        weir_address_family_of(&options.address) == WEIR_ADDRESS_NONE)
        return -EINVAL;
    place = weir_memory_alloc(sizeof(*place));
    if (place == NULL)
        return -ENOMEM;
    place->next = NULL;
    place->address = options.address;
    if (options.has_fd ||
        weir_address_family_of(&options.address) == WEIR_ADDRESS_UNIX)
        err = share_one(server, &options, &place->address);
    else
        err = bind_all(server, &options, &place->address);
    if (err == 0 && server->guest != NULL)
        err = open_on_guest(server, options.has_fd);
    if (err != 0) {
        weir_memory_free(place, sizeof(*place));
        return err;
    }
    weir__http_registry_add_place(server, place);
    return 0;
}

int weir_http_server_address(const weir_http_server *server, size_t index,
                             weir_address *address)
{
    const struct weir__http_place *place;

    if (server == NULL || address == NULL)
        return -EINVAL;
    for (place = server->places; place != NULL && index > 0; index--)
        place = place->next;
    if (place == NULL)
        return -ENOENT;
    *address = place->address;
    return 0;
}

int weir_http_server_fd(const weir_http_server *server)
{
    const struct weir__http_listener *listener;

    if (server == NULL || server->guest == NULL)
        return -EINVAL;
    listener = server->shards[0].listeners;
    return listener != NULL && listener->open != NULL
               ? weir_listener_fd(listener->open)
               : -ENOENT;
}
