/* SPDX-License-Identifier: MIT */
/*
 * queue -- what users of other loops write to hand work to them.
 *
 * An intrusive list behind a mutex; the loop takes all of it at once.  Who
 * finds it empty wakes the loop (queue_push says so); the common idiom wakes
 * it each time.  A header, so that the compiler does what it likes with it, as
 * in a user's own file.
 */
#ifndef WEIR_BENCH_QUEUE_H
#define WEIR_BENCH_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/atomic.h"

struct node {
    struct node *next;
    void (*run)(struct node *node);
};

static struct {
    _Alignas(CACHE_APART) pthread_mutex_t mutex;
    struct node *first, **end;
} queue = {.mutex = PTHREAD_MUTEX_INITIALIZER, .end = &queue.first};

/* Whether it was empty. */
static inline bool queue_push(struct node *node)
{
    bool was_empty;

    node->next = NULL;
    pthread_mutex_lock(&queue.mutex);
    was_empty = queue.first == NULL;
    *queue.end = node;
    queue.end = &node->next;
    pthread_mutex_unlock(&queue.mutex);
    return was_empty;
}

/* What a loop does when it is woken. */
static inline void queue_run(void *arg)
{
    struct node *node, *next;

    pthread_mutex_lock(&queue.mutex);
    node = queue.first;
    queue.first = NULL;
    queue.end = &queue.first;
    pthread_mutex_unlock(&queue.mutex);
    for (; node != NULL; node = next) {
        next = node->next; /* it may be gone afterwards */
        node->run(node);
    }
}

#endif /* WEIR_BENCH_QUEUE_H */
