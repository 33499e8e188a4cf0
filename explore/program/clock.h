/* SPDX-License-Identifier: MIT */
/*
 * clock -- time as the program sees it.
 *
 * Time advances by a millisecond each time a thread reads it, and jumps to the
 * end of a sleep or to a deadline that has expired.  The scheduler chooses when
 * a sleep ends: a thread that sleeps longer may still wake up first.
 */
#ifndef WEIR_EXPLORE_CLOCK_H
#define WEIR_EXPLORE_CLOCK_H

#include <stdint.h>
#include <time.h>

void clock_reset(void);

/* What of the time is part of the state: nothing, before the program has looked
 * at the clock in this execution. */
uint64_t clock_state(void);

/* What operations that use the time are on. */
extern const char the_clock[];

/* A deadline has come. */
void clock_reach(const struct timespec *deadline);

/* Sleeps for so long. */
void clock_sleep(uint64_t ns, uintptr_t pc);

#endif /* WEIR_EXPLORE_CLOCK_H */
