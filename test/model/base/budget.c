/* SPDX-License-Identifier: MIT */
/*
 * budget -- never more than the limit, refused only when it is reached, and freed
 * once, by whoever gives back the last share; under every interleaving.
 */
#include "weir/host/budget.h"

#include "model.h"

enum { LIMIT = 3 };

static weir_budget *budget;
static atomic(int) charged; /* what callers believe is charged, at least */
static atomic(int) refused;

static void init(void)
{
    model_assert(weir_budget_new(&budget, LIMIT) == 0);
}

/* Two references more: each thread drops one. */
static void init_for_three(void)
{
    init();
    weir_budget_ref(budget);
    weir_budget_ref(budget);
}

static void take(int bytes)
{
    if (weir_budget_charge(budget, (size_t)bytes, 0) != 0) {
        ATOMIC_ADD(&refused, 1, __ATOMIC_RELAXED);
        return;
    }
    model_assert(ATOMIC_ADD(&charged, bytes, __ATOMIC_SEQ_CST) + bytes <=
                 LIMIT);
    ATOMIC_SUB(&charged, bytes, __ATOMIC_SEQ_CST);
    weir_budget_refund(budget, (size_t)bytes);
}

static void take_two(void)
{
    take(2);
}

static void take_one(void)
{
    take(1);
}

static void nothing_is_left(void)
{
    model_assert(weir_budget_used(budget) == 0);
    weir_budget_unref(budget);
    budget = NULL;
}

/* Two and one fit together. */
static void nobody_was_refused(void)
{
    model_assert(refused.v_ == 0);
    nothing_is_left();
}

/* Three times two: whoever comes first is let in. */
static void somebody_was_let_in(void)
{
    model_assert(refused.v_ < 3);
    nothing_is_left();
}

/* ---- the end ---- */

static void unref(void)
{
    weir_budget_unref(budget);
}

static void charge_and_unref(void)
{
    model_assert(weir_budget_charge(budget, 1, 0) == 0);
    weir_budget_unref(budget);
    weir_budget_refund(budget, 1);
}

/* A block on its way: no reference, but bytes. */
static void init_with_a_block(void)
{
    init();
    model_assert(weir_budget_charge(budget, 2, 0) == 0);
}

static void refund_one(void)
{
    weir_budget_refund(budget, 1);
}

/* The explorer reports a budget that was not freed as a leak. */
static void forget(void)
{
    budget = NULL;
}

static const struct model_case cases[] = {
    {"budget_is_never_exceeded", .setup = init, .finish = somebody_was_let_in,
     .spurious = 1, .threads = {T(take_two), T(take_two), T(take_two)}},
    {"budget_lets_in_what_fits", .setup = init, .finish = nobody_was_refused,
     .spurious = 1, .threads = {T(take_two), T(take_one)}},
    {"budget_is_freed_once_by_the_last_share", .setup = init_for_three,
     .finish = forget, .may_delay = true,
     .threads = {T(charge_and_unref), T(charge_and_unref), T(unref)}},
    {"budget_is_freed_by_the_last_refund", .setup = init_with_a_block,
     .finish = forget, .may_delay = true,
     .threads = {T(refund_one), T(refund_one), T(unref)}},
};

MODEL_CASES(cases)
