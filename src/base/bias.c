/* SPDX-License-Identifier: MIT */
/*
 * bias -- a lock that costs one thread almost nothing until another needs it.
 *
 * Shape     A word that says whether the holder may enter, which goes from
 *           GRANTED to REVOKED and never back, and a word that says which bias
 *           the holder is inside, which only the holder writes.  The first is
 *           in the bias.  The second is in the thread's slot, because the
 *           holder uses it when it has left, and the bias may be freed then.
 * Roles     enter, leave   the holder; enter refuses every other thread
 *           revoke         any number of other threads
 * Progress  enter and leave are wait-free, without a locked instruction.
 *           revoke makes one system call, and sleeps while the holder is
 *           inside.  Once the bias is REVOKED, revoke is one load.
 *
 * Shared state
 *   holder    const after init.  A thread's number passes on under a mutex
 *             (thread.c), so a later thread with that number sees what its
 *             predecessor did inside.
 *   state     any thread, atomic                                     P1 P3
 *   inside    the holder writes, any thread reads and sleeps on it   P1 P2 P4
 *   revokers  any thread counts itself, the holder reads             P2
 *
 * Pairs
 *   P1  light: enter, between the store of inside and the load of state.
 *       heavy: revoke, between the store of state and the load of inside.
 *             holder                         another thread
 *             inside = bias                  state = REVOKING
 *             fence_light()                  weir__membarrier()
 *             if (state == GRANTED) go on    while (inside == bias) sleep
 *       Forbidden: the holder reads GRANTED and the other thread reads 0.  Both
 *       would be inside.
 *   P2  light: leave, between the store of inside and the load of revokers.
 *       heavy: the same as in P1.
 *             holder                         another thread
 *             inside = 0                     revokers += 1
 *             fence_light()                  weir__membarrier()
 *             if (revokers != 0) wake        if (inside == bias) sleep
 *       Forbidden: the holder reads 0 and the other thread reads bias.  It
 *       would sleep forever.
 *   P3  revoke: store of REVOKED, release  -->  revoke: load, acquire
 *       A thread that finds the bias revoked by another one receives what the
 *       other one has received from the holder.
 *   P4  leave, enter: store of inside, release  -->  revoke: load, acquire
 *       Hands over what the holder did inside to the thread that revokes, even
 *       if that thread sees the holder inside another bias already.
 *
 * Why a late enter is harmless  A holder that read GRANTED before a revocation
 *           may set `inside` after it.  It then reads the state again, does
 *           nothing, and clears `inside`; any thread that saw it set is woken.
 *
 * Tested by  test/model/base/bias.c, test/unit/base/bias.c,
 *            test/stress/loop/timer.c
 */
#include "base/bias.h"

#include "base/futex.h"
#include "base/membarrier.h"

struct weir__bias_slot weir__bias_slots[WEIR__THREAD_SLOTS];

void weir__bias_init(struct weir__bias *bias, uint32_t holder)
{
    bool has_holder =
        holder < WEIR__THREAD_SLOTS && weir__membarrier_is_ready();

    bias->holder = holder;
    set_unshared(&bias->state,
                 has_holder ? WEIR__BIAS_GRANTED : WEIR__BIAS_REVOKED);
}

void weir__bias_wake(struct weir__bias_slot *slot)
{
    weir__futex_wake_all(&slot->inside, WEIR__FUTEX_PRIVATE);
}

void weir__bias_revoke(struct weir__bias *bias)
{
    struct weir__bias_slot *slot;
    uint32_t mark = weir__bias_mark(bias);

    /* bias/P3 acquire: receives what the holder did, from an earlier revoker */
    if (load_acquire(&bias->state) == WEIR__BIAS_REVOKED ||
        bias->holder == weir__thread_index())
        return;
    slot = &weir__bias_slots[bias->holder];
    fetch_add_relaxed(&slot->revokers, 1); /* relaxed: ordered by P2 */
    store_relaxed(&bias->state, WEIR__BIAS_REVOKING); /* relaxed: see P1 */
    /* bias/P1 heavy: between keeping the holder out and checking for it
     * bias/P2 heavy: between the same, before going to sleep */
    weir__membarrier();
    /* bias/P4 acquire: receives what the holder did inside */
    while (load_acquire(&slot->inside) == mark)
        (void)weir__futex_wait(&slot->inside, mark, -1, WEIR__FUTEX_PRIVATE);
    fetch_sub_relaxed(&slot->revokers, 1); /* relaxed: a count */
    /* bias/P3 release: publishes that the holder is out */
    store_release(&bias->state, WEIR__BIAS_REVOKED);
}

void weir__bias_disown(struct weir__bias *bias)
{
    set_unshared(&bias->state, WEIR__BIAS_REVOKED);
}
