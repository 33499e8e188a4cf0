/* SPDX-License-Identifier: MIT */
/*
 * exchange -- a request and its response, on a link.
 *
 * Out       The request is sent (ask.c).  An error of a write does not end the
 *           exchange: the server may have answered before it closed, so the
 *           result of reading decides.
 * In        feed runs the parser over what was read, and the decoder over the
 *           data of the body, until it is used up or the fetch is paused.  What
 *           is left then waits in `rest`, whose first rest_data bytes have gone
 *           through the parser but not through the decoder.
 * Over      A link whose response is complete goes back to the pool, if both
 *           sides want that and the request was sent completely.  Otherwise it
 *           is closed.
 * Stale     If a link that has served before ends without one byte of a
 *           response, the server closed it before the request arrived.  The
 *           request is sent again if it is idempotent and was not streamed.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "http/client.h"
#include "http/header.h"
#include "weir/host/memory.h"

enum {
    PIECE = 16 * 1024,   /* of a decoded body */
    DISCARD = 64 * 1024, /* of the body of a redirect, to keep the link */
    CODINGS = 128,       /* bytes of several lines of Content-Encoding */
};

static void feed(struct weir__http_link *link, weir_bytes input);

/* ---- the beginning ---- */

int weir__http_exchange_begin(struct weir__http_link *link, weir_fetch *fetch)
{
    weir_http_client *client = link->client;
    int64_t write_ns = client->options.progress_ns;
    int err =
        weir_stream_set_timeouts(link->stream, 0, write_ns < 0 ? 0 : write_ns);

    if (err == 0)
        err = weir__http_exchange_send(link, fetch);
    if (err != 0)
        return err;
    weir_stream_set_ref(link->stream, true);
    weir__http_parser_expect(&link->parser,
                             (enum weir__http_method)fetch->kind);
    link->state = WEIR__LINK_BUSY;
    link->fetch = fetch;
    link->has_bytes = link->is_sent = link->is_inflating = false;
    link->is_interim = false;
    if (link->served++ > 0)
        client->reused++;
    fetch->phase = WEIR__FETCH_BUSY;
    fetch->link = link;
    if (fetch->is_streaming && !fetch->has_body_over) {
        fetch->stream_left = fetch->stream_size;
        weir__fetch_tell_writable(fetch);
    } else if (fetch->body.size == 0) {
        weir__http_exchange_sent(link);
    }
    return 0;
}

/* ---- separation ---- */

static void free_rest(struct weir__http_link *link)
{
    weir_memory_free(link->rest, link->rest_capacity);
    link->rest = NULL;
    link->rest_at = link->rest_size = link->rest_capacity = 0;
    link->rest_data = 0;
}

/* The fetch keeps its response. */
static void separate(struct weir__http_link *link, weir_fetch *fetch)
{
    if (fetch->message != NULL && !fetch->owns_message) {
        weir__http_parser_take(&link->parser);
        fetch->owns_message = true;
    }
    link->fetch = NULL;
    fetch->link = NULL;
    fetch->header_deadline_ns = 0;
}

void weir__http_exchange_leave(weir_fetch *fetch)
{
    struct weir__http_link *link = fetch->link;

    separate(link, fetch);
    weir__fetch_keep_message(fetch);
    weir__http_link_close(link);
}

/* ---- failure ---- */

static bool is_idempotent(const weir_fetch *fetch)
{
    static const char *const methods[] = {"GET",    "HEAD",    "PUT",
                                          "DELETE", "OPTIONS", "TRACE"};

    for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
        if (fetch->method.size == strlen(methods[i]) &&
            memcmp(fetch->method.data, methods[i], fetch->method.size) == 0)
            return true;
    return false;
}

static bool can_retry(const struct weir__http_link *link,
                      const weir_fetch *fetch, int status)
{
    return link->served > 1 && !link->has_bytes &&
           (status == -ECONNRESET || status == -EPIPE) && !fetch->has_retried &&
           !fetch->is_streaming && is_idempotent(fetch);
}

/* The exchange has failed; the fetch with it, unless it can be repeated. */
static void fail(struct weir__http_link *link, int status)
{
    weir_http_client *client = link->client;
    weir_fetch *fetch = link->fetch;
    bool is_retry;
    int err;

    if (status == WEIR_EEOF || status == WEIR_ETRUNCATED ||
        status == -ECONNRESET)
        status = link->has_bytes ? WEIR_ETRUNCATED : -ECONNRESET;
    is_retry = can_retry(link, fetch, status);
    if (is_retry) /* the others are probably stale, too */
        weir__http_pool_close_idle(client, link->origin);
    weir__http_exchange_leave(fetch);
    if (is_retry) {
        fetch->has_retried = true;
        client->retried++;
        err = weir__http_pool_request(fetch, true);
        if (err != 0)
            weir__fetch_end_soon(fetch, err);
    } else {
        weir__fetch_end_soon(fetch, status);
    }
    weir__http_pool_serve(client);
}

/* ---- the owner's functions ---- */

static void call_head(void *arg, int status)
{
    weir_fetch *fetch = arg;

    fetch->on_head(fetch->arg, fetch, status);
}

static void call_body(void *arg, int status)
{
    weir_fetch *fetch = arg;

    fetch->on_body(fetch->arg, fetch, fetch->given);
}

/* ---- the response ---- */

/* How long the server keeps the connection, if it says so. */
static void read_keep_alive(struct weir__http_link *link,
                            const struct weir__http_message *message)
{
    weir_bytes list =
        weir__http_get(message, (weir_bytes)WEIR_BYTES_OF("keep-alive"));
    weir_bytes element;

    link->keep_alive_ns = link->client->options.keep_alive_ns;
    while (list.data != NULL && weir__http_list_next(&list, &element)) {
        const char *at = element.data;
        int64_t seconds = 0;

        if (element.size < 9 || element.size > 14 ||
            !weir__http_is_equal((weir_bytes){at, 8},
                                 (weir_bytes)WEIR_BYTES_OF("timeout=")))
            continue;
        for (size_t i = 8; i < element.size && at[i] >= '0' && at[i] <= '9';
             i++)
            seconds = seconds * 10 + (at[i] - '0');
        /* Our request must arrive before the server's time is over. */
        seconds = seconds > 1 ? WEIR_S(seconds - 1) : WEIR_MS(500) * seconds;
        if (seconds < link->keep_alive_ns)
            link->keep_alive_ns = seconds;
    }
}

/* Get the codings of the body; data is NULL if there are none.  Several lines
 * are one list (RFC 9110, 5.3), which is put together in `text`.  Returns 0 or
 * -EOPNOTSUPP (too long). */
static int find_codings(const struct weir__http_message *message,
                        char text[CODINGS], weir_bytes *codings)
{
    static const weir_bytes name = WEIR_BYTES_OF("content-encoding");
    int n = weir__http_find(message, name, 0);
    size_t size = 0;

    *codings = weir__http_get(message, name);
    if (n < 0 || weir__http_find(message, name, n + 1) < 0)
        return 0;
    for (; n >= 0; n = weir__http_find(message, name, n + 1)) {
        weir_bytes line = weir__http_value(message, (size_t)n);

        if (line.size >= CODINGS - size)
            return -EOPNOTSUPP;
        memcpy(text + size, line.data, line.size);
        size += line.size;
        text[size++] = ',';
    }
    *codings = (weir_bytes){text, size};
    return 0;
}

/* Prepare for the body.  Returns 0 or an error. */
static int prepare_body(struct weir__http_link *link, weir_fetch *fetch)
{
    const struct weir__http_message *message = fetch->message;
    int64_t limit_ns = link->client->options.progress_ns;
    char text[CODINGS];
    weir_bytes codings;
    int err = 0;

    if (!(message->flags & WEIR__HTTP_BODY))
        return 0;
    if (fetch->is_decoding && !fetch->is_redirecting) {
        err = find_codings(message, text, &codings);
        if (err == 0 && codings.data != NULL)
            err = weir__http_inflate_new(&fetch->inflate, codings);
        if (err == -EOPNOTSUPP)
            err = 0; /* the owner gets it as it is */
    }
    if (err == 0 && limit_ns > 0)
        err = weir_stream_set_timeouts(link->stream, limit_ns, limit_ns);
    return err;
}

static void on_head(struct weir__http_link *link)
{
    struct weir__http_message *message = link->parser.message;
    weir_fetch *fetch = link->fetch;
    int err;

    link->is_interim = message->status < 200;
    if (link->is_interim) {
        if (message->status == 101)
            fail(link, WEIR_EHTTP); /* nobody has asked for it */
        return;
    }
    fetch->message = message;
    fetch->owns_message = false;
    fetch->header_deadline_ns = 0;
    fetch->body_bytes = 0;
    read_keep_alive(link, message);
    err = weir__http_redirect_check(fetch);
    fetch->is_redirecting = err > 0;
    if (err >= 0)
        err = prepare_body(link, fetch);
    if (err < 0)
        fail(link, err);
    else if (!fetch->is_redirecting && fetch->on_head != NULL)
        weir__fetch_call(fetch, call_head);
}

/* Give the owner a piece of the body. */
static void give(struct weir__http_link *link, weir_bytes piece)
{
    weir_fetch *fetch = link->fetch;
    int64_t limit = link->client->options.body_bytes;

    fetch->body_bytes += piece.size;
    if (limit > 0 && fetch->body_bytes > (uint64_t)limit)
        fail(link, WEIR_ELIMIT);
    else if (fetch->on_body != NULL) {
        fetch->given = piece;
        weir__fetch_call(fetch, call_body);
    }
}

/* The body of a redirect is discarded.  If it is long, the link is closed. */
static void discard(struct weir__http_link *link)
{
    weir_fetch *fetch = link->fetch;
    weir_http_client *client = link->client;
    int err;

    fetch->body_bytes += link->data.size;
    link->data.size = 0;
    if (fetch->body_bytes <= DISCARD)
        return;
    weir__http_exchange_leave(fetch);
    err = weir__http_redirect_follow(fetch);
    if (err != 0)
        weir__fetch_end_soon(fetch, err);
    weir__http_pool_serve(client);
}

static void deliver(struct weir__http_link *link)
{
    weir_fetch *fetch = link->fetch;
    char buffer[PIECE];
    ssize_t size;

    if (fetch->is_redirecting) {
        discard(link);
        return;
    }
    if (fetch->inflate == NULL) {
        weir_bytes piece = link->data;

        link->data.size = 0;
        give(link, piece);
        return;
    }
    size = weir__http_inflate_read(fetch->inflate, &link->data, buffer,
                                   sizeof(buffer));
    link->is_inflating = size > 0;
    if (size < 0)
        fail(link, (int)size);
    else if (size > 0)
        give(link, (weir_bytes){buffer, (size_t)size});
}

static bool can_reuse(const struct weir__http_link *link,
                      const weir_fetch *fetch, bool has_more)
{
    const struct weir__http_message *message = fetch->message;

    return message->flags & WEIR__HTTP_KEEP_ALIVE &&
           !(message->flags & WEIR__HTTP_UNTIL_END) && link->is_sent &&
           !has_more && !link->client->is_draining &&
           !link->client->is_closed && link->keep_alive_ns > 0;
}

/* Pause or resume the reading. */
static void stall(struct weir__http_link *link, bool is_stalled)
{
    if (link->is_stalled == is_stalled)
        return;
    link->is_stalled = is_stalled;
    if (is_stalled)
        weir_stream_pause(link->stream);
    else
        weir_stream_resume(link->stream);
}

/* The response is complete.  The link is free before on_end is called. */
static void complete(struct weir__http_link *link, bool has_more)
{
    weir_http_client *client = link->client;
    weir_fetch *fetch = link->fetch;
    bool is_reused = can_reuse(link, fetch, has_more);
    char *rest = link->rest; /* the response may lie there */
    size_t capacity = link->rest_capacity;
    int err = 0;

    if (fetch->inflate != NULL)
        err = weir__http_inflate_end(fetch->inflate);
    separate(link, fetch);
    link->rest = NULL;
    free_rest(link);
    link->is_feeding = false;
    weir_fetch_ref(fetch);
    weir__http_client_ref(client);
    if (fetch->is_redirecting)
        weir__fetch_keep_message(fetch);
    if (is_reused) {
        stall(link, false);
        weir__http_pool_release(link);
    } else {
        weir__http_link_close(link);
    }
    if (fetch->is_redirecting) {
        err = weir__http_redirect_follow(fetch);
        if (err != 0)
            weir__fetch_end_soon(fetch, err);
    } else if (err != 0) {
        weir__fetch_end_soon(fetch, err);
    } else {
        weir__fetch_end(fetch, 0);
    }
    if (fetch->refs > 1)
        weir__fetch_keep_message(fetch);
    weir__http_pool_serve(client);
    weir_fetch_unref(fetch);
    weir_memory_free(rest, capacity);
    weir__http_client_unref(client);
}

/* Handle one event of the parser.  False: it needs more, or has ended. */
static bool advance(struct weir__http_link *link, weir_bytes *input)
{
    switch (weir__http_parser_next(&link->parser, input)) {
    case WEIR__PARSED_MORE:
        return false;
    case WEIR__PARSED_HEAD:
        on_head(link);
        return true;
    case WEIR__PARSED_DATA:
        link->data = link->parser.data;
        return true;
    case WEIR__PARSED_TRAILERS:
        return true;
    case WEIR__PARSED_COMPLETE:
        if (link->is_interim)
            return true;
        complete(link, input->size > 0);
        return false;
    case WEIR__PARSED_FAILED:
        fail(link, link->parser.error == -EOPNOTSUPP ? WEIR_EHTTP
                                                     : link->parser.error);
        return false;
    }
    return false;
}

/* ---- input ---- */

/* Keep what was not parsed, and the data before it that was not delivered.  It
 * may be a part of the rest. */
static int keep_rest(struct weir__http_link *link, weir_bytes input)
{
    size_t data_size = link->data.size;
    const char *at = data_size > 0 ? link->data.data : input.data;
    size_t size = data_size + input.size;
    char *copy;

    if (size == 0) {
        free_rest(link);
        return 0;
    }
    if (link->rest != NULL && at >= link->rest &&
        at < link->rest + link->rest_capacity) {
        link->rest_at = (size_t)(at - link->rest);
    } else {
        copy = weir_memory_alloc(size);
        if (copy == NULL)
            return -ENOMEM;
        memcpy(copy, at, data_size);
        memcpy(copy + data_size, input.data, input.size);
        free_rest(link);
        link->rest = copy;
        link->rest_capacity = size;
    }
    link->rest_size = size;
    link->rest_data = data_size;
    link->data = (weir_bytes){NULL, 0};
    return 0;
}

/* The input goes away: keep what is still needed of it. */
static void keep_input(struct weir__http_link *link, weir_bytes input)
{
    int err = 0;

    if (link->parser.message != NULL)
        err = weir__http_message_keep(link->parser.message);
    if (err == 0)
        err = keep_rest(link, input);
    if (err != 0)
        fail(link, err);
    else
        stall(link, link->fetch->is_paused);
}

/* Parse bytes, of the stream or of the rest. */
static void feed(struct weir__http_link *link, weir_bytes input)
{
    weir_fetch *fetch = link->fetch;
    bool is_going = true;

    link->is_feeding = true;
    while (is_going && link->fetch == fetch && !fetch->is_paused) {
        if (link->data.size > 0 || link->is_inflating)
            deliver(link);
        else
            is_going = advance(link, &input);
    }
    if (!link->is_feeding)
        return; /* complete: the link may have another fetch */
    link->is_feeding = false;
    if (link->state == WEIR__LINK_BUSY && link->fetch == fetch)
        keep_input(link, input);
}

static void run_resume(weir_task *task, int status)
{
    struct weir__http_link *link =
        (struct weir__http_link *)((char *)task -
                                   offsetof(struct weir__http_link, task));
    weir_bytes rest;

    link->is_resuming = false;
    if (link->state == WEIR__LINK_CLOSED) {
        weir__http_link_forget(link);
        return;
    }
    if (link->state != WEIR__LINK_BUSY || link->fetch->is_paused)
        return;
    link->data = (weir_bytes){link->rest + link->rest_at, link->rest_data};
    rest = (weir_bytes){link->rest + link->rest_at + link->rest_data,
                        link->rest_size - link->rest_data};
    feed(link, rest);
}

void weir__http_exchange_pause(struct weir__http_link *link)
{
    if (!link->is_feeding)
        stall(link, true);
}

void weir__http_exchange_resume(struct weir__http_link *link)
{
    if (link->is_feeding || link->is_resuming)
        return;
    /* Even without a rest of the input: the body may have ended with the piece
     * in which the fetch was paused. */
    link->is_resuming = true;
    link->task = (weir_task){.run = run_resume, .name = "http client"};
    if (weir_loop_post(link->client->loop, &link->task) != 0)
        link->is_resuming = false; /* its end notifies the reader */
}

void weir__http_exchange_read(struct weir__http_link *link, int status,
                              weir_bytes bytes)
{
    if (status == 0) {
        link->has_bytes = true;
        feed(link, bytes);
    } else if (status == WEIR_EEOF &&
               weir__http_parser_end(&link->parser) == WEIR__PARSED_COMPLETE &&
               link->fetch->message != NULL) {
        complete(link, false);
    } else {
        fail(link, status);
    }
}
