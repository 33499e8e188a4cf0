/* SPDX-License-Identifier: MIT */
/*
 * redirect -- where a request goes next, and what it takes along.
 */
#include "net/support/fetch_fixture.h"
#include "weir/net/lookup.h"

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
