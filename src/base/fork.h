/* SPDX-License-Identifier: MIT */
/*
 * fork -- objects of a process that its forked children must not use.
 *
 * A child of fork() has a copy of the memory but none of the threads, and
 * shares kernel objects such as epoll instances and eventfds with its parent.
 * Objects that have threads or kernel objects are therefore registered in a
 * list.  Before fork() returns in the child, `in_child` is called for each of
 * them: it makes the object refuse all further calls, at the check that refuses
 * calls to a closed object anyway.  This costs the parent nothing in normal
 * operation, and a fork a few nanoseconds for each object.
 *
 * Other ways to create a child (vfork, posix_spawn, _Fork) do not run
 * `in_child`.
 */
#ifndef WEIR_SRC_FORK_H
#define WEIR_SRC_FORK_H

#include <stdint.h>

/* Embedded in each registered object. */
struct weir__inherited {
    void (*in_child)(struct weir__inherited *object);
    struct weir__inherited *next, **link; /* under fork.c's mutex */
};

/*
 * Register an object.  in_child is called in the child, which has no other
 * thread: it must not allocate or wait.
 *
 * Thread   any
 * Returns  0, -ENOMEM
 */
int weir__fork_enter(struct weir__inherited *object,
                     void (*in_child)(struct weir__inherited *object));

/* The same for an object that is never freed, and that several threads may
 * register: only the first call registers it, and when any call has returned, it
 * is registered.  It must be all zero before. */
int weir__fork_enter_once(struct weir__inherited *object,
                          void (*in_child)(struct weir__inherited *object));

/* Unregister an object that is about to be freed.  Thread: any. */
void weir__fork_leave(struct weir__inherited *object);

/* Return how many forks lie between this process and the first one.  A thread
 * recorded under another generation does not exist in this process.  Thread:
 * any. */
uint32_t weir__fork_generation(void);

#endif /* WEIR_SRC_FORK_H */
