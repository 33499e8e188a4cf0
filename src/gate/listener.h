/* SPDX-License-Identifier: MIT */
/*
 * listener -- notification that a gate is CLOSED, without waiting for it.
 *
 *     struct promise_of_a_gate {
 *         struct weir__listener listener;     first
 *         ...
 *     };
 *     mine->listener.told = on_told;
 *     if (!weir__listener_add(&mine->listener, gate))
 *         ...                                 it is CLOSED already
 */
#ifndef WEIR_SRC_LISTENER_H
#define WEIR_SRC_LISTENER_H

#include <stdbool.h>

#include "weir/gate.h"

struct weir__listener {
    void (*told)(struct weir__listener *listener); /* may free it */
    weir_gate *gate;
    struct weir__listener *next;
};

/*
 * Add a listener to a gate.
 *
 * Thread   any
 * Owns     true: borrowed until told() is entered, once, on the thread that
 *          closes the gate.  The gate must exist until then.
 * Returns  false: the gate is CLOSED, and told() will not be called
 * Orders   false, and told(): what came before every exit is visible
 */
bool weir__listener_add(struct weir__listener *listener, weir_gate *gate);

/* Notify the listeners of the gate at this address, which has been closed with
 * WAITER set.  The gate may have been freed.  Thread: any. */
void weir__listener_tell(const void *gate);

/* In gate.c: set WAITER.  True if it is too late and the gate is CLOSED. */
bool weir__gate_announce(weir_gate *gate);

#endif /* WEIR_SRC_LISTENER_H */
