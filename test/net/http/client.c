/* SPDX-License-Identifier: MIT */
/*
 * client -- what a fetch sends, what its owner is told, and when a connection is
 * used again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "net/support/http_peer.h"
#include "support/failing_allocator.h"
#include "support/loop_fixture.h"
#include "weir/clock.h"
#include "weir/net/http_client.h"
#include "weir/net/lookup.h"

static weir_http_client *client;

#define CLIENT_OPTIONS(...)                                                    \
    (&(weir_http_client_options){.size = sizeof(weir_http_client_options),     \
                                 .http_proxy = "",                             \
                                 .https_proxy = "",                            \
                                 __VA_ARGS__})

static void make_all(const weir_http_client_options *options)
{
    static const weir_http_client_options usual = {
        .size = sizeof(usual), .http_proxy = "", .https_proxy = ""};

    loop_make(NULL);
    peer_start();
    expect_status(
        weir_http_client_new(&client, loop, options != NULL ? options : &usual),
        0);
}

static void on_closed(void *arg)
{
    *(bool *)arg = true;
}

static void end_all(void)
{
    bool is_closed = false;

    weir_http_client_close(client, on_closed, &is_closed);
    expect(!is_closed);
    peer_stop();
    loop_run();
    expect(is_closed);
    loop_end();
}

/* ---- a fetch, and what is known of it ---- */

struct outcome {
    weir_fetch *fetch;
    int status; /* 1: not over */
    unsigned code, heads, ends, writables;
    char body[1 << 17];
    size_t size;
    char field[64], trailer[64], url[128], reason[96];
    void (*on_head)(struct outcome *outcome);
    void (*on_body)(struct outcome *outcome);
    void (*on_end)(struct outcome *outcome);
    void (*on_writable)(struct outcome *outcome);
};

static struct outcome outcomes[4];

static void copy_text(char *to, size_t room, weir_bytes from)
{
    snprintf(to, room, "%.*s", (int)from.size,
             from.data != NULL ? (const char *)from.data : "");
}

static void on_head(void *arg, weir_fetch *fetch, int status)
{
    struct outcome *outcome = arg;

    expect_status(status, 0);
    expect_int(outcome->ends, 0);
    outcome->heads++;
    outcome->code = weir_fetch_status(fetch);
    if (outcome->on_head != NULL)
        outcome->on_head(outcome);
}

static void on_body(void *arg, weir_fetch *fetch, weir_bytes bytes)
{
    struct outcome *outcome = arg;

    expect_int(outcome->heads, 1);
    expect_int(outcome->ends, 0);
    expect(bytes.size > 0);
    if (outcome->size + bytes.size < sizeof(outcome->body)) {
        memcpy(outcome->body + outcome->size, bytes.data, bytes.size);
        outcome->body[outcome->size + bytes.size] = '\0';
    }
    outcome->size += bytes.size;
    if (outcome->on_body != NULL)
        outcome->on_body(outcome);
}

static void on_end(void *arg, weir_fetch *fetch, int status)
{
    struct outcome *outcome = arg;
    weir_http_field field;

    outcome->ends++;
    outcome->status = status;
    copy_text(outcome->field, sizeof(outcome->field),
              weir_fetch_field_of(fetch, "x-test"));
    if (weir_fetch_trailer_at(fetch, 0, &field))
        copy_text(outcome->trailer, sizeof(outcome->trailer), field.value);
    snprintf(outcome->url, sizeof(outcome->url), "%s", weir_fetch_url(fetch));
    snprintf(outcome->reason, sizeof(outcome->reason), "%s",
             weir_fetch_reason(fetch));
    if (outcome->on_end != NULL)
        outcome->on_end(outcome);
}

static void on_writable(void *arg, weir_fetch *fetch, int status)
{
    struct outcome *outcome = arg;

    expect_status(status, 0);
    outcome->writables++;
    if (outcome->on_writable != NULL)
        outcome->on_writable(outcome);
}

#define FETCH_OPTIONS(...)                                                     \
    (&(weir_fetch_options){.size = sizeof(weir_fetch_options), __VA_ARGS__})

/* Start one; the callbacks are set here. */
static int start(struct outcome *outcome, const weir_fetch_options *given)
{
    weir_fetch_options options = *given;
    unsigned ends;
    int err;

    outcome->status = 1;
    outcome->heads = outcome->ends = outcome->code = 0;
    outcome->size = 0;
    outcome->body[0] = outcome->trailer[0] = '\0';
    options.arg = outcome;
    options.on_head = on_head;
    options.on_body = on_body;
    options.on_end = on_end;
    options.on_writable = on_writable;
    ends = outcome->ends;
    err = weir_fetch_start(client, &outcome->fetch, &options);
    expect_int(outcome->ends, ends); /* not inside the call */
    return err;
}

static void wait_for(struct outcome *outcome)
{
    for (int i = 0; i < 3000 && outcome->status == 1; i++)
        expect_status(weir_loop_step(loop, WEIR_MS(10)), 0);
    expect(outcome->status != 1);
    expect_int(outcome->ends, 1);
}

static void get(const char *path)
{
    expect_status(start(&outcomes[0], FETCH_OPTIONS(.url = peer_url(path))), 0);
    wait_for(&outcomes[0]);
}

static weir_http_client_counts counts(void)
{
    weir_http_client_counts now = {.size = sizeof(now)};

    expect_status(weir_http_client_get_counts(client, &now), 0);
    return now;
}

static void step_until(const unsigned *counter, unsigned wanted)
{
    for (int i = 0; i < 3000 && *counter < wanted; i++)
        expect_status(weir_loop_step(loop, WEIR_MS(10)), 0);
    expect_int(*counter, wanted);
}

static void expect_sent(const char *text)
{
    if (strstr(peer_received(), text) == NULL)
        expect_string(peer_received(), text);
}

static void expect_not_sent(const char *text)
{
    if (strstr(peer_received(), text) != NULL)
        expect_string(peer_received(), "");
}

#define OK "HTTP/1.1 200 OK\r\n"
#define OK_HELLO OK "X-Test: yes\r\nContent-Length: 5\r\n\r\nhello"

/* ---- requests and responses ---- */

CASE(fetch_delivers_head_body_and_end)
{
    make_all(NULL);
    peer_will(OK_HELLO, 0);
    get("/a?b=c#frag");
    expect_status(outcomes[0].status, 0);
    expect_int(outcomes[0].code, 200);
    expect_string(outcomes[0].body, "hello");
    expect_string(outcomes[0].field, "yes");
    expect_string(outcomes[0].url, peer_url("/a?b=c"));
    expect_sent("GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:");
    expect_sent("\r\nAccept: */*\r\n");
    expect_sent("\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n");
    expect_sent("\r\nUser-Agent: weir\r\n");
    expect_not_sent("Content-Length");
    end_all();
}

CASE(fetch_sends_the_owners_fields_instead_of_its_own)
{
    weir_http_field fields[] = {
        WEIR_HTTP_FIELD("Host", "other"), WEIR_HTTP_FIELD("user-agent", "mine"),
        WEIR_HTTP_FIELD("Accept", "text/html"), WEIR_HTTP_FIELD("X-Mine", "1")};

    make_all(CLIENT_OPTIONS(.user_agent = "theirs"));
    peer_will(OK_HELLO, 0);
    expect_status(start(&outcomes[0],
                        FETCH_OPTIONS(.url = peer_url("/"), .fields = fields,
                                      .field_count = 4, .is_raw = true)),
                  0);
    wait_for(&outcomes[0]);
    expect_sent("Host: other\r\n");
    expect_sent("X-Mine: 1\r\n");
    expect_not_sent("Host: 127");
    expect_not_sent("theirs");
    expect_not_sent("*/*");
    expect_not_sent("Accept-Encoding");
    end_all();
}

CASE(fetch_uses_a_connection_again)
{
    make_all(NULL);
    for (int i = 0; i < 5; i++) {
        peer_will(OK_HELLO, 0);
        get("/");
        expect_status(outcomes[0].status, 0);
    }
    expect_int(peer_accepted, 1);
    expect_int(counts().reused, 4);
    expect_int(counts().idle, 1);
    end_all();
}

CASE(fetch_does_not_keep_a_connection_that_the_server_closes)
{
    make_all(NULL);
    peer_will(OK "Connection: close\r\nContent-Length: 1\r\n\r\nx", 0);
    get("/");
    expect_int(counts().connections, 0);
    peer_will("HTTP/1.0 200 OK\r\n\r\nuntil the end", PEER_CLOSES);
    get("/");
    expect_status(outcomes[0].status, 0);
    expect_string(outcomes[0].body, "until the end");
    expect_int(counts().connections, 0);
    expect_int(peer_accepted, 2);
    end_all();
}

CASE(fetch_does_not_keep_a_connection_with_unexpected_bytes)
{
    make_all(NULL);
    peer_will(OK_HELLO "HTTP/1.1 200 OK\r\n\r\n", 0);
    get("/");
    expect_status(outcomes[0].status, 0);
    expect_int(counts().connections, 0);
    end_all();
}

CASE(fetch_reads_chunks_and_trailers)
{
    make_all(NULL);
    peer_will(OK "Transfer-Encoding: chunked\r\nTrailer: x-sum\r\n\r\n"
                 "3\r\nabc\r\n4;ext=1\r\ndefg\r\n0\r\nX-Sum: 7\r\n\r\n",
              0);
    get("/");
    expect_status(outcomes[0].status, 0);
    expect_string(outcomes[0].body, "abcdefg");
    expect_string(outcomes[0].trailer, "7");
    expect_int(counts().idle, 1);
    end_all();
}

CASE(fetch_skips_interim_responses)
{
    make_all(NULL);
    peer_will("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: "
              "x\r\n\r\n" OK_HELLO,
              0);
    get("/");
    expect_status(outcomes[0].status, 0);
    expect_int(outcomes[0].code, 200);
    expect_int(counts().idle, 1);
    end_all();
}

CASE(fetch_responses_without_a_body_are_complete)
{
    make_all(NULL);
    peer_will(OK "Content-Length: 100\r\n\r\n", 0);
    expect_status(start(&outcomes[0],
                        FETCH_OPTIONS(.url = peer_url("/"), .method = "HEAD")),
                  0);
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, 0);
    peer_will("HTTP/1.1 204 No Content\r\n\r\n", 0);
    get("/");
    expect_status(outcomes[0].status, 0);
    peer_will("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", 0);
    get("/");
    expect_status(outcomes[0].status, 0);
    expect_int(peer_accepted, 1);
    end_all();
}

CASE(fetch_byte_by_byte_is_the_same)
{
    static const char answer[] =
        "HTTP/1.1 100 Continue\r\n\r\n" OK "X-Test: yes\r\nTransfer-Encoding: "
        "chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    char byte[2] = "";

    make_all(NULL);
    peer_will("", PEER_HOLDS);
    expect_status(start(&outcomes[0], FETCH_OPTIONS(.url = peer_url("/"))), 0);
    step_until(&peer_requests, 1);
    for (size_t i = 0; i < sizeof(answer) - 1; i++) {
        byte[0] = answer[i];
        peer_send(byte);
        loop_turns(2);
    }
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, 0);
    expect_string(outcomes[0].body, "abc");
    expect_string(outcomes[0].field, "yes");
    end_all();
}

/* ---- what servers do wrong ---- */

static void expect_failure(const char *answer, unsigned flags, int status)
{
    peer_will(answer, flags);
    get("/");
    expect_status(outcomes[0].status, status);
    expect_int(counts().connections, 0);
}

CASE(fetch_of_a_response_that_ends_early_is_truncated)
{
    make_all(NULL);
    expect_failure(OK "Content-Length: 10\r\n\r\nhello", PEER_CLOSES,
                   WEIR_ETRUNCATED);
    expect_string(outcomes[0].body, "hello");
    expect_failure(OK "Transfer-Encoding: chunked\r\n\r\n5\r\nhel", PEER_CLOSES,
                   WEIR_ETRUNCATED);
    expect_failure(OK "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
                   PEER_CLOSES, WEIR_ETRUNCATED);
    expect_failure("HTTP/1.1 200", PEER_CLOSES, WEIR_ETRUNCATED);
    expect_failure("HTTP/1.1 100 Continue\r\n\r\n", PEER_CLOSES,
                   WEIR_ETRUNCATED);
    end_all();
}

CASE(fetch_that_is_never_answered_is_reset)
{
    make_all(NULL);
    expect_failure("", PEER_CLOSES, -ECONNRESET);
    expect_failure("", PEER_RESETS, -ECONNRESET);
    expect_int(counts().retried, 0); /* the connections were new */
    end_all();
}

CASE(fetch_of_a_malformed_response_fails)
{
    make_all(NULL);
    expect_failure("SSH-2.0-OpenSSH\r\n\r\n", 0, WEIR_EHTTP);
    expect_failure(OK "Content-Length: x\r\n\r\n", 0, WEIR_EHTTP);
    expect_failure(OK "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 0,
                   WEIR_EHTTP);
    expect_failure(OK "A: b\n\r\n", 0, WEIR_EHTTP);
    expect_failure(OK "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 0,
                   WEIR_EHTTP);
    expect_failure("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\n"
                   "Upgrade: x\r\n\r\n",
                   0, WEIR_EHTTP);
    end_all();
}

CASE(fetch_beyond_a_limit_fails)
{
    static char large[70 * 1024];

    make_all(CLIENT_OPTIONS(.body_bytes = 4));
    expect_failure(OK_HELLO, 0, WEIR_ELIMIT);
    memset(large, 'a', sizeof(large) - 1);
    memcpy(large, OK "X: ", sizeof(OK "X: ") - 1);
    expect_failure(large, 0, WEIR_ELIMIT);
    end_all();
}

/* ---- stale connections ---- */

static void make_stale(const char *method, weir_bytes body)
{
    peer_will(OK_HELLO, 0);
    get("/first");
    peer_will("", PEER_RESETS); /* as if it had closed it before */
    peer_will(OK_HELLO, 0);
    peer_forget();
    expect_status(
        start(&outcomes[0], FETCH_OPTIONS(.url = peer_url("/second"),
                                          .method = method, .body = body)),
        0);
    wait_for(&outcomes[0]);
}

CASE(fetch_on_a_stale_connection_is_repeated_once)
{
    weir_bytes body = WEIR_BYTES_OF("body");

    make_all(NULL);
    make_stale("GET", (weir_bytes){NULL, 0});
    expect_status(outcomes[0].status, 0);
    expect_int(counts().retried, 1);
    expect_int(peer_accepted, 2);
    make_stale("PUT", body);
    expect_status(outcomes[0].status, 0);
    expect_int(counts().retried, 2);
    end_all();
}

CASE(fetch_that_is_not_idempotent_is_not_repeated)
{
    weir_bytes body = WEIR_BYTES_OF("body");

    make_all(NULL);
    make_stale("POST", body);
    expect_status(outcomes[0].status, -ECONNRESET);
    expect_int(counts().retried, 0);
    end_all();
}

CASE(fetch_whose_repetition_fails_too_fails)
{
    make_all(NULL);
    peer_will(OK_HELLO, 0);
    get("/");
    peer_will("", PEER_RESETS);
    peer_will("", PEER_RESETS);
    get("/");
    expect_status(outcomes[0].status, -ECONNRESET);
    expect_int(counts().retried, 1);
    end_all();
}

CASE(fetch_is_not_repeated_after_a_byte_of_the_response)
{
    make_all(NULL);
    peer_will(OK_HELLO, 0);
    get("/");
    expect_failure("H", PEER_CLOSES, WEIR_ETRUNCATED);
    expect_int(counts().retried, 0);
    end_all();
}

CASE(client_notices_that_an_idle_connection_was_closed)
{
    make_all(NULL);
    peer_will(OK_HELLO, 0);
    get("/");
    expect_int(counts().idle, 1);
    peer_close_idle();
    for (int i = 0; i < 100 && counts().idle > 0; i++)
        expect_status(weir_loop_step(loop, WEIR_MS(10)), 0);
    expect_int(counts().idle, 0);
    expect_int(counts().connections, 0);
    end_all();
}

/* ---- the pool ---- */

CASE(client_makes_others_wait_beyond_its_limit_of_an_origin)
{
    make_all(CLIENT_OPTIONS(.connections_per_origin = 2));
    for (int i = 0; i < 4; i++)
        peer_will(OK_HELLO, 0);
    for (int i = 0; i < 4; i++)
        expect_status(start(&outcomes[i], FETCH_OPTIONS(.url = peer_url("/"))),
                      0);
    expect_int(counts().connections, 2);
    expect_int(counts().waiting, 4);
    for (int i = 0; i < 4; i++)
        wait_for(&outcomes[i]);
    for (int i = 0; i < 4; i++)
        expect_status(outcomes[i].status, 0);
    expect_int(peer_accepted, 2);
    end_all();
}

CASE(client_closes_an_idle_connection_for_another_origin)
{
    char url[64];

    make_all(CLIENT_OPTIONS(.connections = 1));
    peer_will(OK_HELLO, 0);
    get("/");
    expect_int(counts().idle, 1);
    peer_will(OK_HELLO, 0);
    snprintf(url, sizeof(url), "http://localhost:%u/", peer_port());
    expect_status(start(&outcomes[1], FETCH_OPTIONS(.url = url)), 0);
    expect_int(counts().idle, 0);
    wait_for(&outcomes[1]);
    expect_status(outcomes[1].status, 0);
    expect_int(peer_accepted, 2);
    end_all();
    expect_status(weir_lookup_end_threads(), 0);
}

CASE(client_makes_another_origin_wait_beyond_its_limit)
{
    char url[64];

    make_all(CLIENT_OPTIONS(.connections = 1));
    peer_will("", PEER_HOLDS);
    expect_status(start(&outcomes[0], FETCH_OPTIONS(.url = peer_url("/"))), 0);
    step_until(&peer_requests, 1);
    snprintf(url, sizeof(url), "http://127.0.0.2:%u/", peer_port());
    expect_status(start(&outcomes[1], FETCH_OPTIONS(.url = url)), 0);
    expect_int(counts().waiting, 1);
    expect_int(counts().connections, 1);
    peer_send(OK_HELLO);
    wait_for(&outcomes[0]);
    wait_for(&outcomes[1]); /* nobody listens there */
    expect_status(outcomes[0].status, 0);
    expect_status(outcomes[1].status, -ECONNREFUSED);
    end_all();
}

CASE(client_keeps_no_more_idle_connections_than_it_may)
{
    make_all(CLIENT_OPTIONS(.idle_connections = 1));
    for (int i = 0; i < 3; i++)
        peer_will(OK_HELLO, 0);
    for (int i = 0; i < 3; i++)
        expect_status(start(&outcomes[i], FETCH_OPTIONS(.url = peer_url("/"))),
                      0);
    for (int i = 0; i < 3; i++)
        wait_for(&outcomes[i]);
    expect_int(counts().idle, 1);
    expect_int(counts().connections, 1);
    end_all();
}

CASE(client_closes_an_idle_connection_when_its_time_is_over)
{
    make_all(CLIENT_OPTIONS(.keep_alive_ns = WEIR_S(10)));
    expect_status(weir_clock_freeze(WEIR_S(1000)), 0);
    peer_will(OK_HELLO, 0);
    get("/");
    expect_status(weir_clock_advance(WEIR_S(9)), 0);
    loop_turns(3);
    expect_int(counts().idle, 1);
    expect_status(weir_clock_advance(WEIR_S(2)), 0);
    loop_turns(3);
    expect_int(counts().idle, 0);
    weir_clock_thaw();
    end_all();
}

CASE(client_believes_the_time_that_a_server_announces)
{
    make_all(NULL);
    expect_status(weir_clock_freeze(WEIR_S(1000)), 0);
    peer_will(OK "Keep-Alive: timeout=5, max=9\r\nContent-Length: 0\r\n\r\n",
              0);
    get("/");
    expect_int(counts().idle, 1);
    expect_status(weir_clock_advance(WEIR_MS(4100)), 0);
    loop_turns(3);
    expect_int(counts().idle, 0);
    weir_clock_thaw();
    end_all();
}

CASE(client_without_keep_alive_says_so)
{
    make_all(CLIENT_OPTIONS(.keep_alive_ns = -1));
    peer_will(OK_HELLO, 0);
    get("/");
    expect_sent("Connection: close\r\n");
    expect_int(counts().connections, 0);
    end_all();
}

CASE(client_with_idle_connections_lets_the_loop_end)
{
    make_all(NULL);
    peer_will(OK_HELLO, 0);
    get("/");
    expect_int(counts().idle, 1);
    peer_stop();
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    weir_http_client_close(client, NULL, NULL);
    loop_end();
}

/* ---- bodies of requests ---- */

CASE(fetch_sends_the_bytes_of_a_body)
{
    static char large[1 << 18];

    make_all(NULL);
    memset(large, 'x', sizeof(large));
    peer_will(OK_HELLO, 0);
    expect_status(start(&outcomes[0],
                        FETCH_OPTIONS(.url = peer_url("/"), .method = "POST",
                                      .body = {large, sizeof(large)})),
                  0);
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, 0);
    expect_sent("Content-Length: 262144\r\n");
    expect_int(counts().idle, 1);
    peer_forget();
    peer_will(OK_HELLO, 0);
    expect_status(start(&outcomes[0],
                        FETCH_OPTIONS(.url = peer_url("/"), .method = "POST")),
                  0);
    wait_for(&outcomes[0]);
    expect_sent("Content-Length: 0\r\n");
    end_all();
}

static int pieces_left;
static bool has_trailers;

static void on_piece(void *arg, weir_fetch *fetch, int status)
{
    note(status == 0 ? "left" : "lost");
}

static void write_pieces(struct outcome *outcome)
{
    static const weir_bytes piece = WEIR_BYTES_OF("piece");
    weir_http_field trailer = WEIR_HTTP_FIELD("X-Sum", "3");

    while (pieces_left > 0) {
        pieces_left--;
        expect_status(
            weir_fetch_write(outcome->fetch, piece, on_piece, outcome), 0);
    }
    expect_status(weir_fetch_finish(outcome->fetch, &trailer, has_trailers), 0);
    /* covers: weir_fetch_write -EALREADY
     * covers: weir_fetch_finish -EALREADY */
    expect_status(weir_fetch_write(outcome->fetch, piece, NULL, NULL),
                  -EALREADY);
    expect_status(weir_fetch_finish(outcome->fetch, NULL, 0), -EALREADY);
}

CASE(fetch_streams_a_body_in_chunks)
{
    make_all(NULL);
    peer_will(OK_HELLO, 0);
    pieces_left = 2;
    has_trailers = true;
    outcomes[0].on_writable = write_pieces;
    expect_status(start(&outcomes[0],
                        FETCH_OPTIONS(.url = peer_url("/"), .method = "POST",
                                      .is_streaming = true, .stream_size = -1)),
                  0);
    /* covers: weir_fetch_write -EAGAIN
     * covers: weir_fetch_finish -EAGAIN */
    expect_status(
        weir_fetch_write(outcomes[0].fetch, (weir_bytes){"x", 1}, NULL, NULL),
        -EAGAIN);
    expect_status(weir_fetch_finish(outcomes[0].fetch, NULL, 0), -EAGAIN);
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, 0);
    expect_sent("Transfer-Encoding: chunked\r\n");
    expect_sent("\r\n\r\n5\r\npiece\r\n5\r\npiece\r\n0\r\nX-Sum: 3\r\n\r\n");
    expect_recorded("left left");
    expect_int(counts().idle, 1);
    end_all();
}

CASE(fetch_streams_a_body_of_known_size)
{
    make_all(NULL);
    peer_will(OK_HELLO, 0);
    pieces_left = 2;
    outcomes[0].on_writable = write_pieces;
    expect_status(start(&outcomes[0],
                        FETCH_OPTIONS(.url = peer_url("/"), .method = "PUT",
                                      .is_streaming = true, .stream_size = 10)),
                  0);
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, 0);
    expect_sent("Content-Length: 10\r\n\r\npiecepiece");
    end_all();
}

static void write_wrongly(struct outcome *outcome)
{
    weir_http_field bad = WEIR_HTTP_FIELD("X Y", "3");

    /* covers: weir_fetch_write -EMSGSIZE
     * covers: weir_fetch_write -EINVAL
     * covers: weir_fetch_finish -EINVAL
     * covers: weir_fetch_finish -EMSGSIZE
     * covers: weir_fetch_write WEIR_ECLOSED
     * covers: weir_fetch_finish WEIR_ECLOSED */
    expect_status(
        weir_fetch_write(outcome->fetch, (weir_bytes){"12345", 5}, NULL, NULL),
        -EMSGSIZE);
    expect_status(weir_fetch_write(NULL, (weir_bytes){"1", 1}, NULL, NULL),
                  -EINVAL);
    expect_status(
        weir_fetch_write(outcome->fetch, (weir_bytes){NULL, 1}, NULL, NULL),
        -EINVAL);
    expect_status(weir_fetch_finish(NULL, NULL, 0), -EINVAL);
    expect_status(weir_fetch_finish(outcome->fetch, &bad, 1), -EINVAL);
    expect_status(weir_fetch_finish(outcome->fetch, NULL, 0), -EMSGSIZE);
    expect_int(outcome->ends, 0);
    expect_status(
        weir_fetch_write(outcome->fetch, (weir_bytes){"1", 1}, NULL, NULL),
        WEIR_ECLOSED);
    expect_status(weir_fetch_finish(outcome->fetch, NULL, 0), WEIR_ECLOSED);
}

CASE(fetch_whose_body_has_another_size_than_announced_fails)
{
    make_all(NULL);
    outcomes[0].on_writable = write_wrongly;
    expect_status(start(&outcomes[0],
                        FETCH_OPTIONS(.url = peer_url("/"), .method = "PUT",
                                      .is_streaming = true, .stream_size = 4)),
                  0);
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, -EMSGSIZE);
    expect_int(counts().connections, 0);
    end_all();
}

static void check_not_streaming(struct outcome *outcome)
{
    expect_status(
        weir_fetch_write(outcome->fetch, (weir_bytes){"1", 1}, NULL, NULL),
        -EINVAL);
    expect_status(weir_fetch_finish(outcome->fetch, NULL, 0), -EINVAL);
    expect(!weir_fetch_is_full(outcome->fetch));
    expect(weir_fetch_stream(outcome->fetch) != NULL);
}

CASE(fetch_without_a_streaming_body_cannot_be_written)
{
    make_all(NULL);
    peer_will(OK_HELLO, 0);
    outcomes[0].on_head = check_not_streaming;
    get("/");
    expect_int(outcomes[0].heads, 1);
    end_all();
}

static uint64_t uploaded;

static void write_until_full(struct outcome *outcome)
{
    static char block[32 * 1024];
    weir_bytes bytes = {block, sizeof(block)};

    while (!weir_fetch_is_full(outcome->fetch) && uploaded < (8 << 20)) {
        expect_status(weir_fetch_write(outcome->fetch, bytes, NULL, NULL), 0);
        uploaded += bytes.size;
    }
    if (uploaded >= (8 << 20))
        expect_status(weir_fetch_finish(outcome->fetch, NULL, 0), 0);
}

CASE(fetch_that_uploads_waits_for_a_server_that_does_not_read)
{
    make_all(NULL);
    peer_set_deaf(true);
    peer_will(OK_HELLO, 0);
    outcomes[0].on_writable = write_until_full;
    expect_status(
        start(&outcomes[0],
              FETCH_OPTIONS(.url = peer_url("/"), .method = "PUT",
                            .is_streaming = true, .stream_size = 8 << 20)),
        0);
    step_until(&peer_accepted, 1);
    loop_turns(20);
    expect(weir_fetch_is_full(outcomes[0].fetch));
    expect(uploaded < (8 << 20));
    peer_hear();
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, 0);
    expect_int(uploaded, 8 << 20);
    expect(outcomes[0].writables > 1);
    end_all();
}

static int late;

static void write_late(struct outcome *outcome)
{
    if (late == 0)
        expect_status(
            weir_fetch_write(outcome->fetch, (weir_bytes){"x", 1}, NULL, NULL),
            0);
}

static void write_after_end(struct outcome *outcome)
{
    late = weir_fetch_write(outcome->fetch, (weir_bytes){"x", 1}, NULL, NULL);
}

CASE(fetch_that_is_answered_early_ends_and_closes_its_connection)
{
    make_all(NULL);
    peer_will("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno",
              PEER_EARLY);
    outcomes[0].on_writable = write_late;
    outcomes[0].on_end = write_after_end;
    expect_status(start(&outcomes[0],
                        FETCH_OPTIONS(.url = peer_url("/"), .method = "POST",
                                      .is_streaming = true, .stream_size = -1)),
                  0);
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, 0);
    expect_int(outcomes[0].code, 413);
    expect_status(late, WEIR_ECLOSED);
    expect_int(counts().connections, 0);
    end_all();
}

CASE(fetch_that_is_answered_while_its_bytes_wait_ends)
{
    static char large[8 << 20];

    make_all(NULL);
    peer_will("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno",
              PEER_EARLY);
    expect_status(start(&outcomes[0],
                        FETCH_OPTIONS(.url = peer_url("/"), .method = "POST",
                                      .body = {large, sizeof(large)})),
                  0);
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, 0);
    expect_int(outcomes[0].code, 413);
    end_all();
}

/* ---- pause, abort, time ---- */

static void pause_fetch(struct outcome *outcome)
{
    weir_fetch_pause(outcome->fetch);
}

CASE(fetch_that_is_paused_gets_nothing_until_it_is_resumed)
{
    make_all(NULL);
    peer_will(OK "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n"
                 "0\r\nX-Sum: 6\r\n\r\n",
              0);
    outcomes[0].on_head = pause_fetch;
    outcomes[0].on_body = pause_fetch;
    expect_status(start(&outcomes[0], FETCH_OPTIONS(.url = peer_url("/"))), 0);
    step_until(&outcomes[0].heads, 1);
    loop_turns(5);
    expect_int(outcomes[0].size, 0);
    weir_fetch_resume(outcomes[0].fetch);
    expect_int(outcomes[0].size, 0); /* not inside the call */
    loop_turns(5);
    expect_string(outcomes[0].body, "abc");
    weir_fetch_resume(outcomes[0].fetch);
    weir_fetch_resume(outcomes[0].fetch);
    loop_turns(5);
    expect_string(outcomes[0].body, "abcdef");
    expect_int(outcomes[0].ends, 0);
    weir_fetch_resume(outcomes[0].fetch);
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, 0);
    expect_string(outcomes[0].trailer, "6");
    expect_int(counts().idle, 1);
    peer_will(OK_HELLO, 0);
    outcomes[0].on_head = outcomes[0].on_body = NULL;
    get("/");
    expect_int(peer_accepted, 1);
    end_all();
}

CASE(fetch_that_is_paused_makes_the_server_wait)
{
    static char large[8 << 20];
    size_t head =
        (size_t)sprintf(large, OK "Content-Length: %d\r\n\r\n", 6 << 20);

    make_all(NULL);
    peer_will_bytes(large, head + (6 << 20), 0);
    outcomes[0].on_head = pause_fetch;
    expect_status(start(&outcomes[0], FETCH_OPTIONS(.url = peer_url("/"))), 0);
    step_until(&outcomes[0].heads, 1);
    loop_turns(20);
    expect_int(outcomes[0].size, 0);
    outcomes[0].on_head = NULL;
    weir_fetch_resume(outcomes[0].fetch);
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, 0);
    expect_int(outcomes[0].size, 6 << 20);
    end_all();
}

CASE(fetch_that_is_paused_before_its_connection_waits)
{
    make_all(NULL);
    peer_will(OK_HELLO, 0);
    expect_status(start(&outcomes[0], FETCH_OPTIONS(.url = peer_url("/"))), 0);
    weir_fetch_pause(outcomes[0].fetch);
    step_until(&peer_requests, 1);
    loop_turns(5);
    expect_int(outcomes[0].heads, 0);
    weir_fetch_resume(outcomes[0].fetch);
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, 0);
    end_all();
}

static void abort_fetch(struct outcome *outcome)
{
    weir_fetch_abort(outcome->fetch);
    weir_fetch_abort(outcome->fetch);
    expect_int(outcome->ends, 0);
}

static void expect_aborted(void)
{
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, WEIR_ECANCELED);
    loop_turns(5);
    expect_int(outcomes[0].ends, 1);
    expect_int(counts().connections, 0);
    expect_int(counts().fetches, 0);
}

CASE(fetch_aborted_before_its_connection_is_cancelled)
{
    make_all(NULL);
    expect_status(start(&outcomes[0], FETCH_OPTIONS(.url = peer_url("/"))), 0);
    abort_fetch(&outcomes[0]);
    expect_aborted();
    end_all();
}

CASE(fetch_aborted_in_the_queue_is_cancelled)
{
    make_all(CLIENT_OPTIONS(.connections_per_origin = 1));
    peer_will("", PEER_HOLDS);
    expect_status(start(&outcomes[1], FETCH_OPTIONS(.url = peer_url("/"))), 0);
    step_until(&peer_requests, 1);
    expect_status(start(&outcomes[0], FETCH_OPTIONS(.url = peer_url("/"))), 0);
    abort_fetch(&outcomes[0]);
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, WEIR_ECANCELED);
    peer_send(OK_HELLO);
    wait_for(&outcomes[1]);
    expect_status(outcomes[1].status, 0);
    end_all();
}

CASE(fetch_aborted_while_the_server_thinks_is_cancelled)
{
    make_all(NULL);
    peer_will("", PEER_HOLDS);
    expect_status(start(&outcomes[0], FETCH_OPTIONS(.url = peer_url("/"))), 0);
    step_until(&peer_requests, 1);
    abort_fetch(&outcomes[0]);
    expect_aborted();
    step_until(&peer_gone, 1);
    end_all();
}

CASE(fetch_aborted_in_its_callbacks_is_cancelled)
{
    make_all(NULL);
    outcomes[0].on_head = abort_fetch;
    peer_will(OK_HELLO, 0);
    get("/");
    expect_aborted();
    expect_int(outcomes[0].size, 0);
    outcomes[0].on_head = NULL;
    outcomes[0].on_body = abort_fetch;
    peer_will(OK "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n"
                 "\r\n",
              0);
    get("/");
    expect_aborted();
    expect_string(outcomes[0].body, "a");
    outcomes[0].on_body = NULL;
    outcomes[0].on_writable = abort_fetch;
    expect_status(start(&outcomes[0],
                        FETCH_OPTIONS(.url = peer_url("/"),
                                      .is_streaming = true, .method = "POST")),
                  0);
    expect_aborted();
    end_all();
}

CASE(fetch_aborted_while_it_is_paused_is_cancelled)
{
    make_all(NULL);
    peer_will(OK_HELLO, 0);
    outcomes[0].on_head = pause_fetch;
    expect_status(start(&outcomes[0], FETCH_OPTIONS(.url = peer_url("/"))), 0);
    step_until(&outcomes[0].heads, 1);
    weir_fetch_resume(outcomes[0].fetch); /* a task is posted ... */
    abort_fetch(&outcomes[0]);            /* ... and finds nothing */
    expect_aborted();
    end_all();
}

static void keep_handle(struct outcome *outcome)
{
    weir_fetch_ref(outcome->fetch);
}

CASE(fetch_with_a_reference_keeps_its_response)
{
    weir_http_field field;

    make_all(NULL);
    peer_will(OK_HELLO, 0);
    outcomes[0].on_end = keep_handle;
    get("/");
    loop_turns(3);
    expect_int(weir_fetch_status(outcomes[0].fetch), 200);
    expect(weir_fetch_field_at(outcomes[0].fetch, 1, &field));
    expect_int(field.value.size, 1);
    expect(!weir_fetch_field_at(outcomes[0].fetch, 2, &field));
    expect(!weir_fetch_trailer_at(outcomes[0].fetch, 0, &field));
    expect_int(weir_fetch_body_size(outcomes[0].fetch), 5);
    expect(weir_fetch_stream(outcomes[0].fetch) == NULL);
    weir_fetch_abort(outcomes[0].fetch); /* no effect */
    weir_fetch_unref(outcomes[0].fetch);
    end_all();
}

static void again(struct outcome *outcome)
{
    outcome->on_end = NULL;
    peer_will(OK_HELLO, 0);
    expect_status(start(&outcomes[1], FETCH_OPTIONS(.url = peer_url("/2"))), 0);
}

CASE(fetch_started_at_the_end_of_another_uses_its_connection)
{
    make_all(NULL);
    peer_will(OK_HELLO, 0);
    outcomes[0].on_end = again;
    get("/1");
    wait_for(&outcomes[1]);
    expect_status(outcomes[1].status, 0);
    expect_int(peer_accepted, 1);
    end_all();
}

static void advance_past(int64_t before_ns, struct outcome *outcome)
{
    expect_status(weir_clock_advance(before_ns - WEIR_MS(100)), 0);
    loop_turns(5);
    expect_int(outcome->ends, 0);
    expect_status(weir_clock_advance(WEIR_MS(200)), 0);
    wait_for(outcome);
    expect_status(outcome->status, -ETIMEDOUT);
    expect_int(counts().connections, 0);
}

CASE(fetch_without_a_head_in_time_fails)
{
    make_all(CLIENT_OPTIONS(.header_ns = WEIR_S(5)));
    expect_status(weir_clock_freeze(WEIR_S(1000)), 0);
    peer_will("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200", PEER_HOLDS);
    expect_status(start(&outcomes[0], FETCH_OPTIONS(.url = peer_url("/"))), 0);
    step_until(&peer_requests, 1);
    advance_past(WEIR_S(5), &outcomes[0]);
    weir_clock_thaw();
    end_all();
}

CASE(fetch_whose_body_makes_no_progress_fails)
{
    make_all(CLIENT_OPTIONS(.progress_ns = WEIR_S(7)));
    expect_status(weir_clock_freeze(WEIR_S(1000)), 0);
    peer_will(OK "Content-Length: 9\r\n\r\na", PEER_HOLDS);
    expect_status(start(&outcomes[0], FETCH_OPTIONS(.url = peer_url("/"))), 0);
    step_until(&outcomes[0].heads, 1);
    advance_past(WEIR_S(7), &outcomes[0]);
    weir_clock_thaw();
    end_all();
}

CASE(fetch_that_takes_too_long_in_total_fails)
{
    make_all(CLIENT_OPTIONS(.total_ns = WEIR_S(100)));
    expect_status(weir_clock_freeze(WEIR_S(1000)), 0);
    peer_will(OK "Content-Length: 9\r\n\r\na", PEER_HOLDS);
    expect_status(start(&outcomes[0], FETCH_OPTIONS(.url = peer_url("/"),
                                                    .total_ns = WEIR_S(20))),
                  0);
    step_until(&outcomes[0].heads, 1);
    advance_past(WEIR_S(20), &outcomes[0]);
    weir_clock_thaw();
    end_all();
}

CASE(fetch_in_the_queue_has_its_total_time)
{
    make_all(CLIENT_OPTIONS(.connections = 1));
    expect_status(weir_clock_freeze(WEIR_S(1000)), 0);
    peer_will("", PEER_HOLDS);
    expect_status(start(&outcomes[1], FETCH_OPTIONS(.url = peer_url("/"))), 0);
    step_until(&peer_requests, 1);
    expect_status(start(&outcomes[0], FETCH_OPTIONS(.url = peer_url("/"),
                                                    .total_ns = WEIR_S(3))),
                  0);
    expect_status(weir_clock_advance(WEIR_S(4)), 0);
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, -ETIMEDOUT);
    expect_int(outcomes[1].ends, 0);
    weir_clock_thaw();
    end_all();
}

/* ---- redirects ---- */

static void redirect(const char *status, const char *location)
{
    static char texts[8][256];
    static unsigned next;
    char *text = texts[next++ % 8];

    snprintf(text, sizeof(texts[0]),
             "HTTP/1.1 %s Moved\r\nLocation: %s\r\nContent-Length: 4\r\n\r\n"
             "gone",
             status, location);
    peer_will(text, 0);
}

static void fetch_redirected(const char *method, weir_bytes body,
                             uint32_t redirects)
{
    weir_http_field fields[] = {WEIR_HTTP_FIELD("Authorization", "secret"),
                                WEIR_HTTP_FIELD("Content-Type", "text/x"),
                                WEIR_HTTP_FIELD("X-Mine", "1")};

    peer_forget();
    expect_status(
        start(&outcomes[0],
              FETCH_OPTIONS(.url = peer_url("/dir/from"), .method = method,
                            .body = body, .fields = fields, .field_count = 3,
                            .redirects = redirects)),
        0);
    wait_for(&outcomes[0]);
}

static const weir_bytes no_body = {NULL, 0};
static const weir_bytes some_body = WEIR_BYTES_OF("body");

/* Forget what was sent before the last request. */
static const char *last_request(void)
{
    const char *last = strstr(peer_received(), " HTTP/1.1\r\n");
    const char *next = last;

    while (next != NULL) {
        last = next;
        next = strstr(next + 1, " HTTP/1.1\r\n");
    }
    while (last > peer_received() && last[-1] != '\n' &&
           strncmp(last, "body", 4) != 0)
        last--;
    return strncmp(last, "body", 4) == 0 ? last + 4 : last;
}

CASE(fetch_follows_redirects_on_request_only)
{
    make_all(NULL);
    redirect("302", "/other");
    get("/");
    expect_int(outcomes[0].code, 302);
    expect_string(outcomes[0].body, "gone");
    redirect("302", "to?x#y");
    peer_will(OK_HELLO, 0);
    fetch_redirected("GET", no_body, 5);
    expect_status(outcomes[0].status, 0);
    expect_int(outcomes[0].code, 200);
    expect_int(outcomes[0].heads, 1);
    expect_string(outcomes[0].body, "hello");
    expect_string(outcomes[0].url, peer_url("/dir/to?x"));
    expect(strstr(last_request(), "GET /dir/to?x HTTP/1.1") != NULL);
    expect(strstr(last_request(), "Authorization: secret") != NULL);
    expect_int(counts().redirected, 1);
    expect_int(peer_accepted, 1);
    end_all();
}

CASE(fetch_redirect_changes_the_method_as_browsers_do)
{
    static const struct {
        const char *status, *method, *next;
        bool has_body;
    } rows[] = {{"301", "POST", "GET ", false},  {"302", "POST", "GET ", false},
                {"303", "POST", "GET ", false},  {"303", "PUT", "GET ", false},
                {"303", "HEAD", "HEAD ", false}, {"307", "POST", "POST ", true},
                {"308", "POST", "POST ", true},  {"302", "PUT", "PUT ", true},
                {"301", "GET", "GET ", false}};

    make_all(NULL);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        bool is_head = strcmp(rows[i].method, "HEAD") == 0;

        if (is_head)
            peer_will("HTTP/1.1 303 See\r\nLocation: /x\r\n\r\n", 0);
        else
            redirect(rows[i].status, "/x");
        peer_will(is_head ? "HTTP/1.1 200 OK\r\n\r\n" : OK_HELLO, 0);
        fetch_redirected(rows[i].method, is_head ? no_body : some_body, 1);
        expect_status(outcomes[0].status, 0);
        expect(strncmp(last_request(), rows[i].next, strlen(rows[i].next)) ==
               0);
        if (strcmp(rows[i].method, "GET") != 0) {
            expect((strstr(last_request(), "body") != NULL) ==
                   rows[i].has_body);
            expect((strstr(last_request(), "Content-Type") != NULL) ==
                   (rows[i].has_body || is_head));
        }
        expect(strstr(last_request(), "X-Mine: 1") != NULL);
    }
    end_all();
}

CASE(fetch_redirect_to_another_origin_loses_credentials)
{
    char url[64];

    make_all(NULL);
    snprintf(url, sizeof(url), "http://localhost:%u/x", peer_port());
    redirect("307", url);
    peer_will(OK_HELLO, 0);
    fetch_redirected("GET", no_body, 1);
    expect_status(outcomes[0].status, 0);
    expect_string(outcomes[0].url, url);
    expect(strstr(last_request(), "Authorization") == NULL);
    expect(strstr(last_request(), "X-Mine: 1") != NULL);
    expect(strstr(last_request(), "Host: localhost:") != NULL);
    end_all();
    expect_status(weir_lookup_end_threads(), 0);
}

CASE(fetch_that_is_redirected_too_often_fails)
{
    make_all(NULL);
    for (int i = 0; i < 3; i++)
        redirect("302", "/loop");
    fetch_redirected("GET", no_body, 2);
    expect_status(outcomes[0].status, WEIR_ELIMIT);
    expect_int(outcomes[0].heads, 0);
    end_all();
}

CASE(fetch_that_is_redirected_to_nonsense_fails)
{
    make_all(NULL);
    redirect("302", "ftp://127.0.0.1/");
    fetch_redirected("GET", no_body, 1);
    expect_status(outcomes[0].status, WEIR_EHTTP);
    redirect("302", "http://user:password@127.0.0.1/");
    fetch_redirected("GET", no_body, 1);
    expect_status(outcomes[0].status, WEIR_EHTTP);
    redirect("302", "http://127.0.0.1:1/");
    fetch_redirected("GET", no_body, 1);
    expect_status(outcomes[0].status, -ECONNREFUSED);
    end_all();
}

CASE(fetch_with_a_streaming_body_is_not_redirected_with_it)
{
    make_all(NULL);
    redirect("307", "/x");
    pieces_left = 1;
    has_trailers = false;
    outcomes[0].on_writable = write_pieces;
    expect_status(start(&outcomes[0],
                        FETCH_OPTIONS(.url = peer_url("/"), .method = "POST",
                                      .is_streaming = true, .stream_size = -1,
                                      .redirects = 1)),
                  0);
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, -ENOTSUP);
    redirect("303", "/x");
    peer_will(OK_HELLO, 0);
    pieces_left = 1;
    expect_status(start(&outcomes[0],
                        FETCH_OPTIONS(.url = peer_url("/"), .method = "POST",
                                      .is_streaming = true, .stream_size = -1,
                                      .redirects = 1)),
                  0);
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, 0);
    expect_int(outcomes[0].code, 200);
    end_all();
}

CASE(fetch_does_not_read_the_long_body_of_a_redirect)
{
    static char large[1 << 20];
    size_t head = (size_t)sprintf(large,
                                  "HTTP/1.1 302 Found\r\nLocation: /x\r\n"
                                  "Content-Length: %d\r\n\r\n",
                                  1 << 19);

    make_all(NULL);
    peer_will_bytes(large, head + (1 << 18), PEER_HOLDS); /* it never ends */
    peer_will(OK_HELLO, 0);
    fetch_redirected("GET", no_body, 1);
    expect_status(outcomes[0].status, 0);
    expect_string(outcomes[0].body, "hello");
    expect_int(peer_accepted, 2);
    end_all();
}

/* ---- decoding ---- */

/* Compress, and put a head before it.  Returns the size. */
static size_t make_gzip(char *to, size_t room, const char *text, size_t size,
                        size_t cut)
{
    static unsigned char packed[1 << 18];
    z_stream z = {0};
    size_t head;

    expect_int(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
               Z_OK);
    z.next_in = (unsigned char *)text;
    z.avail_in = (unsigned)size;
    z.next_out = packed;
    z.avail_out = sizeof(packed);
    expect_int(deflate(&z, Z_FINISH), Z_STREAM_END);
    head = (size_t)snprintf(to, room,
                            OK "Content-Encoding: gzip\r\nContent-Length: "
                               "%lu\r\n\r\n",
                            z.total_out - cut);
    expect(head + z.total_out < room);
    memcpy(to + head, packed, z.total_out - cut);
    head += z.total_out - cut;
    deflateEnd(&z);
    return head;
}

static char gzipped[1 << 18];

CASE(fetch_decodes_a_compressed_body)
{
    size_t size;

    make_all(NULL);
    size = make_gzip(gzipped, sizeof(gzipped), "hello, hello", 12, 0);
    peer_will_bytes(gzipped, size, 0);
    get("/");
    expect_status(outcomes[0].status, 0);
    expect_string(outcomes[0].body, "hello, hello");
    peer_will(OK "Content-Encoding: unknown\r\nContent-Length: 2\r\n\r\nab", 0);
    get("/");
    expect_status(outcomes[0].status, 0);
    expect_string(outcomes[0].body, "ab");
    expect_int(counts().idle, 1);
    end_all();
}

CASE(fetch_does_not_decode_what_it_has_not_asked_for)
{
    weir_http_field range = WEIR_HTTP_FIELD("Range", "bytes=0-1");

    make_all(NULL);
    peer_will(OK "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\nab", 0);
    expect_status(start(&outcomes[0],
                        FETCH_OPTIONS(.url = peer_url("/"), .is_raw = true)),
                  0);
    wait_for(&outcomes[0]);
    expect_string(outcomes[0].body, "ab");
    peer_will(OK "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\nab", 0);
    expect_status(
        start(&outcomes[0], FETCH_OPTIONS(.url = peer_url("/"),
                                          .fields = &range, .field_count = 1)),
        0);
    wait_for(&outcomes[0]);
    expect_string(outcomes[0].body, "ab");
    expect_not_sent("Accept-Encoding");
    end_all();
}

CASE(fetch_of_a_corrupt_or_cut_compressed_body_fails)
{
    size_t size;

    make_all(NULL);
    size = make_gzip(gzipped, sizeof(gzipped), "hello, hello", 12, 9);
    peer_will_bytes(gzipped, size, 0);
    get("/");
    expect_status(outcomes[0].status, WEIR_ETRUNCATED);
    peer_will(OK "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd", 0);
    get("/");
    expect_status(outcomes[0].status, -EBADMSG);
    end_all();
}

static unsigned body_calls;

static void pause_and_count(struct outcome *outcome)
{
    body_calls++;
    weir_fetch_pause(outcome->fetch);
}

/* A small body that becomes large does so at the owner's pace. */
CASE(fetch_that_is_paused_stops_decoding)
{
    static char zeros[1 << 20];
    size_t size;

    make_all(NULL);
    size = make_gzip(gzipped, sizeof(gzipped), zeros, sizeof(zeros), 0);
    peer_will_bytes(gzipped, size, 0);
    outcomes[0].on_body = pause_and_count;
    expect_status(start(&outcomes[0], FETCH_OPTIONS(.url = peer_url("/"))), 0);
    step_until(&body_calls, 1);
    loop_turns(5);
    expect_int(body_calls, 1);
    expect(outcomes[0].size <= 16 * 1024);
    for (unsigned i = 2; outcomes[0].status == 1 && i < 1000; i++) {
        weir_fetch_resume(outcomes[0].fetch);
        loop_turns(3);
        expect(body_calls <= i);
    }
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, 0);
    expect_int(outcomes[0].size, sizeof(zeros));
    end_all();
}

CASE(fetch_limit_counts_the_decoded_body)
{
    static char zeros[1 << 20];
    size_t size;

    make_all(CLIENT_OPTIONS(.body_bytes = 100000));
    size = make_gzip(gzipped, sizeof(gzipped), zeros, sizeof(zeros), 0);
    expect(size < 100000);
    peer_will_bytes(gzipped, size, 0);
    get("/");
    expect_status(outcomes[0].status, WEIR_ELIMIT);
    end_all();
}

/* ---- as a whole ---- */

static void on_collected(void *arg, weir_fetch *fetch, int status,
                         weir_bytes body)
{
    struct outcome *outcome = arg;

    outcome->ends++;
    outcome->status = status;
    outcome->code = weir_fetch_status(fetch);
    copy_text(outcome->body, sizeof(outcome->body), body);
}

static void collect_by(const char *method, size_t limit)
{
    outcomes[0].status = 1;
    outcomes[0].ends = 0;
    expect_status(weir_fetch_collect(client, NULL, limit, on_collected,
                                     &outcomes[0],
                                     FETCH_OPTIONS(.url = peer_url("/"),
                                                   .method = method)),
                  0);
    wait_for(&outcomes[0]);
}

static void collect(size_t limit)
{
    collect_by("GET", limit);
}

CASE(fetch_collects_a_response)
{
    make_all(NULL);
    peer_will(OK_HELLO, 0);
    collect(5);
    expect_status(outcomes[0].status, 0);
    expect_int(outcomes[0].code, 200);
    expect_string(outcomes[0].body, "hello");
    peer_will(OK "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n"
                 "0\r\n\r\n",
              0);
    collect(6);
    expect_string(outcomes[0].body, "abcdef");
    peer_will("HTTP/1.1 204 No\r\n\r\n", 0);
    collect(0);
    expect_status(outcomes[0].status, 0);
    peer_will(OK "Content-Length: 100\r\n\r\n", 0);
    collect_by("HEAD", 5);
    expect_status(outcomes[0].status, 0);
    end_all();
}

CASE(fetch_collects_no_more_than_its_limit)
{
    make_all(NULL);
    peer_will(OK_HELLO, 0);
    collect(4);
    expect_status(outcomes[0].status, WEIR_ELIMIT);
    peer_will(OK "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n"
                 "0\r\n\r\n",
              0);
    collect(5);
    expect_status(outcomes[0].status, WEIR_ELIMIT);
    end_all();
}

/* ---- drain and close ---- */

static void on_drained(void *arg)
{
    note("drained");
}

CASE(client_without_fetches_is_drained_soon)
{
    make_all(NULL);
    peer_will(OK_HELLO, 0);
    get("/");
    expect_status(weir_http_client_drain(client, on_drained, NULL), 0);
    expect_recorded("");
    expect_int(counts().connections, 0);
    /* covers: weir_http_client_drain -EALREADY
     * covers: weir_http_client_drain -EINVAL */
    expect_status(weir_http_client_drain(client, on_drained, NULL), -EALREADY);
    expect_status(weir_http_client_drain(NULL, on_drained, NULL), -EINVAL);
    loop_turns(2);
    expect_recorded("drained");
    peer_will(OK_HELLO, 0);
    get("/");
    expect_status(outcomes[0].status, 0);
    expect_int(counts().connections, 0);
    loop_turns(2);
    expect_recorded("");
    end_all();
}

CASE(client_that_drains_finishes_its_fetches_and_reuses_nothing)
{
    make_all(NULL);
    peer_will("", PEER_HOLDS);
    peer_will(OK_HELLO, 0);
    expect_status(start(&outcomes[0], FETCH_OPTIONS(.url = peer_url("/"))), 0);
    step_until(&peer_requests, 1);
    expect_status(weir_http_client_drain(client, on_drained, NULL), 0);
    loop_turns(3);
    expect_recorded("");
    peer_forget();
    expect_status(start(&outcomes[1], FETCH_OPTIONS(.url = peer_url("/"))), 0);
    wait_for(&outcomes[1]);
    expect_status(outcomes[1].status, 0);
    expect_sent("Connection: close");
    expect_int(counts().connections, 1);
    expect_recorded("");
    expect_status(weir_http_client_drain(client, on_drained, NULL), -EALREADY);
    peer_close_last(); /* that of the second */
    expect_int(outcomes[0].ends, 0);
    weir_fetch_abort(outcomes[0].fetch);
    wait_for(&outcomes[0]);
    loop_turns(2);
    expect_recorded("drained");
    end_all();
}

CASE(client_close_cancels_everything)
{
    bool is_closed = false;

    make_all(CLIENT_OPTIONS(.connections_per_origin = 1));
    peer_will(OK "Content-Length: 9\r\n\r\na", PEER_HOLDS);
    expect_status(start(&outcomes[0], FETCH_OPTIONS(.url = peer_url("/"))), 0);
    expect_status(start(&outcomes[1], FETCH_OPTIONS(.url = peer_url("/"))), 0);
    step_until(&outcomes[0].heads, 1);
    weir_http_client_close(client, on_closed, &is_closed);
    expect_int(outcomes[0].ends + outcomes[1].ends, 0);
    peer_stop();
    loop_run();
    expect(is_closed);
    expect_status(outcomes[0].status, WEIR_ECANCELED);
    expect_status(outcomes[1].status, WEIR_ECANCELED);
    loop_end();
}

static void close_client(struct outcome *outcome)
{
    weir_http_client_close(client, NULL, NULL);
}

CASE(client_can_be_closed_in_a_callback)
{
    make_all(NULL);
    peer_will(OK_HELLO, 0);
    outcomes[0].on_body = close_client;
    get("/");
    expect_status(outcomes[0].status, WEIR_ECANCELED);
    peer_stop();
    loop_run();
    loop_end();
}

static void start_too_late(struct outcome *outcome)
{
    /* covers: weir_fetch_start WEIR_ECLOSED */
    expect_status(start(&outcomes[1], FETCH_OPTIONS(.url = peer_url("/"))),
                  WEIR_ECLOSED);
    note("refused");
}

CASE(client_that_is_being_closed_admits_no_fetch)
{
    make_all(NULL);
    peer_will("", PEER_HOLDS);
    outcomes[0].on_end = start_too_late;
    expect_status(start(&outcomes[0], FETCH_OPTIONS(.url = peer_url("/"))), 0);
    step_until(&peer_requests, 1);
    end_all();
    expect_recorded("refused");
}

CASE(client_can_be_closed_at_the_end_of_a_fetch)
{
    make_all(NULL);
    peer_will(OK_HELLO, 0);
    outcomes[0].on_end = close_client;
    get("/");
    expect_status(outcomes[0].status, 0);
    peer_stop();
    loop_run();
    loop_end();
}

CASE(client_fetches_are_cancelled_when_the_loop_ends)
{
    make_all(CLIENT_OPTIONS(.connections_per_origin = 1));
    peer_will(OK_HELLO, 0);
    get("/");
    peer_will(OK "Content-Length: 9\r\n\r\na", PEER_HOLDS);
    expect_status(start(&outcomes[0], FETCH_OPTIONS(.url = peer_url("/"))), 0);
    expect_status(start(&outcomes[1], FETCH_OPTIONS(.url = peer_url("/"))), 0);
    expect_status(
        start(&outcomes[2], FETCH_OPTIONS(.url = "http://127.0.0.3:1/")), 0);
    step_until(&outcomes[0].heads, 1);
    outcomes[2].status = 1;
    expect_status(start(&outcomes[3], FETCH_OPTIONS(.url = peer_url("/"))), 0);
    weir_loop_ref(loop);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_status(outcomes[0].status, WEIR_ECANCELED);
    expect_status(outcomes[1].status, WEIR_ECANCELED);
    expect_status(outcomes[3].status, WEIR_ECANCELED);
    expect_int(outcomes[0].ends, 1);
    expect_int(outcomes[1].ends, 1);
    weir_http_client_close(client, NULL, NULL);
    weir_loop_unref(loop);
}

/* ---- connecting, proxies ---- */

CASE(fetch_where_nobody_listens_is_refused)
{
    make_all(NULL);
    expect_status(
        start(&outcomes[0], FETCH_OPTIONS(.url = "http://127.0.0.1:1/")), 0);
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, -ECONNREFUSED);
    end_all();
}

static void set_proxy(const char *user, const char *exempt)
{
    static char text[96];
    weir_http_client_options options = {.size = sizeof(options),
                                        .http_proxy = text,
                                        .https_proxy = text,
                                        .no_proxy = exempt};

    loop_make(NULL);
    peer_start();
    snprintf(text, sizeof(text), "http://%s127.0.0.1:%u", user, peer_port());
    expect_status(weir_http_client_new(&client, loop, &options), 0);
}

CASE(fetch_through_a_proxy_sends_the_whole_url)
{
    set_proxy("us%65r:pass@", "127.0.0.1");
    peer_will(OK_HELLO, 0);
    expect_status(
        start(&outcomes[0], FETCH_OPTIONS(.url = "http://Example.org/a?b")), 0);
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, 0);
    expect_sent("GET http://example.org/a?b HTTP/1.1\r\nHost: example.org\r\n");
    expect_sent("Proxy-Authorization: Basic dXNlcjpwYXNz\r\n");
    peer_will(OK_HELLO, 0);
    expect_status(
        start(&outcomes[0], FETCH_OPTIONS(.url = "http://example.com/")), 0);
    wait_for(&outcomes[0]);
    expect_int(peer_accepted, 1); /* one pool for the proxy */
    peer_forget();
    peer_will(OK_HELLO, 0);
    get("/direct"); /* exempt */
    expect_sent("GET /direct HTTP/1.1");
    expect_not_sent("Proxy-Authorization");
    end_all();
}

CASE(fetch_through_a_proxy_that_refuses_the_tunnel_fails)
{
    static const struct {
        const char *answer;
        int status;
    } rows[] = {
        {"HTTP/1.1 407 Auth\r\nContent-Length: 3\r\n\r\nabc", -EACCES},
        {"HTTP/1.1 502 Bad\r\nContent-Length: 3\r\n\r\nabc", -ECONNREFUSED},
        {"HTTP/1.1 200 OK\r\n\r\nnoise", WEIR_EHTTP},
        {"nonsense\r\n\r\n", WEIR_EHTTP},
        {"HTTP/1.1 2", WEIR_ETRUNCATED},
    };

    set_proxy("", "");
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        peer_forget();
        peer_will(rows[i].answer, PEER_CLOSES);
        expect_status(
            start(&outcomes[0], FETCH_OPTIONS(.url = "https://[::5]/")), 0);
        wait_for(&outcomes[0]);
        expect_status(outcomes[0].status, rows[i].status);
        expect_sent("CONNECT [::5]:443 HTTP/1.1\r\nHost: [::5]:443\r\n");
        expect_not_sent("Proxy-Authorization");
        expect_int(counts().connections, 0);
    }
    end_all();
}

CASE(client_reads_its_proxies_from_the_environment)
{
    char text[64];

    loop_make(NULL);
    peer_start();
    snprintf(text, sizeof(text), "127.0.0.1:%u", peer_port());
    expect_int(setenv("HTTP_PROXY", text, 1), 0);
    expect_int(setenv("no_proxy", "a.org, .b.org:81,*.c.org", 1), 0);
    expect_status(weir_http_client_new(&client, loop, NULL), 0);
    expect_int(unsetenv("HTTP_PROXY"), 0);
    peer_will(OK_HELLO, 0);
    expect_status(start(&outcomes[0], FETCH_OPTIONS(.url = "http://x.b.org/")),
                  0);
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, 0);
    expect_sent("GET http://x.b.org/ HTTP/1.1");
    end_all();
    /* In a CGI program HTTP_PROXY comes from a request. */
    expect_int(setenv("HTTP_PROXY", "not valid at all:", 1), 0);
    expect_int(setenv("REQUEST_METHOD", "GET", 1), 0);
    loop_make(NULL);
    expect_status(weir_http_client_new(&client, loop, NULL), 0);
    weir_http_client_close(client, NULL, NULL);
    loop_run();
    loop_end();
}

/* ---- nonsense ---- */

CASE(client_refuses_invalid_options)
{
    weir_http_client_options small = {.size = 1};
    char large[sizeof(weir_http_client_options) + 8] = {0};
    size_t size = sizeof(large);

    loop_make(NULL);
    /* covers: weir_http_client_new -EINVAL
     * covers: weir_http_client_new -E2BIG */
    expect_status(weir_http_client_new(NULL, loop, NULL), -EINVAL);
    expect_status(weir_http_client_new(&client, NULL, NULL), -EINVAL);
    expect_status(weir_http_client_new(&client, loop, &small), -EINVAL);
    memcpy(large, &size, sizeof(size));
    large[size - 1] = 1;
    expect_status(weir_http_client_new(&client, loop, (void *)large), -E2BIG);
    expect_status(weir_http_client_new(&client, loop,
                                       CLIENT_OPTIONS(.user_agent = "a\r\nb")),
                  -EINVAL);
    expect_status(
        weir_http_client_new(&client, loop, CLIENT_OPTIONS(.body_bytes = -1)),
        -EINVAL);
    for (const char *const *proxy =
             (const char *const[]){"https://a", "socks5://a", "http://", "a:b",
                                   "http://u@", NULL};
         *proxy != NULL; proxy++)
        expect_status(
            weir_http_client_new(&client, loop,
                                 &(weir_http_client_options){
                                     .size = sizeof(weir_http_client_options),
                                     .http_proxy = *proxy}),
            -EINVAL);
    loop_end();
}

CASE(fetch_refuses_invalid_options)
{
    static const char *const urls[] = {
        "", "/", "ftp://a/", "http://", "http://u:p@a/", NULL};
    static const char *const names[] = {
        "a b",     "Content-Length", "Connection", "Transfer-Encoding",
        "Upgrade", "Trailer",        NULL};
    weir_http_field field = WEIR_HTTP_FIELD("X", "1");
    weir_fetch_options small = {.size = 1};
    char large[sizeof(weir_fetch_options) + 8] = {0};
    size_t size = sizeof(large);
    weir_fetch *fetch;

    make_all(NULL);
    /* covers: weir_fetch_start -EINVAL
     * covers: weir_fetch_start -E2BIG */
    expect_status(weir_fetch_start(client, &fetch, NULL), -EINVAL);
    expect_status(weir_fetch_start(client, &fetch, &small), -EINVAL);
    expect_status(
        weir_fetch_start(NULL, &fetch,
                         FETCH_OPTIONS(.url = "http://a/", .on_end = on_end)),
        -EINVAL);
    expect_status(
        weir_fetch_start(client, &fetch, FETCH_OPTIONS(.url = "http://a/")),
        -EINVAL);
    memcpy(large, &size, sizeof(size));
    large[size - 1] = 1;
    expect_status(weir_fetch_start(client, &fetch, (void *)large), -E2BIG);
    for (const char *const *url = urls; *url != NULL; url++)
        expect_status(start(&outcomes[0], FETCH_OPTIONS(.url = *url)), -EINVAL);
    for (const char *const *name = names; *name != NULL; name++) {
        field.name = (weir_bytes){*name, strlen(*name)};
        expect_status(start(&outcomes[0],
                            FETCH_OPTIONS(.url = "http://a/", .fields = &field,
                                          .field_count = 1)),
                      -EINVAL);
    }
    field = (weir_http_field)WEIR_HTTP_FIELD("X", "1\r\nY: 2");
    expect_status(
        start(&outcomes[0], FETCH_OPTIONS(.url = "http://a/", .fields = &field,
                                          .field_count = 1)),
        -EINVAL);
    expect_status(start(&outcomes[0],
                        FETCH_OPTIONS(.url = "http://a/", .field_count = 1)),
                  -EINVAL);
    expect_status(start(&outcomes[0],
                        FETCH_OPTIONS(.url = "http://a/", .method = "CONNECT")),
                  -EINVAL);
    expect_status(
        start(&outcomes[0], FETCH_OPTIONS(.url = "http://a/", .method = "G T")),
        -EINVAL);
    expect_status(start(&outcomes[0],
                        FETCH_OPTIONS(.url = "http://a/", .is_streaming = true,
                                      .body = {"x", 1})),
                  -EINVAL);
    /* covers: weir_fetch_collect -EINVAL */
    expect_status(weir_fetch_collect(client, NULL, 1, NULL, NULL,
                                     FETCH_OPTIONS(.url = "http://a/")),
                  -EINVAL);
    expect_status(weir_fetch_collect(
                      client, NULL, 1, on_collected, NULL,
                      FETCH_OPTIONS(.url = "http://a/", .on_body = on_body)),
                  -EINVAL);
    /* covers: weir_http_client_get_counts -EINVAL */
    expect_status(weir_http_client_get_counts(client, NULL), -EINVAL);
    expect_status(weir_http_client_get_counts(NULL, NULL), -EINVAL);
    expect_int(counts().fetches, 0);
    end_all();
}

/* ---- no memory ---- */

static int try_once(void)
{
    weir_bytes body = WEIR_BYTES_OF("body");
    weir_http_field field = WEIR_HTTP_FIELD("X", "1");
    int err;

    outcomes[0].status = 1;
    outcomes[0].ends = 0;
    err = weir_fetch_collect(
        client, NULL, 1 << 20, on_collected, &outcomes[0],
        FETCH_OPTIONS(.url = peer_url("/a"), .method = "PUT", .body = body,
                      .fields = &field, .field_count = 1, .redirects = 1));
    if (err != 0)
        return err;
    wait_for(&outcomes[0]);
    return outcomes[0].status;
}

/* Every allocation of a fetch fails once: it fails alone, or succeeds. */
CASE(fetch_without_memory_fails_and_leaks_nothing)
{
    struct failing_allocator memory;
    size_t size;
    int status = 1, failures = 0;

    size = make_gzip(gzipped, sizeof(gzipped), "hello, hello", 12, 0);
    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    make_all(NULL);
    for (uint64_t n = 1; n < 200; n++) {
        peer_will("HTTP/1.1 307 T\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n",
                  0);
        peer_will_bytes(gzipped, size, 0);
        memory.fail_at = memory.calls + n;
        status = try_once();
        /* covers: weir_fetch_start -ENOMEM
     * covers: weir_fetch_collect -ENOMEM */
        if (status != 0)
            failures++;
        memory.fail_at = 0;
        weir_http_client_close(client, NULL, NULL);
        peer_stop();
        loop_run();
        peer_start();
        peer_will_nothing();
        expect_status(weir_http_client_new(&client, loop,
                                           CLIENT_OPTIONS(.connections = 2)),
                      0);
        if (status == 0 && n > 60)
            break;
    }
    expect_status(status, 0);
    expect(failures > 5);
    end_all();
    expect_int(memory.live, 0);
}

CASE(client_without_memory_is_not_made)
{
    struct failing_allocator memory;
    int err = -ENOMEM;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    loop_make(NULL);
    for (uint64_t n = 1; n < 50 && err != 0; n++) {
        uint64_t live = memory.live;

        memory.fail_at = memory.calls + n;
        err = weir_http_client_new(
            &client, loop, CLIENT_OPTIONS(.no_proxy = "a", .user_agent = "b"));
        memory.fail_at = 0;
        /* covers: weir_http_client_new -ENOMEM */
        if (err != 0) {
            expect_status(err, -ENOMEM);
            expect_int(memory.live, live);
        }
    }
    expect_status(err, 0);
    weir_http_client_close(client, NULL, NULL);
    loop_run();
    loop_end();
    expect_int(memory.live, 0);
}

static struct failing_allocator scarce;

static void write_without_memory(struct outcome *outcome)
{
    weir_bytes piece = WEIR_BYTES_OF("piece");

    scarce.fail_at = scarce.calls + 1;
    /* covers: weir_fetch_write -ENOMEM */
    expect_status(weir_fetch_write(outcome->fetch, piece, on_piece, NULL),
                  -ENOMEM);
    scarce.fail_at = scarce.calls + 1;
    /* covers: weir_fetch_finish -ENOMEM */
    expect_status(weir_fetch_finish(outcome->fetch, NULL, 0), -ENOMEM);
    expect_status(weir_fetch_write(outcome->fetch, piece, NULL, NULL), 0);
    expect_status(weir_fetch_finish(outcome->fetch, NULL, 0), 0);
}

CASE(fetch_write_without_memory_has_no_effect)
{
    failing_allocator_init(&scarce, 0);
    expect_status(weir_set_allocator(&scarce.hooks), 0);
    make_all(NULL);
    peer_will(OK_HELLO, 0);
    outcomes[0].on_writable = write_without_memory;
    expect_status(start(&outcomes[0],
                        FETCH_OPTIONS(.url = peer_url("/"), .method = "POST",
                                      .is_streaming = true, .stream_size = -1)),
                  0);
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, 0);
    expect_sent("\r\n\r\n5\r\npiece\r\n0\r\n\r\n");
    end_all();
    expect_int(scarce.live, 0);
}
