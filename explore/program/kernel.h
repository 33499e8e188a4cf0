/* SPDX-License-Identifier: MIT */
/*
 * kernel -- what the kernel keeps for the program, and the explorer cannot put
 * back: descriptors, other processes, signals.
 *
 * Calls that make such things are refused by name, because executions would
 * share them, and because a call that blocks there would block all threads.
 * Files may be opened.  Those that an execution leaves open are closed before the
 * next one: an execution that is abandoned never comes to its close().
 */
#ifndef WEIR_EXPLORE_KERNEL_H
#define WEIR_EXPLORE_KERNEL_H

/* The descriptors that are open now stay open. */
void kernel_take(void);

/* Before each execution. */
void kernel_reset(void);

#endif /* WEIR_EXPLORE_KERNEL_H */
