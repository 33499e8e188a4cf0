/* SPDX-License-Identifier: MIT */
/*
 * write -- from the writers, through the filter, to the socket.
 *
 * A write that finds the queue empty goes to the kernel at once.  What the
 * kernel does not take is queued, and so is everything that is written after
 * it.  The loop is asked to watch for room only after the kernel has refused.
 *
 *     writing    --> kernel, in order -->    finished
 *     (queued)                               (callbacks are owed)
 *
 * With a filter, writes are first turned into output.  At most OUTPUT bytes of
 * it are made ahead of the kernel, so a large write takes little memory.  A
 * write that the filter has taken stays at the head of the queue until all
 * output is sent.
 *
 * Tested by  test/net/stream/stream.c
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "stream/stream.h"
#include "weir/host/memory.h"

enum {
    PARTS_MAX = 1024,
    FDS_MAX = 64,
    GATHER = 64,          /* parts for one system call */
    FILE_CHUNK = 1 << 20, /* bytes for one sendfile */
    RECORD = 16 * 1024,   /* plain bytes that the filter gets at a time */
    OUTPUT = 64 * 1024,
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

/* The first write is over. */
static void finish_first(weir_stream *stream, int status)
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
        finish_first(stream, err);
    stream->queued = 0;
    weir__stream_check_finish(stream);
    if (stream->life != WEIR__STREAM_CLOSED)
        weir__stream_tick(stream);
}

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
        finish_first(stream, 0);
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
        finish_first(stream, WEIR_ETRUNCATED);
    } else if (write->left == 0) {
        finish_first(stream, 0);
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
        finish_first(stream, 0);
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
    finish_first(stream, 0);
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
        finish_first(stream, write->status);
    }
}

static struct weir__write *first_untaken(const weir_stream *stream)
{
    struct weir__write *write = stream->writing.first;

    while (write != NULL && write->is_taken)
        write = write->next;
    return write;
}

/* Make some output and send it.  Returns 0 if there may be more to do, -EALREADY
 * if nothing is left or the filter waits for input, -EAGAIN if the kernel is
 * full, or an error. */
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
    if (err != 0 && err != -EAGAIN && err != -EALREADY)
        weir__stream_end_writing(stream, err);
    else if (stream->has_shut)
        weir__stream_check_finish(stream);
    if (stream->life == WEIR__STREAM_CLOSED)
        return;
    if (stream->finished.first != NULL ||
        (stream->wants_drain && stream->writing.first == NULL))
        weir__stream_tick(stream);
    weir__stream_watch(stream);
}

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

/* ---- the writers ---- */

static int check_writer(const weir_stream *stream)
{
    if (stream->life == WEIR__STREAM_CLOSED)
        return WEIR_ECLOSED;
    if (stream->write_err != 0)
        return stream->write_err;
    return stream->is_shut ? -EPIPE : 0;
}

static size_t sum_parts(const weir_bytes *parts, size_t count)
{
    size_t size = 0;

    for (size_t i = 0; i < count; i++)
        size += parts[i].size;
    return size;
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

/* Write bytes that nobody waits for: what the kernel does not take is copied. */
static int write_copied(weir_stream *stream, const weir_bytes *parts,
                        size_t count, size_t size)
{
    ssize_t sent = write_directly(stream, parts, count, size);
    struct weir__write *write;

    if (sent < 0) {
        weir__stream_end_writing(stream, (int)sent);
        return (int)sent;
    }
    if ((size_t)sent == size)
        return 0;
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

int weir_stream_write(weir_stream *stream, const weir_bytes *parts,
                      size_t count, weir_stream_fn *done, void *arg)
{
    struct weir__write *write;
    size_t size;
    int err;

    if (stream == NULL || (parts == NULL && count > 0) || count > PARTS_MAX)
        return -EINVAL;
    err = check_writer(stream);
    if (err != 0)
        return err;
    size = sum_parts(parts, count);
    if (done == NULL)
        return write_copied(stream, parts, count, size);
    write = make_write(WEIR__WRITE_BYTES, count, 0, done, arg);
    if (write == NULL)
        return -ENOMEM;
    if (count > 0)
        memcpy(write->parts, parts, count * sizeof(*parts));
    enqueue(stream, write, size);
    return 0;
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
