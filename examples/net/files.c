/* SPDX-License-Identifier: MIT */
/*
 * files -- serve the files of a directory, over TLS if there is a certificate.
 *
 *     build/net/files DIRECTORY [ADDRESS [CHAIN.pem KEY.pem]]
 *
 * The address is 127.0.0.1:0 if none is given; the port is printed.  When the
 * certificate or its key is replaced, new connections use the new one.
 */
#include <stdio.h>
#include <stdlib.h>

#include <weir.h>
#include <weir/net/http.h>
#include <weir/net/tls.h>
#include <weir/watch.h>

static weir_tls_certificate pair = {.size = sizeof(pair)};
static weir_loop *loop;
static weir_tls *tls;

/* Exit on failure; err is 0 or a weir error. */
static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "files: %s: %s\n", what, weir_error_text(err));
    exit(EXIT_FAILURE);
}

static void on_request(void *directory, weir_http_request *request)
{
    if (weir_http_serve_file(request, directory) != 0)
        weir_http_respond(request, 503, NULL, NULL, 0);
}

/* ---- TLS ---- */

static weir_tls *load_certificate(const char *chain, const char *key)
{
    weir_tls_options options = {
        .size = sizeof(options), .certificate = &pair, .alpn = "http/1.1"};
    char reason[256] = "";

    pair.chain_file = chain;
    pair.key_file = key;
    must(weir_tls_new(&tls, WEIR_TLS_SERVER, &options, reason, sizeof(reason)),
         reason);
    return tls;
}

static void on_change(void *arg, weir_watch *watch, int status,
                      const weir_watch_event *event)
{
    char reason[256];

    if (status != 0) /* the loop has ended */
        return;
    if (weir_tls_reload(tls, NULL, reason, sizeof(reason)) == 0)
        fprintf(stderr, "files: the certificate was reloaded\n");
    else /* the key does not fit yet: the next event is the other file's */
        fprintf(stderr, "files: the old certificate stays: %s\n", reason);
}

static void watch_certificate(void *arg, int status)
{
    weir_watch_options options = {.size = sizeof(options),
                                  .kinds =
                                      WEIR_WATCH_WRITTEN | WEIR_WATCH_MOVED_TO,
                                  .is_by_name = true,
                                  .is_unref = true};
    weir_watch *watch; /* closed by the end of the loop */

    if (status != 0)
        return;
    must(weir_watch_open(&watch, loop, pair.chain_file, &options, on_change,
                         NULL),
         pair.chain_file);
    must(
        weir_watch_open(&watch, loop, pair.key_file, &options, on_change, NULL),
        pair.key_file);
}

/* ---- the server ---- */

static void print_address(const weir_http_server *server)
{
    weir_address address;
    char text[WEIR_ADDRESS_TEXT];

    must(weir_http_server_address(server, 0, &address), "address");
    weir_address_format(&address, text, sizeof(text));
    printf("%s://%s/\n", tls != NULL ? "https" : "http", text);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    weir_http_server_options options = {.size = sizeof(options),
                                        .on_request = on_request,
                                        .loops = &loop,
                                        .loop_count = 1};
    const char *where = argc > 2 ? argv[2] : "127.0.0.1:0";
    weir_service *service;
    weir_http_server *server;
    int err;

    if (argc < 2 || argc == 4 || argc > 5) {
        fprintf(stderr, "usage: files DIRECTORY [ADDRESS [CHAIN KEY]]\n");
        return 2;
    }
    options.arg = argv[1];
    if (argc == 5)
        options.tls = load_certificate(argv[3], argv[4]);
    must(weir_service_new(&service, NULL), "service");
    must(weir_service_add_loop(service, &loop, NULL), "loop");
    must(weir_http_server_new(&server, service, &options), "server");
    must(weir_http_server_listen(server, where, NULL), where);
    if (tls != NULL)
        must(weir_loop_submit(loop, watch_certificate, NULL), "watch");
    must(weir_service_start(service), "start");
    print_address(server);
    err = weir_service_wait(service, -1);
    if (err == WEIR_EFORCED)
        return EXIT_FAILURE; /* a callback may still run: exit ends it */
    must(err, "wait");
    must(weir_service_free(service), "free");
    weir_http_server_free(server);
    weir_tls_unref(tls);
    return EXIT_SUCCESS;
}
