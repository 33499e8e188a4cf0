/* SPDX-License-Identifier: MIT */
/*
 * load_tls -- clients that shake hands.
 *
 *     load_tls [OPTIONS] PORT handshakes   connect, full handshake, one GET with
 *                                          Connection: close, end; again
 *     load_tls [OPTIONS] PORT hold         connect, handshake, one GET; print
 *                                          "ready", and end with stdin
 *
 *     -c N   connections at a time (16); with hold: in all
 *     -t S   seconds that are measured (2)
 *
 * No session is ever resumed.  The certificate is not verified against an
 * authority, but its signature of the handshake is, as TLS requires.
 * Prints {"count", "seconds", "total"}.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <openssl/ssl.h>

#include "listen.h"

struct connection {
    SSL *ssl;
    int fd;
    bool has_asked; /* the handshake is over, and the request is sent */
};

static const char last_request[] =
    "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
static const char first_request[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
static SSL_CTX *context;
static int poller, port, count = 16;
static double seconds = 2;
static uint64_t total;

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "load_tls: %s\n", what);
    exit(EXIT_FAILURE);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int connect_socket(void)
{
    struct sockaddr_in name = {.sin_family = AF_INET,
                               .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;

    must(fd, "socket");
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    must(connect(fd, (struct sockaddr *)&name, sizeof(name)), "connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    return fd;
}

static void open_connection(struct connection *connection, bool blocks)
{
    connection->fd = connect_socket();
    connection->has_asked = false;
    connection->ssl = SSL_new(context);
    if (connection->ssl == NULL || !SSL_set_fd(connection->ssl, connection->fd))
        fail("no memory");
    SSL_set_connect_state(connection->ssl);
    if (blocks)
        return;
    must(fcntl(connection->fd, F_SETFL, O_NONBLOCK), "fcntl");
    watch(poller, EPOLL_CTL_ADD, connection->fd, EPOLLIN, connection);
}

/* ---- handshakes ---- */

/* Whether the connection has done all that it should. */
static bool advance(struct connection *connection)
{
    char input[16384];
    int result;

    if (!connection->has_asked) {
        result = SSL_do_handshake(connection->ssl);
        if (result != 1) {
            if (SSL_get_error(connection->ssl, result) == SSL_ERROR_WANT_READ)
                return false;
            fail("a handshake has failed");
        }
        if (SSL_session_reused(connection->ssl))
            fail("a session was resumed");
        if (SSL_write(connection->ssl, last_request,
                      sizeof(last_request) - 1) <= 0)
            fail("cannot send");
        connection->has_asked = true;
    }
    while ((result = SSL_read(connection->ssl, input, sizeof(input))) > 0)
        if (strncmp(input, "HTTP/1.1 200 ", 13) != 0 && input[0] == 'H')
            fail("not an answer with status 200");
    return SSL_get_error(connection->ssl, result) != SSL_ERROR_WANT_READ;
}

static void end_connection(struct connection *connection)
{
    SSL_free(connection->ssl);
    close(connection->fd);
}

static void shake_hands(struct connection *connections)
{
    struct epoll_event events[64];
    double start = now(), end = start + seconds;

    for (int i = 0; i < count; i++) {
        open_connection(&connections[i], false);
        advance(&connections[i]);
    }
    while (now() < end) {
        int ready = epoll_wait(poller, events, 64, 1000);

        for (int i = 0; i < ready; i++) {
            struct connection *connection = events[i].data.ptr;

            if (!advance(connection))
                continue;
            end_connection(connection);
            total++;
            open_connection(connection, false);
            advance(connection);
        }
    }
    printf("{\"count\": %lu, \"seconds\": %.6f, \"total\": %lu}\n",
           (unsigned long)total, now() - start, (unsigned long)total);
}

/* ---- hold ---- */

static void hold(struct connection *connections)
{
    char input[16384];

    for (int i = 0; i < count; i++) {
        open_connection(&connections[i], true);
        if (SSL_do_handshake(connections[i].ssl) != 1 ||
            SSL_write(connections[i].ssl, first_request,
                      sizeof(first_request) - 1) <= 0 ||
            SSL_read(connections[i].ssl, input, sizeof(input)) <= 0 ||
            strncmp(input, "HTTP/1.1 200 ", 13) != 0)
            fail("a connection has failed");
    }
    printf("ready\n");
    fflush(stdout);
    while (getchar() != EOF) {
    }
}

int main(int argc, char **argv)
{
    struct connection *connections;

    for (int letter; (letter = getopt(argc, argv, "c:t:")) != -1;) {
        switch (letter) {
        case 'c':
            count = atoi(optarg);
            break;
        case 't':
            seconds = atof(optarg);
            break;
        default:
            return EXIT_FAILURE;
        }
    }
    if (argc - optind != 2)
        fail("PORT MODE");
    port = atoi(argv[optind]);
    connections = calloc((size_t)count, sizeof(*connections));
    context = SSL_CTX_new(TLS_client_method());
    poller = epoll_create1(EPOLL_CLOEXEC);
    if (connections == NULL || context == NULL || poller < 0)
        fail("no memory");
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    (strcmp(argv[optind + 1], "hold") == 0 ? hold : shake_hands)(connections);
    return EXIT_SUCCESS;
}
