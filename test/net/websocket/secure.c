/* SPDX-License-Identifier: MIT */
/*
 * secure -- WebSockets over TLS: the same messages, pauses and ends.
 */
#include <string.h>

#include "net/support/tls_fixture.h"
#include "support/loop_fixture.h"
#include "weir/net/stream.h"
#include "weir/net/websocket.h"

enum { MESSAGES = 300 };

static weir_websocket *ends[2]; /* the server, the client */
static unsigned received[2], closed[2];
static weir_websocket_end last[2];
static char text[40000];

static size_t size_of(unsigned n)
{
    return n * 131 % sizeof(text);
}

/* The client counts; the server pauses now and then. */
static void on_message(void *arg, weir_websocket *websocket,
                       weir_websocket_kind kind, weir_bytes bytes, bool is_last)
{
    size_t at = (size_t)(uintptr_t)arg;

    expect_int(bytes.size, size_of(received[at]));
    expect(bytes.size == 0 || memcmp(bytes.data, text, bytes.size) == 0);
    received[at]++;
    if (at == 0) {
        expect_status(weir_websocket_send(websocket, kind, bytes, NULL, NULL),
                      0);
        if (received[0] % 7 == 0)
            weir_websocket_pause(websocket);
    } else if (received[1] == MESSAGES) {
        expect_status(
            weir_websocket_close(websocket, 1000, (weir_bytes){"enough", 6}),
            0);
    }
}

static void on_close(void *arg, weir_websocket *websocket,
                     const weir_websocket_end *end)
{
    size_t at = (size_t)(uintptr_t)arg;

    closed[at]++;
    last[at] = *end;
    ends[at] = NULL;
}

static void open_end(size_t at, weir_stream *stream, weir_tls *tls,
                     bool is_deflating)
{
    weir_tls_start_options start = {
        .size = sizeof(start), .server_name = at == 1 ? "localhost" : NULL};
    weir_websocket_options options = {.size = sizeof(options),
                                      .on_message = on_message,
                                      .on_close = on_close,
                                      .arg = (void *)(uintptr_t)at};
    weir_websocket_handshake handshake = {
        .role = at == 1 ? WEIR_WEBSOCKET_CLIENT : WEIR_WEBSOCKET_SERVER,
        .deflate.is_on = is_deflating};

    expect_status(weir_tls_start(stream, tls, &start), 0);
    expect_status(weir_websocket_open(&ends[at], stream, &handshake, &options),
                  0);
}

static void converse(bool is_deflating)
{
    weir_tls *server, *client;
    weir_stream *streams[2];

    memset(text, 'x', sizeof(text));
    memset(received, 0, sizeof(received));
    memset(closed, 0, sizeof(closed));
    identities_make();
    server = server_make(&leaf, TLS_OPTIONS());
    client = client_make(&root, TLS_OPTIONS());
    loop_make(NULL);
    expect_status(weir_stream_pair(streams, loop, NULL), 0);
    open_end(0, streams[0], server, is_deflating);
    open_end(1, streams[1], client, is_deflating);
    for (unsigned i = 0; i < MESSAGES; i++)
        expect_status(weir_websocket_send(ends[1], WEIR_WEBSOCKET_TEXT,
                                          (weir_bytes){text, size_of(i)}, NULL,
                                          NULL),
                      0);
    while (closed[0] == 0 || closed[1] == 0) {
        expect_status(weir_loop_step(loop, -1), 0);
        if (ends[0] != NULL)
            weir_websocket_resume(ends[0]);
    }
    for (int i = 0; i < 2; i++) {
        expect_int(received[i], MESSAGES);
        expect_int(closed[i], 1);
        expect_status(last[i].status, 0);
        expect(last[i].is_clean);
    }
    weir_tls_unref(server);
    weir_tls_unref(client);
    loop_end();
    identities_free();
}

CASE(messages_pass_over_tls_and_the_end_is_clean)
{
    converse(false);
}

CASE(compressed_messages_pass_over_tls_and_the_end_is_clean)
{
    converse(true);
}

/* A connection that is cut is not mistaken for an orderly end. */
CASE(a_cut_below_tls_is_not_clean)
{
    weir_tls *server, *client;
    weir_stream *streams[2];

    identities_make();
    server = server_make(&leaf, TLS_OPTIONS());
    client = client_make(&root, TLS_OPTIONS());
    loop_make(NULL);
    expect_status(weir_stream_pair(streams, loop, NULL), 0);
    open_end(0, streams[0], server, false);
    open_end(1, streams[1], client, false);
    for (int i = 0; i < 20; i++)
        expect_status(weir_loop_step(loop, 0), 0);
    weir_websocket_reset(ends[1]);
    loop_run();
    expect_int(closed[0], 1);
    expect_status(last[0].status, WEIR_ETRUNCATED);
    expect_int(last[0].code, WEIR_WEBSOCKET_ABNORMAL);
    weir_tls_unref(server);
    weir_tls_unref(client);
    loop_end();
    identities_free();
}
