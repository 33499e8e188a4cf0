/* SPDX-License-Identifier: MIT */
/*
 * drain -- workers stop, give back, and are cut off at the hard deadline.
 */
#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <string.h>

#include "jobs/support/jobs_fixture.h"
#include "weir/clock.h"
#include "weir/service.h"
#include "work/jobs.h"

static void ignore_event(void *arg, weir_jobs *in, const weir_jobs_event *event)
{
}

static void make(void)
{
    jobs_make_with(&(weir_jobs_options){.size = sizeof(weir_jobs_options),
                                        .on_event = ignore_event});
}

CASE(drain_without_claims_ends_at_once)
{
    struct answer drained = {0}, again = {0};

    make();
    expect_status(weir_jobs_drain(jobs, 0, 0, answered, &drained), 0);
    await(&drained);
    expect_status(drained.status, 0);
    /* covers: weir_jobs_drain -EALREADY */
    expect_status(weir_jobs_drain(jobs, 0, 0, answered, &again), -EALREADY);
    jobs_end();
}

CASE(drain_gives_back_what_has_not_begun_without_an_attempt)
{
    struct keeper keeper = {0};
    struct answer drained = {0};
    uint64_t ids[4];

    make();
    for (int i = 0; i < 4; i++)
        ids[i] = add(SPEC("q"));
    keeper_start(&keeper, jobs, WORKER("q", .prefetch = 3));
    await_count(&keeper.count, 1);
    expect_int(state_of(ids[3]), WEIR_JOBS_RUNNING);
    expect_status(weir_jobs_drain(jobs, -1, -1, answered, &drained), 0);
    for (int i = 1; i < 4; i++) {
        struct answer job = get(ids[i]);

        expect_int(job.job.state, WEIR_JOBS_READY);
        expect_int(job.job.attempt, 0);
    }
    expect(!drained.is_here); /* it waits for the one that runs */
    expect_status(settle(keeper.claims[0], NULL), 0);
    await(&drained);
    expect_status(drained.status, 0);
    expect_int(keeper.count, 1);
    jobs_end();
}

CASE(drain_raises_aborts_after_the_soft_deadline)
{
    struct keeper keeper = {0};
    struct answer drained = {0};
    weir_abort *abort;

    make();
    (void)add(SPEC("q"));
    keeper_start(&keeper, jobs, WORKER("q"));
    await_count(&keeper.count, 1);
    abort = weir_jobs_claim_abort(keeper.claims[0]);
    expect_status(weir_jobs_drain(jobs, 100, 1000, answered, &drained), 0);
    pass(99);
    expect_status(weir_abort_reason(abort), 0);
    pass(1);
    expect_status(weir_abort_reason(abort), WEIR_ECANCELED);
    expect_status(settle(keeper.claims[0], NULL), 0); /* in time */
    await(&drained);
    expect_status(drained.status, 0);
    jobs_end();
}

CASE(drain_cuts_off_at_the_hard_deadline_and_names_each_job)
{
    struct keeper keeper = {0};
    struct answer drained = {0}, job;
    uint64_t a, b;

    make();
    a = add(SPEC("q"));
    b = add(SPEC("q"));
    keeper_start(&keeper, jobs, WORKER("q", .concurrency = 2));
    await_count(&keeper.count, 2);
    expect_status(weir_jobs_drain(jobs, 10, 100, answered, &drained), 0);
    pass(100);
    await(&drained);
    expect_status(drained.status, WEIR_EFORCED);
    expect_int((int)drained.reply.count, 2);
    expect(drained.holders[0].id + drained.holders[1].id == a + b);
    expect_int(drained.holders[0].attempt, 1);
    expect_int((int)drained.holders[0].age_ms, 100);
    job = get(a);
    expect_int(job.job.state, WEIR_JOBS_READY);
    expect_int(job.job.attempt, 0);
    expect(strstr(job.why, "drain") != NULL);
    expect_status(settle(keeper.claims[0], NULL), WEIR_ELEASE);
    expect_status(settle(keeper.claims[1], NULL), WEIR_ELEASE);
    jobs_end();
}

static int stored_state(uint64_t id)
{
    return (int)stored_number(id, "state");
}

CASE(drain_deadline_holds_while_the_loops_thread_is_blocked)
{
    struct keeper keeper = {0};
    struct answer drained = {0};
    uint64_t id;

    make();
    id = add(SPEC("q"));
    keeper_start(&keeper, jobs, WORKER("q"));
    await_count(&keeper.count, 1);
    expect_status(weir_jobs_drain(jobs, -1, 100, answered, &drained), 0);
    (void)look(); /* the drain has begun */
    jump(jobs, 100);
    while (stored_state(id) != WEIR_JOBS_READY) /* no turn of the loop */
        sched_yield();
    await(&drained);
    expect_status(drained.status, WEIR_EFORCED);
    expect_status(settle(keeper.claims[0], NULL), WEIR_ELEASE);
    jobs_end();
}

CASE(drain_refuses_new_workers)
{
    weir_jobs_worker *worker;
    struct answer drained = {0};

    make();
    expect_status(weir_jobs_drain(jobs, 0, 0, answered, &drained), 0);
    /* covers: weir_jobs_work WEIR_ECLOSED */
    expect_status(weir_jobs_work(jobs, &worker, WORKER("q", .run = keep)),
                  WEIR_ECLOSED);
    await(&drained);
    jobs_end();
}

CASE(drain_worker_that_is_stopped_gives_back_and_finishes)
{
    struct keeper keeper = {0};
    uint64_t a, b;

    make();
    a = add(SPEC("q"));
    b = add(SPEC("q"));
    keeper_start(&keeper, jobs, WORKER("q", .prefetch = 1));
    await_count(&keeper.count, 1);
    weir_jobs_worker_stop(keeper.worker);
    while (state_of(b) != WEIR_JOBS_READY)
        ;
    expect_int(state_of(a), WEIR_JOBS_RUNNING);
    expect_status(settle(keeper.claims[0], NULL), 0);
    jobs_end();
}

CASE(drain_worker_that_is_stopped_while_it_claims_gives_back)
{
    struct keeper keeper = {0};
    struct answer added = {0};

    make();
    keeper_start(&keeper, jobs, WORKER("q"));
    (void)look();
    expect_status(weir_jobs_add(jobs, SPEC("q"), answered, &added), 0);
    loop_turns(1); /* a server is asked to add it, and to claim it */
    weir_jobs_worker_stop(keeper.worker);
    await(&added);
    while (keeper.count == 0 && state_of(added.reply.id) != WEIR_JOBS_READY)
        ;
    jobs_end();
}

CASE(drain_close_gives_back_what_is_claimed)
{
    struct keeper keeper = {0};
    weir_jobs *other;
    uint64_t id;

    make();
    id = add(SPEC("q"));
    other = jobs_open("other");
    keeper_start(&keeper, other, WORKER("q"));
    await_count(&keeper.count, 1);
    jobs_close(other);
    expect_int(state_of(id), WEIR_JOBS_READY);
    expect_int(get(id).job.attempt, 0);
    jobs_end();
}

/* ---- as part of a service ---- */

struct in_service {
    weir_service *service;
    weir_jobs_worker *worker;
    sem_t is_open, has_begun;
};

static void begin_and_keep(void *arg, weir_jobs_claim *claim)
{
    struct in_service *in = arg;

    sem_post(&in->has_begun);
}

static void begin_in_service(void *arg, int status)
{
    struct in_service *in = arg;

    expect_status(status, 0);
    expect_status(weir_jobs_open(&jobs, loop, store_path(), NULL), 0);
    expect_status(weir_jobs_join(jobs, in->service, -1, 100), 0);
    /* covers: weir_jobs_join -EALREADY */
    expect_status(weir_jobs_join(jobs, in->service, -1, 100), -EALREADY);
    expect_status(weir_jobs_add(jobs, SPEC("q", .timeout_ms = 0), NULL, NULL),
                  0);
    expect_status(weir_jobs_work(jobs, &in->worker,
                                 WORKER("q", .run = begin_and_keep, .arg = in)),
                  0);
    sem_post(&in->is_open);
}

CASE(drain_of_a_service_waits_for_claims_and_cuts_them_off)
{
    struct in_service in = {0};

    expect_int(sem_init(&in.is_open, 0, 0), 0);
    expect_int(sem_init(&in.has_begun, 0, 0), 0);
    place_make();
    expect_status(weir_service_new(&in.service, NULL), 0);
    expect_status(weir_service_add_loop(in.service, &loop, NULL), 0);
    expect_status(weir_loop_submit(loop, begin_in_service, &in), 0);
    while (sem_wait(&in.is_open) != 0)
        ;
    expect_status(weir_service_start(in.service), 0);
    while (sem_wait(&in.has_begun) != 0)
        ;
    expect_int(weir_gate_inflight(weir_service_gate(in.service)), 1);
    expect_status(weir_service_stop(in.service), 0);
    expect_status(weir_service_wait(in.service, -1), WEIR_EFORCED);
    expect_int(stored_state(1), WEIR_JOBS_READY);
    weir_jobs_free(jobs);
    expect_status(weir_service_free(in.service), 0);
    place_remove();
}

static void count_joined(void *arg, int status, const weir_jobs_reply *reply)
{
    expect_status(status, 0);
    sem_post(&((struct in_service *)arg)->is_open);
}

static void join_service(void *arg, int status)
{
    struct in_service *in = arg;

    expect_status(weir_jobs_join(jobs, in->service, -1, 100), 0);
    expect_status(weir_jobs_look(jobs, count_joined, in), 0);
}

static void work_and_join(void *arg, weir_jobs *opened, int status,
                          const char *reason)
{
    struct in_service *in = arg;

    expect_status(status, 0);
    expect_status(weir_jobs_work(jobs, &in->worker,
                                 WORKER("q", .run = begin_and_keep, .arg = in)),
                  0);
    /* In the next turn: a server has not answered the claim then. */
    expect_status(weir_loop_submit(loop, join_service, in), 0);
}

static void open_for_service(void *arg, int status)
{
    struct in_service *in = arg;

    expect_status(
        weir_jobs_open(&jobs, loop, store_path(),
                       &(weir_jobs_options){.size = sizeof(weir_jobs_options),
                                            .arg = in,
                                            .opened = work_and_join}),
        0);
}

CASE(drain_service_that_is_joined_during_a_claim_keeps_its_count)
{
    struct in_service in = {0};

    expect_int(sem_init(&in.is_open, 0, 0), 0);
    place_make();
    expect_status(weir_service_new(&in.service, NULL), 0);
    expect_status(weir_service_add_loop(in.service, &loop, NULL), 0);
    expect_status(weir_loop_submit(loop, open_for_service, &in), 0);
    while (sem_wait(&in.is_open) != 0)
        ;
    expect_int(weir_gate_inflight(weir_service_gate(in.service)), 0);
    expect_status(weir_service_start(in.service), 0);
    expect_status(weir_service_stop(in.service), 0);
    expect_status(weir_service_wait(in.service, -1), 0);
    weir_jobs_free(jobs);
    expect_status(weir_service_free(in.service), 0);
    place_remove();
}
