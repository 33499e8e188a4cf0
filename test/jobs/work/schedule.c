/* SPDX-License-Identifier: MIT */
/*
 * schedule -- runs are added once each, on time, or made up for.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobs/support/jobs_fixture.h"
#include "os/clock.h"
#include "weir/clock.h"
#include "work/jobs.h"

enum { MINUTE_MS = 60000, HOUR_MS = 60 * MINUTE_MS };

#define SCHEDULE(name_, cron_, ...)                                            \
    (&(weir_jobs_schedule_spec){.size = sizeof(weir_jobs_schedule_spec),       \
                                .name = name_,                                 \
                                .cron = cron_,                                 \
                                __VA_ARGS__})

static struct answer schedule(const weir_jobs_schedule_spec *spec)
{
    struct answer answer = {0};

    expect_status(weir_jobs_schedule(jobs, spec, answered, &answer), 0);
    await(&answer);
    return answer;
}

struct plans {
    bool is_here;
    uint64_t count;
    char text[200];
};

static void note_plans(void *arg, int status, const weir_jobs_reply *reply)
{
    struct plans *to = arg;

    expect_status(status, 0);
    to->is_here = true;
    for (const weir_jobs_plan *plan = reply->plans; plan != NULL;
         plan = plan->next) {
        size_t length = strlen(to->text);

        snprintf(to->text + length, sizeof(to->text) - length, "%s %s %s %s;",
                 plan->queue, plan->name, plan->cron, plan->zone);
        expect(plan->next_ms > 0);
        to->count++;
    }
    expect_int(reply->count, to->count);
}

static struct plans plans(void)
{
    struct plans result = {0};

    expect_status(weir_jobs_plans(jobs, note_plans, &result), 0);
    while (!result.is_here)
        (void)look();
    return result;
}

CASE(schedule_adds_a_job_for_each_run)
{
    struct keeper keeper = {.is_settling = true};
    struct answer answer;

    jobs_make();
    keeper_start(&keeper, jobs, WORKER("q"));
    answer = schedule(SCHEDULE("hourly", "0 * * * *", .job = SPEC("q")));
    expect_status(answer.status, 0);
    expect_int((int)(answer.reply.next_ms % HOUR_MS), 0);
    pass(answer.reply.next_ms - weir__clock_date_ms() - 1000);
    expect_int(keeper.count, 0);
    pass(1000);
    await_count(&keeper.ended, 1);
    pass(HOUR_MS);
    await_count(&keeper.ended, 2);
    pass(HOUR_MS);
    await_count(&keeper.ended, 3);
    expect_int(keeper.count, 3);
    jobs_end();
}

static void check_run(void *arg, weir_jobs_claim *claim)
{
    const weir_jobs_info *info = weir_jobs_claim_info(claim);

    expect_int((int)(info->run_at_ms % HOUR_MS), 0);
    expect_int(info->priority, 7);
    expect_string(info->key, "k");
    expect_string(info->unique, "schedule hourly");
    expect_int((int)info->attempts, 3);
    expect_int((int)info->timeout_ms, 5000);
    expect_int((int)info->payload_size, 3);
    expect(memcmp(info->payload, "abc", 3) == 0);
    keep(arg, claim);
}

CASE(schedule_gives_its_runs_what_their_job_says)
{
    struct keeper keeper = {.is_settling = true};
    struct answer answer;

    jobs_make();
    keeper_start(&keeper, jobs, WORKER("q", .run = check_run));
    answer = schedule(SCHEDULE(
        "hourly", "@hourly",
        .job = SPEC("q", .payload = "abc", .payload_size = 3, .key = "k",
                    .priority = 7, .attempts = 3, .timeout_ms = 5000,
                    .unique = "not used", .delay_ms = 99)));
    pass(answer.reply.next_ms - weir__clock_date_ms());
    await_count(&keeper.ended, 1);
    jobs_end();
}

/* Two processes have the schedule, and each has a worker. */
CASE(schedule_that_is_added_twice_runs_once)
{
    struct keeper keepers[2] = {{.is_settling = true}, {.is_settling = true}};
    struct answer answer, again;
    weir_jobs *other;

    jobs_make();
    other = jobs_open("other");
    keeper_start(&keepers[0], jobs, WORKER("q"));
    keeper_start(&keepers[1], other, WORKER("q"));
    answer = schedule(SCHEDULE("one", "0 * * * *", .job = SPEC("q")));
    again = schedule(SCHEDULE("one", "0 * * * *", .job = SPEC("q")));
    expect(answer.reply.next_ms == again.reply.next_ms);
    rest(jobs, other);
    pass(answer.reply.next_ms - weir__clock_date_ms());
    while (keepers[0].ended + keepers[1].ended < 1)
        (void)look();
    rest(jobs, other);
    expect_int(keepers[0].count + keepers[1].count, 1);
    jobs_close(other);
    jobs_end();
}

/* Its thread makes no transactions but those that renew.  Nothing is asked of the
 * handle either: that would be one. */
CASE(schedule_is_run_by_a_worker_that_has_no_room)
{
    struct keeper keeper = {0};
    uint64_t first;

    jobs_make();
    first = add(SPEC("q"));
    keeper_start(&keeper, jobs, WORKER("q", .lease_ms = 3 * HOUR_MS));
    await_count(&keeper.count, 1);
    expect_status(
        schedule(SCHEDULE("often", "* * * * *", .missed = WEIR_JOBS_MISSED_ONE,
                          .job = SPEC("q")))
            .status,
        0);
    expect_int((int)stored_number(first + 1, "state"), -1);
    jump(jobs, HOUR_MS);
    while (stored_number(first + 1, "state") == -1)
        sched_yield();
    expect_int((int)stored_number(first + 1, "state"), WEIR_JOBS_READY);
    expect_status(settle(keeper.claims[0], NULL), 0);
    await_count(&keeper.count, 2);
    expect_status(settle(keeper.claims[1], NULL), 0);
    jobs_end();
}

/* Nobody works for three hours and ten minutes. */
static unsigned runs_after_a_pause(weir_jobs_missed missed, int64_t late_ms)
{
    struct keeper keeper = {.is_settling = true};
    struct answer answer;

    jobs_make();
    answer = schedule(
        SCHEDULE("hourly", "0 * * * *", .missed = missed, .job = SPEC("q")));
    jobs_close(jobs);
    expect_status(
        weir_clock_advance(
            (answer.reply.next_ms - weir__clock_date_ms() + late_ms) * 1000000),
        0);
    jobs = jobs_open("later");
    keeper_start(&keeper, jobs, WORKER("q"));
    (void)look();
    (void)look();
    (void)look();
    keeper.is_settling = true;
    jobs_end();
    return keeper.count;
}

CASE(schedule_leaves_out_runs_that_were_missed)
{
    expect_int(
        runs_after_a_pause(WEIR_JOBS_MISSED_SKIP, 2 * HOUR_MS + 10 * MINUTE_MS),
        0);
}

CASE(schedule_runs_late_by_less_than_five_minutes)
{
    expect_int(runs_after_a_pause(WEIR_JOBS_MISSED_SKIP, 4 * MINUTE_MS), 1);
}

CASE(schedule_makes_up_for_all_missed_runs_by_one)
{
    expect_int(
        runs_after_a_pause(WEIR_JOBS_MISSED_ONE, 2 * HOUR_MS + 10 * MINUTE_MS),
        1);
}

CASE(schedule_waits_for_the_run_before)
{
    struct keeper keeper = {0};
    struct answer answer;

    jobs_make();
    keeper_start(&keeper, jobs,
                 WORKER("q", .concurrency = 4, .lease_ms = 24 * HOUR_MS));
    answer = schedule(SCHEDULE("hourly", "0 * * * *", .job = SPEC("q")));
    pass(answer.reply.next_ms - weir__clock_date_ms());
    await_count(&keeper.count, 1);
    pass(HOUR_MS);
    pass(HOUR_MS);
    expect_int(keeper.count, 1);
    expect_status(settle(keeper.claims[0], NULL), 0);
    pass(HOUR_MS);
    await_count(&keeper.count, 2);
    expect_status(settle(keeper.claims[1], NULL), 0);
    jobs_end();
}

/* The zone Test, in the directory zones of the case. */
static void install_zone(void)
{
    expect_int(
        system("mkdir -p zones && cp /usr/share/zoneinfo/UTC zones/Test"), 0);
}

CASE(schedule_whose_zone_is_lost_runs_once_and_then_not_until_it_is_back)
{
    const weir_jobs_schedule_spec *hourly =
        SCHEDULE("hourly", "@hourly", .zone = "Test", .job = SPEC("q"),
                 .missed = WEIR_JOBS_MISSED_ONE);
    struct keeper keeper = {.is_settling = true};
    int64_t next_ms;

    expect_int(setenv("TZDIR", "/proc/self/cwd/zones", 1), 0);
    jobs_make();
    install_zone();
    keeper_start(&keeper, jobs, WORKER("q"));
    next_ms = schedule(hourly).reply.next_ms;
    expect_int(unlink("zones/Test"), 0);
    pass(next_ms - weir__clock_date_ms()); /* planned while there was a zone */
    await_count(&keeper.ended, 1);
    for (int i = 0; i < 3; i++)
        pass(HOUR_MS + 1000);
    expect_int(keeper.count, 1);
    install_zone();
    pass(HOUR_MS + 1000); /* looks again, and plans */
    expect_int(keeper.count, 1);
    pass(HOUR_MS);
    await_count(&keeper.ended, 2);
    jobs_end();
}

CASE(schedule_that_is_added_again_with_its_zone_does_not_wait_for_a_look)
{
    const weir_jobs_schedule_spec *daily =
        SCHEDULE("daily", "@daily", .zone = "Test", .job = SPEC("q"),
                 .missed = WEIR_JOBS_MISSED_ONE);
    struct keeper keeper = {.is_settling = true};
    int64_t next_ms;

    expect_int(setenv("TZDIR", "/proc/self/cwd/zones", 1), 0);
    jobs_make();
    install_zone();
    keeper_start(&keeper, jobs, WORKER("q"));
    next_ms = schedule(daily).reply.next_ms;
    expect_int(unlink("zones/Test"), 0);
    pass(next_ms - weir__clock_date_ms());
    await_count(&keeper.ended, 1);
    install_zone();
    expect(schedule(daily).reply.next_ms == next_ms + 24 * HOUR_MS);
    jobs_end();
}

CASE(schedule_is_changed_listed_and_removed)
{
    struct answer answer = {0}, missing = {0};
    int64_t first_ms;

    jobs_make();
    first_ms =
        schedule(SCHEDULE("a", "0 * * * *", .job = SPEC("q"))).reply.next_ms;
    expect(schedule(SCHEDULE("a", "0 3 29 2 *", .zone = "Europe/Berlin",
                             .job = SPEC("q")))
               .reply.next_ms > first_ms);
    (void)schedule(SCHEDULE("b", "@daily", .job = SPEC("q")));
    expect_string(plans().text, "q a 0 3 29 2 * Europe/Berlin;q b @daily UTC;");
    expect_status(weir_jobs_unschedule(jobs, "q", "a", answered, &answer), 0);
    await(&answer);
    expect_status(answer.status, 0);
    expect_status(weir_jobs_unschedule(jobs, "q", "a", answered, &missing), 0);
    await(&missing);
    expect_status(missing.status, -ENOENT);
    expect_int((int)plans().count, 1);
    jobs_end();
}

CASE(schedule_that_is_not_valid_is_refused_with_a_reason)
{
    struct answer answer;

    jobs_make();
    answer = schedule(SCHEDULE("a", "61 * * * *", .job = SPEC("q")));
    expect_status(answer.status, -EINVAL);
    expect_string(answer.reason, "cron: the minute: 61 is not from 0 to 59");
    answer = schedule(
        SCHEDULE("a", "* * * * *", .zone = "Nowhere/At_All", .job = SPEC("q")));
    expect_status(answer.status, -EINVAL);
    expect_string(answer.reason, "the time zone Nowhere/At_All: there is none");
    answer = schedule(SCHEDULE("a", "0 0 30 2 *", .job = SPEC("q")));
    expect_status(answer.status, -EINVAL);
    expect_string(answer.reason, "cron: there is no such date");
    expect_int((int)plans().count, 0);
    jobs_end();
}
