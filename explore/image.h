/* SPDX-License-Identifier: MIT */
/*
 * image -- the program's static data, restored before each execution.
 *
 * So a test, and the library's files, may have static variables of any kind,
 * and each execution begins as the program does.  The image is also part of a
 * state's fingerprint: two states that differ only in a plain counter of a test
 * are different states.
 *
 * The explorer therefore keeps everything that it changes on the heap.
 */
#ifndef WEIR_MODEL_IMAGE_H
#define WEIR_MODEL_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

void image_take(void);
void image_restore(void);
uint64_t image_hash(uint64_t seed);

/* Thread `index` of the execution runs next: its thread_local variables. */
void image_switch(unsigned index);

/* Whether the address is one of a thread_local variable. */
bool image_has_local(const void *address);

/* Calls look(value) for each pointer-sized value in static data. */
void image_scan(void (*look)(uintptr_t value));

#endif /* WEIR_MODEL_IMAGE_H */
