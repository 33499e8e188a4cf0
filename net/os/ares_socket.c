/* SPDX-License-Identifier: MIT */
/*
 * ares_socket -- the system calls that c-ares makes.
 *
 * Left to itself, c-ares sets FD_CLOEXEC after it has made a socket, so that a
 * program which another thread starts meanwhile inherits it, and writes with
 * writev, which raises SIGPIPE.  These functions return -1 and set errno, as
 * c-ares expects.
 */
#include "os/ares_socket.h"

#include <ares.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static ares_socket_t open_socket(int family, int type, int protocol,
                                 void *unused)
{
    int fd = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
    int one = 1;

    /* A query that waits for the acknowledgement of its length would be slow;
     * if the option cannot be set, it is. */
    if (fd >= 0 && type == SOCK_STREAM)
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    return fd;
}

static int close_socket(ares_socket_t fd, void *unused)
{
    return close(fd);
}

static int connect_socket(ares_socket_t fd, const struct sockaddr *address,
                          ares_socklen_t size, void *unused)
{
    return connect(fd, address, size);
}

static ares_ssize_t receive(ares_socket_t fd, void *buffer, size_t size,
                            int flags, struct sockaddr *from,
                            ares_socklen_t *from_size, void *unused)
{
    return recvfrom(fd, buffer, size, flags, from, from_size);
}

static ares_ssize_t send_parts(ares_socket_t fd, const struct iovec *parts,
                               int count, void *unused)
{
    struct msghdr message = {.msg_iov = (struct iovec *)parts,
                             .msg_iovlen = (size_t)count};

    return sendmsg(fd, &message, MSG_NOSIGNAL);
}

const struct ares_socket_functions weir__ares_socket = {
    open_socket, close_socket, connect_socket, receive, send_parts,
};
