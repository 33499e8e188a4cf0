/* SPDX-License-Identifier: MIT */
/*
 * weir/host/thread.h -- threads that a host starts, each with its own loop.
 *
 *     weir_thread thread;
 *
 *     if (weir_thread_start(&thread, run_worker, worker, 16 << 20) != 0) ...
 *     weir_thread_join(&thread);
 *
 * A thread starts with all signals blocked, so that the thread that runs the
 * program receives them.  Programs that are started from it inherit this mask.
 */
#ifndef WEIR_HOST_THREAD_H
#define WEIR_HOST_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The struct is open so that it can be embedded; its members are private. */
typedef struct weir_thread {
    uint64_t handle_;
    uint32_t process_;
} weir_thread;

/**
 * Start a thread that calls body(arg) and then ends.  A stack_bytes of 0 means
 * the default of the system.
 *
 * Thread   any
 * Owns     the caller joins *thread once; body may begin before *thread is
 *          written
 * Returns  0, -EINVAL (NULL, or a stack that is too small), -EAGAIN (the system
 *          has no thread or no memory for the stack), -ENOMEM
 * Orders   everything before the call happens-before body
 */
WEIR_API WEIR_CHECKED int weir_thread_start(weir_thread *thread,
                                            weir_call_fn *body, void *arg,
                                            size_t stack_bytes);

/**
 * Wait until a thread has ended.  This blocks; a loop's thread may call it for
 * a thread that is about to end.  It has no effect in a child of fork(), which
 * does not have the thread.
 *
 * Thread   any except the one that is joined; once for each thread
 * Orders   everything that the thread did happens-before the return
 */
WEIR_API void weir_thread_join(weir_thread *thread);

/**
 * Find the lowest address of the calling thread's stack.  The first call on the
 * first thread of a process takes long, because it reads a file of the system.
 *
 * Thread   any
 * Returns  the address, or NULL if it is unknown
 */
WEIR_API const void *weir_thread_stack_end(void);

/**
 * Block or unblock a signal in the calling thread.  *was_blocked, unless it is
 * NULL, is set to whether the signal was blocked before.
 *
 * Thread   any
 * Returns  0, -EINVAL (there is no signal of this number)
 */
WEIR_API WEIR_CHECKED int weir_thread_block_signal(int number, bool is_blocked,
                                                   bool *was_blocked);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_HOST_THREAD_H */
