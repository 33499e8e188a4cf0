/* SPDX-License-Identifier: MIT */
/*
 * socket -- the system calls of streams and listeners.
 *
 * Each function returns what its system call returns, or -errno.  A call that a
 * signal has interrupted is repeated.  Every descriptor that is made here is
 * non-blocking and close-on-exec, and no call raises SIGPIPE on a socket.
 */
#ifndef WEIR_NET_OS_SOCKET_H
#define WEIR_NET_OS_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "weir/net/address.h"
#include "weir/net/bytes.h"

/* The kind of a descriptor, for a stream. */
enum weir__file {
    WEIR__FILE_TCP,
    WEIR__FILE_UNIX,
    WEIR__FILE_OTHER_SOCKET,
    WEIR__FILE_PIPE,
    WEIR__FILE_TTY,
    WEIR__FILE_OTHER,
};

/* Find out what fd is, and make it non-blocking.  A terminal is opened again,
 * because its flags are shared with other processes: the new description takes
 * the number fd.  Returns 0 or -EBADF. */
int weir__socket_adopt(int fd, enum weir__file *kind);

int weir__socket_open(int family, int type);
int weir__socket_pair(int fds[2]);
int weir__socket_bind(int fd, const weir_address *address);
int weir__socket_listen(int fd, int backlog);
/* Returns 0, -EINPROGRESS, or another error. */
int weir__socket_connect(int fd, const weir_address *address);
/* The pending error of a socket, which is cleared: 0 or negative. */
int weir__socket_error(int fd);
/* Returns the new descriptor.  peer may be NULL. */
int weir__socket_accept(int fd, weir_address *peer);
int weir__socket_local(int fd, weir_address *address);
int weir__socket_peer(int fd, weir_address *address);
int weir__socket_set(int fd, int level, int name, int value);
/* The family, type or protocol (SO_DOMAIN, ...) of a socket. */
int weir__socket_get(int fd, int level, int name, int *value);

ssize_t weir__socket_read(int fd, bool is_socket, void *to, size_t size);
/* As read, but takes up to *count descriptors that come with the bytes. */
ssize_t weir__socket_read_fds(int fd, void *to, size_t size, int *fds,
                              size_t *count);
/* has_more: another write follows at once, so a socket may wait for it. */
ssize_t weir__socket_write(int fd, bool is_socket, const weir_bytes *parts,
                           size_t count, bool has_more);
ssize_t weir__socket_write_fds(int fd, weir_bytes bytes, const int *fds,
                               size_t count);
/* Send from *offset on, and advance it.  Returns 0 at the end of the file. */
ssize_t weir__socket_send_file(int fd, int file, int64_t *offset, size_t size);
/* Read a part of a file, for a stream that cannot use send_file. */
ssize_t weir__socket_read_file(int file, void *to, size_t size, int64_t offset);

int weir__socket_shutdown(int fd);
/* Whether bytes have arrived that were not read yet. */
bool weir__socket_has_input(int fd);
/* The number of bytes that have arrived and were not read yet. */
uint32_t weir__socket_arrived(int fd);
/* The number of bytes that a socket still has to deliver: those that the peer has
 * not acknowledged (TCP; one less, which is the end of a half-closed one) or read
 * (Unix).  0 if the kernel cannot tell. */
uint32_t weir__socket_unreceived(int fd, bool is_tcp);
/* Make the close of a TCP socket a reset. */
void weir__socket_prepare_reset(int fd);
void weir__socket_close(int fd);
/* Close the file of a descriptor and keep the number, for /dev/null. */
int weir__socket_replace(int fd);
int weir__socket_duplicate(int fd);
/* Remove the file of a Unix socket at which no process listens. */
int weir__socket_unlink(const char *path);

#endif /* WEIR_NET_OS_SOCKET_H */
