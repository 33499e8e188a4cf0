/* SPDX-License-Identifier: MIT */
/*
 * client -- sends messages of all sizes to an echo server, some of them in
 * fragments, checks that each comes back once and in order, and closes.
 *
 * Prints "end STATUS CODE clean|unclean REASON".
 */
#include <stdio.h>
#include <string.h>

#include "peer.h"

enum { LARGEST = 200000 };

static weir_websocket *websocket;
static char expected[LARGEST];
static int wanted, sent, received;
static bool is_clean, is_wrong;

static const size_t sizes[] = {0,    1,    10,    125,   126,
                               1000, 4096, 65535, 65536, LARGEST};

/* The n-th message. */
static size_t make_message(int n, weir_websocket_kind *kind)
{
    size_t size = sizes[(size_t)n % (sizeof(sizes) / sizeof(sizes[0]))];

    *kind = n % 3 == 0 ? WEIR_WEBSOCKET_BINARY : WEIR_WEBSOCKET_TEXT;
    for (size_t i = 0; i < size; i++)
        expected[i] = *kind == WEIR_WEBSOCKET_TEXT
                          ? (char)('a' + (i * i + (size_t)n) % 26)
                          : (char)(i * i >> 3);
    return size;
}

static void send_next(void)
{
    weir_websocket_kind kind;
    size_t size = make_message(sent, &kind);
    weir_bytes whole = {expected, size};
    weir_bytes parts[2] = {{expected, size / 3},
                           {expected + size / 3, size - size / 3}};

    if (sent++ % 2 == 0) {
        must(weir_websocket_send(websocket, kind, whole, NULL, NULL), "send");
        return;
    }
    must(weir_websocket_send_fragment(websocket, kind, parts[0], false, NULL,
                                      NULL),
         "send_fragment");
    must(weir_websocket_send_fragment(websocket, kind, parts[1], true, NULL,
                                      NULL),
         "send_fragment");
}

/* Several are under way at any time. */
static void send_some(void)
{
    while (sent < wanted && sent < received + 8 &&
           !weir_websocket_is_full(websocket))
        send_next();
    if (received == wanted)
        must(weir_websocket_close(websocket, 4000,
                                  (weir_bytes){"that is all", 11}),
             "weir_websocket_close");
}

static void on_drain(void *arg, weir_websocket *drained)
{
    if (received < wanted)
        send_some();
}

static void on_message(void *arg, weir_websocket *from,
                       weir_websocket_kind kind, weir_bytes bytes, bool is_last)
{
    weir_websocket_kind kind_sent;
    size_t size = make_message(received++, &kind_sent);

    if (kind != kind_sent || bytes.size != size ||
        (size > 0 && memcmp(bytes.data, expected, size) != 0)) {
        fprintf(stderr, "client: message %d is wrong\n", received);
        is_wrong = true;
    }
    send_some();
}

static void on_close(void *arg, weir_websocket *closed,
                     const weir_websocket_end *end)
{
    printf("end %s %u %s %.*s\n", weir_error_name(end->status), end->code,
           end->is_clean ? "clean" : "unclean", (int)end->reason.size,
           end->reason.size > 0 ? (const char *)end->reason.data : "");
    is_clean = end->is_clean;
}

static void on_connect(void *arg, int status, weir_websocket *opened,
                       const weir_websocket_handshake *handshake)
{
    must(status, "weir_websocket_connect");
    fprintf(stderr, "client: deflate %d\n", handshake->deflate.is_on);
    websocket = opened;
    send_some();
}

int converse(int port, int count)
{
    weir_websocket_handshake_options handshake = {.size = sizeof(handshake),
                                                  .deflate = settings.deflate};
    weir_websocket_options receiving = {
        .size = sizeof(receiving),
        .on_message = on_message,
        .on_close = on_close,
        .on_drain = on_drain,
        .max_message_bytes = settings.max_message_bytes,
    };
    weir_websocket_connect_options options = {
        .size = sizeof(options), .wanted = &handshake, .websocket = &receiving};
    char url[64];

    wanted = count;
    snprintf(url, sizeof(url), "ws://127.0.0.1:%d/", port);
    must(weir_websocket_connect(settings.loop, NULL, url, on_connect, NULL,
                                &options),
         "weir_websocket_connect");
    must(weir_loop_run(settings.loop, WEIR_RUN_UNTIL_IDLE), "weir_loop_run");
    if (received != wanted)
        fprintf(stderr, "client: %d of %d came back\n", received, wanted);
    return is_clean && !is_wrong && received == wanted ? 0 : 1;
}
