/* SPDX-License-Identifier: MIT */
/*
 * conn -- a connection of the server: bytes in, requests one by one, bytes out.
 *
 * Shape     The stream gives bytes; feed runs the parser over them until they
 *           are used up, or until a request is in progress that has to be
 *           answered, or whose body nobody reads yet.  What is left waits in
 *           `rest`, and the stream is paused.  When the request is over, feed
 *           goes on with the rest.  So requests are handled in order, and a
 *           connection holds at most what one read has given.
 * Output    Responses are collected in the shard's cork while feed runs, and
 *           given to the kernel at its end: pipelined requests are answered by
 *           one system call.
 * Over      A request is over when its last byte has arrived and its response
 *           was written.  Its response has *left* when the kernel has all of it;
 *           requests wait for that in the list `leaving`.
 * Closing   A connection ends by weir_stream_finish: half-close, then discard
 *           until the client closes.  Closing a socket with unread input would
 *           reset it and destroy the response.
 * The drain The word of the connection decides whether a request begins or the
 *           drain closes the connection (weir/host/connection.h).  The drain
 *           marks the word, so every response that is written later closes the
 *           connection, unless more requests of the client are already here:
 *           then the last of them does.
 * Time      One timer for each connection.  A deadline that moves back is
 *           only stored: the timer finds that out when it fires.
 * Thread    The loop's.
 *
 * Tested by  test/net/http/server.c, test/net/peers
 */
#include <errno.h>
#include <string.h>

#include "http/header.h"
#include "http/server.h"
#include "stream/stream.h"
#include "weir/host/loop.h"
#include "weir/host/memory.h"
#include "weir/net/tls.h"

enum {
    /* Bytes of a body that are discarded to keep a connection. */
    DISCARD = 256 * 1024,
};
#define CUT_LINGER_NS WEIR_MS(250)

static void feed(struct weir__http_conn *conn, weir_bytes bytes);
static void end_exchange(struct weir__http_conn *conn);

static const weir_http_server_options *
options_of(const struct weir__http_conn *conn)
{
    return &conn->shard->server->options;
}

/* ---- the deadline ---- */

static void expire(struct weir__http_conn *conn);
static void tell_drain(struct weir__http_conn *conn);
static void start_alarm(struct weir__http_conn *conn);

static void on_alarm(void *arg, int status)
{
    struct weir__http_conn *conn = arg;

    conn->alarm_ns = 0;
    if (status != 0 || conn->deadline_ns == 0)
        return;
    if (weir_clock_now() < conn->deadline_ns)
        start_alarm(conn);
    else
        expire(conn);
}

static void stop_alarm(struct weir__http_conn *conn)
{
    if (conn->alarm_ns != 0)
        (void)!weir_timer_cancel(conn->shard->loop, conn->alarm);
    conn->alarm_ns = 0;
}

/* Without memory for a timer there is no timeout. */
static void start_alarm(struct weir__http_conn *conn)
{
    stop_alarm(conn);
    if (weir_timer_start_at(conn->shard->loop, &conn->alarm, conn->deadline_ns,
                            on_alarm, conn) == 0)
        conn->alarm_ns = conn->deadline_ns;
}

/* Set the deadline `limit_ns` after `from_ns`; negative: none. */
static void set_deadline(struct weir__http_conn *conn, int64_t from_ns,
                         int64_t limit_ns)
{
    if (limit_ns < 0 || limit_ns > INT64_MAX - from_ns) {
        conn->deadline_ns = 0;
        return;
    }
    conn->deadline_ns = from_ns + limit_ns;
    if (conn->alarm_ns == 0 || conn->deadline_ns < conn->alarm_ns)
        start_alarm(conn);
}

static void set_idle_deadline(struct weir__http_conn *conn)
{
    set_deadline(conn, weir_clock_now(), options_of(conn)->keep_alive_ns);
}

/* ---- the end of a connection ---- */

static void free_conn(struct weir__http_conn *conn)
{
    weir_gate *gate = &conn->shard->server->inside;

    weir_memory_free(conn, sizeof(*conn));
    weir_gate_exit(gate);
}

static void end_leaving(struct weir__http_conn *conn, int status)
{
    while (conn->leaving != NULL) {
        weir_http_request *request = conn->leaving;

        conn->leaving = request->next;
        if (conn->leaving == NULL)
            conn->last_leaving = &conn->leaving;
        if (status == 0)
            weir_counter_add(&conn->shard->counters.responses, 1);
        weir__http_request_end(request, status);
        weir__http_request_release(request);
    }
}

/* The request in progress will not be answered. */
static void drop_request(struct weir__http_conn *conn, int status)
{
    weir_http_request *request = conn->request;

    if (request == NULL)
        return;
    conn->request = NULL;
    if (!request->owns_message) {
        request->message = weir__http_parser_take(&conn->parser);
        request->owns_message = true;
    }
    weir_http_request_ref(request);
    if (!request->is_complete)
        weir__http_request_give(request, status, (weir_bytes){NULL, 0});
    weir__http_request_end(request, status);
    request->conn = NULL;
    weir__http_request_release(request);
    weir_http_request_unref(request);
}

static void resume_doors(struct weir__http_shard *shard)
{
    shard->is_full = false;
    for (struct weir__http_door *door = shard->doors; door != NULL;
         door = door->next)
        if (door->listener != NULL)
            weir_listener_resume(door->listener);
}

/* The stream is gone. */
static void end_conn(struct weir__http_conn *conn, int status)
{
    struct weir__http_shard *shard = conn->shard;

    if (shard->corked == conn) {
        shard->corked = NULL;
        shard->cork_size = 0;
    }
    conn->stream = NULL;
    end_leaving(conn, status != 0 ? status : WEIR_ECANCELED);
    drop_request(conn, status != 0 ? status : WEIR_ECANCELED);
    stop_alarm(conn);
    weir__http_parser_fini(&conn->parser);
    weir_memory_free(conn->rest, conn->rest_capacity);
    conn->rest = NULL;
    shard->conn_count--;
    if (conn->quota_key != 0)
        weir__http_quota_leave(&shard->quota, conn->quota_key);
    if (shard->is_full && !shard->is_draining)
        resume_doors(shard);
    if (weir_connection_remove(&conn->word))
        free_conn(conn);
}

static void on_closed(void *arg, weir_stream *stream, int status)
{
    struct weir__http_conn *conn = arg;

    if (weir__stream_discarded(stream) > 0)
        weir_counter_add(&conn->shard->counters.crossed, 1);
    end_conn(conn, status);
}

static void on_upgraded_gone(void *arg)
{
    end_conn(arg, 0);
}

/* End the connection after what was written has left. */
static void close_conn(struct weir__http_conn *conn, int64_t linger_ns)
{
    if (conn->is_closing)
        return;
    weir_connection_close(&conn->word);
    weir__http_conn_flush(conn);
    if (conn->is_closing)
        return; /* it has failed meanwhile */
    conn->is_closing = true;
    conn->deadline_ns = 0;
    weir_stream_finish(conn->stream, linger_ns, on_closed, conn);
}

void weir__http_conn_close_gracefully(struct weir__http_conn *conn)
{
    close_conn(conn, options_of(conn)->drain_linger_ns);
}

void weir__http_conn_fail(struct weir__http_conn *conn, int status)
{
    if (conn->is_closing)
        return;
    conn->is_closing = true;
    conn->deadline_ns = 0;
    weir_connection_close(&conn->word);
    if (conn->shard->corked == conn)
        conn->shard->cork_size = 0;
    if (conn->request != NULL || conn->leaving != NULL)
        weir_stream_reset(conn->stream, on_closed, conn);
    else
        weir_stream_close(conn->stream, on_closed, conn);
}

/* ---- output ---- */

static void on_settled(void *arg, weir_stream *stream, int status)
{
    struct weir__http_conn *conn = arg;

    conn->is_settling = false;
    if (status == 0)
        end_leaving(conn, 0);
    else
        weir__http_conn_fail(conn, status);
}

/* Tell the requests whose responses have left, now or when they have. */
static void settle(struct weir__http_conn *conn)
{
    if (conn->leaving == NULL || conn->is_settling)
        return;
    if (weir_stream_queued_bytes(conn->stream) == 0)
        end_leaving(conn, 0);
    else if (weir_stream_write(conn->stream, NULL, 0, on_settled, conn) == 0)
        conn->is_settling = true;
}

void weir__http_conn_flush(struct weir__http_conn *conn)
{
    struct weir__http_shard *shard = conn->shard;
    weir_bytes bytes = {shard->cork, shard->cork_size};
    int err;

    if (shard->corked == conn && bytes.size > 0) {
        shard->cork_size = 0;
        shard->corked = NULL;
        weir_counter_add(&conn->sent, bytes.size);
        err = weir_stream_write(conn->stream, &bytes, 1, NULL, NULL);
        if (err != 0) {
            weir__http_conn_fail(conn, err);
            return;
        }
    }
    settle(conn);
}

/* ---- requests ---- */

/* Whether bytes of the client wait behind the request in progress. */
static bool has_more_input(const struct weir__http_conn *conn)
{
    return conn->input != NULL ? conn->input->size > 0 : conn->rest_size > 0;
}

/* Whether the rest of the body can be discarded at little cost. */
static bool can_discard(const weir_http_request *request)
{
    const struct weir__http_message *message = request->message;

    if (request->is_complete)
        return true;
    return request->has_continued && message->flags & WEIR__HTTP_LENGTH &&
           message->content_length - message->body_bytes <= DISCARD;
}

bool weir__http_conn_decide_close(struct weir__http_conn *conn)
{
    const weir_http_server_options *options = options_of(conn);
    const weir_http_request *request = conn->request;

    if (request == NULL || !(request->message->flags & WEIR__HTTP_KEEP_ALIVE) ||
        conn->has_ended || !can_discard(request) ||
        (options->requests_per_connection > 0 &&
         conn->request_count >= options->requests_per_connection) ||
        options->keep_alive_ns == 0 ||
        (weir_connection_is_draining(&conn->word) && !has_more_input(conn)))
        conn->must_close = true;
    return conn->must_close;
}

static void call_handler(void *arg, int status)
{
    weir_http_request *request = arg;
    const weir_http_server_options *options = options_of(request->conn);

    options->on_request(options->arg, request);
}

/* Answer the probes of a load balancer.  False: it is not one. */
static bool answer_probe(struct weir__http_conn *conn,
                         weir_http_request *request)
{
    bool is_alive, is_ready;

    if (!options_of(conn)->has_health)
        return false;
    is_alive = weir_http_is(request, NULL, "/livez");
    is_ready = weir_http_is(request, NULL, "/readyz");
    if ((!is_alive && !is_ready) || request->message->method > WEIR__HTTP_HEAD)
        return false;
    weir__http_reply_plainly(
        conn,
        is_alive || weir_service_is_ready(conn->shard->server->service) ? 200
                                                                        : 503,
        false);
    return true;
}

/* Call the handler.  One that raises is answered with 500. */
static void handle(struct weir__http_conn *conn, weir_http_request *request)
{
    if (answer_probe(conn, request))
        return;
    weir_counter_add(&conn->shard->counters.requests, 1);
    weir_http_request_ref(request);
    if (!weir_loop_contain(call_handler, request, 0) && request->conn != NULL) {
        if (request->reply == WEIR__REPLY_NONE)
            weir__http_reply_plainly(conn, 500, true);
        else if (request->reply == WEIR__REPLY_BEGUN)
            weir__http_conn_fail(conn, WEIR_ECANCELED);
    }
    weir_http_request_unref(request);
}

static void show(weir_http_request *request)
{
    weir_bytes method = weir_http_method(request);
    weir_bytes target = weir_http_target(request);
    size_t size = sizeof(request->shown_method) - 1;

    size = method.size < size ? method.size : size;
    memcpy(request->shown_method, method.data, size);
    request->shown_method[size] = '\0';
    size = sizeof(request->shown_target) - 1;
    size = target.size < size ? target.size : size;
    memcpy(request->shown_target, target.data, size);
    request->shown_target[size] = '\0';
}

/* A request with a body is handled now, others when they are complete. */
static void on_head(struct weir__http_conn *conn)
{
    const weir_http_server_options *options = options_of(conn);
    weir_http_request *request = weir__http_request_new(conn);

    if (request == NULL) {
        weir__http_conn_fail(conn, -ENOMEM);
        return;
    }
    conn->request = request;
    conn->request_count++;
    request->since_ns = conn->begun_ns;
    show(request);
    weir_connection_dispatch(&conn->word);
    if (!(request->message->flags & WEIR__HTTP_BODY))
        return;
    set_deadline(conn, conn->begun_ns, options->request_ns);
    conn->parser.body_limit =
        options->body_bytes < 0 ? 0 : (uint64_t)options->body_bytes;
    handle(conn, request);
}

static void on_complete(struct weir__http_conn *conn)
{
    weir_http_request *request = conn->request;
    bool has_body = request->message->flags & WEIR__HTTP_BODY;

    request->is_complete = true;
    request->message = weir__http_parser_take(&conn->parser);
    request->owns_message = true;
    conn->deadline_ns = 0;
    if (!has_body)
        handle(conn, request);
    else if (request->reply == WEIR__REPLY_ENDED)
        end_exchange(conn);
    else
        weir__http_request_give(request, WEIR_EEOF, (weir_bytes){NULL, 0});
}

/* The input is not HTTP, or exceeds a limit. */
static void on_failed(struct weir__http_conn *conn)
{
    weir_http_request *request = conn->request;
    bool was_answered = request != NULL && request->reply != WEIR__REPLY_NONE;

    weir_counter_add(&conn->shard->counters.refused, 1);
    if (request != NULL && request->reply == WEIR__REPLY_ENDED) {
        weir__http_conn_close_gracefully(
            conn); /* it was answered before its body ended */
        return;
    }
    drop_request(conn, conn->parser.error);
    if (conn->is_closing)
        return;
    if (was_answered)
        weir__http_conn_fail(conn, conn->parser.error);
    else
        weir__http_reply_plainly(conn, conn->parser.status, true);
}

/* The request was answered and has arrived completely. */
static void end_exchange(struct weir__http_conn *conn)
{
    weir_http_request *request = conn->request;

    conn->request = NULL;
    request->next = NULL;
    *conn->last_leaving = request;
    conn->last_leaving = &request->next;
    if (conn->must_close) {
        weir__http_conn_close_gracefully(conn);
        return;
    }
    weir_connection_idle(&conn->word);
    set_idle_deadline(conn);
}

void weir__http_conn_replied(struct weir__http_conn *conn)
{
    weir_http_request *request = conn->request;

    request->is_discarding = true;
    if (conn->must_close || request->is_complete) {
        if (!request->is_complete)
            weir__http_request_give(request, WEIR_ECANCELED,
                                    (weir_bytes){NULL, 0});
        end_exchange(conn);
    }
    if (conn->input == NULL && !conn->is_closing) {
        weir__http_conn_flush(conn);
        weir__http_conn_resume(conn);
    }
}

/* ---- input ---- */

/* Whether the parser may go on. */
static bool can_parse(const struct weir__http_conn *conn)
{
    const weir_http_request *request = conn->request;

    if (conn->is_closing || conn->is_upgraded)
        return false;
    return request == NULL || (!request->is_complete &&
                               (!(request->message->flags & WEIR__HTTP_BODY) ||
                                weir__http_request_wants_body(request)));
}

/* The first byte of a request.  If the drain has closed the connection and that
 * was not carried out yet, the byte was first. */
static void begin(struct weir__http_conn *conn)
{
    while (!weir_connection_begin(&conn->word))
        weir_connection_reopen(&conn->word);
    conn->begun_ns = weir_clock_now();
    set_deadline(conn, conn->begun_ns, options_of(conn)->header_ns);
}

/* Handle one event of the parser.  False if it needs more input. */
static bool advance(struct weir__http_conn *conn, weir_bytes *input)
{
    if (conn->request == NULL && weir__http_parser_is_idle(&conn->parser) &&
        input->size > 0 &&
        weir_connection_phase_of(&conn->word) != WEIR_CONNECTION_READING)
        begin(conn);
    switch (weir__http_parser_next(&conn->parser, input)) {
    case WEIR__PARSED_MORE:
        return false;
    case WEIR__PARSED_HEAD:
        on_head(conn);
        break;
    case WEIR__PARSED_DATA:
        if (!conn->request->is_discarding)
            weir__http_request_give(conn->request, 0, conn->parser.data);
        break;
    case WEIR__PARSED_TRAILERS:
        break;
    case WEIR__PARSED_COMPLETE:
        on_complete(conn);
        break;
    case WEIR__PARSED_FAILED:
        on_failed(conn);
        return false;
    }
    return true;
}

static void free_rest(struct weir__http_conn *conn)
{
    weir_memory_free(conn->rest, conn->rest_capacity);
    conn->rest = NULL;
    conn->rest_at = conn->rest_size = conn->rest_capacity = 0;
}

/* Keep what was not parsed.  It may be a part of the rest. */
static int keep_rest(struct weir__http_conn *conn, weir_bytes input)
{
    const char *data = input.data;
    char *copy;

    if (conn->rest != NULL && data >= conn->rest &&
        data <= conn->rest + conn->rest_capacity) {
        conn->rest_at = (size_t)(data - conn->rest);
        conn->rest_size = input.size;
        return 0;
    }
    copy = weir_memory_alloc(conn->rest_size + input.size);
    if (copy == NULL)
        return -ENOMEM;
    if (conn->rest_size > 0)
        memcpy(copy, conn->rest + conn->rest_at, conn->rest_size);
    memcpy(copy + conn->rest_size, input.data, input.size);
    input.size += conn->rest_size;
    free_rest(conn);
    conn->rest = copy;
    conn->rest_size = conn->rest_capacity = input.size;
    return 0;
}

static void stall(struct weir__http_conn *conn, bool is_stalled)
{
    if (conn->is_stalled == is_stalled || conn->is_closing)
        return;
    conn->is_stalled = is_stalled;
    if (is_stalled)
        weir_stream_pause(conn->stream);
    else
        weir_stream_resume(conn->stream);
}

/* The input goes away: keep what is still needed of it. */
static int keep_input(struct weir__http_conn *conn, weir_bytes input)
{
    weir_http_request *request = conn->request;
    int err = 0;

    for (weir_http_request *each = conn->leaving; each != NULL && err == 0;
         each = each->next)
        if (each->refs > 1 || each->on_end != NULL)
            err = weir__http_message_keep(each->message);
    if (request != NULL && err == 0)
        err = weir__http_message_keep(request->message);
    if (input.size > 0 && err == 0)
        err = keep_rest(conn, input);
    else if (input.size == 0)
        free_rest(conn);
    return err;
}

/* Parse bytes, of the stream or of the rest. */
static void feed(struct weir__http_conn *conn, weir_bytes bytes)
{
    conn->input = &bytes;
    while (can_parse(conn) && advance(conn, &bytes))
        ;
    conn->input = NULL;
    if (conn->is_upgraded)
        return;
    if (!conn->is_closing)
        weir__http_conn_flush(conn);
    if (conn->is_closing) {
        free_rest(conn);
        return;
    }
    if (keep_input(conn, bytes) != 0) {
        weir__http_conn_fail(conn, -ENOMEM);
        return;
    }
    stall(conn, conn->rest_size > 0 ||
                    (conn->request != NULL && !can_parse(conn) &&
                     !conn->request->is_complete) ||
                    weir_stream_is_full(conn->stream));
}

void weir__http_conn_resume(struct weir__http_conn *conn)
{
    weir_bytes rest = {conn->rest + conn->rest_at, conn->rest_size};

    if (conn->input != NULL || conn->is_closing || conn->is_upgraded ||
        !can_parse(conn) || weir_stream_is_full(conn->stream))
        return;
    if (rest.size > 0 || conn->request != NULL)
        feed(conn, rest);
    else
        stall(conn, false);
    if (conn->is_closing || conn->is_upgraded || conn->rest_size > 0)
        return;
    if (conn->has_ended && conn->request == NULL)
        weir__http_conn_close_gracefully(conn);
}

/* The client has finished sending. */
static void on_input_end(struct weir__http_conn *conn)
{
    conn->has_ended = true;
    if (weir__http_parser_end(&conn->parser) == WEIR__PARSED_FAILED)
        on_failed(conn);
    else if (conn->request == NULL && conn->rest_size == 0)
        weir__http_conn_close_gracefully(conn);
    else
        conn->must_close = conn->rest_size == 0;
}

static void on_read(void *arg, weir_stream *stream, int status,
                    weir_bytes bytes)
{
    struct weir__http_conn *conn = arg;

    if (status == 0) {
        weir_counter_add(&conn->received, bytes.size);
        feed(conn, bytes);
    } else if (status == WEIR_EEOF) {
        on_input_end(conn);
    } else {
        drop_request(conn, status);
        weir__http_conn_fail(conn, status);
    }
}

/* ---- what other threads have decided ---- */

/* Close a connection that has been idle long enough.  If a handler has kept the
 * loop busy meanwhile, bytes may wait to be read: then it was not idle. */
static void close_idle(struct weir__http_conn *conn)
{
    if (weir__stream_has_input(conn->stream))
        set_idle_deadline(conn);
    else
        weir__http_conn_close_gracefully(conn);
}

/* A request, or a part of one, has not arrived in time. */
static void expire(struct weir__http_conn *conn)
{
    weir_http_request *request = conn->request;

    conn->deadline_ns = 0;
    if (conn->is_upgraded)
        tell_drain(conn); /* its turn has come (spread_drain) */
    if (conn->is_closing || conn->is_upgraded)
        return;
    if (request == NULL && weir__http_parser_is_idle(&conn->parser)) {
        close_idle(conn);
        return;
    }
    weir_counter_add(&conn->shard->counters.refused, 1);
    if (request != NULL && request->reply != WEIR__REPLY_NONE) {
        weir__http_conn_fail(conn, -ETIMEDOUT);
        return;
    }
    drop_request(conn, -ETIMEDOUT);
    if (!conn->is_closing)
        weir__http_reply_plainly(conn, 408, true);
}

/* The drain's deadline is over. */
static void cut(struct weir__http_conn *conn)
{
    bool has_reply =
        conn->request != NULL && conn->request->reply != WEIR__REPLY_NONE;

    if (conn->is_upgraded) {
        weir_stream_resume(conn->stream); /* a reader that pauses is told */
        weir__stream_fail(conn->stream, WEIR_ECANCELED);
        return;
    }
    if (conn->is_closing) {
        weir__stream_abort(conn->stream, WEIR_ECANCELED);
        return;
    }
    weir_counter_add(&conn->shard->counters.cut, 1);
    if (has_reply) {
        weir__http_conn_fail(conn, WEIR_ECANCELED);
        return;
    }
    drop_request(conn, WEIR_ECANCELED);
    if (conn->is_closing)
        return;
    if (weir_connection_phase_of(&conn->word) == WEIR_CONNECTION_BUSY ||
        weir_connection_phase_of(&conn->word) == WEIR_CONNECTION_READING)
        weir__http_reply_plainly(conn, 503, true);
    close_conn(conn, CUT_LINGER_NS);
}

static void tell_drain(struct weir__http_conn *conn)
{
    if (conn->is_upgraded) {
        void (*on_drain)(void *arg) = conn->on_drain;

        conn->on_drain = NULL;
        if (on_drain != NULL)
            on_drain(conn->drain_arg);
    } else if (conn->request != NULL) {
        weir__http_request_drain(conn->request);
    }
}

/* Clients of upgraded connections connect again when they are told to, so they
 * are told one after the other, within the time that idle ones have. */
static void spread_drain(struct weir__http_conn *conn)
{
    const weir_http_server_options *options = options_of(conn);
    uint64_t mixed = (uint64_t)(uintptr_t)conn ^ (uint64_t)conn->since_ns;
    int64_t spread_ns = options->drain_idle_ns;

    if (options->drain_deadline_ns > 0 &&
        spread_ns > options->drain_deadline_ns / 4)
        spread_ns = options->drain_deadline_ns / 4;
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    if (spread_ns > 0)
        set_deadline(conn, weir_clock_now(), (int64_t)(mixed >> 1) % spread_ns);
    else
        tell_drain(conn);
}

static void on_notified(weir_connection *word, unsigned what)
{
    struct weir__http_conn *conn = (struct weir__http_conn *)word;

    if (what & WEIR_CONNECTION_IS_GONE) {
        free_conn(conn);
        return;
    }
    if (what & WEIR_CONNECTION_IS_CUT)
        cut(conn);
    else if (what & WEIR_CONNECTION_IS_CLOSING && !conn->is_closing)
        close_idle(conn);
    else if (what & WEIR_CONNECTION_IS_DRAINING && conn->is_upgraded)
        spread_drain(conn);
    else if (what & WEIR_CONNECTION_IS_DRAINING && !conn->is_closing)
        tell_drain(conn);
}

int weir__http_conn_hand_over(struct weir__http_conn *conn,
                              void (*on_drain)(void *arg), void *arg,
                              weir_stream **stream)
{
    weir_http_request *request = conn->request;
    weir_bytes rest = {conn->rest + conn->rest_at, conn->rest_size};
    int err;

    if (conn->input != NULL)
        rest = *conn->input;
    err = weir__stream_unread(conn->stream, rest);
    if (err != 0)
        return err;
    weir__http_conn_flush(conn);
    if (conn->is_closing)
        return WEIR_ECLOSED;
    if (conn->input != NULL)
        conn->input->size = 0;
    conn->is_upgraded = true;
    conn->on_drain = on_drain;
    conn->drain_arg = arg;
    conn->deadline_ns = 0;
    conn->request = NULL;
    weir_connection_upgrade(&conn->word);
    weir__stream_stop_reading(conn->stream);
    weir__stream_set_on_drain(conn->stream, NULL, NULL);
    weir__stream_on_gone(conn->stream, on_upgraded_gone, conn);
    *stream = conn->stream;
    weir__http_request_end(request, 0);
    weir__http_request_release(request);
    /* on_drain must not be called before the call returns. */
    if (weir_connection_is_draining(&conn->word) && conn->on_drain != NULL)
        set_deadline(conn, weir_clock_now(), 0);
    return 0;
}

/* ---- the beginning ---- */

/* The stream was full and is empty. */
static void on_stream_drain(void *arg, weir_stream *stream)
{
    struct weir__http_conn *conn = arg;
    weir_http_request *request = conn->request;

    if (conn->is_closing)
        return;
    if (request != NULL && request->on_writable != NULL &&
        request->reply == WEIR__REPLY_BEGUN)
        request->on_writable(request->writable_arg, request, 0);
    if (!conn->is_closing)
        weir__http_conn_resume(conn);
}

static void remember_peer(struct weir__http_conn *conn)
{
    weir_address peer;
    const void *name;
    size_t size;

    weir_stream_peer(conn->stream, &peer);
    name = weir_address_sockaddr(&peer, &size);
    if (size > sizeof(conn->peer) ||
        weir_address_family_of(&peer) == WEIR_ADDRESS_UNIX)
        return;
    memcpy(conn->peer, name, size);
    conn->peer_size = (uint8_t)size;
}

/* Count the connection of a client.  False if the client has too many. */
static bool is_within_quota(struct weir__http_conn *conn)
{
    uint32_t limit = options_of(conn)->connections_per_address;
    uint64_t key = weir__http_quota_key(conn->peer, conn->peer_size);

    if (limit == 0 || key == 0)
        return true;
    if (weir__http_quota_enter(&conn->shard->quota, key, limit) != 0)
        return false;
    conn->quota_key = key;
    return true;
}

void weir__http_conn_open(struct weir__http_shard *shard, weir_stream *stream)
{
    const weir_http_server_options *options = &shard->server->options;
    struct weir__http_conn *conn = weir_memory_alloc(sizeof(*conn));

    if (conn == NULL || weir_gate_enter(&shard->server->inside) != 0) {
        weir_memory_free(conn, sizeof(*conn));
        weir_stream_close(stream, NULL, NULL);
        return;
    }
    memset(conn, 0, sizeof(*conn));
    conn->shard = shard;
    conn->stream = stream;
    conn->last_leaving = &conn->leaving;
    conn->since_ns = weir_clock_now();
    weir__http_parser_init_request(&conn->parser, &shard->server->limits);
    remember_peer(conn);
    shard->conn_count++;
    weir_counter_add(&shard->counters.connections, 1);
    weir_connection_add(&shard->connections, &conn->word, on_notified);
    weir__stream_set_on_drain(stream, on_stream_drain, conn);
    if (!is_within_quota(conn) ||
        (options->tls != NULL &&
         weir_tls_start(stream, options->tls, NULL) != 0) ||
        weir_stream_set_timeouts(
            stream, 0, options->write_ns < 0 ? 0 : options->write_ns) != 0 ||
        weir_stream_read(stream, on_read, conn) != 0) {
        weir__http_conn_fail(conn, -ENOMEM);
        return;
    }
    set_deadline(conn, conn->since_ns, options->header_ns);
}
