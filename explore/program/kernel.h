/* SPDX-License-Identifier: MIT */
/*
 * kernel -- what the kernel keeps for the program, and the explorer cannot put
 * back: descriptors, other processes, signals.
 *
 * Calls that make such things are refused by name, because executions would share
 * them.  read(), poll() and select() are refused if they would block, because all
 * threads would; without descriptors, poll() and select() are sleeps.  Files that
 * an execution leaves open are closed before the next one.
 */
#ifndef WEIR_EXPLORE_KERNEL_H
#define WEIR_EXPLORE_KERNEL_H

/* The descriptors that are open now stay open. */
void kernel_take(void);

/* Before each execution. */
void kernel_reset(void);

#endif /* WEIR_EXPLORE_KERNEL_H */
