/* SPDX-License-Identifier: MIT */
/*
 * weir/host/lock.h -- a mutex of one word.
 *
 * A lock protects plain data that the threads of a process share, such as a
 * list of names.  A thread that finds it held sleeps.
 *
 *     static weir_lock lock = WEIR_LOCK_INIT;
 *
 *     weir_lock_acquire(&lock);
 *     count++;
 *     weir_lock_release(&lock);
 *
 * A loop's thread may take a lock, because no thread may hold one for long:
 * while it holds a lock, a thread must not wait for another thread or run a
 * callback.  A lock needs no cleanup.
 *
 * A child of fork() must not use a lock that another thread of its parent may
 * have held at the time of the fork: no thread of the child would release it.
 * The exception is a global lock, which no other thread holds during a fork.
 *
 *     static weir_global_lock lock = WEIR_GLOBAL_LOCK_INIT;
 *
 *     weir_global_lock_acquire(&lock);
 *     list = item;
 *     weir_global_lock_release(&lock);
 */
#ifndef WEIR_HOST_LOCK_H
#define WEIR_HOST_LOCK_H

#include <stdint.h>

#include "weir/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The struct is open so that it can be embedded; its member is private.  A lock
 * whose bytes are all 0 is free. */
typedef struct weir_lock {
    struct {
        uint32_t v_;
    } word_; /* any thread, lock/P1 */
} weir_lock;

/* clang-format off */
#define WEIR_LOCK_INIT {{0}}
/* clang-format on */

/**
 * Acquire a lock, and sleep while another thread holds it.  A thread that
 * acquires a lock that it already holds waits forever.
 *
 * Thread   any
 * Orders   sees everything before the last release of the lock
 */
WEIR_API void weir_lock_acquire(weir_lock *lock);

/**
 * Release a lock, and wake a thread that waits for it.
 *
 * Thread   the one that has acquired the lock
 * Owns     another thread that then acquires the lock may free its memory
 * Orders   everything before the call is seen by the thread that acquires the
 *          lock next
 */
WEIR_API void weir_lock_release(weir_lock *lock);

/* ---- global locks ---- */

/* A lock of static storage, which remains until the process ends.  The struct is
 * open so that it can be initialised; its members are private. */
typedef struct weir_global_lock {
    weir_lock lock_;
    struct {
        uint32_t v_;
    } is_known_; /* any thread */
    struct weir_global_lock *next_;
} weir_global_lock;

/* clang-format off */
#define WEIR_GLOBAL_LOCK_INIT {{{0}}, {0}, 0}
/* clang-format on */

/**
 * Acquire a global lock, and sleep while another thread holds it, or while the
 * process forks.  fork() waits for it, so that a child finds it free, and what
 * it protects consistent.  A thread that holds a global lock must not acquire
 * another one, nor fork.
 *
 * Thread   any
 * Orders   sees everything before the last release of the lock
 */
WEIR_API void weir_global_lock_acquire(weir_global_lock *lock);

/**
 * Release a global lock, and wake a thread that waits for it.
 *
 * Thread   the one that has acquired the lock
 * Orders   everything before the call is seen by the thread that acquires the
 *          lock next
 */
WEIR_API void weir_global_lock_release(weir_global_lock *lock);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_HOST_LOCK_H */
