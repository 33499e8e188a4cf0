/* SPDX-License-Identifier: MIT */
/*
 * guest -- an HTTP server on a loop that it does not own.
 *
 * Shape     A server with one shard and without a service.  A control loop, on
 *           its own thread, drives the drain as a service's loop does:
 *
 *               any thread       control loop            the server's loop
 *               drain       -->  drain_start        -->  listeners close
 *                                (drain.c)               connections end
 *               the last exit of the gate `inside`:
 *                                on_over            -->  on_ended: on_end
 *
 * The end   The server ends when the gate `inside` closes.  If the loop ends
 *           first, its timer `sentinel` is cancelled.  That calls on_end, closes
 *           the listeners, and keeps other threads from posting to the loop,
 *           whose memory may be freed soon.  The connections end with the loop.
 * Memory    The gate `life` counts the owner, the sentinel, each `drain` on its
 *           way, and one entry that on_ended exits, or on_over if the loop has
 *           gone.
 * Threads   weir_guest (src/sync/guest.c) says who may use the loop, whether a
 *           drain was asked for, and by when.  Everything else belongs to one
 *           thread: server.h says to which.
 *
 * Tested by  test/net/http/guest.c, test/model/sync/guest.c
 */
#include <errno.h>
#include <string.h>

#include "http/server.h"
#include "weir/clock.h"
#include "weir/host/memory.h"
#include "weir/host/service.h"
#include "weir/host/sized.h"
#include "weir/net/tls.h"

/* ---- what differs from a server of a service ---- */

void weir__http_fail(weir_http_server *server, int err)
{
    if (server->guest != NULL)
        (void)weir_http_server_drain(server, -1);
    else
        weir_service_fail(server->service, err);
}

bool weir__http_is_ready(const weir_http_server *server)
{
    return server->guest != NULL ? !weir_http_server_is_draining(server)
                                 : weir_service_is_ready(server->service);
}

void weir__http_set_cut(weir_http_server *server)
{
    struct weir__http_guest *guest = server->guest;

    if (guest == NULL) {
        weir_service_set_cut(server->service);
        return;
    }
    guest->was_cut = true;
    if (!guest->is_late && guest->options.on_deadline != NULL)
        guest->options.on_deadline(guest->options.arg, server);
    guest->is_late = true;
}

void weir__http_note_cut(struct weir__http_shard *shard)
{
    weir_http_server *server = shard->server;

    weir_counter_add(&shard->counters.cut, 1);
    if (!weir_http_server_is_draining(server))
        return;
    if (server->guest != NULL)
        shard->was_cut = true;
    else
        weir_service_set_cut(server->service);
}

void weir__http_post(struct weir__http_shard *shard, weir_task *task)
{
    /* Refused if the loop has ended: then its listeners have, too. */
    if (shard->server->guest != NULL)
        (void)weir_guest_post(&shard->server->guest->guest, task);
    else
        (void)!weir_loop_post(shard->loop, task);
}

/* ---- the end, on the server's loop ---- */

/* The loop ends. */
static void on_sentinel(void *arg, int status)
{
    struct weir__http_guest *guest = arg;
    weir_http_server *server = guest->server;

    guest->sentinel = 0;
    if (status != 0) { /* otherwise it is the clock's maximum */
        if (weir_guest_lose_loop(&guest->guest))
            guest->options.on_end(guest->options.arg, server, WEIR_ECANCELED);
        if (!server->shards[0].is_draining)
            weir__http_drain_abandon(&server->shards[0]);
    }
    weir_gate_exit(&server->life);
}

static void on_ended(weir_task *task, int status)
{
    struct weir__http_guest *guest =
        (struct weir__http_guest *)((char *)task -
                                    offsetof(struct weir__http_guest, ended));
    weir_http_server *server = guest->server;
    struct weir__http_shard *shard = &server->shards[0];
    bool was_cut = guest->was_cut || shard->was_cut;
    weir_loop *loop = shard->loop;

    weir__http_shard_fini(shard);
    if (weir_guest_end(&guest->guest))
        guest->options.on_end(guest->options.arg, server,
                              was_cut ? WEIR_EFORCED : 0);
    if (guest->sentinel != 0 && weir_timer_cancel(loop, guest->sentinel) == 0)
        weir_gate_exit(&server->life);
    weir_gate_exit(&server->life);
}

/* ---- the control loop's thread ---- */

static void on_over(weir_task *task, int status)
{
    struct weir__http_guest *guest =
        (struct weir__http_guest *)((char *)task -
                                    offsetof(struct weir__http_guest, over));
    weir_http_server *server = guest->server;

    guest->is_empty = true;
    weir__http_drain_fini(server);
    if (weir_guest_post(&guest->guest, &guest->ended))
        return;
    weir__http_shard_fini(&server->shards[0]);
    weir_gate_exit(&server->life);
}

void weir__http_guest_over(weir_http_server *server)
{
    /* Refused while the control loop is being closed: it has no timers then. */
    if (weir_loop_post(server->control, &server->guest->over) != 0)
        on_over(&server->guest->over, WEIR_ECANCELED);
}

static int64_t time_until(int64_t at_ns)
{
    int64_t left_ns = at_ns - weir_clock_now();

    return left_ns > 0 ? left_ns : 0;
}

static void on_drain(weir_task *task, int status)
{
    struct weir__http_guest *guest =
        (struct weir__http_guest *)((char *)task -
                                    offsetof(struct weir__http_guest, drain));
    weir_http_server *server = guest->server;
    int64_t deadline_ns;
    bool is_wanted =
        weir_guest_take(&guest->guest, &deadline_ns) && !guest->is_empty;
    int64_t left_ns = deadline_ns < 0 ? -1 : time_until(deadline_ns);

    if (status == 0 && is_wanted && !guest->has_begun)
        weir__http_drain_start(server, left_ns);
    else if (status == 0 && is_wanted && !guest->is_late)
        weir__http_drain_hasten(server, left_ns);
    guest->has_begun = true;
    weir_gate_exit(&server->life);
}

/* ---- the drain, on any thread ---- */

static int64_t time_after(int64_t delay_ns)
{
    int64_t now = weir_clock_now();

    return delay_ns > INT64_MAX - now ? INT64_MAX : now + delay_ns;
}

/* Let the control loop take the request. */
static void tell_control(weir_http_server *server)
{
    if (weir_gate_enter(&server->life) == 0 &&
        weir_loop_post(server->control, &server->guest->drain) != 0)
        weir_gate_exit(&server->life); /* against the contract */
}

int weir_http_server_drain(weir_http_server *server, int64_t deadline_ns)
{
    int result;

    if (server == NULL || server->guest == NULL)
        return -EINVAL;
    if (deadline_ns < 0)
        deadline_ns = server->options.drain_deadline_ns;
    result = weir_guest_drain(&server->guest->guest,
                              deadline_ns < 0 ? -1 : time_after(deadline_ns));
    if (result < 0)
        return result;
    if (result & WEIR_GUEST_TELL)
        tell_control(server);
    /* At once, so that each response from now on closes its connection. */
    if (result & WEIR_GUEST_FIRST)
        weir_connections_drain(&server->shards[0].connections);
    return 0;
}

int weir_http_server_close(weir_http_server *server)
{
    if (server == NULL || server->guest == NULL)
        return -EINVAL;
    if (server->shards[0].is_draining ||
        !weir_guest_hold(&server->guest->guest))
        return -EALREADY;
    weir__http_drain_abandon(&server->shards[0]);
    return 0;
}

void weir_http_server_set_times(weir_http_server *server, int64_t header_ns,
                                int64_t request_ns, int64_t keep_alive_ns)
{
    weir_http_server_options *options = &server->options;

    options->header_ns = header_ns != 0 ? header_ns : WEIR_HTTP_HEADER_NS;
    options->request_ns = request_ns != 0 ? request_ns : WEIR_HTTP_REQUEST_NS;
    options->keep_alive_ns =
        keep_alive_ns != 0 ? keep_alive_ns : WEIR_HTTP_KEEP_ALIVE_NS;
}

bool weir_http_server_is_draining(const weir_http_server *server)
{
    if (server->guest == NULL)
        return weir_service_phase(server->service) >= WEIR_PHASE_DRAINING;
    return weir_guest_is_draining(&server->guest->guest);
}

/* ---- opening ---- */

void weir_http_server_set_ref(weir_http_server *server, bool is_ref)
{
    if (server->guest == NULL)
        return;
    server->guest->is_ref = is_ref;
    weir__http_listeners_set_ref(&server->shards[0], is_ref);
}

static void init_guest(struct weir__http_guest *guest, weir_http_server *server,
                       const weir_http_guest_options *options)
{
    memset(guest, 0, sizeof(*guest));
    guest->server = server;
    guest->options = *options;
    guest->is_ref = true;
    weir_guest_init(&guest->guest, server->loops[0]);
    guest->drain = (weir_task){.run = on_drain, .name = "drain"};
    guest->over = (weir_task){.run = on_over, .name = "server is empty"};
    guest->ended = (weir_task){.run = on_ended, .name = "server ended"};
}

/* The gates count what their headers say from now on. */
static int start_guest(weir_http_server *server)
{
    struct weir__http_guest *guest = server->guest;
    weir_loop *loop = server->loops[0];
    int err = weir__http_server_start_gates(server);

    weir__http_server_init_shard(server, 0);
    if (err == 0)
        err = weir_timer_start_at(loop, &guest->sentinel, INT64_MAX,
                                  on_sentinel, guest);
    if (err != 0)
        return err == -ENOSPC ? -ENOMEM : err;
    (void)!weir_timer_unref(loop, guest->sentinel);
    (void)!weir_gate_enter(&server->inside); /* the shard */
    (void)!weir_gate_enter(&server->life);   /* the end */
    (void)!weir_gate_enter(&server->life);   /* the sentinel */
    return 0;
}

static int open_server(weir_http_server *server, weir_loop *loop,
                       const weir_http_server_options *options,
                       const weir_http_guest_options *given)
{
    int err = weir__http_server_fill(server, options);

    if (err != 0)
        return err;
    server->loops[0] = loop;
    server->control = given->control;
    server->guest = weir_memory_alloc(sizeof(*server->guest));
    if (server->guest == NULL)
        return -ENOMEM;
    init_guest(server->guest, server, given);
    server->limits.any_expect = given->accepts_any_expect;
    server->limits.no_host = given->accepts_no_host;
    return start_guest(server);
}

int weir_http_server_open(weir_http_server **made, weir_loop *loop,
                          const weir_http_server_options *given,
                          const weir_http_guest_options *given_guest)
{
    weir_http_server_options options;
    weir_http_guest_options guest;
    weir_http_server *server;
    int err = weir_sized_read(&options, sizeof(options), given);

    if (err == 0)
        err = weir_sized_read(&guest, sizeof(guest), given_guest);
    if (err != 0)
        return err;
    if (made == NULL || loop == NULL || options.on_request == NULL ||
        options.loops != NULL || options.loop_count > 0 ||
        options.threads > 0 || guest.control == NULL || guest.on_end == NULL)
        return -EINVAL;
    server = weir_memory_alloc(sizeof(*server));
    if (server == NULL)
        return -ENOMEM;
    err = open_server(server, loop, &options, &guest);
    if (err != 0) {
        weir__http_server_destroy(server);
        return err;
    }
    weir__http_registry_enter(server);
    *made = server;
    return 0;
}
