/* SPDX-License-Identifier: MIT */
/*
 * weir/task.h -- tasks and callbacks, the units of work of a loop.
 *
 *     struct message {
 *         weir_task task;
 *         char text[80];
 *     };
 *
 *     static void deliver(weir_task *task, int status)
 *     {
 *         struct message *message = (struct message *)task;
 *         ...
 *         free(message);
 *     }
 *
 *     message->task = (weir_task){.run = deliver, .name = "deliver"};
 *     weir_loop_post(loop, &message->task);
 */
#ifndef WEIR_TASK_H
#define WEIR_TASK_H

#include <stdint.h>

#include "weir/export.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_task weir_task;

/* A callback.  status is 0, or WEIR_ECANCELED if the loop or the pool was
 * closed before the callback's turn; in that case the callback must only clean
 * up. */
typedef void weir_fn(void *arg, int status);

/* A callback that is not cancelled. */
typedef void weir_call_fn(void *arg);

/* A unit of work, embedded in the caller's own struct.  Set run (and name, or
 * leave it NULL), post the task, and do not touch it until run() is entered.
 * From then on it may be posted again or freed.  It needs the alignment of a
 * struct with a pointer.
 *
 * Posting a task that is already posted corrupts the queue.  Debug builds of
 * weir abort at the second post, unless thousands of tasks are queued at that
 * moment. */
struct weir_task {
    void (*run)(weir_task *task, int status);
    const char *name; /* for reports and metrics; not copied */
    weir_task *next_; /* private: used by weir while posted */
};

/* The kind of a callback, or of what holds a loop or a pool. */
typedef enum weir_kind {
    WEIR_KIND_TASK = 0,
    WEIR_KIND_TICK,
    WEIR_KIND_MICROTASK,
    WEIR_KIND_TIMER,
    WEIR_KIND_FD,
    WEIR_KIND_IMMEDIATE,
    WEIR_KIND_CLOSE,
    WEIR_KIND_REF,
    WEIR_KIND_JOB,
    WEIR_KIND_REQUEST, /* inside a service's gate */
    WEIR_KIND_HOOK,    /* of a service */
    WEIR_KIND_OTHER,   /* everything that a report had no room for */
    WEIR_KIND_MAIN,    /* a program that a host of a language evaluates */
} weir_kind;

/**
 * Get the name of a kind, such as "task" or "timer".  The name of a value that
 * is not a kind is "unknown".
 *
 * Thread   any
 * Returns  a static string, never NULL
 */
WEIR_API const char *weir_kind_name(weir_kind kind);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_TASK_H */
