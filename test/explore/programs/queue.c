/* SPDX-License-Identifier: MIT */
/*
 * queue -- The queue of Michael and Scott (1996), without reuse of nodes.
 *
 * correct: nothing found
 * broken: data race
 */
#include <stdatomic.h>

#include "start.h"

#ifdef BROKEN
#define RELEASE memory_order_relaxed
#else
#define RELEASE memory_order_release
#endif
#define ACQUIRE memory_order_acquire

struct node {
    _Atomic(struct node *) next;
    int value;
};

static struct node nodes[3];
static _Atomic(struct node *) head = &nodes[0], tail = &nodes[0];

static void push(struct node *node, int value)
{
    struct node *last, *after;

    node->value = value;
    for (;;) {
        last = atomic_load_explicit(&tail, ACQUIRE);
        after = atomic_load_explicit(&last->next, ACQUIRE);
        if (after != NULL) {
            atomic_compare_exchange_strong_explicit(&tail, &last, after,
                                                    memory_order_release,
                                                    memory_order_relaxed);
            continue;
        }
        if (atomic_compare_exchange_strong_explicit(
                &last->next, &after, node, RELEASE, memory_order_relaxed))
            break;
    }
    atomic_compare_exchange_strong_explicit(
        &tail, &last, node, memory_order_release, memory_order_relaxed);
}

static int pop(void)
{
    for (;;) {
        struct node *first = atomic_load_explicit(&head, ACQUIRE);
        struct node *last = atomic_load_explicit(&tail, ACQUIRE);
        struct node *after = atomic_load_explicit(&first->next, ACQUIRE);

        if (after == NULL)
            return 0;
        if (first == last) {
            atomic_compare_exchange_strong_explicit(&tail, &last, after,
                                                    memory_order_release,
                                                    memory_order_relaxed);
            continue;
        }
        if (atomic_compare_exchange_strong_explicit(&head, &first, after,
                                                    memory_order_release,
                                                    memory_order_relaxed))
            return after->value;
    }
}

static void *producer(void *argument)
{
    push(&nodes[1], 1);
    push(&nodes[2], 2);
    return argument;
}

static void *consumer(void *argument)
{
    int a = pop(), b = pop();

    assert(a == 0 ? b <= 2 : a == 1 ? b == 0 || b == 2 : 0);
    return argument;
}

int main(void)
{
    START(producer, consumer);
}
