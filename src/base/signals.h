/* SPDX-License-Identifier: MIT */
/*
 * signals -- SIGTERM and SIGINT as a descriptor that becomes readable.
 *
 * The signal handler does as little as possible: it writes to a wakefd.  The
 * wakefd is created at the first use and never closed, so a handler that runs
 * late, on any thread, cannot write to an unrelated file.  Implemented by
 * os/signals.c.
 */
#ifndef WEIR_SRC_SIGNALS_H
#define WEIR_SRC_SIGNALS_H

#include <signal.h>

/* ThreadSanitizer defers a signal until its thread makes a call that it
 * intercepts, and it intercepts neither futex nor epoll_pwait2.  A signal that
 * arrives just before such a call would not be handled while the thread sleeps.
 * So under ThreadSanitizer:
 *
 *   os/epoll.c   admits signals only within epoll_pwait2, by its mask.  A
 *                signal ends the call, and is handled when an intercepted call
 *                restores the mask.  The keeper (the loop that shuts a service
 *                down) sleeps in the same way.
 *   os/futex.c   has no such mask, so it blocks the signals if they are taken.
 *                The kernel delivers them to another thread, such as the
 *                keeper's. */
#ifndef __has_feature /* clang's counterpart of gcc's macros */
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
enum { WEIR__SIGNALS_ARE_KEPT_BACK = 1 };
#else
enum { WEIR__SIGNALS_ARE_KEPT_BACK = 0 };
#endif

/*
 * Handle both signals from now on.  Only one owner at a time may take them.
 *
 * Thread   any
 * Returns  the wakefd (wakefd.h) that counts them, -EBUSY (they are already
 *          taken), or an error of weir__wakefd_open()
 */
int weir__signals_take(void);

/* Restore the previous actions of both signals.  Thread: any, on behalf of the
 * owner. */
void weir__signals_give_back(void);

/* Block both signals in the calling thread if they are taken.  The caller
 * restores its mask from `before`. */
void weir__signals_leave_to_others(sigset_t *before);

/* Unblock both signals in the calling thread, so that at least one thread
 * receives them. */
void weir__signals_let_in(void);

#endif /* WEIR_SRC_SIGNALS_H */
