/* SPDX-License-Identifier: MIT */
/*
 * lease -- leases are renewed whatever the loop's thread does, and end
 * otherwise.
 *
 * Time is frozen.  A dispatcher that is not woken does not notice that it goes
 * on, as a process that is stopped does not: so the second handle of a case
 * loses its leases.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "jobs/support/jobs_fixture.h"
#include "weir/clock.h"
#include "work/jobs.h"

struct seen {
    unsigned count;
    weir_jobs_event_kind kind;
    int status;
};

static void see(void *arg, weir_jobs *in, const weir_jobs_event *event)
{
    struct seen *seen = arg;

    seen->kind = event->kind;
    seen->status = event->status;
    seen->count++;
}

static void make_with_events(struct seen *seen)
{
    jobs_make_with(&(weir_jobs_options){
        .size = sizeof(weir_jobs_options), .arg = seen, .on_event = see});
}

static int64_t lease_until(uint64_t id)
{
    return stored_number(id, "lease_until");
}

CASE(lease_is_renewed_while_the_loops_thread_is_blocked)
{
    struct keeper keeper = {0};
    uint64_t id;
    int64_t until;

    jobs_make();
    id = add(SPEC("q"));
    keeper_start(&keeper, jobs, WORKER("q", .lease_ms = 300));
    await_count(&keeper.count, 1);
    until = lease_until(id);
    for (int i = 0; i < 10; i++) { /* ten leases long, no turn of the loop */
        jump(jobs, 100);
        while (lease_until(id) == until)
            sched_yield();
        expect(lease_until(id) > until);
        until = lease_until(id);
    }
    expect_status(settle(keeper.claims[0], NULL), 0);
    jobs_end();
}

CASE(lease_that_is_shorter_than_one_before_is_renewed_in_time)
{
    struct keeper longer = {0}, shorter = {0};
    uint64_t id;
    int64_t until;

    jobs_make();
    (void)add(SPEC("long"));
    keeper_start(&longer, jobs, WORKER("long", .lease_ms = 30000));
    await_count(&longer.count, 1);
    id = add(SPEC("short"));
    keeper_start(&shorter, jobs, WORKER("short", .lease_ms = 300));
    await_count(&shorter.count, 1);
    until = lease_until(id);
    jump(jobs, 100);
    while (lease_until(id) == until)
        sched_yield();
    expect(lease_until(id) > until);
    expect_status(settle(shorter.claims[0], NULL), 0);
    expect_status(settle(longer.claims[0], NULL), 0);
    jobs_end();
}

CASE(lease_that_was_not_renewed_ends_and_its_token_is_refused)
{
    struct keeper stopped = {0}, keeper = {0};
    struct seen seen = {0};
    struct answer progress = {0};
    const weir_jobs_info *old, *new;
    weir_jobs *other;
    uint64_t id;

    make_with_events(&seen);
    id = add(SPEC("q", .backoff_ms = 10, .keep_ms = -1));
    /* The one that is stopped is `jobs`; `other` is the one that goes on. */
    keeper_start(&stopped, jobs, WORKER("q", .lease_ms = 1000));
    await_count(&stopped.count, 1);
    other = jobs_open("other");
    keeper_start(&keeper, other, WORKER("q"));
    rest(jobs, other);
    jump(other, 1000);
    await_count(&seen.count, 1); /* woken by the transaction that took it */
    expect_int(seen.kind, WEIR_JOBS_EVENT_LOST);
    expect_status(seen.status, WEIR_ELEASE);
    expect_status(weir_abort_reason(weir_jobs_claim_abort(stopped.claims[0])),
                  WEIR_ELEASE);
    rest(jobs, other);
    jump(other, 10);
    await_count(&keeper.count, 1);
    old = weir_jobs_claim_info(stopped.claims[0]);
    new = weir_jobs_claim_info(keeper.claims[0]);
    expect(new->id == id &&new->token > old->token);
    expect_int(new->attempt, 2);
    expect(strstr(new->reason, "lease") != NULL);
    expect_status(
        weir_jobs_progress(stopped.claims[0], 0.5, answered, &progress), 0);
    await(&progress);
    expect_status(progress.status, WEIR_ELEASE);
    expect_status(
        settle(stopped.claims[0], OUTCOME(.result = "old", .result_size = 3)),
        WEIR_ELEASE);
    expect_status(
        settle(keeper.claims[0], OUTCOME(.result = "new", .result_size = 3)),
        0);
    expect_string(get(id).result, "new");
    jobs_close(other);
    jobs_end();
}

CASE(lease_that_ends_counts_as_an_attempt)
{
    struct keeper stopped = {0}, keeper = {0};
    struct answer answer = {0};
    weir_jobs *other;
    uint64_t id;

    jobs_make();
    id = add(SPEC("q", .attempts = 1));
    other = jobs_open("other");
    keeper_start(&stopped, other, WORKER("q", .lease_ms = 1000));
    await_count(&stopped.count, 1);
    keeper_start(&keeper, jobs, WORKER("q"));
    rest(other, jobs);
    pass(1000);
    expect_int(state_of(id), WEIR_JOBS_DEAD);
    expect(strstr(get(id).why, "lease ended") != NULL);
    expect_status(weir_jobs_close(other, answered, &answer), 0);
    await(&answer);
    weir_jobs_free(other);
    jobs_end();
}

CASE(lease_of_a_claim_that_has_not_begun_is_dropped_when_it_ends)
{
    struct keeper stopped = {0}, keeper = {.is_settling = true};
    weir_jobs *other;

    jobs_make();
    (void)add(SPEC("q", .backoff_ms = 10));
    (void)add(SPEC("q", .backoff_ms = 10));
    other = jobs_open("other");
    keeper_start(&stopped, other, WORKER("q", .lease_ms = 1000, .prefetch = 1));
    await_count(&stopped.count, 1);
    keeper_start(&keeper, jobs, WORKER("q", .concurrency = 2));
    rest(other, jobs);
    pass(1000);
    rest(other, jobs);
    pass(10);
    await_count(&keeper.ended, 2);
    expect_status(settle(stopped.claims[0], NULL), WEIR_ELEASE);
    expect_int(stopped.count, 1); /* the second one was never begun */
    jobs_close(other);
    jobs_end();
}

CASE(lease_ends_when_the_handler_takes_too_long)
{
    struct keeper keeper = {0};
    struct seen seen = {0};
    uint64_t id;

    make_with_events(&seen);
    id = add(SPEC("q", .timeout_ms = 500, .attempts = 1));
    keeper_start(&keeper, jobs, WORKER("q"));
    await_count(&keeper.count, 1);
    pass(499);
    expect_int(seen.count, 0);
    jump(jobs, 1); /* even if the loop's thread does nothing */
    await_count(&seen.count, 1);
    expect_int(seen.kind, WEIR_JOBS_EVENT_TIMEOUT);
    expect_status(weir_abort_reason(weir_jobs_claim_abort(keeper.claims[0])),
                  -ETIMEDOUT);
    expect_status(settle(keeper.claims[0], NULL), WEIR_ELEASE);
    expect_int(state_of(id), WEIR_JOBS_DEAD);
    expect(strstr(get(id).why, "too long") != NULL);
    jobs_end();
}

CASE(lease_does_not_time_out_before_centuries_that_overflow_nanoseconds)
{
    struct keeper keeper = {0};
    uint64_t id;

    jobs_make();
    id = add(SPEC("q", .timeout_ms = 18446744073710)); /* 2^64 ns, and a bit */
    keeper_start(&keeper, jobs, WORKER("q"));
    await_count(&keeper.count, 1);
    pass(1000);
    expect_int(state_of(id), WEIR_JOBS_RUNNING);
    expect_status(settle(keeper.claims[0], NULL), 0);
    jobs_end();
}

CASE(lease_of_a_settled_claim_does_not_time_out)
{
    struct keeper keeper = {0};
    struct seen seen = {0};

    make_with_events(&seen);
    (void)add(SPEC("q", .timeout_ms = 500));
    keeper_start(&keeper, jobs, WORKER("q"));
    await_count(&keeper.count, 1);
    expect_status(settle(keeper.claims[0], NULL), 0);
    pass(1000);
    expect_int(seen.count, 0);
    jobs_end();
}
