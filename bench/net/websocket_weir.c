/* SPDX-License-Identifier: MIT */
/*
 * websocket_weir -- the WebSocket server of the benchmarks: echoes messages.
 */
#include <stdio.h>
#include <stdlib.h>

#include <weir.h>
#include <weir/net/http.h>
#include <weir/net/websocket.h>

static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "websocket_weir: %s: %s\n", what, weir_error_text(err));
    exit(EXIT_FAILURE);
}

static void on_message(void *arg, weir_websocket *websocket,
                       weir_websocket_kind kind, weir_bytes bytes, bool is_last)
{
    if (weir_websocket_send(websocket, kind, bytes, NULL, NULL) != 0)
        return; /* it is being closed */
    if (weir_websocket_is_full(websocket))
        weir_websocket_pause(websocket);
}

static void on_drain(void *arg, weir_websocket *websocket)
{
    weir_websocket_resume(websocket);
}

static void on_request(void *arg, weir_http_request *request)
{
    weir_websocket_options options = {.size = sizeof(options),
                                      .on_message = on_message,
                                      .on_drain = on_drain};
    weir_websocket *websocket;
    int err = weir_websocket_upgrade(&websocket, request, NULL, &options);

    if (err != 0 && err != WEIR_EWEBSOCKET) /* otherwise it was answered */
        must(err, "upgrade");
}

int main(void)
{
    weir_http_server_options options = {.size = sizeof(options),
                                        .on_request = on_request};
    char text[WEIR_ADDRESS_TEXT];
    weir_http_server *server;
    weir_service *service;
    weir_address address;

    must(weir_service_new(&service, NULL), "service");
    must(weir_http_server_new(&server, service, &options), "server");
    must(weir_http_server_listen(server, "127.0.0.1:0", NULL), "listen");
    must(weir_http_server_address(server, 0, &address), "address");
    weir_address_format(&address, text, sizeof(text));
    printf("listening on %s\n", text);
    fflush(stdout);
    must(weir_service_start(service), "start");
    return weir_service_wait(service, -1) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
