/* SPDX-License-Identifier: MIT */
/*
 * guest -- an HTTP server on a loop that it does not own.
 *
 * Shape     A server with one shard and without a service.  A control loop, on
 *           a thread of its own, drives the drain as a service's loop does:
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
 * Lock      It protects the requests for a drain, which come from any thread,
 *           and has_loop.  A task is posted to the server's loop only under
 *           the lock and while has_loop is set.
 *
 * Tested by  test/net/http/guest.c
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

void weir__http_stop(weir_http_server *server)
{
    if (server->guest != NULL)
        (void)weir_http_server_drain(server, -1);
    else
        (void)weir_service_stop(server->service);
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

/* Post a task to the loop of a guest.  False if the loop has ended. */
static bool post_to_loop(struct weir__http_guest *guest, weir_task *task)
{
    bool is_posted;

    weir_lock_acquire(&guest->lock);
    is_posted = guest->has_loop &&
                weir_loop_post(guest->server->shards[0].loop, task) == 0;
    weir_lock_release(&guest->lock);
    return is_posted;
}

void weir__http_post(struct weir__http_shard *shard, weir_task *task)
{
    /* Refused if the loop has ended: then its listeners have, too. */
    if (shard->server->guest != NULL)
        (void)post_to_loop(shard->server->guest, task);
    else
        (void)!weir_loop_post(shard->loop, task);
}

/* ---- the end, on the server's loop ---- */

static void tell_end(struct weir__http_guest *guest, int status)
{
    bool was_held;

    if (guest->is_told)
        return;
    guest->is_told = true;
    weir_lock_acquire(&guest->lock);
    was_held = guest->is_held;
    guest->is_over = true;
    guest->is_held = false;
    if (status == WEIR_ECANCELED)
        guest->has_loop = false;
    weir_lock_release(&guest->lock);
    guest->options.on_end(guest->options.arg, guest->server, status);
    if (was_held)
        weir_loop_unref(guest->server->shards[0].loop);
}

/* The loop ends. */
static void on_sentinel(void *arg, int status)
{
    struct weir__http_guest *guest = arg;
    weir_http_server *server = guest->server;

    guest->sentinel = 0;
    if (status != 0) { /* otherwise it is the clock's maximum */
        tell_end(guest, WEIR_ECANCELED);
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
    weir_loop *loop = server->shards[0].loop;

    weir__http_shard_fini(&server->shards[0]);
    tell_end(guest, guest->was_cut ? WEIR_EFORCED : 0);
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

    weir__http_drain_fini(server);
    if (post_to_loop(guest, &guest->ended))
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

static void on_drain(weir_task *task, int status)
{
    struct weir__http_guest *guest =
        (struct weir__http_guest *)((char *)task -
                                    offsetof(struct weir__http_guest, drain));
    weir_http_server *server = guest->server;
    int64_t left_ns = -1;
    bool is_over;

    weir_lock_acquire(&guest->lock);
    guest->is_posted = false;
    is_over = guest->is_over;
    if (guest->wanted_ns >= 0) {
        left_ns = guest->wanted_ns - weir_clock_now();
        left_ns = left_ns > 0 ? left_ns : 0;
    }
    weir_lock_release(&guest->lock);
    if (status == 0 && !is_over && !guest->has_begun)
        weir__http_drain_start(server, left_ns);
    else if (status == 0 && !is_over && !guest->is_late)
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

/* Ask for a drain.  Under the lock.  Returns 0, or -EALREADY. */
static int want_drain(struct weir__http_guest *guest, int64_t deadline_ns)
{
    int64_t at_ns = deadline_ns < 0 ? -1 : time_after(deadline_ns);
    bool is_first = !guest->is_draining;

    if (guest->is_over)
        return -EALREADY;
    if (!is_first &&
        (at_ns < 0 || (guest->wanted_ns >= 0 && at_ns >= guest->wanted_ns)))
        return 0;
    guest->is_draining = true;
    guest->wanted_ns = at_ns;
    if (is_first && guest->has_loop && !guest->is_held) {
        weir_loop_ref(guest->server->shards[0].loop);
        guest->is_held = true;
    }
    if (guest->is_posted || weir_gate_enter(&guest->server->life) != 0)
        return 0;
    guest->is_posted = true;
    if (weir_loop_post(guest->server->control, &guest->drain) != 0)
        weir_gate_exit(&guest->server->life); /* against the contract */
    return 0;
}

int weir_http_server_drain(weir_http_server *server, int64_t deadline_ns)
{
    bool is_first;
    int err;

    if (server == NULL || server->guest == NULL)
        return -EINVAL;
    if (deadline_ns < 0)
        deadline_ns = server->options.drain_deadline_ns;
    weir_lock_acquire(&server->guest->lock);
    is_first = !server->guest->is_draining;
    err = want_drain(server->guest, deadline_ns);
    weir_lock_release(&server->guest->lock);
    /* At once, so that each response from now on closes its connection. */
    if (err == 0 && is_first)
        weir_connections_drain(&server->shards[0].connections);
    return err;
}

/* Keep the loop running until on_end.  False if the server has ended. */
static bool hold_loop(struct weir__http_guest *guest)
{
    bool is_held = false;

    weir_lock_acquire(&guest->lock);
    if (guest->has_loop && !guest->is_over) {
        if (!guest->is_held)
            weir_loop_ref(guest->server->shards[0].loop);
        guest->is_held = is_held = true;
    }
    weir_lock_release(&guest->lock);
    return is_held;
}

int weir_http_server_close(weir_http_server *server)
{
    if (server == NULL || server->guest == NULL)
        return -EINVAL;
    if (server->shards[0].is_draining || !hold_loop(server->guest))
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
    struct weir__http_guest *guest = server->guest;
    bool is_draining;

    if (guest == NULL)
        return weir_service_phase(server->service) >= WEIR_PHASE_DRAINING;
    weir_lock_acquire(&guest->lock);
    is_draining = guest->is_draining || guest->is_over;
    weir_lock_release(&guest->lock);
    return is_draining;
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
    guest->has_loop = true;
    guest->wanted_ns = -1;
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
    *made = server;
    return 0;
}
