/* SPDX-License-Identifier: MIT */
/*
 * weir/host/recorder.h -- recording what a library or an engine does.
 *
 *     uint64_t began = weir_recorder_begin();
 *     ... serve the request
 *     if (began != 0)
 *         weir_recorder_end(began, &(weir_record){.type = WEIR_RECORD_REQUEST,
 *                                                 .name = "GET",
 *                                                 .count = 200});
 *
 * A name must never be freed.  Texts that are made while the program runs, such
 * as the names of functions, are interned.
 */
#ifndef WEIR_HOST_RECORDER_H
#define WEIR_HOST_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/export.h"
#include "weir/loop.h"
#include "weir/recorder.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Return the present time for weir_recorder_end, in units of the processor's
 * counter.
 *
 * Thread   any
 * Returns  0 if the recorder is off
 */
WEIR_API uint64_t weir_recorder_begin(void);

/**
 * Record an event of the calling thread that began at a time of
 * weir_recorder_begin and ends now; if `began` is 0, a moment.  Of the event,
 * type, kind, name, value and count are used.  While the recorder is off, this
 * has no effect.
 *
 * Thread   any
 * Owns     the name is not copied, and must never be freed
 */
WEIR_API void weir_recorder_end(uint64_t began, const weir_record *event);

/**
 * Return a copy of a text that is never freed, the same for equal texts.  A
 * text of more than 4095 bytes is cut.  At most 16384 texts are kept.  `share`
 * is the percentage of these beyond which this text is not added: 100 for texts
 * of the program, less for those that its peers choose.
 *
 * Thread   any
 * Returns  the copy, or NULL (there is no memory, or there are too many texts)
 */
WEIR_API const char *weir_recorder_intern(const char *text, unsigned share);

/**
 * Test whether the recorder wants the name of the running callback: it is
 * measured, and has taken at least 0.1 ms, or everything is recorded.
 *
 * Thread   loop, inside a callback
 */
WEIR_API bool weir_loop_wants_name(const weir_loop *loop);

/**
 * Name the running callback in records, reports and metrics.  NULL has no
 * effect.
 *
 * Thread   loop, inside a callback
 * Owns     the name is not copied, and must never be freed
 */
WEIR_API void weir_loop_name_callback(weir_loop *loop, const char *name);

/**
 * Change the kind of the running callback in records, reports, metrics and the
 * watchdog's messages.  Its next-ticks and microtasks keep their own kinds.
 *
 * Thread   loop, inside a callback
 */
WEIR_API void weir_loop_set_callback_kind(weir_loop *loop, weir_kind kind);

/* Where a reader is in the ring of each thread. */
typedef struct weir_recorder_cursor weir_recorder_cursor;

/**
 * Create a cursor, which is before all events that are recorded.
 *
 * Thread   any
 * Owns     *cursor is the caller's until weir_recorder_cursor_free
 * Returns  0, -EINVAL (NULL), -ENOMEM
 */
WEIR_API WEIR_CHECKED int
weir_recorder_cursor_new(weir_recorder_cursor **cursor);

/**
 * Free a cursor.  Passing NULL has no effect.
 *
 * Thread   any
 */
WEIR_API void weir_recorder_cursor_free(weir_recorder_cursor *cursor);

/**
 * Call fn for each event that was recorded since the last call with this
 * cursor, in the order of weir_recorder_read.  Events that have been
 * overwritten meanwhile are skipped.  A thread that has recorded nothing costs
 * the reader a few nanoseconds.
 *
 * Thread   any, one at a time for each cursor; fn is called on it
 * Returns  0, -EINVAL (NULL), -ENOENT (the recorder is off), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_recorder_follow(weir_recorder_cursor *cursor,
                                               weir_record_fn *fn, void *arg);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_HOST_RECORDER_H */
