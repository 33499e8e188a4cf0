/* SPDX-License-Identifier: MIT */
/*
 * request.c -- what each kind of connection sends.
 *
 * Every request has an id of its own in its target.  The server writes the
 * target to its log when it executes the request, and returns the id, so that
 * the log and the answers can be compared.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "connection.h"

enum { CHUNK = 1040, MS = 1000000 };

static void queue_text(connection *c, const char *text)
{
    connection_queue(c, text, strlen(text));
}

/* Sizes as services see them: mostly small, rarely large. */
static size_t choose_size(connection *c)
{
    uint64_t die = load_random(c->load, 100);
    if (c->kind == KIND_PIPELINE || die < 70)
        return load_random(c->load, 2000);
    return load_random(c->load, die < 95 ? 16000 : 130000);
}

static request *add_request(connection *c)
{
    load *l = c->load;
    int at = (c->first + c->outstanding++) % REQUESTS_MAX;
    request *r = &c->requests[at];
    r->id = l->next_id++;
    r->body = NULL;
    r->size = 0;
    r->start = c->queued;
    r->begun_ns = l->now_ns;
    r->idle_ns = c->served == 0 ? 0 : l->now_ns - c->idle_since_ns;
    return r;
}

/* A few requests in five stop somewhere for a moment. */
static void hold_sometimes(connection *c, const request *r)
{
    load *l = c->load;
    if (c->kind == KIND_PIPELINE || load_random(l, 5) != 0)
        return;
    c->hold_at = r->start + 1 + load_random(l, r->end - r->start - 1);
    c->hold_ns = l->now_ns + (int64_t)load_random(l, 5 * MS);
}

static void queue_chunks(connection *c, const unsigned char *body, size_t size)
{
    char line[32];
    while (size > 0) {
        size_t part = 1 + load_random(c->load, size);
        snprintf(line, sizeof line, "%zx\r\n", part);
        queue_text(c, line);
        connection_queue(c, body, part);
        queue_text(c, "\r\n");
        body += part;
        size -= part;
    }
    queue_text(c, "0\r\n\r\n");
}

static void begin_post(connection *c, bool chunked)
{
    char head[256];
    request *r = add_request(c);
    size_t size = choose_size(c);
    r->body = load_text + r->id % 26;
    r->size = size;
    if (chunked)
        snprintf(head, sizeof head,
                 "POST /echo?id=%" PRIu64 " HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                 "Transfer-Encoding: chunked\r\n\r\n",
                 r->id);
    else
        snprintf(head, sizeof head,
                 "POST /echo?id=%" PRIu64 " HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                 "Content-Length: %zu\r\n\r\n",
                 r->id, size);
    queue_text(c, head);
    if (chunked)
        queue_chunks(c, r->body, size);
    else
        connection_queue(c, r->body, size);
    r->end = c->queued;
    hold_sometimes(c, r);
}

static void begin_get(connection *c, const char *path, uint64_t size)
{
    char head[256];
    request *r = add_request(c);
    r->body = size == 0 ? NULL : load_text;
    r->size = size;
    snprintf(head, sizeof head,
             "GET %s&id=%" PRIu64 " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", path,
             r->id);
    queue_text(c, head);
    r->end = c->queued;
}

static void begin_stream(connection *c)
{
    char path[64];
    uint64_t chunks = 2 + load_random(c->load, 20);
    snprintf(path, sizeof path, "/stream?chunks=%" PRIu64 "&ms=5", chunks);
    begin_get(c, path, chunks * CHUNK);
}

static void begin_large(connection *c)
{
    char path[64];
    uint64_t size = 100000 + load_random(c->load, 400000);
    snprintf(path, sizeof path, "/large?bytes=%" PRIu64, size);
    begin_get(c, path, size);
}

/* A request that stops half way: in the header, or 100 bytes into the body. */
static void begin_half(connection *c)
{
    static const char head[] =
        "POST /echo?id=%" PRIu64 " HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        "Content-Length: 300\r\n\r\n";
    bool in_body = c->kind == KIND_HALF_BODY || c->kind == KIND_STUCK_BODY;
    bool is_stuck = c->kind == KIND_STUCK_HEADER || c->kind == KIND_STUCK_BODY;
    char text[256];
    request *r = add_request(c);
    int length = snprintf(text, sizeof text, head, r->id);
    r->body = load_text + r->id % 26;
    r->size = 300;
    connection_queue(c, text, (size_t)length);
    connection_queue(c, r->body, 300);
    r->end = c->queued;
    c->hold_at =
        r->start + (uint64_t)(in_body
                                  ? length + 100
                                  : 1 + (int)load_random(c->load, length - 2));
    c->hold_ns = is_stuck ? INT64_MAX : 0;
}

void request_begin(connection *c)
{
    switch (c->kind) {
    case KIND_CHUNKED:
        begin_post(c, true);
        break;
    case KIND_PIPELINE:
        while (c->outstanding < REQUESTS_MAX)
            begin_post(c, load_random(c->load, 2) == 0);
        break;
    case KIND_STREAM:
        begin_stream(c);
        break;
    case KIND_SLOW:
        begin_large(c);
        break;
    case KIND_EVENTS:
        begin_get(c, "/events?ms=5", 0);
        break;
    case KIND_WEBSOCKET:
        websocket_begin(c);
        break;
    case KIND_HALF_HEADER:
    case KIND_HALF_BODY:
    case KIND_STUCK_HEADER:
    case KIND_STUCK_BODY:
        begin_half(c);
        break;
    default:
        begin_post(c, false);
    }
    connection_flush(c);
}
