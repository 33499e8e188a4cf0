/* SPDX-License-Identifier: MIT */
/*
 * modules -- the program and those of its libraries that were compiled with
 * -fsanitize=thread: each refers to __tsan_init().
 */
#ifndef WEIR_EXPLORE_MODULES_H
#define WEIR_EXPLORE_MODULES_H

#include <stdbool.h>
#include <stdint.h>

/* Once, when all are loaded. */
void modules_find(void);

/* Whether the code at pc is one of theirs; whether one is loaded at this base. */
bool modules_has(uintptr_t pc);
bool modules_has_base(uintptr_t base);

/* Whether libc, the loader or the explorer has this code. */
bool modules_is_system(uintptr_t pc);

/* The index-th library that is neither instrumented nor of the system, or NULL. */
const char *modules_unseen(unsigned index);

/* The number of executable segments of the instrumented ones. */
unsigned modules_count(void);

#endif /* WEIR_EXPLORE_MODULES_H */
