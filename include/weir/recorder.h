/* SPDX-License-Identifier: MIT */
/*
 * weir/recorder.h -- what the threads of the program have done lately.
 *
 * The recorder is a flight recorder: it always runs, keeps the newest events of
 * each thread, and is read when something went wrong.
 *
 *     static void print(void *arg, const weir_record *record)
 *     {
 *         printf("%s for %" PRId64 " ns\n", weir_kind_name(record->kind),
 *                record->duration_ns);
 *     }
 *
 *     weir_recorder_start(NULL);                  before the loops run
 *     weir_recorder_read(weir_clock_now() - 10000000000, print, NULL);
 *     weir_recorder_save("slow.pftrace", 0);      for ui.perfetto.dev
 *
 * A thread records into its own ring of 32 bytes per event, without waiting for
 * any other thread.  Readers copy the rings while threads keep recording.  They
 * get every event whole, in the order of its thread, and skip those that have
 * been overwritten.
 *
 * A loop records its callbacks, and the times when it slept.  While callbacks
 * are short, it measures one about every 2 us, and the others appear together,
 * as a WEIR_RECORD_CROWD.  A pool's workers record their jobs and steals,
 * channels their messages, services the steps of their drain, servers their
 * requests, and the watchdog what it tells.  A thread that wakes a sleeping
 * loop records what it posted.  A loop's thread takes part from the next time
 * that it starts to run a loop, and a worker from its start.
 *
 * With the option `everything`, no callback is left out, and each post, each
 * turn and each settled promise is recorded too.  That takes 20 ns for each of
 * them.
 *
 * Names are stored by address.  With the recorder on, they must never be freed.
 */
#ifndef WEIR_RECORDER_H
#define WEIR_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum weir_record_type {
    WEIR_RECORD_THREAD = 1, /* a thread begins; value is its ID */
    WEIR_RECORD_CALLBACK,   /* of a loop; count: the next-ticks and microtasks
                               that it ran from the queues; value: the address
                               of the task, if it is one */
    WEIR_RECORD_CROWD,      /* callbacks that were not measured; value: how
                               many */
    WEIR_RECORD_SLEEP,  /* of a loop; count is 1 if another thread woke it */
    WEIR_RECORD_JOB,    /* of a pool; value: the address of the job */
    WEIR_RECORD_STEAL,  /* of a worker; value: the number of jobs */
    WEIR_RECORD_MARK,   /* weir_recorder_mark */
    WEIR_RECORD_POST,   /* of a task or a job; value: its address; count is 1 if
                          it woke a loop */
    WEIR_RECORD_TURN,   /* of a loop */
    WEIR_RECORD_DEPTH,  /* of a loop's queue; value: the number of tasks */
    WEIR_RECORD_SETTLE, /* of a promise; value: its address */
    WEIR_RECORD_SEND,   /* of a message; value: its address */
    WEIR_RECORD_RECEIVE, /* the same */
    WEIR_RECORD_REQUEST, /* that a server has answered; name: its method; count:
                            the status of the response */
    WEIR_RECORD_STACK,   /* name: what a callback was doing: lines of the form
                            "    at f (file:line:column)" */
    WEIR_RECORD_BLOCK,   /* that the watchdog has told, on its own thread; name:
                            "blocked", "still blocked" or "no longer blocked";
                            value: microseconds so far */
    WEIR_RECORD_DRAIN,   /* a step of a service's drain; name: the step */
} weir_record_type;

/* Later versions may append members. */
typedef struct weir_record {
    weir_record_type type;
    weir_kind kind;      /* of a callback, a job or a block; otherwise OTHER */
    uint64_t thread;     /* the kernel's ID of the thread */
    int64_t begin_ns;    /* on the clock of weir_clock_now */
    int64_t duration_ns; /* 0: a moment */
    const char *name;    /* may be NULL */
    uint64_t value;      /* 48 bits */
    uint32_t count;      /* at most 65535 */
} weir_record;

/* Called for each event. */
typedef void weir_record_fn(void *arg, const weir_record *record);

typedef struct weir_recorder_options {
    size_t size;     /* sizeof(weir_recorder_options) */
    uint32_t events; /* to keep for each thread, rounded up to a power of two;
                        0: 4096.  At most 16777216 */
    bool everything; /* leave nothing out */
} weir_recorder_options;

/**
 * Start the recorder of this process.  It runs until the process ends.
 *
 * Thread   any
 * Returns  0, -EINVAL (options), -E2BIG (an option that this library does not
 *          know), -EALREADY (it runs)
 */
WEIR_API WEIR_CHECKED int
weir_recorder_start(const weir_recorder_options *options);

/**
 * Record an event of the program: a moment with a name and a value, of which
 * the low 48 bits are kept.  While the recorder is off, this has no
 * effect.
 *
 * Thread   any
 * Owns     the name is not copied, and must never be freed
 */
WEIR_API void weir_recorder_mark(const char *name, uint64_t value);

/**
 * Call fn for each recorded event that ended at since_ns or later, thread by
 * thread, the events of each thread in the order in which they ended.  Up to
 * 1024 threads are recorded at a time; a ring of a thread that has ended is
 * continued by a later one.
 *
 * Thread   any; fn is called on it
 * Returns  0, -EINVAL (fn is NULL), -ENOENT (the recorder is off), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_recorder_read(int64_t since_ns,
                                             weir_record_fn *fn, void *arg);

/* Called with the next bytes of a trace.  Returns 0, or an error that ends the
 * writing. */
typedef int weir_trace_fn(void *arg, const void *bytes, size_t size);

/**
 * Write the recorded events that ended at since_ns or later as a trace for
 * Perfetto: a track for each thread, flows from a post to its callback and from
 * a message to its receipt, counters of queues, and requests.  A million events
 * take less than a second.
 *
 * Thread   any; write is called on it
 * Returns  0, -EINVAL (write is NULL), -ENOENT (the recorder is off), -ENOMEM,
 *          or an error of `write`
 */
WEIR_API WEIR_CHECKED int weir_recorder_write(int64_t since_ns,
                                              weir_trace_fn *write, void *arg);

/**
 * Write a trace, as weir_recorder_write does, to a new file.  Only its owner can
 * read the file.
 *
 * Thread   any; blocks while it writes
 * Returns  0, -EINVAL (path is NULL), -ENOENT (the recorder is off), -ENOMEM,
 *          -EEXIST (there is such a file), or another error of open(2) or
 *          write(2); then there is no file
 */
WEIR_API WEIR_CHECKED int weir_recorder_save(const char *path,
                                             int64_t since_ns);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_RECORDER_H */
