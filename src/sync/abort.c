/* SPDX-License-Identifier: MIT */
/*
 * abort -- a cancellation signal: one atomic word, and a list of listeners.
 *
 * Shape     `reason` changes from 0 to its value once, by a CAS.  The thread
 *           whose CAS succeeds has raised the abort, and notifies the
 *           listeners.  It removes them from the list one by one under the
 *           lock, and calls each without it.  So a concurrent remove either
 *           finds its listener on the list or knows that it is being notified.
 *
 *           An abort made from others (weir_abort_any) has a link to each
 *           source: a listener there, and a reference to it.
 *
 *               sources  [ list ] --> link.listener --> relay: raise(target)
 *
 *           Two counts keep the memory alive.  `refs` counts the users'
 *           references.  `lives` counts what may access the memory: one for all
 *           users together, one for each link that has not been notified or
 *           removed, and one for the raise, whose listeners may release the
 *           last reference.  When the last user releases the abort, the
 *           listeners are forgotten; then, or when it is raised, the links are
 *           removed; a link that is being notified meanwhile releases its own
 *           life.
 * Roles     all: any thread that has a reference
 * Progress  reason is wait-free.  The others take the lock for a few
 *           instructions; no callback runs under it.
 *
 * Shared state
 *   reason              any thread, atomic                                 P1
 *   refs, lives         any thread, atomic                                 P2
 *   head, and a listener's links   under lock (lock/P1)
 *   link[]              const after any, except for the listeners
 *
 * Pairs
 *   P1  raise: CAS, release  -->  reason: load, acquire
 *       Hands over what came before the raise.
 *   P2  unref, let_go: fetch_sub, release  -->  the last one, acquire
 *       Hands over the memory.
 *
 * Reclaim   The last life releases the sources and frees the memory.
 * Why each listener is notified once  raise writes `reason` before it takes the
 *           lock; listen reads it under the lock.  Either listen comes first
 *           and the listener is on the list that raise empties, or listen sees
 *           the reason.
 *
 * Tested by  test/unit/sync/abort.c, test/unit/sync/abort_raise.c,
 *            test/model/sync/abort.c
 */
#include "weir/abort.h"

#include <errno.h>
#include <stdbool.h>

#include "base/atomic.h"
#include "base/lock.h"
#include "base/memory.h"
#include "loop/loop.h"

enum { IDLE = 0, LISTED = 1 }; /* weir_abort_listener.state_ */

struct link {
    weir_abort_listener listener;
    weir_abort *source;
    weir_abort *target;
};

struct weir_abort {
    atomic(uint64_t) refs;  /* any thread, P2 */
    atomic(uint64_t) lives; /* any thread, P2 */
    atomic(int) reason;     /* any thread, P1 */
    struct weir__lock lock;
    weir_abort_listener *head,
        *tail;    /* under lock; tail valid if head is set */
    size_t count; /* const */
    struct link link[];
};

static size_t bytes_of(size_t links)
{
    return sizeof(weir_abort) + links * sizeof(struct link);
}

static weir_abort *make(size_t links)
{
    weir_abort *abort = weir__memory_alloc(bytes_of(links), 16);

    if (abort == NULL)
        return NULL;
    set_unshared(&abort->reason, 0);
    set_unshared(&abort->refs, 1);
    set_unshared(&abort->lives, 1 + (uint64_t)links);
    weir__lock_init(&abort->lock);
    abort->head = NULL;
    abort->count = links;
    return abort;
}

int weir_abort_new(weir_abort **abort)
{
    weir_abort *made;

    if (abort == NULL)
        return -EINVAL;
    made = make(0);
    if (made == NULL)
        return -ENOMEM;
    *abort = made;
    return 0;
}

void weir_abort_ref(weir_abort *abort)
{
    fetch_add_relaxed(&abort->refs, 1); /* relaxed: the caller has one */
}

static void let_go(weir_abort *abort)
{
    /* abort/P2 release: this thread's uses
     * abort/P2 acquire: those of all others, if this is the last */
    if (fetch_sub_acq_rel(&abort->lives, 1) != 1)
        return;
    for (size_t i = 0; i < abort->count; i++)
        weir_abort_unref(abort->link[i].source);
    weir__memory_free(abort, bytes_of(abort->count));
}

/* Remove the links that were not notified. */
static void unlink_all(weir_abort *abort)
{
    for (size_t i = 0; i < abort->count; i++) {
        struct link *link = &abort->link[i];

        if (weir_abort_remove(link->source, &link->listener) == 0)
            let_go(abort);
    }
}

/* A source may still raise the abort, but its listeners may be freed now. */
static void forget_listeners(weir_abort *abort)
{
    weir__lock_lock(&abort->lock);
    abort->head = NULL;
    weir__lock_unlock(&abort->lock);
}

void weir_abort_unref(weir_abort *abort)
{
    /* abort/P2 release: this thread's uses
     * abort/P2 acquire: those of all others, if this is the last */
    if (abort == NULL || fetch_sub_acq_rel(&abort->refs, 1) != 1)
        return;
    forget_listeners(abort);
    unlink_all(abort);
    let_go(abort);
}

/* ---- listeners ---- */

/* Called under lock. */
static void append(weir_abort *abort, weir_abort_listener *listener)
{
    plain_store(&listener->next_, NULL);
    plain_store(&listener->prev_, abort->head == NULL ? NULL : abort->tail);
    if (abort->head == NULL)
        abort->head = listener;
    else
        plain_store(&abort->tail->next_, listener);
    abort->tail = listener;
    plain_store(&listener->state_, LISTED);
}

/* Called under lock. */
static void take_off(weir_abort *abort, weir_abort_listener *listener)
{
    weir_abort_listener *next = plain_load(&listener->next_);
    weir_abort_listener *prev = plain_load(&listener->prev_);

    if (prev != NULL)
        plain_store(&prev->next_, next);
    else
        abort->head = next;
    if (next != NULL)
        plain_store(&next->prev_, prev);
    else
        abort->tail = prev;
    plain_store(&listener->state_, IDLE);
}

static void run(void *listener, int reason)
{
    ((weir_abort_listener *)listener)->run(listener, reason);
}

/* Notify a listener.  It may raise without keeping the others from
 * being notified. */
static void tell(weir_abort_listener *listener, int reason)
{
    weir__loop_contain(run, listener, reason);
}

static void listen(weir_abort *abort, weir_abort_listener *listener)
{
    int reason;

    weir__lock_lock(&abort->lock);
    reason = weir_abort_reason(abort);
    if (reason == 0)
        append(abort, listener);
    else
        plain_store(&listener->state_, IDLE);
    weir__lock_unlock(&abort->lock);
    if (reason != 0)
        tell(listener, reason);
}

int weir_abort_listen(weir_abort *abort, weir_abort_listener *listener)
{
    if (abort == NULL || listener == NULL || listener->run == NULL)
        return -EINVAL;
    listen(abort, listener);
    return 0;
}

int weir_abort_remove(weir_abort *abort, weir_abort_listener *listener)
{
    bool is_mine;

    if (abort == NULL || listener == NULL)
        return -EINVAL;
    weir__lock_lock(&abort->lock);
    is_mine = plain_load(&listener->state_) == LISTED;
    if (is_mine)
        take_off(abort, listener);
    weir__lock_unlock(&abort->lock);
    return is_mine ? 0 : -ENOENT;
}

static weir_abort_listener *take_first(weir_abort *abort)
{
    weir_abort_listener *first;

    weir__lock_lock(&abort->lock);
    first = abort->head;
    if (first != NULL)
        take_off(abort, first);
    weir__lock_unlock(&abort->lock);
    return first;
}

int weir_abort_raise(weir_abort *abort, int reason)
{
    int seen = 0;
    weir_abort_listener *listener;

    if (abort == NULL || reason == 0)
        return -EINVAL;
    /* abort/P1 release: publishes what came before */
    if (!cas_release(&abort->reason, &seen, reason))
        return -EALREADY;
    fetch_add_relaxed(&abort->lives, 1); /* relaxed: the caller has one */
    while ((listener = take_first(abort)) != NULL)
        tell(listener, reason);
    unlink_all(abort); /* the other sources no longer matter */
    let_go(abort);
    return 0;
}

int weir_abort_reason(const weir_abort *abort)
{
    /* abort/P1 acquire: receives what came before the raise */
    return load_acquire(&abort->reason);
}

/* ---- weir_abort_any ---- */

static void relay(weir_abort_listener *listener, int reason)
{
    weir_abort *target = ((struct link *)listener)->target;

    (void)weir_abort_raise(target, reason); /* another may have been first */
    let_go(target);
}

int weir_abort_any(weir_abort **abort, weir_abort *const *sources, size_t count)
{
    weir_abort *target;

    if (abort == NULL || (sources == NULL && count > 0))
        return -EINVAL;
    for (size_t i = 0; i < count; i++)
        if (sources[i] == NULL)
            return -EINVAL;
    target = make(count);
    if (target == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        weir_abort_ref(sources[i]);
        target->link[i] = (struct link){
            .listener.run = relay, .source = sources[i], .target = target};
    }
    for (size_t i = 0; i < count; i++)
        listen(sources[i], &target->link[i].listener);
    *abort = target;
    return 0;
}
