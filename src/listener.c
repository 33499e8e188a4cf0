/* SPDX-License-Identifier: MIT */
/*
 * listener -- to be told when a gate is CLOSED, without waiting for it.
 *
 * Shape     One list for all gates of the process, under one lock.  Gates that
 *           somebody listens to are few, and each is closed once.
 * Roles     add   any thread
 *           tell  the thread that has closed a gate, if the gate's word said
 *                 WAITER: a gate that nobody waits for pays nothing
 *
 *           The one who closes a gate must not touch it afterwards: a waiter may
 *           have freed it.  So the list is not in the gate, and is searched by
 *           the address.  A gate that is found there has a listener, for whose
 *           sake it stays: it may be looked at.
 *
 * Why nobody is forgotten  add says WAITER under the lock, and puts the
 *           listener in before it lets the lock go.  If the step that closes
 *           came before, add sees CLOSED.  Otherwise that step sees WAITER, and
 *           its tell finds the listener: it gets the lock after add.
 * Why nobody is told too early  the address may be that of a newer gate by now:
 *           it is told of only if it is CLOSED, too; and then its own tell finds
 *           nothing.
 *
 * Shared state
 *   first, next   any thread, plain, under the lock
 *
 * Tested by  test/model/listener.c, test/unit/closed.c
 */
#include "listener.h"

#include <stddef.h>

#include "lock.h"

static struct weir__lock lock; /* all zeros is free */
static struct weir__listener *first;

bool weir__listener_add(struct weir__listener *listener, weir_gate *gate)
{
    bool is_closed;

    listener->gate = gate;
    weir__lock_lock(&lock);
    is_closed = weir__gate_announce(gate);
    if (!is_closed) {
        plain_store(&listener->next, plain_load(&first));
        plain_store(&first, listener);
    }
    weir__lock_unlock(&lock);
    return !is_closed;
}

/* Those of this gate leave the list, and make one of their own. */
static struct weir__listener *take(const void *gate)
{
    struct weir__listener *taken = NULL;
    struct weir__listener **link = &first;
    struct weir__listener *listener;

    while ((listener = plain_load(link)) != NULL) {
        if (listener->gate != gate ||
            weir_gate_phase(listener->gate) != WEIR_PHASE_CLOSED) {
            link = &listener->next;
            continue;
        }
        plain_store(link, plain_load(&listener->next));
        plain_store(&listener->next, taken);
        taken = listener;
    }
    return taken;
}

void weir__listener_tell(const void *gate)
{
    struct weir__listener *listener;

    weir__lock_lock(&lock);
    listener = take(gate);
    weir__lock_unlock(&lock);
    while (listener != NULL) {
        struct weir__listener *next = plain_load(&listener->next);

        listener->told(listener);
        listener = next;
    }
}
