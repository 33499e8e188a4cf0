/* SPDX-License-Identifier: MIT */
/*
 * perform -- what an operation may do, and doing it.
 *
 * A load that reads an old message could just as well have been made earlier,
 * because it changes nothing for other threads.  So an exhaustive search lets a
 * load read only the message written last if the location was written while
 * the load was pending.  Older values are covered by the runs in
 * which the load comes before that write.  The same holds for a CAS that fails,
 * but not for seq_cst, because such a load has a place in the total order.
 */
#ifndef WEIR_MODEL_PERFORM_H
#define WEIR_MODEL_PERFORM_H

#include "execution.h"

/* Performs actor->op, and notes in it what came of it. */
void perform(struct actor *actor);

/* Ends the actor's sleep, by its deadline or for no reason. */
void perform_expire(struct actor *actor);

/* Whether the word was written while the actor was about to read it. */
bool perform_is_late(const struct actor *actor, int order);

#endif /* WEIR_MODEL_PERFORM_H */
