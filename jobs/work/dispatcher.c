/* SPDX-License-Identifier: MIT */
/*
 * dispatcher -- see dispatcher.h.
 *
 * A turn     The ops that have arrived wait in `first`.  An immediate at the
 *            end of the turn makes one transaction of them: group commit.  To
 *            them it adds a claim for each worker that has room and is hungry,
 *            and the renewal if it is due.  So a job that is added to an idle
 *            worker is durable and claimed by the same commit, and so are a
 *            completion and the claim that takes its place.
 * Hunger     A worker is hungry until a claim has found less than it asked for.
 *            It is hungry again when an op may have changed that, when another
 *            process has written, or when the claim said that it would be: a
 *            job is due, a lease ends, the rate allows more.  There is no
 *            polling.
 * Answers    First the dispatcher takes note of all ops of a transaction, and
 *            then it sends them: what was sent is no longer the dispatcher's.
 * The end    CLOSE gives back what is held, closes the store, is answered, and
 *            ends the loop, and with it the thread.
 */
#include "work/dispatcher.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "os/clock.h"
#include "weir/clock.h"
#include "weir/host/memory.h"

enum {
    TRANSACTION_OPS = 1000, /* bounds the time of one transaction */
    RETRY_MS = 1000,        /* after the store has failed */
    STACK_BYTES = 512 << 10,
};

void weir__dispatcher_send(struct weir__dispatcher *dispatcher,
                           struct weir__message *message)
{
    /* Refused only if the handle is being freed, which then has all messages. */
    if (weir_channel_send(dispatcher->channel, &message->node) != 0 &&
        message->kind == WEIR__MESSAGE_OP)
        weir__op_free((struct weir__op *)message);
}

/* ---- when to look again ---- */

static bool wants_more(const struct weir__dispatcher *dispatcher,
                       const weir_jobs_worker *worker)
{
    uint32_t capacity = worker->options.concurrency + worker->options.prefetch;

    return !dispatcher->is_draining && dispatcher->closing == NULL &&
           worker->held - worker->leaving < capacity;
}

static void come_due(void *arg, int status)
{
    struct weir__dispatcher *dispatcher = arg;

    dispatcher->due = 0;
    if (status == 0)
        weir__dispatcher_look(dispatcher, NULL);
}

/* The time until a worker may find something, or INT64_MAX. */
static int64_t next_look_ms(const struct weir__dispatcher *dispatcher)
{
    int64_t date_ms = weir__clock_date_ms();
    int64_t uptime_ms = weir__clock_uptime_us() / 1000;
    int64_t next_ms = INT64_MAX;

    for (const weir_jobs_worker *worker = dispatcher->workers; worker != NULL;
         worker = worker->dispatcher_next) {
        int64_t by_date_ms = INT64_MAX, by_uptime_ms = INT64_MAX;

        if (!wants_more(dispatcher, worker))
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

/* The deadline counts from before the other clocks were read: a pause of the
 * thread in between makes the look early, and never late. */
static void plan_look(struct weir__dispatcher *dispatcher)
{
    int64_t now_ns = weir_clock_now();
    int64_t next_ms = next_look_ms(dispatcher);

    if (dispatcher->due != 0)
        (void)!weir_timer_cancel(dispatcher->loop, dispatcher->due);
    dispatcher->due = 0;
    if (next_ms < INT64_MAX / 2000000 &&
        weir_timer_start_at(dispatcher->loop, &dispatcher->due,
                            now_ns + WEIR_MS(next_ms), come_due,
                            dispatcher) != 0)
        dispatcher->due = 0;
}

void weir__dispatcher_look(struct weir__dispatcher *dispatcher,
                           const char *queue)
{
    bool is_any = false;

    for (weir_jobs_worker *worker = dispatcher->workers; worker != NULL;
         worker = worker->dispatcher_next) {
        if (queue != NULL && strcmp(queue, worker->options.queue) != 0)
            continue;
        worker->is_hungry = is_any = true;
    }
    if (is_any)
        weir__dispatcher_schedule(dispatcher);
}

static void retry(void *arg, int status)
{
    struct weir__dispatcher *dispatcher = arg;

    dispatcher->retry = 0;
    if (status != 0)
        return;
    weir__dispatcher_look(dispatcher, NULL);
    weir__dispatcher_schedule(
        dispatcher); /* ops may wait, even without workers */
}

static void look_later(struct weir__dispatcher *dispatcher)
{
    if (dispatcher->retry == 0 &&
        weir_timer_start(dispatcher->loop, &dispatcher->retry,
                         WEIR_MS(RETRY_MS), WEIR_TIMER_ONCE, retry,
                         dispatcher) != 0)
        dispatcher->retry = 0;
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
static struct weir__op **take_ops(struct weir__dispatcher *dispatcher,
                                  struct weir__op **first)
{
    struct weir__op **at = first;
    bool is_hungry = false;

    *first = dispatcher->first;
    for (int i = 0; *at != NULL && i < TRANSACTION_OPS; i++) {
        is_hungry |= makes_hungry((*at)->kind);
        if ((*at)->kind == WEIR__OP_SETTLE && (*at)->in.settle.claim->is_held)
            (*at)->in.settle.claim->worker->leaving++;
        at = &(*at)->next;
    }
    dispatcher->first = *at;
    if (dispatcher->first == NULL)
        dispatcher->end = &dispatcher->first;
    *at = NULL;
    if (is_hungry)
        for (weir_jobs_worker *worker = dispatcher->workers; worker != NULL;
             worker = worker->dispatcher_next)
            worker->is_hungry = true;
    return at;
}

/* Enter the gate of the service for each job that may be claimed. */
static uint32_t enter_gate(const struct weir__dispatcher *dispatcher,
                           uint32_t most)
{
    uint32_t count = 0;

    if (dispatcher->gate == NULL)
        return most;
    while (count < most && weir_gate_enter(dispatcher->gate) == 0)
        count++;
    return count;
}

static void exit_gate(const struct weir__dispatcher *dispatcher, uint32_t count)
{
    while (dispatcher->gate != NULL && count-- > 0)
        weir_gate_exit(dispatcher->gate);
}

static struct weir__op *new_claim(struct weir__dispatcher *dispatcher,
                                  weir_jobs_worker *worker)
{
    uint32_t room = worker->options.concurrency + worker->options.prefetch -
                    (worker->held - worker->leaving);
    struct weir__op *op = weir__op_new(worker->jobs, WEIR__OP_CLAIM, 0);

    if (op == NULL) {
        look_later(dispatcher);
        return NULL;
    }
    room = enter_gate(dispatcher, room);
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
        .is_inside = dispatcher->gate != NULL,
    };
    return op;
}

static void add_claims(struct weir__dispatcher *dispatcher,
                       struct weir__op **end)
{
    for (weir_jobs_worker *worker = dispatcher->workers; worker != NULL;
         worker = worker->dispatcher_next) {
        struct weir__op *op;

        if (!worker->is_hungry || !wants_more(dispatcher, worker))
            continue;
        worker->is_hungry = false;
        op = new_claim(dispatcher, worker);
        if (op != NULL) {
            *end = op;
            end = &op->next;
        }
    }
    if (dispatcher->is_due) {
        dispatcher->is_due = false;
        dispatcher->tick = (struct weir__op){.kind = WEIR__OP_TICK};
        *end = &dispatcher->tick;
        end = &dispatcher->tick.next;
    }
    if (dispatcher->is_renewing && dispatcher->class->renew == NULL)
        *end = weir__lease_renew(dispatcher);
}

/* Renew the leases beside the lists, if the engine can. */
static void renew_aside(struct weir__dispatcher *dispatcher)
{
    struct weir__op *op;

    if (!dispatcher->is_renewing || dispatcher->is_renew_sent ||
        dispatcher->class->renew == NULL || dispatcher->engine == NULL)
        return;
    op = dispatcher->held > 0 ? weir__lease_renew(dispatcher) : NULL;
    dispatcher->is_renewing = op != NULL;
    if (op == NULL)
        return;
    dispatcher->is_renew_sent = true;
    dispatcher->class->renew(dispatcher->engine, op);
}

static void run_transaction(void *arg, int status)
{
    struct weir__dispatcher *dispatcher = arg;
    struct weir__op *first;

    dispatcher->is_scheduled = false;
    renew_aside(dispatcher);
    if (dispatcher->is_running || dispatcher->opened != NULL)
        return;
    add_claims(dispatcher, take_ops(dispatcher, &first));
    if (first == NULL) {
        plan_look(dispatcher);
        return;
    }
    dispatcher->is_running = true;
    if (dispatcher->engine != NULL && dispatcher->status == 0) {
        dispatcher->class->run(dispatcher->engine, first);
        return;
    }
    for (struct weir__op *op = first; op != NULL; op = op->next)
        weir__op_fail(op, dispatcher->status, dispatcher->reason);
    dispatcher->host.ran(&dispatcher->host, first);
}

void weir__dispatcher_schedule(struct weir__dispatcher *dispatcher)
{
    if (dispatcher->is_scheduled)
        return;
    dispatcher->is_scheduled = true;
    if (weir_loop_immediate(dispatcher->loop, run_transaction, dispatcher) !=
        0) {
        dispatcher->is_scheduled =
            false; /* no memory: the timer comes back to it */
        look_later(dispatcher);
    }
}

void weir__dispatcher_append(struct weir__dispatcher *dispatcher,
                             struct weir__op *op)
{
    op->next = NULL;
    *dispatcher->end = op;
    dispatcher->end = &op->next;
    weir__dispatcher_schedule(dispatcher);
}

/* ---- after a transaction ---- */

static void report(struct weir__dispatcher *dispatcher,
                   const struct weir__op *failed)
{
    struct weir__op *event = weir__op_new(failed->jobs, WEIR__OP_EVENT, 0);

    if (event == NULL)
        return;
    weir__op_fail(event, failed->status, failed->reason);
    weir__dispatcher_send(dispatcher, &event->message);
}

static void note_claims(struct weir__dispatcher *dispatcher,
                        struct weir__op *op)
{
    struct weir__claiming *made = &op->in.claim;
    weir_jobs_worker *worker = made->worker;
    weir_jobs_claim *next;

    if (made->is_inside) /* the handle may have joined since it was sent */
        exit_gate(dispatcher, made->most - made->count);
    worker->due_date_ms = made->due_date_ms;
    worker->due_uptime_ms = made->due_uptime_ms;
    if (op->status != 0) {
        worker->due_date_ms = worker->due_uptime_ms = INT64_MAX;
        report(dispatcher, op);
        look_later(dispatcher);
    }
    for (weir_jobs_claim *claim = made->claims; claim != NULL; claim = next) {
        next = claim->next;
        claim->waiting = next; /* as the loop's thread will read it */
        claim->is_inside = made->is_inside;
        weir__lease_hold(dispatcher, claim);
    }
    if (made->count == made->most)
        worker->is_hungry = true; /* as soon as it has room */
}

static void note_settled(struct weir__dispatcher *dispatcher,
                         struct weir__op *op)
{
    weir_jobs_claim *claim = op->in.settle.claim;

    claim->worker->leaving = 0;
    if (op->in.settle.cut == 0)
        weir__lease_drop(dispatcher, claim);
    else
        weir__lease_end(dispatcher, claim,
                        op->status == 0 ? op->in.settle.cut : WEIR_ELEASE);
}

static void note_renewed(struct weir__dispatcher *dispatcher,
                         struct weir__op *op)
{
    if (op->status != 0)
        report(dispatcher, op);
    weir__lease_renewed(dispatcher);
}

/* Take note of what an op has changed. */
static void note(struct weir__dispatcher *dispatcher, struct weir__op *op)
{
    switch (op->kind) {
    case WEIR__OP_CLAIM:
        note_claims(dispatcher, op);
        return;
    case WEIR__OP_SETTLE:
        note_settled(dispatcher, op);
        return;
    case WEIR__OP_RENEW:
        note_renewed(dispatcher, op);
        return;
    case WEIR__OP_CANCEL:
        if (op->status == 0 && op->in.job.token != 0)
            weir__lease_cancelled(dispatcher, op->in.job.token);
        return;
    default:
        return;
    }
}

static void send_answer(struct weir__dispatcher *dispatcher,
                        struct weir__op *op)
{
    bool is_own = op->kind == WEIR__OP_SETTLE && op->in.settle.cut != 0;

    if (op->kind == WEIR__OP_RENEW || op->kind == WEIR__OP_TICK)
        return; /* the dispatcher's own */
    if (is_own || (op->kind == WEIR__OP_CLAIM && op->in.claim.count == 0))
        weir__op_free(op);
    else
        weir__dispatcher_send(dispatcher, &op->message);
}

static struct weir__dispatcher *dispatcher_of(struct weir__engine_host *host)
{
    return (struct weir__dispatcher *)((char *)host -
                                       offsetof(struct weir__dispatcher, host));
}

static void opened(struct weir__engine_host *host, int status,
                   const char *reason)
{
    struct weir__dispatcher *dispatcher = dispatcher_of(host);
    struct weir__op *op = dispatcher->opened;

    dispatcher->opened = NULL;
    dispatcher->status = status;
    snprintf(dispatcher->reason, sizeof(dispatcher->reason), "%s", reason);
    if (status != 0)
        weir__op_fail(op, status, reason);
    weir__dispatcher_send(dispatcher, &op->message);
    weir__dispatcher_schedule(dispatcher);
}

static void close_store(struct weir__dispatcher *dispatcher)
{
    struct weir__op *closing = dispatcher->closing;

    if (dispatcher->engine != NULL)
        dispatcher->class->close(dispatcher->engine);
    dispatcher->engine = NULL;
    if (dispatcher->opened != NULL)
        opened(&dispatcher->host, WEIR_ECANCELED, "closed before it was open");
    dispatcher->status = WEIR_ECLOSED;
    weir_virtual_leave(&dispatcher->member);
    (void)!weir_loop_shutdown(dispatcher->loop, 0); /* from inside: it begins */
    weir__dispatcher_send(dispatcher, &closing->message);
}

/* For a close, or after the hard deadline of a drain.  Those that are being
 * given back already are left alone. */
static void give_back_all(struct weir__dispatcher *dispatcher)
{
    const char *reason = dispatcher->closing != NULL ? "interrupted by a close"
                                                     : "interrupted by a drain";
    weir_jobs_claim *next;

    for (weir_jobs_claim *claim = dispatcher->claims; claim != NULL;
         claim = next) {
        next = claim->next;
        weir__lease_cut(dispatcher, claim, WEIR_ECANCELED,
                        &(weir_jobs_outcome){
                            .kind = WEIR_JOBS_OUTCOME_RELEASED,
                            .reason = reason,
                        });
    }
}

/* The claims of the workers were sent: these may be freed. */
static void send_stopped(struct weir__dispatcher *dispatcher)
{
    while (dispatcher->stopped != NULL) {
        struct weir__op *op = dispatcher->stopped;

        dispatcher->stopped = op->next;
        weir__dispatcher_send(dispatcher, &op->message);
    }
}

static void ran(struct weir__engine_host *host, struct weir__op *first)
{
    struct weir__dispatcher *dispatcher = dispatcher_of(host);
    struct weir__op *next;

    dispatcher->is_running = false;
    for (struct weir__op *op = first; op != NULL; op = op->next)
        note(dispatcher, op);
    for (struct weir__op *op = first; op != NULL; op = next) {
        next = op->next;
        send_answer(dispatcher, op);
    }
    send_stopped(dispatcher);
    if (dispatcher->closing != NULL ||
        dispatcher->is_cut) /* claims may come after that */
        give_back_all(dispatcher);
    weir__drain_check(dispatcher);
    if (dispatcher->first != NULL)
        weir__dispatcher_schedule(dispatcher);
    else if (dispatcher->closing != NULL)
        close_store(dispatcher);
    else
        weir__dispatcher_schedule(
            dispatcher); /* hungry workers, and the next look */
}

static void renewed(struct weir__engine_host *host, struct weir__op *op)
{
    struct weir__dispatcher *dispatcher = dispatcher_of(host);

    dispatcher->is_renew_sent = false;
    note_renewed(dispatcher, op);
    weir__drain_check(dispatcher);
}

static void changed(struct weir__engine_host *host, const char *queue)
{
    weir__dispatcher_look(dispatcher_of(host), queue);
}

static void due(struct weir__engine_host *host)
{
    struct weir__dispatcher *dispatcher = dispatcher_of(host);

    dispatcher->is_due = true;
    weir__dispatcher_schedule(dispatcher);
}

/* ---- what arrives ---- */

static void begin_work(struct weir__dispatcher *dispatcher, struct weir__op *op)
{
    weir_jobs_worker *worker = op->in.work.worker;

    worker->is_in = worker->is_hungry = true;
    worker->due_date_ms = worker->due_uptime_ms = INT64_MAX;
    worker->dispatcher_next = dispatcher->workers;
    dispatcher->workers = worker;
    weir__dispatcher_schedule(dispatcher);
    weir__dispatcher_send(dispatcher, &op->message);
}

static void stop_work(struct weir__dispatcher *dispatcher, struct weir__op *op)
{
    weir_jobs_worker **at = &dispatcher->workers;

    while (*at != NULL && *at != op->in.work.worker)
        at = &(*at)->dispatcher_next;
    if (*at != NULL)
        *at = (*at)->dispatcher_next;
    if (dispatcher->is_running) { /* and may have a claim of the worker's */
        op->next = dispatcher->stopped;
        dispatcher->stopped = op;
        return;
    }
    weir__dispatcher_send(dispatcher, &op->message);
}

static void begin_close(struct weir__dispatcher *dispatcher,
                        struct weir__op *op)
{
    dispatcher->closing = op;
    if (dispatcher->drain != NULL) { /* its claims are given back */
        dispatcher->is_cut = dispatcher->held > 0;
        dispatcher->is_draining = true;
    }
    give_back_all(dispatcher);
    if (dispatcher->first == NULL && !dispatcher->is_running)
        close_store(dispatcher);
}

static void receive_op(struct weir__dispatcher *dispatcher, struct weir__op *op)
{
    switch (op->kind) {
    case WEIR__OP_WORK:
        begin_work(dispatcher, op);
        return;
    case WEIR__OP_STOP:
        stop_work(dispatcher, op);
        return;
    case WEIR__OP_JOIN:
        dispatcher->service = op->in.join.service;
        dispatcher->gate = weir_service_gate(dispatcher->service);
        weir__dispatcher_send(dispatcher, &op->message);
        return;
    case WEIR__OP_DRAIN:
        weir__drain_begin(dispatcher, op);
        return;
    case WEIR__OP_CLOSE:
        begin_close(dispatcher, op);
        return;
    case WEIR__OP_SETTLE:
        /* If the dispatcher has settled it, this op comes second and is
         * refused. */
        op->in.settle.claim->is_leaving = true;
        weir__dispatcher_append(dispatcher, op);
        return;
    default:
        weir__dispatcher_append(dispatcher, op);
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
        receive_op(weir__jobs_dispatcher(op->jobs), op);
    }
}

void weir__dispatcher_address(struct weir__op *op)
{
    op->task = (weir_task){.run = receive, .name = "jobs"};
}

void weir__dispatcher_post(struct weir__dispatcher *dispatcher,
                           struct weir__op *op)
{
    weir__dispatcher_address(op);
    /* The dispatcher's loop ends only after CLOSE, which is posted last. */
    if (weir_loop_post(dispatcher->loop, &op->task) != 0)
        weir__op_free(op);
}

static void receive_begun(weir_task *task, int status)
{
    weir_jobs_claim *claim =
        (weir_jobs_claim *)((char *)task - offsetof(weir_jobs_claim, begun));

    weir__lease_begin(claim->worker->dispatcher, claim);
}

void weir__dispatcher_begin(struct weir__dispatcher *dispatcher,
                            weir_jobs_claim *claim)
{
    claim->begun = (weir_task){.run = receive_begun, .name = "jobs"};
    (void)!weir_loop_post(dispatcher->loop, &claim->begun);
}

/* ---- the thread ---- */

static void open_store(void *arg, int status)
{
    struct weir__dispatcher *dispatcher = arg;

    if (status != 0) /* the thread could not be started */
        return;
    dispatcher->member.loop = dispatcher->loop;
    weir_virtual_join(&dispatcher->member);
    dispatcher->engine =
        dispatcher->class->open(&dispatcher->host, dispatcher->path);
}

static void run_dispatcher(void *arg)
{
    struct weir__dispatcher *dispatcher = arg;
    int err = weir_loop_run(dispatcher->loop, WEIR_RUN_UNTIL_CLOSED);

    (void)err; /* nothing can be told any more */
}

static void free_parts(struct weir__dispatcher *dispatcher)
{
    weir_loop_free(dispatcher->loop);
    weir_channel_unref(dispatcher->channel);
    weir__op_free(dispatcher->opened);
    weir_memory_free(dispatcher->renew_op.in.renew.rows,
                     dispatcher->renew_room * sizeof(struct weir__renewal));
    weir_memory_free(dispatcher->path, dispatcher->path_bytes);
    weir_memory_free(dispatcher, sizeof(*dispatcher));
}

/* A URL that is not quite one of PostgreSQL's is no file: it may have a
 * password, which the name of a file would show. */
static const struct weir__engine_class *class_of(const char *path)
{
    return strncasecmp(path, "postgres:", 9) == 0 ||
                   strncasecmp(path, "postgresql:", 11) == 0
               ? &weir__postgres_engine
               : &weir__sqlite_engine;
}

int weir__dispatcher_start(struct weir__dispatcher **made,
                           weir_channel *channel, const char *path,
                           int64_t busy_ms)
{
    struct weir__dispatcher *dispatcher =
        weir_memory_alloc(sizeof(*dispatcher));
    int err;

    if (dispatcher == NULL)
        return -ENOMEM;
    memset(dispatcher, 0, sizeof(*dispatcher));
    dispatcher->class = class_of(path);
    dispatcher->end = &dispatcher->first;
    dispatcher->channel = channel;
    weir_channel_ref(channel);
    dispatcher->path_bytes = strlen(path) + 1;
    dispatcher->path = weir_memory_alloc(dispatcher->path_bytes);
    dispatcher->opened = weir__op_new(NULL, WEIR__OP_OPENED, 0);
    err = dispatcher->path != NULL && dispatcher->opened != NULL
              ? weir_loop_new(&dispatcher->loop, NULL)
              : -ENOMEM;
    if (err != 0)
        goto fail;
    memcpy(dispatcher->path, path, dispatcher->path_bytes);
    dispatcher->host = (struct weir__engine_host){
        .loop = dispatcher->loop,
        .busy_ms = busy_ms,
        .opened = opened,
        .ran = ran,
        .due = due,
        .renewed = renewed,
        .changed = changed,
    };
    err = weir_loop_submit(dispatcher->loop, open_store, dispatcher);
    if (err == 0)
        err = weir_thread_start(&dispatcher->thread, run_dispatcher, dispatcher,
                                STACK_BYTES);
    if (err != 0)
        goto fail;
    *made = dispatcher;
    return 0;
fail:
    free_parts(dispatcher);
    return err;
}

void weir__dispatcher_join(struct weir__dispatcher *dispatcher)
{
    weir_thread_join(&dispatcher->thread);
}

void weir__dispatcher_free(struct weir__dispatcher *dispatcher)
{
    free_parts(dispatcher);
}
