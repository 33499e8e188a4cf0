/* SPDX-License-Identifier: MIT */
/*
 * slab -- another thread may look at any slot while the owner makes more.
 */
#include "slab.h"

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

static const struct model_case cases[] = {
    {"looking_while_the_slab_grows", .setup = init, .finish = give_back,
     .failing_allocs = 1, .threads = {T(take_some), T(look_around)}},
};

MODEL_CASES(cases)
