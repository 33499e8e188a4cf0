/* SPDX-License-Identifier: MIT */
/*
 * futex -- sleep until a word changes: the only way weir blocks a thread.
 *
 * Wait and wake agree through the kernel: a wait looks at the word and falls
 * asleep in one step as seen from a wake.  So a thread that changes the word
 * and then wakes cannot miss a thread that still saw the old value.
 *
 * wake uses the address only.  The memory may be gone by then: the waker of a
 * gate has already let go of it when it wakes.
 *
 * Two implementations, one is linked:
 *   os/futex.c     Linux.  Works across processes that map the same memory.
 *   os/condvar.c   POSIX threads: mutexes and condition variables in a hashed
 *                  table.  Within one process.
 */
#ifndef WEIR_SRC_FUTEX_H
#define WEIR_SRC_FUTEX_H

#include <stdint.h>

/* The 32 bits of a 64-bit word that hold its low half. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define futex_low_half(word) ((const void *)(word))
#else
#define futex_low_half(word) ((const void *)((const char *)(word) + 4))
#endif

enum weir__futex_scope {
    WEIR__FUTEX_PRIVATE, /* all threads that wait and wake are of one process */
    WEIR__FUTEX_SHARED   /* the word may be mapped by several */
};

/*
 * Sleep while the 32 bits at `word` are `expected`, until a wake or until the
 * real clock reaches `deadline_ns` (negative: no deadline).
 *
 * Returns  0 (woken, or the word differs, or for no reason at all: look
 *          again), -ETIMEDOUT
 */
int weir__futex_wait(const void *word, uint32_t expected, int64_t deadline_ns,
                     enum weir__futex_scope scope);

/* Wake one, or all, of the threads that sleep on `word`. */
void weir__futex_wake_one(const void *word, enum weir__futex_scope scope);
void weir__futex_wake_all(const void *word, enum weir__futex_scope scope);

#endif /* WEIR_SRC_FUTEX_H */
