/* SPDX-License-Identifier: MIT */
/*
 * os/fork -- fork.h on pthread_atfork.
 *
 * Shape     A list under a mutex.  The mutex is held while the process forks,
 *           so the child's copy of the list is consistent.  The mutex of the
 *           thread numbers (thread.c) is held as well, because a child may
 *           start its own threads.
 *
 *           Before both, the process acquires all global locks: so no other
 *           thread is inside one of them, the child's copies are free, and what
 *           they protect is consistent.  They are in a list of their own.
 * Roles     enter, leave    any thread
 *           in_child        the only thread of a child, in fork()
 *           weir_global_lock_acquire, weir_global_lock_release   any thread
 *
 * Shared state
 *   first, next, link   under the mutex
 *   generation          written in a child, before it has a second thread
 *   globals, next_      under list_lock
 *   is_known_           any thread; set under list_lock
 *
 * Why no global lock is missed   It is in the list before it is first held, and
 *           a fork holds list_lock: if it came before the lock was added, nobody
 *           holds the lock until the fork is over.
 * Why no deadlock                A thread that holds a global lock acquires no
 *           other one.  It may take the mutex, for example to create a pool, so
 *           the mutex is locked after the global locks.
 *
 * Tested by  test/unit/service/fork.c, test/unit/base/fork.c,
 *            test/net/http/server.c
 */
#include "base/fork.h"

#include <pthread.h>
#include <stddef.h>

#include "base/atomic.h"
#include "base/thread.h"
#include "weir/host/lock.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int once_err; /* const after once */
static struct weir__inherited *first;
static uint32_t generation;
static weir_lock list_lock = WEIR_LOCK_INIT;
static weir_global_lock *globals; /* under list_lock */

/* ---- a fork ---- */

static void hold_globals(void)
{
    weir_lock_acquire(&list_lock);
    for (weir_global_lock *lock = globals; lock != NULL; lock = lock->next_)
        weir_lock_acquire(&lock->lock_);
}

static void release_globals(void)
{
    for (weir_global_lock *lock = globals; lock != NULL; lock = lock->next_)
        weir_lock_release(&lock->lock_);
    weir_lock_release(&list_lock);
}

/* In the child, nobody waits for them. */
static void reset_globals(void)
{
    for (weir_global_lock *lock = globals; lock != NULL; lock = lock->next_)
        set_unshared(&lock->lock_.word_, 0);
    set_unshared(&list_lock.word_, 0);
}

static void before(void)
{
    hold_globals();
    pthread_mutex_lock(&mutex);
    weir__thread_hold_numbers(true);
}

static void unlock(void)
{
    weir__thread_hold_numbers(false);
    pthread_mutex_unlock(&mutex);
}

static void after(void)
{
    unlock();
    release_globals();
}

static void after_in_child(void)
{
    generation++;
    for (struct weir__inherited *object = first; object != NULL;
         object = object->next)
        object->in_child(object);
    unlock();
    reset_globals();
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

/* ---- global locks ---- */

__attribute__((cold)) static void enlist(weir_global_lock *lock)
{
    (void)weir__fork_generation(); /* from now on, forks are known */
    weir_lock_acquire(&list_lock);
    if (!load_relaxed(&lock->is_known_)) { /* relaxed: under list_lock */
        lock->next_ = globals;
        globals = lock;
        store_relaxed(&lock->is_known_, 1); /* relaxed: list_lock orders it */
    }
    weir_lock_release(&list_lock);
}

void weir_global_lock_acquire(weir_global_lock *lock)
{
    /* relaxed: hands over nothing; it is set while no fork is going on */
    if (!load_relaxed(&lock->is_known_))
        enlist(lock);
    weir_lock_acquire(&lock->lock_);
}

void weir_global_lock_release(weir_global_lock *lock)
{
    weir_lock_release(&lock->lock_);
}
