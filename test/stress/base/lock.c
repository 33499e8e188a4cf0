/* SPDX-License-Identifier: MIT */
/*
 * lock -- counted blocks under their own locks, as a host shares them: each is
 * freed once, by whichever thread is the last.
 */
#include <stdlib.h>

#include "support/crew.h"
#include "support/effort.h"
#include "support/suite.h"
#include "weir/host/lock.h"

enum { THREADS = 4, BLOCKS = 64 };

struct block {
    weir_lock lock;
    unsigned references; /* under lock; plain, so that the sanitizer sees it */
    unsigned uses;       /* the same */
};

struct round {
    struct effort effort;
    bool goes_on; /* one member's, between two meetings */
    struct block *blocks[BLOCKS];
    weir_lock lock;
    unsigned freed, uses; /* under lock */
};

static void fill(struct round *round)
{
    for (unsigned i = 0; i < BLOCKS; i++) {
        round->blocks[i] = malloc(sizeof(**round->blocks));
        *round->blocks[i] = (struct block){WEIR_LOCK_INIT, THREADS, 0};
    }
    round->freed = round->uses = 0;
}

/* Use the block, and drop a reference to it. */
static void drop(struct round *round, struct block *block)
{
    unsigned left, uses;

    weir_lock_acquire(&block->lock);
    uses = ++block->uses;
    left = --block->references;
    weir_lock_release(&block->lock);
    if (left > 0)
        return;
    free(block);
    weir_lock_acquire(&round->lock);
    round->freed++;
    round->uses += uses;
    weir_lock_release(&round->lock);
}

static void share(struct crew *crew, unsigned id)
{
    struct round *round = crew->context;

    for (;;) {
        if (id == 0) {
            round->goes_on = effort_goes_on(&round->effort);
            fill(round);
        }
        crew_meet(crew);
        for (unsigned i = 0; i < BLOCKS; i++) /* different ways round */
            drop(round, round->blocks[id % 2 == 0 ? i : BLOCKS - 1 - i]);
        crew_meet(crew);
        expect_int(round->freed, BLOCKS);
        expect_int(round->uses, BLOCKS * THREADS);
        if (!round->goes_on)
            return;
        crew_meet(crew);
    }
}

STRESS_CASE(lock_in_a_counted_block_is_freed_once_by_the_last_thread)
{
    struct round round = {.effort = effort_begin(2)};

    crew_run(THREADS, share, &round);
}
