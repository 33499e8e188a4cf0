/* SPDX-License-Identifier: MIT */
/*
 * weir/budget.h -- a limit on memory that several threads share.
 *
 * A budget counts bytes: whoever allocates charges them first, and refunds them
 * when they are freed.  The sum never exceeds the limit.
 *
 *     weir_budget *budget;
 *     if (weir_budget_new(&budget, 64 << 20) != 0) ...
 *     if (weir_budget_charge(budget, size, 0) != 0) ...  over the limit
 *     weir_budget_refund(budget, size);
 *     weir_budget_unref(budget);
 *
 * A budget outlives its references as long as bytes are charged to it: a block
 * that travels from thread to thread needs no reference of its own.
 *
 * NULL is a budget without a limit: every call accepts it.
 */
#ifndef WEIR_BUDGET_H
#define WEIR_BUDGET_H

#include <stddef.h>

#include "weir/error.h"
#include "weir/export.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_budget weir_budget;

/**
 * Make a budget with one reference and nothing charged.  A limit beyond 16 TiB
 * means 16 TiB.
 *
 * Thread   any
 * Owns     the reference is the caller's until weir_budget_unref
 * Returns  0, -EINVAL (NULL, or a limit of 0), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_budget_new(weir_budget **budget,
                                          size_t limit_bytes);

/**
 * Take another reference to a budget.  There can be a million of them.
 *
 * Thread   any that has a reference
 */
WEIR_API void weir_budget_ref(weir_budget *budget);

/**
 * Release a reference.  The budget is freed once no reference is left and
 * nothing is charged.
 *
 * Thread   any
 * Owns     the reference is no longer the caller's
 */
WEIR_API void weir_budget_unref(weir_budget *budget);

/**
 * Charge bytes to a budget, unless fewer than spare_bytes would be left.  Who
 * spares some leaves them to others, that shall be able to go on when this
 * caller is refused.
 *
 * Thread   any that has a reference, or bytes charged already
 * Owns     the caller refunds the bytes
 * Returns  0, -ENOMEM (the sum would exceed the limit, less what is spared)
 */
WEIR_API WEIR_CHECKED int weir_budget_charge(weir_budget *budget, size_t bytes,
                                             size_t spare_bytes);

/**
 * Refund bytes that were charged, by this thread or another.
 *
 * Thread   any
 * Owns     the caller may no longer use the budget unless it has a reference
 */
WEIR_API void weir_budget_refund(weir_budget *budget, size_t bytes);

/**
 * Read how many bytes are charged now; 0 without a budget.
 *
 * Thread   any that has a reference
 */
WEIR_API size_t weir_budget_used(const weir_budget *budget);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_BUDGET_H */
