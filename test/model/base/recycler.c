/* SPDX-License-Identifier: MIT */
/*
 * recycler -- a block comes back to its producer when all consumers have read
 * its slots, and not before, under every interleaving.
 */
#include "base/recycler.h"

#include "model.h"

struct slot {
    void *arg;
    struct weir__recycler_block *block;
};

static const struct weir__recycler_kind kind = {
    .size = sizeof(struct slot),
    .block_at = offsetof(struct slot, block),
    .kept = 0,
    .most = 4,
};

static struct weir__recycler recycler;
static atomic(struct slot *) mailbox[4];

/* The first block has two slots (WEIR_SMALL). */
static struct slot *fill(void *arg)
{
    struct slot *slot = weir__recycler_take(&recycler);

    model_assert(slot != NULL);
    plain_store(&slot->arg, arg);
    return slot;
}

static void init(void)
{
    weir__recycler_init(&recycler, &kind);
}

static int numbers[8];

/* The third and the fourth may lie where the first two were. */
static void produce_four(void)
{
    for (int i = 0; i < 4; i++)
        store_release(&mailbox[i], fill(&numbers[i]));
}

static void open_from(int i, struct weir__recycler_tally *tally)
{
    struct slot *slot = load_acquire(&mailbox[i]);

    if (slot == NULL)
        return;
    model_assert(plain_load(&slot->arg) == &numbers[i]);
    weir__recycler_count(slot->block, tally);
    store_relaxed(&mailbox[i], NULL); /* once */
}

static void open_even(void)
{
    struct weir__recycler_tally tally = {NULL, 0};

    open_from(0, &tally);
    open_from(2, &tally);
    weir__recycler_settle(&tally);
}

static void open_odd(void)
{
    struct weir__recycler_tally tally = {NULL, 0};

    open_from(1, &tally);
    open_from(3, &tally);
    weir__recycler_settle(&tally);
}

/* What was not opened is, and nothing leaks. */
static void open_rest(void)
{
    struct weir__recycler_tally tally = {NULL, 0};

    for (int i = 0; i < 4; i++)
        open_from(i, &tally);
    weir__recycler_settle(&tally);
    weir__recycler_fini(&recycler);
}

/* A burst is over while the producer goes on. */
static void open_both_and_trim(void)
{
    struct weir__recycler_tally tally = {NULL, 0};

    open_from(0, &tally);
    open_from(1, &tally);
    weir__recycler_settle(&tally);
    open_from(2, &tally);
    open_from(3, &tally);
    weir__recycler_settle(&tally);
    weir__recycler_trim(&recycler);
}

static void trim(void)
{
    weir__recycler_trim(&recycler);
}

/* Gives the block back before it has read it. */
static void open_too_late(void)
{
    struct slot *slot = load_acquire(&mailbox[1]);
    struct weir__recycler_tally tally;

    if (slot == NULL)
        return;
    tally = (struct weir__recycler_tally){slot->block, 1};
    weir__recycler_settle(&tally);
    (void)plain_load(&slot->arg);
    store_relaxed(&mailbox[1], NULL);
}

static void open_first(void)
{
    struct weir__recycler_tally tally = {NULL, 0};

    open_from(0, &tally);
    weir__recycler_settle(&tally);
}

/* One consumer, which needs no tally. */
static void put_and_trim(void)
{
    for (int i = 0; i < 4; i++) {
        struct slot *slot = load_acquire(&mailbox[i]);

        if (slot == NULL)
            return;
        model_assert(plain_load(&slot->arg) == &numbers[i]);
        weir__recycler_put(slot->block);
        store_relaxed(&mailbox[i], NULL);
    }
    weir__recycler_trim(&recycler);
}

static const struct model_case cases[] = {
    {"block_comes_back_when_both_have_read_it", .setup = init,
     .finish = open_rest,
     .threads = {T(produce_four), T(open_even), T(open_odd)}},
    {"trim_takes_what_nobody_has", .setup = init, .finish = open_rest,
     .threads = {T(produce_four), T(open_both_and_trim), T(trim)}},
    {"sole_consumer_needs_no_tally", .setup = init, .finish = open_rest,
     .threads = {T(produce_four), T(put_and_trim)}},
    {"broken_block_settled_before_it_is_read", .setup = init,
     .expect = MODEL_RACE,
     .threads = {T(produce_four), T(open_first), T(open_too_late)}},
};

MODEL_CASES(cases)
