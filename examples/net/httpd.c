/* SPDX-License-Identifier: MIT */
/* httpd -- an HTTP server that drains: build/net/httpd [ADDRESS] */
#include <stdio.h>
#include <weir.h>
#include <weir/net/http.h>

static void on_body(void *arg, weir_http_request *request, int status,
                    weir_bytes body)
{
    weir_http_respond(request, status == 0 ? 200 : 413, "text/plain", body.data,
                      body.size);
}

static void on_request(void *arg, weir_http_request *request)
{
    if (weir_http_is(request, "GET", "/"))
        weir_http_respond(request, 200, "text/plain", "hello\n", 6);
    else if (!weir_http_is(request, "POST", "/echo"))
        weir_http_respond(request, 404, "text/plain", "not found\n", 10);
    else if (weir_http_collect(request, 1 << 20, on_body, NULL) != 0)
        weir_http_respond(request, 503, NULL, NULL, 0);
}

int main(int argc, char **argv)
{
    weir_http_server_options options = {
        .size = sizeof(options), .on_request = on_request, .has_health = true};
    weir_service *service;
    weir_http_server *server;
    int err;

    if ((err = weir_service_new(&service, NULL)) != 0 ||
        (err = weir_http_server_new(&server, service, &options)) != 0 ||
        (err = weir_http_server_listen(
             server, argc > 1 ? argv[1] : "127.0.0.1:8080", NULL)) != 0 ||
        (err = weir_service_start(service)) != 0 ||
        (err = weir_service_wait(service, -1)) != 0)
        fprintf(stderr, "httpd: %s\n", weir_error_text(err));
    return err == 0 ? 0 : 1;
}
