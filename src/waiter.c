/* SPDX-License-Identifier: MIT */
/*
 * waiter -- threads and callbacks that wait for a word, found by its address.
 *
 * Shape     A fixed table of buckets, each a lock and a list.  A waiter is
 *           appended to the bucket of its word and taken from the front, so
 *           those of one word leave in the order in which they came; words
 *           that share a bucket are told apart by the address.
 *
 *           A waiter that sleeps has a word of its own, which is the futex: bits
 *           NOTIFIED (somebody has taken it from the table), INTERRUPTED (for
 *           ever) and ASLEEP (wake me).
 * Roles     wait, add, remove   the waiter's owner
 *           notify, interrupt   any thread
 * Progress  A few instructions under one lock of many.  Nobody is woken or
 *           called while it is held: a notify takes what it wakes out of the
 *           list first.  It makes one system call for each thread that sleeps.
 *
 * Shared state
 *   bucket.first, last   any thread, plain, under the lock
 *   next_, prev_, is_in_ the same; next_ of what was taken is the taker's
 *   address_, woken_     the owner's before it is in the list, then const
 *   word_                any thread, atomic                               P1
 *   the user's word      any thread, atomic; read only                    P2
 *
 * Pairs
 *   P1  notify: fetch_or of NOTIFIED, release  -->  wait: load, acquire
 *       Hands over what came before the notify, and the waiter itself: the
 *       notify does not touch it afterwards (the wake uses the address only),
 *       so the owner may free it.
 *   P2  seq_cst: the comparison is in the one order of the user's own atomics
 *         one thread                      another
 *         a = 1           (P2)            b = 1           (P2)
 *         wait for b, 0   (P2)            wait for a, 0   (P2)
 *       Forbidden: both find 0.  The two locks are different ones, so with an
 *       acquire both loads could pass the stores before them, and both would
 *       sleep.
 *
 * Not paired, on purpose
 *   spin: load, relaxed.  A guess: sleep_until looks with the acquire.
 *   interrupt: INTERRUPTED, relaxed.  It says only "get up".
 *   wait: ASLEEP, relaxed.  The wake that answers it goes through the kernel.
 *
 * Why no lost wake  Who notifies has changed the word before.  Either it gets
 *           the lock after the waiter, and finds it in the list; or before, and
 *           the comparison, under the same lock, sees the change.
 *           A waiter sleeps on its word only as the CAS left it that set ASLEEP;
 *           NOTIFIED and INTERRUPTED change that word, and who sets one of
 *           them over ASLEEP wakes.
 * Why nobody is woken twice, or for nothing  Whoever clears is_in_, under the
 *           lock, decides how the wait has ended.  A waiter that is late or
 *           interrupted and finds it cleared waits for its NOTIFIED, which is
 *           on its way; so each that notify counts says "notified".
 *
 * Tested by  test/unit/waiter.c, test/model/waiter.c, test/stress/waiter.c
 */
#include "waiter.h"

#include <errno.h>

#include "atomic.h"
#include "clock.h"
#include "futex.h"
#include "lock.h"
#include "loop.h"
#include "spin.h"
#include "thread.h"

enum { NOTIFIED = 1, INTERRUPTED = 2, ASLEEP = 4 };

#ifdef WEIR_SMALL
enum { BUCKET_BITS = 1 };
#else
enum { BUCKET_BITS = 8 };
#endif

struct bucket {
    _Alignas(CACHE_LINE) struct weir__lock lock; /* all zeros is free */
    weir_waiter *first, *last;
};

static struct bucket buckets[1 << BUCKET_BITS];

/* The user's word. */
typedef atomic(uint32_t) word_of_4;
typedef atomic(uint64_t) word_of_8;

/* Fibonacci hashing: neighbours go to different buckets. */
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

        /* waiter/P2 seq_cst: as any load of the user's own */
        return load_seq_cst(word) == (uint32_t)expected;
    } else {
        const word_of_8 *word = address;

        /* waiter/P2 seq_cst: as any load of the user's own */
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

/* The first `count` of this word leave the list, and make one of their own. */
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

/* ---- in and out ---- */

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

/* False: a notify was first. */
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
    (void)status;
    ((weir_waiter *)waiter)->woken_(waiter);
}

/* One that raises keeps no other from being woken. */
static void wake(weir_waiter *waiter)
{
    const void *word = &waiter->word_;

    if (waiter->woken_ != NULL) {
        weir__loop_contain(call_woken, waiter, 0);
        return;
    }
    /* waiter/P1 release: publishes what came before the notify; from here on
     * the waiter is its owner's */
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
    /* relaxed: hands nothing over; who sleeps looks again */
    if ((fetch_or_relaxed(&waiter->word_, INTERRUPTED) & ASLEEP) != 0)
        weir__futex_wake_one(&waiter->word_, WEIR__FUTEX_PRIVATE);
}

/* Forget the last wait.  False: it was interrupted, for ever. */
static bool begin(weir_waiter *waiter)
{
    /* relaxed: a guess, checked by the CAS */
    uint32_t seen = load_relaxed(&waiter->word_);

    do {
        if ((seen & INTERRUPTED) != 0)
            return false;
        /* relaxed: own; but for an interrupt nobody else writes it now */
    } while (!cas_weak_relaxed(&waiter->word_, &seen, 0));
    return true;
}

/* Until one of these bits is set: the word then; or 0, it is too late. */
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
        /* relaxed: says only "wake me"; if it fails, there is news */
        if ((seen & ASLEEP) != 0 ||
            cas_relaxed(&waiter->word_, &seen, seen | ASLEEP))
            err = weir__futex_wait(&waiter->word_, seen | ASLEEP, deadline_ns,
                                   WEIR__FUTEX_PRIVATE);
    }
}

static bool has_news(const void *arg)
{
    const weir_waiter *waiter = arg;

    /* relaxed: a guess; who sleeps looks again */
    return (load_relaxed(&waiter->word_) & (NOTIFIED | INTERRUPTED)) != 0;
}

/* Instead of sleeping. */
static void spin(const weir_waiter *waiter, int64_t began_ns)
{
    const struct weir__gaze gaze = {.pauses = 8, .looks = 2};

    (void)weir__spin(gaze, began_ns, began_ns + waiter->spin_ns_, has_news,
                     waiter);
}

/* A wait that was shorter than the longest spin could do without the sleep:
 * the next one may.  Others shrink it. */
static void learn(weir_waiter *waiter, int64_t took_ns)
{
    if (took_ns <= waiter->most_ns_)
        waiter->spin_ns_ = waiter->most_ns_;
    else if (waiter->spin_ns_ > WEIR__SHORTEST_SPIN_NS)
        waiter->spin_ns_ /= 2;
}

/* In the table; until it is out of it. */
static int sleep_in(weir_waiter *waiter, int64_t deadline_ns)
{
    uint32_t seen = sleep_until(waiter, NOTIFIED | INTERRUPTED, deadline_ns);

    if ((seen & NOTIFIED) != 0)
        return 0;
    if (leave(waiter))
        return seen == 0 ? -ETIMEDOUT : WEIR_ECANCELED;
    sleep_until(waiter, NOTIFIED, -1); /* it is on its way */
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
