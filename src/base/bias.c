/* SPDX-License-Identifier: MIT */
/*
 * bias -- a lock that costs one thread almost nothing until another needs it.
 *
 * Shape     A word that says whether the holder may enter, which goes from
 *           GRANTED to REVOKED and never back, and a word that says whether it
 *           is inside, which only the holder writes.
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
 *   state     any thread, atomic                                     P1 P2 P3
 *   inside    the holder writes, any thread reads and sleeps on it   P1 P2 P4
 *
 * Pairs
 *   P1  light: enter, between the store of inside and the load of state.
 *       heavy: revoke, between the store of state and the load of inside.
 *             holder                         another thread
 *             inside = 1                     state = REVOKING
 *             fence_light()                  weir__membarrier()
 *             if (state == GRANTED) go on    while (inside) sleep
 *       Forbidden: the holder reads GRANTED and the other thread reads 0.  Both
 *       would be inside.
 *   P2  light: leave, between the store of inside and the load of state.
 *       heavy: the same as in P1.
 *             holder                         another thread
 *             inside = 0                     state = REVOKING
 *             fence_light()                  weir__membarrier()
 *             if (state != GRANTED) wake     if (inside) sleep
 *       Forbidden: the holder reads GRANTED and the other thread reads 1.  It
 *       would sleep forever.
 *   P3  revoke: store of REVOKED, release  -->  revoke: load, acquire
 *       A thread that finds the bias revoked by another one receives what the
 *       other one has received from the holder.
 *   P4  leave: store of inside, release  -->  revoke: load, acquire
 *       Hands over what the holder did inside to the thread that revokes.
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

void weir__bias_init(struct weir__bias *bias, uint32_t holder)
{
    bool has_holder =
        holder != WEIR__THREAD_UNNUMBERED && weir__membarrier_is_ready();

    bias->holder = holder;
    set_unshared(&bias->state,
                 has_holder ? WEIR__BIAS_GRANTED : WEIR__BIAS_REVOKED);
    set_unshared(&bias->inside, 0);
}

void weir__bias_wake(struct weir__bias *bias)
{
    weir__futex_wake_all(&bias->inside, WEIR__FUTEX_PRIVATE);
}

void weir__bias_revoke(struct weir__bias *bias)
{
    /* bias/P3 acquire: receives what the holder did, from an earlier revoker */
    if (load_acquire(&bias->state) == WEIR__BIAS_REVOKED ||
        bias->holder == weir__thread_index())
        return;
    store_relaxed(&bias->state, WEIR__BIAS_REVOKING); /* relaxed: see P1 */
    /* bias/P1 heavy: between keeping the holder out and checking for it
     * bias/P2 heavy: between the same, before going to sleep */
    weir__membarrier();
    /* bias/P4 acquire: receives what the holder did inside */
    while (load_acquire(&bias->inside) != 0)
        (void)weir__futex_wait(&bias->inside, 1, -1, WEIR__FUTEX_PRIVATE);
    /* bias/P3 release: publishes that the holder is out */
    store_release(&bias->state, WEIR__BIAS_REVOKED);
}
