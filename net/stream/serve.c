/* SPDX-License-Identifier: MIT */
/*
 * serve -- a listener and its streams as a part of a service.
 *
 * Shape     A server has a listener and a list of the streams that it has
 *           accepted.  `inside` counts both.  While it is not 0, the server is
 *           inside the service's gate, so that the drain waits for it.
 * Owner     Made on the caller's thread; belongs to the loop's thread from
 *           on_start on.
 * Memory    The service calls on_start and on_drain exactly once each, even if
 *           it is never started.  The server is freed after both, when nothing
 *           is inside.
 * Streams   A stream leaves the list when its memory is freed (on_gone), so a
 *           callback that closes streams does not disturb the drain's walk
 *           through the list.
 *
 * Tested by  test/net/stream/serve.c
 */
#include "weir/net/serve.h"

#include <errno.h>
#include <string.h>

#include "os/listen.h"
#include "os/socket.h"
#include "stream/stream.h"
#include "weir/host/loop.h"
#include "weir/host/memory.h"
#include "weir/host/service.h"
#include "weir/host/sized.h"

struct server;

/* A stream of a server. */
struct served {
    struct served *next, **link; /* link: points to this one */
    struct server *server;
    weir_stream *stream;
};

struct server {
    weir_service *service;
    weir_loop *loop;
    weir_serve_options options;
    weir_listener_options listening;
    weir_stream_options stream;
    void (*on_error)(void *arg, weir_listener *listener, int err); /* or NULL */
    weir_listener *listener; /* NULL: not open, or left */
    int fd;                  /* listens; -1: the listener has it */
    struct weir__listen_file file;
    struct served *first;
    size_t inside;
    bool is_joined;                /* the service will call on_drain */
    bool has_started, is_draining; /* on_start, on_drain was called */
};

static void close_socket(struct server *server)
{
    if (server->fd < 0)
        return;
    weir__listen_remove(&server->listening.address, &server->file);
    weir__socket_close(server->fd);
    server->fd = -1;
}

static void free_server(struct server *server)
{
    close_socket(server);
    weir_memory_free(server, sizeof(*server));
}

static void check_end(struct server *server)
{
    if (server->has_started && server->is_draining && server->inside == 0)
        free_server(server);
}

/* A stream or the listener is gone. */
static void leave(struct server *server)
{
    if (--server->inside > 0)
        return;
    weir_gate_exit(weir_service_gate(server->service));
    check_end(server);
}

/* ---- streams ---- */

static void on_gone(void *arg)
{
    struct served *served = arg;
    struct server *server = served->server;

    if (server->is_draining && weir__stream_is_cut(served->stream))
        weir_service_set_cut(server->service);
    *served->link = served->next;
    if (served->next != NULL)
        served->next->link = served->link;
    weir_memory_free(served, sizeof(*served));
    leave(server);
}

static void drain_stream(void *arg, int status)
{
    struct served *served = arg;
    const weir_serve_options *options = &served->server->options;
    weir_stream *stream = served->stream;

    if (stream->life != WEIR__STREAM_OPEN)
        return;
    if (options->on_drain != NULL)
        options->on_drain(stream->arg, stream);
    else
        weir_stream_finish(stream, options->linger_ns, NULL, NULL);
}

static void on_stream(void *arg, weir_stream *stream)
{
    struct server *server = arg;
    struct served *served = weir_memory_alloc(sizeof(*served));

    if (served == NULL) {
        weir_stream_close(stream, NULL, NULL);
        return;
    }
    *served = (struct served){server->first, &server->first, server, stream};
    if (server->first != NULL)
        server->first->link = &served->next;
    server->first = served;
    server->inside++;
    weir__stream_on_gone(stream, on_gone, served);
    server->options.on_stream(server->options.arg, stream);
    if (server->is_draining && server->options.on_drain != NULL)
        drain_stream(served, 0);
}

static void drain_streams(struct server *server)
{
    for (struct served *served = server->first; served != NULL;
         served = served->next)
        (void)weir_loop_contain(drain_stream, served, 0);
}

/* A server that can no longer accept ends its service.  In a drain, streams
 * leave their descriptors to the connections that wait. */
static void on_error(void *arg, weir_listener *listener, int err)
{
    struct server *server = arg;

    if (server->on_error != NULL)
        server->on_error(server->options.arg, listener, err);
    else if (!weir__listen_is_shortage(err))
        weir_service_fail(server->service, err);
    if (server->is_draining && server->options.on_drain == NULL)
        drain_streams(server);
}

/* ---- the service ---- */

/* Streams that are finished by the library are finished now, not when the drain
 * begins: what had arrived by then has been read meanwhile. */
static void on_listener_gone(void *arg, weir_listener *listener, int status)
{
    struct server *server = arg;

    if (status != 0 && status != WEIR_ECANCELED)
        weir_service_set_cut(server->service);
    if (status != WEIR_ECANCELED && server->options.on_drain == NULL)
        drain_streams(server);
    leave(server);
}

static void on_start(void *arg, int status)
{
    struct server *server = arg;
    int err = status;

    server->has_started = true;
    if (!server->is_draining && err == 0)
        err = weir_gate_enter(weir_service_gate(server->service));
    if (server->is_draining || err != 0) { /* a stop came first */
        check_end(server);
        return;
    }
    server->listening.stream = &server->stream;
    err =
        weir_listener_open(&server->listener, server->loop, &server->listening);
    if (err == 0) {
        server->fd = -1;
        server->inside++;
    } else { /* no memory: a server that cannot serve ends */
        server->listener = NULL;
        weir_gate_exit(weir_service_gate(server->service));
        weir_service_fail(server->service, err);
    }
}

static void on_drain(void *arg, int status)
{
    struct server *server = arg;
    weir_listener *listener = server->listener;

    server->is_draining = true;
    server->listener = NULL;
    if (status == 0 && server->options.on_drain != NULL)
        drain_streams(server);
    if (listener == NULL)
        check_end(server);
    else if (status == 0)
        weir_listener_drain(listener, on_listener_gone, server);
    else
        weir_listener_close(listener, on_listener_gone, server);
}

/* ---- making ---- */

static int open_socket(struct server *server)
{
    struct weir__listen_request request = {
        .address = &server->listening.address,
        .backlog = server->listening.backlog != 0 ? server->listening.backlog
                                                  : WEIR_LISTENER_BACKLOG,
        .reuse_port = server->listening.reuse_port,
        .is_ipv6_only = server->listening.is_ipv6_only,
        .unix_mode = server->listening.unix_mode};
    int fd = weir__listen_open(&request, &server->file);

    if (fd < 0)
        return fd;
    server->fd = server->listening.fd = fd;
    server->listening.has_fd = server->listening.is_private = true;
    return weir__socket_local(fd, &server->listening.address);
}

static int read_options(struct server *server, const char *address,
                        const weir_serve_options *given)
{
    weir_listener_options *listening = &server->listening;
    int err = weir_sized_read(&server->options, sizeof(server->options), given);

    if (err == 0)
        err = weir_sized_read(listening, sizeof(*listening),
                              server->options.listener);
    if (err == 0)
        err = weir_sized_read(&server->stream, sizeof(server->stream),
                              listening->stream);
    if (err == 0)
        err = weir_address_parse(&listening->address, address, 0);
    if (err != 0)
        return err;
    if (server->options.on_stream == NULL || server->options.linger_ns < 0)
        return -EINVAL;
    if (server->options.linger_ns == 0)
        server->options.linger_ns = WEIR_SERVE_LINGER_NS;
    listening->on_stream = on_stream;
    server->on_error = listening->on_error;
    listening->on_error = on_error;
    listening->arg = server;
    listening->loops = NULL;
    listening->loop_count = 0;
    return 0;
}

/* Let the service call on_start and on_drain.  If only one of them could be
 * added, that one frees the server later. */
static int join_service(struct server *server)
{
    int err;

    server->loop = server->options.loop;
    if (server->loop == NULL) {
        err = weir_service_add_loop(server->service, &server->loop, NULL);
        if (err != 0)
            return err;
    }
    err =
        weir_service_on_drain(server->service, server->loop, on_drain, server);
    if (err != 0)
        return err;
    server->is_joined = true;
    err =
        weir_service_on_start(server->service, server->loop, on_start, server);
    if (err != 0) {
        server->has_started = true; /* it never will */
        close_socket(server);
    }
    return err;
}

int weir_serve(weir_service *service, const char *address,
               const weir_serve_options *options, weir_address *bound)
{
    struct server *server;
    int err;

    if (service == NULL || address == NULL || options == NULL)
        return -EINVAL;
    if (weir_service_phase(service) != WEIR_PHASE_INIT)
        return -EALREADY;
    server = weir_memory_alloc(sizeof(*server));
    if (server == NULL)
        return -ENOMEM;
    memset(server, 0, sizeof(*server));
    server->service = service;
    server->fd = -1;
    err = read_options(server, address, options);
    if (err == 0)
        err = open_socket(server);
    if (err == 0 && bound != NULL)
        *bound = server->listening.address;
    if (err == 0)
        err = join_service(server);
    if (err != 0 && !server->is_joined)
        free_server(server);
    return err;
}
