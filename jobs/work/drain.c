/* SPDX-License-Identifier: MIT */
/*
 * drain -- the hub claims no more, and waits for its claims to be settled.
 *
 * Both deadlines are the hub's timers, so they hold even if the loop's thread is
 * blocked.  The loop's thread gives back what has not begun; if it cannot, the
 * hard deadline does.
 */
#include <errno.h>

#include "os/clock.h"
#include "weir/clock.h"
#include "weir/host/memory.h"
#include "weir/host/service.h"
#include "work/hub.h"

static void answer(struct weir__hub *hub)
{
    struct weir__op *op = hub->drain;

    hub->drain = NULL;
    if (hub->soft != 0)
        (void)!weir_timer_cancel(hub->loop, hub->soft);
    if (hub->hard != 0)
        (void)!weir_timer_cancel(hub->loop, hub->hard);
    hub->soft = hub->hard = 0;
    if (hub->is_cut)
        weir__op_fail(op, WEIR_EFORCED, "handlers were still running");
    weir__hub_send(hub, &op->message);
}

/* What the store is doing may be a claim, whose jobs must be given back. */
void weir__drain_check(struct weir__hub *hub)
{
    if (hub->drain != NULL && hub->held == 0 &&
        (!hub->is_running || hub->is_cut))
        answer(hub);
}

static void raise_aborts(void *arg, int status)
{
    struct weir__hub *hub = arg;

    hub->soft = 0;
    if (status != 0)
        return;
    for (weir_jobs_claim *claim = hub->claims; claim != NULL;
         claim = claim->next) {
        claim->soft.kind = WEIR__MESSAGE_SOFT;
        weir__hub_send(hub, &claim->soft);
    }
}

static void list_holders(struct weir__hub *hub, struct weir__op *op)
{
    size_t bytes = sizeof(weir_jobs_holder) * hub->held;
    weir_jobs_holder *rows = weir_memory_alloc(bytes);
    int64_t now_ms = weir__clock_uptime_us() / 1000;
    size_t count = 0;

    if (rows == NULL)
        return;
    for (const weir_jobs_claim *claim = hub->claims; claim != NULL;
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
    struct weir__hub *hub = arg;
    weir_jobs_claim *next;

    hub->hard = 0;
    if (status != 0 || hub->drain == NULL)
        return;
    list_holders(hub, hub->drain);
    hub->is_cut = true;
    if (hub->service != NULL) /* before the last claim leaves its gate */
        weir_service_set_cut(hub->service);
    for (weir_jobs_claim *claim = hub->claims; claim != NULL; claim = next) {
        next = claim->next;
        weir__lease_cut(hub, claim, WEIR_ECANCELED,
                        &(weir_jobs_outcome){
                            .kind = WEIR_JOBS_OUTCOME_RELEASED,
                            .reason = "interrupted by a drain",
                        });
    }
    weir__drain_check(hub);
}

static void start_timer(struct weir__hub *hub, weir_timer *timer,
                        int64_t delay_ms, weir_fn *fn)
{
    if (delay_ms < 0 || delay_ms > INT64_MAX / 1000000)
        return;
    if (weir_timer_start(hub->loop, timer, WEIR_MS(delay_ms), WEIR_TIMER_ONCE,
                         fn, hub) != 0)
        *timer = 0;
}

void weir__drain_begin(struct weir__hub *hub, struct weir__op *op)
{
    if (hub->is_draining) { /* by the service */
        weir__op_fail(op, -EALREADY, "the drain has begun");
        weir__hub_send(hub, &op->message);
        return;
    }
    hub->is_draining = true;
    hub->drain = op;
    hub->draining.kind = WEIR__MESSAGE_DRAINING;
    weir__hub_send(hub, &hub->draining);
    start_timer(hub, &hub->soft, op->in.drain.soft_ms, raise_aborts);
    start_timer(hub, &hub->hard, op->in.drain.hard_ms, cut_off);
    weir__drain_check(hub);
}
