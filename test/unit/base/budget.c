/* SPDX-License-Identifier: MIT */
/*
 * budget -- what fits is charged, what does not fit is refused, and the memory
 * goes with the last share.
 */
#include "weir/host/budget.h"

#include <errno.h>
#include <stdint.h>

#include "support/failing_allocator.h"
#include "support/suite.h"

static struct failing_allocator memory;
static weir_budget *budget;

static void begin(size_t limit)
{
    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    expect_status(weir_budget_new(&budget, limit), 0);
}

/* covers: weir_budget_charge -ENOMEM */
CASE(budget_charge_beyond_the_limit_is_refused_and_changes_nothing)
{
    begin(100);
    expect_status(weir_budget_charge(budget, 60, 0), 0);
    expect_status(weir_budget_charge(budget, 41, 0), -ENOMEM);
    expect_int(weir_budget_used(budget), 60);
    expect_status(weir_budget_charge(budget, 40, 0), 0);
    expect_status(weir_budget_charge(budget, 1, 0), -ENOMEM);
    expect_status(weir_budget_charge(budget, 0, 0), 0);
    weir_budget_refund(budget, 100);
    expect_int(weir_budget_used(budget), 0);
    weir_budget_unref(budget);
    expect_int(memory.live, 0);
}

CASE(budget_charge_leaves_what_it_spares)
{
    begin(100);
    expect_status(weir_budget_charge(budget, 70, 30), 0);
    expect_status(weir_budget_charge(budget, 1, 30), -ENOMEM);
    expect_status(weir_budget_charge(budget, 0, 31), -ENOMEM);
    expect_status(weir_budget_charge(budget, 1, SIZE_MAX), -ENOMEM);
    expect_status(weir_budget_charge(budget, 30, 0), 0);
    weir_budget_refund(budget, 100);
    weir_budget_unref(budget);
    expect_int(memory.live, 0);
}

CASE(budget_charge_of_more_than_all_memory_is_refused)
{
    begin(SIZE_MAX);
    expect_status(weir_budget_charge(budget, SIZE_MAX, 0), -ENOMEM);
    expect_status(weir_budget_charge(budget, 1, 0), 0);
    expect_status(weir_budget_charge(budget, ((size_t)1 << 44) - 1, 0),
                  -ENOMEM);
    expect_status(weir_budget_charge(budget, ((size_t)1 << 44) - 2, 0), 0);
    expect_status(weir_budget_charge(budget, 1, 0), -ENOMEM);
    weir_budget_refund(budget, ((size_t)1 << 44) - 1);
    weir_budget_unref(budget);
    expect_int(memory.live, 0);
}

CASE(budget_outlives_its_references_while_bytes_are_charged)
{
    begin(100);
    weir_budget_ref(budget);
    expect_status(weir_budget_charge(budget, 7, 0), 0);
    weir_budget_unref(budget);
    weir_budget_unref(budget);
    expect_int(memory.live, 1);
    weir_budget_refund(budget, 3);
    expect_int(memory.live, 1);
    weir_budget_refund(budget, 4);
    expect_int(memory.live, 0);
}

CASE(budget_without_charges_goes_with_its_last_reference)
{
    begin(1);
    weir_budget_ref(budget);
    weir_budget_unref(budget);
    expect_int(memory.live, 1);
    weir_budget_refund(budget, 0);
    weir_budget_unref(budget);
    expect_int(memory.live, 0);
}

CASE(budget_that_is_null_has_no_limit)
{
    weir_budget_ref(NULL);
    expect_status(weir_budget_charge(NULL, SIZE_MAX, 0), 0);
    expect_int(weir_budget_used(NULL), 0);
    weir_budget_refund(NULL, SIZE_MAX);
    weir_budget_unref(NULL);
}

/* covers: weir_budget_new -EINVAL
 * covers: weir_budget_new -ENOMEM */
CASE(budget_new_refuses_nonsense_and_reports_a_lack_of_memory)
{
    expect_status(weir_budget_new(NULL, 1), -EINVAL);
    expect_status(weir_budget_new(&budget, 0), -EINVAL);
    failing_allocator_init(&memory, 1);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    expect_status(weir_budget_new(&budget, 1), -ENOMEM);
    expect_int(memory.live, 0);
}
