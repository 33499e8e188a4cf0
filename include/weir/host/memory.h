/* SPDX-License-Identifier: MIT */
/*
 * weir/host/memory.h -- memory from the hooks of weir_set_allocator.
 *
 *     struct connection *made = weir_memory_alloc(sizeof(*made));
 *     ...
 *     weir_memory_free(made, sizeof(*made));
 *
 * Libraries that are built on weir allocate with these functions, so that the
 * hooks of a program cover their memory, too.
 */
#ifndef WEIR_HOST_MEMORY_H
#define WEIR_HOST_MEMORY_H

#include <stddef.h>

#include "weir/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Allocate `size` uninitialized bytes, aligned for every type of C.
 *
 * Thread   any
 * Owns     the memory is the caller's until weir_memory_free
 * Returns  the memory, or NULL if there is none left
 */
WEIR_API void *weir_memory_alloc(size_t size);

/**
 * Free memory of weir_memory_alloc, with the size that was requested.  Passing
 * NULL has no effect.
 *
 * Thread   any
 */
WEIR_API void weir_memory_free(void *pointer, size_t size);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_HOST_MEMORY_H */
