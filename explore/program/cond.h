/* SPDX-License-Identifier: MIT */
/*
 * cond -- condition variables and once, for files that offer them under other
 * names.
 */
#ifndef WEIR_EXPLORE_COND_H
#define WEIR_EXPLORE_COND_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* 0 or ETIMEDOUT. */
int cond_wait(const void *cond, const void *mutex,
              const struct timespec *deadline, uintptr_t pc);
int cond_signal(const void *cond, bool is_all, uintptr_t pc);

/* True: the caller runs it, and then says whether it did. */
bool once_begin(const void *once, uintptr_t pc);
void once_end(const void *once, bool has_run, uintptr_t pc);

#endif /* WEIR_EXPLORE_COND_H */
