/* SPDX-License-Identifier: MIT */
/*
 * inbox -- results for a loop, by priority.
 *
 * Shape     An item is posted to the loop as a task, so only the loop's ingress
 *           queue decides whether it is accepted.  When the task runs, it adds
 *           the item to the list of its priority and queues an immediate that
 *           takes the item of the highest priority.  There is one immediate per
 *           item, up to WEIR_INBOX_TURN; after that, each that runs queues the
 *           next.  Immediates queued by immediates run in the next turn, which
 *           first looks at the ingress queue.  If an immediate cannot be
 *           queued, because there is no memory or the loop was closed, a single
 *           task (the kick), put directly into the loop's list, takes its
 *           place.  So each item is a separate callback in every case, and one
 *           that raises does not keep others from being called.
 * Roles     post              any thread
 *           everything else   the loop's thread
 *
 * Shared state
 *   only the item, which passes through the ingress queue: ingress/P1
 *
 * Tested by  test/unit/sync/inbox.c, test/stress/sync/inbox.c
 */
#include "weir/inbox.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/tasks.h"
#include "loop/loop.h"

struct weir_inbox {
    weir_loop *loop; /* const; the rest: loop's thread */
    struct weir__tasks waiting[WEIR_PRIORITIES];
    uint64_t count; /* items in the lists */
    uint32_t due;   /* pending callbacks that take one item each */
    bool is_kicked; /* the kick is pending */
    weir_task kick;
};

static const weir_priority order[] = {WEIR_PRIORITY_HIGH, WEIR_PRIORITY_NORMAL,
                                      WEIR_PRIORITY_LOW};

static weir_item *item_of(weir_task *task)
{
    return (weir_item *)((char *)task - offsetof(weir_item, task_));
}

static weir_item *take_highest(weir_inbox *inbox)
{
    for (unsigned i = 0; i < WEIR_PRIORITIES; i++) {
        weir_task *task = weir__tasks_pop(&inbox->waiting[order[i]]);

        if (task != NULL) {
            inbox->count--;
            return item_of(task);
        }
    }
    return NULL;
}

static void take_one(void *arg, int status);

/* Make sure that a callback is pending for the items in the lists. */
static void plan(weir_inbox *inbox)
{
    if (inbox->due >= WEIR_INBOX_TURN || inbox->due >= inbox->count)
        return;
    if (weir_loop_immediate(inbox->loop, take_one, inbox) != 0) {
        if (inbox->is_kicked)
            return; /* the kick calls this again */
        inbox->is_kicked = true;
        weir__loop_put(inbox->loop, &inbox->kick);
    }
    inbox->due++;
}

/* Take one item and run it.  The next callback is planned first, because the
 * item may raise, and the inbox may be freed with the last item. */
static void take(weir_inbox *inbox, int status)
{
    weir_item *item = take_highest(inbox);

    inbox->due--;
    plan(inbox);
    item->run(item, status);
}

static void take_one(void *arg, int status)
{
    take(arg, status);
}

static void on_kick(weir_task *task, int status)
{
    weir_inbox *inbox =
        (weir_inbox *)((char *)task - offsetof(weir_inbox, kick));

    inbox->is_kicked = false;
    take(inbox, status);
}

static void arrive(weir_task *task, int status)
{
    weir_item *item = item_of(task);
    weir_inbox *inbox = item->inbox_;

    if (status != 0) {
        item->run(item, status);
        return;
    }
    weir__tasks_push(&inbox->waiting[item->priority], task);
    inbox->count++;
    plan(inbox);
}

int weir_inbox_new(weir_inbox **made, weir_loop *loop)
{
    weir_inbox *inbox;

    if (made == NULL || loop == NULL)
        return -EINVAL;
    inbox = weir__memory_alloc(sizeof(*inbox), _Alignof(weir_inbox));
    if (inbox == NULL)
        return -ENOMEM;
    *inbox = (weir_inbox){.loop = loop, .kick = {.run = on_kick}};
    *made = inbox;
    return 0;
}

void weir_inbox_free(weir_inbox *inbox)
{
    weir__memory_free(inbox, sizeof(*inbox));
}

int weir_inbox_post(weir_inbox *inbox, weir_item *item)
{
    if (inbox == NULL || item == NULL || item->run == NULL ||
        (unsigned)item->priority >= WEIR_PRIORITIES)
        return -EINVAL;
    item->inbox_ = inbox;
    item->task_ = (weir_task){.run = arrive};
    return weir_loop_post(inbox->loop, &item->task_);
}
