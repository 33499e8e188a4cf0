/* SPDX-License-Identifier: MIT */
/*
 * ares_socket -- the system calls that c-ares makes.
 */
#ifndef WEIR_NET_OS_ARES_SOCKET_H
#define WEIR_NET_OS_ARES_SOCKET_H

struct ares_socket_functions;

/* Functions for ares_set_socket_functions, without user data.  Sockets are
 * non-blocking and close-on-exec from the beginning, and writing to one that
 * the peer has closed raises no SIGPIPE. */
extern const struct ares_socket_functions weir__ares_socket;

#endif /* WEIR_NET_OS_ARES_SOCKET_H */
