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
 * drain nothing enters, and the last exit closes the gate, exactly once.  The
 * phase and the count share one 64-bit word, so every change of both is one
 * atomic step.
 *
 *     weir_gate gate;
 *     weir_gate_init(&gate, on_closed, self, NULL);
 *     weir_gate_start(&gate);
 *     if (weir_gate_enter(&gate) == 0) {     any thread: work is admitted
 *         serve();
 *         weir_gate_exit(&gate);             any thread, even another one
 *     }
 *     weir_gate_drain(&gate);                refuse new work ...
 *     weir_gate_wait(&gate, -1);             ... and wait for the rest
 *
 * A plain gate (the default) is its word and nothing else: it needs no
 * weir_gate_fini(), and works in memory that several processes map (with
 * on_closed NULL, or valid at the same address in each of them).
 *
 * A sharded gate costs each thread as much as incrementing its own counter, on
 * any number of cores.  In return, its drain is more expensive.  Use it where
 * many threads enter hundreds of thousands of times a second.  weir_gate_fini()
 * frees its shards.  The first 64 threads of the process have a shard each.
 * Later threads count in the word, as all threads do if the kernel has no
 * membarrier.
 *
 * A child of fork() has a copy of a gate, including the entries of threads that
 * do not exist in the child.  Those entries never exit there.  A gate in memory
 * that parent and child share is one gate.
 *
 * Misuse: more exits than enters abort the program with file and line, because
 * the count is corrupt and later work would run on a closed gate.  A plain gate
 * detects this at the exit, a sharded gate at the drain.
 */
#ifndef WEIR_GATE_H
#define WEIR_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/clock.h"
#include "weir/error.h"
#include "weir/export.h"
#include "weir/task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum weir_phase {
    WEIR_PHASE_INIT = 0,
    WEIR_PHASE_RUNNING = 1,
    WEIR_PHASE_DRAINING = 2,
    WEIR_PHASE_CLOSED = 3
} weir_phase;

/* The most entries that can be inside at once. */
#define WEIR_GATE_LIMIT (UINT32_C(1) << 27)

typedef struct weir_gate_options {
    size_t size;  /* sizeof(weir_gate_options) */
    bool sharded; /* count in per-thread shards while RUNNING */
} weir_gate_options;

/* Open, so that it can be embedded and shared.  Its members are private. */
typedef struct weir_gate {
    struct {
        uint64_t v_;
    } word_;                      /* any thread, gate/P1..P3 */
    struct weir__shards *shards_; /* const after init; NULL when plain */
    weir_call_fn *on_closed_;     /* const after init */
    void *arg_;                   /* const after init */
} weir_gate;

/**
 * Initialize a gate in phase INIT.  on_closed, unless it is NULL, is called
 * once, on the thread whose exit or drain closed the gate, after the gate is
 * CLOSED and its waiters have been woken.  It may free the gate.  If options is
 * NULL, the gate is a plain gate.
 *
 * Thread   one, before other threads know the gate
 * Owns     the gate stays the caller's, until on_closed or later
 * Returns  0, -EINVAL (options has no valid size), -E2BIG (an option that this
 *          library does not know), -ENOMEM (shards); a plain gate with NULL
 *          options cannot fail
 */
WEIR_API WEIR_CHECKED int weir_gate_init(weir_gate *gate,
                                         weir_call_fn *on_closed, void *arg,
                                         const weir_gate_options *options);

/**
 * Free the shards of a gate that is INIT or CLOSED.  A plain gate has no shards
 * and does not need this call.  on_closed may call it.
 *
 * Thread   any, if no other thread will call enter, wait or drain again.  A
 *          thread that is still returning from exit or start is allowed
 * Returns  0, -EBUSY (RUNNING or DRAINING)
 */
WEIR_API WEIR_CHECKED int weir_gate_fini(weir_gate *gate);

/**
 * Start a gate, so that it goes from INIT to RUNNING.  Of several callers, one
 * succeeds.
 *
 * Thread   any
 * Returns  0, -EALREADY (no longer INIT)
 * Orders   everything before start is visible to all work that enters
 */
WEIR_API WEIR_CHECKED int weir_gate_start(weir_gate *gate);

/**
 * Enter a gate with one piece of work.  This is wait-free.
 *
 * Thread   any
 * Returns  0, WEIR_ECLOSED (not RUNNING), -EOVERFLOW (a plain gate with
 *          WEIR_GATE_LIMIT inside; a sharded gate cannot tell, and aborts at
 *          the drain)
 * Orders   sees everything before start
 */
WEIR_API WEIR_CHECKED int weir_gate_enter(weir_gate *gate);

/**
 * Exit a gate when one piece of work is done.  The last exit from a DRAINING
 * gate closes it, and calls on_closed before it returns.  This is wait-free,
 * except for on_closed.
 *
 * Thread   any, not only the thread that entered
 * Owns     if other work is still inside, another thread may free the gate at
 *          any moment after this call has begun
 * Orders   everything before exit is visible to on_closed and to every waiter
 */
WEIR_API void weir_gate_exit(weir_gate *gate);

/**
 * Drain a gate, so that it refuses new work.  The gate goes from RUNNING to
 * DRAINING, or directly to CLOSED if nothing is inside.  In the latter case
 * on_closed is called before this call returns.  Of several callers, one
 * succeeds.
 *
 * Thread   any, even from inside the gate
 * Owns     if work is still inside, another thread may free the gate at any
 *          moment after this call has begun
 * Returns  0, WEIR_ENOTSTARTED (INIT), -EALREADY (another caller drains the
 *          gate, or has drained it; until that call returns, the phase may
 *          still be RUNNING)
 * Orders   an enter that comes after a drain that returned 0 is refused
 */
WEIR_API WEIR_CHECKED int weir_gate_drain(weir_gate *gate);

/**
 * Wait until a gate is CLOSED.  on_closed may still be running on its thread
 * when this call returns.  A caller that needs its effects must have on_closed
 * notify it, or join that thread.  Do not wait for a gate that on_closed frees,
 * and do not wait inside the gate.
 *
 * Thread   any except a loop's, which must not block
 * Returns  0, -ETIMEDOUT (timeout_ns has passed; negative: no limit, 0: do not
 *          wait), -EDEADLK (on a loop's thread, in any phase)
 * Orders   sees everything before every exit
 */
WEIR_API WEIR_CHECKED int weir_gate_wait(weir_gate *gate, int64_t timeout_ns);

struct weir_loop;
struct weir_promise;

/**
 * Make a promise for the closing of a gate.  It is a promise of `loop`
 * (weir/promise.h), and is fulfilled without a value when the gate is CLOSED,
 * before on_closed is called.  Use it on a loop's thread, which must not wait.
 *
 * Thread   any of the process that closes the gate
 * Owns     *promise is the caller's; the gate must exist until it is CLOSED
 * Returns  0, -EINVAL (NULL), -ENOMEM, WEIR_ECLOSED (the loop no longer
 *          admits work; on its own thread: it has rejected its promises)
 * Orders   handlers see everything before every exit
 */
WEIR_API WEIR_CHECKED int weir_gate_closed(weir_gate *gate,
                                           struct weir_loop *loop,
                                           struct weir_promise **promise);

/**
 * Get the phase of a gate.  The gate may be in a later phase by the time the
 * call returns.
 *
 * Thread   any
 * Orders   CLOSED: sees everything before every exit
 */
WEIR_API weir_phase weir_gate_phase(const weir_gate *gate);

/**
 * Get the number of entries inside a gate.  It is a snapshot, and exact only
 * while the gate is quiescent.
 *
 * Thread   any
 */
WEIR_API uint32_t weir_gate_inflight(const weir_gate *gate);

/**
 * Test whether threads count in shards, which is the case if the options
 * requested it and the kernel supports it.
 *
 * Thread   any
 */
WEIR_API bool weir_gate_is_sharded(const weir_gate *gate);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_GATE_H */
