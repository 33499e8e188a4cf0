/* SPDX-License-Identifier: MIT */
/*
 * gate_fixture -- a gate in any phase, of either kind, for the gate's tests.
 *
 *     GATE_CASE(gate_start_twice_is_refused)     two cases: ..._when_plain and
 *     {                                          ..._when_sharded
 *         gate_make_running(kind);
 *         expect_status(weir_gate_start(&gate), -EALREADY);
 *     }
 */
#ifndef WEIR_TEST_SUPPORT_GATE_FIXTURE_H
#define WEIR_TEST_SUPPORT_GATE_FIXTURE_H

#include <pthread.h>

#include "suite.h"
#include "weir/gate.h"

/* Static: a case ends with its process, so what it leaves is not a leak. */
extern weir_gate gate;

/* What on_closed has recorded. */
struct gate_closed {
    unsigned times;
    weir_phase phase;
    pthread_t thread;
    void *arg; /* the address of `closed` */
};
extern struct gate_closed closed;

extern const weir_gate_options gate_sharded;

#define GATE_CASE(name)                                                        \
    static void name(const weir_gate_options *kind);                           \
    CASE(name##_when_plain)                                                    \
    {                                                                          \
        name(NULL);                                                            \
    }                                                                          \
    CASE(name##_when_sharded)                                                  \
    {                                                                          \
        name(&gate_sharded);                                                   \
    }                                                                          \
    static void name(const weir_gate_options *kind)

void gate_make(const weir_gate_options *kind);
void gate_make_running(const weir_gate_options *kind);
void gate_make_draining(const weir_gate_options *kind); /* with one inside */
void gate_make_closed(const weir_gate_options *kind);   /* by its last exit */

/* Return a running gate on the heap, which on_closed frees. */
weir_gate *gate_make_freed_when_closed(const weir_gate_options *kind);

/* Skip the case unless sharded gates are supported. */
void gate_need_shards(void);

#define expect_closed_once() expect_int(closed.times, 1)

#endif /* WEIR_TEST_SUPPORT_GATE_FIXTURE_H */
