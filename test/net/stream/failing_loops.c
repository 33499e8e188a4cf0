/* SPDX-License-Identifier: MIT */
/*
 * failing_loops -- listeners of a service with every system call and every
 * allocation failing once (sweep.h): one that hands its connections over to
 * several loops, and weir_serve.
 *
 * The clients are on the first loop.  What follows is touched by the threads of
 * all loops, so it is atomic; relaxed, so as not to hide a race.
 */
#include <errno.h>
#include <string.h>

#include "net/support/sweep.h"
#include "weir/host/service.h"
#include "weir/net/connect.h"
#include "weir/net/serve.h"
#include "weir/timer.h"

enum { LOOPS = 2, CLIENTS = 3, SIZE = 5 };

/* A connection of the first loop. */
struct client {
    weir_stream *stream; /* NULL: none, or it is being closed */
    size_t received;
};

/* One run. */
static struct {
    weir_service *service;
    weir_loop *loops[LOOPS];
    weir_listener *listener; /* first loop */
    struct client clients[CLIENTS];
    weir_timer watchdog;
    bool is_late;
    int status;            /* atomic: the first error */
    unsigned begun, ended; /* atomic: operations */
    unsigned left;         /* atomic: what has to be closed before the stop */
} run;

static void fail(int err)
{
    int none = 0;

    if (err != 0)
        __atomic_compare_exchange_n(&run.status, &none, err, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static void add_begun(void)
{
    __atomic_add_fetch(&run.begun, 1, __ATOMIC_RELAXED);
}

static void add_ended(void)
{
    __atomic_add_fetch(&run.ended, 1, __ATOMIC_RELAXED);
}

static void enter(void)
{
    __atomic_add_fetch(&run.left, 1, __ATOMIC_RELAXED);
}

/* The last one to leave stops the service. */
static void leave(void)
{
    if (__atomic_sub_fetch(&run.left, 1, __ATOMIC_RELAXED) == 0)
        (void)weir_service_stop(run.service); /* -EALREADY: it has stopped */
}

/* ---- the server: echo ---- */

static void on_stream_gone(void *arg, weir_stream *stream, int status)
{
    add_ended();
    fail(status);
    leave();
}

static void close_stream(weir_stream *stream)
{
    add_begun();
    weir_stream_close(stream, on_stream_gone, NULL);
}

static void on_server_read(void *arg, weir_stream *stream, int status,
                           weir_bytes bytes)
{
    int err;

    if (status == WEIR_EEOF) {
        add_begun();
        weir_stream_finish(stream, WEIR_S(3), on_stream_gone, NULL);
        return;
    }
    err =
        status != 0 ? status : weir_stream_write(stream, &bytes, 1, NULL, NULL);
    if (err != 0) {
        fail(err);
        close_stream(stream);
    }
}

static void on_stream(void *arg, weir_stream *stream)
{
    int err = weir_stream_read(stream, on_server_read, NULL);

    enter();
    if (err != 0) {
        fail(err);
        close_stream(stream);
    }
}

/* ---- the clients ---- */

static void on_listener_gone(void *arg, weir_listener *listener, int status)
{
    add_ended();
    fail(status);
    leave();
}

static void drain_listener(void)
{
    weir_listener *listener = run.listener;

    if (listener == NULL)
        return;
    run.listener = NULL;
    add_begun();
    weir_listener_drain(listener, on_listener_gone, NULL);
}

static void on_error(void *arg, weir_listener *listener, int err)
{
    if (err == -EMFILE || err == -ENFILE || err == -ENOBUFS || err == -ENOMEM)
        return; /* it tries again */
    fail(err);
    drain_listener();
}

static bool has_clients(void)
{
    for (int i = 0; i < CLIENTS; i++)
        if (run.clients[i].stream != NULL)
            return true;
    return false;
}

static void close_client(struct client *client)
{
    weir_stream *stream = client->stream;

    client->stream = NULL;
    close_stream(stream);
    if (!has_clients())
        drain_listener();
}

static void on_watchdog(void *arg, int status)
{
    run.watchdog = 0;
    if (status != 0)
        return;
    fail(-ETIMEDOUT);
    run.is_late = true;
    for (int i = 0; i < CLIENTS; i++)
        if (run.clients[i].stream != NULL)
            close_client(&run.clients[i]);
    drain_listener();
}

static void on_client_read(void *arg, weir_stream *stream, int status,
                           weir_bytes bytes)
{
    struct client *client = arg;
    int err = 0;

    expect(client->stream == stream);
    if (status == 0) {
        client->received += bytes.size;
        if (client->received == SIZE)
            err = weir_stream_shutdown(stream, NULL, NULL);
        fail(err);
        if (err == 0)
            return;
    } else if (status != WEIR_EEOF) {
        fail(status);
    } else if (client->received != SIZE) {
        fail(WEIR_ETRUNCATED);
    }
    close_client(client);
}

static void on_connect(void *arg, int status, weir_stream *stream)
{
    struct client *client = arg;
    weir_bytes bytes = {"hello", SIZE};
    int err = status;

    add_ended();
    if (stream != NULL) {
        enter();
        client->stream = stream;
    }
    if (err == 0 && run.is_late)
        err = -ETIMEDOUT;
    if (err == 0)
        err = weir_stream_read(stream, on_client_read, client);
    if (err == 0)
        err = weir_stream_write(stream, &bytes, 1, NULL, NULL);
    fail(err);
    if (err != 0 && stream != NULL)
        close_client(client);
    else if (err != 0 && !has_clients())
        drain_listener();
    leave();
}

static int start_clients(const weir_address *where)
{
    int err = weir_timer_start(run.loops[0], &run.watchdog, WEIR_S(5),
                               WEIR_TIMER_ONCE, on_watchdog, NULL);

    if (err == 0)
        (void)!weir_timer_unref(run.loops[0], run.watchdog);
    for (int i = 0; i < CLIENTS && err == 0; i++) {
        enter();
        err = weir_connect_addresses(run.loops[0], NULL, where, 1, on_connect,
                                     &run.clients[i], NULL);
        if (err == 0)
            add_begun();
        else
            leave();
    }
    return err;
}

/* ---- runs ---- */

static void on_report(void *arg, weir_service *service)
{
}

static int begin_run(unsigned loops)
{
    weir_service_options options = {.size = sizeof(options),
                                    .no_signals = true,
                                    .timeout_ns = WEIR_S(8),
                                    .on_report = on_report};
    int err;

    memset(&run, 0, sizeof(run));
    run.left = 1; /* the start */
    expect_status(weir_clock_freeze(WEIR_S(1)), 0);
    err = weir_service_new(&run.service, &options);
    if (err != 0)
        return err;
    for (unsigned i = 0; i < loops && err == 0; i++)
        err = weir_service_add_loop(run.service, &run.loops[i], NULL);
    if (err != 0)
        expect_status(weir_service_free(run.service), 0);
    return err;
}

static int end_run(weir_fn *on_start, void *arg, unsigned loops)
{
    int err = weir_service_on_start(run.service, run.loops[0], on_start, arg);

    if (err == 0) {
        add_begun();
        err = weir_service_start(run.service);
    }
    if (err == 0)
        err = sweep_wait(run.service, run.loops, loops, WEIR_S(100));
    expect_status(weir_service_free(run.service), 0);
    expect_int(run.ended, run.begun);
    return run.status != 0 ? run.status : err;
}

/* ---- several loops ---- */

static void open_listener(void *arg, int status)
{
    weir_listener_options options = {.size = sizeof(options),
                                     .loops = run.loops,
                                     .loop_count = LOOPS,
                                     .on_stream = on_stream,
                                     .on_error = on_error};
    weir_address where;
    int err = status;

    add_ended();
    expect_status(weir_address_parse(&options.address, "127.0.0.1:0", 0), 0);
    if (err == 0)
        err = weir_listener_open(&run.listener, run.loops[0], &options);
    if (err == 0) {
        enter();
        weir_listener_address(run.listener, &where);
        err = start_clients(&where);
    } else {
        run.listener = NULL;
    }
    if (err != 0) {
        fail(err);
        run.is_late = true;
        drain_listener();
    }
    leave();
}

static int share(void)
{
    int err = begin_run(LOOPS);

    return err != 0 ? err : end_run(open_listener, NULL, LOOPS);
}

CASE_WITHIN(a_listener_of_several_loops_survives_every_failure, 180)
{
    sweep("a listener of several loops", share, CALL_SOCKET, CALL_BIND,
          CALL_LISTEN, CALL_ACCEPT4, CALL_CONNECT, CALL_RECV, CALL_SEND,
          CALL_SHUTDOWN, CALL_CLOSE, CALL_EPOLL_CTL, CALL_EPOLL_CREATE1,
          CALL_EVENTFD, CALL_PTHREAD_CREATE);
}

/* ---- weir_serve ---- */

static void begin_clients(void *arg, int status)
{
    int err = status;

    add_ended();
    if (err == 0)
        err = start_clients(arg);
    if (err != 0) {
        fail(err);
        run.is_late = true;
    }
    leave();
}

static int serve(void)
{
    weir_serve_options options = {.size = sizeof(options),
                                  .on_stream = on_stream};
    weir_address where;
    int err = begin_run(1);

    if (err != 0)
        return err;
    options.loop = run.loops[0];
    err = weir_serve(run.service, "127.0.0.1:0", &options, &where);
    if (err == 0)
        return end_run(begin_clients, &where, 1);
    expect_status(weir_service_free(run.service), 0);
    return err;
}

CASE_WITHIN(serving_survives_every_failure, 180)
{
    sweep("weir_serve", serve, CALL_SOCKET, CALL_BIND, CALL_LISTEN,
          CALL_GETSOCKOPT, CALL_ACCEPT4, CALL_CONNECT, CALL_RECV, CALL_SEND,
          CALL_SHUTDOWN, CALL_CLOSE, CALL_EPOLL_CTL, CALL_PTHREAD_CREATE);
}
