/* SPDX-License-Identifier: MIT */
/*
 * stream -- the life of a stream: opening and waiting (end.c: its end).
 *
 * Shape     A descriptor that the loop watches, a reader (read.c), a queue of
 *           writes (write.c), perhaps a filter between them and the socket, and
 *           two deadlines.  The loop calls on_event; everything else follows
 *           from there or from a call of the owner.
 * Owner     The loop's thread touches everything; no other thread touches
 *           anything.
 * Ticks     No callback runs inside a call of the owner.  A callback that is
 *           due is recorded in the stream (it is owed) and made by a next-tick,
 *           at the next checkpoint of the loop.
 * Memory    The stream is freed when the last hold is released, it is CLOSED,
 *           and no callback is owed.
 * Waiting   The loop watches level-triggered.  Bits of the mask are added when
 *           they are needed and removed when an event arrives that is not
 *           wanted, so a reader that pauses and resumes costs no system call.
 *           An error or hang-up is reported whatever the mask is.  If the
 *           stream cannot act on it, the descriptor becomes one-shot, because
 *           the event would be reported in every turn.
 *
 * Tested by  test/net/stream/stream.c
 */
#include "stream/stream.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include "weir/fd.h"
#include "weir/host/loop.h"
#include "weir/host/memory.h"
#include "weir/host/sized.h"

static void call_owed(void *arg, int status);

/* ---- ticks and holds ---- */

static bool owes(const weir_stream *stream)
{
    return stream->finished.first != NULL ||
           (stream->wants_drain && stream->writing.first == NULL &&
            stream->life == WEIR__STREAM_OPEN && stream->write_err == 0) ||
           (stream->is_reading && stream->read_err != 0 &&
            (!stream->is_paused || stream->life != WEIR__STREAM_OPEN)) ||
           (!stream->is_ready && stream->read_err != 0) ||
           (stream->life == WEIR__STREAM_CLOSED && stream->closed != NULL);
}

void weir__stream_free(weir_stream *stream)
{
    if (stream->filter != NULL)
        stream->filter->free(stream->filter);
    weir_memory_free(stream->received, sizeof(*stream->received));
    weir_buffer_free(stream->unread);
    if (stream->on_gone != NULL)
        stream->on_gone(stream->gone_arg);
    weir_memory_free(stream, sizeof(*stream));
}

static void handle_tick(void *arg, int status)
{
    weir_stream *stream = arg;

    if (stream->life != WEIR__STREAM_CLOSED && stream->has_input &&
        weir__stream_wants_input(stream))
        weir__stream_receive(stream);
    if (stream->life != WEIR__STREAM_CLOSED)
        weir__stream_watch(stream);
}

static void on_tick(void *arg, int status)
{
    weir_stream *stream = arg;

    stream->is_ticking = false;
    weir__stream_hold(stream);
    if (!weir_loop_contain(handle_tick, stream, status))
        weir__stream_abandon_read(stream);
    weir__stream_release(stream);
}

static void on_task(weir_task *task, int status)
{
    on_tick((char *)task - offsetof(weir_stream, task), status);
}

void weir__stream_tick(weir_stream *stream)
{
    if (stream->is_ticking || stream->holds > 0)
        return; /* the release of the hold pays */
    stream->is_ticking = true;
    if (weir_loop_next_tick(stream->loop, on_tick, stream) == 0)
        return;
    stream->task = (weir_task){.run = on_task, .name = stream->name};
    if (weir_loop_post_expected(stream->loop, &stream->task) == 0)
        return;
    on_tick(stream, WEIR_ECANCELED); /* the loop has ended */
}

void weir__stream_release(weir_stream *stream)
{
    if (stream->holds > 1) {
        stream->holds--;
        return;
    }
    /* A callback that raises leaves the rest of what is owed. */
    while (!stream->is_ticking && owes(stream))
        (void)weir_loop_contain(call_owed, stream, 0);
    stream->holds--;
    if (stream->life != WEIR__STREAM_CLOSED) {
        if (stream->has_input && weir__stream_wants_input(stream))
            weir__stream_tick(stream);
    } else if (!stream->is_ticking) {
        weir__stream_free(stream);
    }
}

/* The handshake of the filter will never be over. */
static void call_ready(weir_stream *stream)
{
    stream->is_ready = true;
    if (stream->filter->on_ready != NULL)
        stream->filter->on_ready(
            stream->filter, stream,
            stream->read_err == WEIR_EEOF ? WEIR_ETRUNCATED : stream->read_err);
}

static void call_reader(weir_stream *stream)
{
    weir_bytes none = {NULL, 0};

    stream->is_reading = stream->is_once = false;
    stream->read_fn(stream->read_arg, stream, stream->read_err, none);
}

/* Call everything that is owed, while the caller holds the stream.  Each debt
 * is cancelled before it is paid. */
static void call_owed(void *arg, int status)
{
    weir_stream *stream = arg;
    bool is_closed;

    weir__stream_call_finished(stream);
    if (!stream->is_ready && stream->read_err != 0)
        call_ready(stream);
    if (stream->is_reading && stream->read_err != 0 &&
        (!stream->is_paused || stream->life != WEIR__STREAM_OPEN))
        call_reader(stream);
    is_closed = stream->life == WEIR__STREAM_CLOSED;
    if (is_closed)
        weir__stream_call_finished(stream); /* a callback may have closed it */
    if (is_closed && stream->closed != NULL) {
        weir_stream_fn *closed = stream->closed;

        stream->closed = NULL;
        closed(stream->closed_arg, stream, stream->close_status);
    }
}

/* ---- events ---- */

static unsigned wanted_events(const weir_stream *stream)
{
    return (weir__stream_wants_input(stream) ? WEIR_FD_READABLE : 0) |
           (stream->is_blocked && weir__stream_wants_output(stream)
                ? WEIR_FD_WRITABLE
                : 0);
}

static void set_watched(weir_stream *stream, unsigned events)
{
    int err;

    if (events == stream->watched || stream->is_unwatched)
        return;
    err = weir_fd_modify(stream->loop, stream->fd, events);
    if (err == 0)
        stream->watched = events;
    else
        weir__stream_fail(stream, err);
}

void weir__stream_watch(weir_stream *stream)
{
    unsigned wanted = wanted_events(stream);

    if (stream->watched & WEIR_FD_ONESHOT && wanted != 0)
        set_watched(stream, wanted);
    else if (wanted & ~stream->watched)
        set_watched(stream, stream->watched | wanted);
}

/* After an event: stop watching for events that are not wanted. */
static void narrow_watch(weir_stream *stream, unsigned events)
{
    unsigned wanted = wanted_events(stream);

    if (wanted == 0 && events & (WEIR_FD_ERROR | WEIR_FD_HANGUP))
        wanted = WEIR_FD_ONESHOT;
    if (stream->watched & WEIR_FD_ONESHOT && wanted == 0)
        return;
    if (wanted & ~stream->watched || stream->watched & ~wanted & events ||
        wanted == WEIR_FD_ONESHOT)
        set_watched(stream, wanted);
}

/* The loop has ended: it no longer watches the descriptor. */
static void end_with_loop(weir_stream *stream)
{
    stream->is_unwatched = true;
    if (stream->life == WEIR__STREAM_FINISHING)
        stream->close_status = WEIR_ECANCELED;
    weir__stream_fail(stream, WEIR_ECANCELED);
    while (owes(stream))
        (void)weir_loop_contain(call_owed, stream, 0);
    if (stream->life == WEIR__STREAM_OPEN && stream->on_end != NULL)
        stream->on_end(stream->arg, stream);
    if (stream->life != WEIR__STREAM_CLOSED)
        weir_stream_close(stream, NULL, NULL);
}

void weir__stream_unwatch(weir_stream *stream)
{
    if (stream->is_unwatched)
        return;
    stream->is_unwatched = true;
    /* -ENOENT: the loop has ended */
    (void)!weir_fd_remove(stream->loop, stream->fd, NULL, NULL);
}

struct event {
    weir_stream *stream;
    unsigned events;
};

static void handle_event(void *arg, int status)
{
    weir_stream *stream = ((struct event *)arg)->stream;
    unsigned events = ((struct event *)arg)->events;

    if (status != 0) {
        end_with_loop(stream);
        return;
    }
    if (events & ~(unsigned)WEIR_FD_READABLE &&
        weir__stream_wants_output(stream))
        weir__stream_flush(stream);
    if (stream->life != WEIR__STREAM_CLOSED &&
        events & ~(unsigned)WEIR_FD_WRITABLE &&
        weir__stream_wants_input(stream))
        weir__stream_receive(stream);
}

static void on_event(void *arg, int status, int fd, unsigned events)
{
    weir_stream *stream = arg;
    struct event event = {stream, events};

    weir__stream_hold(stream);
    if (!weir_loop_contain(handle_event, &event, status))
        weir__stream_abandon_read(stream);
    if (stream->life != WEIR__STREAM_CLOSED && status == 0)
        narrow_watch(stream, events);
    weir__stream_release(stream);
}

/* ---- opening ---- */

static const char *name_of(enum weir__file file)
{
    static const char *const names[] = {
        [WEIR__FILE_TCP] = "tcp",
        [WEIR__FILE_UNIX] = "unix",
        [WEIR__FILE_OTHER_SOCKET] = "socket",
        [WEIR__FILE_PIPE] = "pipe",
        [WEIR__FILE_TTY] = "terminal",
        [WEIR__FILE_OTHER] = "file",
    };

    return names[file];
}

static void set_tcp_options(int fd, const weir_stream_options *options)
{
    int64_t seconds = (options->keep_alive_ns + 999999999) / 1000000000;

    if (!options->has_delay)
        (void)weir__socket_set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    if (seconds <= 0)
        return;
    (void)weir__socket_set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    (void)weir__socket_set(fd, IPPROTO_TCP, TCP_KEEPIDLE,
                           seconds > 32767 ? 32767 : (int)seconds);
}

static void init_stream(weir_stream *stream, weir_loop *loop, int fd,
                        enum weir__file file,
                        const weir_stream_options *options)
{
    memset(stream, 0, sizeof(*stream));
    stream->loop = loop;
    stream->fd = fd;
    stream->file = file;
    stream->is_socket = file <= WEIR__FILE_OTHER_SOCKET;
    stream->is_ready = true;
    stream->high_water = options->high_water_bytes != 0
                             ? options->high_water_bytes
                             : WEIR_STREAM_HIGH_WATER;
    stream->on_end = options->on_end;
    stream->on_drain = options->on_drain;
    stream->arg = options->arg;
    stream->name = options->name != NULL ? options->name : name_of(file);
    weir__writes_init(&stream->writing);
    weir__writes_init(&stream->finished);
}

/* Make the stream of a descriptor that does not block. */
static int make_stream(weir_stream **made, weir_loop *loop, int fd,
                       enum weir__file file, unsigned events,
                       const weir_stream_options *options)
{
    weir_stream *stream = weir_memory_alloc(sizeof(*stream));
    int err;

    if (stream == NULL)
        return -ENOMEM;
    init_stream(stream, loop, fd, file, options);
    stream->watched = events;
    err = weir_fd_add(loop, fd, events, on_event, stream);
    if (err != 0) {
        weir_memory_free(stream, sizeof(*stream));
        return err;
    }
    weir_fd_set_name(loop, fd, stream->name);
    if (file == WEIR__FILE_TCP)
        set_tcp_options(fd, options);
    if (options->is_unref)
        weir_stream_set_ref(stream, false);
    *made = stream;
    return 0;
}

int weir_stream_open(weir_stream **made, weir_loop *loop, int fd,
                     const weir_stream_options *given)
{
    weir_stream_options options;
    enum weir__file file;
    int err = weir_sized_read(&options, sizeof(options), given);

    if (err != 0)
        return err;
    if (made == NULL || loop == NULL || options.keep_alive_ns < 0)
        return -EINVAL;
    err = weir__socket_adopt(fd, &file);
    return err != 0 ? err : make_stream(made, loop, fd, file, 0, &options);
}

int weir__stream_accepted(weir_stream **made, weir_loop *loop, int fd,
                          bool is_unix, const weir_stream_options *options)
{
    return make_stream(made, loop, fd,
                       is_unix ? WEIR__FILE_UNIX : WEIR__FILE_TCP,
                       WEIR_FD_READABLE, options);
}

int weir_stream_pair(weir_stream *streams[2], weir_loop *loop,
                     const weir_stream_options *options)
{
    int fds[2];
    int err = weir__socket_pair(fds);

    if (err != 0)
        return err;
    err = weir_stream_open(&streams[0], loop, fds[0], options);
    if (err != 0) {
        weir__socket_close(fds[0]);
        weir__socket_close(fds[1]);
        return err;
    }
    err = weir_stream_open(&streams[1], loop, fds[1], options);
    if (err != 0) {
        weir_stream_close(streams[0], NULL, NULL);
        weir__socket_close(fds[1]);
    }
    return err;
}

/* ---- filters ---- */

struct weir__filter *weir__stream_filter(const weir_stream *stream)
{
    return stream->filter;
}

int weir__stream_set_filter(weir_stream *stream, struct weir__filter *filter)
{
    ssize_t begun;

    if (stream->read_err != 0 || stream->write_err != 0)
        return stream->read_err != 0 ? stream->read_err : stream->write_err;
    if (stream->is_reading || stream->writing.first != NULL ||
        stream->filter != NULL)
        return -EBUSY;
    begun = stream->unread == NULL ? 0
                                   : filter->feed(filter, stream->unread->data,
                                                  stream->unread->size);
    if (begun == 0)
        begun = filter->read(filter, NULL, 0);
    if (begun < 0)
        return (int)begun;
    weir_buffer_free(stream->unread);
    stream->unread = NULL;
    stream->filter = filter;
    stream->is_ready = false;
    weir__stream_flush(stream);
    weir__stream_watch(stream);
    weir__stream_tick(stream);
    return 0;
}

/* ---- settings ---- */

void weir_stream_set_name(weir_stream *stream, const char *name)
{
    stream->name = name != NULL ? name : name_of(stream->file);
    weir_fd_set_name(stream->loop, stream->fd, stream->name);
}

void weir_stream_set_arg(weir_stream *stream, void *arg)
{
    stream->arg = arg;
}

void weir_stream_set_on_end(weir_stream *stream,
                            void (*on_end)(void *arg, weir_stream *stream),
                            void *arg)
{
    stream->on_end = on_end;
    stream->arg = arg;
}

void weir_stream_set_ref(weir_stream *stream, bool is_ref)
{
    stream->is_unref = !is_ref;
    /* -ENOENT: the loop has ended */
    (void)!(is_ref ? weir_fd_ref(stream->loop, stream->fd)
                   : weir_fd_unref(stream->loop, stream->fd));
}

void weir_stream_peer(const weir_stream *stream, weir_address *address)
{
    if (weir__socket_peer(stream->fd, address) != 0)
        *address = (weir_address){.size_ = 0};
}

void weir_stream_local(const weir_stream *stream, weir_address *address)
{
    if (weir__socket_local(stream->fd, address) != 0)
        *address = (weir_address){.size_ = 0};
}

weir_loop *weir_stream_loop(const weir_stream *stream)
{
    return stream->loop;
}

int weir_stream_fd(const weir_stream *stream)
{
    return stream->fd;
}

void weir__stream_on_gone(weir_stream *stream, void (*fn)(void *arg), void *arg)
{
    stream->on_gone = fn;
    stream->gone_arg = arg;
}

size_t weir__stream_discarded(const weir_stream *stream)
{
    return stream->u.discarded;
}

bool weir__stream_is_cut(const weir_stream *stream)
{
    return stream->is_cut;
}

bool weir__stream_is_ready(const weir_stream *stream)
{
    return stream->is_ready;
}

static bool has_filtered(const weir_stream *stream)
{
    return stream->filter != NULL && stream->filter->has_input(stream->filter);
}

bool weir__stream_has_input(const weir_stream *stream)
{
    return has_filtered(stream) ||
           (stream->is_socket && weir__socket_has_input(stream->fd));
}

void weir__stream_look_arrived(weir_stream *stream)
{
    stream->arrived = stream->is_socket ? weir__socket_arrived(stream->fd) : 0;
}

bool weir__stream_has_arrived(const weir_stream *stream)
{
    return stream->arrived > 0 || has_filtered(stream);
}

void weir_stream_stop(weir_stream *stream)
{
    stream->is_reading = stream->is_once = stream->is_paused = false;
}

void weir__stream_set_on_drain(weir_stream *stream,
                               void (*fn)(void *arg, weir_stream *stream),
                               void *arg)
{
    stream->on_drain = fn;
    stream->arg = arg;
}
