/* SPDX-License-Identifier: MIT */
/*
 * client -- sends messages of all sizes to an echo server, some of them in
 * fragments, checks that each comes back once and in order, and closes.
 *
 * Prints "end STATUS CODE clean|unclean REASON".
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "peer.h"

enum { LARGEST = 200000 };

static weir_websocket_handshake handshake;
static weir_websocket *websocket;
static struct head head;
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

static void on_answer(void *arg, weir_stream *stream, int status,
                      weir_bytes bytes);

static void read_answer(weir_stream *stream)
{
    static char buffer[4096];

    must(weir_stream_read_into(stream, buffer, sizeof(buffer), on_answer, NULL),
         "weir_stream_read_into");
}

static void on_answer(void *arg, weir_stream *stream, int status,
                      weir_bytes bytes)
{
    weir_websocket_options options = {
        .size = sizeof(options),
        .on_message = on_message,
        .on_close = on_close,
        .on_drain = on_drain,
        .max_message_bytes = settings.max_message_bytes,
    };
    int code = 0;

    must(status, "the answer");
    if (!head_add(&head, bytes)) {
        read_answer(stream);
        return;
    }
    (void)sscanf(head.first, "HTTP/1.1 %d", &code);
    must(weir_websocket_check(&handshake, code, head.fields, head.count),
         "weir_websocket_check");
    fprintf(stderr, "client: deflate %d\n", handshake.deflate.is_on);
    options.early = (weir_bytes){head.text + head.end, head.size - head.end};
    must(weir_websocket_open(&websocket, stream, &handshake, &options),
         "weir_websocket_open");
    send_some();
}

int converse(int port, int count)
{
    struct sockaddr_in name = {.sin_family = AF_INET,
                               .sin_port = htons((uint16_t)port),
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    weir_websocket_handshake_options options = {.size = sizeof(options),
                                                .deflate = settings.deflate};
    weir_http_field fields[WEIR_WEBSOCKET_HEADERS + 1];
    char text[1024];
    weir_bytes bytes = {text, 0};
    weir_stream *stream;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    wanted = count;
    if (connect(fd, (struct sockaddr *)&name, sizeof(name)) != 0)
        return 2;
    must(weir_stream_open(&stream, settings.loop, fd, NULL), "stream");
    must(weir_websocket_request(&handshake, &options), "request");
    fields[0] = (weir_http_field)WEIR_HTTP_FIELD("Host", "127.0.0.1");
    bytes.size = head_write(text, sizeof(text), "GET / HTTP/1.1", fields,
                            1 + weir_websocket_headers(&handshake, fields + 1));
    must(weir_stream_write(stream, &bytes, 1, NULL, NULL), "write");
    read_answer(stream);
    must(weir_loop_run(settings.loop, WEIR_RUN_UNTIL_IDLE), "weir_loop_run");
    if (received != wanted)
        fprintf(stderr, "client: %d of %d came back\n", received, wanted);
    return is_clean && !is_wrong && received == wanted ? 0 : 1;
}
