/* SPDX-License-Identifier: MIT */
/*
 * read -- reads from the socket, through the filter, for the reader.
 *
 * A read uses the loop's shared buffer, so a waiting stream has no buffer.  A
 * callback may keep the bytes by taking the buffer.  A large buffer is handed
 * over; a few bytes are copied, because they would waste a block of 64 KiB.
 *
 * A read that fills the buffer is repeated a few times.  A shorter read is
 * taken to have emptied the socket; the next event reports further bytes.
 *
 * Tested by  test/net/stream/stream.c
 */
#include <errno.h>
#include <string.h>

#include "stream/stream.h"
#include "weir/host/loop.h"
#include "weir/host/memory.h"

enum {
    READS = 4,         /* at most, for one event */
    SMALL = 16 * 1024, /* bytes that are copied by weir_stream_take_buffer */
};

/* ---- buffers ---- */

static const char inbox_key;

static void free_inbox(void *arg)
{
    struct weir__inbox *inbox = arg;

    weir_buffer_free(inbox->buffer);
    weir_memory_free(inbox, sizeof(*inbox));
}

static struct weir__inbox *make_inbox(weir_loop *loop)
{
    struct weir__inbox *inbox = weir_memory_alloc(sizeof(*inbox));

    if (inbox == NULL)
        return NULL;
    inbox->buffer = NULL;
    if (weir_loop_set_local(loop, &inbox_key, inbox, free_inbox) == 0)
        return inbox;
    weir_memory_free(inbox, sizeof(*inbox));
    return NULL;
}

static weir_buffer *make_buffer(size_t size)
{
    size_t allocated = sizeof(weir_buffer) + size;
    weir_buffer *buffer = weir_memory_alloc(allocated);

    if (buffer != NULL) {
        buffer->allocated = allocated;
        buffer->size = size;
    }
    return buffer;
}

/* Get the inbox of a loop, which remains until the loop is freed. */
static struct weir__inbox *inbox_of(weir_loop *loop)
{
    struct weir__inbox *inbox = weir_loop_local(loop, &inbox_key);

    return inbox != NULL ? inbox : make_inbox(loop);
}

/* Get the loop's buffer, out of the inbox.  A callback that steps another loop
 * or runs a nested read finds none and gets its own. */
static weir_buffer *borrow_buffer(struct weir__inbox *inbox)
{
    weir_buffer *buffer;

    if (inbox == NULL)
        return NULL;
    buffer = inbox->buffer;
    inbox->buffer = NULL;
    return buffer != NULL ? buffer : make_buffer(WEIR__READ_SIZE);
}

static void return_buffer(struct weir__inbox *inbox, weir_buffer *buffer)
{
    if (inbox->buffer == NULL &&
        buffer->allocated == sizeof(*buffer) + WEIR__READ_SIZE)
        inbox->buffer = buffer;
    else
        weir_buffer_free(buffer);
}

void *weir_buffer_data(const weir_buffer *buffer, size_t *size)
{
    *size = buffer->size;
    return (void *)buffer->data;
}

void weir_buffer_free(weir_buffer *buffer)
{
    if (buffer != NULL)
        weir_memory_free(buffer, buffer->allocated);
}

/* ---- descriptors that arrive with the bytes ---- */

static void close_received(weir_stream *stream)
{
    struct weir__received_fds *received = stream->received;

    if (received == NULL)
        return;
    while (received->count > 0)
        weir__socket_close(received->fds[--received->count]);
    weir_memory_free(received, sizeof(*received));
    stream->received = NULL;
}

static ssize_t read_with_fds(weir_stream *stream, void *to, size_t size)
{
    struct weir__received_fds received;
    ssize_t count;

    received.count = sizeof(received.fds) / sizeof(received.fds[0]);
    count = weir__socket_read_fds(stream->fd, to, size, received.fds,
                                  &received.count);
    if (received.count == 0)
        return count;
    stream->received = weir_memory_alloc(sizeof(received));
    if (stream->received != NULL) {
        *stream->received = received;
        return count;
    }
    while (received.count > 0)
        weir__socket_close(received.fds[--received.count]);
    return -ENOMEM;
}

size_t weir_stream_take_fds(weir_stream *stream, int *fds, size_t capacity)
{
    struct weir__received_fds *received = stream->received;
    size_t taken = 0;

    if (received == NULL)
        return 0;
    taken = capacity < received->count ? capacity : received->count;
    memcpy(fds, received->fds, taken * sizeof(*fds));
    received->count -= taken;
    memmove(received->fds, received->fds + taken,
            received->count * sizeof(*fds));
    return taken;
}

/* ---- receiving ---- */

/* Whether to go on reading: the last callback may have changed anything. */
static bool is_receiving(const weir_stream *stream)
{
    return stream->life != WEIR__STREAM_CLOSED &&
           weir__stream_wants_input(stream);
}

void weir__stream_end_reading(weir_stream *stream, int err)
{
    if (stream->read_err != 0)
        return;
    stream->read_err = err;
    stream->has_input = false;
    weir__stream_check_finish(stream);
    if (stream->life != WEIR__STREAM_CLOSED)
        weir__stream_tick(stream);
}

/* Whether bytes go to the buffer of weir_stream_read_into.  The owner of a
 * stream that is FINISHING has left, and u is in other use. */
static bool is_direct(const weir_stream *stream)
{
    return stream->is_once && stream->life != WEIR__STREAM_FINISHING;
}

static void give(weir_stream *stream, void *data, size_t size)
{
    weir_bytes bytes = {data, size};

    if (stream->life == WEIR__STREAM_FINISHING) {
        stream->u.discarded += size;
    } else {
        if (stream->is_once)
            stream->is_reading = stream->is_once = false;
        stream->read_fn(stream->read_arg, stream, 0, bytes);
    }
    close_received(stream);
}

static ssize_t read_socket(weir_stream *stream, void *to, size_t size)
{
    if (stream->file == WEIR__FILE_UNIX && stream->filter == NULL)
        return read_with_fds(stream, to, size);
    return weir__socket_read(stream->fd, stream->is_socket, to, size);
}

/* Tell the filter's owner that the handshake is over.  The owner may find that
 * it does not trust the peer: then the rest of the handshake, which may contain
 * its own certificate, is not sent. */
static void check_ready(weir_stream *stream)
{
    if (stream->is_ready || !stream->filter->is_ready(stream->filter))
        return;
    stream->is_ready = true;
    if (stream->filter->on_ready != NULL)
        stream->filter->on_ready(stream->filter, stream, 0);
    if (stream->life != WEIR__STREAM_CLOSED)
        weir__stream_flush(stream);
}

static bool wants_bytes(const weir_stream *stream)
{
    return (stream->is_reading && !stream->is_paused) ||
           stream->life == WEIR__STREAM_FINISHING;
}

/* Give the reader what the filter has.  Until the handshake is over, and while
 * there is no reader, the filter only continues its handshake: on_ready comes
 * before the first byte. */
static void read_filter(weir_stream *stream, weir_buffer *buffer)
{
    ssize_t count = 0;
    bool was_ready, is_asked;

    do {
        bool is_once = is_direct(stream);
        char *to = is_once ? stream->u.read_to.data : buffer->data;
        size_t size =
            is_once ? stream->u.read_to.size : (size_t)WEIR__READ_SIZE;

        was_ready = stream->is_ready;
        is_asked = was_ready && wants_bytes(stream);
        count = stream->filter->read(stream->filter, is_asked ? to : NULL,
                                     is_asked ? size : 0);
        if (count > 0) {
            buffer->size = (size_t)count;
            give(stream, to, (size_t)count);
        }
        if (stream->life != WEIR__STREAM_CLOSED)
            check_ready(stream);
    } while ((count > 0 || was_ready != stream->is_ready) &&
             stream->given == buffer && is_receiving(stream));
    if (stream->life == WEIR__STREAM_CLOSED)
        return;
    /* The last bytes of a handshake may come with the first of the stream. */
    stream->has_input = count > 0 || (stream->is_ready && !is_asked);
    weir__stream_flush(stream);
    if (count < 0)
        count == WEIR_EEOF ? weir__stream_end_reading(stream, WEIR_EEOF)
                           : weir__stream_fail(stream, (int)count);
}

/* One read from the socket.  True if there may be more. */
static bool receive_once(weir_stream *stream, weir_buffer *buffer)
{
    bool is_once = is_direct(stream) && stream->filter == NULL;
    char *to = is_once ? stream->u.read_to.data : buffer->data;
    size_t size = is_once ? stream->u.read_to.size : (size_t)WEIR__READ_SIZE;
    ssize_t count = read_socket(stream, to, size);

    if (count == -EAGAIN)
        return false;
    if (count <= 0) {
        int err = count < 0 ? (int)count : WEIR_EEOF;

        if (count == 0 && stream->filter != NULL)
            err = stream->filter->end(stream->filter);
        weir__stream_end_reading(stream, err);
        return false;
    }
    stream->arrived -=
        (size_t)count < stream->arrived ? (uint32_t)count : stream->arrived;
    weir__stream_progress(&stream->read_deadline);
    if (stream->filter == NULL) {
        buffer->size = (size_t)count;
        give(stream, to, (size_t)count);
        return (size_t)count == size;
    }
    if (stream->filter->feed(stream->filter, to, (size_t)count) != 0)
        weir__stream_fail(stream, -ENOMEM);
    else
        read_filter(stream, buffer);
    return (size_t)count == size;
}

/* Give the reader what was pushed back. */
static void give_unread(weir_stream *stream)
{
    weir_buffer *unread = stream->unread;
    size_t size = unread->size;
    bool is_once = is_direct(stream);

    if (is_once && size > stream->u.read_to.size) {
        size = stream->u.read_to.size;
        memcpy(stream->u.read_to.data, unread->data, size);
        unread->size -= size;
        memmove(unread->data, unread->data + size, unread->size);
        give(stream, stream->u.read_to.data, size);
        return;
    }
    stream->unread = NULL;
    stream->has_input = stream->filter != NULL;
    if (is_once)
        memcpy(stream->u.read_to.data, unread->data, size);
    stream->given = unread;
    give(stream, is_once ? stream->u.read_to.data : unread->data, size);
    if (stream->given == unread)
        weir_buffer_free(unread);
    stream->given = NULL;
}

int weir__stream_unread(weir_stream *stream, weir_bytes bytes)
{
    if (bytes.size == 0)
        return 0;
    stream->unread = make_buffer(bytes.size);
    if (stream->unread == NULL)
        return -ENOMEM;
    memcpy(stream->unread->data, bytes.data, bytes.size);
    stream->has_input = true;
    return 0;
}

void weir__stream_abandon_read(weir_stream *stream)
{
    if (stream->given != NULL)
        return_buffer(inbox_of(stream->loop), stream->given);
    stream->given = NULL;
    stream->has_input |= stream->filter != NULL; /* it may have more */
    close_received(stream);
}

void weir__stream_receive(weir_stream *stream)
{
    struct weir__inbox *inbox;
    weir_buffer *buffer;
    bool has_more = true;

    if (stream->unread != NULL) {
        give_unread(stream);
        if (stream->unread != NULL || !is_receiving(stream))
            return; /* the rest of it comes before the socket */
    }
    inbox = inbox_of(stream->loop);
    buffer = borrow_buffer(inbox);
    if (buffer == NULL) {
        weir__stream_fail(stream, -ENOMEM);
        return;
    }
    stream->given = buffer;
    if (stream->has_input && stream->filter != NULL)
        read_filter(stream, buffer);
    for (int i = 0; i < READS && has_more && stream->given == buffer &&
                    is_receiving(stream);
         i++)
        has_more = receive_once(stream, buffer);
    if (stream->given == buffer)
        return_buffer(inbox, buffer);
    stream->given = NULL;
    if (stream->life == WEIR__STREAM_CLOSED)
        return;
    if (stream->has_input && is_receiving(stream))
        weir__stream_tick(stream);
    weir__stream_check_deadlines(stream);
}

weir_buffer *weir_stream_take_buffer(weir_stream *stream)
{
    weir_buffer *given = stream->given, *copy;

    if (given == NULL)
        return NULL;
    if (given->size > SMALL) {
        stream->given = NULL;
        return given;
    }
    copy = make_buffer(given->size);
    if (copy != NULL)
        memcpy(copy->data, given->data, given->size);
    return copy;
}

/* ---- the reader ---- */

static int start_reading(weir_stream *stream, weir_read_fn *fn, void *arg)
{
    stream->read_fn = fn;
    stream->read_arg = arg;
    stream->is_reading = true;
    weir__stream_progress(&stream->read_deadline);
    weir__stream_check_deadlines(stream);
    weir__stream_watch(stream);
    if (stream->has_input)
        weir__stream_tick(stream);
    return 0;
}

static int check_reader(const weir_stream *stream)
{
    if (stream->life != WEIR__STREAM_OPEN)
        return WEIR_ECLOSED;
    if (stream->is_reading)
        return -EBUSY;
    return stream->read_err;
}

int weir_stream_read(weir_stream *stream, weir_read_fn *fn, void *arg)
{
    int err;

    if (stream == NULL || fn == NULL)
        return -EINVAL;
    err = check_reader(stream);
    return err != 0 ? err : start_reading(stream, fn, arg);
}

int weir_stream_read_into(weir_stream *stream, void *data, size_t size,
                          weir_read_fn *fn, void *arg)
{
    int err;

    if (stream == NULL || data == NULL || size == 0 || fn == NULL)
        return -EINVAL;
    err = check_reader(stream);
    if (err != 0)
        return err;
    stream->is_once = true;
    stream->u.read_to.data = data;
    stream->u.read_to.size = size;
    return start_reading(stream, fn, arg);
}

void weir_stream_pause(weir_stream *stream)
{
    stream->is_paused = true;
}

void weir_stream_resume(weir_stream *stream)
{
    if (!stream->is_paused)
        return;
    stream->is_paused = false;
    weir__stream_progress(&stream->read_deadline);
    weir__stream_check_deadlines(stream);
    if (stream->life != WEIR__STREAM_CLOSED)
        weir__stream_watch(stream);
    if (stream->has_input || (stream->is_reading && stream->read_err != 0))
        weir__stream_tick(stream);
}
