/* SPDX-License-Identifier: MIT */
/*
 * filter -- transforms the bytes between a socket and the user of a stream.
 *
 * TLS is a filter.  A filter does no I/O: the stream passes it what the socket
 * has received, and sends what the filter returns.  All functions are called on
 * the loop's thread, and none calls back into the stream, except where noted.
 *
 *     socket --> feed --> read --> the reader's callback
 *     socket <-- output <-- write <-- weir_stream_write
 *
 * After every feed, read, write and shutdown the stream sends what output
 * returns.  So a handshake, which answers input with output, needs no special
 * treatment: until is_ready, the stream feeds the filter even without a reader.
 */
#ifndef WEIR_NET_STREAM_FILTER_H
#define WEIR_NET_STREAM_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "weir/net/stream.h"

struct weir__filter {
    /* Take bytes that the socket has received.  Returns 0 or -ENOMEM. */
    int (*feed)(struct weir__filter *filter, const void *data, size_t size);
    /* Get bytes for the reader.  Returns their number, 0 if more input is
     * needed, WEIR_EEOF after the peer's orderly end, or an error.  It is
     * called with size 0 to continue a handshake while there is no reader. */
    ssize_t (*read)(struct weir__filter *filter, void *to, size_t size);
    /* Whether it has input that was not read yet. */
    bool (*has_input)(struct weir__filter *filter);
    /* The socket has ended.  Returns WEIR_EEOF if the peer has announced that,
     * otherwise WEIR_ETRUNCATED or another error. */
    int (*end)(struct weir__filter *filter);
    /* Take bytes of the writer.  Returns how many were taken, 0 if it cannot
     * take any before more input has arrived, or an error. */
    ssize_t (*write)(struct weir__filter *filter, const void *from,
                     size_t size);
    /* Announce the end of what is written.  Returns 0, -EAGAIN (not before more
     * input has arrived), or an error. */
    int (*shutdown)(struct weir__filter *filter);
    /* Get the bytes that are to be sent, and drop those that were. */
    weir_bytes (*output)(struct weir__filter *filter);
    void (*sent)(struct weir__filter *filter, size_t size);
    /* Whether bytes can be read and written: the handshake is over. */
    bool (*is_ready)(struct weir__filter *filter);
    /* The stream has become ready (status 0), or has ended before that.  Called
     * once, by the stream, outside every other function of the filter.  It may
     * do anything, even close the stream.  May be NULL. */
    void (*on_ready)(struct weir__filter *filter, weir_stream *stream,
                     int status);
    void (*free)(struct weir__filter *filter);
};

/* Put a filter on a stream that is not being read and has nothing queued, and
 * start its handshake.  Bytes that were pushed back go through the filter.  The
 * stream frees it.  Returns 0, -EBUSY, or the error that has ended the stream;
 * then the filter is still the caller's. */
int weir__stream_set_filter(weir_stream *stream, struct weir__filter *filter);

/* Get the filter of a stream, or NULL. */
struct weir__filter *weir__stream_filter(const weir_stream *stream);

#endif /* WEIR_NET_STREAM_FILTER_H */
