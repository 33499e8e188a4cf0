/* SPDX-License-Identifier: MIT */
/*
 * weir/inbox.h -- deliver results to a loop, most urgent first.
 *
 * Worker threads hand their results to a loop, each with a priority.  The loop
 * takes the highest priority first, and takes results of the same priority in
 * the order in which they arrived.  The posting thread chooses the priority, so
 * the loop sorts nothing.
 *
 *     weir_inbox *inbox;
 *     if (weir_inbox_new(&inbox, loop) != 0) ...
 *     ... a worker:
 *     answer->item = (weir_item){.run = show, .priority = WEIR_PRIORITY_HIGH};
 *     weir_inbox_post(inbox, &answer->item);
 *
 * Each item is a separate callback: microtasks run after it, and weir_raise
 * leaves that item only.  One turn of the loop runs at most WEIR_INBOX_TURN
 * items.  Then the loop serves timers and descriptors and checks for new items.
 * An urgent item therefore waits for at most that many others, however long the
 * queue is.
 */
#ifndef WEIR_INBOX_H
#define WEIR_INBOX_H

#include "weir/error.h"
#include "weir/export.h"
#include "weir/job.h"
#include "weir/loop.h"
#include "weir/task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_inbox weir_inbox;
typedef struct weir_item weir_item;

/* The maximum number of items that one turn of the loop runs. */
#define WEIR_INBOX_TURN 64

/* A result, embedded in the caller's own struct.  Set run and priority, then
 * post it.  Do not touch it until run() is entered; from then on it may be
 * posted again or freed.  status is 0, or WEIR_ECANCELED if the loop was closed
 * before the item's turn. */
struct weir_item {
    void (*run)(weir_item *item, int status);
    weir_priority priority;
    weir_task task_; /* private: weir's while the item is posted */
    weir_inbox *inbox_;
};

/**
 * Create an inbox for a loop.
 *
 * Thread   any
 * Owns     *inbox is the caller's until weir_inbox_free; the loop must outlive
 *          it
 * Returns  0, -EINVAL (NULL), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_inbox_new(weir_inbox **inbox, weir_loop *loop);

/**
 * Free an inbox.  Passing NULL has no effect.
 *
 * Thread   any; no other call may be in progress or begin, and all posted items
 *          must have been called
 */
WEIR_API void weir_inbox_free(weir_inbox *inbox);

/**
 * Post an item to an inbox.  The item is called once, on the loop's thread.
 *
 * Thread   any
 * Owns     the caller keeps the item; weir borrows it until run() is entered
 * Returns  0, WEIR_ECLOSED (the loop no longer admits work), -EINVAL (NULL, no
 *          run, or an unknown priority)
 * Orders   everything before the call happens-before run()
 */
WEIR_API WEIR_CHECKED int weir_inbox_post(weir_inbox *inbox, weir_item *item);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_INBOX_H */
