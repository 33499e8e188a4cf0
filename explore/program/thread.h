/* SPDX-License-Identifier: MIT */
/*
 * thread -- the threads of a program: pthread_create and its relatives.
 */
#ifndef WEIR_EXPLORE_THREAD_H
#define WEIR_EXPLORE_THREAD_H

#include <stdint.h>

/* Starts a thread.  Returns its number, 0 if there are too many. */
unsigned thread_create(void *(*run)(void *), void *argument, bool is_detached,
                       uintptr_t pc);

/* 0, EINVAL or EDEADLK; waits. */
int thread_join(unsigned index, void **result, uintptr_t pc);
int thread_detach(unsigned index, uintptr_t pc);

/* Ends the calling thread, after its destructors. */
_Noreturn void thread_exit(void *result);

void thread_reset(void);
uint64_t thread_hash(uint64_t seed);

#endif /* WEIR_EXPLORE_THREAD_H */
