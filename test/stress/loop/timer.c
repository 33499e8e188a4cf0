/* SPDX-License-Identifier: MIT */
/*
 * timer -- cancelled from other threads, at the moment when they fire, and at
 * the end of their loop.  Each timer has one outcome: it fires, or a cancel
 * returns 0, or it gets WEIR_ECANCELED; and a cancelled one does not fire.
 *
 * loop_race.h and effort.h say what sets the number of rounds.
 */
#include "weir/timer.h"

#include <errno.h>
#include <sched.h>
#include <sys/prctl.h>

#include "base/parker.h"
#include "support/crew.h"
#include "support/effort.h"
#include "support/loop_fixture.h"
#include "support/loop_race.h"
#include "support/random.h"
#include "support/stall.h"
#include "support/suite.h"

/* ---- cancel against fire ---- */

enum { DELAY_NS = 40000, NEAR_NS = 8000 };

static struct {
    struct weir__parker parker; /* the canceller's */
    struct random random;       /* the same */
    pthread_t runner;
    bool repeats;      /* this duel's timer */
    int64_t due_ns;    /* when it fires, or a little later */
    bool is_cancelled; /* atomic: a cancel has returned 0 */
    unsigned fired;    /* loop only, until the canceller's fence */
} duel;

static void fire(void *arg, int status)
{
    expect_status(status, 0);
    expect(effort_now() >= duel.due_ns);
    duel.fired++;
    if (duel.repeats)
        return;
    expect(!__atomic_load_n(&duel.is_cancelled, __ATOMIC_RELAXED));
    weir__parker_unpark(&duel.parker);
}

static void pass(void *arg, int status)
{
    expect_status(status, 0);
    weir__parker_unpark(&duel.parker);
}

/* Until the loop has returned from a callback that may be running. */
static void fence(void)
{
    expect_status(weir_loop_submit(loop, pass, NULL), 0);
    weir__parker_park(&duel.parker);
}

/* Busy: to be there within a microsecond. */
static void await_moment(int64_t moment_ns)
{
    while (effort_now() < moment_ns)
        ;
}

static void expect_silence(void)
{
    unsigned fired;

    __atomic_store_n(&duel.is_cancelled, true, __ATOMIC_RELAXED);
    fence();
    fired = duel.fired;
    if (!duel.repeats)
        expect_int(fired, 0);
    fence();
    expect_int(duel.fired, fired);
}

/* A moment near the deadline, on either side of it. */
static int64_t aim(void)
{
    return duel.due_ns + (int64_t)random_below(&duel.random, 2 * NEAR_NS) -
           NEAR_NS;
}

/* Stops the loop at about the time when it fires, and cancels at about the
 * time when it is stopped. */
static int cancel_at_the_deadline(weir_timer id)
{
    int64_t stall_ns = aim(), cancel_ns = aim() + NEAR_NS;

    await_moment(stall_ns);
    if (random_below(&duel.random, 2) == 0)
        stall_thread(duel.runner);
    await_moment(cancel_ns);
    return weir_timer_cancel(loop, id);
}

static void fight(void)
{
    int64_t delay_ns = 1 + (int64_t)random_below(&duel.random, DELAY_NS);
    weir_timer id;
    int err;

    duel.repeats = random_below(&duel.random, 4) == 0;
    duel.is_cancelled = false;
    duel.fired = 0;
    duel.due_ns = effort_now() + delay_ns;
    expect_status(
        weir_timer_start(loop, &id, delay_ns,
                         duel.repeats ? WEIR_TIMER_FIXED_RATE : WEIR_TIMER_ONCE,
                         fire, NULL),
        0);
    err = cancel_at_the_deadline(id);
    if (err == 0) {
        expect_silence();
    } else {
        expect_status(err, -ENOENT);
        weir__parker_park(&duel.parker); /* until it has fired */
        expect(!duel.repeats);
        expect_int(duel.fired, 1);
    }
    expect_status(weir_timer_cancel(loop, id), -ENOENT);
}

static void run_or_fight(struct crew *crew, unsigned id)
{
    struct effort effort = effort_begin(2);

    if (id == 0) {
        /* It would sleep for 50 us longer otherwise. */
        expect_int(prctl(PR_SET_TIMERSLACK, 1), 0);
        expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), 0);
        return;
    }
    duel.runner = crew->members[0].thread;
    while (effort_goes_on(&effort))
        fight();
    expect_status(weir_loop_shutdown(loop, -1), 0);
}

STRESS_CASE(timer_cancelled_elsewhere_at_its_deadline_fires_or_is_cancelled)
{
    stall_prepare();
    duel.random.state = random_seed();
    weir__parker_init(&duel.parker);
    loop_make(NULL);
    crew_run(2, run_or_fight, NULL);
    loop_end();
}

/* ---- cancel against the end of the loop ---- */

enum { RUNNER, ENDER, CANCELLERS = 2, BELLS = 48 };

struct bell {
    weir_timer id;      /* set before the race, or by the callback */
    unsigned fired;     /* loop only; the last time included */
    unsigned told;      /* loop only: WEIR_ECANCELED */
    unsigned cancelled; /* atomic: cancels that returned 0 */
    bool repeats;
};

static struct {
    bool closes, stalls;
    struct bell bells[BELLS];
} ending;

static void ring(void *arg, int status)
{
    struct bell *bell = arg;

    expect_int(bell->told, 0);
    if (status == 0) {
        bell->fired++;
    } else {
        expect_status(status, WEIR_ECANCELED);
        bell->told++;
    }
}

/* A third is due at once, a third soon, a third never. */
static void start_bell(struct bell *bell, unsigned i)
{
    static const int64_t delays_ns[] = {1, 20000, INT64_C(3600) * SECOND_NS};

    *bell = (struct bell){.repeats = i % 4 == 0};
    expect_status(weir_timer_start(loop, &bell->id, delays_ns[i % 3],
                                   bell->repeats ? WEIR_TIMER_FIXED_DELAY
                                                 : WEIR_TIMER_ONCE,
                                   ring, bell),
                  0);
}

static void prepare_bells(void)
{
    race_make_loop(race_choose_bed());
    ending.closes = race_choose(2) == 0;
    ending.stalls = race_choose(2) == 0;
    for (unsigned i = 0; i < BELLS; i++)
        start_bell(&ending.bells[i], i);
    for (unsigned i = 0; i < 2 + CANCELLERS; i++)
        weir_loop_ref(loop); /* one for each thread */
}

/* Both cancellers go through all bells, from different ends. */
static void cancel_bells(bool backwards)
{
    for (unsigned i = 0; i < BELLS; i++) {
        struct bell *bell = &ending.bells[backwards ? BELLS - 1 - i : i];
        int err = weir_timer_cancel(loop, bell->id);

        if (err == 0)
            __atomic_fetch_add(&bell->cancelled, 1, __ATOMIC_RELAXED);
        else
            expect_status(err, -ENOENT);
        if (i % 16 == 15)
            sched_yield();
    }
}

/* Just when a canceller is stopped, and may have a message to send. */
static void end_loop(pthread_t canceller)
{
    sched_yield();
    if (ending.stalls)
        stall_thread(canceller);
    if (ending.closes)
        expect_status(weir_loop_close(loop, -1), 0);
    else
        expect_status(weir_loop_shutdown(loop, -1), 0);
    race_free_unless_done();
}

static void check_bells(void)
{
    for (unsigned i = 0; i < BELLS; i++) {
        struct bell *bell = &ending.bells[i];

        if (bell->repeats)
            expect_int(bell->told + bell->cancelled, 1);
        else
            expect_int(bell->told + bell->cancelled + bell->fired, 1);
    }
}

static void end_or_cancel(struct crew *crew, unsigned id)
{
    while (race_begin(crew, id, prepare_bells)) {
        if (id == RUNNER)
            race_run_if_first();
        else if (id == ENDER)
            end_loop(crew->members[ENDER + 1].thread);
        else
            cancel_bells(id % 2 == 0);
        weir_loop_unref(loop);
        race_end(crew, id);
        if (id == RUNNER)
            check_bells();
    }
}

STRESS_CASE(timers_cancelled_while_their_loop_ends_have_one_outcome_each)
{
    stall_prepare();
    race_run(3, 2 + CANCELLERS, end_or_cancel);
}

/* ---- who made the loop starts timers while others begin to run it ---- */

enum { MAKER, OTHER_RUNNER, OTHER_ENDER, OTHER_STARTER, PARTY };

static struct {
    bool closes, stalls, has_other_starter;
    struct bell bells[2][BELLS]; /* the maker's, and the other one's */
    bool accepted[2][BELLS];
} early;

static void prepare_early(void)
{
    race_make_loop(race_choose_bed());
    early.closes = race_choose(2) == 0;
    early.stalls = race_choose(2) == 0;
    early.has_other_starter = race_choose(2) == 0;
    for (unsigned who = 0; who < 2; who++)
        for (unsigned i = 0; i < BELLS; i++) {
            early.bells[who][i] = (struct bell){0};
            early.accepted[who][i] = false;
        }
    for (unsigned i = 0; i < PARTY; i++)
        weir_loop_ref(loop); /* one for each thread */
}

/* A third is due at once, a third soon, a third never.  Every second one is
 * cancelled again, if it is there. */
static void start_early(unsigned who)
{
    for (unsigned i = 0; i < BELLS; i++) {
        static const int64_t delays_ns[] = {0, 20000,
                                            INT64_C(3600) * SECOND_NS};
        struct bell *bell = &early.bells[who][i];
        int err = weir_timer_start(loop, &bell->id, delays_ns[i % 3],
                                   WEIR_TIMER_ONCE, ring, bell);

        early.accepted[who][i] = err == 0;
        if (err == 0 && i % 2 == 0)
            err = weir_timer_cancel(loop, bell->id);
        else if (err == 0)
            continue;
        if (err == 0)
            bell->cancelled++;
        else
            expect(err == -ENOENT || err == WEIR_ECLOSED);
    }
}

static void check_early(void)
{
    for (unsigned who = 0; who < 2; who++)
        for (unsigned i = 0; i < BELLS; i++) {
            struct bell *bell = &early.bells[who][i];

            expect_int(bell->told + bell->cancelled + bell->fired,
                       early.accepted[who][i]);
        }
}

static void start_or_run(struct crew *crew, unsigned id)
{
    while (race_begin(crew, id, prepare_early)) {
        if (id == MAKER)
            start_early(0);
        else if (id == OTHER_RUNNER)
            race_run_if_first();
        else if (id == OTHER_ENDER) {
            ending.closes = early.closes;
            ending.stalls = early.stalls;
            end_loop(crew->members[MAKER].thread);
        } else if (early.has_other_starter)
            start_early(1);
        weir_loop_unref(loop);
        race_end(crew, id);
        if (id == MAKER)
            check_early();
    }
}

STRESS_CASE(timers_started_while_another_thread_takes_over_have_one_outcome)
{
    stall_prepare();
    race_run(3, PARTY, start_or_run);
}
