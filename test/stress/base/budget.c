/* SPDX-License-Identifier: MIT */
/*
 * budget -- threads charge, hand blocks to each other, and leave in any order:
 * the sum is never over the limit, and zero at the end.
 */
#include "weir/host/budget.h"

#include "support/crew.h"
#include "support/effort.h"
#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/suite.h"

enum { THREADS = 4, BLOCKS = 16, EACH = 2000, LIMIT = 4000 };

static struct failing_allocator memory;

struct holder {
    size_t sizes[BLOCKS];
    unsigned charged, refused;
};

struct round {
    weir_budget *budget;
    uint64_t seed;
    struct holder holders[THREADS];
};

static void swap_block(weir_budget *budget, struct holder *holder,
                       struct random *random)
{
    size_t *size = &holder->sizes[random_below(random, BLOCKS)];

    if (*size != 0) {
        weir_budget_refund(budget, *size);
        *size = 0;
        return;
    }
    *size = 1 + random_below(random, 500);
    if (weir_budget_charge(budget, *size, 0) == 0) {
        holder->charged++;
        return;
    }
    holder->refused++;
    *size = 0;
}

/* The reference goes first: blocks keep the budget. */
static void work(struct crew *crew, unsigned id)
{
    struct round *round = crew->context;
    struct random random = {round->seed + id};
    struct holder *holder = &round->holders[id];

    for (unsigned i = 0; i < EACH; i++) {
        swap_block(round->budget, holder, &random);
        expect(weir_budget_used(round->budget) <= LIMIT);
    }
    weir_budget_unref(round->budget);
    for (unsigned i = 0; i < BLOCKS; i++)
        weir_budget_refund(round->budget, holder->sizes[i]);
}

CASE(budget_is_kept_and_goes_with_the_last_block)
{
    struct random random = {random_seed()};
    struct effort effort = effort_begin(1);
    unsigned charged = 0, refused = 0;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    while (effort_goes_on(&effort)) {
        struct round round = {.seed = random_next(&random)};

        expect_status(weir_budget_new(&round.budget, LIMIT), 0);
        for (unsigned i = 1; i < THREADS; i++)
            weir_budget_ref(round.budget);
        crew_run(THREADS, work, &round);
        expect_int(memory.live, 0);
        for (unsigned i = 0; i < THREADS; i++) {
            charged += round.holders[i].charged;
            refused += round.holders[i].refused;
        }
    }
    expect(charged > 0 && refused > 0);
}
