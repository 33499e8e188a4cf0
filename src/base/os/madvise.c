/* SPDX-License-Identifier: MIT */
/*
 * os/madvise -- a hint to the kernel about large blocks of memory.
 *
 * Tested by  test/unit/base/slab.c
 */
#include <sys/mman.h>

#include "base/memory.h"

void weir__memory_prefer_huge(void *pointer, size_t size)
{
#ifdef MADV_HUGEPAGE
    (void)madvise(pointer, size, MADV_HUGEPAGE); /* only speed depends on it */
#endif
}
