/* SPDX-License-Identifier: MIT */
/*
 * connection -- the phase of a connection, in one word.
 *
 *            31   8    7       6         5      4     3    2     0
 *           +------+-------+----------+--------+-----+-------+-------+
 *           |      | FRESH | NOTIFIED | PINNED | CUT | DRAIN | phase |
 *           +------+-------+----------+--------+-----+-------+-------+
 *
 * Shape     The loop's thread moves a connection through its phases.  Another
 *           thread may close one that is NEW or IDLE, cut one off, and mark one
 *           as draining.  Each of these is one CAS on the word.  If a request
 *           begins while the drain closes the connection, exactly one of the
 *           two succeeds.
 * Roles     begin, reopen, dispatch, idle, upgrade, close, add, remove
 *                                            the loop's thread
 *           drain, close_idle, cut, report   any thread, under the set's lock
 * Fresh     A connection that has just become idle is FRESH.  close_idle clears
 *           that mark, and closes connections that were not FRESH any more.  So
 *           a client has at least the time between two calls for its next
 *           request (the clock algorithm of page replacement).
 * Notify    The thread that changes a word notifies the loop: it sets NOTIFIED
 *           and posts the task inside the connection.  While NOTIFIED is set,
 *           the task is queued and is not posted again.  When the task runs,
 *           the loop clears NOTIFIED and examines the word.
 * Reclaim   remove takes the connection out of the list under the lock, so no
 *           other thread finds it afterwards.  If NOTIFIED is set then, the
 *           task is the last user.
 * Pinning   A report reads data of a BUSY connection's owner.  It sets PINNED
 *           by a CAS from BUSY, under the lock.  If the loop finds PINNED when
 *           it wants to leave BUSY, it does so under the lock: after the
 *           report, and before the next one.  Connections that are not reported
 *           pay nothing.
 *
 * Shared state
 *   word              any thread                                        P1 P2
 *   next_, link_      under the lock
 *   task_             the thread that has set NOTIFIED, until it is posted
 *   the owner's data while BUSY       the loop's thread until P1, then readers
 *
 * Pairs
 *   P1  dispatch: CAS to BUSY, release  -->  report: CAS to PINNED, acquire
 *       Publishes the owner's data.  The lock orders the report before the
 *       owner's next write.
 *   P2  on_task: CAS that clears NOTIFIED, release  -->  change_all: CAS that
 *       sets it, acquire
 *       Hands the task back to the next thread that notifies.
 *
 * Not paired, on purpose
 *   Every other change is relaxed.  A phase publishes nothing but itself, and
 *   its consequences reach the loop through the queue.  If the post is refused,
 *   notify clears NOTIFIED under the lock.
 *
 * Tested by  test/unit/sync/connection.c, test/model/sync/connection.c,
 *            test/stress/sync/connection.c
 */
#include "weir/host/connection.h"

#include <stddef.h>

#include "base/atomic.h"
#include "base/check.h"

enum {
    PHASE = 7,
    DRAIN = 1 << 3,
    CUT = 1 << 4,
    PINNED = 1 << 5,
    NOTIFIED = 1 << 6,
    FRESH = 1 << 7,
};

static uint32_t phase_of(uint32_t word)
{
    return word & PHASE;
}

static uint32_t with_phase(uint32_t word, weir_connection_phase phase)
{
    return (word & ~(uint32_t)(PHASE | PINNED | FRESH)) | phase |
           (phase == WEIR_CONNECTION_IDLE ? FRESH : 0);
}

/* ---- the loop's thread ---- */

/* Change the phase.  Only CLOSING and the flags come from other threads.
 * Returns false if the connection is CLOSING, or if it is PINNED and the caller
 * does not hold the lock; *word says which. */
static bool try_move(weir_connection *connection, uint32_t *word,
                     weir_connection_phase phase, uint32_t obstacles)
{
    *word = load_relaxed(&connection->word_); /* relaxed: guess */
    do {
        if (phase_of(*word) == WEIR_CONNECTION_CLOSING || *word & obstacles)
            return false;
        /* relaxed: a phase publishes nothing */
    } while (
        !cas_weak_relaxed(&connection->word_, word, with_phase(*word, phase)));
    return true;
}

/* Returns false if the connection is CLOSING. */
static bool move(weir_connection *connection, weir_connection_phase phase)
{
    weir_lock *lock = &connection->set_->lock_;
    uint32_t word;
    bool has_moved = try_move(connection, &word, phase, PINNED);

    if (has_moved || !(word & PINNED))
        return has_moved;
    /* Wait for the report that reads the connection, and keep out the next. */
    weir_lock_acquire(lock);
    has_moved = try_move(connection, &word, phase, 0);
    weir_lock_release(lock);
    return has_moved;
}

bool weir_connection_begin(weir_connection *connection)
{
    return move(connection, WEIR_CONNECTION_READING);
}

void weir_connection_reopen(weir_connection *connection)
{
    uint32_t word = load_relaxed(&connection->word_); /* relaxed: guess */

    /* relaxed: a phase publishes nothing */
    while (phase_of(word) == WEIR_CONNECTION_CLOSING &&
           !cas_weak_relaxed(&connection->word_, &word,
                             with_phase(word, WEIR_CONNECTION_IDLE)))
        ;
}

void weir_connection_dispatch(weir_connection *connection)
{
    uint32_t word = load_relaxed(&connection->word_); /* relaxed: guess */

    do {
        if (phase_of(word) == WEIR_CONNECTION_CLOSING)
            return;
        /* connection/P1 release: publishes what the owner shows */
    } while (!cas_weak_release(&connection->word_, &word,
                               with_phase(word, WEIR_CONNECTION_BUSY)));
}

void weir_connection_idle(weir_connection *connection)
{
    (void)move(connection, WEIR_CONNECTION_IDLE);
}

void weir_connection_upgrade(weir_connection *connection)
{
    (void)move(connection, WEIR_CONNECTION_UPGRADED);
}

void weir_connection_close(weir_connection *connection)
{
    (void)move(connection, WEIR_CONNECTION_CLOSING);
}

bool weir_connection_is_draining(const weir_connection *connection)
{
    /* relaxed: a hint; a response that misses it is answered by the next */
    return load_relaxed(&connection->word_) & DRAIN;
}

weir_connection_phase
weir_connection_phase_of(const weir_connection *connection)
{
    /* relaxed: a guess */
    return (weir_connection_phase)phase_of(load_relaxed(&connection->word_));
}

/* ---- notifications ---- */

static void on_task(weir_task *task, int status)
{
    weir_connection *connection =
        (weir_connection *)((char *)task - offsetof(weir_connection, task_));
    uint32_t word = load_relaxed(&connection->word_); /* relaxed: guess */
    unsigned what = 0;

    /* connection/P2 release: the queue no longer uses the task */
    while (!cas_weak_release(&connection->word_, &word,
                             word & ~(uint32_t)NOTIFIED))
        ;
    if (connection->link_ == NULL) {
        what = WEIR_CONNECTION_IS_GONE;
    } else {
        if (phase_of(word) == WEIR_CONNECTION_CLOSING)
            what |= WEIR_CONNECTION_IS_CLOSING;
        if (word & CUT)
            what |= WEIR_CONNECTION_IS_CUT;
        if (word & DRAIN)
            what |= WEIR_CONNECTION_IS_DRAINING;
    }
    connection->notified_(connection, what);
}

/* Tell the loop to look at the word.  The caller has set NOTIFIED and holds the
 * lock, so remove does not come between. */
static void notify(weir_connection *connection)
{
    uint32_t word;

    connection->task_ = (weir_task){.run = on_task, .name = "connection"};
    if (weir_loop_post(connection->set_->loop_, &connection->task_) == 0)
        return;
    /* The loop has ended, and with it the connection's stream. */
    word = load_relaxed(&connection->word_); /* relaxed: guess */
    /* relaxed: under the lock */
    while (!cas_weak_relaxed(&connection->word_, &word,
                             word & ~(uint32_t)NOTIFIED))
        ;
}

/* ---- the set ---- */

void weir_connections_init(weir_connections *set, weir_loop *loop)
{
    *set = (weir_connections){.lock_ = WEIR_LOCK_INIT, .loop_ = loop};
}

void weir_connection_add(weir_connections *set, weir_connection *connection,
                         weir_connection_fn *notified)
{
    uint32_t word = WEIR_CONNECTION_NEW | FRESH;

    connection->set_ = set;
    connection->notified_ = notified;
    weir_lock_acquire(&set->lock_);
    if (set->is_draining_)
        word |= DRAIN | NOTIFIED;
    if (set->is_cut_)
        word |= CUT | NOTIFIED;
    set_unshared(&connection->word_, word);
    connection->next_ = set->first_;
    connection->link_ = &set->first_;
    if (set->first_ != NULL)
        set->first_->link_ = &connection->next_;
    set->first_ = connection;
    if (word & NOTIFIED)
        notify(connection);
    weir_lock_release(&set->lock_);
}

bool weir_connection_remove(weir_connection *connection)
{
    weir_connections *set = connection->set_;
    bool is_notified;

    weir_lock_acquire(&set->lock_);
    *connection->link_ = connection->next_;
    if (connection->next_ != NULL)
        connection->next_->link_ = connection->link_;
    connection->link_ = NULL;
    /* relaxed: set under the lock, which we hold */
    is_notified = load_relaxed(&connection->word_) & NOTIFIED;
    weir_lock_release(&set->lock_);
    return !is_notified;
}

/* The new word of a connection; the old one if it is not affected.  A change
 * that concerns more than FRESH has NOTIFIED, and is reported to the loop. */
typedef uint32_t change_fn(uint32_t word);

static uint32_t change_to_draining(uint32_t word)
{
    return word & DRAIN ? word : word | DRAIN | NOTIFIED;
}

static uint32_t change_to_closing(uint32_t word)
{
    if (phase_of(word) != WEIR_CONNECTION_NEW &&
        phase_of(word) != WEIR_CONNECTION_IDLE)
        return word;
    if (word & FRESH)
        return word & ~(uint32_t)FRESH;
    return with_phase(word, WEIR_CONNECTION_CLOSING) | NOTIFIED;
}

static uint32_t change_to_cut(uint32_t word)
{
    return word & CUT ? word : word | CUT | NOTIFIED;
}

/* Change the words of all connections that are affected, and notify them.
 * Returns how many of those were not CLOSING before. */
static size_t change_all(weir_connections *set, change_fn *change)
{
    size_t count = 0;

    for (weir_connection *each = set->first_; each != NULL;
         each = each->next_) {
        /* relaxed: guess */
        uint32_t word = load_relaxed(&each->word_), changed;

        /* connection/P2 acquire: receives the task, to post it again */
        while ((changed = change(word)) != word &&
               !cas_weak_acquire(&each->word_, &word, changed))
            ;
        if (((changed ^ word) & ~(uint32_t)FRESH) == 0)
            continue; /* it is not affected, or only no longer FRESH */
        count += phase_of(word) != WEIR_CONNECTION_CLOSING;
        if (!(word & NOTIFIED))
            notify(each);
    }
    return count;
}

void weir_connections_drain(weir_connections *set)
{
    weir_lock_acquire(&set->lock_);
    set->is_draining_ = true;
    (void)change_all(set, change_to_draining);
    weir_lock_release(&set->lock_);
}

size_t weir_connections_close_idle(weir_connections *set)
{
    size_t count;

    weir_lock_acquire(&set->lock_);
    count = change_all(set, change_to_closing);
    weir_lock_release(&set->lock_);
    return count;
}

size_t weir_connections_cut(weir_connections *set)
{
    size_t count;

    weir_lock_acquire(&set->lock_);
    set->is_cut_ = true;
    count = change_all(set, change_to_cut);
    weir_lock_release(&set->lock_);
    return count;
}

/* Keep a BUSY connection as it is until the lock is released. */
static bool pin(weir_connection *connection, uint32_t *word)
{
    *word = load_relaxed(&connection->word_); /* relaxed: guess */
    while (phase_of(*word) == WEIR_CONNECTION_BUSY)
        /* connection/P1 acquire: receives what the owner shows */
        if (cas_weak_acquire(&connection->word_, word, *word | PINNED))
            return true;
    return false;
}

void weir_connections_report(weir_connections *set,
                             weir_connection_report_fn *fn, void *arg)
{
    weir_lock_acquire(&set->lock_);
    for (weir_connection *each = set->first_; each != NULL;
         each = each->next_) {
        uint32_t word;
        bool is_busy = pin(each, &word);

        fn(arg, each, (weir_connection_phase)phase_of(word), is_busy);
    }
    weir_lock_release(&set->lock_);
}
