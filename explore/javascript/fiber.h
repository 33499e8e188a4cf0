/* SPDX-License-Identifier: MIT */
/*
 * fiber -- a thread of the program, without one of the system.
 *
 * All fibers run on one thread of the system, so that a fork() copies all of
 * them: that makes an execution a process that can be continued from any of its
 * states (checkpoint.h).  But the host, libc and the engine must believe that
 * each is a thread: they have _Thread_local variables, ask for the end of their
 * stack, and compare pthread_self().  So each fiber has the stack and the thread
 * pointer of a real thread, which was started for that and never wakes up.
 * After a fork() the sleeping thread is gone, and its memory is still there.
 *
 * x86-64 with glibc only.
 */
#ifndef WEIR_EXPLORE_FIBER_H
#define WEIR_EXPLORE_FIBER_H

#include <pthread.h>
#include <stdint.h>

struct fiber {
    void *stack;      /* where it was left */
    uintptr_t thread; /* the thread pointer */
};

/* The caller becomes one. */
void fiber_adopt(struct fiber *fiber);

/* The next switch to it calls run(arg), which must not return.  Returns 0, or
 * an error of pthread_create(). */
int fiber_new(struct fiber *fiber, pthread_t *handle,
              const pthread_attr_t *attributes, void (*run)(void *arg),
              void *arg);

/* The same for a fiber that shares the caller's thread pointer, on a stack that
 * ends there. */
void fiber_borrow(struct fiber *fiber, void *end, void (*run)(void *arg),
                  void *arg);

/* Goes on with another one; returns when somebody switches back. */
void fiber_switch(struct fiber *from, const struct fiber *to);

#endif /* WEIR_EXPLORE_FIBER_H */
