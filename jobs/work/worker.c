/* SPDX-License-Identifier: MIT */
/*
 * worker -- claims arrive, handlers are called, and claims are settled.
 *
 * Everything here happens on the loop's thread.  Claims that have arrived wait
 * in their worker until a handler is free.  Handlers are called by a task,
 * never inside a call of the user's.
 *
 * The lease of a claim may end while its handler runs.  The handler is
 * notified by its abort and by an event, but only the store decides that what it
 * does afterwards is refused.  A claim that has not begun is dropped.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "weir/host/loop.h"
#include "weir/host/memory.h"
#include "weir/host/sized.h"
#include "work/jobs.h"

/* ---- memory ---- */

void weir__worker_unref(weir_jobs_worker *worker)
{
    if (--worker->refs > 0)
        return;
    weir__op_free(worker->stop);
    weir_memory_free(worker, worker->bytes);
}

static void adopt(weir_jobs *jobs, weir_jobs_claim *claim)
{
    claim->worker->refs++;
    claim->mine = jobs->claims;
    claim->mine_link = &jobs->claims;
    if (jobs->claims != NULL)
        jobs->claims->mine_link = &claim->mine;
    jobs->claims = claim;
}

void weir__worker_settled(weir_jobs_claim *claim)
{
    weir_jobs_worker *worker = claim->worker;

    *claim->mine_link = claim->mine;
    if (claim->mine != NULL)
        claim->mine->mine_link = claim->mine_link;
    weir__claim_free(claim);
    weir__worker_unref(worker);
}

void weir__worker_free_all(weir_jobs *jobs)
{
    while (jobs->claims != NULL)
        weir__worker_settled(jobs->claims);
    while (jobs->workers != NULL) {
        weir_jobs_worker *worker = jobs->workers;

        jobs->workers = worker->next;
        weir__worker_unref(worker);
    }
}

/* ---- starting ---- */

static weir_jobs_claim *pop_waiting(weir_jobs_worker *worker)
{
    weir_jobs_claim *claim = worker->waiting;

    worker->waiting = claim->waiting;
    if (worker->waiting == NULL)
        worker->waiting_end = &worker->waiting;
    return claim;
}

/* Give back a claim that has not begun.  If there is no memory for that, its
 * lease goes on until the end of a drain, or the close. */
static void give_back(weir_jobs *jobs, weir_jobs_claim *claim)
{
    struct weir__op *op = weir__op_new(jobs, WEIR__OP_SETTLE, 0);

    if (op == NULL)
        return;
    op->in.settle.claim = claim;
    op->in.settle.outcome.kind = WEIR_JOBS_OUTCOME_RELEASED;
    (void)!weir__jobs_request(jobs, op, NULL, NULL);
}

static void call_handler(void *arg, int status)
{
    weir_jobs_claim *claim = arg;
    const weir_jobs_worker_options *options = &claim->worker->options;

    options->run(options->arg, claim);
}

/* A handler that is left by weir_raise has failed, unless it has settled the
 * claim before.  Without memory for that, the claim stays until the close. */
static void fail_raised(weir_jobs_claim *claim)
{
    (void)!weir_jobs_settle(claim,
                            &(weir_jobs_outcome){
                                .size = sizeof(weir_jobs_outcome),
                                .kind = WEIR_JOBS_OUTCOME_FAILED,
                                .reason = "the handler was left by weir_raise",
                            },
                            NULL, NULL);
}

static void begin(weir_jobs *jobs, weir_jobs_claim *claim)
{
    if (weir_abort_new(&claim->abort) != 0) {
        give_back(jobs, claim);
        return;
    }
    claim->worker->running++;
    claim->is_running = true;
    weir__jobs_hold(jobs);
    if (claim->info.timeout_ms > 0)
        weir__dispatcher_begin(jobs->dispatcher, claim);
    if (!weir_loop_contain(call_handler, claim, 0) && !jobs->is_freed &&
        claim->is_running)
        fail_raised(claim);
}

/* Find a worker that can begin a job. */
static weir_jobs_worker *find_free(const weir_jobs *jobs)
{
    weir_jobs_worker *worker = jobs->workers;

    while (worker != NULL && (worker->waiting == NULL ||
                              worker->running >= worker->options.concurrency))
        worker = worker->next;
    return worker;
}

static void start_waiting(weir_task *task, int status)
{
    weir_jobs *jobs = (weir_jobs *)((char *)task - offsetof(weir_jobs, start));
    weir_jobs_worker *worker;

    jobs->is_start_posted = false;
    while (status == 0 && !jobs->is_draining && !jobs->is_closing &&
           (worker = find_free(jobs)) != NULL)
        begin(jobs, pop_waiting(worker));
    weir__jobs_leave(jobs);
}

void weir__worker_start_soon(weir_jobs *jobs)
{
    if (jobs->is_start_posted || jobs->is_draining)
        return;
    jobs->start = (weir_task){.run = start_waiting, .name = "jobs"};
    if (weir_loop_post(jobs->loop, &jobs->start) != 0)
        return; /* the loop ends */
    jobs->is_start_posted = true;
    jobs->depth++;
}

/* ---- what arrives ---- */

void weir__worker_receive(weir_jobs *jobs, struct weir__op *op)
{
    weir_jobs_worker *worker = op->in.claim.worker;
    weir_jobs_claim *claim = op->in.claim.claims, *next;

    for (; claim != NULL; claim = next) {
        next = claim->waiting;
        claim->waiting = NULL;
        if (claim->is_over) { /* END has come first: the commit was slow */
            weir__claim_free(claim);
            continue;
        }
        adopt(jobs, claim);
        if (jobs->is_closing)
            continue; /* the close gives it back */
        if (jobs->is_draining || worker->is_stopped) {
            give_back(jobs, claim);
            continue;
        }
        *worker->waiting_end = claim;
        worker->waiting_end = &claim->waiting;
    }
    weir__worker_start_soon(jobs);
}

static void give_back_waiting(weir_jobs_worker *worker)
{
    while (worker->waiting != NULL)
        give_back(worker->jobs, pop_waiting(worker));
}

void weir__worker_drain(weir_jobs *jobs)
{
    jobs->is_draining = true;
    for (weir_jobs_worker *worker = jobs->workers; worker != NULL;
         worker = worker->next)
        give_back_waiting(worker);
}

void weir__worker_soft(weir_jobs_claim *claim)
{
    if (claim->is_running)
        (void)weir_abort_raise(claim->abort, WEIR_ECANCELED);
}

/* Take a claim out of the queue of those that have not begun.  Returns whether
 * it was there. */
static bool remove_waiting(weir_jobs_claim *claim)
{
    weir_jobs_worker *worker = claim->worker;
    weir_jobs_claim **at = &worker->waiting;

    while (*at != NULL && *at != claim)
        at = &(*at)->waiting;
    if (*at == NULL)
        return false;
    *at = claim->waiting;
    if (*at == NULL)
        worker->waiting_end = at;
    return true;
}

static const char *reason_of(int status)
{
    switch (status) {
    case -ETIMEDOUT:
        return "the handler took too long: the attempt has failed";
    case WEIR_ECANCELED:
        return "the job was cancelled, or given back by a drain";
    default:
        return "the lease has ended: another worker may have the job";
    }
}

void weir__worker_end(weir_jobs_claim *claim)
{
    weir_jobs *jobs = claim->worker->jobs;
    int status = claim->end_status;

    claim->is_over = true;
    if (!claim->is_running) {
        if (remove_waiting(claim))
            weir__worker_settled(claim);
        return;
    }
    weir__jobs_emit(jobs,
                    &(weir_jobs_event){
                        .kind = status == -ETIMEDOUT ? WEIR_JOBS_EVENT_TIMEOUT
                                                     : WEIR_JOBS_EVENT_LOST,
                        .status = status,
                        .reason = reason_of(status),
                        .claim = claim,
                    });
    if (!jobs->is_freed && claim->is_running)
        (void)weir_abort_raise(claim->abort, status);
}

/* ---- workers ---- */

static int check_worker(weir_jobs_worker_options *options)
{
    if (options->run == NULL ||
        !weir__jobs_is_text(options->queue, WEIR_JOBS_NAME_LIMIT))
        return -EINVAL;
    if (options->lease_ms == 0)
        options->lease_ms = WEIR_JOBS_LEASE_MS;
    if (options->concurrency == 0)
        options->concurrency = 1;
    if (options->lease_ms < WEIR_JOBS_LEASE_MIN_MS ||
        options->lease_ms > INT64_MAX / 1000000 ||
        options->concurrency > INT32_MAX || options->prefetch > INT32_MAX)
        return -EINVAL;
    return 0;
}

static weir_jobs_worker *new_worker(weir_jobs *jobs,
                                    const weir_jobs_worker_options *options)
{
    size_t bytes = sizeof(weir_jobs_worker) + strlen(options->queue) + 1;
    weir_jobs_worker *worker = weir_memory_alloc(bytes);

    if (worker == NULL)
        return NULL;
    memset(worker, 0, sizeof(*worker));
    worker->stop = weir__op_new(jobs, WEIR__OP_STOP, 0);
    if (worker->stop == NULL) {
        weir_memory_free(worker, bytes);
        return NULL;
    }
    worker->stop->in.work.worker = worker;
    worker->jobs = jobs;
    worker->dispatcher = jobs->dispatcher;
    worker->options = *options;
    worker->options.queue = strcpy((char *)(worker + 1), options->queue);
    worker->owner = jobs->options.name;
    worker->bytes = bytes;
    worker->waiting_end = &worker->waiting;
    worker->refs = 1;
    return worker;
}

int weir_jobs_work(weir_jobs *jobs, weir_jobs_worker **made,
                   const weir_jobs_worker_options *given)
{
    weir_jobs_worker_options options;
    weir_jobs_worker *worker;
    struct weir__op *op;
    int err;

    if (jobs == NULL || made == NULL || given == NULL)
        return -EINVAL;
    err = weir_sized_read(&options, sizeof(options), given);
    if (err == 0)
        err = check_worker(&options);
    if (err != 0)
        return err;
    if (jobs->is_closing || jobs->is_draining)
        return WEIR_ECLOSED;
    worker = new_worker(jobs, &options);
    if (worker == NULL)
        return -ENOMEM;
    op = weir__op_new(jobs, WEIR__OP_WORK, 0);
    if (op == NULL) {
        weir__worker_unref(worker);
        return -ENOMEM;
    }
    op->in.work.worker = worker;
    (void)!weir__jobs_request(jobs, op, NULL, NULL);
    worker->next = jobs->workers;
    worker->link = &jobs->workers;
    if (jobs->workers != NULL)
        jobs->workers->link = &worker->next;
    jobs->workers = worker;
    weir__jobs_hold(jobs);
    *made = worker;
    return 0;
}

void weir_jobs_worker_stop(weir_jobs_worker *worker)
{
    weir_jobs *jobs = worker->jobs;
    struct weir__op *stop = worker->stop;

    worker->is_stopped = true;
    weir__jobs_unhold(jobs);
    if (jobs->is_closing)
        return; /* the dispatcher may read it: free it with the handle */
    *worker->link = worker->next;
    if (worker->next != NULL)
        worker->next->link = worker->link;
    give_back_waiting(worker);
    worker->stop = NULL;
    (void)!weir__jobs_request(jobs, stop, NULL, NULL);
}

/* ---- claims ---- */

const weir_jobs_info *weir_jobs_claim_info(const weir_jobs_claim *claim)
{
    return &claim->info;
}

weir_abort *weir_jobs_claim_abort(const weir_jobs_claim *claim)
{
    return claim->abort;
}

static int check_outcome(const weir_jobs *jobs,
                         const weir_jobs_outcome *outcome)
{
    size_t most = jobs->options.payload_limit;
    size_t longest = most > (size_t)WEIR_JOBS_PAYLOAD_LIMIT
                         ? most
                         : (size_t)WEIR_JOBS_PAYLOAD_LIMIT;

    if ((unsigned)outcome->kind > WEIR_JOBS_OUTCOME_ELSEWHERE ||
        outcome->delay_ms < 0 || outcome->delay_ms > INT64_MAX / 2 ||
        (outcome->result == NULL && outcome->result_size > 0))
        return -EINVAL;
    if (outcome->result_size > most)
        return WEIR_ELIMIT;
    if (outcome->reason == NULL || outcome->reason[0] == '\0')
        return 0;
    /* The reasons of this library and of hosts fit into any store. */
    if (strnlen(outcome->reason, longest + 1) > longest)
        return WEIR_ELIMIT;
    return weir__jobs_is_text(outcome->reason, longest) ? 0 : -EINVAL;
}

static struct weir__op *new_settle(weir_jobs *jobs, weir_jobs_claim *claim,
                                   const weir_jobs_outcome *outcome)
{
    size_t reason_bytes =
        outcome->reason != NULL ? strlen(outcome->reason) + 1 : 0;
    struct weir__op *op = weir__op_new(jobs, WEIR__OP_SETTLE,
                                       outcome->result_size + reason_bytes);
    char *at = (char *)(op + 1);

    if (op == NULL)
        return NULL;
    op->in.settle.claim = claim;
    op->in.settle.outcome = *outcome;
    if (outcome->result_size > 0)
        op->in.settle.outcome.result =
            memcpy(at, outcome->result, outcome->result_size);
    if (reason_bytes > 0)
        op->in.settle.outcome.reason =
            memcpy(at + outcome->result_size, outcome->reason, reason_bytes);
    return op;
}

int weir_jobs_settle(weir_jobs_claim *claim, const weir_jobs_outcome *given,
                     weir_jobs_fn *fn, void *arg)
{
    weir_jobs_outcome outcome;
    weir_jobs *jobs;
    int err;

    if (claim == NULL)
        return -EINVAL;
    jobs = claim->worker->jobs;
    err = weir_sized_read(&outcome, sizeof(outcome), given);
    if (err == 0)
        err = check_outcome(jobs, &outcome);
    if (err == 0)
        err = weir__jobs_request(jobs, new_settle(jobs, claim, &outcome), fn,
                                 arg);
    if (err != 0)
        return err;
    claim->is_running = false;
    claim->worker->running--;
    weir__jobs_unhold(jobs);
    weir__worker_start_soon(jobs);
    return 0;
}

int weir_jobs_progress(weir_jobs_claim *claim, double progress,
                       weir_jobs_fn *fn, void *arg)
{
    struct weir__op *op;
    weir_jobs *jobs;

    if (claim == NULL || !(progress >= 0 && progress <= 1))
        return -EINVAL;
    jobs = claim->worker->jobs;
    op = weir__op_new(jobs, WEIR__OP_PROGRESS, 0);
    if (op != NULL) {
        op->in.progress.claim = claim;
        op->in.progress.progress = progress;
    }
    return weir__jobs_request(jobs, op, fn, arg);
}
