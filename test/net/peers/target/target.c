/* SPDX-License-Identifier: MIT */
/*
 * target.c -- options, and the life of the server.
 *
 *     target [--log FILE] [--threads N] [--tls-cert FILE --tls-key FILE]
 *            [--NAME-ms N ...] [--max-connections N] [--health]
 *
 * It listens at 127.0.0.1, at a port that the kernel chooses, or on the socket
 * that it has inherited (LISTEN_FDS), and prints "port N".  The exit status is
 * 0 if the service has drained, 3 if its end was forced.
 */
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routes.h"
#include "weir/clock.h"
#include "weir/net/tls.h"

typedef struct settings {
    weir_http_server_options http;
    weir_listener_options listener;
    const char *address;
    const char *chain, *key;
} settings;

static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "target: %s: %s\n", what, weir_error_text(err));
    exit(EXIT_FAILURE);
}

static void open_log(const char *path)
{
    target_log = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (target_log < 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
}

static void read_options(settings *s, int argc, char **argv)
{
    static const struct option known[] = {{"log", 1, NULL, 'l'},
                                          {"threads", 1, NULL, 't'},
                                          {"tls-cert", 1, NULL, 'c'},
                                          {"tls-key", 1, NULL, 'k'},
                                          {"address", 1, NULL, 'a'},
                                          {"reuse-port", 0, NULL, 'R'},
                                          {"health", 0, NULL, 'H'},
                                          {"max-connections", 1, NULL, 'm'},
                                          {"header-timeout-ms", 1, NULL, 'h'},
                                          {"request-timeout-ms", 1, NULL, 'r'},
                                          {"keep-alive-ms", 1, NULL, 'K'},
                                          {"write-timeout-ms", 1, NULL, 'w'},
                                          {"delay-ms", 1, NULL, 'y'},
                                          {"deadline-ms", 1, NULL, 'd'},
                                          {"idle-ms", 1, NULL, 'i'},
                                          {"linger-ms", 1, NULL, 'L'},
                                          {NULL, 0, NULL, 0}};
    weir_http_server_options *http = &s->http;
    int letter;
    while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1) {
        int64_t number = optarg == NULL ? 0 : strtoll(optarg, NULL, 10);
        switch (letter) {
        case 'l':
            open_log(optarg);
            break;
        case 't':
            http->threads = (unsigned)number;
            break;
        case 'c':
            s->chain = optarg;
            break;
        case 'k':
            s->key = optarg;
            break;
        case 'a':
            s->address = optarg;
            break;
        case 'R':
            s->listener.reuse_port = true;
            break;
        case 'H':
            http->has_health = true;
            break;
        case 'm':
            http->connections = (uint32_t)number;
            break;
        case 'h':
            http->header_ns = WEIR_MS(number);
            break;
        case 'r':
            http->request_ns = WEIR_MS(number);
            break;
        case 'K':
            http->keep_alive_ns = WEIR_MS(number);
            break;
        case 'w':
            http->write_ns = WEIR_MS(number);
            break;
        case 'y':
            http->drain_delay_ns = WEIR_MS(number);
            break;
        case 'd':
            http->drain_deadline_ns = WEIR_MS(number);
            break;
        case 'i':
            http->drain_idle_ns = WEIR_MS(number);
            break;
        case 'L':
            http->drain_linger_ns = WEIR_MS(number);
            break;
        default:
            exit(EXIT_FAILURE);
        }
    }
}

static void read_certificate(settings *s)
{
    weir_tls_certificate pair = {
        .size = sizeof pair, .chain_file = s->chain, .key_file = s->key};
    weir_tls_options options = {.size = sizeof options, .certificate = &pair};
    char reason[256];
    if (s->chain == NULL)
        return;
    int err = weir_tls_new(&s->http.tls, WEIR_TLS_SERVER, &options, reason,
                           sizeof reason);
    must(err, reason);
}

static void listen_somewhere(weir_http_server *server, settings *s)
{
    int count = weir_listener_inherited(&s->listener.fd, 1);
    if (count == 1) {
        s->listener.has_fd = true;
        s->address = NULL;
    }
    must(count < 0 ? count : 0, "LISTEN_FDS");
    must(weir_http_server_listen(server, s->address, &s->listener), "listen");
}

static void print_port(const weir_http_server *server)
{
    weir_address address;
    must(weir_http_server_address(server, 0, &address), "address");
    printf("port %u\n", (unsigned)weir_address_port(&address));
    fflush(stdout);
}

static void print_counts(const weir_http_server *server)
{
    weir_http_counts counts = {.size = sizeof counts};
    must(weir_http_server_counts(server, &counts), "counts");
    fprintf(stderr,
            "connections %" PRIu64 " requests %" PRIu64 " responses %" PRIu64
            " refused %" PRIu64 " cut %" PRIu64 " crossed %" PRIu64 "\n",
            counts.connections, counts.requests, counts.responses,
            counts.refused, counts.cut, counts.crossed);
}

int main(int argc, char **argv)
{
    settings s = {
        .http = {.size = sizeof s.http, .on_request = routes_on_request},
        .listener = {.size = sizeof s.listener},
        .address = "127.0.0.1:0"};
    weir_service *service;
    weir_http_server *server;
    target_fill_text();
    read_options(&s, argc, argv);
    read_certificate(&s);
    must(weir_service_new(&service, NULL), "service");
    must(weir_http_server_new(&server, service, &s.http), "server");
    listen_somewhere(server, &s);
    must(weir_service_start(service), "start");
    print_port(server);
    int status = weir_service_wait(service, -1);
    print_counts(server);
    if (status == 0) {
        (void)weir_service_free(service);
        weir_http_server_free(server);
    }
    weir_tls_unref(s.http.tls);
    return status == 0 ? 0 : status == WEIR_EFORCED ? 3 : 1;
}
