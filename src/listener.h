/* SPDX-License-Identifier: MIT */
/*
 * listener -- to be told when a gate is CLOSED, without waiting for it.
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
 * Thread   any
 * Owns     true: borrowed until told() is entered, once, on the thread that
 *          closes the gate.  The gate stays until then.
 * Returns  false: it is CLOSED, and told() will not be called
 * Orders   false, and told: sees what came before every exit
 */
bool weir__listener_add(struct weir__listener *listener, weir_gate *gate);

/* Somebody has closed the gate at this address, which may be gone by now, and
 * had seen that it is waited for.  Thread: any. */
void weir__listener_tell(const void *gate);

/* gate.c: says that it is waited for.  True: too late, it is CLOSED. */
bool weir__gate_announce(weir_gate *gate);

#endif /* WEIR_SRC_LISTENER_H */
