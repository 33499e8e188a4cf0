/* SPDX-License-Identifier: MIT */
/*
 * guest -- something that lives on a loop which it does not own.
 *
 * Shape     A pointer to the loop, a deadline and four flags behind a lock:
 *
 *               HELD      the guest keeps the loop running
 *               DRAINING  a drain was asked for
 *               TOLD      the control thread will take the request
 *               OVER      the guest has ended
 *
 * Why a lock  The loop is used (posted to, referenced) by threads that do not
 *           own it, and must not be freed meanwhile.  One word could say that it
 *           has ended, but not that nobody is inside a call any more.  The lock
 *           says both.  It is held for one post at most.
 * Loop      lose_loop clears the pointer under the lock, on the loop's thread,
 *           before the loop is freed.  So whoever finds the pointer may use it
 *           until the lock is released.
 * Requests  TOLD is set by the drain call that must wake the control thread, and
 *           cleared by take, which reads the deadline in the same critical
 *           section.  A request that comes later sets TOLD again: none is lost,
 *           and the control thread's task is queued once.
 * Hold      HELD is set together with the reference, and whoever clears it drops
 *           the reference: once, on the loop's thread.
 *
 * Tested by  test/model/sync/guest.c, test/unit/sync/guest.c,
 *            test/net/http/guest.c
 */
#include "weir/host/guest.h"

#include <errno.h>
#include <stddef.h>

enum { HELD = 1, DRAINING = 2, TOLD = 4, OVER = 8 };

void weir_guest_init(weir_guest *guest, weir_loop *loop)
{
    *guest = (weir_guest){
        .lock_ = WEIR_LOCK_INIT, .loop_ = loop, .deadline_ns_ = -1};
}

bool weir_guest_post(weir_guest *guest, weir_task *task)
{
    bool is_posted;

    weir_lock_acquire(&guest->lock_);
    is_posted = guest->loop_ != NULL && weir_loop_post(guest->loop_, task) == 0;
    weir_lock_release(&guest->lock_);
    return is_posted;
}

/* ---- under the lock ---- */

/* False if there is nothing to keep running. */
static bool hold(weir_guest *guest)
{
    if (guest->flags_ & OVER)
        return false;
    if (!(guest->flags_ & HELD))
        weir_loop_ref(guest->loop_);
    guest->flags_ |= HELD;
    return true;
}

static bool is_earlier(int64_t deadline_ns, int64_t than_ns)
{
    return deadline_ns >= 0 && (than_ns < 0 || deadline_ns < than_ns);
}

static int want_drain(weir_guest *guest, int64_t deadline_ns)
{
    int result = 0;

    if (!hold(guest))
        return -EALREADY;
    if (!(guest->flags_ & DRAINING))
        result |= WEIR_GUEST_FIRST;
    else if (!is_earlier(deadline_ns, guest->deadline_ns_))
        return 0;
    guest->deadline_ns_ = deadline_ns;
    if (!(guest->flags_ & TOLD))
        result |= WEIR_GUEST_TELL;
    guest->flags_ |= DRAINING | TOLD;
    return result;
}

/* ---- any thread ---- */

int weir_guest_drain(weir_guest *guest, int64_t deadline_ns)
{
    int result;

    weir_lock_acquire(&guest->lock_);
    result = want_drain(guest, deadline_ns);
    weir_lock_release(&guest->lock_);
    return result;
}

bool weir_guest_take(weir_guest *guest, int64_t *deadline_ns)
{
    bool is_wanted;

    weir_lock_acquire(&guest->lock_);
    guest->flags_ &= ~(uint32_t)TOLD;
    is_wanted = (guest->flags_ & (DRAINING | OVER)) == DRAINING;
    *deadline_ns = guest->deadline_ns_;
    weir_lock_release(&guest->lock_);
    return is_wanted;
}

bool weir_guest_hold(weir_guest *guest)
{
    bool is_held;

    weir_lock_acquire(&guest->lock_);
    is_held = hold(guest);
    weir_lock_release(&guest->lock_);
    return is_held;
}

bool weir_guest_is_draining(weir_guest *guest)
{
    bool is_draining;

    weir_lock_acquire(&guest->lock_);
    is_draining = guest->flags_ & (DRAINING | OVER);
    weir_lock_release(&guest->lock_);
    return is_draining;
}

/* ---- the loop's thread ---- */

static bool end(weir_guest *guest, bool has_loop)
{
    weir_loop *loop;
    uint32_t flags;

    weir_lock_acquire(&guest->lock_);
    loop = guest->loop_;
    flags = guest->flags_;
    guest->flags_ = (flags | OVER) & ~(uint32_t)HELD;
    if (!has_loop)
        guest->loop_ = NULL;
    weir_lock_release(&guest->lock_);
    if (flags & HELD)
        weir_loop_unref(loop);
    return !(flags & OVER);
}

bool weir_guest_end(weir_guest *guest)
{
    return end(guest, true);
}

bool weir_guest_lose_loop(weir_guest *guest)
{
    return end(guest, false);
}
