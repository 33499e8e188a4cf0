/* SPDX-License-Identifier: MIT */
/*
 * server -- the life of an HTTP server: made, started, freed.
 *
 * Shape     A shard for each loop has its listeners (listen.c) and connections
 *           (conn.c).  The service notifies each loop when it has started, and
 *           its own thread when the drain begins (drain.c).
 * Gates     `inside` counts the shards with listeners, and the connections.  A
 *           connection enters it before other threads can see the connection.
 *           The gate is drained when no listener is left.  When it closes, the
 *           server exits the service's gate.  `life` counts the owner and the
 *           shards' loops; the last one frees the server.
 *
 * Tested by  test/net/http/server.c, test/net/peers
 */
#include "http/conn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "weir/host/loop.h"
#include "weir/host/memory.h"
#include "weir/host/service.h"
#include "weir/host/sized.h"
#include "weir/net/tls.h"

/* ---- memory ---- */

/* The last user is gone: the owner, and every loop. */
void weir__http_server_destroy(void *arg)
{
    weir_http_server *server = arg;

    weir__http_registry_leave(server);
    while (server->places != NULL) {
        struct weir__http_place *place = server->places;

        server->places = place->next;
        weir_memory_free(place, sizeof(*place));
    }
    if (server->options.tls != NULL)
        weir_tls_unref(server->options.tls);
    for (size_t i = 0; i < server->shard_count && server->shards != NULL; i++)
        weir__http_listeners_free(&server->shards[i]);
    weir_memory_free(server->shards,
                     server->shard_count * sizeof(*server->shards));
    weir_memory_free(server->loops,
                     server->shard_count * sizeof(*server->loops));
    weir_memory_free(server->guest, sizeof(*server->guest));
    weir_memory_free(server, sizeof(*server));
}

void weir__http_shard_fini(struct weir__http_shard *shard)
{
    weir__http_roots_free(shard);
    weir__http_quota_fini(&shard->quota);
    weir_memory_free(shard->cork, WEIR__CORK_SIZE);
    weir_memory_free(shard->spare, sizeof(*shard->spare));
    shard->cork = NULL;
    shard->spare = NULL;
}

/* The shard's loop is being freed. */
static void on_loop_freed(void *arg)
{
    struct weir__http_shard *shard = arg;

    weir__http_registry_leave(shard->server); /* the service may go next */
    /* In a child of fork(), where no loop ends, they are still open. */
    weir__http_listeners_free(shard);
    weir__http_shard_fini(shard);
    weir_gate_exit(&shard->server->life);
}

void weir_http_server_free(weir_http_server *server)
{
    if (server != NULL)
        (void)!weir_gate_drain(&server->life);
}

/* ---- the start ---- */

/* On the loop of each shard.  The shard is the loop's from now on.  A server
 * that cannot serve ends its service. */
static void on_start(void *arg, int status)
{
    struct weir__http_shard *shard = arg;
    weir_http_server *server = shard->server;
    int err;

    if (weir_loop_set_local(shard->loop, shard, shard, on_loop_freed) != 0) {
        if (!server->is_unfinished)
            weir__http_fail(server, -ENOMEM);
        on_loop_freed(shard);
        status = -ENOMEM;
    }
    if (status != 0 || shard->is_draining || server->is_unfinished ||
        weir_gate_enter(weir_service_gate(server->service)) != 0) {
        shard->is_draining = true; /* a stop came first */
        return;
    }
    shard->has_entered = true;
    err = weir__http_listeners_open(shard);
    if (err != 0)
        weir__http_fail(server, err);
}

/* ---- making ---- */

static int64_t default_ns(int64_t given, int64_t otherwise)
{
    return given != 0 ? given : otherwise;
}

static void fill_options(weir_http_server_options *options)
{
    if (options->connections == 0)
        options->connections = WEIR_HTTP_CONNECTIONS;
    if (options->body_bytes == 0)
        options->body_bytes = WEIR_HTTP_BODY_BYTES;
    options->header_ns = default_ns(options->header_ns, WEIR_HTTP_HEADER_NS);
    options->request_ns = default_ns(options->request_ns, WEIR_HTTP_REQUEST_NS);
    options->keep_alive_ns =
        default_ns(options->keep_alive_ns, WEIR_HTTP_KEEP_ALIVE_NS);
    options->write_ns = default_ns(options->write_ns, WEIR_HTTP_WRITE_NS);
    options->drain_deadline_ns =
        default_ns(options->drain_deadline_ns, WEIR_HTTP_DRAIN_DEADLINE_NS);
    options->drain_idle_ns =
        default_ns(options->drain_idle_ns, WEIR_HTTP_DRAIN_IDLE_NS);
    options->drain_linger_ns =
        default_ns(options->drain_linger_ns, WEIR_HTTP_DRAIN_LINGER_NS);
    if (options->drain_delay_ns == 0 &&
        getenv("KUBERNETES_SERVICE_HOST") != NULL)
        options->drain_delay_ns = WEIR_S(5);
    if (options->drain_delay_ns < 0)
        options->drain_delay_ns = 0;
}

static int add_loops(weir_http_server *server)
{
    size_t count = server->shard_count;
    const weir_http_server_options *options = &server->options;
    int err = 0;

    for (size_t i = 0; i < count && err == 0; i++) {
        const weir_loop_options loop = {.size = sizeof(loop), .name = "http"};

        if (options->loops != NULL)
            server->loops[i] = options->loops[i];
        else
            err = weir_service_add_loop(server->service, &server->loops[i],
                                        &loop);
    }
    return err;
}

/* Let a shard belong to its loop. */
static int start_shard(struct weir__http_shard *shard)
{
    weir_http_server *server = shard->server;
    int err = weir_gate_enter(&server->inside);

    if (err == 0)
        err = weir_gate_enter(&server->life);
    if (err != 0)
        return err;
    err = weir_service_on_start(server->service, shard->loop, on_start, shard);
    if (err != 0)
        weir_gate_exit(&server->life);
    return err;
}

void weir__http_server_init_shard(weir_http_server *server, size_t index)
{
    struct weir__http_shard *shard = &server->shards[index];

    shard->server = server;
    shard->loop = server->loops[index];
    weir_connections_init(&shard->connections, shard->loop);
    weir__http_drain_init(shard);
}

int weir__http_server_start_gates(weir_http_server *server)
{
    int err =
        weir_gate_init(&server->inside, weir__http_drain_end, server, NULL);

    if (err == 0)
        err = weir_gate_init(&server->life, weir__http_server_destroy, server,
                             NULL);
    if (err == 0)
        err = weir_gate_start(&server->inside);
    if (err == 0)
        err = weir_gate_start(&server->life);
    return err;
}

int weir__http_server_fill(weir_http_server *server,
                           const weir_http_server_options *options)
{
    size_t count = options->loops != NULL ? options->loop_count
                   : options->threads > 0 ? options->threads
                                          : 1;

    memset(server, 0, sizeof(*server));
    server->options = *options;
    server->shard_count = count;
    if (options->tls != NULL)
        weir_tls_ref(options->tls);
    fill_options(&server->options);
    server->limits.head_bytes = options->head_bytes;
    server->limits.target_bytes = options->target_bytes;
    server->limits.fields = options->fields;
    weir__http_limits_fill(&server->limits);
    server->loops = weir_memory_alloc(count * sizeof(*server->loops));
    server->shards = weir_memory_alloc(count * sizeof(*server->shards));
    if (server->shards != NULL)
        memset(server->shards, 0, count * sizeof(*server->shards));
    return server->loops == NULL || server->shards == NULL ? -ENOMEM : 0;
}

/* From the first shard on, the callbacks of the service use the server: it is
 * freed when their loops are. */
static int start_server(weir_http_server *server)
{
    int err = weir__http_server_start_gates(server);

    for (size_t i = 0; i < server->shard_count && err == 0; i++) {
        weir__http_server_init_shard(server, i);
        err = start_shard(&server->shards[i]);
    }
    if (err == 0)
        err = weir_service_on_drain(server->service, server->control,
                                    weir__http_drain_begin, server);
    return err;
}

int weir_http_server_new(weir_http_server **made, weir_service *service,
                         const weir_http_server_options *given)
{
    weir_http_server_options options;
    weir_http_server *server;
    int err = weir_sized_read(&options, sizeof(options), given);

    if (err != 0)
        return err;
    if (made == NULL || service == NULL || options.on_request == NULL ||
        (options.loops == NULL) != (options.loop_count == 0))
        return -EINVAL;
    if (weir_service_phase(service) != WEIR_PHASE_INIT)
        return -EALREADY;
    server = weir_memory_alloc(sizeof(*server));
    if (server == NULL)
        return -ENOMEM;
    err = weir__http_server_fill(server, &options);
    server->service = service;
    server->control = weir_service_loop(service);
    if (err == 0)
        err = add_loops(server);
    if (err != 0) {
        weir__http_server_destroy(server);
        return err;
    }
    err = start_server(server);
    if (err != 0) {
        server->is_unfinished = true;
        (void)!weir_gate_drain(&server->life);
        return err;
    }
    weir__http_registry_enter(server);
    *made = server;
    return 0;
}
