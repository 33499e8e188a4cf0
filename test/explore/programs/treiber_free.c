/* SPDX-License-Identifier: MIT */
/*
 * treiber_free -- Treiber's stack, whose nodes are freed at once when BROKEN.
 *
 * correct: nothing found
 * broken: use after free|data race
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "start.h"

struct node {
    struct node *next;
};

static _Atomic(struct node *) head, retired;

static void push(_Atomic(struct node *) *stack, struct node *node)
{
    struct node *seen = atomic_load(stack);

    do
        node->next = seen;
    while (!atomic_compare_exchange_strong(stack, &seen, node));
}

/* Each node is popped once, and pushed once: there is no ABA. */
static void *pop(void *argument)
{
    struct node *seen = atomic_load(&head);

    while (seen != NULL &&
           !atomic_compare_exchange_strong(&head, &seen, seen->next))
        ;
#ifdef BROKEN /* the other thread may be about to read its next */
    free(seen);
#else
    (void)push;
    return seen; /* freed when nobody is left */
#endif
    return argument;
}

int main(void)
{
    pthread_t thread[2];
    void *node[2] = {NULL, NULL};

    for (int i = 0; i < 2; i++)
        push(&head, malloc(sizeof(struct node)));
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, pop, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], &node[i]);
#ifndef BROKEN
    free(node[0]);
    free(node[1]);
#endif
    (void)retired;
}
