/* SPDX-License-Identifier: MIT */
/*
 * drain -- how an HTTP server stops.
 *
 * The drain begins on the thread of the control loop, which is the service's
 * own unless the server is a guest (guest.c), and is driven from there, by
 * timers that no user callback can delay:
 *
 *     control loop's thread                 each loop
 *     every word is marked draining    -->  responses say close
 *     after delay_ns                   -->  listeners accept the rest and close
 *     no listener left             <------
 *     every idle_ns: idle ones close   -->  half-close, linger
 *     at deadline_ns: the rest is
 *     reported, then cut               -->  503, or reset
 *
 * Tested by  test/net/http/server.c, test/net/peers/drain.py
 */
#include "http/server.h"
#include "weir/host/service.h"

/* ---- the drain, on the loops ---- */

/* Tell the drain that the shard accepts no more. */
static void check_quiet(struct weir__http_shard *shard)
{
    weir_http_server *server = shard->server;

    if (!shard->is_draining || shard->listeners_open > 0 || shard->is_quiet)
        return;
    shard->is_quiet = true;
    /* Refused if the service was forced: then it does not wait. */
    (void)!weir_loop_post(server->control, &shard->quiet);
    weir_gate_exit(&server->inside);
}

static void on_listener_closed(void *arg, weir_listener *listener, int status)
{
    struct weir__http_shard *shard = arg;

    if (status != 0 && status != WEIR_ECANCELED)
        weir__http_note_cut(shard); /* without descriptors */
    shard->listeners_open--;
    check_quiet(shard);
}

static void close_listeners(struct weir__http_shard *shard)
{
    shard->is_draining = true;
    for (struct weir__http_listener *listener = shard->listeners;
         listener != NULL; listener = listener->next) {
        weir_listener *open = listener->open;

        if (open == NULL)
            continue; /* it was never open: its socket is closed at the end */
        listener->open = NULL;
        listener->options.fd = -1;
        weir_listener_drain(open, on_listener_closed, shard);
    }
    check_quiet(shard);
}

static void on_close_listeners(weir_task *task, int status)
{
    close_listeners(
        (struct weir__http_shard *)((char *)task -
                                    offsetof(struct weir__http_shard,
                                             close_listeners)));
}

void weir__http_drain_abandon(struct weir__http_shard *shard)
{
    shard->is_draining = true;
    for (struct weir__http_listener *listener = shard->listeners;
         listener != NULL; listener = listener->next) {
        weir_listener *open = listener->open;

        if (open == NULL)
            continue;
        listener->open = NULL;
        listener->options.fd = -1;
        weir_listener_close(open, on_listener_closed, shard);
    }
    check_quiet(shard);
}

/* ---- the drain, on the thread of the control loop ---- */

/* Every idle_ns: close what has been idle since the last time. */
static void on_idle(void *arg, int status)
{
    weir_http_server *server = arg;

    if (status == 0)
        for (size_t i = 0; i < server->shard_count; i++)
            (void)weir_connections_close_idle(&server->shards[i].connections);
}

/* Start a timer of the drain, or act at once if there is none. */
static void start_timer(weir_http_server *server, weir_timer *timer,
                        int64_t delay_ns, weir_timer_repeat repeat, weir_fn *fn)
{
    weir_loop *loop = server->control;

    if (delay_ns < 0)
        return;
    if (weir_timer_start(loop, timer, delay_ns, repeat, fn, server) != 0)
        fn(server, 0);
    else
        (void)!weir_timer_unref(loop, *timer);
}

static void cancel_timer(weir_http_server *server, weir_timer *timer)
{
    if (*timer != 0)
        (void)!weir_timer_cancel(server->control, *timer);
    *timer = 0;
}

static void start_idle(weir_http_server *server)
{
    if (server->is_closing_idle)
        return;
    server->is_closing_idle = true;
    on_idle(server, 0);
    start_timer(server, &server->idle, server->options.drain_idle_ns,
                WEIR_TIMER_FIXED_DELAY, on_idle);
}

static void on_delay(void *arg, int status)
{
    weir_http_server *server = arg;

    server->delay = 0;
    if (status != 0 || server->is_accepting_no_more)
        return;
    server->is_accepting_no_more = true;
    for (size_t i = 0; i < server->shard_count; i++)
        weir__http_post(&server->shards[i], &server->shards[i].close_listeners);
    /* Not when they are closed: they may wait for the descriptors. */
    if (server->guest == NULL)
        start_idle(server);
}

static void note_open(void *arg, weir_connection *connection,
                      weir_connection_phase phase, bool is_busy)
{
    bool *has_open = arg;

    *has_open = *has_open || phase != WEIR_CONNECTION_CLOSING;
}

/* Let the service report what is about to be cut off, while it is there. */
static void report_open(weir_http_server *server)
{
    bool has_open = false;

    for (size_t i = 0; i < server->shard_count; i++)
        weir_connections_report(&server->shards[i].connections, note_open,
                                &has_open);
    if (has_open)
        weir_service_call_report(server->service);
}

static void on_deadline(void *arg, int status)
{
    weir_http_server *server = arg;
    size_t count = 0;

    server->deadline = 0;
    if (status != 0)
        return;
    if (server->guest == NULL)
        report_open(server);
    for (size_t i = 0; i < server->shard_count; i++)
        count += weir_connections_cut(&server->shards[i].connections);
    if (count > 0)
        weir__http_set_cut(server);
    cancel_timer(server, &server->delay);
    on_delay(server, 0);
}

/* No listener of this shard is left. */
static void on_quiet(weir_task *task, int status)
{
    struct weir__http_shard *shard =
        (struct weir__http_shard *)((char *)task -
                                    offsetof(struct weir__http_shard, quiet));
    weir_http_server *server = shard->server;

    if (++server->quiet_shards < server->shard_count)
        return;
    if (status == 0 && (server->guest == NULL || server->guest->has_begun)) {
        start_idle(server);
    } else if (status == 0) {
        /* Only the listeners were closed (weir_http_server_close). */
    } else if (server->guest == NULL) {
        return; /* the service was forced, and does not wait */
    }
    (void)!weir_gate_drain(&server->inside);
}

void weir__http_drain_start(weir_http_server *server, int64_t deadline_ns)
{
    for (size_t i = 0; i < server->shard_count && server->guest == NULL; i++)
        weir_connections_drain(&server->shards[i].connections);
    start_timer(server, &server->deadline, deadline_ns, WEIR_TIMER_ONCE,
                on_deadline);
    start_timer(server, &server->delay, server->options.drain_delay_ns,
                WEIR_TIMER_ONCE, on_delay);
    if (server->quiet_shards == server->shard_count)
        start_idle(server); /* the listeners were closed before */
}

void weir__http_drain_hasten(weir_http_server *server, int64_t deadline_ns)
{
    cancel_timer(server, &server->deadline);
    start_timer(server, &server->deadline, deadline_ns, WEIR_TIMER_ONCE,
                on_deadline);
}

void weir__http_drain_fini(weir_http_server *server)
{
    cancel_timer(server, &server->deadline);
    cancel_timer(server, &server->delay);
    cancel_timer(server, &server->idle);
}

void weir__http_drain_begin(void *arg, int status)
{
    weir_http_server *server = arg;

    if (status == 0 && !server->is_unfinished)
        weir__http_drain_start(server, server->options.drain_deadline_ns);
}

void weir__http_drain_end(void *arg)
{
    weir_http_server *server = arg;

    if (server->guest != NULL) {
        weir__http_guest_over(server);
        return;
    }
    for (size_t i = 0; i < server->shard_count; i++)
        if (server->shards[i].has_entered)
            weir_gate_exit(weir_service_gate(server->service));
}

void weir__http_drain_init(struct weir__http_shard *shard)
{
    shard->close_listeners =
        (weir_task){.run = on_close_listeners, .name = "close listeners"};
    shard->quiet = (weir_task){.run = on_quiet, .name = "listeners closed"};
}
