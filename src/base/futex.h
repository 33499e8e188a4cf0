/* SPDX-License-Identifier: MIT */
/*
 * futex -- sleep until a word changes: the only way weir blocks a thread.
 *
 * A wait checks the word and falls asleep in one step, as seen by any wake.  So
 * a thread that changes the word and then calls wake cannot miss a thread that
 * still saw the old value.
 *
 * wake uses only the address.  The memory may already be freed: the waker of a
 * gate has given up its own claim to it before it calls wake.
 *
 * There are two implementations, of which one is linked:
 *   os/futex.c     Linux.  Works across processes that map the same memory.
 *   os/condvar.c   POSIX threads: a hash table of mutexes and condition
 *                  variables.  Works within one process.
 */
#ifndef WEIR_SRC_FUTEX_H
#define WEIR_SRC_FUTEX_H

#include <stdbool.h>
#include <stdint.h>

/* Whether wake may be called in a signal handler. */
extern const bool weir__futex_is_signal_safe;

/* The address of the low half of a 64-bit word. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define futex_low_half(word) ((const void *)(word))
#else
#define futex_low_half(word) ((const void *)((const char *)(word) + 4))
#endif

enum weir__futex_scope {
    WEIR__FUTEX_PRIVATE, /* all waiters and wakers are in one process */
    WEIR__FUTEX_SHARED   /* several processes may map the word */
};

/*
 * Sleep while the 32 bits at `word` equal `expected`, until a wake or until the
 * real clock reaches `deadline_ns` (negative: no deadline).
 *
 * Returns  0 (woken, the word differs, or a spurious wake-up: check again),
 *          -ETIMEDOUT
 */
int weir__futex_wait(const void *word, uint32_t expected, int64_t deadline_ns,
                     enum weir__futex_scope scope);

/* Wake one, or all, of the threads that sleep on `word`. */
void weir__futex_wake_one(const void *word, enum weir__futex_scope scope);
void weir__futex_wake_all(const void *word, enum weir__futex_scope scope);

#endif /* WEIR_SRC_FUTEX_H */
