/* SPDX-License-Identifier: MIT */
/*
 * closed -- a promise that is resolved when a gate closes.
 *
 * Tested by  test/unit/promise/closed.c
 */
#include <errno.h>

#include "base/memory.h"
#include "gate/listener.h"
#include "promise/promise.h"

struct closed {
    struct weir__listener listener; /* first */
    weir_promise *promise;          /* held */
};

static void tell(struct weir__listener *listener)
{
    struct closed *closed = (struct closed *)listener;
    weir_promise *promise = closed->promise;

    weir__memory_free(closed, sizeof(*closed));
    /* Refused if its loop has ended. */
    (void)!weir_promise_resolve(promise, weir_value_of(NULL, NULL));
    weir_promise_unref(promise);
}

int weir_gate_closed(weir_gate *gate, weir_loop *loop, weir_promise **promise)
{
    struct closed *closed;
    weir_promise *made;
    int err;

    if (gate == NULL || loop == NULL || promise == NULL)
        return -EINVAL;
    closed = weir__memory_alloc(sizeof(*closed), _Alignof(struct closed));
    if (closed == NULL)
        return -ENOMEM;
    err = weir_promise_new(&made, loop);
    if (err != 0) {
        weir__memory_free(closed, sizeof(*closed));
        return err;
    }
    *promise = weir_promise_ref(made);
    closed->listener.told = tell;
    closed->promise = made;
    if (!weir__listener_add(&closed->listener, gate))
        tell(&closed->listener);
    return 0;
}
