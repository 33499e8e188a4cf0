/* SPDX-License-Identifier: MIT */
/*
 * upload -- the body of a request: bytes, pieces, and servers that do not wait for
 * them.
 */
#include "net/support/fetch_fixture.h"
#include "support/failing_allocator.h"

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
