/* SPDX-License-Identifier: MIT */
/*
 * harris -- a sorted list whose nodes are marked before they are unlinked
 * (Harris 2001).  The broken one unlinks without a mark, and loses a node that
 * is inserted behind.
 *
 * correct: nothing found
 * broken: assertion failed
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct node {
    int key;
    atomic_uintptr_t next; /* its lowest bit is the mark */
};

static struct node head = {0, 0}, one = {1, 0}, two = {2, 0}, tail = {9, 0};

static struct node *pointer(uintptr_t next)
{
    return (struct node *)(next & ~(uintptr_t)1);
}

/* False: the list has changed. */
static bool insert(struct node *node)
{
    struct node *before = &head, *at = pointer(atomic_load(&before->next));
    uintptr_t expected;

    while (at->key < node->key) {
        uintptr_t next = atomic_load(&at->next);

        expected = (uintptr_t)at;
        if ((next & 1) == 0)
            before = at;
        else if (!atomic_compare_exchange_strong(&before->next, &expected,
                                                 next & ~(uintptr_t)1))
            return false;
        at = pointer(next);
    }
    expected = (uintptr_t)at;
    atomic_store(&node->next, (uintptr_t)at);
    return atomic_compare_exchange_strong(&before->next, &expected,
                                          (uintptr_t)node);
}

static void *insert_two(void *argument)
{
    while (!insert(&two))
        ;
    return argument;
}

static void *remove_one(void *argument)
{
    uintptr_t next = atomic_load(&one.next), expected = (uintptr_t)&one;

#ifndef BROKEN
    while (!atomic_compare_exchange_strong(&one.next, &next, next | 1))
        ;
#endif
    atomic_compare_exchange_strong(&head.next, &expected, next);
    return argument;
}

int main(void)
{
    pthread_t a, b;
    bool is_there = false;

    atomic_init(&head.next, (uintptr_t)&one);
    atomic_init(&one.next, (uintptr_t)&tail);
    pthread_create(&a, NULL, insert_two, NULL);
    pthread_create(&b, NULL, remove_one, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    for (struct node *at = &head; at != &tail;
         at = pointer(atomic_load(&at->next)))
        is_there |= at == &two;
    assert(is_there);
    return 0;
}
