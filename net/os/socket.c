/* SPDX-License-Identifier: MIT */
/*
 * socket -- see socket.h.
 */
#include "os/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sockios.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "weir/host/thread.h"

_Static_assert(sizeof(weir_bytes) == sizeof(struct iovec) &&
                   offsetof(weir_bytes, data) ==
                       offsetof(struct iovec, iov_base) &&
                   offsetof(weir_bytes, size) ==
                       offsetof(struct iovec, iov_len),
               "a weir_bytes is an iovec");

enum { FDS_MAX = 64 };

/* Repeat a call while signals interrupt it; the result is -errno if it fails. */
#define RETRY(result, call)                                                    \
    do {                                                                       \
        result = (call);                                                       \
        if (result < 0)                                                        \
            result = -errno;                                                   \
    } while (result == -EINTR)

/* ---- what a descriptor is ---- */

static int kind_of_socket(int fd, enum weir__file *kind)
{
    int family, type;
    int err = weir__socket_get(fd, SOL_SOCKET, SO_DOMAIN, &family);

    if (err == 0)
        err = weir__socket_get(fd, SOL_SOCKET, SO_TYPE, &type);
    if (err != 0)
        return err;
    if (type == SOCK_STREAM && (family == AF_INET || family == AF_INET6))
        *kind = WEIR__FILE_TCP;
    else
        *kind = family == AF_UNIX ? WEIR__FILE_UNIX : WEIR__FILE_OTHER_SOCKET;
    return 0;
}

/* Give fd an open file description that no other process shares. */
static void reopen_terminal(int fd)
{
    int flags = fcntl(fd, F_GETFL), fresh;
    char path[32];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    fresh = open(path, (flags & O_ACCMODE) | O_NOCTTY | O_CLOEXEC);
    if (fresh < 0)
        return; /* then its flags are changed where others see them */
    (void)dup3(fresh, fd, fcntl(fd, F_GETFD) & FD_CLOEXEC ? O_CLOEXEC : 0);
    close(fresh);
}

int weir__socket_adopt(int fd, enum weir__file *kind)
{
    struct stat about;
    int flags, err;

    if (fstat(fd, &about) != 0)
        return -errno;
    if (S_ISSOCK(about.st_mode)) {
        err = kind_of_socket(fd, kind);
        if (err != 0)
            return err;
    } else if (S_ISFIFO(about.st_mode)) {
        *kind = WEIR__FILE_PIPE;
    } else if (S_ISCHR(about.st_mode) && isatty(fd)) {
        *kind = WEIR__FILE_TTY;
        reopen_terminal(fd);
    } else {
        *kind = WEIR__FILE_OTHER;
    }
    flags = fcntl(fd, F_GETFL);
    if (flags < 0 ||
        (!(flags & O_NONBLOCK) && fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0))
        return -errno;
    return 0;
}

/* ---- making and naming ---- */

int weir__socket_open(int family, int type)
{
    int fd = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    return fd < 0 ? -errno : fd;
}

int weir__socket_pair(int fds[2])
{
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
                      fds) != 0
               ? -errno
               : 0;
}

int weir__socket_bind(int fd, const weir_address *address)
{
    size_t size;
    const struct sockaddr *name = weir_address_sockaddr(address, &size);

    return bind(fd, name, (socklen_t)size) != 0 ? -errno : 0;
}

int weir__socket_listen(int fd, int backlog)
{
    return listen(fd, backlog) != 0 ? -errno : 0;
}

int weir__socket_connect(int fd, const weir_address *address)
{
    size_t size;
    const struct sockaddr *name = weir_address_sockaddr(address, &size);

    if (connect(fd, name, (socklen_t)size) == 0)
        return 0;
    /* An interrupted connect goes on in the background. */
    return errno == EINTR ? -EINPROGRESS : -errno;
}

int weir__socket_error(int fd)
{
    int error = 0;
    int err = weir__socket_get(fd, SOL_SOCKET, SO_ERROR, &error);

    return err != 0 ? err : -error;
}

int weir__socket_accept(int fd, weir_address *peer)
{
    struct sockaddr_storage name;
    socklen_t size = sizeof(name);
    int made;

    RETRY(made, accept4(fd, (struct sockaddr *)&name, &size,
                        SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (made >= 0 && peer != NULL && weir_address_from(peer, &name, size) != 0)
        *peer = (weir_address){.size_ = 0};
    return made;
}

static int name_socket(int fd, weir_address *address,
                       int (*ask)(int, struct sockaddr *, socklen_t *))
{
    struct sockaddr_storage name;
    socklen_t size = sizeof(name);

    *address = (weir_address){.size_ = 0};
    if (ask(fd, (struct sockaddr *)&name, &size) != 0)
        return -errno;
    return weir_address_from(address, &name, size);
}

int weir__socket_local(int fd, weir_address *address)
{
    return name_socket(fd, address, getsockname);
}

int weir__socket_peer(int fd, weir_address *address)
{
    return name_socket(fd, address, getpeername);
}

int weir__socket_set(int fd, int level, int name, int value)
{
    return setsockopt(fd, level, name, &value, sizeof(value)) != 0 ? -errno : 0;
}

int weir__socket_get(int fd, int level, int name, int *value)
{
    socklen_t size = sizeof(*value);

    return getsockopt(fd, level, name, value, &size) != 0 ? -errno : 0;
}

/* ---- bytes ---- */

/* Only sockets can be written to without the risk of SIGPIPE.  For the other
 * calls it is blocked in this thread, once and for good, as in the threads of a
 * service. */
static void block_sigpipe(void)
{
    static _Thread_local bool is_blocked;

    if (!is_blocked)
        is_blocked = weir_thread_block_signal(SIGPIPE, true, NULL) == 0;
}

ssize_t weir__socket_read(int fd, bool is_socket, void *to, size_t size)
{
    ssize_t count;

    if (is_socket)
        RETRY(count, recv(fd, to, size, 0));
    else
        RETRY(count, read(fd, to, size));
    return count;
}

/* Keep the descriptors of a message, or close what does not fit. */
static void take_fds(struct msghdr *message, int *fds, size_t *count)
{
    size_t capacity = *count, taken = 0;

    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part != NULL;
         part = CMSG_NXTHDR(message, part)) {
        size_t here = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);

        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t i = 0; i < here; i++) {
            int fd;

            memcpy(&fd, CMSG_DATA(part) + i * sizeof(fd), sizeof(fd));
            if (taken < capacity)
                fds[taken++] = fd;
            else
                close(fd);
        }
    }
    *count = taken;
}

ssize_t weir__socket_read_fds(int fd, void *to, size_t size, int *fds,
                              size_t *count)
{
    struct iovec part = {to, size};
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof(control)};
    ssize_t result;

    RETRY(result, recvmsg(fd, &message, MSG_CMSG_CLOEXEC));
    if (result < 0)
        *count = 0;
    else
        take_fds(&message, fds, count);
    return result;
}

/* Not inlined: it needs a stack frame, which a hardened build guards. */
__attribute__((noinline)) static ssize_t write_parts(int fd, bool is_socket,
                                                     const weir_bytes *parts,
                                                     size_t count, int flags)
{
    struct iovec *vector = (struct iovec *)parts;
    ssize_t result;

    if (count > IOV_MAX)
        count = IOV_MAX;
    if (is_socket)
        RETRY(result,
              sendmsg(fd,
                      &(struct msghdr){.msg_iov = vector, .msg_iovlen = count},
                      flags));
    else {
        block_sigpipe();
        RETRY(result, writev(fd, vector, (int)count));
    }
    return result;
}

ssize_t weir__socket_write(int fd, bool is_socket, const weir_bytes *parts,
                           size_t count, bool has_more)
{
    int flags = MSG_NOSIGNAL | (has_more ? MSG_MORE : 0);
    ssize_t result;

    if (!is_socket || count != 1)
        return write_parts(fd, is_socket, parts, count, flags);
    RETRY(result, send(fd, parts[0].data, parts[0].size, flags));
    return result;
}

ssize_t weir__socket_write_fds(int fd, weir_bytes bytes, const int *fds,
                               size_t count)
{
    struct iovec part = {(void *)bytes.data, bytes.size};
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = CMSG_SPACE(count * sizeof(int))};
    struct cmsghdr *header;
    ssize_t result;

    memset(&control, 0, sizeof(control));
    header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(header), fds, count * sizeof(int));
    RETRY(result, sendmsg(fd, &message, MSG_NOSIGNAL));
    return result;
}

ssize_t weir__socket_send_file(int fd, int file, int64_t *offset, size_t size)
{
    off_t at = *offset;
    ssize_t result;

    block_sigpipe();
    RETRY(result, sendfile(fd, file, &at, size));
    if (result > 0)
        *offset = at;
    return result;
}

ssize_t weir__socket_read_file(int file, void *to, size_t size, int64_t offset)
{
    ssize_t result;

    RETRY(result, pread(file, to, size, offset));
    return result;
}

/* ---- ending ---- */

int weir__socket_shutdown(int fd)
{
    return shutdown(fd, SHUT_WR) != 0 ? -errno : 0;
}

bool weir__socket_has_input(int fd)
{
    char byte;

    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

uint32_t weir__socket_arrived(int fd)
{
    int size = 0;

    return ioctl(fd, FIONREAD, &size) == 0 && size > 0 ? (uint32_t)size : 0;
}

/* The end of a TCP stream occupies a sequence number, which is no byte. */
uint32_t weir__socket_unreceived(int fd, bool is_tcp)
{
    int left = 0;

    if (ioctl(fd, SIOCOUTQ, &left) != 0 || left <= (is_tcp ? 1 : 0))
        return 0;
    return (uint32_t)left - (is_tcp ? 1 : 0);
}

void weir__socket_prepare_reset(int fd)
{
    struct linger linger = {.l_onoff = 1, .l_linger = 0};

    (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
}

void weir__socket_close(int fd)
{
    close(fd); /* the descriptor is gone, whatever it returns */
}

int weir__socket_replace(int fd)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), err = 0;

    if (null < 0)
        return -errno;
    if (dup3(null, fd, O_CLOEXEC) < 0)
        err = -errno;
    close(null);
    return err;
}

int weir__socket_duplicate(int fd)
{
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

    return copy < 0 ? -errno : copy;
}

int weir__socket_unlink(const char *path)
{
    return unlink(path) != 0 ? -errno : 0;
}
