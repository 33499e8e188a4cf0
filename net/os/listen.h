/* SPDX-License-Identifier: MIT */
/*
 * listen -- sockets that listen: making them, and stopping them without loss.
 */
#ifndef WEIR_NET_OS_LISTEN_H
#define WEIR_NET_OS_LISTEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "weir/net/address.h"

/* The file of a Unix socket, to recognize it when it is removed. */
struct weir__listen_file {
    bool is_there;
    dev_t device;
    ino_t number;
    pid_t process; /* that listens: a child of fork() leaves the file alone */
};

struct weir__listen_request {
    const weir_address *address;
    int backlog;
    bool reuse_port;
    bool is_ipv6_only;
    int unix_mode; /* 0: as umask says */
};

/* Make a socket that listens.  Returns its descriptor or -errno. */
int weir__listen_open(const struct weir__listen_request *request,
                      struct weir__listen_file *file);

/* Whether fd is a stream socket that listens.  Returns 0 or -EINVAL. */
int weir__listen_check(int fd);

/* Whether accepting has failed with an error that passes by itself: there are no
 * descriptors, or there is no memory. */
bool weir__listen_is_shortage(int err);

/* Stop new connections before the socket is closed.  Connections that are being
 * made, or that wait to be accepted, are not affected. */
void weir__listen_stop(int fd, const weir_address *address);

/* Find the file of a Unix socket that has just been bound. */
void weir__listen_identify(const weir_address *address,
                           struct weir__listen_file *file);

/* Remove the file of a Unix socket, unless another one has taken its place. */
void weir__listen_remove(const weir_address *address,
                         const struct weir__listen_file *file);

/* Find the descriptors that systemd's protocol has passed.  Returns their
 * number or -EINVAL; the first is WEIR__LISTEN_FDS_START. */
enum { WEIR__LISTEN_FDS_START = 3 };
int weir__listen_inherited(void);

#endif /* WEIR_NET_OS_LISTEN_H */
