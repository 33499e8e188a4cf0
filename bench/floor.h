/* SPDX-License-Identifier: MIT */
/*
 * floor -- the bare operations that a gate cannot be quicker than.
 *
 * Here as functions of another file, which the caller cannot inline: as a gate
 * is called, so is its floor.  gate.c measures the same operations inlined,
 * too.
 */
#ifndef WEIR_BENCH_FLOOR_H
#define WEIR_BENCH_FLOOR_H

#include <stdint.h>

#include "base/atomic.h"

struct floor_word {
    _Alignas(CACHE_APART) atomic(uint64_t) count;
};

/* Nothing: what the calls themselves cost. */
void floor_empty_up(void);
void floor_empty_down(void);

/* One word for all threads: lock xadd. */
uint64_t floor_word_up(struct floor_word *word);
uint64_t floor_word_down(struct floor_word *word);

/* One counter for each thread: load, add, store. */
void floor_own_up(void);
void floor_own_down(void);

#endif /* WEIR_BENCH_FLOOR_H */
