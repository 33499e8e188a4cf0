/* SPDX-License-Identifier: MIT */
/*
 * httpd -- an HTTP server that stops without losing a request.
 *
 *     build/httpd [ADDRESS]          127.0.0.1:0, and it prints the port
 *
 *     GET  /         hello
 *     POST /echo     sends the body back
 *     GET  /livez, /readyz
 */
#include <stdio.h>
#include <stdlib.h>

#include <weir.h>
#include <weir/net/http.h>

/* Exit on failure; err is 0 or a weir error. */
static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "httpd: %s: %s\n", what, weir_error_text(err));
    exit(EXIT_FAILURE);
}

static void on_body(void *arg, weir_http_request *request, int status,
                    weir_bytes body)
{
    if (status == 0)
        (void)!weir_http_respond(request, 200, "application/octet-stream",
                                 body.data, body.size);
    else
        (void)!weir_http_respond(request, 413, NULL, NULL, 0);
}

static void on_request(void *arg, weir_http_request *request)
{
    int err;

    if (weir_http_is(request, "POST", "/echo"))
        err = weir_http_collect(request, 1 << 20, on_body, NULL);
    else if (weir_http_is(request, "GET", "/"))
        err = weir_http_respond(request, 200, "text/plain", "hello\n", 6);
    else
        err = weir_http_respond(request, 404, "text/plain", "not found\n", 10);
    (void)err; /* the client has left */
}

int main(int argc, char **argv)
{
    const char *where = argc > 1 ? argv[1] : "127.0.0.1:0";
    weir_http_server_options options = {
        .size = sizeof(options), .on_request = on_request, .has_health = true};
    weir_service *service;
    weir_http_server *server;
    weir_address address;
    char text[WEIR_ADDRESS_TEXT];
    int status;

    must(weir_service_new(&service, NULL), "service");
    must(weir_http_server_new(&server, service, &options), "server");
    must(weir_http_server_listen(server, where, NULL), where);
    must(weir_service_start(service), "start");
    must(weir_http_server_address(server, 0, &address), "address");
    weir_address_format(&address, text, sizeof(text));
    printf("http://%s/\n", text);
    fflush(stdout);
    status = weir_service_wait(service, -1);
    if (status == WEIR_EFORCED)
        return EXIT_FAILURE;
    must(weir_service_free(service), "free");
    weir_http_server_free(server);
    return EXIT_SUCCESS;
}
