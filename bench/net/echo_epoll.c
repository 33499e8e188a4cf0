/* SPDX-License-Identifier: MIT */
/*
 * echo_epoll -- the floor of the echo workloads: bare epoll, level-triggered,
 * one recv and one send for each event.
 *
 * All connections share one input buffer.  What the kernel does not take is
 * copied, and the connection waits for room before it reads again.
 */
#include <stdbool.h>
#include <string.h>

#include "listen.h"

struct connection {
    int fd;
    char *rest; /* what the kernel did not take, or NULL */
    size_t begin, end;
};

static char input[64 * 1024];
static int poller;

static void end_connection(struct connection *connection)
{
    close(connection->fd);
    free(connection->rest);
    free(connection);
}

static void keep_rest(struct connection *connection, const char *data,
                      size_t size)
{
    connection->rest = malloc(size);
    if (connection->rest == NULL)
        exit(EXIT_FAILURE);
    memcpy(connection->rest, data, size);
    connection->begin = 0;
    connection->end = size;
    watch(poller, EPOLL_CTL_MOD, connection->fd, EPOLLOUT, connection);
}

static bool send_rest(struct connection *connection)
{
    ssize_t sent = send(connection->fd, connection->rest + connection->begin,
                        connection->end - connection->begin, MSG_NOSIGNAL);

    if (sent < 0)
        return false;
    connection->begin += (size_t)sent;
    if (connection->begin == connection->end) {
        free(connection->rest);
        connection->rest = NULL;
        watch(poller, EPOLL_CTL_MOD, connection->fd, EPOLLIN, connection);
    }
    return true;
}

static bool echo(struct connection *connection)
{
    ssize_t size = recv(connection->fd, input, sizeof(input), 0), sent;

    if (size <= 0)
        return false;
    sent = send(connection->fd, input, (size_t)size, MSG_NOSIGNAL);
    if (sent < 0)
        sent = 0;
    if (sent < size)
        keep_rest(connection, input + sent, (size_t)(size - sent));
    return true;
}

static void accept_all(int listener)
{
    for (int fd; (fd = accept_one(listener)) >= 0;) {
        struct connection *connection = calloc(1, sizeof(*connection));

        if (connection == NULL)
            exit(EXIT_FAILURE);
        connection->fd = fd;
        watch(poller, EPOLL_CTL_ADD, fd, EPOLLIN, connection);
    }
}

int main(void)
{
    struct epoll_event events[256];
    int listener = open_listener();

    poller = epoll_create1(EPOLL_CLOEXEC);
    must(poller, "epoll_create1");
    watch(poller, EPOLL_CTL_ADD, listener, EPOLLIN, NULL);
    for (;;) {
        int count = epoll_wait(poller, events, 256, -1);

        for (int i = 0; i < count; i++) {
            struct connection *connection = events[i].data.ptr;

            if (connection == NULL)
                accept_all(listener);
            else if (!(connection->rest ? send_rest : echo)(connection))
                end_connection(connection);
        }
    }
}
