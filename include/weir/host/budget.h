/* SPDX-License-Identifier: MIT */
/*
 * weir/host/budget.h -- a limit on memory that several threads share.
 *
 * A budget counts bytes.  A thread charges bytes before it allocates them, and
 * refunds them when they are freed.  The sum never exceeds the limit.
 *
 *     weir_budget *budget;
 *     if (weir_budget_new(&budget, 64 << 20) != 0) ...
 *     if (weir_budget_charge(budget, size, 0) != 0) ...  over the limit
 *     weir_budget_refund(budget, size);
 *     weir_budget_unref(budget);
 *
 * A budget outlives its references as long as bytes are charged to it.  So a
 * block that travels from thread to thread does not need its own reference.
 *
 * NULL stands for a budget without a limit: every call except weir_budget_new
 * accepts it.
 */
#ifndef WEIR_HOST_BUDGET_H
#define WEIR_HOST_BUDGET_H

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
 * Take another reference to a budget.  A budget can have a million references.
 *
 * Thread   any that has a reference
 */
WEIR_API void weir_budget_ref(weir_budget *budget);

/**
 * Release a reference to a budget.  The budget is freed once no reference is
 * left and nothing is charged.
 *
 * Thread   any
 * Owns     the reference is no longer the caller's
 */
WEIR_API void weir_budget_unref(weir_budget *budget);

/**
 * Charge bytes to a budget, unless fewer than spare_bytes would be left.  A
 * caller that spares bytes leaves them to others, which can go on when this
 * caller is refused.
 *
 * Thread   any that has a reference, or bytes charged already
 * Owns     the caller refunds the bytes
 * Returns  0, -ENOMEM (the sum would exceed the limit less spare_bytes)
 */
WEIR_API WEIR_CHECKED int weir_budget_charge(weir_budget *budget, size_t bytes,
                                             size_t spare_bytes);

/**
 * Refund bytes that this or another thread has charged to a budget.
 *
 * Thread   any
 * Owns     the caller may no longer use the budget unless it has a reference
 */
WEIR_API void weir_budget_refund(weir_budget *budget, size_t bytes);

/**
 * Get the number of bytes that are charged to a budget now.  For NULL it is 0.
 *
 * Thread   any that has a reference
 */
WEIR_API size_t weir_budget_used(const weir_budget *budget);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_HOST_BUDGET_H */
