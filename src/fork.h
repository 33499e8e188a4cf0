/* SPDX-License-Identifier: MIT */
/*
 * fork -- objects of a process that its children must not use.
 *
 * A child of fork() has a copy of the memory and none of the threads, and shares
 * the kernel's objects with its parent: an epoll instance, an eventfd.  So what
 * has threads or such objects is entered in a list, and the child is told of
 * each before fork() returns there: `in_child` makes it refuse all further calls,
 * at the place where it would refuse them anyway (a closed door).  Who is in the
 * parent pays nothing, and who forks a few nanoseconds for each object.
 *
 * Other ways to make a child (vfork, posix_spawn, _Fork) do not tell it.
 */
#ifndef WEIR_SRC_FORK_H
#define WEIR_SRC_FORK_H

#include <stdint.h>

/* A part of the object. */
struct weir__inherited {
    void (*in_child)(struct weir__inherited *object);
    struct weir__inherited *next, **link; /* under fork.c's mutex */
};

/*
 * Enter an object.  in_child is called in the child, where no other thread is:
 * it must not allocate, nor wait.
 *
 * Thread   any
 * Returns  0, -ENOMEM
 */
int weir__fork_enter(struct weir__inherited *object,
                     void (*in_child)(struct weir__inherited *object));

/* It is about to be freed.  Thread: any. */
void weir__fork_leave(struct weir__inherited *object);

/* How many forks lie between this process and the first; a thread of another
 * number is not here.  Thread: any. */
uint32_t weir__fork_generation(void);

#endif /* WEIR_SRC_FORK_H */
