/* SPDX-License-Identifier: MIT */
/*
 * exchange -- pause, abort, time and decoding.
 */
#include "net/support/fetch_fixture.h"

/* ---- pause, abort, time ---- */

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
    expect_int(weir_fetch_status_text(outcomes[0].fetch).size, 2);
    expect(memcmp(weir_fetch_status_text(outcomes[0].fetch).data, "OK", 2) ==
           0);
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

CASE(fetch_without_limits_of_time_waits)
{
    make_all(CLIENT_OPTIONS(.total_ns = WEIR_S(1), .header_ns = INT64_MAX,
                            .progress_ns = -1, .connect_ns = -1));
    expect_status(weir_clock_freeze(WEIR_S(1000)), 0);
    peer_will("", PEER_HOLDS);
    expect_status(start(&outcomes[0],
                        FETCH_OPTIONS(.url = peer_url("/"), .total_ns = -1)),
                  0);
    step_until(&peer_requests, 1);
    expect_status(weir_clock_advance(WEIR_S(100000)), 0);
    loop_turns(5);
    peer_send(OK "Content-Length: 2\r\n\r\na");
    step_until(&outcomes[0].heads, 1);
    expect_status(weir_clock_advance(WEIR_S(100000)), 0);
    loop_turns(5);
    expect_int(outcomes[0].ends, 0);
    peer_send("b");
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, 0);
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

/* ---- decoding ---- */

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

CASE(fetch_takes_several_lines_of_codings_as_one_list)
{
    make_all(NULL);
    peer_will(OK "Content-Encoding: gzip\r\nContent-Encoding: unknown\r\n"
                 "Content-Length: 2\r\n\r\nab",
              0);
    get("/");
    expect_status(outcomes[0].status, 0);
    expect_string(outcomes[0].body, "ab");
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

static bool was_decoded;

static void note_decoding(struct outcome *outcome)
{
    was_decoded = weir_fetch_is_decoded(outcome->fetch);
}

/* Get a compressed body with a field of the owner's. */
static void get_compressed(const weir_http_field *field, bool is_raw)
{
    size_t size = make_gzip(gzipped, sizeof(gzipped), "hello", 5, 0);

    peer_will_bytes(gzipped, size, 0);
    outcomes[0].on_head = note_decoding;
    expect_status(
        start(&outcomes[0], FETCH_OPTIONS(.url = peer_url("/"), .fields = field,
                                          .field_count = 1, .is_raw = is_raw,
                                          .is_always_decoded = true)),
        0);
    wait_for(&outcomes[0]);
    expect_status(outcomes[0].status, 0);
}

CASE(fetch_decodes_what_its_owner_has_asked_for_if_it_is_told_to)
{
    weir_http_field fields[] = {WEIR_HTTP_FIELD("Accept-Encoding", "x"),
                                WEIR_HTTP_FIELD("Range", "bytes=0-1")};

    make_all(NULL);
    for (int i = 0; i < 2; i++) {
        get_compressed(&fields[i], false);
        expect_string(outcomes[0].body, "hello");
        expect(was_decoded);
        expect_not_sent("deflate");
    }
    get_compressed(&fields[0], true);
    expect(!was_decoded);
    expect(strcmp(outcomes[0].body, "hello") != 0);
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
