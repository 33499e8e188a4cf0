/* SPDX-License-Identifier: MIT */
/*
 * drain -- the dispatcher claims no more, and waits for its claims to be
 * settled.
 *
 * Both deadlines are the dispatcher's timers, so they hold even if the loop's
 * thread is blocked.  The loop's thread gives back what has not begun; if it
 * cannot, the hard deadline does.
 */
#include <errno.h>

#include "os/clock.h"
#include "weir/clock.h"
#include "weir/host/memory.h"
#include "weir/host/service.h"
#include "work/dispatcher.h"

static void answer(struct weir__dispatcher *dispatcher)
{
    struct weir__op *op = dispatcher->drain;

    dispatcher->drain = NULL;
    if (dispatcher->soft != 0)
        (void)!weir_timer_cancel(dispatcher->loop, dispatcher->soft);
    if (dispatcher->hard != 0)
        (void)!weir_timer_cancel(dispatcher->loop, dispatcher->hard);
    dispatcher->soft = dispatcher->hard = 0;
    if (dispatcher->is_cut)
        weir__op_fail(op, WEIR_EFORCED, "handlers were still running");
    weir__dispatcher_send(dispatcher, &op->message);
}

/* What the store is doing may be a claim, whose jobs must be given back. */
void weir__drain_check(struct weir__dispatcher *dispatcher)
{
    if (dispatcher->drain != NULL && dispatcher->held == 0 &&
        (!dispatcher->is_running || dispatcher->is_cut))
        answer(dispatcher);
}

static void raise_aborts(void *arg, int status)
{
    struct weir__dispatcher *dispatcher = arg;

    dispatcher->soft = 0;
    if (status != 0)
        return;
    for (weir_jobs_claim *claim = dispatcher->claims; claim != NULL;
         claim = claim->next) {
        claim->soft.kind = WEIR__MESSAGE_SOFT;
        weir__dispatcher_send(dispatcher, &claim->soft);
    }
}

static void list_holders(struct weir__dispatcher *dispatcher,
                         struct weir__op *op)
{
    size_t bytes = sizeof(weir_jobs_holder) * dispatcher->held;
    weir_jobs_holder *rows = weir_memory_alloc(bytes);
    int64_t now_ms = weir__clock_uptime_us() / 1000;
    size_t count = 0;

    if (rows == NULL)
        return;
    for (const weir_jobs_claim *claim = dispatcher->claims; claim != NULL;
         claim = claim->next) {
        if (claim->is_leaving)
            continue;
        rows[count++] = (weir_jobs_holder){
            .id = claim->info.id,
            .token = claim->info.token,
            .attempt = claim->info.attempt,
            .age_ms = now_ms - claim->claimed_ms,
            .queue = claim->info.queue,
        };
    }
    op->extra = rows;
    op->extra_bytes = bytes;
    WEIR__OP_LINK(rows, count);
    op->reply.holders = count > 0 ? rows : NULL;
    op->reply.count = count;
}

static void cut_off(void *arg, int status)
{
    struct weir__dispatcher *dispatcher = arg;
    weir_jobs_claim *next;

    dispatcher->hard = 0;
    if (status != 0 || dispatcher->drain == NULL)
        return;
    list_holders(dispatcher, dispatcher->drain);
    dispatcher->is_cut = true;
    if (dispatcher->service != NULL) /* before the last claim leaves its gate */
        weir_service_set_cut(dispatcher->service);
    for (weir_jobs_claim *claim = dispatcher->claims; claim != NULL;
         claim = next) {
        next = claim->next;
        weir__lease_cut(dispatcher, claim, WEIR_ECANCELED,
                        &(weir_jobs_outcome){
                            .kind = WEIR_JOBS_OUTCOME_RELEASED,
                            .reason = "interrupted by a drain",
                        });
    }
    weir__drain_check(dispatcher);
}

static void start_timer(struct weir__dispatcher *dispatcher, weir_timer *timer,
                        int64_t delay_ms, weir_fn *fn)
{
    if (delay_ms < 0 || delay_ms > INT64_MAX / 1000000)
        return;
    if (weir_timer_start(dispatcher->loop, timer, WEIR_MS(delay_ms),
                         WEIR_TIMER_ONCE, fn, dispatcher) != 0)
        *timer = 0;
}

void weir__drain_begin(struct weir__dispatcher *dispatcher, struct weir__op *op)
{
    if (dispatcher->is_draining) { /* by the service */
        weir__op_fail(op, -EALREADY, "the drain has begun");
        weir__dispatcher_send(dispatcher, &op->message);
        return;
    }
    dispatcher->is_draining = true;
    dispatcher->drain = op;
    dispatcher->draining.kind = WEIR__MESSAGE_DRAINING;
    weir__dispatcher_send(dispatcher, &dispatcher->draining);
    start_timer(dispatcher, &dispatcher->soft, op->in.drain.soft_ms,
                raise_aborts);
    start_timer(dispatcher, &dispatcher->hard, op->in.drain.hard_ms, cut_off);
    weir__drain_check(dispatcher);
}
