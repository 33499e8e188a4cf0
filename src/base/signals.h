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

#ifndef __has_feature /* clang's counterpart of gcc's macros */
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define WEIR__THREAD_SANITIZED
#endif

/* Marks a function that the handler calls, or the handler itself, which
 * ThreadSanitizer must not instrument (os/signals.c says why). */
#if !defined(WEIR__THREAD_SANITIZED)
#define WEIR__IN_HANDLER
#elif __has_attribute(disable_sanitizer_instrumentation) /* clang */
#define WEIR__IN_HANDLER __attribute__((disable_sanitizer_instrumentation))
#else
#define WEIR__IN_HANDLER __attribute__((no_sanitize("thread")))
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

/* Unblock both signals in the calling thread, so that at least one thread
 * receives them. */
void weir__signals_let_in(void);

#endif /* WEIR_SRC_SIGNALS_H */
