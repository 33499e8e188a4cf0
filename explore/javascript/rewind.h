/* SPDX-License-Identifier: MIT */
/*
 * rewind -- a process that goes back to the state of the one it was forked from.
 *
 * A fork costs most of an execution: the kernel copies each page that the child
 * changes, and frees it when the child ends.  A child that goes back instead
 * copies the pages that it has changed once more, from the memory of its origin,
 * and keeps them.  The next execution changes mostly the same pages.
 *
 *     the origin                      a child
 *     waits, unchanged                rewind_begin(), then an execution
 *                                     rewind_memory(): as after the fork
 *                                     another execution ...
 *
 * /proc/self/pagemap tells which pages are the child's own.  So neither may have
 * forked in between.  Memory that is mapped differently from before is not
 * restored, and the child has to end.
 *
 * Registers and descriptors are the caller's business (checkpoint.c).  It runs on
 * a stack that is not restored, and so does the origin.
 */
#ifndef WEIR_EXPLORE_REWIND_H
#define WEIR_EXPLORE_REWIND_H

#include <stdbool.h>

/* Before all forks.  Returns 0, or -1 and errno. */
int rewind_init(void);

/* The upper end of the stack that is not restored. */
void *rewind_stack(void);

/* In a child, right after the fork. */
void rewind_begin(void);

/* Restores the memory of the caller from that of its origin, its umask and which
 * signals it blocks.  The caller must run on rewind_stack().  False: that cannot be
 * done, and its memory may be neither. */
bool rewind_memory(int origin);

/* The execution has changed what belongs to the process, other than memory. */
void rewind_forbid(void);
bool rewind_is_forbidden(void);

#endif /* WEIR_EXPLORE_REWIND_H */
