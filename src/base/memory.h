/* SPDX-License-Identifier: MIT */
/*
 * memory -- the only place where the library allocates.
 */
#ifndef WEIR_SRC_MEMORY_H
#define WEIR_SRC_MEMORY_H

#include <stddef.h>

#include "weir/memory.h"

/* Allocate `size` bytes at a multiple of `align` (a power of two), or return
 * NULL. */
void *weir__memory_alloc(size_t size, size_t align);

/* Free memory that weir__memory_alloc() returned for `size`.  Passing NULL has
 * no effect. */
void weir__memory_free(void *pointer, size_t size);

/* Ask for huge pages for this range.  Only a hint (os/madvise.c). */
void weir__memory_prefer_huge(void *pointer, size_t size);

#endif /* WEIR_SRC_MEMORY_H */
