/* SPDX-License-Identifier: MIT */
/*
 * input -- from the bytes of a connection to requests, one by one.
 *
 * Shape     feed runs the parser over the bytes that the stream has read.  It
 *           stops when they are used up, when a request has to be answered
 *           first, or when the handler is not yet reading a request's body.
 *           The remaining bytes wait in `rest`, and the stream is paused.  When
 *           the request is over, feed continues with the rest.  So requests are
 *           handled in order, and a connection holds at most the bytes of one
 *           read.
 * The drain The word of the connection decides whether a request begins or the
 *           drain closes the connection (weir/host/connection.h).  The drain
 *           marks the word, so the next response closes the connection.  If the
 *           client has already sent more requests, the last response does.
 * Thread    The loop's.
 *
 * Tested by  test/net/http/server.c, timeouts.c, test/net/peers
 */
#include <errno.h>
#include <string.h>

#include "http/conn.h"
#include "stream/stream.h"
#include "weir/host/loop.h"
#include "weir/host/memory.h"
#include "weir/host/recorder.h"
#include "weir/live.h"

enum {
    /* Bytes of a body that are discarded to keep a connection. */
    DISCARD = 256 * 1024,
    /* Percentage of the recorder's names that requests may take up. */
    NAMES_SHARE = 50,
};

static void end_exchange(struct weir__http_conn *conn);
static void stall(struct weir__http_conn *conn, bool is_stalled);

/* ---- requests ---- */

/* Requests that had arrived when the drain was first noticed are answered.  What
 * arrives later does not count, or a client that keeps sending would hold up the
 * drain. */
static void notice_drain(struct weir__http_conn *conn)
{
    conn->has_noticed_drain = true;
    conn->drain_limit = weir_counter_read(&conn->received);
    if (conn->stream == NULL || !conn->request->is_complete)
        return; /* what has arrived may be its body */
    weir__stream_look_arrived(conn->stream);
    conn->is_drain_open = weir__stream_has_arrived(conn->stream);
}

/* Whether such requests may be behind the one in progress. */
static bool has_more_input(struct weir__http_conn *conn)
{
    size_t left = conn->input != NULL ? conn->input->size : conn->rest_size;

    if (!conn->has_noticed_drain)
        notice_drain(conn);
    return conn->is_drain_open ||
           weir_counter_read(&conn->received) - left < conn->drain_limit;
}

/* The stream has given bytes. */
static void count_received(struct weir__http_conn *conn, size_t size)
{
    weir_counter_add(&conn->received, size);
    if (!conn->is_drain_open)
        return;
    conn->drain_limit = weir_counter_read(&conn->received);
    conn->is_drain_open = weir__stream_has_arrived(conn->stream);
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

bool weir__http_conn_closes(struct weir__http_conn *conn)
{
    const weir_http_server_options *options = weir__http_conn_options(conn);
    const weir_http_request *request = conn->request;

    return conn->must_close || request == NULL ||
           !(request->message->flags & WEIR__HTTP_KEEP_ALIVE) ||
           conn->has_ended ||
           (options->requests_per_connection > 0 &&
            conn->request_count >= options->requests_per_connection) ||
           options->keep_alive_ns == 0 ||
           (weir_connection_is_draining(&conn->word) && !has_more_input(conn));
}

/* Whether the body is read on when the response has ended. */
static bool reads_on(const struct weir__http_conn *conn)
{
    const weir_http_request *request = conn->request;
    const struct weir__http_guest *guest = conn->shard->server->guest;

    if (guest == NULL || conn->must_close)
        return false;
    return guest->options.reads_late ||
           (guest->options.reads_on && request->read_fn != NULL);
}

bool weir__http_conn_decide_close(struct weir__http_conn *conn)
{
    if (weir__http_conn_closes(conn) ||
        (!can_discard(conn->request) && !reads_on(conn)))
        conn->must_close = true;
    return conn->must_close;
}

bool weir__http_conn_is_refused(struct weir__http_conn *conn,
                                weir_http_refusal refusal)
{
    const struct weir__http_guest *guest = conn->shard->server->guest;

    if (!conn->is_known || guest->options.on_refused == NULL)
        return false;
    conn->must_close = true;
    conn->deadline_ns = 0;
    conn->is_refused =
        guest->options.on_refused(guest->options.arg, conn, &refusal);
    if (conn->is_refused && conn->input == NULL)
        stall(conn, false); /* at a deadline; as in feed */
    return conn->is_refused;
}

/* Tell the watchdog which request the handler works on.  The query is left out,
 * because it may contain secrets. */
static void show_subject(const weir_http_request *request)
{
    weir_bytes method = weir_http_method(request);
    weir_bytes path = weir_http_path(request);
    char text[128];
    size_t used = method.size < 32 ? method.size : 32;
    size_t left = sizeof(text) - used - 1;

    memcpy(text, method.data, used);
    text[used++] = ' ';
    left = path.size < left ? path.size : left;
    memcpy(text + used, path.data, left);
    weir_live_set_subject(text, used + left);
}

static void call_handler(void *arg, int status)
{
    weir_http_request *request = arg;
    const weir_http_server_options *options =
        weir__http_conn_options(request->conn);

    options->on_request(options->arg, request);
}

/* Answer the probes of a load balancer.  False: it is not one. */
static bool answer_probe(struct weir__http_conn *conn,
                         weir_http_request *request)
{
    bool is_alive, is_ready;

    if (!weir__http_conn_options(conn)->has_health)
        return false;
    is_alive = weir_http_is(request, NULL, "/livez");
    is_ready = weir_http_is(request, NULL, "/readyz");
    if ((!is_alive && !is_ready) || request->message->method > WEIR__HTTP_HEAD)
        return false;
    weir__http_reply_plainly(
        conn, is_alive || weir__http_is_ready(conn->shard->server) ? 200 : 503,
        false);
    return true;
}

void weir__http_request_raised(weir_http_request *request)
{
    struct weir__http_conn *conn = request->conn;

    if (conn == NULL || conn->request != request)
        return;
    if (request->reply == WEIR__REPLY_NONE)
        weir__http_reply_plainly(conn, 500, true);
    else if (request->reply == WEIR__REPLY_BEGUN)
        weir__http_conn_fail(conn, WEIR_ECANCELED);
}

static void handle(struct weir__http_conn *conn, weir_http_request *request)
{
    if (answer_probe(conn, request))
        return;
    weir_counter_add(&conn->shard->counters.requests, 1);
    weir_http_request_ref(request);
    show_subject(request);
    if (!weir_loop_contain(call_handler, request, 0))
        weir__http_request_raised(request);
    weir_live_set_subject("", 0);
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
    const weir_http_server_options *options = weir__http_conn_options(conn);
    weir_http_request *request = weir__http_request_new(conn);

    if (request == NULL) {
        weir__http_conn_fail(conn, -ENOMEM);
        return;
    }
    conn->request = request;
    conn->request_count++;
    request->since_ns = conn->begun_ns;
    request->began = weir_recorder_begin();
    show(request);
    weir_connection_dispatch(&conn->word);
    if (!(request->message->flags & WEIR__HTTP_BODY))
        return;
    weir__http_conn_set_deadline(conn, conn->begun_ns, options->request_ns);
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
    else
        weir__http_request_give(request, WEIR_EEOF, (weir_bytes){NULL, 0});
    if (has_body && conn->request == request &&
        request->reply == WEIR__REPLY_ENDED)
        end_exchange(conn);
}

/* The input is not HTTP, or exceeds a limit. */
static void on_failed(struct weir__http_conn *conn)
{
    weir_http_request *request = conn->request;
    bool was_answered = request != NULL && request->reply != WEIR__REPLY_NONE;
    weir_http_refusal refusal = {
        conn->parser.error, conn->parser.status, conn->parser.text,
        was_answered && request->reply != WEIR__REPLY_ENDED};

    weir_counter_add(&conn->shard->counters.refused, 1);
    if (weir__http_conn_is_refused(conn, refusal) || conn->is_closing)
        return;
    request = conn->request; /* the host may have ended it */
    if (request != NULL && request->reply == WEIR__REPLY_ENDED) {
        weir__http_conn_close_gracefully(
            conn); /* it was answered before its body ended */
        return;
    }
    weir__http_conn_drop_request(conn, refusal.error);
    if (conn->is_closing)
        return;
    if (was_answered)
        weir__http_conn_fail(conn, refusal.error);
    else
        weir__http_reply_plainly(conn, refusal.status, true);
}

/* Record a request by its method and path.  A peer chooses these, so they must
 * not take up all names. */
static void record(const weir_http_request *request)
{
    char name[sizeof(request->shown_method) + sizeof(request->shown_target)];
    char *end = stpcpy(name, request->shown_method);

    *end++ = ' ';
    strcpy(end, request->shown_target);
    end[strcspn(end, "?")] = '\0';
    weir_recorder_end(request->began,
                      &(weir_record){
                          .type = WEIR_RECORD_REQUEST,
                          .kind = WEIR_KIND_REQUEST,
                          .name = weir_recorder_intern(name, NAMES_SHARE),
                          .count = request->status,
                      });
}

/* The request was answered and has arrived completely. */
static void end_exchange(struct weir__http_conn *conn)
{
    weir_http_request *request = conn->request;

    if (request->began != 0)
        record(request);
    weir__http_times_add(conn->shard, request->status,
                         weir_clock_now() - request->since_ns);
    /* A report reads the request of a BUSY connection. */
    if (conn->must_close)
        weir_connection_close(&conn->word);
    else
        weir_connection_idle(&conn->word);
    conn->request = NULL;
    request->next = NULL;
    *conn->last_leaving = request;
    conn->last_leaving = &request->next;
    if (conn->must_close)
        weir__http_conn_close_gracefully(conn);
    else
        weir__http_conn_set_idle(conn);
}

void weir__http_conn_discard(struct weir__http_conn *conn)
{
    weir_http_request *request = conn->request;

    request->is_discarding = true;
    weir__http_request_give(request, WEIR_ECANCELED, (weir_bytes){NULL, 0});
}

void weir__http_conn_replied(struct weir__http_conn *conn)
{
    weir_http_request *request = conn->request;

    if (!reads_on(conn))
        weir__http_conn_discard(conn);
    else if (!conn->shard->server->guest->options.reads_late)
        request->is_paused = false; /* the next request waits */
    if (conn->request == request && (conn->must_close || request->is_complete))
        end_exchange(conn);
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

    if (conn->is_closing || conn->is_upgraded || conn->is_refused)
        return false;
    return request == NULL || (!request->is_complete &&
                               (!(request->message->flags & WEIR__HTTP_BODY) ||
                                weir__http_request_wants_body(request)));
}

/* Whether the next request waits until the client has received more. */
static bool is_crowded(const struct weir__http_conn *conn)
{
    return conn->request == NULL && weir_stream_is_full(conn->stream);
}

/* The first byte of a request.  If the drain has closed the connection and that
 * was not carried out yet, the byte was first. */
static void begin(struct weir__http_conn *conn)
{
    while (!weir_connection_begin(&conn->word))
        weir_connection_reopen(&conn->word);
    conn->is_spared = false;
    conn->begun_ns = weir_clock_now();
    weir__http_conn_set_deadline(conn, conn->begun_ns,
                                 weir__http_conn_options(conn)->header_ns);
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

/* The input goes away: keep the heads of requests whose responses are leaving,
 * if anybody can still read them. */
static void keep_leaving(struct weir__http_conn *conn)
{
    for (weir_http_request *each = conn->leaving; each != NULL;
         each = each->next)
        if (each->refs > 1 || each->on_end != NULL)
            weir__http_request_keep(each);
}

/* Keep what else is needed of the input. */
static int keep_input(struct weir__http_conn *conn, weir_bytes input)
{
    weir_http_request *request = conn->request;
    int err = 0;

    if (request != NULL)
        err = weir__http_message_keep(request->message);
    if (input.size > 0 && err == 0)
        err = keep_rest(conn, input);
    else if (input.size == 0)
        free_rest(conn);
    return err;
}

/* Parse bytes, of the stream or of the rest.  When responses leave, callbacks
 * run that may answer the request in progress, and so feed the rest: it must be
 * complete by then. */
static void feed(struct weir__http_conn *conn, weir_bytes bytes)
{
    conn->input = &bytes;
    while (can_parse(conn) && !is_crowded(conn) && advance(conn, &bytes))
        ;
    conn->input = NULL;
    keep_leaving(conn);
    if (conn->is_upgraded)
        return;
    if (conn->is_refused)
        bytes.size = 0; /* nobody parses it, and the end must be noticed */
    if (!conn->is_closing && keep_input(conn, bytes) != 0)
        weir__http_conn_fail(conn, -ENOMEM);
    if (!conn->is_closing)
        weir__http_conn_flush(conn);
    if (conn->is_upgraded)
        return;
    if (conn->is_closing) {
        free_rest(conn);
        return;
    }
    stall(conn,
          !conn->is_refused && (conn->rest_size > 0 ||
                                (conn->request != NULL && !can_parse(conn) &&
                                 !conn->request->is_complete) ||
                                weir_stream_is_full(conn->stream)));
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
    bool has_left = weir__http_conn_options(conn)->half_close_aborts &&
                    conn->request != NULL &&
                    conn->request->reply != WEIR__REPLY_ENDED;

    conn->has_ended = true;
    if (conn->is_refused) {
        weir__http_conn_close_gracefully(conn);
    } else if (has_left) {
        weir__http_conn_drop_request(conn, -ECONNRESET);
        weir__http_conn_fail(conn, -ECONNRESET);
    } else if (weir__http_parser_end(&conn->parser) == WEIR__PARSED_FAILED)
        on_failed(conn);
    else if (conn->request == NULL && conn->rest_size == 0)
        weir__http_conn_close_gracefully(conn);
    else
        conn->must_close = conn->rest_size == 0;
}

void weir__http_conn_on_read(void *arg, weir_stream *stream, int status,
                             weir_bytes bytes)
{
    struct weir__http_conn *conn = arg;

    if (status == 0) {
        count_received(conn, bytes.size);
        feed(conn, bytes);
    } else if (status == WEIR_EEOF) {
        on_input_end(conn);
    } else if (status == WEIR_ECANCELED) {
        weir__http_conn_end_with_loop(conn);
    } else {
        weir__http_conn_drop_request(conn, status);
        weir__http_conn_fail(conn, status);
    }
}
