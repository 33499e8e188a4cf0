/* SPDX-License-Identifier: MIT */
/*
 * weir/gate.h -- the lifecycle of anything that admits work.
 *
 *            start            drain            last one out
 *     INIT --------> RUNNING --------> DRAINING ----------> CLOSED
 *                       |                                     ^
 *                       +------- drain, nobody inside --------+
 *
 * Work enters while the gate is RUNNING and exits when it is done.  After the
 * drain nothing enters; the last exit closes the gate, exactly once.  Phase
 * and count are one 64-bit word, so no two of these can be seen apart.
 *
 *     weir_gate gate;
 *     weir_gate_init(&gate, on_closed, self, NULL);
 *     weir_gate_start(&gate);
 *     if (weir_gate_enter(&gate) == 0) {     any thread: work is admitted
 *         serve();
 *         weir_gate_exit(&gate);             any thread, also another one
 *     }
 *     weir_gate_drain(&gate);                refuse new work ...
 *     weir_gate_wait(&gate, -1);             ... and wait for the rest
 *
 * A plain gate (the default) is its word and nothing else: it needs no
 * weir_gate_fini(), and works in memory that several processes map (with
 * on_closed NULL, or valid at the same address in each of them).
 *
 * A sharded gate costs each thread as much as a counter of its own, on any
 * number of cores, and pays at the drain.  Use it where many threads enter
 * hundreds of thousands of times a second.  Its shards are given back by
 * weir_gate_fini().  The first 64 threads of the process have a shard; later
 * ones count in the word, as they all do where the kernel has no membarrier.
 *
 * A child of fork() has a copy of a gate, and of the entries of threads that it
 * has not got: they never leave there.  A gate in memory that both map is one.
 *
 * Misuse.  More exits than enters abort with file and line: the count is
 * corrupt, and some later work would run on a closed gate.  The plain gate
 * sees it at the exit, the sharded one at the drain.
 */
#ifndef WEIR_GATE_H
#define WEIR_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum weir_phase {
    WEIR_PHASE_INIT = 0,
    WEIR_PHASE_RUNNING = 1,
    WEIR_PHASE_DRAINING = 2,
    WEIR_PHASE_CLOSED = 3
} weir_phase;

/* The most that can be inside at once. */
#define WEIR_GATE_LIMIT (UINT32_C(1) << 27)

/* Called once, on the thread whose exit or drain closed the gate, after the
 * gate says CLOSED and its waiters were woken.  It may free the gate. */
typedef void weir_closed_fn(void *arg);

typedef struct weir_gate_options {
    size_t size;  /* sizeof(weir_gate_options) */
    bool sharded; /* count in per-thread shards while RUNNING */
} weir_gate_options;

/* Open, so that it can be embedded and shared; its members are private. */
typedef struct weir_gate {
    struct {
        uint64_t v_;
    } word_;                      /* any thread, gate/P1..P3 */
    struct weir__shards *shards_; /* const after init; NULL when plain */
    weir_closed_fn *on_closed_;   /* const after init */
    void *arg_;                   /* const after init */
} weir_gate;

/**
 * Begin in INIT.  on_closed may be NULL; options NULL means a plain gate.
 *
 * Thread   one, before the others know the gate
 * Owns     the gate stays the caller's, until on_closed or later
 * Returns  0, -EINVAL (options of a size that this library does not know),
 *          -ENOMEM (shards); a plain gate with NULL options cannot fail
 */
WEIR_API WEIR_CHECKED int weir_gate_init(weir_gate *gate,
                                         weir_closed_fn *on_closed, void *arg,
                                         const weir_gate_options *options);

/**
 * Give back the shards of a gate that is INIT or CLOSED; a plain gate has
 * none and needs no call.  May be called by on_closed.
 *
 * Thread   any, when no other thread will call enter, wait or drain again.
 *          A thread still on its way out of exit or start does no harm.
 * Returns  0, -EBUSY (RUNNING or DRAINING)
 */
WEIR_API WEIR_CHECKED int weir_gate_fini(weir_gate *gate);

/**
 * INIT -> RUNNING, for one caller.
 *
 * Thread   any
 * Returns  0, -EALREADY (no longer INIT)
 * Orders   what came before start is seen by every work that enters
 */
WEIR_API WEIR_CHECKED int weir_gate_start(weir_gate *gate);

/**
 * Admit one piece of work.  Wait-free.
 *
 * Thread   any
 * Returns  0, WEIR_ECLOSED (not RUNNING), -EOVERFLOW (a plain gate with
 *          WEIR_GATE_LIMIT inside; a sharded one cannot tell, and aborts at
 *          the drain)
 * Orders   sees what came before start
 */
WEIR_API WEIR_CHECKED int weir_gate_enter(weir_gate *gate);

/**
 * One piece of work is done.  The last one out of a DRAINING gate closes it
 * and calls on_closed before it returns.  Wait-free, but for on_closed.
 *
 * Thread   any, not only the one that entered
 * Owns     if this is not the last one inside, the gate may be freed by
 *          another thread at any moment after this call has begun
 * Orders   what came before exit is seen by on_closed and by every waiter
 */
WEIR_API void weir_gate_exit(weir_gate *gate);

/**
 * RUNNING -> DRAINING for one caller, or straight to CLOSED when nothing is
 * inside; then on_closed is called before drain returns.
 *
 * Thread   any, also from inside the gate
 * Owns     as weir_gate_exit
 * Returns  0, WEIR_ENOTSTARTED (INIT), -EALREADY (another caller drains, or
 *          has drained; until it returns the phase may still be RUNNING)
 * Orders   an enter that comes after a drain that returned 0 is refused
 */
WEIR_API WEIR_CHECKED int weir_gate_drain(weir_gate *gate);

/**
 * Park until CLOSED.  on_closed may still be running on its thread then: who
 * needs its effects lets it say so, or joins that thread.  Do not wait for a
 * gate that on_closed frees, nor from inside the gate.
 *
 * Thread   any but a loop's, which must not block
 * Returns  0, -ETIMEDOUT (timeout_ns went by; negative waits for ever, 0 only
 *          looks), -EDEADLK (on a loop's thread, whatever the phase)
 * Orders   sees what came before every exit
 */
WEIR_API WEIR_CHECKED int weir_gate_wait(weir_gate *gate, int64_t timeout_ns);

struct weir_loop;
struct weir_promise;

/**
 * A promise of that loop (weir/promise.h), fulfilled with nothing when the gate
 * is CLOSED; before on_closed.  For a loop's thread, which must not wait.
 *
 * Thread   any of the process that closes the gate
 * Owns     *promise is the caller's; the gate stays until it is CLOSED
 * Returns  0, -EINVAL (NULL), -ENOMEM, WEIR_ECLOSED (as weir_promise_new)
 * Orders   handlers see what came before every exit
 */
WEIR_API WEIR_CHECKED int weir_gate_closed(weir_gate *gate,
                                           struct weir_loop *loop,
                                           struct weir_promise **promise);

/**
 * The phase now; it may be a later one when you look at the answer.
 *
 * Thread   any
 * Orders   CLOSED sees what came before every exit
 */
WEIR_API weir_phase weir_gate_phase(const weir_gate *gate);

/**
 * How many are inside now: a snapshot, exact when nobody moves.
 *
 * Thread   any
 */
WEIR_API uint32_t weir_gate_inflight(const weir_gate *gate);

/**
 * Whether threads count in shards: asked for, and the kernel can do it.
 *
 * Thread   any
 */
WEIR_API bool weir_gate_is_sharded(const weir_gate *gate);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_GATE_H */
