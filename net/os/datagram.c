/* SPDX-License-Identifier: MIT */
/*
 * datagram -- see datagram.h.
 */
#include "os/datagram.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>

#include "os/socket.h"

int weir__datagram_prepare(int fd)
{
    int type, family, flags;
    int err = weir__socket_get(fd, SOL_SOCKET, SO_TYPE, &type);

    if (err == 0 && type != SOCK_DGRAM)
        err = -EPROTOTYPE;
    if (err == 0)
        err = weir__socket_get(fd, SOL_SOCKET, SO_DOMAIN, &family);
    if (err != 0)
        return err;
    if (family != AF_INET && family != AF_INET6 && family != AF_UNIX)
        return -EPROTOTYPE;
    flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 ||
        fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
        return -errno;
    return family;
}

/* ---- options ---- */

/* What a socket has to know before it is bound. */
static int configure_new(int fd, int family,
                         const weir_datagram_options *options)
{
    int err = 0;

    if (family == AF_INET6)
        err = weir__socket_set(fd, IPPROTO_IPV6, IPV6_V6ONLY,
                               options->is_ipv6_only);
    if (err == 0 && options->is_reuse_address)
        err = weir__socket_set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    if (err == 0 && options->is_reuse_port)
        err = weir__socket_set(fd, SOL_SOCKET, SO_REUSEPORT, 1);
    return err;
}

static int configure_buffers(int fd, const weir_datagram_options *options)
{
    int err = 0;

    if (options->receive_buffer_bytes != 0)
        err = weir__socket_set(fd, SOL_SOCKET, SO_RCVBUF,
                               (int)options->receive_buffer_bytes);
    if (err == 0 && options->send_buffer_bytes != 0)
        err = weir__socket_set(fd, SOL_SOCKET, SO_SNDBUF,
                               (int)options->send_buffer_bytes);
    if (err == 0 && options->is_broadcast)
        err = weir__socket_set(fd, SOL_SOCKET, SO_BROADCAST, 1);
    return err;
}

static int set_interface(int fd, int family, uint32_t index)
{
    struct ip_mreqn request = {.imr_ifindex = (int)index};

    if (family == AF_INET6)
        return weir__socket_set(fd, IPPROTO_IPV6, IPV6_MULTICAST_IF,
                                (int)index);
    return setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &request,
                      sizeof(request)) == 0
               ? 0
               : -errno;
}

/* The hops of IPv4, which an IPv6 socket of both families needs, too. */
static int set_ttl(int fd, int family, int ttl)
{
    int err = 0;

    if (family == AF_INET6)
        err = weir__socket_set(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, ttl);
    if (err == 0)
        err = weir__socket_set(fd, IPPROTO_IP, IP_TTL, ttl);
    return err;
}

static int set_multicast(int fd, int family, int name_ipv4, int name_ipv6,
                         int value)
{
    return family == AF_INET6
               ? weir__socket_set(fd, IPPROTO_IPV6, name_ipv6, value)
               : weir__socket_set(fd, IPPROTO_IP, name_ipv4, value);
}

int weir__datagram_configure(int fd, int family, bool is_new,
                             const weir_datagram_options *options)
{
    int err = is_new ? configure_new(fd, family, options) : 0;

    if (err == 0)
        err = configure_buffers(fd, options);
    if (err == 0 && options->ttl != 0)
        err = set_ttl(fd, family, options->ttl);
    if (err == 0 && options->multicast_ttl != 0)
        err = set_multicast(fd, family, IP_MULTICAST_TTL, IPV6_MULTICAST_HOPS,
                            options->multicast_ttl);
    if (err == 0 && options->is_loopback_off)
        err = set_multicast(fd, family, IP_MULTICAST_LOOP, IPV6_MULTICAST_LOOP,
                            0);
    if (err == 0 && options->multicast_interface != 0)
        err = set_interface(fd, family, options->multicast_interface);
    return err;
}

/* ---- peers and groups ---- */

int weir__datagram_disconnect(int fd)
{
    struct sockaddr none = {.sa_family = AF_UNSPEC};

    return connect(fd, &none, sizeof(none)) == 0 ? 0 : -errno;
}

static void copy_name(struct sockaddr_storage *to, const weir_address *from)
{
    size_t size;
    const void *name = weir_address_sockaddr(from, &size);

    memset(to, 0, sizeof(*to));
    memcpy(to, name, size);
}

int weir__datagram_set_member(int fd, bool is_member, const weir_address *group,
                              const weir_address *source,
                              uint32_t interface_index)
{
    int level = weir_address_family_of(group) == WEIR_ADDRESS_IPV6
                    ? IPPROTO_IPV6
                    : IPPROTO_IP;
    struct group_source_req one = {.gsr_interface = interface_index};
    struct group_req any = {.gr_interface = interface_index};
    int failed;

    if (source != NULL) {
        copy_name(&one.gsr_group, group);
        copy_name(&one.gsr_source, source);
        failed = setsockopt(fd, level,
                            is_member ? MCAST_JOIN_SOURCE_GROUP
                                      : MCAST_LEAVE_SOURCE_GROUP,
                            &one, sizeof(one));
    } else {
        copy_name(&any.gr_group, group);
        failed = setsockopt(fd, level,
                            is_member ? MCAST_JOIN_GROUP : MCAST_LEAVE_GROUP,
                            &any, sizeof(any));
    }
    return failed ? -errno : 0;
}

/* ---- messages ---- */

int weir__datagram_send_some(int fd, struct mmsghdr *messages, unsigned count)
{
    int sent;

    do
        sent = sendmmsg(fd, messages, count, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent >= 0 ? sent : -errno;
}

int weir__datagram_receive_some(int fd, struct mmsghdr *messages,
                                unsigned count)
{
    int received;

    do
        received = recvmmsg(fd, messages, count,
                            MSG_DONTWAIT | MSG_CMSG_CLOEXEC, NULL);
    while (received < 0 && errno == EINTR);
    return received >= 0 ? received : -errno;
}
