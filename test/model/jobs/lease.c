/* SPDX-License-Identifier: MIT */
/*
 * lease -- claims, renewals, ends of leases, completions, drains and crashes, of
 * one or two processes with one store.
 *
 * Explored are the sources of jobs/work and jobs/engine as they are, on loops and
 * channels of src/.  Each process has a loop's thread, which is a thread of the
 * case, and a dispatcher's thread, which is a spare one (spare.h).  The store is
 * the engine below: the rules of engine.h, and those that jobs/sqlite states in
 * SQL, in memory.  A transaction is one step.  Time stands still until a thread of
 * the case moves it, at any point of the others.
 *
 *     "a", "b"                the engine answers inside run, and renews in a list,
 *                             as SQLite does
 *     "postgres://a", ...     it answers later, and renews beside the list
 *
 * What must hold
 *     one claim settles a job, and every other one is refused with WEIR_ELEASE;
 *     a token is handed to one handler only;
 *     a call that was accepted has its callback called once;
 *     a job that was accepted is done, or in the store and unclaimed;
 *     what was given back has not counted as an attempt;
 *     a claim is not touched by either thread after it was freed.
 *
 * Not explored: the SQL of the engines (test/jobs), and a process that ends in
 * the middle of a transaction, since the store has all of it or nothing.
 *
 * A run has some hundreds of steps, too many for a search: schedules are drawn (PCT).
 */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "model.h"
#include "os/clock.h"
#include "spare.h"
#include "weir/clock.h"
#include "weir/host/memory.h"
#include "work/jobs.h"

enum { PROCESSES = 2, JOBS = 2, TOKENS = 16, LEASE_MS = 300 };

/* ---- the store ---- */

struct job {
    weir_jobs_state state; /* READY, RUNNING, DONE or CANCELLED */
    uint64_t token;
    uint32_t attempt; /* those that count */
    int64_t until_ms, timeout_ms;
    int completions;
};

static struct job jobs[JOBS];
static uint32_t job_count;
static uint64_t last_token;
static atomic(uint32_t) commits; /* orders the transactions */

/* Mistakes of broken stores and dispatchers. */
static bool ignores_tokens, repeats_tokens, counts_releases, touches_answered;
/* Not a mistake: the store does not answer renewals. */
static bool fails_renewals;
/* Nor this: the commit of the first renewal takes as long as a lease. */
static bool is_slow;

static int64_t ms_of(int64_t ns)
{
    return ns / 1000000;
}

/* The store's clock: the time of the step, so that reading it is not another. */
static int64_t store_ms(void)
{
    return ms_of(weir__clock_frozen.v_);
}

int64_t weir__clock_date_ms(void)
{
    return ms_of(weir_clock_now());
}

int64_t weir__clock_uptime_us(void)
{
    return weir_clock_now() / 1000;
}

/* The job of a claim that is valid, or NULL. */
static struct job *find(uint64_t id, uint64_t token)
{
    struct job *job = &jobs[id - 1];

    if (ignores_tokens)
        return job;
    return job->state == WEIR_JOBS_RUNNING && job->token == token ? job : NULL;
}

static void settle(struct weir__op *op)
{
    const weir_jobs_claim *claim = op->in.settle.claim;
    struct job *job = find(claim->info.id, claim->info.token);

    if (job == NULL) {
        weir__op_fail(op, WEIR_ELEASE, "the lease has ended");
        return;
    }
    job->state = WEIR_JOBS_READY;
    if (op->in.settle.outcome.kind == WEIR_JOBS_OUTCOME_DONE) {
        job->state = WEIR_JOBS_DONE;
        job->completions++;
    }
    if (op->in.settle.outcome.kind == WEIR_JOBS_OUTCOME_RELEASED &&
        !counts_releases)
        job->attempt--;
}

static void renew(struct weir__op *op)
{
    for (uint32_t i = 0; i < op->in.renew.count; i++) {
        struct weir__renewal *row = &op->in.renew.rows[i];
        struct job *job = find(row->id, row->token);

        row->until_ms = store_ms() + row->lease_ms;
        row->is_lost = job == NULL;
        if (job != NULL)
            job->until_ms = row->until_ms;
    }
}

static void cancel(struct weir__op *op)
{
    struct job *job = &jobs[op->in.job.id - 1];

    if (job->state != WEIR_JOBS_READY && job->state != WEIR_JOBS_RUNNING) {
        weir__op_fail(op, -ENOENT, "there is no such unfinished job");
        return;
    }
    op->in.job.token = job->state == WEIR_JOBS_RUNNING ? job->token : 0;
    job->state = WEIR_JOBS_CANCELLED;
}

static void add(struct weir__op *op)
{
    model_assert(job_count < JOBS);
    jobs[job_count++] = (struct job){.state = WEIR_JOBS_READY};
    op->reply.id = job_count;
}

/* A lease that has ended is an attempt that has failed. */
static void expire(void)
{
    for (uint32_t i = 0; i < job_count; i++)
        if (jobs[i].state == WEIR_JOBS_RUNNING &&
            jobs[i].until_ms <= store_ms())
            jobs[i].state = WEIR_JOBS_READY;
}

static void take(struct job *job, const struct weir__claiming *claiming,
                 weir_jobs_claim *claim)
{
    if (!repeats_tokens || last_token == 0)
        last_token++;
    job->state = WEIR_JOBS_RUNNING;
    job->token = last_token;
    job->attempt++;
    job->until_ms = store_ms() + claiming->lease_ms;
    memset(claim, 0, sizeof(*claim));
    claim->bytes = sizeof(*claim);
    claim->worker = claiming->worker;
    claim->claimed_ms = store_ms();
    claim->lease_until_ms = job->until_ms;
    claim->info = (weir_jobs_info){
        .id = (uint64_t)(job - jobs) + 1,
        .token = job->token,
        .state = WEIR_JOBS_RUNNING,
        .attempt = job->attempt,
        .timeout_ms = job->timeout_ms,
        .queue = claiming->queue,
    };
}

/* From the memory at `spare`.  Returns what is left of it. */
static weir_jobs_claim **claim_jobs(struct weir__op *op,
                                    weir_jobs_claim **spare)
{
    struct weir__claiming *claiming = &op->in.claim;
    weir_jobs_claim **end = &claiming->claims;

    expire();
    claiming->due_date_ms = claiming->due_uptime_ms = INT64_MAX;
    for (uint32_t i = 0; i < job_count; i++) {
        if (jobs[i].state == WEIR_JOBS_READY &&
            claiming->count < claiming->most) {
            take(&jobs[i], claiming, *spare);
            *end = *spare++;
            end = &(*end)->next;
            claiming->count++;
        }
        if (jobs[i].state == WEIR_JOBS_RUNNING &&
            jobs[i].until_ms < claiming->due_uptime_ms)
            claiming->due_uptime_ms = jobs[i].until_ms;
    }
    return spare;
}

/* ---- the engine of a process ---- */

static struct weir__engine {
    struct weir__engine_host *host; /* NULL: not open yet */
    bool is_late;                   /* answers after run has returned */
    bool is_closed, is_dead;
    struct weir__op *list, *renewal;
    weir_task run, renew;
    weir_task wakeup;
    atomic(int) is_rung;
} engines[PROCESSES];

static void receive_wakeup(weir_task *task, int status)
{
    struct weir__engine *engine =
        (struct weir__engine *)((char *)task -
                                offsetof(struct weir__engine, wakeup));

    store_relaxed(&engine->is_rung, 0);
    if (status == 0 && !engine->is_closed)
        engine->host->changed(engine->host, NULL);
}

/* Let the other process know of a change. */
static void wake_others(const struct weir__engine *engine)
{
    struct weir__engine *other = &engines[engine == &engines[0]];

    if (other->host == NULL ||
        ATOMIC_SWAP(&other->is_rung, 1, __ATOMIC_RELAXED))
        return;
    other->wakeup = (weir_task){.run = receive_wakeup};
    (void)!weir_loop_post(other->host->loop, &other->wakeup);
}

/* Carry out an op of a transaction.  Returns whether there may be more for the
 * other process to claim. */
static bool carry_out(struct weir__op *op, weir_jobs_claim ***spare)
{
    switch (op->kind) {
    case WEIR__OP_ADD:
        add(op);
        return true;
    case WEIR__OP_CLAIM:
        *spare = claim_jobs(op, *spare);
        return false;
    case WEIR__OP_RENEW:
        renew(op);
        return false;
    case WEIR__OP_SETTLE:
        settle(op);
        return op->status == 0 &&
               op->in.settle.outcome.kind != WEIR_JOBS_OUTCOME_DONE;
    case WEIR__OP_CANCEL:
        cancel(op);
        return false;
    default:
        model_assert(!"an op that the model does not use");
        return false;
    }
}

/* The list is one step: memory is asked for before it, and given back after. */
static void transact(struct weir__engine *engine, struct weir__op *first)
{
    weir_jobs_claim *claims[JOBS + 1] = {NULL}, **spare = claims;
    uint32_t wanted = 0;
    bool is_news = false;

    for (const struct weir__op *op = first; op != NULL; op = op->next)
        if (op->kind == WEIR__OP_CLAIM)
            wanted += op->in.claim.most;
    for (uint32_t i = 0; i < wanted && i < JOBS; i++) {
        claims[i] = weir_memory_alloc(sizeof(*claims[i]));
        model_assert(claims[i] != NULL);
    }
    ATOMIC_ADD(&commits, 1, __ATOMIC_ACQ_REL);
    for (struct weir__op *op = first; op != NULL; op = op->next)
        if (engine->is_dead)
            weir__op_undo(op, WEIR_ESTORE, "the process is dead");
        else
            is_news |= carry_out(op, &spare);
    for (; *spare != NULL; spare++)
        weir_memory_free(*spare, sizeof(**spare));
    if (is_news)
        wake_others(engine);
    for (const struct weir__op *op = first; op != NULL; op = op->next)
        if (is_slow && op->kind == WEIR__OP_RENEW) {
            is_slow = false;
            model_assert(weir_clock_advance(WEIR_MS(LEASE_MS)) == 0);
        }
}

/* A broken dispatcher looks at a claim that it has answered. */
static void answer_list(struct weir__engine *engine, struct weir__op *first)
{
    weir_jobs_claim *last = NULL;

    for (struct weir__op *op = first; touches_answered && op != NULL;
         op = op->next)
        if (op->kind == WEIR__OP_SETTLE && op->in.settle.cut == 0)
            last = op->in.settle.claim;
    engine->host->ran(engine->host, first);
    if (last != NULL)
        plain_store(&last->renewing_at, 0);
}

static void run_late(weir_task *task, int status)
{
    struct weir__engine *engine =
        (struct weir__engine *)((char *)task -
                                offsetof(struct weir__engine, run));
    struct weir__op *first = engine->list;

    if (engine->is_closed)
        return;
    engine->list = NULL;
    transact(engine, first);
    answer_list(engine, first);
}

static void renew_late(weir_task *task, int status)
{
    struct weir__engine *engine =
        (struct weir__engine *)((char *)task -
                                offsetof(struct weir__engine, renew));
    struct weir__op *op = engine->renewal;

    if (engine->is_closed)
        return;
    engine->renewal = NULL;
    if (fails_renewals)
        weir__op_fail(op, WEIR_ESTORE, "the connection was lost");
    else
        transact(engine, op);
    engine->host->renewed(engine->host, op);
}

static void run_engine(struct weir__engine *engine, struct weir__op *first)
{
    model_assert(!engine->is_closed && engine->list == NULL);
    if (!engine->is_late) {
        transact(engine, first);
        answer_list(engine, first);
        return;
    }
    engine->list = first;
    engine->run = (weir_task){.run = run_late};
    model_assert(weir_loop_post(engine->host->loop, &engine->run) == 0);
}

static void renew_aside(struct weir__engine *engine, struct weir__op *op)
{
    model_assert(!engine->is_closed && engine->renewal == NULL);
    engine->renewal = op;
    engine->renew = (weir_task){.run = renew_late};
    model_assert(weir_loop_post(engine->host->loop, &engine->renew) == 0);
}

/* The last letter of the path is the process. */
static struct weir__engine *open_engine(struct weir__engine_host *host,
                                        const char *path)
{
    struct weir__engine *engine = &engines[path[strlen(path) - 1] - 'a'];

    engine->is_late = strlen(path) > 1;
    engine->host = host;
    host->opened(host, 0, "");
    return engine;
}

static void close_engine(struct weir__engine *engine)
{
    model_assert(!engine->is_closed && engine->list == NULL);
    engine->is_closed = true;
}

const struct weir__engine_class weir__sqlite_engine = {
    .open = open_engine, .run = run_engine, .close = close_engine};
const struct weir__engine_class weir__postgres_engine = {.open = open_engine,
                                                         .run = run_engine,
                                                         .renew = renew_aside,
                                                         .close = close_engine};

/* ---- a process ---- */

static struct process {
    weir_loop *loop;
    weir_jobs *jobs;
    weir_jobs_worker *worker;
    weir_jobs_claim *claim; /* whose handler is running */
    weir_task end;
    int begun, settled, refused; /* handlers; answers to settle */
    int asked, answered;         /* all calls that have a callback */
    int events;                  /* LOST or TIMEOUT */
    int last_status;
} processes[PROCESSES];

static int process_count;
static uint32_t concurrency = 1;
static int holders[TOKENS]; /* how many handlers have had the token */

static void count_answer(void *arg, int status, const weir_jobs_reply *reply)
{
    struct process *process = arg;

    process->answered++;
    process->last_status = status;
}

/* The end of a process that nothing has happened to. */
static void end_process(weir_task *task, int status)
{
    struct process *process =
        (struct process *)((char *)task - offsetof(struct process, end));

    process->asked++;
    model_assert(weir_jobs_close(process->jobs, count_answer, process) == 0);
    weir_jobs_worker_stop(process->worker);
}

static bool is_ended;

/* Once: the only job was settled. */
static void end_all(void)
{
    model_assert(!is_ended);
    is_ended = true;
    for (int i = 0; i < process_count; i++) {
        processes[i].end = (weir_task){.run = end_process};
        model_assert(weir_loop_post(processes[i].loop, &processes[i].end) == 0);
    }
}

static void on_settled(void *arg, int status, const weir_jobs_reply *reply)
{
    struct process *process = arg;

    count_answer(arg, status, reply);
    model_assert(status == 0 || status == WEIR_ELEASE ||
                 status == WEIR_ESTORE || status == WEIR_ECANCELED);
    process->settled += status == 0;
    process->refused += status == WEIR_ELEASE;
}

/* The job is done: there is nothing else. */
static void on_settled_last(void *arg, int status, const weir_jobs_reply *reply)
{
    on_settled(arg, status, reply);
    if (status == 0)
        end_all();
}

static void begin(struct process *process, const weir_jobs_claim *claim)
{
    uint64_t token = weir_jobs_claim_info(claim)->token;

    process->begun++;
    model_assert(!claim->is_over); /* its lease has not ended before */
    model_assert(token < TOKENS && ++holders[token] == 1);
}

static void finish_claim(struct process *process, weir_jobs_claim *claim,
                         weir_jobs_fn *fn)
{
    process->asked++;
    model_assert(weir_jobs_settle(claim, NULL, fn, process) == 0);
}

static void complete(void *arg, weir_jobs_claim *claim)
{
    begin(arg, claim);
    finish_claim(arg, claim, on_settled);
}

static void complete_and_end(void *arg, weir_jobs_claim *claim)
{
    begin(arg, claim);
    finish_claim(arg, claim, on_settled_last);
}

/* Until somebody calls finish_claim. */
static void keep(void *arg, weir_jobs_claim *claim)
{
    struct process *process = arg;

    begin(process, claim);
    process->claim = claim;
}

static void on_event(void *arg, weir_jobs *handle, const weir_jobs_event *event)
{
    struct process *process = arg;

    process->events += event->kind != WEIR_JOBS_EVENT_ERROR;
}

static void start_process(const char *path, uint32_t prefetch,
                          void (*handler)(void *, weir_jobs_claim *))
{
    struct process *process = &processes[process_count++];
    weir_jobs_options options = {.size = sizeof(options),
                                 .name = path,
                                 .arg = process,
                                 .on_event = on_event};
    weir_jobs_worker_options worker = {.size = sizeof(worker),
                                       .queue = "q",
                                       .concurrency = concurrency,
                                       .prefetch = prefetch,
                                       .lease_ms = LEASE_MS,
                                       .arg = process,
                                       .run = handler};

    model_assert(weir_loop_new(&process->loop, NULL) == 0);
    model_assert(
        weir_jobs_open(&process->jobs, process->loop, path, &options) == 0);
    model_assert(weir_jobs_work(process->jobs, &process->worker, &worker) == 0);
}

static void make_store(uint32_t count, unsigned first, unsigned spares)
{
    model_assert(weir_clock_freeze(0) == 0);
    model_spares(first, spares);
    job_count = count;
    for (uint32_t i = 0; i < count; i++)
        jobs[i].state = WEIR_JOBS_READY;
}

static void run(const struct process *process)
{
    int err = weir_loop_run(process->loop, WEIR_RUN_UNTIL_IDLE);

    model_assert(err == 0);
}

static void run_first(void)
{
    run(&processes[0]);
}

static void run_second(void)
{
    run(&processes[1]);
}

/* The dispatchers' loops are there until the end of the case. */
static void advance(int64_t ms)
{
    model_assert(weir_clock_advance(WEIR_MS(ms)) == 0);
    for (int i = 0; i < process_count; i++)
        weir_loop_wake(weir__jobs_dispatcher(processes[i].jobs)->loop);
}

static void lease_ends(void)
{
    advance(LEASE_MS);
}

static void third_goes_by(void)
{
    advance(LEASE_MS / 3);
}

static void free_all(void)
{
    for (int i = 0; i < process_count; i++) {
        weir_jobs_free(processes[i].jobs);
        processes[i].jobs = NULL;
        model_assert(weir_loop_free(processes[i].loop) == 0);
        processes[i].loop = NULL;
        processes[i].worker = NULL;
        processes[i].claim = NULL;
        model_assert(processes[i].asked == processes[i].answered);
    }
    model_assert(model_spares_are_joined());
}

/* ---- one job, two processes ---- */

static void init_two(void)
{
    make_store(1, 2, 2);
    start_process("a", 0, complete_and_end);
    start_process("b", 0, complete_and_end);
}

static void init_two_late(void)
{
    make_store(1, 2, 2);
    start_process("postgres://a", 0, complete_and_end);
    start_process("postgres://b", 0, complete_and_end);
}

static void done_once(void)
{
    int settled = processes[0].settled + processes[1].settled;
    int refused = processes[0].refused + processes[1].refused;

    free_all();
    model_assert(jobs[0].state == WEIR_JOBS_DONE);
    model_assert(jobs[0].completions == 1 && settled == 1);
    model_assert(processes[0].begun + processes[1].begun >= settled + refused);
    model_assert(jobs[0].attempt == last_token); /* nothing was given back */
}

/* ---- mistakes of a store ---- */

static void init_without_tokens(void)
{
    init_two();
    ignores_tokens = true;
}

static void init_with_one_token(void)
{
    init_two();
    repeats_tokens = true;
}

/* ---- a crash ---- */

/* Nothing of the first process reaches the store any more; what it has
 * committed stays.  Its lease ends. */
static void crash(void)
{
    ATOMIC_ADD(&commits, 1, __ATOMIC_ACQ_REL);
    engines[0].is_dead = true;
    advance(LEASE_MS);
}

/* ---- one process ---- */

static void init_one(const char *path, uint32_t count, uint32_t prefetch,
                     void (*handler)(void *, weir_jobs_claim *))
{
    make_store(count, 1, 1);
    start_process(path, prefetch, handler);
}

static void init_renewal(void)
{
    init_one("a", 1, 0, complete_and_end);
}

static void init_renewal_late(void)
{
    init_one("postgres://a", 1, 0, complete_and_end);
}

/* Two thirds, one after the other: the renewal is due twice. */
static void thirds_go_by(void)
{
    third_goes_by();
    third_goes_by();
}

static void never_lost(void)
{
    free_all();
    model_assert(jobs[0].completions == 1 && jobs[0].attempt == 1);
    model_assert(processes[0].settled == 1 && processes[0].events == 0);
}

/* ---- the end of a lease and its own process ---- */

/* Whether the store has ended it or not: nobody else was there. */
static void done_once_here(void)
{
    free_all();
    model_assert(jobs[0].state == WEIR_JOBS_DONE && jobs[0].completions == 1);
    model_assert(processes[0].settled == 1);
}

/* ---- adding ---- */

static void end_when_added(void *arg, int status, const weir_jobs_reply *reply)
{
    count_answer(arg, status, reply);
    model_assert(status == 0 && reply->id == 1);
    end_all();
}

static void init_added(void)
{
    const weir_jobs_spec spec = {.size = sizeof(spec), .queue = "q"};

    init_one("a", 0, 0, complete);
    processes[0].asked++;
    model_assert(weir_jobs_add(processes[0].jobs, &spec, end_when_added,
                               &processes[0]) == 0);
}

/* In the store, and unclaimed; or it was completed before the close. */
static void kept_or_done(void)
{
    free_all();
    for (uint32_t i = 0; i < job_count; i++) {
        model_assert(jobs[i].state == WEIR_JOBS_READY ||
                     jobs[i].state == WEIR_JOBS_DONE);
        model_assert(jobs[i].attempt == (jobs[i].state == WEIR_JOBS_DONE));
        model_assert(jobs[i].completions == (int)jobs[i].attempt);
    }
}

static void added_is_kept_or_done(void)
{
    model_assert(job_count == 1);
    kept_or_done();
}

/* ---- drain ---- */

static weir_task order; /* posted to the first process's loop */

static void on_drained(void *arg, int status, const weir_jobs_reply *reply)
{
    struct process *process = arg;

    count_answer(arg, status, reply);
    model_assert(status == 0);
    for (uint32_t i = 0; i < job_count; i++) /* nothing is claimed any more */
        model_assert(jobs[i].state != WEIR_JOBS_RUNNING);
    end_process(&process->end, 0);
}

static void drain(weir_task *task, int status)
{
    struct process *process = &processes[0];

    process->asked++;
    model_assert(weir_jobs_drain(process->jobs, -1, -1, on_drained, process) ==
                 0);
}

static void give_order(void (*what)(weir_task *task, int status))
{
    order = (weir_task){.run = what};
    model_assert(weir_loop_post(processes[0].loop, &order) == 0);
}

static void order_drain(void)
{
    give_order(drain);
}

/* One that begins and one that was claimed in advance. */
static void init_prefetch(void)
{
    init_one("a", 2, 1, complete);
}

static void init_prefetch_late(void)
{
    init_one("postgres://a", 2, 1, complete);
}

static void init_counted_releases(void)
{
    init_prefetch();
    counts_releases = true;
}

static void init_touched_answers(void)
{
    init_prefetch();
    touches_answered = true;
}

static void given_back_or_done(void)
{
    kept_or_done();
    model_assert(processes[0].refused == 0);
    model_assert(processes[0].begun == processes[0].settled);
}

/* Of the first one; the second takes what that gives back. */
static void drain_only(weir_task *task, int status)
{
    struct process *process = &processes[0];
    int err;

    if (status != 0)
        return; /* the loop was freed first */
    err = weir_jobs_drain(process->jobs, -1, -1, count_answer, process);
    process->asked += err == 0;
    model_assert(err == 0 || err == WEIR_ECLOSED);
}

static void handed_over(void)
{
    free_all();
    model_assert(jobs[0].completions == 1 && jobs[0].attempt == 1);
    model_assert(processes[0].refused + processes[1].refused == 0);
}

static void order_drain_only(void)
{
    give_order(drain_only);
}

/* ---- a drain that has to cut ---- */

static void on_forced(void *arg, int status, const weir_jobs_reply *reply)
{
    struct process *process = arg;

    count_answer(arg, status, reply);
    model_assert(status == 0 || status == WEIR_EFORCED);
    if (process->claim != NULL)
        finish_claim(process, process->claim, on_settled);
    end_process(&process->end, 0);
}

static void drain_with_deadline(weir_task *task, int status)
{
    struct process *process = &processes[0];

    process->asked++;
    model_assert(weir_jobs_drain(process->jobs, 0, 0, on_forced, process) == 0);
}

static void order_forced_drain(void)
{
    give_order(drain_with_deadline);
}

static void init_forced(void)
{
    init_one("a", 2, 1, keep);
}

static void init_forced_late(void)
{
    init_one("postgres://a", 2, 1, keep);
}

/* The handler that was cut off has come too late. */
static void cut_and_refused(void)
{
    free_all();
    for (uint32_t i = 0; i < job_count; i++)
        model_assert(jobs[i].state == WEIR_JOBS_READY && jobs[i].attempt == 0);
    model_assert(processes[0].settled == 0);
    model_assert(processes[0].refused == processes[0].begun);
}

/* ---- a handler that takes too long ---- */

static void init_timeout(void)
{
    init_one("a", 1, 0, complete_and_end);
    jobs[0].timeout_ms = LEASE_MS / 3;
}

/* ---- cancel and close ---- */

/* Its handler may still be running. */
static void free_closed(void *arg, int status, const weir_jobs_reply *reply)
{
    struct process *process = arg;

    count_answer(arg, status, reply);
    model_assert(status == 0);
    weir_jobs_free(process->jobs);
    process->jobs = NULL;
    process->claim = NULL;
}

static void cancel_and_close(weir_task *task, int status)
{
    struct process *process = &processes[0];

    process->asked += 2;
    model_assert(weir_jobs_cancel(process->jobs, 2, count_answer, process) ==
                 0);
    model_assert(weir_jobs_close(process->jobs, free_closed, process) == 0);
}

static void order_cancel_and_close(void)
{
    give_order(cancel_and_close);
}

static void init_cancel(void)
{
    init_one("a", 2, 1, keep);
}

static void init_cancel_late(void)
{
    init_one("postgres://a", 2, 1, keep);
}

static void cancelled_or_kept(void)
{
    free_all();
    model_assert(jobs[0].state == WEIR_JOBS_READY && jobs[0].attempt == 0);
    model_assert(jobs[1].state == WEIR_JOBS_CANCELLED);
}

/* ---- a lease that ends while the dispatcher gives the job back ---- */

/* A handler that has not settled its claim holds the loop until the handle is
 * freed. */
static void end_loop(void *arg, int status, const weir_jobs_reply *reply)
{
    struct process *process = arg;

    count_answer(arg, status, reply);
    model_assert(status == 0);
    process->claim = NULL;
    (void)!weir_loop_shutdown(process->loop, 0);
}

static void close_only(weir_task *task, int status)
{
    struct process *process = &processes[0];

    process->asked++;
    model_assert(weir_jobs_close(process->jobs, end_loop, process) == 0);
}

static void order_close(void)
{
    give_order(close_only);
}

static void init_lost_connection(void)
{
    init_one("postgres://a", 2, 1, keep);
    fails_renewals = true;
}

/* ---- a claim whose lease has ended when it arrives ---- */

/* The second job may be claimed together with the renewal of the first. */
static void add_second(weir_task *task, int status)
{
    const weir_jobs_spec spec = {.size = sizeof(spec), .queue = "q"};
    struct process *process = &processes[0];
    int err = weir_jobs_add(process->jobs, &spec, count_answer, process);

    process->asked += err == 0;
    model_assert(err == 0 || err == WEIR_ECLOSED);
    third_goes_by();
}

static void keep_and_add(void *arg, weir_jobs_claim *claim)
{
    struct process *process = arg;

    begin(process, claim);
    if (claim->info.id != 1 || claim->info.attempt != 1)
        return;
    process->end = (weir_task){.run = add_second};
    model_assert(weir_loop_post(process->loop, &process->end) == 0);
}

static void init_slow_commit(void)
{
    concurrency = 2;
    is_slow = true;
    init_one("a", 1, 0, keep_and_add);
}

/* ---- free ---- */

static void free_handle(weir_task *task, int status)
{
    weir_jobs_free(processes[0].jobs);
    processes[0].jobs = NULL;
}

static void order_free(void)
{
    give_order(free_handle);
}

static const struct model_case cases[] = {
    {"lease_that_ends_lets_one_of_two_processes_settle", .setup = init_two,
     .finish = done_once, .steps = 4000, .random_runs = 4000, .pct_depth = 4,
     .brief_runs = 250,
     .threads = {T(run_first), T(run_second), T(model_spare), T(model_spare),
                 T(lease_ends)}},
    {"lease_that_ends_lets_one_settle_with_late_answers",
     .setup = init_two_late, .finish = done_once, .steps = 4000,
     .random_runs = 4000, .pct_depth = 4, .brief_runs = 250,
     .threads = {T(run_first), T(run_second), T(model_spare), T(model_spare),
                 T(lease_ends)}},
    {"crash_leaves_the_job_to_the_other_process", .setup = init_two,
     .finish = done_once, .steps = 4000, .random_runs = 4000, .pct_depth = 4,
     .brief_runs = 250,
     .threads = {T(run_first), T(run_second), T(model_spare), T(model_spare),
                 T(crash)}},
    {"crash_leaves_the_job_with_late_answers", .setup = init_two_late,
     .finish = done_once, .steps = 4000, .random_runs = 4000, .pct_depth = 4,
     .brief_runs = 250,
     .threads = {T(run_first), T(run_second), T(model_spare), T(model_spare),
                 T(crash)}},
    {"drain_hands_over_to_the_other_process", .setup = init_two,
     .finish = handed_over, .steps = 4000, .random_runs = 4000, .pct_depth = 4,
     .brief_runs = 250,
     .threads = {T(run_first), T(run_second), T(model_spare), T(model_spare),
                 T(order_drain_only)}},
    {"renewal_against_settle_loses_nothing", .setup = init_renewal,
     .finish = never_lost, .steps = 4000, .random_runs = 10000, .pct_depth = 3,
     .brief_runs = 300,
     .threads = {T(run_first), T(model_spare), T(thirds_go_by)}},
    {"renewal_aside_against_settle_loses_nothing", .setup = init_renewal_late,
     .finish = never_lost, .steps = 4000, .random_runs = 10000, .pct_depth = 3,
     .brief_runs = 300,
     .threads = {T(run_first), T(model_spare), T(thirds_go_by)}},
    {"lease_that_ends_in_a_single_process", .setup = init_renewal,
     .finish = done_once_here, .steps = 4000, .random_runs = 10000,
     .pct_depth = 3, .brief_runs = 300,
     .threads = {T(run_first), T(model_spare), T(lease_ends)}},
    {"job_that_was_added_survives_a_close", .setup = init_added,
     .finish = added_is_kept_or_done, .steps = 4000, .random_runs = 10000,
     .pct_depth = 3, .brief_runs = 300,
     .threads = {T(run_first), T(model_spare)}},
    {"drain_gives_back_what_has_not_begun", .setup = init_prefetch,
     .finish = given_back_or_done, .steps = 4000, .random_runs = 10000,
     .pct_depth = 3, .brief_runs = 300,
     .threads = {T(run_first), T(model_spare), T(order_drain)}},
    {"drain_gives_back_with_late_answers", .setup = init_prefetch_late,
     .finish = given_back_or_done, .steps = 4000, .random_runs = 10000,
     .pct_depth = 3, .brief_runs = 300,
     .threads = {T(run_first), T(model_spare), T(order_drain)}},
    {"drain_cuts_off_and_refuses_what_comes_later", .setup = init_forced,
     .finish = cut_and_refused, .steps = 4000, .random_runs = 10000,
     .pct_depth = 3, .brief_runs = 300,
     .threads = {T(run_first), T(model_spare), T(order_forced_drain)}},
    {"drain_cuts_off_with_late_answers", .setup = init_forced_late,
     .finish = cut_and_refused, .steps = 4000, .random_runs = 10000,
     .pct_depth = 3, .brief_runs = 300,
     .threads = {T(run_first), T(model_spare), T(order_forced_drain)}},
    {"timeout_against_settle_ends_the_attempt_once", .setup = init_timeout,
     .finish = done_once_here, .steps = 4000, .random_runs = 10000,
     .pct_depth = 3, .brief_runs = 300,
     .threads = {T(run_first), T(model_spare), T(third_goes_by)}},
    {"cancel_and_close_of_a_claim_that_waits", .setup = init_cancel,
     .may_delay = true, .finish = cancelled_or_kept, .steps = 4000,
     .random_runs = 10000, .pct_depth = 3, .brief_runs = 300,
     .threads = {T(run_first), T(model_spare), T(order_cancel_and_close)}},
    {"cancel_and_close_with_late_answers", .setup = init_cancel_late,
     .may_delay = true, .finish = cancelled_or_kept, .steps = 4000,
     .random_runs = 10000, .pct_depth = 3, .brief_runs = 300,
     .threads = {T(run_first), T(model_spare), T(order_cancel_and_close)}},
    {"lease_that_ends_while_the_dispatcher_gives_the_job_back",
     .setup = init_lost_connection, .finish = free_all, .may_delay = true,
     .steps = 4000, .random_runs = 10000, .pct_depth = 3, .brief_runs = 300,
     .threads = {T(run_first), T(model_spare), T(lease_ends), T(order_close)}},
    {"lease_that_ends_before_the_claim_has_arrived", .setup = init_slow_commit,
     .finish = free_all, .steps = 4000, .random_runs = 10000, .pct_depth = 3,
     .brief_runs = 300,
     .threads = {T(run_first), T(model_spare), T(order_close)}},
    {"free_while_messages_are_under_way", .setup = init_prefetch,
     .finish = kept_or_done, .steps = 4000, .random_runs = 10000,
     .pct_depth = 3, .brief_runs = 300,
     .threads = {T(run_first), T(model_spare), T(order_free)}},
    {"free_while_late_answers_are_under_way", .setup = init_prefetch_late,
     .finish = kept_or_done, .steps = 4000, .random_runs = 10000,
     .pct_depth = 3, .brief_runs = 300,
     .threads = {T(run_first), T(model_spare), T(order_free)}},
    {"broken_store_without_tokens_lets_two_settle",
     .setup = init_without_tokens, .finish = done_once, .steps = 4000,
     .expect = MODEL_ASSERTION, .random_runs = 2000, .pct_depth = 4,
     .threads = {T(run_first), T(run_second), T(model_spare), T(model_spare),
                 T(lease_ends)}},
    {"broken_store_hands_out_a_token_twice", .setup = init_with_one_token,
     .finish = done_once, .steps = 4000, .expect = MODEL_ASSERTION,
     .random_runs = 2000, .pct_depth = 4,
     .threads = {T(run_first), T(run_second), T(model_spare), T(model_spare),
                 T(lease_ends)}},
    {"broken_store_counts_what_was_given_back", .setup = init_counted_releases,
     .finish = given_back_or_done, .steps = 4000, .expect = MODEL_ASSERTION,
     .random_runs = 2000, .pct_depth = 3,
     .threads = {T(run_first), T(model_spare), T(order_drain)}},
    {"broken_dispatcher_touches_a_claim_that_it_has_answered",
     .setup = init_touched_answers, .finish = given_back_or_done, .steps = 4000,
     .expect = MODEL_USE_AFTER_FREE, .random_runs = 2000, .pct_depth = 3,
     .threads = {T(run_first), T(model_spare), T(order_drain)}},
};

MODEL_CASES(cases)
