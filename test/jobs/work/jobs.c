/* SPDX-License-Identifier: MIT */
/*
 * jobs -- adding, claiming, settling, and what a store refuses.
 */
#include "weir/jobs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobs/support/jobs_fixture.h"

/* ---- a job's life ---- */

CASE(jobs_added_job_is_in_the_store_as_it_was_given)
{
    struct answer answer;
    uint64_t id;

    jobs_make();
    id = add(SPEC("mail", .payload = "hello", .payload_size = 5, .key = "k",
                  .priority = 3, .attempts = 4));
    answer = get(id);
    expect_status(answer.status, 0);
    expect_int(answer.job.state, WEIR_JOBS_READY);
    expect_string(answer.queue, "mail");
    expect_string(answer.key, "k");
    expect_string(answer.payload, "hello");
    expect_int(answer.job.priority, 3);
    expect_int(answer.job.attempt, 0);
    expect_int(answer.job.attempts, 4);
    jobs_end();
}

CASE(jobs_worker_gets_each_job_once_and_done_ones_are_removed)
{
    struct keeper keeper = {.is_settling = true};
    uint64_t ids[20];

    jobs_make();
    for (int i = 0; i < 20; i++)
        ids[i] = add(SPEC("q", .payload = &i, .payload_size = sizeof(i)));
    keeper_start(&keeper, jobs, WORKER("q", .concurrency = 3, .prefetch = 2));
    await_count(&keeper.ended, 20);
    expect_int(keeper.count, 20);
    for (int i = 0; i < 20; i++)
        expect_status(get(ids[i]).status, -ENOENT);
    weir_jobs_worker_stop(keeper.worker);
    jobs_end();
}

CASE(jobs_worker_that_is_idle_gets_a_job_that_is_added_later)
{
    struct keeper keeper = {.is_settling = true};

    jobs_make();
    keeper_start(&keeper, jobs, WORKER("q"));
    (void)look();
    (void)add(SPEC("q"));
    await_count(&keeper.ended, 1);
    jobs_end();
}

CASE(jobs_worker_of_another_process_is_woken)
{
    struct keeper keeper = {.is_settling = true};
    weir_jobs *other;

    jobs_make();
    other = jobs_open("other");
    keeper_start(&keeper, other, WORKER("q"));
    (void)look();
    (void)add(SPEC("q"));
    await_count(&keeper.ended, 1);
    jobs_close(other);
    jobs_end();
}

CASE(jobs_claim_carries_what_was_added)
{
    struct keeper keeper = {0};
    const weir_jobs_info *info;
    uint64_t id;

    jobs_make();
    id = add(SPEC("q", .payload = "abc", .payload_size = 3, .key = "k",
                  .unique = "u"));
    keeper_start(&keeper, jobs, WORKER("q"));
    await_count(&keeper.count, 1);
    info = weir_jobs_claim_info(keeper.claims[0]);
    expect(info->id == id);
    expect(info->token > 0);
    expect_int(info->attempt, 1);
    expect_int((int)info->payload_size, 3);
    expect(memcmp(info->payload, "abc", 3) == 0);
    expect_string(info->queue, "q");
    expect_string(info->key, "k");
    expect_string(info->unique, "u");
    expect(weir_abort_reason(weir_jobs_claim_abort(keeper.claims[0])) == 0);
    expect_int(state_of(id), WEIR_JOBS_RUNNING);
    expect_status(settle(keeper.claims[0], NULL), 0);
    jobs_end();
}

CASE(jobs_tokens_grow)
{
    struct keeper keeper = {0};
    uint64_t last = 0;

    jobs_make();
    (void)add(SPEC("q"));
    keeper_start(&keeper, jobs, WORKER("q"));
    for (unsigned i = 0; i < 5; i++) {
        await_count(&keeper.count, i + 1);
        expect(weir_jobs_claim_info(keeper.claims[i])->token > last);
        last = weir_jobs_claim_info(keeper.claims[i])->token;
        expect_status(settle(keeper.claims[i],
                             OUTCOME(.kind = WEIR_JOBS_OUTCOME_RELEASED)),
                      0);
    }
    await_count(&keeper.count, 6);
    expect_int(weir_jobs_claim_info(keeper.claims[5])->attempt, 1);
    expect_status(settle(keeper.claims[5], NULL), 0);
    jobs_end();
}

CASE(jobs_result_is_kept_for_its_time)
{
    struct keeper keeper = {0};
    struct answer answer;
    uint64_t id;

    jobs_make();
    id = add(SPEC("q", .keep_ms = 5000));
    keeper_start(&keeper, jobs, WORKER("q"));
    await_count(&keeper.count, 1);
    expect_status(
        settle(keeper.claims[0], OUTCOME(.result = "42", .result_size = 2)), 0);
    answer = get(id);
    expect_int(answer.job.state, WEIR_JOBS_DONE);
    expect_string(answer.result, "42");
    pass(4999);
    (void)add(SPEC("q")); /* a claim removes what has expired */
    await_count(&keeper.count, 2);
    expect_int(state_of(id), WEIR_JOBS_DONE);
    expect_status(settle(keeper.claims[1], NULL), 0);
    pass(1);
    (void)add(SPEC("q"));
    await_count(&keeper.count, 3);
    expect_status(get(id).status, -ENOENT);
    expect_status(settle(keeper.claims[2], NULL), 0);
    jobs_end();
}

CASE(jobs_result_is_removed_by_a_worker_that_has_nothing_to_do)
{
    struct keeper keeper = {0};
    uint64_t id;

    jobs_make();
    id = add(SPEC("q", .keep_ms = 5000));
    keeper_start(&keeper, jobs, WORKER("q"));
    await_count(&keeper.count, 1);
    expect_status(settle(keeper.claims[0], NULL), 0);
    expect_int(state_of(id), WEIR_JOBS_DONE);
    pass(5000 + 1000); /* all that expire within a second are removed at once */
    while (get(id).status != -ENOENT)
        continue; /* until the case's deadline */
    jobs_end();
}

/* ---- order ---- */

static void expect_order(struct keeper *keeper, const uint64_t *ids,
                         unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        await_count(&keeper->count, i + 1);
        expect_int((int)weir_jobs_claim_info(keeper->claims[i])->id,
                   (int)ids[i]);
        expect_status(settle(keeper->claims[i], NULL), 0);
    }
}

CASE(jobs_larger_priority_comes_first_and_equal_ones_in_order)
{
    struct keeper keeper = {0};
    uint64_t a, b, c, d;

    jobs_make();
    a = add(SPEC("q"));
    b = add(SPEC("q", .priority = 5));
    c = add(SPEC("q", .priority = -1));
    d = add(SPEC("q", .priority = 5));
    keeper_start(&keeper, jobs, WORKER("q"));
    expect_order(&keeper, (uint64_t[]){b, d, a, c}, 4);
    jobs_end();
}

CASE(jobs_delayed_job_runs_when_it_is_due)
{
    struct keeper keeper = {0};
    uint64_t id;

    jobs_make();
    keeper_start(&keeper, jobs, WORKER("q"));
    id = add(SPEC("q", .delay_ms = 1000));
    expect_int(state_of(id), WEIR_JOBS_SCHEDULED);
    pass(999);
    expect_int(keeper.count, 0);
    pass(1);
    await_count(&keeper.count, 1);
    expect_status(settle(keeper.claims[0], NULL), 0);
    jobs_end();
}

CASE(jobs_of_one_key_run_one_at_a_time_in_order)
{
    struct keeper keeper = {0};
    uint64_t ids[4];

    jobs_make();
    for (int i = 0; i < 4; i++)
        ids[i] = add(SPEC("q", .key = "k", .priority = i));
    keeper_start(&keeper, jobs, WORKER("q", .concurrency = 4));
    await_count(&keeper.count, 1);
    (void)look();
    expect_int(keeper.count, 1);
    expect_int(state_of(ids[1]), WEIR_JOBS_BEHIND);
    expect_order(&keeper, ids, 4);
    jobs_end();
}

CASE(jobs_of_one_key_run_as_many_at_a_time_as_the_limit_says)
{
    struct keeper keeper = {0};
    struct answer answer = {0}, wider = {0};
    uint64_t ids[6];

    jobs_make();
    for (int i = 0; i < 6; i++)
        ids[i] = add(SPEC("q", .key = "k"));
    (void)add(SPEC("q", .key = "another"));
    expect_status(weir_jobs_limit(jobs, "q", LIMITS(.key_concurrency = 2),
                                  answered, &answer),
                  0);
    await(&answer);
    expect_int((int)look().queues[0].key_concurrency, 2);
    expect_int(state_of(ids[1]), WEIR_JOBS_READY);
    expect_int(state_of(ids[2]), WEIR_JOBS_BEHIND);
    keeper_start(&keeper, jobs, WORKER("q", .concurrency = 8));
    await_count(&keeper.count, 3);
    expect_status(settle(keeper.claims[1], NULL), 0);
    await_count(&keeper.count, 4);
    expect(weir_jobs_claim_info(keeper.claims[3])->id == ids[2]);
    expect_int(state_of(ids[3]), WEIR_JOBS_BEHIND);
    expect_status(weir_jobs_limit(jobs, "q", LIMITS(.key_concurrency = 9),
                                  answered, &wider),
                  0);
    await(&wider);
    await_count(&keeper.count, 7);
    for (int i = 0; i < 3; i++)
        expect(weir_jobs_claim_info(keeper.claims[4 + i])->id == ids[3 + i]);
    jobs_end();
}

CASE(jobs_behind_a_job_that_waited_go_on_with_it_up_to_the_limit)
{
    struct keeper keeper = {0};
    struct answer answer = {0};
    uint64_t needed, ids[3];

    jobs_make();
    expect_status(weir_jobs_limit(jobs, "q", LIMITS(.key_concurrency = 2),
                                  answered, &answer),
                  0);
    await(&answer);
    needed = add(SPEC("other"));
    ids[0] = add(SPEC("q", .key = "k", .after = &needed, .after_count = 1));
    for (int i = 1; i < 3; i++)
        ids[i] = add(SPEC("q", .key = "k"));
    expect_int(state_of(ids[1]), WEIR_JOBS_BEHIND);
    keeper_start(&keeper, jobs, WORKER("other"));
    await_count(&keeper.count, 1);
    expect_status(settle(keeper.claims[0], NULL), 0);
    expect_int(state_of(ids[0]), WEIR_JOBS_READY);
    expect_int(state_of(ids[1]), WEIR_JOBS_READY);
    expect_int(state_of(ids[2]), WEIR_JOBS_BEHIND);
    jobs_end();
}

struct listed {
    bool is_here;
    uint64_t count;
    uint64_t ids[8];
    char payloads[8][8], reasons[8][8];
    int64_t lease_ms; /* of the last one */
};

static void note_list(void *arg, int status, const weir_jobs_reply *reply)
{
    struct listed *to = arg;

    expect_status(status, 0);
    to->is_here = true;
    for (const weir_jobs_info *info = reply->jobs; info != NULL;
         info = info->next) {
        uint64_t i = to->count++;

        to->ids[i] = info->id;
        memcpy(to->payloads[i], info->payload, info->payload_size);
        snprintf(to->reasons[i], 8, "%s", info->reason);
        to->lease_ms = info->lease_ms;
    }
    expect_int(reply->count, to->count);
}

static struct listed list(weir_jobs_state state, uint64_t after, uint32_t most)
{
    struct listed result = {0};

    expect_status(
        weir_jobs_list(jobs, "q", state, after, most, note_list, &result), 0);
    while (!result.is_here)
        (void)look();
    return result;
}

CASE(jobs_are_listed_by_state_and_id)
{
    struct keeper keeper = {0};
    struct listed dead;

    jobs_make();
    for (int i = 0; i < 3; i++)
        (void)add(
            SPEC("q", .payload = &"abc"[i], .payload_size = 1, .attempts = 1));
    (void)add(SPEC("q", .delay_ms = 1000));
    (void)add(SPEC("other", .attempts = 1));
    keeper_start(&keeper, jobs, WORKER("q", .concurrency = 8));
    await_count(&keeper.count, 3);
    expect_int((int)list(WEIR_JOBS_DEAD, 0, 10).count, 0);
    for (int i = 0; i < 3; i++)
        expect_status(
            settle(keeper.claims[i],
                   OUTCOME(.kind = WEIR_JOBS_OUTCOME_FAILED, .reason = "no")),
            0);
    dead = list(WEIR_JOBS_DEAD, 0, 2);
    expect_int((int)dead.count, 2);
    expect_int((int)dead.ids[1], 2);
    expect_string(dead.payloads[1], "b");
    expect_string(dead.reasons[1], "no");
    dead = list(WEIR_JOBS_DEAD, 2, 2);
    expect_int((int)dead.count, 1);
    expect_string(dead.payloads[0], "c");
    expect_int((int)list(WEIR_JOBS_DEAD, 3, 2).count, 0);
    expect_int((int)list(WEIR_JOBS_DEAD, UINT64_MAX, 2).count, 0);
    expect_int((int)list(WEIR_JOBS_SCHEDULED, 0, 2).count, 1);
    jobs_end();
}

CASE(jobs_that_run_tell_when_their_leases_end)
{
    struct keeper keeper = {0};
    uint64_t id;
    int64_t left_ms;

    jobs_make();
    id = add(SPEC("q", .payload = "a", .payload_size = 1));
    expect_int((int)get(id).job.lease_ms, 0);
    keeper_start(&keeper, jobs, WORKER("q", .lease_ms = 9000));
    await_count(&keeper.count, 1);
    expect_int((int)weir_jobs_claim_info(keeper.claims[0])->lease_ms, 9000);
    left_ms = list(WEIR_JOBS_RUNNING, 0, 1).lease_ms;
    expect(left_ms > 8900 && left_ms <= 9000);
    left_ms = get(id).job.lease_ms;
    expect(left_ms > 8900 && left_ms <= 9000);
    pass(1000);
    left_ms = get(id).job.lease_ms;
    expect(left_ms > 7900 && left_ms <= 8000);
    expect_status(
        settle(keeper.claims[0],
               OUTCOME(.kind = WEIR_JOBS_OUTCOME_RELEASED, .delay_ms = 1000)),
        0);
    expect_int((int)get(id).job.lease_ms, 0);
    jobs_end();
}

CASE(jobs_failed_job_holds_up_its_key_until_it_is_dead)
{
    struct keeper keeper = {0};
    uint64_t first, second;

    jobs_make();
    first = add(SPEC("q", .key = "k", .attempts = 2, .backoff_ms = 100));
    second = add(SPEC("q", .key = "k"));
    keeper_start(&keeper, jobs, WORKER("q", .concurrency = 4));
    await_count(&keeper.count, 1);
    expect_status(
        settle(keeper.claims[0],
               OUTCOME(.kind = WEIR_JOBS_OUTCOME_FAILED, .reason = "no")),
        0);
    expect_int(state_of(first), WEIR_JOBS_SCHEDULED);
    expect_int(state_of(second), WEIR_JOBS_BEHIND);
    pass(100);
    await_count(&keeper.count, 2);
    expect_int(weir_jobs_claim_info(keeper.claims[1])->attempt, 2);
    expect_string(weir_jobs_claim_info(keeper.claims[1])->reason, "no");
    expect_status(
        settle(keeper.claims[1],
               OUTCOME(.kind = WEIR_JOBS_OUTCOME_FAILED, .reason = "never")),
        0);
    expect_int(state_of(first), WEIR_JOBS_DEAD);
    expect_string(get(first).why, "never");
    await_count(&keeper.count, 3);
    expect(weir_jobs_claim_info(keeper.claims[2])->id == second);
    expect_status(settle(keeper.claims[2], NULL), 0);
    jobs_end();
}

CASE(jobs_unique_finds_the_unfinished_job)
{
    struct keeper keeper = {0};
    struct answer answer = {0};
    uint64_t id;

    jobs_make();
    id = add(SPEC("q", .unique = "u"));
    expect_status(
        weir_jobs_add(jobs, SPEC("q", .unique = "u"), answered, &answer), 0);
    await(&answer);
    expect(answer.reply.id == id);
    expect(!answer.reply.is_new);
    expect(add(SPEC("other", .unique = "u")) != id);
    keeper_start(&keeper, jobs, WORKER("q"));
    await_count(&keeper.count, 1);
    expect(add(SPEC("q", .unique = "u")) == id); /* it runs */
    expect_status(settle(keeper.claims[0], NULL), 0);
    expect(add(SPEC("q", .unique = "u")) != id);
    await_count(&keeper.count, 2);
    expect_status(settle(keeper.claims[1], NULL), 0);
    jobs_end();
}

CASE(jobs_job_runs_after_those_that_it_needs)
{
    struct keeper keeper = {0};
    uint64_t ids[3], needs[2];

    jobs_make();
    needs[0] = ids[0] = add(SPEC("q"));
    needs[1] = ids[1] = add(SPEC("q"));
    ids[2] = add(SPEC("q", .after = needs, .after_count = 2, .priority = 9));
    expect_int(state_of(ids[2]), WEIR_JOBS_WAITING);
    keeper_start(&keeper, jobs, WORKER("q"));
    expect_order(&keeper, ids, 3);
    /* Those that are done and removed count as done. */
    ids[0] = add(SPEC("q", .after = needs, .after_count = 2));
    await_count(&keeper.count, 4);
    expect_status(settle(keeper.claims[3], NULL), 0);
    jobs_end();
}

CASE(jobs_after_a_job_that_was_never_added_is_refused)
{
    const uint64_t none[] = {12345, UINT64_MAX};

    jobs_make();
    for (int i = 0; i < 2; i++) {
        struct answer answer = {0};

        expect_status(
            weir_jobs_add(jobs, SPEC("q", .after = &none[i], .after_count = 1),
                          answered, &answer),
            0);
        await(&answer);
        expect_status(answer.status, -ENOENT);
        expect(strstr(answer.reason, "never added") != NULL);
    }
    jobs_end();
}

/* ---- failing ---- */

CASE(jobs_failed_job_is_tried_again_after_its_backoff)
{
    struct keeper keeper = {0};
    struct answer answer;
    uint64_t id;

    jobs_make();
    id = add(SPEC("q", .attempts = 5, .backoff_ms = 1000));
    keeper_start(&keeper, jobs, WORKER("q"));
    for (unsigned i = 0; i < 4; i++) {
        int64_t most_ms = 1000 << i, wait_ms;

        await_count(&keeper.count, i + 1);
        answer = get(id);
        wait_ms = -answer.job.run_at_ms;
        expect_status(
            settle(keeper.claims[i], OUTCOME(.kind = WEIR_JOBS_OUTCOME_FAILED)),
            0);
        answer = get(id);
        expect_int(answer.job.state, WEIR_JOBS_SCHEDULED);
        expect_int(answer.job.attempt, (int)i + 1);
        (void)wait_ms;
        pass(most_ms / 2 - 1);
        expect_int(keeper.count, (int)i + 1); /* at least a half */
        pass(most_ms / 2 + 1);                /* at most all of it */
    }
    await_count(&keeper.count, 5);
    expect_status(
        settle(keeper.claims[4], OUTCOME(.kind = WEIR_JOBS_OUTCOME_FAILED)), 0);
    expect_int(state_of(id), WEIR_JOBS_DEAD);
    jobs_end();
}

CASE(jobs_final_failure_and_delay_of_a_failure_are_respected)
{
    struct keeper keeper = {0};
    uint64_t a, b;

    jobs_make();
    a = add(SPEC("q"));
    b = add(SPEC("q"));
    keeper_start(&keeper, jobs, WORKER("q", .concurrency = 2));
    await_count(&keeper.count, 2);
    expect_status(
        settle(keeper.claims[0],
               OUTCOME(.kind = WEIR_JOBS_OUTCOME_FAILED, .is_final = true)),
        0);
    expect_int(state_of(a), WEIR_JOBS_DEAD);
    expect_status(
        settle(keeper.claims[1],
               OUTCOME(.kind = WEIR_JOBS_OUTCOME_FAILED, .delay_ms = 77)),
        0);
    expect_int(state_of(b), WEIR_JOBS_SCHEDULED);
    pass(76);
    expect_int(keeper.count, 2);
    pass(1);
    await_count(&keeper.count, 3);
    expect_status(settle(keeper.claims[2], NULL), 0);
    jobs_end();
}

CASE(jobs_dead_job_can_be_retried_alone_or_with_its_queue)
{
    struct keeper keeper = {0};
    struct answer answer = {0}, all = {0};
    uint64_t ids[3];

    jobs_make();
    for (int i = 0; i < 3; i++)
        ids[i] = add(SPEC("q", .attempts = 1));
    keeper_start(&keeper, jobs, WORKER("q", .concurrency = 3));
    await_count(&keeper.count, 3);
    for (int i = 0; i < 3; i++)
        expect_status(
            settle(keeper.claims[i], OUTCOME(.kind = WEIR_JOBS_OUTCOME_FAILED)),
            0);
    expect_int((int)look().queues[0].jobs[WEIR_JOBS_DEAD], 3);
    expect_status(weir_jobs_retry(jobs, ids[1], NULL, answered, &answer), 0);
    await(&answer);
    expect_status(answer.status, 0);
    await_count(&keeper.count, 4);
    expect_int(weir_jobs_claim_info(keeper.claims[3])->attempt, 1);
    expect_status(settle(keeper.claims[3], NULL), 0);
    expect_status(weir_jobs_retry(jobs, 0, "q", answered, &all), 0);
    await(&all);
    expect_int((int)all.reply.count, 2);
    await_count(&keeper.count, 6);
    expect_status(settle(keeper.claims[4], NULL), 0);
    expect_status(settle(keeper.claims[5], NULL), 0);
    jobs_end();
}

CASE(jobs_settled_elsewhere_must_be_true)
{
    struct keeper keeper = {0};
    weir_jobs_outcome *elsewhere = OUTCOME(.kind = WEIR_JOBS_OUTCOME_ELSEWHERE);
    uint64_t id;

    jobs_make();
    id = add(SPEC("q"));
    keeper_start(&keeper, jobs, WORKER("q"));
    await_count(&keeper.count, 1);
    expect_status(settle(keeper.claims[0], elsewhere), WEIR_ESTORE);
    expect_int(state_of(id), WEIR_JOBS_SCHEDULED);
    pass(1000);
    await_count(&keeper.count, 2);
    expect_int(weir_jobs_claim_info(keeper.claims[1])->attempt, 2);
    if (is_on_server()) {
        expect_int(system("psql -qX \"$WEIR_TEST_STORE\" -c 'SELECT "
                          "weir_jobs.complete(id, token) FROM weir_jobs.job' "
                          ">/dev/null"),
                   0);
        expect_status(settle(keeper.claims[1], elsewhere), 0);
        expect_status(get(id).status, -ENOENT);
    } else {
        expect_status(settle(keeper.claims[1], NULL), 0);
    }
    jobs_end();
}

CASE(jobs_retry_of_a_job_that_is_not_dead_is_refused)
{
    struct answer answer = {0};

    jobs_make();
    expect_status(
        weir_jobs_retry(jobs, add(SPEC("q")), NULL, answered, &answer), 0);
    await(&answer);
    expect_status(answer.status, -ENOENT);
    jobs_end();
}

static void raise_now(void *arg, weir_jobs_claim *claim)
{
    ++*(unsigned *)arg;
    weir_raise(-EIO, "on purpose");
}

static void ignore_uncaught(void *arg, weir_loop *in, const weir_uncaught *what)
{
}

CASE(jobs_handler_that_raises_has_failed)
{
    weir_jobs_worker *worker;
    unsigned count = 0;
    uint64_t id;

    place_make();
    loop_make(LOOP_OPTIONS(.on_uncaught = ignore_uncaught));
    expect_status(weir_jobs_open(&jobs, loop, store_path(), NULL), 0);
    id = add(SPEC("q", .attempts = 1));
    expect_status(weir_jobs_work(jobs, &worker,
                                 WORKER("q", .run = raise_now, .arg = &count)),
                  0);
    await_count(&count, 1);
    while (state_of(id) != WEIR_JOBS_DEAD)
        ;
    expect(strstr(get(id).why, "weir_raise") != NULL);
    jobs_end();
}

/* ---- queues ---- */

CASE(jobs_concurrency_of_a_queue_holds_for_all_handles)
{
    struct keeper one = {0}, two = {0};
    struct answer answer = {0};
    weir_jobs *other;

    jobs_make();
    other = jobs_open("other");
    expect_status(
        weir_jobs_limit(jobs, "q", LIMITS(.concurrency = 3), answered, &answer),
        0);
    await(&answer);
    for (int i = 0; i < 8; i++)
        (void)add(SPEC("q"));
    keeper_start(&one, jobs, WORKER("q", .concurrency = 2));
    await_count(&one.count, 2);
    keeper_start(&two, other, WORKER("q", .concurrency = 8));
    await_count(&two.count, 1);
    expect_int((int)look().queues[0].jobs[WEIR_JOBS_RUNNING], 3);
    expect_status(settle(one.claims[0], NULL), 0);
    /* Who claims it is open; three run in any case. */
    while (one.count + two.count < 4)
        expect(weir_loop_step(loop, SECOND_NS) >= 0);
    expect_int((int)look().queues[0].jobs[WEIR_JOBS_RUNNING], 3);
    jobs_close(other);
    jobs_end();
}

CASE(jobs_rate_of_a_queue_is_never_exceeded)
{
    struct keeper keeper = {.is_settling = true};
    struct answer answer = {0};

    jobs_make();
    expect_status(weir_jobs_limit(jobs, "q",
                                  LIMITS(.rate = 5, .rate_period_ms = 1000),
                                  answered, &answer),
                  0);
    await(&answer);
    for (int i = 0; i < 20; i++)
        (void)add(SPEC("q"));
    keeper_start(&keeper, jobs, WORKER("q", .concurrency = 20));
    await_count(&keeper.count, 1);
    for (int step = 1; step < 19; step++) {
        pass(199);
        expect_int(keeper.count, step);
        pass(2); /* times are rounded up to a millisecond */
        await_count(&keeper.count, (unsigned)step + 1);
    }
    jobs_end();
}

CASE(jobs_rate_of_a_key_is_never_exceeded)
{
    struct keeper keeper = {.is_settling = true};
    struct answer answer = {0}, lifted = {0};
    uint64_t ids[6];

    jobs_make();
    expect_status(weir_jobs_limit(jobs, "q",
                                  LIMITS(.key_concurrency = 3, .key_rate = 2,
                                         .key_rate_period_ms = 1000),
                                  answered, &answer),
                  0);
    await(&answer);
    expect_int((int)look().queues[0].key_rate, 2);
    expect_int((int)look().queues[0].key_rate_period_ms, 1000);
    for (int i = 0; i < 6; i++)
        ids[i] = add(SPEC("q", .key = "k", .keep_ms = -1));
    (void)add(SPEC("q", .key = "other"));
    (void)add(SPEC("q"));
    keeper_start(&keeper, jobs, WORKER("q", .concurrency = 20));
    await_count(&keeper.ended, 3); /* one of each key, and one without */
    expect_int(state_of(ids[0]), WEIR_JOBS_DONE);
    expect_int(state_of(ids[1]), WEIR_JOBS_BEHIND);
    for (int i = 1; i < 4; i++) {
        pass(499);
        (void)look();
        expect_int(keeper.count, 2 + i);
        pass(2); /* times are rounded up to a millisecond */
        await_count(&keeper.ended, 3 + (unsigned)i);
        expect_int(state_of(ids[i]), WEIR_JOBS_DONE);
    }
    expect_int(state_of(ids[4]), WEIR_JOBS_BEHIND);
    expect_status(
        weir_jobs_limit(jobs, "q", LIMITS(.key_rate = 0), answered, &lifted),
        0);
    await_count(&keeper.ended, 8);
    jobs_end();
}

CASE(jobs_that_fail_or_are_given_back_count_for_the_rate_of_their_key)
{
    struct keeper keeper = {0};
    struct answer answer = {0};

    jobs_make();
    expect_status(
        weir_jobs_limit(jobs, "q", LIMITS(.key_rate = 1), answered, &answer),
        0);
    await(&answer);
    (void)add(SPEC("q", .key = "k", .backoff_ms = 1));
    keeper_start(&keeper, jobs, WORKER("q", .concurrency = 4));
    await_count(&keeper.count, 1);
    expect_status(
        settle(keeper.claims[0], OUTCOME(.kind = WEIR_JOBS_OUTCOME_FAILED)), 0);
    pass(990);
    (void)look();
    expect_int(keeper.count, 1);
    pass(11);
    await_count(&keeper.count, 2);
    expect_status(
        settle(keeper.claims[1], OUTCOME(.kind = WEIR_JOBS_OUTCOME_RELEASED)),
        0);
    (void)look();
    expect_int(keeper.count, 2);
    pass(1001);
    await_count(&keeper.count, 3);
    jobs_end();
}

CASE(jobs_paused_queue_is_not_claimed_until_it_goes_on)
{
    struct keeper keeper = {.is_settling = true};
    struct answer answer = {0}, again = {0};

    jobs_make();
    expect_status(weir_jobs_pause(jobs, "q", true, answered, &answer), 0);
    await(&answer);
    keeper_start(&keeper, jobs, WORKER("q"));
    (void)add(SPEC("q"));
    (void)look();
    expect_int(keeper.count, 0);
    expect(look().queues[0].is_paused);
    expect_status(weir_jobs_pause(jobs, "q", false, answered, &again), 0);
    await_count(&keeper.ended, 1);
    jobs_end();
}

CASE(jobs_look_counts_the_jobs_of_each_queue)
{
    struct answer answer;

    jobs_make();
    (void)add(SPEC("b"));
    (void)add(SPEC("a", .delay_ms = 5));
    (void)add(SPEC("b", .key = "k"));
    (void)add(SPEC("b", .key = "k"));
    answer = look();
    expect_int((int)answer.reply.count, 2);
    expect_string(answer.queues[0].name, "a");
    expect_string(answer.queues[1].name, "b");
    expect_int((int)answer.queues[0].jobs[WEIR_JOBS_SCHEDULED], 1);
    expect_int((int)answer.queues[1].jobs[WEIR_JOBS_READY], 2);
    expect_int((int)answer.queues[1].jobs[WEIR_JOBS_BEHIND], 1);
    expect(answer.queues[1].oldest_ms > 0);
    jobs_end();
}

/* ---- cancelling and progress ---- */

CASE(jobs_cancel_of_a_waiting_job_cancels_those_that_need_it)
{
    struct answer answer = {0};
    uint64_t a, b, c;

    jobs_make();
    a = add(SPEC("q"));
    b = add(SPEC("q", .after = &a, .after_count = 1));
    c = add(SPEC("q", .after = &b, .after_count = 1));
    expect_status(weir_jobs_cancel(jobs, a, answered, &answer), 0);
    await(&answer);
    expect_status(answer.status, 0);
    expect_int(state_of(a), WEIR_JOBS_CANCELLED);
    expect_int(state_of(b), WEIR_JOBS_CANCELLED);
    expect_int(state_of(c), WEIR_JOBS_CANCELLED);
    jobs_end();
}

static void ignore_event(void *arg, weir_jobs *in, const weir_jobs_event *event)
{
    ++*(unsigned *)arg;
}

CASE(jobs_cancel_of_a_running_job_raises_its_abort_and_refuses_it)
{
    struct keeper keeper = {0};
    struct answer answer = {0};
    unsigned events = 0;
    uint64_t id;

    jobs_make_with(&(weir_jobs_options){.size = sizeof(weir_jobs_options),
                                        .arg = &events,
                                        .on_event = ignore_event});
    id = add(SPEC("q"));
    keeper_start(&keeper, jobs, WORKER("q"));
    await_count(&keeper.count, 1);
    expect_status(weir_jobs_cancel(jobs, id, answered, &answer), 0);
    await(&answer);
    await_count(&events, 1);
    expect_status(weir_abort_reason(weir_jobs_claim_abort(keeper.claims[0])),
                  WEIR_ECANCELED);
    expect_status(settle(keeper.claims[0], NULL), WEIR_ELEASE);
    expect_int(state_of(id), WEIR_JOBS_CANCELLED);
    jobs_end();
}

CASE(jobs_cancel_of_a_finished_job_is_refused)
{
    struct answer answer = {0};

    jobs_make();
    expect_status(weir_jobs_cancel(jobs, 7, answered, &answer), 0);
    await(&answer);
    expect_status(answer.status, -ENOENT);
    jobs_end();
}

CASE(jobs_progress_can_be_read)
{
    struct keeper keeper = {0};
    struct answer answer = {0};
    uint64_t id;

    jobs_make();
    id = add(SPEC("q"));
    keeper_start(&keeper, jobs, WORKER("q"));
    await_count(&keeper.count, 1);
    expect_status(weir_jobs_progress(keeper.claims[0], 0.25, answered, &answer),
                  0);
    await(&answer);
    expect(get(id).job.progress == 0.25);
    expect_status(settle(keeper.claims[0], NULL), 0);
    jobs_end();
}

/* ---- several handles, and the end ---- */

CASE(jobs_handles_that_make_a_store_at_once_all_open_it)
{
    enum { HANDLES = 6 };
    struct answer answers[HANDLES] = {0};
    weir_jobs *handles[HANDLES];

    place_make();
    loop_make(NULL);
    for (int i = 0; i < HANDLES; i++) {
        expect_status(weir_jobs_open(&handles[i], loop, store_path(), NULL), 0);
        expect_status(
            weir_jobs_add(handles[i], SPEC("q"), answered, &answers[i]), 0);
    }
    for (int i = 0; i < HANDLES; i++) {
        await(&answers[i]);
        expect_status(answers[i].status, 0);
    }
    for (int i = 0; i < HANDLES; i++)
        weir_jobs_free(handles[i]);
    loop_end();
    place_remove();
}

CASE(jobs_handler_does_not_begin_after_close)
{
    struct keeper keeper = {0};
    struct answer closed = {0};

    jobs_make();
    for (int i = 0; i < 8; i++)
        (void)add(SPEC("q"));
    keeper_start(&keeper, jobs, WORKER("q", .prefetch = 7));
    await_count(&keeper.count, 1);
    expect_status(weir_jobs_settle(keeper.claims[0], NULL, NULL, NULL), 0);
    expect_status(weir_jobs_close(jobs, answered, &closed), 0);
    await(&closed);
    expect_int(keeper.count, 1);
    weir_jobs_free(jobs);
    loop_end();
    place_remove();
}

CASE(jobs_worker_can_be_stopped_after_close)
{
    struct keeper keeper = {0};
    struct answer closed = {0};

    jobs_make();
    keeper_start(&keeper, jobs, WORKER("q"));
    (void)look();
    expect_status(weir_jobs_add(jobs, SPEC("q"), NULL, NULL), 0);
    expect_status(weir_jobs_close(jobs, answered, &closed), 0);
    weir_jobs_worker_stop(
        keeper.worker); /* the dispatcher has not heard of either */
    await(&closed);
    expect_status(closed.status, 0);
    weir_jobs_free(jobs);
    loop_run(); /* nothing keeps it running */
    loop_end();
    place_remove();
}

static void free_it(void *arg, int status, const weir_jobs_reply *reply)
{
    ++*(unsigned *)arg;
    weir_jobs_free(jobs);
}

static void count_cancelled(void *arg, int status, const weir_jobs_reply *reply)
{
    expect(status == WEIR_ECANCELED || status == 0);
    ++*(unsigned *)arg;
}

CASE(jobs_free_before_the_callback_of_close_that_frees_is_safe)
{
    unsigned freed = 0;

    jobs_make();
    expect_status(weir_jobs_close(jobs, free_it, &freed), 0);
    weir_jobs_free(jobs);
    expect_int(freed, 1);
    loop_run(); /* nothing keeps it running */
    loop_end();
    place_remove();
}

CASE(jobs_free_in_a_callback_calls_all_others)
{
    unsigned freed = 0, others = 0;

    jobs_make();
    expect_status(weir_jobs_add(jobs, SPEC("q"), free_it, &freed), 0);
    for (int i = 0; i < 20; i++)
        expect_status(weir_jobs_add(jobs, SPEC("q"), count_cancelled, &others),
                      0);
    await_count(&freed, 1);
    expect_int(others, 20);
    loop_run(); /* nothing keeps it running */
    loop_end();
    place_remove();
}
