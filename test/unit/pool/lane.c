/* SPDX-License-Identifier: MIT */
/*
 * lane -- jobs of one kind, so many at once; the others are not held up.
 */
#include <string.h>

#include "pool/pool.h"
#include "support/pool_fixture.h"

static weir_lane *lane;

static void lane_make(uint32_t limit)
{
    expect_status(weir_lane_new(&lane, pool, "lookup", limit), 0);
}

/* covers: weir_lane_new -EINVAL */
CASE(lane_new_refuses_what_makes_no_sense)
{
    pool_make(.workers = 1);
    expect_status(weir_lane_new(NULL, pool, "a", 1), -EINVAL);
    expect_status(weir_lane_new(&lane, NULL, "a", 1), -EINVAL);
    expect_status(weir_lane_new(&lane, pool, "a", 0), -EINVAL);
    pool_end();
}

/* As workers do with the jobs that they take. */
CASE(lane_has_as_many_slots_as_its_limit)
{
    weir_job job[4];

    pool_make(.workers = 1);
    lane_make(2);
    for (int round = 0; round < 2; round++) {
        memset(job, 0, sizeof(job));
        expect(weir__lane_enter(lane, &job[0]));
        expect(weir__lane_enter(lane, &job[1]));
        expect(!weir__lane_enter(lane, &job[2]));
        expect(!weir__lane_enter(lane, &job[3]));
        expect_int(load_relaxed(&lane->waiting), 2);
        expect(weir__lane_exit(lane) == &job[2]);
        expect(weir__lane_exit(lane) == &job[3]);
        expect_int(job[2].state_ & WEIR__JOB_HAS_SLOT, WEIR__JOB_HAS_SLOT);
        expect_int(load_relaxed(&lane->waiting), 0);
        expect_int(lane->running, 2);
        expect(weir__lane_exit(lane) == NULL);
        expect(weir__lane_exit(lane) == NULL);
        expect_int(lane->running, 0);
    }
    pool_end();
}

static int how_many_have_begun(struct stopper *stoppers, int count)
{
    int begun = 0, value;

    for (int i = 0; i < count; i++) {
        expect_int(sem_getvalue(&stoppers[i].begun, &value), 0);
        begun += value;
    }
    return begun;
}

CASE(lane_report_says_what_runs_and_what_waits)
{
    struct {
        weir_lane_stats known;
        uint64_t more; /* of a later version */
    } rows[2];
    weir_job job[3] = {{0}};
    weir_lane *other;

    pool_make(.workers = 1);
    expect_int(weir_pool_lanes(NULL, NULL, 0, 0), 0);
    expect_int(weir_pool_lanes(pool, NULL, 0, 0), 0);
    lane_make(2);
    expect_status(weir_lane_new(&other, pool, "read", 7), 0);
    for (int i = 0; i < 3; i++)
        (void)weir__lane_enter(lane, &job[i]);
    memset(rows, 0xff, sizeof(rows));
    expect_int(weir_pool_lanes(pool, &rows[0].known, 1, sizeof(rows[0])), 2);
    expect(strcmp(rows[0].known.name, "read") == 0);
    expect(rows[0].known.limit == 7 && rows[0].more == 0);
    expect_int(rows[1].known.limit, UINT32_MAX); /* not written */
    expect_int(weir_pool_lanes(pool, &rows[0].known, 2, sizeof(rows[0])), 2);
    expect(strcmp(rows[1].known.name, "lookup") == 0);
    expect_int(rows[1].known.running, 2);
    expect_int(rows[1].known.waiting, 1);
    expect_int(weir_pool_lanes(pool, &rows[0].known, 2, 1), 2);
    for (int i = 0; i < 3; i++)
        (void)weir__lane_exit(lane);
    pool_end();
}

/* Four stuck jobs of one kind do not delay another. */
CASE(lane_of_stuck_jobs_leaves_a_worker_to_the_others)
{
    struct stopper stuck[4], other;
    weir_pool_stats stats;

    pool_make(.workers = 4);
    lane_make(3);
    for (int i = 0; i < 4; i++) {
        stopper_init(&stuck[i], "look-up");
        stuck[i].job.lane = lane;
        expect_status(weir_pool_post(pool, &stuck[i].job), 0);
    }
    await(how_many_have_begun(stuck, 4) == 3); /* any three: who steals, when */
    stopper_post(&other, "read");              /* returns when it has begun */
    await((stats = pool_stats()).queued == 1);
    stopper_release(&other);
    for (int i = 0; i < 4; i++)
        stopper_release(&stuck[i]);
    pool_end();
    for (int i = 0; i < 4; i++)
        expect_status(stuck[i].status, 0);
}

/* ---- the limit ---- */

enum { MANY = 3000 };

static uint32_t inside, most; /* atomic */

static void be_inside(void *arg, int status)
{
    uint32_t now = __atomic_add_fetch(&inside, 1, __ATOMIC_RELAXED);
    uint32_t seen = __atomic_load_n(&most, __ATOMIC_RELAXED);

    expect_status(status, 0);
    while (seen < now &&
           !__atomic_compare_exchange_n(&most, &seen, now, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    sched_yield();
    __atomic_sub_fetch(&inside, 1, __ATOMIC_RELAXED);
}

CASE(lane_never_runs_more_than_its_limit)
{
    pool_make(.workers = 6);
    lane_make(2);
    for (int i = 0; i < MANY; i++)
        expect_status(weir_pool_submit(pool, be_inside, NULL,
                                       SUBMIT_OPTIONS(.lane = lane)),
                      0);
    expect_status(weir_pool_shutdown(pool, -1), 0);
    expect(most >= 1 && most <= 2);
    expect_int(pool_stats().ran, MANY);
    expect_status(weir_pool_free(pool), 0);
}

CASE(lane_jobs_begin_in_their_order)
{
    static struct letter letters[5];
    struct stopper stopper;

    pool_make(.workers = 2);
    lane_make(1);
    stopper_init(&stopper, NULL);
    stopper.job.lane = lane;
    expect_status(weir_pool_post(pool, &stopper.job), 0);
    wait_for(&stopper.begun);
    for (int i = 0; i < 5; i++) {
        letter(&letters[i], (char)('a' + i), 0)->lane = lane;
        expect_status(weir_pool_post(pool, &letters[i].job), 0);
        await(load_relaxed(&lane->waiting) == (uint64_t)i + 1);
    }
    stopper_release(&stopper);
    pool_end();
    expect_recorded("abcde");
}

CASE(lane_close_cancels_those_that_wait_while_one_is_stuck)
{
    static struct letter letters[3];
    struct stopper stopper;

    pool_make(.workers = 2);
    lane_make(1);
    stopper_init(&stopper, NULL);
    stopper.job.lane = lane;
    expect_status(weir_pool_post(pool, &stopper.job), 0);
    wait_for(&stopper.begun);
    for (int i = 0; i < 3; i++) {
        letter(&letters[i], 'a', 0)->lane = lane;
        expect_status(weir_pool_post(pool, &letters[i].job), 0);
    }
    await(pool_stats().queued == 3);
    expect_status(weir_pool_close(pool, 0), -ETIMEDOUT);
    await(pool_stats().cancelled == 3); /* without waiting for the stuck one */
    stopper_release(&stopper);
    expect_status(weir_pool_close(pool, -1), 0);
    expect_recorded("a!a!a!");
    expect_status(weir_pool_free(pool), 0);
}

CASE(lane_is_named_by_the_report)
{
    struct stopper stopper;
    weir_holder holder[3];

    pool_make(.workers = 1);
    lane_make(1);
    stopper_init(&stopper, NULL);
    stopper.job.lane = lane;
    expect_status(weir_pool_post(pool, &stopper.job), 0);
    wait_for(&stopper.begun);
    expect_int(weir_pool_report(pool, holder, 3, sizeof(weir_holder)), 1);
    expect_string(holder[0].name, "lookup"); /* for want of its own */
    stopper_release(&stopper);
    pool_end();
}
