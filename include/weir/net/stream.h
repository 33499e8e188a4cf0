/* SPDX-License-Identifier: MIT */
/*
 * weir/net/stream.h -- bytes in order: TCP, Unix sockets, pipes, terminals,
 * TLS.
 *
 *     static void on_read(void *arg, weir_stream *stream, int status,
 *                         weir_bytes bytes)
 *     {
 *         if (status != 0)                            WEIR_EEOF, or an error
 *             weir_stream_close(stream, NULL, NULL);
 *         else if (weir_stream_write(stream, &bytes, 1, NULL, NULL) != 0) ...
 *     }
 *
 *     weir_stream_open(&stream, loop, fd, NULL);
 *     weir_stream_read(stream, on_read, NULL);
 *
 * A stream belongs to one loop.  Every call must be made on that loop's thread,
 * where every callback is made, too.  No callback is made before the call that
 * it belongs to has returned, unless the loop has ended.
 *
 * A call that returns 0 calls its callback exactly once: with 0, with an error,
 * or with WEIR_ECANCELED if the stream is closed or the loop ends first.  The
 * callback of weir_stream_read is called until it has reported an error or the
 * end.  Closing the stream ends the reading without another call.
 *
 * Each direction ends with its first error.  Everything pending in that
 * direction gets this error, and later calls return it.  A failed write does
 * not end the reading: what the peer sent before it went away can still be
 * read.  A timeout or a failure of TLS ends both directions.
 *
 * A stream remains until it is closed, which its owner does exactly once, with
 * weir_stream_close, weir_stream_reset or weir_stream_finish.  Its memory is
 * freed after its `closed` callback.
 *
 * When the loop ends, everything pending gets WEIR_ECANCELED, and so does the
 * reader.  If the stream is still open, on_end of the options is called.  If it
 * is open after that, the library closes it.
 *
 * Writing to a pipe, or sending a file, blocks SIGPIPE on the loop's thread
 * from then on.
 */
#ifndef WEIR_NET_STREAM_H
#define WEIR_NET_STREAM_H

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

typedef struct weir_stream weir_stream;

/* Bytes have arrived (status 0), or the reading has ended: WEIR_EEOF when the
 * peer has finished sending, otherwise an error.  The bytes are valid during
 * the call, unless weir_stream_take_buffer takes them. */
typedef void weir_read_fn(void *arg, weir_stream *stream, int status,
                          weir_bytes bytes);

/* An operation of a stream is over. */
typedef void weir_stream_fn(void *arg, weir_stream *stream, int status);

#define WEIR_STREAM_HIGH_WATER (64 * 1024)

/* Every member except size may be left 0. */
typedef struct weir_stream_options {
    size_t size;      /* sizeof(weir_stream_options) */
    const char *name; /* for reports; not copied.  NULL: the kind of the file */
    /* The stream is full (weir_stream_is_full) once this many bytes wait to be
     * written.  0: WEIR_STREAM_HIGH_WATER. */
    size_t high_water_bytes;
    bool has_delay;        /* leave Nagle's algorithm on (TCP) */
    int64_t keep_alive_ns; /* idle time before TCP probes; 0: no probes */
    bool is_unref;         /* does not keep weir_loop_run running */
    /* The loop has ended and everything pending was cancelled.  The library
     * closes the stream after this call, unless the call has done so.  May be
     * NULL. */
    void (*on_end)(void *arg, weir_stream *stream);
    /* The queue has become empty after weir_stream_is_full was true.  May be
     * NULL. */
    void (*on_drain)(void *arg, weir_stream *stream);
    void *arg; /* for the two callbacks above */
} weir_stream_options;

/* ---- making and ending ---- */

/**
 * Make a stream of an open descriptor: a socket, a pipe, or a terminal.  The
 * descriptor becomes non-blocking.
 *
 * Thread   loop
 * Owns     *stream is the caller's until weir_stream_close; the stream owns fd
 *          from now on, unless an error is returned
 * Returns  0, -EINVAL (NULL, or options has no valid size), -E2BIG (an option
 *          that this library does not know), -EBADF (fd is not open), -ENOMEM,
 *          -EPERM (a regular file), or an error of weir_fd_add
 */
WEIR_API WEIR_CHECKED int weir_stream_open(weir_stream **stream,
                                           weir_loop *loop, int fd,
                                           const weir_stream_options *options);

/**
 * Make two streams that are connected to each other, on one loop.
 *
 * Thread   loop
 * Owns     both streams are the caller's until weir_stream_close
 * Returns  0, -EMFILE, or an error of socketpair(2) or weir_stream_open
 */
WEIR_API WEIR_CHECKED int weir_stream_pair(weir_stream *streams[2],
                                           weir_loop *loop,
                                           const weir_stream_options *options);

/**
 * Close a stream immediately.  What is pending gets WEIR_ECANCELED, then closed
 * (or NULL) is called with the status of the connection: 0, or its first
 * error.  The kernel still sends the bytes that it has.  If input is unread,
 * however, it resets the connection and drops them.  Use weir_stream_finish to
 * end a connection whose last bytes matter.
 *
 * Thread   loop; once for each stream.  It may be called in a callback of the
 *          stream
 * Owns     the stream is no longer the caller's; its memory is freed after
 *          closed
 */
WEIR_API void weir_stream_close(weir_stream *stream, weir_stream_fn *closed,
                                void *arg);

/**
 * Reset a stream.  This is weir_stream_close, except that the kernel drops the
 * bytes that it has, and sends a reset to the peer (TCP: RST).
 *
 * Thread   loop; instead of weir_stream_close
 * Owns     the stream is no longer the caller's; its memory is freed after
 *          closed
 */
WEIR_API void weir_stream_reset(weir_stream *stream, weir_stream_fn *closed,
                                void *arg);

/**
 * Finish a stream so that the peer receives everything: write what is queued,
 * half-close, then read and discard until the peer has closed its side or
 * linger_ns has passed, then close.  The time starts again whenever the peer
 * has received some of the bytes that are left.  So a peer that reads slowly
 * gets all of them, unless it takes longer than linger_ns to make room for the
 * next.  closed gets 0, -ETIMEDOUT (the peer did not close in time: it may not
 * have received the last bytes), or the first error.
 *
 * Thread   loop; instead of weir_stream_close
 * Owns     the stream is no longer the caller's; its memory is freed after
 *          closed
 */
WEIR_API void weir_stream_finish(weir_stream *stream, int64_t linger_ns,
                                 weir_stream_fn *closed, void *arg);

/* ---- reading ---- */

/**
 * Read until the end of a stream.  fn is called for each piece of bytes that
 * arrives, and once at the end.  The bytes are in a buffer that all streams of
 * the loop share, so a stream that waits takes no memory for its input.
 *
 * Thread   loop
 * Returns  0, -EINVAL (NULL), -EBUSY (a read is in progress), or the error that
 *          has ended the reading, which is WEIR_EEOF after the end
 */
WEIR_API WEIR_CHECKED int weir_stream_read(weir_stream *stream,
                                           weir_read_fn *fn, void *arg);

/**
 * Read once, into the caller's buffer.  fn is called once, with at least one
 * byte, or with the reason why there is none.
 *
 * Thread   loop
 * Owns     data is borrowed until fn is called
 * Returns  0, -EINVAL (NULL, or size is 0), -EBUSY (a read is in progress), or
 *          the error that has ended the stream
 */
WEIR_API WEIR_CHECKED int weir_stream_read_into(weir_stream *stream, void *data,
                                                size_t size, weir_read_fn *fn,
                                                void *arg);

/**
 * Pause the reading of a stream.  No callback of weir_stream_read begins until
 * weir_stream_resume.  Meanwhile the kernel's buffer fills up, and then the
 * peer has to wait.
 *
 * Thread   loop
 */
WEIR_API void weir_stream_pause(weir_stream *stream);

/**
 * Resume the reading of a stream that was paused.
 *
 * Thread   loop
 */
WEIR_API void weir_stream_resume(weir_stream *stream);

/**
 * Stop the reading of a stream without another callback, so that another reader
 * or TLS can begin.  Bytes that arrive meanwhile stay in the kernel.
 *
 * Thread   loop
 */
WEIR_API void weir_stream_stop(weir_stream *stream);

/**
 * Take the buffer that holds the bytes of the running read callback.  The bytes
 * stay valid until weir_buffer_free.  The loop allocates a new buffer for the
 * next read.  A few kilobytes or less are copied to a smaller buffer instead.
 *
 * Thread   loop, inside a callback of weir_stream_read
 * Owns     the buffer is the caller's
 * Returns  the buffer, or NULL (no memory; or not inside such a callback)
 */
WEIR_API weir_buffer *weir_stream_take_buffer(weir_stream *stream);

/* ---- writing ---- */

/**
 * Write bytes, after everything that was written before.  As much as possible
 * is given to the kernel at once; the rest when it has room.  done (or NULL) is
 * called when the kernel has all of it, or with the reason why not.
 *
 * Thread   loop
 * Owns     the array is copied.  With done, the bytes are borrowed until it is
 *          called.  With done NULL, bytes that have to wait are copied
 * Returns  0, -EINVAL (NULL, a part without data, more than 1024 parts, or more
 *          bytes than memory can hold), -EPIPE (after weir_stream_shutdown),
 *          -ENOMEM, or the error that has ended the stream
 */
WEIR_API WEIR_CHECKED int weir_stream_write(weir_stream *stream,
                                            const weir_bytes *parts,
                                            size_t count, weir_stream_fn *done,
                                            void *arg);

/**
 * Send a part of a file, after everything that was written before.  A plain
 * connection uses sendfile(2), without copying.  done gets WEIR_ETRUNCATED if
 * the file is shorter.
 *
 * Thread   loop
 * Owns     fd is borrowed until done is called
 * Returns  0, -EINVAL (NULL, or a negative number), -EPIPE (after
 *          weir_stream_shutdown), -ENOMEM, or the error that has ended the
 *          stream
 */
WEIR_API WEIR_CHECKED int weir_stream_send_file(weir_stream *stream, int fd,
                                                int64_t offset, int64_t size,
                                                weir_stream_fn *done,
                                                void *arg);

/**
 * Send descriptors together with at least one byte, over a Unix socket.
 *
 * Thread   loop
 * Owns     the descriptors are duplicated: the caller's stay open.  The bytes
 *          are copied
 * Returns  0, -EINVAL (NULL, no byte, no descriptor, or more than 64 of them),
 *          -EBADF (a descriptor is not open), -ENOTSUP (not a Unix socket),
 *          -EMFILE, -EPIPE (after weir_stream_shutdown), -ENOMEM, or the error
 *          that has ended the stream
 */
WEIR_API WEIR_CHECKED int weir_stream_send_fds(weir_stream *stream,
                                               weir_bytes bytes, const int *fds,
                                               size_t count,
                                               weir_stream_fn *done, void *arg);

/**
 * Take the descriptors that arrived with the bytes of the running read
 * callback.  Descriptors that are not taken are closed after the callback.  All
 * of them are close-on-exec.
 *
 * Thread   loop, inside a callback of weir_stream_read
 * Owns     fds[0 .. result - 1] are the caller's
 * Returns  their number, at most capacity
 */
WEIR_API size_t weir_stream_take_fds(weir_stream *stream, int *fds,
                                     size_t capacity);

/**
 * Half-close a stream: the peer sees the end after everything that was written
 * before.  done (or NULL) is called when the half-close has been carried out.
 *
 * Thread   loop
 * Returns  0, -EINVAL (NULL), -EPIPE (half-closed before), -ENOMEM, or the
 *          error that has ended the stream
 */
WEIR_API WEIR_CHECKED int weir_stream_shutdown(weir_stream *stream,
                                               weir_stream_fn *done, void *arg);

/**
 * Test whether a writer should wait: high_water_bytes or more are queued.
 * on_drain is called when all of them have been written.
 *
 * Thread   loop
 */
WEIR_API bool weir_stream_is_full(const weir_stream *stream);

/**
 * Get the number of bytes that were accepted but not yet given to the kernel.
 *
 * Thread   loop
 */
WEIR_API size_t weir_stream_queued_bytes(const weir_stream *stream);

/* ---- settings ---- */

/**
 * Set how long a read may wait for a byte, and how long a queued write may wait
 * without the peer receiving anything.  When the time is over, the stream ends
 * with -ETIMEDOUT.  Time in which reading is paused does not count.  0: no
 * limit.  If there is no memory for a timer when a limit begins to apply, the
 * stream ends with -ENOMEM.
 *
 * Thread   loop
 * Returns  0, -EINVAL (NULL, or negative)
 */
WEIR_API WEIR_CHECKED int weir_stream_set_timeouts(weir_stream *stream,
                                                   int64_t read_ns,
                                                   int64_t write_ns);

/**
 * Name a stream for reports.  The name is not copied, and must
 * outlive the loop.
 *
 * Thread   loop
 */
WEIR_API void weir_stream_set_name(weir_stream *stream, const char *name);

/**
 * Set the argument of on_end and on_drain in the stream's options, and of
 * on_drain in weir_serve_options.
 *
 * Thread   loop
 */
WEIR_API void weir_stream_set_arg(weir_stream *stream, void *arg);

/**
 * Set on_end of the stream's options, and the argument of on_end and on_drain.
 * A new owner of the stream learns by it that the loop has ended.
 *
 * Thread   loop
 */
WEIR_API void weir_stream_set_on_end(weir_stream *stream,
                                     void (*on_end)(void *arg,
                                                    weir_stream *stream),
                                     void *arg);

/**
 * Make a stream keep weir_loop_run running, or stop it from doing so.  A new
 * stream keeps it running.
 *
 * Thread   loop
 */
WEIR_API void weir_stream_set_ref(weir_stream *stream, bool is_ref);

/**
 * Get the address of the other end.  It is WEIR_ADDRESS_NONE for pipes and
 * terminals.
 *
 * Thread   loop
 */
WEIR_API void weir_stream_peer(const weir_stream *stream,
                               weir_address *address);

/**
 * Get the address of this end.
 *
 * Thread   loop
 */
WEIR_API void weir_stream_local(const weir_stream *stream,
                                weir_address *address);

/**
 * Get the loop that a stream belongs to.
 *
 * Thread   loop
 */
WEIR_API weir_loop *weir_stream_loop(const weir_stream *stream);

/**
 * Get the descriptor of a stream, for settings that weir does not offer.
 *
 * Thread   loop
 * Owns     the descriptor stays the stream's
 */
WEIR_API int weir_stream_fd(const weir_stream *stream);

/**
 * Take the descriptor out of a stream that has nothing queued, for example to
 * hand it to another loop or process.  The stream is freed, and the descriptor
 * stays open.
 *
 * Thread   loop, not inside a callback of the stream
 * Owns     the result is the caller's; the stream is gone unless an error is
 *          returned
 * Returns  the descriptor, -EBUSY (bytes are queued, or came with the request of
 *          an upgrade and were not read; or it is a TLS stream), or the error
 *          that has ended the stream
 */
WEIR_API WEIR_CHECKED int weir_stream_detach(weir_stream *stream);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_NET_STREAM_H */
