/* SPDX-License-Identifier: MIT */
/*
 * gate_promise -- a promise that is resolved when a gate closes.
 *
 * Tested by  test/unit/promise/gate_promise.c
 */
#include <errno.h>

#include "base/memory.h"
#include "gate/listener.h"
#include "promise/promise.h"

struct gate_promise {
    struct weir__listener listener; /* first */
    weir_promise *promise;          /* held */
};

static void resolve(struct weir__listener *listener)
{
    struct gate_promise *waiter = (struct gate_promise *)listener;
    weir_promise *promise = waiter->promise;

    weir__memory_free(waiter, sizeof(*waiter));
    /* Refused if its loop has ended. */
    (void)!weir_promise_resolve(promise, weir_value_of(NULL, NULL));
    weir_promise_unref(promise);
}

int weir_gate_closed(weir_gate *gate, weir_loop *loop, weir_promise **promise)
{
    struct gate_promise *waiter;
    weir_promise *made;
    int err;

    if (gate == NULL || loop == NULL || promise == NULL)
        return -EINVAL;
    waiter = weir__memory_alloc(sizeof(*waiter), _Alignof(struct gate_promise));
    if (waiter == NULL)
        return -ENOMEM;
    err = weir_promise_new(&made, loop);
    if (err != 0) {
        weir__memory_free(waiter, sizeof(*waiter));
        return err;
    }
    *promise = weir_promise_ref(made);
    waiter->listener.told = resolve;
    waiter->promise = made;
    if (!weir__listener_add(&waiter->listener, gate))
        resolve(&waiter->listener);
    return 0;
}
