/* SPDX-License-Identifier: MIT */
/*
 * client_fixture -- a client with a socket that blocks, for cases whose server
 * runs on another thread.
 */
#ifndef WEIR_TEST_CLIENT_FIXTURE_H
#define WEIR_TEST_CLIENT_FIXTURE_H

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/suite.h"
#include "weir/net/address.h"

static weir_address where; /* of the server */
static char answer[1 << 20];

static inline int join_server(void)
{
    size_t size;
    const struct sockaddr *name = weir_address_sockaddr(&where, &size);
    struct timeval limit = {30, 0};
    int fd = socket(name->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

    expect_int(connect(fd, name, (socklen_t)size), 0);
    expect_int(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)),
               0);
    return fd;
}

static inline void send_text(int fd, const char *text)
{
    expect_int(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* Returns what the last recv returned: 0, or -1 after a reset. */
static inline ssize_t receive_all(int fd)
{
    size_t size = 0;
    ssize_t count;

    while ((count = recv(fd, answer + size, sizeof(answer) - 1 - size, 0)) > 0)
        size += (size_t)count;
    answer[size] = '\0';
    return count;
}

/* Read until the server closes the connection. */
static inline const char *read_all(int fd)
{
    expect_int(receive_all(fd), 0);
    return answer;
}

/* Read until the server closes or resets the connection, and close it. */
static inline const char *read_rest(int fd)
{
    (void)receive_all(fd);
    close(fd);
    return answer;
}

/* Read until the answer contains a text. */
static inline const char *read_until(int fd, const char *text)
{
    size_t size = 0;

    do {
        ssize_t count = recv(fd, answer + size, sizeof(answer) - 1 - size, 0);

        expect(count > 0);
        size += (size_t)count;
        answer[size] = '\0';
    } while (strstr(answer, text) == NULL);
    return answer;
}

#endif
