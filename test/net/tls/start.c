/* SPDX-License-Identifier: MIT */
/* TLS on streams: who is called when, and what the other end receives. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/support/tls_fixture.h"
#include "stream/stream.h"
#include "support/failing_allocator.h"
#include "support/loop_fixture.h"
#include "weir/clock.h"

/* [0] is the client, [1] the server. */
static weir_stream *streams[2];
static weir_tls *tls[2];
static int ready_status[2];
static char received[2][1 << 20];
static size_t received_size[2];
static int read_status[2];

static int side_of(const weir_stream *stream)
{
    return stream == streams[1];
}

static void on_ready(void *word, weir_stream *stream, int status)
{
    ready_status[side_of(stream)] = status;
    note(word);
}

static void collect(void *word, weir_stream *stream, int status,
                    weir_bytes bytes)
{
    int side = side_of(stream);

    if (status != 0) {
        read_status[side] = status;
        note(word);
        return;
    }
    expect(received_size[side] + bytes.size <= sizeof(received[side]));
    memcpy(received[side] + received_size[side], bytes.data, bytes.size);
    received_size[side] += bytes.size;
}

static void finished(void *word, weir_stream *stream, int status)
{
    note(word);
    if (status == WEIR_ECANCELED)
        note("(cancelled)");
}

#define START_OPTIONS(...)                                                     \
    (&(weir_tls_start_options){.size = sizeof(weir_tls_start_options),         \
                               __VA_ARGS__})

static void begin_with(weir_tls_options of_server, weir_tls_options of_client)
{
    ready_status[0] = ready_status[1] = 1;
    read_status[0] = read_status[1] = 1;
    received_size[0] = received_size[1] = 0;
    identities_make();
    tls[1] = server_make(&leaf, of_server);
    tls[0] = client_make(&root, of_client);
    loop_make(NULL);
    expect_status(weir_stream_pair(streams, loop, NULL), 0);
}

static void begin(void)
{
    begin_with(TLS_OPTIONS(), TLS_OPTIONS());
}

static void start_client(const char *name)
{
    expect_status(
        weir_tls_start(streams[0], tls[0],
                       START_OPTIONS(.server_name = name, .on_ready = on_ready,
                                     .arg = "client")),
        0);
}

static void start_server(void)
{
    expect_status(
        weir_tls_start(streams[1], tls[1],
                       START_OPTIONS(.on_ready = on_ready, .arg = "server")),
        0);
}

static void start_both(void)
{
    start_client("localhost");
    start_server();
}

static void close_both(void)
{
    weir_stream_close(streams[0], NULL, NULL);
    weir_stream_close(streams[1], NULL, NULL);
    loop_run();
}

static void end(void)
{
    close_both();
    weir_tls_unref(tls[0]);
    weir_tls_unref(tls[1]);
    loop_end();
    identities_free();
}

static void write_text(weir_stream *stream, const char *text, const char *word)
{
    weir_bytes bytes = {text, strlen(text)};

    expect_status(weir_stream_write(stream, &bytes, 1,
                                    word != NULL ? finished : NULL,
                                    (void *)word),
                  0);
}

static void expect_received(int side, const char *text)
{
    expect_int(received_size[side], strlen(text));
    expect(memcmp(received[side], text, strlen(text)) == 0);
}

/* Run until the handshake is over at both ends. */
static void shake(void)
{
    start_both();
    while (ready_status[0] == 1 || ready_status[1] == 1)
        loop_turns(1);
    expect_status(ready_status[0], 0);
    expect_status(ready_status[1], 0);
    (void)take_record();
}

CASE(start_calls_on_ready_at_both_ends)
{
    begin();
    start_both();
    expect_recorded("");
    loop_turns(10);
    expect_recorded("client server");
    expect_status(ready_status[0], 0);
    expect_status(ready_status[1], 0);
    expect_string(weir_tls_reason(streams[0]), "");
    end();
}

CASE(start_lets_bytes_wait_for_the_handshake)
{
    begin();
    start_both();
    write_text(streams[0], "question", "asked");
    write_text(streams[1], "answer", "answered");
    expect_status(weir_stream_read(streams[0], collect, "end0"), 0);
    expect_status(weir_stream_read(streams[1], collect, "end1"), 0);
    expect_status(weir_stream_shutdown(streams[0], finished, "shut0"), 0);
    expect_status(weir_stream_shutdown(streams[1], finished, "shut1"), 0);
    for (int i = 0; i < 100 && read_status[0] == 1; i++)
        loop_turns(1);
    expect_received(1, "question");
    expect_received(0, "answer");
    expect_status(read_status[0], WEIR_EEOF);
    expect_status(read_status[1], WEIR_EEOF);
    end();
}

static void read_when_ready(void *word, weir_stream *stream, int status)
{
    on_ready(word, stream, status);
    expect_status(weir_stream_read(stream, collect, "end"), 0);
}

/* The first bytes come together with the last ones of the handshake: nothing
 * else arrives that would make the stream look at them. */
CASE(start_gives_bytes_that_came_with_the_end_of_the_handshake)
{
    begin();
    start_client("localhost");
    write_text(streams[0], "early", NULL);
    expect_status(
        weir_tls_start(streams[1], tls[1],
                       START_OPTIONS(.on_ready = read_when_ready, .arg = "s")),
        0);
    for (int i = 0; i < 100 && received_size[1] == 0; i++)
        loop_turns(1);
    expect_received(1, "early");
    end();
}

CASE(start_gives_bytes_to_a_reader_that_starts_later)
{
    begin();
    start_client("localhost");
    write_text(streams[0], "early", NULL);
    start_server();
    loop_turns(20);
    expect_status(ready_status[1], 0);
    expect_status(weir_stream_read(streams[1], collect, "end"), 0);
    loop_turns(3);
    expect_received(1, "early");
    end();
}

/* After an upgrade, bytes that came with the request are pushed back.  They
 * belong to the handshake, and must not reach the reader as they are. */
CASE(start_takes_bytes_that_were_pushed_back)
{
    begin();
    start_client("localhost");
    expect_status(weir_stream_read(streams[1], collect, "end"), 0);
    loop_turns(2);
    weir_stream_stop(streams[1]);
    expect(received_size[1] > 0);
    expect_status(weir__stream_unread(
                      streams[1], (weir_bytes){received[1], received_size[1]}),
                  0);
    received_size[1] = 0;
    start_server();
    expect_status(weir_stream_read(streams[1], collect, "end"), 0);
    write_text(streams[0], "question", NULL);
    for (int i = 0; i < 20 && received_size[1] == 0; i++)
        loop_turns(1);
    expect_status(ready_status[1], 0);
    expect_received(1, "question");
    end();
}

static void expect_ready_first(void *arg, weir_stream *stream, int status,
                               weir_bytes bytes)
{
    note(status == 0 ? "bytes" : "end");
}

CASE(start_calls_on_ready_before_the_first_bytes)
{
    begin();
    start_both();
    write_text(streams[0], "early", NULL);
    expect_status(weir_stream_read(streams[1], expect_ready_first, NULL), 0);
    loop_turns(20);
    expect_recorded("client server bytes");
    end();
}

static void read_once(void *arg, weir_stream *stream, int status,
                      weir_bytes bytes)
{
    expect_status(status, 0);
    received_size[1] += bytes.size;
    if (received_size[1] < 5)
        expect_status(
            weir_stream_read_into(stream, received[1], 1, read_once, NULL), 0);
}

CASE(start_gives_bytes_one_by_one_to_one_who_asks_for_that)
{
    begin();
    shake();
    write_text(streams[0], "12345", NULL);
    expect_status(
        weir_stream_read_into(streams[1], received[1], 1, read_once, NULL), 0);
    loop_turns(20);
    expect_int(received_size[1], 5);
    expect_int(received[1][0], '5');
    end();
}

CASE(start_carries_a_megabyte_both_ways)
{
    enum { SIZE = 1000000 };
    static char large[SIZE];
    weir_bytes bytes = {large, SIZE};

    for (size_t i = 0; i < SIZE; i++)
        large[i] = (char)(i * 7 + i / 251);
    begin();
    shake();
    for (int side = 0; side < 2; side++) {
        expect_status(weir_stream_read(streams[side], collect, "end"), 0);
        expect_status(
            weir_stream_write(streams[side], &bytes, 1, finished, "written"),
            0);
    }
    while (received_size[0] < SIZE || received_size[1] < SIZE)
        loop_turns(1);
    loop_turns(2);
    expect_recorded("written written");
    expect(memcmp(received[0], large, SIZE) == 0);
    expect(memcmp(received[1], large, SIZE) == 0);
    end();
}

/* ---- the end ---- */

CASE(start_reports_a_half_close_and_keeps_the_other_half)
{
    begin();
    shake();
    expect_status(weir_stream_read(streams[0], collect, "end0"), 0);
    expect_status(weir_stream_read(streams[1], collect, "end1"), 0);
    expect_status(weir_stream_shutdown(streams[0], finished, "shut"), 0);
    loop_turns(5);
    expect_recorded("shut end1");
    expect_status(read_status[1], WEIR_EEOF);
    write_text(streams[1], "still here", NULL);
    loop_turns(5);
    expect_received(0, "still here");
    end();
}

/* What a connection that was cut looks like: the socket ends, the peer has not
 * said so. */
CASE(start_reports_an_end_without_close_notify_as_truncated)
{
    begin();
    shake();
    expect_status(weir_stream_read(streams[1], collect, "end"), 0);
    write_text(streams[0], "half a mess", NULL);
    loop_turns(3);
    expect_int(shutdown(weir_stream_fd(streams[0]), SHUT_WR), 0);
    loop_turns(3);
    expect_received(1, "half a mess");
    expect_recorded("end");
    expect_status(read_status[1], WEIR_ETRUNCATED);
    expect_string(weir_tls_reason(streams[1]),
                  "the peer closed the connection without close_notify");
    end();
}

static void closed(void *word, weir_stream *stream, int status)
{
    note(word);
    note(weir_error_name(status));
}

CASE(start_finishes_with_close_notify)
{
    begin();
    shake();
    expect_status(weir_stream_read(streams[0], collect, "end"), 0);
    write_text(streams[1], "bye", NULL);
    weir_stream_finish(streams[1], WEIR_S(1), closed, "closed");
    loop_turns(5);
    expect_recorded("end");
    expect_received(0, "bye");
    expect_status(read_status[0], WEIR_EEOF);
    weir_stream_finish(streams[0], WEIR_S(1), closed, "closed");
    loop_run();
    expect_recorded("closed OK closed OK");
    weir_tls_unref(tls[0]);
    weir_tls_unref(tls[1]);
    loop_end();
    identities_free();
}

/* The buffer of a read that is pending is the caller's, who has left. */
CASE(start_finishes_while_a_read_into_a_buffer_is_pending)
{
    char buffer[4] = "....";

    begin();
    shake();
    expect_status(weir_stream_read_into(streams[1], buffer, 4, collect, "read"),
                  0);
    weir_stream_finish(streams[1], WEIR_S(5), finished, "closed");
    write_text(streams[0], "more than four", NULL);
    loop_turns(5);
    expect(memcmp(buffer, "....", 4) == 0);
    expect_recorded("");
    weir_stream_finish(streams[0], WEIR_S(5), NULL, NULL);
    loop_run();
    expect_recorded("read closed");
    expect_status(read_status[1], WEIR_EEOF);
    weir_tls_unref(tls[0]);
    weir_tls_unref(tls[1]);
    loop_end();
    identities_free();
}

CASE(start_is_cancelled_by_a_close_during_the_handshake)
{
    begin();
    start_both();
    weir_stream_close(streams[0], finished, "closed");
    expect_recorded("");
    loop_turns(5);
    expect_status(ready_status[0], WEIR_ECANCELED);
    expect_status(ready_status[1], WEIR_ETRUNCATED);
    expect_string(weir_tls_reason(streams[1]),
                  "the peer closed the connection during the handshake");
    weir_stream_close(streams[1], NULL, NULL);
    loop_run();
    weir_tls_unref(tls[0]);
    weir_tls_unref(tls[1]);
    loop_end();
    identities_free();
}

static void close_when_ready(void *word, weir_stream *stream, int status)
{
    note(word);
    weir_stream_close(stream, finished, "closed");
}

CASE(start_may_be_followed_by_a_close_in_on_ready)
{
    begin();
    for (int side = 0; side < 2; side++)
        expect_status(
            weir_tls_start(
                streams[side], tls[side],
                START_OPTIONS(.server_name = side == 0 ? "localhost" : NULL,
                              .on_ready = close_when_ready, .arg = "ready")),
            0);
    loop_run();
    expect_recorded("ready closed ready closed");
    weir_tls_unref(tls[0]);
    weir_tls_unref(tls[1]);
    loop_end();
    identities_free();
}

CASE(start_is_cancelled_by_the_end_of_the_loop)
{
    begin();
    start_both();
    loop_end();
    expect_status(ready_status[0], WEIR_ECANCELED);
    expect_status(ready_status[1], WEIR_ECANCELED);
    weir_tls_unref(tls[0]);
    weir_tls_unref(tls[1]);
    identities_free();
}

/* ---- failures ---- */

CASE(start_with_a_bad_certificate_fails_with_a_reason)
{
    begin();
    start_client("wrong.example");
    start_server();
    loop_turns(10);
    expect_status(ready_status[0], WEIR_ECERT);
    expect_string(weir_tls_reason(streams[0]),
                  "hostname mismatch: it is not for wrong.example");
    expect_status(ready_status[1], WEIR_ETLS);
    expect_string(weir_tls_reason(streams[1]),
                  "the peer sent the alert: bad certificate");
    expect_status(weir_stream_read(streams[0], collect, "end"), WEIR_ECERT);
    expect(weir_tls_protocol(streams[0]) == NULL);
    end();
}

CASE(start_of_a_handshake_that_stalls_times_out)
{
    expect_status(weir_clock_freeze(WEIR_S(1000)), 0);
    begin();
    start_server(); /* and the peer says nothing */
    loop_turns(3);
    expect_status(weir_clock_advance(WEIR_TLS_TIMEOUT_NS - 1), 0);
    loop_turns(3);
    expect_recorded("");
    expect_status(weir_clock_advance(1), 0);
    loop_turns(3);
    expect_recorded("server");
    expect_status(ready_status[1], -ETIMEDOUT);
    expect_string(weir_tls_reason(streams[1]), "the handshake took too long");
    end();
}

CASE(start_of_a_handshake_that_trickles_times_out)
{
    weir_bytes byte = {"\x16", 1};

    expect_status(weir_clock_freeze(WEIR_S(1000)), 0);
    begin();
    expect_status(
        weir_tls_start(streams[1], tls[1],
                       START_OPTIONS(.on_ready = on_ready, .arg = "server",
                                     .timeout_ns = WEIR_S(3))),
        0);
    for (int i = 0; i < 3; i++) {
        expect_recorded("");
        expect_status(weir_stream_write(streams[0], &byte, 1, NULL, NULL), 0);
        loop_turns(2);
        byte = (weir_bytes){i == 0 ? "\x03" : "\x01", 1};
        expect_status(weir_clock_advance(WEIR_S(1)), 0);
        loop_turns(2);
    }
    expect_recorded("server");
    expect_status(ready_status[1], -ETIMEDOUT);
    end();
}

CASE(start_without_a_timeout_waits)
{
    expect_status(weir_clock_freeze(WEIR_S(1000)), 0);
    begin();
    expect_status(
        weir_tls_start(streams[1], tls[1],
                       START_OPTIONS(.on_ready = on_ready, .arg = "server",
                                     .timeout_ns = WEIR_TLS_NO_TIMEOUT)),
        0);
    expect_status(weir_clock_advance(WEIR_S(100000)), 0);
    loop_turns(3);
    expect_recorded("");
    start_client("localhost");
    loop_turns(10);
    expect_status(ready_status[1], 0);
    end();
}

CASE(start_does_not_time_out_after_the_handshake)
{
    expect_status(weir_clock_freeze(WEIR_S(1000)), 0);
    begin();
    shake();
    expect_status(weir_clock_advance(WEIR_S(100000)), 0);
    loop_turns(3);
    write_text(streams[0], "x", NULL);
    expect_status(weir_stream_read(streams[1], collect, "end"), 0);
    loop_turns(3);
    expect_received(1, "x");
    expect_recorded("");
    end();
}

/* covers: weir_tls_start -EINVAL */
/* covers: weir_tls_start -E2BIG */
/* covers: weir_tls_start -EBUSY */
CASE(start_of_nonsense_is_refused_without_effect)
{
    struct {
        weir_tls_start_options options;
        int unknown;
    } larger = {{.size = sizeof(larger)}, 1};

    begin();
    expect_status(weir_tls_start(NULL, tls[0], NULL), -EINVAL);
    expect_status(weir_tls_start(streams[0], NULL, NULL), -EINVAL);
    expect_status(weir_tls_start(streams[0], tls[0], NULL), -EINVAL);
    expect_status(
        weir_tls_start(streams[0], tls[0], START_OPTIONS(.server_name = "a b")),
        -EINVAL);
    expect_status(
        weir_tls_start(streams[0], tls[0],
                       START_OPTIONS(.server_name = "a", .alpn = ",")),
        -EINVAL);
    expect_status(
        weir_tls_start(streams[0], tls[0],
                       START_OPTIONS(.server_name = "a", .timeout_ns = -1)),
        -EINVAL);
    expect_status(
        weir_tls_start(streams[1], tls[1], START_OPTIONS(.server_name = "a")),
        -EINVAL);
    expect_status(
        weir_tls_start(streams[1], tls[1], START_OPTIONS(.alpn = "a")),
        -EINVAL);
    expect_status(weir_tls_start(streams[1], tls[1], &larger.options), -E2BIG);
    expect_status(weir_stream_read(streams[1], collect, "end"), 0);
    expect_status(weir_tls_start(streams[1], tls[1], NULL), -EBUSY);
    expect(weir_tls_reason(streams[1]) == NULL);
    start_client("localhost");
    expect_status(weir_tls_start(streams[0], tls[0],
                                 START_OPTIONS(.server_name = "localhost")),
                  -EBUSY);
    end();
}

/* covers: weir_tls_start WEIR_ETLS */
CASE(start_without_algorithms_is_refused)
{
    begin();
    expect(EVP_set_default_properties(NULL, "provider=none"));
    expect_status(
        weir_tls_start(streams[0], tls[0],
                       START_OPTIONS(.server_name = "localhost",
                                     .on_ready = on_ready, .arg = "client")),
        WEIR_ETLS);
    expect(EVP_set_default_properties(NULL, ""));
    loop_turns(3);
    expect_recorded("");
    shake(); /* it had no effect */
    end();
}

CASE(start_on_a_stream_that_has_failed_returns_its_error)
{
    begin();
    weir_stream_close(streams[0], NULL, NULL);
    expect_status(weir_stream_read(streams[1], collect, "end"), 0);
    loop_turns(3);
    expect_status(weir_tls_start(streams[1], tls[1], NULL), WEIR_EEOF);
    weir_stream_close(streams[1], NULL, NULL);
    loop_run();
    weir_tls_unref(tls[0]);
    weir_tls_unref(tls[1]);
    loop_end();
    identities_free();
}

/* ---- what came out of it ---- */

static int keep_name(void *arg, const char *name, weir_tls **use)
{
    return 0;
}

CASE(start_tells_what_was_agreed)
{
    begin_with(TLS_OPTIONS(.alpn = "h2,http/1.1", .on_server_name = keep_name),
               TLS_OPTIONS(.alpn = "http/1.1"));
    expect(weir_tls_alpn(streams[0]) == NULL);
    expect(weir_tls_reason(streams[0]) == NULL);
    shake();
    for (int side = 0; side < 2; side++) {
        expect_string(weir_tls_alpn(streams[side]), "http/1.1");
        expect_string(weir_tls_protocol(streams[side]), "TLSv1.3");
        expect_string(weir_tls_cipher(streams[side]), "TLS_AES_256_GCM_SHA384");
        expect_string(weir_tls_server_name(streams[side]), "localhost");
        expect(!weir_tls_is_resumed(streams[side]));
    }
    expect(weir_tls_alpn(NULL) == NULL);
    end();
}

CASE(start_resumes_the_session_of_an_earlier_stream)
{
    begin();
    shake();
    expect_status(weir_stream_read(streams[0], collect, "end"), 0);
    write_text(streams[1], "x", NULL); /* after the tickets */
    loop_turns(3);
    expect_received(0, "x");
    close_both();
    ready_status[0] = ready_status[1] = 1;
    expect_status(weir_stream_pair(streams, loop, NULL), 0);
    shake();
    expect(weir_tls_is_resumed(streams[0]));
    expect(weir_tls_is_resumed(streams[1]));
    end();
}

/* covers: weir_tls_get_peer -EINVAL */
/* covers: weir_tls_get_peer -ENOENT */
CASE(start_shows_the_certificate_of_the_peer)
{
    weir_tls_peer peer = {.size = sizeof(peer)}, small = {.size = 1};
    const unsigned char *der;
    X509 *parsed;

    begin();
    expect_status(weir_tls_get_peer(streams[0], &peer), -ENOENT);
    shake();
    expect_status(weir_tls_get_peer(streams[1], &peer), -ENOENT);
    expect_status(weir_tls_get_peer(NULL, &peer), -EINVAL);
    expect_status(weir_tls_get_peer(streams[0], NULL), -EINVAL);
    expect_status(weir_tls_get_peer(streams[0], &small), -EINVAL);
    for (int i = 0; i < 2; i++) {
        expect_status(weir_tls_get_peer(streams[0], &peer), 0);
        expect_string(peer.subject, "CN=localhost");
        expect_string(peer.issuer, "CN=test root");
        expect(peer.is_verified);
        der = peer.der.data;
        parsed = d2i_X509(NULL, &der, (long)peer.der.size);
        expect(parsed != NULL && X509_cmp(parsed, leaf.certificate) == 0);
        X509_free(parsed);
    }
    end();
}

CASE(start_shows_a_certificate_that_was_not_checked_as_such)
{
    weir_tls_peer peer = {.size = sizeof(peer)};

    begin_with(TLS_OPTIONS(),
               TLS_OPTIONS(.insecure_accept_any_certificate = true));
    shake();
    expect_status(weir_tls_get_peer(streams[0], &peer), 0);
    expect(!peer.is_verified);
    end();
}

static int raise_error(void *arg, const char *name, weir_tls **use)
{
    weir_raise(WEIR_ENAME, "no such name: %s", name);
}

static void on_uncaught(void *arg, weir_loop *of, const weir_uncaught *what)
{
    note("uncaught");
}

CASE(start_with_a_callback_that_raises_fails_alone)
{
    begin_with(TLS_OPTIONS(.on_server_name = raise_error), TLS_OPTIONS());
    close_both();
    loop_end();
    loop_make(LOOP_OPTIONS(.on_uncaught = on_uncaught));
    expect_status(weir_stream_pair(streams, loop, NULL), 0);
    start_both();
    loop_turns(10);
    expect_recorded("uncaught server client");
    expect_status(ready_status[1], WEIR_ETLS);
    expect_status(ready_status[0], WEIR_ETLS);
    expect_string(weir_tls_reason(streams[1]),
                  "the name was refused: localhost");
    end();
}

/* ---- without memory ---- */

/* covers: weir_tls_start -ENOMEM */
/* covers: weir_tls_get_peer -ENOMEM */
CASE(start_without_memory_fails_alone)
{
    bool has_failed = true;
    unsigned failures = 0;

    for (uint64_t n = 1; has_failed; n++) {
        struct failing_allocator memory;
        weir_tls_peer peer = {.size = sizeof(peer)};
        int err;

        failing_allocator_init(&memory, 0);
        expect_status(weir_set_allocator(&memory.hooks), 0);
        begin();
        start_server();
        memory.fail_at = memory.calls + n;
        err = weir_tls_start(streams[0], tls[0],
                             START_OPTIONS(.server_name = "localhost",
                                           .on_ready = on_ready,
                                           .arg = "client"));
        expect(err == 0 || err == -ENOMEM);
        if (err == 0) {
            loop_turns(20);
            /* One that fails may leave the other waiting. */
            expect((ready_status[0] <= 0 && ready_status[1] <= 0) ||
                   ready_status[0] < 0 || ready_status[1] < 0);
            if (ready_status[0] == 0) {
                int found = weir_tls_get_peer(streams[0], &peer);

                expect(found == 0 || found == -ENOMEM);
                if (found == -ENOMEM) /* it can be tried again */
                    expect_status(weir_tls_get_peer(streams[0], &peer), 0);
                failures += found != 0;
            }
        }
        failures += err != 0 || ready_status[0] != 0 || ready_status[1] != 0;
        has_failed = memory.fail_at <= memory.calls;
        memory.fail_at = 0;
        end();
        expect_int(memory.live, 0);
        expect_status(weir_set_allocator(NULL), 0);
        (void)take_record();
    }
    expect(failures >= 8);
}
