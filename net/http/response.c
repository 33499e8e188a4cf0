/* SPDX-License-Identifier: MIT */
/*
 * response -- writes heads and bodies, through the cork to the stream.
 *
 * The cork is a buffer of the shard that collects output.  Small pieces are
 * appended to it; large ones go to the stream directly, after the cork.  The
 * cork is given to the kernel when the connection has parsed all of its input,
 * when the cork is full, or at once if no input is being parsed.
 *
 * Thread    The loop's.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "http/conn.h"
#include "http/header.h"
#include "os/socket.h"
#include "stream/stream.h"
#include "weir/host/memory.h"

enum { SMALL = 16 * 1024 }; /* bytes of a body that are copied */

/* ---- the cork ---- */

char *weir__http_cork_reserve(struct weir__http_conn *conn, size_t size)
{
    struct weir__http_shard *shard = conn->shard;

    if (shard->corked != NULL &&
        (shard->corked != conn || shard->cork_size + size > WEIR__CORK_SIZE))
        weir__http_conn_flush(shard->corked);
    if (size > WEIR__CORK_SIZE || conn->is_closing)
        return NULL;
    if (shard->cork == NULL)
        shard->cork = weir_memory_alloc(WEIR__CORK_SIZE);
    if (shard->cork == NULL)
        return NULL;
    shard->corked = conn;
    return shard->cork + shard->cork_size;
}

static int cork_bytes(struct weir__http_conn *conn, weir_bytes bytes)
{
    char *to = weir__http_cork_reserve(conn, bytes.size);

    if (to == NULL)
        return conn->is_closing ? WEIR_ECLOSED : -ENOMEM;
    memcpy(to, bytes.data, bytes.size);
    conn->shard->cork_size += bytes.size;
    return 0;
}

/* Write parts behind what was written before: all of them, or nothing.  If they
 * are large or done is given, they go to the stream directly; with done they are
 * borrowed until it is called. */
static int write_parts(struct weir__http_conn *conn, const weir_bytes parts[3],
                       weir_stream_fn *done, void *arg)
{
    size_t size = parts[0].size + parts[1].size + parts[2].size;
    int err = 0;

    if (done == NULL && parts[1].size <= SMALL && size <= WEIR__CORK_SIZE) {
        if (weir__http_cork_reserve(conn, size) == NULL)
            return conn->is_closing ? WEIR_ECLOSED : -ENOMEM;
        for (int i = 0; i < 3 && err == 0; i++)
            if (parts[i].size > 0)
                err = cork_bytes(conn, parts[i]);
        return err;
    }
    weir__http_conn_flush(conn);
    if (conn->is_closing)
        return WEIR_ECLOSED;
    if (parts[0].size == 0 && parts[2].size == 0)
        err = weir_stream_write(conn->stream, &parts[1], 1, done, arg);
    else
        err = weir_stream_write(conn->stream, parts, 3, done, arg);
    if (err == 0)
        weir_counter_add(&conn->sent, size);
    else if (conn->stream->write_err != 0) /* some of it may have left */
        weir__http_conn_fail(conn, err);
    return err;
}

/* Send the cork, unless the parsing of input will do it. */
static void uncork(struct weir__http_conn *conn)
{
    if (conn->input == NULL && !conn->is_closing)
        weir__http_conn_flush(conn);
}

/* ---- heads ---- */

static int write_head(struct weir__http_conn *conn,
                      struct weir__http_response *response, int names)
{
    struct weir__http_shard *shard = conn->shard;
    const weir_http_request *request = conn->request;
    bool closes = weir__http_conn_decide_close(conn);
    char *to, *end;

    if (!(names & WEIR__HTTP_HAS_DATE))
        response->date = weir__http_date_at(&shard->date, time(NULL));
    if (closes)
        response->connection = WEIR__HTTP_CONNECTION_CLOSE;
    else if (request != NULL && request->message->minor == 0)
        response->connection = WEIR__HTTP_CONNECTION_KEEP_ALIVE;
    to = weir__http_cork_reserve(conn, weir__http_response_size(response));
    if (to == NULL)
        return conn->is_closing ? WEIR_ECLOSED : -ENOMEM;
    end = weir__http_response_write(response, to);
    shard->cork_size += (size_t)(end - to);
    return 0;
}

/* A request can be answered once, while its connection is there. */
/* Whether the connection can still send for a request that was not answered. */
static int check_conn(const weir_http_request *request)
{
    return request->conn == NULL || request->conn->is_closing ||
                   request->conn->request != request
               ? WEIR_ECLOSED
               : 0;
}

static int check_reply(const weir_http_request *request)
{
    if (request->reply != WEIR__REPLY_NONE)
        return -EALREADY;
    return check_conn(request);
}

/* Check what a handler wants to send.  Returns the names among the fields, or
 * -EINVAL. */
static int check_head(unsigned status, const weir_http_field *fields,
                      size_t count)
{
    int names;

    if (status < 200 || status > 999 || (fields == NULL && count > 0))
        return -EINVAL;
    names = weir__http_fields_check(fields, count);
    if (names >= 0 &&
        names & (WEIR__HTTP_HAS_CODING | WEIR__HTTP_HAS_CONNECTION))
        return -EINVAL; /* they belong to the server */
    return names;
}

/* Whether the Content-Length among the fields is this one. */
static bool has_right_length(const weir_http_field *fields, size_t count,
                             int64_t size)
{
    static const weir_bytes name = WEIR_BYTES_OF("content-length");
    char text[WEIR__HTTP_NUMBER_SIZE];
    size_t length =
        (size_t)(weir__http_number_write(text, (uint64_t)size) - text);

    for (size_t i = 0; i < count; i++)
        if (weir__http_is_equal(fields[i].name, name) &&
            (size < 0 || fields[i].value.size != length ||
             memcmp(fields[i].value.data, text, length) != 0))
            return false;
    return true;
}

/* Begin a response: everything but the body. */
static int begin_reply(weir_http_request *request, unsigned status,
                       const weir_http_field *fields, size_t count,
                       int64_t body_size)
{
    struct weir__http_conn *conn = request->conn;
    struct weir__http_response response = {
        .status = (uint16_t)status, .fields = fields, .field_count = count};
    bool is_empty = status == 204 || status == 304;
    int names = check_head(status, fields, count), err;

    if (names < 0)
        return names;
    if (names & WEIR__HTTP_HAS_LENGTH &&
        (is_empty || !has_right_length(fields, count, body_size)) &&
        request->message->method != WEIR__HTTP_HEAD && status != 304)
        return -EINVAL;
    if (body_size < 0 && request->message->minor > 0 && !is_empty) {
        response.framing = WEIR__HTTP_FRAME_CHUNKED;
    } else if (body_size < 0 && !is_empty) {
        conn->must_close = true; /* the body ends with the connection */
    } else if (!is_empty && !(names & WEIR__HTTP_HAS_LENGTH)) {
        response.framing = WEIR__HTTP_FRAME_LENGTH;
        response.length = (uint64_t)body_size;
    }
    err = write_head(conn, &response, names);
    if (err != 0)
        return err;
    request->reply = WEIR__REPLY_BEGUN;
    request->status = (uint16_t)status;
    request->is_head = is_empty || request->message->method == WEIR__HTTP_HEAD;
    request->is_chunked = response.framing == WEIR__HTTP_FRAME_CHUNKED;
    request->left = is_empty ? 0 : body_size;
    return 0;
}

/* The response is written. */
static void end_reply(weir_http_request *request)
{
    request->reply = WEIR__REPLY_ENDED;
    weir__http_conn_replied(request->conn);
}

/* ---- whole responses ---- */

int weir_http_respond_with(weir_http_request *request, unsigned status,
                           const weir_http_field *fields, size_t count,
                           weir_bytes body)
{
    weir_bytes parts[3] = {{NULL, 0}, body, {NULL, 0}};
    int err;

    if (request == NULL || (body.data == NULL && body.size > 0))
        return -EINVAL;
    err = check_reply(request);
    if (err == 0)
        err = begin_reply(request, status, fields, count, (int64_t)body.size);
    if (err != 0)
        return err;
    if (!request->is_head && body.size > 0)
        err = write_parts(request->conn, parts, NULL, NULL);
    if (err != 0) {
        if (!request->conn->is_closing)
            weir__http_conn_fail(request->conn, err);
        return err;
    }
    end_reply(request);
    return 0;
}

int weir_http_respond(weir_http_request *request, unsigned status,
                      const char *type, const void *body, size_t size)
{
    weir_http_field field = {WEIR_BYTES_OF("Content-Type"), {type, 0}};
    weir_bytes bytes = {body, size};

    if (type != NULL)
        field.value.size = strlen(type);
    return weir_http_respond_with(request, status, &field, type != NULL, bytes);
}

void weir__http_reply_plainly(struct weir__http_conn *conn, unsigned status,
                              bool is_last)
{
    static const weir_http_field type = {WEIR_BYTES_OF("Content-Type"),
                                         WEIR_BYTES_OF("text/plain")};
    weir_http_request *request = conn->request;
    weir_bytes reason = weir__http_reason(status);
    struct weir__http_response response = {.status = (uint16_t)status,
                                           .framing = WEIR__HTTP_FRAME_LENGTH,
                                           .fields = &type,
                                           .field_count = 1,
                                           .length = reason.size + 1};
    bool is_head =
        request != NULL && request->message->method == WEIR__HTTP_HEAD;

    if (is_last)
        conn->must_close = true;
    if (write_head(conn, &response, 0) != 0 ||
        (!is_head &&
         (cork_bytes(conn, reason) != 0 ||
          cork_bytes(conn, (weir_bytes)WEIR_BYTES_OF("\n")) != 0))) {
        weir__http_conn_fail(conn, -ENOMEM);
        return;
    }
    if (request != NULL)
        end_reply(request);
    else
        weir__http_conn_close_gracefully(conn);
}

void weir__http_send_continue(struct weir__http_conn *conn)
{
    static const weir_bytes text =
        WEIR_BYTES_OF("HTTP/1.1 100 Continue\r\n\r\n");

    conn->request->has_continued = true;
    if (conn->request->reply == WEIR__REPLY_NONE && cork_bytes(conn, text) == 0)
        uncork(conn);
}

/* ---- responses in pieces ---- */

int weir_http_begin(weir_http_request *request, unsigned status,
                    const weir_http_field *fields, size_t count,
                    int64_t body_size)
{
    int err;

    if (request == NULL || body_size < -1)
        return -EINVAL;
    err = check_reply(request);
    if (err == 0)
        err = begin_reply(request, status, fields, count, body_size);
    if (err == 0)
        uncork(request->conn);
    return err;
}

/* The callback of a piece, which knows the request, not the stream. */
struct piece {
    weir_http_request *request;
    weir_http_request_fn *done;
    void *arg;
    char head[WEIR__HTTP_CHUNK_HEAD];
};

static void on_piece_left(void *arg, weir_stream *stream, int status)
{
    struct piece piece = *(struct piece *)arg;

    weir_memory_free(arg, sizeof(piece));
    weir__http_request_call(piece.request, piece.done, piece.arg, status);
    if (status != 0 && piece.request->conn != NULL)
        weir__http_conn_break(piece.request->conn, status);
    weir_http_request_unref(piece.request);
}

static struct piece *make_piece(weir_http_request *request,
                                weir_http_request_fn *done, void *arg)
{
    struct piece *piece = weir_memory_alloc(sizeof(*piece));

    if (piece != NULL)
        *piece = (struct piece){.request = request, .done = done, .arg = arg};
    return piece;
}

static int check_body(const weir_http_request *request)
{
    if (request->reply == WEIR__REPLY_NONE)
        return request->conn == NULL ? WEIR_ECLOSED : -EINVAL;
    if (request->reply == WEIR__REPLY_ENDED)
        return -EALREADY;
    return check_conn(request);
}

static int write_piece(weir_http_request *request, weir_bytes bytes,
                       struct piece *piece)
{
    char head[WEIR__HTTP_CHUNK_HEAD];
    char *to = piece != NULL ? piece->head : head;
    weir_bytes parts[3] = {{to, 0}, bytes, {NULL, 0}};

    if (request->is_head) {
        parts[1].size = 0;
    } else if (request->is_chunked && bytes.size > 0) {
        parts[0].size = (size_t)(weir__http_chunk_write(to, bytes.size) - to);
        parts[2] = (weir_bytes)WEIR_BYTES_OF("\r\n");
    }
    return write_parts(request->conn, parts,
                       piece != NULL ? on_piece_left : NULL, piece);
}

int weir_http_write(weir_http_request *request, weir_bytes bytes,
                    weir_http_request_fn *done, void *arg)
{
    struct piece *piece = NULL;
    int err;

    if (request == NULL || (bytes.data == NULL && bytes.size > 0))
        return -EINVAL;
    err = check_body(request);
    if (err != 0)
        return err;
    if (request->left >= 0 && (uint64_t)request->left < bytes.size)
        return -EMSGSIZE;
    if (done != NULL) {
        piece = make_piece(request, done, arg);
        if (piece == NULL)
            return -ENOMEM;
    }
    err = write_piece(request, bytes, piece);
    if (err != 0) {
        weir_memory_free(piece, sizeof(*piece));
        return err;
    }
    if (piece != NULL)
        weir_http_request_ref(request);
    if (request->left >= 0)
        request->left -= (int64_t)bytes.size;
    uncork(request->conn);
    return 0;
}

bool weir_http_is_full(const weir_http_request *request)
{
    return request->conn != NULL && request->conn->stream != NULL &&
           weir_stream_is_full(request->conn->stream);
}

void weir_http_on_writable(weir_http_request *request, weir_http_request_fn *fn,
                           void *arg)
{
    request->on_writable = fn;
    request->writable_arg = arg;
}

static int write_last(weir_http_request *request,
                      const weir_http_field *trailers, size_t count)
{
    struct weir__http_conn *conn = request->conn;
    char *to, *end;

    if (!request->is_chunked || request->is_head)
        return 0;
    to = weir__http_cork_reserve(conn, weir__http_last_size(trailers, count));
    if (to == NULL)
        return conn->is_closing ? WEIR_ECLOSED : -ENOMEM;
    end = weir__http_last_write(trailers, count, to);
    conn->shard->cork_size += (size_t)(end - to);
    return 0;
}

int weir_http_end(weir_http_request *request, const weir_http_field *trailers,
                  size_t count)
{
    int err;

    if (request == NULL || (trailers == NULL && count > 0) ||
        (count > 0 && weir__http_fields_check(trailers, count) < 0))
        return -EINVAL;
    err = check_body(request);
    if (err != 0)
        return err;
    if (request->left > 0 && !request->is_head) {
        weir__http_conn_fail(request->conn, -EMSGSIZE);
        return -EMSGSIZE;
    }
    err = write_last(request, trailers, count);
    if (err == 0)
        end_reply(request);
    return err;
}

int weir_http_abort(weir_http_request *request)
{
    if (request == NULL)
        return -EINVAL;
    if (request->reply == WEIR__REPLY_ENDED)
        return -EALREADY;
    if (check_conn(request) != 0)
        return WEIR_ECLOSED;
    weir__http_conn_fail(request->conn, WEIR_ECANCELED);
    return 0;
}

/* ---- files ---- */

static void on_file_left(void *arg, weir_stream *stream, int status)
{
    weir_http_request *request = arg;
    struct weir__http_conn *conn = request->conn;

    if (conn != NULL && conn->request == request && !conn->is_closing) {
        if (status == 0)
            end_reply(request);
        else
            weir__http_conn_fail(conn, status);
    }
    weir_http_request_unref(request);
}

/* Copy a small file behind its head: one packet, and cheaper than sendfile.
 * Returns false if it was not done. */
static bool cork_file(weir_http_request *request, int64_t offset, size_t size)
{
    struct weir__http_conn *conn = request->conn;
    char *to = weir__http_cork_reserve(conn, size);

    if (to == NULL || weir__socket_read_file(request->file, to, size, offset) !=
                          (ssize_t)size)
        return false;
    conn->shard->cork_size += size;
    return true;
}

int weir_http_respond_file(weir_http_request *request, unsigned status,
                           const weir_http_field *fields, size_t count, int fd,
                           int64_t offset, int64_t size)
{
    struct weir__http_conn *conn;
    int err;

    if (request == NULL || fd < 0 || offset < 0 || size < 0)
        return -EINVAL;
    err = check_reply(request);
    if (err == 0)
        err = begin_reply(request, status, fields, count, size);
    if (err != 0)
        return err;
    conn = request->conn;
    request->file = fd;
    if (request->is_head ||
        (size <= SMALL && cork_file(request, offset, (size_t)size))) {
        end_reply(request);
        return 0;
    }
    if (conn->is_closing)
        return 0;
    conn->stream->has_more = size > 0; /* head and file in one packet */
    weir__http_conn_flush(conn);
    conn->stream->has_more = false;
    if (!conn->is_closing)
        err = weir_stream_send_file(conn->stream, fd, offset, size,
                                    on_file_left, request);
    if (err != 0) {
        weir__http_conn_fail(conn, err);
    } else if (!conn->is_closing) {
        weir_counter_add(&conn->sent, (uint64_t)size);
        weir_http_request_ref(request);
    }
    return 0;
}

static void on_part_left(void *arg, weir_stream *stream, int status)
{
    weir_http_request *request = arg;

    if (status != 0 && request->conn != NULL && !request->conn->is_closing)
        weir__http_conn_fail(request->conn, status);
    weir_http_request_unref(request);
}

int weir__http_write_file(weir_http_request *request, int64_t offset,
                          int64_t size)
{
    struct weir__http_conn *conn = request->conn;
    int err;

    weir__http_conn_flush(conn);
    if (conn->is_closing)
        return WEIR_ECLOSED;
    err = weir_stream_send_file(conn->stream, request->file, offset, size,
                                on_part_left, request);
    if (err != 0)
        return err;
    weir_counter_add(&conn->sent, (uint64_t)size);
    weir_http_request_ref(request);
    request->left -= size;
    return 0;
}

/* ---- upgrades ---- */

int weir_http_upgrade(weir_http_request *request, const weir_http_field *fields,
                      size_t count, weir_call_fn *on_drain, void *arg,
                      weir_stream **stream)
{
    bool is_tunnel;
    struct weir__http_response response = {.status = 101,
                                           .fields = fields,
                                           .field_count = count,
                                           .connection =
                                               WEIR__HTTP_CONNECTION_UPGRADE};
    char *to, *end;
    int err, names;

    if (request == NULL || stream == NULL || (fields == NULL && count > 0))
        return -EINVAL;
    names = weir__http_fields_check(fields, count);
    if (names < 0)
        return -EINVAL;
    if (names & WEIR__HTTP_HAS_CONNECTION)
        response.connection = WEIR__HTTP_CONNECTION_NONE;
    err = check_reply(request);
    if (err != 0)
        return err;
    if (!(request->message->flags & WEIR__HTTP_UPGRADE) ||
        !request->is_complete)
        return -EINVAL;
    is_tunnel = request->message->method == WEIR__HTTP_CONNECT;
    if (is_tunnel) {
        response.status = 200;
        response.connection = WEIR__HTTP_CONNECTION_NONE;
    }
    to = weir__http_cork_reserve(request->conn,
                                 weir__http_response_size(&response));
    if (to == NULL)
        return request->conn->is_closing ? WEIR_ECLOSED : -ENOMEM;
    end = weir__http_response_write(&response, to);
    request->conn->shard->cork_size += (size_t)(end - to);
    request->reply = WEIR__REPLY_ENDED;
    err = weir__http_conn_hand_over(request->conn, on_drain, arg, stream);
    if (err == -ENOMEM) { /* take the answer back */
        request->conn->shard->cork_size -= (size_t)(end - to);
        request->reply = WEIR__REPLY_NONE;
    }
    return err;
}
