/* SPDX-License-Identifier: MIT */
/*
 * datagram -- the system calls of sockets for datagrams.
 *
 * Each function returns 0 or a number, or -errno.
 */
#ifndef WEIR_NET_OS_DATAGRAM_H
#define WEIR_NET_OS_DATAGRAM_H

#include <stdbool.h>
#include <sys/socket.h>

#include "weir/net/datagram.h"

/* Open a socket of AF_INET, AF_INET6 or AF_UNIX, non-blocking and
 * close-on-exec. */
int weir__datagram_socket(int family);

/* Check that a descriptor is a socket for datagrams, and make it non-blocking
 * and close-on-exec.  Returns its family. */
int weir__datagram_prepare(int fd);

/* Set what the options ask for.  What must be set before bind is set only for a
 * new socket. */
int weir__datagram_configure(int fd, int family, bool is_new,
                             const weir_datagram_options *options);

int weir__datagram_set_address(int fd, const weir_address *address);
int weir__datagram_set_peer(int fd, const weir_address *address);
int weir__datagram_clear_peer(int fd);
void weir__datagram_get_address(int fd, bool is_peer, weir_address *address);

/* Join or leave a group; source may be NULL. */
int weir__datagram_set_member(int fd, bool is_member, const weir_address *group,
                              const weir_address *source,
                              uint32_t interface_index);

/* Send or receive at most `count` messages; returns their number.  An interrupt
 * restarts the call. */
int weir__datagram_send_some(int fd, struct mmsghdr *messages, unsigned count);
int weir__datagram_receive_some(int fd, struct mmsghdr *messages,
                                unsigned count);

/* Get the pending error of a socket and clear it; 0: there is none. */
int weir__datagram_take_error(int fd);

void weir__datagram_close_fd(int fd);

#endif /* WEIR_NET_OS_DATAGRAM_H */
