/* SPDX-License-Identifier: MIT */
/*
 * datagram -- the system calls that only sockets for datagrams need; os/socket.h
 * has the others.
 *
 * Each function returns 0 or a number, or -errno.
 */
#ifndef WEIR_NET_OS_DATAGRAM_H
#define WEIR_NET_OS_DATAGRAM_H

#include <stdbool.h>
#include <sys/socket.h>

#include "weir/net/datagram.h"

/* Check that a descriptor is a socket for datagrams, and make it non-blocking
 * and close-on-exec.  Returns its family. */
int weir__datagram_prepare(int fd);

/* Set what the options ask for.  What must be set before bind is set only for a
 * new socket. */
int weir__datagram_configure(int fd, int family, bool is_new,
                             const weir_datagram_options *options);

/* Forget the connected peer. */
int weir__datagram_disconnect(int fd);

/* Join or leave a group; source may be NULL. */
int weir__datagram_set_member(int fd, bool is_member, const weir_address *group,
                              const weir_address *source,
                              uint32_t interface_index);

/* Send or receive at most `count` messages; returns their number.  An interrupt
 * restarts the call. */
int weir__datagram_send_some(int fd, struct mmsghdr *messages, unsigned count);
int weir__datagram_receive_some(int fd, struct mmsghdr *messages,
                                unsigned count);

#endif /* WEIR_NET_OS_DATAGRAM_H */
