/* SPDX-License-Identifier: MIT */
/*
 * membarrier -- the heavy half of an asymmetric pair of fences.
 *
 *       many, often                     one, seldom
 *       write mine                      write the switch
 *       fence_light()                   weir__membarrier()
 *       read the switch                 read theirs
 *
 * Forbidden: both read the old value.  Two seq_cst fences would give the same
 * at some 20 cycles for each of the many.  Here the light side only keeps the
 * compiler from swapping its two lines; the heavy side makes the kernel run a
 * full barrier on every core that runs a thread of this process, so wherever
 * such a thread was, its accesses fall on one side of it or on the other.
 */
#ifndef WEIR_SRC_MEMBARRIER_H
#define WEIR_SRC_MEMBARRIER_H

#include <stdbool.h>

/* Whether the kernel can do it; registers the process at the first call.
 * Thread: any. */
bool weir__membarrier_is_ready(void);

/* Thread: any, after weir__membarrier_is_ready() has said yes. */
void weir__membarrier(void);

#endif /* WEIR_SRC_MEMBARRIER_H */
