/* SPDX-License-Identifier: MIT */
/*
 * mutex -- pthread_mutex_t, and other locks.
 */
#ifndef WEIR_EXPLORE_MUTEX_H
#define WEIR_EXPLORE_MUTEX_H

#include <stdint.h>

struct actor;

/* For condition variables, in act(): gives the mutex up; false if the thread
 * does not hold it.  Then takes it again, as often as it had it. */
bool mutex_drop(struct actor *actor, const void *mutex, unsigned *count);
void mutex_retake(const void *mutex, unsigned count, uintptr_t pc);

#endif /* WEIR_EXPLORE_MUTEX_H */
