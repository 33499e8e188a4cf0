/* SPDX-License-Identifier: MIT */
/*
 * settle -- the two words of a promise that any thread may access.
 *
 * Shape     word   which thread decides, and the verdict: one CAS from PENDING
 *
 *              PENDING --+--> FULFILLED, REJECTED        the loop's thread
 *                 |      +--> BOUND --> FULFILLED, REJECTED     the same
 *                 |
 *                 +--> DECIDING --> FULFILLED, REJECTED, BOUND  another thread
 *
 *                  The loop's thread writes the value before its CAS; no other
 *                  thread ever writes it.  Another thread must not, because its
 *                  CAS may fail: it claims the promise first (DECIDING), and
 *                  then writes `mail`, which no other thread accesses.
 *           away   twice the number of references that other threads have
 *                  taken minus those they have released, plus POSTED: the
 *                  message is in the loop's ingress queue, or about to be
 *
 *           A reference is counted where it costs least.  The loop's thread
 *           counts in `refs`, a plain field; all other threads count in `away`.
 *           The reference count is the sum.  Only the loop's thread detects
 *           that it is zero: a thread that releases a reference sends a message.
 *
 *           One message stands for everything that other threads have done: its
 *           receiver looks at both words.
 * Roles     move, is_unreferenced, receive   the loop's thread
 *           claim, publish, ref_outside, unref_outside   any other thread
 *           verdict, wait   any thread
 *           After TERMINATED the holder of the loop's lock takes the role of
 *           the loop's thread.
 * Progress  all are lock-free except wait.  Nothing allocates, so neither
 *           settling nor sending a message can fail.
 *
 * Shared state
 *   word             any thread, atomic                                   P1
 *   value, from      the loop's thread until P1, then const               P1
 *   mail             the thread that claimed it until P1, then const      P1
 *   away             any thread, atomic                                   P2
 *   message           the thread that set POSTED, then the queue's         P3
 *
 * Pairs
 *   P1  move, publish: CAS, release  -->  verdict: load; wait: fetch_or;
 *       acquire
 *       Hands over the value, and what came before the promise was settled.
 *   P2  post, unref_outside: CAS, release  -->  collect: swap, acquire
 *       Hands over what a thread did before it released its reference, or
 *       wrote before it posted.  A message that is already queued covers it too.
 *   P3  collect: swap, release  -->  post, unref_outside: CAS, acquire
 *       Hands the message, after it ran, to the next thread that sets POSTED.
 *
 * Not paired, on purpose
 *   claim: CAS, relaxed.  It only excludes other threads; nobody has written
 *   the fields that it protects.
 *   is_unreferenced: relaxed.  A release sets POSTED, and its message provides
 *   the ordering.  So a zero is the loop's own, and a value without POSTED
 *   counts references that were taken, which hand nothing over.
 *
 * Why no lost message   POSTED is set by the same CAS that changes the count, or
 *           after the word was published.  A thread that finds it set knows
 *           that the receiver has not looked yet; any other pushes the message.
 * Why no lost wake     WAITER is set by a fetch_or that returns the verdict.
 *           If the promise is not settled, the thread that settles it reads
 *           WAITER in the word that it replaces, and wakes the waiter.
 * Why no ABA           Verdicts only move forward while there is a reference.
 * Reclaim   The memory is released when the sum of references is zero and no
 *           message is under way; a wake-up uses only the address.
 *
 * Tested by  test/model/promise/promise.c, test/unit/promise/promise.c,
 *            test/stress/promise/promise.c
 */
#include <errno.h>
#include <stddef.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/futex.h"
#include "promise/promise.h"

enum { POSTED = 1, ONE = 2 };

/* ---- the verdict ---- */

static void wake(const weir_promise *promise, uint32_t before)
{
    if (before & WEIR__WAITER)
        weir__futex_wake_all(&promise->word, WEIR__FUTEX_PRIVATE);
}

/* The word has flags: a thread waits, or another thread has bound it. */
bool weir__promise_move_slowly(weir_promise *promise, uint32_t before,
                               uint32_t after)
{
    /* relaxed: a guess, checked by the CAS */
    uint32_t seen = load_relaxed(&promise->word);

    do {
        if ((seen & WEIR__VERDICT) != before)
            return false;
        /* settle/P1 release: publishes value, from, and what came before */
    } while (!cas_weak_release(&promise->word, &seen,
                               after | (seen & WEIR__WAITER)));
    wake(promise, seen);
    return true;
}

bool weir__promise_claim(weir_promise *promise)
{
    uint32_t seen = WEIR__PENDING;

    do {
        if ((seen & WEIR__VERDICT) != WEIR__PENDING)
            return false;
        /* relaxed: excludes other threads, and hands nothing over */
    } while (!cas_weak_relaxed(&promise->word, &seen, seen | WEIR__DECIDING));
    return true;
}

/* ---- messages ---- */

static void deliver(weir_task *task, int status)
{
    weir_promise *promise =
        (weir_promise *)((char *)task - offsetof(weir_promise, message));

    weir__loop_inner_task(promise->loop);
    weir__promise_receive(promise);
}

/* Push the message, which belongs to this thread because POSTED was not set.  A
 * loop that is TERMINATED refuses it; then no receiver is left. */
static void push_message(weir_promise *promise)
{
    promise->message = (weir_task){.run = deliver, .name = "promise"};
    if (weir__loop_push(promise->loop, &promise->message, WEIR__EXPECTED) != 0)
        weir__promise_receive_after_end(promise);
}

static void post(weir_promise *promise)
{
    /* relaxed: a guess, checked by the CAS */
    int32_t seen = load_relaxed(&promise->away);

    /* settle/P2 release: what was published, even if the message is under way
     * settle/P3 acquire: receives the message, if it is not */
    while (!cas_weak_acq_rel(&promise->away, &seen, seen | POSTED))
        ;
    if (!(seen & POSTED))
        push_message(promise);
}

/* Publish the verdict of the thread that has claimed the promise. */
static void announce(weir_promise *promise, uint32_t verdict)
{
    uint32_t seen = WEIR__DECIDING;

    /* settle/P1 release: publishes mail, and what came before */
    while (!cas_weak_release(&promise->word, &seen,
                             verdict | WEIR__OUTSIDE | (seen & WEIR__WAITER)))
        ;
    if (verdict >= WEIR__FULFILLED)
        wake(promise, seen);
}

void weir__promise_publish(weir_promise *promise, uint32_t verdict)
{
    weir__promise_record(promise);
    announce(promise, verdict);
    post(promise);
}

int weir__promise_introduce(weir_promise *promise)
{
    promise->message = (weir_task){.run = deliver, .name = "promise"};
    set_unshared(&promise->away, POSTED);
    return weir__loop_push(promise->loop, &promise->message, WEIR__OUTSIDER);
}

/* ---- references ---- */

/* An arithmetic shift keeps the sign and drops the flag. */
static int32_t count_of(int32_t away)
{
    return away >> 1;
}

void weir__promise_ref_outside(weir_promise *promise)
{
    /* relaxed: the caller has one already */
    int32_t before = fetch_add_relaxed(&promise->away, ONE);

    CHECK(count_of(before) < WEIR__PROMISE_REFS, "too many refs of a promise");
}

void weir__promise_unref_outside(weir_promise *promise)
{
    /* relaxed: a guess, checked by the CAS */
    int32_t seen = load_relaxed(&promise->away);

    /* settle/P2 release: all uses of the promise so far
     * settle/P3 acquire: receives the message, if it is not under way */
    while (!cas_weak_acq_rel(&promise->away, &seen, (seen - ONE) | POSTED))
        ;
    if (!(seen & POSTED))
        push_message(promise);
}

void weir__promise_collect(weir_promise *promise)
{
    /* settle/P2 acquire: receives the writes of threads that posted or released
     * settle/P3 release: the message may be used again */
    int32_t away = swap_acq_rel(&promise->away, 0);

    promise->refs += count_of(away);
}

bool weir__promise_collect_last(weir_promise *promise)
{
    /* relaxed: a guess, checked by the CAS */
    int32_t seen = load_relaxed(&promise->away);

    while (seen != 0) {
        if (seen & POSTED)
            return false; /* the message's receiver will check again */
        /* relaxed: a count; no reference was released */
        if (cas_weak_relaxed(&promise->away, &seen, 0)) {
            promise->refs += count_of(seen);
            return promise->refs <= 0 && weir__promise_collect_last(promise);
        }
    }
    CHECK(promise->refs == 0, "more unrefs than refs of a promise");
    return true;
}

bool weir__promise_was_found(const weir_promise *promise)
{
    /* relaxed: under promises.lock, which the finder held too */
    return load_relaxed(&promise->away) != 0;
}

/* ---- waiting ---- */

int weir_promise_wait(weir_promise *promise, int64_t timeout_ns)
{
    int64_t deadline_ns;

    if (promise == NULL)
        return -EINVAL;
    if (weir__thread_is_loop())
        return -EDEADLK;
    if (timeout_ns == 0)
        return weir__promise_is_settled(promise) ? 0 : -ETIMEDOUT;
    deadline_ns = weir__clock_deadline(timeout_ns);
    for (int err = 0;;) {
        /* settle/P1 acquire: receives the value, if it is settled */
        uint32_t seen = fetch_or_acquire(&promise->word, WEIR__WAITER);

        if ((seen & WEIR__VERDICT) >= WEIR__FULFILLED)
            return 0;
        if (err == -ETIMEDOUT)
            return err;
        err = weir__futex_wait(&promise->word, seen | WEIR__WAITER, deadline_ns,
                               WEIR__FUTEX_PRIVATE);
    }
}
