/* SPDX-License-Identifier: MIT */
/*
 * sweep -- run a scenario again and again, with another failure each time.
 *
 *     static int echo(void) { ... return status; }
 *
 *     CASE(echo_survives_every_failure)
 *     {
 *         sweep("echo", echo, CALL_SOCKET, CALL_BIND, CALL_ACCEPT4);
 *     }
 *
 * The scenario is run with the first system call failing, then with the second,
 * and so on until a run in which none failed; for several errors of each call,
 * for failures that last, for calls that are interrupted or would block, and
 * for allocations.  After each run nothing may be left: no memory and no
 * descriptor.  The scenario returns 0 if it has done everything, or its first
 * error, which must be one that the failure explains.  Interrupted calls and
 * calls that would block must make no difference.
 *
 * The calls named must have failed at least once each, so that a sweep which
 * misses its target is noticed.  The numbers are printed.
 */
#ifndef WEIR_TEST_NET_SUPPORT_SWEEP_H
#define WEIR_TEST_NET_SUPPORT_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/failing_syscalls.h"
#include "support/suite.h"
#include "weir/clock.h"
#include "weir/loop.h"
#include "weir/service.h"

typedef int sweep_scenario(void);

#define sweep(name, scenario, ...)                                             \
    sweep_run(name, scenario, (const enum failing_call[]){__VA_ARGS__},        \
              sizeof((const enum failing_call[]){__VA_ARGS__}) /               \
                  sizeof(enum failing_call))

void sweep_run(const char *name, sweep_scenario *scenario,
               const enum failing_call *used, size_t used_count);

/* Let nothing fail while a scenario makes what it needs, until is_spared is false
 * again.  On one thread. */
void sweep_spare(bool is_spared);

/*
 * Step a loop on a frozen clock until *is_over.  When nothing seems to happen,
 * time passes.  A scenario that does not end within limit_ns hangs: the case
 * fails.
 */
void sweep_step(weir_loop *loop, const bool *is_over, int64_t limit_ns);

/*
 * Wait for the end of a service on a frozen clock, which moves on when each of
 * these loops and the service's own has had a turn, so that a slow machine makes
 * no difference.  Returns the status of the service.  One that does not end
 * within limit_ns hangs: the case fails.
 */
int sweep_wait(weir_service *service, weir_loop *const *loops, size_t count,
               int64_t limit_ns);

/* Keep the first error of a scenario. */
static inline void sweep_note(int *status, int err)
{
    if (*status == 0)
        *status = err;
}

#endif /* WEIR_TEST_NET_SUPPORT_SWEEP_H */
