/* SPDX-License-Identifier: MIT */
/*
 * pick -- what an execution asks the search.
 *
 * The search runs executions, and an execution asks it at each step how to go on.
 * search.c implements this.
 */
#ifndef WEIR_MODEL_PICK_H
#define WEIR_MODEL_PICK_H

#include <stdbool.h>
#include <stdint.h>

/* Which of `count` alternatives; which of the threads in `enabled`, or -1 to give
 * this run up. */
unsigned search_choose(unsigned count);
int search_schedule(uint8_t enabled);

/* Whether runs that are like others may be left out. */
bool search_is_reduced(void);

#endif /* WEIR_MODEL_PICK_H */
