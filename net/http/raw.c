/* SPDX-License-Identifier: MIT */
/*
 * raw -- responses that a host formats itself, and connections as it sees them
 * (weir/host/http.h).
 *
 * A raw response is a response in pieces of unknown length, without framing:
 * its bytes go to the cork or the stream as they are.
 *
 * Thread    The loop's.
 *
 * Tested by  test/net/http/raw.c, test/js/http
 */
#include <errno.h>
#include <string.h>

#include "http/conn.h"
#include "stream/stream.h"

enum { SMALL = 16 * 1024 }; /* bytes that are copied to the cork */

/* ---- output ---- */

/* Append bytes to the cork, or write them to the stream behind it. */
static int write_bytes(struct weir__http_conn *conn, weir_bytes bytes)
{
    char *to;
    int err;

    if (bytes.size <= SMALL) {
        to = weir__http_cork_reserve(conn, bytes.size);
        if (to == NULL)
            return conn->is_closing ? WEIR_ECLOSED : -ENOMEM;
        if (bytes.size > 0)
            memcpy(to, bytes.data, bytes.size);
        conn->shard->cork_size += bytes.size;
        return 0;
    }
    weir__http_conn_flush(conn);
    if (conn->is_closing)
        return WEIR_ECLOSED;
    err = weir_stream_write(conn->stream, &bytes, 1, NULL, NULL);
    if (err == 0)
        weir_counter_add(&conn->sent, bytes.size);
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

/* ---- responses ---- */

static int check_raw(const weir_http_request *request)
{
    if (request->reply == WEIR__REPLY_ENDED ||
        (request->reply == WEIR__REPLY_BEGUN && !request->is_raw))
        return -EALREADY;
    return request->conn == NULL || request->conn->is_closing ||
                   request->conn->request != request
               ? WEIR_ECLOSED
               : 0;
}

/* The status in the first line of a response; 0 if there is none. */
static uint16_t status_of(const weir_bytes *parts, size_t count)
{
    static const char version[] = "HTTP/1.";
    const char *line = count > 0 ? parts[0].data : NULL;
    unsigned status = 0;

    if (line == NULL || parts[0].size < sizeof("HTTP/1.1 200") - 1 ||
        memcmp(line, version, sizeof(version) - 1) != 0)
        return 0;
    for (size_t i = sizeof("HTTP/1.1 ") - 1; i < 12; i++) {
        if (line[i] < '0' || line[i] > '9')
            return 0;
        status = 10 * status + (unsigned)(line[i] - '0');
    }
    return (uint16_t)status;
}

static void begin_raw(weir_http_request *request, const weir_bytes *parts,
                      size_t count, unsigned flags)
{
    request->has_continued = true;
    if (flags & WEIR_HTTP_RAW_INTERIM)
        return;
    if (request->reply == WEIR__REPLY_NONE)
        request->status = status_of(parts, count);
    request->reply = WEIR__REPLY_BEGUN;
    request->is_raw = true;
    request->left = -1;
}

int weir_http_raw_send(weir_http_request *request, const weir_bytes *parts,
                       size_t count, unsigned flags)
{
    struct weir__http_conn *conn;
    int err;

    if (request == NULL || (parts == NULL && count > 0))
        return -EINVAL;
    err = check_raw(request);
    if (err != 0)
        return err;
    conn = request->conn;
    begin_raw(request, parts, count, flags);
    for (size_t i = 0; i < count && err == 0; i++)
        err = write_bytes(conn, parts[i]);
    if (err != 0) {
        weir__http_conn_fail(conn, err);
        return err;
    }
    if (!(flags & WEIR_HTTP_RAW_END)) {
        uncork(conn);
        return 0;
    }
    if (flags & WEIR_HTTP_RAW_CLOSE)
        conn->must_close = true;
    request->reply = WEIR__REPLY_ENDED;
    weir__http_conn_replied(conn);
    return 0;
}

void weir_http_discard(weir_http_request *request)
{
    struct weir__http_conn *conn = request->conn;

    if (conn == NULL || conn->request != request || request->is_complete ||
        request->reply != WEIR__REPLY_ENDED)
        return;
    weir__http_conn_discard(conn);
    if (conn->input == NULL && !conn->is_closing)
        weir__http_conn_resume(conn);
}

bool weir_http_raw_closes(const weir_http_request *request)
{
    return request->conn == NULL || weir__http_conn_closes(request->conn);
}

bool weir_http_expects_continue(const weir_http_request *request)
{
    return !request->has_continued;
}

bool weir_http_wants_upgrade(const weir_http_request *request)
{
    return request->message->flags & WEIR__HTTP_UPGRADE;
}

int weir_http_take(weir_http_request *request, weir_call_fn *on_drain,
                   void *arg, weir_stream **stream)
{
    int err;

    if (request == NULL || stream == NULL)
        return -EINVAL;
    if (request->reply != WEIR__REPLY_NONE)
        return -EALREADY;
    if (request->conn == NULL || request->conn->is_closing)
        return WEIR_ECLOSED;
    if (!(request->message->flags & WEIR__HTTP_UPGRADE) ||
        !request->is_complete)
        return -EINVAL;
    request->reply = WEIR__REPLY_ENDED;
    err = weir__http_conn_hand_over(request->conn, on_drain, arg, stream);
    if (err == -ENOMEM)
        request->reply = WEIR__REPLY_NONE;
    return err;
}

/* ---- connections ---- */

weir_http_connection *weir_http_connection_of(const weir_http_request *request)
{
    return request->conn;
}

void weir_http_connection_set_data(weir_http_connection *connection, void *data)
{
    connection->data = data;
}

void *weir_http_connection_data(const weir_http_connection *connection)
{
    return connection->data;
}

weir_stream *weir_http_connection_stream(const weir_http_connection *connection)
{
    return connection->stream;
}

bool weir_http_connection_is_idle(const weir_http_connection *connection)
{
    return connection->request == NULL && !connection->is_upgraded &&
           connection->request_count > 0 &&
           weir__http_parser_is_idle(&connection->parser);
}

int weir_http_connection_write(weir_http_connection *connection,
                               weir_bytes bytes)
{
    int err;

    if (connection == NULL || (bytes.data == NULL && bytes.size > 0))
        return -EINVAL;
    if (connection->is_closing || connection->is_upgraded)
        return WEIR_ECLOSED;
    err = write_bytes(connection, bytes);
    if (err == 0)
        uncork(connection);
    return err;
}

void weir_http_connection_close(weir_http_connection *connection,
                                bool is_abrupt)
{
    if (connection->is_closing || connection->is_upgraded)
        return;
    if (!is_abrupt) /* first: what was written is sent, whatever its end does */
        weir__http_conn_close_gracefully(connection);
    weir__http_conn_drop_request(connection, -ECONNRESET);
    if (is_abrupt)
        weir__http_conn_fail(connection, -ECONNRESET);
}
