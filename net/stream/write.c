/* SPDX-License-Identifier: MIT */
/*
 * write -- what the owner of a stream writes, and the queue that it waits in.
 *
 * A write that finds the queue empty goes to the kernel at once.  What the
 * kernel does not take is queued, and so is everything that is written after
 * it.
 *
 *     writing    --> kernel, in order (flush.c) -->    finished
 *     (queued)                                         (callbacks are owed)
 *
 * Tested by  test/net/stream/stream.c
 */
#include <errno.h>
#include <string.h>

#include "stream/stream.h"
#include "weir/host/memory.h"

enum {
    PARTS_MAX = 1024,
    FDS_MAX = 64,
};

/* ---- the queue ---- */

void weir__writes_init(struct weir__writes *writes)
{
    writes->first = NULL;
    writes->last = &writes->first;
}

static void push(struct weir__writes *writes, struct weir__write *write)
{
    write->next = NULL;
    *writes->last = write;
    writes->last = &write->next;
}

static struct weir__write *pop(struct weir__writes *writes)
{
    struct weir__write *write = writes->first;

    writes->first = write->next;
    if (writes->first == NULL)
        writes->last = &writes->first;
    return write;
}

/* Make a write with room for `extra` bytes behind its parts. */
static struct weir__write *make_write(enum weir__write_kind kind, size_t count,
                                      size_t extra, weir_stream_fn *done,
                                      void *arg)
{
    struct weir__write *write;
    size_t allocated = sizeof(*write) + count * sizeof(weir_bytes) + extra;

    write = weir_memory_alloc(allocated);
    if (write == NULL)
        return NULL;
    memset(write, 0, sizeof(*write));
    write->allocated = allocated;
    write->kind = kind;
    write->count = (uint16_t)count;
    write->done = done;
    write->arg = arg;
    write->file = -1;
    return write;
}

static void free_write(struct weir__write *write)
{
    if (write->kind == WEIR__WRITE_FDS)
        for (size_t i = 0; i < write->fd_count; i++)
            weir__socket_close(write->fds[i]);
    weir_memory_free(write, write->allocated);
}

void weir__stream_finish_write(weir_stream *stream, int status)
{
    struct weir__write *write = pop(&stream->writing);

    write->status = status;
    push(&stream->finished, write);
}

void weir__stream_call_finished(weir_stream *stream)
{
    while (stream->finished.first != NULL) {
        struct weir__write *write = pop(&stream->finished);
        weir_stream_fn *done = write->done;
        void *arg = write->arg;
        int status = write->status;

        free_write(write);
        if (done != NULL)
            done(arg, stream, status);
    }
    if (stream->wants_drain && stream->writing.first == NULL &&
        stream->life == WEIR__STREAM_OPEN && stream->write_err == 0) {
        stream->wants_drain = false;
        if (stream->on_drain != NULL)
            stream->on_drain(stream->arg, stream);
    }
}

void weir__stream_end_writing(weir_stream *stream, int err)
{
    if (stream->write_err == 0)
        stream->write_err = err;
    while (stream->writing.first != NULL)
        weir__stream_finish_write(stream, err);
    stream->queued = 0;
    weir__stream_check_finish(stream);
    if (stream->life != WEIR__STREAM_CLOSED)
        weir__stream_tick(stream);
}

/* ---- the writers ---- */

/* Queue a write, and give it to the kernel if it is the first. */
static void enqueue(weir_stream *stream, struct weir__write *write, size_t size)
{
    bool is_first = stream->writing.first == NULL;

    push(&stream->writing, write);
    stream->queued += size;
    if (stream->queued >= stream->high_water)
        stream->wants_drain = true;
    if (!is_first)
        return;
    weir__stream_progress(&stream->write_deadline);
    weir__stream_flush(stream);
    if (stream->life != WEIR__STREAM_CLOSED)
        weir__stream_check_deadlines(stream);
}

static int check_writer(const weir_stream *stream)
{
    if (stream->life == WEIR__STREAM_CLOSED)
        return WEIR_ECLOSED;
    if (stream->write_err != 0)
        return stream->write_err;
    return stream->is_shut ? -EPIPE : 0;
}

/* Returns whether the parts are bytes that can exist. */
static bool sum_parts(const weir_bytes *parts, size_t count, size_t *size)
{
    *size = 0;
    for (size_t i = 0; i < count; i++)
        if ((parts[i].data == NULL && parts[i].size > 0) ||
            __builtin_add_overflow(*size, parts[i].size, size))
            return false;
    return true;
}

/* Copy the bytes behind `skip` into one part. */
static void copy_parts(struct weir__write *write, const weir_bytes *parts,
                       size_t count, size_t skip)
{
    char *to = (char *)&write->parts[1];

    write->parts[0] = (weir_bytes){to, 0};
    for (size_t i = 0; i < count; i++) {
        size_t here = skip < parts[i].size ? skip : parts[i].size;

        skip -= here;
        if (parts[i].size == here)
            continue;
        memcpy(to, (const char *)parts[i].data + here, parts[i].size - here);
        to += parts[i].size - here;
    }
    write->parts[0].size = (size_t)(to - (const char *)write->parts[0].data);
}

/* Give bytes to the kernel without queueing them.  Returns how many it took. */
static ssize_t write_directly(weir_stream *stream, const weir_bytes *parts,
                              size_t count, size_t size)
{
    ssize_t sent;

    if (stream->writing.first != NULL || stream->filter != NULL || size == 0)
        return 0;
    sent = weir__socket_write(stream->fd, stream->is_socket, parts, count,
                              stream->has_more);
    if (sent == -EAGAIN)
        sent = 0;
    if (sent >= 0)
        stream->is_blocked = (size_t)sent < size;
    return sent;
}

/* Copy and queue what the kernel did not take; sent may be an error.  Not
 * inlined, so that a write which the kernel takes saves few registers. */
__attribute__((noinline)) static int queue_rest(weir_stream *stream,
                                                const weir_bytes *parts,
                                                size_t count, size_t size,
                                                ssize_t sent)
{
    struct weir__write *write;

    if (sent < 0) {
        weir__stream_end_writing(stream, (int)sent);
        return (int)sent;
    }
    write = make_write(WEIR__WRITE_BYTES, 1, size - (size_t)sent, NULL, NULL);
    if (write == NULL) {
        if (sent > 0) /* half of it is gone: the stream cannot go on */
            weir__stream_end_writing(stream, -ENOMEM);
        return -ENOMEM;
    }
    copy_parts(write, parts, count, (size_t)sent);
    enqueue(stream, write, size - (size_t)sent);
    return 0;
}

/* Write bytes without a callback: what the kernel does not take is copied. */
static inline int write_copied(weir_stream *stream, const weir_bytes *parts,
                               size_t count, size_t size)
{
    ssize_t sent = write_directly(stream, parts, count, size);

    return sent >= 0 && (size_t)sent == size
               ? 0
               : queue_rest(stream, parts, count, size, sent);
}

/* Write bytes that stay with the caller until `done`. */
__attribute__((noinline)) static int
write_borrowed(weir_stream *stream, const weir_bytes *parts, size_t count,
               size_t size, weir_stream_fn *done, void *arg)
{
    struct weir__write *write;

    write = make_write(WEIR__WRITE_BYTES, count, 0, done, arg);
    if (write == NULL)
        return -ENOMEM;
    if (count > 0)
        memcpy(write->parts, parts, count * sizeof(*parts));
    enqueue(stream, write, size);
    return 0;
}

int weir_stream_write(weir_stream *stream, const weir_bytes *parts,
                      size_t count, weir_stream_fn *done, void *arg)
{
    size_t size;
    int err;

    if (stream == NULL || (parts == NULL && count > 0) || count > PARTS_MAX ||
        !sum_parts(parts, count, &size))
        return -EINVAL;
    err = check_writer(stream);
    if (err != 0)
        return err;
    return done == NULL ? write_copied(stream, parts, count, size)
                        : write_borrowed(stream, parts, count, size, done, arg);
}

int weir_stream_send_file(weir_stream *stream, int fd, int64_t offset,
                          int64_t size, weir_stream_fn *done, void *arg)
{
    struct weir__write *write;
    int err;

    if (stream == NULL || fd < 0 || offset < 0 || size < 0)
        return -EINVAL;
    err = check_writer(stream);
    if (err != 0)
        return err;
    write = make_write(WEIR__WRITE_FILE, 0, 0, done, arg);
    if (write == NULL)
        return -ENOMEM;
    write->file = fd;
    write->offset = offset;
    write->left = size;
    enqueue(stream, write, (size_t)size);
    return 0;
}

/* Duplicate the descriptors behind the copied bytes of a write. */
static int duplicate_fds(struct weir__write *write, const int *fds,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int copy = weir__socket_duplicate(fds[i]);

        if (copy < 0)
            return copy;
        write->fds[write->fd_count++] = copy;
    }
    return 0;
}

int weir_stream_send_fds(weir_stream *stream, weir_bytes bytes, const int *fds,
                         size_t count, weir_stream_fn *done, void *arg)
{
    size_t padded = (bytes.size + sizeof(int) - 1) & ~(sizeof(int) - 1);
    struct weir__write *write;
    int err;

    if (stream == NULL || bytes.data == NULL || bytes.size == 0 ||
        fds == NULL || count == 0 || count > FDS_MAX)
        return -EINVAL;
    if (stream->file != WEIR__FILE_UNIX || stream->filter != NULL)
        return -ENOTSUP;
    err = check_writer(stream);
    if (err != 0)
        return err;
    write =
        make_write(WEIR__WRITE_FDS, 1, padded + count * sizeof(int), done, arg);
    if (write == NULL)
        return -ENOMEM;
    copy_parts(write, &bytes, 1, 0);
    write->fds = (int *)((char *)&write->parts[1] + padded);
    err = duplicate_fds(write, fds, count);
    if (err != 0) {
        free_write(write);
        return err;
    }
    enqueue(stream, write, bytes.size);
    return 0;
}

int weir_stream_shutdown(weir_stream *stream, weir_stream_fn *done, void *arg)
{
    struct weir__write *write;
    int err;

    if (stream == NULL)
        return -EINVAL;
    err = check_writer(stream);
    if (err != 0)
        return err;
    write = make_write(WEIR__WRITE_SHUTDOWN, 0, 0, done, arg);
    if (write == NULL)
        return -ENOMEM;
    stream->is_shut = true;
    enqueue(stream, write, 0);
    return 0;
}

bool weir_stream_is_full(const weir_stream *stream)
{
    return stream->queued >= stream->high_water;
}

size_t weir_stream_queued_bytes(const weir_stream *stream)
{
    return stream->queued;
}
