/* SPDX-License-Identifier: MIT */
/*
 * semaphore -- A bounded buffer with semaphores; one is forgotten.
 *
 * correct: nothing found
 * broken: data race
 */
#include <semaphore.h>

#include "start.h"

enum { ITEMS = 3 };
static sem_t room, items;
static int slot;

static void *producer(void *argument)
{
    for (int i = 1; i <= ITEMS; i++) {
#ifndef BROKEN
        sem_wait(&room);
#endif
        slot = i;
        sem_post(&items);
    }
    return argument;
}

static void *consumer(void *argument)
{
    for (int i = 1; i <= ITEMS; i++) {
        sem_wait(&items);
        assert(slot == i);
        sem_post(&room);
    }
    return argument;
}

int main(void)
{
    sem_init(&room, 0, 1);
    sem_init(&items, 0, 0);
    START(producer, consumer);
    sem_destroy(&room);
    sem_destroy(&items);
}
