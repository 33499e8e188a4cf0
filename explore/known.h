/* SPDX-License-Identifier: MIT */
/*
 * known -- the states that were explored, by fingerprint.
 *
 * Each state is stored with what was left out there: the threads that were
 * asleep, and how late in the run the state was reached.  When the search
 * reaches the state again, it explores only that.
 */
#ifndef WEIR_MODEL_KNOWN_H
#define WEIR_MODEL_KNOWN_H

#include <stdint.h>

struct known;

struct known *known_new(void);
void known_free(struct known *known);
uint64_t known_count(const struct known *known);

/* Which threads are worth trying in the state, of those that do not sleep; and
 * remembers that they were.  At a second visit these are the threads that
 * slept at the first and do not now: what the others lead to has been seen. */
uint8_t known_visit(struct known *known, uint64_t hash, uint8_t sleep,
                    unsigned depth);

#endif /* WEIR_MODEL_KNOWN_H */
