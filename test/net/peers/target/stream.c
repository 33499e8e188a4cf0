/* SPDX-License-Identifier: MIT */
/*
 * stream.c -- responses that take a while.
 *
 * Each has a state of its own, which the end of the request frees: on_end is
 * called exactly once, also when the client has left.
 */
#include <stdlib.h>
#include <string.h>

#include "target.h"
#include "weir/timer.h"

enum { TEXT = 64 * 1040 };

typedef struct stream {
    weir_http_request *request;
    weir_loop *loop;
    weir_timer timer; /* 0: none */
    int64_t left;     /* chunks, or bytes; negative: without end */
    bool is_over;     /* the response has ended */
} stream;

static char text[TEXT]; /* const after target_fill_text */

void target_fill_text(void)
{
    for (int i = 0; i < TEXT; i++)
        text[i] = (char)('a' + i % 26);
}

/* The request is over, in one way or the other. */
static void free_stream(void *arg, weir_http_request *request, int status)
{
    stream *s = arg;
    if (s->timer != 0)
        (void)!weir_timer_cancel(s->loop, s->timer);
    free(s);
}

static void end_stream(stream *s)
{
    if (s->is_over)
        return;
    s->is_over = true;
    if (s->timer != 0)
        (void)!weir_timer_cancel(s->loop, s->timer);
    s->timer = 0;
    target_complain("end", weir_http_end(s->request, NULL, 0));
}

static stream *begin_stream(weir_http_request *request, int64_t size)
{
    target_id id;
    stream *s = calloc(1, sizeof *s);
    if (s == NULL)
        abort();
    s->request = request;
    s->loop = weir_http_loop(request);
    target_fill_id(&id, request);
    int err = weir_http_request_on_end(request, free_stream, s);
    if (err != 0) {
        target_complain("on_end", err);
        free(s);
        return NULL;
    }
    if (size == -2) /* nothing is sent yet */
        return s;
    err = weir_http_begin(request, 200, &id.field, 1, size);
    target_complain("begin", err);
    return err == 0 ? s : NULL; /* on_end frees it */
}

/* ---- chunks by the clock ---- */

static void send_chunk(void *arg, int status)
{
    stream *s = arg;
    if (status != 0) {
        s->timer = 0;
        return;
    }
    /* Who does not read gets fewer events. */
    if (s->left < 0 && weir_http_is_full(s->request))
        return;
    weir_bytes chunk = {text, TARGET_CHUNK_BYTES};
    target_complain("write", weir_http_write(s->request, chunk, NULL, NULL));
    if (s->left > 0 && --s->left == 0)
        end_stream(s);
}

static void notice_drain(void *arg, weir_http_request *request, int status)
{
    end_stream(arg);
}

void target_stream(weir_http_request *request)
{
    int64_t ms = target_number(request, "ms", 5);
    stream *s = begin_stream(request, -1);
    if (s == NULL)
        return;
    s->left = target_number(request, "chunks", -1);
    int err = weir_timer_start(s->loop, &s->timer, WEIR_MS(ms < 1 ? 1 : ms),
                               WEIR_TIMER_FIXED_RATE, send_chunk, s);
    target_complain("timer", err);
    if (s->left < 0)
        target_complain("on_drain",
                        weir_http_request_on_drain(request, notice_drain, s));
}

/* ---- as much as the client reads ---- */

static void let_go(void *arg, weir_http_request *request, int status)
{
    /* The text is static: nothing to free. */
}

static void fill_response(void *arg, weir_http_request *request, int status)
{
    stream *s = arg;
    while (s->left > 0 && !weir_http_is_full(request)) {
        size_t part = s->left < TEXT ? (size_t)s->left : TEXT;
        weir_bytes bytes = {text, part};
        int err = weir_http_write(request, bytes, let_go, NULL);
        target_complain("write", err);
        if (err != 0)
            return;
        s->left -= (int64_t)part;
    }
    if (s->left == 0)
        end_stream(s);
}

void target_large(weir_http_request *request)
{
    int64_t size = target_number(request, "bytes", 0);
    stream *s = begin_stream(request, size);
    if (s == NULL)
        return;
    s->left = size;
    weir_http_on_writable(request, fill_response, s);
    fill_response(s, request, 0);
}

/* ---- later ---- */

static void answer_late(void *arg, int status)
{
    stream *s = arg;
    s->timer = 0;
    if (status != 0)
        return;
    target_complain(
        "respond", weir_http_respond(s->request, 200, "text/plain", "OK\n", 3));
}

void target_slow(weir_http_request *request)
{
    stream *s = begin_stream(request, -2);
    if (s == NULL)
        return;
    target_complain("timer",
                    weir_timer_start(s->loop, &s->timer,
                                     WEIR_MS(target_number(request, "ms", 10)),
                                     WEIR_TIMER_ONCE, answer_late, s));
}
