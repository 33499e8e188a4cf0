/* SPDX-License-Identifier: MIT */
/*
 * hub -- see hub.h.
 *
 * A turn     The ops that have arrived wait in `first`.  An immediate at the end
 *            of the turn makes one transaction of them: group commit.  To them it
 *            adds a claim for each worker that has room and is hungry, and the
 *            renewal if it is due.  So a job that is added to an idle worker is
 *            durable and claimed by the same commit, and so are a completion and
 *            the claim that takes its place.
 * Hunger     A worker is hungry until a claim has found less than it asked for.
 *            It is hungry again when an op may have changed that, when another
 *            process has rung, or when the claim said that it would be: a job is
 *            due, a lease ends, the rate allows more.  There is no polling.
 * Answers    First the hub takes note of all ops of a transaction, and then it
 *            sends them: what was sent is no longer the hub's.
 * The end    CLOSE gives back what is held, closes the store, is answered, and
 *            ends the loop, and with it the thread.
 */
#include "work/hub.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "os/clock.h"
#include "weir/clock.h"
#include "weir/host/memory.h"

enum {
    TRANSACTION_OPS = 1000, /* bounds the time of one transaction */
    RETRY_MS = 1000,        /* after the store has failed */
    STACK_BYTES = 512 << 10,
};

void weir__hub_send(struct weir__hub *hub, struct weir__message *message)
{
    /* Refused only if the handle is being freed, which then has all messages. */
    if (weir_channel_send(hub->channel, &message->node) != 0 &&
        message->kind == WEIR__MESSAGE_OP)
        weir__op_free((struct weir__op *)message);
}

/* ---- when to look again ---- */

static bool wants_more(const struct weir__hub *hub,
                       const weir_jobs_worker *worker)
{
    uint32_t capacity = worker->options.concurrency + worker->options.prefetch;

    return !hub->is_draining && hub->closing == NULL &&
           worker->held - worker->leaving < capacity;
}

static void come_due(void *arg, int status)
{
    struct weir__hub *hub = arg;

    hub->due = 0;
    if (status == 0)
        weir__hub_look(hub, NULL);
}

/* The time until a worker may find something, or INT64_MAX. */
static int64_t next_look_ms(const struct weir__hub *hub)
{
    int64_t date_ms = weir__clock_date_ms();
    int64_t uptime_ms = weir__clock_uptime_us() / 1000;
    int64_t next_ms = INT64_MAX;

    for (const weir_jobs_worker *worker = hub->workers; worker != NULL;
         worker = worker->hub_next) {
        int64_t by_date_ms = INT64_MAX, by_uptime_ms = INT64_MAX;

        if (!wants_more(hub, worker))
            continue;
        if (worker->due_date_ms != INT64_MAX)
            by_date_ms = worker->due_date_ms - date_ms;
        if (worker->due_uptime_ms != INT64_MAX)
            by_uptime_ms = worker->due_uptime_ms - uptime_ms;
        if (by_date_ms < next_ms)
            next_ms = by_date_ms;
        if (by_uptime_ms < next_ms)
            next_ms = by_uptime_ms;
    }
    return next_ms < 0 ? 0 : next_ms;
}

static void plan_look(struct weir__hub *hub)
{
    int64_t next_ms = next_look_ms(hub);

    if (hub->due != 0)
        (void)!weir_timer_cancel(hub->loop, hub->due);
    hub->due = 0;
    if (next_ms < INT64_MAX / 1000000 &&
        weir_timer_start(hub->loop, &hub->due, WEIR_MS(next_ms),
                         WEIR_TIMER_ONCE, come_due, hub) != 0)
        hub->due = 0;
}

void weir__hub_look(struct weir__hub *hub, const char *queue)
{
    bool is_any = false;

    for (weir_jobs_worker *worker = hub->workers; worker != NULL;
         worker = worker->hub_next) {
        if (queue != NULL && strcmp(queue, worker->options.queue) != 0)
            continue;
        worker->is_hungry = is_any = true;
    }
    if (is_any)
        weir__hub_schedule(hub);
}

static void retry(void *arg, int status)
{
    struct weir__hub *hub = arg;

    hub->retry = 0;
    if (status != 0)
        return;
    weir__hub_look(hub, NULL);
    weir__hub_schedule(hub); /* ops may wait, even without workers */
}

static void look_later(struct weir__hub *hub)
{
    if (hub->retry == 0 &&
        weir_timer_start(hub->loop, &hub->retry, WEIR_MS(RETRY_MS),
                         WEIR_TIMER_ONCE, retry, hub) != 0)
        hub->retry = 0;
}

/* ---- a transaction ---- */

/* Whether an op may let a worker find more. */
static bool makes_hungry(enum weir__op_kind kind)
{
    return kind == WEIR__OP_ADD || kind == WEIR__OP_SETTLE ||
           kind == WEIR__OP_LIMIT || kind == WEIR__OP_PAUSE ||
           kind == WEIR__OP_CANCEL || kind == WEIR__OP_RETRY ||
           kind == WEIR__OP_SCHEDULE;
}

/* Take the first ops of the queue into a list.  Returns its end. */
static struct weir__op **take_ops(struct weir__hub *hub,
                                  struct weir__op **first)
{
    struct weir__op **at = first;
    bool is_hungry = false;

    *first = hub->first;
    for (int i = 0; *at != NULL && i < TRANSACTION_OPS; i++) {
        is_hungry |= makes_hungry((*at)->kind);
        if ((*at)->kind == WEIR__OP_SETTLE && (*at)->in.settle.claim->is_held)
            (*at)->in.settle.claim->worker->leaving++;
        at = &(*at)->next;
    }
    hub->first = *at;
    if (hub->first == NULL)
        hub->end = &hub->first;
    *at = NULL;
    if (is_hungry)
        for (weir_jobs_worker *worker = hub->workers; worker != NULL;
             worker = worker->hub_next)
            worker->is_hungry = true;
    return at;
}

/* Enter the gate of the service for each job that may be claimed. */
static uint32_t enter_gate(const struct weir__hub *hub, uint32_t most)
{
    uint32_t count = 0;

    if (hub->gate == NULL)
        return most;
    while (count < most && weir_gate_enter(hub->gate) == 0)
        count++;
    return count;
}

static void exit_gate(const struct weir__hub *hub, uint32_t count)
{
    while (hub->gate != NULL && count-- > 0)
        weir_gate_exit(hub->gate);
}

static struct weir__op *new_claim(struct weir__hub *hub,
                                  weir_jobs_worker *worker)
{
    uint32_t room = worker->options.concurrency + worker->options.prefetch -
                    (worker->held - worker->leaving);
    struct weir__op *op = weir__op_new(worker->jobs, WEIR__OP_CLAIM, 0);

    if (op == NULL) {
        look_later(hub);
        return NULL;
    }
    room = enter_gate(hub, room);
    if (room == 0) {
        weir__op_free(op);
        return NULL;
    }
    op->in.claim = (struct weir__claiming){
        .worker = worker,
        .queue = worker->options.queue,
        .owner = worker->owner,
        .most = room,
        .lease_ms = worker->options.lease_ms,
        .is_inside = hub->gate != NULL,
    };
    return op;
}

static void add_claims(struct weir__hub *hub, struct weir__op **end)
{
    for (weir_jobs_worker *worker = hub->workers; worker != NULL;
         worker = worker->hub_next) {
        struct weir__op *op;

        if (!worker->is_hungry || !wants_more(hub, worker))
            continue;
        worker->is_hungry = false;
        op = new_claim(hub, worker);
        if (op != NULL) {
            *end = op;
            end = &op->next;
        }
    }
    if (hub->is_due) {
        hub->is_due = false;
        hub->tick = (struct weir__op){.kind = WEIR__OP_TICK};
        *end = &hub->tick;
        end = &hub->tick.next;
    }
    if (hub->is_renewing && hub->class->renew == NULL)
        *end = weir__lease_renew(hub);
}

/* Renew the leases beside the lists, if the engine can. */
static void renew_aside(struct weir__hub *hub)
{
    struct weir__op *op;

    if (!hub->is_renewing || hub->is_renew_sent || hub->class->renew == NULL ||
        hub->engine == NULL)
        return;
    op = hub->held > 0 ? weir__lease_renew(hub) : NULL;
    hub->is_renewing = op != NULL;
    if (op == NULL)
        return;
    hub->is_renew_sent = true;
    hub->class->renew(hub->engine, op);
}

static void run_transaction(void *arg, int status)
{
    struct weir__hub *hub = arg;
    struct weir__op *first;

    hub->is_scheduled = false;
    renew_aside(hub);
    if (hub->is_running || hub->opened != NULL)
        return;
    add_claims(hub, take_ops(hub, &first));
    if (first == NULL) {
        plan_look(hub);
        return;
    }
    hub->is_running = true;
    if (hub->engine != NULL && hub->status == 0) {
        hub->class->run(hub->engine, first);
        return;
    }
    for (struct weir__op *op = first; op != NULL; op = op->next)
        weir__op_fail(op, hub->status, hub->reason);
    hub->host.ran(&hub->host, first);
}

void weir__hub_schedule(struct weir__hub *hub)
{
    if (hub->is_scheduled)
        return;
    hub->is_scheduled = true;
    if (weir_loop_immediate(hub->loop, run_transaction, hub) != 0) {
        hub->is_scheduled = false; /* no memory: the timer comes back to it */
        look_later(hub);
    }
}

void weir__hub_append(struct weir__hub *hub, struct weir__op *op)
{
    op->next = NULL;
    *hub->end = op;
    hub->end = &op->next;
    weir__hub_schedule(hub);
}

/* ---- after a transaction ---- */

static void report(struct weir__hub *hub, const struct weir__op *failed)
{
    struct weir__op *event = weir__op_new(failed->jobs, WEIR__OP_EVENT, 0);

    if (event == NULL)
        return;
    weir__op_fail(event, failed->status, failed->reason);
    weir__hub_send(hub, &event->message);
}

static void note_claims(struct weir__hub *hub, struct weir__op *op)
{
    struct weir__claiming *made = &op->in.claim;
    weir_jobs_worker *worker = made->worker;
    weir_jobs_claim *next;

    if (made->is_inside) /* the handle may have joined since it was sent */
        exit_gate(hub, made->most - made->count);
    worker->due_date_ms = made->due_date_ms;
    worker->due_uptime_ms = made->due_uptime_ms;
    if (op->status != 0) {
        worker->due_date_ms = worker->due_uptime_ms = INT64_MAX;
        report(hub, op);
        look_later(hub);
    }
    for (weir_jobs_claim *claim = made->claims; claim != NULL; claim = next) {
        next = claim->next;
        claim->waiting = next; /* as the loop's thread will read it */
        claim->is_inside = made->is_inside;
        weir__lease_hold(hub, claim);
    }
    if (made->count == made->most)
        worker->is_hungry = true; /* as soon as it has room */
}

static void note_settled(struct weir__hub *hub, struct weir__op *op)
{
    weir_jobs_claim *claim = op->in.settle.claim;

    claim->worker->leaving = 0;
    if (op->in.settle.cut == 0)
        weir__lease_drop(hub, claim);
    else
        weir__lease_end(hub, claim,
                        op->status == 0 ? op->in.settle.cut : WEIR_ELEASE);
}

static void note_renewed(struct weir__hub *hub, struct weir__op *op)
{
    if (op->status != 0)
        report(hub, op);
    weir__lease_renewed(hub);
}

/* Take note of what an op has changed. */
static void note(struct weir__hub *hub, struct weir__op *op)
{
    switch (op->kind) {
    case WEIR__OP_CLAIM:
        note_claims(hub, op);
        return;
    case WEIR__OP_SETTLE:
        note_settled(hub, op);
        return;
    case WEIR__OP_RENEW:
        note_renewed(hub, op);
        return;
    case WEIR__OP_CANCEL:
        if (op->status == 0 && op->in.job.token != 0)
            weir__lease_cancelled(hub, op->in.job.token);
        return;
    default:
        return;
    }
}

static void send_answer(struct weir__hub *hub, struct weir__op *op)
{
    bool is_own = op->kind == WEIR__OP_SETTLE && op->in.settle.cut != 0;

    if (op->kind == WEIR__OP_RENEW || op->kind == WEIR__OP_TICK)
        return; /* the hub's own */
    if (is_own || (op->kind == WEIR__OP_CLAIM && op->in.claim.count == 0))
        weir__op_free(op);
    else
        weir__hub_send(hub, &op->message);
}

static struct weir__hub *hub_of(struct weir__engine_host *host)
{
    return (struct weir__hub *)((char *)host -
                                offsetof(struct weir__hub, host));
}

static void opened(struct weir__engine_host *host, int status,
                   const char *reason)
{
    struct weir__hub *hub = hub_of(host);
    struct weir__op *op = hub->opened;

    hub->opened = NULL;
    hub->status = status;
    snprintf(hub->reason, sizeof(hub->reason), "%s", reason);
    if (status != 0)
        weir__op_fail(op, status, reason);
    weir__hub_send(hub, &op->message);
    weir__hub_schedule(hub);
}

static void close_store(struct weir__hub *hub)
{
    struct weir__op *closing = hub->closing;

    if (hub->engine != NULL)
        hub->class->close(hub->engine);
    hub->engine = NULL;
    if (hub->opened != NULL)
        opened(&hub->host, WEIR_ECANCELED, "closed before it was open");
    hub->status = WEIR_ECLOSED;
    weir_virtual_leave(&hub->member);
    (void)!weir_loop_shutdown(hub->loop, 0); /* from inside: it begins */
    weir__hub_send(hub, &closing->message);
}

/* For a close, or after the hard deadline of a drain.  Those that are being
 * given back already are left alone. */
static void give_back_all(struct weir__hub *hub)
{
    const char *reason = hub->closing != NULL ? "interrupted by a close"
                                              : "interrupted by a drain";
    weir_jobs_claim *next;

    for (weir_jobs_claim *claim = hub->claims; claim != NULL; claim = next) {
        next = claim->next;
        weir__lease_cut(hub, claim, WEIR_ECANCELED,
                        &(weir_jobs_outcome){
                            .kind = WEIR_JOBS_OUTCOME_RELEASED,
                            .reason = reason,
                        });
    }
}

/* The claims of the workers were sent: these may be freed. */
static void send_stopped(struct weir__hub *hub)
{
    while (hub->stopped != NULL) {
        struct weir__op *op = hub->stopped;

        hub->stopped = op->next;
        weir__hub_send(hub, &op->message);
    }
}

static void ran(struct weir__engine_host *host, struct weir__op *first)
{
    struct weir__hub *hub = hub_of(host);
    struct weir__op *next;

    hub->is_running = false;
    for (struct weir__op *op = first; op != NULL; op = op->next)
        note(hub, op);
    for (struct weir__op *op = first; op != NULL; op = next) {
        next = op->next;
        send_answer(hub, op);
    }
    send_stopped(hub);
    if (hub->closing != NULL || hub->is_cut) /* claims may come after that */
        give_back_all(hub);
    weir__drain_check(hub);
    if (hub->first != NULL)
        weir__hub_schedule(hub);
    else if (hub->closing != NULL)
        close_store(hub);
    else
        weir__hub_schedule(hub); /* hungry workers, and the next look */
}

static void renewed(struct weir__engine_host *host, struct weir__op *op)
{
    struct weir__hub *hub = hub_of(host);

    hub->is_renew_sent = false;
    note_renewed(hub, op);
    weir__drain_check(hub);
}

static void changed(struct weir__engine_host *host, const char *queue)
{
    weir__hub_look(hub_of(host), queue);
}

static void due(struct weir__engine_host *host)
{
    struct weir__hub *hub = hub_of(host);

    hub->is_due = true;
    weir__hub_schedule(hub);
}

/* ---- what arrives ---- */

static void begin_work(struct weir__hub *hub, struct weir__op *op)
{
    weir_jobs_worker *worker = op->in.work.worker;

    worker->is_in = worker->is_hungry = true;
    worker->due_date_ms = worker->due_uptime_ms = INT64_MAX;
    worker->hub_next = hub->workers;
    hub->workers = worker;
    weir__hub_schedule(hub);
    weir__hub_send(hub, &op->message);
}

static void stop_work(struct weir__hub *hub, struct weir__op *op)
{
    weir_jobs_worker **at = &hub->workers;

    while (*at != NULL && *at != op->in.work.worker)
        at = &(*at)->hub_next;
    if (*at != NULL)
        *at = (*at)->hub_next;
    if (hub->is_running) { /* and may have a claim of the worker's */
        op->next = hub->stopped;
        hub->stopped = op;
        return;
    }
    weir__hub_send(hub, &op->message);
}

static void begin_close(struct weir__hub *hub, struct weir__op *op)
{
    hub->closing = op;
    if (hub->drain != NULL) { /* its claims are given back */
        hub->is_cut = hub->held > 0;
        hub->is_draining = true;
    }
    give_back_all(hub);
    if (hub->first == NULL && !hub->is_running)
        close_store(hub);
}

static void receive_op(struct weir__hub *hub, struct weir__op *op)
{
    switch (op->kind) {
    case WEIR__OP_WORK:
        begin_work(hub, op);
        return;
    case WEIR__OP_STOP:
        stop_work(hub, op);
        return;
    case WEIR__OP_JOIN:
        hub->service = op->in.join.service;
        hub->gate = weir_service_gate(hub->service);
        weir__hub_send(hub, &op->message);
        return;
    case WEIR__OP_DRAIN:
        weir__drain_begin(hub, op);
        return;
    case WEIR__OP_CLOSE:
        begin_close(hub, op);
        return;
    case WEIR__OP_SETTLE:
        /* If the hub has settled it, this op comes second and is refused. */
        op->in.settle.claim->is_leaving = true;
        weir__hub_append(hub, op);
        return;
    default:
        weir__hub_append(hub, op);
        return;
    }
}

/* All ops of a turn arrive together. */
static void receive(weir_task *task, int status)
{
    struct weir__op *op =
        (struct weir__op *)((char *)task - offsetof(struct weir__op, task));
    struct weir__op *next;

    for (; op != NULL; op = next) {
        next = op->next;
        receive_op(weir__jobs_hub(op->jobs), op);
    }
}

void weir__hub_address(struct weir__op *op)
{
    op->task = (weir_task){.run = receive, .name = "jobs"};
}

void weir__hub_post(struct weir__hub *hub, struct weir__op *op)
{
    weir__hub_address(op);
    /* The hub's loop ends only after CLOSE, which is posted last. */
    if (weir_loop_post(hub->loop, &op->task) != 0)
        weir__op_free(op);
}

static void receive_begun(weir_task *task, int status)
{
    weir_jobs_claim *claim =
        (weir_jobs_claim *)((char *)task - offsetof(weir_jobs_claim, begun));

    weir__lease_begin(claim->worker->hub, claim);
}

void weir__hub_begin(struct weir__hub *hub, weir_jobs_claim *claim)
{
    claim->begun = (weir_task){.run = receive_begun, .name = "jobs"};
    (void)!weir_loop_post(hub->loop, &claim->begun);
}

/* ---- the thread ---- */

static void open_store(void *arg, int status)
{
    struct weir__hub *hub = arg;

    if (status != 0) /* the thread could not be started */
        return;
    hub->member.loop = hub->loop;
    weir_virtual_join(&hub->member);
    hub->engine = hub->class->open(&hub->host, hub->path);
}

static void run_hub(void *arg)
{
    struct weir__hub *hub = arg;
    int err = weir_loop_run(hub->loop, WEIR_RUN_UNTIL_CLOSED);

    (void)err; /* nothing can be told any more */
}

static void free_parts(struct weir__hub *hub)
{
    weir_loop_free(hub->loop);
    weir_channel_unref(hub->channel);
    weir__op_free(hub->opened);
    weir_memory_free(hub->renew_op.in.renew.rows,
                     hub->renew_room * sizeof(struct weir__renewal));
    weir_memory_free(hub->path, hub->path_bytes);
    weir_memory_free(hub, sizeof(*hub));
}

static const struct weir__engine_class *class_of(const char *path)
{
    return strncmp(path, "postgres://", 11) == 0 ||
                   strncmp(path, "postgresql://", 13) == 0
               ? &weir__postgres_engine
               : &weir__sqlite_engine;
}

int weir__hub_start(struct weir__hub **made, weir_channel *channel,
                    const char *path, int64_t busy_ms)
{
    struct weir__hub *hub = weir_memory_alloc(sizeof(*hub));
    int err;

    if (hub == NULL)
        return -ENOMEM;
    memset(hub, 0, sizeof(*hub));
    hub->class = class_of(path);
    hub->end = &hub->first;
    hub->channel = channel;
    weir_channel_ref(channel);
    hub->path_bytes = strlen(path) + 1;
    hub->path = weir_memory_alloc(hub->path_bytes);
    hub->opened = weir__op_new(NULL, WEIR__OP_OPENED, 0);
    err = hub->path != NULL && hub->opened != NULL
              ? weir_loop_new(&hub->loop, NULL)
              : -ENOMEM;
    if (err != 0)
        goto fail;
    memcpy(hub->path, path, hub->path_bytes);
    hub->host = (struct weir__engine_host){
        .loop = hub->loop,
        .busy_ms = busy_ms,
        .opened = opened,
        .ran = ran,
        .due = due,
        .renewed = renewed,
        .changed = changed,
    };
    err = weir_loop_submit(hub->loop, open_store, hub);
    if (err == 0)
        err = weir_thread_start(&hub->thread, run_hub, hub, STACK_BYTES);
    if (err != 0)
        goto fail;
    *made = hub;
    return 0;
fail:
    free_parts(hub);
    return err;
}

void weir__hub_join(struct weir__hub *hub)
{
    weir_thread_join(&hub->thread);
}

void weir__hub_free(struct weir__hub *hub)
{
    free_parts(hub);
}
