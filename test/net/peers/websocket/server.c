/* SPDX-License-Identifier: MIT */
/*
 * server -- echoes, until SIGTERM: then it closes each WebSocket with 1012 and
 * ends when the last one has ended.
 *
 * A text that is a command is obeyed instead:
 *     close CODE REASON    close
 *     reset                drop the connection
 *     ping TEXT            ping
 * Each end is printed: "end STATUS CODE clean|unclean REASON".
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "peer.h"
#include "weir/fd.h"
#include "weir/net/listener.h"

struct connection {
    weir_stream *stream;
    weir_websocket *websocket;
    weir_websocket_handshake handshake;
    struct head head;
    struct connection *next, **link;
};

static struct connection *connections;
static weir_listener *listener;
static int signals;

static void unlink_connection(struct connection *connection)
{
    *connection->link = connection->next;
    if (connection->next != NULL)
        connection->next->link = connection->link;
    free(connection);
}

/* ---- messages ---- */

static bool obey(weir_websocket *websocket, weir_bytes bytes)
{
    char text[200] = "", reason[200] = "";
    unsigned code;

    if (bytes.size >= sizeof(text))
        return false;
    memcpy(text, bytes.data, bytes.size);
    if (sscanf(text, "close %u %[^\n]", &code, reason) >= 1)
        must(weir_websocket_close(websocket, (uint16_t)code,
                                  (weir_bytes){reason, strlen(reason)}),
             "weir_websocket_close");
    else if (strcmp(text, "reset") == 0)
        weir_websocket_reset(websocket);
    else if (strncmp(text, "ping ", 5) == 0)
        must(weir_websocket_ping(websocket,
                                 (weir_bytes){text + 5, strlen(text) - 5}),
             "weir_websocket_ping");
    else
        return false;
    return true;
}

static void resume(void *arg, int status)
{
    struct connection *connection;

    for (connection = connections; connection != NULL;
         connection = connection->next)
        if (connection->websocket != NULL && status == 0 &&
            !weir_websocket_is_full(connection->websocket))
            weir_websocket_resume(connection->websocket);
}

static void on_message(void *arg, weir_websocket *websocket,
                       weir_websocket_kind kind, weir_bytes bytes, bool is_last)
{
    int err;

    if (kind == WEIR_WEBSOCKET_TEXT && !settings.is_streaming &&
        obey(websocket, bytes))
        return;
    if (settings.is_streaming)
        err = weir_websocket_send_fragment(websocket, kind, bytes, is_last,
                                           NULL, NULL);
    else
        err = weir_websocket_send(websocket, kind, bytes, NULL, NULL);
    if (err != 0 && err != WEIR_ECLOSED)
        fprintf(stderr, "server: %s\n", weir_error_text(err));
    if (weir_websocket_is_full(websocket)) {
        weir_websocket_pause(websocket); /* until on_drain */
    } else if (settings.is_paced) {
        weir_websocket_pause(websocket);
        must(weir_loop_immediate(settings.loop, resume, NULL), "immediate");
    }
}

static void on_drain(void *arg, weir_websocket *websocket)
{
    weir_websocket_resume(websocket);
}

static void on_pong(void *arg, weir_websocket *websocket, weir_bytes bytes)
{
    printf("pong %.*s\n", (int)bytes.size,
           bytes.size > 0 ? (const char *)bytes.data : "");
    fflush(stdout);
}

static void on_close(void *arg, weir_websocket *websocket,
                     const weir_websocket_end *end)
{
    printf("end %s %u %s %.*s\n", weir_error_name(end->status), end->code,
           end->is_clean ? "clean" : "unclean", (int)end->reason.size,
           end->reason.size > 0 ? (const char *)end->reason.data : "");
    fflush(stdout);
    unlink_connection(arg);
}

/* ---- the handshake ---- */

static void answer(struct connection *connection, int err)
{
    weir_http_field fields[WEIR_WEBSOCKET_HEADERS];
    size_t count = weir_websocket_headers(&connection->handshake, fields);
    char first[64], text[1024];
    weir_bytes bytes = {text, 0};

    snprintf(first, sizeof(first), "HTTP/1.1 %d %s",
             connection->handshake.status,
             err == 0 ? "Switching Protocols" : "No\r\nContent-Length: 0");
    bytes.size = head_write(text, sizeof(text), first, fields, count);
    must(weir_stream_write(connection->stream, &bytes, 1, NULL, NULL),
         "weir_stream_write");
}

static void open_websocket(struct connection *connection)
{
    weir_websocket_options options = {
        .size = sizeof(options),
        .arg = connection,
        .on_message = on_message,
        .on_close = on_close,
        .on_pong = on_pong,
        .on_drain = on_drain,
        .is_streaming = settings.is_streaming,
        .max_message_bytes = settings.max_message_bytes,
        .early = {connection->head.text + connection->head.end,
                  connection->head.size - connection->head.end},
    };

    must(weir_websocket_open(&connection->websocket, connection->stream,
                             &connection->handshake, &options),
         "weir_websocket_open");
}

static void on_request(void *arg, weir_stream *stream, int status,
                       weir_bytes bytes);

static void on_head(void *arg, weir_stream *stream, int status,
                    weir_bytes bytes)
{
    struct connection *connection = arg;
    struct head *head = &connection->head;
    weir_websocket_handshake_options options = {.size = sizeof(options),
                                                .subprotocols = "echo, chat",
                                                .deflate = settings.deflate};
    int err;

    if (status != 0) {
        weir_stream_close(stream, NULL, NULL);
        unlink_connection(connection);
        return;
    }
    if (!head_add(head, bytes)) {
        on_request(connection, stream, 0, bytes);
        return;
    }
    err = weir_websocket_accept(
        &connection->handshake,
        (weir_bytes){head->first, strcspn(head->first, " ")}, head->fields,
        head->count, &options);
    answer(connection, err);
    if (err == 0) {
        open_websocket(connection);
        return;
    }
    weir_stream_finish(stream, WEIR_S(1), NULL, NULL);
    unlink_connection(connection);
}

/* One read at a time, so that the WebSocket can read from then on. */
static void on_request(void *arg, weir_stream *stream, int status,
                       weir_bytes bytes)
{
    static char buffer[4096];

    must(weir_stream_read_into(stream, buffer, sizeof(buffer), on_head, arg),
         "weir_stream_read_into");
}

static void on_stream(void *arg, weir_stream *stream)
{
    struct connection *connection = calloc(1, sizeof(*connection));

    connection->stream = stream;
    connection->link = &connections;
    connection->next = connections;
    if (connections != NULL)
        connections->link = &connection->next;
    connections = connection;
    on_request(connection, stream, 0, (weir_bytes){NULL, 0});
}

/* ---- the life of the server ---- */

static void on_signal(void *arg, int status, int fd, unsigned events)
{
    weir_bytes reason = WEIR_BYTES_OF("restart");
    struct connection *connection;

    (void)!weir_fd_remove(settings.loop, fd, NULL, NULL);
    if (status != 0)
        return;
    weir_listener_drain(listener, NULL, NULL);
    for (connection = connections; connection != NULL;
         connection = connection->next)
        if (connection->websocket != NULL)
            (void)!weir_websocket_close(connection->websocket,
                                        WEIR_WEBSOCKET_RESTART, reason);
}

void serve(void)
{
    weir_listener_options options = {.size = sizeof(options),
                                     .on_stream = on_stream};
    weir_address address;
    sigset_t stops;

    sigemptyset(&stops);
    sigaddset(&stops, SIGTERM);
    sigprocmask(SIG_BLOCK, &stops, NULL);
    signals = signalfd(-1, &stops, SFD_NONBLOCK | SFD_CLOEXEC);
    must(weir_fd_add(settings.loop, signals, WEIR_FD_READABLE, on_signal, NULL),
         "weir_fd_add");
    must(weir_address_parse(&options.address, "127.0.0.1:0", 0), "address");
    must(weir_listener_open(&listener, settings.loop, &options),
         "weir_listener_open");
    weir_listener_address(listener, &address);
    printf("port %u\n", weir_address_port(&address));
    fflush(stdout);
    must(weir_loop_run(settings.loop, WEIR_RUN_UNTIL_IDLE), "weir_loop_run");
    close(signals);
}
