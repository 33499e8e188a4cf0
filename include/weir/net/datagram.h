/* SPDX-License-Identifier: MIT */
/*
 * weir/net/datagram.h -- messages without a connection: UDP, Unix datagrams.
 *
 *     static void on_message(void *arg, weir_datagram *socket, int status,
 *                            const weir_datagram_message *message)
 *     {
 *         if (status == 0 &&                                      an echo
 *             weir_datagram_send(socket, message, NULL, NULL) != 0) ...
 *     }
 *
 *     weir_datagram_open(&socket, loop, WEIR_ADDRESS_IPV4, NULL);
 *     weir_datagram_bind(socket, &address);
 *     weir_datagram_receive(socket, on_message, NULL);
 *
 * A weir_datagram is a socket that belongs to one loop.  Every call must be
 * made on that loop's thread, where every callback is made, too.  No callback
 * is made before the call that it belongs to has returned.
 *
 * Datagrams can be lost without notice.  An error that the kernel does report
 * (from an ICMP message: -ECONNREFUSED, -EHOSTUNREACH, ...) concerns a datagram
 * that was sent earlier, and does not end the socket.  Such an error is
 * reported once: to the callback of weir_datagram_receive, or, if the socket is
 * not receiving, by the next send, which then sends nothing.
 *
 * A socket remains until weir_datagram_close, which must be called exactly
 * once.  When the loop ends, everything pending gets WEIR_ECANCELED.  Then
 * on_end of the options is called, which must call weir_datagram_close.
 */
#ifndef WEIR_NET_DATAGRAM_H
#define WEIR_NET_DATAGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/loop.h"
#include "weir/net/address.h"
#include "weir/net/bytes.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_datagram weir_datagram;

/* One datagram.  When receiving, the address is the sender; WEIR_ADDRESS_NONE:
 * a sender without a name.  When sending, it is the destination;
 * WEIR_ADDRESS_NONE: the connected peer. */
typedef struct weir_datagram_message {
    weir_bytes bytes;
    weir_address address;
    bool is_truncated; /* received: it was longer than receive_bytes */
} weir_datagram_message;

/* A datagram has arrived (status 0), or an error is reported (message is NULL).
 * After WEIR_ECANCELED the receiving has ended; after every other error it
 * continues.  The message is valid during the call. */
typedef void weir_datagram_receive_fn(void *arg, weir_datagram *socket,
                                      int status,
                                      const weir_datagram_message *message);

/* A send is over.  The kernel has the first `sent` messages.  If status is not
 * 0, the next one has failed, and the rest was not tried. */
typedef void weir_datagram_sent_fn(void *arg, weir_datagram *socket, int status,
                                   size_t sent);

/* A socket is closed. */
typedef void weir_datagram_fn(void *arg, weir_datagram *socket);

#define WEIR_DATAGRAM_RECEIVE (64 * 1024)
#define WEIR_DATAGRAM_BATCH 16
#define WEIR_DATAGRAM_BATCH_LIMIT 1024
#define WEIR_DATAGRAM_QUEUE (1024 * 1024)

/* Every member except size may be left 0. */
typedef struct weir_datagram_options {
    size_t size;           /* sizeof(weir_datagram_options) */
    const char *name;      /* for reports; not copied */
    bool is_reuse_address; /* bind an address that is in use (multicast) */
    bool is_reuse_port;    /* share a port: the kernel distributes datagrams */
    bool is_broadcast;     /* allow broadcast addresses as destinations */
    bool is_ipv6_only;     /* IPv6: refuse IPv4 (false: dual stack) */
    bool is_loopback_off;  /* do not deliver sent multicasts on this host */
    bool is_unref;         /* does not keep weir_loop_run running */
    int ttl;               /* hops of unicasts, 1 to 255; 0: the system's */
    int multicast_ttl;     /* hops of multicasts, 1 to 255; 0: the system's 1 */
    uint32_t multicast_interface; /* index to send them through; 0: by route */
    size_t receive_buffer_bytes;  /* SO_RCVBUF; 0: the system's */
    size_t send_buffer_bytes;     /* SO_SNDBUF; 0: the system's */
    /* The longest datagram that can be received; the rest of a longer one is
     * dropped.  0: WEIR_DATAGRAM_RECEIVE. */
    size_t receive_bytes;
    /* The most datagrams that one system call receives.  While it receives, the
     * socket has batch * receive_bytes of memory.  0: WEIR_DATAGRAM_BATCH. */
    size_t batch;
    /* The most bytes that wait until the kernel has room; further sends return
     * WEIR_ELIMIT.  0: WEIR_DATAGRAM_QUEUE. */
    size_t queue_bytes;
    /* The loop has ended, and everything pending was cancelled.  This function
     * must call weir_datagram_close.  NULL: the library closes the socket. */
    weir_datagram_fn *on_end;
    void *arg; /* for on_end */
} weir_datagram_options;

/* ---- making and ending ---- */

/**
 * Open a datagram socket of a family.  It has no address yet: bind it, or
 * connect it, or let the kernel choose an address at the first send.
 *
 * Thread   loop
 * Owns     *socket is the caller's until weir_datagram_close
 * Returns  0, -EINVAL (NULL, an unknown family, or an invalid option), -E2BIG
 *          (an option that this library does not know), -EAFNOSUPPORT (the
 *          system does not have the family), -ENOMEM, -EMFILE, -ENFILE, or an
 *          error of setsockopt(2) or weir_fd_add
 */
WEIR_API WEIR_CHECKED int
weir_datagram_open(weir_datagram **socket, weir_loop *loop,
                   weir_address_family family,
                   const weir_datagram_options *options);

/**
 * Make a socket of an open descriptor, for example an inherited one.  The
 * descriptor becomes non-blocking and close-on-exec, and may stay so after an
 * error other than -EINVAL, -E2BIG, -EBADF, -ENOTSOCK and -EPROTOTYPE.
 *
 * Thread   loop
 * Owns     *socket is the caller's until weir_datagram_close; it owns fd from
 *          now on, unless an error is returned
 * Returns  0, -EINVAL (NULL, or an invalid option), -E2BIG (an option that this
 *          library does not know), -EBADF (fd is not open), -ENOTSOCK,
 *          -EPROTOTYPE (a socket of another type), -ENOMEM, or an error of
 *          setsockopt(2) or weir_fd_add
 */
WEIR_API WEIR_CHECKED int
weir_datagram_adopt(weir_datagram **socket, weir_loop *loop, int fd,
                    const weir_datagram_options *options);

/**
 * Close a socket.  What is pending gets WEIR_ECANCELED, then closed (or NULL)
 * is called.  The path of a Unix socket stays in the file system.
 *
 * Thread   loop; once for each socket.  It may be called in a callback of the
 *          socket
 * Owns     the socket is no longer the caller's; its memory is freed after
 *          closed
 */
WEIR_API void weir_datagram_close(weir_datagram *socket,
                                  weir_datagram_fn *closed, void *arg);

/* ---- addresses ---- */

/**
 * Bind a socket to an address of this machine.  Port 0 is any free port.
 *
 * Thread   loop
 * Returns  0, -EINVAL (NULL, or it is bound already), WEIR_ECLOSED (the loop
 *          has ended), -EADDRINUSE, -EADDRNOTAVAIL (not an address of this
 *          machine), -EAFNOSUPPORT (another family), or another error of
 *          bind(2)
 */
WEIR_API WEIR_CHECKED int weir_datagram_bind(weir_datagram *socket,
                                             const weir_address *address);

/**
 * Connect a socket to a peer.  Messages without an address go to that peer,
 * messages from others are not received, and ICMP errors are reported.  The
 * call does not wait.  It can be made again for another peer.
 *
 * Thread   loop
 * Returns  0, -EINVAL (NULL), WEIR_ECLOSED (the loop has ended), -EAFNOSUPPORT
 *          (another family), -ECONNREFUSED, -ENOENT (Unix: no such socket), or
 *          another error of connect(2)
 */
WEIR_API WEIR_CHECKED int weir_datagram_connect(weir_datagram *socket,
                                                const weir_address *address);

/**
 * Disconnect a socket from its peer.  If the kernel chose the local address or
 * port, it is lost, too: bind the socket again.
 *
 * Thread   loop
 * Returns  0, -EINVAL (NULL), WEIR_ECLOSED (the loop has ended)
 */
WEIR_API WEIR_CHECKED int weir_datagram_disconnect(weir_datagram *socket);

/**
 * Join a multicast group on an interface; 0 lets the system choose one.  With a
 * source (source-specific multicast), only messages from that sender are
 * received.  For several sources, make one call for each.
 *
 * Thread   loop
 * Owns     source may be NULL
 * Returns  0, -EINVAL (NULL, not a multicast address, or families that differ),
 *          WEIR_ECLOSED (the loop has ended), -EADDRINUSE (joined before),
 *          -ENODEV (no such interface), or another error of setsockopt(2)
 */
WEIR_API WEIR_CHECKED int weir_datagram_join(weir_datagram *socket,
                                             const weir_address *group,
                                             const weir_address *source,
                                             uint32_t interface_index);

/**
 * Leave a multicast group, with the arguments that it was joined with.
 *
 * Thread   loop
 * Returns  0, -EINVAL (NULL, not a multicast address, or families that differ),
 *          WEIR_ECLOSED (the loop has ended), -EADDRNOTAVAIL (not joined), or
 *          another error of setsockopt(2)
 */
WEIR_API WEIR_CHECKED int weir_datagram_leave(weir_datagram *socket,
                                              const weir_address *group,
                                              const weir_address *source,
                                              uint32_t interface_index);

/**
 * Get the address of this end.  It is WEIR_ADDRESS_NONE if there is none.
 *
 * Thread   loop
 */
WEIR_API void weir_datagram_local(const weir_datagram *socket,
                                  weir_address *address);

/**
 * Get the address of the connected peer.  It is WEIR_ADDRESS_NONE if there is
 * none.
 *
 * Thread   loop
 */
WEIR_API void weir_datagram_peer(const weir_datagram *socket,
                                 weir_address *address);

/* ---- receiving ---- */

/**
 * Receive datagrams until the socket is closed.  fn is called for each one, and
 * for each error.  A turn of the loop calls it a bounded number of times.
 *
 * Thread   loop
 * Returns  0, -EINVAL (NULL), -EBUSY (already receiving), WEIR_ECLOSED (the
 *          loop has ended), -ENOMEM, or an error of weir_fd_modify
 */
WEIR_API WEIR_CHECKED int weir_datagram_receive(weir_datagram *socket,
                                                weir_datagram_receive_fn *fn,
                                                void *arg);

/**
 * Pause the receiving.  No callback of weir_datagram_receive begins until
 * weir_datagram_resume.  The kernel drops datagrams when its buffer is full.
 *
 * Thread   loop
 */
WEIR_API void weir_datagram_pause(weir_datagram *socket);

/**
 * Resume the receiving.  If the socket is not paused, this has no effect.
 *
 * Thread   loop
 * Returns  0, -EINVAL (NULL), WEIR_ECLOSED (the loop has ended), or an error of
 *          weir_fd_modify: then it is still paused
 */
WEIR_API WEIR_CHECKED int weir_datagram_resume(weir_datagram *socket);

/* ---- sending ---- */

/**
 * Send one datagram, after those that were sent before.  It is given to the
 * kernel at once, or when the kernel has room.  done (or NULL) is called when
 * the kernel has it, or with the reason why not.
 *
 * Thread   loop
 * Owns     the message is copied.  With done, its bytes are borrowed until done
 *          is called.  With done NULL, bytes that have to wait are copied, and
 *          an error that is found later is not reported
 * Returns  0, -EINVAL (NULL), WEIR_ECLOSED (the loop has ended), WEIR_ELIMIT
 *          (queue_bytes are waiting), -EMSGSIZE (too long for a datagram),
 *          -EDESTADDRREQ (neither an address nor a peer), -EAFNOSUPPORT
 *          (another family), -ECONNREFUSED (an earlier one was refused),
 *          -ENOMEM, or another error of sendmsg(2) or weir_fd_modify
 */
WEIR_API WEIR_CHECKED int
weir_datagram_send(weir_datagram *socket, const weir_datagram_message *message,
                   weir_datagram_sent_fn *done, void *arg);

/**
 * Send several datagrams with few system calls, in order.  The first error ends
 * the batch.  If the first datagram fails at once, the call returns the error,
 * and nothing was sent; done gets every other error, with the number of
 * datagrams that were sent before it.
 *
 * Thread   loop
 * Owns     the messages are copied.  With done, their bytes are borrowed until
 *          done is called.  With done NULL, bytes that have to wait are copied,
 *          and an error that is found later is not reported
 * Returns  0, -EINVAL (NULL, or not 1 to WEIR_DATAGRAM_BATCH_LIMIT messages),
 *          WEIR_ECLOSED (the loop has ended), WEIR_ELIMIT (queue_bytes are
 *          waiting), -ENOMEM, or an error of weir_datagram_send
 */
WEIR_API WEIR_CHECKED int
weir_datagram_send_batch(weir_datagram *socket,
                         const weir_datagram_message *messages, size_t count,
                         weir_datagram_sent_fn *done, void *arg);

/**
 * Get the number of bytes that wait until the kernel has room.
 *
 * Thread   loop
 */
WEIR_API size_t weir_datagram_queued_bytes(const weir_datagram *socket);

/* ---- settings ---- */

/**
 * Name a socket for reports.  The name is not copied, and must
 * outlive the loop.
 *
 * Thread   loop
 */
WEIR_API void weir_datagram_set_name(weir_datagram *socket, const char *name);

/**
 * Make a socket keep weir_loop_run running, or stop it from doing so.  A new
 * socket keeps it running.
 *
 * Thread   loop
 */
WEIR_API void weir_datagram_set_ref(weir_datagram *socket, bool is_ref);

/**
 * Get the loop that a socket belongs to.
 *
 * Thread   loop
 */
WEIR_API weir_loop *weir_datagram_loop(const weir_datagram *socket);

/**
 * Get the descriptor of a socket, for settings that weir does not offer.
 *
 * Thread   loop
 * Owns     the descriptor stays the socket's
 */
WEIR_API int weir_datagram_fd(const weir_datagram *socket);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_NET_DATAGRAM_H */
