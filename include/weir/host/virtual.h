/* SPDX-License-Identifier: MIT */
/*
 * weir/host/virtual.h -- time that passes only while every loop sleeps.
 *
 * Tests of timers take as long as their timers, and what they see depends on
 * how busy the machine is.  In virtual time the clock stands still while a loop
 * has something to do.  When all loops that take part are asleep, it jumps to
 * the next timer.
 *
 *     weir_virtual_member member = {.loop = loop};
 *
 *     weir_virtual_join(&member);
 *     weir_virtual_begin();
 *     weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE);    an hour takes no time
 *     weir_virtual_end();
 *     weir_virtual_leave(&member);
 *
 * A loop sleeps when it waits for timers, tasks and descriptors, and no
 * descriptor is ready.  What happens outside of the loops does not count, unless
 * it is declared by is_busy or weir_virtual_hold.
 *
 * weir_clock_freeze (weir/clock.h) and virtual time exclude each other.
 */
#ifndef WEIR_HOST_VIRTUAL_H
#define WEIR_HOST_VIRTUAL_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_virtual_member weir_virtual_member;

/* A loop that takes part.  Set the first members; the others are private. */
struct weir_virtual_member {
    weir_loop *loop;
    /* Whether something outside of the loop will post to it, such as a job on a
     * pool.  Called on the loop's thread, under a lock, before the loop sleeps:
     * it must not block.  NULL: nothing ever does. */
    bool (*is_busy)(void *arg);
    void *arg;
    weir_virtual_member *next_, *prev_; /* under the lock, like all of these: */
    int64_t deadline_ns_;               /* of its next timer, while it sleeps */
    bool is_asleep_, is_busy_;          /* when it went to sleep */
};

/**
 * Let a loop take part in virtual time, now and whenever it begins.
 *
 * Thread   loop
 * Owns     the member must remain valid until weir_virtual_leave
 */
WEIR_API void weir_virtual_join(weir_virtual_member *member);

/**
 * Let a loop no longer take part.
 *
 * Thread   loop; once after weir_virtual_join, before the loop is freed
 */
WEIR_API void weir_virtual_leave(weir_virtual_member *member);

/**
 * Begin virtual time, at the present.
 *
 * Thread   any
 * Returns  0, -EBUSY (it has begun, or the clock is frozen)
 */
WEIR_API WEIR_CHECKED int weir_virtual_begin(void);

/**
 * Return to the real clock.  Timers that were started in virtual time keep their
 * deadlines.  This has no effect unless virtual time has begun.
 *
 * Thread   any
 */
WEIR_API void weir_virtual_end(void);

/**
 * Get the wall clock's time in virtual time, in nanoseconds since 1970.  It goes
 * on from the moment at which virtual time began.
 *
 * Thread   any
 * Returns  the time, or -1 (virtual time has not begun: ask the system)
 */
WEIR_API int64_t weir_virtual_date(void);

/**
 * Stop virtual time until weir_virtual_release: a thread that is in no loop has
 * something to do, such as one that starts a loop.
 *
 * Thread   any; the calls are counted
 */
WEIR_API void weir_virtual_hold(void);

/**
 * Take back one weir_virtual_hold.
 *
 * Thread   any
 */
WEIR_API void weir_virtual_release(void);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_HOST_VIRTUAL_H */
