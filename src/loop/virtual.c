/* SPDX-License-Identifier: MIT */
/*
 * virtual -- time that passes only while every loop sleeps.
 *
 * Shape     A list of members and one lock.  A member goes to sleep under the
 *           lock, and the last one that does moves the clock to the nearest
 *           deadline and wakes those whose timers are due.
 * Roles     join, leave, prepare_sleep,      the member's loop
 *           finish_sleep
 *           begin, end, hold, release   any thread
 *
 * Shared state
 *   all of it, plain, under the lock; the members' ingress words by look()
 *
 * Why all sleep  A member goes to sleep, and says that it has woken up, only
 *           under the lock, so move_time knows which members have said that
 *           they sleep.  One of them may have been woken and not said so yet:
 *           then its word is no longer SLEEPING.  The thread that woke it is a
 *           member that is awake, or that has gone to sleep under the lock
 *           after the push, so the push is seen.  Other threads (a pool, the
 *           kernel) may push at any time; is_busy and hold tell of them in
 *           advance.
 * Why no lost wake  The last member that goes to sleep finds all others asleep,
 *           since they do not wake up without being woken, and moves the clock.
 *           begin wakes all members, by a task: a loop that has decided to sleep
 *           in real time finds the task, and comes here.
 *
 * Tested by  test/unit/loop/virtual.c, test/model/loop/virtual.c
 */
#include "loop/virtual.h"

#include <errno.h>

#include "base/clock.h"
#include "base/lock.h"
#include "loop/timer.h"
#include "weir/host/virtual.h"

static struct weir__lock lock;     /* all zeros is unlocked */
static weir_virtual_member *first; /* under the lock, like all of these */
static uint64_t holds;
static bool is_on;
static int64_t began_ns, began_date_ns; /* both clocks when it began */

static bool sleeps(const weir_virtual_member *member)
{
    enum weir__ingress_state state = weir__ingress_look(&member->loop->in);

    return plain_load(&member->is_asleep_) && !plain_load(&member->is_busy_) &&
           (state == WEIR__SLEEPING || state == WEIR__SLEEPING_IN_POLLER);
}

/* Something is ready that the kernel has not told the loop yet. */
static bool has_event(weir_virtual_member *member)
{
    weir_loop *loop = member->loop;
    struct weir__poller *poller;
    bool is_ready;

    if (weir__ingress_look(&loop->in) != WEIR__SLEEPING_IN_POLLER)
        return false;
    weir__lock_lock(&loop->lock);
    /* loop/P4 acquire: receives the poller, which any thread may make */
    poller = load_acquire(&loop->poller);
    is_ready = poller != NULL && weir__poller_is_ready(poller);
    weir__lock_unlock(&loop->lock);
    return is_ready;
}

/* The nearest deadline if all members sleep; otherwise, or if there is none,
 * INT64_MAX. */
static int64_t next_deadline(void)
{
    int64_t next_ns = INT64_MAX;

    if (!plain_load(&is_on) || plain_load(&holds) > 0)
        return INT64_MAX;
    for (weir_virtual_member *member = plain_load(&first); member != NULL;
         member = plain_load(&member->next_)) {
        int64_t deadline_ns = plain_load(&member->deadline_ns_);

        if (!sleeps(member))
            return INT64_MAX;
        next_ns = deadline_ns < next_ns ? deadline_ns : next_ns;
    }
    for (weir_virtual_member *member = plain_load(&first);
         member != NULL && next_ns != INT64_MAX;
         member = plain_load(&member->next_))
        if (has_event(member))
            return INT64_MAX;
    return next_ns;
}

/* Under the lock. */
static void move_time(void)
{
    int64_t next_ns = next_deadline();

    if (next_ns == INT64_MAX)
        return;
    if (next_ns > weir_clock_now())
        (void)!weir_clock_freeze(next_ns);
    for (weir_virtual_member *member = plain_load(&first); member != NULL;
         member = plain_load(&member->next_))
        if (plain_load(&member->deadline_ns_) <= next_ns)
            weir_loop_wake(member->loop);
}

bool weir__virtual_prepare_sleep(weir_loop *loop, enum weir__sleep_on on)
{
    weir_virtual_member *member = loop->member;
    bool is_down;

    weir__lock_lock(&lock);
    is_down =
        weir__ingress_prepare_sleep(&loop->in, on, weir__loop_is_ending(loop));
    if (is_down) {
        plain_store(&member->deadline_ns_, weir__timers_next(loop));
        plain_store(&member->is_busy_,
                    member->is_busy != NULL && member->is_busy(member->arg));
        plain_store(&member->is_asleep_, true);
        move_time();
    }
    weir__lock_unlock(&lock);
    return is_down;
}

void weir__virtual_finish_sleep(weir_loop *loop)
{
    weir__lock_lock(&lock);
    plain_store(&loop->member->is_asleep_, false);
    weir__lock_unlock(&lock);
}

void weir_virtual_join(weir_virtual_member *member)
{
    weir_virtual_member *next;

    weir__lock_lock(&lock);
    next = plain_load(&first);
    plain_store(&member->is_asleep_, false);
    plain_store(&member->prev_, NULL);
    plain_store(&member->next_, next);
    if (next != NULL)
        plain_store(&next->prev_, member);
    plain_store(&first, member);
    weir__lock_unlock(&lock);
    member->loop->member = member;
}

void weir_virtual_leave(weir_virtual_member *member)
{
    weir_virtual_member *next, *prev;

    member->loop->member = NULL;
    weir__lock_lock(&lock);
    next = plain_load(&member->next_);
    prev = plain_load(&member->prev_);
    plain_store(prev != NULL ? &prev->next_ : &first, next);
    if (next != NULL)
        plain_store(&next->prev_, prev);
    move_time(); /* the others may have waited for it */
    weir__lock_unlock(&lock);
}

/* Under the lock. */
static void wake_all(void)
{
    for (weir_virtual_member *member = plain_load(&first); member != NULL;
         member = plain_load(&member->next_)) {
        plain_store(&member->is_asleep_, false);
        weir_loop_wake(member->loop);
    }
}

int weir_virtual_begin(void)
{
    int err = -EBUSY;

    weir__lock_lock(&lock);
    if (!plain_load(&is_on) && !weir__clock_is_frozen()) {
        plain_store(&began_ns, weir_clock_now());
        plain_store(&began_date_ns, weir__clock_date());
        err = weir_clock_freeze(plain_load(&began_ns));
        plain_store(&is_on, true);
        wake_all();
    }
    weir__lock_unlock(&lock);
    return err;
}

void weir_virtual_end(void)
{
    weir__lock_lock(&lock);
    if (plain_load(&is_on)) {
        plain_store(&is_on, false);
        weir_clock_thaw();
        wake_all();
    }
    weir__lock_unlock(&lock);
}

int64_t weir_virtual_date(void)
{
    int64_t date_ns = -1;

    if (!weir__clock_is_frozen())
        return -1;
    weir__lock_lock(&lock);
    if (plain_load(&is_on))
        date_ns = plain_load(&began_date_ns) + weir_clock_now() -
                  plain_load(&began_ns);
    weir__lock_unlock(&lock);
    return date_ns;
}

void weir_virtual_hold(void)
{
    weir__lock_lock(&lock);
    plain_store(&holds, plain_load(&holds) + 1);
    weir__lock_unlock(&lock);
}

void weir_virtual_release(void)
{
    weir__lock_lock(&lock);
    plain_store(&holds, plain_load(&holds) - 1);
    move_time();
    weir__lock_unlock(&lock);
}
