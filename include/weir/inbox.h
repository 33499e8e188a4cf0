/* SPDX-License-Identifier: MIT */
/*
 * weir/inbox.h -- results for a loop, the most urgent first.
 *
 * Workers hand a loop what they have found, each with a priority.  The loop
 * takes the highest first, and those of one priority in the order in which they
 * came.  Whoever posts chooses the priority: nothing is sorted on the loop.
 *
 *     weir_inbox *inbox;
 *     if (weir_inbox_new(&inbox, loop) != 0) ...
 *     ... a worker:
 *     answer->item = (weir_item){.run = show, .priority = WEIR_PRIORITY_HIGH};
 *     weir_inbox_post(inbox, &answer->item);
 *
 * Each item is a callback of its own: microtasks run after it, and weir_raise
 * leaves it alone.  In one turn WEIR_INBOX_TURN of them run at the most; then
 * timers and descriptors are served, and what has come meanwhile is looked at:
 * so an urgent one waits for so many others, however long the queue is.
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

/* Items that one turn of the loop runs, at the most. */
#define WEIR_INBOX_TURN 64

/* A result, embedded in the caller's own struct.  Set run and priority, post
 * it, and leave it alone until run() is entered; then it may be posted again or
 * freed.  status is 0, or WEIR_ECANCELED: the loop was closed before its turn. */
struct weir_item {
    void (*run)(weir_item *item, int status);
    weir_priority priority;
    weir_task task_; /* private: weir's while posted */
    weir_inbox *inbox_;
};

/**
 * Make an inbox.
 *
 * Thread   any
 * Owns     *inbox is the caller's until weir_inbox_free; the loop outlives it
 * Returns  0, -EINVAL (NULL), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_inbox_new(weir_inbox **inbox, weir_loop *loop);

/**
 * Give it back.  NULL is nothing.
 *
 * Thread   any; no other call may be going on, or begin, and all items that
 *          were posted have been called
 */
WEIR_API void weir_inbox_free(weir_inbox *inbox);

/**
 * Post an item.  It is called once, on the loop's thread.
 *
 * Thread   any
 * Owns     the caller keeps the item; weir borrows it until run() is entered
 * Returns  0, WEIR_ECLOSED (the loop no longer admits work), -EINVAL (NULL, no
 *          run, or a priority that there is not)
 * Orders   everything before the call happens-before run()
 */
WEIR_API WEIR_CHECKED int weir_inbox_post(weir_inbox *inbox, weir_item *item);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_INBOX_H */
