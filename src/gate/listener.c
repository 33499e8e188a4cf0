/* SPDX-License-Identifier: MIT */
/*
 * listener -- notification that a gate is CLOSED, without waiting for it.
 *
 * Shape     One list for all gates of the process, under one lock.  Few gates
 *           have listeners, and each gate is closed once.
 * Roles     add   any thread
 *           tell  the thread that has closed a gate whose word had WAITER set.
 *                 A gate without waiters pays nothing.
 *
 *           The thread that closes a gate must not touch it afterwards, because
 *           a waiter may have freed it.  So the list is not in the gate, and
 *           is searched by address.  A gate that is found in the list has a
 *           listener, which keeps it alive, so it may be read.
 *
 * Why no listener is missed  add sets WAITER under the lock and inserts the
 *           listener before it releases the lock.  If the step that closes came
 *           before, add sees CLOSED.  Otherwise that step sees WAITER, and its
 *           tell finds the listener, because it gets the lock after add.
 * Why no listener is notified too early  By now the address may be that of a
 *           newer gate.  Its listeners are notified only if it is CLOSED as
 *           well, and then its own tell finds nothing.
 *
 * Shared state
 *   first, next   any thread, plain, under the lock
 *
 * Tested by  test/model/gate/listener.c, test/unit/gate/listener.c,
 *            test/unit/promise/gate_promise.c
 */
#include "gate/listener.h"

#include <stddef.h>

#include "base/atomic.h"
#include "weir/host/lock.h"

static weir_global_lock lock = WEIR_GLOBAL_LOCK_INIT;
static struct weir__listener *first;

bool weir__listener_add(struct weir__listener *listener, weir_gate *gate)
{
    bool is_closed;

    listener->gate = gate;
    weir_global_lock_acquire(&lock);
    is_closed = weir__gate_announce(gate);
    if (!is_closed) {
        plain_store(&listener->next, plain_load(&first));
        plain_store(&first, listener);
    }
    weir_global_lock_release(&lock);
    return !is_closed;
}

/* Move the listeners of this gate to a separate list. */
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

    weir_global_lock_acquire(&lock);
    listener = take(gate);
    weir_global_lock_release(&lock);
    while (listener != NULL) {
        struct weir__listener *next = plain_load(&listener->next);

        listener->told(listener);
        listener = next;
    }
}
