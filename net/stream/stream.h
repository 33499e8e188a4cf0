/* SPDX-License-Identifier: MIT */
/*
 * stream -- the internal struct of a stream, which the files of this folder
 * share.
 *
 * Everything here belongs to the loop's thread.
 */
#ifndef WEIR_NET_STREAM_STREAM_H
#define WEIR_NET_STREAM_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/socket.h"
#include "stream/filter.h"
#include "weir/net/stream.h"
#include "weir/timer.h"

/* A read that fills the buffer is repeated.  A message of 64 KiB, which is common,
 * does not. */
enum { WEIR__READ_SIZE = 68 * 1024 };

/* The life of a stream, forward only. */
enum weir__stream_life {
    WEIR__STREAM_OPEN,
    WEIR__STREAM_FINISHING, /* the owner has left: write, half-close, linger */
    WEIR__STREAM_CLOSED,    /* the descriptor is closed; callbacks follow */
};

enum weir__write_kind {
    WEIR__WRITE_BYTES,
    WEIR__WRITE_FILE,
    WEIR__WRITE_FDS,
    WEIR__WRITE_SHUTDOWN,
};

/* Something that waits to be written, or whose callback waits to be called.
 * With WEIR__WRITE_FDS the bytes are parts[0], and so are copied bytes. */
struct weir__write {
    struct weir__write *next;
    weir_stream_fn *done;
    void *arg;
    size_t allocated; /* bytes of this struct */
    int status;
    uint8_t kind;
    bool is_taken;  /* by the filter, whose output is not sent yet */
    uint16_t at;    /* the first part that is not written */
    uint16_t count; /* of parts */
    uint16_t fd_count;
    int file; /* WEIR__WRITE_FILE ... */
    int64_t offset, left;
    int *fds; /* WEIR__WRITE_FDS */
    weir_bytes parts[];
};

struct weir__writes {
    struct weir__write *first, **last;
};

/* Received together with the bytes of the running read callback. */
struct weir__received_fds {
    size_t count;
    int fds[64];
};

/* What all streams of a loop share: a buffer to read into. */
struct weir__inbox {
    weir_buffer *buffer; /* NULL: allocated at the next read */
};

struct weir_buffer {
    size_t allocated; /* bytes of this struct */
    size_t size;
    char data[];
};

struct weir__deadline {
    int64_t limit_ns; /* 0: none */
    int64_t since_ns; /* of the last progress */
    weir_timer timer; /* 0: not started */
};

struct weir_stream {
    weir_loop *loop;
    int fd;
    unsigned watched; /* the events that the loop watches for */
    uint8_t file;     /* enum weir__file */
    uint8_t life;     /* enum weir__stream_life */
    uint8_t holds;    /* calls in progress that use the stream */
    bool is_socket : 1;
    bool is_paused : 1;
    bool is_reading : 1;  /* read_fn waits for bytes */
    bool is_once : 1;     /* one read, into read_to */
    bool has_input : 1;   /* the filter may have bytes: read without event */
    bool is_ticking : 1;  /* a tick is queued */
    bool is_blocked : 1;  /* the kernel took less than it was given */
    bool wants_drain : 1; /* was full: on_drain is owed */
    bool is_shut : 1;     /* half-closed, or queued to be */
    bool has_shut : 1;    /* shutdown(2) was called */
    bool is_ready : 1;    /* no filter, or its handshake is over */
    bool is_flushing : 1;
    bool is_hung_up : 1; /* reported while nothing could be done about it */
    bool is_unref : 1;
    bool has_more : 1;     /* the next write is followed by another at once */
    bool is_unwatched : 1; /* the loop does not have the descriptor */
    bool is_told_end : 1;  /* on_end was called */
    bool is_cut : 1;       /* given up before the peer had everything */
    int read_err;          /* why nothing more is read */
    int write_err;         /* why nothing more is written */
    int close_status;      /* for closed */
    uint32_t arrived;      /* bytes that the kernel had at the last look, and
                              that were not read since */
    uint32_t unreceived;   /* bytes that the kernel had at the last look and
                              the peer had not received */
    size_t queued;         /* bytes */
    size_t high_water;
    struct weir__writes writing, finished;
    weir_read_fn *read_fn;
    void *read_arg;
    union {
        struct {
            char *data; /* is_once */
            size_t size;
        } read_to;
        size_t discarded; /* WEIR__STREAM_FINISHING, and after */
    } u;
    weir_buffer *unread; /* given before what the socket has */
    void (*on_gone)(void *arg);
    void *gone_arg;
    weir_buffer *given; /* the bytes of the running read callback */
    struct weir__received_fds *received;
    struct weir__filter *filter;
    struct weir__deadline read_deadline, write_deadline;
    void (*on_end)(void *arg, weir_stream *stream);
    void (*on_drain)(void *arg, weir_stream *stream);
    void *arg;
    weir_stream_fn *closed;
    void *closed_arg;
    const char *name;
    weir_task task; /* a tick, if the loop does not take one */
};

/* ---- for the other parts of libweir-net ---- */

/* Make the stream of a socket that accept4 has made non-blocking.  It is
 * watched for input from the start, because servers read at once: a socket that
 * is asked what it is, and watched in two steps, costs six more system
 * calls. */
int weir__stream_accepted(weir_stream **made, weir_loop *loop, int fd,
                          bool is_unix, const weir_stream_options *options);

/* Call fn when the stream is freed, however it was closed. */
void weir__stream_on_gone(weir_stream *stream, void (*fn)(void *arg),
                          void *arg);
/* Give the next reader these bytes before those of the socket.  Returns 0 or
 * -ENOMEM. */
int weir__stream_unread(weir_stream *stream, weir_bytes bytes);
/* Set the function to call when a full stream has become empty. */
void weir__stream_set_on_drain(weir_stream *stream,
                               void (*fn)(void *arg, weir_stream *stream),
                               void *arg);
/* Reset a stream that is finishing; closed gets the status. */
void weir__stream_abort(weir_stream *stream, int status);
/* The number of bytes that a finishing stream has discarded. */
size_t weir__stream_discarded(const weir_stream *stream);
/* Whether a finishing stream was closed at its deadline before the peer had
 * received everything. */
bool weir__stream_is_cut(const weir_stream *stream);

/* Whether there is no filter, or its handshake is over. */
bool weir__stream_is_ready(const weir_stream *stream);

/* Whether bytes have arrived that were not given to the reader yet. */
bool weir__stream_has_input(const weir_stream *stream);

/* Look how much has arrived by now. */
void weir__stream_look_arrived(weir_stream *stream);
/* Whether some of what had arrived at the last look was not given to the reader
 * yet. */
bool weir__stream_has_arrived(const weir_stream *stream);

/* ---- stream.c ---- */

/* Keep the memory during a call that may run callbacks.  release frees the
 * stream if it was closed meanwhile and nothing is owed. */
static inline void weir__stream_hold(weir_stream *stream)
{
    stream->holds++;
}
void weir__stream_release(weir_stream *stream);

/* Call what is owed, soon: at the next checkpoint. */
void weir__stream_tick(weir_stream *stream);

/* Watch for what the stream waits for. */
void weir__stream_watch(weir_stream *stream);
/* Take the descriptor away from the loop, for good. */
void weir__stream_unwatch(weir_stream *stream);

/* Free a stream whose descriptor is closed or no longer its own. */
void weir__stream_free(weir_stream *stream);

/* ---- end.c ---- */

/* Note progress in one direction. */
static inline void weir__stream_progress(struct weir__deadline *deadline)
{
    if (deadline->limit_ns != 0)
        deadline->since_ns = weir_clock_now();
}
/* A flush is over that may have to be waited for: look what the peer has not
 * received, to see later whether it has received more. */
void weir__stream_look_received(weir_stream *stream);
/* Start the timers of the deadlines that apply.  Without memory for a timer the
 * stream fails, which may close it if it is FINISHING. */
void weir__stream_start_deadlines(weir_stream *stream);
static inline void weir__stream_check_deadlines(weir_stream *stream)
{
    if ((stream->read_deadline.limit_ns | stream->write_deadline.limit_ns) != 0)
        weir__stream_start_deadlines(stream);
}
/* The memory of a stream has run out, or its connection has failed. */
void weir__stream_fail(weir_stream *stream, int err);
/* Close a stream that is FINISHING and has finished. */
void weir__stream_check_finish(weir_stream *stream);

/* ---- read.c ---- */

/* The descriptor is readable, or has_input. */
void weir__stream_receive(weir_stream *stream);
/* A callback has raised in the middle of a read: return the buffer. */
void weir__stream_abandon_read(weir_stream *stream);
/* Whether the stream waits for input, for its reader or for its filter. */
static inline bool weir__stream_wants_input(const weir_stream *stream)
{
    if (stream->read_err != 0)
        return false;
    return (stream->is_reading && !stream->is_paused) || !stream->is_ready ||
           stream->life == WEIR__STREAM_FINISHING;
}
/* Nothing more can be read: tell the reader. */
void weir__stream_end_reading(weir_stream *stream, int err);

/* ---- flush.c ---- */

/* Give the kernel as much as it takes. */
void weir__stream_flush(weir_stream *stream);
/* Whether something waits for room in the kernel's buffer. */
bool weir__stream_wants_output(const weir_stream *stream);

/* ---- write.c ---- */

/* The first write is over: its callback is owed. */
void weir__stream_finish_write(weir_stream *stream, int status);
/* Nothing more can be written: everything queued gets err. */
void weir__stream_end_writing(weir_stream *stream, int err);
/* Call the callbacks of what is finished. */
void weir__stream_call_finished(weir_stream *stream);
void weir__writes_init(struct weir__writes *writes);

#endif /* WEIR_NET_STREAM_STREAM_H */
