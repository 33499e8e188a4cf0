/* SPDX-License-Identifier: MIT */
/*
 * abort -- raised once; listeners told once; jobs that have not begun never do.
 */
#include "weir/abort.h"

#include <stdlib.h>

#include "support/pool_fixture.h"

static weir_abort *signal_, *other;

struct ear {
    weir_abort_listener listener;
    int reason, calls;
};

static void hear(weir_abort_listener *listener, int reason)
{
    struct ear *ear = (struct ear *)listener;

    ear->reason = reason;
    ear->calls++;
}

static struct ear *ear_init(struct ear *ear)
{
    *ear = (struct ear){.listener.run = hear};
    return ear;
}

static void listen_to(weir_abort *abort, struct ear *ear)
{
    expect_status(weir_abort_listen(abort, &ear_init(ear)->listener), 0);
}

static void begin(void)
{
    expect_status(weir_abort_new(&signal_), 0);
    expect_status(weir_abort_new(&other), 0);
}

static void end(void)
{
    weir_abort_unref(signal_);
    weir_abort_unref(other);
}

/* covers: weir_abort_raise -EALREADY */
CASE(abort_is_raised_once_by_the_first)
{
    begin();
    expect_int(weir_abort_reason(signal_), 0);
    expect_status(weir_abort_raise(signal_, -ETIMEDOUT), 0);
    expect_int(weir_abort_reason(signal_), -ETIMEDOUT);
    expect_status(weir_abort_raise(signal_, -EIO), -EALREADY);
    expect_int(weir_abort_reason(signal_), -ETIMEDOUT);
    end();
}

CASE(abort_tells_each_listener_once_in_order)
{
    struct ear ears[3];

    begin();
    for (int i = 0; i < 3; i++)
        listen_to(signal_, &ears[i]);
    expect_status(weir_abort_raise(signal_, -EIO), 0);
    expect_status(weir_abort_raise(signal_, -EIO), -EALREADY);
    for (int i = 0; i < 3; i++) {
        expect_int(ears[i].calls, 1);
        expect_int(ears[i].reason, -EIO);
    }
    end();
}

CASE(abort_that_was_raised_tells_at_once)
{
    struct ear ear;

    begin();
    expect_status(weir_abort_raise(signal_, 7), 0);
    listen_to(signal_, &ear);
    expect_int(ear.calls, 1);
    expect_int(ear.reason, 7);
    expect_int(weir_abort_remove(signal_, &ear.listener), -ENOENT);
    end();
}

/* covers: weir_abort_remove -ENOENT */
CASE(abort_remove_has_one_winner)
{
    struct ear ears[4];

    begin();
    for (int i = 0; i < 4; i++)
        listen_to(signal_, &ears[i]);
    expect_status(weir_abort_remove(signal_, &ears[0].listener), 0);
    expect_status(weir_abort_remove(signal_, &ears[2].listener), 0);
    expect_status(weir_abort_remove(signal_, &ears[3].listener), 0);
    expect_status(weir_abort_remove(signal_, &ears[2].listener), -ENOENT);
    listen_to(signal_, &ears[3]);
    expect_status(weir_abort_raise(signal_, 1), 0);
    expect_int(ears[0].calls + ears[2].calls, 0);
    expect_int(ears[1].calls + ears[3].calls, 2);
    expect_status(weir_abort_remove(signal_, &ears[1].listener), -ENOENT);
    end();
}

/* A listener may do anything, also to the abort. */
struct meddler {
    weir_abort_listener listener;
    struct ear *victim;
};

static void meddle(weir_abort_listener *listener, int reason)
{
    struct meddler *self = (struct meddler *)listener;

    expect_status(weir_abort_raise(signal_, reason), -EALREADY);
    expect_status(weir_abort_remove(signal_, &self->victim->listener), 0);
    weir_abort_unref(signal_);
}

CASE(abort_listener_may_remove_others_and_let_go)
{
    struct ear ear;
    struct meddler meddler = {{.run = meddle}, &ear};

    begin();
    weir_abort_ref(signal_);
    expect_status(weir_abort_listen(signal_, &meddler.listener), 0);
    listen_to(signal_, &ear);
    expect_status(weir_abort_raise(signal_, 1), 0);
    expect_int(ear.calls, 0);
    end();
}

CASE(abort_that_goes_tells_nobody)
{
    struct ear ear;

    begin();
    listen_to(signal_, &ear);
    end();
    expect_int(ear.calls, 0);
}

/* ---- any of ---- */

CASE(abort_any_is_raised_by_the_first_source)
{
    weir_abort *any;
    struct ear ear;

    begin();
    expect_status(weir_abort_any(&any, (weir_abort *[]){signal_, other}, 2), 0);
    listen_to(any, &ear);
    expect_int(weir_abort_reason(any), 0);
    expect_status(weir_abort_raise(other, -EIO), 0);
    expect_int(weir_abort_reason(any), -EIO);
    expect_status(weir_abort_raise(signal_, -EPIPE), 0);
    expect_int(weir_abort_reason(any), -EIO);
    expect_int(ear.calls, 1);
    weir_abort_unref(any);
    end();
}

CASE(abort_any_of_a_raised_one_is_raised)
{
    weir_abort *any;

    begin();
    expect_status(weir_abort_raise(other, -EIO), 0);
    expect_status(weir_abort_any(&any, (weir_abort *[]){signal_, other}, 2), 0);
    expect_int(weir_abort_reason(any), -EIO);
    weir_abort_unref(any);
    end();
}

CASE(abort_any_may_go_before_and_after_its_sources)
{
    weir_abort *any, *any_of_any;

    begin();
    expect_status(weir_abort_any(&any, (weir_abort *[]){signal_, other}, 2), 0);
    weir_abort_unref(any);
    expect_status(weir_abort_raise(other, 1), 0); /* tells nobody */
    expect_status(weir_abort_any(&any, (weir_abort *[]){signal_, signal_}, 2),
                  0);
    expect_status(weir_abort_any(&any_of_any, &any, 1), 0);
    weir_abort_unref(any);
    expect_status(weir_abort_raise(signal_, 2), 0);
    end(); /* the sources first */
    expect_int(weir_abort_reason(any_of_any), 2);
    weir_abort_unref(any_of_any);
}

/* ---- a listener that drops the last reference ---- */

struct dropper {
    weir_abort_listener listener;
    weir_abort *abort;
    struct ear *other; /* freed with the abort */
};

static void drop(weir_abort_listener *listener, int reason)
{
    struct dropper *self = (struct dropper *)listener;

    weir_abort_unref(self->abort);
    free(self->other);
}

static void raise_one_that_is_dropped(weir_abort *source, weir_abort *dropped)
{
    struct dropper dropper = {
        {.run = drop}, dropped, malloc(sizeof(struct ear))};

    expect_status(weir_abort_listen(dropped, &dropper.listener), 0);
    listen_to(dropped, dropper.other);
    expect_status(weir_abort_raise(source, 1), 0);
}

CASE(abort_that_a_listener_drops_tells_no_other)
{
    weir_abort *any;

    begin();
    expect_status(weir_abort_any(&any, &other, 1), 0);
    raise_one_that_is_dropped(other, any);
    raise_one_that_is_dropped(signal_, signal_);
    weir_abort_unref(other);
}

CASE(abort_any_of_nothing_is_an_abort)
{
    weir_abort *any;

    expect_status(weir_abort_any(&any, NULL, 0), 0);
    expect_status(weir_abort_raise(any, 1), 0);
    weir_abort_unref(any);
    weir_abort_unref(NULL);
}

/* covers: weir_abort_new -EINVAL
 * covers: weir_abort_any -EINVAL
 * covers: weir_abort_raise -EINVAL
 * covers: weir_abort_listen -EINVAL
 * covers: weir_abort_remove -EINVAL */
CASE(abort_refuses_what_makes_no_sense)
{
    struct ear ear;
    weir_abort *any;

    begin();
    expect_status(weir_abort_new(NULL), -EINVAL);
    expect_status(weir_abort_any(NULL, &signal_, 1), -EINVAL);
    expect_status(weir_abort_any(&any, NULL, 1), -EINVAL);
    expect_status(weir_abort_any(&any, (weir_abort *[]){signal_, NULL}, 2),
                  -EINVAL);
    expect_status(weir_abort_raise(signal_, 0), -EINVAL);
    expect_status(weir_abort_raise(NULL, 1), -EINVAL);
    expect_status(weir_abort_listen(NULL, &ear_init(&ear)->listener), -EINVAL);
    expect_status(weir_abort_listen(signal_, NULL), -EINVAL);
    ear.listener.run = NULL;
    expect_status(weir_abort_listen(signal_, &ear.listener), -EINVAL);
    expect_status(weir_abort_remove(NULL, &ear.listener), -EINVAL);
    expect_status(weir_abort_remove(signal_, NULL), -EINVAL);
    end();
}

/* ---- jobs ---- */

CASE(abort_cancels_jobs_that_have_not_begun)
{
    struct stopper running, queued;
    struct letter without;

    begin();
    pool_make(.workers = 1);
    stopper_init(&running, NULL);
    running.job.abort = signal_;
    expect_status(weir_pool_post(pool, &running.job), 0);
    wait_for(&running.begun);
    stopper_init(&queued, NULL);
    queued.job.abort = signal_;
    expect_status(weir_pool_post(pool, &queued.job), 0);
    expect_status(weir_pool_post(pool, letter(&without, 'w', 0)), 0);
    expect_status(weir_abort_raise(signal_, -ETIMEDOUT), 0);
    stopper_release(&running);
    wait_for(&queued.begun);
    expect_status(queued.status, WEIR_ECANCELED);
    expect_status(running.status, 0);
    pool_end();
    expect_recorded("w");
    end();
}

static void work_until_aborted(void *abort, int status)
{
    expect_status(status, 0);
    await(weir_abort_reason(abort) != 0);
}

CASE(abort_is_seen_by_a_job_that_runs)
{
    begin();
    pool_make(.workers = 1);
    expect_status(weir_pool_submit(pool, work_until_aborted, signal_,
                                   SUBMIT_OPTIONS(.abort = signal_)),
                  0);
    await(pool_stats().ran == 1);
    expect_status(weir_abort_raise(signal_, 1), 0);
    pool_end();
    end();
}

CASE(abort_gives_a_cancelled_job_no_place_in_its_lane)
{
    struct stopper first, second;
    weir_lane *lane;

    begin();
    pool_make(.workers = 2);
    expect_status(weir_lane_new(&lane, pool, "lane", 1), 0);
    stopper_init(&first, NULL);
    first.job.lane = lane;
    expect_status(weir_pool_post(pool, &first.job), 0);
    wait_for(&first.begun);
    expect_status(weir_abort_raise(signal_, 1), 0);
    stopper_init(&second, NULL);
    second.job.lane = lane;
    second.job.abort = signal_;
    expect_status(weir_pool_post(pool, &second.job), 0);
    wait_for(&second.begun); /* though the lane is full */
    expect_status(second.status, WEIR_ECANCELED);
    stopper_release(&first);
    pool_end();
    end();
}
