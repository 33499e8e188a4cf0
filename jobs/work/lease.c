/* SPDX-License-Identifier: MIT */
/*
 * lease -- the claims of a process, whose leases the dispatcher renews.
 *
 * A claim is held from the transaction that has made it to the one that settles
 * it, or to the end of its lease.  All leases are renewed together, each third
 * of the shortest one.  If a renewal fails, the next one is due after the same
 * time; a claim whose lease ends meanwhile is lost.
 *
 * A claim that was settled by its handler must not be touched once the answer
 * was sent, because the loop's thread frees it.  So the dispatcher settles a
 * claim itself (a timeout, a cut) only while no op of the handler's is on its
 * way.  The loop's thread also frees a claim that has not begun when message
 * END comes.  So END is not sent before the dispatcher's own op has been
 * carried out: while a claim is leaving, its lease is ended by the op that
 * settles it.
 */
#include <errno.h>

#include "os/clock.h"
#include "weir/clock.h"
#include "weir/host/memory.h"
#include "work/dispatcher.h"

static int64_t uptime_ms(void)
{
    return weir__clock_uptime_us() / 1000;
}

static void stop_timer(struct weir__dispatcher *dispatcher, weir_timer *timer)
{
    if (*timer != 0)
        (void)!weir_timer_cancel(dispatcher->loop, *timer);
    *timer = 0;
}

/* ---- renewing ---- */

static void renew(void *arg, int status)
{
    struct weir__dispatcher *dispatcher = arg;

    dispatcher->renew = 0;
    if (status != 0)
        return;
    dispatcher->is_renewing = true;
    weir__dispatcher_schedule(dispatcher);
}

/* Renew a third of a lease from now, unless that is due before. */
static void renew_in_time(struct weir__dispatcher *dispatcher, int64_t lease_ms)
{
    int64_t due_ns = weir_clock_now() + WEIR_MS(lease_ms) / 3;

    if (dispatcher->is_renewing ||
        (dispatcher->renew != 0 && dispatcher->renew_due_ns <= due_ns))
        return;
    stop_timer(dispatcher, &dispatcher->renew);
    dispatcher->renew_due_ns = due_ns;
    if (weir_timer_start_at(dispatcher->loop, &dispatcher->renew, due_ns, renew,
                            dispatcher) != 0)
        dispatcher->renew = 0;
}

static void start_renewing(struct weir__dispatcher *dispatcher)
{
    int64_t lease_ms = INT64_MAX;

    for (const weir_jobs_claim *claim = dispatcher->claims; claim != NULL;
         claim = claim->next)
        if (claim->renewing_lease_ms < lease_ms)
            lease_ms = claim->renewing_lease_ms;
    if (lease_ms != INT64_MAX)
        renew_in_time(dispatcher, lease_ms);
}

static bool reserve_rows(struct weir__dispatcher *dispatcher)
{
    size_t room = dispatcher->held + dispatcher->held / 2;
    struct weir__renewal *rows;

    if (dispatcher->held <= dispatcher->renew_room)
        return true;
    rows = weir_memory_alloc(room * sizeof(*rows));
    if (rows == NULL)
        return false;
    weir_memory_free(dispatcher->renew_op.in.renew.rows,
                     dispatcher->renew_room * sizeof(*rows));
    dispatcher->renew_op.in.renew.rows = rows;
    dispatcher->renew_room = room;
    return true;
}

/* Fill the op RENEW with what is held.  Returns NULL if there is no memory: then
 * the next renewal is due after the same time. */
struct weir__op *weir__lease_renew(struct weir__dispatcher *dispatcher)
{
    struct weir__renewal *rows;
    uint32_t count = 0;

    if (!reserve_rows(dispatcher)) {
        dispatcher->is_renewing = false;
        start_renewing(dispatcher);
        return NULL;
    }
    rows = dispatcher->renew_op.in.renew.rows;
    for (weir_jobs_claim *claim = dispatcher->claims; claim != NULL;
         claim = claim->next) {
        rows[count++] = (struct weir__renewal){
            .id = claim->info.id,
            .token = claim->info.token,
            .lease_ms = claim->renewing_lease_ms,
        };
        claim->renewing_at = count;
    }
    dispatcher->renew_op = (struct weir__op){.kind = WEIR__OP_RENEW};
    dispatcher->renew_op.in.renew.rows = rows;
    dispatcher->renew_op.in.renew.count = count;
    return &dispatcher->renew_op;
}

/* The lease of a claim has ended. */
void weir__lease_end(struct weir__dispatcher *dispatcher,
                     weir_jobs_claim *claim, int status)
{
    if (!claim->is_held)
        return;
    weir__lease_drop(dispatcher, claim);
    claim->end_status = status;
    claim->end.kind = WEIR__MESSAGE_END;
    weir__dispatcher_send(dispatcher, &claim->end);
}

/* Take note of a claim's row in RENEW.  Returns false if it has none, or if the
 * renewal has failed.  A claim that is leaving may have left the store before:
 * the op that settles it tells. */
static bool note_renewal(struct weir__dispatcher *dispatcher,
                         weir_jobs_claim *claim)
{
    const struct weir__renewal *row;
    uint32_t at = claim->renewing_at;

    claim->renewing_at = 0;
    if (at == 0 || dispatcher->renew_op.status != 0)
        return false;
    row = &dispatcher->renew_op.in.renew.rows[at - 1];
    if (!row->is_lost)
        claim->lease_until_ms = row->until_ms;
    else if (!claim->is_leaving)
        weir__lease_end(dispatcher, claim, WEIR_ELEASE);
    return true;
}

void weir__lease_renewed(struct weir__dispatcher *dispatcher)
{
    int64_t now_ms = uptime_ms();
    weir_jobs_claim *next;

    dispatcher->is_renewing = false;
    for (weir_jobs_claim *claim = dispatcher->claims; claim != NULL;
         claim = next) {
        next = claim->next;
        if (!note_renewal(dispatcher, claim) && !claim->is_leaving &&
            claim->lease_until_ms <= now_ms)
            weir__lease_end(dispatcher, claim, WEIR_ELEASE);
    }
    start_renewing(dispatcher);
}

/* ---- holding ---- */

void weir__lease_hold(struct weir__dispatcher *dispatcher,
                      weir_jobs_claim *claim)
{
    claim->is_held = true;
    claim->renewing_lease_ms = claim->worker->options.lease_ms;
    claim->worker->held++;
    dispatcher->held++;
    claim->next = dispatcher->claims;
    claim->link = &dispatcher->claims;
    if (dispatcher->claims != NULL)
        dispatcher->claims->link = &claim->next;
    dispatcher->claims = claim;
    renew_in_time(dispatcher, claim->renewing_lease_ms);
}

void weir__lease_drop(struct weir__dispatcher *dispatcher,
                      weir_jobs_claim *claim)
{
    if (!claim->is_held)
        return;
    stop_timer(dispatcher, &claim->timer);
    *claim->link = claim->next;
    if (claim->next != NULL)
        claim->next->link = claim->link;
    claim->is_held = false;
    claim->worker->held--;
    dispatcher->held--;
    if (dispatcher->claims == NULL)
        stop_timer(dispatcher, &dispatcher->renew);
    if (claim->is_inside)
        weir_gate_exit(dispatcher->gate);
}

void weir__lease_cancelled(struct weir__dispatcher *dispatcher, uint64_t token)
{
    for (weir_jobs_claim *claim = dispatcher->claims; claim != NULL;
         claim = claim->next)
        if (claim->info.token == token) {
            if (!claim->is_leaving)
                weir__lease_end(dispatcher, claim, WEIR_ECANCELED);
            return;
        }
}

/* ---- cutting off ---- */

void weir__lease_cut(struct weir__dispatcher *dispatcher,
                     weir_jobs_claim *claim, int reason,
                     const weir_jobs_outcome *outcome)
{
    struct weir__op *op;

    if (!claim->is_held || claim->is_leaving)
        return;
    op = weir__op_new(claim->worker->jobs, WEIR__OP_SETTLE, 0);
    if (op == NULL) { /* then the lease ends by itself */
        weir__lease_end(dispatcher, claim, reason);
        return;
    }
    claim->is_leaving = true;
    op->in.settle.claim = claim;
    op->in.settle.outcome = *outcome;
    op->in.settle.cut = reason;
    weir__dispatcher_append(dispatcher, op);
}

static void time_out(void *arg, int status)
{
    weir_jobs_claim *claim = arg;

    claim->timer = 0;
    if (status == 0)
        weir__lease_cut(claim->worker->dispatcher, claim, -ETIMEDOUT,
                        &(weir_jobs_outcome){
                            .kind = WEIR_JOBS_OUTCOME_FAILED,
                            .reason = "the handler took too long",
                        });
}

void weir__lease_begin(struct weir__dispatcher *dispatcher,
                       weir_jobs_claim *claim)
{
    if (claim->is_held && claim->info.timeout_ms > 0 &&
        claim->info.timeout_ms <= INT64_MAX / 1000000)
        (void)!weir_timer_start(dispatcher->loop, &claim->timer,
                                WEIR_MS(claim->info.timeout_ms),
                                WEIR_TIMER_ONCE, time_out, claim);
}
