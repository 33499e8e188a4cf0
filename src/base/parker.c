/* SPDX-License-Identifier: MIT */
/*
 * parker -- a binary semaphore that one thread sleeps on.
 *
 * Shape     One word: EMPTY, PERMIT, or PARKED (the owner sleeps or is about
 *           to).  The owner sleeps on the same word, as a futex.
 * Roles     park     the owner
 *           unpark   any thread
 * Progress  unpark is wait-free: one exchange, plus a system call only if the
 *           owner had announced that it sleeps.  park is one CAS if a permit is
 *           available.
 *
 * Shared state
 *   word    any thread, atomic                                            P1
 *
 * Pairs
 *   P1  unpark: exchange to PERMIT, release  -->  park: the CAS or exchange
 *       that consumes the permit, acquire
 *       Hands over what the waker wrote before.  A second unpark exchanges
 *       PERMIT for PERMIT and so continues the release sequence of the first:
 *       consuming the one permit receives from both.
 *
 * Not paired, on purpose
 *   park: CAS EMPTY -> PARKED, relaxed.  It only announces the sleep; the
 *   wake-up that answers it goes through the kernel.
 *
 * Why no lost wake  PARKED is set by a CAS that fails if a permit came first.
 *           After it, the next unpark reads PARKED and wakes the owner.  If
 *           that wake-up comes before the owner's futex_wait, the word is
 *           PERMIT by then and the kernel refuses to sleep.
 * Why no ABA        Each value means the same whenever it is read.
 * Reclaim   unpark may still be in its wake call after the owner has consumed
 *           the permit and freed the parker.  That call uses only the address.
 *
 * Tested by  test/unit/base/parker.c, test/model/base/parker.c,
 *            test/stress/base/parker.c
 */
#include "base/parker.h"

#include <errno.h>
#include <stdbool.h>

#include "base/clock.h"
#include "base/futex.h"

enum { EMPTY = 0, PERMIT = 1, PARKED = 2 };

void weir__parker_init(struct weir__parker *parker)
{
    set_unshared(&parker->word, EMPTY);
}

static bool take_permit(struct weir__parker *parker)
{
    uint32_t seen = PERMIT;

    /* parker/P1 acquire: receives what every waker wrote before */
    return cas_acquire(&parker->word, &seen, EMPTY);
}

/* Announce the sleep.  Returns false if a permit came first. */
static bool prepare_sleep(struct weir__parker *parker)
{
    uint32_t seen = EMPTY;

    /* relaxed: hands nothing over; unpark answers it through the kernel */
    return cas_relaxed(&parker->word, &seen, PARKED);
}

/* Withdraw the announcement.  Returns false if a permit came first, which is
 * then consumed. */
static bool finish_sleep(struct weir__parker *parker)
{
    /* parker/P1 acquire: receives what every waker wrote before */
    return swap_acquire(&parker->word, EMPTY) == PARKED;
}

void weir__parker_park(struct weir__parker *parker)
{
    int err = weir__parker_park_for(parker, -1);

    (void)err; /* without a limit there is no timeout */
}

int weir__parker_park_for(struct weir__parker *parker, int64_t timeout_ns)
{
    int64_t deadline_ns;

    if (take_permit(parker))
        return 0;
    if (timeout_ns == 0)
        return -ETIMEDOUT;
    deadline_ns = weir__clock_deadline(timeout_ns);
    if (prepare_sleep(parker)) {
        for (;;) {
            int err = weir__futex_wait(&parker->word, PARKED, deadline_ns,
                                       WEIR__FUTEX_PRIVATE);

            if (take_permit(parker))
                return 0;
            if (err == -ETIMEDOUT)
                return finish_sleep(parker) ? -ETIMEDOUT : 0;
        }
    }
    /* The CAS failed, so a permit came in between: nothing else writes the
     * word. */
    (void)finish_sleep(parker);
    return 0;
}

void weir__parker_unpark(struct weir__parker *parker)
{
    /* parker/P1 release: publishes what the caller wrote before */
    if (swap_release(&parker->word, PERMIT) == PARKED)
        weir__futex_wake_one(&parker->word, WEIR__FUTEX_PRIVATE);
}
