/* SPDX-License-Identifier: MIT */
/*
 * weir/net/listener.h -- accept connections: TCP, Unix sockets, inherited ones.
 *
 *     static void on_stream(void *arg, weir_stream *stream)
 *     {
 *         weir_stream_read(stream, on_read, NULL);
 *     }
 *
 *     weir_listener_options options = {.size = sizeof(options),
 *                                      .on_stream = on_stream};
 *     weir_address_parse(&options.address, "[::]:8080", 0);
 *     weir_listener_open(&listener, loop, &options);
 *
 * Several loops share the load of one address in two ways.  With reuse_port,
 * each loop has its own listener, and the kernel distributes the connections.
 * With `loops`, one listener accepts and hands the sockets over in turn, so
 * that on_stream runs on the loop that the stream belongs to.
 *
 * If the process runs out of descriptors, the listener pauses, calls on_error
 * once, and tries again ten times a second.  Connections wait in the kernel's
 * queue meanwhile.
 *
 * To stop without losing a connection that the kernel has already accepted,
 * call weir_listener_drain.  When the loop ends, the socket is closed; the
 * listener remains until weir_listener_close.
 */
#ifndef WEIR_NET_LISTENER_H
#define WEIR_NET_LISTENER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/loop.h"
#include "weir/net/address.h"
#include "weir/net/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_listener weir_listener;

#define WEIR_LISTENER_BACKLOG 4096
#define WEIR_LISTENER_BATCH 64

/* size, on_stream, and either address or fd must be set.  Every other member
 * may be left 0. */
typedef struct weir_listener_options {
    size_t size; /* sizeof(weir_listener_options) */
    /* Where to listen.  Port 0: any free port; weir_listener_address returns
     * it.  The IPv6 address "::" accepts IPv4 as well, unless is_ipv6_only. */
    weir_address address;
    /* A socket that already listens, for example from weir_listener_inherited;
     * address is ignored.  The listener owns it if weir_listener_open succeeds.
     * At the end it is closed but not shut down, so other processes that have
     * the socket go on accepting. */
    bool has_fd;
    int fd;
    bool is_private;  /* no other process has fd: shut it down at the end */
    const char *name; /* for reports; not copied */
    int backlog;      /* 0: WEIR_LISTENER_BACKLOG; the kernel has a limit too */
    unsigned batch;   /* accepts per turn; 0: WEIR_LISTENER_BATCH */
    bool reuse_port;  /* other sockets may listen at the same port */
    bool is_ipv6_only; /* no IPv4 on an IPv6 address */
    int unix_mode;     /* permissions of a Unix socket's file; 0: by umask */
    /* Hand the sockets over to these loops in turn.  They must outlive the
     * listener.  A loop that no longer admits work is skipped. */
    weir_loop *const *loops;
    size_t loop_count;
    const weir_stream_options *stream; /* for each stream; copied */
    void *arg;
    /* A connection was accepted.  Called on the loop of the stream.  The stream
     * belongs to the function that is called. */
    void (*on_stream)(void *arg, weir_stream *stream);
    /* Accepting has failed: -EMFILE, -ENFILE, -ENOBUFS or -ENOMEM (the listener
     * pauses; called once for each pause), or another error (the listener has
     * stopped).  May be NULL. */
    void (*on_error)(void *arg, weir_listener *listener, int err);
} weir_listener_options;

typedef void weir_listener_fn(void *arg, weir_listener *listener, int status);

/**
 * Listen for connections.  If the file of a Unix socket exists but no process
 * listens there, it is replaced.
 *
 * Thread   loop
 * Owns     *listener is the caller's until weir_listener_close or
 *          weir_listener_drain; it owns the descriptor of the options
 * Returns  0, -EINVAL (NULL, no on_stream, neither address nor fd, a negative
 *          time, or a descriptor that does not listen), -E2BIG (an option that
 *          this library does not know), -EADDRINUSE, -EADDRNOTAVAIL, -EACCES,
 *          -EMFILE, -ENOMEM, another error of socket(2), bind(2) or listen(2),
 *          or an error of weir_fd_add
 */
WEIR_API WEIR_CHECKED int
weir_listener_open(weir_listener **listener, weir_loop *loop,
                   const weir_listener_options *options);

/**
 * Accept everything that the kernel has queued, then stop listening.  Closing
 * at once would reset those connections.  If there are no descriptors for them,
 * the listener calls on_error and tries for 10 s more, so end streams meanwhile.
 * done (or NULL) is called after the last on_stream, even on other loops, and
 * after the socket was closed: with 0, with WEIR_ECANCELED if the loop ended
 * first, or with the error (-EMFILE, -ENFILE, -ENOBUFS, -ENOMEM) for which
 * connections had to be reset.
 *
 * Thread   loop; instead of weir_listener_close
 * Owns     the listener is no longer the caller's
 */
WEIR_API void weir_listener_drain(weir_listener *listener,
                                  weir_listener_fn *done, void *arg);

/**
 * Stop listening immediately.  Connections that the kernel has queued are
 * reset, unless another process also has the socket.  done (or NULL) is called
 * after the last on_stream on other loops.
 *
 * Thread   loop; once for each listener
 * Owns     the listener is no longer the caller's
 */
WEIR_API void weir_listener_close(weir_listener *listener,
                                  weir_listener_fn *done, void *arg);

/**
 * Stop accepting for a while.  Connections wait in the kernel's queue.
 *
 * Thread   loop
 */
WEIR_API void weir_listener_pause(weir_listener *listener);

/**
 * Accept again after weir_listener_pause.
 *
 * Thread   loop
 */
WEIR_API void weir_listener_resume(weir_listener *listener);

/**
 * Make a listener keep weir_loop_run running, or stop it from doing so.  A new
 * listener keeps it running.
 *
 * Thread   loop
 */
WEIR_API void weir_listener_set_ref(weir_listener *listener, bool is_ref);

/**
 * Get the address at which a listener listens, with its port.
 *
 * Thread   loop
 */
WEIR_API void weir_listener_address(const weir_listener *listener,
                                    weir_address *address);

/**
 * Get the descriptor of a listener, for example to pass it to a new process.
 *
 * Thread   loop
 * Owns     the descriptor stays the listener's
 */
WEIR_API int weir_listener_fd(const weir_listener *listener);

/**
 * Find the sockets that were passed to this process by systemd's protocol, with
 * the variables LISTEN_FDS, LISTEN_PID and LISTEN_FDNAMES.  The sockets become
 * close-on-exec.  The variables are removed, so a second call finds none.
 *
 * Thread   any, before other threads use the environment
 * Owns     fds[0 .. result - 1] are the caller's; sockets that do not fit stay
 *          open and unused
 * Returns  the number of sockets, at most capacity; -EINVAL (a variable is
 *          malformed)
 */
WEIR_API WEIR_CHECKED int weir_listener_inherited(int *fds, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_NET_LISTENER_H */
