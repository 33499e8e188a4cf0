/* SPDX-License-Identifier: MIT */
/*
 * listen -- see listen.h.
 *
 * Closing a socket that listens resets every connection that the kernel has
 * accepted and the program has not.  Accepting until there is none left is not
 * enough: another may arrive before the close.  So a TCP socket first gets a
 * filter that drops the segments which open a connection (SYN without ACK).
 * The kernel does not answer them, so their senders are not connected, and try
 * again later.  A Unix socket's file is removed first.
 */
#include "os/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/socket.h"

/* ---- Unix sockets ---- */

/* The path of a Unix socket that has a file, or NULL. */
static const char *path_of(const weir_address *address)
{
    const char *text;
    size_t size;

    if (weir_address_family_of(address) != WEIR_ADDRESS_UNIX)
        return NULL;
    text = weir_address_sockaddr(address, &size);
    text += sizeof(sa_family_t);
    return size > sizeof(sa_family_t) && text[0] != '\0' ? text : NULL;
}

/* Whether a Unix socket's file was left by a process that has ended.  A socket
 * of another type asks, because a connection would reach the listener. */
static bool is_stale(const weir_address *address)
{
    struct stat about;
    int fd, err;

    if (stat(path_of(address), &about) != 0 || !S_ISSOCK(about.st_mode))
        return false;
    fd = weir__socket_open(AF_UNIX, SOCK_DGRAM);
    if (fd < 0)
        return false;
    err = weir__socket_connect(fd, address);
    weir__socket_close(fd);
    return err == -ECONNREFUSED;
}

void weir__listen_identify(const weir_address *address,
                           struct weir__listen_file *file)
{
    const char *path = path_of(address);
    struct stat about;

    if (path != NULL && stat(path, &about) == 0)
        *file = (struct weir__listen_file){true, about.st_dev, about.st_ino,
                                           getpid()};
}

static int bind_file(int fd, const struct weir__listen_request *request,
                     struct weir__listen_file *file)
{
    const char *path = path_of(request->address);
    int err = weir__socket_bind(fd, request->address);

    if (err == -EADDRINUSE && path != NULL && is_stale(request->address)) {
        (void)weir__socket_unlink(path);
        err = weir__socket_bind(fd, request->address);
    }
    if (err != 0 || path == NULL)
        return err;
    if (request->unix_mode != 0 &&
        chmod(path, (mode_t)request->unix_mode) != 0) {
        err = -errno;
        (void)weir__socket_unlink(path);
        return err;
    }
    weir__listen_identify(request->address, file);
    return 0;
}

void weir__listen_remove(const weir_address *address,
                         const struct weir__listen_file *file)
{
    const char *path = path_of(address);
    struct stat about;

    if (file->is_there && file->process == getpid() && path != NULL &&
        stat(path, &about) == 0 && about.st_dev == file->device &&
        about.st_ino == file->number)
        (void)weir__socket_unlink(path);
}

/* ---- opening ---- */

static int prepare(int fd, int family,
                   const struct weir__listen_request *request)
{
    int err = 0;

    if (family == AF_UNIX)
        return 0;
    err = weir__socket_set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    if (err == 0 && request->reuse_port)
        err = weir__socket_set(fd, SOL_SOCKET, SO_REUSEPORT, 1);
    if (err == 0 && family == AF_INET6)
        err = weir__socket_set(fd, IPPROTO_IPV6, IPV6_V6ONLY,
                               request->is_ipv6_only);
    return err;
}

int weir__listen_open(const struct weir__listen_request *request,
                      struct weir__listen_file *file)
{
    static const int families[] = {[WEIR_ADDRESS_IPV4] = AF_INET,
                                   [WEIR_ADDRESS_IPV6] = AF_INET6,
                                   [WEIR_ADDRESS_UNIX] = AF_UNIX};
    int family = families[weir_address_family_of(request->address)];
    int fd = weir__socket_open(family, SOCK_STREAM);
    int err;

    if (fd < 0)
        return fd;
    err = prepare(fd, family, request);
    if (err == 0)
        err = bind_file(fd, request, file);
    if (err == 0) {
        err = weir__socket_listen(fd, request->backlog);
        if (err != 0)
            weir__listen_remove(request->address, file);
    }
    if (err == 0)
        return fd;
    weir__socket_close(fd);
    return err;
}

int weir__listen_check(int fd)
{
    int is_listening = 0, type = 0, flags = fcntl(fd, F_GETFL);

    if (flags < 0 ||
        weir__socket_get(fd, SOL_SOCKET, SO_ACCEPTCONN, &is_listening) != 0 ||
        weir__socket_get(fd, SOL_SOCKET, SO_TYPE, &type) != 0 ||
        !is_listening || type != SOCK_STREAM)
        return -EINVAL;
    return fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 ? -errno : 0;
}

bool weir__listen_is_shortage(int err)
{
    return err == -EMFILE || err == -ENFILE || err == -ENOBUFS ||
           err == -ENOMEM;
}

/* ---- stopping ---- */

void weir__listen_stop(int fd, const weir_address *address)
{
    enum { FLAGS = 13, SYN = 2, ACK = 16 }; /* a byte of TCP's header */
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, FLAGS),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, SYN | ACK),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYN, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 0),          /* drop */
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX), /* keep */
    };
    struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

    /* A kernel without filters resets what arrives in the last moment. */
    if (weir_address_family_of(address) != WEIR_ADDRESS_UNIX)
        (void)setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program,
                         sizeof(program));
}

/* ---- inherited sockets ---- */

/* Parse a decimal number that must be the whole text.  -1: it is not. */
static long parse_number(const char *text)
{
    char *end;
    long number;

    errno = 0;
    number = strtol(text, &end, 10);
    return errno == 0 && *text >= '0' && *text <= '9' && *end == '\0' ? number
                                                                      : -1;
}

static int count_inherited(void)
{
    const char *count = getenv("LISTEN_FDS"), *pid = getenv("LISTEN_PID");
    long number, process;

    if (count == NULL)
        return 0;
    number = parse_number(count);
    process = pid == NULL ? getpid() : parse_number(pid);
    if (number < 0 || process < 0 || number > 4096)
        return -EINVAL;
    return process == getpid() ? (int)number : 0; /* meant for another one */
}

int weir__listen_inherited(void)
{
    int count = count_inherited();

    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDNAMES");
    for (int i = 0; i < count; i++)
        (void)fcntl(WEIR__LISTEN_FDS_START + i, F_SETFD, FD_CLOEXEC);
    return count;
}
