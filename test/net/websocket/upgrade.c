/* SPDX-License-Identifier: MIT */
/*
 * upgrade -- requests of an HTTP server that become WebSockets, and what its
 * drain does to them.  The client is a blocking socket of the test.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/support/websocket_fixture.h"
#include "support/failing_allocator.h"
#include "weir/net/http.h"
#include "weir/net/websocket.h"

static weir_service *service;
static weir_http_server *server;
static int client = -1;
static struct failing_allocator memory;

/* Written on the server's thread, read after the service has ended. */
static struct {
    int upgraded;     /* what weir_websocket_upgrade returned last */
    uint64_t fail_at; /* which of its allocations fails */
    unsigned closed;  /* calls of on_close */
    weir_websocket_end end;
    bool has_shutdown; /* on_shutdown is set */
    bool is_inside;    /* weir_websocket_upgrade */
} seen;

static void on_message(void *arg, weir_websocket *websocket,
                       weir_websocket_kind kind, weir_bytes bytes, bool is_last)
{
    expect_status(weir_websocket_send(websocket, kind, bytes, NULL, NULL), 0);
}

static void on_close(void *arg, weir_websocket *websocket,
                     const weir_websocket_end *end)
{
    seen.closed++;
    seen.end = *end;
}

static void on_shutdown(void *arg, weir_websocket *websocket)
{
    expect(!seen.is_inside);
    expect_status(weir_websocket_send(websocket, WEIR_WEBSOCKET_TEXT,
                                      (weir_bytes){"bye", 3}, NULL, NULL),
                  0);
    expect_status(
        weir_websocket_close(websocket, 1001, (weir_bytes){"night", 5}), 0);
}

static void on_request(void *arg, weir_http_request *request)
{
    weir_websocket_options options = {.size = sizeof(options),
                                      .on_message = on_message,
                                      .on_close = on_close};
    weir_websocket *websocket;

    if (seen.has_shutdown)
        options.on_shutdown = on_shutdown;
    if (weir_http_is(request, "GET", "/plain")) {
        expect_status(weir_http_respond(request, 200, NULL, "", 0), 0);
        return;
    }
    memory.fail_at = seen.fail_at > 0 ? memory.calls + seen.fail_at : 0;
    seen.is_inside = true;
    seen.upgraded = weir_websocket_upgrade(&websocket, request, NULL, &options);
    seen.is_inside = false;
    memory.fail_at = 0;
    if (seen.upgraded != 0 && seen.upgraded != WEIR_EWEBSOCKET)
        expect_status(weir_http_respond(request, 503, NULL, "", 0), 0);
}

static int connect_client(void)
{
    weir_address address;
    size_t size;
    const void *name;
    struct timeval limit = {.tv_sec = 30};

    expect_status(weir_http_server_address(server, 0, &address), 0);
    name = weir_address_sockaddr(&address, &size);
    client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    expect_int(connect(client, name, (socklen_t)size), 0);
    expect_int(
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)), 0);
    return client;
}

static void start_with(int64_t deadline_ns)
{
    weir_http_server_options options = {.size = sizeof(options),
                                        .on_request = on_request,
                                        .drain_deadline_ns = deadline_ns};
    weir_service_options quiet = {.size = sizeof(quiet), .no_signals = true};

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    expect_status(weir_service_new(&service, &quiet), 0);
    expect_status(weir_http_server_new(&server, service, &options), 0);
    expect_status(weir_http_server_listen(server, "127.0.0.1:0", NULL), 0);
    expect_status(weir_service_start(service), 0);
    connect_client();
}

static void start(void)
{
    start_with(0);
}

static void end(int status)
{
    expect_status(weir_service_wait(service, WEIR_S(50)), status);
    expect_status(weir_service_free(service), 0);
    weir_http_server_free(server);
    close(client);
    expect_int(memory.live, 0);
}

/* ---- the client ---- */

#define REQUEST                                                                \
    "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n"                    \
    "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"                     \
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

static void send_all(const void *data, size_t size)
{
    expect_int(send(client, data, size, MSG_NOSIGNAL), (ssize_t)size);
}

static void send_text(const char *text)
{
    send_all(text, strlen(text));
}

static void send_frame(unsigned first, const void *data, size_t size)
{
    struct wire wire = {0};

    wire_frame(&wire, first, data, size, MASKED);
    send_all(wire.data, wire.size);
    wire_free(&wire);
}

/* Read a head.  Returns its status. */
static char head[2000];

static int read_head(void)
{
    size_t size = 0;

    while (size < 4 || memcmp(head + size - 4, "\r\n\r\n", 4) != 0) {
        expect(size < sizeof(head) - 1);
        expect_int(recv(client, head + size, 1, 0), 1);
        size++;
    }
    head[size] = '\0';
    return atoi(head + sizeof("HTTP/1.1"));
}

/* Read frames until there are so many events, and record them. */
static void read_events(unsigned count)
{
    struct weir__codec codec;
    struct weir__codec_event event;
    unsigned got = 0;

    codec_make(&codec, CODEC_CLIENT);
    while (got < count) {
        uint8_t byte;

        expect_int(recv(client, &byte, 1, 0), 1);
        weir__codec_feed(&codec, (weir_bytes){&byte, 1});
        while (weir__codec_next(&codec, &event) == 1) {
            event_record(&event);
            got++;
        }
    }
    weir__codec_fini(&codec);
}

static void expect_end(void)
{
    uint8_t byte;

    expect_int(recv(client, &byte, 1, 0), 0);
}

/* ---- cases ---- */

CASE(a_request_becomes_a_websocket)
{
    start();
    send_text(REQUEST);
    expect_int(read_head(), 101);
    expect(strstr(head, "\r\nSec-WebSocket-Accept: "
                        "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n") != NULL);
    expect(strstr(head, "\r\nUpgrade: websocket\r\n") != NULL);
    expect(strcasestr(head, "\r\nConnection: upgrade\r\n") != NULL);
    send_frame(FINAL | TEXT, "hello", 5);
    read_events(1);
    expect_events("text:hello");
    send_frame(FINAL | CLOSE, "\x03\xe8", 2);
    read_events(1);
    expect_events("close:1000:");
    expect_end();
    close(client);
    expect_status(weir_service_stop(service), 0);
    end(0);
    expect_int(seen.closed, 1);
    expect(seen.end.is_clean);
}

CASE(frames_that_follow_the_request_at_once_are_read)
{
    struct wire wire = {0};

    start();
    wire_add(&wire, REQUEST, strlen(REQUEST));
    wire_frame(&wire, FINAL | TEXT, "early", 5, MASKED);
    wire_frame(&wire, FINAL | TEXT, "bird", 4, MASKED);
    send_all(wire.data, wire.size);
    wire_free(&wire);
    expect_int(read_head(), 101);
    read_events(2);
    expect_events("text:early text:bird");
    close(client);
    expect_status(weir_service_stop(service), 0);
    end(0);
    expect_int(seen.closed, 1);
    expect_status(seen.end.status, WEIR_EEOF);
}

/* covers: weir_websocket_upgrade WEIR_EWEBSOCKET */
CASE(a_request_for_something_else_is_refused)
{
    start();
    send_text("GET /ws HTTP/1.1\r\nHost: x\r\n\r\n");
    expect_int(read_head(), 400);
    send_text("GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n"
              "Connection: Upgrade\r\nSec-WebSocket-Version: 7\r\n"
              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    expect_int(read_head(), 426);
    expect(strstr(head, "\r\nSec-WebSocket-Version: 13\r\n") != NULL);
    close(client);
    connect_client();
    send_text("GET /plain HTTP/1.1\r\nHost: x\r\n\r\n");
    expect_int(read_head(), 200);
    close(client);
    expect_status(weir_service_stop(service), 0);
    end(0);
    expect_status(seen.upgraded, WEIR_EWEBSOCKET);
    expect_int(seen.closed, 0);
}

CASE(a_drain_closes_with_1012_and_waits_for_the_answer)
{
    start();
    send_text(REQUEST);
    expect_int(read_head(), 101);
    send_frame(FINAL | TEXT, "before", 6);
    read_events(1);
    expect_status(weir_service_stop(service), 0);
    read_events(1);
    expect_events("text:before close:1012:");
    expect_status(weir_service_wait(service, WEIR_MS(1)), -ETIMEDOUT);
    send_frame(FINAL | CLOSE, "\x03\xf4", 2);
    expect_end();
    close(client);
    end(0);
    expect_int(seen.closed, 1);
    expect(seen.end.is_clean);
    expect_int(seen.end.code, 1012);
}

CASE(a_drain_leaves_the_closing_to_on_shutdown)
{
    seen.has_shutdown = true;
    start();
    send_text(REQUEST);
    expect_int(read_head(), 101);
    expect_status(weir_service_stop(service), 0);
    read_events(2);
    expect_events("text:bye close:1001:night");
    send_frame(FINAL | CLOSE, "", 0);
    expect_end();
    close(client);
    end(0);
    expect(seen.end.is_clean);
}

/* A connection may send one more request during the drain. */
CASE(a_websocket_that_opens_during_the_drain_is_told)
{
    for (int i = 0; i < 2; i++) {
        memset(&seen, 0, sizeof(seen));
        seen.has_shutdown = i == 1;
        start();
        send_text("GET /plain HTTP/1.1\r\nHost: x\r\n\r\n");
        expect_int(read_head(), 200);
        expect_status(weir_service_stop(service), 0);
        send_text(REQUEST);
        expect_int(read_head(), 101);
        read_events(i == 1 ? 2 : 1);
        expect_events(i == 1 ? "text:bye close:1001:night" : "close:1012:");
        send_frame(FINAL | CLOSE, "", 0);
        expect_end();
        close(client);
        end(0);
        expect_int(seen.closed, 1);
        expect(seen.end.is_clean);
    }
}

CASE(a_client_that_does_not_answer_is_cut_off_at_the_deadline)
{
    start_with(WEIR_MS(50));
    send_text(REQUEST);
    expect_int(read_head(), 101);
    expect_status(weir_service_stop(service), 0);
    read_events(1);
    expect_events("close:1012:");
    end(WEIR_EFORCED);
    expect_int(seen.closed, 1);
    expect_status(seen.end.status, WEIR_ECANCELED);
    expect(!seen.end.is_clean);
}

/* ---- nonsense, and no memory ---- */

static int refused[4];

static void on_nonsense(void *arg, weir_http_request *request)
{
    struct {
        weir_websocket_options options;
        int newer;
    } later = {.options.size = sizeof(later), .newer = 1};
    weir_websocket_handshake_options wanted = {.size = sizeof(wanted),
                                               .subprotocols = "a b"};
    weir_websocket *websocket;

    refused[0] = weir_websocket_upgrade(NULL, request, NULL, NULL);
    refused[1] = weir_websocket_upgrade(&websocket, NULL, NULL, NULL);
    refused[2] = weir_websocket_upgrade(&websocket, request, &wanted, NULL);
    refused[3] =
        weir_websocket_upgrade(&websocket, request, NULL, &later.options);
    expect_status(weir_http_respond(request, 204, NULL, NULL, 0), 0);
}

/* covers: weir_websocket_upgrade -EINVAL
 * covers: weir_websocket_upgrade -E2BIG */
CASE(upgrading_refuses_nonsense)
{
    weir_http_server_options options = {.size = sizeof(options),
                                        .on_request = on_nonsense};
    weir_service_options quiet = {.size = sizeof(quiet), .no_signals = true};

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    expect_status(weir_service_new(&service, &quiet), 0);
    expect_status(weir_http_server_new(&server, service, &options), 0);
    expect_status(weir_http_server_listen(server, "127.0.0.1:0", NULL), 0);
    expect_status(weir_service_start(service), 0);
    connect_client();
    send_text(REQUEST);
    expect_int(read_head(), 204);
    close(client);
    expect_status(weir_service_stop(service), 0);
    end(0);
    expect_status(refused[0], -EINVAL);
    expect_status(refused[1], -EINVAL);
    expect_status(refused[2], -EINVAL);
    expect_status(refused[3], -E2BIG);
}

/* covers: weir_websocket_upgrade -ENOMEM */
CASE(a_request_that_cannot_be_upgraded_for_lack_of_memory_can_be_answered)
{
    unsigned failed = 0;
    int status;

    do {
        memset(&seen, 0, sizeof(seen));
        seen.fail_at = ++failed;
        start();
        send_text(REQUEST);
        status = read_head();
        close(client);
        expect_status(weir_service_stop(service), 0);
        end(0);
        expect_status(seen.upgraded, status == 101 ? 0 : -ENOMEM);
        expect(status == 101 || status == 503);
        expect_int(seen.closed, status == 101);
    } while (status != 101);
    expect(failed >= 3);
}
