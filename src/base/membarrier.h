/* SPDX-License-Identifier: MIT */
/*
 * membarrier -- the heavy half of an asymmetric fence.
 *
 *       many, often                     one, seldom
 *       write mine                      write the switch
 *       fence_light()                   weir__membarrier()
 *       read the switch                 read theirs
 *
 * Forbidden: both read the old value.  Two seq_cst fences would also forbid it,
 * but would cost the frequent side some 20 cycles each time.  Here the light
 * side only keeps the compiler from reordering its two accesses.  The heavy
 * side makes the kernel execute a full barrier on every core that runs a thread
 * of this process.  Wherever such a thread was, each of its accesses is ordered
 * either before that barrier or after it.
 */
#ifndef WEIR_SRC_MEMBARRIER_H
#define WEIR_SRC_MEMBARRIER_H

#include <stdbool.h>

/* Whether the kernel supports it; the first call registers the process.
 * Thread: any. */
bool weir__membarrier_is_ready(void);

/* Execute the heavy side.  Thread: any, after weir__membarrier_is_ready() has
 * returned true. */
void weir__membarrier(void);

#endif /* WEIR_SRC_MEMBARRIER_H */
