/* SPDX-License-Identifier: MIT */
/*
 * flush -- moves queued writes through the filter to the kernel.
 *
 * The descriptor is watched for WRITABLE only after the kernel has refused
 * bytes.
 *
 * With a filter, writes are first turned into output.  At most OUTPUT bytes of
 * it are made ahead of the kernel, so a large write takes little memory.  A
 * write that the filter has taken stays at the head of the queue until all
 * output is sent.
 *
 * Tested by  test/net/stream/stream.c
 */
#include <errno.h>

#include "stream/stream.h"

enum {
    GATHER = 64,          /* parts for one system call */
    FILE_CHUNK = 1 << 20, /* bytes for one sendfile */
    RECORD = 16 * 1024,   /* plain bytes that the filter gets at a time */
    OUTPUT = 64 * 1024,
};

/* ---- progress ---- */

/* Account for `size` bytes that the kernel or the filter has taken from the
 * first write. */
static void advance(weir_stream *stream, struct weir__write *write, size_t size)
{
    stream->queued -= size;
    while (size > 0) {
        weir_bytes *part = &write->parts[write->at];
        size_t here = size < part->size ? size : part->size;

        part->data = (const char *)part->data + here;
        part->size -= here;
        size -= here;
        if (part->size == 0)
            write->at++;
    }
}

static bool is_written(const struct weir__write *write)
{
    return write->at == write->count && write->left == 0;
}

/* ---- without a filter ---- */

/* Write the parts of all writes of bytes at the head of the queue.  Returns 0,
 * -EAGAIN, or an error. */
static int flush_bytes(weir_stream *stream)
{
    weir_bytes parts[GATHER];
    struct weir__write *write = stream->writing.first;
    size_t count = 0, total = 0;
    ssize_t sent;

    for (; write != NULL && write->kind == WEIR__WRITE_BYTES && count < GATHER;
         write = write->next)
        for (size_t i = write->at; i < write->count && count < GATHER; i++) {
            parts[count++] = write->parts[i];
            total += write->parts[i].size;
        }
    sent = total == 0 ? 0
                      : weir__socket_write(stream->fd, stream->is_socket, parts,
                                           count, false);
    if (sent < 0)
        return (int)sent;
    for (size_t left = (size_t)sent; stream->writing.first != write;) {
        struct weir__write *first = stream->writing.first;
        size_t before = stream->queued, here = 0;

        for (size_t i = first->at; i < first->count; i++)
            here += first->parts[i].size;
        advance(stream, first, here < left ? here : left);
        left -= before - stream->queued;
        while (first->at < first->count && first->parts[first->at].size == 0)
            first->at++;
        if (!is_written(first))
            break;
        weir__stream_finish_write(stream, 0);
    }
    return (size_t)sent < total ? -EAGAIN : 0;
}

static int flush_file(weir_stream *stream, struct weir__write *write)
{
    size_t size = write->left < FILE_CHUNK ? (size_t)write->left : FILE_CHUNK;
    ssize_t sent = 0;

    if (size > 0)
        sent = weir__socket_send_file(stream->fd, write->file, &write->offset,
                                      size);
    if (sent < 0)
        return (int)sent;
    write->left -= sent;
    stream->queued -= (size_t)sent;
    if (size > 0 && sent == 0) {
        stream->queued -= (size_t)write->left;
        weir__stream_finish_write(stream, WEIR_ETRUNCATED);
    } else if (write->left == 0) {
        weir__stream_finish_write(stream, 0);
    }
    return 0;
}

static int flush_fds(weir_stream *stream, struct weir__write *write)
{
    ssize_t sent = weir__socket_write_fds(stream->fd, write->parts[0],
                                          write->fds, write->fd_count);

    if (sent < 0)
        return (int)sent;
    /* They went with the first byte.  The rest is bytes. */
    for (size_t i = 0; i < write->fd_count; i++)
        weir__socket_close(write->fds[i]);
    write->fd_count = 0;
    write->kind = WEIR__WRITE_BYTES;
    advance(stream, write, (size_t)sent);
    if (is_written(write))
        weir__stream_finish_write(stream, 0);
    return 0;
}

/* The reader of a pipe sees the end when its writer closes it. */
static int flush_shutdown(weir_stream *stream)
{
    int err = 0;

    if (stream->is_socket) {
        err = weir__socket_shutdown(stream->fd);
    } else if (stream->file == WEIR__FILE_PIPE) {
        weir__stream_unwatch(stream);
        err = weir__socket_replace(stream->fd);
    }
    if (err != 0)
        return err;
    stream->has_shut = true;
    weir__stream_finish_write(stream, 0);
    return 0;
}

static int flush_first(weir_stream *stream)
{
    struct weir__write *write = stream->writing.first;

    switch ((enum weir__write_kind)write->kind) {
    case WEIR__WRITE_FILE:
        return flush_file(stream, write);
    case WEIR__WRITE_FDS:
        return flush_fds(stream, write);
    case WEIR__WRITE_SHUTDOWN:
        return flush_shutdown(stream);
    case WEIR__WRITE_BYTES:
        break;
    }
    return flush_bytes(stream);
}

/* ---- with a filter ---- */

/* Send what the filter has made.  Returns 0 when nothing is left. */
static int flush_output(weir_stream *stream)
{
    weir_bytes output = stream->filter->output(stream->filter);

    while (output.size > 0) {
        ssize_t sent = weir__socket_write(stream->fd, stream->is_socket,
                                          &output, 1, false);

        if (sent < 0)
            return (int)sent;
        weir__stream_progress(&stream->write_deadline);
        stream->filter->sent(stream->filter, (size_t)sent);
        output = stream->filter->output(stream->filter);
    }
    return 0;
}

/* Let the filter take bytes of a file.  Returns how many, or an error. */
static ssize_t filter_file(weir_stream *stream, struct weir__write *write)
{
    char chunk[RECORD];
    size_t size = write->left < RECORD ? (size_t)write->left : RECORD;
    ssize_t count =
        weir__socket_read_file(write->file, chunk, size, write->offset);
    ssize_t taken;

    if (count < 0)
        return count;
    if (count == 0) { /* shorter than expected */
        stream->queued -= (size_t)write->left;
        write->left = 0;
        write->status = WEIR_ETRUNCATED;
        return 0;
    }
    taken = stream->filter->write(stream->filter, chunk, (size_t)count);
    if (taken <= 0)
        return taken == 0 ? -EAGAIN : taken;
    write->left -= taken;
    write->offset += taken;
    stream->queued -= (size_t)taken;
    return taken;
}

static ssize_t filter_bytes(weir_stream *stream, struct weir__write *write)
{
    weir_bytes *part = &write->parts[write->at];
    ssize_t taken;

    if (part->size == 0) {
        write->at++;
        return 0;
    }
    taken = stream->filter->write(stream->filter, part->data,
                                  part->size < RECORD ? part->size : RECORD);
    if (taken == 0)
        return -EAGAIN;
    if (taken > 0)
        advance(stream, write, (size_t)taken);
    return taken;
}

/* Let the filter take some of the first write that it has not taken. */
static int filter_some(weir_stream *stream, struct weir__write *write)
{
    ssize_t taken = 0;

    if (write->kind == WEIR__WRITE_SHUTDOWN) {
        int err = stream->filter->shutdown(stream->filter);

        write->is_taken = err == 0;
        return err;
    }
    if (!is_written(write))
        taken = write->kind == WEIR__WRITE_FILE ? filter_file(stream, write)
                                                : filter_bytes(stream, write);
    if (taken < 0)
        return (int)taken;
    write->is_taken = is_written(write);
    return 0;
}

static void finish_taken(weir_stream *stream)
{
    while (stream->writing.first != NULL && stream->writing.first->is_taken) {
        struct weir__write *write = stream->writing.first;

        if (write->kind == WEIR__WRITE_SHUTDOWN) {
            (void)weir__socket_shutdown(stream->fd);
            stream->has_shut = true;
        }
        weir__stream_finish_write(stream, write->status);
    }
}

static struct weir__write *first_untaken(const weir_stream *stream)
{
    struct weir__write *write = stream->writing.first;

    while (write != NULL && write->is_taken)
        write = write->next;
    return write;
}

/* Make some output and send it.  Returns 0 if there may be more to do,
 * -EALREADY if nothing is left or the filter waits for input, -EAGAIN if the
 * kernel is full, or an error. */
static int flush_filter(weir_stream *stream)
{
    struct weir__write *write = first_untaken(stream);
    int err = 0, sent;

    while (write != NULL && err == 0 &&
           stream->filter->output(stream->filter).size < OUTPUT) {
        err = filter_some(stream, write);
        if (write->is_taken)
            write = write->next;
    }
    sent = flush_output(stream);
    if (sent != 0)
        return sent;
    finish_taken(stream);
    if (err == -EAGAIN || write == NULL)
        return -EALREADY;
    return err;
}

/* ---- flushing ---- */

bool weir__stream_wants_output(const weir_stream *stream)
{
    return stream->life != WEIR__STREAM_CLOSED && stream->write_err == 0 &&
           (stream->writing.first != NULL ||
            (stream->filter != NULL &&
             stream->filter->output(stream->filter).size > 0));
}

/* A handshake that cannot write is over.  If the peer has left, what it sent
 * before may tell why. */
static void end_handshake(weir_stream *stream, int err)
{
    if (!stream->is_ready && stream->life != WEIR__STREAM_CLOSED &&
        err != -EPIPE && err != -ECONNRESET)
        weir__stream_end_reading(stream, err);
}

void weir__stream_flush(weir_stream *stream)
{
    size_t before = stream->queued;
    int err = 0;

    while (err == 0 && weir__stream_wants_output(stream))
        err =
            stream->filter == NULL ? flush_first(stream) : flush_filter(stream);
    if (stream->queued < before)
        weir__stream_progress(&stream->write_deadline);
    stream->is_blocked = err == -EAGAIN;
    if (stream->has_shut && stream->life == WEIR__STREAM_FINISHING)
        weir__stream_progress(&stream->write_deadline);
    weir__stream_look_received(stream);
    if (err != 0 && err != -EAGAIN && err != -EALREADY) {
        weir__stream_end_writing(stream, err);
        end_handshake(stream, err);
    } else if (stream->has_shut)
        weir__stream_check_finish(stream);
    if (stream->life == WEIR__STREAM_CLOSED)
        return;
    if (stream->finished.first != NULL ||
        (stream->wants_drain && stream->writing.first == NULL))
        weir__stream_tick(stream);
    weir__stream_watch(stream);
}
