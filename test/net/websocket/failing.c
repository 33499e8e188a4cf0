/* SPDX-License-Identifier: MIT */
/*
 * failing -- WebSockets with every system call and every allocation failing once
 * (sweep.h).
 *
 * The client and the server are on one loop of a service.  The client sends
 * messages, compressed ones among them, gets them back, and closes.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "net/support/sweep.h"
#include "support/random.h"
#include "weir/host/service.h"
#include "weir/net/websocket.h"

enum { LARGE = 150000, SMALL = 100, MESSAGES = 3 };

static char text[LARGE];

/* One run.  The loop's thread writes, until the service has ended. */
static struct {
    weir_service *service;
    weir_loop *loop;
    char url[WEIR_ADDRESS_TEXT + 16];
    int status;            /* the first error */
    unsigned begun, ended; /* operations */
    unsigned echoed;       /* messages */
} run;

static void fail(int err)
{
    sweep_note(&run.status, err);
}

static int accepted(int err)
{
    if (err == 0)
        run.begun++;
    return err;
}

static void on_sent(void *arg, weir_websocket *websocket, int status)
{
    run.ended++;
    if (status != 0)
        fail(status);
}

static size_t size_of(unsigned message)
{
    static const size_t sizes[MESSAGES] = {SMALL, LARGE, SMALL};

    return sizes[message];
}

static const weir_websocket_handshake_options wanted = {
    .size = sizeof(wanted), .deflate = {.is_on = true}};

/* ---- the server: echo ---- */

static void on_server_message(void *arg, weir_websocket *websocket,
                              weir_websocket_kind kind, weir_bytes bytes,
                              bool is_last)
{
    int err = weir_websocket_send(websocket, kind, bytes, NULL, NULL);

    if (err != 0) {
        fail(err);
        weir_websocket_reset(websocket);
    }
}

static void on_server_close(void *arg, weir_websocket *websocket,
                            const weir_websocket_end *end)
{
    run.ended++;
    if (end->status != 0)
        fail(end->status);
    else
        expect(end->is_clean);
}

static void on_request(void *arg, weir_http_request *request)
{
    weir_websocket_options options = {.size = sizeof(options),
                                      .on_message = on_server_message,
                                      .on_close = on_server_close,
                                      .close_timeout_ns = WEIR_S(2),
                                      .linger_ns = WEIR_S(2)};
    weir_websocket *websocket;
    int err = accepted(
        weir_websocket_upgrade(&websocket, request, &wanted, &options));

    if (err != 0) {
        fail(err);
        if (err != WEIR_ECLOSED && err != WEIR_EWEBSOCKET)
            (void)weir_http_respond(request, 500, NULL, "", 0);
    }
}

/* ---- the client ---- */

static void on_client_message(void *arg, weir_websocket *websocket,
                              weir_websocket_kind kind, weir_bytes bytes,
                              bool is_last)
{
    weir_bytes reason = WEIR_BYTES_OF("enough");
    int err;

    expect(is_last && run.echoed < MESSAGES);
    expect_int(bytes.size, size_of(run.echoed));
    expect(memcmp(bytes.data, text, bytes.size) == 0);
    if (++run.echoed < MESSAGES)
        return;
    err = weir_websocket_close(websocket, WEIR_WEBSOCKET_NORMAL, reason);
    if (err != 0) {
        fail(err);
        weir_websocket_reset(websocket);
    }
}

static void on_client_close(void *arg, weir_websocket *websocket,
                            const weir_websocket_end *end)
{
    run.ended++;
    if (end->status != 0)
        fail(end->status);
    else
        expect(run.status != 0 || run.echoed == MESSAGES ||
               end->code == WEIR_WEBSOCKET_INTERNAL_ERROR);
    (void)weir_service_stop(run.service);
}

static void on_connect(void *arg, int status, weir_websocket *websocket,
                       const weir_websocket_handshake *handshake)
{
    weir_bytes ping = WEIR_BYTES_OF("here?");
    int err;

    run.ended++;
    expect((status == 0) == (websocket != NULL));
    if (status != 0) {
        /* The server had no memory for it, and said so. */
        fail(status == WEIR_EWEBSOCKET && handshake->status >= 500 ? -ENOMEM
                                                                   : status);
        (void)weir_service_stop(run.service);
        return;
    }
    run.begun++; /* on_close */
    expect(handshake->deflate.is_on);
    err = weir_websocket_ping(websocket, ping);
    for (unsigned i = 0; i < MESSAGES && err == 0; i++)
        err = accepted(weir_websocket_send(
            websocket, i == 0 ? WEIR_WEBSOCKET_BINARY : WEIR_WEBSOCKET_TEXT,
            (weir_bytes){text, size_of(i)}, on_sent, NULL));
    if (err != 0) {
        fail(err);
        weir_websocket_reset(websocket);
    }
}

static void on_start(void *arg, int status)
{
    weir_websocket_options options = {.size = sizeof(options),
                                      .on_message = on_client_message,
                                      .on_close = on_client_close,
                                      .ping_interval_ns = WEIR_S(2),
                                      .close_timeout_ns = WEIR_S(2),
                                      .linger_ns = WEIR_S(2)};
    weir_websocket_connect_options connect = {.size = sizeof(connect),
                                              .wanted = &wanted,
                                              .websocket = &options,
                                              .timeout_ns = WEIR_S(6)};
    int err = status;

    run.ended++;
    if (err == 0)
        err = accepted(weir_websocket_connect(run.loop, NULL, run.url,
                                              on_connect, NULL, &connect));
    if (err != 0) {
        fail(err);
        (void)weir_service_stop(run.service);
    }
}

/* ---- runs ---- */

static void on_report(void *arg, weir_service *service)
{
}

static int make_server(weir_http_server **server)
{
    weir_http_server_options options = {.size = sizeof(options),
                                        .on_request = on_request,
                                        .loops = &run.loop,
                                        .loop_count = 1,
                                        .drain_idle_ns = WEIR_MS(20),
                                        .drain_linger_ns = WEIR_MS(500),
                                        .drain_deadline_ns = WEIR_S(4)};
    char authority[WEIR_ADDRESS_TEXT];
    weir_address where;
    int err = weir_service_add_loop(run.service, &run.loop, NULL);

    if (err == 0)
        err = weir_http_server_new(server, run.service, &options);
    if (err == 0)
        err = weir_http_server_listen(*server, "127.0.0.1:0", NULL);
    if (err == 0)
        err = weir_http_server_address(*server, 0, &where);
    if (err != 0)
        return err;
    weir_address_format(&where, authority, sizeof(authority));
    snprintf(run.url, sizeof(run.url), "ws://%s/", authority);
    err =
        accepted(weir_service_on_start(run.service, run.loop, on_start, NULL));
    return err == 0 ? weir_service_start(run.service) : err;
}

static int echo(void)
{
    weir_service_options options = {
        .size = sizeof(options), .no_signals = true, .on_report = on_report};
    weir_http_server *server = NULL;
    int err;

    memset(&run, 0, sizeof(run));
    expect_status(weir_clock_freeze(WEIR_S(1)), 0);
    err = weir_service_new(&run.service, &options);
    if (err != 0)
        return err;
    err = make_server(&server);
    if (err == 0)
        err = sweep_wait(run.service, &run.loop, 1, WEIR_S(100));
    expect_status(weir_service_free(run.service), 0);
    weir_http_server_free(server);
    expect_int(run.ended, run.begun);
    return run.status != 0 ? run.status : err;
}

/* Text that can be compressed, but not to almost nothing. */
static void fill_text(void)
{
    struct random random = {1}; /* the same in each of the runs */

    for (size_t i = 0; i < LARGE; i++)
        text[i] = "abcdefghijklmnop"[random_below(&random, 16)];
}

CASE_WITHIN(websockets_survive_every_failure, 180)
{
    fill_text();
    sweep("WebSockets", echo, CALL_SOCKET, CALL_BIND, CALL_LISTEN, CALL_ACCEPT4,
          CALL_CONNECT, CALL_GETRANDOM, CALL_RECV, CALL_SEND, CALL_SENDMSG,
          CALL_SHUTDOWN, CALL_CLOSE, CALL_EPOLL_CTL);
}
