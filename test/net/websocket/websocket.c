/* SPDX-License-Identifier: MIT */
/*
 * websocket -- two WebSockets that are connected to each other, and one whose
 * peer is a socket of the test, which can do what no WebSocket does.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/support/websocket_fixture.h"
#include "support/failing_fixture.h"
#include "weir/timer.h"

/* ---- an end of a connection, and what happens there ---- */

struct end_point {
    const char *name;
    weir_websocket *websocket;
    bool is_echoing;
    bool pauses;     /* after each message */
    unsigned closed; /* calls of on_close */
    unsigned messages;
    unsigned drained;
    size_t bytes;
    weir_websocket_end last;
    char reason[128];
};

static struct end_point server = {.name = "server"};
static struct end_point client = {.name = "client"};
static int raw = -1;

static weir_bytes bytes_of(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

static void on_message(void *arg, weir_websocket *websocket,
                       weir_websocket_kind kind, weir_bytes bytes, bool is_last)
{
    struct end_point *point = arg;

    expect(point->websocket == websocket);
    expect_int(point->closed, 0);
    point->messages++;
    point->bytes += bytes.size;
    if (bytes.size < 32)
        event_note("%s:%s:%.*s%s", point->name,
                   kind == WEIR_WEBSOCKET_TEXT ? "text" : "binary",
                   (int)bytes.size,
                   bytes.size > 0 ? (const char *)bytes.data : "",
                   is_last ? "" : "...");
    else
        event_note("%s:%zu", point->name, bytes.size);
    if (point->pauses)
        weir_websocket_pause(websocket);
    if (point->is_echoing)
        expect_status(weir_websocket_send(websocket, kind, bytes, NULL, NULL),
                      0);
}

static void on_pong(void *arg, weir_websocket *websocket, weir_bytes bytes)
{
    event_note("%s:pong:%.*s", ((struct end_point *)arg)->name, (int)bytes.size,
               bytes.size > 0 ? (const char *)bytes.data : "");
}

static void on_drain(void *arg, weir_websocket *websocket)
{
    ((struct end_point *)arg)->drained++;
}

static void on_close(void *arg, weir_websocket *websocket,
                     const weir_websocket_end *end_)
{
    struct end_point *point = arg;

    expect_int(point->closed++, 0);
    point->last = *end_;
    memcpy(point->reason, end_->reason.size > 0 ? end_->reason.data : "",
           end_->reason.size);
    point->reason[end_->reason.size] = '\0';
    point->websocket = NULL;
}

#define OPTIONS(...)                                                           \
    (&(weir_websocket_options){.size = sizeof(weir_websocket_options),         \
                               .on_message = on_message,                       \
                               .on_pong = on_pong,                             \
                               .on_close = on_close,                           \
                               .on_drain = on_drain,                           \
                               __VA_ARGS__})

static weir_websocket_handshake agreed = {.status = 101};

static void open_point(struct end_point *point, weir_stream *stream,
                       weir_websocket_role role,
                       const weir_websocket_options *options)
{
    weir_websocket_options mine = *options;
    weir_websocket_handshake handshake = agreed;

    handshake.role = role;
    mine.arg = point;
    expect_status(
        weir_websocket_open(&point->websocket, stream, &handshake, &mine), 0);
}

static void open_both(const weir_websocket_options *options)
{
    weir_stream *streams[2];

    expect_status(weir_stream_pair(streams, loop, NULL), 0);
    open_point(&server, streams[0], WEIR_WEBSOCKET_SERVER, options);
    open_point(&client, streams[1], WEIR_WEBSOCKET_CLIENT, options);
}

/* Open the server; the client is the socket `raw`. */
static void open_raw(const weir_websocket_options *options)
{
    weir_stream *stream;
    int fds[2];

    expect_int(
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds),
        0);
    raw = fds[1];
    expect_status(weir_stream_open(&stream, loop, fds[0], NULL), 0);
    open_point(&server, stream, WEIR_WEBSOCKET_SERVER, options);
}

static void raw_send(const void *data, size_t size)
{
    expect_int(write(raw, data, size), (ssize_t)size);
}

static void raw_frame(unsigned first, const void *data, size_t size)
{
    struct wire wire = {0};

    wire_frame(&wire, first, data, size, MASKED);
    raw_send(wire.data, wire.size);
    wire_free(&wire);
}

/* Read what the server has sent, as the events of a client. */
static const char *raw_events(void)
{
    static struct weir__codec codec;
    uint8_t bytes[65536];
    struct wire wire = {0};
    ssize_t count;

    codec_make(&codec, CODEC_CLIENT);
    while ((count = read(raw, bytes, sizeof(bytes))) > 0)
        wire_add(&wire, bytes, (size_t)count);
    expect_status(codec_take(&codec, &wire, 1000), 0);
    if (count == 0)
        event_note("end");
    weir__codec_fini(&codec);
    wire_free(&wire);
    return take_events();
}

static void send_text(struct end_point *point, const char *text)
{
    expect_status(weir_websocket_send(point->websocket, WEIR_WEBSOCKET_TEXT,
                                      bytes_of(text), NULL, NULL),
                  0);
}

static void close_point(struct end_point *point, uint16_t code,
                        const char *reason)
{
    expect_status(
        weir_websocket_close(point->websocket, code, bytes_of(reason)), 0);
}

static void expect_closed(struct end_point *point, int status, unsigned code,
                          bool is_clean)
{
    expect_int(point->closed, 1);
    expect_status(point->last.status, status);
    expect_int(point->last.code, code);
    expect(point->last.is_clean == is_clean);
}

/* Close both in an orderly way, and check for leaks. */
static void close_both(void)
{
    close_point(&client, 1000, "");
    loop_run();
    expect_closed(&client, 0, 1000, true);
    expect_closed(&server, 0, 1000, true);
    end();
}

/* ---- messages ---- */

CASE(messages_pass_in_both_directions)
{
    begin();
    loop_make(NULL);
    open_both(OPTIONS());
    send_text(&client, "hello");
    send_text(&client, "");
    expect_status(weir_websocket_send(server.websocket, WEIR_WEBSOCKET_BINARY,
                                      bytes_of("\x01\x02"), NULL, NULL),
                  0);
    loop_turns(5);
    expect_string(take_events(), "server:text:hello server:text: "
                                 "client:binary:\x01\x02");
    close_both();
}

static unsigned done_count;

static void on_done(void *arg, weir_websocket *websocket, int status)
{
    event_note("%s:%s", (const char *)arg, weir_error_name(status));
    done_count++;
}

CASE(done_is_called_once_after_the_call_and_in_order)
{
    begin();
    loop_make(NULL);
    open_both(OPTIONS());
    for (int i = 0; i < 2; i++) {
        struct end_point *from = i == 0 ? &server : &client;

        expect_status(weir_websocket_send(from->websocket, WEIR_WEBSOCKET_TEXT,
                                          bytes_of("a"), on_done, "one"),
                      0);
        expect_status(weir_websocket_send(from->websocket, WEIR_WEBSOCKET_TEXT,
                                          bytes_of("b"), on_done, "two"),
                      0);
        expect_events("");
        loop_turns(5);
        expect_string(take_events(),
                      i == 0 ? "one:OK two:OK client:text:a client:text:b"
                             : "one:OK two:OK server:text:a server:text:b");
    }
    close_both();
}

CASE(a_message_in_fragments_arrives_whole)
{
    begin();
    loop_make(NULL);
    open_both(OPTIONS());
    expect_status(
        weir_websocket_send_fragment(client.websocket, WEIR_WEBSOCKET_TEXT,
                                     bytes_of("a"), false, NULL, NULL),
        0);
    /* covers: weir_websocket_send -EBUSY */
    expect_status(weir_websocket_send(client.websocket, WEIR_WEBSOCKET_TEXT,
                                      bytes_of("b"), NULL, NULL),
                  -EBUSY);
    expect_status(weir_websocket_ping(client.websocket, bytes_of("p")), 0);
    expect_status(
        weir_websocket_send_fragment(client.websocket, WEIR_WEBSOCKET_TEXT,
                                     bytes_of("b"), false, on_done, "done"),
        0);
    expect_status(weir_websocket_send_fragment(client.websocket,
                                               WEIR_WEBSOCKET_TEXT,
                                               bytes_of(""), true, NULL, NULL),
                  0);
    loop_turns(5);
    expect_string(take_events(), "done:OK server:text:ab client:pong:p");
    close_both();
}

CASE(a_streaming_websocket_gets_fragments)
{
    begin();
    loop_make(NULL);
    open_both(OPTIONS(.is_streaming = true));
    expect_status(
        weir_websocket_send_fragment(client.websocket, WEIR_WEBSOCKET_TEXT,
                                     bytes_of("a"), false, NULL, NULL),
        0);
    loop_turns(3);
    expect_events("server:text:a...");
    expect_status(weir_websocket_send_fragment(client.websocket,
                                               WEIR_WEBSOCKET_TEXT,
                                               bytes_of("b"), true, NULL, NULL),
                  0);
    loop_turns(3);
    expect_events("server:text:b");
    close_both();
}

static char large[3 << 20];

CASE(a_large_message_passes_in_both_directions)
{
    for (int i = 0; i < 2; i++) {
        struct end_point *from = i == 0 ? &server : &client;
        struct end_point *to = i == 0 ? &client : &server;

        agreed.deflate.is_on = i == 1;
        memset(&server, 0, offsetof(struct end_point, last));
        memset(&client, 0, offsetof(struct end_point, last));
        server.name = client.name = "x";
        begin();
        loop_make(NULL);
        open_both(OPTIONS(.max_message_bytes = sizeof(large)));
        for (size_t k = 0; k < sizeof(large); k++)
            large[k] = (char)(k * k >> 5);
        expect_status(weir_websocket_send(
                          from->websocket, WEIR_WEBSOCKET_BINARY,
                          (weir_bytes){large, sizeof(large)}, on_done, "done"),
                      0);
        while (to->messages == 0)
            expect_status(weir_loop_step(loop, -1), 0);
        loop_turns(3);
        expect_int(to->bytes, sizeof(large));
        expect_int(done_count, i + 1);
        (void)take_events();
        close_both();
    }
}

CASE(compressed_messages_pass)
{
    char text[2000];

    begin();
    loop_make(NULL);
    agreed.deflate.is_on = true;
    open_both(OPTIONS());
    server.is_echoing = true;
    memset(text, 'x', sizeof(text));
    for (int i = 0; i < 3; i++)
        expect_status(weir_websocket_send(client.websocket, WEIR_WEBSOCKET_TEXT,
                                          (weir_bytes){text, sizeof(text)},
                                          NULL, NULL),
                      0);
    loop_turns(5);
    expect_int(client.bytes, 6000);
    (void)take_events();
    close_both();
}

/* ---- closing ---- */

CASE(a_close_is_answered_and_both_sides_are_told)
{
    begin();
    loop_make(NULL);
    open_both(OPTIONS());
    close_point(&server, WEIR_WEBSOCKET_RESTART, "come back");
    loop_run();
    expect_closed(&client, 0, 1012, true);
    expect_string(client.reason, "come back");
    expect_closed(&server, 0, 1012, true);
    end();
}

CASE(a_close_without_a_code_is_1005)
{
    begin();
    loop_make(NULL);
    open_both(OPTIONS());
    close_point(&client, 0, "");
    loop_run();
    expect_closed(&client, 0, 1005, true);
    expect_closed(&server, 0, 1005, true);
    end();
}

CASE(two_closes_that_cross_are_clean)
{
    begin();
    loop_make(NULL);
    open_both(OPTIONS());
    close_point(&client, 1000, "client");
    close_point(&server, 1001, "server");
    loop_run();
    expect_closed(&client, 0, 1001, true);
    expect_closed(&server, 0, 1000, true);
    expect_string(client.reason, "server");
    expect_string(server.reason, "client");
    end();
}

CASE(messages_before_a_close_arrive_in_both_directions)
{
    begin();
    loop_make(NULL);
    open_both(OPTIONS());
    for (int i = 0; i < 100; i++) {
        send_text(&client, "from the client");
        send_text(&server, "from the server");
    }
    close_point(&server, 1012, "");
    loop_run();
    expect_int(server.messages, 100);
    expect_int(client.messages, 100);
    (void)take_events();
    expect_closed(&server, 0, 1012, true);
    end();
}

/* covers: weir_websocket_send WEIR_ECLOSED
 * covers: weir_websocket_send_fragment WEIR_ECLOSED
 * covers: weir_websocket_ping WEIR_ECLOSED
 * covers: weir_websocket_close WEIR_ECLOSED */
CASE(nothing_is_sent_after_a_close)
{
    begin();
    loop_make(NULL);
    open_both(OPTIONS());
    close_point(&client, 1000, "");
    expect_status(weir_websocket_send(client.websocket, WEIR_WEBSOCKET_TEXT,
                                      bytes_of("x"), NULL, NULL),
                  WEIR_ECLOSED);
    expect_status(
        weir_websocket_send_fragment(client.websocket, WEIR_WEBSOCKET_TEXT,
                                     bytes_of("x"), false, NULL, NULL),
        WEIR_ECLOSED);
    expect_status(weir_websocket_ping(client.websocket, bytes_of("x")),
                  WEIR_ECLOSED);
    expect_status(weir_websocket_close(client.websocket, 1000, bytes_of("")),
                  WEIR_ECLOSED);
    loop_run();
    expect_events("");
    expect_closed(&client, 0, 1000, true);
    end();
}

/* The server's last messages are in the socket when the raw client closes its
 * side: lingering must not reset them. */
CASE(the_last_frames_before_a_close_are_not_lost)
{
    begin();
    loop_make(NULL);
    open_raw(OPTIONS());
    send_text(&server, "last words");
    close_point(&server, 1000, "bye");
    raw_frame(FINAL | TEXT, "crossing", 8);
    loop_turns(3);
    raw_frame(FINAL | TEXT, "more", 4);
    raw_frame(FINAL | CLOSE, "\x03\xe8", 2);
    loop_turns(3);
    expect_int(server.messages, 2);
    raw_frame(FINAL | TEXT, "too late", 8);
    loop_turns(3);
    (void)take_events();
    expect_string(raw_events(), "text:last words close:1000:bye end");
    expect_int(server.closed, 0); /* it waits for the peer's end */
    close(raw);
    loop_run();
    expect_int(server.messages, 2);
    expect_closed(&server, 0, 1000, true);
    end();
}

/* The raw client has not read the server's Close frame, so that its close is a
 * reset. */
CASE(a_reset_after_both_close_frames_is_clean)
{
    begin();
    loop_make(NULL);
    open_raw(OPTIONS());
    raw_frame(FINAL | CLOSE, "\x03\xe8", 2);
    loop_turns(3);
    expect_int(server.closed, 0); /* it waits for the peer's end */
    close(raw);
    loop_run();
    expect_closed(&server, 0, 1000, true);
    end();
}

CASE(a_peer_that_does_not_answer_a_close_is_left_after_a_while)
{
    expect_status(weir_clock_freeze(0), 0);
    begin();
    loop_make(NULL);
    open_raw(OPTIONS(.close_timeout_ns = WEIR_S(3)));
    close_point(&server, 1000, "");
    expect_status(weir_clock_advance(WEIR_S(3) - 1), 0);
    loop_turns(3);
    expect_int(server.closed, 0);
    expect_status(weir_clock_advance(1), 0);
    loop_turns(3);
    expect_closed(&server, -ETIMEDOUT, 1006, false);
    expect_string(raw_events(), "close:1000: end");
    close(raw);
    end();
}

CASE(a_peer_that_leaves_the_connection_open_is_left_after_a_while)
{
    expect_status(weir_clock_freeze(0), 0);
    begin();
    loop_make(NULL);
    open_raw(OPTIONS());
    raw_frame(FINAL | CLOSE, "\x03\xe9", 2);
    loop_turns(3);
    expect_string(raw_events(), "close:1001: end");
    expect_int(server.closed, 0);
    expect_status(weir_clock_advance(WEIR_S(2)), 0);
    loop_turns(3);
    expect_closed(&server, 0, 1001, true);
    close(raw);
    end();
}

/* ---- the other ends ---- */

CASE(a_violation_is_answered_with_its_code)
{
    begin();
    loop_make(NULL);
    open_raw(OPTIONS());
    raw_frame(FINAL | TEXT, "ok", 2);
    raw_frame(FINAL | RSV2 | TEXT, "x", 1);
    raw_frame(FINAL | TEXT, "ignored", 7);
    loop_turns(3);
    expect_events("server:text:ok");
    expect_string(raw_events(), "close:1002: end");
    close(raw);
    loop_run();
    expect_closed(&server, WEIR_EWEBSOCKET, 1002, false);
    end();
}

CASE(a_message_that_is_too_large_is_answered_with_1009)
{
    begin();
    loop_make(NULL);
    open_raw(OPTIONS(.max_message_bytes = 10));
    raw_frame(FINAL | TEXT, "0123456789a", 11);
    loop_turns(3);
    expect_string(raw_events(), "close:1009: end");
    close(raw);
    loop_run();
    expect_closed(&server, WEIR_EWEBSOCKET, 1009, false);
    end();
}

CASE(fragments_without_end_are_answered_with_1009)
{
    begin();
    loop_make(NULL);
    open_raw(OPTIONS(.max_frames = 20));
    raw_frame(TEXT, "", 0);
    for (int i = 0; i < 20; i++)
        raw_frame(CONTINUATION, "", 0);
    loop_turns(3);
    expect_string(raw_events(), "close:1009: end");
    close(raw);
    loop_run();
    expect_closed(&server, WEIR_EWEBSOCKET, 1009, false);
    end();
}

CASE(an_end_without_a_close_frame_is_not_clean)
{
    begin();
    loop_make(NULL);
    open_raw(OPTIONS());
    raw_frame(TEXT, "half", 4);
    close(raw);
    loop_run();
    expect_closed(&server, WEIR_EEOF, 1006, false);
    end();
}

/* A peer that has only finished sending still gets what is queued. */
CASE(what_is_queued_is_sent_although_the_peer_has_finished)
{
    static char got[65536];
    size_t size = 0;

    begin();
    loop_make(NULL);
    open_raw(OPTIONS());
    expect_status(weir_websocket_send(server.websocket, WEIR_WEBSOCKET_BINARY,
                                      (weir_bytes){large, 1 << 20}, NULL, NULL),
                  0);
    expect(weir_websocket_queued_bytes(server.websocket) > 0);
    shutdown(raw, SHUT_WR);
    loop_turns(3);
    expect_int(server.closed, 0);
    for (;;) {
        ssize_t count = read(raw, got, sizeof(got));

        if (count == 0)
            break;
        size += count > 0 ? (size_t)count : 0;
        loop_turns(1);
    }
    expect_int(size, (1 << 20) + 10);
    close(raw);
    loop_run();
    expect_closed(&server, WEIR_EEOF, 1006, false);
    end();
}

CASE(a_reset_ends_at_once)
{
    begin();
    loop_make(NULL);
    open_both(OPTIONS());
    weir_websocket_reset(client.websocket);
    expect_int(client.closed, 0); /* not inside the call */
    expect(weir_websocket_stream(client.websocket) == NULL);
    weir_websocket_reset(client.websocket);
    loop_run();
    expect_closed(&client, WEIR_ECANCELED, 1006, false);
    expect_int(server.closed, 1);
    expect(!server.last.is_clean);
    end();
}

CASE(a_reset_in_the_middle_of_a_close_ends_at_once)
{
    begin();
    loop_make(NULL);
    open_raw(OPTIONS());
    expect_status(weir_websocket_send(server.websocket, WEIR_WEBSOCKET_BINARY,
                                      (weir_bytes){large, sizeof(large)},
                                      on_done, "done"),
                  0);
    close_point(&server, 1000, "");
    loop_turns(2);
    weir_websocket_reset(server.websocket);
    loop_run();
    expect_events("done:ECANCELED");
    expect_closed(&server, WEIR_ECANCELED, 1006, false);
    close(raw);
    end();
}

static void close_in_callback(void *arg, weir_websocket *websocket,
                              weir_websocket_kind kind, weir_bytes bytes,
                              bool is_last)
{
    event_note("%.*s", (int)bytes.size, (const char *)bytes.data);
    if (((const char *)bytes.data)[0] == 'r')
        weir_websocket_reset(websocket);
    else
        expect_status(weir_websocket_close(websocket, 1000, bytes_of("")), 0);
}

CASE(a_websocket_may_be_reset_in_its_callback)
{
    weir_websocket_options options = *OPTIONS();

    options.on_message = close_in_callback;
    begin();
    loop_make(NULL);
    open_raw(&options);
    raw_frame(FINAL | TEXT, "reset", 5);
    raw_frame(FINAL | TEXT, "no more", 7);
    loop_run();
    expect_events("reset");
    expect_closed(&server, WEIR_ECANCELED, 1006, false);
    close(raw);
    end();
}

CASE(a_loop_that_ends_tells_each_websocket_once)
{
    for (int is_paused = 0; is_paused < 2; is_paused++) {
        memset(&server, 0, sizeof(server));
        memset(&client, 0, sizeof(client));
        begin();
        loop_make(NULL);
        open_both(OPTIONS(.ping_interval_ns = WEIR_S(1)));
        if (is_paused)
            weir_websocket_pause(server.websocket);
        loop_turns(2);
        if (is_paused)
            close_point(&client, 1000, "");
        end();
        expect_int(server.closed, 1);
        expect_int(client.closed, 1);
        expect_status(server.last.status, WEIR_ECANCELED);
    }
}

/* ---- pings ---- */

CASE(a_ping_is_answered)
{
    begin();
    loop_make(NULL);
    open_both(OPTIONS());
    expect_status(weir_websocket_ping(server.websocket, bytes_of("are you?")),
                  0);
    expect_status(weir_websocket_ping(client.websocket, bytes_of("")), 0);
    loop_turns(5);
    expect_string(take_events(), "server:pong:are you? client:pong:");
    close_both();
}

CASE(a_silent_peer_is_pinged_and_then_left)
{
    expect_status(weir_clock_freeze(0), 0);
    begin();
    loop_make(NULL);
    open_raw(
        OPTIONS(.ping_interval_ns = WEIR_S(30), .ping_timeout_ns = WEIR_S(5)));
    expect_status(weir_clock_advance(WEIR_S(20)), 0);
    raw_frame(FINAL | TEXT, "x", 1); /* it speaks: 30 s from here */
    loop_turns(3);
    expect_events("server:text:x");
    expect_status(weir_clock_advance(WEIR_S(29)), 0);
    loop_turns(3);
    expect_string(raw_events(), "");
    expect_status(weir_clock_advance(WEIR_S(1)), 0);
    loop_turns(3);
    expect_string(raw_events(), "ping:");
    raw_frame(FINAL | PONG, "", 0);
    loop_turns(3);
    expect_events("server:pong:");
    expect_status(weir_clock_advance(WEIR_S(30)), 0);
    loop_turns(3);
    expect_string(raw_events(), "ping:");
    expect_status(weir_clock_advance(WEIR_S(5) - 1), 0);
    loop_turns(3);
    expect_int(server.closed, 0);
    expect_status(weir_clock_advance(1), 0);
    loop_turns(3);
    expect_closed(&server, -ETIMEDOUT, 1006, false);
    close(raw);
    end();
}

CASE(a_paused_websocket_does_not_blame_its_peer)
{
    expect_status(weir_clock_freeze(0), 0);
    begin();
    loop_make(NULL);
    open_raw(OPTIONS(.ping_interval_ns = WEIR_S(1)));
    weir_websocket_pause(server.websocket);
    for (int i = 0; i < 10; i++) {
        expect_status(weir_clock_advance(WEIR_S(1)), 0);
        loop_turns(2);
    }
    expect_int(server.closed, 0);
    weir_websocket_resume(server.websocket);
    expect_status(weir_clock_advance(WEIR_S(1)), 0);
    loop_turns(2);
    expect_status(weir_clock_advance(WEIR_S(1)), 0);
    loop_turns(2);
    expect_closed(&server, -ETIMEDOUT, 1006, false);
    close(raw);
    end();
}

/* Read until the server is idle.  Each pong is "first", or a number of 125
 * digits that is larger than the one before. */
static void read_pongs(unsigned *firsts, int *last)
{
    static struct weir__codec codec;
    static uint8_t bytes[65536];
    struct weir__codec_event event;

    codec_make(&codec, CODEC_CLIENT);
    for (int quiet = 0; quiet < 5;) {
        ssize_t count = read(raw, bytes, sizeof(bytes));

        quiet = count > 0 ? 0 : quiet + 1;
        weir__codec_feed(&codec,
                         (weir_bytes){bytes, count > 0 ? (size_t)count : 0});
        while (weir__codec_next(&codec, &event) == 1) {
            char text[126] = "";
            int number;

            if (event.type != WEIR__CODEC_PONG)
                continue;
            if (event.bytes.size == 5) {
                expect(memcmp(event.bytes.data, "first", 5) == 0);
                ++*firsts;
                continue;
            }
            expect_int(event.bytes.size, 125);
            memcpy(text, event.bytes.data, 125);
            expect_int(sscanf(text, "%d", &number), 1);
            expect(number > *last);
            *last = number;
        }
        loop_turns(2);
    }
    weir__codec_fini(&codec);
}

/* A peer that sends pings and does not read must not make the queue grow. */
CASE(pings_that_nobody_reads_the_answers_of_take_bounded_memory)
{
    uint64_t before;
    unsigned firsts = 0;
    int last = -1;

    begin();
    loop_make(NULL);
    open_raw(OPTIONS());
    while (weir_websocket_queued_bytes(server.websocket) == 0)
        expect_status(
            weir_websocket_send(server.websocket, WEIR_WEBSOCKET_BINARY,
                                (weir_bytes){large, 100000}, NULL, NULL),
            0);
    raw_frame(FINAL | PING, "first", 5);
    loop_turns(2);
    before = memory.live_bytes;
    for (int i = 0; i < 2000; i++) {
        char text[126];

        snprintf(text, sizeof(text), "%0125d", i);
        raw_frame(FINAL | PING, text, 125);
        loop_turns(1);
    }
    expect(memory.live_bytes < before + 2000);
    read_pongs(&firsts, &last);
    expect_int(firsts, 1);  /* it was queued, ... */
    expect_int(last, 1999); /* ... and so was the last one after it */
    close(raw);
    loop_run();
    expect_int(server.closed, 1);
    end();
}

/* ---- back-pressure ---- */

CASE(a_writer_learns_when_to_wait_and_when_to_go_on)
{
    size_t sent = 0;

    begin();
    loop_make(NULL);
    open_both(OPTIONS(.high_water_bytes = 10000));
    weir_websocket_pause(client.websocket);
    loop_turns(2);
    while (!weir_websocket_is_full(server.websocket)) {
        expect_status(
            weir_websocket_send(server.websocket, WEIR_WEBSOCKET_BINARY,
                                (weir_bytes){large, 3000}, NULL, NULL),
            0);
        sent += 3000;
        loop_turns(1);
    }
    expect(weir_websocket_queued_bytes(server.websocket) >= 10000);
    expect(weir_websocket_queued_bytes(server.websocket) < 13100);
    expect_int(server.drained, 0);
    expect_int(client.messages, 0);
    weir_websocket_resume(client.websocket);
    while (client.bytes < sent)
        expect_status(weir_loop_step(loop, -1), 0);
    loop_turns(3);
    expect_int(server.drained, 1);
    expect_int(weir_websocket_queued_bytes(server.websocket), 0);
    (void)take_events();
    close_both();
}

/* Many messages arrive in one read; the reader takes one at a time. */
CASE(a_reader_that_pauses_in_each_message_gets_all_of_them)
{
    struct wire wire = {0};

    begin();
    loop_make(NULL);
    server.pauses = true;
    open_raw(OPTIONS());
    for (int i = 0; i < 1000; i++)
        wire_frame(&wire, FINAL | TEXT, "0123456789", 10, MASKED);
    wire_frame(&wire, FINAL | CLOSE, "\x03\xe8", 2, MASKED);
    raw_send(wire.data, wire.size);
    wire_free(&wire);
    for (unsigned i = 1; i <= 1000; i++) {
        loop_turns(3);
        expect_int(server.messages, i);
        if (i == 500)
            expect_status(weir_websocket_send(server.websocket,
                                              WEIR_WEBSOCKET_TEXT,
                                              bytes_of("half"), NULL, NULL),
                          0);
        weir_websocket_resume(server.websocket);
        expect_int(server.messages, i); /* not inside the call */
        weir_websocket_resume(server.websocket);
        event_length = 0;
    }
    loop_turns(3);
    expect_string(raw_events(), "text:half close:1000: end");
    close(raw);
    loop_run();
    expect_closed(&server, 0, 1000, true);
    end();
}

CASE(a_websocket_that_is_resumed_and_reset_forgets_the_rest)
{
    begin();
    loop_make(NULL);
    server.pauses = true;
    open_raw(OPTIONS());
    raw_frame(FINAL | TEXT, "one", 3);
    raw_frame(FINAL | TEXT, "two", 3);
    loop_turns(3);
    weir_websocket_resume(server.websocket);
    weir_websocket_reset(server.websocket);
    loop_run();
    expect_events("server:text:one");
    expect_closed(&server, WEIR_ECANCELED, 1006, false);
    close(raw);
    end();
}

CASE(bytes_that_came_with_the_handshake_come_first)
{
    struct wire wire = {0};

    begin();
    loop_make(NULL);
    wire_frame(&wire, FINAL | TEXT, "early", 5, MASKED);
    wire_frame(&wire, FINAL | TEXT, "half", 4, MASKED);
    open_raw(OPTIONS(.early = {wire.data, wire.size - 2}));
    raw_send(wire.data + wire.size - 2, 2);
    wire_free(&wire);
    expect_events("");
    loop_turns(3);
    expect_events("server:text:early server:text:half");
    close(raw);
    loop_run();
    expect_closed(&server, WEIR_EEOF, 1006, false);
    end();
}

/* ---- a callback that raises ---- */

static void raise_in_callback(void *arg, weir_websocket *websocket,
                              weir_websocket_kind kind, weir_bytes bytes,
                              bool is_last)
{
    event_note("%.*s", (int)bytes.size, (const char *)bytes.data);
    weir_raise(1, "a message that nobody likes");
}

static void raise_in_close(void *arg, weir_websocket *websocket,
                           const weir_websocket_end *end_)
{
    on_close(arg, websocket, end_);
    weir_raise(2, "an end that nobody likes");
}

static void on_uncaught(void *arg, weir_loop *raised,
                        const weir_uncaught *uncaught)
{
    event_note("raised:%d", uncaught->code);
}

CASE(a_callback_that_raises_fails_alone)
{
    weir_websocket_options options = *OPTIONS();

    options.on_message = raise_in_callback;
    options.on_close = raise_in_close;
    begin();
    loop_make(LOOP_OPTIONS(.on_uncaught = on_uncaught));
    open_raw(&options);
    raw_frame(FINAL | TEXT, "one", 3);
    raw_frame(FINAL | TEXT, "two", 3);
    raw_frame(FINAL | CLOSE, "", 0);
    shutdown(raw, SHUT_WR);
    loop_run();
    expect_events("one raised:1 two raised:1 raised:2");
    expect_closed(&server, 0, 1005, true);
    close(raw);
    end();
}

/* ---- nonsense ---- */

/* covers: weir_websocket_open -EINVAL
 * covers: weir_websocket_open -E2BIG */
CASE(opening_refuses_nonsense)
{
    struct {
        weir_websocket_options options;
        int newer;
    } later = {.options.size = sizeof(later), .newer = 1};
    weir_websocket_options wrong = {.size = 3};
    weir_stream *streams[2];

    begin();
    loop_make(NULL);
    expect_status(weir_stream_pair(streams, loop, NULL), 0);
    expect_status(weir_websocket_open(NULL, streams[0], &agreed, NULL),
                  -EINVAL);
    expect_status(weir_websocket_open(&server.websocket, NULL, &agreed, NULL),
                  -EINVAL);
    expect_status(
        weir_websocket_open(&server.websocket, streams[0], NULL, NULL),
        -EINVAL);
    expect_status(
        weir_websocket_open(&server.websocket, streams[0], &agreed, &wrong),
        -EINVAL);
    expect_status(weir_websocket_open(&server.websocket, streams[0], &agreed,
                                      OPTIONS(.ping_interval_ns = -1)),
                  -EINVAL);
    expect_status(weir_websocket_open(&server.websocket, streams[0], &agreed,
                                      OPTIONS(.deflate_level = 10)),
                  -EINVAL);
    expect_status(weir_websocket_open(&server.websocket, streams[0], &agreed,
                                      &later.options),
                  -E2BIG);
    weir_stream_close(streams[0], NULL, NULL);
    weir_stream_close(streams[1], NULL, NULL);
    loop_run();
    end();
}

/* covers: weir_websocket_send -EINVAL
 * covers: weir_websocket_send_fragment -EINVAL
 * covers: weir_websocket_ping -EINVAL
 * covers: weir_websocket_close -EINVAL */
CASE(sending_and_closing_refuse_nonsense)
{
    weir_bytes none = {NULL, 1};

    begin();
    loop_make(NULL);
    open_both(OPTIONS());
    expect_status(weir_websocket_send(NULL, WEIR_WEBSOCKET_TEXT, bytes_of("x"),
                                      NULL, NULL),
                  -EINVAL);
    expect_status(
        weir_websocket_send(client.websocket, 3, bytes_of("x"), NULL, NULL),
        -EINVAL);
    expect_status(weir_websocket_send(client.websocket, WEIR_WEBSOCKET_TEXT,
                                      none, NULL, NULL),
                  -EINVAL);
    expect_status(weir_websocket_send(client.websocket, WEIR_WEBSOCKET_TEXT,
                                      bytes_of("\xff"), NULL, NULL),
                  -EINVAL);
    expect_status(weir_websocket_send_fragment(NULL, WEIR_WEBSOCKET_TEXT,
                                               bytes_of("x"), true, NULL, NULL),
                  -EINVAL);
    expect_status(weir_websocket_ping(NULL, bytes_of("")), -EINVAL);
    expect_status(
        weir_websocket_ping(client.websocket, (weir_bytes){large, 126}),
        -EINVAL);
    expect_status(weir_websocket_close(NULL, 1000, bytes_of("")), -EINVAL);
    expect_status(weir_websocket_close(client.websocket, 1005, bytes_of("")),
                  -EINVAL);
    expect_status(weir_websocket_close(client.websocket, 0, bytes_of("why")),
                  -EINVAL);
    expect_status(
        weir_websocket_close(client.websocket, 1000, bytes_of("\xff")),
        -EINVAL);
    loop_turns(3);
    expect_events("");
    close_both();
}

/* ---- memory ---- */

CASE(an_idle_websocket_is_small)
{
    weir_stream *streams[2];
    uint64_t before;

    begin();
    loop_make(NULL);
    expect_status(weir_stream_pair(streams, loop, NULL), 0);
    loop_turns(2);
    before = memory.live_bytes;
    open_point(&server, streams[0], WEIR_WEBSOCKET_SERVER, OPTIONS());
    fprintf(stderr, "# an idle WebSocket: %" PRIu64 " bytes, and its stream\n",
            memory.live_bytes - before);
    expect(memory.live_bytes - before <= 1024);
    before = memory.live_bytes;
    open_point(&client, streams[1], WEIR_WEBSOCKET_CLIENT, OPTIONS());
    server.is_echoing = true;
    for (int i = 0; i < 10; i++)
        send_text(&client, "0123456789012345678901234567890123456789");
    expect_status(weir_websocket_ping(client.websocket, bytes_of("x")), 0);
    loop_turns(5);
    expect_int(client.messages, 10);
    (void)take_events();
    expect(memory.live_bytes - before <= 1024 + 68 * 1024 + 1000); /* inbox */
    close_both();
}

/* covers: weir_websocket_open -ENOMEM */
CASE(opening_fails_without_memory_and_without_effect)
{
    uint64_t failed = 0;

    for (uint64_t n = 1;; n++) {
        weir_stream *streams[2];
        weir_websocket_options options =
            *OPTIONS(.arg = &server, .ping_interval_ns = WEIR_S(1),
                     .early = bytes_of("\x89\x80\x01\x02\x03\x04"));
        int result;

        memset(&server, 0, sizeof(server));
        begin();
        loop_make(NULL);
        expect_status(weir_stream_pair(streams, loop, NULL), 0);
        memory.fail_at = memory.calls + n;
        result = weir_websocket_open(&server.websocket, streams[0], &agreed,
                                     &options);
        memory.fail_at = 0;
        if (result != 0) {
            expect_status(result, -ENOMEM);
            failed++;
            weir_stream_close(streams[0], NULL, NULL); /* still ours */
        } else {
            weir_websocket_reset(server.websocket);
        }
        weir_stream_close(streams[1], NULL, NULL);
        loop_run();
        end();
        expect_int(server.closed, result == 0);
        if (result == 0)
            break;
    }
    expect(failed >= 2);
}

/* covers: weir_websocket_send -ENOMEM
 * covers: weir_websocket_send_fragment -ENOMEM
 * covers: weir_websocket_ping -ENOMEM
 * covers: weir_websocket_close -ENOMEM */
CASE(sending_fails_without_memory_and_without_effect)
{
    uint64_t failed = 0;

    agreed.deflate.is_on = true;
    for (uint64_t n = 1; n < 40; n++) {
        bool has_failed = false;
        int results[4];

        memset(&server, 0, sizeof(server));
        memset(&client, 0, sizeof(client));
        server.name = "server";
        begin();
        loop_make(NULL);
        open_both(OPTIONS(.min_deflate_bytes = 1));
        memory.fail_at = memory.calls + n;
        results[0] = weir_websocket_send(client.websocket, WEIR_WEBSOCKET_TEXT,
                                         bytes_of("one"), on_done, "done");
        results[1] =
            weir_websocket_send_fragment(client.websocket, WEIR_WEBSOCKET_TEXT,
                                         bytes_of("two"), true, NULL, NULL);
        results[2] = weir_websocket_ping(client.websocket, bytes_of("x"));
        results[3] =
            weir_websocket_close(client.websocket, 1000, bytes_of("bye"));
        memory.fail_at = 0;
        for (int i = 0; i < 4; i++) {
            expect(results[i] == 0 || results[i] == -ENOMEM);
            has_failed |= results[i] != 0;
        }
        if (results[3] != 0)
            close_point(&client, 1000, "bye");
        loop_run();
        failed += has_failed;
        expect_int(server.messages, (results[0] == 0) + (results[1] == 0));
        (void)take_events();
        expect_closed(&client, 0, 1000, true);
        expect_closed(&server, 0, 1000, true);
        end();
    }
    expect(failed >= 4);
}

/* Whatever allocation fails, each side ends once and nothing leaks. */
CASE(a_conversation_survives_any_failed_allocation)
{
    uint64_t unclean = 0, n = 0;
    bool has_failed = true;

    agreed.deflate.is_on = true;
    while (has_failed) {
        char text[300];
        uint64_t limit;

        memset(text, 'x', sizeof(text));
        memset(&server, 0, sizeof(server));
        memset(&client, 0, sizeof(client));
        server.pauses = true;
        begin();
        loop_make(NULL);
        open_both(OPTIONS(.is_streaming = n & 1,
                          .close_timeout_ns = WEIR_MS(50),
                          .linger_ns = WEIR_MS(50)));
        limit = memory.calls + ++n;
        memory.fail_at = limit;
        for (int i = 0; i < 4; i++)
            (void)!weir_websocket_send(client.websocket, WEIR_WEBSOCKET_TEXT,
                                       (weir_bytes){text, sizeof(text)},
                                       i & 1 ? on_done : NULL, "done");
        (void)!weir_websocket_ping(client.websocket, bytes_of("x"));
        if (weir_websocket_close(client.websocket, 1000, bytes_of("")) != 0)
            weir_websocket_reset(client.websocket);
        while (server.closed == 0 || client.closed == 0) {
            if (server.websocket != NULL)
                weir_websocket_resume(server.websocket);
            expect_status(weir_loop_step(loop, WEIR_MS(10)), 0);
        }
        has_failed = memory.calls >= limit;
        memory.fail_at = 0;
        unclean += !server.last.is_clean;
        event_length = 0;
        end();
    }
    expect(n > 10 && unclean > 0);
}
