/* SPDX-License-Identifier: MIT */
/*
 * refusals -- every documented error of a call, and that it changes nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jobs/support/jobs_fixture.h"
#include "support/failing_fixture.h"
#include "weir/service.h"

#define TOO_LONG                                                               \
    "0123456789012345678901234567890123456789012345678901234567890123456789"   \
    "0123456789012345678901234567890123456789012345678901234567890123456789"   \
    "0123456789012345678901234567890123456789012345678901234567890123456789"   \
    "0123456789012345678901234567890123456789012345678901234567890123456789"

static void never(void *arg, int status, const weir_jobs_reply *reply)
{
    expect(!"called");
}

#define SCHEDULE(name_, cron_, ...)                                            \
    (&(weir_jobs_schedule_spec){.size = sizeof(weir_jobs_schedule_spec),       \
                                .name = name_,                                 \
                                .cron = cron_,                                 \
                                __VA_ARGS__})
#define DAILY SCHEDULE("s", "@daily", .job = SPEC("q"))

/* A struct of a newer program, whose last member is set. */
#define NEWER(type, ...)                                                       \
    ((struct {                                                                 \
        type known;                                                            \
        size_t more;                                                           \
    }){.known = {.size = sizeof(type) + sizeof(size_t), __VA_ARGS__},          \
       .more = 1})

/* The dispatcher is idle, so the next allocations are the case's own. */
static void fail_allocation_after(int count)
{
    memory.fail_at = memory.calls + 1 + (uint64_t)count;
}

static void fail_next_allocation(void)
{
    fail_allocation_after(0);
}

CASE(refusals_of_open)
{
    weir_jobs_options options = {.size = sizeof(options), .name = TOO_LONG};
    weir_jobs *made;

    place_make();
    loop_make(NULL);
    /* covers: weir_jobs_open -EINVAL */
    expect_status(weir_jobs_open(NULL, loop, "x", NULL), -EINVAL);
    expect_status(weir_jobs_open(&made, NULL, "x", NULL), -EINVAL);
    expect_status(weir_jobs_open(&made, loop, NULL, NULL), -EINVAL);
    expect_status(weir_jobs_open(&made, loop, "", NULL), -EINVAL);
    expect_status(weir_jobs_open(&made, loop, "x", &options), -EINVAL);
    options = (weir_jobs_options){.size = sizeof(options), .busy_ms = -1};
    expect_status(weir_jobs_open(&made, loop, "x", &options), -EINVAL);
    /* covers: weir_jobs_open -E2BIG */
    expect_status(
        weir_jobs_open(&made, loop, "x", &NEWER(weir_jobs_options).known),
        -E2BIG);
    loop_end();
    place_remove();
}

CASE(refusals_of_open_without_memory_or_threads)
{
    weir_jobs *made;
    int err;

    place_make();
    begin();
    loop_make(NULL);
    /* covers: weir_jobs_open -ENOMEM */
    for (int i = 0;; i++) {
        fail_allocation_after(i);
        err = weir_jobs_open(&made, loop, "x", NULL);
        if (err == 0)
            break;
        expect_status(err, -ENOMEM);
    }
    weir_jobs_free(made);
    memory.fail_at = 0;
    /* covers: weir_jobs_open -EAGAIN */
    failing_syscalls_set(CALL_PTHREAD_CREATE, 1, 1, EAGAIN);
    expect_status(weir_jobs_open(&made, loop, "x", NULL), -EAGAIN);
    end();
    place_remove();
}

CASE(refusals_of_add)
{
    static char large[WEIR_JOBS_PAYLOAD_LIMIT + 1];
    uint64_t after[WEIR_JOBS_AFTER_LIMIT + 1] = {0};

    jobs_make();
    /* covers: weir_jobs_add -EINVAL */
    expect_status(weir_jobs_add(NULL, SPEC("q"), never, NULL), -EINVAL);
    expect_status(weir_jobs_add(jobs, NULL, never, NULL), -EINVAL);
    expect_status(weir_jobs_add(jobs, SPEC(NULL), never, NULL), -EINVAL);
    expect_status(weir_jobs_add(jobs, SPEC(""), never, NULL), -EINVAL);
    expect_status(weir_jobs_add(jobs, SPEC(TOO_LONG), never, NULL), -EINVAL);
    expect_status(weir_jobs_add(jobs, SPEC("\xff"), never, NULL), -EINVAL);
    expect_status(weir_jobs_add(jobs, SPEC("\xed\xa0\x80"), never, NULL),
                  -EINVAL);
    expect_status(weir_jobs_add(jobs, SPEC("q", .key = ""), never, NULL),
                  -EINVAL);
    expect_status(
        weir_jobs_add(jobs, SPEC("q", .unique = TOO_LONG), never, NULL),
        -EINVAL);
    expect_status(weir_jobs_add(jobs, SPEC("q", .delay_ms = -1), never, NULL),
                  -EINVAL);
    expect_status(
        weir_jobs_add(jobs, SPEC("q", .run_at_ms = INT64_MAX), never, NULL),
        -EINVAL);
    expect_status(
        weir_jobs_add(jobs, SPEC("q", .payload_size = 1), never, NULL),
        -EINVAL);
    /* covers: weir_jobs_add -E2BIG */
    expect_status(weir_jobs_add(jobs,
                                &NEWER(weir_jobs_spec, .queue = "q").known,
                                never, NULL),
                  -E2BIG);
    /* covers: weir_jobs_add WEIR_ELIMIT */
    expect_status(weir_jobs_add(jobs,
                                SPEC("q", .payload = large,
                                     .payload_size = sizeof(large)),
                                never, NULL),
                  WEIR_ELIMIT);
    expect_status(weir_jobs_add(jobs,
                                SPEC("q", .after = after,
                                     .after_count = WEIR_JOBS_AFTER_LIMIT + 1),
                                never, NULL),
                  WEIR_ELIMIT);
    expect_int((int)look().reply.count, 0);
    jobs_end();
}

CASE(refusals_of_work)
{
    weir_jobs_worker *worker;

    jobs_make();
    /* covers: weir_jobs_work -EINVAL */
    expect_status(weir_jobs_work(NULL, &worker, WORKER("q", .run = keep)),
                  -EINVAL);
    expect_status(weir_jobs_work(jobs, NULL, WORKER("q", .run = keep)),
                  -EINVAL);
    expect_status(weir_jobs_work(jobs, &worker, NULL), -EINVAL);
    expect_status(weir_jobs_work(jobs, &worker, WORKER("q")), -EINVAL);
    expect_status(weir_jobs_work(jobs, &worker, WORKER(NULL, .run = keep)),
                  -EINVAL);
    expect_status(weir_jobs_work(jobs, &worker, WORKER(TOO_LONG, .run = keep)),
                  -EINVAL);
    expect_status(
        weir_jobs_work(
            jobs, &worker,
            WORKER("q", .run = keep, .lease_ms = WEIR_JOBS_LEASE_MIN_MS - 1)),
        -EINVAL);
    /* covers: weir_jobs_work -E2BIG */
    expect_status(
        weir_jobs_work(
            jobs, &worker,
            &NEWER(weir_jobs_worker_options, .queue = "q", .run = keep).known),
        -E2BIG);
    jobs_end();
}

CASE(refusals_of_settle_and_progress)
{
    static char large[WEIR_JOBS_PAYLOAD_LIMIT + 2];
    struct keeper keeper = {0};
    weir_jobs_claim *claim;

    jobs_make();
    (void)add(SPEC("q"));
    keeper_start(&keeper, jobs, WORKER("q"));
    await_count(&keeper.count, 1);
    claim = keeper.claims[0];
    /* covers: weir_jobs_settle -EINVAL */
    expect_status(weir_jobs_settle(NULL, NULL, never, NULL), -EINVAL);
    expect_status(weir_jobs_settle(claim, OUTCOME(.kind = 9), never, NULL),
                  -EINVAL);
    expect_status(weir_jobs_settle(claim, OUTCOME(.kind = 1, .delay_ms = -1),
                                   never, NULL),
                  -EINVAL);
    expect_status(weir_jobs_settle(claim, OUTCOME(.kind = 1, .reason = "\xc3"),
                                   never, NULL),
                  -EINVAL);
    /* covers: weir_jobs_settle -E2BIG */
    expect_status(
        weir_jobs_settle(claim, &NEWER(weir_jobs_outcome).known, never, NULL),
        -E2BIG);
    /* covers: weir_jobs_settle WEIR_ELIMIT */
    memset(large, 'a', sizeof(large) - 1);
    expect_status(
        weir_jobs_settle(claim,
                         OUTCOME(.result = large, .result_size = sizeof(large)),
                         never, NULL),
        WEIR_ELIMIT);
    expect_status(weir_jobs_settle(claim, OUTCOME(.kind = 1, .reason = large),
                                   never, NULL),
                  WEIR_ELIMIT);
    /* covers: weir_jobs_progress -EINVAL */
    expect_status(weir_jobs_progress(NULL, 0, never, NULL), -EINVAL);
    expect_status(weir_jobs_progress(claim, -0.1, never, NULL), -EINVAL);
    expect_status(weir_jobs_progress(claim, 0.0 / 0.0, never, NULL), -EINVAL);
    expect_status(settle(claim, NULL), 0);
    jobs_end();
}

CASE(refusals_of_queues_and_jobs)
{
    jobs_make();
    /* covers: weir_jobs_limit -EINVAL */
    expect_status(weir_jobs_limit(NULL, "q", LIMITS(), never, NULL), -EINVAL);
    expect_status(weir_jobs_limit(jobs, "q", NULL, never, NULL), -EINVAL);
    expect_status(weir_jobs_limit(jobs, TOO_LONG, LIMITS(), never, NULL),
                  -EINVAL);
    expect_status(
        weir_jobs_limit(jobs, "q", LIMITS(.rate_period_ms = -1), never, NULL),
        -EINVAL);
    expect_status(weir_jobs_limit(jobs, "q", LIMITS(.key_rate_period_ms = -1),
                                  never, NULL),
                  -EINVAL);
    /* covers: weir_jobs_limit -E2BIG */
    expect_status(
        weir_jobs_limit(jobs, "q", &NEWER(weir_jobs_limits).known, never, NULL),
        -E2BIG);
    /* covers: weir_jobs_pause -EINVAL */
    expect_status(weir_jobs_pause(NULL, "q", true, never, NULL), -EINVAL);
    expect_status(weir_jobs_pause(jobs, TOO_LONG, true, never, NULL), -EINVAL);
    /* covers: weir_jobs_look -EINVAL */
    expect_status(weir_jobs_look(NULL, never, NULL), -EINVAL);
    /* covers: weir_jobs_get -EINVAL */
    expect_status(weir_jobs_get(NULL, 1, never, NULL), -EINVAL);
    /* covers: weir_jobs_cancel -EINVAL */
    expect_status(weir_jobs_cancel(NULL, 1, never, NULL), -EINVAL);
    /* covers: weir_jobs_retry -EINVAL */
    expect_status(weir_jobs_retry(NULL, 1, NULL, never, NULL), -EINVAL);
    expect_status(weir_jobs_retry(jobs, 0, NULL, never, NULL), -EINVAL);
    expect_status(weir_jobs_retry(jobs, 0, TOO_LONG, never, NULL), -EINVAL);
    /* covers: weir_jobs_list -EINVAL */
    expect_status(weir_jobs_list(NULL, "q", 0, 0, 1, never, NULL), -EINVAL);
    expect_status(weir_jobs_list(jobs, "", 0, 0, 1, never, NULL), -EINVAL);
    expect_status(weir_jobs_list(jobs, "q", 8, 0, 1, never, NULL), -EINVAL);
    expect_status(weir_jobs_list(jobs, "q", 0, 0, 0, never, NULL), -EINVAL);
    expect_status(
        weir_jobs_list(jobs, "q", 0, 0, WEIR_JOBS_LIST_LIMIT + 1, never, NULL),
        -EINVAL);
    /* covers: weir_jobs_schedule -EINVAL */
    expect_status(weir_jobs_schedule(NULL, DAILY, never, NULL), -EINVAL);
    expect_status(weir_jobs_schedule(jobs, NULL, never, NULL), -EINVAL);
    expect_status(
        weir_jobs_schedule(jobs, SCHEDULE(TOO_LONG, "@daily", .job = SPEC("q")),
                           never, NULL),
        -EINVAL);
    expect_status(weir_jobs_schedule(jobs, SCHEDULE("s", "", .job = SPEC("q")),
                                     never, NULL),
                  -EINVAL);
    expect_status(weir_jobs_schedule(
                      jobs,
                      SCHEDULE("s", "@daily", .job = SPEC("q"), .zone = ""),
                      never, NULL),
                  -EINVAL);
    expect_status(weir_jobs_schedule(
                      jobs,
                      SCHEDULE("s", "@daily", .job = SPEC("q"), .missed = 2),
                      never, NULL),
                  -EINVAL);
    expect_status(weir_jobs_schedule(jobs, SCHEDULE("s", "@daily", .job = NULL),
                                     never, NULL),
                  -EINVAL);
    expect_status(weir_jobs_schedule(jobs,
                                     SCHEDULE("s", "@daily", .job = SPEC("")),
                                     never, NULL),
                  -EINVAL);
    /* covers: weir_jobs_schedule -E2BIG */
    expect_status(weir_jobs_schedule(
                      jobs, &NEWER(weir_jobs_schedule_spec).known, never, NULL),
                  -E2BIG);
    /* covers: weir_jobs_schedule WEIR_ELIMIT */
    expect_status(
        weir_jobs_schedule(
            jobs,
            SCHEDULE("s", "@daily",
                     .job = SPEC("q", .payload = "x",
                                 .payload_size = WEIR_JOBS_PAYLOAD_LIMIT + 1)),
            never, NULL),
        WEIR_ELIMIT);
    /* covers: weir_jobs_unschedule -EINVAL */
    expect_status(weir_jobs_unschedule(NULL, "q", "s", never, NULL), -EINVAL);
    expect_status(weir_jobs_unschedule(jobs, NULL, "s", never, NULL), -EINVAL);
    expect_status(weir_jobs_unschedule(jobs, "q", TOO_LONG, never, NULL),
                  -EINVAL);
    /* covers: weir_jobs_plans -EINVAL */
    expect_status(weir_jobs_plans(NULL, never, NULL), -EINVAL);
    /* covers: weir_jobs_transfer -EINVAL */
    expect_status(weir_jobs_transfer(NULL, "store", "", never, NULL), -EINVAL);
    expect_status(weir_jobs_transfer(jobs, NULL, "", never, NULL), -EINVAL);
    expect_status(weir_jobs_transfer(jobs, "store", NULL, never, NULL),
                  -EINVAL);
    expect_status(weir_jobs_transfer(jobs, "stor", "", never, NULL), -EINVAL);
    /* covers: weir_jobs_drain -EINVAL */
    expect_status(weir_jobs_drain(NULL, 0, 0, never, NULL), -EINVAL);
    /* covers: weir_jobs_close -EINVAL */
    expect_status(weir_jobs_close(NULL, never, NULL), -EINVAL);
    /* covers: weir_jobs_join -EINVAL */
    expect_status(weir_jobs_join(jobs, NULL, 0, 0), -EINVAL);
    weir_jobs_free(NULL);
    jobs_end();
}

CASE(refusals_after_close)
{
    struct keeper keeper = {0};
    struct answer closed = {0};
    weir_jobs_worker *worker;
    weir_service *service;

    jobs_make();
    expect_status(weir_service_new(&service, NULL), 0);
    (void)add(SPEC("q"));
    keeper_start(&keeper, jobs, WORKER("q"));
    await_count(&keeper.count, 1);
    expect_status(weir_jobs_close(jobs, answered, &closed), 0);
    /* covers: weir_jobs_close WEIR_ECLOSED */
    expect_status(weir_jobs_close(jobs, never, NULL), WEIR_ECLOSED);
    /* covers: weir_jobs_add WEIR_ECLOSED */
    expect_status(weir_jobs_add(jobs, SPEC("q"), never, NULL), WEIR_ECLOSED);
    expect_status(weir_jobs_work(jobs, &worker, WORKER("q", .run = keep)),
                  WEIR_ECLOSED);
    /* covers: weir_jobs_settle WEIR_ECLOSED */
    expect_status(weir_jobs_settle(keeper.claims[0], NULL, never, NULL),
                  WEIR_ECLOSED);
    /* covers: weir_jobs_progress WEIR_ECLOSED */
    expect_status(weir_jobs_progress(keeper.claims[0], 1, never, NULL),
                  WEIR_ECLOSED);
    /* covers: weir_jobs_limit WEIR_ECLOSED */
    expect_status(weir_jobs_limit(jobs, "q", LIMITS(), never, NULL),
                  WEIR_ECLOSED);
    /* covers: weir_jobs_pause WEIR_ECLOSED */
    expect_status(weir_jobs_pause(jobs, "q", true, never, NULL), WEIR_ECLOSED);
    /* covers: weir_jobs_look WEIR_ECLOSED */
    expect_status(weir_jobs_look(jobs, never, NULL), WEIR_ECLOSED);
    /* covers: weir_jobs_get WEIR_ECLOSED */
    expect_status(weir_jobs_get(jobs, 1, never, NULL), WEIR_ECLOSED);
    /* covers: weir_jobs_cancel WEIR_ECLOSED */
    expect_status(weir_jobs_cancel(jobs, 1, never, NULL), WEIR_ECLOSED);
    /* covers: weir_jobs_retry WEIR_ECLOSED */
    expect_status(weir_jobs_retry(jobs, 1, NULL, never, NULL), WEIR_ECLOSED);
    /* covers: weir_jobs_list WEIR_ECLOSED */
    expect_status(weir_jobs_list(jobs, "q", 0, 0, 1, never, NULL),
                  WEIR_ECLOSED);
    /* covers: weir_jobs_schedule WEIR_ECLOSED */
    expect_status(weir_jobs_schedule(jobs, DAILY, never, NULL), WEIR_ECLOSED);
    /* covers: weir_jobs_unschedule WEIR_ECLOSED */
    expect_status(weir_jobs_unschedule(jobs, "q", "s", never, NULL),
                  WEIR_ECLOSED);
    /* covers: weir_jobs_plans WEIR_ECLOSED */
    expect_status(weir_jobs_plans(jobs, never, NULL), WEIR_ECLOSED);
    /* covers: weir_jobs_transfer WEIR_ECLOSED */
    expect_status(weir_jobs_transfer(jobs, "store", "", never, NULL),
                  WEIR_ECLOSED);
    /* covers: weir_jobs_drain WEIR_ECLOSED */
    expect_status(weir_jobs_drain(jobs, 0, 0, never, NULL), WEIR_ECLOSED);
    /* covers: weir_jobs_join WEIR_ECLOSED */
    expect_status(weir_jobs_join(jobs, service, 0, 0), WEIR_ECLOSED);
    await(&closed);
    expect_status(closed.status, 0);
    weir_jobs_free(jobs);
    expect_status(weir_service_free(service), 0);
    loop_end();
    place_remove();
}

/* Each request is tried with the n-th allocation failing. */
CASE(refusals_without_memory)
{
    struct keeper keeper = {0};
    weir_jobs_worker *worker;
    weir_service *service;

    begin();
    jobs_make();
    expect_status(weir_service_new(&service,
                                   &(weir_service_options){
                                       .size = sizeof(weir_service_options),
                                       .no_signals = true}),
                  0);
    (void)add(SPEC("q"));
    keeper_start(&keeper, jobs, WORKER("q"));
    await_count(&keeper.count, 1);
    (void)look();
    /* covers: weir_jobs_add -ENOMEM */
    fail_next_allocation();
    expect_status(weir_jobs_add(jobs, SPEC("q"), never, NULL), -ENOMEM);
    /* covers: weir_jobs_work -ENOMEM */
    for (int i = 0; i < 3; i++) {
        fail_allocation_after(i);
        expect_status(weir_jobs_work(jobs, &worker, WORKER("x", .run = keep)),
                      -ENOMEM);
    }
    /* covers: weir_jobs_settle -ENOMEM */
    fail_next_allocation();
    expect_status(weir_jobs_settle(keeper.claims[0], NULL, never, NULL),
                  -ENOMEM);
    /* covers: weir_jobs_progress -ENOMEM */
    fail_next_allocation();
    expect_status(weir_jobs_progress(keeper.claims[0], 1, never, NULL),
                  -ENOMEM);
    /* covers: weir_jobs_limit -ENOMEM */
    fail_next_allocation();
    expect_status(weir_jobs_limit(jobs, "q", LIMITS(), never, NULL), -ENOMEM);
    /* covers: weir_jobs_pause -ENOMEM */
    fail_next_allocation();
    expect_status(weir_jobs_pause(jobs, "q", true, never, NULL), -ENOMEM);
    /* covers: weir_jobs_look -ENOMEM */
    fail_next_allocation();
    expect_status(weir_jobs_look(jobs, never, NULL), -ENOMEM);
    /* covers: weir_jobs_get -ENOMEM */
    fail_next_allocation();
    expect_status(weir_jobs_get(jobs, 1, never, NULL), -ENOMEM);
    /* covers: weir_jobs_cancel -ENOMEM */
    fail_next_allocation();
    expect_status(weir_jobs_cancel(jobs, 1, never, NULL), -ENOMEM);
    /* covers: weir_jobs_retry -ENOMEM */
    fail_next_allocation();
    expect_status(weir_jobs_retry(jobs, 1, NULL, never, NULL), -ENOMEM);
    /* covers: weir_jobs_list -ENOMEM */
    fail_next_allocation();
    expect_status(weir_jobs_list(jobs, "q", 0, 0, 1, never, NULL), -ENOMEM);
    /* covers: weir_jobs_schedule -ENOMEM */
    fail_next_allocation();
    expect_status(weir_jobs_schedule(jobs, DAILY, never, NULL), -ENOMEM);
    /* covers: weir_jobs_unschedule -ENOMEM */
    fail_next_allocation();
    expect_status(weir_jobs_unschedule(jobs, "q", "s", never, NULL), -ENOMEM);
    /* covers: weir_jobs_plans -ENOMEM */
    fail_next_allocation();
    expect_status(weir_jobs_plans(jobs, never, NULL), -ENOMEM);
    /* covers: weir_jobs_transfer -ENOMEM */
    fail_next_allocation();
    expect_status(weir_jobs_transfer(jobs, "store", "", never, NULL), -ENOMEM);
    /* covers: weir_jobs_drain -ENOMEM */
    fail_next_allocation();
    expect_status(weir_jobs_drain(jobs, 0, 0, never, NULL), -ENOMEM);
    /* covers: weir_jobs_join -ENOMEM */
    fail_next_allocation();
    expect_status(weir_jobs_join(jobs, service, 0, 0), -ENOMEM);
    expect_status(settle(keeper.claims[0], NULL), 0);
    jobs_close(jobs);
    expect_status(weir_service_free(service), 0);
    end();
    place_remove();
}

CASE(refusals_of_join_in_a_child_process)
{
    weir_service *service;
    int status;
    pid_t child;

    jobs_make();
    expect_status(weir_service_new(&service, NULL), 0);
    child = fork();
    if (child == 0) /* covers: weir_jobs_join WEIR_EFORKED */
        _exit(weir_jobs_join(jobs, service, 0, 0) != WEIR_EFORKED);
    expect(waitpid(child, &status, 0) == child);
    expect_int(status, 0);
    expect_status(weir_service_free(service), 0);
    jobs_end();
}
