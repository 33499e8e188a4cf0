/* SPDX-License-Identifier: MIT */
/*
 * server -- the life of an HTTP server: its listeners, its drain, its report.
 *
 * Shape     A shard for each loop has its listeners and connections.  The
 *           service tells each loop when it has started, and its own thread when
 *           the drain begins.  From there the drain is driven, by timers that no
 *           callback of a user can delay:
 *
 *     service's thread                      each loop
 *     every word is marked draining    -->  responses say close
 *     after delay_ns                   -->  listeners accept the rest and close
 *     no listener left             <------
 *     every idle_ns: idle ones close   -->  half-close, linger
 *     at deadline_ns: the rest is cut  -->  503, or reset
 *
 * Gates     `inside` counts the shards with listeners, and the connections.  It
 *           is entered before anybody can see a connection.  It is drained when
 *           no listener is left, and its closing is the server's exit from the
 *           service's gate.  `life` counts the owner and the shards' loops: the
 *           last one frees the server.
 *
 * Tested by  test/net/http/server.c, test/net/peers
 */
#include "http/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "os/listen.h"
#include "os/socket.h"
#include "stream/stream.h"
#include "weir/host/loop.h"
#include "weir/host/memory.h"
#include "weir/host/service.h"
#include "weir/host/sized.h"
#include "weir/net/tls.h"

/* ---- memory ---- */

static void free_doors(struct weir__http_shard *shard)
{
    while (shard->doors != NULL) {
        struct weir__http_door *door = shard->doors;

        shard->doors = door->next;
        if (door->listener == NULL && door->options.fd >= 0)
            weir__socket_close(door->options.fd);
        weir_memory_free(door, sizeof(*door));
    }
}

/* The last user is gone: the owner, and every loop. */
static void free_server(void *arg)
{
    weir_http_server *server = arg;

    while (server->places != NULL) {
        struct weir__http_place *place = server->places;

        server->places = place->next;
        weir_memory_free(place, sizeof(*place));
    }
    if (server->options.tls != NULL)
        weir_tls_unref(server->options.tls);
    for (size_t i = 0; i < server->shard_count && server->shards != NULL; i++)
        free_doors(&server->shards[i]);
    weir_memory_free(server->shards,
                     server->shard_count * sizeof(*server->shards));
    weir_memory_free(server->loops,
                     server->shard_count * sizeof(*server->loops));
    weir_memory_free(server, sizeof(*server));
}

/* The shard's loop is being freed. */
static void on_loop_freed(void *arg)
{
    struct weir__http_shard *shard = arg;

    weir__http_roots_free(shard);
    weir__http_quota_fini(&shard->quota);
    weir_memory_free(shard->cork, WEIR__CORK_SIZE);
    weir_memory_free(shard->spare, sizeof(*shard->spare));
    shard->cork = NULL;
    shard->spare = NULL;
    weir_gate_exit(&shard->server->life);
}

void weir_http_server_free(weir_http_server *server)
{
    if (server != NULL)
        (void)!weir_gate_drain(&server->life);
}

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

static void on_stream(void *arg, weir_stream *stream)
{
    weir_http_server *server = arg;
    struct weir__http_shard *shard = shard_of(server, weir_stream_loop(stream));

    weir__http_conn_open(shard, stream);
    if (shard->conn_count >= server->options.connections &&
        !shard->is_draining && !shard->is_full)
        pause_doors(shard);
}

/* ---- the drain, on the loops ---- */

/* Tell the drain that the shard accepts no more. */
static void check_quiet(struct weir__http_shard *shard)
{
    weir_http_server *server = shard->server;

    if (!shard->is_draining || shard->doors_open > 0 || shard->is_quiet)
        return;
    shard->is_quiet = true;
    /* Refused if the service was forced: nobody waits then. */
    (void)!weir_loop_post(weir_service_loop(server->service), &shard->quiet);
    weir_gate_exit(&server->inside);
}

static void on_door_closed(void *arg, weir_listener *listener, int status)
{
    struct weir__http_shard *shard = arg;

    shard->doors_open--;
    check_quiet(shard);
}

static void close_doors(struct weir__http_shard *shard)
{
    shard->is_draining = true;
    for (struct weir__http_door *door = shard->doors; door != NULL;
         door = door->next) {
        weir_listener *listener = door->listener;

        door->listener = NULL;
        door->options.fd = -1;
        if (listener != NULL)
            weir_listener_drain(listener, on_door_closed, shard);
    }
    check_quiet(shard);
}

static void on_close_doors(weir_task *task, int status)
{
    close_doors((struct weir__http_shard *)((char *)task -
                                            offsetof(struct weir__http_shard,
                                                     close_doors)));
}

/* ---- the drain, on the service's thread ---- */

/* Every idle_ns: close what has been idle since the last time. */
static void on_idle(void *arg, int status)
{
    weir_http_server *server = arg;

    if (status == 0)
        for (size_t i = 0; i < server->shard_count; i++)
            (void)weir_connections_close_idle(&server->shards[i].connections);
}

static void on_deadline(void *arg, int status)
{
    weir_http_server *server = arg;
    size_t count = 0;

    server->deadline = 0;
    if (status != 0)
        return;
    for (size_t i = 0; i < server->shard_count; i++)
        count += weir_connections_cut(&server->shards[i].connections);
    if (count > 0)
        weir_service_set_cut(server->service);
}

static void on_delay(void *arg, int status)
{
    weir_http_server *server = arg;

    server->delay = 0;
    if (status != 0)
        return;
    for (size_t i = 0; i < server->shard_count; i++)
        /* Refused if the loop has ended: then its listeners have, too. */
        (void)!weir_loop_post(server->shards[i].loop,
                              &server->shards[i].close_doors);
}

/* Start a timer of the drain, or act at once if there is none. */
static void start_timer(weir_http_server *server, weir_timer *timer,
                        int64_t delay_ns, weir_timer_repeat repeat, weir_fn *fn)
{
    weir_loop *loop = weir_service_loop(server->service);

    if (delay_ns < 0)
        return;
    if (weir_timer_start(loop, timer, delay_ns, repeat, fn, server) != 0)
        fn(server, 0);
    else
        (void)!weir_timer_unref(loop, *timer);
}

/* No listener of this shard is left. */
static void on_quiet(weir_task *task, int status)
{
    struct weir__http_shard *shard =
        (struct weir__http_shard *)((char *)task -
                                    offsetof(struct weir__http_shard, quiet));
    weir_http_server *server = shard->server;

    if (++server->quiet_shards < server->shard_count || status != 0)
        return;
    on_idle(server, 0);
    start_timer(server, &server->idle, server->options.drain_idle_ns,
                WEIR_TIMER_FIXED_DELAY, on_idle);
    (void)!weir_gate_drain(&server->inside);
}

static void on_drain(void *arg, int status)
{
    weir_http_server *server = arg;
    const weir_http_server_options *options = &server->options;

    if (status != 0 || server->is_unfinished)
        return;
    for (size_t i = 0; i < server->shard_count; i++)
        weir_connections_drain(&server->shards[i].connections);
    start_timer(server, &server->deadline, options->drain_deadline_ns,
                WEIR_TIMER_ONCE, on_deadline);
    start_timer(server, &server->delay, options->drain_delay_ns,
                WEIR_TIMER_ONCE, on_delay);
}

/* The last connection has left.  On any thread. */
static void on_empty(void *arg)
{
    weir_http_server *server = arg;

    for (size_t i = 0; i < server->shard_count; i++)
        if (server->shards[i].has_entered)
            weir_gate_exit(weir_service_gate(server->service));
}

/* ---- the start ---- */

static void open_door(struct weir__http_door *door)
{
    struct weir__http_shard *shard = door->shard;

    door->options.stream = &door->stream;
    if (weir_listener_open(&door->listener, shard->loop, &door->options) == 0)
        shard->doors_open++;
}

/* On the loop of each shard.  The shard is the loop's from now on. */
static void on_start(void *arg, int status)
{
    struct weir__http_shard *shard = arg;
    weir_http_server *server = shard->server;

    if (weir_loop_set_local(shard->loop, shard, shard, on_loop_freed) != 0) {
        on_loop_freed(shard);
        status = -ENOMEM;
    }
    if (status != 0 || shard->is_draining || server->is_unfinished ||
        weir_gate_enter(weir_service_gate(server->service)) != 0) {
        shard->is_draining = true; /* a stop came first */
        return;
    }
    shard->has_entered = true;
    for (struct weir__http_door *door = shard->doors; door != NULL;
         door = door->next)
        open_door(door);
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

    server->loops = weir_memory_alloc(count * sizeof(*server->loops));
    server->shards = weir_memory_alloc(count * sizeof(*server->shards));
    if (server->shards != NULL)
        memset(server->shards, 0, count * sizeof(*server->shards));
    if (server->loops == NULL || server->shards == NULL)
        return -ENOMEM;
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

static void init_shard(weir_http_server *server, size_t index)
{
    struct weir__http_shard *shard = &server->shards[index];

    shard->server = server;
    shard->loop = server->loops[index];
    weir_connections_init(&shard->connections, shard->loop);
    shard->close_doors =
        (weir_task){.run = on_close_doors, .name = "close listeners"};
    shard->quiet = (weir_task){.run = on_quiet, .name = "listeners closed"};
}

static int start_gates(weir_http_server *server)
{
    int err = weir_gate_init(&server->inside, on_empty, server, NULL);

    if (err == 0)
        err = weir_gate_init(&server->life, free_server, server, NULL);
    if (err == 0)
        err = weir_gate_start(&server->inside);
    if (err == 0)
        err = weir_gate_start(&server->life);
    return err;
}

static int fill_server(weir_http_server *server, weir_service *service,
                       const weir_http_server_options *options)
{
    memset(server, 0, sizeof(*server));
    server->service = service;
    server->options = *options;
    if (options->tls != NULL)
        weir_tls_ref(options->tls);
    fill_options(&server->options);
    server->limits.head_bytes = options->head_bytes;
    server->limits.target_bytes = options->target_bytes;
    server->limits.fields = options->fields;
    weir__http_limits_fill(&server->limits);
    server->shard_count = options->loops != NULL ? options->loop_count
                          : options->threads > 0 ? options->threads
                                                 : 1;
    return add_loops(server);
}

/* From the first shard on, the callbacks of the service use the server: it is
 * freed when their loops are. */
static int start_server(weir_http_server *server)
{
    int err = start_gates(server);

    for (size_t i = 0; i < server->shard_count && err == 0; i++) {
        init_shard(server, i);
        err = start_shard(&server->shards[i]);
    }
    if (err == 0)
        err = weir_service_on_drain(server->service,
                                    weir_service_loop(server->service),
                                    on_drain, server);
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
    err = fill_server(server, service, &options);
    if (err != 0) {
        free_server(server);
        return err;
    }
    err = start_server(server);
    if (err != 0) {
        server->is_unfinished = true;
        (void)!weir_gate_drain(&server->life);
        return err;
    }
    *made = server;
    return 0;
}

/* ---- counts ---- */

int weir_http_server_counts(const weir_http_server *server,
                            weir_http_counts *counts)
{
    weir_http_counts sum = {.size = sizeof(sum)};

    if (server == NULL || counts == NULL)
        return -EINVAL;
    for (size_t i = 0; i < server->shard_count; i++) {
        const struct weir__http_counters *counters =
            &server->shards[i].counters;

        sum.connections += weir_counter_read(&counters->connections);
        sum.requests += weir_counter_read(&counters->requests);
        sum.responses += weir_counter_read(&counters->responses);
        sum.refused += weir_counter_read(&counters->refused);
        sum.cut += weir_counter_read(&counters->cut);
        sum.crossed += weir_counter_read(&counters->crossed);
    }
    return weir_sized_write(counts, &sum, sizeof(sum));
}

/* ---- the report ---- */

struct report {
    char *rows;
    size_t capacity, size, count;
    bool wants_busy;
    int64_t now_ns;
};

static void fill_holder(weir_http_holder *holder,
                        const struct weir__http_conn *conn,
                        weir_connection_phase phase, bool is_busy,
                        int64_t now_ns)
{
    static const char *const phases[] = {
        [WEIR_CONNECTION_NEW] = "new",
        [WEIR_CONNECTION_IDLE] = "idle",
        [WEIR_CONNECTION_READING] = "reading",
        [WEIR_CONNECTION_BUSY] = "busy",
        [WEIR_CONNECTION_UPGRADED] = "upgraded",
        [WEIR_CONNECTION_CLOSING] = "closing",
    };
    weir_address peer;

    memset(holder, 0, sizeof(*holder));
    holder->phase = phases[phase];
    holder->age_ns = now_ns - conn->since_ns;
    holder->received_bytes = weir_counter_read(&conn->received);
    holder->sent_bytes = weir_counter_read(&conn->sent);
    if (conn->peer_size > 0 &&
        weir_address_from(&peer, conn->peer, conn->peer_size) == 0)
        weir_address_format(&peer, holder->peer, sizeof(holder->peer));
    if (!is_busy)
        return;
    holder->age_ns = now_ns - conn->request->since_ns;
    memcpy(holder->method, conn->request->shown_method, sizeof(holder->method));
    memcpy(holder->target, conn->request->shown_target, sizeof(holder->target));
}

static void add_row(void *arg, weir_connection *word,
                    weir_connection_phase phase, bool is_busy)
{
    struct report *report = arg;
    weir_http_holder holder;
    size_t size = report->size < sizeof(holder) ? report->size : sizeof(holder);

    if (is_busy != report->wants_busy)
        return;
    if (report->count++ >= report->capacity)
        return;
    fill_holder(&holder, (struct weir__http_conn *)word, phase, is_busy,
                report->now_ns);
    memset(report->rows, 0, report->size);
    memcpy(report->rows, &holder, size);
    report->rows += report->size;
}

size_t weir_http_server_report(weir_http_server *server,
                               weir_http_holder *holders, size_t capacity,
                               size_t size)
{
    struct report report = {.rows = (char *)holders,
                            .capacity = holders != NULL ? capacity : 0,
                            .size = size,
                            .wants_busy = true,
                            .now_ns = weir_clock_now()};

    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < server->shard_count; i++)
            weir_connections_report(&server->shards[i].connections, add_row,
                                    &report);
        report.wants_busy = false;
    }
    return report.count;
}
