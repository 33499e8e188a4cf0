/* SPDX-License-Identifier: MIT */
/*
 * end -- how a stream ends: its deadlines, closing, finishing, detaching.
 *
 * Deadlines  One for reading and one for writing.  Progress only stores the
 *            time; the timer is restarted when it fires too early.
 * Progress   of writing is not only that the kernel takes more.  It does so when
 *            a third of its buffer is free, which may be a megabyte, so a peer
 *            that reads slowly is asked for: what it has received, the kernel
 *            no longer has.
 * Finish     FINISHING is a stream without an owner.  It writes what is queued,
 *            half-closes, and discards input until the peer closes.  Closing a
 *            socket with unread input would reset the connection and destroy
 *            the bytes in flight.  The linger time is the deadline of writing.
 *
 * Tested by  test/net/stream/stream.c
 */
#include <errno.h>

#include "stream/stream.h"

/* ---- deadlines ---- */

static void look_received(weir_stream *stream)
{
    stream->unreceived =
        weir__socket_unreceived(stream->fd, stream->file == WEIR__FILE_TCP);
}

void weir__stream_look_received(weir_stream *stream)
{
    if (stream->write_deadline.limit_ns != 0 &&
        (stream->is_blocked || stream->has_shut))
        look_received(stream);
}

/* Whether the peer has received some of what is left since the last look, and
 * not yet everything. */
static bool is_receiving(weir_stream *stream)
{
    uint32_t before = stream->unreceived;

    look_received(stream);
    return stream->unreceived < before &&
           (stream->unreceived > 0 || !stream->has_shut);
}

/* The linger time is over.  What a Unix socket has sent, its peer can still
 * read after the close. */
static void give_up(weir_stream *stream)
{
    stream->close_status = -ETIMEDOUT;
    stream->is_cut = !stream->has_shut ||
                     (stream->file == WEIR__FILE_TCP && stream->unreceived > 0);
    weir__stream_fail(stream, -ETIMEDOUT);
}

static bool awaits_input(const weir_stream *stream)
{
    return stream->is_reading && !stream->is_paused;
}

static bool awaits_output(const weir_stream *stream)
{
    return stream->writing.first != NULL ||
           stream->life == WEIR__STREAM_FINISHING;
}

static void on_deadline(void *arg, int status, struct weir__deadline *deadline)
{
    weir_stream *stream = arg;
    bool is_read = deadline == &stream->read_deadline;

    deadline->timer = 0;
    if (status != 0 ||
        !(is_read ? awaits_input(stream) : awaits_output(stream)))
        return;
    weir__stream_hold(stream);
    if (weir_clock_now() - deadline->since_ns < deadline->limit_ns) {
        weir__stream_check_deadlines(stream);
    } else if (!is_read && is_receiving(stream)) {
        weir__stream_progress(deadline);
        weir__stream_check_deadlines(stream);
    } else if (stream->life == WEIR__STREAM_FINISHING) {
        give_up(stream);
    } else {
        weir__stream_fail(stream, -ETIMEDOUT);
    }
    weir__stream_release(stream);
}

static void on_read_deadline(void *stream, int status)
{
    on_deadline(stream, status, &((weir_stream *)stream)->read_deadline);
}

static void on_write_deadline(void *stream, int status)
{
    on_deadline(stream, status, &((weir_stream *)stream)->write_deadline);
}

static void cancel_deadline(weir_stream *stream,
                            struct weir__deadline *deadline)
{
    if (deadline->timer != 0 &&
        weir_timer_cancel(stream->loop, deadline->timer) == 0)
        deadline->timer = 0;
}

/* Start the timer of a deadline that applies.  One that no longer applies is
 * left: when it fires, it finds that out. */
static int start_deadline(weir_stream *stream, struct weir__deadline *deadline,
                          weir_fn *fn)
{
    int64_t left;
    int err;

    if (deadline->limit_ns == 0 || deadline->timer != 0)
        return 0;
    left = deadline->limit_ns - (weir_clock_now() - deadline->since_ns);
    err = weir_timer_start(stream->loop, &deadline->timer, left < 0 ? 0 : left,
                           WEIR_TIMER_ONCE, fn, stream);
    if (err == 0)
        (void)!weir_timer_unref(stream->loop, deadline->timer);
    /* A time past the last nanosecond never comes, and a loop that admits no
     * timers ends the stream itself. */
    return err == -ENOMEM || err == -ENOSPC ? err : 0;
}

void weir__stream_start_deadlines(weir_stream *stream)
{
    int err = 0;

    if (stream->life == WEIR__STREAM_CLOSED)
        return;
    if (awaits_input(stream))
        err = start_deadline(stream, &stream->read_deadline, on_read_deadline);
    if (err == 0 && awaits_output(stream))
        err =
            start_deadline(stream, &stream->write_deadline, on_write_deadline);
    if (err != 0) /* or it could wait forever */
        weir__stream_fail(stream, err);
}

int weir_stream_set_timeouts(weir_stream *stream, int64_t read_ns,
                             int64_t write_ns)
{
    if (stream == NULL || read_ns < 0 || write_ns < 0)
        return -EINVAL;
    cancel_deadline(stream, &stream->read_deadline);
    cancel_deadline(stream, &stream->write_deadline);
    stream->read_deadline.limit_ns = read_ns;
    stream->write_deadline.limit_ns = write_ns;
    weir__stream_progress(&stream->read_deadline);
    weir__stream_progress(&stream->write_deadline);
    weir__stream_look_received(stream);
    weir__stream_check_deadlines(stream);
    return 0;
}

/* ---- ending ---- */

/* Close the descriptor.  Callbacks are called later. */
static void close_now(weir_stream *stream, int status)
{
    stream->life = WEIR__STREAM_CLOSED;
    stream->close_status = status;
    stream->has_input = false;
    cancel_deadline(stream, &stream->read_deadline);
    cancel_deadline(stream, &stream->write_deadline);
    weir__stream_unwatch(stream);
    weir__socket_close(stream->fd);
    stream->fd = -1;
    weir__stream_end_writing(stream, WEIR_ECANCELED);
    if (stream->read_err == 0)
        stream->read_err = WEIR_ECANCELED;
    if (!stream->is_once)
        stream->is_reading = false;
    weir__stream_tick(stream);
}

static int first_error(const weir_stream *stream)
{
    if (stream->read_err != 0 && stream->read_err != WEIR_EEOF)
        return stream->read_err;
    return stream->write_err;
}

void weir__stream_fail(weir_stream *stream, int err)
{
    if (stream->life == WEIR__STREAM_CLOSED)
        return;
    weir__stream_end_writing(stream, err);
    weir__stream_end_reading(stream, err);
}

void weir_stream_close(weir_stream *stream, weir_stream_fn *closed, void *arg)
{
    stream->closed = closed;
    stream->closed_arg = arg;
    close_now(stream, first_error(stream));
}

void weir_stream_reset(weir_stream *stream, weir_stream_fn *closed, void *arg)
{
    if (stream->file == WEIR__FILE_TCP)
        weir__socket_prepare_reset(stream->fd);
    weir_stream_close(stream, closed, arg);
}

/* A stream without an owner is over when both sides have ended. */
static void check_finish(weir_stream *stream)
{
    if (stream->write_err != 0)
        close_now(stream, stream->close_status != 0 ? stream->close_status
                                                    : stream->write_err);
    else if (stream->has_shut && (stream->read_err != 0 || !stream->is_socket))
        close_now(stream, stream->read_err == WEIR_EEOF ? 0 : stream->read_err);
}

void weir__stream_check_finish(weir_stream *stream)
{
    if (stream->life == WEIR__STREAM_FINISHING)
        check_finish(stream);
}

void weir_stream_finish(weir_stream *stream, int64_t linger_ns,
                        weir_stream_fn *closed, void *arg)
{
    stream->closed = closed;
    stream->closed_arg = arg;
    stream->life = WEIR__STREAM_FINISHING;
    stream->is_paused = false;
    if (!stream->is_once)
        stream->is_reading = false;
    weir__stream_hold(stream);
    stream->u.discarded = 0;
    cancel_deadline(stream, &stream->read_deadline);
    cancel_deadline(stream, &stream->write_deadline);
    stream->write_deadline.limit_ns = linger_ns > 0 ? linger_ns : 1;
    stream->write_deadline.since_ns = weir_clock_now();
    weir__stream_look_received(stream);
    if (!stream->is_shut && stream->write_err == 0) {
        int err = weir_stream_shutdown(stream, NULL, NULL);

        if (err != 0)
            weir__stream_end_writing(stream, err);
    }
    if (stream->life == WEIR__STREAM_FINISHING)
        check_finish(stream);
    if (stream->life == WEIR__STREAM_FINISHING)
        weir__stream_check_deadlines(stream);
    if (stream->life == WEIR__STREAM_FINISHING)
        weir__stream_watch(stream);
    /* Not by release: no callback may run inside this call. */
    stream->holds--;
    weir__stream_tick(stream);
}

void weir__stream_abort(weir_stream *stream, int status)
{
    if (stream->life == WEIR__STREAM_CLOSED)
        return;
    if (stream->file == WEIR__FILE_TCP)
        weir__socket_prepare_reset(stream->fd);
    close_now(stream, status);
}

int weir_stream_detach(weir_stream *stream)
{
    int err = first_error(stream), fd = stream->fd;

    if (err != 0)
        return err;
    if (stream->writing.first != NULL || stream->finished.first != NULL ||
        stream->filter != NULL || stream->unread != NULL || stream->is_once ||
        stream->is_ticking || stream->holds > 0)
        return -EBUSY;
    cancel_deadline(stream, &stream->read_deadline);
    cancel_deadline(stream, &stream->write_deadline);
    weir__stream_unwatch(stream);
    weir__stream_free(stream);
    return fd;
}
