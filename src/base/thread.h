/* SPDX-License-Identifier: MIT */
/*
 * thread -- what weir knows about the calling thread.
 *
 * Each thread has
 *   a number   small and unique among live threads, to index arrays with
 *   a slot     the same number as an offset in bytes
 *   a loop     the one it is running, if any; such a thread must not block
 *   a worker   the pool worker that it is, if any
 *   duties     the loops that wait for what it does; it must not wait for them
 */
#ifndef WEIR_SRC_THREAD_H
#define WEIR_SRC_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/atomic.h"

struct weir_loop;
struct weir__worker;

enum { WEIR__THREAD_INDEX_LIMIT = 1024 };

/* Each of the first numbers has a slot of CACHE_APART bytes.  All other
 * threads, and threads without a number, share the slot after the last one.
 * No thread owns that slot, but it exists and can be read, so no caller needs a
 * bounds check. */
#ifdef WEIR_SMALL
enum { WEIR__THREAD_SLOTS = 2 };
#else
enum { WEIR__THREAD_SLOTS = 64 };
#endif

static inline uint32_t weir__thread_slot_of(uint32_t number)
{
    return (number < WEIR__THREAD_SLOTS ? number : WEIR__THREAD_SLOTS) *
           CACHE_APART;
}

/* The thread has not asked for a number yet, or all 1024 are taken. */
#define WEIR__THREAD_UNNUMBERED UINT32_MAX

#ifdef WEIR_MODEL
#include "seam.h"

static inline uint32_t weir__thread_slot(void)
{
    return weir__thread_slot_of(weir__thread_index());
}
#else
/* initial-exec makes each access one load, even inside the shared library.  It
 * uses some bytes of the static TLS space that the C library reserves for
 * libraries loaded later. */
extern _Thread_local __attribute__((tls_model("initial-exec")))
uint32_t weir__thread_number,
    weir__thread_slot_;

/* Assign the lowest free number to the calling thread until the thread ends.
 * Everything the number's previous owner did happens before this returns. */
__attribute__((cold)) uint32_t weir__thread_number_assign(void);

/* Return the calling thread's number, 0 to 1023, assigning one if needed.  No
 * two live threads share a number.  Returns WEIR__THREAD_UNNUMBERED if none is
 * free.  Thread: any. */
static inline uint32_t weir__thread_index(void)
{
    uint32_t number = weir__thread_number;

    if (__builtin_expect(number == WEIR__THREAD_UNNUMBERED, 0))
        number = weir__thread_number_assign();
    return number;
}

/* Return the byte offset of the calling thread's slot.  Until the thread has
 * asked for its number, this is the slot without an owner.  Thread: any. */
static inline uint32_t weir__thread_slot(void)
{
    return weir__thread_slot_;
}
#endif

#ifndef WEIR_MODEL
extern _Thread_local __attribute__((
    tls_model("initial-exec"))) struct weir_loop *weir__thread_loop_;

/* Return the loop that the calling thread is running, or NULL. */
static inline struct weir_loop *weir__thread_loop(void)
{
    return weir__thread_loop_;
}

/* Return a value that identifies the calling thread among all live threads. */
static inline uintptr_t weir__thread_self(void)
{
    return (uintptr_t)&weir__thread_loop_;
}
#endif

/* Called by the loop when its run begins and ends. */
void weir__thread_set_loop(struct weir_loop *loop);

#ifndef WEIR_MODEL
extern _Thread_local __attribute__((
    tls_model("initial-exec"))) struct weir__worker *weir__thread_worker_;

/* Return the pool worker that the calling thread is, or NULL. */
static inline struct weir__worker *weir__thread_worker(void)
{
    return weir__thread_worker_;
}
#endif

/* Called once by each worker. */
void weir__thread_set_worker(struct weir__worker *worker);

/* A job that a loop waits for.  The record is on the stack of the thread that
 * runs the job.  Duties nest, because a job that waits for other jobs may run
 * them itself. */
struct weir__duty {
    const struct weir_loop *loop;
    const struct weir__duty *outer;
};

#ifndef WEIR_MODEL
extern _Thread_local __attribute__((tls_model("initial-exec")))
const struct weir__duty *weir__thread_duty_;

/* Return the calling thread's innermost duty, or NULL. */
static inline const struct weir__duty *weir__thread_duty(void)
{
    return weir__thread_duty_;
}

/* Called by promisify before and after each job. */
static inline void weir__thread_set_duty(const struct weir__duty *duty)
{
    weir__thread_duty_ = duty;
}
#endif

/* A thread that weir has started (os/thread.c).  It inherits the signal mask of
 * its creator, with SIGPIPE blocked in addition. */
struct weir__thread {
    uint64_t handle;
    uint32_t process; /* weir__fork_generation of the process that has it */
};

/* Start a thread that runs body(arg).  Returns 0, -ENOMEM, or the negated error
 * of pthread_create. */
int weir__thread_start(struct weir__thread *thread, void (*body)(void *arg),
                       void *arg);

/* Wait until the thread has ended.  Has no effect in a forked child on a thread
 * of its parent. */
void weir__thread_join(struct weir__thread *thread);

/* Return the handle of the calling thread, which weir__thread_start() has
 * started.  A thread that may be joined before weir__thread_start() returns to
 * its creator records its own handle with this. */
struct weir__thread weir__thread_current(void);

/* Hold (true) or release (false) the mutex of the numbers.  The process holds
 * it while it forks, so that no number is assigned or returned meanwhile. */
void weir__thread_hold_numbers(bool holds);

/* Return the number of cores that this process may run on, at least 1
 * (os/thread.c). */
uint32_t weir__thread_cores(void);

/* Whether the calling thread is running a loop, and so must not block. */
static inline bool weir__thread_is_loop(void)
{
    return weir__thread_loop() != NULL;
}

/* Return the kernel's ID of the calling thread, which tools display
 * (os/thread.c). */
uint64_t weir__thread_id(void);

/* Return the timer slack of the calling thread: how late the kernel may end its
 * waits in order to coalesce wake-ups.  0 means unknown (os/thread.c). */
int64_t weir__thread_slack_ns(void);

/* Yield the core to another runnable thread, if there is one (os/thread.c). */
void weir__thread_yield(void);

/* Let no pthread_cancel() take effect on the calling thread until restore.  Then
 * the C library has nothing to do for cancellation around system calls
 * (os/thread.c). */
struct weir__cancelling {
    int state, type;
};
struct weir__cancelling weir__thread_hold_cancel(void);
void weir__thread_restore_cancel(struct weir__cancelling old);

#endif /* WEIR_SRC_THREAD_H */
