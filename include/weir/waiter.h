/* SPDX-License-Identifier: MIT */
/*
 * weir/waiter.h -- wait until somebody says that a word has changed.
 *
 * The word is any 4 or 8 bytes that threads share, and needs no preparation:
 * who waits is in a table of the process, under the word's address.
 *
 *     one thread                              another
 *     weir_waiter waiter;
 *     weir_waiter_init(&waiter, 0);
 *     while (load(&word) == 0)                store(&word, 1);
 *         weir_waiter_wait(&waiter,           weir_waiter_notify(&word, 1);
 *                          &word, 4, 0, -1);
 *
 * The comparison and the beginning of the wait are one step as seen from a
 * notify: who changes the word and then notifies is never missed.  Those who
 * wait for one word are woken in the order in which they came, whether they
 * sleep (wait) or are called (add).
 *
 * This is what JavaScript's Atomics.wait, waitAsync and notify stand on.
 */
#ifndef WEIR_WAITER_H
#define WEIR_WAITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_waiter weir_waiter;

/* On the thread that notifies, outside all locks.  It may free the waiter, or
 * add it again.  It must not block: that thread may be a loop's.  In a callback
 * of a loop it may leave by weir_raise: on_uncaught of that loop is told, the
 * others are woken, and the callback goes on. */
typedef void weir_woken_fn(weir_waiter *waiter);

/* Open, so that it can be embedded; its members are private.  One waits for
 * one word at a time. */
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
 * Make it ready for its first wait.  spin_ns is how long weir_waiter_wait looks
 * before it sleeps, as to wake a core that sleeps takes long: at the most, and
 * only while that pays and no other thread wants the core, and never for more
 * than a second.  0: not at all.
 *
 * Thread   one, before the others know the waiter
 */
WEIR_API void weir_waiter_init(weir_waiter *waiter, int64_t spin_ns);

/**
 * Sleep until the word is notified, if it is `expected` now.  A loop's thread
 * that calls this stands still meanwhile: whether it may is for its owner to
 * say.
 *
 * Thread   one at a time for each waiter
 * Owns     waiter and address stay the caller's, and must stay until it returns
 * Returns  0 (notified), -EAGAIN (the word is not `expected`), -ETIMEDOUT
 *          (timeout_ns went by; negative waits for ever, 0 only compares),
 *          WEIR_ECANCELED (interrupted, now or before), -EINVAL (NULL, a size
 *          other than 4 and 8, or an address that is not aligned to it)
 * Orders   0: sees what came before the notify
 */
WEIR_API WEIR_CHECKED int weir_waiter_wait(weir_waiter *waiter,
                                           const void *address, size_t size,
                                           uint64_t expected,
                                           int64_t timeout_ns);

/**
 * End the wait of that thread, and let it never wait again.
 *
 * Thread   any
 */
WEIR_API void weir_waiter_interrupt(weir_waiter *waiter);

/**
 * Wait without sleeping: woken is called once, when the word is notified, if it
 * is `expected` now.
 *
 * Thread   one at a time for each waiter
 * Owns     waiter and address must stay until woken is entered, or until
 *          weir_waiter_remove has returned 0
 * Returns  0, -EAGAIN (the word is not `expected`), -EINVAL (as
 *          weir_waiter_wait, or woken is NULL)
 * Orders   woken sees what came before this call, and before the notify
 */
WEIR_API WEIR_CHECKED int weir_waiter_add(weir_waiter *waiter,
                                          const void *address, size_t size,
                                          uint64_t expected,
                                          weir_woken_fn *woken);

/**
 * Take back an add.
 *
 * Thread   one at a time for each waiter; it must not have been freed by woken
 * Returns  0 (woken is not called), -ENOENT (it was notified: woken has been
 *          called, or will be in a moment)
 */
WEIR_API WEIR_CHECKED int weir_waiter_remove(weir_waiter *waiter);

/**
 * Wake those who wait for the word, `count` of them at the most, the longest
 * waiting first.  The address is not looked at: the word may be gone.
 *
 * Thread   any
 * Returns  how many
 * Orders   what came before is seen by those who wake
 */
WEIR_API uint32_t weir_waiter_notify(const void *address, uint32_t count);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_WAITER_H */
