/* SPDX-License-Identifier: MIT */
/*
 * failing_allocator -- hooks for weir_set_allocator() that fail on request and
 * count live allocations.
 *
 *     struct failing_allocator memory;
 *     failing_allocator_init(&memory, n);          the n-th one fails
 *     expect_status(weir_set_allocator(&memory.hooks), 0);
 *     ...
 *     expect_int(memory.live, 0);
 */
#ifndef WEIR_TEST_SUPPORT_FAILING_ALLOCATOR_H
#define WEIR_TEST_SUPPORT_FAILING_ALLOCATOR_H

#include <stdint.h>

#include "weir/memory.h"

struct failing_allocator {
    weir_allocator hooks;
    uint64_t fail_at;    /* which allocation fails: 1, 2, ...; 0 for none */
    uint64_t calls;      /* allocations requested */
    uint64_t live;       /* allocated and not freed yet */
    uint64_t live_bytes; /* by the sizes passed to alloc and to free */
};

void failing_allocator_init(struct failing_allocator *memory, uint64_t fail_at);

/* Let the next allocation of any thread fail. */
void failing_allocator_fail_next(struct failing_allocator *memory);

#endif /* WEIR_TEST_SUPPORT_FAILING_ALLOCATOR_H */
