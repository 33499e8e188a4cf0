/* SPDX-License-Identifier: MIT */
/*
 * backtrace -- interrupt another thread of this process to see its stack.
 *
 *     the watched thread                     another thread
 *     weir__backtrace_let_in();              weir__backtrace_send(thread)
 *     on_interrupt()     in the handler
 *         weir__backtrace_take(frames, 64)
 *
 * Implemented by os/backtrace.c.
 */
#ifndef WEIR_SRC_BACKTRACE_H
#define WEIR_SRC_BACKTRACE_H

#include <stdint.h>

/*
 * Install the handler, which calls on_interrupt on the interrupted thread.  It
 * stays installed until the process ends.  A repeated call has no effect.
 *
 * Thread   one at a time
 * Returns  0, -ENOTSUP (this build cannot do it), -EBUSY (the program uses the
 *          signal), or the error of sigaction(2)
 */
int weir__backtrace_start(void (*on_interrupt)(void));

/* Let the calling thread be interrupted.  Thread: any. */
void weir__backtrace_let_in(void);

/* Interrupt a thread, by the kernel's ID.  Thread: any. */
int weir__backtrace_send(uint64_t thread);

/* Take the return addresses of the calling thread, the innermost first.  In
 * the handler, those of the handler come first.  Returns their number. */
int weir__backtrace_take(void **frames, int capacity);

#endif /* WEIR_SRC_BACKTRACE_H */
