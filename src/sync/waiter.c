/* SPDX-License-Identifier: MIT */
/*
 * waiter -- threads and callbacks that wait on a word, found by its address.
 *
 * Shape     A fixed hash table of buckets, each a lock and a list.  A waiter is
 *           appended to the bucket of its word and removed from the front, so
 *           the waiters of one word leave in FIFO order.  Words that share a
 *           bucket are distinguished by their address.
 *
 *           A waiter that sleeps has its own word, which is the futex.  Its
 *           bits are NOTIFIED (a notify has removed it from the table),
 *           INTERRUPTED (permanent) and ASLEEP (a wake-up is needed).
 * Roles     wait, add, remove   the waiter's owner
 *           notify, interrupt   any thread
 * Progress  A few instructions under one of many locks.  No thread is woken and
 *           no callback runs under a lock: notify first removes what it wakes
 *           from the list.  It makes one system call per sleeping thread.
 *
 * Shared state
 *   bucket.first, last   any thread, plain, under the lock
 *   next_, prev_, is_in_ the same; next_ of a removed waiter is the notifier's
 *   address_, woken_     the owner's before it is in the list, then const
 *   word_                any thread, atomic                               P1
 *   the user's word      any thread, atomic; read only                    P2
 *
 * Pairs
 *   P1  notify: fetch_or of NOTIFIED, release  -->  wait: load, acquire
 *       Hands over what came before the notify, and the waiter itself: notify
 *       does not access it afterwards (the wake-up uses only the address), so
 *       the owner may free it.
 *   P2  seq_cst: the comparison is in the total order of the user's atomics
 *         one thread                      another
 *         a = 1           (P2)            b = 1           (P2)
 *         wait for b, 0   (P2)            wait for a, 0   (P2)
 *       Forbidden: both read 0.  The two locks are different ones, so with
 *       acquire loads both could be reordered before the preceding stores, and
 *       both threads would sleep.
 *
 * Not paired, on purpose
 *   spin: load, relaxed.  A guess: sleep_until loads with acquire.
 *   interrupt: INTERRUPTED, relaxed.  It only makes the thread wake up.
 *   wait: ASLEEP, relaxed.  The wake-up that answers it passes through the
 *   kernel.
 *
 * Why no lost wake  A thread that notifies has changed the word before.  Either
 *           it gets the lock after the waiter, and finds it in the list, or it
 *           gets the lock first, and the comparison under the same lock sees
 *           the change.
 *           A waiter sleeps only while its word is as the CAS that set ASLEEP
 *           left it.  NOTIFIED and INTERRUPTED change that word, and the thread
 *           that sets one of them while ASLEEP is set wakes the waiter.
 * Why no double or spurious wake  The thread that clears is_in_, under the
 *           lock, decides how the wait ends.  A waiter that times out or is
 *           interrupted and finds is_in_ cleared waits for its NOTIFIED, which
 *           is under way.  So every waiter that notify counts returns as
 *           notified.
 *
 * Tested by  test/unit/sync/waiter.c, test/model/sync/waiter.c,
 *            test/stress/sync/waiter.c
 */
#include "sync/waiter.h"

#include <errno.h>

#include "base/atomic.h"
#include "base/clock.h"
#include "base/futex.h"
#include "base/lock.h"
#include "base/spin.h"
#include "base/thread.h"
#include "loop/loop.h"

enum { NOTIFIED = 1, INTERRUPTED = 2, ASLEEP = 4 };

#ifdef WEIR_SMALL
enum { BUCKET_BITS = 1 };
#else
enum { BUCKET_BITS = 8 };
#endif

struct bucket {
    _Alignas(CACHE_LINE) struct weir__lock lock; /* all zeros is unlocked */
    weir_waiter *first, *last;
};

static struct bucket buckets[1 << BUCKET_BITS];

/* The user's word, by size. */
typedef atomic(uint32_t) word_of_4;
typedef atomic(uint64_t) word_of_8;

/* Fibonacci hashing: adjacent words go to different buckets. */
unsigned weir__waiter_bucket(const void *address)
{
    uint64_t hash = ((uintptr_t)address >> 2) * UINT64_C(0x9e3779b97f4a7c15);

    return (unsigned)(hash >> (64 - BUCKET_BITS));
}

static struct bucket *bucket_of(const void *address)
{
    return &buckets[weir__waiter_bucket(address)];
}

static bool is_word(const void *address, size_t size)
{
    return address != NULL && (size == 4 || size == 8) &&
           (uintptr_t)address % size == 0;
}

static bool holds(const void *address, size_t size, uint64_t expected)
{
    if (size == 4) {
        const word_of_4 *word = address;

        /* waiter/P2 seq_cst: like a load by the user */
        return load_seq_cst(word) == (uint32_t)expected;
    } else {
        const word_of_8 *word = address;

        /* waiter/P2 seq_cst: like a load by the user */
        return load_seq_cst(word) == expected;
    }
}

/* ---- the list of a bucket, under its lock ---- */

static void append(struct bucket *bucket, weir_waiter *waiter)
{
    weir_waiter *last = plain_load(&bucket->last);

    plain_store(&waiter->next_, NULL);
    plain_store(&waiter->prev_, last);
    plain_store(&waiter->is_in_, true);
    plain_store(last != NULL ? &last->next_ : &bucket->first, waiter);
    plain_store(&bucket->last, waiter);
}

static void unlink_waiter(struct bucket *bucket, weir_waiter *waiter)
{
    weir_waiter *next = plain_load(&waiter->next_);
    weir_waiter *prev = plain_load(&waiter->prev_);

    plain_store(prev != NULL ? &prev->next_ : &bucket->first, next);
    plain_store(next != NULL ? &next->prev_ : &bucket->last, prev);
    plain_store(&waiter->is_in_, false);
}

/* Remove the first `count` waiters of this word, and return them as a list. */
static uint32_t take(struct bucket *bucket, const void *address, uint32_t count,
                     weir_waiter **taken)
{
    weir_waiter *waiter = plain_load(&bucket->first);
    uint32_t number = 0;

    while (waiter != NULL && number < count) {
        weir_waiter *next = plain_load(&waiter->next_);

        if (waiter->address_ == address) {
            unlink_waiter(bucket, waiter);
            *taken = waiter;
            taken = &waiter->next_;
            number++;
        }
        waiter = next;
    }
    *taken = NULL;
    return number;
}

/* ---- add and remove ---- */

static int enter(weir_waiter *waiter, const void *address, size_t size,
                 uint64_t expected, weir_woken_fn *woken)
{
    struct bucket *bucket = bucket_of(address);
    bool is_expected;

    waiter->address_ = address;
    waiter->woken_ = woken;
    weir__lock_lock(&bucket->lock);
    is_expected = holds(address, size, expected);
    if (is_expected)
        append(bucket, waiter);
    weir__lock_unlock(&bucket->lock);
    return is_expected ? 0 : -EAGAIN;
}

/* Remove a waiter from the table.  False: a notify was first. */
static bool leave(weir_waiter *waiter)
{
    struct bucket *bucket = bucket_of(waiter->address_);
    bool is_in;

    weir__lock_lock(&bucket->lock);
    is_in = plain_load(&waiter->is_in_);
    if (is_in)
        unlink_waiter(bucket, waiter);
    weir__lock_unlock(&bucket->lock);
    return is_in;
}

int weir_waiter_add(weir_waiter *waiter, const void *address, size_t size,
                    uint64_t expected, weir_woken_fn *woken)
{
    if (waiter == NULL || woken == NULL || !is_word(address, size))
        return -EINVAL;
    return enter(waiter, address, size, expected, woken);
}

int weir_waiter_remove(weir_waiter *waiter)
{
    return leave(waiter) ? 0 : -ENOENT;
}

static void call_woken(void *waiter, int status)
{
    ((weir_waiter *)waiter)->woken_(waiter);
}

/* Wake a waiter.  If its callback raises, others are woken nevertheless. */
static void wake(weir_waiter *waiter)
{
    const void *word = &waiter->word_;

    if (waiter->woken_ != NULL) {
        weir__loop_contain(call_woken, waiter, 0);
        return;
    }
    /* waiter/P1 release: publishes what came before the notify; after this the
     * waiter belongs to its owner */
    if ((fetch_or_release(&waiter->word_, NOTIFIED) & ASLEEP) != 0)
        weir__futex_wake_one(word, WEIR__FUTEX_PRIVATE);
}

uint32_t weir_waiter_notify(const void *address, uint32_t count)
{
    struct bucket *bucket = bucket_of(address);
    weir_waiter *waiter;
    uint32_t number;

    weir__lock_lock(&bucket->lock);
    number = take(bucket, address, count, &waiter);
    weir__lock_unlock(&bucket->lock);
    while (waiter != NULL) {
        weir_waiter *next = waiter->next_;

        wake(waiter);
        waiter = next;
    }
    return number;
}

/* ---- sleeping ---- */

void weir_waiter_init(weir_waiter *waiter, int64_t spin_ns)
{
    set_unshared(&waiter->word_, 0);
    waiter->most_ns_ = waiter->spin_ns_ =
        spin_ns < WEIR__LONGEST_SPIN_NS ? spin_ns : WEIR__LONGEST_SPIN_NS;
}

void weir_waiter_interrupt(weir_waiter *waiter)
{
    /* relaxed: hands nothing over; the sleeper looks again */
    if ((fetch_or_relaxed(&waiter->word_, INTERRUPTED) & ASLEEP) != 0)
        weir__futex_wake_one(&waiter->word_, WEIR__FUTEX_PRIVATE);
}

/* Reset the state of the last wait.  False: the waiter was interrupted,
 * which is permanent. */
static bool begin(weir_waiter *waiter)
{
    /* relaxed: a guess, checked by the CAS */
    uint32_t seen = load_relaxed(&waiter->word_);

    do {
        if ((seen & INTERRUPTED) != 0)
            return false;
        /* relaxed: own; only an interrupt may write it concurrently */
    } while (!cas_weak_relaxed(&waiter->word_, &seen, 0));
    return true;
}

/* Sleep until one of these bits is set.  Returns the word, or 0 on timeout. */
static uint32_t sleep_until(weir_waiter *waiter, uint32_t bits,
                            int64_t deadline_ns)
{
    for (int err = 0;;) {
        /* waiter/P1 acquire: receives what came before the notify */
        uint32_t seen = load_acquire(&waiter->word_);

        if ((seen & bits) != 0)
            return seen;
        if (err != 0)
            return 0;
        /* relaxed: only asks for a wake-up; on failure the word has changed */
        if ((seen & ASLEEP) != 0 ||
            cas_relaxed(&waiter->word_, &seen, seen | ASLEEP))
            err = weir__futex_wait(&waiter->word_, seen | ASLEEP, deadline_ns,
                                   WEIR__FUTEX_PRIVATE);
    }
}

static bool has_news(void *arg)
{
    const weir_waiter *waiter = arg;

    /* relaxed: a guess; sleep_until looks again */
    return (load_relaxed(&waiter->word_) & (NOTIFIED | INTERRUPTED)) != 0;
}

/* Spin for a while before sleeping. */
static void spin(weir_waiter *waiter, int64_t began_ns)
{
    const struct weir__gaze gaze = {.pauses = 8, .looks = 2};

    (void)weir__spin(gaze, began_ns, began_ns + waiter->spin_ns_, has_news,
                     waiter);
}

/* Adapt the spin time.  A wait that took no longer than the maximum spin could
 * have avoided the sleep, so the next one spins for the maximum.  A longer wait
 * halves the spin time. */
static void learn(weir_waiter *waiter, int64_t took_ns)
{
    if (took_ns <= waiter->most_ns_)
        waiter->spin_ns_ = waiter->most_ns_;
    else if (waiter->spin_ns_ > WEIR__SHORTEST_SPIN_NS)
        waiter->spin_ns_ /= 2;
}

/* Sleep until the waiter is no longer in the table. */
static int sleep_in(weir_waiter *waiter, int64_t deadline_ns)
{
    uint32_t seen = sleep_until(waiter, NOTIFIED | INTERRUPTED, deadline_ns);

    if ((seen & NOTIFIED) != 0)
        return 0;
    if (leave(waiter))
        return seen == 0 ? -ETIMEDOUT : WEIR_ECANCELED;
    sleep_until(waiter, NOTIFIED, -1); /* the notify is under way */
    return 0;
}

int weir_waiter_wait(weir_waiter *waiter, const void *address, size_t size,
                     uint64_t expected, int64_t timeout_ns)
{
    int64_t deadline_ns, began_ns;
    int err;

    if (waiter == NULL || !is_word(address, size))
        return -EINVAL;
    if (!begin(waiter))
        return WEIR_ECANCELED;
    if (timeout_ns == 0)
        return holds(address, size, expected) ? -ETIMEDOUT : -EAGAIN;
    deadline_ns = weir__clock_deadline(timeout_ns);
    err = enter(waiter, address, size, expected, NULL);
    if (err != 0 || waiter->most_ns_ == 0)
        return err != 0 ? err : sleep_in(waiter, deadline_ns);
    began_ns = weir__clock_real();
    if (timeout_ns < 0 || timeout_ns > waiter->spin_ns_)
        spin(waiter, began_ns);
    err = sleep_in(waiter, deadline_ns);
    learn(waiter, weir__clock_real() - began_ns);
    return err;
}
