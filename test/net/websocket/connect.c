/* SPDX-License-Identifier: MIT */
/*
 * connect -- a client, and servers that answer well, badly, or not at all.  The
 * server is a socket of the test, except where TLS is needed.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/support/tls_fixture.h"
#include "net/support/websocket_fixture.h"
#include "support/failing_fixture.h"
#include "weir/net/http.h"
#include "weir/net/websocket.h"

static int listener = -1, peer = -1;
static char url[100], request[4000];
static weir_websocket_connecting *connecting;

static struct {
    unsigned connected, closed;
    int status;
    weir_websocket *websocket;
    weir_websocket_handshake handshake;
    weir_websocket_end end;
} seen;

static void on_message(void *arg, weir_websocket *websocket,
                       weir_websocket_kind kind, weir_bytes bytes, bool is_last)
{
    event_note("%.*s", (int)bytes.size, (const char *)bytes.data);
}

static void on_close(void *arg, weir_websocket *websocket,
                     const weir_websocket_end *end_)
{
    seen.closed++;
    seen.end = *end_;
}

static void on_connect(void *arg, int status, weir_websocket *websocket,
                       const weir_websocket_handshake *handshake)
{
    expect(arg == &seen);
    expect_int(seen.connected++, 0);
    expect((status == 0) == (websocket != NULL));
    seen.status = status;
    seen.websocket = websocket;
    seen.handshake = *handshake;
}

static const weir_websocket_options receiving = {
    .size = sizeof(receiving), .on_message = on_message, .on_close = on_close};

#define OPTIONS(...)                                                           \
    (&(weir_websocket_connect_options){                                        \
        .size = sizeof(weir_websocket_connect_options),                        \
        .websocket = &receiving,                                               \
        __VA_ARGS__})

static void start_listening(void)
{
    struct sockaddr_in name = {.sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(name);

    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    expect_int(bind(listener, (struct sockaddr *)&name, size), 0);
    expect_int(listen(listener, 10), 0);
    expect_int(getsockname(listener, (struct sockaddr *)&name, &size), 0);
    snprintf(url, sizeof(url), "ws://127.0.0.1:%u/chat?room=1",
             ntohs(name.sin_port));
}

static void begin_connect(const weir_websocket_connect_options *options)
{
    memset(&seen, 0, sizeof(seen));
    expect_status(weir_websocket_connect(loop, &connecting, url, on_connect,
                                         &seen, options),
                  0);
    expect_int(seen.connected, 0);
}

/* Accept the client, and read its request. */
static void accept_request(void)
{
    size_t size = 0;

    while ((peer = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) < 0)
        expect_status(weir_loop_step(loop, MILLISECOND_NS), 0);
    request[0] = '\0';
    while (strstr(request, "\r\n\r\n") == NULL) {
        ssize_t count =
            recv(peer, request + size, sizeof(request) - 1 - size, 0);

        size += count > 0 ? (size_t)count : 0;
        request[size] = '\0';
        expect_status(weir_loop_step(loop, MILLISECOND_NS), 0);
    }
}

static void begin_and_accept(const weir_websocket_connect_options *options)
{
    begin();
    start_listening();
    loop_make(NULL);
    begin_connect(options);
    accept_request();
}

static void await_connected(void)
{
    while (seen.connected == 0)
        expect_status(weir_loop_step(loop, -1), 0);
}

static void answer_with(const char *text)
{
    expect_int(send(peer, text, strlen(text), 0), (ssize_t)strlen(text));
}

/* The right answer to the request, before `rest`. */
static void answer_well(const char *interim, const void *rest, size_t size)
{
    const char *key = strstr(request, "Sec-WebSocket-Key: ") + 19;
    weir_http_field asked[] = {
        WEIR_HTTP_FIELD("Upgrade", "websocket"),
        WEIR_HTTP_FIELD("Connection", "Upgrade"),
        WEIR_HTTP_FIELD("Sec-WebSocket-Version", "13"),
        {WEIR_BYTES_OF("Sec-WebSocket-Key"), {key, 24}},
    };
    weir_http_field fields[WEIR_WEBSOCKET_HEADERS];
    weir_websocket_handshake handshake;
    struct wire wire = {0};
    size_t count;

    expect_status(weir_websocket_accept(&handshake, (weir_bytes){"GET", 3},
                                        asked, 4, NULL),
                  0);
    count = weir_websocket_headers(&handshake, fields);
    wire_add(&wire, interim, strlen(interim));
    wire_add(&wire, "HTTP/1.1 101 Switching Protocols\r\n", 34);
    for (size_t i = 0; i < count; i++) {
        wire_add(&wire, fields[i].name.data, fields[i].name.size);
        wire_add(&wire, ": ", 2);
        wire_add(&wire, fields[i].value.data, fields[i].value.size);
        wire_add(&wire, "\r\n", 2);
    }
    wire_add(&wire, "\r\n", 2);
    wire_add(&wire, rest, size);
    for (size_t i = 0; i < wire.size; i += 50) { /* in pieces */
        size_t piece = wire.size - i < 50 ? wire.size - i : 50;

        if (seen.status != 0)
            break; /* the client has failed */
        expect_int(send(peer, wire.data + i, piece, 0), (ssize_t)piece);
        if (seen.connected == 0)
            loop_turns(1);
    }
    wire_free(&wire);
}

static void end_connect(void)
{
    close(peer);
    close(listener);
    loop_run();
    loop_end();
    expect_int(memory.live, 0);
}

/* ---- answers ---- */

CASE(a_server_that_answers_well_becomes_a_websocket)
{
    weir_http_field origin[] = {WEIR_HTTP_FIELD("Origin", "http://a")};

    begin_and_accept(OPTIONS(.fields = origin, .field_count = 1));
    expect(strstr(request, "GET /chat?room=1 HTTP/1.1\r\nHost: 127.0.0.1:") ==
           request);
    expect(strstr(request, "\r\nOrigin: http://a\r\n") != NULL);
    expect(strstr(request, "\r\nUpgrade: websocket\r\n") != NULL);
    answer_well("",
                "\x81\x05"
                "first"
                "\x81\x03"
                "two",
                12);
    await_connected();
    expect_status(seen.status, 0);
    expect_int(seen.handshake.status, 101);
    loop_turns(3);
    expect_events("first two");
    expect_status(weir_websocket_send(seen.websocket, WEIR_WEBSOCKET_TEXT,
                                      (weir_bytes){"x", 1}, NULL, NULL),
                  0);
    expect_int(recv(peer, request, 100, 0), 7);
    end_connect();
    expect_int(seen.closed, 1);
    expect_status(seen.end.status, WEIR_EEOF);
}

CASE(interim_answers_are_skipped)
{
    begin_and_accept(OPTIONS());
    answer_well("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", "", 0);
    await_connected();
    expect_status(seen.status, 0);
    end_connect();
}

CASE(a_url_without_a_path_asks_for_the_root)
{
    begin();
    start_listening();
    strcpy(strstr(url, "/chat"), "?q=1");
    loop_make(NULL);
    begin_connect(NULL);
    accept_request();
    expect(strncmp(request, "GET /?q=1 HTTP/1.1\r\n", 20) == 0);
    end_connect();
    expect_status(seen.status, WEIR_ETRUNCATED);
}

static void expect_failure(const char *answer, int status, int http_status)
{
    begin_and_accept(OPTIONS());
    answer_with(answer);
    if (status == WEIR_ETRUNCATED)
        shutdown(peer, SHUT_WR);
    await_connected();
    expect_status(seen.status, status);
    expect_int(seen.handshake.status, http_status);
    end_connect();
    expect_int(seen.closed, 0);
}

CASE(a_server_that_refuses_is_reported_with_its_status)
{
    expect_failure("HTTP/1.1 403 Forbidden\r\nContent-Length: 100\r\n\r\nno",
                   WEIR_EWEBSOCKET, 403);
    expect_failure("HTTP/1.1 200 OK\r\n\r\n", WEIR_EWEBSOCKET, 200);
}

CASE(an_answer_with_the_wrong_key_is_refused)
{
    expect_failure("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                   "Connection: Upgrade\r\nSec-WebSocket-Accept: "
                   "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
                   WEIR_EWEBSOCKET, 101);
}

CASE(an_answer_that_is_not_http_is_refused)
{
    expect_failure("SSH-2.0-OpenSSH_9.2\r\n", WEIR_EHTTP, 0);
}

CASE(an_answer_that_ends_early_is_reported)
{
    expect_failure("HTTP/1.1 101 Swi", WEIR_ETRUNCATED, 0);
    expect_failure("", WEIR_ETRUNCATED, 0);
}

/* ---- other ends ---- */

CASE(a_port_where_nobody_listens_is_reported)
{
    begin();
    start_listening();
    close(listener);
    loop_make(NULL);
    begin_connect(NULL);
    await_connected();
    expect_status(seen.status, -ECONNREFUSED);
    end_connect();
}

CASE(a_server_that_does_not_answer_is_left)
{
    expect_status(weir_clock_freeze(0), 0);
    begin_and_accept(OPTIONS(.timeout_ns = WEIR_S(5)));
    loop_turns(3);
    expect_status(weir_clock_advance(WEIR_S(5) - 1), 0);
    loop_turns(3);
    expect_int(seen.connected, 0);
    expect_status(weir_clock_advance(1), 0);
    loop_turns(3);
    expect_int(seen.connected, 1);
    expect_status(seen.status, -ETIMEDOUT);
    end_connect();
}

CASE(an_attempt_can_be_cancelled_at_each_step)
{
    begin();
    start_listening();
    loop_make(NULL);
    begin_connect(NULL);
    weir_websocket_connect_cancel(connecting); /* while it connects */
    expect_int(seen.connected, 0);
    await_connected();
    expect_status(seen.status, WEIR_ECANCELED);
    close(listener);
    start_listening();
    begin_connect(NULL);
    accept_request();
    weir_websocket_connect_cancel(connecting); /* while the answer is due */
    weir_websocket_connect_cancel(connecting);
    expect_int(seen.connected, 0);
    await_connected();
    expect_status(seen.status, WEIR_ECANCELED);
    end_connect();
}

CASE(a_loop_that_ends_cancels_an_attempt)
{
    for (int i = 0; i < 2; i++) {
        begin();
        start_listening();
        loop_make(NULL);
        begin_connect(NULL);
        if (i == 1)
            accept_request();
        loop_end();
        expect_int(seen.connected, 1);
        expect_status(seen.status, WEIR_ECANCELED);
        expect_int(memory.live, 0);
        close(listener);
    }
}

/* ---- TLS ---- */

static void on_request(void *arg, weir_http_request *asked)
{
    weir_websocket *websocket;

    expect_status(weir_websocket_upgrade(&websocket, asked, NULL, NULL), 0);
}

CASE(a_wss_url_uses_tls_and_checks_the_name)
{
    weir_service_options quiet = {.size = sizeof(quiet), .no_signals = true};
    weir_http_server_options options = {.size = sizeof(options),
                                        .on_request = on_request};
    weir_tls *client;
    weir_service *service;
    weir_http_server *server;
    weir_address address;

    identities_make();
    options.tls = server_make(&leaf, TLS_OPTIONS());
    client = client_make(&root, TLS_OPTIONS());
    expect_status(weir_service_new(&service, &quiet), 0);
    expect_status(weir_http_server_new(&server, service, &options), 0);
    expect_status(weir_http_server_listen(server, "127.0.0.1:0", NULL), 0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_http_server_address(server, 0, &address), 0);
    loop_make(NULL);
    snprintf(url, sizeof(url), "wss://127.0.0.1:%u/",
             weir_address_port(&address));
    begin_connect(OPTIONS(.tls = client));
    await_connected();
    expect_status(seen.status, 0);
    expect_status(weir_service_stop(service), 0); /* closes with 1012 */
    while (seen.closed == 0)
        expect_status(weir_loop_step(loop, -1), 0);
    expect(seen.end.is_clean);
    expect_int(seen.end.code, 1012);
    expect_status(weir_service_wait(service, SECOND_NS * 50LL), 0);
    expect_status(weir_service_free(service), 0);
    weir_http_server_free(server);
    weir_tls_unref(options.tls);
    weir_tls_unref(client);
    loop_end();
    identities_free();
}

CASE(a_server_without_tls_fails_a_wss_url)
{
    weir_tls *client;

    identities_make();
    client = client_make(&root, TLS_OPTIONS());
    start_listening();
    memmove(url + 3, url + 2, strlen(url + 2) + 1);
    url[2] = 's';
    loop_make(NULL);
    begin_connect(OPTIONS(.tls = client));
    while ((peer = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) < 0)
        expect_status(weir_loop_step(loop, MILLISECOND_NS), 0);
    answer_with("HTTP/1.1 400 Bad Request\r\n\r\n");
    await_connected();
    expect_status(seen.status, WEIR_ETLS);
    weir_tls_unref(client);
    close(peer);
    close(listener);
    loop_run();
    loop_end();
    identities_free();
}

/* ---- nonsense, and no memory ---- */

/* covers: weir_websocket_connect -EINVAL
 * covers: weir_websocket_connect -E2BIG */
CASE(connecting_refuses_nonsense)
{
    struct {
        weir_websocket_connect_options options;
        int newer;
    } later = {.options.size = sizeof(later), .newer = 1};
    weir_http_field bad[] = {WEIR_HTTP_FIELD("a b", "c")};
    weir_http_field host[] = {WEIR_HTTP_FIELD("Host", "c")};
    weir_websocket_handshake_options wanted = {.size = 1};
    weir_websocket_options websocket = {.size = 1};

    begin();
    loop_make(NULL);
    expect_status(
        weir_websocket_connect(NULL, NULL, "ws://a/", on_connect, NULL, NULL),
        -EINVAL);
    expect_status(
        weir_websocket_connect(loop, NULL, NULL, on_connect, NULL, NULL),
        -EINVAL);
    expect_status(
        weir_websocket_connect(loop, NULL, "ws://a/", NULL, NULL, NULL),
        -EINVAL);
    expect_status(
        weir_websocket_connect(loop, NULL, "http://a/", on_connect, NULL, NULL),
        -EINVAL);
    expect_status(
        weir_websocket_connect(loop, NULL, "ws://a/ b", on_connect, NULL, NULL),
        -EINVAL);
    expect_status(
        weir_websocket_connect(loop, NULL, "wss://a/", on_connect, NULL, NULL),
        -EINVAL); /* no tls */
    expect_status(
        weir_websocket_connect(loop, NULL, "ws://a/", on_connect, NULL,
                               OPTIONS(.fields = bad, .field_count = 1)),
        -EINVAL);
    expect_status(
        weir_websocket_connect(loop, NULL, "ws://a/", on_connect, NULL,
                               OPTIONS(.fields = host, .field_count = 1)),
        -EINVAL);
    expect_status(weir_websocket_connect(loop, NULL, "ws://a/", on_connect,
                                         NULL, OPTIONS(.field_count = 1)),
                  -EINVAL);
    expect_status(weir_websocket_connect(loop, NULL, "ws://a/", on_connect,
                                         NULL, OPTIONS(.wanted = &wanted)),
                  -EINVAL);
    expect_status(weir_websocket_connect(
                      loop, NULL, "ws://a/", on_connect, NULL,
                      &(weir_websocket_connect_options){
                          .size = sizeof(weir_websocket_connect_options),
                          .websocket = &websocket}),
                  -EINVAL);
    expect_status(weir_websocket_connect(loop, NULL, "ws://a/", on_connect,
                                         NULL, &later.options),
                  -E2BIG);
    end();
}

/* covers: weir_websocket_connect -ENOMEM */
CASE(an_attempt_survives_any_failed_allocation)
{
    uint64_t refused = 0, failed = 0;

    for (uint64_t n = 1;; n++) {
        bool was_reached;
        int result;

        memset(&seen, 0, sizeof(seen));
        begin();
        start_listening();
        loop_make(NULL);
        memory.fail_at = memory.calls + n;
        result = weir_websocket_connect(loop, &connecting, url, on_connect,
                                        &seen, OPTIONS());
        if (result != 0) {
            expect_status(result, -ENOMEM);
            refused++;
        } else {
            for (int i = 0; i < 100 && seen.connected == 0; i++) {
                expect_status(weir_loop_step(loop, MILLISECOND_NS), 0);
                peer = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
                if (peer < 0)
                    continue;
                while (seen.connected == 0 &&
                       recv(peer, request, sizeof(request), 0) <= 0)
                    expect_status(weir_loop_step(loop, MILLISECOND_NS), 0);
                if (seen.connected == 0)
                    answer_well("", "", 0);
            }
            expect_int(seen.connected, 1);
            failed += seen.status != 0;
        }
        was_reached = memory.calls >= memory.fail_at;
        memory.fail_at = 0;
        if (peer >= 0)
            close(peer);
        peer = -1;
        close(listener);
        loop_run();
        loop_end();
        expect_int(memory.live, 0);
        if (!was_reached && result == 0)
            break;
    }
    expect(refused > 2 && failed > 0);
}
