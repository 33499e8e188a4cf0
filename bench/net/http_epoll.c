/* SPDX-License-Identifier: MIT */
/*
 * http_epoll -- the floor of the HTTP workload: bare epoll and llhttp, with an
 * answer that is written beforehand.
 *
 * One recv for each event; the answers to all requests in it leave with one
 * send.  A connection whose peer does not take its answers is dropped: wrk
 * always does.
 */
#include <stdbool.h>
#include <string.h>

#include <llhttp.h>

#include "listen.h"

#define ANSWER                                                                 \
    "HTTP/1.1 200 OK\r\n"                                                      \
    "Content-Type: text/plain\r\n"                                             \
    "Content-Length: 13\r\n"                                                   \
    "Date: Tue, 17 Nov 2026 00:00:00 GMT\r\n"                                  \
    "\r\n"                                                                     \
    "hello, world\n"
#define PIPELINED_MAX 64

struct connection {
    llhttp_t parser;
    int fd;
    int requests; /* complete in the input at hand */
};

static char input[64 * 1024];
static char answers[PIPELINED_MAX * sizeof(ANSWER)];
static llhttp_settings_t settings;
static int poller;

static int count_request(llhttp_t *parser)
{
    struct connection *connection = (struct connection *)parser;

    connection->requests++;
    return 0;
}

static bool serve(struct connection *connection)
{
    ssize_t size = recv(connection->fd, input, sizeof(input), 0);
    ssize_t answered;

    if (size <= 0)
        return false;
    connection->requests = 0;
    if (llhttp_execute(&connection->parser, input, (size_t)size) != HPE_OK ||
        connection->requests > PIPELINED_MAX)
        return false;
    if (connection->requests == 0)
        return true;
    answered = connection->requests * (ssize_t)(sizeof(ANSWER) - 1);
    return send(connection->fd, answers, (size_t)answered, MSG_NOSIGNAL) ==
           answered;
}

static void accept_all(int listener)
{
    for (int fd; (fd = accept_one(listener)) >= 0;) {
        struct connection *connection = calloc(1, sizeof(*connection));

        if (connection == NULL)
            exit(EXIT_FAILURE);
        connection->fd = fd;
        llhttp_init(&connection->parser, HTTP_REQUEST, &settings);
        watch(poller, EPOLL_CTL_ADD, fd, EPOLLIN, connection);
    }
}

static void prepare(void)
{
    for (int i = 0; i < PIPELINED_MAX; i++)
        memcpy(answers + i * (sizeof(ANSWER) - 1), ANSWER, sizeof(ANSWER) - 1);
    llhttp_settings_init(&settings);
    settings.on_message_complete = count_request;
}

int main(void)
{
    struct epoll_event events[256];
    int listener = open_listener();

    prepare();
    poller = epoll_create1(EPOLL_CLOEXEC);
    must(poller, "epoll_create1");
    watch(poller, EPOLL_CTL_ADD, listener, EPOLLIN, NULL);
    for (;;) {
        int count = epoll_wait(poller, events, 256, -1);

        for (int i = 0; i < count; i++) {
            struct connection *connection = events[i].data.ptr;

            if (connection == NULL) {
                accept_all(listener);
            } else if (!serve(connection)) {
                close(connection->fd);
                free(connection);
            }
        }
    }
}
