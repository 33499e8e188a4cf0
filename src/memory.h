/* SPDX-License-Identifier: MIT */
/*
 * memory -- the one place where the library allocates.
 */
#ifndef WEIR_SRC_MEMORY_H
#define WEIR_SRC_MEMORY_H

#include <stddef.h>

#include "weir/memory.h"

/* `size` bytes at a multiple of `align` (a power of two), or NULL. */
void *weir__memory_alloc(size_t size, size_t align);

/* Gives back what alloc returned for `size`.  NULL is nothing. */
void weir__memory_free(void *pointer, size_t size);

/* Would rather have huge pages there; a hint (os/madvise.c). */
void weir__memory_prefer_huge(void *pointer, size_t size);

#endif /* WEIR_SRC_MEMORY_H */
