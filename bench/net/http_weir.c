/* SPDX-License-Identifier: MIT */
/*
 * http_weir -- the HTTP server of the benchmarks.
 *
 *     http_weir [--root DIRECTORY] [--certificate FILE --key FILE]
 *               [--observed yes]
 *
 * Answers "hello, world\n" at /, and below /files/ the files of the directory.
 * Observed, it has a watchdog and a flight recorder.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir.h>
#include <weir/live.h>
#include <weir/net/http.h>
#include <weir/net/tls.h>
#include <weir/recorder.h>

static const char *root;

static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "http_weir: %s: %s\n", what, weir_error_text(err));
    exit(EXIT_FAILURE);
}

static void on_request(void *arg, weir_http_request *request)
{
    static const char hello[] = "hello, world\n";
    int err;

    if (root != NULL && !weir_http_is(request, NULL, "/"))
        err = weir_http_serve_file(request, root);
    else
        err = weir_http_respond(request, 200, "text/plain", hello,
                                sizeof(hello) - 1);
    (void)err; /* the client has left */
}

static weir_tls *make_tls(const char *certificate, const char *key)
{
    weir_tls_certificate pair = {
        .size = sizeof(pair), .chain_file = certificate, .key_file = key};
    weir_tls_options options = {.size = sizeof(options), .certificate = &pair};
    weir_tls *tls;

    must(weir_tls_new(&tls, WEIR_TLS_SERVER, &options, NULL, 0), certificate);
    return tls;
}

static void observe(void)
{
    must(weir_recorder_start(NULL), "recorder");
    must(weir_live_start(
             &(weir_live_options){.size = sizeof(weir_live_options)}),
         "watchdog");
}

int main(int argc, char **argv)
{
    weir_http_server_options options = {.size = sizeof(options),
                                        .on_request = on_request,
                                        .keep_alive_ns = WEIR_S(600)};
    const char *certificate = NULL, *key = NULL;
    char text[WEIR_ADDRESS_TEXT];
    weir_http_server *server;
    weir_service *service;
    weir_address address;

    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--root") == 0)
            root = argv[i + 1];
        else if (strcmp(argv[i], "--certificate") == 0)
            certificate = argv[i + 1];
        else if (strcmp(argv[i], "--key") == 0)
            key = argv[i + 1];
        else if (strcmp(argv[i], "--observed") == 0)
            observe();
    }
    if (certificate != NULL)
        options.tls = make_tls(certificate, key);
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
