/* SPDX-License-Identifier: MIT */
/*
 * promise -- threads that settle, wait, chain and let go, against each other
 * and against the end of the loop.
 *
 * Conservation: each promise is decided by one call; each handler that was
 * accepted is called once; each value that a promise has taken is freed once.
 */
#include <errno.h>
#include <stdlib.h>

#include "support/crew.h"
#include "support/effort.h"
#include "support/loop_fixture.h"
#include "support/random.h"
#include "support/suite.h"
#include "weir/promise.h"

enum { THREADS = 4, PROMISES = 16 };

/* Counted without order, so as not to hide a race. */
static uint64_t taken, freed, accepted, called, decided;

static void count(uint64_t *counter)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static uint64_t total(const uint64_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

/* ---- values: plain memory, which whoever sees a value reads ---- */

enum { ALIVE = 0x600d };

static void free_value(void *data)
{
    expect_int(*(int *)data, ALIVE);
    *(int *)data = 0;
    free(data);
    count(&freed);
}

static weir_value new_value(void)
{
    int *data = malloc(sizeof(*data));

    expect(data != NULL);
    *data = ALIVE;
    return weir_value_of(data, free_value);
}

static void look_at(const weir_value *value)
{
    if (value->data != NULL)
        expect_int(*(int *)value->data, ALIVE);
}

static weir_result handle(void *arg, const weir_value *value)
{
    weir_value other;

    look_at(value);
    count(&called);
    if (value->code == 0)
        return weir_pass();
    count(&taken);
    other = new_value();
    return weir_give(other);
}

static void ignore(void *arg, weir_loop *told, const weir_rejection *what)
{
}

/* ---- what a thread does to a promise that it holds ---- */

static weir_promise *promises[PROMISES];

static void settle(weir_promise *promise, bool fulfil)
{
    weir_value value = new_value();
    int err;

    if (!fulfil)
        value.code = -EIO;
    err = fulfil ? weir_promise_resolve(promise, value)
                 : weir_promise_reject(promise, value);
    if (err == 0) {
        count(&taken);
        count(&decided);
    } else {
        expect_status(err, -EALREADY);
        free(value.data);
    }
}

static void chain(weir_promise *promise)
{
    weir_promise *derived;
    int err = weir_promise_then(promise, handle, handle, NULL, &derived);

    if (err == 0) {
        count(&accepted);
        if (weir_promise_state(derived) != WEIR_PROMISE_PENDING)
            look_at(weir_promise_value(derived));
        weir_promise_unref(derived);
    } else {
        expect_status(err, WEIR_ECLOSED);
    }
}

static void follow(weir_promise *promise, weir_promise *other)
{
    int err = weir_promise_follow(promise, other);

    if (err == 0)
        count(&decided);
    else
        expect_status(err, -EALREADY);
}

static uint64_t actions[8];

static void act_on(weir_promise *promise, struct random *random)
{
    switch (random_choose(random, actions)) {
    case 0:
    case 1:
        settle(promise, true);
        break;
    case 2:
        settle(promise, false);
        break;
    case 3:
        follow(promise, promises[random_below(random, PROMISES)]);
        break;
    case 4:
        weir_promise_unref(weir_promise_ref(promise));
        break;
    case 5:
        if (weir_promise_state(promise) != WEIR_PROMISE_PENDING)
            look_at(weir_promise_value(promise));
        break;
    default:
        chain(promise);
        break;
    }
}

/* ---- one round: a loop, its promises, and the threads ---- */

static uint64_t seed;

static void make_round(weir_loop *made)
{
    for (int i = 0; i < PROMISES; i++) {
        expect_status(weir_promise_new(&promises[i], made), 0);
        for (int thread = 1; thread < THREADS; thread++)
            weir_promise_ref(promises[i]);
    }
}

static void play(unsigned id)
{
    struct random random = {seed * THREADS + id};

    for (int i = 0; i < 4 * PROMISES; i++)
        act_on(promises[random_below(&random, PROMISES)], &random);
}

static void let_go(void)
{
    for (int i = 0; i < PROMISES; i++)
        weir_promise_unref(promises[i]);
}

static void begin_round(void)
{
    taken = freed = accepted = called = decided = 0;
    loop_make(LOOP_OPTIONS(.on_rejection = ignore));
    make_round(loop);
    seed++;
}

/* All that was taken has been freed, all that was accepted called. */
static void expect_conserved(void)
{
    expect_int(total(&called), total(&accepted));
    expect_int(total(&freed), total(&taken));
    expect(total(&decided) <= PROMISES);
}

/* ---- threads against a loop that runs ---- */

static void play_and_let_go(struct crew *crew, unsigned id)
{
    play(id);
    let_go();
}

STRESS_CASE(promises_are_settled_and_handled_once_by_many_threads)
{
    struct effort effort = effort_begin(2);

    seed = random_seed();
    while (effort_goes_on(&effort)) {
        struct runner runner;

        begin_round();
        runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
        crew_run(THREADS, play_and_let_go, NULL);
        expect_status(weir_loop_shutdown(loop, -1), 0);
        expect_status(runner_join(&runner), 0);
        expect_status(weir_loop_free(loop), 0);
        expect_conserved();
    }
    expect_all_taken(actions);
}

/* ---- threads against the end, and the free, of the loop ---- */

static void play_against_end(struct crew *crew, unsigned id)
{
    if (id < THREADS) {
        play(id);
        let_go();
    } else if (id == THREADS) {
        expect_status(seed % 2 == 0 ? weir_loop_close(loop, -1)
                                    : weir_loop_shutdown(loop, -1),
                      0);
        expect_status(weir_loop_free(loop), 0);
    }
}

/* The threads hold promises, and nothing else: these keep the loop's memory. */
STRESS_CASE(promises_are_settled_once_while_their_loop_ends_and_is_freed)
{
    struct effort effort = effort_begin(2);

    seed = random_seed();
    while (effort_goes_on(&effort)) {
        begin_round();
        crew_run(THREADS + 1, play_against_end, NULL);
        expect_conserved();
    }
}

/* ---- waiters ---- */

static void wait_for_all(struct crew *crew, unsigned id)
{
    if (id == THREADS) {
        expect_status(weir_loop_close(loop, -1), 0);
        return;
    }
    if (id == 0)
        play(id);
    for (int i = 0; i < PROMISES; i++) {
        expect_status(weir_promise_wait(promises[i], -1), 0);
        look_at(weir_promise_value(promises[i]));
    }
    let_go();
}

STRESS_CASE(promise_wait_returns_whoever_settles)
{
    struct effort effort = effort_begin(2);

    seed = random_seed();
    while (effort_goes_on(&effort)) {
        begin_round();
        crew_run(THREADS + 1, wait_for_all, NULL);
        expect_status(weir_loop_free(loop), 0);
        expect_conserved();
    }
}

/* ---- numbers ---- */

static uint64_t ids[PROMISES];

static void find_all(struct crew *crew, unsigned id)
{
    if (id == THREADS) {
        expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
        return;
    }
    for (int i = 0; i < PROMISES; i++) {
        weir_promise *found = NULL;
        int err = weir_promise_find(loop, ids[i], &found);

        expect(err == 0 || err == -ENOENT);
        if (err == 0) {
            expect(found == promises[i]);
            settle(found, true);
            weir_promise_unref(found);
        }
        weir_promise_unref(promises[i]);
    }
    weir_loop_unref(loop);
}

STRESS_CASE(promise_is_found_or_gone_while_it_is_let_go)
{
    struct effort effort = effort_begin(2);

    seed = random_seed();
    while (effort_goes_on(&effort)) {
        begin_round();
        for (int i = 0; i < PROMISES; i++)
            expect_status(weir_promise_id(promises[i], &ids[i]), 0);
        for (int i = 0; i < THREADS; i++)
            weir_loop_ref(loop);
        crew_run(THREADS + 1, find_all, NULL);
        loop_end();
        expect_conserved();
        expect_int(total(&decided), PROMISES);
    }
}
