/* SPDX-License-Identifier: MIT */
/*
 * tasks -- a FIFO list of tasks, for one thread.
 */
#ifndef WEIR_SRC_TASKS_H
#define WEIR_SRC_TASKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/atomic.h"
#include "weir/task.h"

struct weir__tasks {
    weir_task *head;
    weir_task *tail; /* valid only if head is not NULL */
};

static inline bool weir__tasks_is_empty(const struct weir__tasks *list)
{
    return list->head == NULL;
}

static inline void weir__tasks_push(struct weir__tasks *list, weir_task *task)
{
    plain_store(&task->next_, NULL);
    if (list->head == NULL)
        list->head = task;
    else
        plain_store(&list->tail->next_, task);
    list->tail = task;
}

static inline weir_task *weir__tasks_pop(struct weir__tasks *list)
{
    weir_task *task = list->head;

    if (task != NULL)
        list->head = plain_load(&task->next_);
    return task;
}

/* Move all tasks of `from` to the end of `list`. */
static inline void weir__tasks_move(struct weir__tasks *list,
                                    struct weir__tasks *from)
{
    if (from->head == NULL)
        return;
    if (list->head == NULL)
        list->head = from->head;
    else
        plain_store(&list->tail->next_, from->head);
    list->tail = from->tail;
    from->head = NULL;
}

#endif /* WEIR_SRC_TASKS_H */
