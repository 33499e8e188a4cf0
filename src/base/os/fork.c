/* SPDX-License-Identifier: MIT */
/*
 * os/fork -- fork.h on pthread_atfork.
 *
 * Shape     A list under a mutex.  The mutex is held while the process forks,
 *           so the child's copy of the list is consistent.  The mutex of the
 *           thread numbers (thread.c) is held as well, because a child may
 *           start its own threads.
 * Roles     enter, leave    any thread
 *           in_child        the only thread of a child, in fork()
 *
 * Shared state
 *   first, next, link   under the mutex
 *   generation          written in a child, before it has a second thread
 *
 * Tested by  test/unit/service/fork.c
 */
#include "base/fork.h"

#include <pthread.h>
#include <stddef.h>

#include "base/thread.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int once_err; /* const after once */
static struct weir__inherited *first;
static uint32_t generation;

static void before(void)
{
    pthread_mutex_lock(&mutex);
    weir__thread_hold_numbers(true);
}

static void after(void)
{
    weir__thread_hold_numbers(false);
    pthread_mutex_unlock(&mutex);
}

static void after_in_child(void)
{
    generation++;
    for (struct weir__inherited *object = first; object != NULL;
         object = object->next)
        object->in_child(object);
    after();
}

static void install(void)
{
    once_err = -pthread_atfork(before, after, after_in_child);
}

/* Under the mutex. */
static void add(struct weir__inherited *object,
                void (*in_child)(struct weir__inherited *object))
{
    object->in_child = in_child;
    object->next = first;
    object->link = &first;
    if (first != NULL)
        first->link = &object->next;
    first = object;
}

int weir__fork_enter(struct weir__inherited *object,
                     void (*in_child)(struct weir__inherited *object))
{
    pthread_once(&once, install);
    if (once_err != 0)
        return once_err;
    pthread_mutex_lock(&mutex);
    add(object, in_child);
    pthread_mutex_unlock(&mutex);
    return 0;
}

int weir__fork_enter_once(struct weir__inherited *object,
                          void (*in_child)(struct weir__inherited *object))
{
    pthread_once(&once, install);
    if (once_err != 0)
        return once_err;
    pthread_mutex_lock(&mutex);
    if (object->link == NULL)
        add(object, in_child);
    pthread_mutex_unlock(&mutex);
    return 0;
}

void weir__fork_leave(struct weir__inherited *object)
{
    pthread_mutex_lock(&mutex);
    *object->link = object->next;
    if (object->next != NULL)
        object->next->link = object->link;
    pthread_mutex_unlock(&mutex);
}

/* Forks are counted from the first call on, so a caller that has recorded a
 * generation sees every later fork. */
uint32_t weir__fork_generation(void)
{
    pthread_once(&once, install);
    return generation;
}
