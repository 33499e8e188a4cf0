/* SPDX-License-Identifier: MIT */
/*
 * shutdown -- work that begets work while the loop ends.
 *
 *   What a callback queues during a shutdown is accepted, and then it runs; or
 *   it is refused.  Either way its outcome is known, once.
 *   Work that never ends cannot hold a shutdown past its deadline, and a close
 *   ends it.
 *
 * loop_race.h says what sets the number of rounds.
 */
#include <errno.h>
#include <sched.h>

#include "support/crew.h"
#include "support/effort.h"
#include "support/failing_syscalls.h"
#include "support/loop_fixture.h"
#include "support/loop_race.h"
#include "support/random.h"
#include "support/suite.h"
#include "weir/timer.h"

enum { RUNNER, ENDER, FIRST_OUTSIDER, THREADS = 4 };

/* Who ends the loop, and how.  All threads hold it. */
static bool closes;

static void hold_for_all(void)
{
    for (unsigned i = 0; i < THREADS; i++)
        weir_loop_ref(loop);
}

/* ---- b: a garden, while it is shut ---- */

enum { GENERATIONS = 4, SEEDS = 200 };
enum way {
    SUBMIT,
    DISPATCH,
    TICK,
    MICROTASK,
    IMMEDIATE,
    CLOSE_PHASE,
    TIMER,
    WAYS
};

/* The argument of a call: how it came, and how many generations follow. */
static struct seed {
    enum way way;
    unsigned left;
} seeds[WAYS][GENERATIONS];

static struct {
    struct random random;   /* loop only, as the next two */
    uint64_t spawned;       /* on the loop */
    uint64_t ended;         /* all */
    uint64_t sown[THREADS]; /* from outside, by each thread */
} garden;

static void grow(void *seed, int status);

static int sow(enum way way, unsigned left)
{
    struct seed *seed = &seeds[way][left];

    switch (way) {
    case DISPATCH:
        return weir_loop_dispatch(loop, grow, seed);
    case TICK:
        return weir_loop_next_tick(loop, grow, seed);
    case MICROTASK:
        return weir_loop_microtask(loop, grow, seed);
    case IMMEDIATE:
        return weir_loop_immediate(loop, grow, seed);
    case CLOSE_PHASE:
        return weir_loop_on_close_phase(loop, grow, seed);
    case TIMER:
        return weir_timer_start(loop, NULL, 1000, WEIR_TIMER_ONCE, grow, seed);
    default:
        return weir_loop_submit(loop, grow, seed);
    }
}

/* Without a close only timers get WEIR_ECANCELED; and a callback that is
 * told it can queue nothing more. */
static void grow(void *arg, int status)
{
    struct seed *seed = arg;

    garden.ended++;
    if (status != 0) {
        expect_status(status, WEIR_ECANCELED);
        expect(closes || seed->way == TIMER);
    }
    for (unsigned i = 0; i < seed->left; i++) {
        enum way way = (enum way)random_below(&garden.random, WAYS);
        int err = sow(way, seed->left - 1);

        if (err == 0)
            garden.spawned++;
        else
            expect_status(err, WEIR_ECLOSED);
        if (closes && status != 0)
            expect_status(err, WEIR_ECLOSED);
    }
}

static void sow_from_outside(unsigned id)
{
    for (unsigned i = 0; i < SEEDS; i++) {
        int err = sow((enum way)(i % WAYS), i % GENERATIONS);

        if (err != 0) {
            expect_status(err, WEIR_ECLOSED);
            return;
        }
        garden.sown[id]++;
        if (i % 8 == 0)
            sched_yield();
    }
}

static void prepare_garden(void)
{
    race_make_loop(race_choose_bed());
    hold_for_all();
    closes = race_choose(3) == 0;
    garden.random.state = race_choose(UINT64_MAX);
    garden.spawned = garden.ended = 0;
    for (unsigned id = 0; id < THREADS; id++)
        garden.sown[id] = 0;
}

static void shut_garden(void)
{
    for (unsigned i = 0; i < 4; i++)
        sched_yield();
    if (closes)
        expect_status(weir_loop_close(loop, -1), 0);
    else
        expect_status(weir_loop_shutdown(loop, -1), 0);
    race_free_unless_done();
}

static void check_garden(void)
{
    uint64_t accepted = garden.spawned;

    for (unsigned id = 0; id < THREADS; id++)
        accepted += garden.sown[id];
    expect_int(garden.ended, accepted);
}

static void sow_and_shut(struct crew *crew, unsigned id)
{
    while (race_begin(crew, id, prepare_garden)) {
        if (id == RUNNER)
            race_run_if_first();
        else if (id == ENDER)
            shut_garden();
        else
            sow_from_outside(id);
        weir_loop_unref(loop);
        race_end(crew, id);
        if (id == RUNNER)
            check_garden();
    }
}

STRESS_CASE(work_that_is_spawned_during_shutdown_runs_once_or_is_refused)
{
    for (unsigned way = 0; way < WAYS; way++)
        for (unsigned left = 0; left < GENERATIONS; left++)
            seeds[way][left] = (struct seed){(enum way)way, left};
    race_run(3, THREADS, sow_and_shut);
}

/* ---- d: work that never ends ---- */

enum { PATIENCE_NS = 2 * MILLISECOND_NS };

/* Queues itself again each time, until it is told to stop. */
struct eternal {
    weir_task task; /* first; its run queues it by post */
    enum way way;
    uint64_t turns;
    unsigned ended;
};

static struct eternal eternals[WAYS];

static void live_on(void *arg, int status);

static void live_on_as_task(weir_task *task, int status)
{
    live_on(task, status);
}

static int queue_again(struct eternal *eternal)
{
    switch (eternal->way) {
    case SUBMIT:
        return weir_loop_submit(loop, live_on, eternal);
    case TICK:
        return weir_loop_next_tick(loop, live_on, eternal);
    case MICROTASK:
        return weir_loop_microtask(loop, live_on, eternal);
    case IMMEDIATE:
        return weir_loop_immediate(loop, live_on, eternal);
    case CLOSE_PHASE:
        return weir_loop_on_close_phase(loop, live_on, eternal);
    case TIMER:
        return weir_timer_start(loop, NULL, 0, WEIR_TIMER_ONCE, live_on,
                                eternal);
    default:
        return weir_loop_post(loop, &eternal->task);
    }
}

static void live_on(void *arg, int status)
{
    struct eternal *eternal = arg;

    expect_int(eternal->ended, 0);
    eternal->turns++;
    if (status == 0) {
        expect_status(queue_again(eternal), 0);
    } else {
        expect_status(status, WEIR_ECANCELED);
        expect_status(queue_again(eternal), WEIR_ECLOSED);
        eternal->ended++;
    }
}

static void prepare_eternals(void)
{
    race_make_loop(race_choose_bed());
    hold_for_all();
    for (unsigned way = 0; way < WAYS; way++) {
        eternals[way] = (struct eternal){.task = {.run = live_on_as_task},
                                         .way = (enum way)way};
        expect_status(queue_again(&eternals[way]), 0);
    }
}

static void do_nothing(void *arg, int status)
{
}

/* Others would go on forever, too, if they were not refused. */
static void knock(void)
{
    int err;

    do {
        err = weir_loop_submit(loop, do_nothing, NULL);
        sched_yield();
    } while (err == 0);
    expect_status(err, WEIR_ECLOSED);
}

static void be_impatient(void)
{
    int64_t begun_ns = waits_forget();

    expect_status(weir_loop_shutdown(loop, PATIENCE_NS), -ETIMEDOUT);
    expect(effort_now() - begun_ns >= PATIENCE_NS);
    if (waits_look().count > 0) /* or it has run the loop itself */
        expect_waited(begun_ns, PATIENCE_NS);
    expect_int(weir_loop_state(loop), WEIR_LOOP_TERMINATING);
    expect(weir_loop_report(loop, NULL, 0, sizeof(weir_holder)) > 0);
}

static void end_eternity(void)
{
    be_impatient();
    expect_status(weir_loop_close(loop, -1), 0);
    race_free_unless_done();
}

static void check_eternals(void)
{
    expect_status(race.done_status, WEIR_ECANCELED);
    for (unsigned way = 0; way < WAYS; way++)
        expect_int(eternals[way].ended, 1);
}

static void end_or_live_on(struct crew *crew, unsigned id)
{
    while (race_begin(crew, id, prepare_eternals)) {
        if (id == RUNNER)
            race_run_if_first();
        else if (id == ENDER)
            end_eternity();
        else
            knock();
        weir_loop_unref(loop);
        race_end(crew, id);
        if (id == RUNNER)
            check_eternals();
    }
}

STRESS_CASE(work_that_never_ends_cannot_hold_a_shutdown_past_its_deadline)
{
    race_run(2, THREADS, end_or_live_on);
}
