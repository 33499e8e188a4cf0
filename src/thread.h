/* SPDX-License-Identifier: MIT */
/*
 * thread -- what weir knows about the calling thread.
 *
 * A small number of its own, which arrays can be indexed with; a slot, which
 * is the same as an offset in bytes; the loop that it runs: then it must not
 * block; the worker of a pool that it is; and the loops that wait for what it
 * does: then it must not wait for them.
 */
#ifndef WEIR_SRC_THREAD_H
#define WEIR_SRC_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "atomic.h"

struct weir_loop;
struct weir__worker;

enum { WEIR__THREAD_INDEX_LIMIT = 1024 };

/* The first numbers have a slot of CACHE_APART bytes each.  All other threads,
 * and those without a number, have the slot after the last one: nobody's, but
 * it is there to be looked at, so that nobody needs to compare. */
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

/* No number: none asked for yet, or 1024 threads have one. */
#define WEIR__THREAD_UNNUMBERED UINT32_MAX

#ifdef WEIR_MODEL
#include "seam.h"

static inline uint32_t weir__thread_slot(void)
{
    return weir__thread_slot_of(weir__thread_index());
}
#else
/* initial-exec: one load, also inside the shared library; eight bytes of the
 * room that the C library keeps for libraries that are loaded late. */
extern _Thread_local __attribute__((tls_model("initial-exec")))
uint32_t weir__thread_number,
    weir__thread_slot_;

/* Gives the calling thread the lowest free number, and takes it back when the
 * thread ends.  What the number's last owner did happens before. */
__attribute__((cold)) uint32_t weir__thread_number_assign(void);

/* 0 .. 1023, never shared by two threads that live at the same time; or
 * WEIR__THREAD_UNNUMBERED.  Thread: any, about itself. */
static inline uint32_t weir__thread_index(void)
{
    uint32_t number = weir__thread_number;

    if (__builtin_expect(number == WEIR__THREAD_UNNUMBERED, 0))
        number = weir__thread_number_assign();
    return number;
}

/* Where the calling thread's slot begins.  Nobody's, until it has asked for
 * its number.  Thread: any, about itself. */
static inline uint32_t weir__thread_slot(void)
{
    return weir__thread_slot_;
}
#endif

#ifndef WEIR_MODEL
extern _Thread_local __attribute__((
    tls_model("initial-exec"))) struct weir_loop *weir__thread_loop_;

/* The loop that the calling thread is running, or NULL. */
static inline struct weir_loop *weir__thread_loop(void)
{
    return weir__thread_loop_;
}

/* Tells the calling thread from all others that live at the same time. */
static inline uintptr_t weir__thread_self(void)
{
    return (uintptr_t)&weir__thread_loop_;
}
#endif

/* Set by the loop around its run. */
void weir__thread_set_loop(struct weir_loop *loop);

#ifndef WEIR_MODEL
extern _Thread_local __attribute__((
    tls_model("initial-exec"))) struct weir__worker *weir__thread_worker_;

/* The worker of a pool that the calling thread is, or NULL. */
static inline struct weir__worker *weir__thread_worker(void)
{
    return weir__thread_worker_;
}
#endif

/* Set by the worker, once. */
void weir__thread_set_worker(struct weir__worker *worker);

/* A job that a loop waits for, on the stack of the thread that runs it; a job
 * that waits for others may run more of them. */
struct weir__duty {
    const struct weir_loop *loop;
    const struct weir__duty *outer;
};

#ifndef WEIR_MODEL
extern _Thread_local __attribute__((tls_model("initial-exec")))
const struct weir__duty *weir__thread_duty_;

/* The innermost one of the calling thread, or NULL. */
static inline const struct weir__duty *weir__thread_duty(void)
{
    return weir__thread_duty_;
}

/* Set by promisify around each. */
static inline void weir__thread_set_duty(const struct weir__duty *duty)
{
    weir__thread_duty_ = duty;
}
#endif

/* A thread of weir's own (os/thread.c).  It has the signal mask of its maker, and
 * SIGPIPE blocked. */
struct weir__thread {
    uint64_t handle;
    uint32_t process; /* weir__fork_generation: a child has not got it */
};

/* Returns  0, or the error of pthread_create, negative */
int weir__thread_start(struct weir__thread *thread, void (*body)(void *arg),
                       void *arg);

/* Waits until it has ended.  One of the parent process is not waited for. */
void weir__thread_join(struct weir__thread *thread);

/* The calling thread, which weir__thread_start has started.  A thread that may
 * be joined before its creator returns from there records this. */
struct weir__thread weir__thread_current(void);

/* While the process forks no number is given or taken back. */
void weir__thread_hold_numbers(bool holds);

/* On how many cores this process may run (os/thread.c).  At least 1. */
uint32_t weir__thread_cores(void);

/* Such a thread must not block. */
static inline bool weir__thread_is_loop(void)
{
    return weir__thread_loop() != NULL;
}

/* The kernel's name for the calling thread, which tools show (os/thread.c). */
uint64_t weir__thread_id(void);

/* By which the kernel may be late with a wait of the calling thread, so that it
 * wakes up for several at once (os/thread.c).  0: it does not say. */
int64_t weir__thread_slack_ns(void);

/* Lets another thread have the core, if one wants it (os/thread.c). */
void weir__thread_yield(void);

#endif /* WEIR_SRC_THREAD_H */
