/* SPDX-License-Identifier: MIT */
/*
 * fetch -- what a fetch sends, what its owner is told, and what is sent again.
 */
#include "net/support/fetch_fixture.h"

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

CASE(fetch_is_not_repeated_after_a_reset_in_the_response)
{
    make_all(NULL);
    peer_will(OK_HELLO, 0);
    get("/");
    peer_will(OK "Content-Length: 9\r\n\r\na", PEER_HOLDS);
    expect_status(start(&outcomes[0], FETCH_OPTIONS(.url = peer_url("/"))), 0);
    step_until(&outcomes[0].heads, 1);
    peer_reset_last();
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, WEIR_ETRUNCATED);
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

/* ---- as a whole ---- */

static void collect_by(const char *method, size_t limit)
{
    outcomes[0].status = 1;
    outcomes[0].ends = 0;
    expect_status(weir_fetch_collect(
                      client, NULL, limit, on_collected, &outcomes[0],
                      FETCH_OPTIONS(.url = peer_url("/"), .method = method)),
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

/* ---- callbacks that raise ---- */

static void raise_once(struct outcome *outcome)
{
    outcome->on_head = outcome->on_body = outcome->on_end = NULL;
    outcome->on_writable = NULL;
    weir_raise(-EIO, "on purpose");
}

#define CHUNKS                                                                 \
    OK "Transfer-Encoding: "                                                   \
       "chunked\r\n\r\n5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n"

/* What follows is lost, so that the fetch must not seem to be complete. */
CASE(fetch_whose_head_or_body_function_raises_fails_alone)
{
    make_all(NULL);
    for (int i = 0; i < 2; i++) {
        peer_will(CHUNKS, 0);
        *(i == 0 ? &outcomes[0].on_head : &outcomes[0].on_body) = raise_once;
        get("/");
        expect_status(outcomes[0].status, WEIR_ECANCELED);
        peer_will(CHUNKS, 0);
        get("/");
        expect_status(outcomes[0].status, 0);
        expect_string(outcomes[0].body, "helloworld");
    }
    end_all();
}

/* The client can be drained, and is closed. */
CASE(fetch_whose_end_raises_has_ended)
{
    make_all(NULL);
    peer_will(CHUNKS, 0);
    outcomes[0].on_end = raise_once;
    get("/");
    expect_status(outcomes[0].status, 0);
    expect_int(counts().fetches, 0);
    end_all();
}

CASE(fetch_whose_upload_raises_fails_alone)
{
    make_all(NULL);
    peer_will("", 0);
    outcomes[0].on_writable = raise_once;
    expect_status(start(&outcomes[0],
                        FETCH_OPTIONS(.url = peer_url("/"), .method = "POST",
                                      .is_streaming = true)),
                  0);
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, WEIR_ECANCELED);
    end_all();
}
