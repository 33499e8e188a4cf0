/* SPDX-License-Identifier: MIT */
/*
 * weir/host/waiter.h -- wait until another thread notifies a change of a word.
 *
 * The word is any 4 or 8 bytes that threads share.  It needs no preparation:
 * a table of the process holds the waiters, under the address of the word.
 *
 *     one thread                              another
 *     weir_waiter waiter;
 *     weir_waiter_init(&waiter, 0);
 *     while (load(&word) == 0)                store(&word, 1);
 *         weir_waiter_wait(&waiter,           weir_waiter_notify(&word, 1);
 *                          &word, 4, 0, -1);
 *
 * To a notify, the comparison and the beginning of the wait are one step.  So a
 * thread that changes the word and then notifies never causes a lost wake-up.
 * The waiters of one word are woken in the order in which they began to wait,
 * whether they sleep (wait) or are called (add).
 *
 * JavaScript's Atomics.wait, waitAsync and notify are built on this.
 */
#ifndef WEIR_HOST_WAITER_H
#define WEIR_HOST_WAITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_waiter weir_waiter;

/* Called on the thread that notifies, outside all locks.  It may free the
 * waiter or add it again.  It must not block, because that thread may be a
 * loop's.  In a callback of a loop it may leave by weir_raise: then on_uncaught
 * of that loop is called, the other waiters are woken, and the callback goes
 * on. */
typedef void weir_woken_fn(weir_waiter *waiter);

/* Open, so that it can be embedded.  Its members are private.  A waiter waits
 * for one word at a time. */
struct weir_waiter {
    weir_waiter *next_, *prev_; /* under the bucket's lock, then the taker's */
    const void *address_;       /* const while it waits */
    weir_woken_fn *woken_; /* const while it waits; NULL: a thread sleeps */
    bool is_in_;           /* under the bucket's lock */
    struct {
        uint32_t v_;
    } word_;                    /* any thread, waiter/P1 */
    int64_t most_ns_, spin_ns_; /* the owner's */
};

/**
 * Initialize a waiter.  spin_ns is the longest time that weir_waiter_wait spins
 * before it sleeps, because waking a sleeping core takes long.  It spins only
 * while that pays off and no other thread wants the core, and never for more
 * than a second.  0: it never spins.
 *
 * Thread   one, before other threads know the waiter
 */
WEIR_API void weir_waiter_init(weir_waiter *waiter, int64_t spin_ns);

/**
 * Sleep until a word is notified, if the word is equal to `expected`.  On a
 * loop's thread this call blocks the loop; the owner of the loop decides
 * whether that is acceptable.
 *
 * Thread   one at a time for each waiter
 * Owns     waiter and address stay the caller's, and must remain valid until
 *          the call returns
 * Returns  0 (notified), -EAGAIN (the word is not `expected`), -ETIMEDOUT
 *          (timeout_ns has passed; negative: no limit, 0: compare only),
 *          WEIR_ECANCELED (interrupted, now or before), -EINVAL (NULL, a size
 *          other than 4 and 8, or an address that is not aligned to it)
 * Orders   0: sees everything before the notify
 */
WEIR_API WEIR_CHECKED int weir_waiter_wait(weir_waiter *waiter,
                                           const void *address, size_t size,
                                           uint64_t expected,
                                           int64_t timeout_ns);

/**
 * Interrupt the weir_waiter_wait of a waiter, and refuse every later one.
 *
 * Thread   any
 */
WEIR_API void weir_waiter_interrupt(weir_waiter *waiter);

/**
 * Wait for a word without sleeping, if the word is equal to `expected`.  When
 * the word is notified, woken is called once.
 *
 * Thread   one at a time for each waiter
 * Owns     waiter and address must remain valid until woken is entered, or
 *          until weir_waiter_remove has returned 0
 * Returns  0, -EAGAIN (the word is not `expected`), -EINVAL (NULL, a size other
 *          than 4 and 8, or an address that is not aligned to it)
 * Orders   woken sees everything before this call, and before the notify
 */
WEIR_API WEIR_CHECKED int weir_waiter_add(weir_waiter *waiter,
                                          const void *address, size_t size,
                                          uint64_t expected,
                                          weir_woken_fn *woken);

/**
 * Remove a waiter that weir_waiter_add has added.
 *
 * Thread   one at a time for each waiter; woken must not have freed the waiter
 * Returns  0 (woken is not called), -ENOENT (it was notified: woken has
 *          returned, is running, or is about to be called)
 */
WEIR_API WEIR_CHECKED int weir_waiter_remove(weir_waiter *waiter);

/**
 * Wake at most `count` waiters of a word, the longest waiting first.  The
 * address is not dereferenced, so the word may no longer exist.
 *
 * Thread   any
 * Returns  the number of waiters woken
 * Orders   everything before the call is visible to the waiters woken
 */
WEIR_API uint32_t weir_waiter_notify(const void *address, uint32_t count);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_HOST_WAITER_H */
