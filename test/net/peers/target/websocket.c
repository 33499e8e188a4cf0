/* SPDX-License-Identifier: MIT */
/*
 * websocket.c -- an echo.  The drain closes it with 1012.
 */
#include <stdlib.h>

#include "target.h"
#include "weir/net/websocket.h"

enum { FIELDS = 100 };

/* What connects the drain of the server to the WebSocket. */
typedef struct echo {
    weir_websocket *websocket;
} echo;

static void on_message(void *arg, weir_websocket *websocket,
                       weir_websocket_kind kind, weir_bytes bytes, bool is_last)
{
    target_complain("send",
                    weir_websocket_send(websocket, kind, bytes, NULL, NULL));
    if (weir_websocket_is_full(websocket))
        weir_websocket_pause(websocket);
}

static void on_writable(void *arg, weir_websocket *websocket)
{
    weir_websocket_resume(websocket);
}

static void on_close(void *arg, weir_websocket *websocket,
                     const weir_websocket_end *end)
{
    free(arg);
}

static void on_drain(void *arg)
{
    echo *e = arg;
    static const weir_bytes reason = WEIR_BYTES_OF("restart");
    target_complain("close", weir_websocket_close(
                                 e->websocket, WEIR_WEBSOCKET_RESTART, reason));
}

static void take_over(weir_http_request *request,
                      const weir_websocket_handshake *handshake)
{
    weir_websocket_options options = {.size = sizeof options,
                                      .on_message = on_message,
                                      .on_drain = on_writable,
                                      .on_close = on_close};
    weir_http_field fields[WEIR_WEBSOCKET_HEADERS];
    size_t count = weir_websocket_headers(handshake, fields);
    weir_stream *stream;
    echo *e = calloc(1, sizeof *e);
    if (e == NULL)
        abort();
    options.arg = e;
    int err = weir_http_upgrade(request, fields, count, on_drain, e, &stream);
    if (err == 0)
        err = weir_websocket_open(&e->websocket, stream, handshake, &options);
    if (err != 0) {
        target_complain("upgrade", err);
        abort(); /* only for lack of memory */
    }
}

void target_websocket(weir_http_request *request)
{
    weir_websocket_handshake handshake;
    weir_http_field fields[FIELDS];
    size_t count = 0;
    while (count < FIELDS && weir_http_field_at(request, count, &fields[count]))
        count++;
    int err = weir_websocket_accept(&handshake, weir_http_method(request),
                                    fields, count, NULL);
    if (err == 0) {
        take_over(request, &handshake);
        return;
    }
    count = weir_websocket_headers(&handshake, fields);
    target_complain(
        "refuse", weir_http_respond_with(request, (unsigned)handshake.status,
                                         fields, count, (weir_bytes){NULL, 0}));
}
