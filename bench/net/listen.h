/* SPDX-License-Identifier: MIT */
/*
 * listen -- what the servers without a library share: a listening socket on
 * 127.0.0.1, on a port that the kernel chooses and that is printed for
 * bench/net/run.
 */
#ifndef WEIR_BENCH_NET_LISTEN_H
#define WEIR_BENCH_NET_LISTEN_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static inline void must(int result, const char *what)
{
    if (result >= 0)
        return;
    perror(what);
    exit(EXIT_FAILURE);
}

static inline int open_listener(void)
{
    struct sockaddr_in name = {.sin_family = AF_INET};
    socklen_t size = sizeof(name);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    must(fd, "socket");
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    must(bind(fd, (struct sockaddr *)&name, size), "bind");
    must(listen(fd, SOMAXCONN), "listen");
    must(getsockname(fd, (struct sockaddr *)&name, &size), "getsockname");
    printf("listening on 127.0.0.1:%d\n", ntohs(name.sin_port));
    fflush(stdout);
    return fd;
}

static inline void watch(int poller, int change, int fd, unsigned events,
                         void *data)
{
    struct epoll_event event = {.events = events, .data.ptr = data};

    must(epoll_ctl(poller, change, fd, &event), "epoll_ctl");
}

/* Accept one connection; -1 if there is none. */
static inline int accept_one(int listener)
{
    int yes = 1;
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

    if (fd >= 0)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    return fd;
}

#endif /* WEIR_BENCH_NET_LISTEN_H */
