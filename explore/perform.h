/* SPDX-License-Identifier: MIT */
/*
 * perform -- what one operation does, and which of the things it may do.
 *
 * A load that reads an old message could as well have been made earlier: it
 * changes nothing for the others.  So where every run is searched, a load that
 * others have written before since its thread came to it reads only what was
 * written last; the older values belong to the runs in which it was scheduled
 * in time.  The same holds for a CAS that fails.  (Not for seq_cst, where a
 * load has its place in the one order.)
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
