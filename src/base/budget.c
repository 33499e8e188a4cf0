/* SPDX-License-Identifier: MIT */
/*
 * budget -- a limit on memory that several threads share.
 *
 * Shape     One word: the number of bytes charged, and the reference count.
 *
 *            63        44 43                        0
 *           +------------+---------------------------+
 *           | references |           bytes           |
 *           +------------+---------------------------+
 *
 *           A charge is a CAS that finds room for its bytes.  So the sum never
 *           exceeds the limit, and a refused charge would have exceeded it at
 *           that moment.  The operation that takes the word to zero frees the
 *           budget, whether it is a refund or the release of a reference.
 * Roles     charge, refund, ref, unref, used   any thread
 * Progress  charge is lock-free; all others are wait-free.
 *
 * Shared state
 *   word    any thread, atomic                                           P1
 *   limit   const after init
 *
 * Pairs
 *   P1  unref, refund: fetch_sub on word, release  -->  the fetch_sub that
 *       finds nothing in the word but its own share, acquire
 *       Everything that other threads did with the budget happens-before it is
 *       freed.  Every change is a read-modify-write, so each continues the
 *       release sequence of those before it.
 *
 * Not paired, on purpose
 *   charge, ref: relaxed.  They only count, and publish nothing.  The bytes
 *   that are charged belong to the caller, which hands them to other threads by
 *   its own means.
 *
 * Reclaim   The word itself: zero means that no reference and no charge is
 *           left, so no thread may call.
 *
 * Tested by  test/unit/base/budget.c, test/model/base/budget.c,
 *            test/stress/base/budget.c
 */
#include "weir/host/budget.h"

#include <errno.h>
#include <stdint.h>

#include "base/atomic.h"
#include "base/check.h"
#include "base/memory.h"

enum { BYTE_BITS = 44 };

#define REFERENCE (UINT64_C(1) << BYTE_BITS)
#define MOST_BYTES (REFERENCE - 1)
#define MOST_REFERENCES (UINT64_MAX >> BYTE_BITS)

struct weir_budget {
    atomic(uint64_t) word; /* any thread, P1 */
    uint64_t limit;        /* const after init */
};

static uint64_t bytes_of(uint64_t word)
{
    return word & MOST_BYTES;
}

int weir_budget_new(weir_budget **made, size_t limit_bytes)
{
    weir_budget *budget;

    if (made == NULL || limit_bytes == 0)
        return -EINVAL;
    budget = weir__memory_alloc(sizeof(*budget), _Alignof(weir_budget));
    if (budget == NULL)
        return -ENOMEM;
    set_unshared(&budget->word, REFERENCE);
    budget->limit = limit_bytes < MOST_BYTES ? limit_bytes : MOST_BYTES;
    *made = budget;
    return 0;
}

/* Subtract a share of the word, and free the budget if it was the last one. */
static void subtract(weir_budget *budget, uint64_t share)
{
    /* budget/P1 release: publishes what this thread did with the budget
     * budget/P1 acquire: receives what other threads did, for the last one */
    uint64_t found = fetch_sub_acq_rel(&budget->word, share);

    DEBUG_CHECK(found >= share, "a budget gives back what was never taken");
    if (found == share)
        weir__memory_free(budget, sizeof(*budget));
}

void weir_budget_ref(weir_budget *budget)
{
    uint64_t found;

    if (budget == NULL)
        return;
    /* relaxed: count; the caller's own reference keeps the budget alive */
    found = fetch_add_relaxed(&budget->word, REFERENCE);
    CHECK(found >> BYTE_BITS < MOST_REFERENCES,
          "a budget has no room for another reference");
}

void weir_budget_unref(weir_budget *budget)
{
    if (budget != NULL)
        subtract(budget, REFERENCE);
}

int weir_budget_charge(weir_budget *budget, size_t bytes, size_t spare_bytes)
{
    uint64_t seen, limit;

    if (budget == NULL)
        return 0;
    limit = budget->limit > spare_bytes ? budget->limit - spare_bytes : 0;
    /* relaxed: guess, checked by the CAS */
    seen = load_relaxed(&budget->word);
    do {
        if (bytes > limit || bytes_of(seen) > limit - bytes)
            return -ENOMEM;
        /* relaxed: count; nothing is handed over with it */
    } while (!cas_weak_relaxed(&budget->word, &seen, seen + bytes));
    return 0;
}

void weir_budget_refund(weir_budget *budget, size_t bytes)
{
    if (budget == NULL || bytes == 0)
        return;
    subtract(budget, bytes);
}

size_t weir_budget_used(const weir_budget *budget)
{
    /* relaxed: count */
    return budget != NULL ? (size_t)bytes_of(load_relaxed(&budget->word)) : 0;
}
