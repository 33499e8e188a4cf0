/* SPDX-License-Identifier: MIT */
/*
 * upgrade -- a request of weir's HTTP server becomes a WebSocket.
 *
 * Everything that can fail comes before the answer, so that after a failed call
 * the request can still be answered in another way.  The server keeps the
 * connection in its list until the stream is freed, and its drain calls
 * on_server_drain.  That may happen inside weir_http_upgrade, while the
 * WebSocket has no stream yet.
 *
 * Tested by  test/net/websocket/upgrade.c
 */
#include <errno.h>
#include <string.h>

#include "http/conn.h"
#include "websocket/list.h"
#include "websocket/websocket.h"
#include "weir/host/memory.h"

static void on_server_drain(void *arg)
{
    weir_websocket *websocket = arg;

    if (!websocket->is_attached)
        websocket->is_shutting_down = true;
    else if (websocket->stream != NULL)
        weir__websocket_shut_down(websocket, 0);
}

/* ---- the handshake ---- */

static size_t count_fields(const weir_http_request *request)
{
    weir_http_field field;
    size_t count = 0;

    while (weir_http_field_at(request, count, &field))
        count++;
    return count;
}

static int accept_request(weir_websocket_handshake *handshake,
                          weir_http_request *request,
                          const weir_websocket_handshake_options *wanted)
{
    size_t count = count_fields(request);
    size_t size = (count + 1) * sizeof(weir_http_field);
    weir_http_field *fields = weir_memory_alloc(size);
    int err;

    if (fields == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        (void)weir_http_field_at(request, i, &fields[i]);
    err = weir_websocket_accept(handshake, weir_http_method(request), fields,
                                count, wanted);
    weir_memory_free(fields, size);
    return err;
}

/* The fields of the answer.  Connection is the HTTP server's. */
static size_t make_fields(const weir_websocket_handshake *handshake,
                          weir_http_field *fields)
{
    size_t count = weir_websocket_headers(handshake, fields), kept = 0;

    for (size_t i = 0; i < count; i++)
        if (!weir__list_equals(fields[i].name, "Connection"))
            fields[kept++] = fields[i];
    return kept;
}

static int refuse(weir_http_request *request,
                  const weir_websocket_handshake *handshake)
{
    weir_http_field fields[WEIR_WEBSOCKET_HEADERS];
    size_t count = make_fields(handshake, fields);
    weir_bytes none = {NULL, 0};
    int err = weir_http_respond_with(request, (unsigned)handshake->status,
                                     fields, count, none);

    return err == 0 ? WEIR_EWEBSOCKET : err;
}

/* How long a message may go without progress: as long as a response. */
static int64_t write_time_of(const weir_http_request *request)
{
    int64_t write_ns = request->conn == NULL
                           ? 0
                           : weir__http_conn_options(request->conn)->write_ns;

    return write_ns < 0 ? 0 : write_ns;
}

static int answer(weir_websocket *websocket, weir_http_request *request,
                  const weir_websocket_handshake *handshake,
                  weir_stream **stream)
{
    weir_http_field fields[WEIR_WEBSOCKET_HEADERS];
    size_t count = make_fields(handshake, fields);

    return weir_http_upgrade(request, fields, count, on_server_drain, websocket,
                             stream);
}

int weir_websocket_upgrade(weir_websocket **made, weir_http_request *request,
                           const weir_websocket_handshake_options *wanted,
                           const weir_websocket_options *options)
{
    weir_websocket_handshake handshake;
    weir_websocket *websocket;
    weir_stream *stream;
    int64_t write_ns;
    int err;

    if (made == NULL || request == NULL)
        return -EINVAL;
    err = accept_request(&handshake, request, wanted);
    if (err == WEIR_EWEBSOCKET)
        return refuse(request, &handshake);
    if (err != 0)
        return err;
    err = weir__websocket_new(&websocket, weir_http_loop(request), &handshake,
                              options);
    if (err != 0)
        return err;
    write_ns = write_time_of(request);
    err = answer(websocket, request, &handshake, &stream);
    if (err != 0) {
        weir__websocket_drop(websocket);
        return err;
    }
    (void)!weir_stream_set_timeouts(stream, 0, write_ns);
    *made = websocket;
    websocket->is_attached = true;
    err = weir__websocket_attach(websocket, stream);
    if (err != 0) /* the client has left: on_close tells */
        weir__websocket_give_up(websocket, stream, err);
    else if (websocket->is_shutting_down)
        weir__websocket_wake(websocket);
    return 0;
}
