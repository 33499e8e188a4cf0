/* SPDX-License-Identifier: MIT */
/*
 * shards -- a counter split over threads, until it is folded into one sum.
 *
 * While a shard is OPEN, its thread adds to it with plain loads and stores.
 * weir__shards_fold() seals all shards and returns their sum.  From then on an
 * add is refused, and the caller counts elsewhere.  An add that races with the
 * fold is either in the sum or refused, never both and never neither.
 *
 *     owner of the shard                 the one folder
 *     if (!weir__shards_add(s, +1))      total = weir__shards_fold(s);
 *         count elsewhere;
 *
 * shards.c explains how.  The fast path is here so that it can be inlined.
 */
#ifndef WEIR_SRC_SHARDS_H
#define WEIR_SRC_SHARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/atomic.h"
#include "base/thread.h"

enum { WEIR__SHARDS = WEIR__THREAD_SLOTS };

struct weir__shard {
    /* the owner writes, the folder reads, shards/P2 */
    _Alignas(CACHE_APART) atomic(uint64_t) count;
    atomic(uint64_t) seal; /* owner, starter, folder, shards/P1, P3, P4 */
};

struct weir__shards {
    struct weir__shard shard[WEIR__SHARDS + 1]; /* the last: unowned, SHUT */
    uint64_t generation;       /* const while in use; shards/P5 */
    struct weir__shards *next; /* while unused; shards/P5 */
};

/* The seal holds the shard's state in its low two bits, above them the
 * generation of the block, and in the upper half the count with which it was
 * SEALED.  OPEN is 0, which is the cheapest value to test for. */
enum { OPEN = 0, SHUT = 1, SEALING = 2, SEALED = 3, SEAL_STATE = 3 };

/* A block of SHUT shards; NULL if out of memory.  Thread: any. */
struct weir__shards *weir__shards_new(void);

/* Recycle the block.  This is safe while another thread is still returning from
 * open, or from an add that was counted.  Thread: any. */
void weir__shards_free(struct weir__shards *shards);

/* Open the shards that are not sealed yet.  Thread: one. */
void weir__shards_open(struct weir__shards *shards, uint64_t generation);

/* Seal all shards and return the sum modulo 2^32.  Thread: one, once. */
uint32_t weir__shards_fold(struct weir__shards *shards);

/* A snapshot of the sum, while other threads may add.  Thread: any. */
uint32_t weir__shards_sum(const struct weir__shards *shards);

/* Add to the calling thread's shard.  Fails without effect if the thread has no
 * shard or it is not open.  Wait-free. */
bool weir__shards_add(struct weir__shards *shards, int delta);

/* Settle an add that met a fold: whether `count` is in the sum. */
__attribute__((cold)) bool weir__shard_settle(struct weir__shard *shard,
                                              uint64_t opened, uint64_t count);

/* An add that does not know whether it was counted. */
struct weir__unsettled {
    struct weir__shard *shard; /* NULL: nothing was added */
    uint64_t opened, count;
};

/*
 * The fast path of add; true if the add was counted.  Otherwise `rest` says
 * what remains to be done: settle the add, or call weir__shards_add(), because
 * the thread may not even have a slot yet.  It calls nothing, so its caller
 * needs no stack frame.
 *
 * Once the last entry is counted as gone, the gate may be freed and the block
 * may belong to another gate.  So the load of the seal that follows the store
 * is the last access, and the memory that it reads is never unmapped.
 */
static inline bool weir__shards_add_quick(struct weir__shards *shards,
                                          int delta,
                                          struct weir__unsettled *rest)
{
    struct weir__shard *shard =
        (struct weir__shard *)((char *)shards->shard + weir__thread_slot());
    /* shards/P1 acquire: receives what came before the start */
    uint64_t opened = load_acquire(&shard->seal);
    uint64_t count;

    if (__builtin_expect((opened & SEAL_STATE) != OPEN, 0)) {
        *rest = (struct weir__unsettled){.shard = NULL};
        return false;
    }
    /* relaxed: own, only this thread writes it */
    count = load_relaxed(&shard->count) + (uint64_t)(int64_t)delta;
    /* shards/P2 release: publishes what the work did */
    store_release(&shard->count, count);
    /* shards/P3 light: either fold() reads this count, or we see its seal */
    fence_light();
    *rest = (struct weir__unsettled){shard, opened, count};
    /* relaxed: ordered by P3 */
    return __builtin_expect(load_relaxed(&shard->seal) == opened, 1);
}

#endif /* WEIR_SRC_SHARDS_H */
