/* SPDX-License-Identifier: MIT */
/*
 * fetch_fixture -- a client, the peer of http_peer.h, and what becomes of up to
 * four fetches.
 *
 *     make_all(NULL);                     or CLIENT_OPTIONS(.connections = 1)
 *     peer_will(OK_HELLO, 0);
 *     get("/path");
 *     expect_status(outcomes[0].status, 0);
 *     expect_sent("GET /path HTTP/1.1\r\n");
 *     end_all();
 */
#ifndef WEIR_TEST_NET_SUPPORT_FETCH_FIXTURE_H
#define WEIR_TEST_NET_SUPPORT_FETCH_FIXTURE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "net/support/http_peer.h"
#include "support/loop_fixture.h"
#include "weir/clock.h"
#include "weir/net/http_client.h"

static __attribute__((unused)) weir_http_client *client;

#define CLIENT_OPTIONS(...)                                                    \
    (&(weir_http_client_options){.size = sizeof(weir_http_client_options),     \
                                 .http_proxy = "",                             \
                                 .https_proxy = "",                            \
                                 __VA_ARGS__})

static inline void make_all(const weir_http_client_options *options)
{
    static const weir_http_client_options usual = {
        .size = sizeof(usual), .http_proxy = "", .https_proxy = ""};

    loop_make(NULL);
    peer_start();
    expect_status(
        weir_http_client_new(&client, loop, options != NULL ? options : &usual),
        0);
}

static inline void on_closed(void *arg)
{
    *(bool *)arg = true;
}

static inline void end_all(void)
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

static __attribute__((unused)) struct outcome outcomes[4];

static inline void copy_text(char *to, size_t room, weir_bytes from)
{
    snprintf(to, room, "%.*s", (int)from.size,
             from.data != NULL ? (const char *)from.data : "");
}

static inline void on_head(void *arg, weir_fetch *fetch, int status)
{
    struct outcome *outcome = arg;

    expect_status(status, 0);
    expect_int(outcome->ends, 0);
    outcome->heads++;
    outcome->code = weir_fetch_status(fetch);
    if (outcome->on_head != NULL)
        outcome->on_head(outcome);
}

static inline void on_body(void *arg, weir_fetch *fetch, weir_bytes bytes)
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

static inline void on_end(void *arg, weir_fetch *fetch, int status)
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

static inline void on_writable(void *arg, weir_fetch *fetch, int status)
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
static inline int start(struct outcome *outcome,
                        const weir_fetch_options *given)
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

static inline void wait_for(struct outcome *outcome)
{
    for (int i = 0; i < 3000 && outcome->status == 1; i++)
        expect_status(weir_loop_step(loop, WEIR_MS(10)), 0);
    expect(outcome->status != 1);
    expect_int(outcome->ends, 1);
}

static inline void get(const char *path)
{
    expect_status(start(&outcomes[0], FETCH_OPTIONS(.url = peer_url(path))), 0);
    wait_for(&outcomes[0]);
}

static inline weir_http_client_counts counts(void)
{
    weir_http_client_counts now = {.size = sizeof(now)};

    expect_status(weir_http_client_get_counts(client, &now), 0);
    return now;
}

static inline void step_until(const unsigned *counter, unsigned wanted)
{
    for (int i = 0; i < 3000 && *counter < wanted; i++)
        expect_status(weir_loop_step(loop, WEIR_MS(10)), 0);
    expect_int(*counter, wanted);
}

static inline void expect_sent(const char *text)
{
    if (strstr(peer_received(), text) == NULL)
        expect_string(peer_received(), text);
}

static inline void expect_not_sent(const char *text)
{
    if (strstr(peer_received(), text) != NULL)
        expect_string(peer_received(), "");
}

#define OK "HTTP/1.1 200 OK\r\n"
#define OK_HELLO OK "X-Test: yes\r\nContent-Length: 5\r\n\r\nhello"

/* ---- what several files need ---- */

static inline void expect_failure(const char *answer, unsigned flags,
                                  int status)
{
    peer_will(answer, flags);
    get("/");
    expect_status(outcomes[0].status, status);
    expect_int(counts().connections, 0);
}

static inline void pause_fetch(struct outcome *outcome)
{
    weir_fetch_pause(outcome->fetch);
}

static __attribute__((unused)) int pieces_left;
static __attribute__((unused)) bool has_trailers;

static inline void on_piece(void *arg, weir_fetch *fetch, int status)
{
    note(status == 0 ? "left" : "lost");
}

static inline void write_pieces(struct outcome *outcome)
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

static inline void on_collected(void *arg, weir_fetch *fetch, int status,
                                weir_bytes body)
{
    struct outcome *outcome = arg;

    outcome->ends++;
    outcome->status = status;
    outcome->code = weir_fetch_status(fetch);
    copy_text(outcome->body, sizeof(outcome->body), body);
}

/* Compress, and put a head before it.  Returns the size. */
static inline size_t make_gzip(char *to, size_t room, const char *text,
                               size_t size, size_t cut)
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

static __attribute__((unused)) char gzipped[1 << 18];

#endif /* WEIR_TEST_NET_SUPPORT_FETCH_FIXTURE_H */
