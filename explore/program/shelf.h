/* SPDX-License-Identifier: MIT */
/*
 * shelf -- the program's heap: malloc and its relatives.
 *
 * Each thread has its own arena, so that addresses do not depend on how
 * threads interleave.  A freed block is not used again in the same execution,
 * so each later access to it is found.
 */
#ifndef WEIR_EXPLORE_SHELF_H
#define WEIR_EXPLORE_SHELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of the running thread.  NULL: the arena is full. */
void *shelf_alloc(size_t size, size_t align, bool is_zero, uintptr_t pc);
void *shelf_resize(void *pointer, size_t size, uintptr_t pc);
void shelf_free(void *pointer, uintptr_t pc);
size_t shelf_size(const void *pointer);

/* Whether the address lies in an arena. */
bool shelf_has(const void *address);

/* Fails the run unless the bytes are in one block that was not freed. */
void shelf_check(const void *address, size_t size, uintptr_t pc);

/* "block of app.c:7+8", "block 2 of app.c:7+8"; false if it is not in the heap. */
bool shelf_name(char *text, size_t size, const void *address);

/* Once, before anything is allocated.  Then what is allocated outside of
 * executions has an arena, too; it is put back before each execution, as it
 * was when shelf_take() was called. */
void shelf_open(void);
void shelf_take(void);

/* Forgets the other blocks; fingerprint of those that are there; see heap.h. */
void shelf_reset(void);
uint64_t shelf_hash(uint64_t seed);
const void *shelf_find_leak(void);

#endif /* WEIR_EXPLORE_SHELF_H */
