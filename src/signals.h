/* SPDX-License-Identifier: MIT */
/*
 * signals -- SIGTERM and SIGINT as a descriptor that becomes readable.
 *
 * A handler does the least that it can: it writes to a wakefd.  That is made at
 * the first use and never closed, so a handler that is late, on any thread,
 * cannot write to somebody else's file.  Implemented by os/signals.c.
 */
#ifndef WEIR_SRC_SIGNALS_H
#define WEIR_SRC_SIGNALS_H

#include <signal.h>

/* ThreadSanitizer keeps a signal back until its thread makes a call that it
 * intercepts, and it intercepts neither futex nor epoll_pwait2.  One that comes
 * just before such a call would not be heard while the thread sleeps.  So under
 * ThreadSanitizer:
 *
 *   os/epoll.c   lets signals in within epoll_pwait2 only, by its mask: they end
 *                it, and are handled when the mask is restored, by a call that
 *                is intercepted.  So does the keeper of a service sleep.
 *   os/futex.c   has no such mask.  It blocks those that somebody takes: the
 *                kernel gives them to another thread, such as the keeper.
 */
#ifndef __has_feature /* clang's way to say what gcc has macros for */
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
enum { WEIR__SIGNALS_ARE_KEPT_BACK = 1 };
#else
enum { WEIR__SIGNALS_ARE_KEPT_BACK = 0 };
#endif

/*
 * Take both signals from now on.  One taker at a time.
 *
 * Thread   any
 * Returns  the wakefd (wakefd.h) that counts them, or -EBUSY (somebody takes
 *          them already), or an error of weir__wakefd_open
 */
int weir__signals_take(void);

/* What they did before is restored.  Thread: any, the taker. */
void weir__signals_give_back(void);

/* If somebody takes them, the calling thread blocks them, until it restores the
 * mask that it had before. */
void weir__signals_leave_to_others(sigset_t *before);

/* The calling thread lets them in, so that there is one that does. */
void weir__signals_let_in(void);

#endif /* WEIR_SRC_SIGNALS_H */
