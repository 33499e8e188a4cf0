/* SPDX-License-Identifier: MIT */
/*
 * doors -- the listeners of an HTTP server.
 *
 * A door is a listener of a shard.  weir_http_server_listen binds its socket
 * before the service starts, so that it can return errors.  The loop of the
 * shard opens the listener when the service has started.  At a TCP address each
 * loop has its own socket (SO_REUSEPORT).  A Unix socket or an inherited socket
 * belongs to the first loop, which hands connections to all loops.
 *
 * A shard that has reached its limit of connections pauses its doors.
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

static void pause_doors(struct weir__http_shard *shard)
{
    shard->is_full = true;
    for (struct weir__http_door *door = shard->doors; door != NULL;
         door = door->next)
        if (door->listener != NULL)
            weir_listener_pause(door->listener);
}

void weir__http_doors_resume(struct weir__http_shard *shard)
{
    shard->is_full = false;
    for (struct weir__http_door *door = shard->doors; door != NULL;
         door = door->next)
        if (door->listener != NULL)
            weir_listener_resume(door->listener);
}

static void on_stream(void *arg, weir_stream *stream)
{
    weir_http_server *server = arg;
    struct weir__http_shard *shard = shard_of(server, weir_stream_loop(stream));

    weir__http_conn_open(shard, stream);
    if (shard->conn_count >= server->options.connections &&
        !shard->is_draining && !shard->is_full)
        pause_doors(shard);
}

/* A server that can no longer accept ends its service. */
static void on_error(void *arg, weir_listener *listener, int err)
{
    weir_http_server *server = arg;

    if (!weir__listen_is_shortage(err))
        (void)weir_service_stop(server->service);
}

/* ---- opening and freeing ---- */

static int open_door(struct weir__http_door *door)
{
    struct weir__http_shard *shard = door->shard;
    int err;

    door->options.stream = &door->stream;
    err = weir_listener_open(&door->listener, shard->loop, &door->options);
    if (err == 0) {
        shard->doors_open++;
        return 0;
    }
    door->listener = NULL;
    weir__socket_close(door->options.fd); /* or clients would wait for ever */
    door->options.fd = -1;
    return err;
}

int weir__http_doors_open(struct weir__http_shard *shard)
{
    int err = 0;

    for (struct weir__http_door *door = shard->doors; door != NULL && err == 0;
         door = door->next)
        err = open_door(door);
    return err;
}

void weir__http_doors_free(struct weir__http_shard *shard)
{
    while (shard->doors != NULL) {
        struct weir__http_door *door = shard->doors;

        shard->doors = door->next;
        if (door->listener == NULL && door->options.fd >= 0)
            weir__socket_close(door->options.fd);
        weir_memory_free(door, sizeof(*door));
    }
}

/* ---- listening ---- */

static int add_door(struct weir__http_shard *shard,
                    const weir_listener_options *options, int fd,
                    bool is_private)
{
    struct weir__http_door *door = weir_memory_alloc(sizeof(*door));
    int err;

    if (door == NULL)
        return -ENOMEM;
    memset(door, 0, sizeof(*door));
    err = weir_sized_read(&door->stream, sizeof(door->stream), options->stream);
    if (err != 0) {
        weir_memory_free(door, sizeof(*door));
        return err;
    }
    door->shard = shard;
    door->options = *options;
    door->options.has_fd = true;
    door->options.fd = fd;
    door->options.is_private = is_private;
    door->options.on_stream = on_stream;
    if (door->options.on_error == NULL)
        door->options.on_error = on_error;
    door->options.arg = shard->server;
    if (door->options.name == NULL)
        door->options.name = "http listener";
    if (door->stream.name == NULL)
        door->stream.name = "http";
    door->next = shard->doors;
    shard->doors = door;
    return 0;
}

static int bind_door(struct weir__http_shard *shard,
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
    struct weir__listen_file file = {false, 0, 0};
    int fd = weir__listen_open(&request, &file), err;

    if (fd < 0)
        return fd;
    err = weir__socket_local(fd, address); /* with the port */
    if (err == 0)
        err = add_door(shard, options, fd, true);
    if (err != 0) {
        weir__listen_remove(address, &file);
        weir__socket_close(fd);
    }
    return err;
}

/* Undo the doors that were added since. */
static void remove_doors(weir_http_server *server, size_t shards)
{
    for (size_t i = 0; i < shards; i++) {
        struct weir__http_door *door = server->shards[i].doors;

        server->shards[i].doors = door->next;
        weir__socket_close(door->options.fd);
        weir_memory_free(door, sizeof(*door));
    }
}

/* Let each loop accept on its own socket. */
static int bind_all(weir_http_server *server,
                    const weir_listener_options *options, weir_address *address)
{
    for (size_t i = 0; i < server->shard_count; i++) {
        int err = bind_door(&server->shards[i], options, address,
                            server->shard_count > 1);

        if (err != 0) {
            remove_doors(server, i);
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
        return bind_door(&server->shards[0], options, address, false);
    err = weir__listen_check(options->fd);
    if (err == 0)
        err = weir__socket_local(options->fd, address);
    if (err == 0)
        err = add_door(&server->shards[0], options, options->fd,
                       options->is_private);
    return err;
}

int weir_http_server_listen(weir_http_server *server, const char *text,
                            const weir_listener_options *given)
{
    weir_listener_options options;
    struct weir__http_place *place, **last;
    int err = weir_sized_read(&options, sizeof(options), given);

    if (server == NULL)
        return -EINVAL;
    if (err == 0 && text != NULL)
        err = weir_address_parse(&options.address, text, 0);
    if (err != 0)
        return err;
    if (weir_service_phase(server->service) != WEIR_PHASE_INIT)
        return -EALREADY;
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
    if (err != 0) {
        weir_memory_free(place, sizeof(*place));
        return err;
    }
    for (last = &server->places; *last != NULL; last = &(*last)->next)
        ;
    *last = place;
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
