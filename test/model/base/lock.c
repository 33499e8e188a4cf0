/* SPDX-License-Identifier: MIT */
/*
 * lock -- one at a time, nobody sleeps for ever, and the last one frees it.
 */
#include "base/lock.h"

#include "base/memory.h"
#include "model.h"

static struct weir__lock lock;
static int protected; /* under lock */

static void init(void)
{
    weir__lock_init(&lock);
    model_show(&lock.word, "lock", NULL);
}

static void add_one(void)
{
    weir__lock_lock(&lock);
    plain_store(&protected, plain_load(&protected) + 1);
    weir__lock_unlock(&lock);
}

static void add_two(void)
{
    add_one();
    add_one();
}

static void three_were_added(void)
{
    model_assert(protected == 3);
}

/* A block that counts its references under its own lock. */
static struct block {
    weir_lock lock;
    unsigned references;
} * block;

static void make_block(void)
{
    block = weir__memory_alloc(sizeof(*block), _Alignof(struct block));
    *block = (struct block){WEIR_LOCK_INIT, 3};
    model_show(&block->lock, "lock", NULL);
}

static void drop_block(void)
{
    struct block *mine = block;
    unsigned left;

    weir_lock_acquire(&mine->lock);
    left = plain_load(&mine->references) - 1;
    plain_store(&mine->references, left);
    weir_lock_release(&mine->lock);
    if (left == 0)
        weir__memory_free(mine, sizeof(*mine));
}

/* Wrong: the count may be another's by now, and the block gone. */
static void drop_block_and_look(void)
{
    struct block *mine = block;

    weir_lock_acquire(&mine->lock);
    plain_store(&mine->references, plain_load(&mine->references) - 1);
    weir_lock_release(&mine->lock);
    if (plain_load(&mine->references) == 0)
        weir__memory_free(mine, sizeof(*mine));
}

static const struct model_case cases[] = {
    {"three_threads_add_one_at_a_time", .setup = init, .spurious = 1,
     .finish = three_were_added,
     .threads = {T(add_one), T(add_one), T(add_one)}},
    {"lock_again_after_unlock_lets_others_in", .setup = init,
     .finish = three_were_added, .threads = {T(add_one), T(add_two)}},
    {"lock_is_freed_by_the_last_one_that_needs_it", .setup = make_block,
     .threads = {T(drop_block), T(drop_block), T(drop_block)}},
    {"lock_does_not_protect_a_look_after_its_release", .setup = make_block,
     .expect = MODEL_USE_AFTER_FREE,
     .threads = {T(drop_block_and_look), T(drop_block_and_look),
                 T(drop_block)}},
};

MODEL_CASES(cases)
