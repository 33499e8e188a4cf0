/* SPDX-License-Identifier: MIT */
/*
 * weir/host/guest.h -- something that lives on a loop which it does not own.
 *
 * A server on the loop of a JavaScript program is a guest there.  Its loop may
 * end before it does, any thread may ask it to drain, and another thread (the
 * control thread) carries the drain out, because the loop may be busy.
 *
 *     any thread       control thread        the loop's thread
 *     drain       -->  take, then post  -->  the work, then end
 *
 * A guest decides which threads may still use the loop, whether a drain was
 * requested, and by when it must be over.  It has no callbacks and allocates
 * nothing.
 */
#ifndef WEIR_HOST_GUEST_H
#define WEIR_HOST_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/export.h"
#include "weir/host/lock.h"
#include "weir/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The struct is open so that it can be embedded; its members are private. */
typedef struct weir_guest {
    weir_lock lock_;
    weir_loop *loop_;
    int64_t deadline_ns_;
    uint32_t flags_;
} weir_guest;

/* What weir_guest_drain tells its caller to do. */
enum {
    WEIR_GUEST_FIRST = 1, /* this call has begun the drain */
    WEIR_GUEST_TELL = 2,  /* the control thread must call weir_guest_take */
};

/**
 * Initialize a guest of a loop.
 *
 * Thread   one, before other threads know the guest
 * Owns     the guest needs no cleanup
 */
WEIR_API void weir_guest_init(weir_guest *guest, weir_loop *loop);

/**
 * Post a task to the guest's loop, unless the loop has ended.
 *
 * Thread   any
 * Owns     as long as the task is queued, its memory belongs to the loop
 * Returns  whether the task was posted: false if the loop has ended or has
 *          refused it
 */
WEIR_API bool weir_guest_post(weir_guest *guest, weir_task *task);

/**
 * Request a drain that is over by deadline_ns, a time of weir_clock_now(); -1
 * means no limit.  Of several deadlines the earliest counts.  From the first
 * call on, the guest keeps its loop running.
 *
 * Thread   any
 * Returns  a sum of WEIR_GUEST_FIRST and WEIR_GUEST_TELL, which may be 0, or
 *          -EALREADY (the guest has ended)
 */
WEIR_API int weir_guest_drain(weir_guest *guest, int64_t deadline_ns);

/**
 * Take the request for a drain.  A later request with an earlier deadline
 * returns WEIR_GUEST_TELL again.
 *
 * Thread   the control thread
 * Returns  whether there is something to drain; then *deadline_ns is the
 *          earliest deadline, or -1.  False if the guest has ended
 */
WEIR_API bool weir_guest_take(weir_guest *guest, int64_t *deadline_ns);

/**
 * Keep the loop of a guest running until the guest ends.  weir_guest_drain does
 * the same.
 *
 * Thread   any
 * Returns  false if the guest or its loop has ended
 */
WEIR_API bool weir_guest_hold(weir_guest *guest);

/**
 * Test whether a drain was requested, or the guest has ended.
 *
 * Thread   any
 */
WEIR_API bool weir_guest_is_draining(weir_guest *guest);

/**
 * End a guest.  It no longer keeps the loop running.  This has no effect if it
 * has ended before.
 *
 * Thread   the loop's
 * Returns  whether this call has ended it
 */
WEIR_API bool weir_guest_end(weir_guest *guest);

/**
 * Announce that the loop of a guest ends.  Afterwards no thread uses the loop
 * through the guest, so the loop's memory may be freed.  This ends the guest as
 * well.
 *
 * Thread   the loop's
 * Returns  whether this call has ended the guest
 */
WEIR_API bool weir_guest_lose_loop(weir_guest *guest);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_HOST_GUEST_H */
