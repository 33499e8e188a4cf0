/* SPDX-License-Identifier: MIT */
/*
 * load -- the clients: connections that send a request and wait for its answer.
 *
 *     load [OPTIONS] PORT echo SIZE     SIZE bytes, and the same come back
 *     load [OPTIONS] PORT http PATH     GET, keep-alive
 *     load [OPTIONS] PORT ws SIZE       WebSocket messages of SIZE bytes
 *
 *     -c N   connections that are busy (100)
 *     -t S   seconds that are measured (2)
 *     -w S   seconds before that (0.3)
 *     -h     hold: print "ready" when all connections exist, and end with stdin
 *
 * Prints {"count", "seconds", "total"}: the round trips that were measured, the
 * time that they took, and all round trips, including those that were not
 * measured.  The answers of a connection have the same size each time; it is
 * learnt from the first one.  That all bytes are right is checked for the first
 * answer of each connection, and their number for each.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "listen.h"

enum { SPACE = 128 * 1024 };

struct connection {
    int fd;
    bool is_waiting; /* for room to send */
    size_t to_send;  /* bytes of the request that are left */
    size_t to_receive;
};

static struct {
    int connections;
    double seconds, warm_up;
    bool holds;
    int port;
    const char *mode, *what;
} options = {.connections = 100, .seconds = 2, .warm_up = 0.3};

/* The same for each connection. */
static char request[SPACE], input[SPACE];
static size_t request_size, answer_size;
static int poller;
static uint64_t total;

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "load: %s\n", what);
    exit(EXIT_FAILURE);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- the first request of a connection, which blocks ---- */

static void send_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);

        must((int)sent, "send");
        data += sent;
        size -= (size_t)sent;
    }
}

static void receive_all(int fd, char *data, size_t size)
{
    while (size > 0) {
        ssize_t got = recv(fd, data, size, 0);

        if (got <= 0)
            fail("the server has closed a connection");
        data += got;
        size -= (size_t)got;
    }
}

/* Receive up to an empty line, which ends a header.  Returns its size. */
static size_t receive_header(int fd)
{
    size_t size = 0;

    do {
        if (size == SPACE - 1)
            fail("a header that does not end");
        receive_all(fd, input + size++, 1);
        input[size] = '\0';
    } while (size < 4 || memcmp(input + size - 4, "\r\n\r\n", 4) != 0);
    return size;
}

static size_t learn_http_answer(int fd)
{
    size_t header = receive_header(fd), body;
    const char *length = strcasestr(input, "\r\ncontent-length:");

    if (strncmp(input, "HTTP/1.1 200 ", 13) != 0 || length == NULL)
        fail("not an answer with status 200 and a length");
    body = strtoul(length + 17, NULL, 10);
    for (size_t left = body; left > 0;) {
        size_t part = left < SPACE ? left : SPACE;

        receive_all(fd, input, part);
        left -= part;
    }
    return header + body;
}

static void upgrade(int fd)
{
    static const char handshake[] =
        "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

    send_all(fd, handshake, sizeof(handshake) - 1);
    receive_header(fd);
    if (strncmp(input, "HTTP/1.1 101 ", 13) != 0 ||
        strstr(input, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") == NULL)
        fail("the upgrade was refused");
}

static void make_first_request(int fd)
{
    if (strcmp(options.mode, "ws") == 0)
        upgrade(fd);
    send_all(fd, request, request_size);
    if (strcmp(options.mode, "http") == 0) {
        answer_size = learn_http_answer(fd);
        return;
    }
    receive_all(fd, input, answer_size);
    if (strcmp(options.mode, "echo") == 0
            ? memcmp(input, request, answer_size) != 0
            : input[0] != (char)0x82)
        fail("not what was sent");
}

/* ---- connections ---- */

static int open_connection(void)
{
    struct sockaddr_in name = {.sin_family = AF_INET,
                               .sin_port = htons((uint16_t)options.port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;

    must(fd, "socket");
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    must(connect(fd, (struct sockaddr *)&name, sizeof(name)), "connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    make_first_request(fd);
    return fd;
}

static void wait_for_room(struct connection *connection, bool is_waiting)
{
    if (connection->is_waiting == is_waiting)
        return;
    connection->is_waiting = is_waiting;
    watch(poller, EPOLL_CTL_MOD, connection->fd,
          is_waiting ? EPOLLIN | EPOLLOUT : EPOLLIN, connection);
}

static void send_more(struct connection *connection)
{
    ssize_t sent =
        send(connection->fd, request + request_size - connection->to_send,
             connection->to_send, MSG_NOSIGNAL | MSG_DONTWAIT);

    if (sent < 0 && errno != EAGAIN)
        fail("cannot send");
    connection->to_send -= sent > 0 ? (size_t)sent : 0;
    wait_for_room(connection, connection->to_send > 0);
}

static void begin_request(struct connection *connection)
{
    connection->to_send = request_size;
    connection->to_receive = answer_size;
    send_more(connection);
}

/* MSG_TRUNC discards the bytes without copying them, so that the client is not
 * slower than the server. */
static void receive_more(struct connection *connection)
{
    ssize_t got = recv(connection->fd, input, connection->to_receive + 1,
                       MSG_DONTWAIT | MSG_TRUNC);

    if (got < 0 && errno == EAGAIN)
        return;
    if (got <= 0 || (size_t)got > connection->to_receive)
        fail(got <= 0 ? "the server has closed a connection"
                      : "more bytes than an answer has");
    connection->to_receive -= (size_t)got;
    if (connection->to_receive == 0) {
        total++;
        begin_request(connection);
    }
}

/* ---- the run ---- */

static void run_until(double end)
{
    struct epoll_event events[256];

    while (now() < end) {
        int count = epoll_wait(poller, events, 256, 1000);

        for (int i = 0; i < count; i++) {
            struct connection *connection = events[i].data.ptr;

            if ((events[i].events & EPOLLOUT) != 0)
                send_more(connection);
            if ((events[i].events & ~(unsigned)EPOLLOUT) != 0)
                receive_more(connection);
        }
    }
}

static void measure(void)
{
    uint64_t before;
    double start;

    run_until(now() + options.warm_up);
    before = total;
    start = now();
    run_until(start + options.seconds);
    printf("{\"count\": %lu, \"seconds\": %.6f, \"total\": %lu}\n",
           (unsigned long)(total - before), now() - start,
           (unsigned long)total);
}

static void prepare_frame(size_t size)
{
    size_t header = size < 126 ? 2 : 4;

    if (size > 65535)
        fail("at most 65535 bytes");
    memset(request, 'x', header + 4 + size);
    request[0] = (char)0x82; /* binary, final */
    request[1] = (char)(0x80 | (size < 126 ? size : 126));
    if (header == 4) {
        request[2] = (char)(size >> 8);
        request[3] = (char)size;
    }
    memcpy(request + header, "mask", 4);
    request_size = header + 4 + size;
    answer_size = header + size;
}

static void prepare_request(void)
{
    size_t size = strtoul(options.what, NULL, 10);

    if (strcmp(options.mode, "http") == 0) {
        int length = snprintf(request, SPACE,
                              "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
                              options.what);

        request_size = (size_t)length;
    } else if (size == 0 || size > SPACE - 16) {
        fail("a size that is too small or too large");
    } else if (strcmp(options.mode, "ws") == 0) {
        prepare_frame(size);
    } else {
        for (size_t i = 0; i < size; i++)
            request[i] = (char)('a' + i % 26);
        request_size = answer_size = size;
    }
}

static void parse(int argc, char **argv)
{
    for (int letter; (letter = getopt(argc, argv, "c:t:w:h")) != -1;) {
        switch (letter) {
        case 'c':
            options.connections = atoi(optarg);
            break;
        case 't':
            options.seconds = atof(optarg);
            break;
        case 'w':
            options.warm_up = atof(optarg);
            break;
        case 'h':
            options.holds = true;
            break;
        default:
            exit(EXIT_FAILURE);
        }
    }
    if (argc - optind != 3)
        fail("PORT MODE WHAT");
    options.port = atoi(argv[optind]);
    options.mode = argv[optind + 1];
    options.what = argv[optind + 2];
}

int main(int argc, char **argv)
{
    struct connection *connections;

    parse(argc, argv);
    prepare_request();
    poller = epoll_create1(EPOLL_CLOEXEC);
    must(poller, "epoll_create1");
    connections = calloc((size_t)options.connections + 1, sizeof(*connections));
    if (connections == NULL)
        fail("no memory");
    for (int i = 0; i < options.connections; i++) {
        connections[i].fd = open_connection();
        watch(poller, EPOLL_CTL_ADD, connections[i].fd, EPOLLIN,
              &connections[i]);
    }
    if (options.holds) {
        printf("ready\n");
        fflush(stdout);
        while (getchar() != EOF) {
        }
        return EXIT_SUCCESS;
    }
    for (int i = 0; i < options.connections; i++)
        begin_request(&connections[i]);
    measure();
    return EXIT_SUCCESS;
}
