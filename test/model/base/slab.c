/* SPDX-License-Identifier: MIT */
/*
 * slab -- another thread may look at any slot while the owner makes more; and
 * use the chunks that more slots of timers bring.
 */
#include "base/slab.h"

#include "loop/entries.h"

#include "model.h"

struct slot {
    atomic(uint64_t) word;
    uint64_t rest[2];
};

static struct weir__slab slab;

static void init(void)
{
    static const struct weir__slab_kind kind = {.size = {sizeof(struct slot)}};

    weir__slab_init(&slab, &kind);
}

/* Four slots: two blocks of two, and one. */
static void take_some(void)
{
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t index;

        if (weir__slab_take(&slab, &index) != 0)
            return;
        model_assert(index == i);
        store_relaxed(
            &((struct slot *)weir__slab_at(&slab, index, sizeof(struct slot)))
                 ->word,
            index + 10);
    }
}

/* What is there is zero, or what the owner wrote: never garbage. */
static void look_around(void)
{
    for (uint32_t i = 0; i < 4; i++) {
        struct slot *slot = weir__slab_at(&slab, 3 - i, sizeof(struct slot));

        if (slot != NULL) {
            uint64_t word = load_relaxed(&slot->word);

            model_assert(word == 0 || word == 3 - i + 10);
        }
    }
}

static void give_back(void)
{
    weir__slab_fini(&slab);
}

/* ---- timers: slots are made by any thread, under a lock; chunks are used by the
 * loop's ---- */

static struct weir__entries entries;

static void init_timers(void)
{
    uint32_t index;

    weir__timer_slots_init(&slab);
    weir__entries_init(&entries, &slab);
    model_assert(weir__slab_take(&slab, &index) == 0); /* the first block */
}

static void take_the_rest(void)
{
    uint32_t index;

    for (uint32_t i = 1; i <= WEIR__SLAB_GROUP; i++)
        model_assert(weir__slab_take(&slab, &index) == 0);
}

/* As many chunks as there is room for; each is written. */
static void use_all_room(void)
{
    uint64_t room = weir__entries_room(&entries);
    weir__list list = NULL;

    for (uint64_t i = 0; i < room; i++)
        weir__entries_add_chunk(&entries, &list);
}

static const struct model_case cases[] = {
    {"looking_while_the_slab_grows", .setup = init, .finish = give_back,
     .failing_allocs = 1, .threads = {T(take_some), T(look_around)}},
    {"chunks_are_used_while_the_slab_grows", .setup = init_timers,
     .finish = give_back, .threads = {T(take_the_rest), T(use_all_room)}},
};

MODEL_CASES(cases)
