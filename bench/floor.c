/* SPDX-License-Identifier: MIT */
/*
 * floor -- see floor.h.  The orders are the gate's: a floor with weaker ones
 * would be another floor on other processors.
 */
#include "floor.h"
#include "bench.h"

static _Thread_local atomic(uint64_t) own;

BENCH_ALIGNED void floor_empty_up(void)
{
}

BENCH_ALIGNED void floor_empty_down(void)
{
}

BENCH_ALIGNED uint64_t floor_word_up(struct floor_word *word)
{
    return fetch_add_acquire(&word->count, 1);
}

BENCH_ALIGNED uint64_t floor_word_down(struct floor_word *word)
{
    return fetch_sub_release(&word->count, 1);
}

BENCH_ALIGNED void floor_own_up(void)
{
    store_relaxed(&own, load_relaxed(&own) + 1);
}

BENCH_ALIGNED void floor_own_down(void)
{
    store_relaxed(&own, load_relaxed(&own) - 1);
}
