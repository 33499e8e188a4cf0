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
 *
 * A thread records into its own ring of 32 bytes per event, without waiting for
 * any other thread.  Readers copy the rings while threads keep recording.  They
 * get every event whole, in the order of its thread, and skip those that have
 * been overwritten.
 *
 * A loop records its callbacks, and the times when it slept.  While callbacks
 * are short, it measures one about every 2 us, and the others appear together,
 * as a WEIR_RECORD_CROWD.  A pool's workers record their jobs and steals.  A
 * thread takes part from the next time that it starts to run a loop, or as a
 * worker.
 *
 * Names are stored by address.  With the recorder on, they must never be freed.
 */
#ifndef WEIR_RECORDER_H
#define WEIR_RECORDER_H

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
                               that it ran from the queues */
    WEIR_RECORD_CROWD,      /* callbacks that were not measured; value: how
                               many */
    WEIR_RECORD_SLEEP, /* of a loop; count is 1 if another thread woke it */
    WEIR_RECORD_JOB,   /* of a pool; value: the address of the job */
    WEIR_RECORD_STEAL, /* of a worker; value: the number of jobs */
    WEIR_RECORD_MARK,  /* weir_recorder_mark */
} weir_record_type;

/* Later versions may append members. */
typedef struct weir_record {
    weir_record_type type;
    weir_kind kind;      /* of a callback or a job; otherwise OTHER */
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

#ifdef __cplusplus
}
#endif
#endif /* WEIR_RECORDER_H */
