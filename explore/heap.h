/* SPDX-License-Identifier: MIT */
/*
 * heap -- memory that detects use after free.
 *
 * Each thread has its own arena, so that what one allocates does not depend on
 * the others, and addresses repeat from run to run.  Each block has its own
 * pages; a freed block cannot be touched, and is not used again in the same
 * execution.
 *
 * A thread may free a block only if every access by other threads happens
 * before that.  It is not enough that those accesses were made earlier in this
 * execution.
 */
#ifndef WEIR_MODEL_HEAP_H
#define WEIR_MODEL_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void heap_reset(void);
void *heap_alloc(unsigned arena, size_t size);

/* False: not a block, or freed already. */
bool heap_free(void *pointer);

/* Notes that `thread` makes its step number `step` in a block. */
void heap_touch(const void *address, unsigned thread, uint16_t step);

/* A thread whose last step in the block is not among those that `clock` knows
 * to be over; -1 if there is none. */
int heap_find_user(const void *pointer, unsigned self, const uint16_t *clock);

bool heap_is_freed(const void *address);

/* A live block that nothing points to; NULL if there is none. */
const void *heap_find_leak(void);

uint64_t heap_hash(uint64_t seed);

/* For each live block and thread, whether `clock` knows its last step. */
uint64_t heap_hash_known(const uint16_t *clock, uint64_t seed);

#endif /* WEIR_MODEL_HEAP_H */
