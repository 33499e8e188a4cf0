/* SPDX-License-Identifier: MIT */
/*
 * client -- which connections are used, and how all of it ends.
 */
#include "net/support/fetch_fixture.h"
#include "support/failing_allocator.h"
#include "weir/net/lookup.h"

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

CASE(client_makes_one_connection_for_each_fetch_at_most)
{
    make_all(NULL);
    peer_will(OK_HELLO, 0);
    expect_status(start(&outcomes[0], FETCH_OPTIONS(.url = peer_url("/"))), 0);
    expect_status(
        start(&outcomes[1], FETCH_OPTIONS(.url = "http://127.0.0.1:1/")), 0);
    expect_int(counts().connections, 2);
    weir_fetch_abort(outcomes[1].fetch); /* serves those who wait */
    expect_int(counts().connections, 1);
    wait_for(&outcomes[0]);
    wait_for(&outcomes[1]);
    expect_int(peer_accepted, 1);
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

CASE(client_believes_the_shortest_time_that_a_server_announces)
{
    make_all(NULL);
    expect_status(weir_clock_freeze(WEIR_S(1000)), 0);
    peer_will(OK "Keep-Alive: timeout=9, timeout=5\r\n"
                 "Content-Length: 0\r\n\r\n",
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
        /* covers: weir_fetch_start -ENOMEM */
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

static void write_or_give_up(struct outcome *outcome)
{
    weir_bytes piece = WEIR_BYTES_OF("piece");

    if (weir_fetch_write(outcome->fetch, piece, on_piece, NULL) != 0 ||
        weir_fetch_finish(outcome->fetch, NULL, 0) != 0)
        weir_fetch_abort(outcome->fetch);
}

/* Resume what was paused, until it is over. */
static int try_streaming(void)
{
    int err = start(&outcomes[0],
                    FETCH_OPTIONS(.url = peer_url("/"), .method = "POST",
                                  .is_streaming = true, .stream_size = -1));

    for (int i = 0; err == 0 && i < 1000 && outcomes[0].status == 1; i++) {
        expect_status(weir_loop_step(loop, WEIR_MS(10)), 0);
        if (outcomes[0].status == 1)
            weir_fetch_resume(outcomes[0].fetch);
    }
    return err != 0 ? err : outcomes[0].status;
}

static bool is_stopped;

static void stop_in_piece(struct outcome *outcome)
{
    pause_fetch(outcome);
    is_stopped = true;
}

CASE(fetch_that_is_paused_in_the_last_piece_ends_when_it_is_resumed)
{
    make_all(NULL);
    outcomes[0].on_body = stop_in_piece;
    peer_will(OK "Content-Length: 5\r\n\r\nhello", 0);
    expect_status(start(&outcomes[0], FETCH_OPTIONS(.url = peer_url("/"))), 0);
    while (!is_stopped)
        expect_status(weir_loop_step(loop, -1), 0);
    weir_fetch_resume(outcomes[0].fetch);
    while (outcomes[0].status == 1)
        expect_status(weir_loop_step(loop, -1), 0);
    expect_status(outcomes[0].status, 0);
    end_all();
    (void)take_record();
}

CASE(fetch_that_streams_without_memory_fails_and_leaks_nothing)
{
    struct failing_allocator memory;
    int status = 1, failures = 0;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    make_all(NULL);
    outcomes[0].on_writable = write_or_give_up;
    outcomes[0].on_head = outcomes[0].on_body = pause_fetch;
    for (uint64_t n = 1; n < 100; n++) {
        peer_will(OK "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n"
                     "0\r\nX-Sum: 2\r\n\r\n",
                  0);
        memory.fail_at = memory.calls + n;
        status = try_streaming();
        expect(status != 1);
        failures += status != 0;
        memory.fail_at = 0;
        weir_http_client_close(client, NULL, NULL);
        peer_stop();
        loop_run();
        peer_start();
        peer_will_nothing();
        expect_status(weir_http_client_new(&client, loop,
                                           CLIENT_OPTIONS(.connections = 2)),
                      0);
    }
    expect_status(status, 0);
    expect(failures > 5);
    end_all();
    (void)take_record();
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
